//! What members that are written outside of their class belong to: its full name, wherever it stands.

use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::NodeFlags;

use super::opened;
use crate::facts::{Def, DefIx, DefKind, ImportAll, Scope, TypeExpr};
use crate::languages::c::includes::{Includes, is_c_or_cpp};
use crate::resolve::program::{Place, Program};

/// Full names of scopes; members outside of their class lie in the class.
#[derive(Default)]
pub(super) struct Homes {
    /// By file and impl.
    of: FxHashMap<(u32, DefIx), String>,
    /// Namespaces that macros open, by file.
    opened: FxHashMap<u32, String>,
    /// Full names of inline namespaces, whose names need not be said.
    inline: FxHashSet<String>,
}

/// Files that define a type or a namespace of a full name.
type Types = FxHashMap<String, Vec<u32>>;

impl Homes {
    pub(super) fn of(program: &Program<'_>, includes: &Includes) -> Self {
        let mut homes = Self { opened: opened::namespaces(program, includes), ..Self::default() };
        homes.note_inline(program);
        let mut types = Types::default();
        homes.note_types(program, &mut types, Around::Plain);
        homes.find(program, includes, &types);
        // `struct a::S::Inner { … };` is a home too, once it is known where it lies.
        if homes.note_types(program, &mut types, Around::Impl) {
            homes.find(program, includes, &types);
        }
        homes
    }

    /// The full name of the scope that a definition stands in.
    pub(super) fn around(&self, program: &Program<'_>, file: u32, ix: DefIx) -> String {
        let def = program.files[file as usize].def(ix);
        match def.parent {
            None => self.opened(file, def).unwrap_or_default().to_owned(),
            parent => self.scope_name(program, file, parent),
        }
    }

    /// The namespace that a macro opens around a definition at the top of a file.
    pub(super) fn opened(&self, file: u32, def: &Def) -> Option<&str> {
        let is_inside = def.flags.has(NodeFlags::OPENED_BY_MACRO);
        self.opened.get(&file).filter(|_| is_inside).map(String::as_str)
    }

    /// The full name of a scope; namespaces without a name, inline ones and functions count for nothing.
    pub(super) fn scope_name(&self, program: &Program<'_>, file: u32, scope: Scope) -> String {
        let facts = program.files[file as usize];
        let mut parts: Vec<&str> = Vec::new();
        let mut around = scope;
        while let Some(ix) = around {
            let def = facts.def(ix);
            if let Some(home) = self.of.get(&(file, ix)) {
                parts.push(home);
                break;
            }
            match def.kind {
                DefKind::Impl => {
                    if let Some(TypeExpr::Path { segments, .. }) =
                        def.of.map(|of| &facts.types[of.0 as usize])
                    {
                        parts.extend(segments.iter().rev().map(|&part| facts.text(part)));
                    }
                }
                DefKind::Function | DefKind::Method => {}
                _ => parts.push(facts.text(def.name)),
            }
            if def.parent.is_none() {
                parts.extend(self.opened(file, def));
            }
            around = def.parent;
        }
        parts.retain(|part| !part.is_empty());
        parts.reverse();
        self.plain(parts.join("::"))
    }

    fn note_inline(&mut self, program: &Program<'_>) {
        for (at, file) in (0..).zip(&program.files).filter(|(_, file)| is_c_or_cpp(&file.language)) {
            for (ix, def) in (0..).map(DefIx).zip(&file.defs) {
                if def.kind == DefKind::Module && def.flags.has(NodeFlags::INLINE) {
                    let full = join(&self.around(program, at, ix), file.text(def.name));
                    self.inline.insert(full);
                }
            }
        }
    }

    /// A full name without inline namespaces: `a::v1::f` is known as `a::f`.
    pub(super) fn plain(&self, full: String) -> String {
        if self.inline.is_empty() {
            return full;
        }
        full.split("::").fold(String::new(), |outer, part| {
            let inner = join(&outer, part);
            if self.inline.contains(&inner) { outer } else { inner }
        })
    }

