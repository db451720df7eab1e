//! A small repository for the tools to work on.

use std::sync::OnceLock;

use m1nd_runtime::Registry;
use m1nd_testkit::Fixture;

#[allow(dead_code)]
pub fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| Registry::new(m1nd_tools::TOOLSETS))
}

pub fn fixture() -> Fixture {
    Fixture::new(
        m1nd_tools::surface(),
        r#"
//- src/main.rs
fn main() {
    println!("{}", greet("you"));
}

fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}
//- src/lib.rs
//! Nothing here calls main.
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}
//- docs/guide.md
# Guide
Run `main` and be greeted.
//- .env
TOKEN=do-not-read
"#,
    )
}

/// The same with its graph.
#[allow(dead_code)]
pub fn ingested() -> Fixture {
    let fixture = fixture();
    let reply = fixture.call("ingest", serde_json::json!({}));
    assert_eq!(reply.body["state"], "done", "{}", reply.text());
    fixture
}
