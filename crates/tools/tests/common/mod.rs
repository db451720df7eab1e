//! A small repository for the tools to work on.

use std::sync::OnceLock;

use m1nd_runtime::Registry;
use m1nd_testkit::Fixture;
use serde_json::Value;

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

/// The way from `greet` to the file that it stands in.
#[allow(dead_code)]
const INSIDE: &str = "rt_ac681f6009";

/// The same with a plan, two tasks, a card, a note, a conflict between two branches, walks, trails and locks.
#[allow(dead_code)]
pub fn remembered() -> Fixture {
    use serde_json::json;
    let fixture = ingested();
    let greeting =
        |title: &str| json!([{"op": "node_upsert", "id": "greeting", "type": "idea", "title": title}]);
    let calls = [
        ("tasks_create", json!({"title": "Greet politely"})),
        (
            "tasks_create",
            json!({
                "title": "Greet by name", "parent": "PLAN-001", "anchors": [{"path": "src/main.rs"}],
                "steps": [
                    {"title": "Write greet", "success_criteria": ["greets by name"], "tests": ["cargo test greet"]},
                    {"title": "Document it", "success_criteria": ["the guide says so"]},
                ],
            }),
        ),
        ("tasks_create", json!({"title": "Say goodbye", "parent": "PLAN-001", "depends_on": ["TASK-001"]})),
        ("tasks_focus_set", json!({"task": "TASK-001"})),
        (
            "branchmind_notes_commit",
            json!({"branch": "main", "doc": "notes", "content": "A greeting is short."}),
        ),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": {"id": "Q1", "type": "question", "title": "Which greeting?"}}),
        ),
        ("branchmind_graph_apply", json!({"branch": "main", "doc": "ideas", "ops": greeting("Hello")})),
        ("branchmind_branch_create", json!({"name": "bold", "from": "main"})),
        ("branchmind_graph_apply", json!({"branch": "bold", "doc": "ideas", "ops": greeting("Hey!")})),
        ("branchmind_graph_apply", json!({"branch": "main", "doc": "ideas", "ops": greeting("Good day")})),
        ("branchmind_graph_merge", json!({"from": "bold", "into": "main"})),
        ("mission_start", json!({"goal": "Greet every name", "mode": "bug_hunt"})),
        ("mission_start", json!({"goal": "Greet nobody", "mode": "bug_hunt"})),
        ("apply", json!({"file_path": "docs/bye.md", "new_content": "# Goodbye\n", "create": true})),
        ("apply", json!({"file_path": "docs/hello.md", "new_content": "# Hello\n", "create": true})),
        ("edit_preview", json!({"file_path": "docs/again.md", "new_content": "# Again\n", "create": true})),
        ("perspective_start", json!({"node_id": "greet"})),
        ("perspective_branch", json!({"perspective_id": "persp_1"})),
        ("perspective_follow", json!({"perspective_id": "persp_2", "route_id": INSIDE})),
        ("trail_save", json!({"label": "one", "visited": ["greet"]})),
        ("trail_save", json!({"label": "two", "open_questions": ["Who greets?"]})),
        ("lock_create", json!({"region": "node", "nodes": ["greet"]})),
        ("lock_create", json!({"region": "path", "nodes": ["src/main.rs"]})),
    ];
    for (tool, arguments) in calls {
        let reply = fixture.call(tool, arguments);
        assert!(!reply.is_error, "{tool}: {}", reply.text());
    }
    fixture
}

/// A call that must succeed.
#[allow(dead_code)]
pub fn ok(fixture: &Fixture, tool: &str, arguments: Value) -> Value {
    let reply = fixture.call(tool, arguments.clone());
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text());
    reply.body
}

/// What a call says that must be refused.
#[allow(dead_code)]
pub fn refused(fixture: &Fixture, tool: &str, arguments: Value) -> Value {
    let reply = fixture.call(tool, arguments.clone());
    assert!(reply.is_error, "{tool} {arguments}: {}", reply.text());
    reply.body["error"].clone()
}

/// A claim with what an agent says that an answer shows of it: the last line of it that says something.
#[allow(dead_code)]
pub fn shows(mut claim: Value, seen: &Value) -> Value {
    if let Some(line) = m1nd_testkit::line_shown(seen) {
        claim["outcome"] = Value::from("supports");
        claim["quote"] = Value::from(line);
    }
    claim
}
