//! The languages: one folder each, listed once.

use std::time::Duration;

use crate::facts::FileFacts;
use crate::resolve::program::Program;
use crate::resolve::rules::Rules;
use crate::walk::ParseError;

/// How a language's files are read.
pub struct Language {
    pub name: &'static str,
    pub extensions: &'static [&'static str],
    /// Names of files that are in this language without saying so by an extension.
    pub file_names: &'static [&'static str],
    /// Languages that can call each other's methods share a family, and its rules.
    pub family: &'static str,
    pub grammar: fn() -> tree_sitter::Language,
    pub extract: fn(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError>,
    pub(crate) rules: fn(&Program<'_>) -> Box<dyn Rules>,
}

/// Makes each folder a module and collects what it offers.
macro_rules! languages {
    ($($feature:literal $folder:ident)*) => {
        $(#[cfg(feature = $feature)] pub mod $folder;)*

        /// Every language of this build, by folder.
        const FOLDERS: &[&[Language]] = &[$(#[cfg(feature = $feature)] $folder::LANGUAGES),*];
    };
}

languages! {
    "lang-bash" bash
    "lang-c" c
    "lang-cpp" cpp
    "lang-csharp" csharp
    "lang-elixir" elixir
    "lang-go" go
    "lang-java" java
    "lang-kotlin" kotlin
    "lang-lua" lua
    "lang-php" php
    "lang-python" python
    "lang-ruby" ruby
    "lang-rust" rust
    "lang-scala" scala
    "lang-swift" swift
    "lang-typescript" typescript
    "lang-zig" zig
}

mod none;
#[cfg(test)]
mod qualified;
pub(crate) mod routes;
#[cfg(feature = "simple")]
mod simple;

/// Every language of this build.
pub fn all() -> impl Iterator<Item = &'static Language> {
    FOLDERS.iter().copied().flatten()
}

/// The language of a file, by its name.
pub fn of_path(path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    all().find(|language| language.extensions.contains(&extension) || language.file_names.contains(&name))
}

/// The tree of a source, read as its language's extractor reads it: of C without the branches and macros that no
/// grammar understands.
pub(crate) fn tree(
    language: &Language,
    source: &[u8],
    limit: Duration,
) -> Result<tree_sitter::Tree, ParseError> {
    match language.name {
        #[cfg(feature = "lang-c")]
        "c" => c::parse::parse(source, c::branches::Dialect::C, limit).map(|parsed| parsed.tree),
        #[cfg(feature = "lang-cpp")]
        "cpp" => c::parse::parse(source, c::branches::Dialect::Cpp, limit).map(|parsed| parsed.tree),
        #[cfg(feature = "lang-python")]
        "python" => python::parse::parse(source, limit),
        _ => crate::walk::parse(&(language.grammar)(), source, limit),
    }
}

/// A source as its grammar understands it where the language says what that does not know; the bytes keep their places.
pub(crate) fn understood<'t>(language: &Language, text: &'t str) -> std::borrow::Cow<'t, str> {
    match language.name {
        #[cfg(feature = "lang-typescript")]
        "typescript" | "tsx" => typescript::newer::understood(text),
        _ => text.into(),
    }
}

/// Parses a file and forgets the tree, to measure what parsing alone costs. False when no language reads it.
pub fn parse_only(path: &str, source: &[u8]) -> bool {
    let mut parser = tree_sitter::Parser::new();
    let known = of_path(path).is_some_and(|language| parser.set_language(&(language.grammar)()).is_ok());
    known && std::hint::black_box(parser.parse(source, None)).is_some()
}

pub(crate) fn family(language: &str) -> &'static str {
    all().find(|known| known.name == language).map_or("", |known| known.family)
}

/// The family of each file. Files beside each other are mostly of one.
pub(crate) fn families<'f>(files: impl Iterator<Item = &'f FileFacts>) -> Vec<&'static str> {
    let mut last = ("", family(""));
    let of_file = |file: &'f FileFacts| {
        if last.0 != file.language {
            last = (&file.language, family(&file.language));
        }
        last.1
    };
    files.map(of_file).collect()
}

/// Each family's rules for one program.
pub(crate) struct ProgramRules {
    families: Vec<(&'static str, Box<dyn Rules>)>,
    none: none::NoRules,
}

impl ProgramRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let mut families: Vec<(&'static str, Box<dyn Rules>)> = Vec::new();
        for language in all() {
            let is_used = || program.files.iter().any(|file| file.language == language.name);
            if !families.iter().any(|(family, _)| *family == language.family) && is_used() {
                families.push((language.family, (language.rules)(program)));
            }
        }
        Self { families, none: none::NoRules }
    }

