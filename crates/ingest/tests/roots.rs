//! Two repositories in one graph: what one calls of the other it must name in an import, an include or a manifest.

mod laid_out;

use expect_test::{Expect, expect};
use laid_out::{Files, files, fresh, refresh};
use m1nd_graph::Graph;
use m1nd_ingest::Ingest;

/// Calls, one a line.
fn calls(graph: &Graph) -> Vec<String> {
    let calls = graph.edges().filter(|edge| edge.kind.name() == "calls");
    let mut lines: Vec<String> = calls
        .map(|edge| format!("{} -> {}\n", graph.node(edge.source).id(), graph.node(edge.target).id()))
        .collect();
    lines.sort();
    lines
}

fn check(fixture: &str, expect: Expect) {
    let files = files(fixture);
    expect.assert_eq(&calls(&fresh(&files)).concat());
    each_line_may_go_and_come(files);
}

/// A graph that is kept fresh while any one line is taken away is that of a fresh ingest.
fn each_line_may_go_and_come(mut files: Files) {
    let mut ingest = Ingest::new("shop");
    let mut last = refresh(&mut ingest, None, &files).expect("a first generation");
    let mut now = 1;
    for path in files.keys().cloned().collect::<Vec<String>>() {
        let whole = files[&path].0.clone();
        let without = (0..whole.lines().count()).map(|at| {
            let kept =
                whole.lines().enumerate().filter(|(n, _)| *n != at).map(|(_, line)| format!("{line}\n"));
            kept.collect::<String>()
        });
        for text in without.chain([whole.clone()]).collect::<Vec<String>>() {
            now += 1_000_000_000;
            files.insert(path.clone(), (text.clone(), now));
            last = refresh(&mut ingest, Some(&last), &files).unwrap_or(last);
            let wanted = fresh(&files);
            assert!(last == wanted, "{path} as {text:?}: {:?} and not {:?}", calls(&last), calls(&wanted));
        }
    }
}

