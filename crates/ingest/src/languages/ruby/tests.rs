//! What is read from Ruby, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- lib/shop/util.rb
module Shop
  class Util
    def self.write(text); end
  end
end
//- lib/shop/cart.rb
require_relative 'util'
module Shop
  # A cart.
  class Cart < Base
    LIMIT = 3
    def initialize(n)
      @n = n
    end
    def total(item)
      helper
      other = Cart.new(1)
      other.total(item)
      Util.write "x"
      self.prepare(1)
      puts "x"
      item.unusual_price
    end
    def self.prepare_all(x) = new(x)
    def prepare(n); end
    private
    def helper; end
  end
  class Base
    def unusual_price; end
  end
end
//- spec/cart_spec.rb
require 'shop/cart'
describe Shop::Cart do
  it "totals" do
    Shop::Cart.new(1).total(2)
  end
end
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/cart.rb Shop.Base.unusual_price @[16] ?1
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/cart.rb Shop.Cart @[11]
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/cart.rb Shop.Cart.helper @[10]
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/cart.rb Shop.Cart.initialize @[11]
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/cart.rb Shop.Cart.prepare @[14]
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/cart.rb Shop.Cart.total @[12]
        lib/shop/cart.rb Shop.Cart.total -> lib/shop/util.rb Shop.Util.write @[13]
        spec/cart_spec.rb totals -> lib/shop/cart.rb Shop.Cart @[4]
        spec/cart_spec.rb totals -> lib/shop/cart.rb Shop.Cart.initialize @[4]
        spec/cart_spec.rb totals -> lib/shop/cart.rb Shop.Cart.total @[4]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        class::lib/shop/cart.rb::Shop.Base 23-25 `class Base`
        class::lib/shop/cart.rb::Shop.Cart 4-22 `class Cart < Base` | A cart.
        class::lib/shop/util.rb::Shop.Util 2-4 `class Util`
        constant::lib/shop/cart.rb::Shop.Cart.LIMIT 5-5 `LIMIT = 3`
        method::lib/shop/cart.rb::Shop.Base.unusual_price 24-24 `def unusual_price`
        method::lib/shop/cart.rb::Shop.Cart.helper 21-21 `def helper`
        method::lib/shop/cart.rb::Shop.Cart.initialize 6-8 `def initialize(n)`
        method::lib/shop/cart.rb::Shop.Cart.prepare 19-19 `def prepare(n)`
        method::lib/shop/cart.rb::Shop.Cart.prepare_all 18-18 `def self.prepare_all(x)`
        method::lib/shop/cart.rb::Shop.Cart.total 9-17 `def total(item)`
        method::lib/shop/util.rb::Shop.Util.write 3-3 `def self.write(text)`
        module::lib/shop/cart.rb::Shop 2-26 `module Shop`
        module::lib/shop/util.rb::Shop 1-5 `module Shop`
        test::spec/cart_spec.rb::totals 3-5 `it "totals"` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        lib/shop/cart.rb Shop.Cart inherits -> lib/shop/cart.rb Shop.Base @[4]
        lib/shop/cart.rb imports -> lib/shop/util.rb @[1]
        spec/cart_spec.rb imports -> lib/shop/cart.rb @[1]
        spec/cart_spec.rb totals tests -> lib/shop/cart.rb Shop.Cart @[4]
        spec/cart_spec.rb totals tests -> lib/shop/cart.rb Shop.Cart.initialize @[4]
        spec/cart_spec.rb totals tests -> lib/shop/cart.rb Shop.Cart.total @[4]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn super_is_the_method_of_the_same_name_above() {
    expect![[r#"
        a.rb Dog.initialize -> a.rb Base.initialize @[20]
        a.rb Dog.rest -> a.rb Base.rest @[23]
        a.rb main -> a.rb Base @[30]
        a.rb main -> a.rb Base.initialize @[30]
        a.rb main -> a.rb Dog.initialize @[29]
        a.rb main -> a.rb Pup @[29]
    "#]]
    .assert_eq(&testing::calls(
        r#"
//- a.rb
module Loud
  def speak
    super
  end
end
class Base
  def initialize(name)
    @name = name
  end
  def speak(x)
    x
  end
  def rest
    {}
  end
end
class Dog < Base
  include Loud
  def initialize
    super("dog")
  end
  def rest
    super.merge(a: 1)
  end
end
class Pup < Dog
end
def main
  Pup.new
  Base.new("x")
end
"#,
    ));
}

#[test]
fn methods_may_be_made_by_calls() {
    let fixture = r#"
//- a.rb
class Foo
  attr_reader :z, :y
  attr_accessor(:w)
  attr_writer :v
  define_method(:made) do |x|
    help
  end
  def help
    z
  end
  def use(o)
    Foo.new.w
    Foo.new.made(1)
    puts :sym
  end
end
"#;
    expect![[r#"
        class::a.rb::Foo 1-16 `class Foo`
        method::a.rb::Foo.help 8-10 `def help`
        method::a.rb::Foo.made 5-7 `define_method(:made)`
        method::a.rb::Foo.use 11-15 `def use(o)`
        method::a.rb::Foo.v= 4-4 `attr_writer :v`
        method::a.rb::Foo.w 3-3 `attr_accessor :w`
        method::a.rb::Foo.y 2-2 `attr_reader :y`
        method::a.rb::Foo.z 2-2 `attr_reader :z`
    "#]]
    .assert_eq(&testing::definitions(fixture));
    expect![[r#"
        a.rb Foo.help -> a.rb Foo.z @[9]
        a.rb Foo.made -> a.rb Foo.help @[6]
        a.rb Foo.use -> a.rb Foo @[12, 13]
        a.rb Foo.use -> a.rb Foo.made @[13]
        a.rb Foo.use -> a.rb Foo.w @[12]
    "#]]
    .assert_eq(&testing::calls(fixture));
}

#[test]
fn a_constant_of_a_module_that_is_not_around_is_the_librarys() {
    let found = testing::calls(
        r#"
//- lib/my.rb
module My
  class Logger
    def initialize(x); end
    def info(x); end
  end
  module JSON
    def self.parse(x); end
  end
  class Own
    def go
      Logger.new(1).info("x")
    end
  end
  module Helped
    class Inner
      def work; end
    end
  end
end
class My::Beside
  def go
    Logger.new(1).info("x")
  end
end
//- lib/app.rb
require "logger"
class App
  include My::Helped
  def go
    l = Logger.new(STDOUT)
    l.info("x")
    JSON.parse("{}")
    Inner.new.work
    My::Logger.new(1)
  end
end
//- lib/script.rb
include My
def run
  JSON.parse("{}")
end
"#,
    );
    expect![[r#"
        lib/app.rb App.go -> lib/my.rb My.Helped.Inner @[8]
        lib/app.rb App.go -> lib/my.rb My.Helped.Inner.work @[8]
        lib/app.rb App.go -> lib/my.rb My.Logger @[9]
        lib/app.rb App.go -> lib/my.rb My.Logger.initialize @[9]
        lib/my.rb My.Own.go -> lib/my.rb My.Logger @[11]
        lib/my.rb My.Own.go -> lib/my.rb My.Logger.info @[11]
        lib/my.rb My.Own.go -> lib/my.rb My.Logger.initialize @[11]
        lib/script.rb run -> lib/my.rb My.JSON.parse @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_local_hides_a_method_only_without_arguments() {
    let found = testing::calls(
        r#"
//- a.rb
class A
  def one(x); end
  def two; end
  def run
    one = 1
    two = 2
    one(3)
    two
  end
end
"#,
    );
    expect![[r#"
        a.rb A.run -> a.rb A.one @[7]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_method_in_a_block_is_seen_by_its_file_alone() {
    let found = testing::calls(
        r#"
//- spec/one_spec.rb
RSpec.describe "one" do
  def use(x)
    x
  end
  it "uses" do
    use(1)
  end
end
//- spec/two_spec.rb
RSpec.describe "two" do
  it "uses" do
    use(1)
  end
end
"#,
    );
    assert_eq!(found, "spec/one_spec.rb uses -> spec/one_spec.rb use @[6]\n");
}

#[test]
fn what_a_module_calls_may_be_of_another_that_is_mixed_in_with_it() {
    let found = testing::calls(
        r#"
//- lib/base.rb
module Base
  def compile!(verb)
    watch_it(
      verb, :route
    )
    puts(1)
    raise_it
  end
end
class Other
  def go
    watch_it(1, 2)
  end
end
//- lib/ext.rb
module Ext
  def watch_it(path, type)
    1
  end
end
"#,
    );
    assert_eq!(found, "lib/base.rb Base.compile! -> lib/ext.rb Ext.watch_it @[3] ?1\n");
}

#[test]
fn a_block_may_be_run_by_another_object() {
    let found = testing::calls(
        r#"
//- lib/app.rb
module App
  class Base
    def self.after(path = nil, &block); end
    def body(v = nil); end
  end
end
//- test/app_test.rb
require_relative '../lib/app'
class AppTest < Minitest::Test
  def mock_app(&block); Class.new(App::Base, &block); end
  def timed; yield; end
  def body; 1; end
  def test_it
    mock_app do
      after("/b") { }
      get('/') { body 'x' }
    end
  end
  def test_own
    timed { body }
    [1].each { |x| body }
    assert_equal(1) { body }
    body
  end
end
"#,
    );
    expect![[r#"
        test/app_test.rb AppTest.test_it -> lib/app.rb App.Base.after @[8] ?2
        test/app_test.rb AppTest.test_it -> lib/app.rb App.Base.body @[9] ?3
        test/app_test.rb AppTest.test_it -> test/app_test.rb AppTest.body @[9] ?3
        test/app_test.rb AppTest.test_it -> test/app_test.rb AppTest.mock_app @[7]
        test/app_test.rb AppTest.test_own -> test/app_test.rb AppTest.body @[13, 14, 15, 16]
        test/app_test.rb AppTest.test_own -> test/app_test.rb AppTest.timed @[13]
    "#]]
    .assert_eq(&found);
}
