//! Small programs in every language, each file in several states.

/// Files and what each may say. The texts of one language refer to each other in every way that it has.
pub const FILES: [(&str, &[&str]); 70] = [
    ("Cargo.toml", &["[package]\nname = \"shop\"\n"]),
    (
        "src/lib.rs",
        &[
            "mod cart;\nmod store;\nmod util;\npub use cart::Cart;\npub fn run() { Cart::new().add(1).total(); helper(); }\nfn helper() {}\n",
            "mod cart;\nmod store;\nmod util;\nuse store::Store;\npub fn run() { Store::default().cart().add(1); util::twice(); }\n",
            "mod cart;\nmod store;\nmod util;\npub use store::*;\npub fn run() { open().add(2); }\nfn total() {}\n",
        ],
    ),
    (
        "src/cart.rs",
        &[
            "pub struct Cart;\nimpl Cart { pub fn new() -> Self { Cart } pub fn add(&self, n: u32) -> &Self { self } pub fn total(&self) {} }\n",
            "use crate::store::Store;\npub struct Cart { store: Store }\nimpl Cart { pub fn new() -> Store { Store::default() } pub fn add(&self, n: u32) -> Store { Store::default() } }\n",
            "pub trait Add { fn add(&self, n: u32) -> Self; }\npub struct Cart;\nimpl Add for Cart { fn add(&self, n: u32) -> Self { Cart } }\nimpl Cart { pub fn new() -> Cart { Cart } }\n",
            "pub enum Cart { Full, Empty }\nimpl std::ops::Deref for Cart { type Target = crate::store::Store; fn deref(&self) -> &crate::store::Store { loop {} } }\n",
        ],
    ),
    (
        "src/store.rs",
        &[
            "use crate::cart::Cart;\n#[derive(Default)]\npub struct Store;\nimpl Store { pub fn cart(&self) -> Cart { Cart::new() } pub fn total(&self) {} }\npub fn open() -> Cart { Cart::new() }\n",
            "use crate::cart::*;\npub struct Store { cart: Cart }\nimpl Default for Store { fn default() -> Self { open(); loop {} } }\npub fn open() -> Store { Store::default() }\nimpl Store { pub fn add(&self, n: u32) { self.cart.add(n); } }\n",
            "pub struct Store;\nimpl crate::cart::Add for Store { fn add(&self, n: u32) -> Self { Store } }\n",
        ],
    ),
    (
        "src/util.rs",
        &[
            "pub fn twice() { crate::run(); crate::run() }\n",
            "use super::*;\npub fn twice() { helper(); run() }\npub fn total() { Cart::new(); }\n",
            "macro_rules! both { ($x:expr) => {{ $crate::run(); helper(); $x.total() }} }\npub fn twice() { both!(1) }\n",
            "use crate::cart::Cart;\nimpl crate::cart::Add for crate::store::Store { fn add(&self, n: u32) -> Self { loop {} } }\npub fn twice(c: &Cart) { c.add(1).total() }\n",
        ],
    ),
    (
        "web/table.js",
        &[
            "import { helper } from './helper'\nclass Row { end() {} }\nclass Cell { end() {} }\nexport const Table = {\n  open: function () { return new Row() },\n  size: [1],\n}\nexport function first() { return Table.open() }\n",
            "import { helper } from './helper'\nclass Row { end() {} }\nclass Cell { end() {} }\nexport const Table = {\n  close: function () { return new Cell() },\n  open: function () { return Table.close() },\n}\nexport function first() { return Table.open() }\n",
            "import { helper } from './helper'\nclass Row { end() {} }\nexport const Table = {\n  open: null,\n  close: function () { return helper() },\n}\nTable.open = function () { return new Row() }\nTable.extra = function () { return Table.open() }\nexport function first() { return Table.extra() }\n",
            "class Row { end() {} }\nclass Cell { end() {} }\nexport const Table = { open: () => new Row(), sub: { open: () => new Cell() } }\nexport function first() {\n  function Table() {}\n  Table.open = () => new Cell()\n  return Table.open()\n}\nexport function second() { return Table.sub.open() }\n",
            "import { more } from './rows'\nclass Row { end() {} }\nexport let Table = { open: () => new Row(), close: more.of }\nif (FLAG) Table = { open: () => more.of() }\nexport function first() { return Table.open() }\nexport function second() { return Table.close() }\n",
        ],
    ),
    (
        "web/rows.js",
        &[
            "import { first, Table } from './table'\nexport function rows() { first().end(); Table.open().end(); Table.close().end() }\nexport const more = { of: rows }\n",
            "import { first, second } from './table'\nexport function rows() { return first() }\nexport const more = { of: rows, then: function () { return more.of().end() } }\nexport function last() { second().end(); more.then() }\n",
            "import { first } from './table'\nif (FLAG) { function rows() { return first() } rows() }\nelse { const rows = () => first().end(); rows() }\nexport const more = { of: () => rows() }\nexport { rows }\n",
            "import { helper } from './helper'\nimport * as table from './table'\nclass Own { end() {} }\nexport const more = { of: function () { return new Own() }, all: table.Table }\nexport function rows() { more.all.open().end(); helper() }\n",
        ],
    ),
    // Names of types, constants that are written as anything else, and what is listed as everything.
    (
        "shop/kinds.py",
        &[
            "from typing import Union\nfrom .parts import Part\nItem = Union[str, Part]\nitems = dict()\nboth = Part\n__all__ = ['Item', 'items']\n",
            "from typing import Union\nItem = Union[str, int]\nclass items: ...\ndef both(): ...\n",
            "from .parts import *\n__all__ = ['Item', 'both']\nItem = 1\n",
            "type Item = int | str\nitems = []\nitems += [1]\n",
        ],
    ),
    (
        "shop/parts.py",
        &[
            "from .kinds import *\nfrom . import kinds\nclass Part: ...\ndef use(x: Item, y: kinds.Item) -> 'Item':\n    return items(x) or kinds.both(y)\n",
            "from .kinds import Item, both as each, items\nclass Part: ...\nboth = Part\ndef use(x: Item):\n    items = 1\n    return each(x) and items\n",
            "__all__ = ['both']\nclass Part: ...\nboth = Part()\nItem = Part\n",
        ],
    ),
    (
        "web/kinds.ts",
        &[
            "import { Part } from './parts'\nexport type Item = string | Part\nexport const items: typeof Array.isArray = Array.isArray\nexport const both = made((x: Item) => x)\n",
            "export interface Item {}\nexport function items() {}\nexport { Part as both } from './parts'\n",
            "export * from './parts'\nexport type Item<T> = T\n",
        ],
    ),
    (
        "web/parts.ts",
        &[
            "import { both, items, type Item } from './kinds'\nimport * as kinds from './kinds'\nexport class Part {}\nexport function use(x: Item, y: kinds.Item) { return items(both(x)) || kinds.both(y) }\n",
            "export * from './kinds'\nexport class Part {}\nexport function use<Item>(x: Item) { return x }\n",
            "import { both as each, items } from './kinds'\nexport type Part = Item\nexport type Item = number\nexport const both = each\nexport function use(items: Item) { return items }\n",
        ],
    ),
    (
        "shop/__init__.py",
        &[
            "from .cart import Cart\nfrom .store import *\n",
            "from .cart import Basket as Cart, make\n",
            "from . import cart\nimport os\nlimit = 3\n",
        ],
    ),
    (
        "shop/cart.py",
        &[
            "from .base import Base\nclass Cart(Base):\n    def total(self):\n        return self.add(1)\ndef make():\n    return Cart()\n",
            "class Basket:\n    def add(self, n):\n        self.items = Items()\n        return self\n    def __enter__(self):\n        return Items()\nclass Items:\n    def add(self, n): ...\ndef make():\n    return Basket().add(1)\nCart = Basket\n",
            "from .store import open_store\nclass Cart:\n    def __init__(self):\n        self.store = open_store()\n    def add(self, n):\n        return self.store\n",
            "def make():\n    return None\n",
            "try:\n    from .store import open_store as make\nexcept ImportError:\n    def make():\n        return Cart()\nif limit:\n    class Cart:\n        def add(self, n): ...\nelse:\n    from .base import Base as Cart\n",
        ],
    ),
    (
        "shop/base.py",
        &[
            "class Base:\n    def add(self, n):\n        return self\n    def total(self): ...\n",
            "class Root:\n    def add(self, n): ...\nclass Base(Root):\n    pass\n",
            "from .store import Store as Base\n",
            "class Base:\n    @property\n    def total(self):\n        return Base()\n    def add(self, n):\n        return self.total\n",
        ],
    ),
    (
        "shop/store.py",
        &[
            "from .cart import make\nclass Store:\n    def add(self, n):\n        return make()\n    def total(self): ...\ndef open_store():\n    return Store()\n",
            "import shop.cart\ndef open_store():\n    return shop.cart.make()\n__all__ = ['open_store']\n",
            "from .base import *\nclass Store(Base):\n    pass\ndef open_store() -> 'Store': ...\n",
        ],
    ),
    (
        "shop/views.py",
        &[
            "from flask import Flask\nfrom .cart import make\napp = Flask(__name__)\n@app.get('/cart')\ndef cart():\n    return make()\n@app.post('/store')\ndef store():\n    return cart()\n",
            "from flask import Flask\nfrom .cart import make\napp = Flask(__name__)\n\n@app.get('/cart')\ndef cart():\n    store()\n    return make().total()\n\n@app.post('/store')\ndef store():\n    pass\n",
            "from flask import Flask\nfrom .store import open_store\napp = Flask(__name__)\n@app.get('/open')\ndef cart():\n    return open_store()\n",
            "from .cart import make\ndef cart():\n    made = make()\n    made.total = 1\n    return made.total.total\ndef store():\n    return make().add(1).total\n",
        ],
    ),
    (
        "c/api.h",
        &[
            "int api_open(int n);\nint api_close(int n);\n#define OPEN(n) api_open(n)\n",
            "int api_open(int n);\n#define OPEN(n) part(api_close(n))\n#define BOTH(n) OPEN(n)\n",
            "#ifdef FAST\nint api_open(int n);\n#endif\nLIB_EXTERN int api_close(int n) LIB_USED;\n",
        ],
    ),
    (
        "c/api.c",
        &[
            "#include \"api.h\"\nint api_open(int n) { return OPEN(n); }\nint api_close(int n) { return n; }\n#include \"part.c\"\n",
            "#include \"api.h\"\nint api_open(int n) {\n#ifdef FAST\n if (n) {\n#else\n if (api_close(n)) {\n#endif\n return part(n); } return 1; }\nstatic int own(int n) { return n; }\n#include \"part.c\"\n",
            "int api_close(int n) { return n; }\n#ifdef A\nint api_open(int n) { return 1; }\n#else\nint api_open(int n) { return 2; }\n#endif\n",
        ],
    ),
    (
        "c/part.c",
        &[
            "int part(int n) { return api_close(n) + own(n); }\n",
            "static int part(int n) { return OPEN(n); }\nint own(int n) { return n; }\n",
        ],
    ),
    (
        "c/main.c",
        &[
            "#include \"api.h\"\nint main(void) { return OPEN(1) + api_open(2) + part(3); }\n",
            "#include \"api.h\"\n#define CLOSE api_close(1)\nint part(int n);\nint main(void) { BOTH(1); CLOSE; return part(3); }\n",
        ],
    ),
    (
        "web/server.ts",
        &[
            "import express from 'express'\nimport { run } from './app'\nconst app = express()\napp.get('/run', run)\n",
            "import express from 'express'\nimport { run } from './app'\n\nconst app = express()\n\napp.get('/run', run)\nfunction more() { run() }\n",
            "import express from 'express'\nimport { open } from './store'\nconst app = express()\napp.get('/run', open)\n",
        ],
    ),
    (
        "tests/test_shop.py",
        &[
            "from shop import Cart\ndef test_cart():\n    Cart().add(1).total()\n",
            "from shop.store import open_store\nimport shop\ndef test_store():\n    open_store().add(1)\n    with shop.Cart() as c:\n        c.add(2)\n",
            "import shop\ndef test_make():\n    shop.cart.make().total()\n    x.add(1)\n",
        ],
    ),
    (
        "web/cart.ts",
        &[
            "import { Store } from './store'\nexport class Cart { add(n: number): Store { return new Store() } total() {} }\nexport default function make() { return new Cart() }\n",
            "export class Cart { store = { add(n: number) {} }\n constructor() { this.add(1) }\n add(n: number) { return this } }\nexport const make = () => new Cart()\n",
            "export { Store as Cart } from './store'\nexport interface Priced { total(): void }\n",
        ],
    ),
    (
        "web/store.ts",
        &[
            "import type { Priced } from './cart'\nexport class Store implements Priced { total() {} }\n",
            "import make, { Cart } from './cart'\nexport class Store extends Cart { total() { make() } }\nexport function open(): Cart { return make() }\n",
            "export class Store { add(n: number) { return this } }\nexport const open = () => new Store()\n",
        ],
    ),
    (
        "web/index.ts",
        &[
            "export * from './cart'\nexport * from './store'\n",
            "export { open } from './store'\n",
            "export {}\n",
        ],
    ),
    (
        "web/app.ts",
        &[
            "import { Cart, open } from '.'\nexport function run() { new Cart().add(1).total(); open().add(2) }\n",
            "import * as web from './index'\nimport make from './cart'\nexport function run(x: web.Store) { x.total(); make().add(1) }\n",
        ],
    ),
    // Files that come and go.
    (
        "src/extra.rs",
        &[
            "use super::*;\npub struct Extra;\nimpl Extra { pub fn add(&self, n: u32) -> Cart { Cart::new() } }\npub fn twice() {}\n",
            "mod inner { pub fn twice() {} }\npub fn open() { inner::twice() }\n#[macro_export]\nmacro_rules! count { () => { 1 } }\n",
        ],
    ),
    (
        "src/store/deep.rs",
        &[
            "use crate::store::Store;\nimpl Store { pub fn deep(&self) -> crate::cart::Cart { loop {} } }\n",
            "pub fn deep() -> u32 { count!() }\n",
        ],
    ),
    (
        "tests/all.rs",
        &[
            "use shop::Cart;\n#[test]\nfn all() { Cart::new().add(1); }\n",
            "mod util;\nuse shop::*;\n#[test]\nfn all() { run(); util::twice() }\n",
        ],
    ),
    (
        "shop/plugins/json.py",
        &[
            "from ..cart import make\ndef load():\n    return make()\n",
            "class Plugin:\n    def add(self, n): ...\n    def total(self): ...\n",
        ],
    ),
    (
        "shop/urls.py",
        &[
            "from django.urls import path, include\nfrom . import views\nurlpatterns = [path('cart/', views.cart), path('api/', include('shop.api_urls'))]\n",
            "from django.urls import path\nfrom .views import store\nurlpatterns = [path('s/', store)]\n",
        ],
    ),
    (
        "shop/api_urls.py",
        &["from django.urls import path\nfrom . import views\nurlpatterns = [path('all/', views.store)]\n"],
    ),
    ("shop/settings.py", &["ROOT_URLCONF = 'shop.urls'\n"]),
    (
        "tests/test_plugins.py",
        &[
            "from shop.plugins import json\nimport shop.plugins.json as plugin\ndef test_load():\n    json.load().add(1)\n    plugin.Plugin().total()\n",
            "from shop.plugins.json import *\ndef test_load():\n    load().total()\n",
        ],
    ),
    (
        "web/old.js",
        &[
            "const { run } = require('./helper')\nfunction go() { return run() }\nmodule.exports = { go, run }\n",
            "const helper = require('./helper')\nmodule.exports = function go() { return helper.run() }\n",
            "const helper = require('./helper')\nfunction go() {}\nmodule.exports = { ...helper, go }\n",
            "module.exports = require('./helper')\n",
            "const { wrap, run, Box } = require('./helper')\nconst go = wrap(run)\nclass Crate extends Box {}\nmodule.exports = { go, run, Box: Crate }\n",
        ],
    ),
    (
        "web/helper.js",
        &[
            "function run() { return new Box() }\nclass Box { open() {} }\nmodule.exports = { run }\n",
            "class Box { open() { return this } }\nmodule.exports = { run: () => new Box() }\n",
            "exports.run = function () { return null }\n",
            "function run() {}\nfunction wrap(f) { return () => f() }\nclass Box { open() {} }\nmodule.exports = { run, wrap, Box }\n",
            "function run() {}\nfunction wrap(f) { return 1 }\nmodule.exports = { run, wrap }\n",
        ],
    ),
    (
        "web/user.js",
        &[
            "const old = require('./old')\nold.go().open()\nimport { make as build } from './cart'\nexport const built = build()\n",
            "import go from './old'\nimport { built } from './user'\nfunction all() { go().open(); built.add(1) }\n",
            "const { go, run, Box } = require('./old')\nfunction all() { go(); run(); new Box().open() }\nclass Own extends Box { far() { this.open() } }\n",
        ],
    ),
    ("go.mod", &["module example.com/shop\n"]),
    (
        "pkg/cart.go",
        &[
            "package pkg\n\ntype Cart struct{ store Store }\n\nfunc (c *Cart) Add(n int) *Cart { return c }\nfunc New() *Cart { return &Cart{} }\n",
            "package pkg\n\ntype Cart struct{ *Store }\n\nfunc New() Cart { return Cart{} }\n",
            "package pkg\n\ntype Adder interface{ Add(n int) }\n\nfunc New() Adder { return &Store{} }\n",
            "package pkg\n\ntype Cart[T any] struct{ all []T }\n\nfunc (c *Cart[E]) Add(n int) E { return c.all[n] }\nfunc New() (Open *Cart[Store]) { Open.Add(1).Total(); return Open }\n",
        ],
    ),
    (
        "pkg/store.go",
        &[
            "package pkg\n\ntype Store struct{}\n\nfunc (s *Store) Add(n int) { New().Add(n) }\nfunc Open() *Store { return &Store{} }\n",
            "package pkg\n\ntype Store struct{ cart *Cart }\n\nfunc (s *Store) Total() { s.cart.Add(1); Open().Total() }\nfunc Open() Store { return Store{} }\n",
        ],
    ),
    (
        "j/Base.java",
        &[
            "package j;\nclass Base { Base() {} Base(String s) {} void add() {} }\n",
            "package j;\nclass Base { Base(Coin c) { c.add(); } static class Inner { Inner() { new Base(null); } } }\n",
            "package j;\nclass Base {}\n",
        ],
    ),
    (
        "j/Coin.java",
        &[
            "package j;\nclass Coin extends Base { Coin() { this(1); } Coin(int n) { super(\"x\"); } void add() { super.add(); } }\n",
            "package j;\nclass Coin { Coin(String s) {} Coin(Base b) {} void add() {} }\n",
            "package j;\nclass Coin extends Base { Coin(int n) { super(); } }\n",
        ],
    ),
    (
        "j/Use.java",
        &[
            "package j;\nclass Use { Coin one() { return new Coin(1); } void two(Base b) { new Coin(b).add(); new Base(); } }\n",
            "package j;\nclass Use extends Coin { Use() { super(\"x\"); new Base.Inner(); } }\n",
        ],
    ),
    (
        "n/Base.cs",
        &[
            "namespace N;\nclass Base { public Base(string s) {} public Base() {} public void Add() {} }\n",
            "namespace N;\ninterface Base { void Add(); }\n",
        ],
    ),
    (
        "n/Coin.cs",
        &[
            "namespace N;\nclass Coin : Base { public Coin() : this(1) {} public Coin(int n) : base(\"x\") {} void Go() { base.Add(); new Coin(2); } }\n",
            "namespace N;\nclass Coin : Base { public Coin() : base() { new Base(); } }\n",
            "namespace N;\npartial class Coin : Base { public int Count { get { return 1; } } public Base Other() { return new Base(); } void Go(dynamic d) { d.Other(); d.Count(); } }\n",
        ],
    ),
    (
        "r/base.rb",
        &[
            "class Base\n  def initialize(n)\n  end\n  def add\n    super\n  end\nend\n",
            "module Base\n  def add\n  end\nend\n",
        ],
    ),
    (
        "r/coin.rb",
        &[
            "require_relative 'base'\nclass Coin < Base\n  def add\n    super\n    Coin.new(1)\n  end\nend\n",
            "class Coin\n  include Base\n  def initialize\n    super()\n  end\n  def add\n    super.add\n  end\nend\n",
        ],
    ),
    (
        "cc/slice.h",
        &[
            "class Slice { public: Slice(const Slice& s) {} Slice(int n, int m = 1) {} Slice(const char* s); void run() {} };\nconstexpr Slice kEmpty{1};\n",
            "class Base { public: Base(int n) {} void run() {} };\nclass Slice : public Base { public: Slice() : Base(1) {} Base all[3]; };\n",
        ],
    ),
    (
        "cc/use.cc",
        &[
            "#include \"slice.h\"\nSlice::Slice(const char* s) {}\nvoid use() { Slice one(1); Slice two(\"x\"); kEmpty.run(); Slice many[2]; many[0].run(); }\n",
            "#include \"slice.h\"\nclass Sub : public Slice { Sub() : Slice() { all[1].run(); } };\nTEST_F(Slice, run) { run(); }\n",
        ],
    ),
    (
        "shop/limits.py",
        &[
            "from .cart import make\nclass Limits:\n    CART = make()\n    MAX: int = 3\n    def go(self):\n        self.CART.add(1)\ntype Alias = Limits\n",
            "from .base import Base\nclass Limits(Base):\n    CART: Base = None\n    def go(self):\n        Limits.CART.total()\n",
        ],
    ),
    // Copies of what is there, in part and in other versions.
    (
        "old/Cargo.toml",
        &["[package]\nname = \"shop\"\n", "[package]\nname = \"shop\"\n[lib]\npath = \"src/cart.rs\"\n"],
    ),
    (
        "old/src/lib.rs",
        &[
            "mod cart;\npub use cart::Cart;\npub fn run() { Cart::new().add(1).total(); }\n",
            "pub mod cart;\npub fn run() { shop::cart::Cart::new(); }\n",
        ],
    ),
    (
        "old/src/cart.rs",
        &[
            "pub struct Cart;\nimpl Cart { pub fn new() -> Self { Cart } pub fn add(&self, n: u32) -> &Self { self } pub fn total(&self) {} }\n",
            "pub struct Cart;\nimpl Cart { pub fn new() -> Self { Cart } }\n",
        ],
    ),
    ("old/tests/all.rs", &["use shop::Cart;\n#[test]\nfn all() { Cart::new().add(1); }\n"]),
    ("old/shop/__init__.py", &["from .cart import Cart\n", "from shop.cart import make\nimport shop.base\n"]),
    (
        "old/shop/cart.py",
        &[
            "from shop.base import Base\nclass Cart(Base):\n    def total(self):\n        return self.add(1)\ndef make():\n    return Cart()\n",
            "import shop\nfrom shop.store import open_store\ndef make():\n    shop.make()\n    return open_store()\n",
        ],
    ),
    (
        "old/tests/test_shop.py",
        &[
            "import shop\nfrom shop.cart import make\ndef test_make():\n    make().total()\n    shop.Cart().add(1)\n",
        ],
    ),
    ("old/go.mod", &["module example.com/shop\n", "module example.com/other\n"]),
    (
        "old/pkg/cart.go",
        &[
            "package pkg\n\ntype Cart struct{}\n\nfunc (c *Cart) Add(n int) *Cart { return c }\nfunc New() *Cart { return &Cart{} }\n",
            "package pkg\n\nfunc New() int { return 1 }\n",
        ],
    ),
    (
        "old/main.go",
        &[
            "package main\n\nimport \"example.com/shop/pkg\"\n\nfunc main() { pkg.New().Add(1); pkg.Open() }\n",
        ],
    ),
    (
        "old/j/Coin.java",
        &[
            "package j;\nclass Coin extends Base { enum Kind { A(1); Kind(int n) {} } Coin(int n) { this(\"x\"); new Use(); } Coin(String s) {} void add() { super.add(); } }\n",
            "package j;\nclass Coin { java.util.function.Supplier<Coin> made() { return Coin::new; } }\n",
        ],
    ),
    (
        "old/n/Coin.cs",
        &[
            "namespace N;\nclass Coin : Base { public Base Other => Make(); Base Make() { return new(\"x\"); } void Go() { Other.Add(); } }\n",
            "namespace N;\npartial class Coin { const int Max = 1; public int Count() { return 1; } void Go(dynamic d) { d.Count(); d.Other(); } }\n",
        ],
    ),
    (
        "src/cart/early.rs",
        &[
            "impl Early { pub fn go(&self) { self.0.add(1); } }\npub struct Early(crate::cart::Cart);\n",
            "pub struct Early;\nimpl Early { pub fn go(&self) {} }\n",
        ],
    ),
    (
        "pkg/store_alt.go",
        &[
            "//go:build alt\n\npackage pkg\n\ntype Store struct{}\n\nfunc (s *Store) Add(n int) { s.Total() }\nfunc (s *Store) Total() {}\nfunc Open() *Store { return &Store{} }\n",
            "package pkg\n\ntype Store struct{ cart Cart }\n\nfunc (s *Store) Add(n int) { s.Total() }\nfunc (s *Store) Total() {}\n",
            "//go:build !alt\n\npackage pkg\n\nfunc Open() *Store { return &Store{} }\n",
        ],
    ),
    ("pkg/export_test.go", &["package pkg\n\nfunc Inner() *Cart { return New() }\n"]),
    (
        "pkg/cart_test.go",
        &[
            "package pkg_test\n\nimport \"example.com/shop/pkg\"\n\nfunc TestIt() { pkg.Inner().Add(1) }\n",
            "package pkg\n\nfunc TestIt() { Inner(); Open() }\n",
        ],
    ),
    (
        "app/main.go",
        &[
            "package main\n\nimport \"example.com/shop/pkg\"\n\nfunc main() { pkg.New().Add(1); pkg.Open().Total() }\n",
            "package main\n\nimport _ \"example.com/shop/pkg\"\n\nfunc main() {}\n",
            "package main\n\nimport \"example.com/shop/pkg\"\n\nvar shop = pkg.Open()\n\nfunc main() { shop.Add(1) }\n",
        ],
    ),
    (
        "j/Nameless.java",
        &[
            "package j;\nclass Nameless { Object made() { return new Base() { void run() { add(); own(); } void own() {} }; } void own() {} }\n",
            "package j;\nclass Nameless { Object made = new Coin(1) { void run() { add(); super.add(); } }; record Part(int add) { int sum() { return add(); } } }\n",
        ],
    ),
    (
        "r/base.rb",
        &[
            "module Base\n  def compile(verb)\n    watch(verb, 1)\n    add\n  end\nend\n",
            "module Base\n  include Ext\n  def compile(verb)\n    watch(verb, 1)\n  end\nend\n",
        ],
    ),
    (
        "r/ext.rb",
        &[
            "module Ext\n  def watch(path, type)\n    compile(path)\n  end\nend\n",
            "run do\n  def watch(path, type)\n    1\n  end\nend\nmodule Ext\nend\n",
            "class Ext\n  def watch(path)\n    1\n  end\n  def add\n    1\n  end\nend\n",
        ],
    ),
];
