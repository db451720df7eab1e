//! What is read from Rust, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn a_builder_chain_is_followed_through_self() {
    check(
        r#"
//- Cargo.toml
[package]
name = "shop"
[dependencies]
shop_core = { path = "core" }
//- core/Cargo.toml
[package]
name = "shop-core"
//- core/src/lib.rs
mod builder;
pub use crate::builder::Command;
//- core/src/builder/mod.rs
mod command;
pub use command::Command;
//- core/src/builder/command.rs
pub struct Command { name: String }
impl Command {
    pub fn new(name: impl Into<String>) -> Self {
        fn new_inner(name: String) -> Command { Command { name } }
        new_inner(name.into())
    }
    pub fn version(mut self, v: &str) -> Self { self }
    pub fn arg(mut self, a: Arg) -> Self { self }
}
//- src/lib.rs
pub use shop_core::*;
//- tests/builder/main.rs
mod one;
//- tests/builder/one.rs
use shop::Command;
#[test]
fn chain() {
    let cmd = Command::new("x").version("1").arg(1);
    cmd.version("2");
}
"#,
        expect![[r#"
            core/src/builder/command.rs Command.new -> core/src/builder/command.rs Command.new.new_inner @[5]
            tests/builder/one.rs chain -> core/src/builder/command.rs Command.arg @[4]
            tests/builder/one.rs chain -> core/src/builder/command.rs Command.new @[4]
            tests/builder/one.rs chain -> core/src/builder/command.rs Command.version @[4, 5]
        "#]],
    );
}
