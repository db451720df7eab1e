//! What is read from Scala, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- src/main/scala/Log.scala
package shop.util
object Log {
  def put(text: String): Unit = ()
}
//- src/main/scala/Cart.scala
package shop.core
import shop.util.{Log, Other}
/** A cart. */
class Cart(limit: Int, best: Item) extends Base(limit) with Item {
  def price(): Int = 1
  def total(item: Item): Int = {
    helper()
    item.price()
    best.price()
    Log.put("x")
    save()
    println("x")
    val other = new Cart(1, item)
    other.total(item)
  }
  private def helper(): Int = 1
}
trait Item { def price(): Int }
class Base(n: Int) { def save(): Unit = () }
object Cart { def make2() = new Cart(1, null) }
object Main {
  def main(args: Array[String]): Unit = Cart.make2()
}
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        src/main/scala/Cart.scala Cart.make2 -> src/main/scala/Cart.scala Cart @[20]
        src/main/scala/Cart.scala Cart.total -> src/main/scala/Cart.scala Base.save @[11]
        src/main/scala/Cart.scala Cart.total -> src/main/scala/Cart.scala Cart @[13]
        src/main/scala/Cart.scala Cart.total -> src/main/scala/Cart.scala Cart.helper @[7]
        src/main/scala/Cart.scala Cart.total -> src/main/scala/Cart.scala Cart.total @[14]
        src/main/scala/Cart.scala Cart.total -> src/main/scala/Cart.scala Item.price @[8, 9]
        src/main/scala/Cart.scala Cart.total -> src/main/scala/Log.scala Log.put @[10]
        src/main/scala/Cart.scala Main.main -> src/main/scala/Cart.scala Cart.make2 @[22]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        class::src/main/scala/Cart.scala::Base 19-19 `class Base(n: Int)`
        class::src/main/scala/Cart.scala::Cart 4-17 `class Cart(limit: Int, best: Item) extends Base(limit) with Item` | A cart.
        class::src/main/scala/Cart.scala::Cart#2 20-20 `object Cart`
        class::src/main/scala/Cart.scala::Main 21-23 `object Main`
        class::src/main/scala/Log.scala::Log 2-4 `object Log`
        method::src/main/scala/Cart.scala::Base.save 19-19 `def save(): Unit`
        method::src/main/scala/Cart.scala::Cart.helper 16-16 `private def helper(): Int`
        method::src/main/scala/Cart.scala::Cart.make2 20-20 `def make2()`
        method::src/main/scala/Cart.scala::Cart.price 5-5 `def price(): Int`
        method::src/main/scala/Cart.scala::Cart.total 6-15 `def total(item: Item): Int`
        method::src/main/scala/Cart.scala::Item.price 18-18 `def price(): Int`
        method::src/main/scala/Cart.scala::Main.main 22-22 `def main(args: Array[String]): Unit` (entry)
        method::src/main/scala/Log.scala::Log.put 3-3 `def put(text: String): Unit`
        trait::src/main/scala/Cart.scala::Item 18-18 `trait Item`
    "#]].assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        src/main/scala/Cart.scala Cart implements -> src/main/scala/Cart.scala Item @[4]
        src/main/scala/Cart.scala Cart inherits -> src/main/scala/Cart.scala Base @[4]
        src/main/scala/Cart.scala imports -> src/main/scala/Log.scala @[2]
        src/main/scala/Cart.scala imports -> src/main/scala/Log.scala Log @[2]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn a_constructor_that_runs_another_does_not_run_itself() {
    expect![[r#"
        a.scala Base.this -> a.scala Base @[2]
        a.scala make -> a.scala Base @[4]
    "#]]
    .assert_eq(&testing::calls(
        r#"
//- a.scala
class Base(n: Int) {
  def this() = this(1)
}
def make() = new Base(2)
"#,
    ));
}
