//! Where there is no data, tools say so and what would provide it, and give no number in its place.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn ingested(text: &str) -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), text);
    let reply = fixture.call("ingest", json!({}));
    assert_eq!(reply.body["state"], "done", "{}", reply.text());
    fixture
}

fn ok(fixture: &Fixture, tool: &str, arguments: Value) -> Value {
    let reply = fixture.call(tool, arguments);
    assert!(!reply.is_error, "{tool}: {}", reply.text());
    reply.body
}

const DOCUMENTS: &str =
    "//- README.md\n# A shop\n\nSee [how](docs/how.md).\n//- docs/how.md\nOpen the door.\n";
const CODE: &str = "//- shop/door.py\ndef open_door(name):\n    return name\n//- shop/main.py\nfrom shop.door import open_door\n\ndef main():\n    open_door('x')\n";

#[test]
fn documents_alone_have_no_health_no_share_and_no_verdict() {
    let fixture = ingested(DOCUMENTS);
    let overview = ok(&fixture, "panoramic", json!({}));
    assert!(overview["overall_health"].is_null(), "{overview}");
    assert!(overview["no_data"][0].as_str().unwrap().starts_with("modules: "), "{overview}");
    let seen = ok(&fixture, "coverage_session", json!({}));
    assert!(seen["share"].is_null() && seen["files"] == 0, "{seen}");
    let scan = ok(&fixture, "scan", json!({"pattern": "error_handling"}));
    assert!(scan["no_data"].as_str().unwrap().starts_with("no_data: no file of the product"), "{scan}");
    let plan = json!({"actions": [{"action_type": "modify", "file_path": "README.md"}]});
    let plan = ok(&fixture, "validate_plan", plan);
    assert!(plan["test_coverage"]["tested"].is_null(), "{plan}");
    let claim = ok(&fixture, "hypothesize", json!({"claim": "README.md is isolated"}));
    assert_eq!(claim["verdict"], "inconclusive", "{claim}");
    assert!(claim["supporting"][0]["says"].as_str().unwrap().starts_with("no_data: "), "{claim}");
}

#[test]
fn without_a_history_nothing_is_said_of_change() {
    let fixture = ingested(CODE);
    let expect = |tool: &str, arguments: Value| {
        let body = ok(&fixture, tool, arguments);
        let said = body["no_data"].as_str().unwrap_or_default().to_owned();
        assert!(said.starts_with("no_data: there is no git history here."), "{tool}: {body}");
        body
    };
    for tool in ["trust", "tremor", "ghost_edges"] {
        expect(tool, json!({}));
    }
    let spread = expect("epidemic", json!({}));
    for number in ["r0", "expected_infected", "peak_step"] {
        assert!(spread[number].is_null(), "{spread}");
    }
    let past = expect("timeline", json!({"node": "shop/door.py"}));
    for number in ["velocity", "stability", "pattern"] {
        assert!(past[number].is_null(), "{past}");
    }
    let predicted = expect("predict", json!({"changed_node": "shop/door.py"}));
    let rows = predicted["predictions"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["confidence"].is_null()), "{predicted}");
    let overview = ok(&fixture, "panoramic", json!({}));
    let lacks: Vec<&str> =
        overview["no_data"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let about =
        |name: &str| lacks.iter().any(|said| said.starts_with(name) && said.contains("would provide"));
    assert!(about("trust: ") && about("tremor: "), "{overview}");
    assert!(about("overall_health, combined_risk: "), "{overview}");
}

