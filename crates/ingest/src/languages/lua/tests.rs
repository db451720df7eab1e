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

#[test]
fn a_value_has_what_its_table_has() {
    let found = testing::calls(
        r#"
//- a.lua
local O = {}
O.__index = O
function O.new() local self = setmetatable({}, O); return self end
function O:run() self:step() end
function O:step() end
local o = O.new()
o:run()
local function go() local p = O.new(); p:run(); O.run(p) end
return O
//- b.lua
local O = require("a")
local o = O.new()
o:run()
local function go(x) local p = O.new(); p:step(); x:run() end
"#,
    );
    expect![[r#"
        a.lua -> a.lua new @[6]
        a.lua -> a.lua run @[7]
        a.lua go -> a.lua new @[8]
        a.lua go -> a.lua run @[8]
        a.lua run -> a.lua step @[4]
        b.lua -> a.lua new @[2]
        b.lua -> a.lua run @[3]
        b.lua go -> a.lua new @[4]
        b.lua go -> a.lua step @[4]
    "#]]
    .assert_eq(&found);
}

#[test]
fn several_names_are_given_their_values() {
    let found = testing::calls(
        r#"
//- tablex.lua
local tablex = {}
function tablex.copy(t) end
function tablex.find(t) end
return tablex
//- main.lua
local tablex = require("tablex")
local copy, find = tablex.copy, tablex.find
local function go() copy(1); find(2) end
"#,
    );
    expect![[r#"
        main.lua go -> tablex.lua copy @[3]
        main.lua go -> tablex.lua find @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn each_side_of_a_condition_may_have_its_own_function() {
    let found = testing::calls(
        r#"
//- other.lua
local M = {}
function M.build(a) end
function M.get(a) end
return M
//- cmd.lua
local other = require("other")
local M = {}
function M.run(cfg, name)
  local build
  if cfg.win then build = function(a) return 1 end
  else build = function(a) return 2 end end
  return build(name)
end
function M.mixed(cfg)
  local build
  if cfg.win then build = other.build
  else build = function(a) return 2 end end
  return build(cfg)
end
function M.given(proto)
  if not proto then proto = other end
  proto.get(1)
end
function M.or_else(proto)
  local found = proto or other
  found.get(1)
end
function M.once(cfg)
  local found
  if cfg then found = other end
  found.get(1)
end
return M
"#,
    );
    expect![[r#"
        cmd.lua given -> other.lua get @[17] ?2
        cmd.lua mixed -> cmd.lua mixed.build @[13] ?2
        cmd.lua mixed -> other.lua build @[13] ?2
        cmd.lua once -> other.lua get @[26]
        cmd.lua or_else -> other.lua get @[21] ?2
        cmd.lua run -> cmd.lua run.build @[7] ?2
        cmd.lua run -> cmd.lua run.build#2 @[7] ?2
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_library_may_be_kept_in_the_project() {
    let found = testing::calls(
        r#"
//- src/cmd.lua
local argparse = require("argparse")
local M = {}
function M.run(cfg)
  local parser = argparse("x"):add_help_command()
  local args = parser:parse({})
end
return M
//- vendor/argparse.lua
local Parser = {}
function Parser:add_help_command() return self end
function Parser:parse(a) return a end
return setmetatable({}, {__call = function(_, n) return setmetatable({}, {__index = Parser}) end})
"#,
    );
    expect![[r#"
        src/cmd.lua run -> vendor/argparse.lua add_help_command @[4] ?1
        src/cmd.lua run -> vendor/argparse.lua parse @[5] ?1
    "#]]
    .assert_eq(&found);
}
