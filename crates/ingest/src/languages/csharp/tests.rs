//! What is read from C#, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- src/Util/Log.cs
namespace Shop.Util;
public static class Log { public static void Write(string s) { } public static int Depth() { return 1; } }
//- src/Base.cs
namespace Shop.Core { public class Base { protected void Save() { } } }
//- src/Cart.cs
using System;
using Shop.Util;
namespace Shop.Core {
  /// A cart.
  public class Cart : Base, IItem {
    private readonly Log log;
    private IItem best;
    public Cart(int n) { }
    public int Price() { return 1; }
    public int Total(IItem item) {
      Helper();
      item.Price();
      best.Price();
      Log.Write("x");
      Save();
      Console.WriteLine("x");
      var other = new Cart(1);
      return this.Helper() + other.Total(item);
    }
    private int Helper() { return 1; }
  }
  public interface IItem { int Price(); }
}
//- tests/CartTests.cs
using Shop.Core;
class CartTests {
  [Fact]
  public void Totals() { var cart = new Cart(1); cart.Total(null); }
}
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        src/Cart.cs Shop.Core.Cart.Total -> src/Base.cs Shop.Core.Base.Save @[15]
        src/Cart.cs Shop.Core.Cart.Total -> src/Cart.cs Shop.Core.Cart @[17]
        src/Cart.cs Shop.Core.Cart.Total -> src/Cart.cs Shop.Core.Cart.Cart @[17]
        src/Cart.cs Shop.Core.Cart.Total -> src/Cart.cs Shop.Core.Cart.Helper @[11, 18]
        src/Cart.cs Shop.Core.Cart.Total -> src/Cart.cs Shop.Core.Cart.Total @[18]
        src/Cart.cs Shop.Core.Cart.Total -> src/Cart.cs Shop.Core.IItem.Price @[12, 13]
        src/Cart.cs Shop.Core.Cart.Total -> src/Util/Log.cs Log.Write @[14]
        tests/CartTests.cs CartTests.Totals -> src/Cart.cs Shop.Core.Cart @[4]
        tests/CartTests.cs CartTests.Totals -> src/Cart.cs Shop.Core.Cart.Cart @[4]
        tests/CartTests.cs CartTests.Totals -> src/Cart.cs Shop.Core.Cart.Total @[4]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        class::src/Base.cs::Shop.Core.Base 1-1 `public class Base`
        class::src/Cart.cs::Shop.Core.Cart 5-21 `public class Cart : Base, IItem` | A cart.
        class::src/Util/Log.cs::Log 2-2 `public static class Log`
        class::tests/CartTests.cs::CartTests 2-5 `class CartTests`
        interface::src/Cart.cs::Shop.Core.IItem 22-22 `public interface IItem`
        method::src/Base.cs::Shop.Core.Base.Save 1-1 `protected void Save()`
        method::src/Cart.cs::Shop.Core.Cart.Cart 8-8 `public Cart(int n)`
        method::src/Cart.cs::Shop.Core.Cart.Helper 20-20 `private int Helper()`
        method::src/Cart.cs::Shop.Core.Cart.Price 9-9 `public int Price()`
        method::src/Cart.cs::Shop.Core.Cart.Total 10-19 `public int Total(IItem item)`
        method::src/Cart.cs::Shop.Core.IItem.Price 22-22 `int Price()`
        method::src/Util/Log.cs::Log.Depth 2-2 `public static int Depth()`
        method::src/Util/Log.cs::Log.Write 2-2 `public static void Write(string s)`
        module::src/Base.cs::Shop 1-1 `namespace Shop.Core`
        module::src/Base.cs::Shop.Core 1-1 `namespace Shop.Core`
        module::src/Cart.cs::Shop 3-23 `namespace Shop.Core`
        module::src/Cart.cs::Shop.Core 3-23 `namespace Shop.Core`
        test::tests/CartTests.cs::CartTests.Totals 3-4 `public void Totals()` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        src/Cart.cs Shop.Core.Cart implements -> src/Cart.cs Shop.Core.IItem @[5]
        src/Cart.cs Shop.Core.Cart inherits -> src/Base.cs Shop.Core.Base @[5]
        tests/CartTests.cs CartTests.Totals tests -> src/Cart.cs Shop.Core.Cart @[4]
        tests/CartTests.cs CartTests.Totals tests -> src/Cart.cs Shop.Core.Cart.Cart @[4]
        tests/CartTests.cs CartTests.Totals tests -> src/Cart.cs Shop.Core.Cart.Total @[4]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn constructors_run_each_other_and_those_of_the_base() {
    expect![[r#"
        B.cs B.B -> B.cs B.B#2 @[5]
        B.cs B.B#2 -> B.cs Base.Base @[6]
        B.cs B.One -> B.cs B @[7]
        B.cs B.One -> B.cs B.B#2 @[7]
        B.cs B.Other -> B.cs Base @[8]
        B.cs B.Other -> B.cs Base.Base @[8]
    "#]]
    .assert_eq(&testing::calls(
        r#"
//- B.cs
namespace N;
interface IThing {}
class Base { public Base(string s) {} }
class B : Base, IThing {
  public B() : this(1) {}
  public B(int n) : base("x") {}
  static B One() { return new B(2); }
  static Base Other() { return new Base("s"); }
}
"#,
    ));
}

#[test]
fn properties_constants_and_operators_are_members_and_new_makes_what_is_wanted() {
    let fixture = r#"
//- A.cs
namespace N {
  public class A {
    /// The name.
    public string Name { get; set; }
    public B Other => Make();
    private int Count { get { return Help(); } }
    public const int Max = 3;
    public static readonly string Root = "x";
    int plain = 1;
    public static A operator +(A a, A b) { return a; }
    public static implicit operator int(A a) => a.Help();
    public int this[int i] { get { return Help(); } }
    ~A() { Help(); }
    int Help() { return 1; }
    B Make() { B b = new(1); b.Run(); return new(2); }
    B Field = new(3);
    void Use(A x, dynamic d) { x.Other.Run(); Other.Run(); d.Count(); const int local = 1; }
    void Over(int n) {} void Over(string s) {}
    void Call(int n, string s) { Over(n); Over(s); Over("x"); Over(3); }
  }
  public class B { public B(int n) {} public void Run() {} }
}
"#;
    expect![[r#"
        class::A.cs::N.A 2-20 `public class A`
        class::A.cs::N.B 21-21 `public class B`
        constant::A.cs::N.A.Max 7-7 `Max = 3`
        constant::A.cs::N.A.Root 8-8 `Root = "x"`
        method::A.cs::N.A.Call 19-19 `void Call(int n, string s)`
        method::A.cs::N.A.Count 6-6 `private int Count`
        method::A.cs::N.A.Help 14-14 `int Help()`
        method::A.cs::N.A.Make 15-15 `B Make()`
        method::A.cs::N.A.Name 4-4 `public string Name` | The name.
        method::A.cs::N.A.Other 5-5 `public B Other`
        method::A.cs::N.A.Over 18-18 `void Over(int n)`
        method::A.cs::N.A.Over#2 18-18 `void Over(string s)`
        method::A.cs::N.A.Use 17-17 `void Use(A x, dynamic d)`
        method::A.cs::N.A.operator + 10-10 `public static A operator +(A a, A b)`
        method::A.cs::N.A.operator int 11-11 `public static implicit operator int(A a)`
        method::A.cs::N.A.this 12-12 `public int this[int i]`
        method::A.cs::N.A.~A 13-13 `~A()`
        method::A.cs::N.B.B 21-21 `public B(int n)`
        method::A.cs::N.B.Run 21-21 `public void Run()`
        module::A.cs::N 1-22 `namespace N`
    "#]]
    .assert_eq(&testing::definitions(fixture));
    expect![[r#"
        A.cs N.A -> A.cs N.B @[16]
        A.cs N.A -> A.cs N.B.B @[16]
        A.cs N.A.Call -> A.cs N.A.Over @[19]
        A.cs N.A.Call -> A.cs N.A.Over#2 @[19]
        A.cs N.A.Count -> A.cs N.A.Help @[6]
        A.cs N.A.Make -> A.cs N.B @[15]
        A.cs N.A.Make -> A.cs N.B.B @[15]
        A.cs N.A.Make -> A.cs N.B.Run @[15]
        A.cs N.A.Other -> A.cs N.A.Make @[5]
        A.cs N.A.Use -> A.cs N.B.Run @[17]
        A.cs N.A.operator int -> A.cs N.A.Help @[11]
        A.cs N.A.this -> A.cs N.A.Help @[12]
        A.cs N.A.~A -> A.cs N.A.Help @[13]
    "#]]
    .assert_eq(&testing::calls(fixture));
}

#[test]
fn a_method_is_called_on_the_type_it_is_written_for() {
    let found = testing::calls(
        r#"
//- a.cs
namespace N {
  public class P { public int V; }
  public static class PExt {
    public static int Twice(this P p) { return p.V; }
    public static string Shout(this string s) => s;
    public static T Pick<T>(this IEnumerable<T> all) => default;
  }
  class U {
    void Go(P p, string s, List<P> l) { p.Twice(); s.Shout(); new P().Twice(); l.Pick().Twice(); }
  }
}
namespace M {
  using N;
  class W { void Go(P p) { p.Twice(); } }
}
"#,
    );
    expect![[r#"
        a.cs M.W.Go -> a.cs N.PExt.Twice @[14]
        a.cs N.U.Go -> a.cs N.P @[9]
        a.cs N.U.Go -> a.cs N.PExt.Pick @[9] ?2
        a.cs N.U.Go -> a.cs N.PExt.Shout @[9]
        a.cs N.U.Go -> a.cs N.PExt.Twice @[9]
    "#]]
    .assert_eq(&found);
}

#[test]
fn what_a_type_has_of_its_own_comes_before_what_is_written_for_it() {
    let found = testing::calls(
        r#"
//- a.cs
namespace N.U {
  public static class StringUtils {
    public static bool StartsWith(this string s, char c) { return true; }
    public static bool IsShouted(this string s) { return true; }
  }
}
namespace N {
  using N.U;
  public class Use {
    public bool A(string s) { return s.StartsWith("0") && s.IsShouted(); }
    public bool B(Use other) { return other.Path.StartsWith("0"); }
    public string Path { get; set; }
  }
}
"#,
    );
    expect![[r#"
        a.cs N.Use.A -> a.cs N.U.StringUtils.IsShouted @[10]
    "#]]
    .assert_eq(&found);
}

#[test]
fn what_an_interface_alone_calls_is_not_called_on_the_class() {
    let found = testing::calls(
        r#"
//- a.cs
namespace N {
  public interface ICol<T> { void Put(T item); }
  public class Cont : ICol<int> {
    public virtual void Put(object o) {}
    void ICol<int>.Put(int item) {}
  }
  public class Use {
    public void D(Cont c) { c.Put(Five()); }
    public void E(ICol<int> c) { c.Put(5); }
    public int Five() { return 5; }
  }
}
"#,
    );
    expect![[r#"
        a.cs N.Use.D -> a.cs N.Cont.Put @[8]
        a.cs N.Use.D -> a.cs N.Use.Five @[8]
        a.cs N.Use.E -> a.cs N.ICol.Put @[9]
    "#]]
    .assert_eq(&found);
}

#[test]
fn every_part_of_a_type_extends_what_one_part_does() {
    let found = testing::imports_and_bases(
        r#"
//- a.cs
namespace N { public class Base { public virtual void Go() {} } }
//- b.cs
namespace N { public partial class Text : Base { } }
//- c.cs
namespace N { public partial class Text { public override void Go() {} } }
"#,
    );
    expect![[r#"
        b.cs N.Text inherits -> a.cs N.Base @[1]
        c.cs N.Text inherits -> a.cs N.Base @[]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_bracket_may_be_split_by_the_preprocessor() {
    let found = testing::calls(
        r#"
//- b.cs
namespace M {
  public class Base { public virtual int? Num() { return 1; } }
  public partial class Text : Base {
    public void First(bool a) {
#if HAVE_X
      if (a)
      {
#else
      if (!a) {
#endif
      }
    }
    public override int? Num() { return 2; }
  }
  public class UseIt { public void Go() { Text t = new Text(); t.Num(); } }
}
"#,
    );
    expect![[r#"
        b.cs M.UseIt.Go -> b.cs M.Text @[15]
        b.cs M.UseIt.Go -> b.cs M.Text.Num @[15]
    "#]]
    .assert_eq(&found);
}

#[test]
fn what_could_not_be_read_may_have_what_its_base_has() {
    let found = testing::calls(
        r#"
//- a.cs
namespace M {
  public class Base { public virtual int Num() { return 1; } }
  public class UseIt { public void Go(Text t, Whole w) {
    t.Num();
    w.Num();
  } }
  public class Whole : Base { }
}
//- b.cs
namespace M {
  public class Text : Base {
    public void First(bool a) { if (a) { }
    } } }
    public override int Num() { return 2; }
    public class { void ( }}}
"#,
    );
    expect![[r#"
        a.cs M.UseIt.Go -> a.cs M.Base.Num @[4 ?2, 5]
    "#]]
    .assert_eq(&found);
}
