//! Editing as an agent does it: look, preview, commit, change several files, take it back.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{ok, refused, registry};
use m1nd_stdx::digest::sha256_hex;
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const SHOP: &str = r#"
//- shop/cart.py
from shop.price import total_price, tax


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        return total_price(self.items)

    def taxed(self):
        return self.total() + tax(self.total())
//- shop/price.py
def total_price(items):
    return sum(item.price for item in items)


def tax(amount):
    return amount * 0.2
//- shop/report.py
from shop.price import total_price


def report(orders):
    for order in orders:
        print(total_price(order.items))
//- tests/test_price.py
from shop.price import total_price


def test_total():
    assert total_price([]) == 0
"#;

fn shop() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), SHOP);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn read(fixture: &Fixture, path: &str) -> String {
    fs::read_to_string(fixture.root().join(path)).unwrap()
}

fn all<'a>(body: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    body[list].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap()).collect()
}

#[test]
fn the_context_of_a_function_has_callers_tests_and_a_hash() {
    let fixture = shop();
    let body = ok(&fixture, "surgical_context_v2", json!({"node_id": "total_price"}));
    assert_eq!(body["sha256"], json!(sha256_hex(read(&fixture, "shop/price.py").as_bytes())));
    assert!(body["content"].as_str().unwrap().starts_with("1\tdef total_price(items):"));
    assert_eq!(all(&body, "callers", "at"), ["shop/cart.py:12", "shop/report.py:6", "tests/test_price.py:5"]);
    assert_eq!(body["tests"][0]["at"], "tests/test_price.py:4");
    let files = all(&body, "connected", "file_path");
    assert_eq!(files[..3], ["shop/cart.py", "shop/report.py", "tests/test_price.py"]);
    assert!(body["connected"][0]["excerpt"].as_str().unwrap().contains("12\t        return total_price"));
    assert_eq!(body["proof_state"], "ready_to_edit");
    assert_eq!(body["next_suggested_tool"], "validate_plan");
    let target = &body["next_suggested_target"];
    ok(&fixture, "validate_plan", json!({"actions": [{"action_type": "modify", "file_path": target}]}));
    let file = ok(&fixture, "surgical_context", json!({"file_path": "shop/price.py"}));
    assert_eq!(file["callers_total"], 4);
    assert_eq!(file["symbols"].as_array().unwrap().len(), 2);
    let line = ok(&fixture, "surgical_context", json!({"file_path": "shop/cart.py:12"}));
    assert!(line["node_id"].as_str().unwrap().ends_with("total"), "{line}");
    assert_eq!(line["callees"][0]["signature"], "def total_price(items)");
}

#[test]
fn a_preview_shows_who_breaks_and_a_commit_writes_it_once() {
    let fixture = shop();
    let edit = json!({"file_path": "shop/price.py", "edits": [{"old": "def total_price(items):", "new": "def total_price(items, tax):"}]});
    let shown = ok(&fixture, "edit_preview", edit);
    assert_eq!(shown["symbols"][0]["change"], "signature");
    assert_eq!(
        all(&shown, "callers", "at"),
        ["shop/cart.py:12", "shop/report.py:6", "tests/test_price.py:5"]
    );
    assert!(shown["diff"].as_str().unwrap().contains("+def total_price(items, tax):"));
    assert!(read(&fixture, "shop/price.py").contains("(items):"));
    let id = shown["preview_id"].clone();
    let no = refused(&fixture, "edit_commit", json!({"preview_id": id}));
    assert_eq!(no["code"], "invalid_params");
    let made = ok(&fixture, "edit_commit", json!({"preview_id": id, "confirm": true}));
    assert!(read(&fixture, "shop/price.py").contains("(items, tax):"));
    assert_eq!(made["callers_to_check"].as_array().unwrap().len(), 3);
    assert_eq!(made["tests"]["run"][0]["at"], "tests/test_price.py:4");
    assert_eq!(made["graph_updated"], true);
    let again = ok(&fixture, "edit_commit", json!({"preview_id": id, "confirm": true}));
    assert_eq!(again["unchanged"], json!(["shop/price.py"]));
    assert_eq!(again["batch_id"], made["batch_id"]);
    assert!(again["next_step_hint"].as_str().unwrap().starts_with("Nothing had to be changed"), "{again}");
}

