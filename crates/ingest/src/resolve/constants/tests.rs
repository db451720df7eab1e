use expect_test::expect;
use m1nd_graph::{EdgeKind, NodeKind};

use crate::testing;

#[test]
fn values_of_modules_are_nodes_in_every_language() {
    let graph = testing::graph(
        r#"
//- a.py
LIMIT = 3
app = make()
app = other()
def f():
    local = 1
//- b.go
package b
const Limit = 3
var Shared = map[string]int{
	"a": 1,
}
var one, two = 1, 2
var _ Face = (*T)(nil)
func f() { var local = 1 }
//- c.ts
export const LIMIT = 3;
let shared = new Map();
function f() { const local = 1; }
//- D.java
class D { static final int LIMIT = 3; int field; }
//- e.c
#define LIMIT 3
int shared = 1;
static const char *name = "x";
//- f.rs
pub const LIMIT: u32 = 3;
static SHARED: u32 = 4;
//- g.cpp
constexpr int kLimit = 3;
int shared;
"#,
    );
    let constants = graph.nodes().filter(|node| node.kind() == NodeKind::Constant);
    let mut lines: Vec<String> =
        constants.map(|node| format!("{} `{}`\n", node.id(), node.signature())).collect();
    lines.sort();
    expect![[r#"
            constant::D.java::D.LIMIT `static final int LIMIT = 3`
            constant::a.py::LIMIT `LIMIT = 3`
            constant::a.py::app `app = make()`
            constant::b.go::Limit `const Limit = 3`
            constant::b.go::Shared `var Shared`
            constant::b.go::one `var one, two = 1, 2`
            constant::b.go::two `var one, two = 1, 2`
            constant::c.ts::LIMIT `export const LIMIT`
            constant::c.ts::shared `shared`
            constant::e.c::LIMIT `#define LIMIT 3`
            constant::e.c::name `static const char *name = "x"`
            constant::e.c::shared `int shared = 1`
            constant::f.rs::LIMIT `pub const LIMIT: u32`
            constant::f.rs::SHARED `static SHARED: u32`
            constant::g.cpp::kLimit `constexpr int kLimit = 3`
        "#]]
    .assert_eq(&lines.concat());
}

#[test]
fn a_constant_is_referred_to_where_it_is_read() {
    let graph = testing::graph(
        r#"
//- config.py
LIMIT = 3
timeout = 4
//- app.py
import config
from config import LIMIT, timeout
OWN = 1
def f(x):
    if x > LIMIT and x < OWN:
        return g(config.LIMIT, timeout)
def shadowed(OWN):
    return OWN
def local():
    timeout = 1
    g(timeout)
def g(x, y): ...
//- one.go
package p
var shared = 1
func f() { g(shared) }
//- two.go
package p
func h() { g(shared) }
func g(x int) {}
"#,
    );
    expect![[r#"
            app.py f -> app.py OWN @[5]
            app.py f -> config.py LIMIT @[5, 6]
            app.py f -> config.py timeout @[6]
            one.go f -> one.go shared @[3]
            two.go h -> one.go shared @[2]
        "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::References]));
}

#[test]
fn constants_of_other_files_are_referred_to_where_they_are_read() {
    let graph = testing::graph(
        r#"
//- rs/Cargo.toml
[package]
name = "rs"
//- rs/src/lib.rs
mod app;
mod config;
mod glob;
pub use config::LIMIT as MOST;
//- rs/src/config.rs
pub const LIMIT: u32 = 3;
pub static NAME: &str = "x";
pub struct Cart;
impl Cart { pub const SIZE: u32 = 4; }
//- rs/src/app.rs
use crate::config::{self, Cart, LIMIT};
fn a() -> u32 { LIMIT + 1 }
fn b() -> &'static str { config::NAME }
fn c() -> u32 { Cart::SIZE + crate::MOST }
fn unknown() -> u32 { u32::MAX }
//- rs/src/glob.rs
use super::config::*;
fn g() -> u32 { LIMIT * 2 }
//- go.mod
module m
//- g/config/config.go
package config
const Limit = 3
var shared = 4
type T struct { Limit int }
//- g/config/other.go
package config
func a() int { return Limit + shared }
func b() T { return T{Limit: 1} }
func c(shared int) int { return shared }
//- g/app/app.go
package app
import "m/g/config"
func d() int { if config.Limit > 2 { return 1 }; return 0 }
//- j/a/Config.java
package a;
public class Config {
  public static final int LIMIT = 3;
  int own() { return LIMIT + 1; }
}
//- j/b/App.java
package b;
import a.Config;
class App { int a() { return Config.LIMIT + 1; } int b(int LIMIT) { return LIMIT; } }
//- j/b/Static.java
package b;
import static a.Config.LIMIT;
class Static { int a() { return LIMIT + 1; } }
//- c/config.h
#define LIMIT 3
extern int shared;
//- c/app.c
#include "config.h"
int a(int x) { return x + LIMIT; }
//- cc/config.hpp
namespace n { constexpr int MOST = 3; class K { static const int SIZE = 2; int own(); }; }
//- cc/app.cc
#include "config.hpp"
namespace n { int a() { return MOST + 1; } int K::own() { return SIZE + 1; } }
//- ts/config.ts
export const LIMIT = 3;
export class Config { static MOST = 4 }
//- ts/app.ts
import { LIMIT, Config } from './config';
export function a(x: number) { return x + LIMIT; }
//- ts/all.ts
export * from './config';
//- ts/far.ts
import { LIMIT } from './all';
export function far() { return LIMIT; }
//- py/tools.py
LIMIT = 3
_OWN = 4
//- py/util.py
from py.tools import *
def here(): return LIMIT
//- py/far.py
from py.util import LIMIT
def far(): return LIMIT
def own(): return _OWN
"#,
    );
    expect![[r#"
            c/app.c a -> c/config.h LIMIT @[2]
            cc/app.cc -> cc/config.hpp n.K @[2]
            cc/app.cc n.K.own -> cc/config.hpp n.K.SIZE @[2]
            cc/app.cc n.a -> cc/config.hpp n.MOST @[2]
            g/app/app.go d -> g/config/config.go Limit @[3]
            g/config/other.go a -> g/config/config.go Limit @[2]
            g/config/other.go a -> g/config/config.go shared @[2]
            g/config/other.go b -> g/config/config.go T @[3]
            j/a/Config.java Config.own -> j/a/Config.java Config.LIMIT @[4]
            j/b/App.java App.a -> j/a/Config.java Config.LIMIT @[3]
            j/b/Static.java Static.a -> j/a/Config.java Config.LIMIT @[3]
            py/far.py far -> py/tools.py LIMIT @[2]
            py/util.py here -> py/tools.py LIMIT @[2]
            rs/src/app.rs a -> rs/src/config.rs LIMIT @[2]
            rs/src/app.rs b -> rs/src/config.rs NAME @[3]
            rs/src/app.rs c -> rs/src/config.rs Cart.SIZE @[4]
            rs/src/app.rs c -> rs/src/config.rs LIMIT @[4]
            rs/src/config.rs -> rs/src/config.rs Cart @[4]
            rs/src/glob.rs g -> rs/src/config.rs LIMIT @[2]
            ts/app.ts a -> ts/config.ts LIMIT @[2]
            ts/far.ts far -> ts/config.ts LIMIT @[2]
        "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::References]));
}

#[test]
fn an_import_of_a_constant_leads_to_it() {
    let graph = testing::graph(
        r#"
//- py/__init__.py
from .config import LIMIT
//- py/config.py
import os
LIMIT = 3
debug = os.environ.get("DEBUG")
from collections import OrderedDict
//- py/app.py
from py.config import LIMIT, debug
//- py/far.py
from py import LIMIT
//- py/passed.py
from .config import OrderedDict, nothing_known
//- py/outside.py
from os import environ
//- rs/Cargo.toml
[package]
name = "rs"
//- rs/src/lib.rs
mod app;
mod config;
pub use config::LIMIT;
//- rs/src/config.rs
pub const LIMIT: u32 = 3;
pub static NAME: &str = "x";
pub use std::collections::HashMap;
//- rs/src/app.rs
use crate::config::{HashMap, LIMIT, NAME};
use std::fmt::Write;
//- rs/src/far.rs
use crate::LIMIT;
//- ts/config.ts
export const LIMIT = 3;
//- ts/app.ts
import { LIMIT } from './config';
//- j/a/Config.java
package a;
public class Config { public static final int LIMIT = 3; }
//- j/b/App.java
package b;
import static a.Config.LIMIT;
class App {}
//- go.mod
module m
//- g/config/config.go
package config
const Limit = 3
//- g/app/app.go
package app
import "m/g/config"
var own = config.Limit
//- k/Config.kt
package k.config
const val LIMIT = 3
//- k/App.kt
package k.app
import k.config.LIMIT
//- s/Config.scala
package s.config
object Config { val LIMIT = 3 }
//- s/App.scala
package s.app
import s.config.Config.LIMIT
//- php/config.php
<?php
namespace P\Config;
const LIMIT = 3;
//- php/app.php
<?php
namespace P\App;
use const P\Config\LIMIT;
"#,
    );
    expect![[r#"
        g/app/app.go -> g/config/config.go @[2]
        j/b/App.java -> j/a/Config.java @[2]
        j/b/App.java -> j/a/Config.java Config @[2]
        k/App.kt -> k/Config.kt @[2]
        k/App.kt -> k/Config.kt LIMIT @[2]
        php/app.php -> php/config.php @[3]
        php/app.php -> php/config.php LIMIT @[3]
        py/__init__.py -> py/config.py @[1]
        py/__init__.py -> py/config.py LIMIT @[1]
        py/app.py -> py/config.py @[1]
        py/app.py -> py/config.py LIMIT @[1]
        py/app.py -> py/config.py debug @[1]
        py/far.py -> py/config.py @[1]
        py/far.py -> py/config.py LIMIT @[1]
        py/passed.py -> py/config.py @[1]
        rs/src/app.rs -> rs/src/config.rs @[1]
        rs/src/app.rs -> rs/src/config.rs LIMIT @[1]
        rs/src/app.rs -> rs/src/config.rs NAME @[1]
        rs/src/far.rs -> rs/src/config.rs @[1]
        rs/src/far.rs -> rs/src/config.rs LIMIT @[1]
        rs/src/lib.rs -> rs/src/config.rs @[3]
        rs/src/lib.rs -> rs/src/config.rs LIMIT @[3]
        s/App.scala -> s/Config.scala @[2]
        ts/app.ts -> ts/config.ts @[1]
        ts/app.ts -> ts/config.ts LIMIT @[1]
    "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::Imports]));
}

#[test]
fn names_of_types_and_plainly_named_constants_lead_to_themselves_whatever_they_hold() {
    let graph = testing::graph(
        r#"
//- pk/__init__.py
//- pk/types.py
from typing import Callable, Union
Headers = Union["Bag", dict]
Plain = str | int
Inner = Callable[[Headers], None]
class Bag: ...
store = dict()
//- pk/use.py
from .types import Headers, Plain, store
from . import types as t
def one(h: Headers, p: "Plain") -> t.Inner:
    x: Headers = cast(Headers, store.get(h))
    return t.store
def two(Headers):
    return Headers
//- ts/general.ts
export const isArray: typeof Array.isArray = Array.isArray
export const hyphenate = cached((text: string) => text)
export type Key = string | symbol
export type Name = Key
function cached<T>(made: T): T { return made }
//- ts/index.ts
export * from './general'
export { hyphenate as dashed } from './general'
//- ts/use.ts
import { dashed, isArray, type Name } from './index'
import * as all from './general'
export function f(x: Name) { return isArray(x) ? dashed(x) : all.hyphenate(x) }
export function g<Name>(x: Name, isArray: boolean) { return isArray ? x : 1 }
"#,
    );
    expect![[r#"
        pk/types.py references -> pk/types.py Bag @[2]
        pk/types.py references -> pk/types.py Headers @[4]
        pk/use.py imports -> pk/types.py @[1, 2]
        pk/use.py imports -> pk/types.py Headers @[1]
        pk/use.py imports -> pk/types.py Plain @[1]
        pk/use.py imports -> pk/types.py store @[1]
        pk/use.py one references -> pk/types.py Headers @[4]
        pk/use.py one references -> pk/types.py store @[4, 5]
        pk/use.py references -> pk/types.py Headers @[3]
        pk/use.py references -> pk/types.py Inner @[3]
        pk/use.py references -> pk/types.py Plain @[3]
        ts/general.ts Name references -> ts/general.ts Key @[4]
        ts/index.ts imports -> ts/general.ts @[1, 2]
        ts/index.ts imports -> ts/general.ts hyphenate @[2]
        ts/use.ts f references -> ts/general.ts Name @[3]
        ts/use.ts f references -> ts/general.ts hyphenate @[3]
        ts/use.ts f references -> ts/general.ts isArray @[3]
        ts/use.ts imports -> ts/general.ts @[1, 2]
        ts/use.ts imports -> ts/general.ts Name @[1]
        ts/use.ts imports -> ts/general.ts hyphenate @[1]
        ts/use.ts imports -> ts/general.ts isArray @[1]
        ts/use.ts imports -> ts/index.ts @[1]
    "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::References, EdgeKind::Imports]));
}

#[test]
fn what_a_module_lists_is_all_that_it_gives_as_a_whole() {
    let fixture = r#"
//- pk/__init__.py
from ._first import *
from ._second import *
//- pk/_first.py
__all__ = ["Shown", "_hidden"]
class Shown: ...
class Kept: ...
class _hidden: ...
LIMIT = 1
//- pk/_second.py
from ._first import Kept
MOST = 2
//- use.py
import pk
def a(): pk.Shown()
def b(): pk.Kept()
def c(): pk._hidden()
def d(): return pk.LIMIT + pk.MOST
"#;
    let graph = testing::graph(fixture);
    expect![[r#"
        use.py a calls -> pk/_first.py Shown @[2]
        use.py b calls -> pk/_first.py Kept @[3]
        use.py c calls -> pk/_first.py _hidden @[4]
        use.py d references -> pk/_second.py MOST @[5]
    "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::References, EdgeKind::Calls]));
}

#[test]
fn a_function_is_used_where_a_constant_is_another_name_for_it() {
    let fixture = r#"
//- a.py
import b
def helper(a): ...
HOOK = helper
FAR = b.far
NOT = helper(1)
//- b.py
def far(): ...
//- c.ts
function helper() {}
class Own {}
export const HOOK = helper
const Same = Own
//- go.mod
module m
//- d.go
package d
func helper() {}
var Hook = helper
var (
	one = other
	two = 2
)
func other() {}
//- e/Cargo.toml
[package]
name = "e"
//- e/src/lib.rs
fn helper() {}
pub static HOOK: fn() = helper;
pub const FAR: fn() = crate::helper;
//- F.java
class F {
  static int helper(int a) { return a; }
  static final IntUnaryOperator HOOK = F::helper;
}
"#;
    let graph = testing::graph(fixture);
    expect![[r#"
        F.java F -> F.java F.helper @[3]
        a.py FAR -> b.py far @[4]
        a.py HOOK -> a.py helper @[3]
        c.ts HOOK -> c.ts helper @[3]
        c.ts Same -> c.ts Own @[4]
        d.go Hook -> d.go helper @[3]
        d.go one -> d.go other @[5]
        e/src/lib.rs FAR -> e/src/lib.rs helper @[3]
        e/src/lib.rs HOOK -> e/src/lib.rs helper @[2]
    "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::References]));
}
