//! Walks, trails, locks and facts through the pipeline.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

mod common;
use common::{ok, refused};

const REPO: &str = r#"
//- app/main.py
from app.store import save

def handle(request):
    return save(request)

def route(request):
    return handle(request)
//- app/store.py
def save(item):
    check(item)
    return item

def check(item):
    assert item
//- app/lonely.py
def alone():
    return 1
//- tests/test_store.py
from app.store import save

def test_save():
    assert save(1) == 1
"#;

fn program() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), REPO);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn route_to<'a>(stand: &'a Value, name: &str) -> &'a Value {
    let routes = stand["routes"].as_array().unwrap();
    routes
        .iter()
        .find(|route| route["node_id"].as_str().unwrap().ends_with(name))
        .unwrap_or_else(|| panic!("{stand}"))
}

#[test]
fn a_walk_goes_on_comes_back_branches_and_outlives_nothing_it_should_not() {
    let fixture = program();
    let begun = ok(&fixture, "perspective_start", json!({"node_id": "save"}));
    let id = &begun["perspective_id"];
    assert_eq!(
        (&begun["mode"], &begun["anchor_hops"], &begun["steps"]),
        (&json!("anchored"), &json!(0), &json!(1))
    );
    let way = route_to(&begun, "::handle");
    assert_eq!(way["family"], "called_by");
    let wish = json!({"perspective_id": id, "route_id": way["route_id"]});
    let seen = ok(&fixture, "perspective_inspect", wish.clone());
    assert_eq!(
        (&seen["evidence"], &seen["written_at"]),
        (&json!(["resolved"]), &json!(["app/main.py:4"])),
        "{seen}"
    );
    assert_eq!(seen["factors"]["novelty"], 1.0);
    let peeked = ok(&fixture, "perspective_peek", wish.clone());
    assert!(peeked["source"].as_str().unwrap().starts_with("def handle"), "{peeked}");
    let fork = ok(&fixture, "perspective_branch", json!({"perspective_id": id, "name": "tests"}));
    let moved = ok(&fixture, "perspective_follow", wish);
    assert_eq!((&moved["followed"], &moved["steps"]), (&json!(true), &json!(2)), "{moved}");
    assert!(moved["focus"]["node_id"].as_str().unwrap().ends_with("handle"), "{moved}");
    let other =
        json!({"perspective_id": fork["perspective_id"], "route_id": route_to(&fork, "::check")["route_id"]});
    ok(&fixture, "perspective_follow", other);
    let both = json!({"perspective_id": id, "other_id": fork["perspective_id"]});
    let found = ok(&fixture, "perspective_compare", both);
    assert_eq!((&found["common_steps"], &found["apart"]), (&json!(1), &json!(2)), "{found}");
    let near = ok(&fixture, "perspective_affinity", json!({"perspective_id": id, "node_id": "check"}));
    assert!(near["affinity"].as_f64().unwrap() > 0.2, "{near}");
    let far = ok(&fixture, "perspective_affinity", json!({"perspective_id": id, "node_id": "alone"}));
    assert!(far["affinity"].as_f64().unwrap() < 0.1, "{far}");
    let next = ok(&fixture, "perspective_suggest", json!({"perspective_id": id}));
    assert!(next["suggestion"]["node_id"].as_str().unwrap().ends_with("::route"), "{next}");
    let back = ok(&fixture, "perspective_back", json!({"perspective_id": id}));
    assert!(back["focus"]["node_id"].as_str().unwrap().ends_with("::save"), "{back}");
    assert_eq!(
        refused(&fixture, "perspective_back", json!({"perspective_id": id}))["code"],
        "invalid_params"
    );
    assert_eq!(ok(&fixture, "perspective_list", json!({}))["total"], 2);
    assert_eq!(ok(&fixture, "report", json!({}))["session_summary"]["active_perspectives"], 2);
    ok(&fixture, "perspective_close", json!({"perspective_id": id}));
    let gone = refused(&fixture, "perspective_routes", json!({"perspective_id": id}));
    assert_eq!(
        (&gone["code"], &gone["recovery"]["next_tool"]),
        (&json!("unknown_target"), &json!("perspective_list"))
    );
    let elsewhere = json!({"agent_id": "somebody else", "perspective_id": fork["perspective_id"]});
    assert_eq!(fixture.call("perspective_routes", elsewhere).body["error"]["code"], "unknown_target");
}