#[test]
fn an_editor_between_preview_and_commit_makes_it_stale() {
    let fixture = shop();
    let edit = json!({"file_path": "shop/price.py", "edits": [{"old": "0.2", "new": "0.25"}]});
    let id = ok(&fixture, "edit_preview", edit)["preview_id"].clone();
    fs::write(fixture.root().join("shop/price.py"), "x = 0.2\n").unwrap();
    let no = refused(&fixture, "edit_commit", json!({"preview_id": id, "confirm": true}));
    assert_eq!(no["code"], "stale");
    assert_eq!(no["detail"]["sha256"], json!(sha256_hex(b"x = 0.2\n")));
    assert_eq!(read(&fixture, "shop/price.py"), "x = 0.2\n");
    fixture.clock.advance(std::time::Duration::from_secs(301));
    let late = refused(&fixture, "edit_commit", json!({"preview_id": id, "confirm": true}));
    assert_eq!(late["code"], "unknown_target");
}

#[test]
fn a_batch_renames_and_changes_files_and_the_graph_has_them_at_once() {
    let fixture = shop();
    let before = read(&fixture, "shop/cart.py");
    let batch = json!({"verify": "graph", "edits": [
        {"file_path": "shop/price.py", "rename_to": "shop/pricing.py", "edits": [{"old": "def tax(amount)", "new": "def vat(amount)"}]},
        {"file_path": "shop/cart.py", "edits": [
            {"old": "from shop.price import total_price, tax", "new": "from shop.pricing import total_price, vat"},
            {"old": "tax(self.total())", "new": "vat(self.total())"}]},
        {"file_path": "shop/report.py", "edits": [{"old": "shop.price", "new": "shop.pricing"}]},
        {"file_path": "tests/test_price.py", "edits": [{"old": "shop.price ", "new": "shop.pricing "}]},
        {"file_path": "shop/new.py", "new_content": "def fresh():\n    return 1\n", "create": true},
    ]});
    let made = ok(&fixture, "apply_batch", batch);
    assert!(made.get("dangling_callers").is_none(), "{made}");
    let changes: Vec<&str> = all(&made, "files", "change");
    assert_eq!(changes, ["modified", "created", "renamed", "modified", "modified"]);
    let callers = ok(&fixture, "callers", json!({"node_id": "vat"}));
    assert_eq!(callers["calls"][0]["file_path"], "shop/cart.py");
    assert_eq!(ok(&fixture, "callers", json!({"node_id": "fresh"}))["total"], 0);
    assert!(!fixture.root().join("shop/price.py").exists());
    let back = ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    assert_eq!(back["files"].as_array().unwrap().len(), 5);
    assert_eq!(read(&fixture, "shop/cart.py"), before);
    assert!(!fixture.root().join("shop/new.py").exists());
    assert_eq!(ok(&fixture, "callers", json!({"node_id": "tax"}))["total"], 1);
    let twice = ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    assert_eq!(twice["files"], json!([]));
}

#[test]
fn what_dangles_is_told_and_takes_a_verified_batch_back() {
    let fixture = shop();
    let cut = |verify: &str| {
        json!({"verify": verify, "edits": [{"file_path": "shop/price.py", "edits": [
            {"old": "def tax(amount):\n    return amount * 0.2\n", "new": ""}]}]})
    };
    let before = read(&fixture, "shop/price.py");
    let no = refused(&fixture, "apply_batch", cut("graph"));
    assert_eq!(no["code"], "conflict");
    assert_eq!(no["detail"]["dangling_callers"][0]["uses"], "tax");
    assert_eq!(read(&fixture, "shop/price.py"), before);
    assert_eq!(ok(&fixture, "callers", json!({"node_id": "tax"}))["total"], 1);
    let made = ok(&fixture, "apply_batch", cut("syntax"));
    let places: Vec<&str> = all(&made, "dangling_callers", "at");
    assert!(places.contains(&"shop/cart.py:15"), "{places:?}");
    assert_eq!(made["next_suggested_tool"], "view");
    ok(&fixture, "view", json!({"file_path": made["next_suggested_target"]}));
}

