//! Traces of real runs lead to the code that they went through. Each fixture holds a small program and what it printed when it
//! failed on another machine.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn traced(text: &str) -> (Fixture, Value) {
    let fixture = Fixture::new(m1nd_tools::surface(), text);
    fixture.call("ingest", json!({}));
    let log = std::fs::read_to_string(fixture.root().join("trace.log")).unwrap();
    let reply = fixture.call("trace", json!({"error_text": log}));
    assert!(!reply.is_error, "{}", reply.text());
    (fixture, reply.body)
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

fn words_of<'v>(rows: &'v Value, field: &str) -> Vec<&'v str> {
    rows.as_array().unwrap().iter().map(|row| row[field].as_str().unwrap()).collect()
}

/// The chain of calls, the frames of the repository, and what is suspected first.
fn check(text: &str, language: &str, chain: &[&str], frames: u64, first: &str) {
    let (_fixture, found) = traced(text);
    assert_eq!(found["language"], language, "{found}");
    assert_eq!(words(&found["causal_chain"]), chain, "{found}");
    assert_eq!(found["frames_mapped"], frames, "{found}");
    assert_eq!(found["suspects"][0]["node_id"], first, "{found}");
    let unmapped = found["unmapped_frames"].as_array().unwrap();
    assert!(unmapped.iter().all(|frame| frame["why"] == "outside"), "{found}");
}

#[test]
fn a_suspect_is_the_last_to_go_and_no_budget_is_exceeded() {
    let (fixture, whole) = traced(include_str!("traces/python.txt"));
    let log = std::fs::read_to_string(fixture.root().join("trace.log")).unwrap();
    let ask = |room: usize| fixture.call("trace", json!({"error_text": log, "max_chars": room}));
    for room in [500, 520, 560, 620, 800, 1_500] {
        let reply = ask(room);
        let least = reply.body["error"]["detail"]["least"].as_u64();
        let reply = least.map_or(reply, |least| ask(usize::try_from(least).unwrap()));
        assert!(
            reply.text().len() <= room.max(least.unwrap_or_default() as usize),
            "{room}: {}",
            reply.text()
        );
        assert!(least.is_none_or(|least| least > room as u64 && least < 700), "{least:?}");
        assert_eq!(reply.body["suspects"][0]["node_id"], whole["suspects"][0]["node_id"], "{}", reply.text());
    }
}

#[test]
fn python() {
    check(
        include_str!("traces/python.txt"),
        "python",
        &["app.py", "main", "OrderBook.place", "OrderBook.total", "price_of"],
        7,
        "function::store/prices.py::price_of",
    );
}

#[test]
fn rust() {
    check(
        include_str!("traces/rust.txt"),
        "rust",
        &["main", "Shop.price", "Shop.cost"],
        4,
        "method::src/shop.rs::Shop.cost",
    );
}

#[test]
fn javascript() {
    check(
        include_str!("traces/javascript.txt"),
        "javascript",
        &["main.mjs", "checkout", "Cart.total", "priceOf"],
        5,
        "function::lib/price.mjs::priceOf",
    );
}

#[test]
fn go() {
    check(
        include_str!("traces/go.txt"),
        "go",
        &["main", "Book.Total", "each", "Book.priceOf"],
        6,
        "method::book/book.go::Book.priceOf",
    );
}

#[test]
fn java() {
    check(
        include_str!("traces/java.txt"),
        "java",
        &["Main.main", "Book.price", "Book.Till.sum"],
        5,
        "method::com/example/desk/Book.java::Book.Till.sum",
    );
}

#[test]
fn address_sanitizer() {
    check(
        include_str!("traces/asan.txt"),
        "c",
        &["main", "desk.Shop.place", "desk.Shop.price", "desk.Shop.cost"],
        6,
        "method::src/shop.cc::desk.Shop.cost",
    );
}

#[test]
fn gdb() {
    check(
        include_str!("traces/gdb.txt"),
        "c",
        &["main", "desk.Shop.price", "desk.Shop.cost"],
        4,
        "method::src/shop.cc::desk.Shop.cost",
    );
}

/// Traces that belong together, or come one after the other in a log: how many failures there are, what the last one was called and what
/// caused it.
fn check_log(text: &str, failures: u64, message: &str, cause: &str, frames: u64, first: &str) -> Value {
    let (_fixture, found) = traced(text);
    assert_eq!(found["failures"], failures, "{found}");
    assert!(found["message"].as_str().unwrap().contains(message), "{found}");
    let said = found["root_cause"].as_str().unwrap_or_default();
    assert!(said.contains(cause) && said.is_empty() == cause.is_empty(), "{found}");
    assert_eq!(found["frames_mapped"], frames, "{found}");
    assert_eq!(found["suspects"][0]["node_id"], first, "{found}");
    assert!(
        found["unmapped_frames"].as_array().unwrap().iter().all(|frame| frame["why"] == "outside"),
        "{found}"
    );
    found
}

