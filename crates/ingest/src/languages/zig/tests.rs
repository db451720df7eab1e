//! What is read from Zig, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- src/util.zig
pub fn log(text: []const u8) void {
    _ = text;
}
pub const Item = struct {
    pub fn price(self: Item) u32 {
        return 1;
    }
};
//- src/main.zig
const std = @import("std");
const util = @import("util.zig");
const Item = util.Item;
/// A cart.
pub const Cart = struct {
    best: Item,
    pub fn init(n: u32) Cart {
        return Cart{ .best = undefined };
    }
    pub fn total(self: *Cart, item: Item) u32 {
        helper();
        item.price();
        self.best.price();
        util.log("x");
        self.other();
        std.debug.print("x", .{});
        return 1;
    }
    fn other(self: *Cart) void {}
};
fn helper() void {}
pub fn main() !void {
    var cart = Cart.init(1);
    _ = cart.total(undefined);
}
test "totals" {
    helper();
}
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        src/main.zig Cart.total -> src/main.zig Cart.other @[15]
        src/main.zig Cart.total -> src/main.zig helper @[11]
        src/main.zig Cart.total -> src/util.zig Item.price @[12, 13]
        src/main.zig Cart.total -> src/util.zig log @[14]
        src/main.zig main -> src/main.zig Cart.init @[23]
        src/main.zig main -> src/main.zig Cart.total @[24]
        src/main.zig totals -> src/main.zig helper @[27]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        constant::src/main.zig::Item 3-3 `const Item = util.Item`
        function::src/main.zig::helper 21-21 `fn helper() void`
        function::src/main.zig::main 22-25 `pub fn main() !void` (entry)
        function::src/util.zig::log 1-3 `pub fn log(text: []const u8) void`
        method::src/main.zig::Cart.init 7-9 `pub fn init(n: u32) Cart`
        method::src/main.zig::Cart.other 19-19 `fn other(self: *Cart) void`
        method::src/main.zig::Cart.total 10-18 `pub fn total(self: *Cart, item: Item) u32`
        method::src/util.zig::Item.price 5-7 `pub fn price(self: Item) u32`
        struct::src/main.zig::Cart 5-20 `pub const Cart` | A cart.
        struct::src/util.zig::Item 4-8 `pub const Item`
        test::src/main.zig::totals 26-28 `test "totals"` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        src/main.zig imports -> src/util.zig @[2]
        src/main.zig totals tests -> src/main.zig helper @[27]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}

#[test]
fn a_file_may_be_a_struct() {
    let fixture = r#"
//- src/Analyser.zig
const std = @import("std");
const Analyser = @This();
const Store = @import("store.zig").Store;
store: *Store,
depth: u32,
pub fn init(n: u32) Analyser {
    return .{ .depth = n };
}
pub fn resolve(self: *Analyser) void {
    self.step();
    self.store.load();
}
fn step(analyser: *const Analyser) void {
    _ = analyser;
}
pub fn free(n: u32) void {}
//- src/store.zig
pub const Store = struct {
    pub fn load(self: *Store) void {}
};
//- src/lib.zig
pub const Analyser = @import("Analyser.zig");
//- src/main.zig
const Analyser = @import("Analyser.zig");
const lib = @import("lib.zig");
const Builder = struct {
    analyser: *Analyser,
    inline_one: @import("Analyser.zig"),
};
fn one(a: *Analyser, b: Builder, c: lib.Analyser) void {
    a.resolve();
    b.analyser.resolve();
    b.inline_one.resolve();
    c.resolve();
}
fn made() void {
    var a = Analyser.init(1);
    a.resolve();
}
"#;
    expect![[r#"
        src/Analyser.zig resolve -> src/Analyser.zig step @[10]
        src/Analyser.zig resolve -> src/store.zig Store.load @[11]
        src/main.zig made -> src/Analyser.zig init @[14]
        src/main.zig made -> src/Analyser.zig resolve @[15]
        src/main.zig one -> src/Analyser.zig resolve @[8, 9, 10, 11]
    "#]]
    .assert_eq(&testing::calls(fixture));
    let methods = testing::definitions(fixture);
    let methods: Vec<&str> = methods.lines().filter(|line| line.contains("Analyser.zig")).collect();
    expect![[r#"
        constant::src/Analyser.zig::Analyser 2-2 `const Analyser = @This()`
        constant::src/Analyser.zig::Store 3-3 `const Store = @import("store.zig").Store`
        function::src/Analyser.zig::free 16-16 `pub fn free(n: u32) void`
        function::src/Analyser.zig::init 6-8 `pub fn init(n: u32) Analyser`
        method::src/Analyser.zig::resolve 9-12 `pub fn resolve(self: *Analyser) void`
        method::src/Analyser.zig::step 13-15 `fn step(analyser: *const Analyser) void`"#]]
    .assert_eq(&methods.join("\n"));
}

#[test]
fn a_value_written_as_its_type_has_the_methods_of_it() {
    expect![[r#"
        a.zig close -> a.zig S.close @[8, 12, 13]
        a.zig close -> u.zig Other.close @[10]
    "#]]
    .assert_eq(&testing::calls(
        r#"
//- u.zig
pub const Other = struct {
    pub fn close(self: Other) void {}
};
//- a.zig
const u = @import("u.zig");
const S = struct {
    n: u32 = 0,
    fn close(self: S) void {}
};
test "close" {
    const s = S{};
    s.close();
    var o = u.Other{};
    o.close();
    const t: S = .{ .n = 1 };
    t.close();
    (S{ .n = 1 }).close();
}
"#,
    ));
}

#[test]
fn a_test_is_not_called_by_its_name() {
    let found = testing::calls(
        r#"
//- a.zig
const std = @import("std");
pub fn addAll(a: u32) u32 { return a; }
pub const T = struct { pub fn weigh(self: T) u32 { return 1; } };
test "addAll works" { _ = addAll(1); const t = T{}; _ = t.weigh(); }
test addAll { _ = addAll(2); }
test "weigh" { var x = make(); x.weigh(); }
"#,
    );
    expect![[r#"
        a.zig addAll -> a.zig addAll @[5]
        a.zig addAll works -> a.zig T.weigh @[4]
        a.zig addAll works -> a.zig addAll @[4]
    "#]]
    .assert_eq(&found);
}

#[test]
fn the_title_of_a_test_is_no_name_to_call() {
    let found = testing::calls(
        r#"
//- a.zig
pub fn add(a: u8) u8 {
    return a;
}
test "add" {
    _ = add(1);
    only();
}
test add {
    _ = add(2);
}
test "only" {}
"#,
    );
    assert_eq!(found, "a.zig add -> a.zig add @[5]\na.zig add#2 -> a.zig add @[9]\n");
}

#[test]
fn a_call_after_an_operator_is_a_call() {
    let found = testing::calls(
        r#"
//- a.zig
const M = struct {
    fn m(self: M) bool {
        return true;
    }
};
fn ok() bool {
    return true;
}
fn count() i8 {
    return 1;
}
pub fn main(m: M) void {
    if (!ok()) return;
    assert(!ok());
    _ = -count();
    _ = !m.m();
    _ = &count();
}
"#,
    );
    assert_eq!(
        found,
        "a.zig main -> a.zig M.m @[16]\n\
         a.zig main -> a.zig count @[15, 17]\n\
         a.zig main -> a.zig ok @[13, 14]\n"
    );
}