#[test]
fn syntax_errors_refuse_a_batch_unless_they_are_allowed() {
    let fixture = shop();
    let broken = |allow: bool| {
        json!({"allow_syntax_errors": allow, "edits": [
            {"file_path": "shop/report.py", "edits": [{"old": "def report(orders):", "new": "def report(orders:"}]},
            {"file_path": "shop/price.py", "edits": [{"old": "0.2", "new": "0.3"}]}]})
    };
    let no = refused(&fixture, "apply_batch", broken(false));
    assert_eq!(no["detail"]["syntax_errors"][0]["file_path"], "shop/report.py");
    assert_eq!(no["detail"]["syntax_errors"][0]["line"], 4);
    assert!(read(&fixture, "shop/price.py").contains("0.2"));
    ok(&fixture, "apply_batch", broken(true));
    assert!(read(&fixture, "shop/price.py").contains("0.3"));
}

#[test]
fn misses_are_told_with_the_lines_they_nearly_hit() {
    let fixture = shop();
    let try_one = |old: &str| {
        refused(&fixture, "apply", json!({"file_path": "shop/cart.py", "edits": [{"old": old, "new": "x"}]}))
    };
    let near = try_one("return total_price( self.items )");
    assert_eq!(near["detail"]["near_misses"][0]["line"], 12);
    assert_eq!(near["detail"]["near_misses"][0]["only_blanks"], true);
    assert_eq!(near["recovery"]["next_tool"], "view");
    assert_eq!(try_one("self.items")["detail"]["lines"], json!([6, 9, 12]));
    let missing = refused(&fixture, "apply", json!({"file_path": "shop/no.py", "new_content": "x = 1\n"}));
    assert_eq!(missing["code"], "file_not_found");
    assert!(missing["message"].as_str().unwrap().contains("create: true"));
}

#[test]
fn an_expected_hash_turns_a_lost_update_into_a_refusal() {
    let fixture = shop();
    let hash = ok(&fixture, "view", json!({"file_path": "shop/price.py"}))["sha256"].clone();
    let by = |agent: &str, old: &str| {
        fixture.call_raw(
            "apply",
            json!({"agent_id": agent, "file_path": "shop/price.py", "expected_hash": hash, "edits": [{"old": old, "new": "9"}]})
                .as_object()
                .unwrap()
                .clone(),
        )
    };
    assert!(!by("one", "0.2").is_error);
    let second = by("two", "0)").body;
    assert_eq!(second["error"]["code"], "stale");
    let now = sha256_hex(read(&fixture, "shop/price.py").as_bytes());
    assert_eq!(second["error"]["detail"]["sha256"], json!(now));
}

