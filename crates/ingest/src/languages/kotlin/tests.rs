//! What is read from Kotlin, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- src/main/kotlin/Log.kt
package shop.util
object Log {
  fun put(text: String) {}
}
fun helper() = 1
//- src/main/kotlin/Cart.kt
package shop.core
import shop.util.Log
import shop.util.helper
/** A cart. */
class Cart(val limit: Int, private val best: Item) : Base(limit), Item {
  override fun price(): Int = 1
  fun total(item: Item): Int {
    helper()
    item.price()
    best.price()
    Log.put("x")
    save()
    println("x")
    val other = Cart(1, item)
    return other.total(item)
  }
}
interface Item {
  fun price(): Int
}
open class Base(n: Int) {
  fun save() {}
}
fun Cart.twice() = total(this)
//- src/main/kotlin/Main.kt
package shop
import shop.core.Cart
fun main() {
  val cart = Cart(1, null)
  cart.twice()
}
//- src/test/kotlin/CartTest.kt
package shop.core
class CartTest {
  @Test
  fun totals() {
    Cart(1, null).total(null)
  }
}
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        src/main/kotlin/Cart.kt Cart.total -> src/main/kotlin/Cart.kt Base.save @[12]
        src/main/kotlin/Cart.kt Cart.total -> src/main/kotlin/Cart.kt Cart @[14]
        src/main/kotlin/Cart.kt Cart.total -> src/main/kotlin/Cart.kt Cart.total @[15]
        src/main/kotlin/Cart.kt Cart.total -> src/main/kotlin/Cart.kt Item.price @[9, 10]
        src/main/kotlin/Cart.kt Cart.total -> src/main/kotlin/Log.kt Log.put @[11]
        src/main/kotlin/Cart.kt Cart.total -> src/main/kotlin/Log.kt helper @[8]
        src/main/kotlin/Cart.kt Cart.twice -> src/main/kotlin/Cart.kt Cart.total @[24]
        src/main/kotlin/Main.kt main -> src/main/kotlin/Cart.kt Cart @[4]
        src/main/kotlin/Main.kt main -> src/main/kotlin/Cart.kt Cart.twice @[5]
        src/test/kotlin/CartTest.kt CartTest.totals -> src/main/kotlin/Cart.kt Cart @[5]
        src/test/kotlin/CartTest.kt CartTest.totals -> src/main/kotlin/Cart.kt Cart.total @[5]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        class::src/main/kotlin/Cart.kt::Base 21-23 `open class Base(n: Int)`
        class::src/main/kotlin/Cart.kt::Cart 5-17 `class Cart(val limit: Int, private val best: Item) : Base(limit), Item` | A cart.
        class::src/main/kotlin/Log.kt::Log 2-4 `object Log`
        class::src/test/kotlin/CartTest.kt::CartTest 2-7 `class CartTest`
        function::src/main/kotlin/Log.kt::helper 5-5 `fun helper()`
        function::src/main/kotlin/Main.kt::main 3-6 `fun main()` (entry)
        interface::src/main/kotlin/Cart.kt::Item 18-20 `interface Item`
        method::src/main/kotlin/Cart.kt::Base.save 22-22 `fun save()`
        method::src/main/kotlin/Cart.kt::Cart.price 6-6 `override fun price(): Int`
        method::src/main/kotlin/Cart.kt::Cart.total 7-16 `fun total(item: Item): Int`
        method::src/main/kotlin/Cart.kt::Cart.twice 24-24 `fun Cart.twice()`
        method::src/main/kotlin/Cart.kt::Item.price 19-19 `fun price(): Int`
        method::src/main/kotlin/Log.kt::Log.put 3-3 `fun put(text: String)`
        test::src/test/kotlin/CartTest.kt::CartTest.totals 3-6 `fun totals()` (entry)
    "#]].assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        src/main/kotlin/Cart.kt Cart implements -> src/main/kotlin/Cart.kt Item @[5]
        src/main/kotlin/Cart.kt Cart inherits -> src/main/kotlin/Cart.kt Base @[5]
        src/main/kotlin/Cart.kt imports -> src/main/kotlin/Log.kt @[2, 3]
        src/main/kotlin/Cart.kt imports -> src/main/kotlin/Log.kt Log @[2]
        src/main/kotlin/Cart.kt imports -> src/main/kotlin/Log.kt helper @[3]
        src/main/kotlin/Main.kt imports -> src/main/kotlin/Cart.kt @[2]
        src/main/kotlin/Main.kt imports -> src/main/kotlin/Cart.kt Cart @[2]
        src/test/kotlin/CartTest.kt CartTest.totals tests -> src/main/kotlin/Cart.kt Cart @[5]
        src/test/kotlin/CartTest.kt CartTest.totals tests -> src/main/kotlin/Cart.kt Cart.total @[5]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn functions_for_types_of_others_are_seen_by_import_and_package() {
    let found = testing::calls(
        r#"
//- src/Text.kt
package shop.text
fun String.shout(): String = this
fun String.size(): Int = 1
fun Int.twice(): Int = 1
fun local(s: String) { s.shout() }
//- src/Same.kt
package shop.text
fun same(s: String, x: External) {
  s.shout()
  "x".shout()
  "x".twice()
  x.load().shout()
  s.size()
}
//- src/Named.kt
package shop.main
import shop.text.shout
fun named(s: String) { s.shout() }
//- src/Called.kt
package shop.main
import shop.text.shout as cry
fun called(s: String?) { s?.cry() }
//- src/Whole.kt
package shop.main
import shop.text.*
fun whole(s: String) { s.shout() }
//- src/Unseen.kt
package shop.main
fun unseen(s: String) { s.shout() }
fun guessed() { unknown.shout() }
"#,
    );
    expect![[r#"
        src/Called.kt called -> src/Text.kt String.shout @[3]
        src/Named.kt named -> src/Text.kt String.shout @[3]
        src/Same.kt same -> src/Text.kt String.shout @[3, 4, 6 ?2]
        src/Text.kt local -> src/Text.kt String.shout @[5]
        src/Unseen.kt guessed -> src/Text.kt String.shout @[3] ?1
        src/Whole.kt whole -> src/Text.kt String.shout @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn functions_for_types_of_others_are_called_on_this_and_imported_from_companions() {
    let found = testing::calls(
        r#"
//- src/Text.kt
package shop.text
fun String.shout(): String = this
class Bytes {
  companion object {
    fun String.toBytes(): Bytes = Bytes()
  }
}
//- src/Main.kt
package shop.main
import shop.text.shout
import shop.text.Bytes.Companion.toBytes
fun String.loud() = shout()
fun read(s: String) { s.toBytes() }
"#,
    );
    expect![[r#"
        src/Main.kt String.loud -> src/Text.kt String.shout @[4]
        src/Main.kt read -> src/Text.kt Bytes.String.toBytes @[5]
        src/Text.kt Bytes.String.toBytes -> src/Text.kt Bytes @[5]
    "#]]
    .assert_eq(&found);
}

#[test]
fn words_that_are_keywords_elsewhere_may_be_names() {
    let found = testing::definitions(
        r#"
//- Settings.kt
package http
class Settings {
  private var set: Int = 0
  var limit: Int
    @Synchronized get() = field

    @Synchronized set(value) {
      field = value
    }
  fun isSet(bit: Int): Boolean {
    val open: Boolean
    open = set and bit != 0
    return if (!open) false else guard.apply { open(bit) }
  }
  operator fun set(id: Int, value: Int) { set = set or id }
}
class Adapter
  @RequiresApi(37)
  internal constructor() : Base {
    override fun matches(): Boolean = true
  }
"#,
    );
    expect![[r#"
        class::Settings.kt::Adapter 17-21 `class Adapter @RequiresApi(37) internal constructor() : Base`
        class::Settings.kt::Settings 2-16 `class Settings`
        method::Settings.kt::Adapter.matches 20-20 `override fun matches(): Boolean`
        method::Settings.kt::Settings.isSet 10-14 `fun isSet(bit: Int): Boolean`
        method::Settings.kt::Settings.limit 4-9 `var limit: Int @Synchronized`
        method::Settings.kt::Settings.set 15-15 `operator fun set(id: Int, value: Int)`
    "#]]
    .assert_eq(&found);
}

#[test]
fn classes_on_one_line_hold_their_members() {
    let found = testing::definitions(
        r#"
//- shop.kt
package shop
data class P(val x: Int) { fun dist() = helper(x) }
class One { fun a() = 1; fun b() = a() }
sealed class R { class Ok : R(); class Bad(val e: String) : R() }
object Single { fun run() { One().b() } fun more() {} }
class K { companion object { fun make() = K() } }
fun interface F { fun call() }
fun helper(n: Int) = n
"#,
    );
    expect![[r#"
        class::shop.kt::K 6-6 `class K`
        class::shop.kt::One 3-3 `class One`
        class::shop.kt::P 2-2 `data class P(val x: Int)`
        class::shop.kt::R 4-4 `sealed class R`
        class::shop.kt::R.Bad 4-4 `class Bad(val e: String) : R()`
        class::shop.kt::R.Ok 4-4 `class Ok : R()`
        class::shop.kt::Single 5-5 `object Single`
        function::shop.kt::helper 8-8 `fun helper(n: Int)`
        interface::shop.kt::F 7-7 `fun interface F`
        method::shop.kt::F.call 7-7 `fun call()`
        method::shop.kt::K.make 6-6 `fun make()`
        method::shop.kt::One.a 3-3 `fun a()`
        method::shop.kt::One.b 3-3 `fun b()`
        method::shop.kt::P.dist 2-2 `fun dist()`
        method::shop.kt::Single.more 5-5 `fun more()`
        method::shop.kt::Single.run 5-5 `fun run()`
    "#]]
    .assert_eq(&found);
}

#[test]
fn constants_aliases_and_further_constructors_are_definitions() {
    let fixture = r#"
//- A.kt
package p
typealias Name = B
const val MAX = 3
class B(val n: Int) {
  constructor(s: String) : this(s.length) { help() }
  constructor(s: String, t: String) : this(s)
  fun help() {}
  companion object { const val LOW = 1 }
}
fun use(s: String, n: Int) { B(1); B("x"); B(s); B(s, s); B(n); Name(1).help() }
"#;
    expect![[r#"
        class::A.kt::B 4-9 `class B(val n: Int)`
        constant::A.kt::B.LOW 8-8 `const val LOW = 1`
        constant::A.kt::MAX 3-3 `const val MAX = 3`
        function::A.kt::use 10-10 `fun use(s: String, n: Int)`
        method::A.kt::B.constructor 5-5 `constructor(s: String) : this(s.length)`
        method::A.kt::B.constructor#2 6-6 `constructor(s: String, t: String) : this(s)`
        method::A.kt::B.help 7-7 `fun help()`
        type::A.kt::Name 2-2 `typealias Name = B`
    "#]]
    .assert_eq(&testing::definitions(fixture));
    expect![[r#"
        A.kt B.constructor -> A.kt B.help @[5]
        A.kt B.constructor#2 -> A.kt B.constructor @[6]
        A.kt use -> A.kt B @[10]
        A.kt use -> A.kt B.constructor @[10]
        A.kt use -> A.kt B.constructor#2 @[10]
        A.kt use -> A.kt B.help @[10]
    "#]]
    .assert_eq(&testing::calls(fixture));
}

#[test]
fn a_call_after_an_operator_is_a_call() {
    let found = testing::calls(
        r#"
//- a.kt
class M {
  fun m(): Boolean = true
  fun n() {
    if (!m()) return
    if (!this.m()) return
  }
}
fun ready(): Boolean = true
fun count(): Int = 1
fun go(m: M) {
  if (!ready()) return
  check(!ready())
  val x = -count()
  ++count()
  val y = !m.m()
}
"#,
    );
    assert_eq!(
        found,
        "a.kt M.n -> a.kt M.m @[4, 5]\n\
         a.kt go -> a.kt M.m @[15]\n\
         a.kt go -> a.kt count @[13, 14]\n\
         a.kt go -> a.kt ready @[11, 12]\n"
    );
}

#[test]
fn a_function_of_an_object_without_a_name_implements_that_of_its_base() {
    let found = testing::imports_and_bases(
        r#"
//- F.kt
package f
interface Filter { fun check(x: Int): Boolean }
open class Base { open fun step() {} }
class F {
  val all = object : Filter { override fun check(x: Int): Boolean = true }
  fun make() = object : Base() { override fun step() {} }
}
"#,
    );
    expect![[r#"
        F.kt F.$Filter implements -> F.kt Filter @[5]
        F.kt F.$Filter.check implements -> F.kt Filter.check @[5]
        F.kt F.make.$Base inherits -> F.kt Base @[6]
        F.kt F.make.$Base.step implements -> F.kt Base.step @[6]
    "#]]
    .assert_eq(&found);
}

#[test]
fn objects_without_a_name_that_extend_the_same_are_told_apart() {
    let fixture = r#"
//- F.kt
package f
open class Base { open fun step() {} }
class F {
  val one = object : Base() { override fun step() {} fun first() {} }
  val two = object : Base() { override fun step() {} fun second() { step() } }
  fun make() = object : Base() { override fun step() {} }
}
"#;
    expect![[r#"
        class::F.kt::Base 2-2 `open class Base`
        class::F.kt::F 3-7 `class F`
        class::F.kt::F.$Base 4-4 `object : Base()`
        class::F.kt::F.$Base#2 5-5 `object : Base()`
        class::F.kt::F.make.$Base 6-6 `object : Base()`
        method::F.kt::Base.step 2-2 `open fun step()`
        method::F.kt::F.$Base#2.second 5-5 `fun second()`
        method::F.kt::F.$Base#2.step 5-5 `override fun step()`
        method::F.kt::F.$Base.first 4-4 `fun first()`
        method::F.kt::F.$Base.step 4-4 `override fun step()`
        method::F.kt::F.make 6-6 `fun make()`
        method::F.kt::F.make.$Base.step 6-6 `override fun step()`
    "#]]
    .assert_eq(&testing::definitions(fixture));
    expect![[r#"
        F.kt F.$Base#2.second -> F.kt F.$Base#2.step @[5]
    "#]]
    .assert_eq(&testing::calls(fixture));
    let graph = testing::graph(fixture);
    let found = graph.find_node("F.$Base#2.second").map(|ix| graph.node(ix).id());
    assert_eq!(found, Ok("method::F.kt::F.$Base#2.second"));
}
