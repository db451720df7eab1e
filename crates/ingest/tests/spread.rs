//! An edit that other files can tell is followed to them: patching it in gives what a fresh ingest gives.

use std::collections::BTreeMap;

use m1nd_graph::Graph;
use m1nd_ingest::{Ingest, Listed, Report};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::ManualClock;
use proptest::prelude::*;

/// Files and what each may say. The texts of one language refer to each other in every way that it has.
const FILES: [(&str, &[&str]); 66] = [
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

#[derive(Clone, Debug)]
struct Disk {
    files: BTreeMap<&'static str, (&'static str, i128)>,
    now: i128,
}

impl Disk {
    fn first() -> Self {
        let files = FILES.iter().map(|(path, texts)| (*path, (texts[0], 1)));
        Self { files: files.collect(), now: 1 }
    }

    fn write(&mut self, file: usize, text: usize) {
        let (path, texts) = FILES[file];
        self.write_at(path, texts[text % texts.len()]);
    }

    fn write_at(&mut self, path: &'static str, text: &'static str) {
        self.now += 5_000_000_000;
        self.files.insert(path, (text, self.now));
    }

    fn apply(&mut self, edit: Edit) {
        match edit {
            Edit::Write(file, text) => self.write(file, text),
            Edit::Remove(file) => drop(self.files.remove(FILES[file].0)),
            // What a file says may stand in any other of the same language.
            Edit::Move(from, to) => {
                let ending = |at: usize| FILES[at].0.rsplit('.').next();
                if ending(from) == ending(to)
                    && let Some((text, _)) = self.files.remove(FILES[from].0)
                {
                    self.write_at(FILES[to].0, text);
                }
            }
        }
    }

    fn refresh(&self, ingest: &mut Ingest, last: Option<&Graph>) -> (Option<Graph>, Report) {
        let list = self.files.iter().map(|(path, (text, time))| Listed {
            path: (*path).to_owned(),
            size: text.len() as u64,
            modified_ns: *time,
        });
        let list: Vec<Listed> = list.collect();
        let read = |path: &str| Ok(self.files[path].0.as_bytes().to_vec());
        let (clock, cancel) = (ManualClock::default(), CancelToken::new());
        let later = self.now + 10_000_000_000;
        let done = ingest.refresh_on(last, &list, read, &clock, later, &cancel).expect("nobody stops it");
        (done.graph, done.report)
    }
}

fn relations(graph: &Graph) -> Vec<String> {
    let edges = graph.edges().map(|edge| {
        let (source, target) = (graph.node(edge.source).id(), graph.node(edge.target).id());
        format!("{source} {:?} {target} {:?} {:?}", edge.kind, edge.evidence, edge.lines)
    });
    edges.collect()
}

