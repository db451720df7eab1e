//! What is read from C, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn a_call_leads_to_what_is_declared_or_to_the_only_function_of_its_name() {
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
            src/main.c main -> src/hidden.c hidden @[8]
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

#[test]
fn braces_in_branches_leave_later_functions_where_they_are() {
    let fixture = r#"
//- x.c
static int one(int a) {
#ifdef FAST
  if (a) {
#else
  if (other(a) > 1) {
#endif
    helper(a);
  }
#ifdef FAST
  while (a
#else
  while (a > 2
#endif
  ) { helper(1); }
  return a;
}

int two(void) { return one(2); }
static int helper(int a) { return a; }
static int other(int a) { return a; }
"#;
    check(
        fixture,
        expect![[r#"
            x.c one -> x.c helper @[7, 14]
            x.c one -> x.c other @[5]
            x.c two -> x.c one @[18]
        "#]],
    );
    expect![[r#"
        function::x.c::helper 19-19 `static int helper(int a)`
        function::x.c::one 1-16 `static int one(int a)`
        function::x.c::other 20-20 `static int other(int a)`
        function::x.c::two 18-18 `int two(void)`
    "#]]
    .assert_eq(&testing::definitions(fixture));
}

#[test]
fn functions_are_not_inside_others_whatever_macros_hide() {
    let found = testing::calls(
        r#"
//- x.c
#define END }
void helper(void) { }
int one(int a) {
  if (a) { helper(); END
  return a;
}
int two(void) { return one(2); }
int three(void) { return two(); } }
"#,
    );
    assert_eq!(found, "x.c one -> x.c helper @[4]\nx.c three -> x.c two @[8]\nx.c two -> x.c one @[7]\n");
}

#[test]
fn macros_call_what_they_stand_for() {
    check(
        r#"
//- base.h
int near(int a);
#define CALL_NEAR(x) do { \
    near(x); \
    far(near((x))); \
  } while (0)
#define SAME near
#define ONCE near(1)
#define PASTE(f, x) f(x) + pre##f(x) + (x)->far(x) + sizeof(x) + strlen("near(1)")
//- near.c
#include "base.h"
int near(int a) { return a; }
//- far.c
int far(int a) { return a; }
static int strlen(int a) { return a; }
//- main.c
#include "base.h"
int main(void) {
#define LOCAL(x) CALL_NEAR(x)
  LOCAL(2);
}
"#,
        expect![[r#"
            base.h CALL_NEAR -> far.c far @[4] ?1
            base.h CALL_NEAR -> near.c near @[3, 4]
            base.h ONCE -> near.c near @[7]
            main.c LOCAL -> base.h CALL_NEAR @[3]
            main.c main -> main.c LOCAL @[4]
        "#]],
    );
}

#[test]
fn macros_before_and_after_declarations_hide_no_function() {
    check(
        r#"
//- api.h
#define PRINTF(a, b)
LIB_EXTERN int lib_open(const char *name);
int lib_print(const char *fmt, ...)
  LIB_PRINTF(1, 2);
UNITTEST int lib_close(int n);
//- api.c
#include "api.h"
LIB_EXTERN int lib_open(const char *name) { return 1; }
int lib_print(const char *fmt, ...) { return 1; }
UNITTEST int lib_close(int n) { return lib_print("x"); }
static DWORD WINAPI lib_thread(void *ptr) { return lib_close(1); }
//- main.c
#include "api.h"
int main(void) { lib_open("x"); lib_print("x"); return lib_close(1); }
"#,
        expect![[r#"
            api.c lib_close -> api.c lib_print @[4]
            api.c lib_thread -> api.c lib_close @[5]
            main.c main -> api.c lib_close @[2]
            main.c main -> api.c lib_open @[2]
            main.c main -> api.c lib_print @[2]
        "#]],
    );
}

#[test]
fn what_is_included_sees_what_its_includer_sees() {
    check(
        r#"
//- local.h
#define IS_NAN(x) ((x) != (x))
int zero(int n);
//- zero.c
int zero(int n) { return 0; }
//- basic.c
static int inside(int n) { return IS_NAN(n) ? zero(n) : own(n); }
//- quad.c
#include "local.h"
static int own(int n) { return n; }
#include "basic.c"
"#,
        expect![[r#"
            basic.c inside -> local.h IS_NAN @[1]
            basic.c inside -> quad.c own @[1]
            basic.c inside -> zero.c zero @[1]
        "#]],
    );
}

#[test]
fn functions_are_used_in_tables_and_by_assignment() {
    let graph = testing::graph(
        r#"
//- x.c
static int open_it(int n) { return n; }
static int close_it(int n) { return n; }
static int other(int n) { return n; }
struct ops { int (*open)(int); int (*close)(int); };
static const struct ops table = { open_it, .close = &close_it };
int use(struct ops *ops, int n) {
  int (*chosen)(int) = other;
  ops->open = n ? open_it : chosen;
  return n;
}
"#,
    );
    expect![[r#"
        x.c -> x.c close_it @[5]
        x.c -> x.c open_it @[5]
        x.c -> x.c ops @[4, 5]
        x.c use -> x.c open_it @[8]
        x.c use -> x.c ops @[6]
        x.c use -> x.c other @[7]
    "#]]
    .assert_eq(&testing::edges(&graph, &[m1nd_graph::EdgeKind::References]));
}

#[test]
fn calls_stand_where_the_grammar_sees_none() {
    check(
        r#"
//- x.c
static int setup(void) { return 1; }
static int test_one(void) {
  TEST_BEGIN(setup())

  struct item { int n; };
  return 1;
}
"#,
        expect![[r#"
            x.c test_one -> x.c setup @[3]
        "#]],
    );
}

#[test]
fn a_macro_that_stands_for_a_function_in_another_build_does_not_hide_it() {
    check(
        r#"
//- ssl.h
#ifdef USE_SSL
int ssl_init(void);
#else
#define ssl_init() 1
#endif
int ssl_set(int handle, int opt);
#define ssl_set(handle, opt) ssl_set(handle, (opt))
#define ssl_only(x) (x)
//- ssl.c
#include "ssl.h"
int ssl_init(void) { return 0; }
int (ssl_set)(int handle, int opt) { return opt; }
static int ssl_only(int x) { return x; }
//- use.c
#include "ssl.h"
int run(void) {
  ssl_only(1);
  return ssl_init();
}
"#,
        expect![[r#"
            ssl.h ssl_set -> ssl.c ssl_set @[7]
            use.c run -> ssl.c ssl_init @[4] ?2
            use.c run -> ssl.h ssl_init @[4] ?2
            use.c run -> ssl.h ssl_only @[3]
        "#]],
    );
}

#[test]
fn a_function_without_a_declaration_is_meant_where_it_is_the_only_one() {
    check(
        r#"
//- old/main.c
#include <stdio.h>
int main() {
    greet("x");
    twice();
    kept();
    getline();
    MACRO_LIKE(1);
    return 0;
}
//- old/greet.c
greet(char *s) { puts(s); }
static kept() { return 1; }
int getline() { return 1; }
#define MACRO_LIKE(x) (x)
//- old/a.c
int twice() { return 1; }
//- old/b.c
int twice() { return 2; }
//- old/far.c
#include <lib/greet.h>
int far() { greet("y"); return 0; }
//- other/far.c
#include <lib/greet.h>
int farther() { greet("y"); return 0; }
//- other/one.cpp
int one() { greet("y"); return 0; }
"#,
        expect![[r#"
            none
        "#]],
    );
}

#[test]
fn a_macro_that_stands_for_nothing_in_one_build_is_a_function_in_another() {
    check(
        r#"
//- trace.h
#ifdef TRACE
void trace(const char *s);
#else
#define trace(s) do {} while(0)
#endif
void always(void);
#ifndef HAVE_LOCKS
#define lock_it(x)
#define unlock_it(x) ((void)0)
#else
int lock_it(int x);
int unlock_it(int x);
#endif
//- trace.c
#include "trace.h"
void trace(const char *s) {}
int lock_it(int x) { return x; }
int unlock_it(int x) { return x; }
//- main.c
#include "trace.h"
#ifdef LOCAL
static void local(int x) {}
#else
#define local(x) do { } while (0)
#endif
int main(void) {
    trace("x");
    lock_it(1);
    unlock_it(1);
    local(2);
    return 0;
}
"#,
        expect![[r#"
            main.c main -> main.c local @[11]
            main.c main -> trace.c lock_it @[9]
            main.c main -> trace.c trace @[8]
            main.c main -> trace.c unlock_it @[10]
        "#]],
    );
}
