//! What is read from Rust, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use m1nd_graph::{EdgeKind, NodeFlags};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn a_builder_chain_is_followed_through_self() {
    check(
        r#"
//- Cargo.toml
[package]
name = "shop"
[dependencies]
shop_core = { path = "core" }
//- core/Cargo.toml
[package]
name = "shop-core"
//- core/src/lib.rs
mod builder;
pub use crate::builder::Command;
//- core/src/builder/mod.rs
mod command;
pub use command::Command;
//- core/src/builder/command.rs
pub struct Command { name: String }
impl Command {
    pub fn new(name: impl Into<String>) -> Self {
        fn new_inner(name: String) -> Command { Command { name } }
        new_inner(name.into())
    }
    pub fn version(mut self, v: &str) -> Self { self }
    pub fn arg(mut self, a: Arg) -> Self { self }
}
//- src/lib.rs
pub use shop_core::*;
//- tests/builder/main.rs
mod one;
//- tests/builder/one.rs
use shop::Command;
#[test]
fn chain() {
    let cmd = Command::new("x").version("1").arg(1);
    cmd.version("2");
}
"#,
        expect![[r#"
            core/src/builder/command.rs Command.new -> core/src/builder/command.rs Command.new.new_inner @[5]
            tests/builder/one.rs chain -> core/src/builder/command.rs Command.arg @[4]
            tests/builder/one.rs chain -> core/src/builder/command.rs Command.new @[4]
            tests/builder/one.rs chain -> core/src/builder/command.rs Command.version @[4, 5]
        "#]],
    );
}

#[test]
fn a_field_and_a_method_of_one_name_are_told_apart_by_the_brackets() {
    check(
        r#"
//- src/lib.rs
pub struct Arg { short: Option<char> }
impl Arg {
    pub fn new() -> Self { Arg { short: None } }
    pub fn short(mut self, s: char) -> Self { self }
    pub fn long(self) -> Self { self }
}
fn build() { Arg::new().short('s').long(); }
"#,
        expect![[r#"
            src/lib.rs build -> src/lib.rs Arg.long @[7]
            src/lib.rs build -> src/lib.rs Arg.new @[7]
            src/lib.rs build -> src/lib.rs Arg.short @[7]
        "#]],
    );
}

#[test]
fn receivers_are_typed_by_fields_iterators_closures_patterns_and_traits() {
    check(
        r#"
//- src/lib.rs
mod item;
use item::{Item, Priced};
use std::collections::HashMap;
struct Cart { items: Vec<Item>, by_name: HashMap<String, Item>, last: Option<Box<Item>> }
impl Cart {
    fn run(&self, other: &dyn Priced) -> u32 {
        for item in &self.items { item.weigh(); }
        if let Some(last) = self.last.as_ref() { last.weigh(); }
        let named = self.by_name.get("x").map(|i| i.name()).unwrap_or_default();
        match self.items.first() { Some(first) => first.price(), None => other.price() };
        let all: Vec<_> = self.items.iter().filter(|i| i.is_big()).collect();
        all[0].weigh();
        println!("{}", self.total());
        self.items.iter().map(Item::price).sum()
    }
    fn total(&self) -> u32 { generic(&self.items[0]) }
}
fn generic<T: Priced>(t: &T) -> u32 { t.price() + t.double() }
//- src/item.rs
pub trait Priced { fn price(&self) -> u32; fn double(&self) -> u32 { self.price() * 2 } }
pub struct Item;
impl Item {
    pub fn weigh(&self) {}
    pub fn name(&self) -> String { String::new() }
    pub fn is_big(&self) -> bool { true }
}
impl Priced for Item { fn price(&self) -> u32 { 1 } }
"#,
        expect![[r#"
            src/item.rs Priced.double -> src/item.rs Priced.price @[1]
            src/lib.rs Cart.run -> src/item.rs Item.is_big @[11]
            src/lib.rs Cart.run -> src/item.rs Item.name @[9]
            src/lib.rs Cart.run -> src/item.rs Item.price @[10]
            src/lib.rs Cart.run -> src/item.rs Item.weigh @[7, 8, 12 ?1]
            src/lib.rs Cart.run -> src/item.rs Priced.price @[10]
            src/lib.rs Cart.run -> src/lib.rs Cart.total @[13]
            src/lib.rs Cart.total -> src/lib.rs generic @[16]
            src/lib.rs generic -> src/item.rs Priced.double @[18]
            src/lib.rs generic -> src/item.rs Priced.price @[18]
        "#]],
    );
}

#[test]
fn library_functions_and_crates_that_are_not_ours_are_no_edges() {
    check(
        r#"
//- Cargo.toml
[package]
name = "a"
[dependencies]
serde_json = "1"
//- src/lib.rs
fn from_str() {}
fn drop() {}
fn go(v: Vec<u32>) {
    serde_json::from_str("x");
    std::mem::drop(1);
    v.len();
    "x".trim();
    String::new();
}
struct S;
impl S { fn len(&self) -> usize { 1 } fn trim(&self) {} fn new() -> S { S } }
"#,
        expect![[r#"
            none
        "#]],
    );
}

#[test]
fn a_derived_default_makes_a_value_and_extern_crates_are_reexported() {
    check(
        r#"
//- Cargo.toml
[package]
name = "app"
[dependencies]
facade = { path = "facade" }
//- src/main.rs
fn main() {
    let errors = facade::inner::Errors::default();
    errors.push(1);
}
//- facade/Cargo.toml
[package]
name = "facade"
[dependencies]
facade_inner = { path = "../inner" }
//- facade/src/lib.rs
pub extern crate facade_inner as inner;
//- inner/Cargo.toml
[package]
name = "facade_inner"
//- inner/src/lib.rs
#[derive(Default)]
pub struct Errors;
impl Errors {
    pub fn push(&self, n: u32) {}
}
"#,
        expect![[r#"
            src/main.rs main -> inner/src/lib.rs Errors.push @[3]
        "#]],
    );
}

#[test]
fn attributes_of_statements_fields_and_macros_are_not_of_the_next_item() {
    let graph = testing::graph(
        r#"
//- src/lib.rs
pub struct S {
    pub a: u32,
    #[cfg(test)]
    pub b: u32,
}

pub fn first() -> S {
    #[cfg(test)]
    let x = 1;
    S {
        a: 2,
        #[cfg(test)]
        b: 1,
    }
}

pub fn second(#[cfg(test)] x: u32) {}

#[cfg(test)]
make!(1);

/// Counts.
#[inline]
// Why not.
/// Slowly.
pub fn third() {}
"#,
    );
    let mut lines: Vec<String> = graph
        .nodes()
        .filter(|node| node.kind().is_callable() || node.kind().is_type())
        .map(|node| format!("{} {:?} {}", node.label(), node.lines(), node.flags().has(NodeFlags::TEST_CODE)))
        .collect();
    lines.sort();
    assert_eq!(
        lines,
        ["S (1, 5) false", "first (7, 15) false", "second (17, 17) false", "third (23, 26) false"]
    );
}

#[test]
fn what_is_derived_is_never_another_type() {
    let graph = testing::graph(
        r#"
//- src/lib.rs
pub struct Debug;
pub struct Parser;
impl Debug {
    pub fn show(&self) {}
}
pub trait Shape {}

#[derive(Debug, Parser, Shape)]
pub struct Cart;

pub fn run(cart: Cart) {
    cart.show();
}
"#,
    );
    let bases = graph.edges().filter(|edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements));
    let named =
        bases.map(|edge| format!("{} {}", graph.node(edge.source).label(), graph.node(edge.target).label()));
    assert_eq!(named.collect::<Vec<_>>(), ["Cart Shape"]);
    assert!(!graph.edges().any(|edge| edge.kind == EdgeKind::Calls));
}

#[test]
fn tests_modules_and_docs_are_nodes_with_their_lines() {
    let graph = testing::graph(
        r#"
//- src/lib.rs
//! A shop.

/// Adds up.
///
/// Slowly.
#[inline]
pub fn sum(a: u32) -> u32 {
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn sums() {
        assert_eq!(sum(1), 1);
    }
}
"#,
    );
    let mut lines: Vec<String> = graph
        .nodes()
        .map(|node| format!("{} {:?} {:?} {:?}", node.id(), node.lines(), node.signature(), node.doc()))
        .collect();
    lines.sort();
    expect![[r#"
        directory::src (0, 0) "" ""
        file::src/lib.rs (1, 18) "" "A shop."
        function::src/lib.rs::sum (6, 9) "pub fn sum(a: u32) -> u32" "Adds up.\n\nSlowly."
        module::src/lib.rs::tests (11, 18) "mod tests" ""
        repository::fixture (0, 0) "" ""
        test::src/lib.rs::tests.sums (14, 17) "fn sums()" ""
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
    expect![[r#"
        src/lib.rs tests.sums -> src/lib.rs sum @[16]
    "#]]
    .assert_eq(&testing::edges(&graph, &[m1nd_graph::EdgeKind::Tests]));
}

#[test]
fn modules_that_import_everything_of_each_other_are_searched_once() {
    let modules = 14;
    let mut fixture = String::from("//- src/lib.rs\n");
    for n in 0..modules {
        fixture.push_str(&format!("mod m{n};\n"));
    }
    for n in 0..modules {
        fixture.push_str(&format!("//- src/m{n}.rs\n"));
        for other in (0..modules).filter(|other| *other != n) {
            fixture.push_str(&format!("pub use crate::m{other}::*;\n"));
        }
        fixture.push_str(&format!("pub fn f{n}(x: Missing) {{ f{}(); missing(); }}\n", (n + 1) % modules));
    }
    assert_eq!(testing::calls(&fixture).lines().count(), modules);
}

#[test]
fn imports_of_everything_from_crates_that_are_not_here_end() {
    let globs: String = (0..30).map(|n| format!("use unknown{n}::*;\n")).collect();
    let text = format!("//- src/lib.rs\n{globs}fn a() {{ b(); c(); d::e(); }}\nfn b() {{}}\n");
    assert_eq!(testing::calls(&text), "src/lib.rs a -> src/lib.rs b @[31]\n");
}

#[test]
fn attributes_that_end_in_test_mark_tests() {
    let found = testing::definitions(
        r#"
//- src/lib.rs
#[cargo_test]
fn a() {}
#[tokio::test(flavor = "multi_thread")]
async fn b() {}
#[rstest]
fn c() {}
#[test_case(1; "one")]
fn d(n: u32) {}
#[cfg(test)]
fn helper() {}
#[latest]
fn newest() {}
"#,
    );
    let kinds: Vec<&str> = found.lines().map(|line| line.split(' ').next().unwrap_or("")).collect();
    assert_eq!(
        kinds,
        [
            "function::src/lib.rs::helper",
            "function::src/lib.rs::newest",
            "test::src/lib.rs::a",
            "test::src/lib.rs::b",
            "test::src/lib.rs::c",
            "test::src/lib.rs::d",
        ]
    );
}

const MACROS: &str = r#"
//- Cargo.toml
[package]
name = "shop"
[dependencies]
other = { path = "other" }
log = "1"
//- other/Cargo.toml
[package]
name = "other"
//- other/src/lib.rs
#[macro_export]
macro_rules! shared { () => {}; }
macro_rules! inner { () => {}; }
pub fn debug() {}
//- src/lib.rs
#[macro_use]
mod macros;
mod user;
mod foreign;
//- src/macros.rs
/// Adds.
macro_rules! add {
    ($a:expr) => { $a + 1 };
}
macro_rules! debug { () => {}; }
fn add() {}
fn calls_the_function() { add(); }
//- src/user.rs
use other::shared;
use crate::add as plus;
fn plain() { add!(1); }
fn renamed() { plus!(1); }
fn by_path() { crate::add!(2); other::shared!(); }
fn imported() { shared!(); }
fn nested() { println!("{}", add!(3)); }
fn private_elsewhere() { other::inner!(); }
fn unknown() { missing!(); }
fn local() {
    macro_rules! near { () => {}; }
    near!();
}
fn out_of_reach() { near!(); }
fn of_the_library() { write!(); }
macro_rules! write { () => {}; }
fn hides_the_library() { write!(); }
//- src/foreign.rs
use log::debug;
fn theirs() { debug!(); }
"#;

#[test]
fn macros_are_definitions() {
    let found = testing::definitions(MACROS);
    let macros: Vec<&str> = found.lines().filter(|line| line.contains("macro_rules!")).collect();
    expect![[r#"
        function::other/src/lib.rs::inner 3-3 `macro_rules! inner`
        function::other/src/lib.rs::shared 1-2 `macro_rules! shared`
        function::src/macros.rs::add 2-4 `macro_rules! add` | Adds.
        function::src/macros.rs::debug 5-5 `macro_rules! debug`
        function::src/user.rs::local.near 11-11 `macro_rules! near`
        function::src/user.rs::write 16-16 `macro_rules! write`"#]]
    .assert_eq(&macros.join("\n"));
}

#[test]
fn a_macro_is_called_where_it_is_visible() {
    expect![[r#"
        src/macros.rs calls_the_function -> src/macros.rs add#2 @[7]
        src/user.rs by_path -> other/src/lib.rs shared @[5]
        src/user.rs by_path -> src/macros.rs add @[5]
        src/user.rs hides_the_library -> src/user.rs write @[17]
        src/user.rs imported -> other/src/lib.rs shared @[6]
        src/user.rs local -> src/user.rs local.near @[12]
        src/user.rs nested -> src/macros.rs add @[7]
        src/user.rs plain -> src/macros.rs add @[3]
        src/user.rs renamed -> src/macros.rs add @[4]
    "#]]
    .assert_eq(&testing::calls(MACROS));
}

#[test]
fn a_module_beside_the_tests_is_of_the_test_that_declares_it() {
    let found = testing::calls(
        r#"
//- tests/all.rs
#[macro_use]
mod helpers;
mod util;
fn root() {}
#[test]
fn one() { check!(); }
//- tests/helpers.rs
macro_rules! check { () => {}; }
//- tests/util.rs
fn up() { crate::root(); check!(); }
"#,
    );
    expect![[r#"
        tests/all.rs one -> tests/helpers.rs check @[6]
        tests/util.rs up -> tests/all.rs root @[1]
        tests/util.rs up -> tests/helpers.rs check @[1]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_method_called_through_its_trait_is_found() {
    check(
        r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
mod shapes;
use shapes::Shape;
pub struct Circle;
impl Shape for Circle { fn area(&self) -> u32 { 1 } }
pub fn total(circle: &Circle) -> u32 {
    Shape::area(circle) + shapes::Shape::area(circle) + <Circle as Shape>::area(circle) + Circle::area(circle)
}
//- src/shapes.rs
pub trait Shape { fn area(&self) -> u32; }
"#,
        expect![[r#"
            src/lib.rs total -> src/lib.rs Circle.area @[6]
            src/lib.rs total -> src/shapes.rs Shape.area @[6]
        "#]],
    );
}

#[test]
fn a_place_in_a_tuple_is_counted_with_those_that_have_no_name() {
    let found = testing::calls(
        r#"
//- Cargo.toml
[package]
name = "places"
[dependencies]
regex = "1"
//- src/lib.rs
pub trait Matcher { fn is_match(&self) -> bool; }
pub struct Mine;
impl Matcher for Mine { fn is_match(&self) -> bool { true } }
impl<'a, M: Matcher> Matcher for &'a M { fn is_match(&self) -> bool { (**self).is_match() } }
fn theirs(all: &[(usize, regex::Regex)]) { for (_, re) in all { re.is_match(); } }
fn ours(all: &[(usize, Mine)]) { for (_, mine) in all { mine.is_match(); } }
fn some(one: Option<(u8, Mine)>) { if let Some((_, mine)) = one { mine.is_match(); } }
fn rest(all: (u8, u8, Mine)) { let (.., mine) = all; mine.is_match(); }
"#,
    );
    let of = |name: &str| -> Vec<&str> {
        found.lines().filter(|line| line.starts_with(&format!("src/lib.rs {name} "))).collect()
    };
    assert_eq!(of("theirs"), [""; 0]);
    assert_eq!(of("ours"), ["src/lib.rs ours -> src/lib.rs Mine.is_match @[6]"]);
    assert_eq!(of("some"), ["src/lib.rs some -> src/lib.rs Mine.is_match @[7]"]);
    assert!(of("rest").iter().all(|line| line.contains('?')), "{found}");
}

#[test]
fn rules_of_macros_call_what_they_stand_for() {
    check(
        r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
mod cart;
pub fn near(n: u32) -> u32 { n }
macro_rules! twice {
    ($x:expr) => { near($x) + near($x) };
    ($x:expr, $($rest:expr),*) => {{
        $x.only_here();
        $crate::cart::total(&[$(near($rest)),*]);
        $crate::twice!($x)
    }};
}
pub fn run() { twice!(2); }
//- src/cart.rs
pub struct Cart;
impl Cart { pub fn only_here(&self) {} }
pub fn total(n: &[u32]) {}
"#,
        expect![[r#"
            src/lib.rs run -> src/lib.rs twice @[11]
            src/lib.rs twice -> src/cart.rs Cart.only_here @[6] ?1
            src/lib.rs twice -> src/cart.rs total @[7]
            src/lib.rs twice -> src/lib.rs near @[4, 7]
            src/lib.rs twice -> src/lib.rs twice @[8]
        "#]],
    );
}

#[test]
fn a_trait_of_what_a_box_holds_adds_nothing_to_others() {
    check(
        r#"
//- Cargo.toml
[package]
name = "shop"
[dependencies]
anyhow = "1"
//- src/lib.rs
use anyhow::Context;
pub trait Sink { fn context(&self); }
impl<S: Sink + ?Sized> Sink for Box<S> { fn context(&self) { (**self).context() } }
pub fn parse(s: &str) -> anyhow::Result<u32> { s.parse().context("no number") }
pub fn run(sink: Box<dyn Sink>) { sink.context(); }
"#,
        expect![[r#"
            src/lib.rs Box.context -> src/lib.rs Sink.context @[3]
            src/lib.rs run -> src/lib.rs Sink.context @[5]
        "#]],
    );
}

#[test]
fn what_a_wrapper_holds_is_called_through_it() {
    check(
        r#"
//- src/lib.rs
pub struct Sp<T> { val: T, span: u32 }
impl<T> std::ops::Deref for Sp<T> { type Target = T; fn deref(&self) -> &T { &self.val } }
pub enum Kind { A, B }
impl Kind { pub fn name(&self) -> u32 { 1 } }
pub struct Item { kind: Sp<Kind> }
impl Item { pub fn run(&self) { self.kind.name(); } }
"#,
        expect![[r#"
            src/lib.rs Item.run -> src/lib.rs Kind.name @[6]
        "#]],
    );
}

#[test]
fn methods_of_what_other_crates_make_are_not_ours() {
    check(
        r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
use std::process::Command;
use std::time::Instant;

pub struct Stats;
impl Stats {
    pub fn elapsed(&self) -> u64 { 1 }
    pub fn stderr(&self) {}
}
pub struct Run { began: Instant, command: Command, full: std::process::Command }
impl Run {
    fn took(&self) { self.began.elapsed(); }
    fn quiet(&mut self) { self.command.stderr(1); self.full.stderr(1); }
}
pub fn given(began: Instant) { began.elapsed(); }
pub fn made() { let began = Instant::now(); began.elapsed(); }
pub fn ours(stats: Stats) { stats.elapsed(); }
"#,
        expect![[r#"
            src/lib.rs ours -> src/lib.rs Stats.elapsed @[16]
        "#]],
    );
}

#[test]
fn an_impl_before_its_type_belongs_to_it_and_signatures_have_no_comments() {
    let graph = testing::graph(
        r#"
//- src/lib.rs
impl<T> From<T> for W<T> { fn from(t: T) -> Self { W(t) } }
pub fn f<T>(a: &'static str, /* c */ b: u8) -> u8 // why
where T: Clone
{ 1 }
struct W<T>(T);
"#,
    );
    expect![[r#"
         -> src @[]
        src -> src/lib.rs @[]
        src/lib.rs -> src/lib.rs W @[]
        src/lib.rs -> src/lib.rs f @[]
        src/lib.rs W -> src/lib.rs W.from @[]
    "#]]
    .assert_eq(&testing::edges(&graph, &[m1nd_graph::EdgeKind::Contains]));
    let f = graph.nodes().find(|node| node.label() == "f").expect("f");
    assert_eq!(f.signature(), "pub fn f<T>(a: &'static str, b: u8) -> u8 where T: Clone");
}

#[test]
fn a_trait_object_has_what_is_written_for_it() {
    check(
        r#"
//- Cargo.toml
[package]
name = "r"
//- src/lib.rs
pub trait Io { fn id(&self) -> u8 { 0 } }
impl dyn Io + Send {
    fn is_it<T: Io>(&self) -> bool { true }
    fn down<T: Io>(&self) -> bool { self.is_it::<T>() }
}
impl dyn Io {
    fn plain(&self) -> bool { self.id() == 0 }
}
pub fn use_it(io: &(dyn Io + Send), other: Box<dyn Io>) -> bool { io.down::<u8>() && other.plain() }
"#,
        expect![[r#"
            src/lib.rs Io.down -> src/lib.rs Io.is_it @[4]
            src/lib.rs Io.plain -> src/lib.rs Io.id @[7]
            src/lib.rs use_it -> src/lib.rs Io.down @[9]
            src/lib.rs use_it -> src/lib.rs Io.plain @[9]
        "#]],
    );
}

#[test]
fn what_is_written_for_types_of_others_implements_the_trait() {
    let found = testing::imports_and_bases(
        r#"
//- Cargo.toml
[package]
name = "r"
//- src/lib.rs
pub trait Bits { fn fresh(n: usize) -> Self; fn size(&self) -> usize { 0 } }
impl Bits for Vec<bool> { fn fresh(n: usize) -> Self { vec![false; n] } }
pub trait Shown { fn shown(&self) -> String; }
impl<T: Bits> Shown for T { fn shown(&self) -> String { String::new() } }
pub struct Own;
impl Bits for Own { fn fresh(n: usize) -> Self { Own } }
pub fn make<T: Bits>() -> T { T::fresh(3) }
"#,
    );
    expect![[r#"
        src/lib.rs Own implements -> src/lib.rs Bits @[6]
        src/lib.rs T.shown implements -> src/lib.rs Shown.shown @[4]
        src/lib.rs Vec.fresh implements -> src/lib.rs Bits.fresh @[2]
    "#]]
    .assert_eq(&found);
}
