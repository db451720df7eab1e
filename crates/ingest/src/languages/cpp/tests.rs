//! What is read from C++, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

const SHOP: &str = r#"
//- include/shop/cart.h
#pragma once
#include <memory>
#include <vector>
namespace shop {
/// Something that costs.
class Item {
 public:
  virtual ~Item() = default;
  virtual int price() const = 0;
  int size() { return 1; }
};
class API_EXPORT Cart : public Item {
 public:
  explicit Cart(int limit);
  Cart(const Cart&) = delete;
  int price() const override;
  void add(std::unique_ptr<Item> item);
  static Cart* make();
  int count() const { return helper(); }
 private:
  int helper() const;
  std::vector<std::unique_ptr<Item>> items_;
  Item* best_ = nullptr;
};
int total(const Cart& cart);
template <typename T> T twice(T value) { return value + value; }
}
//- src/cart.cc
#include "shop/cart.h"
namespace shop {
namespace { int local() { return 1; } }
Cart::Cart(int limit) { local(); }
int Cart::price() const {
  for (const auto& item : items_) item->price();
  best_->size();
  items_.size();
  return this->helper() + helper();
}
void Cart::add(std::unique_ptr<Item> item) { item->price(); item.get()->size(); }
int Cart::helper() const { return twice(2); }
Cart* Cart::make() { return new Cart(1); }
int total(const Cart& cart) { return cart.price(); }
}
//- src/main.cc
#include "shop/cart.h"
#include "util.h"
int move(int x) { return x; }
int main() {
  shop::Cart cart(3);
  auto other = std::make_unique<shop::Cart>(1);
  other->count();
  auto* third = shop::Cart::make();
  third->price();
  std::move(other);
  util_log("x");
  return shop::total(cart);
}
//- src/util.h
void util_log(const char *text);
//- src/util.c
#include "util.h"
void util_log(const char *text) {}
//- test/cart_test.cc
#include "shop/cart.h"
class CartTest : public testing::Test { protected: int check() { return 1; } shop::Cart cart_; };
TEST_F(CartTest, Prices) { check(); cart_.price(); }
TEST(Plain, Works) { shop::twice(1); }
TEST_CASE("does things") { shop::twice(2); }
"#;

