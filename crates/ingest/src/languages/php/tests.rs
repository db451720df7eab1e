//! What is read from PHP, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- src/Util/Log.php
<?php
namespace Shop\Util;
class Log { public static function put(string $s): void {} public function depth(): int { return 1; } }
function helper() { return 1; }
//- src/Core/Cart.php
<?php
namespace Shop\Core;
use Shop\Util\Log;
use function Shop\Util\helper;
/** A cart. */
class Cart extends Base implements Item {
  use Counts;
  const LIMIT = 3;
  private Log $log;
  public function __construct(int $n) {}
  public function price(): int { return 1; }
  public function total(Item $item): int {
    helper();
    strlen("x");
    $item->price();
    $this->log->depth();
    Log::put("x");
    $this->tally();
    self::build2();
    $other = new Cart(1);
    return $other->total($item);
  }
  public static function build2() { return new self(1); }
}
interface Item { public function price(): int; }
trait Counts { public function tally() {} }
class Base {}
//- tests/CartTest.php
<?php
use Shop\Core\Cart;
class CartTest extends TestCase {
  public function testTotals() { $cart = new Cart(1); $cart->total(null); }
}
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        src/Core/Cart.php Cart.build2 -> src/Core/Cart.php Cart @[23]
        src/Core/Cart.php Cart.build2 -> src/Core/Cart.php Cart.__construct @[23]
        src/Core/Cart.php Cart.total -> src/Core/Cart.php Cart @[20]
        src/Core/Cart.php Cart.total -> src/Core/Cart.php Cart.__construct @[20]
        src/Core/Cart.php Cart.total -> src/Core/Cart.php Cart.build2 @[19]
        src/Core/Cart.php Cart.total -> src/Core/Cart.php Cart.total @[21]
        src/Core/Cart.php Cart.total -> src/Core/Cart.php Counts.tally @[18]
        src/Core/Cart.php Cart.total -> src/Core/Cart.php Item.price @[15]
        src/Core/Cart.php Cart.total -> src/Util/Log.php Log.depth @[16]
        src/Core/Cart.php Cart.total -> src/Util/Log.php Log.put @[17]
        src/Core/Cart.php Cart.total -> src/Util/Log.php helper @[13]
        tests/CartTest.php CartTest.testTotals -> src/Core/Cart.php Cart @[4]
        tests/CartTest.php CartTest.testTotals -> src/Core/Cart.php Cart.__construct @[4]
        tests/CartTest.php CartTest.testTotals -> src/Core/Cart.php Cart.total @[4]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        class::src/Core/Cart.php::Base 27-27 `class Base`
        class::src/Core/Cart.php::Cart 6-24 `class Cart extends Base implements Item` | A cart.
        class::src/Util/Log.php::Log 3-3 `class Log`
        class::tests/CartTest.php::CartTest 3-5 `class CartTest extends TestCase`
        constant::src/Core/Cart.php::Cart.LIMIT 8-8 `LIMIT = 3`
        function::src/Util/Log.php::helper 4-4 `function helper()`
        interface::src/Core/Cart.php::Item 25-25 `interface Item`
        method::src/Core/Cart.php::Cart.__construct 10-10 `public function __construct(int $n)`
        method::src/Core/Cart.php::Cart.build2 23-23 `public static function build2()`
        method::src/Core/Cart.php::Cart.price 11-11 `public function price(): int`
        method::src/Core/Cart.php::Cart.total 12-22 `public function total(Item $item): int`
        method::src/Core/Cart.php::Counts.tally 26-26 `public function tally()`
        method::src/Core/Cart.php::Item.price 25-25 `public function price(): int`
        method::src/Util/Log.php::Log.depth 3-3 `public function depth(): int`
        method::src/Util/Log.php::Log.put 3-3 `public static function put(string $s): void`
        test::tests/CartTest.php::CartTest.testTotals 4-4 `public function testTotals()` (entry)
        trait::src/Core/Cart.php::Counts 26-26 `trait Counts`
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        src/Core/Cart.php Cart implements -> src/Core/Cart.php Counts @[6]
        src/Core/Cart.php Cart implements -> src/Core/Cart.php Item @[6]
        src/Core/Cart.php Cart inherits -> src/Core/Cart.php Base @[6]
        src/Core/Cart.php imports -> src/Util/Log.php @[3, 4]
        src/Core/Cart.php imports -> src/Util/Log.php Log @[3]
        src/Core/Cart.php imports -> src/Util/Log.php helper @[4]
        tests/CartTest.php CartTest.testTotals tests -> src/Core/Cart.php Cart @[4]
        tests/CartTest.php CartTest.testTotals tests -> src/Core/Cart.php Cart.__construct @[4]
        tests/CartTest.php CartTest.testTotals tests -> src/Core/Cart.php Cart.total @[4]
        tests/CartTest.php imports -> src/Core/Cart.php @[2]
        tests/CartTest.php imports -> src/Core/Cart.php Cart @[2]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn a_function_of_no_namespace_is_called_from_every_namespace() {
    let found = testing::calls(
        r#"
//- src/plain.php
<?php
function plain($n) { return $n; }
function both() {}
//- src/App.php
<?php
namespace App;
function both() {}
class Runner {
  public function plain() {}
  public function run() {
    plain(2);
    \plain(3);
    both();
    \both();
    strlen("x");
  }
}
//- src/Block.php
<?php
namespace App\Deep {
  function go() { plain(1); both(); }
}
"#,
    );
    expect![[r#"
        src/App.php Runner.run -> src/App.php both @[9]
        src/App.php Runner.run -> src/plain.php both @[10]
        src/App.php Runner.run -> src/plain.php plain @[7, 8]
        src/Block.php App.Deep.go -> src/plain.php both @[3]
        src/Block.php App.Deep.go -> src/plain.php plain @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_name_of_ours_is_never_vouched_for_as_external() {
    let fixture = r#"
//- src/other.php
<?php
namespace Other;
function far() {}
//- src/App.php
<?php
namespace App;
function run() { far(); strlen("x"); }
"#;
    let (facts, manifests) = testing::facts(fixture);
    let links = crate::resolve(&facts.iter().collect::<Vec<_>>(), &manifests);
    assert_eq!((links[0].unresolved, links[0].external), (1, 1));
}
