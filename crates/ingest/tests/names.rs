//! Names by which people and agents ask for code, in files of each language.

mod laid_out;

use expect_test::{Expect, expect};

fn check(fixture: &str, names: &[&str], expect: Expect) {
    let graph = laid_out::fresh(&laid_out::files(fixture));
    let lines = names.iter().map(|name| match graph.find_node(name) {
        Ok(found) => format!("{name}: {}\n", graph.node(found).id()),
        Err(error) => format!("{name}: {error:?}\n"),
    });
    expect.assert_eq(&lines.collect::<String>());
}

#[test]
fn a_crate_is_called_as_its_manifest_says() {
    check(
        r#"
//- Cargo.toml
[package]
name = "rip-grep"
[[bin]]
name = "rg"
path = "crates/core/main.rs"
//- crates/core/main.rs
mod flags;
fn main() {}
//- crates/core/flags/mod.rs
pub mod parse;
//- crates/core/flags/parse.rs
pub fn low() {}
//- crates/look/Cargo.toml
[package]
name = "grep-searcher"
[lib]
name = "grep_searching"
//- crates/look/src/lib.rs
pub mod cfg;
mod more;
pub fn top() {}
//- crates/look/src/cfg.rs
pub struct Cfg;
//- crates/look/src/more.rs
impl crate::cfg::Cfg { pub fn a(&self) {} }
"#,
        &[
            "rip_grep::flags::parse::low",
            "rip_grep::main",
            "rip_grep",
            "grep_searcher::cfg::Cfg",
            "grep_searching::top",
            "grep_searcher::cfg",
            "crate::cfg::Cfg::a",
            "grep_searcher::cfg::Cfg::a",
            "other::cfg::Cfg",
        ],
        expect![[r#"
            rip_grep::flags::parse::low: function::crates/core/flags/parse.rs::low
            rip_grep::main: function::crates/core/main.rs::main
            rip_grep: file::crates/core/main.rs
            grep_searcher::cfg::Cfg: struct::crates/look/src/cfg.rs::Cfg
            grep_searching::top: function::crates/look/src/lib.rs::top
            grep_searcher::cfg: module::crates/look/src/lib.rs::cfg
            crate::cfg::Cfg::a: method::crates/look/src/more.rs::Cfg.a
            grep_searcher::cfg::Cfg::a: method::crates/look/src/more.rs::Cfg.a
            other::cfg::Cfg: NotFound { name: "other::cfg::Cfg" }
        "#]],
    );
}

#[test]
fn a_member_is_found_by_any_type_that_has_it() {
    check(
        r#"
//- src/flask/__init__.py
from .app import Flask as Flask
//- src/flask/app.py
from .scaffold import Scaffold
class Flask(Scaffold):
    def run(self): pass
//- src/flask/scaffold.py
class Scaffold:
    def route(self): pass
//- tests/test_app.py
import flask
def test_it():
    class Flask(flask.Flask):
        def other(self): pass
//- a.swift
struct Outer { struct Inner { init() {} } }
extension Outer.Inner { func e1() {} }
//- a.kt
package kp
class Outer2 { class Inner2 }
fun Outer2.Inner2.ke() {}
//- a.lua
local A = { B = {} }
function A.B.c(x) end
function A.B:d() end
//- a.scala
package p
object Coin { def mint() = new Coin(1) }
class Coin(val x: Int) { def spend() = x }
"#,
        &[
            "Flask.route",
            "flask.Flask.route",
            "Flask.run",
            "Outer.Inner.e1",
            "Outer2.Inner2.ke",
            "kp.Outer2.Inner2.ke",
            "A.B.c",
            "A.B:d",
            "Coin",
            "Coin.mint",
            "p.Coin",
        ],
        expect![[r#"
            Flask.route: method::src/flask/scaffold.py::Scaffold.route
            flask.Flask.route: method::src/flask/scaffold.py::Scaffold.route
            Flask.run: method::src/flask/app.py::Flask.run
            Outer.Inner.e1: method::a.swift::Outer.Inner.e1
            Outer2.Inner2.ke: method::a.kt::Outer2.Inner2.ke
            kp.Outer2.Inner2.ke: method::a.kt::Outer2.Inner2.ke
            A.B.c: function::a.lua::c
            A.B:d: method::a.lua::d
            Coin: class::a.scala::Coin#2
            Coin.mint: method::a.scala::Coin.mint
            p.Coin: class::a.scala::Coin#2
        "#]],
    );
}

#[test]
fn a_path_means_the_file_of_its_own_root() {
    check(
        r#"
//- a/b.py
def go(): pass
class T:
    def m(self): pass
//- lib::/a/b.py
def go(): pass
class T:
    def m(self): pass
"#,
        &["a/b.py::go", "lib::/a/b.py::go", "lib::/a/b.py::T.m", "a/b.py::T.m", "a/b.py::T"],
        expect![[r#"
            a/b.py::go: function::a/b.py::go
            lib::/a/b.py::go: function::lib::/a/b.py::go
            lib::/a/b.py::T.m: method::lib::/a/b.py::T.m
            a/b.py::T.m: method::a/b.py::T.m
            a/b.py::T: class::a/b.py::T
        "#]],
    );
}
