//! Claims through the pipeline: what is nowhere, what is all there is, and what a file says that the graph does not know.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

mod common;
use common::{ok, refused};

const REPO: &str = r#"
//- src/limit.py
def drain(queue):
    while len(queue) > 1:
        queue.pop()

def run(queue):
    drain(queue)
//- src/idle.py
from limit import drain

def idle(queue):
    drain(queue)
//- .github/workflows/build.yml
run: make_widget
"#;

struct World {
    fixture: Fixture,
    mission: String,
}

impl World {
    fn new(mode: &str) -> Self {
        let fixture = Fixture::new(m1nd_tools::surface(), REPO);
        ok(&fixture, "ingest", json!({}));
        let begun = ok(&fixture, "mission_start", json!({"goal": "know the queue", "mode": mode}));
        let mission = begun["mission_id"].as_str().unwrap().to_owned();
        Self { fixture, mission }
    }

    fn ask(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["mission_id"] = json!(self.mission);
        ok(&self.fixture, tool, arguments)
    }

    fn seen(&self, tool: &str, arguments: Value) -> Value {
        self.ask(tool, arguments)["mission_event_id"].clone()
    }

    fn claim(&self, text: &str, event: &Value, quote: &str) -> (String, String) {
        let mut arguments = json!({"claim": text, "event_ids": [event]});
        if !quote.is_empty() {
            arguments["outcome"] = json!("supports");
            arguments["quote"] = json!(quote);
        }
        let answer = self.ask("mission_verify", arguments);
        let word = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        (word("verdict"), word("reason"))
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.fixture.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const NEEDS: &str = "needs_direct_evidence";
const VERIFIED: &str = "verified_for_mission";

#[test]
fn what_search_leaves_out_is_looked_into_before_something_is_nowhere() {
    let world = World::new("bug_hunt");
    let nowhere = |word: &str| {
        let event = world.seen("search", json!({"query": word}));
        world.claim(&format!("{word} is nowhere in the repository"), &event, "")
    };
    let (verdict, why) = nowhere("make_widget");
    assert_eq!(verdict, NEEDS);
    assert!(why.contains(r#"view with file_path ".github/workflows/build.yml:1""#), "{why}");
    let shown = ok(&world.fixture, "mission_show", json!({"mission_id": world.mission}));
    assert_eq!(shown["claims"][0]["look_at"], ".github/workflows/build.yml:1", "{shown}");
    let (verdict, why) = nowhere("make_gadget");
    assert_eq!(verdict, VERIFIED, "{why}");
    assert!(why.contains("nor in 1 that search leaves out"), "{why}");
    world.write(".ignore", "src/hidden_away.py\n");
    world.write("src/hidden_away.py", "make_gizmo = 1\n");
    let (verdict, why) = nowhere("make_gizmo");
    assert_eq!(verdict, NEEDS, "{why}");
    world.write("blob.bin", "\0\0make_blob\0");
    let (verdict, why) = nowhere("make_blob");
    assert_eq!(verdict, NEEDS, "{why}");
    world.write(".env", "TOKEN=1\n");
    let (verdict, why) = nowhere("MAKE_OTHER");
    assert_eq!(verdict, NEEDS, "it may be a variable of the environment");
    assert!(why.contains("1 file could not be searched (1 withheld"), "{why}");
    let (verdict, why) = nowhere("make_other_things");
    assert_eq!(verdict, VERIFIED, "no secret is called so: {why}");
    assert!(why.contains("1 were not searched"), "{why}");
    let event = world.seen("search", json!({"query": "make_other"}));
    let (verdict, why) = world.claim("no code has make_other", &event, "");
    assert_eq!(verdict, VERIFIED, "{why}");
    world.write(".later", "make_other\n");
    let gaps = refused(&world.fixture, "mission_close", json!({"mission_id": world.mission}));
    assert!(gaps["detail"]["gaps"].to_string().contains("stale_evidence"), "{gaps}");
}

#[test]
fn all_the_places_of_a_name_are_counted_by_the_runtime() {
    let world = World::new("bug_hunt");
    let calls = world.seen("search", json!({"query": "drain("}));
    let claim = |text: &str| world.claim(text, &calls, "drain(queue)");
    let (verdict, why) = claim("drain is only called by run");
    assert_eq!(verdict, NEEDS);
    assert!(why.contains("src/idle.py:4, too"), "{why}");
    assert_eq!(claim("drain has exactly one caller").0, NEEDS);
    for text in ["drain is only called by run and idle", "drain has exactly two callers"] {
        let (verdict, why) = claim(text);
        assert_eq!(verdict, VERIFIED, "{text}: {why}");
    }
    world.write("src/more.py", "from limit import drain\n\ndrain([])\n");
    let gaps = refused(&world.fixture, "mission_close", json!({"mission_id": world.mission}));
    assert!(gaps["detail"]["gaps"].to_string().contains("as often no more"), "{gaps}");
}

#[test]
fn a_file_that_the_graph_does_not_know_is_named_by_its_end() {
    let world = World::new("bug_hunt");
    let seen = world.seen("view", json!({"file_path": "src/limit.py"}));
    let (verdict, why) = world.claim("build.yml runs drain", &seen, "def drain(queue):");
    assert_eq!(verdict, NEEDS);
    assert!(why.contains("It is about .github/workflows/build.yml"), "{why}");
    let seen = world.seen("view", json!({"file_path": ".github/workflows/build.yml"}));
    let (verdict, why) = world.claim("build.yml runs make_widget", &seen, "run: make_widget");
    assert_eq!(verdict, VERIFIED, "{why}");
}

#[test]
fn a_line_of_another_definition_shows_nothing_of_the_one_that_is_named() {
    let world = World::new("bug_hunt");
    let seen = world.seen("view", json!({"file_path": "src/limit.py"}));
    let (verdict, why) = world.claim("`run` stops at one job", &seen, "while len(queue) > 1:");
    assert_eq!(verdict, NEEDS);
    assert!(why.contains("neither has run nor is a part of it (src/limit.py:5)"), "{why}");
    let (verdict, why) = world.claim("`drain` stops at one job", &seen, "while len(queue) > 1:");
    assert_eq!(verdict, VERIFIED, "{why}");
    let (verdict, why) = world.claim("`run` drains without calling drain", &seen, "def run(queue):");
    assert_eq!(verdict, NEEDS);
    assert!(why.contains("src/limit.py:6 has it"), "{why}");
}

#[test]
fn a_plan_that_was_refused_was_not_checked() {
    let world = World::new("edit");
    let arguments = json!({"actions": "none", "mission_id": world.mission});
    refused(&world.fixture, "validate_plan", arguments);
    let route = ok(&world.fixture, "route_explain", json!({"mission_id": world.mission}));
    let plan = |route: &Value| {
        let needs = route["needs"].as_array().unwrap().clone();
        needs.into_iter().find(|need| need["need"] == "plan checked")
    };
    assert_eq!(plan(&route).unwrap()["done"], false, "{route}");
    world.seen("validate_plan", json!({"actions": [{"action_type": "modify", "file_path": "src/limit.py"}]}));
    let route = ok(&world.fixture, "route_explain", json!({"mission_id": world.mission}));
    assert_eq!(plan(&route).unwrap()["done"], true, "{route}");
}

#[test]
fn a_call_is_of_the_method_that_is_named_with_its_class() {
    let world = World::new("bug_hunt");
    let many: String =
        (0..30).map(|at| format!("class Other{at}:\n    def send(self):\n        pass\n\n")).collect();
    let own = "class Session:\n    def send(self):\n        return hooks()\n";
    world.write("src/other.py", &many);
    world.write("src/session.py", own);
    world.ask("ingest", json!({}));
    let view = world.seen("view", json!({"file_path": "src/session.py"}));
    let (verdict, why) = world.claim("Session.send calls hooks", &view, "    def send(self):");
    assert_eq!(verdict, "verified_for_mission", "{why}");
    let (verdict, why) = world.claim("Session.send calls print", &view, "        return hooks()");
    assert_eq!(verdict, "needs_direct_evidence", "{why}");
    assert!(why.contains("src/session.py:2"), "{why}");
}