#[test]
fn stale_routes_are_answered_and_not_refused() {
    let fixture = program();
    let begun = ok(&fixture, "perspective_start", json!({"node_id": "save"}));
    let (id, version) = (&begun["perspective_id"], &begun["route_set_version"]);
    let same =
        ok(&fixture, "perspective_routes", json!({"perspective_id": id, "route_set_version": version}));
    assert_eq!((same.get("stale"), &same["route_set_version"]), (None, version));
    let way = route_to(&begun, "::handle")["route_id"].clone();
    fs::write(fixture.root().join("app/main.py"), "def other():\n    return 1\n").unwrap();
    let fresh =
        ok(&fixture, "perspective_routes", json!({"perspective_id": id, "route_set_version": version}));
    assert_eq!((&fresh["stale"], &fresh["requested_version"]), (&json!(true), version), "{fresh}");
    for tool in ["perspective_follow", "perspective_inspect", "perspective_peek"] {
        let wish = json!({"perspective_id": id, "route_id": way, "route_set_version": version});
        let answer = ok(&fixture, tool, wish);
        assert_eq!(
            (&answer["stale"], &answer["requested_version"]),
            (&json!(true), version),
            "{tool}: {answer}"
        );
        assert!(!answer["routes"].as_array().unwrap().is_empty(), "{tool}: {answer}");
        let unversioned = refused(&fixture, tool, json!({"perspective_id": id, "route_id": way}));
        assert_eq!(unversioned["recovery"]["next_tool"], "perspective_routes", "{tool}");
    }
    // A way of the old set that is still there is taken, and the answer says that the set was old.
    let still = route_to(&begun, "::check")["route_id"].clone();
    let wish = json!({"perspective_id": id, "route_id": still, "route_set_version": version});
    let moved = ok(&fixture, "perspective_follow", wish);
    assert_eq!(
        (&moved["followed"], &moved["stale"], &moved["requested_version"]),
        (&json!(true), &json!(true), version),
        "{moved}"
    );
    ok(&fixture, "perspective_back", json!({"perspective_id": id}));
    // The place itself goes: the walk stands at what was around it, and says so.
    let lost = begun["focus"]["node_id"].clone();
    fs::write(fixture.root().join("app/store.py"), "def check(item):\n    assert item\n").unwrap();
    let near =
        ok(&fixture, "perspective_routes", json!({"perspective_id": id, "route_set_version": version}));
    assert_eq!((&near["lost"], &near["stale"]), (&lost, &json!(true)), "{near}");
    assert_eq!(near["focus"]["node_id"], "file::app/store.py", "{near}");
    for tool in ["perspective_follow", "perspective_inspect", "perspective_peek"] {
        let old = ok(&fixture, tool, json!({"perspective_id": id, "route_id": way}));
        assert_eq!(old["lost"], lost, "{tool}: {old}");
        assert!(!old["routes"].as_array().unwrap().is_empty(), "{tool}: {old}");
    }
    ok(&fixture, "perspective_suggest", json!({"perspective_id": id}));
    ok(&fixture, "perspective_affinity", json!({"perspective_id": id, "node_id": "check"}));
    let there = route_to(&near, "::check")["route_id"].clone();
    let moved = ok(&fixture, "perspective_follow", json!({"perspective_id": id, "route_id": there}));
    assert_eq!((&moved["followed"], moved.get("lost")), (&json!(true), None), "{moved}");
    // Where the file and its folder are gone too, nothing is left to stand at.
    let begun = ok(&fixture, "perspective_start", json!({"node_id": "test_save"}));
    fs::remove_dir_all(fixture.root().join("tests")).unwrap();
    let nowhere = refused(&fixture, "perspective_routes", json!({"perspective_id": begun["perspective_id"]}));
    assert_eq!(
        (&nowhere["code"], &nowhere["recovery"]["next_tool"]),
        (&json!("stale"), &json!("perspective_close")),
        "{nowhere}"
    );
}

