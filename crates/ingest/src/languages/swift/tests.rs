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
        Tests/ShopTests/CartTests.swift CartTests.testTotals -> Sources/Shop/Cart.swift Cart @[3]
        Tests/ShopTests/CartTests.swift CartTests.testTotals -> Sources/Shop/Cart.swift Cart.init @[3]
        Tests/ShopTests/CartTests.swift CartTests.testTotals -> Sources/Shop/Cart.swift Cart.twice @[4]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        class::Sources/Shop/Cart.swift::Base 18-18 `class Base`
        class::Sources/Shop/Cart.swift::Cart 2-16 `class Cart: Base, Item` | A cart.
        class::Tests/ShopTests/CartTests.swift::CartTests 1-6 `final class CartTests: XCTestCase`
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
        test::Tests/ShopTests/CartTests.swift::CartTests.testTotals 2-5 `func testTotals()` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        Sources/Shop/Cart.swift Cart implements -> Sources/Shop/Cart.swift Item @[2]
        Sources/Shop/Cart.swift Cart inherits -> Sources/Shop/Cart.swift Base @[2]
        Tests/ShopTests/CartTests.swift CartTests.testTotals tests -> Sources/Shop/Cart.swift Cart @[3]
        Tests/ShopTests/CartTests.swift CartTests.testTotals tests -> Sources/Shop/Cart.swift Cart.init @[3]
        Tests/ShopTests/CartTests.swift CartTests.testTotals tests -> Sources/Shop/Cart.swift Cart.twice @[4]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}