#[test]
fn of_chained_exceptions_the_first_cause_counts_and_of_a_log_the_last_failure() {
    let found = check_log(
        include_str!("traces/python_chained.txt"),
        2,
        "RuntimeError: the day is not closed",
        "KeyError: 'gbp'",
        9,
        "function::desk/rates.py::rate_of",
    );
    assert_eq!(words(&found["causal_chain"]), ["run.py", "main", "close", "Ledger.book", "rate_of"]);
    // What failed earlier is a suspect, too.
    let suspects = found["suspects"].as_array().unwrap();
    assert!(suspects.iter().any(|one| one["node_id"] == "function::run.py::warm_up"), "{found}");
}

#[test]
fn the_parts_of_an_exception_group_are_its_causes() {
    check_log(
        include_str!("traces/python_group.txt"),
        1,
        "ExceptionGroup: unhandled errors",
        "TypeError: unsupported operand",
        9,
        "method::desk/ledger.py::Ledger.book",
    );
}

#[test]
fn an_asynchronous_stack_and_its_cause() {
    let found = check_log(
        include_str!("traces/javascript_async.txt"),
        2,
        "Error: cannot price salt",
        "RangeError: no row salt",
        14,
        "method::lib/store.mjs::Store.read",
    );
    assert_eq!(words(&found["causal_chain"]), ["main.mjs", "Service.total", "Service.price", "Store.read"]);
}

#[test]
fn java_s_causes_come_first_and_what_was_suppressed_last() {
    let found = check_log(
        include_str!("traces/java_suppressed.txt"),
        2,
        "IllegalArgumentException: bad order",
        "NullPointerException",
        18,
        "method::com/example/bank/Account.java::Account.sum",
    );
    let suspects = words_of(&found["suspects"], "node_id");
    assert!(suspects.contains(&"method::com/example/bank/Account.java::Account.Lock.close"), "{found}");
}

#[test]
fn panics_of_tests_and_of_a_thread_that_another_waits_for() {
    let found = check_log(
        include_str!("traces/rust_tests.txt"),
        3,
        "Any { .. }",
        "ParseIntError",
        11,
        "function::src/count.rs::parse",
    );
    let suspects = words_of(&found["suspects"], "node_id");
    assert!(suspects.contains(&"method::src/count.rs::Drawer.at"), "{found}");
}

#[test]
fn inlined_frames_and_threads_of_native_code() {
    check_log(
        include_str!("traces/asan_inlined.txt"),
        1,
        "heap-use-after-free",
        "",
        11,
        "function::src/ring.cc::shop.cost",
    );
    check_log(
        include_str!("traces/gdb_threads.txt"),
        1,
        "received signal SIGSEGV",
        "",
        5,
        "function::src/ring.cc::shop.each",
    );
}

#[test]
fn a_panic_that_was_caught_and_thrown_again_is_followed_to_its_beginning() {
    let last = "function::queue/queue.go::Last";
    let message = "panic: runtime error: index out of range [-1]";
    check_log(include_str!("traces/go_recovered.txt"), 1, message, "", 8, last);
    check_log(include_str!("traces/go_test.txt"), 1, message, "", 4, last);
}

#[test]
fn a_line_that_moved_since_is_found_by_the_function() {
    let moved =
        include_str!("traces/python.txt").replace("PRICES = {", "# one\n# two\n# three\n# four\nPRICES = {");
    let (_fixture, found) = traced(&moved);
    let first = &found["suspects"][0];
    assert_eq!(
        (&first["node_id"], &first["moved"]),
        (&json!("function::store/prices.py::price_of"), &json!(true))
    );
}

#[test]
fn what_compilers_and_runners_print_leads_to_its_places() {
    let fixture = Fixture::new(m1nd_tools::surface(), include_str!("traces/python.txt"));
    fixture.call("ingest", json!({}));
    let ask = |text: &str| fixture.call("trace", json!({"error_text": text}));
    let found = ask("store/prices.py:5: TypeError: bad\n").body;
    assert_eq!(found["suspects"][0]["node_id"], "function::store/prices.py::price_of", "{found}");
    let found = ask("error: something\n  --> store/orders.py:12:5\n").body;
    assert_eq!(found["suspects"][0]["node_id"], "method::store/orders.py::OrderBook.place", "{found}");
    let found = ask("Traceback (most recent call last):\n  File \"/usr/lib/python3/json/decoder.py\", line 3, in raw_decode\nValueError: no\n").body;
    assert_eq!(
        (&found["frames_mapped"], &found["next_suggested_tool"]),
        (&json!(0), &json!("seek")),
        "{found}"
    );
    let installed = "Traceback (most recent call last):\n  File \"/x/site-packages/store/prices.py\", line 5, in price_of\nValueError: no\n";
    let found = ask(installed).body;
    assert_eq!(found["suspects"][0]["node_id"], "function::store/prices.py::price_of", "{found}");
    let refused = ask("it does not work");
    assert!(refused.is_error && refused.text().contains("no stack frame"));
    assert!(ask("").is_error);
}