    /// Notes types and namespaces that do or do not stand among members of another; whether there are any.
    fn note_types(&self, program: &Program<'_>, types: &mut Types, wanted: Around) -> bool {
        let mut any = false;
        for (at, file) in (0..).zip(&program.files).filter(|(_, file)| is_c_or_cpp(&file.language)) {
            let defs = (0..).map(DefIx).zip(&file.defs);
            for (ix, def) in defs.filter(|(_, def)| def.kind.is_type() || def.kind == DefKind::Module) {
                let outer = std::iter::successors(def.parent, |&ix| file.def(ix).parent);
                let in_impl = outer.into_iter().any(|ix| file.def(ix).kind == DefKind::Impl);
                if in_impl == (wanted == Around::Impl) {
                    let full = join(&self.around(program, at, ix), file.text(def.name));
                    let files = types.entry(full).or_default();
                    if files.last() != Some(&at) {
                        files.push(at);
                    }
                    any = true;
                }
            }
        }
        any
    }

    fn find(&mut self, program: &Program<'_>, includes: &Includes, types: &Types) {
        for (at, file) in (0..).zip(&program.files).filter(|(_, file)| is_c_or_cpp(&file.language)) {
            for (ix, def) in (0..).map(DefIx).zip(&file.defs).filter(|(_, def)| def.kind == DefKind::Impl) {
                let Some(TypeExpr::Path { segments, .. }) = def.of.map(|of| &file.types[of.0 as usize])
                else {
                    continue;
                };
                let path: Vec<&str> = segments.iter().map(|&part| file.text(part)).collect();
                let mut known = self.candidates(program, at, ix, path);
                known.retain(|full| types.contains_key(full));
                // Of several what the file can see.
                let sees = |full: &&String| types[*full].iter().any(|&other| includes.sees(at, other));
                let home = match known.len() {
                    0 | 1 => known.first(),
                    _ => known.iter().find(sees).or(known.first()),
                };
                if let Some(home) = home {
                    self.of.insert((at, ix), home.clone());
                }
            }
        }
    }

    /// The full names that a path may stand for, the nearest first.
    fn candidates<'f>(
        &self,
        program: &Program<'f>,
        file: u32,
        ix: DefIx,
        mut path: Vec<&'f str>,
    ) -> Vec<String> {
        let facts = program.files[file as usize];
        let written = |at: u32| facts.imports[at as usize].path.iter().map(|&part| facts.text(part));
        let is_using = |at: u32| facts.imports[at as usize].level == 2;
        let first = path.first().and_then(|first| program.find_name(first));
        let named = first.and_then(|first| program.imports(Place::File(file), first).first());
        if let Some(&(_, at)) = named.filter(|(_, at)| is_using(*at)) {
            path.splice(0..1, written(at));
        }
        let name = path.join("::");
        let around = self.around(program, file, ix);
        let mut found = Vec::new();
        let mut outer: Option<&str> = Some(&around);
        while let Some(prefix) = outer {
            found.push(self.plain(join(prefix, &name)));
            outer = match prefix {
                "" => None,
                prefix => Some(prefix.rsplit_once("::").map_or("", |(outer, _)| outer)),
            };
        }
        for &(_, at) in program.globs(Place::File(file)) {
            if is_using(at) && facts.imports[at as usize].all == ImportAll::Yes {
                let opened: Vec<&str> = written(at).collect();
                found.push(self.plain(join(&opened.join("::"), &name)));
            }
        }
        found
    }
}

/// Where a type stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Plain,
    /// Among members that are written outside of their class.
    Impl,
}

pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}::{name}") }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing;

    const SHOP: &str = r#"
