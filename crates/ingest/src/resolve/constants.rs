//! Which constant an expression names, followed through imports and exports.

use crate::facts::{Expr, ExprIx, Name, Scope};
use crate::languages;
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place};
use crate::resolve::ty::Ty;

/// Re-exports are followed this far.
const MAX_HOPS: u32 = 8;

/// The constant that an expression of a file stands for.
pub(super) fn named(eval: &mut Eval<'_, '_>, file: u32, what: ExprIx) -> Option<GDef> {
    value(eval, file, what, MAX_HOPS)
}

/// The constant that an import of a file names.
pub(super) fn imported_by(eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<GDef> {
    loaded(eval, file, at, MAX_HOPS)
}

fn value(eval: &mut Eval<'_, '_>, file: u32, what: ExprIx, hops: u32) -> Option<GDef> {
    let hops = hops.checked_sub(1)?;
    let facts = eval.program.files[file as usize];
    match eval.program.inside(file).exprs.get(what.0 as usize)? {
        Expr::Name { name, scope, at } => {
            if is_local(eval, file, *name, *scope, *at) {
                return None;
            }
            let name = eval.program.name(file, *name);
            let mut around = *scope;
            loop {
                let place = eval.program.place(file, around);
                if let Some(found) = eval.rules(file).constant(eval.program, place, name) {
                    return Some(behind(eval, found, hops).unwrap_or(found));
                }
                let Some(ix) = around else { break };
                around = facts.def(ix).parent;
            }
            imported(eval, Place::File(file), name, hops)
                .or_else(|| taken_apart(eval, file, name, hops))
                .or_else(|| brought(eval, Place::File(file), name, hops))
                .or_else(|| eval.rules(file).path_constant(eval, file, *scope, &[name]))
        }
        Expr::Field { base, name } => match eval.expr(file, *base) {
            Ty::Place(place) => item(eval, file, place, eval.program.name(file, *name), hops),
            Ty::Type(def, _) => {
                let name = eval.program.name(file, *name);
                eval.rules(file).constant(eval.program, Place::Def(def), name)
            }
            _ => None,
        },
        Expr::Path { segments, scope, .. } => {
            let path: Vec<GName> = segments.iter().map(|&part| eval.program.name(file, part)).collect();
            eval.rules(file).path_constant(eval, file, *scope, &path)
        }
        Expr::Import(at) => loaded(eval, file, *at as usize, hops),
        _ => None,
    }
}

/// Whether a function around the place gives the name a value of its own.
fn is_local(eval: &Eval<'_, '_>, file: u32, name: Name, scope: Scope, at: u32) -> bool {
    let facts = eval.program.files[file as usize];
    let mut around = scope;
    while let Some(ix) = around {
        let mut own = eval.program.bindings(file, Some(ix), name);
        if own.any(|binding| binding.from <= at && at < binding.to) {
            return true;
        }
        around = facts.def(ix).parent;
    }
    false
}

/// `const x = require("./x")` is the module's own name for what it loads.
fn behind(eval: &mut Eval<'_, '_>, def: GDef, hops: u32) -> Option<GDef> {
    let (file, _) = eval.program.local(def);
    let what = eval.program.def(def).value?;
    let is_loaded = matches!(eval.program.inside(file).exprs.get(what.0 as usize), Some(Expr::Import(_)));
    if is_loaded { value(eval, file, what, hops) } else { None }
}

/// `const { x } = require("./x")`.
fn taken_apart(eval: &mut Eval<'_, '_>, file: u32, name: GName, hops: u32) -> Option<GDef> {
    let program = eval.program;
    let local = program.local_name(file, name)?;
    let found = program.bindings(file, None, local).next()?;
    value(eval, file, found.value?, hops)
}

/// A constant that a module gives to others under a name.
fn item(eval: &mut Eval<'_, '_>, from: u32, place: Place, name: GName, hops: u32) -> Option<GDef> {
    let hops = hops.checked_sub(1)?;
    if let Some(found) = eval.rules(from).constant(eval.program, place, name) {
        return Some(found);
    }
    let own = exported(eval, place, name, hops).or_else(|| imported(eval, place, name, hops));
    own.or_else(|| brought(eval, place, name, hops))
}

/// Files that import everything from each other are followed to so many.
const MAX_BROUGHT: usize = 64;

/// What imports of everything bring to a file of Python or of scripts.
fn brought(eval: &mut Eval<'_, '_>, place: Place, name: GName, hops: u32) -> Option<GDef> {
    let Place::File(of) = place else { return None };
    let program = eval.program;
    let family = languages::family(&program.files[of as usize].language);
    let is_passed_on = match family {
        "python" => !program.text(name).starts_with('_'),
        "script" => program.text(name) != "default",
        _ => false,
    };
    let mut places = vec![place];
    let mut at = 0;
    while is_passed_on && at < places.len() {
        for &(file, import) in program.globs(places[at]) {
            let Some(other) = eval.rules(file).module(eval, file, import as usize) else { continue };
            if places.contains(&other) || places.len() > MAX_BROUGHT {
                continue;
            }
            places.push(other);
            let own = eval.rules(file).constant(program, other, name);
            let found = own.or_else(|| exported(eval, other, name, hops));
            if let Some(found) = found.or_else(|| imported(eval, other, name, hops)) {
                return Some(found);
            }
        }
        at += 1;
    }
    None
}

fn exported(eval: &mut Eval<'_, '_>, place: Place, name: GName, hops: u32) -> Option<GDef> {
    let Place::File(file) = place else { return None };
    let program = eval.program;
    let facts = program.files[file as usize];
    let export = facts.exports.iter().find(|export| program.name(file, export.name) == name)?;
    value(eval, file, export.value, hops)
}

fn imported(eval: &mut Eval<'_, '_>, place: Place, name: GName, hops: u32) -> Option<GDef> {
    let &(file, at) = eval.program.imports(place, name).first()?;
    let at = at as usize;
    match eval.rules(file).module(eval, file, at) {
        Some(_) => loaded(eval, file, at, hops),
        None => eval.rules(file).imported_constant(eval, file, at),
    }
}

/// What an import names; a module that is loaded whole stands for what it exports.
fn loaded(eval: &mut Eval<'_, '_>, file: u32, at: usize, hops: u32) -> Option<GDef> {
    let program = eval.program;
    let place = eval.rules(file).module(eval, file, at)?;
    match program.files[file as usize].imports[at].item {
        Some(name) => item(eval, file, place, program.name(file, name), hops),
        None => {
            let whole = program.find_name("module.exports")?;
            exported(eval, place, whole, hops)
        }
    }
}

#[cfg(test)]
mod tests {
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
        "#]]
        .assert_eq(&testing::edges(&graph, &[EdgeKind::Imports]));
    }
}
