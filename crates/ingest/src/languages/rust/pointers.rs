//! What is asked of a counted pointer, and what of the value behind it: text in, text out.

use crate::testing::calls;

#[test]
fn a_copy_of_a_counted_pointer_does_not_run_the_clone_of_its_value() {
    let found = calls(
        r#"
//- Cargo.toml
[package]
name = "a"
//- src/lib.rs
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, Weak};

pub struct Cart { items: Vec<Item> }
pub struct Item;

impl Clone for Cart {
    fn clone(&self) -> Self { Cart { items: Vec::new() } }
}
impl Cart {
    pub fn total(&self) -> u32 { 0 }
    pub fn shared(self: Arc<Self>) -> Arc<Self> { self.total(); self.clone() }
    pub fn plain(&self) -> Cart { self.clone() }
    pub fn first(&self) -> &Item { &self.items[0] }
}
impl Item { pub fn price(&self) -> u32 { 1 } }

pub struct Shop { cart: Arc<Cart>, other: Option<Rc<Cart>>, by: Arc<HashMap<String, Cart>> }

pub fn pointers(a: Arc<Cart>, b: &Rc<Cart>, shop: &Shop, w: &Weak<Cart>, c: Cow<'_, Cart>) {
    a.clone().total();
    b.clone().total();
    shop.cart.clone().total();
    shop.other.as_ref().unwrap().clone().total();
    Arc::clone(&a).total();
    w.upgrade().unwrap().clone().total();
    c.clone().total();
    let made = Arc::new(Cart { items: Vec::new() });
    made.clone().total();
    a.first().price();
    a.items[0].price();
    shop.by["x"].total();
}

pub fn values(a: &Cart, b: Box<Cart>, c: &Arc<Mutex<Cart>>) {
    a.clone();
    b.clone();
    (*Arc::new(1)).clone();
    c.lock().unwrap().clone();
    let handler: Arc<dyn Fn() -> Cart> = todo!();
    handler().total();
}
"#,
    );
    assert_eq!(
        found,
        "src/lib.rs Cart.plain -> src/lib.rs Cart.clone @[15]\n\
         src/lib.rs Cart.shared -> src/lib.rs Cart.total @[14]\n\
         src/lib.rs pointers -> src/lib.rs Cart.first @[32]\n\
         src/lib.rs pointers -> src/lib.rs Cart.total @[23, 24, 25, 26, 27, 28, 29, 31, 34]\n\
         src/lib.rs pointers -> src/lib.rs Item.price @[32, 33]\n\
         src/lib.rs values -> src/lib.rs Cart.clone @[38, 39, 41]\n\
         src/lib.rs values -> src/lib.rs Cart.total @[43]\n"
    );
}
