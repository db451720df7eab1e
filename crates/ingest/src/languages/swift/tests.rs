//! What is read from Swift, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- Sources/Shop/Log.swift
import Foundation
enum Log {
  static func put(_ text: String) {}
}
func helper() -> Int { return 1 }
//- Sources/Shop/Cart.swift
/// A cart.
class Cart: Base, Item {
  let best: Item
  init(limit: Int) { self.best = Cart(limit: 1) }
  func price() -> Int { return 1 }
  func total(item: Item) -> Int {
    helper()
    item.price()
    best.price()
    Log.put("x")
    save()
    print("x")
    let other = Cart(limit: 1)
    return other.total(item: item)
  }
}
protocol Item { func price() -> Int }
class Base { func save() {} }
extension Cart {
  func twice() { self.total(item: self) }
}
//- Tests/ShopTests/CartTests.swift
@testable import Shop
final class CartTests: XCTestCase {
  func testTotals() {
    let cart = Cart(limit: 1)
    cart.twice()
  }
}
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        Sources/Shop/Cart.swift Cart.init -> Sources/Shop/Cart.swift Cart @[4]
        Sources/Shop/Cart.swift Cart.init -> Sources/Shop/Cart.swift Cart.init @[4]
        Sources/Shop/Cart.swift Cart.total -> Sources/Shop/Cart.swift Base.save @[11]
        Sources/Shop/Cart.swift Cart.total -> Sources/Shop/Cart.swift Cart @[13]
        Sources/Shop/Cart.swift Cart.total -> Sources/Shop/Cart.swift Cart.init @[13]
        Sources/Shop/Cart.swift Cart.total -> Sources/Shop/Cart.swift Cart.total @[14]
        Sources/Shop/Cart.swift Cart.total -> Sources/Shop/Cart.swift Item.price @[8, 9]
        Sources/Shop/Cart.swift Cart.total -> Sources/Shop/Log.swift Log.put @[10]
        Sources/Shop/Cart.swift Cart.total -> Sources/Shop/Log.swift helper @[7]
        Sources/Shop/Cart.swift Cart.twice -> Sources/Shop/Cart.swift Cart.total @[20]
        Tests/ShopTests/CartTests.swift CartTests.testTotals -> Sources/Shop/Cart.swift Cart @[4]
        Tests/ShopTests/CartTests.swift CartTests.testTotals -> Sources/Shop/Cart.swift Cart.init @[4]
        Tests/ShopTests/CartTests.swift CartTests.testTotals -> Sources/Shop/Cart.swift Cart.twice @[5]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        class::Sources/Shop/Cart.swift::Base 18-18 `class Base`
        class::Sources/Shop/Cart.swift::Cart 2-16 `class Cart: Base, Item` | A cart.
        class::Tests/ShopTests/CartTests.swift::CartTests 2-7 `final class CartTests: XCTestCase`
        enum::Sources/Shop/Log.swift::Log 2-4 `enum Log`
        function::Sources/Shop/Log.swift::helper 5-5 `func helper() -> Int`
        interface::Sources/Shop/Cart.swift::Item 17-17 `protocol Item`
        method::Sources/Shop/Cart.swift::Base.save 18-18 `func save()`
        method::Sources/Shop/Cart.swift::Cart.init 4-4 `init(limit: Int)`
        method::Sources/Shop/Cart.swift::Cart.price 5-5 `func price() -> Int`
        method::Sources/Shop/Cart.swift::Cart.total 6-15 `func total(item: Item) -> Int`
        method::Sources/Shop/Cart.swift::Cart.twice 20-20 `func twice()`
        method::Sources/Shop/Cart.swift::Item.price 17-17 `func price() -> Int`
        method::Sources/Shop/Log.swift::Log.put 3-3 `static func put(_ text: String)`
        test::Tests/ShopTests/CartTests.swift::CartTests.testTotals 3-6 `func testTotals()` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        Sources/Shop/Cart.swift Cart implements -> Sources/Shop/Cart.swift Item @[2]
        Sources/Shop/Cart.swift Cart inherits -> Sources/Shop/Cart.swift Base @[2]
        Tests/ShopTests/CartTests.swift CartTests.testTotals tests -> Sources/Shop/Cart.swift Cart @[4]
        Tests/ShopTests/CartTests.swift CartTests.testTotals tests -> Sources/Shop/Cart.swift Cart.init @[4]
        Tests/ShopTests/CartTests.swift CartTests.testTotals tests -> Sources/Shop/Cart.swift Cart.twice @[5]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn what_is_read_like_a_field_may_call() {
    let fixture = r#"
//- A.swift
class A {
  static let shared = A()
  let plain = 1
  var total: Int { return help() }
  var other: B { get { return make() } set { help() } }
  subscript(i: Int) -> Int { return help() }
  deinit { help() }
  func help() -> Int { return 1 }
  func make() -> B { return B() }
  func use() { other.run(); A.shared.help() }
}
typealias Bee = B
class B { func run() {} }
class Sub: A {
  var reply: B { return make() }
  func reply(done: Int) {}
  func go() { reply(done: 1); reply.run(); total { 1 } }
}
func outside(a: A, s: Sub) { a.other { 1 }; s.reply { 1 }; s.reply.run() }
"#;
    expect![[r#"
        class::A.swift::A 1-11 `class A`
        class::A.swift::B 13-13 `class B`
        class::A.swift::Sub 14-18 `class Sub: A`
        constant::A.swift::A.shared 2-2 `static let shared = A()`
        function::A.swift::outside 19-19 `func outside(a: A, s: Sub)`
        method::A.swift::A.deinit 7-7 `deinit`
        method::A.swift::A.help 8-8 `func help() -> Int`
        method::A.swift::A.make 9-9 `func make() -> B`
        method::A.swift::A.other 5-5 `var other: B`
        method::A.swift::A.subscript 6-6 `subscript(i: Int) -> Int`
        method::A.swift::A.total 4-4 `var total: Int`
        method::A.swift::A.use 10-10 `func use()`
        method::A.swift::B.run 13-13 `func run()`
        method::A.swift::Sub.go 17-17 `func go()`
        method::A.swift::Sub.reply 15-15 `var reply: B`
        method::A.swift::Sub.reply#2 16-16 `func reply(done: Int)`
        type::A.swift::Bee 12-12 `typealias Bee = B`
    "#]]
    .assert_eq(&testing::definitions(fixture));
    expect![[r#"
        A.swift A -> A.swift A @[2]
        A.swift A.deinit -> A.swift A.help @[7]
        A.swift A.make -> A.swift B @[9]
        A.swift A.other -> A.swift A.help @[5]
        A.swift A.other -> A.swift A.make @[5]
        A.swift A.subscript -> A.swift A.help @[6]
        A.swift A.total -> A.swift A.help @[4]
        A.swift A.use -> A.swift A.help @[10]
        A.swift A.use -> A.swift B.run @[10]
        A.swift Sub.go -> A.swift B.run @[17]
        A.swift Sub.go -> A.swift Sub.reply#2 @[17]
        A.swift Sub.reply -> A.swift A.make @[15]
        A.swift outside -> A.swift B.run @[19]
        A.swift outside -> A.swift Sub.reply#2 @[19]
    "#]]
    .assert_eq(&testing::calls(fixture));
}

/// What an extension adds is as good as what stands in the class.
#[test]
fn overloads_in_other_parts_of_a_class_are_told_apart_by_what_they_take() {
    let found = testing::calls(
        r#"
//- A.swift
class Box { func put(_ n: Int) {} func ask(_ n: Int) {} }
//- B.swift
extension Box { func put(a: Int, b: Int) {} func ask(name: String) {} }
//- C.swift
func use(b: Box) { b.put(1); b.put(a: 1, b: 2); b.ask(1); b.ask(name: "x") }
"#,
    );
    expect![[r#"
        C.swift use -> A.swift Box.ask @[1]
        C.swift use -> A.swift Box.put @[1]
        C.swift use -> B.swift Box.ask @[1]
        C.swift use -> B.swift Box.put @[1]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_private_type_is_seen_by_its_file_alone() {
    let found = testing::calls(
        r#"
//- T1.swift
private struct Baz {
  init(n: Int) {}
}
func one() { _ = Baz(n: 1) }
//- T2.swift
private struct Baz {
  init(n: Int) {}
}
//- T3.swift
func three() { _ = Baz(n: 1) }
"#,
    );
    assert_eq!(found, "T1.swift one -> T1.swift Baz @[4]\nT1.swift one -> T1.swift Baz.init @[4]\n");
}

#[test]
fn a_call_after_an_operator_is_a_call() {
    let found = testing::calls(
        r#"
//- a.swift
func ready() -> Bool { true }
func count() -> Int { 1 }
struct M {
  func m() -> Bool { true }
  func n() {
    if !m() { return }
    if !self.m() { return }
  }
}
func go(m: M) {
  while !ready() {}
  print(-count())
  _ = !m.m()
}
"#,
    );
    assert_eq!(
        found,
        "a.swift M.n -> a.swift M.m @[6, 7]\n\
         a.swift go -> a.swift M.m @[13]\n\
         a.swift go -> a.swift count @[12]\n\
         a.swift go -> a.swift ready @[11]\n"
    );
}
