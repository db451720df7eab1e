//! A small repository whose changes are reviewed, and what a review says in short.

#![allow(dead_code, clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

#[path = "commits.rs"]
pub mod commits;

use commits::{ANN, Says, commit};

pub const LIB: &str = "def greet(name):\n    return name\n\ndef part(name):\n    return name\n\ndef lonely(x):\n    return x\n\nclass Helper:\n    pass\n";
pub const APP: &str = "from lib import greet, part\n\ndef run():\n    greet('a')\n    part('b')\n";
pub const TESTS: &str = "from app import run\n\ndef test_run():\n    run()\n";

/// One commit with these files, ingested.
pub fn committed_files(files: &[(&str, &str)]) -> Fixture {
    let text: String = files.iter().map(|(path, text)| format!("//- {path}\n{text}")).collect();
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    commit(fixture.root(), ANN, files);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

/// Ann wrote all of it, Bob changed the library last.
pub fn committed() -> Fixture {
    let files = [("lib.py", LIB), ("app.py", APP), ("test_app.py", TESTS)];
    let text: String = files.iter().map(|(path, text)| format!("//- {path}\n{text}")).collect();
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    let old = format!("{LIB}# old\n");
    commit(fixture.root(), ANN, &[("lib.py", &old), files[1], files[2]]);
    commit(fixture.root(), Says("Bob", ANN.1, ANN.2), &files);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

pub fn review(fixture: &Fixture, arguments: Value) -> Value {
    let reply = fixture.call("review", arguments);
    assert!(!reply.is_error, "{}", reply.text());
    reply.body
}

pub fn shown(body: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    body["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let places = one["places"].as_array().into_iter().flatten().map(word).collect::<Vec<_>>();
            format!(
                "{} {} {} {}",
                word(&one["severity"]),
                word(&one["kind"]),
                word(&one["at"]),
                places.join(" ")
            )
            .trim_end()
            .to_owned()
        })
        .collect()
}