#[derive(Clone, Copy, Debug)]
enum Edit {
    Write(usize, usize),
    Remove(usize),
    Move(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let file = || 0..FILES.len();
    prop_oneof![
        6 => (file(), 0..5_usize).prop_map(|(file, text)| Edit::Write(file, text)),
        1 => file().prop_map(Edit::Remove),
        1 => (file(), file()).prop_map(|(from, to)| Edit::Move(from, to)),
    ]
}

/// `SPREAD_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("SPREAD_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]
    #[test]
    fn whoever_can_tell_an_edit_is_resolved_again(
        edits in prop::collection::vec((edit(), any::<bool>()), 1..24),
    ) {
        let mut disk = Disk::first();
        let mut kept = Ingest::new("shop");
        let mut last = disk.refresh(&mut kept, None).0.expect("a first generation");
        for (edit, look) in edits {
            disk.apply(edit);
            if !look {
                continue;
            }
            let (Some(next), report) = disk.refresh(&mut kept, Some(&last)) else { continue };
            last = next;
            let (fresh, whole) = disk.refresh(&mut Ingest::new("shop"), None);
            let fresh = fresh.expect("a graph");
            prop_assert_eq!(relations(&last), relations(&fresh));
            prop_assert!(last == fresh);
            prop_assert_eq!(report.unresolved_references, whole.unresolved_references);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]
    #[test]
    fn batches_of_writes_removals_and_moves_give_what_a_fresh_ingest_gives(
        batches in prop::collection::vec(prop::collection::vec(edit(), 5..40), 1..6),
    ) {
        let mut disk = Disk::first();
        let mut kept = Ingest::new("shop");
        let mut last = disk.refresh(&mut kept, None).0.expect("a first generation");
        for batch in batches {
            batch.into_iter().for_each(|edit| disk.apply(edit));
            let (Some(next), _) = disk.refresh(&mut kept, Some(&last)) else { continue };
            last = next;
            let fresh = disk.refresh(&mut Ingest::new("shop"), None).0.expect("a graph");
            prop_assert_eq!(relations(&last), relations(&fresh));
            prop_assert!(last == fresh);
        }
    }
}

/// Classes that have a method of one name, in files of their own, and a call of which nothing but that name is known.
fn classes(with: usize) -> Disk {
    const PATHS: [&str; 40] = [
        "c00.py", "c01.py", "c02.py", "c03.py", "c04.py", "c05.py", "c06.py", "c07.py", "c08.py", "c09.py",
        "c10.py", "c11.py", "c12.py", "c13.py", "c14.py", "c15.py", "c16.py", "c17.py", "c18.py", "c19.py",
        "c20.py", "c21.py", "c22.py", "c23.py", "c24.py", "c25.py", "c26.py", "c27.py", "c28.py", "c29.py",
        "c30.py", "c31.py", "c32.py", "c33.py", "c34.py", "c35.py", "c36.py", "c37.py", "c38.py", "c39.py",
    ];
    let mut disk = Disk { files: BTreeMap::new(), now: 1 };
    for (at, path) in PATHS.into_iter().enumerate() {
        let has = if at < with { "class C:\n    def proceed(self): ...\n" } else { "class C:\n    pass\n" };
        disk.write_at(path, has);
    }
    disk.write_at("user.py", "def use(x):\n    x.proceed()\n");
    disk.write_at("other.py", "def other(x):\n    x.stay()\n");
    disk
}

#[test]
fn a_batch_that_gives_many_classes_a_method_takes_guesses_away_and_back() {
    let mut kept = Ingest::new("guess");
    let few = classes(4);
    let first = few.refresh(&mut kept, None).0.expect("a first generation");
    let guesses =
        |graph: &Graph| relations(graph).iter().filter(|line| line.contains("user.py::use Calls")).count();
    assert_eq!(guesses(&first), 4);
    let mut many = classes(40);
    many.now += few.now;
    many.files.values_mut().for_each(|(_, time)| *time += few.now);
    let (next, report) = many.refresh(&mut kept, Some(&first));
    let next = next.expect("another generation");
    assert_eq!((guesses(&next), report.files_resolved), (0, 41), "all who have it, and who calls it");
    assert_eq!(next, many.refresh(&mut Ingest::new("guess"), None).0.expect("a graph"));
    let mut back = classes(4);
    back.now += many.now;
    back.files.values_mut().for_each(|(_, time)| *time += many.now);
    let last = back.refresh(&mut kept, Some(&next)).0.expect("another generation");
    assert_eq!(guesses(&last), 4);
}

fn position(path: &str) -> usize {
    FILES.iter().position(|(known, _)| *known == path).expect("a file")
}

#[test]
fn what_a_module_passes_on_as_a_whole_is_followed_through_it() {
    // It takes the members of another over, or is the other one.
    for old in [2, 3] {
        let mut disk = Disk::first();
        for (path, text) in [("web/helper.js", 2), ("web/old.js", old), ("web/user.js", 2)] {
            disk.write(position(path), text);
        }
        let mut kept = Ingest::new("shop");
        let first = disk.refresh(&mut kept, None).0.expect("a first generation");
        disk.write(position("web/helper.js"), 3);
        let (next, _) = disk.refresh(&mut kept, Some(&first));
        assert_eq!(next, disk.refresh(&mut Ingest::new("shop"), None).0);
    }
}

#[test]
fn an_edit_reaches_its_users_and_not_the_others() {
    let resolved = |path: &str, text: usize| {
        let mut disk = Disk::first();
        let mut kept = Ingest::new("shop");
        let first = disk.refresh(&mut kept, None).0.expect("a first generation");
        disk.write(position(path), text);
        let (next, report) = disk.refresh(&mut kept, Some(&first));
        assert_eq!(next, disk.refresh(&mut Ingest::new("shop"), None).0);
        report.files_resolved
    };
    // What a Go file offers concerns no Rust, Python or TypeScript.
    assert_eq!(resolved("pkg/cart.go", 1), 8);
    assert!(resolved("shop/base.py", 1) <= 14);
    assert!((2..FILES.len() as u64).contains(&resolved("web/store.ts", 2)));
}

#[test]
fn a_member_more_in_an_object_is_nothing_to_who_reads_another_member() {
    let text = |open: &str, more: &str| {
        format!(
            "class Day {{ end() {{}} }}\nclass Night {{ end() {{}} }}\nconst Clock = {{\n  open: function () {{ return new {open}() }},\n{more}}};\nexport function stamp() {{ return Clock.open() }}\n"
        )
    };
    let texts: [&'static str; 3] = [
        text("Day", "").leak(),
        text("Day", "  close: function () { return 1 },\n").leak(),
        text("Night", "  close: function () { return 1 },\n").leak(),
    ];
    let mut disk = Disk { files: BTreeMap::new(), now: 1 };
    disk.write_at("clock.js", texts[0]);
    disk.write_at("user.js", "import { stamp } from './clock'\nexport function use() { stamp().end() }\n");
    let mut kept = Ingest::new("clock");
    let mut last = disk.refresh(&mut kept, None).0.expect("a first generation");
    let mut resolved = Vec::new();
    for text in &texts[1..] {
        disk.write_at("clock.js", text);
        let (next, report) = disk.refresh(&mut kept, Some(&last));
        last = next.expect("another generation");
        assert_eq!(last, disk.refresh(&mut Ingest::new("clock"), None).0.expect("a graph"));
        resolved.push(report.files_resolved);
    }
    assert_eq!(resolved, [1, 2], "who reads the other member is left alone, who reads this one is not");
    let ends = |line: &String| line.contains("user.js::use Calls method::clock.js::Night.end");
    assert!(relations(&last).iter().any(ends));
}
