//! What proves a claim of a mission through the pipeline, what does not, and what a finding tells of the files.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

mod common;
use common::{ok, refused, shows};

const REPO: &str = r#"
//- src/limit.py
def drain(queue):
    while len(queue) > 1:
        queue.pop()

def run(queue):
    drain(queue)
//- src/other.py
def unrelated(): ...
//- src/empty.py
//- README.md
The limiter drains every job with make_gadget.
"#;

fn started(mode: &str) -> (Fixture, String) {
    let fixture = Fixture::new(m1nd_tools::surface(), REPO);
    ok(&fixture, "ingest", json!({}));
    let begun =
        ok(&fixture, "mission_start", json!({"goal": "the limiter keeps the last job", "mode": mode}));
    let id = begun["mission_id"].as_str().unwrap().to_owned();
    (fixture, id)
}

/// Looks with a mission; the answer.
fn look(fixture: &Fixture, id: &str, tool: &str, mut arguments: Value) -> Value {
    arguments["mission_id"] = json!(id);
    ok(fixture, tool, arguments)
}

/// Judges a claim by what was seen, the newest last; what that shows is said.
fn verify(fixture: &Fixture, id: &str, claim: &str, seen: &[&Value]) -> Value {
    let event = |body: &&Value| body.get("mission_event_id").unwrap_or(&body["event_id"]).clone();
    let events: Vec<Value> = seen.iter().map(event).collect();
    let claim = json!({"mission_id": id, "claim": claim, "event_ids": events});
    ok(fixture, "mission_verify", shows(claim, seen.last().unwrap()))
}

