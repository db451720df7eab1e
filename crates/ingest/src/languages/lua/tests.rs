//! What is read from Lua, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- src/shop/util.lua
local util = {}
-- Logs.
function util.write_line(text) print(text) end
return util
//- src/shop/cart.lua
local util = require("shop.util")
local Cart = {}
local function helper() return 1 end
function Cart.total(item)
  helper()
  util.write_line("x")
  Cart.prepare()
  item:unusual_price()
  print("x")
end
function Cart:unusual_price() return self:other() end
function Cart:other() return 1 end
Cart.prepare = function() return 1 end
return Cart
//- spec/cart_spec.lua
local cart = require("shop.cart")
describe("cart", function()
  it("totals", function()
    cart.total(1)
  end)
end)
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        spec/cart_spec.lua totals -> src/shop/cart.lua total @[4]
        src/shop/cart.lua total -> src/shop/cart.lua helper @[5]
        src/shop/cart.lua total -> src/shop/cart.lua prepare @[7]
        src/shop/cart.lua total -> src/shop/cart.lua unusual_price @[8] ?1
        src/shop/cart.lua total -> src/shop/util.lua write_line @[6]
        src/shop/cart.lua unusual_price -> src/shop/cart.lua other @[11]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        function::src/shop/cart.lua::helper 3-3 `local function helper()`
        function::src/shop/cart.lua::prepare 13-13 `Cart.prepare = function()`
        function::src/shop/cart.lua::total 4-10 `function Cart.total(item)`
        function::src/shop/util.lua::write_line 3-3 `function util.write_line(text)` | Logs.
        method::src/shop/cart.lua::other 12-12 `function Cart:other()`
        method::src/shop/cart.lua::unusual_price 11-11 `function Cart:unusual_price()`
        test::spec/cart_spec.lua::totals 3-5 `it("totals"` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        spec/cart_spec.lua imports -> src/shop/cart.lua @[1]
        spec/cart_spec.lua totals tests -> src/shop/cart.lua total @[4]
        src/shop/cart.lua imports -> src/shop/util.lua @[1]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}