#[test]
fn calls_lead_to_definitions_through_types_namespaces_and_pointers() {
    check(
        SHOP,
        expect![[r#"
            include/shop/cart.h shop.Cart.count -> src/cart.cc shop.Cart.helper @[19]
            src/cart.cc shop.Cart.Cart -> src/cart.cc shop.local @[4]
            src/cart.cc shop.Cart.add -> include/shop/cart.h shop.Item.price @[11]
            src/cart.cc shop.Cart.add -> include/shop/cart.h shop.Item.size @[11]
            src/cart.cc shop.Cart.helper -> include/shop/cart.h shop.twice @[12]
            src/cart.cc shop.Cart.make -> include/shop/cart.h shop.Cart @[13]
            src/cart.cc shop.Cart.make -> src/cart.cc shop.Cart.Cart @[13]
            src/cart.cc shop.Cart.price -> include/shop/cart.h shop.Item.price @[6]
            src/cart.cc shop.Cart.price -> include/shop/cart.h shop.Item.size @[7]
            src/cart.cc shop.Cart.price -> src/cart.cc shop.Cart.helper @[9]
            src/cart.cc shop.total -> src/cart.cc shop.Cart.price @[14]
            src/main.cc main -> include/shop/cart.h shop.Cart @[5, 6]
            src/main.cc main -> include/shop/cart.h shop.Cart.count @[7]
            src/main.cc main -> src/cart.cc shop.Cart.Cart @[5, 6]
            src/main.cc main -> src/cart.cc shop.Cart.make @[8]
            src/main.cc main -> src/cart.cc shop.Cart.price @[9]
            src/main.cc main -> src/cart.cc shop.total @[12]
            src/main.cc main -> src/util.c util_log @[11]
            test/cart_test.cc CartTest.Prices -> src/cart.cc shop.Cart.price @[3]
            test/cart_test.cc CartTest.Prices -> test/cart_test.cc CartTest.check @[3]
            test/cart_test.cc Plain.Works -> include/shop/cart.h shop.twice @[4]
            test/cart_test.cc does things -> include/shop/cart.h shop.twice @[5]
        "#]],
    );
}

#[test]
fn a_declaration_and_its_definition_in_one_file_are_one() {
    let graph = testing::graph(
        r#"
//- a.cpp
class A {
 public:
  // Goes.
  void go(int n);
  void go(const char* s);
  bool operator==(const A& o) const;
};
void A::go(int n) {
  go("x");
}
void A::go(const char* s) {}
bool A::operator==(const A& o) const { return true; }
"#,
    );
    let nodes: Vec<String> = graph
        .nodes()
        .filter(|node| !node.qualified().is_empty())
        .map(|node| format!("{} {:?} {} | {}", node.id(), node.lines(), node.signature(), node.doc()))
        .collect();
    expect![[r#"
        class::a.cpp::A (1, 7) class A | 
        method::a.cpp::A.go (8, 10) void A::go(int n) | Goes.
        method::a.cpp::A.go#2 (11, 11) void A::go(const char* s) | 
        method::a.cpp::A.operator== (12, 12) bool A::operator==(const A& o) const | 
    "#]]
    .assert_eq(&(nodes.join("\n") + "\n"));
}

#[test]
fn tests_includes_bases_and_entry_points_are_known() {
    use m1nd_graph::{EdgeKind, NodeFlags, NodeKind};
    let graph = testing::graph(SHOP);
    expect![[r#"
        include/shop/cart.h shop.Cart inherits -> include/shop/cart.h shop.Item @[12]
        src/cart.cc imports -> include/shop/cart.h @[1]
        src/main.cc imports -> include/shop/cart.h @[1]
        src/main.cc imports -> src/util.h @[2]
        src/util.c imports -> src/util.h @[1]
        test/cart_test.cc imports -> include/shop/cart.h @[1]
    "#]]
    .assert_eq(&testing::edges(&graph, &[EdgeKind::Imports, EdgeKind::Inherits]));
    let tests: Vec<&str> =
        graph.nodes().filter(|n| n.kind() == NodeKind::Test).map(|n| n.qualified()).collect();
    assert_eq!(tests, ["CartTest.Prices", "Plain.Works", "does things"]);
    let main = graph.nodes().find(|node| node.label() == "main").expect("main");
    assert!(main.flags().has(NodeFlags::ENTRY_POINT));
}

#[test]
fn constructors_are_told_apart_and_a_copy_is_not_meant_by_a_number() {
    check(
        r#"
//- a.h
class Slice {
 public:
  Slice(const Slice& other) {}
  Slice(int n, int size = 2) {}
  Slice(const char* s) {}
  void run() {}
};
class Many : public Slice {
 public:
  Many() : Slice("x") {}
  Slice all[3];
  void go() {
    Slice one(1, 2);
    Slice two("x");
    Slice local[2];
    all[0].run();
    local[1].run();
    for (auto& each : all) each.run();
  }
};
"#,
        expect![[r#"
            a.h Many.Many -> a.h Slice.Slice#3 @[10]
            a.h Many.go -> a.h Slice @[13, 14, 15]
            a.h Many.go -> a.h Slice.Slice#2 @[13, 15 ?2]
            a.h Many.go -> a.h Slice.Slice#3 @[14, 15 ?2]
            a.h Many.go -> a.h Slice.run @[16, 17, 18]
        "#]],
    );
}

#[test]
fn a_test_case_is_called_by_nobody() {
    check(
        r#"
//- t.cc
class DbTest : public testing::Test {
 public:
  void Open() {}
};
void Flush() {}
TEST_F(DbTest, Close) { Open(); }
TEST_F(DbTest, Twice) { Close(); x->Close(); Reopen(); }
TEST(DbTest, Reopen) { Flush(); }
TEST(Flusher, Flush) { Flush(); }
TEST_F(DbTest, Open) { Open(); }
"#,
        expect![[r#"
            t.cc DbTest.Close -> t.cc DbTest.Open @[6]
            t.cc DbTest.Open -> t.cc DbTest.Open @[10]
            t.cc DbTest.Reopen -> t.cc Flush @[8]
            t.cc Flusher.Flush -> t.cc Flush @[9]
        "#]],
    );
}

#[test]
fn constants_of_namespaces_and_classes_are_known() {
    expect![[r#"
        class::a.h::a.b.C 6-6 `class C`
        constant::a.h::a.b.C.kSize 6-6 `static constexpr int kSize = 3`
        constant::a.h::a.b.K 2-2 `constexpr int K = 1`
        constant::a.h::a.b.kLog 5-5 `inline constexpr Log kLog{}`
        constant::a.h::a.b.kName 3-3 `static const char* const kName = "x"`
        function::a.h::a.b.f 7-7 `void f()`
        module::a.h::a 1-8 `namespace a`
        module::a.h::a.b 1-8 `namespace b`
    "#]]
    .assert_eq(&testing::definitions(
        r#"
//- a.h
namespace a::b {
constexpr int K = 1;
static const char* const kName = "x";
int variable = 2;
inline constexpr Log kLog{};
class C { static constexpr int kSize = 3; int other = 4; };
void f() { const int local = 1; kLog.write(); }
}
"#,
    ));
}

/// A value is made of a type without a constructor as of one that has some.
#[test]
fn a_type_without_constructors_is_made_all_the_same() {
    check(
        r#"
//- y.h
namespace n { class Y { public: void go(); }; struct P { int x; }; class C { public: C(int n) {} }; }
//- y.cc
#include "y.h"
#include <memory>
namespace n {
void f() {
  Y* a = new Y();
  P* b = new P;
  Y c(1);
  P d{1};
  auto e = std::make_unique<Y>();
  auto g = std::make_shared<P>(1);
  auto h = std::make_unique<C>(1);
  auto i = P();
  auto j = P{2};
  e->go();
}
}
"#,
        expect![[r#"
            y.cc n.f -> y.h n.C @[11]
            y.cc n.f -> y.h n.C.C @[11]
            y.cc n.f -> y.h n.P @[6, 8, 10, 12, 13]
            y.cc n.f -> y.h n.Y @[5, 7, 9]
            y.cc n.f -> y.h n.Y.go @[14]
        "#]],
    );
}

#[test]
fn a_class_may_be_written_outside_of_the_one_it_is_in() {
    let fixture = r#"
//- db.h
namespace n { class Db { public: void Write(); struct Writer; }; }
//- db.cc
#include "db.h"
namespace n {
struct Db::Writer { explicit Writer(int mu) {} void wake() {} };
void Db::Write() { Writer w(1); w.wake(); }
}
"#;
    expect![[r#"
        class::db.h::n.Db 1-1 `class Db`
        method::db.cc::n.Db.Write 4-4 `void Db::Write()`
        method::db.cc::n.Db.Writer.Writer 3-3 `explicit Writer(int mu)`
        method::db.cc::n.Db.Writer.wake 3-3 `void wake()`
        method::db.h::n.Db.Write 1-1 `void Write()`
        module::db.cc::n 2-5 `namespace n`
        module::db.h::n 1-1 `namespace n`
        struct::db.cc::n.Db.Writer 3-3 `struct Db::Writer`
    "#]]
    .assert_eq(&testing::definitions(fixture));
    check(
        fixture,
        expect![[r#"
        db.cc n.Db.Write -> db.cc n.Db.Writer @[4]
        db.cc n.Db.Write -> db.cc n.Db.Writer.Writer @[4]
        db.cc n.Db.Write -> db.cc n.Db.Writer.wake @[4]
    "#]],
    );
}

#[test]
fn a_condition_inside_of_a_list_of_initialisers_does_not_swallow_what_follows() {
    let source = r#"
//- a.cc
namespace n {
class Limiter {
 public:
  Limiter(int max)
      :
#if !defined(NDEBUG)
        max_(max),
#endif  // !defined(NDEBUG)
        allowed_(max) {
    check(max >= 0);
  }
  bool take() { return left() > 0; }
 private:
  int left() { return 1; }
  int max_;
  int allowed_;
};
class Other { void run() { Limiter l(1); l.take(); } };
}
"#;
    expect![[r#"
        a.cc n.Limiter.take -> a.cc n.Limiter.left @[12]
        a.cc n.Other.run -> a.cc n.Limiter @[18]
        a.cc n.Other.run -> a.cc n.Limiter.Limiter @[18]
        a.cc n.Other.run -> a.cc n.Limiter.take @[18]
    "#]]
    .assert_eq(&testing::calls(source));
    expect![[r#"
        class::a.cc::n.Limiter 2-17 `class Limiter`
        class::a.cc::n.Other 18-18 `class Other`
        method::a.cc::n.Limiter.Limiter 4-11 `Limiter(int max)`
        method::a.cc::n.Limiter.left 14-14 `int left()`
        method::a.cc::n.Limiter.take 12-12 `bool take()`
        method::a.cc::n.Other.run 18-18 `void run()`
        module::a.cc::n 1-19 `namespace n`
    "#]]
    .assert_eq(&testing::definitions(source));
}

#[test]
fn a_name_that_is_seen_comes_before_a_nearer_one_that_is_not() {
    check(
        r#"
//- base.h
struct formatter { void parse() {} };
namespace detail {
inline void invoke() { formatter().parse(); }
}
//- color.h
#include "base.h"
namespace detail {
struct formatter { void other() {} };
}
"#,
        expect![[r#"
            base.h detail.invoke -> base.h formatter @[3]
            base.h detail.invoke -> base.h formatter.parse @[3]
        "#]],
    );
}

#[test]
fn a_macro_before_a_constructor_does_not_swallow_what_follows() {
    check(
        r#"
//- a.hpp
struct size_padding {
  unsigned size;
  unsigned padding;
  FMT_CONSTEXPR size_padding(int n, unsigned prefix)
      : size((prefix >> 24) + round(n)), padding(0) {
    if (n) pad();
  }
  void pad() {}
};
inline int round(int n) { return n; }
inline void later() { size_padding p(1, 2); }
"#,
        expect![[r#"
            a.hpp later -> a.hpp size_padding @[11]
            a.hpp later -> a.hpp size_padding.size_padding @[11]
            a.hpp size_padding.size_padding -> a.hpp round @[5]
            a.hpp size_padding.size_padding -> a.hpp size_padding.pad @[6]
        "#]],
    );
}

#[test]
fn a_namespace_that_a_macro_opens_is_known_by_its_name() {
    check(
        r#"
//- fmt/base.h
#ifndef FMT_BASE_H
#define FMT_BASE_H
#ifndef FMT_BEGIN_NAMESPACE
#  define FMT_BEGIN_NAMESPACE \\
    namespace fmt {           \\
    inline namespace v11 {
#  define FMT_END_NAMESPACE \\
    }                       \\
    }
#endif
class before {};
FMT_BEGIN_NAMESPACE
namespace detail {
inline int width(int n) { return n; }
}
class buffer { public: void push(int n); };
inline void print(int n) { detail::width(n); }
FMT_END_NAMESPACE
#endif
//- fmt/more.h
#include "base.h"
FMT_BEGIN_NAMESPACE
inline void twice(int n) {
    print(n);
    fmt::print(n);
    detail::width(n);
    fmt::v11::print(n);
}
FMT_END_NAMESPACE
//- fmt/more.cc
#include "more.h"
FMT_BEGIN_NAMESPACE
void buffer::push(int n) { print(n); }
FMT_END_NAMESPACE
//- app.cc
#include "fmt/more.h"
namespace other { void print(int n) {} }
int main() {
    fmt::print(1);
    fmt::detail::width(1);
    fmt::twice(2);
    fmt::buffer b;
    b.push(1);
    print(3);
    return 0;
}
//- lib.h
namespace lib { inline namespace v2 { void go(); } }
namespace lib::v2 { inline void went() {} }
//- use.cc
#include "lib.h"
namespace lib { void v2::go() {} }
void use() {
    lib::go();
    lib::v2::go();
    lib::went();
}
"#
        .replace("\\\\", "\\")
        .as_str(),
        expect![[r#"
            app.cc main -> fmt/base.h detail.width @[5]
            app.cc main -> fmt/base.h print @[4]
            app.cc main -> fmt/more.cc buffer.push @[8]
            app.cc main -> fmt/more.h twice @[6]
            fmt/base.h print -> fmt/base.h detail.width @[17]
            fmt/more.cc buffer.push -> fmt/base.h print @[3]
            fmt/more.h twice -> fmt/base.h detail.width @[6]
            fmt/more.h twice -> fmt/base.h print @[4, 5]
            use.cc use -> lib.h lib.v2.went @[6]
            use.cc use -> use.cc lib.v2.go @[4, 5]
        "#]],
    );
}

#[test]
fn a_copy_and_a_conversion_choose_among_overloads() {
    check(
        r#"
//- a.h
#include <string>
enum Activity { kNone, kRead };
class Slice { public: Slice(); Slice(const char* d); Slice(const std::string& s); };
struct Base { Base(); };
struct Options : Base { Options(); explicit Options(Activity a); Options(const Base& base, int n); };
struct Own { Own(const Own& other); Own(int n); };
class Status {
 public:
  enum Code { kOk, kBad };
  static Status Corruption(const Slice& msg, const Slice& more = Slice()) { return Status(); }
  static Status Corruption(Code code = kOk) { return Status(); }
  static Status Strict(const Own& own, int more = 1) { return Status(); }
  static Status Strict(Options options) { return Status(); }
};
//- a.cc
#include "a.h"
struct Fetcher {
  Options options_;
  Fetcher(const Options& options) : options_(options) {}
};
void text(const std::string& said) {
  Status::Corruption("x");
  Status::Corruption(said);
  Status::Corruption("x" + unseen());
  Status::Corruption(unseen());
}
void code() { Status::Corruption(Status::kBad); }
void none() { Status::Corruption(); }
void copy(const Options& given, const Own& own) {
  auto plain = Options(given);
  auto mine = Own(own);
}
void make(Activity a) { auto made = Options(a); }
"#,
        expect![[r#"
            a.cc Fetcher.Fetcher -> a.h Options @[4]
            a.cc code -> a.h Status.Corruption @[12] ?2
            a.cc code -> a.h Status.Corruption#2 @[12] ?2
            a.cc copy -> a.h Options @[15]
            a.cc copy -> a.h Own @[16]
            a.cc copy -> a.h Own.Own @[16]
            a.cc make -> a.h Options @[18]
            a.cc make -> a.h Options.Options#2 @[18]
            a.cc none -> a.h Status.Corruption#2 @[13]
            a.cc text -> a.h Status.Corruption @[7, 8, 9, 10 ?2]
            a.cc text -> a.h Status.Corruption#2 @[10] ?2
            a.h Status.Corruption -> a.h Slice @[10]
            a.h Status.Corruption -> a.h Slice.Slice @[10]
            a.h Status.Corruption -> a.h Status @[10]
            a.h Status.Corruption#2 -> a.h Status @[11]
            a.h Status.Strict -> a.h Status @[12]
            a.h Status.Strict#2 -> a.h Status @[13]
        "#]],
    );
}
