//! What is read from Java, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn imports_inheritance_overloads_and_generics_lead_to_their_methods() {
    check(
        r#"
//- src/main/java/shop/Item.java
package shop;
public interface Item { int price(); }
//- src/main/java/shop/Base.java
package shop;
abstract class Base {
    protected void log(String m) { System.out.println(m); }
    protected void log(String m, int n) { log(m); }
}
//- src/main/java/shop/Cart.java
package shop;
import java.util.*;
import static shop.util.Sums.sum;
public class Cart extends Base {
    private final List<Item> items = new ArrayList<>();
    private Map<String, Item> byName;
    public Cart() {}
    public int total() {
        log("x", 1);
        for (Item item : items) { item.price(); }
        items.stream().map(i -> i.price()).toList();
        byName.get("a").price();
        var first = items.get(0);
        first.price();
        items.add(null);
        return sum(items);
    }
    public void add(Item item) {}
}
//- src/main/java/shop/util/Sums.java
package shop.util;
import shop.Item;
public class Sums {
    public static int sum(java.util.List<Item> items) { return helper(); }
    private static int helper() { return 0; }
}
//- src/test/java/shop/CartTest.java
package shop;
class CartTest {
    @Test
    void totals() {
        Cart cart = new Cart();
        cart.total();
        cart.add(null);
        cart.log("m");
        Objects.requireNonNull(cart);
    }
}
"#,
        expect![[r#"
            src/main/java/shop/Base.java Base.log#2 -> src/main/java/shop/Base.java Base.log @[4]
            src/main/java/shop/Cart.java Cart.total -> src/main/java/shop/Base.java Base.log#2 @[9]
            src/main/java/shop/Cart.java Cart.total -> src/main/java/shop/Item.java Item.price @[10, 11, 12, 14]
            src/main/java/shop/Cart.java Cart.total -> src/main/java/shop/util/Sums.java Sums.sum @[16]
            src/main/java/shop/util/Sums.java Sums.sum -> src/main/java/shop/util/Sums.java Sums.helper @[4]
            src/test/java/shop/CartTest.java CartTest.totals -> src/main/java/shop/Base.java Base.log @[8]
            src/test/java/shop/CartTest.java CartTest.totals -> src/main/java/shop/Cart.java Cart @[5]
            src/test/java/shop/CartTest.java CartTest.totals -> src/main/java/shop/Cart.java Cart.Cart @[5]
            src/test/java/shop/CartTest.java CartTest.totals -> src/main/java/shop/Cart.java Cart.add @[7]
            src/test/java/shop/CartTest.java CartTest.totals -> src/main/java/shop/Cart.java Cart.total @[6]
        "#]],
    );
}

#[test]
fn overloads_are_told_apart_by_number_and_by_type() {
    check(
        r#"
//- Json.java
class Reader {}
class FileReader extends Reader {}
class Json {
    void parse(String s) {}
    void parse(Reader r) {}
    void parse(Reader r, int n) {}
    void run(FileReader reader, Object other) {
        parse("x");
    }
    void more(FileReader reader) {
        parse(reader);
    }
    void unknown(Object other) {
        parse(other);
    }
}
"#,
        expect![[r#"
            Json.java Json.more -> Json.java Json.parse#2 @[11]
            Json.java Json.run -> Json.java Json.parse @[8]
            Json.java Json.unknown -> Json.java Json.parse @[14] ?2
            Json.java Json.unknown -> Json.java Json.parse#2 @[14] ?2
        "#]],
    );
}

#[test]
fn what_takes_any_number_is_meant_where_nothing_takes_just_so_many() {
    let found = testing::calls(
        r#"
//- src/p/A.java
package p;
class A {
    static void f() {}
    static void f(Object... xs) {}
    static void check(boolean b, Object message) {}
    static void check(boolean b, String message, Object... values) {}
    static void check(boolean b) {}
    void none() { f(); }
    void some() { f(1, 2, 3); }
    void two() { check(x > 0, "m"); }
    void four() { check(x > 0, "m", 1, 2); }
    void one() { check(true); }
}
"#,
    );
    expect![[r#"
        src/p/A.java A.four -> src/p/A.java A.check#2 @[11]
        src/p/A.java A.none -> src/p/A.java A.f @[8]
        src/p/A.java A.one -> src/p/A.java A.check#3 @[12]
        src/p/A.java A.some -> src/p/A.java A.f#2 @[9]
        src/p/A.java A.two -> src/p/A.java A.check @[10]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_method_that_takes_another_number_is_not_meant() {
    let found = testing::calls(
        r#"
//- src/p/E.java
package p;
class P {
    void run() {}
    void run(int x) {}
}
class E extends P {
    void run() {}
    static void assertNull(String message, Object value) {}
    void go() { run(/* how often */ 1); }
    void own() { run(); }
    void theirs() { assertNull(1); }
}
"#,
    );
    expect![[r#"
        src/p/E.java E.go -> src/p/E.java P.run#2 @[9]
        src/p/E.java E.own -> src/p/E.java E.run @[10]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_class_literal_picks_the_overload_that_takes_a_class() {
    check(
        r#"
//- Gson.java
import java.lang.reflect.Type;
class Gson {
    <T> T fromJson(String json, Class<T> of) { return null; }
    <T> T fromJson(String json, Type of) { return null; }
    <T> T fromJson(java.io.Reader json, Class<T> of) { return null; }
    <T> T fromJson(String json) { return null; }
    void use(Type type) {
        fromJson("x", Gson.class);
        fromJson("x");
    }
}
"#,
        expect![[r#"
            Gson.java Gson.use -> Gson.java Gson.fromJson @[8]
            Gson.java Gson.use -> Gson.java Gson.fromJson#4 @[9]
        "#]],
    );
}

#[test]
fn a_constructor_is_called_by_what_makes_its_class_and_by_other_constructors() {
    check(
        r#"
//- Base.java
class Base {
    Base(String s) {}
}
//- Plain.java
class Plain {}
//- B.java
class B extends Base {
    B() { this(1); }
    B(int n) { super("x"); }
    B(int n, String s) { super(s); }
    static B one() { return new B(2); }
    static B two() { return new B(2, "x"); }
    static B maybe(Object o) { return new B(o, o, o); }
}
//- C.java
class C extends Plain {
    C() { super(); }
    Object plain() { return new Plain() { void run() { } }; }
}
"#,
        expect![[r#"
            B.java B.B -> B.java B.B#2 @[2]
            B.java B.B#2 -> Base.java Base.Base @[3]
            B.java B.B#3 -> Base.java Base.Base @[4]
            B.java B.maybe -> B.java B @[7]
            B.java B.maybe -> B.java B.B @[7] ?3
            B.java B.maybe -> B.java B.B#2 @[7] ?3
            B.java B.maybe -> B.java B.B#3 @[7] ?3
            B.java B.one -> B.java B @[5]
            B.java B.one -> B.java B.B#2 @[5]
            B.java B.two -> B.java B @[6]
            B.java B.two -> B.java B.B#3 @[6]
            C.java C.C -> Plain.java Plain @[2]
            C.java C.plain -> Plain.java Plain @[3]
        "#]],
    );
}

#[test]
fn constructors_run_for_constants_of_an_enum_and_overloads_are_told_by_variables() {
    check(
        r#"
//- A.java
package p;
import java.util.function.Supplier;
import java.util.*;
enum Color {
  RED(1), BLUE("x") { void m() {} };
  Color(int n) {}
  Color(String s) {}
}
class Q { Q() {} static Q make() { return null; } }
class A {
  void g(int n) {}
  void g(String s) {}
  void g(Q q) {}
  void g(List<Q> q) {}
  void f(String s, int n, Q q, List<Q> l, long z, double d) {
    g(s);
    g(n);
    g(q);
    g(l);
    int k = 3;
    g(k);
    g("a" + n);
    g(q.make());
    g(1);
    g(s.length());
  }
  Supplier<Q> h() { return Q::new; }
  Supplier<Q> i() { return Q::make; }
}
"#,
        expect![[r#"
            A.java A.f -> A.java A.g @[17, 21, 24, 25]
            A.java A.f -> A.java A.g#2 @[16, 22]
            A.java A.f -> A.java A.g#3 @[18, 23]
            A.java A.f -> A.java A.g#4 @[19]
            A.java A.f -> A.java Q.make @[23]
            A.java Color -> A.java Color.Color @[5]
            A.java Color -> A.java Color.Color#2 @[5]
        "#]],
    );
}

#[test]
fn a_record_is_made_by_what_it_is_written_with() {
    let found = testing::calls(
        r#"
//- A.java
record R(int a) { R() { this(1); } static R mk() { return new R(2); } }
"#,
    );
    expect![[r#"
        A.java R.mk -> A.java R @[1]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_signature_says_who_may_call_a_method_and_how() {
    let found = testing::definitions(
        r#"
//- A.java
public abstract class A<T> extends B implements C {
  @Override
  public static final <X> String go(int a, X x) throws E { return ""; }
  protected abstract void no();
  @Inject @Named("final x")
  private A(int q) {}
  public interface I { default void d() {} int e(); }
}
"#,
    );
    expect![[r#"
        class::A.java::A 1-8 `public abstract class A<T> extends B implements C`
        interface::A.java::A.I 7-7 `public interface I`
        method::A.java::A.A 5-6 `private A(int q)`
        method::A.java::A.I.d 7-7 `default void d()`
        method::A.java::A.I.e 7-7 `int e()`
        method::A.java::A.go 2-3 `public static final <X> String go(int a, X x) throws E`
        method::A.java::A.no 4-4 `protected abstract void no()`
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_class_without_a_name_has_what_it_extends() {
    check(
        r#"
//- a/It.java
package a;
abstract class It<T> {
    Object nextNode() { return null; }
    abstract Object next();
    void own() {}
}
//- a/Use.java
package a;
class Use {
    Object nextNode() { return null; }
    void own() {}
    void outer() {}
    Object field = new It<String>() {
        Object next() { return nextNode(); }
        void far() {}
    };
    Object make() {
        return new It<String>() {
            Object next() {
                outer();
                own();
                super.nextNode();
                return nextNode();
            }
            void own() {}
        };
    }
    void after() { own(); far(); }
    void far() {}
}
"#,
        expect![[r#"
            a/Use.java Use -> a/It.java It @[6]
            a/Use.java Use.$It.next -> a/It.java It.nextNode @[7]
            a/Use.java Use.after -> a/Use.java Use.far @[21]
            a/Use.java Use.after -> a/Use.java Use.own @[21]
            a/Use.java Use.make -> a/It.java It @[11]
            a/Use.java Use.make.$It.next -> a/It.java It.nextNode @[15, 16]
            a/Use.java Use.make.$It.next -> a/Use.java Use.make.$It.own @[14]
            a/Use.java Use.make.$It.next -> a/Use.java Use.outer @[13]
        "#]],
    );
}

#[test]
fn a_part_of_a_record_is_read_by_a_method_of_its_own() {
    check(
        r#"
//- P.java
class P {
    void v(Object o) {}
    void x() {}
    record R(int v) {
        int w() { x(); return v(); }
    }
    class C {
        int v;
        void w() { v(null); }
    }
}
"#,
        expect![[r#"
            P.java P.C.w -> P.java P.v @[9]
            P.java P.R.w -> P.java P.x @[5]
        "#]],
    );
}

#[test]
fn a_method_of_a_class_without_a_name_implements_that_of_its_base() {
    let found = testing::imports_and_bases(
        r#"
//- F.java
public class F {
  interface Filter { boolean check(int x); boolean check(int x, int y); }
  static final Filter ALL = new Filter() {
    @Override public boolean check(int x) { return true; }
    @Override public boolean check(int x, int y) { return true; }
  };
  static boolean use(Filter f) { return f.check(1); }
}
"#,
    );
    expect![[r#"
        F.java F.$Filter implements -> F.java F.Filter @[3]
        F.java F.$Filter.check implements -> F.java F.Filter.check @[4]
        F.java F.$Filter.check#2 implements -> F.java F.Filter.check#2 @[5]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_class_by_its_full_name_is_found_wherever_it_stands() {
    check(
        r#"
//- src/com/foo/Bar.java
package com.foo;

public class Bar {
    public static Bar LAST = new Bar();
    public static Bar make() { return LAST; }
    public void run() {}
    public static class Inner { public static void go() {} public void step() {} }
    public class Box<T> { public class Lid { void lift() {} } }
}
//- src/com/other/Use.java
package com.other;

class Bar { static Bar make() { return null; } void run() {} }

class Use {
    com.foo.Bar field;
    com.foo.Bar all(com.foo.Bar given, java.util.List<com.foo.Bar> list, com.foo.Bar.Box<String>.Lid lid) {
        com.foo.Bar.make().run();
        new com.foo.Bar().run();
        com.foo.Bar.LAST.run();
        com.foo.Bar.Inner.go();
        new com.foo.Bar.Inner().step();
        given.run();
        field.run();
        list.get(0).run();
        ((com.foo.Bar) null).run();
        lid.lift();
        java.util.Objects.run();
        com.missing.Bar.make();
        com.foo.Missing.make();
        Runnable r = com.foo.Bar::make;
        com.run();
        return null;
    }
}
"#,
        expect![[r#"
            src/com/foo/Bar.java Bar -> src/com/foo/Bar.java Bar @[4]
            src/com/other/Use.java Use.all -> src/com/foo/Bar.java Bar @[9]
            src/com/other/Use.java Use.all -> src/com/foo/Bar.java Bar.Box.Lid.lift @[17]
            src/com/other/Use.java Use.all -> src/com/foo/Bar.java Bar.Inner @[12]
            src/com/other/Use.java Use.all -> src/com/foo/Bar.java Bar.Inner.go @[11]
            src/com/other/Use.java Use.all -> src/com/foo/Bar.java Bar.Inner.step @[12]
            src/com/other/Use.java Use.all -> src/com/foo/Bar.java Bar.make @[8]
            src/com/other/Use.java Use.all -> src/com/foo/Bar.java Bar.run @[8, 9, 10, 13, 14, 15, 16]
        "#]],
    );
}

#[test]
fn what_replaces_a_class_for_javascript_is_not_meant_elsewhere() {
    check(
        r#"
//- lib/src/com/shop/Cart.java
package com.shop;
public class Cart {
    public static int sum() { return 1; }
}
//- lib-gwt/src-super/com/shop/super/com/shop/Cart.java
package com.shop;
public class Cart {
    public static int sum() { return 2; }
}
//- lib-tests/test/com/shop/CartTest.java
package com.shop;
import com.shop.Cart;
public class CartTest {
    public void adds() { Cart.sum(); }
}
"#,
        expect![[r#"
            lib-tests/test/com/shop/CartTest.java CartTest.adds -> lib/src/com/shop/Cart.java Cart.sum @[4]
        "#]],
    );
}

#[test]
fn tests_are_known_by_their_names_in_test_cases_and_by_what_their_class_says() {
    let found = testing::definitions(
        r#"
//- t/OldTest.java
public class OldTest extends TestCase {
  public void testOne() {}
  public void testOf(int a) {}
  public int testGives() { return 1; }
  void testHidden() {}
  public void helper() {}
  static class Inner extends OldTest { public void testInner() {} }
}
class Mid<T extends Comparable<T>> extends AbstractThingTest<T> {}
class Own extends Mid { public void testOwn() {} }
class Plain extends Thread { public void testPlain() {} }
//- t/AllTest.java
@Test
public class AllTest {
  public void adds() {}
  @BeforeMethod public void prepare() {}
  @DataProvider public void rows() {}
  private void inner() {}
}
"#,
    );
    let tests: Vec<&str> = found.lines().filter(|line| line.starts_with("test::")).collect();
    let names: Vec<&str> =
        tests.iter().map(|line| line.split([' ', ':']).nth(4).unwrap_or_default()).collect();
    assert_eq!(
        names,
        ["AllTest.adds", "OldTest.Inner.testInner", "OldTest.testOne", "Own.testOwn"],
        "{found}"
    );
}