#[test]
fn a_repository_without_a_commit_says_that_commits_are_missing() {
    let fixture = Fixture::new(m1nd_tools::surface(), CODE);
    let git = fixture.root().join(".git");
    for folder in ["objects/info", "objects/pack", "refs/heads"] {
        std::fs::create_dir_all(git.join(folder)).unwrap();
    }
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(git.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n").unwrap();
    fixture.call("ingest", json!({}));
    let trust = ok(&fixture, "trust", json!({}));
    assert!(trust["no_data"].as_str().unwrap().starts_with("no_data: nothing is committed yet."), "{trust}");
}

/// The formula of the contract, from the numbers that are shown.
#[test]
fn the_combined_risk_of_every_module_is_that_of_the_formula() {
    let mut text = String::from(
        "//- a.py\nimport b\ndef a():\n    return b.b()\n//- b.py\nimport a\ncache = {}\ndef b():\n    cache['x'] = 1\n    return a.a()\n",
    );
    for nth in 0..25 {
        text += &format!(
            "//- m{nth}.py\nfrom a import a\nfrom b import b\ndef f{nth}():\n    a()\n    return b()\n"
        );
    }
    let fixture = ingested(&text);
    let body = ok(&fixture, "panoramic", json!({"limit": 5_000, "max_chars": 100_000}));
    assert_eq!(body["clamped"], json!(["limit"]), "{body}");
    assert_eq!(body["total_scanned"], 27);
    let modules = body["modules"].as_array().unwrap();
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let mut last = f64::INFINITY;
    for row in modules {
        let part = |name: &str, over: f64| (number(row, name) / over).clamp(0.0, 1.0);
        let combined = (1.0 - number(row, "trust_score")) * 0.30
            + part("tremor_magnitude", 1.0) * 0.25
            + part("layer_violations", 5.0) * 0.20
            + part("turbulence", 1.0) * 0.15
            + part("antibody_matches", 3.0) * 0.10;
        assert!((number(row, "combined_risk") - combined).abs() < 1e-4, "{row}");
        assert!(number(row, "combined_risk") <= last, "the riskiest comes first: {row}");
        last = number(row, "combined_risk");
    }
    // The highest tenth of 27 are three.
    let worst: f64 = modules.iter().take(3).map(|row| number(row, "combined_risk")).sum::<f64>() / 3.0;
    assert!((body["overall_health"].as_f64().unwrap() - (1.0 - worst)).abs() < 2e-4, "{body}");
    // A scope is a folder, a file, or the beginning of paths.
    let scoped = |scope: &str| fixture.call("panoramic", json!({"scope": scope}));
    assert_eq!(scoped("a.py").body["total_scanned"], 1);
    assert_eq!(scoped("m1").body["total_scanned"], 11);
    assert!(scoped("zebra").is_error && scoped("../m1").is_error);
}

#[test]
fn direct_callers_that_do_not_fit_are_counted_and_can_be_asked_for() {
    let mut text = String::from("//- core.py\ndef core(value):\n    return value\n");
    for nth in 0..120 {
        text += &format!(
            "//- users/user{nth:03}.py\nfrom core import core\n\ndef user_number_{nth:03}():\n    return core({nth})\n\ndef far_{nth:03}():\n    return user_number_{nth:03}()\n"
        );
    }
    let fixture = ingested(&text);
    let mut names = std::collections::BTreeSet::new();
    let mut cursor = 0;
    loop {
        let body = ok(&fixture, "impact", json!({"node_id": "core", "cursor": cursor}));
        assert_eq!(body["direct_callers"], 120, "{body}");
        let shown = body["blast_radius"].as_array().unwrap();
        assert!(!shown.is_empty(), "{body}");
        for hit in shown.iter().filter(|hit| hit["hop_distance"] == 1 && hit["via"] == "calls") {
            names.insert(hit["node_id"].as_str().unwrap().to_owned());
        }
        let left = body["direct_callers_left"].as_u64().unwrap_or_default();
        assert_eq!(left, 120 - names.len() as u64, "{body}");
        match body["next_cursor"].as_u64() {
            Some(next) if left > 0 => {
                assert_eq!(next, cursor + shown.len() as u64);
                cursor = next;
            }
            _ => break,
        }
    }
    assert_eq!(names.len(), 120);
    // Little room is kept for the callers, not for chains and tests.
    let small = ok(&fixture, "impact", json!({"node_id": "core", "max_chars": 1_500}));
    assert!(small["blast_radius"].as_array().unwrap().len() > 2, "{small}");
    assert!(fixture.call("impact", json!({"node_id": "core", "cursor": 100_000})).is_error);
    // What a node depends on are no callers.
    let back = ok(&fixture, "impact", json!({"node_id": "far_003", "direction": "reverse"}));
    assert_eq!((&back["total"], &back["direct_callers"]), (&json!(2), &json!(0)), "{back}");
}

#[test]
fn a_plan_without_a_history_has_no_score_but_what_breaks_is_told() {
    let fixture = ingested(CODE);
    let plan = |act: &str| {
        let actions = json!([{"action_type": act, "file_path": "shop/door.py"}]);
        ok(&fixture, "validate_plan", json!({ "actions": actions }))
    };
    let found = plan("modify");
    assert!(found["no_data"].is_string() && found["risk_score"].is_null(), "{found}");
    assert!(found["risk_level"].is_null(), "{found}");
    let found = plan("delete");
    assert_eq!((&found["risk_score"], &found["risk_level"]), (&Value::Null, &json!("high")), "{found}");
}