#[test]
fn every_route_can_be_come_by_whatever_the_budget() {
    let mut repo = String::from("//- app/hub.py\ndef hub():\n    return 1\n");
    for at in 0..40 {
        let name = format!("caller_{at}_with_a_name_that_takes_some_room_in_an_answer");
        repo.push_str(&format!(
            "//- app/user_{at}.py\nfrom app.hub import hub\n\ndef {name}():\n    return hub()\n"
        ));
    }
    let fixture = Fixture::new(m1nd_tools::surface(), &repo);
    ok(&fixture, "ingest", json!({}));
    let begun = ok(&fixture, "perspective_start", json!({"node_id": "hub", "max_chars": 500}));
    let id = &begun["perspective_id"];
    // Less than one route takes is refused with what it takes.
    let small = json!({"perspective_id": id, "max_chars": 500, "page_size": 10});
    let least = refused(&fixture, "perspective_routes", small)["detail"]["least"].as_u64().unwrap();
    assert!(least > 500, "{least}");
    // A later page has a larger number in its cursor.
    for budget in [least + 8, 700, 1_000, 4_000] {
        let mut seen: Vec<Value> = Vec::new();
        let mut wish = json!({"perspective_id": id, "max_chars": budget, "page_size": 10});
        let total = loop {
            // A page without a route would not advance: where not even one fits, the least that it needs is told.
            let reply = fixture.call("perspective_routes", wish.clone());
            if let Some(least) = reply.body["error"]["detail"]["least"].as_i64() {
                let given = wish["max_chars"].as_i64().unwrap();
                assert!(given < least && least < 700, "{}", reply.text());
                wish["max_chars"] = json!(least);
                continue;
            }
            let page = reply.body;
            let routes = page["routes"].as_array().unwrap();
            assert!(!routes.is_empty(), "{page}");
            assert!(page.to_string().len() as i64 <= wish["max_chars"].as_i64().unwrap(), "{page}");
            seen.extend(routes.iter().map(|route| route["route_id"].clone()));
            match page.get("next_cursor") {
                Some(cursor) => wish["cursor"] = cursor.clone(),
                None => break page["total_routes"].clone(),
            }
        };
        let distinct: std::collections::BTreeSet<String> = seen.iter().map(Value::to_string).collect();
        assert_eq!((json!(distinct.len()), json!(seen.len())), (total.clone(), total), "{budget}");
    }
    let both = refused(&fixture, "perspective_routes", json!({"perspective_id": id, "page": 1, "cursor": 2}));
    assert_eq!(both["code"], "invalid_params");
}

#[test]
fn pages_have_every_route_once_and_a_full_shelf_says_so() {
    let fixture = program();
    let begun = ok(&fixture, "perspective_start", json!({"query": "save an item", "mode": "local"}));
    let id = &begun["perspective_id"];
    let mut seen = Vec::new();
    for page in 1.. {
        let wish = json!({"perspective_id": id, "page": page, "page_size": 2});
        let found = ok(&fixture, "perspective_routes", wish);
        seen.extend(found["routes"].as_array().unwrap().iter().map(|route| route["route_id"].clone()));
        if page >= found["pages"].as_u64().unwrap() {
            assert_eq!(json!(seen.len()), found["total_routes"]);
            break;
        }
    }
    let distinct: std::collections::BTreeSet<String> = seen.iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), seen.len());
    let clamped = ok(&fixture, "perspective_routes", json!({"perspective_id": id, "page_size": 50}));
    assert_eq!(clamped["clamped"], json!(["page_size"]));
    for _ in 1..20 {
        ok(&fixture, "perspective_start", json!({"node_id": "save"}));
    }
    let full = refused(&fixture, "perspective_start", json!({"node_id": "save"}));
    assert_eq!(
        (&full["code"], &full["recovery"]["next_tool"]),
        (&json!("too_large"), &json!("perspective_list"))
    );
}