#[test]
fn line_endings_marks_and_modes_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = shop();
    let path = fixture.root().join("shop/dos.py");
    fs::write(&path, "\u{feff}def a():\r\n    return 1\r\n\r\nb = 2").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let edit = json!({"file_path": "shop/dos.py", "edits": [{"old": "def a():\n    return 1\n", "new": "def a():\n    x = 1\n    return x\n"}]});
    ok(&fixture, "apply", edit);
    assert_eq!(
        fs::read(&path).unwrap(),
        "\u{feff}def a():\r\n    x = 1\r\n    return x\r\n\r\nb = 2".as_bytes()
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn other_names_of_an_edited_file_keep_the_old_content_and_that_is_said() {
    let fixture = shop();
    fs::hard_link(fixture.root().join("shop/price.py"), fixture.root().join("price.old")).unwrap();
    let edit = json!({"file_path": "shop/price.py", "edits": [{"old": "* 0.2", "new": "* 0.3"}]});
    let made = ok(&fixture, "apply", edit);
    assert!(made["proactive_insights"].to_string().contains("shop/price.py has other names"), "{made}");
    assert!(read(&fixture, "shop/price.py").contains("* 0.3"));
    assert!(read(&fixture, "price.old").contains("* 0.2"));
    let made = ok(
        &fixture,
        "apply",
        json!({"file_path": "shop/price.py", "edits": [{"old": "* 0.3", "new": "* 0.4"}]}),
    );
    assert!(!made.to_string().contains("hard link"), "it has one name now: {made}");
}

#[test]
fn what_must_not_be_written_is_refused_with_a_reason() {
    let fixture = shop();
    fs::create_dir(fixture.root().join(".git")).unwrap();
    fs::write(fixture.root().join(".git/config"), "x").unwrap();
    std::os::unix::fs::symlink("price.py", fixture.root().join("shop/link.py")).unwrap();
    let code = |entry: Value| refused(&fixture, "apply_batch", json!({"edits": [entry]}))["code"].clone();
    assert_eq!(code(json!({"file_path": ".git/config", "new_content": "y"})), "invalid_params");
    assert_eq!(code(json!({"file_path": "shop/link.py", "new_content": "y"})), "path_outside_workspace");
    assert_eq!(code(json!({"file_path": ".env", "new_content": "y", "create": true})), "invalid_params");
    assert_eq!(
        code(json!({"file_path": "shop/price.py", "rename_to": "../out.py"})),
        "path_outside_workspace"
    );
    assert_eq!(code(json!({"file_path": "shop/price.py", "rename_to": "shop/cart.py"})), "conflict");
    assert_eq!(code(json!({"file_path": "shop/price.py"})), "invalid_params");
    assert_eq!(
        code(json!({"file_path": "shop/price.py", "delete": true, "new_content": "x"})),
        "invalid_params"
    );
    assert_eq!(
        code(json!({"file_path": "shop/price.py", "expected_sha256": "zz", "delete": true})),
        "invalid_params"
    );
    assert_eq!(read(&fixture, ".git/config"), "x");
}

#[test]
fn a_dry_run_and_a_patch() {
    let fixture = shop();
    let diff = "--- a/shop/price.py\n+++ b/shop/price.py\n@@ -5,2 +5,2 @@\n def tax(amount):\n-    return amount * 0.2\n+    return amount * 0.3\n";
    let shown = ok(&fixture, "apply_batch", json!({"diff": diff, "dry_run": true}));
    assert_eq!(shown["symbols"][0]["change"], "body");
    assert!(shown["diff"].as_str().unwrap().contains("+    return amount * 0.3"));
    assert!(shown.get("batch_id").is_none());
    assert!(read(&fixture, "shop/price.py").contains("0.2"));
    ok(&fixture, "apply_batch", json!({"diff": diff}));
    assert!(read(&fixture, "shop/price.py").contains("0.3"));
    let no = refused(&fixture, "apply_batch", json!({"diff": diff}));
    assert_eq!(no["code"], "conflict");
    let none = refused(
        &fixture,
        "apply_batch",
        json!({"edits": [{"file_path": "shop/price.py", "new_content": "x = 1\n"}], "verify": "command"}),
    );
    assert!(none["message"].as_str().unwrap().contains("verify_commands"));
}

#[test]
fn a_batch_of_a_mission_is_a_diff_event_with_hashes() {
    let fixture = shop();
    let mission = ok(&fixture, "mission_start", json!({"goal": "Raise the tax", "mode": "bug_hunt"}));
    let id = mission["mission_id"].clone();
    let edit = json!({"mission_id": id, "edits": [{"file_path": "shop/price.py", "edits": [{"old": "0.2", "new": "0.3"}]}]});
    let made = ok(&fixture, "apply_batch", edit);
    let shown = ok(&fixture, "mission_show", json!({"mission_id": id})).to_string();
    assert!(shown.contains("\"diff\""), "{shown}");
    let hash = made["files"][0]["sha256"].as_str().unwrap();
    assert!(shown.contains(hash) || shown.contains("shop/price.py"), "{shown}");
}

#[test]
fn an_unfinished_batch_of_an_ended_process_is_settled_at_the_next_start() {
    use m1nd_edit::{Act, BatchId, Change, Disk as _, journal};
    let fixture = shop();
    let workspace = fixture.runtime.workspace().unwrap();
    workspace.ensure_runtime_root().unwrap();
    let disk = workspace.disk();
    let change = Change {
        path: "shop/price.py".into(),
        act: Act::Replace("x = 1\n".into()),
        rename_to: None,
        expected: None,
        runs: None,
    };
    let plan = m1nd_edit::plan(&disk, &[change]).unwrap();
    journal::commit(&disk, &plan, &BatchId("b-half".into()), m1nd_stdx::clock::UnixMs(0)).unwrap();
    // As a process leaves it that ends right after the last rename.
    let name = disk
        .states()
        .unwrap()
        .into_iter()
        .map(|(name, _)| name)
        .find(|name| name.ends_with(".undo"))
        .unwrap();
    disk.move_state(&name, &name.replace(".undo", ".back")).unwrap();
    assert!(journal::is_pending(&disk));
    fixture.runtime.bind(&fixture.root(), m1nd_runtime::workspace::BindingSource::Flag).unwrap();
    assert!(read(&fixture, "shop/price.py").starts_with("def total_price"));
    assert!(!journal::is_pending(&fixture.runtime.workspace().unwrap().disk()));
    // The process that settled it makes no edit; another one says it.
    let said = "Batch b-half of a process that ended was taken back: all of its files are as before.";
    assert_eq!(ok(&fixture, "health", json!({}))["settled_batches"], json!([said]));
    let doctor = ok(&fixture, "doctor", json!({}));
    assert_eq!(doctor["diagnostics"]["settled_batches"], json!([said]));
    fixture.runtime.bind(&fixture.root(), m1nd_runtime::workspace::BindingSource::Flag).unwrap();
    let edit = json!({"file_path": "shop/price.py", "edits": [{"old": "0.2", "new": "0.3"}]});
    let made = ok(&fixture, "apply", edit);
    assert_eq!(made["proactive_insights"][0], json!(said));
    assert!(ok(&fixture, "health", json!({})).get("settled_batches").is_none());
}

#[test]
fn without_a_graph_edits_work_and_say_what_is_not_known() {
    let fixture = Fixture::new(m1nd_tools::surface(), SHOP);
    let edit = |verify: &str, to: &str| json!({"verify": verify, "edits": [{"file_path": "shop/price.py", "edits": [{"old": "0.2", "new": to}]}]});
    assert_eq!(refused(&fixture, "apply_batch", edit("graph", "0.3"))["code"], "empty_graph");
    let mut dry = edit("syntax", "0.3");
    dry["dry_run"] = json!(true);
    for (tool, arguments) in [
        ("apply_batch", dry),
        ("edit_preview", json!({"file_path": "shop/price.py", "edits": [{"old": "0.2", "new": "0.3"}]})),
    ] {
        let shown = ok(&fixture, tool, arguments);
        assert_eq!(shown["proof_state"], "proving", "{shown}");
        assert!(shown["next_step_hint"].as_str().unwrap().contains("Nothing is ingested"), "{shown}");
    }
    let made = ok(&fixture, "apply_batch", edit("syntax", "0.3"));
    assert_eq!(made["graph_updated"], false);
    assert!(made["proactive_insights"][0].as_str().unwrap().starts_with("Nothing is ingested"));
    // While the first ingest runs, that is what is said.
    let (end, waits) = std::sync::mpsc::channel::<()>();
    let job = fixture.runtime.start_job("ingest", move |_| {
        waits.recv().ok();
        m1nd_runtime::JobState::Cancelled
    });
    let job = job.unwrap();
    let made = ok(&fixture, "apply_batch", edit_back());
    let said = made["proactive_insights"][0].as_str().unwrap();
    assert!(said.starts_with(&format!("The first ingest still runs ({})", job.id)), "{said}");
    for (tool, arguments) in [
        ("apply_batch", edit("graph", "0.3")),
        ("perspective_start", json!({"node_id": "x"})),
        ("cross_verify", json!({})),
    ] {
        let busy = refused(&fixture, tool, arguments);
        assert_eq!(
            (&busy["code"], &busy["recovery"]["next_tool"]),
            (&json!("busy"), &json!("job_status")),
            "{tool}"
        );
    }
    drop(end);
}

fn edit_back() -> Value {
    json!({"edits": [{"file_path": "shop/price.py", "edits": [{"old": "0.3", "new": "0.2"}]}]})
}

#[test]
fn editing_tools_say_that_they_write() {
    for name in ["apply", "apply_batch", "edit_commit", "undo_batch"] {
        let (entry, _) = registry().entry(name).unwrap();
        assert!(entry.spec.effect.destructive() && entry.spec.effect.writes_state(), "{name}");
    }
    for name in ["edit_preview", "surgical_context", "surgical_context_v2"] {
        assert!(registry().entry(name).unwrap().0.spec.effect.read_only(), "{name}");
    }
}

#[test]
fn a_check_that_cannot_be_made_is_told() {
    let fixture = shop();
    let text = json!({"file_path": "notes.cfg", "new_content": "x = (", "create": true});
    let shown = ok(&fixture, "edit_preview", text.clone());
    assert_eq!((&shown["syntax_checked"], shown["syntax_unchecked"].is_string()), (&json!(false), true));
    let made = ok(&fixture, "apply", text);
    assert_eq!(made["syntax_unchecked"], json!(["notes.cfg: m1nd has no grammar for such files"]));
    let code = json!({"file_path": "shop/price.py", "edits": [{"old": "0.2", "new": "0.25"}]});
    let made = ok(&fixture, "apply_batch", json!({"edits": [code]}));
    assert!(made.get("syntax_unchecked").is_none(), "{made}");
    let wrong = json!({"file_path": "c.json", "new_content": "{\"a\":", "create": true});
    for (tool, arguments) in [("apply", wrong.clone()), ("apply_batch", json!({"edits": [wrong]}))] {
        let no = refused(&fixture, tool, arguments);
        assert!(no["message"].as_str().unwrap().contains("c.json:1:5"), "{no}");
    }
}

#[test]
fn a_block_without_a_body_is_refused() {
    let fixture = shop();
    let edit = json!({"file_path": "shop/price.py", "edits": [{"old": "    return amount * 0.2", "new": "return amount * 0.2"}]});
    let no = refused(&fixture, "apply", edit);
    assert!(
        no["message"].as_str().unwrap().contains("shop/price.py:5:1: an indented block is missing"),
        "{no}"
    );
}

#[test]
fn a_patch_that_deletes_half_a_file_is_refused_and_says_how_it_is_done() {
    let fixture = shop();
    let diff = "--- a/shop/price.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def total_price(items):\n-    return sum(item.price for item in items)\n";
    let no = refused(&fixture, "apply_batch", json!({"diff": diff}));
    assert_eq!((&no["code"], &no["recovery"]["next_tool"]), (&json!("conflict"), &json!("view")));
    assert!(read(&fixture, "shop/price.py").contains("def tax"));
}

#[test]
fn all_uses_of_a_file_that_goes_dangle() {
    let fixture = shop();
    let gone = json!({"edits": [{"file_path": "shop/price.py", "delete": true}]});
    let made = ok(&fixture, "apply_batch", gone);
    let mut places = all(&made, "dangling_callers", "at");
    places.sort_unstable();
    let expected = [
        "shop/cart.py:1",
        "shop/cart.py:12",
        "shop/cart.py:15",
        "shop/report.py:1",
        "shop/report.py:6",
        "tests/test_price.py:1",
        "tests/test_price.py:5",
    ];
    assert_eq!(places, expected);
}

#[test]
fn an_empty_list_of_callers_says_what_it_rests_on() {
    let files = "//- a.py\nclass A:\n    def close(self):\n        pass\n\ndef f(x):\n    x.close()\n";
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    ok(&fixture, "ingest", json!({}));
    for name in ["A.close", "f"] {
        let callers = ok(&fixture, "callers", json!({"node_id": name}));
        assert_eq!(callers["unattributed"].is_u64(), name == "A.close", "{callers}");
        for tool in ["surgical_context", "surgical_context_v2"] {
            let body = ok(&fixture, tool, json!({"node_id": name}));
            assert_eq!((&body["callers_total"], body["rests_on"].is_object()), (&json!(0), true), "{body}");
            for field in ["unattributed", "leads", "rests_on"] {
                assert_eq!(body.get(field), callers.get(field), "{field} of {tool}");
            }
        }
    }
}

#[test]
fn calls_that_nothing_explains_stand_beside_known_callers() {
    let files = "//- a.py\nclass A:\n    def close(self):\n        pass\n\n\ndef sure():\n    A().close()\n\n\ndef unsure(x):\n    x.handle.close()\n\n\n\
                 class B:\n    def close(self):\n        pass\n";
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    ok(&fixture, "ingest", json!({}));
    let callers = ok(&fixture, "callers", json!({"node_id": "A.close"}));
    assert_eq!((&callers["total"], &callers["unattributed"]), (&json!(1), &json!(1)), "{callers}");
    for tool in ["surgical_context", "surgical_context_v2"] {
        let body = ok(&fixture, tool, json!({"node_id": "A.close"}));
        assert_eq!((&body["callers_total"], &body["unattributed_near"]), (&json!(1), &json!(1)), "{body}");
        assert_eq!(body["leads"], callers["leads"]);
        assert_eq!(body["leads"][0]["at"], "a.py:11", "{body}");
        assert!(body["next_step_hint"].as_str().unwrap().contains("could not be attributed"), "{body}");
    }
}

#[test]
fn a_larger_budget_lists_more_callers_and_tests_and_less_is_told() {
    let mut files = "\n//- core.py\ndef core():\n    return 1\n".to_owned();
    for number in 0..90 {
        files.push_str(&format!(
            "//- user{number}.py\nfrom core import core\n\n\ndef use{number}():\n    return core()\n"
        ));
    }
    for number in 0..30 {
        files.push_str(&format!(
            "//- tests/test_{number}.py\nfrom core import core\n\n\ndef test_{number}():\n    assert core()\n"
        ));
    }
    let fixture = Fixture::new(m1nd_tools::surface(), &files);
    ok(&fixture, "ingest", json!({}));
    let count = |body: &Value, list: &str| body[list].as_array().unwrap().len();
    let usual = ok(&fixture, "surgical_context", json!({"node_id": "core"}));
    assert_eq!((&usual["callers_total"], &usual["tests_total"]), (&json!(120), &json!(30)));
    assert!(count(&usual, "callers") < 120 && usual["truncated"] == true, "{usual}");
    assert!(usual["next_step_hint"].is_string());
    let large = ok(&fixture, "surgical_context", json!({"node_id": "core", "max_chars": 1_000_000}));
    assert_eq!((count(&large, "callers"), count(&large, "tests")), (120, 30));
    assert_eq!(large["truncated"], false);
    let edit = json!({"file_path": "core.py", "edits": [{"old": "def core():", "new": "def core(x):"}], "max_chars": 1_000_000});
    assert_eq!(count(&ok(&fixture, "edit_preview", edit), "callers"), 120);
}

#[test]
fn a_long_file_that_is_not_parsed_is_shown_by_its_first_lines() {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- a.py\nx = 1\n");
    let lines: String = (1..=300_003).map(|number| format!("x{number} = 1\n")).collect();
    fs::write(fixture.root().join("big.py"), lines).unwrap();
    ok(&fixture, "ingest", json!({}));
    let body = ok(&fixture, "surgical_context", json!({"file_path": "big.py"}));
    assert!(body["content"].as_str().unwrap().starts_with("1\tx1 = 1\n"), "{body}");
    assert_eq!((&body["next_offset"], &body["total_lines"]), (&json!(151), &json!(300_003)));
    assert!(body["not_parsed"].as_str().unwrap().contains("big.py"), "{body}");
    let no = refused(&fixture, "surgical_context", json!({"file_path": "big.py:200"}));
    assert!(no["message"].as_str().unwrap().contains("big.py is not parsed"), "{no}");
    let around = no["recovery"]["arguments"].clone();
    ok(&fixture, no["recovery"]["next_tool"].as_str().unwrap(), around);
    let no = refused(&fixture, "surgical_context", json!({"file_path": "big.py:300004"}));
    assert!(no["message"].as_str().unwrap().contains("has 300003 lines"), "{no}");
}

#[test]
fn refusals_say_what_to_do_instead_and_name_the_argument() {
    let fixture = shop();
    fs::write(fixture.root().join("data.bin"), b"a\0b").unwrap();
    let edit = |path: &str| json!({"file_path": path, "edits": [{"old": "a", "new": "b"}]});
    for path in [".git/config", ".env", "data.bin"] {
        let no = refused(&fixture, "apply", edit(path));
        let hint = no["recovery"]["hint"].as_str().unwrap();
        assert!(!hint.contains("arguments"), "{path}: {no}");
    }
    for to in ["shop/cart.py", ".git/x", "shop/cart.py/x"] {
        let batch = json!({"edits": [{"file_path": "shop/price.py", "rename_to": to}]});
        let no = refused(&fixture, "apply_batch", batch);
        assert!(no["message"].as_str().unwrap().contains("edits[0].rename_to"), "{no}");
    }
    let no = refused(&fixture, "apply", json!({"file_path": "shop/price.py", "new_content": "x = '\0'\n"}));
    assert!(no["message"].as_str().unwrap().contains("NUL byte"), "{no}");
    let no = refused(&fixture, "edit_commit", json!({"preview_id": "p-none", "confirm": true}));
    assert!(no["recovery"]["hint"].as_str().unwrap().contains("use apply"), "{no}");
}