#[test]
fn where_lines_moved_a_frame_that_names_a_method_leads_to_it() {
    let text = "//- go.mod\nmodule example.com/m\n\ngo 1.19\n//- promql/engine.go\npackage promql\n\ntype query struct{}\n\ntype other struct{}\n\nfunc (q *query) String() string {\n\treturn \"q\"\n}\n\nfunc (o *other) Exec() int {\n\treturn 1\n}\n\nfunc (q *query) Exec() int {\n\treturn 2\n}\n\nfunc Run() int {\n\treturn (&query{}).Exec()\n}\n";
    let fixture = Fixture::new(m1nd_tools::surface(), text);
    fixture.call("ingest", json!({}));
    let mapped = |line: u32| {
        let trace = format!(
            "panic: boom\n\ngoroutine 1 [running]:\nexample.com/m/promql.(*query).Exec(0x0)\n\t/app/promql/engine.go:{line} +0x1d\n"
        );
        let reply = fixture.call("trace", json!({"error_text": trace}));
        let first = &reply.body["suspects"][0];
        (first["node_id"].as_str().unwrap_or_default().to_owned(), first["moved"] == true)
    };
    let exec = "method::promql/engine.go::query.Exec".to_owned();
    // In another function, in one of the same name, and where it says.
    assert_eq!(mapped(8), (exec.clone(), true));
    assert_eq!(mapped(12), (exec.clone(), true));
    assert_eq!(mapped(16), (exec, false));
}

#[test]
fn frames_of_a_stored_copy_of_this_repository_lead_to_its_own_files() {
    let go = "//- go.mod\nmodule github.com/gin-gonic/gin\n\ngo 1.21\n//- context.go\npackage gin\n\ntype Context struct{}\n\nfunc (c *Context) Next() {\n\tpanic(1)\n}\n//- trace.log\npanic: 1\n\ngoroutine 1 [running]:\ngithub.com/gin-gonic/gin.(*Context).Next(0xc000)\n\t/home/u/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go:6 +0x1d\ngithub.com/other/lib.Run(0x1)\n\t/home/u/go/pkg/mod/github.com/other/lib@v1.0.0/context.go:9 +0x1d\n";
    let (_fixture, found) = traced(go);
    assert_eq!(found["frames_mapped"], 1, "{found}");
    assert_eq!(found["suspects"][0]["node_id"], "method::context.go::Context.Next", "{found}");
    let rust = "//- Cargo.toml\n[workspace]\nmembers = [\"crates/searcher\"]\n//- crates/searcher/Cargo.toml\n[package]\nname = \"grep-searcher\"\n//- crates/searcher/src/lib.rs\npub fn search(x: u8) -> u8 {\n    x / 0\n}\n//- trace.log\nthread 'main' panicked at /home/u/.cargo/registry/src/index-6f17d22bba15001f/grep-searcher-0.1.13/src/lib.rs:2:5:\nattempt to divide by zero\n";
    let (_fixture, found) = traced(rust);
    assert_eq!(found["suspects"][0]["node_id"], "function::crates/searcher/src/lib.rs::search", "{found}");
}

#[test]
fn a_stale_line_of_an_overloaded_method_leads_to_the_nearest_of_its_name() {
    let text = "//- a/Order.java\npackage a;\nclass Order {\n    int add(int x) {\n        return x;\n    }\n    int add(String x) {\n        return 1;\n    }\n    int total() {\n        int sum = 0;\n        return sum;\n    }\n}\nclass Other {\n    int total() { return 2; }\n    int add(int x) { return 3; }\n}\n//- trace.log\njava.lang.IllegalStateException: no\n\tat a.Order.add(Order.java:11)\n\tat a.Order.total(Order.java:10)\n";
    let (_fixture, found) = traced(text);
    let first = &found["suspects"][0];
    // Line 11 is in `total` now; of both methods of the name the second is nearer.
    assert_eq!(
        (&first["node_id"], &first["moved"], &first["at"]),
        (&json!("method::a/Order.java::Order.add#2"), &json!(true), &json!("a/Order.java:6")),
        "{found}"
    );
    assert_eq!(words(&found["causal_chain"]), ["Order.total", "Order.add"], "{found}");
    let text = "//- app.py\nclass A:\n    def get(self):\n        return 1\n\n\nclass B:\n    def get(self):\n        return 2\n\n\ndef other():\n    return 3\n//- trace.log\nTraceback (most recent call last):\n  File \"app.py\", line 12, in get\n    return 2\nValueError: no\n";
    let (_fixture, found) = traced(text);
    let first = &found["suspects"][0];
    assert_eq!(
        (&first["node_id"], &first["moved"]),
        (&json!("method::app.py::B.get"), &json!(true)),
        "{found}"
    );
}

#[test]
fn of_two_functions_on_one_line_the_named_one_did_not_move() {
    let text = "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/lib.rs\npub trait T { fn one(&self) { panic!() } fn two(&self) {} }\n//- trace.log\nthread 'main' panicked at src/lib.rs:1:30:\nexplicit panic\nstack backtrace:\n   0: m::T::one\n             at ./src/lib.rs:1:30\n";
    let (_fixture, found) = traced(text);
    let first = &found["suspects"][0];
    assert_eq!(first["node_id"], "method::src/lib.rs::T.one", "{found}");
    assert_ne!(first["moved"], true, "{found}");
}