fn all_statements(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["statement"].as_str().unwrap()).collect()
}

#[test]
fn a_trail_knows_what_became_of_its_places() {
    let fixture = program();
    let saved = ok(
        &fixture,
        "trail_save",
        json!({"label": "saving", "visited": ["save", "check", "handle"], "tags": ["bug"],
            "hypotheses": [{"statement": "check is too strict", "confidence": 0.8, "supporting": ["check", "save"]},
                {"statement": "handle drops requests", "confidence": 0.4, "supporting": ["handle"]}],
            "conclusions": [{"statement": "saving checks", "confidence": 0.8, "supporting": ["check", "save"]},
                {"statement": "handle is entered once", "confidence": 0.7, "supporting": ["handle"]}],
            "open_questions": ["who calls handle"]}),
    );
    let id = &saved["trail_id"];
    fs::write(fixture.root().join("app/store.py"), "def save(item):\n    return [item]\n").unwrap();
    let found = ok(&fixture, "trail_resume", json!({"trail_id": id}));
    let ends = |field: &str| {
        found[field]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node.as_str().unwrap().rsplit("::").next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (ends("gone"), ends("changed")),
        (vec!["check".to_owned()], vec!["save".to_owned()]),
        "{found}"
    );
    // One is gone and one changed: a quarter of 0.8 is left.
    assert_eq!(
        (&found["hypotheses"][0]["confidence"], &found["hypotheses"][0]["was"]),
        (&json!(0.2), &json!(0.8))
    );
    assert_eq!(
        found["conclusions"],
        json!([
            "saving checks (0.2, was 0.8; of its support 1 gone, 1 changed: check it)",
            "handle is entered once (0.7)"
        ])
    );
    assert!(found["next_focus"]["node_id"].as_str().unwrap().ends_with("handle"), "{found}");
    assert_eq!(found["next_suggested_tool"], "seek");
    let other = json!({"agent_id": "b", "label": "again", "visited": ["handle"],
        "hypotheses": [{"statement": "Check is too strict", "confidence": 0.9},
            {"statement": "handle drops requests", "confidence": 0.9, "status": "rejected"}]});
    let second = fixture.call("trail_save", other).body;
    let merged = ok(&fixture, "trail_merge", json!({"trail_ids": [id, second["trail_id"]]}));
    assert_eq!(
        all_statements(&merged["agreements"]),
        ["check is too strict"],
        "one leaves the other open: {merged}"
    );
    assert_eq!(ok(&fixture, "trail_list", json!({}))["total"], 3);
    assert_eq!(ok(&fixture, "trail_list", json!({"tags": ["bug"]}))["total"], 2);
    fs::remove_file(fixture.root().join("app/store.py")).unwrap();
    fs::remove_file(fixture.root().join("app/main.py")).unwrap();
    let stale = refused(&fixture, "trail_resume", json!({"trail_id": id}));
    assert_eq!(stale["code"], "stale", "{stale}");
    let forced = ok(&fixture, "trail_resume", json!({"trail_id": id, "force": true}));
    assert_eq!((&forced["stale"], forced.get("next_focus")), (&json!(true), None));
    let nothing = refused(&fixture, "trail_save", json!({"label": "empty"}));
    assert!(nothing["message"].as_str().unwrap().contains("nothing to keep"));
}