    /// The rules of each file.
    pub(crate) fn by_file(&self, program: &Program<'_>) -> Vec<&dyn Rules> {
        let families = families(program.files.iter().copied());
        families.into_iter().map(|family| self.of_family(family)).collect()
    }

    fn of_family(&self, wanted: &str) -> &dyn Rules {
        let found = self.families.iter().find(|(family, _)| *family == wanted);
        found.map_or(&self.none, |(_, rules)| &**rules)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing;

    #[test]
    fn what_other_files_add_to_a_type_belongs_to_it() {
        let found = testing::members(
            r#"
//- go/a.go
package p
type Cart struct{}
func (c Cart) One() {}
//- go/b.go
package p
func (c *Cart) Two() {}
//- other/b.go
package q
type Cart struct{}
func (c *Cart) Three() {}
//- rs/Cargo.toml
[package]
name = "z"
//- rs/src/lib.rs
mod a; mod b;
//- rs/src/a.rs
pub struct Cart;
//- rs/src/b.rs
use crate::a::Cart;
impl Cart { pub fn run(&self) {} }
//- cc/cart.h
namespace n { class Cart { public: void go(); }; }
//- cc/cart.cc
#include "cart.h"
namespace n { void Cart::go() {} }
//- sw/A.swift
class Cart { func a() {} }
//- sw/B.swift
extension Cart { func b() {} }
//- cs/A.cs
namespace N { public partial class Cart { void One() {} } }
//- cs/B.cs
namespace N { public partial class Cart { void Two() {} } }
//- cs/C.cs
namespace M { public partial class Cart { void Three() {} } }
//- cs/D.cs
namespace N;
public partial class Cart { void Four() {} }
//- x/cart.rb
class Cart
  def one; end
end
//- x/cart_more.rb
class Cart
  def two; end
end
//- y/cart.rb
class Cart
  def three; end
end
"#,
            "Cart",
        );
        expect![[r#"
            cc/cart.h: method::cc/cart.cc::n.Cart.go, method::cc/cart.h::n.Cart.go
            cs/A.cs: method::cs/A.cs::N.Cart.One, method::cs/B.cs::N.Cart.Two
            cs/B.cs: method::cs/A.cs::N.Cart.One, method::cs/B.cs::N.Cart.Two
            cs/C.cs: method::cs/C.cs::M.Cart.Three
            cs/D.cs: method::cs/D.cs::Cart.Four
            go/a.go: method::go/a.go::Cart.One, method::go/b.go::Cart.Two
            other/b.go: method::other/b.go::Cart.Three
            rs/src/a.rs: method::rs/src/b.rs::Cart.run
            sw/A.swift: method::sw/A.swift::Cart.a, method::sw/B.swift::Cart.b
            x/cart.rb: method::x/cart.rb::Cart.one, method::x/cart_more.rb::Cart.two
            x/cart_more.rb: method::x/cart.rb::Cart.one, method::x/cart_more.rb::Cart.two
            y/cart.rb: method::x/cart_more.rb::Cart.two, method::y/cart.rb::Cart.three
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn what_a_package_offers_under_another_name_is_found_by_it() {
        let graph = testing::graph(
            r#"
//- shop/__init__.py
from .cart import Basket as Cart
//- shop/cart.py
class Basket:
    def add(self): ...
//- web/index.ts
export { Store as Shop } from './store'
//- web/store.ts
export class Store { open() {} }
//- kit/Cargo.toml
[package]
name = "kit"
//- kit/src/lib.rs
mod part;
pub use part::Part as Piece;
//- kit/src/part.rs
pub struct Part;
impl Part { pub fn weigh(&self) {} }
//- j/src/com/a/B.java
package com.a;
class B { void c() {} }
"#,
        );
        for (name, id) in [
            ("shop.Cart.add", "method::shop/cart.py::Basket.add"),
            ("web.Shop.open", "method::web/store.ts::Store.open"),
            ("kit::Piece::weigh", "method::kit/src/part.rs::Part.weigh"),
            ("com.a.B.c", "method::j/src/com/a/B.java::B.c"),
        ] {
            let found = graph.find_node(name).map(|ix| graph.node(ix).id());
            assert_eq!(found, Ok(id), "{name}");
        }
    }
}
