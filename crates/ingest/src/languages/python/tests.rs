//! What is read from Python, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

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