#[test]
fn a_lock_tells_what_changed_in_its_region_and_nothing_else() {
    let fixture = program();
    let held = ok(&fixture, "lock_create", json!({"region": "path", "nodes": ["app/store.py"]}));
    let id = &held["lock_id"];
    let unchanged = ok(&fixture, "lock_diff", json!({"lock_id": id}));
    assert_eq!((&unchanged["has_changed"], unchanged.get("changed")), (&json!(false), None));
    fs::write(fixture.root().join("app/lonely.py"), "def alone():\n    return 2\n").unwrap();
    assert_eq!(ok(&fixture, "lock_watch", json!({"lock_id": id}))["has_changed"], false);
    fs::write(
        fixture.root().join("app/store.py"),
        "def save(item):\n    return [item]\n\ndef check(item):\n    assert item\n\ndef new():\n    return 1\n",
    )
    .unwrap();
    let found = ok(&fixture, "lock_diff", json!({"lock_id": id}));
    let has = |field: &str, end: &str| {
        found[field].as_array().unwrap().iter().any(|one| one.as_str().unwrap().ends_with(end))
    };
    assert!(has("changed", "::save") && has("added", "::new"), "{found}");
    assert!(has("edges_removed", "calls function::app/store.py::check"), "{found}");
    assert!(
        !found["changed"].as_array().unwrap().iter().any(|one| one.as_str().unwrap().ends_with("::check")),
        "it only moved: {found}"
    );
    assert_eq!(ok(&fixture, "lock_watch", json!({"lock_id": id, "wait_ms": 8000}))["has_changed"], true);
    assert_eq!(ok(&fixture, "lock_rebase", json!({"lock_id": id}))["has_changed"], true);
    assert_eq!(ok(&fixture, "lock_diff", json!({"lock_id": id}))["has_changed"], false);
    for wish in [
        json!({"region": "node", "nodes": ["save"]}),
        json!({"region": "subgraph", "nodes": ["save"], "radius": 2}),
        json!({"region": "query_neighborhood", "query": "save item"}),
        json!({"region": "path", "nodes": ["route", "save"]}),
    ] {
        let made = ok(&fixture, "lock_create", wish);
        assert!(made["nodes"].as_u64().unwrap() >= 1, "{made}");
    }
    assert_eq!(ok(&fixture, "lock_diff", json!({}))["locks"].as_array().unwrap().len(), 5);
    ok(&fixture, "lock_release", json!({"lock_id": id}));
    assert_eq!(refused(&fixture, "lock_diff", json!({"lock_id": id}))["code"], "unknown_target");
    let nowhere = refused(&fixture, "lock_create", json!({"region": "path", "nodes": ["alone", "save"]}));
    assert!(nowhere["message"].as_str().unwrap().contains("no chain"), "{nowhere}");
}

