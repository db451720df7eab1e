//! What is read from Elixir, and what it resolves to: text in, text out.

use expect_test::expect;

use m1nd_graph::EdgeKind;

use crate::testing;

const SHOP: &str = r#"
//- lib/shop/util.ex
defmodule Shop.Util do
  def write_line(text), do: text
end
//- lib/shop/cart.ex
defmodule Shop.Cart do
  @moduledoc "A cart."
  alias Shop.Util
  import Shop.Helpers

  @doc "Totals."
  def total(item, n) when is_list(item) do
    helper(item)
    Util.write_line("x")
    Shop.Util.write_line("y")
    item |> assist()
    Enum.map(item, &helper/1)
  end

  defp helper(x), do: x
end
defmodule Shop.Helpers do
  def assist(x), do: x
end
//- test/cart_test.exs
defmodule Shop.CartTest do
  use ExUnit.Case
  alias Shop.Cart
  test "totals" do
    assert Cart.total([], 1) == 1
  end
end
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        lib/shop/cart.ex Shop.Cart.total -> lib/shop/cart.ex Shop.Cart.helper @[8]
        lib/shop/cart.ex Shop.Cart.total -> lib/shop/cart.ex Shop.Helpers.assist @[11]
        lib/shop/cart.ex Shop.Cart.total -> lib/shop/util.ex Shop.Util.write_line @[9, 10]
        test/cart_test.exs Shop.CartTest.totals -> lib/shop/cart.ex Shop.Cart.total @[5]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        method::lib/shop/cart.ex::Shop.Cart.helper 15-15 `defp helper(x)`
        method::lib/shop/cart.ex::Shop.Cart.total 7-13 `def total(item, n) when is_list(item)` | Totals.
        method::lib/shop/cart.ex::Shop.Helpers.assist 18-18 `def assist(x)`
        method::lib/shop/util.ex::Shop.Util.write_line 2-2 `def write_line(text)`
        module::lib/shop/cart.ex::Shop.Cart 1-16 `defmodule Shop.Cart`
        module::lib/shop/cart.ex::Shop.Helpers 17-19 `defmodule Shop.Helpers`
        module::lib/shop/util.ex::Shop.Util 1-3 `defmodule Shop.Util`
        module::test/cart_test.exs::Shop.CartTest 1-7 `defmodule Shop.CartTest`
        test::test/cart_test.exs::Shop.CartTest.totals 4-6 `test "totals"` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        lib/shop/cart.ex imports -> lib/shop/cart.ex Shop.Helpers @[4]
        lib/shop/cart.ex imports -> lib/shop/util.ex @[3]
        lib/shop/cart.ex imports -> lib/shop/util.ex Shop.Util @[3]
        test/cart_test.exs Shop.CartTest.totals tests -> lib/shop/cart.ex Shop.Cart.total @[5]
        test/cart_test.exs imports -> lib/shop/cart.ex @[3]
        test/cart_test.exs imports -> lib/shop/cart.ex Shop.Cart @[3]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn a_function_named_with_what_it_takes_is_handed_on() {
    let fixture = r#"
//- a.ex
defmodule Shop do
  defstruct [:a, :b]
  def run(list) do
    Enum.map(list, &one/1)
    Enum.map(list, &Shop.two/2)
    Enum.map(list, &three(&1))
  end
  def one(x), do: x
  def one(x, y), do: x + y
  def two(x, y), do: x / 2
  def three(x), do: x
end
"#;
    expect![[r#"
        constant::a.ex::Shop.defstruct 2-2 `defstruct [:a, :b]`
        method::a.ex::Shop.one 8-8 `def one(x)`
        method::a.ex::Shop.one#2 9-9 `def one(x, y)`
        method::a.ex::Shop.run 3-7 `def run(list)`
        method::a.ex::Shop.three 11-11 `def three(x)`
        method::a.ex::Shop.two 10-10 `def two(x, y)`
        module::a.ex::Shop 1-12 `defmodule Shop`
    "#]]
    .assert_eq(&testing::definitions(fixture));
    let graph = testing::graph(fixture);
    expect![[r#"
        a.ex Shop.run calls -> a.ex Shop.three @[6]
        a.ex Shop.run references -> a.ex Shop.one @[4]
        a.ex Shop.run references -> a.ex Shop.two @[5]
    "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::Calls, EdgeKind::References]));
}

#[test]
fn a_module_of_another_module_needs_an_alias() {
    let found = testing::calls(
        r#"
//- lib/my.ex
defmodule My.Logger do
  def info(x), do: x
end
defmodule My do
  defmodule Map do
    def get(a, b), do: a
  end
  def own(x), do: Map.get(x, 1)
end
//- lib/a.ex
defmodule A do
  def a(x), do: Map.get(x, :a)
  def c(x), do: Logger.info(x)
end
//- lib/b.ex
defmodule B do
  alias My.{Logger, Map}
  def b(x), do: Logger.info(Map.get(x, :a))
end
//- lib/c.ex
defmodule C do
  alias My.Logger, as: Log
  def c(x), do: Log.info(x)
end
"#,
    );
    expect![[r#"
        lib/b.ex B.b -> lib/my.ex My.Logger.info @[3]
        lib/b.ex B.b -> lib/my.ex My.Map.get @[3]
        lib/c.ex C.c -> lib/my.ex My.Logger.info @[3]
        lib/my.ex My.own -> lib/my.ex My.Map.get @[8]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_module_calls_itself_by_its_own_word() {
    let found = testing::calls(
        r#"
//- a.ex
defmodule A.B do
  def y(x), do: __MODULE__.z(x)
  def z(x), do: x
  def w(x), do: x |> __MODULE__.z()
  def v, do: &__MODULE__.z/1
  def u, do: __MODULE__.C.q()
  defmodule C do
    def q, do: 1
  end
end
"#,
    );
    expect![[r#"
        a.ex A.B.u -> a.ex A.B.C.q @[6]
        a.ex A.B.w -> a.ex A.B.z @[4]
        a.ex A.B.y -> a.ex A.B.z @[2]
    "#]]
    .assert_eq(&found);
}

#[test]
fn an_alias_may_start_at_the_module_itself() {
    let found = testing::calls(
        r#"
//- a.ex
defmodule A.B do
  alias __MODULE__.C
  def run, do: C.q()
  defmodule C do
    def q, do: 1
  end
end
"#,
    );
    expect![[r#"
        a.ex A.B.run -> a.ex A.B.C.q @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_field_of_a_value_is_no_call() {
    let found = testing::calls(
        r#"
//- a.ex
defmodule A do
  def run(conn), do: conn.weigh_parts
  def go(mod), do: B.weigh_parts
end
defmodule B do
  def weigh_parts, do: 1
end
"#,
    );
    expect![[r#"
        a.ex A.go -> a.ex B.weigh_parts @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_local_does_not_hide_a_function() {
    let found = testing::calls(
        r#"
//- a.ex
defmodule A do
  def run(token) do
    case token(token) do
      x -> x
    end
  end
  def token(x), do: x
end
"#,
    );
    expect![[r#"
        a.ex A.run -> a.ex A.token @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn the_title_of_a_test_is_no_name_to_call() {
    let found = testing::calls(
        r#"
//- lib/shop.ex
defmodule Shop do
  def total(x), do: x
end
//- test/shop_test.exs
defmodule ShopTest do
  import Shop
  test "total" do
    total(1)
    helper(1)
    alone()
  end
  test "helper" do
    :ok
  end
  test "alone" do
    :ok
  end
  defp helper(x), do: x
end
"#,
    );
    assert_eq!(
        found,
        "test/shop_test.exs ShopTest.total -> lib/shop.ex Shop.total @[4]\n\
         test/shop_test.exs ShopTest.total -> test/shop_test.exs ShopTest.helper @[5]\n"
    );
}
