//! What is read from TypeScript and JavaScript, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn barrels_classes_and_callbacks_lead_to_their_methods() {
    check(
        r#"
//- packages/shop/package.json
{ "name": "@acme/shop", "main": "dist/index.js" }
//- packages/shop/src/index.ts
export * from './cart'
export { sum as total } from './math.js'
//- packages/shop/src/math.ts
export function sum(a: number[]): number { return a.length }
//- packages/shop/src/cart.ts
import { sum } from './math'
export interface Item { price(): number }
class Base { protected log(m: string) {} }
export class Cart extends Base {
  private items: Item[] = []
  constructor(private store: Store) { super() }
  get first(): Item { return this.items[0] }
  total() {
    this.log('x')
    this.store.save(this)
    this.first.price()
    return sum(this.items.map((item) => item.price()))
  }
}
export class Store { save(cart: Cart) {} }
export const makeCart = async (): Promise<Cart> => new Cart(new Store())
//- app/main.ts
import { makeCart, total, Cart } from '@acme/shop'
import fs from 'node:fs'
async function run() {
  const cart = await makeCart()
  cart.total()
  const { a } = { a: cart }
  a.total()
  fs.total()
  total([])
  const all = new Map<string, Cart>()
  for (const c of all.values()) c.total()
}
//- app/old.js
const { helper } = require('./util')
helper()
//- app/util.js
exports.helper = function () { return inner() }
function inner() {}
"#,
        expect![[r#"
            app/main.ts run -> packages/shop/src/cart.ts Cart.total @[5, 7, 11]
            app/main.ts run -> packages/shop/src/cart.ts makeCart @[4]
            app/main.ts run -> packages/shop/src/math.ts sum @[9]
            app/old.js -> app/util.js helper @[2]
            app/util.js helper -> app/util.js inner @[1]
            packages/shop/src/cart.ts Cart.constructor -> packages/shop/src/cart.ts Base @[6]
            packages/shop/src/cart.ts Cart.total -> packages/shop/src/cart.ts Base.log @[9]
            packages/shop/src/cart.ts Cart.total -> packages/shop/src/cart.ts Cart.first @[11]
            packages/shop/src/cart.ts Cart.total -> packages/shop/src/cart.ts Item.price @[11, 12]
            packages/shop/src/cart.ts Cart.total -> packages/shop/src/cart.ts Store.save @[10]
            packages/shop/src/cart.ts Cart.total -> packages/shop/src/math.ts sum @[12]
            packages/shop/src/cart.ts makeCart -> packages/shop/src/cart.ts Cart @[16]
            packages/shop/src/cart.ts makeCart -> packages/shop/src/cart.ts Cart.constructor @[16]
            packages/shop/src/cart.ts makeCart -> packages/shop/src/cart.ts Store @[16]
        "#]],
    );
}

#[test]
fn modules_that_reexport_each_other_in_a_circle_end() {
    check(
        r#"
//- a.ts
import { X, run } from './b'
export { X, run }
export function go(x: X) { x.y(); run() }
//- b.ts
import { X, run } from './a'
export { X, run }
"#,
        expect![[r#"
            none
        "#]],
    );
}

#[test]
fn a_member_of_an_object_does_not_hide_an_import_of_the_same_name() {
    check(
        r#"
//- transform.ts
export function transform() {}
//- server.ts
import { transform } from './transform'
export function create() {
  const server = {
    transform() { return transform() },
    close: () => transform(),
  }
  server.transform()
  return server
}
"#,
        expect![[r#"
            server.ts create -> server.ts create.transform @[7]
            server.ts create.close -> transform.ts transform @[5]
            server.ts create.transform -> transform.ts transform @[4]
        "#]],
    );
}

#[test]
fn a_library_name_is_no_edge_and_a_shared_method_name_is_a_doubt() {
    check(
        r#"
//- a.ts
import { join } from 'node:path'
export class Queue { drain() {} push(x: number) {} }
export class Pool { drain() {} }
function join2() {}
export function run(x, list: number[]) {
  join('a'); list.push(1); console.log(1); JSON.parse('')
  x.drain()
  x.push(1)
}
//- b.ts
export function join(a: string) {}
"#,
        expect![[r#"
            a.ts run -> a.ts Pool.drain @[7] ?2
            a.ts run -> a.ts Queue.drain @[7] ?2
        "#]],
    );
}

#[test]
fn a_value_that_a_branch_may_leave_standing_counts() {
    let found = testing::calls(
        r#"
//- a.ts
class A { go() {} }
class B { go() {} }
export function perhaps(flag: boolean) {
  let x: any = new A()
  if (flag) x = new B()
  x.go()
}
export function later() {
  let x = new A()
  x = new B()
  x.go()
}
// about nothing
export function c() {} // about c
export function d() {}
"#,
    );
    let of = |name: &str| -> Vec<&str> {
        found
            .lines()
            .filter(|line| line.starts_with(&format!("a.ts {name} ")) && line.contains(".go"))
            .collect()
    };
    assert_eq!(of("perhaps").len(), 2, "{found}");
    assert_eq!(of("later"), ["a.ts later -> a.ts B.go @[11]"]);
}

#[test]
fn signatures_of_an_interface_are_told_apart_by_what_they_are_given() {
    let found = testing::calls(
        r#"
//- a.ts
export interface Server { use(fn: () => void): Server; use(route: string, fn: () => void): Server }
export function one(s: Server, f: () => void) { s.use(f) }
export function two(s: Server, f: () => void) { s.use('/x', f) }
"#,
    );
    assert_eq!(found, "a.ts one -> a.ts Server.use @[2]\na.ts two -> a.ts Server.use#2 @[3]\n");
}

#[test]
fn a_derived_constructor_runs_that_of_its_base() {
    check(
        r#"
//- a.ts
export class Base { constructor(n: number) {} }
export class Plain {}
//- b.ts
import { Base, Plain } from './a'
class Mid extends Base { constructor() { super(1) } }
class Low extends Mid {}
class Own extends Plain { constructor() { super() } }
export function make() {
  new Low()
  new Own()
  new Plain()
}
"#,
        expect![[r#"
            b.ts Mid.constructor -> a.ts Base.constructor @[2]
            b.ts Own.constructor -> a.ts Plain @[4]
            b.ts make -> a.ts Plain @[8]
            b.ts make -> b.ts Low @[6]
            b.ts make -> b.ts Mid.constructor @[6]
            b.ts make -> b.ts Own @[7]
            b.ts make -> b.ts Own.constructor @[7]
        "#]],
    );
}

#[test]
fn a_configuration_extends_files_of_any_name_and_those_of_packages() {
    check(
        r#"
//- config/base.json
{ "compilerOptions": { "baseUrl": "..", "paths": { "@lib/*": ["lib/*"] } } }
//- app/tsconfig.json
{ "extends": "../config/base.json" }
//- lib/a.ts
export function a() {}
//- app/main.ts
import { a } from '@lib/a'
import { b } from 'lib/b'
export function run() { a(); b() }
//- lib/b.ts
export function b() {}
//- tools/conf/package.json
{ "name": "@acme/conf" }
//- tools/conf/strict.json
{ "compilerOptions": { "paths": { "~/*": ["./shared/*"] } } }
//- tools/conf/shared/c.ts
export function c() {}
//- web/tsconfig.json
{ "extends": ["@acme/conf/strict.json"] }
//- web/main.ts
import { c } from '~/c'
export function go() { c() }
"#,
        expect![[r#"
            app/main.ts run -> lib/a.ts a @[3]
            app/main.ts run -> lib/b.ts b @[3]
            web/main.ts go -> tools/conf/shared/c.ts c @[2]
        "#]],
    );
}

#[test]
fn a_class_makes_itself_by_this() {
    check(
        r#"
//- a.ts
class A { constructor(n: number) {} static make() { return new this(1).go() } go() {} clone() { return new (this.constructor as any)() } }
class B extends A { static other() { return new this(2).go() } }
"#,
        expect![[r#"
            a.ts A.make -> a.ts A.constructor @[1]
            a.ts A.make -> a.ts A.go @[1]
            a.ts B.other -> a.ts A.constructor @[2]
            a.ts B.other -> a.ts A.go @[2]
        "#]],
    );
}

const PROTOTYPES: &str = r#"
//- a.js
function Foo(x) { this.part = new Part(); this.init() }
Foo.prototype.init = function () { function inner() {} }
Foo.prototype.bar = function () { this.baz(); this.part.weigh() }
Object.assign(Foo.prototype, {
  baz() {},
  nested: { far: function () {} },
  pair: function () { return this.bar() },
})
Foo.create = function () { return new Foo(1) }
function Part() {}
Part.prototype = { weigh() { this.lift() }, lift: function () {} }
module.exports = Foo
//- app.js
var app = exports = module.exports = {}
app.use = function (f) { this.lazy() }
app.lazy = () => {}
//- main.js
const Foo = require('./a')
const app = require('./app')
function go() {
  new Foo(1).bar()
  const f = Foo.create()
  f.pair()
  f.inner()
  app.use()
  Foo.prototype.baz.call(f)
}
"#;

#[test]
fn members_that_are_assigned_are_found() {
    expect![[r#"
        a.js Foo -> a.js Foo.init @[1]
        a.js Foo -> a.js Part @[1]
        a.js Foo.bar -> a.js Foo.baz @[3]
        a.js Foo.bar -> a.js Part.weigh @[3]
        a.js Foo.create -> a.js Foo @[9]
        a.js Foo.pair -> a.js Foo.bar @[7]
        a.js Part.weigh -> a.js Part.lift @[11]
        app.js app.use -> app.js app.lazy @[2]
        main.js go -> a.js Foo @[4]
        main.js go -> a.js Foo.bar @[4]
        main.js go -> a.js Foo.baz @[9]
        main.js go -> a.js Foo.create @[5]
        main.js go -> a.js Foo.pair @[6]
        main.js go -> app.js app.use @[8]
    "#]]
    .assert_eq(&testing::calls(PROTOTYPES));
    expect![[r#"
        constant::app.js::app 1-1 `app`
        constant::main.js::Foo 1-1 `Foo`
        constant::main.js::app 2-2 `app`
        function::a.js::Foo 1-1 `function Foo(x)`
        function::a.js::Foo.far 6-6 `far: function ()`
        function::a.js::Foo.init.inner 2-2 `function inner()`
        function::a.js::Part 10-10 `function Part()`
        function::main.js::go 3-10 `function go()`
        method::a.js::Foo.bar 3-3 `Foo.prototype.bar = function ()`
        method::a.js::Foo.baz 5-5 `baz()`
        method::a.js::Foo.create 9-9 `Foo.create = function ()`
        method::a.js::Foo.init 2-2 `Foo.prototype.init = function ()`
        method::a.js::Foo.pair 7-7 `pair: function ()`
        method::a.js::Part.lift 11-11 `lift: function ()`
        method::a.js::Part.weigh 11-11 `weigh()`
        method::app.js::app.lazy 3-3 `app.lazy = ()`
        method::app.js::app.use 2-2 `app.use = function (f)`
    "#]]
    .assert_eq(&testing::definitions(PROTOTYPES));
}

#[test]
fn a_doc_comment_may_have_a_blank_line_below_it() {
    let graph = testing::graph(
        r#"
//- a.js
/** Speaks of the file. */

function first() {}

/**
 * Adds up.
 */

export function sum() {}

/** Twice. */


function far() {}

/** Of a value. */

const value = 1;
function after() {}

/** @license of the rest */

function licensed() {}

/* No doc. */

function plain() {}
"#,
    );
    let mut lines: Vec<String> = graph
        .nodes()
        .filter(|node| node.kind().is_callable())
        .map(|node| format!("{} {:?}", node.label(), node.doc()))
        .collect();
    lines.sort();
    expect![[r#"
        after ""
        far ""
        first ""
        licensed ""
        plain ""
        sum "Adds up."
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn the_title_of_a_test_is_no_name_to_call() {
    check(
        r#"
//- src/foo.ts
export function foo() {}
//- test/foo.test.ts
import { foo } from '../src/foo'
function bar() {}
describe('foo', () => {
  test('foo', () => {
    foo()
  })
  it('bar', () => {
    bar()
    alone()
  })
  it('alone', () => {})
})
"#,
        expect![[r#"
            test/foo.test.ts bar -> test/foo.test.ts bar @[8]
            test/foo.test.ts foo -> src/foo.ts foo @[5]
        "#]],
    );
}

#[test]
fn names_that_catch_clauses_functions_and_var_bind_hide_those_outside() {
    check(
        r#"
//- a.js
export function f() {}
export function g() {}
//- m.js
import { f, g } from './a.js'
export function v1() { try { f() } catch (g) { g() } g() }
export function v2() { (function f() { f() })(); f() }
export function v3() { if (1) { var g = 1 } g() }
export function v4() { { let g = 1 } g() }
export function v5() { return function* f() { yield f() } }
export function v6() { const h = () => { if (1) { var g = 1 } }; g() }
export const v7 = function f() { f() }
"#,
        expect![[r#"
            m.js v1 -> a.js f @[2]
            m.js v1 -> a.js g @[2]
            m.js v2 -> a.js f @[3]
            m.js v4 -> a.js g @[5]
            m.js v6 -> a.js g @[7]
            m.js v7 -> m.js v7 @[8]
        "#]],
    );
}

#[test]
fn one_of_several_values_is_not_the_whole_answer() {
    check(
        r#"
//- socket.js
class LongPoll { close() {} }
class Socket {
  constructor(opts, g) { this.transport = opts.transport || g.WebSocket || LongPoll; this.conn = null }
  connect() { this.conn = new this.transport("x") }
  down() { this.conn.close() }
}
const en = { fmt() { return 1 } }
function dur(options) { const locale = options.locale ?? en; return locale.fmt() }
function param(locale = en) { return locale.fmt() }
function later(a) { let x; if (a) { x = new LongPoll() } x.close() }
function side(x) { if (x.a) x = new LongPoll(); else x.close() }
function both(a) { return a && en.fmt() }
"#,
        expect![[r#"
            socket.js Socket.connect -> socket.js LongPoll @[4] ?2
            socket.js Socket.down -> socket.js LongPoll.close @[5] ?2
            socket.js both -> socket.js en.fmt @[12]
            socket.js dur -> socket.js en.fmt @[8] ?2
            socket.js later -> socket.js LongPoll @[10]
            socket.js later -> socket.js LongPoll.close @[10]
            socket.js param -> socket.js en.fmt @[9] ?2
            socket.js side -> socket.js LongPoll @[11]
            socket.js side -> socket.js LongPoll.close @[11] ?2
        "#]],
    );
}

#[test]
fn the_innermost_of_variables_and_functions_of_a_name_is_meant() {
    check(
        r#"
//- a.ts
function one() {}
function two() {}
const top = one
function outer() {
  const run = one
  function inner() {
    run()
    function run() {}
    class Made { go() {} }
    new Made().go()
  }
  function shadowed() {
    function run() {}
    const f = () => run()
    { const run = two; run() }
  }
  run()
}
function hides() {
  function top() {}
  top()
}
function sees() { top() }
"#,
        expect![[r#"
            a.ts hides -> a.ts hides.top @[21]
            a.ts outer -> a.ts one @[17]
            a.ts outer.inner -> a.ts outer.inner.Made @[10]
            a.ts outer.inner -> a.ts outer.inner.Made.go @[10]
            a.ts outer.inner -> a.ts outer.inner.run @[7]
            a.ts outer.shadowed -> a.ts two @[15]
            a.ts outer.shadowed.f -> a.ts outer.shadowed.run @[14]
            a.ts sees -> a.ts one @[23]
        "#]],
    );
}

#[test]
fn what_is_defined_in_a_block_is_found_in_it_and_hides_nothing_outside() {
    check(
        r#"
//- a.ts
if (flag) {
  const helper = () => first()
  function declared() { helper() }
  class K { m() { helper() } }
  const k: K = new K()
  k.m()
  declared()
} else {
  const helper = () => second()
  helper()
}
function first() {}
function second() {}
function same() {}
try {
  const same = () => first()
  same()
} catch (e) {
  function same() {}
  same()
}
same()
switch (flag) {
  case 1: {
    function same() {}
    same()
    break
  }
}
namespace N {
  { const same = () => 1; same() }
  export function inside() { same() }
}
N.inside()
export function outer() {
  helper()
  declared()
  if (flag) {
    const same = () => 1
    same()
  }
  same()
}
(function () {
  const only = () => 1
  only()
  var late = function () {}
  if (flag) { var held = () => 1 }
  late(); held()
})()
only()
"#,
        expect![[r#"
            a.ts -> a.ts K.m @[6]
            a.ts -> a.ts N.inside @[34]
            a.ts -> a.ts N.same @[31]
            a.ts -> a.ts declared @[7]
            a.ts -> a.ts held @[49]
            a.ts -> a.ts helper#2 @[10]
            a.ts -> a.ts late @[49]
            a.ts -> a.ts only @[46]
            a.ts -> a.ts same @[22]
            a.ts -> a.ts same#2 @[17]
            a.ts -> a.ts same#3 @[20]
            a.ts -> a.ts same#4 @[26]
            a.ts K.m -> a.ts helper @[4]
            a.ts N.inside -> a.ts same @[32]
            a.ts declared -> a.ts helper @[3]
            a.ts helper -> a.ts first @[2]
            a.ts helper#2 -> a.ts second @[9]
            a.ts k -> a.ts K @[5]
            a.ts outer -> a.ts declared @[37]
            a.ts outer -> a.ts outer.same @[40]
            a.ts outer -> a.ts same @[42]
            a.ts same#2 -> a.ts first @[16]
        "#]],
    );
}

#[test]
fn reading_a_getter_runs_it() {
    check(
        r#"
//- shop.ts
export class Base {
  plain = 1
  set total(value: number) {}
  get total(): number { return this.plain }
  get names(): string[] { return [] }
}
export class Cart extends Base {
  clear() { this.total = 0; return this.names.length }
}
//- app.ts
import { Cart } from './shop'
export function use(cart: Cart, other: any) {
  cart.total = 1
  if (cart.total > other.total) return cart.plain
}
"#,
        expect![[r#"
            app.ts use -> shop.ts Base.total#2 @[4]
            shop.ts Cart.clear -> shop.ts Base.names @[8]
        "#]],
    );
}