#[test]
fn a_lock_of_a_folder_sees_files_that_come() {
    let fixture = program();
    let folder = ok(&fixture, "lock_create", json!({"region": "path", "nodes": ["app"]}));
    let node = ok(&fixture, "lock_create", json!({"region": "node", "nodes": ["app"]}));
    fs::write(fixture.root().join("app/late.py"), "def late():\n    return 2\n").unwrap();
    let found = ok(&fixture, "lock_diff", json!({"lock_id": folder["lock_id"]}));
    let added: Vec<&str> = found["added"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(added.iter().any(|id| id.ends_with("app/late.py")), "{found}");
    assert!(added.iter().any(|id| id.ends_with("::late")), "{found}");
    let alone = ok(&fixture, "lock_diff", json!({"lock_id": node["lock_id"]}));
    assert_eq!(alone.get("added"), None, "only the folder itself was locked: {alone}");
    for wrong in [
        json!({"region": "node", "nodes": ["save"], "radius": 2}),
        json!({"region": "path", "nodes": ["app"], "query": "save"}),
    ] {
        let no = refused(&fixture, "lock_create", wrong);
        assert!(no["message"].as_str().unwrap().contains("leave it out"), "{no}");
    }
}

#[test]
fn a_diff_that_is_cut_off_says_how_much_there_is() {
    let fixture = program();
    let id =
        ok(&fixture, "lock_create", json!({"region": "path", "nodes": ["app/lonely.py"]}))["lock_id"].clone();
    let many: String = (0..60).map(|nth| format!("def new{nth}():\n    return alone()\n\n")).collect();
    let path = fixture.root().join("app/lonely.py");
    fs::write(&path, format!("def alone():\n    return 1\n\n{many}")).unwrap();
    let found = ok(&fixture, "lock_diff", json!({"lock_id": id, "max_chars": 1500}));
    assert_eq!((&found["truncated"], &found["totals"]["added"]), (&json!(true), &json!(60)), "{found}");
    assert_eq!(found["totals"]["edges_added"], 60, "what is new calls what was there: {found}");
    let whole = ok(&fixture, "lock_diff", json!({"lock_id": id, "max_chars": 60_000}));
    assert_eq!((&whole["truncated"], whole.get("totals")), (&json!(false), None));
}

#[test]
fn a_walk_whose_place_is_gone_says_so_wherever_it_is_named() {
    let fixture = program();
    let one = ok(&fixture, "perspective_start", json!({"node_id": "save"}))["perspective_id"].clone();
    let two = ok(&fixture, "perspective_start", json!({"node_id": "alone"}))["perspective_id"].clone();
    let both = json!({"perspective_id": two, "other_id": one});
    assert_eq!(ok(&fixture, "perspective_compare", both.clone()).get("focus_gone"), None);
    fs::write(fixture.root().join("app/store.py"), "def keep(item):\n    return item\n").unwrap();
    let found = ok(&fixture, "perspective_compare", both);
    assert_eq!(found["focus_gone"], json!(["function::app/store.py::save"]), "{found}");
    assert_eq!(found["next_suggested_target"], one, "{found}");
    let list = ok(&fixture, "perspective_list", json!({}));
    let gone = |row: &&Value| row["focus_gone"] == true;
    let rows: Vec<&Value> = list["perspectives"].as_array().unwrap().iter().filter(gone).collect();
    assert_eq!((rows.len(), &rows[0]["perspective_id"]), (1, &one), "{list}");
}

#[test]
fn a_lock_whose_region_is_gone_says_that_it_is_empty() {
    let fixture = program();
    let id = ok(&fixture, "lock_create", json!({"region": "node", "nodes": ["save"]}))["lock_id"].clone();
    let text = fs::read_to_string(fixture.root().join("app/store.py")).unwrap();
    fs::write(fixture.root().join("app/store.py"), "x = 1\n").unwrap();
    for tool in ["lock_rebase", "lock_diff", "lock_watch"] {
        let said = ok(&fixture, tool, json!({"lock_id": id}));
        assert!(said["next_step_hint"].as_str().unwrap().starts_with("The region is empty"), "{said}");
        assert_eq!(said["next_suggested_tool"], "lock_release");
        fs::write(fixture.root().join("app/store.py"), &text).unwrap();
    }
}

#[test]
fn a_page_after_the_last_names_the_last() {
    let fixture = program();
    let walk = ok(&fixture, "perspective_start", json!({"node_id": "save"}));
    let far =
        ok(&fixture, "perspective_routes", json!({"perspective_id": walk["perspective_id"], "page": 99}));
    assert_eq!(far["next_step_hint"], json!(format!("The last page is {}.", far["pages"])), "{far}");
}

#[test]
fn facts_are_small_shared_and_deleted_only_on_purpose() {
    let fixture = program();
    let set = json!({"action": "set", "key": "tests", "value": "pytest -q"});
    assert_eq!(ok(&fixture, "boot_memory", set)["done"], "set");
    let again = json!({"action": "set", "key": "tests", "value": "pytest", "agent_id": "b"});
    assert!(!fixture.call("boot_memory", again).is_error);
    let all = ok(&fixture, "boot_memory", json!({"action": "list"}));
    assert_eq!((&all["total"], &all["facts"][0]["value"]), (&json!(1), &json!("pytest")));
    let secret = json!({"action": "set", "key": "k", "value": "ghp_0123456789abcdefghijABCDEFGHIJ012345"});
    assert_eq!(refused(&fixture, "boot_memory", secret)["code"], "invalid_params");
    let long = json!({"action": "set", "key": "k", "value": "x".repeat(1_001)});
    assert!(refused(&fixture, "boot_memory", long)["message"].as_str().unwrap().contains("1000"));
    let delete = json!({"action": "delete", "key": "tests"});
    let unsure = refused(&fixture, "boot_memory", delete);
    assert_eq!(unsure["recovery"]["arguments"]["action"], "get", "{unsure}");
    let named = refused(&fixture, "boot_memory", json!({"action": "list", "key": "tests"}));
    assert!(named["message"].as_str().unwrap().contains("`list` takes no `key`"), "{named}");
    let deleted = ok(&fixture, "boot_memory", json!({"action": "delete", "key": "tests", "confirm": true}));
    assert_eq!((&deleted["total"], &deleted["facts"][0]["value"]), (&json!(0), &json!("pytest")));
    let gone = refused(&fixture, "boot_memory", json!({"action": "get", "key": "tests"}));
    assert_eq!(gone["code"], "unknown_target");
}

#[test]
fn coverage_tells_what_was_read_and_what_was_only_pointed_to() {
    let fixture = program();
    ok(&fixture, "callers", json!({"node_id": "save"}));
    ok(&fixture, "view", json!({"file_path": "app/store.py"}));
    let found = ok(&fixture, "coverage_session", json!({}));
    assert_eq!(
        (&found["files"], &found["read"], &found["share"]),
        (&json!(4), &json!(1), &json!(0.25)),
        "{found}"
    );
    assert!(found["unread"].as_array().unwrap().contains(&json!("app/main.py")), "{found}");
    assert!(!found["unread"].as_array().unwrap().contains(&json!("app/store.py")), "{found}");
    let mine = json!({"agent_id": "somebody else"});
    assert_eq!(fixture.call("coverage_session", mine).body["read"], 0);
}

#[test]
fn pages_of_trails_have_each_once_also_when_others_come_between() {
    let fixture = program();
    for nth in 0..7 {
        let label = format!("trail {nth} {}", "of many words ".repeat(40));
        ok(&fixture, "trail_save", json!({"label": label, "open_questions": ["why?"], "tags": ["x"]}));
    }
    let mut wish = json!({"limit": 3, "max_chars": 900});
    let mut seen: Vec<String> = Vec::new();
    loop {
        let page = ok(&fixture, "trail_list", wish.clone());
        let rows = page["trails"].as_array().unwrap();
        assert!(!rows.is_empty(), "{page}");
        seen.extend(rows.iter().map(|row| row["trail_id"].as_str().unwrap().to_owned()));
        ok(&fixture, "trail_save", json!({"label": "later", "open_questions": ["what?"]}));
        match page.get("next_cursor") {
            Some(cursor) => wish["cursor"] = cursor.clone(),
            None => break,
        }
    }
    seen.retain(|id| id.trim_start_matches("trail_").parse::<u32>().unwrap() <= 7);
    let distinct: std::collections::BTreeSet<&String> = seen.iter().collect();
    assert_eq!((distinct.len(), seen.len()), (7, 7), "{seen:?}");
    assert_eq!(refused(&fixture, "trail_list", json!({"cursor": "x"}))["code"], "invalid_params");
}

#[test]
fn a_trail_can_take_the_place_of_another_and_too_much_is_refused() {
    let fixture = program();
    let first = ok(&fixture, "trail_save", json!({"label": "one", "open_questions": ["why?"]}));
    let wish = json!({"label": "two", "visited": ["save"], "replace": first["trail_id"]});
    assert_eq!(ok(&fixture, "trail_save", wish)["trail_id"], first["trail_id"]);
    let list = ok(&fixture, "trail_list", json!({}));
    assert_eq!((&list["total"], &list["trails"][0]["label"]), (&json!(1), &json!("two")), "{list}");
    let nowhere = json!({"label": "x", "open_questions": ["why?"], "replace": "trail_99"});
    assert_eq!(refused(&fixture, "trail_save", nowhere)["code"], "unknown_target");
    let boosts: Vec<Value> = (0..101).map(|_| json!({"node_id": "save", "boost": 0.5})).collect();
    let no = refused(&fixture, "trail_save", json!({"label": "x", "visited": ["save"], "boosts": boosts}));
    assert!(no["message"].as_str().unwrap().contains("`boosts` has more than 100"), "{no}");
    let many = vec!["save"; 501];
    let thought = json!({"statement": "s", "confidence": 0.5, "supporting": many});
    let no = refused(&fixture, "trail_save", json!({"label": "x", "hypotheses": [thought]}));
    assert!(no["message"].as_str().unwrap().contains("more than 500 nodes"), "{no}");
}