fn told(fixture: &Fixture) -> Vec<String> {
    let trust = ok(fixture, "trust", json!({}));
    let modules = trust["modules"].as_array().cloned().unwrap_or_default();
    let told = modules.iter().filter(|row| row["told"].as_u64().unwrap_or(0) > 0);
    told.map(|row| row["file_path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_claim_about_a_file_that_nobody_opened_is_not_verified() {
    let (fixture, id) = started("bug_hunt");
    let beside = look(&fixture, &id, "view", json!({"file_path": "README.md"}));
    for claim in ["src/limit.py:drain stops one job early", "limit.py stops one job early"] {
        let said = verify(&fixture, &id, claim, &[&beside]);
        assert_eq!(said["verdict"], "needs_direct_evidence", "{said}");
        assert!(said["reason"].as_str().unwrap().contains(r#"file_path "src/limit.py""#), "{said}");
    }
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_eq!(next["next_move"]["arguments"]["file_path"], "src/limit.py", "{next}");
    let seen = look(&fixture, &id, "view", json!({"file_path": "src/limit.py"}));
    let said = verify(&fixture, &id, "src/limit.py:drain stops a job early", &[&seen]);
    assert_eq!(said["verdict"], "verified_for_mission", "{said}");
    let empty = look(&fixture, &id, "view", json!({"file_path": "src/empty.py"}));
    let said = verify(&fixture, &id, "nothing limits the queue", &[&empty]);
    assert_eq!(said["verdict"], "needs_direct_evidence", "an empty file shows nothing: {said}");
    let told = json!({"mission_id": id, "event_type": "file_read", "target": "src/limit.py:6-2",
        "evidence_class": "direct_source", "outcome": "hypothesis_supported"});
    let told = ok(&fixture, "mission_event", told);
    assert!(told["warnings"].to_string().contains("no lines of it"), "a range that runs backwards: {told}");
}

#[test]
fn a_graph_tool_s_answer_is_graph_evidence_by_any_name() {
    let (fixture, id) = started("bug_hunt");
    for tool in ["seek", "callers", "activate"] {
        for class in ["direct_source", "test_run", "human"] {
            let evidence = json!([{"event_type": tool, "target": "src/limit.py", "evidence_class": class,
                "outcome": "hypothesis_supported"}]);
            let claim = format!("{tool} {class} shows it");
            let said = ok(
                &fixture,
                "mission_verify",
                json!({"mission_id": id, "claim": claim, "evidence": evidence}),
            );
            assert_eq!(said["verdict"], "needs_direct_evidence", "{tool} {class}: {said}");
            assert!(said["warnings"].to_string().contains("recorded as that"), "{said}");
        }
    }
}

#[test]
fn what_is_told_in_a_mission_about_another_repository_verifies_nothing() {
    let (fixture, _) = started("bug_hunt");
    let other = fixture.outside().join("elsewhere");
    fs::create_dir_all(other.join(".git")).unwrap();
    let begun = ok(
        &fixture,
        "mission_start",
        json!({"goal": "know it", "mode": "bug_hunt", "repo": other.to_str().unwrap()}),
    );
    let run = json!([{"event_type": "test_run", "target": "pytest", "evidence_class": "test_run", "outcome": "passed"}]);
    let asked = json!({"mission_id": begun["mission_id"], "claim": "it works", "evidence": run});
    let said = ok(&fixture, "mission_verify", asked);
    assert_eq!(said["verdict"], "needs_direct_evidence", "{said}");
    let asked = json!({"scope": other.to_str().unwrap()});
    let book = ok(&fixture, "recovery_playbook", asked);
    let federate = book["steps"].as_array().unwrap().iter().find(|step| step["id"] == "federate").unwrap();
    assert_eq!(
        (&federate["tool"], &federate["arguments"]["namespace"]),
        (&json!("ingest"), &json!("elsewhere")),
        "{book}"
    );
    fs::write(other.join("a.py"), "def a(): ...\n").unwrap();
    ok(&fixture, "ingest", federate["arguments"].clone());
    ok(&fixture, "view", json!({"file_path": "elsewhere::/a.py"}));
}

#[test]
fn a_finding_tells_of_the_file_it_names_until_it_is_rejected() {
    let (fixture, id) = started("bug_hunt");
    let beside = look(&fixture, &id, "view", json!({"file_path": "src/other.py"}));
    let readme = look(&fixture, &id, "view", json!({"file_path": "README.md"}));
    let seen = look(&fixture, &id, "view", json!({"file_path": "src/limit.py"}));
    let said = verify(&fixture, &id, "src/limit.py drops the last job", &[&beside, &readme, &seen]);
    assert_eq!(said["verdict"], "verified_for_mission", "{said}");
    assert_eq!(told(&fixture), ["src/limit.py"]);
    let against = json!([{"event_type": "test_run", "target": "pytest", "outcome": "refuted"}]);
    let again = json!({"mission_id": id, "claim_id": said["claim_id"], "evidence": against});
    assert_eq!(ok(&fixture, "mission_verify", again)["verdict"], "rejected");
    assert_eq!(told(&fixture), Vec::<String>::new(), "it is taken back");
    // What an agent only says of itself makes no file suspect, and a document is no defective file.
    let word = json!([{"event_type": "file_read", "target": "src/other.py", "evidence_class": "direct_source",
        "outcome": "hypothesis_supported", "quote": "def unrelated(): ..."}]);
    let own = json!({"mission_id": id, "claim": "src/other.py is broken", "evidence": word});
    let own = ok(&fixture, "mission_verify", own);
    assert_eq!(
        (&own["verdict"], &own["self_reported"]),
        (&json!("verified_for_mission"), &json!(true)),
        "{own}"
    );
    verify(&fixture, &id, "README.md is wrong", &[&readme]);
    assert_eq!(told(&fixture), Vec::<String>::new());
    let root = fixture.runtime.workspace().unwrap().runtime_root().join("defects.jsonl");
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(root).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_child_that_rejects_a_finding_takes_it_back_for_its_parent() {
    let (fixture, id) = started("bug_hunt");
    let seen = look(&fixture, &id, "view", json!({"file_path": "src/limit.py"}));
    let said = verify(&fixture, &id, "drain drops the last job", &[&seen]);
    assert_eq!(told(&fixture), ["src/limit.py"]);
    let child = ok(&fixture, "mission_resume", json!({"mission_id": id}));
    let against = json!([{"event_type": "test_run", "target": "pytest", "outcome": "refuted"}]);
    let again = json!({"mission_id": child["mission_id"], "claim_id": said["claim_id"], "evidence": against});
    assert_eq!(ok(&fixture, "mission_verify", again)["verdict"], "rejected");
    assert_eq!(told(&fixture), Vec::<String>::new());
}

#[test]
fn a_search_that_found_nothing_proves_it_until_something_is_there() {
    let (fixture, id) = started("docs_drift");
    let doc = look(&fixture, &id, "view", json!({"file_path": "README.md"}));
    look(&fixture, &id, "view", json!({"file_path": "src/limit.py"}));
    let nothing = look(&fixture, &id, "search", json!({"query": "make_gadget", "glob": "!*.md"}));
    let said = verify(&fixture, &id, "no code has make_gadget", &[&nothing]);
    assert_eq!(said["verdict"], "verified_for_mission", "{said}");
    assert!(said["reason"].as_str().unwrap().contains("is in none of"), "{said}");
    let other = verify(&fixture, &id, "the queue is drained twice", &[&nothing]);
    assert_eq!(other["verdict"], "needs_direct_evidence", "{other}");
    ok(
        &fixture,
        "mission_verify",
        shows(
            json!({"mission_id": id, "claim_id": other["claim_id"], "event_ids": [doc["mission_event_id"]]}),
            &doc,
        ),
    );
    fs::write(fixture.root().join("src/gadget.py"), "def make_gadget(): ...\n").unwrap();
    let gaps = refused(&fixture, "mission_close", json!({"mission_id": id}));
    assert_eq!(gaps["detail"]["gaps"][0]["gap"], "stale_evidence", "{gaps}");
    assert_eq!(
        (&gaps["recovery"]["next_tool"], &gaps["recovery"]["arguments"]["mission_id"]),
        (&json!("mission_next"), &json!(id)),
        "{gaps}"
    );
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_eq!(next["next_move"]["arguments"]["query"], "make_gadget", "{next}");
    fs::remove_file(fixture.root().join("src/gadget.py")).unwrap();
    let closed = ok(&fixture, "mission_close", json!({"mission_id": id}));
    assert_eq!(closed["gaps"], json!([]), "{closed}");
    assert!(closed["remarks"].is_null(), "the runtime saw all of it: {closed}");
}

#[test]
fn a_dead_path_whose_file_changed_is_open_for_the_next_agent() {
    let (fixture, id) = started("bug_hunt");
    for target in ["src/other.py", "src/limit.py"] {
        let dead = json!({"mission_id": id, "event_type": "file_read", "target": target,
            "evidence_class": "direct_source", "outcome": "dead_path"});
        ok(&fixture, "mission_event", dead);
    }
    fs::write(fixture.root().join("src/other.py"), "def unrelated(): return 1\n").unwrap();
    let resumed = ok(&fixture, "mission_resume", json!({"mission_id": id}));
    let targets = |list: &str| -> Vec<String> {
        let list = resumed[list].as_array().cloned().unwrap_or_default();
        list.iter().map(|dead| dead["target"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (targets("dead_paths"), targets("reopened_paths")),
        (vec!["src/limit.py".into()], vec!["src/other.py".into()])
    );
    let child = resumed["mission_id"].clone();
    let next = ok(&fixture, "mission_next", json!({"mission_id": child}));
    assert!(!next["do_not"].to_string().contains("src/other.py"), "{next}");
    let open = ok(&fixture, "view", json!({"file_path": "src/other.py", "mission_id": child}));
    assert!(open["mission_warnings"].is_null(), "{open}");
    let dead = ok(&fixture, "view", json!({"file_path": "src/limit.py", "mission_id": child}));
    assert!(dead["mission_warnings"].to_string().contains("is a dead path"), "{dead}");
}

#[test]
fn a_review_of_a_diff_that_fits_nowhere_is_no_review_of_the_change() {
    let (fixture, id) = started("review");
    let diff = |from: &str| {
        format!("--- a/src/other.py\n+++ b/src/other.py\n@@ -1 +1 @@\n-{from}\n+def unrelated(): pass\n")
    };
    let gaps = || {
        let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
        shown["gaps"].to_string()
    };
    let strange =
        ok(&fixture, "review", json!({"diff": diff("def never_was_here(): ..."), "mission_id": id}));
    assert!(strange["mission_warnings"].to_string().contains("nor fits them"), "{strange}");
    assert!(gaps().contains("not_reviewed") && gaps().contains("no_change_set"), "{}", gaps());
    ok(&fixture, "review", json!({"diff": diff("def unrelated(): ..."), "mission_id": id}));
    assert!(!gaps().contains("not_reviewed") && !gaps().contains("no_change_set"), "{}", gaps());
}

#[test]
fn a_mission_that_was_only_told_of_closes_with_a_remark_for_each_part() {
    let (fixture, id) = started("bug_hunt");
    let step = |phase: &str, target: &str, quote: &str| {
        json!({"mission_id": id, "phase": phase, "event_type": "file_read", "quote": quote,
        "target": target, "evidence_class": "direct_source", "outcome": "hypothesis_supported"})
    };
    let read = ok(&fixture, "mission_event", step("verify", "src/limit.py", "while len(queue) > 1:"));
    verify(&fixture, &id, "src/limit.py drops the last job", &[&read]);
    ok(&fixture, "mission_event", step("sweep", "src/other.py", "def unrelated(): ..."));
    let closed = ok(&fixture, "mission_close", json!({"mission_id": id}));
    let remarks = closed["remarks"].to_string();
    for part in ["the reading of", "the look for", "something that clm_1"] {
        assert!(remarks.contains(part), "{part}: {closed}");
    }
    assert_eq!(
        (&closed["counters"]["told_evidence"], &closed["counters"]["observed_evidence"]),
        (&json!(2), &Value::Null)
    );
}

#[test]
fn an_event_or_claim_that_is_not_there_leads_to_those_that_are() {
    let (fixture, id) = started("bug_hunt");
    let event = format!("evt_{}_99", &id[4..]);
    for asked in [
        json!({"mission_id": id, "claim": "x", "event_ids": [event]}),
        json!({"mission_id": id, "claim_id": "clm_9"}),
    ] {
        let fault = refused(&fixture, "mission_verify", asked);
        let recovery = &fault["recovery"];
        assert_eq!(recovery["next_tool"], "mission_show", "{fault}");
        ok(&fixture, "mission_show", recovery["arguments"].clone());
    }
}

#[test]
fn a_cheat_is_told_what_is_missing_and_not_believed() {
    let (fixture, id) = started("bug_hunt");
    let read = look(&fixture, &id, "view", json!({"file_path": "src/limit.py"}));
    let top = look(&fixture, &id, "view", json!({"file_path": "src/limit.py:1-2"}));
    let other = look(&fixture, &id, "view", json!({"file_path": "src/other.py"}));
    let found = look(&fixture, &id, "search", json!({"query": "drain"}));
    let narrow = look(&fixture, &id, "search", json!({"query": "zzqq", "scope": "README.md"}));
    let line = json!("while len(queue) > 1:");
    let tries = [
        ("drain empties the queue", &read, Value::Null, "outcome"),
        ("drain empties the queue", &read, json!("while queue:"), "quote"),
        ("src/limit.py:6 is wrong", &top, line.clone(), "line 6"),
        ("src/limit.py:600 is wrong", &read, line.clone(), "has 6 lines"),
        ("drain stops early", &other, json!("def unrelated(): ..."), "drain"),
        ("drain is nowhere", &found, line.clone(), "finds nothing"),
        ("zzqq is nowhere", &narrow, Value::Null, "Only README.md"),
    ];
    for (claim, seen, quote, why) in tries {
        let mut asked = json!({"mission_id": id, "claim": claim, "event_ids": [seen["mission_event_id"]]});
        if !quote.is_null() {
            asked["outcome"] = json!("supports");
            asked["quote"] = quote;
        }
        let said = ok(&fixture, "mission_verify", asked);
        assert_eq!(said["verdict"], "needs_direct_evidence", "{claim}: {said}");
        assert!(said["reason"].as_str().unwrap().contains(why), "{claim}: {said}");
    }
    let said = verify(&fixture, &id, "src/limit.py keeps the last job", &[&read]);
    assert_eq!(said["verdict"], "verified_for_mission", "{said}");
    assert_eq!(said["rests_on"][0]["path"], "src/limit.py", "{said}");
    let shown = ok(&fixture, "mission_show", json!({"mission_id": id, "max_chars": 30_000}));
    assert_eq!(shown["claims"][0]["rests_on"][0]["path"], "src/limit.py", "{shown}");
}

#[test]
fn a_goal_that_names_a_file_of_another_repository_is_about_that_one() {
    let (fixture, _) = started("bug_hunt");
    let other = fixture.outside().join("elsewhere");
    fs::create_dir_all(other.join(".git")).unwrap();
    fs::write(other.join("a.py"), "def a(): ...\n").unwrap();
    let start = |goal: String| ok(&fixture, "mission_start", json!({"goal": goal, "mode": "bug_hunt"}));
    let begun = start(format!("fix the crash in {}:1", other.join("a.py").display()));
    assert_eq!(begun["context_guard"]["class"], "wrong_workspace_binding", "{begun}");
    let own = fixture.root().join("src/limit.py");
    let begun = start(format!("make {} like {}", own.display(), other.join("a.py").display()));
    assert_eq!(begun["context_guard"]["class"], "single_repo", "{begun}");
    let hand = ok(&fixture, "session_handshake", json!({"scope": other.to_str().unwrap()}));
    assert_eq!(
        (&hand["trust_mode"], &hand["can_ingest"]),
        (&json!("wrong_workspace_binding"), &json!(true)),
        "{hand}"
    );
}
