//! What is read from C, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn a_call_needs_a_declaration_in_sight_and_linkage() {
    check(
        r#"
//- include/shop/cart.h
#ifndef CART_H
#define CART_H
struct item { int price; };
typedef struct cart { struct item *first; int (*on_add)(int); } cart;
int cart_total(const cart *c);
static inline int twice(int n) { return n * 2; }
#define SQUARE(x) ((x) * (x))
#endif
//- src/cart.c
#include <stdio.h>
#include "shop/cart.h"
static int helper(struct item *i) { return i->price; }
int cart_total(const cart *c) {
    printf("x");
    c->on_add(1);
    return helper(c->first) + twice(SQUARE(2));
}
int strlen(const char *s) { return 0; }
//- src/main.c
#include "shop/cart.h"
#include <string.h>
static int helper(void) { return 1; }
int main(void) {
    cart c;
    cart_total(&c);
    strlen("x");
    hidden();
    return helper();
}
//- src/hidden.c
int hidden(void) { return 1; }
"#,
        expect![[r#"
            src/cart.c cart_total -> include/shop/cart.h SQUARE @[7]
            src/cart.c cart_total -> include/shop/cart.h twice @[7]
            src/cart.c cart_total -> src/cart.c helper @[7]
            src/main.c main -> src/cart.c cart_total @[6]
            src/main.c main -> src/main.c helper @[9]
        "#]],
    );
}

#[test]
fn functions_for_several_systems_are_all_meant() {
    let found = testing::calls(
        r#"
//- x.c
#ifdef _WIN32
static int plat(void) { return 1; }
#else
static int plat(void) { return 2; }
#endif
int run(void) { return plat(); }
"#,
    );
    assert_eq!(found, "x.c run -> x.c plat @[6] ?2\nx.c run -> x.c plat#2 @[6] ?2\n");
}