//- inc/a.h
namespace na {
class S { public: S(); explicit S(int); int get() const; static int cnt(); private: void priv(); struct Imp; Imp* p_; };
namespace nn { int deep(); }
}
namespace nb { class S { public: S(); int get() const; }; }
//- src/a.cpp
#include "../inc/a.h"
struct na::S::Imp { void run() { deep(); } void deep(); };
na::S::S() : S(1) {}
na::S::S(int) { priv(); }
int na::S::get() const { return cnt(); }
int na::S::cnt() { return 1; }
void na::S::priv() { p_->run(); }
void na::S::Imp::deep() {}
int na::nn::deep() { return 2; }
//- src/b.cpp
#include "../inc/a.h"
using namespace nb;
S::S() {}
int S::get() const { return 2; }
//- src/m.cpp
#include "../inc/a.h"
int f() { na::S s(1); return s.get() + na::S::cnt() + na::nn::deep(); }
int g() { nb::S s; return s.get(); }
"#;

    #[test]
    fn members_outside_of_their_namespace_belong_to_their_class() {
        expect![[r#"
            src/a.cpp na.S.Imp.run -> src/a.cpp na.S.Imp.deep @[2]
            src/a.cpp na.S.S -> src/a.cpp na.S.S#2 @[3]
            src/a.cpp na.S.S#2 -> src/a.cpp na.S.priv @[4]
            src/a.cpp na.S.get -> src/a.cpp na.S.cnt @[5]
            src/a.cpp na.S.priv -> src/a.cpp na.S.Imp.run @[7]
            src/m.cpp f -> inc/a.h na.S @[2]
            src/m.cpp f -> src/a.cpp na.S.S#2 @[2]
            src/m.cpp f -> src/a.cpp na.S.cnt @[2]
            src/m.cpp f -> src/a.cpp na.S.get @[2]
            src/m.cpp f -> src/a.cpp na.nn.deep @[2]
            src/m.cpp g -> inc/a.h nb.S @[3]
            src/m.cpp g -> src/b.cpp S.S @[3]
            src/m.cpp g -> src/b.cpp S.get @[3]
        "#]]
        .assert_eq(&testing::calls(SHOP));
    }

    #[test]
    fn a_declaration_means_its_body_wherever_that_stands() {
        let graph = testing::graph(SHOP);
        let asked =
            ["na::S::get", "nb::S::get", "na::S::cnt", "na::S::Imp::deep", "method::inc/a.h::na.S.S#2"];
        let found = asked.map(|name| match graph.find_code(name) {
            Ok(ix) => format!("{name} -> {}\n", graph.node(ix).id()),
            Err(error) => format!("{name} -> {error:?}\n"),
        });
        expect![[r#"
            na::S::get -> method::src/a.cpp::na.S.get
            nb::S::get -> method::src/b.cpp::S.get
            na::S::cnt -> method::src/a.cpp::na.S.cnt
            na::S::Imp::deep -> method::src/a.cpp::na.S.Imp.deep
            method::inc/a.h::na.S.S#2 -> method::src/a.cpp::na.S.S#2
        "#]]
        .assert_eq(&found.concat());
    }

    #[test]
    fn a_class_of_a_source_file_is_its_own() {
        let found = testing::calls(
            r#"
//- a.cc
namespace n {
namespace {
void Trunc(int x) {}
struct FS { int d() const; int e(); };
}
int FS::d() const { Trunc(1); return 0; }
int FS::e() { return d(); }
}
//- b.cc
namespace n {
namespace {
class FS { public: void Trunc() {} int d() const { return 1; } int e(); };
int alone() { return 1; }
}
void u() { FS f; f.d(); f.e(); f.Trunc(); }
}
//- c.cc
struct Impl { int go(); int help(); };
int Impl::go() { return help(); }
int Impl::help() { return 1; }
//- d.cc
struct Impl { int go(); int help(); };
int Impl::help() { return 2; }
int start() { Impl i; n::alone(); return i.go(); }
"#,
        );
        expect![[r#"
            a.cc n.FS.d -> a.cc n.Trunc @[6]
            a.cc n.FS.e -> a.cc n.FS.d @[7]
            b.cc n.u -> b.cc n.FS.Trunc @[6]
            b.cc n.u -> b.cc n.FS.d @[6]
            b.cc n.u -> b.cc n.FS.e @[6]
            c.cc Impl.go -> c.cc Impl.help @[2]
            d.cc start -> d.cc Impl.go @[3]
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn a_value_that_is_only_declared_runs_the_constructor_of_its_class() {
        let found = testing::calls(
            r#"
//- a.h
struct Plain { int x; };
struct T { T(); T(int); };
struct Base { Base(int); };
namespace n { struct Far { Far(int); }; }
//- a.cc
#include "a.h"
struct D : Base, n::Far {
  T own, *other;
  T& ref;
  D() : Base(1), n::Far(2), own(3), other(new T), ref(own) {}
};
extern T elsewhere;
T global;
void f() { T x; T many[3]; T* p; Plain q; T y(1); static T z; }
"#,
        );
        expect![[r#"
            a.cc -> a.h T @[8]
            a.cc -> a.h T.T @[8]
            a.cc D.D -> a.h Base.Base @[5]
            a.cc D.D -> a.h T @[5]
            a.cc D.D -> a.h T.T @[5]
            a.cc D.D -> a.h T.T#2 @[5]
            a.cc D.D -> a.h n.Far @[5]
            a.cc D.D -> a.h n.Far.Far @[5]
            a.cc f -> a.h T @[9]
            a.cc f -> a.h T.T @[9]
            a.cc f -> a.h T.T#2 @[9]
        "#]]
        .assert_eq(&found);
    }
}
