//! What is read from Python, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use m1nd_graph::EdgeKind;

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn methods_are_found_through_annotations_fields_bases_and_reexports() {
    check(
        r#"
//- shop/__init__.py
from ._cart import Cart
//- shop/_base.py
class Base:
    def total(self) -> int:
        return self.count()
    def count(self):
        return 1
//- shop/_cart.py
from typing import Optional, List
from ._base import Base
class Item:
    def price(self) -> int: ...
class Cart(Base):
    """Holds items."""
    def __init__(self, items: Optional[List[Item]] = None):
        self._items = items or []
        self.first = Item()
    def sum(self):
        for item in self._items:
            item.price()
        self.first.price()
        return super().total()
//- app.py
import shop
from shop import Cart
def run(cart: "Cart"):
    cart.sum()
    other = shop.Cart()
    other.total()
    with open("x") as f:
        f.total()
    print("x".price())
"#,
        expect![[r#"
            app.py run -> shop/_base.py Base.total @[6]
            app.py run -> shop/_cart.py Cart @[5]
            app.py run -> shop/_cart.py Cart.__init__ @[5]
            app.py run -> shop/_cart.py Cart.sum @[4]
            shop/_base.py Base.total -> shop/_base.py Base.count @[3]
            shop/_cart.py Cart.__init__ -> shop/_cart.py Item @[9]
            shop/_cart.py Cart.sum -> shop/_base.py Base.total @[14]
            shop/_cart.py Cart.sum -> shop/_cart.py Item.price @[12, 13]
        "#]],
    );
}

#[test]
fn contexts_properties_and_types_of_self_are_followed() {
    check(
        r#"
//- app.py
from typing import TypeVar
T = TypeVar("T", bound="Client")
class Response:
    def json(self): ...
class Base:
    @property
    def last(self) -> Response: ...
class Client(Base):
    def __enter__(self: T) -> T:
        return self
    async def get(self, url) -> Response:
        return self._send(url)
    def _send(self, url):
        return Response()
    @classmethod
    def make(cls):
        return cls()
def use():
    with Client() as client:
        client.last.json()
        client._send("x").json()
    Client.make().get("x")
async def later():
    client = Client()
    (await client.get("x")).json()
    [c.get("y") for c in [client]]
"#,
        expect![[r#"
            app.py Client._send -> app.py Response @[14]
            app.py Client.get -> app.py Client._send @[12]
            app.py Client.make -> app.py Client @[17]
            app.py later -> app.py Client @[24]
            app.py later -> app.py Client.get @[25, 26]
            app.py later -> app.py Response.json @[25]
            app.py use -> app.py Base.last @[20]
            app.py use -> app.py Client @[19]
            app.py use -> app.py Client._send @[21]
            app.py use -> app.py Client.get @[22]
            app.py use -> app.py Client.make @[22]
            app.py use -> app.py Response.json @[20, 21]
        "#]],
    );
}

#[test]
fn library_modules_and_builtins_are_no_edges() {
    check(
        r#"
//- app.py
import json
from os import path
def dumps(x): ...
def join(x): ...
def open(x): ...
def run(f):
    json.dumps({})
    path.join("a")
    "".join([])
    f.read()
    [].append(1)
class Log:
    def append(self, x): ...
    def read(self): ...
    def rotate(self): ...
def maybe(x):
    x.rotate()
"#,
        expect![[r#"
            app.py maybe -> app.py Log.rotate @[17] ?1
        "#]],
    );
}

#[test]
fn a_value_that_a_branch_may_leave_standing_counts() {
    let found = testing::calls(
        r#"
//- a.py
class A:
    def go(self): ...
class B:
    def go(self): ...
def either(flag):
    if flag:
        x = A()
    else:
        x = B()
    x.go()
def perhaps(flag):
    x = A()
    if flag:
        x = B()
        x.go()
    return x.go()
def later():
    x = A()
    x = B()
    x.go()
def same(flag):
    x = A()
    for _ in flag:
        x = A()
    x.go()
"#,
    );
    let of = |name: &str| -> Vec<&str> {
        found
            .lines()
            .filter(|line| line.starts_with(&format!("a.py {name} ")) && line.contains(".go"))
            .collect()
    };
    assert_eq!(of("either"), ["a.py either -> a.py A.go @[10] ?2", "a.py either -> a.py B.go @[10] ?2"]);
    assert_eq!(
        of("perhaps"),
        ["a.py perhaps -> a.py A.go @[16] ?2", "a.py perhaps -> a.py B.go @[15, 16 ?2]"]
    );
    assert_eq!(of("later"), ["a.py later -> a.py B.go @[20]"]);
    assert_eq!(of("same"), ["a.py same -> a.py A.go @[25]"]);
}

#[test]
fn what_branches_define_or_import_may_all_be_meant() {
    check(
        r#"
//- shop/__init__.py
//- shop/fast.py
def total(): return 1
def size(): return 1
//- shop/slow.py
def total(): return 2
//- shop/cart.py
import sys
try:
    from . import fast as impl
except ImportError:
    from . import slow as impl
try:
    from .fast import size
except ImportError:
    def size(): return 2

if sys.platform == "win32":
    def path(): return 1
else:
    def path(): return 2

def again(): return 1
def again(): return 2

class Cart:
    if sys.platform == "win32":
        def open(self): return 1
    else:
        def open(self): return 2

def run(cart: Cart):
    impl.total()
    size()
    path()
    again()
    cart.open()
"#,
        expect![[r#"
            shop/cart.py run -> shop/cart.py Cart.open @[30] ?2
            shop/cart.py run -> shop/cart.py Cart.open#2 @[30] ?2
            shop/cart.py run -> shop/cart.py again#2 @[29]
            shop/cart.py run -> shop/cart.py path @[28] ?2
            shop/cart.py run -> shop/cart.py path#2 @[28] ?2
            shop/cart.py run -> shop/cart.py size @[27] ?2
            shop/cart.py run -> shop/fast.py size @[27] ?2
            shop/cart.py run -> shop/fast.py total @[26] ?2
            shop/cart.py run -> shop/slow.py total @[26] ?2
        "#]],
    );
}

#[test]
fn signatures_have_no_comments_and_constants_of_classes_are_known() {
    expect![[r##"
        class::a.py::K 7-12 `class K(Base)`
        constant::a.py::K.X 8-8 `X: int = 1`
        constant::a.py::K.Y 9-9 `Y = 2`
        function::a.py::a 1-6 `def a( x, y: str = "#", ) -> None`
        method::a.py::K.m 11-12 `def m(self)`
        type::a.py::Alias 13-13 `type Alias = int`
        type::a.py::Pair 14-14 `type Pair[T] = tuple[T, T]`
    "##]]
    .assert_eq(&testing::definitions(
        r##"
//- a.py
def a(
    x,  # the x
    y: str = "#",  # why
) -> None:  # trailing
    # first comment
    pass
class K(Base):  # noqa
    X: int = 1
    Y = 2
    z: int = 3
    def m(self): # type: ignore
        return self.X
type Alias = int
type Pair[T] = tuple[T, T]
"##,
    ));
}

#[test]
fn a_constant_of_a_class_is_what_it_is_given() {
    check(
        r#"
//- a.py
class Log:
    def write(self): pass
class App:
    LOG = Log()
    OTHER: Log = make()
    def run(self):
        self.LOG.write()
        App.OTHER.write()
class Sub(App):
    def go(self):
        self.LOG.write()
"#,
        expect![[r#"
            a.py App -> a.py Log @[4]
            a.py App.run -> a.py Log.write @[7, 8]
            a.py Sub.go -> a.py Log.write @[11]
        "#]],
    );
}

/// One certain call does not make another one certain.
#[test]
fn each_line_of_a_call_says_how_it_is_known() {
    let found = testing::calls(
        r#"
//- a.py
class Reply:
    def drain_parts(self): ...
def run(x):
    Reply().drain_parts()
    x.drain_parts()
"#,
    );
    expect![[r#"
        a.py run -> a.py Reply @[4]
        a.py run -> a.py Reply.drain_parts @[4, 5 ?1]
    "#]]
    .assert_eq(&found);
}

#[test]
fn what_makes_a_value_and_what_fills_it_both_run() {
    check(
        r#"
//- a.py
class Base:
    def go(self): ...
    def __init__(self): ...
class X(Base):
    def go(self):
        super(X, self).go()
    def __init__(self):
        super(X, self).__init__()
class S:
    def __new__(cls, n):
        return super().__new__(cls)
    def run(self): ...
def use():
    S(1).run()
    X().go()
class T(S):
    def __init__(self, n):
        pass
def again():
    T(1)
"#,
        expect![[r#"
            a.py X.__init__ -> a.py Base.__init__ @[8]
            a.py X.go -> a.py Base.go @[6]
            a.py again -> a.py S.__new__ @[20]
            a.py again -> a.py T @[20]
            a.py again -> a.py T.__init__ @[20]
            a.py use -> a.py S @[14]
            a.py use -> a.py S.__new__ @[14]
            a.py use -> a.py S.run @[14]
            a.py use -> a.py X @[15]
            a.py use -> a.py X.__init__ @[15]
            a.py use -> a.py X.go @[15]
        "#]],
    );
}

#[test]
fn bases_are_asked_in_the_order_of_the_language() {
    check(
        r#"
//- a.py
class Plain: pass
class Field:
    def deconstruct(self): pass
class Related(Plain, Field):
    def deconstruct(self): return super().deconstruct()
class Root:
    def go(self): pass
class Left(Root): pass
class Right(Root):
    def go(self): pass
class Both(Left, Right):
    def run(self):
        self.go()
        super().go()
"#,
        expect![[r#"
            a.py Both.run -> a.py Right.go @[13, 14]
            a.py Related.deconstruct -> a.py Field.deconstruct @[5]
        "#]],
    );
}

#[test]
fn a_package_comes_before_the_folder_of_its_name_around_it() {
    check(
        r#"
//- b/proj/src/proj/__init__.py
from proj._impl import Thing as Thing, go
//- b/proj/src/proj/_impl.py
class Thing:
    def hook(self): pass
def go(t): pass
//- b/proj/examples/ex.py
import proj
class Mine(proj.Thing):
    def hook(self):
        super().hook()
        proj.go(self)
//- b/proj/tests/test_it.py
from proj import Thing
def test_a():
    Thing().hook()
//- lib/tools/__init__.py
//- lib/tools/one.py
def run(): pass
//- lib/app.py
import tools.one
def start(): tools.one.run()
"#,
        expect![[r#"
            b/proj/examples/ex.py Mine.hook -> b/proj/src/proj/_impl.py Thing.hook @[4]
            b/proj/examples/ex.py Mine.hook -> b/proj/src/proj/_impl.py go @[5]
            b/proj/tests/test_it.py test_a -> b/proj/src/proj/_impl.py Thing @[3]
            b/proj/tests/test_it.py test_a -> b/proj/src/proj/_impl.py Thing.hook @[3]
            lib/app.py start -> lib/tools/one.py run @[2]
        "#]],
    );
}

#[test]
fn a_value_that_is_called_runs_its_class() {
    let found = testing::calls(
        r#"
//- a.py
class C:
    def __call__(self): ...
class D(C):
    pass
class H:
    def __init__(self): self.c = C()
    def run(self): self.c()
def f(h: H, d: D):
    C()()
    c = C()
    c()
    d()
    h.c()
"#,
    );
    expect![[r#"
        a.py H.__init__ -> a.py C @[6]
        a.py H.run -> a.py C.__call__ @[7]
        a.py f -> a.py C @[9, 10]
        a.py f -> a.py C.__call__ @[9, 11, 12, 13]
    "#]]
    .assert_eq(&found);
}

#[test]
fn names_that_gather_or_match_hide_those_outside() {
    check(
        r#"
//- a.py
def f(): pass
def g(): pass
def h(): pass
class A:
    def run(self): pass
def w1(*f): f()
def w2(**g): g()
def w3(*f: int, **g: A):
    f()
    g()
    h()
def w4(*each: A):
    for one in each:
        one.run()
def w5(x):
    match x:
        case [f, *g]: f(); g()
def w6(x):
    match x:
        case A(run=f) | {"k": f, **g}:
            f()
            g()
            h()
def w7(x):
    match x:
        case [1, 2] as f: f()
        case a.g: g()
"#,
        expect![[r#"
            a.py w3 -> a.py h @[11]
            a.py w4 -> a.py A.run @[14]
            a.py w6 -> a.py h @[23]
            a.py w7 -> a.py g @[27]
        "#]],
    );
}

#[test]
fn a_field_that_may_be_the_librarys_is_not_certainly_ours() {
    check(
        r#"
//- a.py
import typing
from http.cookiejar import CookieJar

class Cookies:
    def __init__(self, cookies: typing.Union["Cookies", dict, CookieJar, None]):
        if cookies is None:
            self.jar = CookieJar()
            self.own = Own()
        else:
            self.jar = cookies
            self.own = None

    def clear(self):
        self.jar.clear()
        self.own.clear()

class Own:
    def clear(self): pass
"#,
        expect![[r#"
            a.py Cookies.__init__ -> a.py Own @[8]
            a.py Cookies.clear -> a.py Cookies.clear @[14] ?2
            a.py Cookies.clear -> a.py Own.clear @[15]
        "#]],
    );
}

#[test]
fn one_side_of_a_condition_is_not_the_whole_answer() {
    check(
        r#"
//- a.py
class Graph:
    def multi(self): pass
class Multi(Graph):
    def multi(self): pass
def prep(G):
    if G.directed:
        G = Multi()
    return G.multi()
def other_side(G):
    if G.directed:
        G = Multi()
    else:
        G.multi()
def given(graph=None):
    graph = graph or Multi()
    graph.multi()
def first_none(a):
    graph = None
    if a:
        graph = Multi()
    graph.multi()
def in_a_loop(names):
    graph = Multi()
    for name in names:
        graph = graph
    graph.multi()
def made(a):
    if a:
        return Multi()
    return a.graph()
def by_result(a):
    made(a).multi()
"#,
        expect![[r#"
            a.py by_result -> a.py Graph.multi @[32] ?2
            a.py by_result -> a.py Multi.multi @[32] ?2
            a.py by_result -> a.py made @[32]
            a.py first_none -> a.py Multi @[20]
            a.py first_none -> a.py Multi.multi @[21]
            a.py given -> a.py Graph.multi @[16] ?2
            a.py given -> a.py Multi @[15]
            a.py given -> a.py Multi.multi @[16] ?2
            a.py in_a_loop -> a.py Multi @[23]
            a.py in_a_loop -> a.py Multi.multi @[26]
            a.py made -> a.py Multi @[29]
            a.py other_side -> a.py Graph.multi @[13] ?2
            a.py other_side -> a.py Multi @[11]
            a.py other_side -> a.py Multi.multi @[13] ?2
            a.py prep -> a.py Graph.multi @[8] ?2
            a.py prep -> a.py Multi @[7]
            a.py prep -> a.py Multi.multi @[8] ?2
        "#]],
    );
}

#[test]
fn ways_to_call_a_function_are_not_the_function() {
    let fixture = r#"
//- a.py
import typing as t
from typing import overload

@t.overload
def locate(name: None) -> int: ...
@t.overload
def locate(name: str) -> str: ...
# The real one.
def locate(name): return name

class Command:
    @overload
    def main(self, a: int) -> int: ...
    @overload
    def main(self, a: str) -> str: ...
    def main(self, a): return a

class Wanted(t.Protocol):
    @overload
    def only(self, a: int) -> int: ...
    @overload
    def only(self, a: str) -> str: ...

def go(command: Command):
    locate("x")
    command.main(1)
"#;
    check(
        fixture,
        expect![[r#"
            a.py go -> a.py Command.main @[26]
            a.py go -> a.py locate @[25]
        "#]],
    );
    expect![[r#"
        class::a.py::Command 11-16 `class Command`
        class::a.py::Wanted 18-22 `class Wanted(t.Protocol)`
        function::a.py::go 24-26 `def go(command: Command)`
        function::a.py::locate 9-9 `def locate(name)`
        method::a.py::Command.main 16-16 `def main(self, a)`
        method::a.py::Wanted.only 19-20 `def only(self, a: int) -> int`
        method::a.py::Wanted.only#2 21-22 `def only(self, a: str) -> str`
    "#]]
    .assert_eq(&testing::definitions(fixture));
}

#[test]
fn the_innermost_of_variables_functions_and_imports_of_a_name_is_meant() {
    check(
        r#"
//- other.py
def top(): ...
//- a.py
def one(): ...
def two(): ...
top = one
def outer():
    run = one
    def inner():
        def run(): ...
        run()
    def late():
        def run(): ...
        run = two
        run()
    run()
    class Made:
        def run(self): ...
        def go(self):
            run()
def hides():
    def top(): ...
    top()
def brings():
    from other import top
    top()
def sees():
    top()
"#,
        expect![[r#"
            a.py brings -> other.py top @[23]
            a.py hides -> a.py hides.top @[20]
            a.py outer -> a.py one @[13]
            a.py outer.Made.go -> a.py one @[17]
            a.py outer.inner -> a.py outer.inner.run @[8]
            a.py outer.late -> a.py two @[12]
            a.py sees -> a.py one @[25]
        "#]],
    );
}

#[test]
fn super_of_a_named_class_looks_above_that_class() {
    check(
        r#"
//- shop.py
class Root:
    def run(self): pass
    @classmethod
    def make(cls): pass

class Base(Root):
    def run(self): pass
    @classmethod
    def make(cls): pass

class Middle(Base):
    def run(self):
        super(Middle, self).run()

class Leaf(Middle):
    def run(self):
        super(Base, self).run()
        super(Middle, self).run()
        super(Elsewhere, self).run()
        parent = super(Leaf, self)
        parent.run()

    @classmethod
    def make(cls):
        super(Base, cls).make()

class Foreign(Missing.Thing):
    def run(self): pass

class Below(Foreign):
    def run(self):
        super(Foreign, self).run()
"#,
        expect![[r#"
            shop.py Leaf.make -> shop.py Root.make @[25]
            shop.py Leaf.run -> shop.py Base.run @[18]
            shop.py Leaf.run -> shop.py Middle.run @[21]
            shop.py Leaf.run -> shop.py Root.run @[17]
            shop.py Middle.run -> shop.py Base.run @[13]
        "#]],
    );
}

#[test]
fn what_is_caught_is_referred_to() {
    let graph = testing::graph(
        r#"
//- errors.py
class Boom(Exception): ...
class Bang(Exception): ...
class Other(Exception): ...
//- use.py
import errors
from errors import Boom, Bang

def one():
    try:
        pass
    except Boom:
        pass

def two():
    try:
        pass
    except Boom as e:
        pass

def three():
    try:
        pass
    except (Boom, errors.Bang) as e:
        pass
    except errors.Other:
        pass
"#,
    );
    let mut found: Vec<String> = graph
        .edges()
        .filter(|edge| edge.kind == EdgeKind::References && graph.node(edge.source).kind().is_callable())
        .map(|edge| format!("{} {}", graph.node(edge.source).label(), graph.node(edge.target).label()))
        .collect();
    found.sort();
    assert_eq!(found, ["one Boom", "three Bang", "three Boom", "three Other", "two Boom"]);
}

#[test]
fn reading_a_property_runs_its_function() {
    check(
        r#"
//- shop.py
from functools import cached_property
class Base:
    def __init__(self):
        self.plain = 1
    @property
    def total(self): ...
    @total.setter
    def total(self, value): ...
    @cached_property
    def names(self): ...
class Cart(Base):
    @property
    def total(self):
        return super().total + self.plain
    def clear(self):
        self.total = 0
class Other:
    def __init__(self):
        self.total = 1
    def more(self):
        return self.total
//- app.py
from shop import Cart, Other
def use(cart: Cart, other: Other, unknown):
    if cart.total > 1:
        print(cart.names[0], cart.total.real)
    return other.total + unknown.total + cart.plain
"#,
        expect![[r#"
            app.py use -> shop.py Base.names @[4]
            app.py use -> shop.py Cart.total @[3, 4]
            shop.py Cart.total -> shop.py Base.total @[14]
        "#]],
    );
}

#[test]
fn a_module_of_the_package_itself_comes_before_those_of_a_package_that_it_imports_everything_of() {
    check(
        r#"
//- base/__init__.py
from base.lookups import *
//- base/lookups.py
class Transform: pass
//- base/functions/__init__.py
from base.lookups import Transform
def only(): pass
//- geo/__init__.py
from base import *
//- geo/functions.py
class Transform: pass
//- plain/__init__.py
from base import *
//- u.py
from geo import functions
from plain import functions as others
def use():
    functions.Transform()
    others.only()
"#,
        expect![[r#"
            u.py use -> base/functions/__init__.py only @[5]
            u.py use -> geo/functions.py Transform @[4]
        "#]],
    );
}