#[test]
fn a_name_alone_does_not_lead_into_another_root() {
    check(
        r#"
//- java/U.java
class U { void go() { L.jdef(); } }
//- kt/U.kt
fun ku() { kdef(); KD().kdm() }
//- sc/U.scala
object SU { def su2() = SO.sodef() }
//- cs/U.cs
class UC { void Go() { LC.cdef(); } }
//- php/u.php
<?php
function pu() { pdef(); PD::pm(); }
//- rb/u.rb
def ru
  rdef
  RD.rm
end
//- ex/u.ex
defmodule EU do
  def eu, do: ELib.edef()
end
//- sw/U.swift
func su() { sdef(); SD().sm() }
//- cc/u.cc
int ccfun(int);
int ccu() { return ccfun(1); }
//- py/u.py
def pu(thing): thing.weigh_parts()
//- lib::/java/L.java
public class L { static void jdef() {} }
//- lib::/kt/L.kt
fun kdef() {}
class KD { fun kdm() {} }
//- lib::/sc/L.scala
object SO { def sodef() = 1 }
//- lib::/cs/L.cs
public static class LC { public static void cdef() {} }
//- lib::/php/l.php
<?php
function pdef() {}
class PD { static function pm() {} }
//- lib::/rb/l.rb
def rdef; end
class RD
  def self.rm; end
end
//- lib::/ex/l.ex
defmodule ELib do
  def edef, do: 1
end
//- lib::/sw/L.swift
func sdef() {}
struct SD { func sm() {} }
//- lib::/cc/l.cc
int ccfun(int x) { return x; }
//- lib::/py/l.py
class Part:
    def weigh_parts(self): pass
"#,
        expect![[r#""#]],
    );
}

#[test]
fn what_is_imported_from_another_root_is_called_there() {
    check(
        r#"
//- java/U.java
package a;
import b.L;
class U { void go() { L.jdef(); new L().next().last(); } }
//- kt/U.kt
package a
import b.kdef
fun ku() { kdef() }
//- php/u.php
<?php
use Lib\PD;
function pu() { PD::pm(); }
//- rb/u.rb
require "parts"
def ru
  Parts.count
end
//- ex/u.ex
defmodule EU do
  alias Far.ELib
  def eu, do: ELib.edef()
  def ev, do: Far.ELib.edef()
end
//- Sources/App/U.swift
import Kit
func su() { SD().sm() }
//- cc/u.cc
#include "lib/cc/l.h"
int ccu() { return ccfun(1); }
//- c/u.c
#include "../../lib/c/l.h"
int cu(void) { return cfun(1); }
//- py/u.py
from tools.parts import weigh
def pu(): weigh()
//- lib::/java/b/L.java
package b;
public class L { public static void jdef() {} public M next() { return new M(); } }
//- lib::/java/b/M.java
package b;
public class M { public void last() {} }
//- lib::/kt/L.kt
package b
fun kdef() {}
//- lib::/php/l.php
<?php
namespace Lib;
class PD { static function pm() {} }
//- lib::/lib/parts.rb
module Parts
  def self.count; end
end
//- lib::/ex/l.ex
defmodule Far.ELib do
  def edef, do: 1
end
//- lib::/Sources/Kit/L.swift
public struct SD { public func sm() {} }
//- lib::/cc/l.h
int ccfun(int x);
//- lib::/cc/l.cc
#include "l.h"
int ccfun(int x) { return x; }
//- lib::/c/l.h
int cfun(int x);
//- lib::/c/l.c
#include "l.h"
int cfun(int x) { return x; }
//- lib::/tools/__init__.py
//- lib::/tools/parts.py
def weigh(): pass
"#,
        expect![[r#"
            function::Sources/App/U.swift::su -> method::lib::/Sources/Kit/L.swift::SD.sm
            function::Sources/App/U.swift::su -> struct::lib::/Sources/Kit/L.swift::SD
            function::c/u.c::cu -> function::lib::/c/l.c::cfun
            function::cc/u.cc::ccu -> function::lib::/cc/l.cc::ccfun
            function::kt/U.kt::ku -> function::lib::/kt/L.kt::kdef
            function::php/u.php::pu -> method::lib::/php/l.php::PD.pm
            function::py/u.py::pu -> function::lib::/tools/parts.py::weigh
            function::rb/u.rb::ru -> method::lib::/lib/parts.rb::Parts.count
            method::ex/u.ex::EU.eu -> method::lib::/ex/l.ex::Far.ELib.edef
            method::ex/u.ex::EU.ev -> method::lib::/ex/l.ex::Far.ELib.edef
            method::java/U.java::U.go -> class::lib::/java/b/L.java::L
            method::java/U.java::U.go -> method::lib::/java/b/L.java::L.jdef
            method::java/U.java::U.go -> method::lib::/java/b/L.java::L.next
            method::java/U.java::U.go -> method::lib::/java/b/M.java::M.last
            method::lib::/java/b/L.java::L.next -> class::lib::/java/b/M.java::M
        "#]],
    );
}

#[test]
fn targets_of_a_swift_package_import_each_other() {
    check(
        r#"
//- Sources/Kit/K.swift
public struct Kit { public func run() {} }
//- Sources/Own/O.swift
func own() { Kit().run() }
//- Sources/App/A.swift
import Kit
func app() { Kit().run() }
//- Tests/KitTests/T.swift
@testable import Kit
func helper() { Kit().run() }
"#,
        expect![[r#"
            function::Sources/App/A.swift::app -> method::Sources/Kit/K.swift::Kit.run
            function::Sources/App/A.swift::app -> struct::Sources/Kit/K.swift::Kit
            function::Tests/KitTests/T.swift::helper -> method::Sources/Kit/K.swift::Kit.run
            function::Tests/KitTests/T.swift::helper -> struct::Sources/Kit/K.swift::Kit
        "#]],
    );
}

#[test]
fn members_of_cpp_are_followed_to_the_class_they_are_for() {
    check(
        r#"
//- inc/a.h
namespace na {
class S { public: S(); int get() const; struct Imp; Imp* p_; };
}
namespace nb {
class S { public: S(); int get() const; };
}
//- src/a.cpp
#include "../inc/a.h"
struct na::S::Imp { void run() { deep(); } void deep(); };
na::S::S() { p_->run(); }
int na::S::get() const { return 1; }
void na::S::Imp::deep() {}
//- src/b.cpp
#include "../inc/a.h"
using namespace nb;
S::S() {}
int S::get() const { return 2; }
//- src/m.cpp
#include "../inc/a.h"
struct Holder {
  na::S one;
  nb::S* two;
  Holder();
};
Holder::Holder() : one(), two() { two->get(); }
int f() { na::S s; return s.get(); }
//- src/n.cpp
#include "../inc/a.h"
using nb::S;
int g() { S s; return s.get(); }
"#,
        expect![[r#"
            function::src/m.cpp::f -> class::inc/a.h::na.S
            function::src/m.cpp::f -> method::src/a.cpp::na.S.S
            function::src/m.cpp::f -> method::src/a.cpp::na.S.get
            function::src/n.cpp::g -> class::inc/a.h::nb.S
            function::src/n.cpp::g -> method::src/b.cpp::S.S
            function::src/n.cpp::g -> method::src/b.cpp::S.get
            method::src/a.cpp::na.S.Imp.run -> method::src/a.cpp::na.S.Imp.deep
            method::src/a.cpp::na.S.S -> method::src/a.cpp::na.S.Imp.run
            method::src/m.cpp::Holder.Holder -> class::inc/a.h::na.S
            method::src/m.cpp::Holder.Holder -> method::src/a.cpp::na.S.S
            method::src/m.cpp::Holder.Holder -> method::src/b.cpp::S.get
        "#]],
    );
}

#[test]
fn copies_of_packages_are_followed() {
    check(
        r#"
//- bak/core/Cargo.toml
[package]
name = "core-x"
//- bak/core/src/lib.rs
pub fn open() {}
//- core/Cargo.toml
[package]
name = "core-x"
//- core/src/lib.rs
pub fn open() {}
//- app/Cargo.toml
[package]
name = "app"
[dependencies]
core-x = "1"
//- app/src/main.rs
fn main() { core_x::open(); }
//- js/bak/core/package.json
{"name": "@q/core", "main": "i.ts"}
//- js/bak/core/i.ts
export function tf() {}
//- js/core/package.json
{"name": "@q/core", "main": "i.ts"}
//- js/core/i.ts
export function tf() {}
//- js/app/t.ts
import { tf } from "@q/core"
export function ta() { tf() }
//- go/bak/core/go.mod
module q.com/core
//- go/bak/core/g/g.go
package g
func F() {}
//- go/core/go.mod
module q.com/core
//- go/core/g/g.go
package g
func F() {}
//- go/app/go.mod
module q.com/app
replace q.com/core => ../core
//- go/app/g.go
package main
import "q.com/core/g"
func ga() { g.F() }
"#,
        expect![[r#"
            function::app/src/main.rs::main -> function::core/src/lib.rs::open
            function::go/app/g.go::ga -> function::go/core/g/g.go::F
            function::js/app/t.ts::ta -> function::js/core/i.ts::tf
        "#]],
    );
}
