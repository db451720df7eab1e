//! What a change reaches and what goes with it, in a small program with a past.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

#[path = "common/commits.rs"]
mod commits;

use commits::{Says, commit};

const MODELS: &str =
    "from util import clean\n\nclass Order:\n    def total(self):\n        return clean(1)\n";
const UTIL: &str = "def clean(x):\n    return x\n\ndef lonely():\n    return 1\n";
const VIEWS: &str = "from models import Order\n\ndef show():\n    return Order().total()\n";
const TESTS: &str = "from views import show\n\ndef test_show():\n    assert show() == 1\n";
const OTHER: &str = "def other():\n    return 2\n";

/// Six commits: models and views change together and are mended often, util once, other never again.
fn program() -> Fixture {
    let files = [
        ("models.py", MODELS),
        ("util.py", UTIL),
        ("views.py", VIEWS),
        ("test_views.py", TESTS),
        ("other.py", OTHER),
    ];
    let text: String = files.iter().map(|(path, text)| format!("//- {path}\n{text}")).collect();
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    let steps: [(&str, &[&str]); 6] = [
        ("first", &["models.py", "util.py", "views.py", "test_views.py", "other.py"]),
        ("fix: wrong sums", &["models.py", "views.py"]),
        ("fix: another sum", &["models.py", "views.py"]),
        ("speed up", &["models.py", "views.py"]),
        ("fix: cleaning", &["util.py"]),
        ("last words", &["models.py", "views.py", "util.py"]),
    ];
    for (nth, (message, touched)) in steps.iter().enumerate() {
        let text_of = |(path, text): (&str, &str)| {
            // Every touch adds a comment; the last one takes all of them away.
            let touches = steps[..=nth].iter().filter(|step| step.1.contains(&path)).count();
            if nth + 1 == steps.len() && touched.contains(&path) || touches <= 1 {
                text.to_owned()
            } else {
                format!("{text}# {touches}\n")
            }
        };
        let texts = files.map(text_of);
        let now: Vec<(&str, &str)> =
            files.iter().zip(&texts).map(|((path, _), text)| (*path, &**text)).collect();
        commit(fixture.root(), Says("Ann", 1_690_000_000 + nth as u64 * 86_400, message), &now);
    }
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

fn ok(fixture: &Fixture, tool: &str, arguments: Value) -> Value {
    let reply = fixture.call(tool, arguments);
    assert!(!reply.is_error, "{}", reply.text());
    reply.body
}

fn refused(fixture: &Fixture, tool: &str, arguments: Value) -> String {
    let reply = fixture.call(tool, arguments);
    assert!(reply.is_error, "{}", reply.text());
    reply.body["error"]["message"].as_str().unwrap().to_owned()
}

fn names(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn impact_tells_callers_first_then_what_is_further_away_and_the_tests() {
    let fixture = program();
    let found = ok(&fixture, "impact", json!({"node_id": "clean"}));
    assert_eq!(
        names(&found["blast_radius"], "label"),
        ["total", "models.py", "show", "views.py", "test_views.py", "test_show"],
        "{found}"
    );
    assert_eq!((&found["direct_callers"], &found["tests_total"]), (&json!(1), &json!(1)));
    assert_eq!(found["blast_radius"][0]["signal_strength"], 0.9);
    assert_eq!(names(&found["tests"], "at"), ["test_views.py:3"]);
    let chain = &found["causal_chains"][0]["path"];
    assert_eq!(chain, &json!(["clean", "Order.total", "show"]), "{found}");
    let back = ok(&fixture, "impact", json!({"node_id": "show", "direction": "reverse", "max_hops": 1}));
    assert!(names(&back["blast_radius"], "label").contains(&"total".to_owned()), "{back}");
    assert_eq!(ok(&fixture, "impact", json!({"node_id": "lonely"}))["total"], 0);
    assert!(refused(&fixture, "impact", json!({})).contains("either"));
    assert!(refused(&fixture, "impact", json!({"node_id": "show", "max_hops": 0})).contains("1 to 10"));
}

#[test]
fn every_page_of_an_impact_goes_on_however_small_it_is() {
    let mut text = "//- core.py\ndef core():\n    return 1\n".to_owned();
    for nth in 0..12 {
        text += &format!("//- part{nth}.py\nfrom core import core\n\ndef use{nth}():\n    core()\n");
        text += &format!(
            "//- test_part{nth}.py\nfrom part{nth} import use{nth}\n\ndef test_use{nth}():\n    use{nth}()\n"
        );
    }
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    ok(&fixture, "ingest", json!({}));
    for budget in [500, 1_500] {
        let mut seen = std::collections::BTreeSet::new();
        let mut arguments = json!({"node_id": "core", "max_chars": budget});
        let mut total = 0;
        for page in 0..100 {
            let found = ok(&fixture, "impact", arguments.clone());
            total = found["total"].as_u64().unwrap();
            seen.extend(names(&found["blast_radius"], "node_id"));
            assert!(page == 0 || found["tests"] == json!([]), "{found}");
            let Some(next) = found["next_cursor"].as_u64() else { break };
            assert!(arguments["cursor"].as_u64().is_none_or(|before| next > before) && next > 0, "{found}");
            arguments["cursor"] = json!(next);
        }
        assert_eq!(seen.len() as u64, total, "with {budget}");
    }
}

#[test]
fn a_claim_that_is_not_understood_is_shown_one_that_is() {
    let fixture = program();
    let reply = fixture.call("hypothesize", json!({"claim": "the code is nice"}));
    let recovery = &reply.body["error"]["recovery"];
    ok(&fixture, recovery["next_tool"].as_str().unwrap(), recovery["arguments"].clone());
}

#[test]
fn a_plan_that_makes_what_is_there_is_told_so() {
    let fixture = program();
    let plan = |path: &str| {
        ok(&fixture, "validate_plan", json!({"actions": [{"action_type": "create", "file_path": path}]}))
    };
    assert!(plan("util.py")["notes"][0].as_str().unwrap().contains("there already"));
    assert_eq!(plan("new.py")["notes"], Value::Null);
}

#[test]
fn a_plan_of_files_that_nothing_is_known_of_is_not_vouched_for() {
    let fixture = program();
    fs::write(fixture.root().join("CHANGELOG.md"), "# 1\n").unwrap();
    let plan = |actions: Value| ok(&fixture, "validate_plan", json!({ "actions": actions }));
    for (act, path) in [("create", "new.py"), ("modify", "CHANGELOG.md")] {
        let found = plan(json!([{"action_type": act, "file_path": path}]));
        assert!(found["no_data"].as_str().unwrap().starts_with("no_data: no file of the plan"), "{found}");
        assert_eq!((&found["proof_state"], &found["risk_score"]), (&json!("triaging"), &Value::Null));
    }
    // One file that is known is enough; one with commits and no relation, too.
    let known = plan(json!([
        {"action_type": "create", "file_path": "new.py"},
        {"action_type": "modify", "file_path": "models.py"},
    ]));
    assert_eq!(known["no_data"], Value::Null, "{known}");
    assert!(known["risk_score"].is_number(), "{known}");
    let alone = plan(json!([{"action_type": "modify", "file_path": "other.py"}]));
    assert!(alone["no_data"].is_null() && alone["risk_score"].is_number(), "{alone}");
}

#[test]
fn the_past_of_a_review_ends_at_its_base() {
    let fixture = program();
    let text = MODELS.replace("clean(1)", "clean(2)");
    fs::write(fixture.root().join("models.py"), &text).unwrap();
    let repo = gix::open(fixture.root()).unwrap();
    let base = repo.head_id().unwrap().detach();
    let review = || {
        let found = ok(&fixture, "review", json!({"base": base.to_string()}));
        let missing = found["findings"].as_array().unwrap().iter();
        let missing = missing.filter(|one| one["kind"] == "missing_co_change");
        let said: Vec<String> = missing.map(|one| one["message"].as_str().unwrap().to_owned()).collect();
        (said, found["risk_score"].clone(), found["commits"].clone())
    };
    let open = review();
    assert!(open.0[0].contains("in 5 of 5 commits"), "{open:?}");
    let mut tree = repo.find_commit(base).unwrap().tree().unwrap().edit().unwrap();
    tree.upsert("models.py", gix::objs::tree::EntryKind::Blob, repo.write_blob(&text).unwrap()).unwrap();
    let tree = tree.write().unwrap();
    let who = gix::actor::SignatureRef { name: "Ann".into(), email: "a@x".into(), time: "1700000000 +0000" };
    repo.commit_as(who, who, "HEAD", "fix: count more", tree, [base]).unwrap();
    let committed = review();
    assert_eq!((&committed.0, &committed.1), (&open.0, &open.1));
    assert_eq!((&open.2, &committed.2), (&json!(0), &json!(1)));
}

#[test]
fn a_report_counts_what_was_returned_and_all_calls() {
    let fixture = program();
    let all = ok(&fixture, "panoramic", json!({}))["modules"].as_array().unwrap().len();
    assert!(all > 1);
    ok(&fixture, "panoramic", json!({"limit": 1}));
    refused(&fixture, "predict", json!({}));
    let report = ok(&fixture, "report", json!({"format": "text"}));
    let of_panoramic = report["queries_made"].as_array().unwrap().iter();
    let of_panoramic = of_panoramic.filter(|one| one["tool"] == "panoramic").map(|one| &one["result_count"]);
    assert_eq!(of_panoramic.collect::<Vec<_>>(), [&json!(all), &json!(1)], "{report}");
    let text = report["formatted"].as_str().unwrap();
    assert!(text.contains("  predict: 1 (1 failed)\n"), "{text}");
    let tools = text.split("Tools\n").nth(1).unwrap().lines().take_while(|line| line.starts_with("  "));
    let counts = tools.filter_map(|line| line.split(": ").nth(1)?.split(' ').next()?.parse::<u64>().ok());
    assert_eq!(counts.sum::<u64>(), report["session_summary"]["total_queries"].as_u64().unwrap(), "{text}");
}

#[test]
fn impact_takes_diffs_and_ranges() {
    let fixture = program();
    let diff =
        "--- a/util.py\n+++ b/util.py\n@@ -1,2 +1,2 @@\n def clean(x):\n-    return x\n+    return x + 0\n";
    let found = ok(&fixture, "impact", json!({"diff": diff}));
    assert_eq!(found["sources"], json!(["function::util.py::clean"]), "{found}");
    fs::write(fixture.root().join("util.py"), UTIL.replace("return 1", "return 7")).unwrap();
    let found = ok(&fixture, "impact", json!({"diff": "HEAD"}));
    assert_eq!(found["sources"], json!(["function::util.py::lonely"]), "{found}");
    let found = ok(&fixture, "impact", json!({"diff": "HEAD~2..HEAD~1"}));
    assert!(
        found["sources"].as_array().unwrap().iter().all(|id| id.as_str().unwrap().contains("util.py")),
        "{found}"
    );
    assert!(refused(&fixture, "impact", json!({"diff": "nowhere..HEAD"})).contains("names no commit"));
    assert!(refused(&fixture, "impact", json!({"diff": ""})).contains("empty"));
    let nothing = ok(&fixture, "impact", json!({"diff": "HEAD..HEAD"}));
    assert!(nothing["next_step_hint"].as_str().unwrap().contains("Nothing differs"));
}

#[test]
fn what_changed_together_is_predicted_and_missed_in_a_plan() {
    let fixture = program();
    let found = ok(&fixture, "predict", json!({"changed_node": "models.py"}));
    let first = &found["predictions"][0];
    assert_eq!(
        (&first["label"], &first["reason"]),
        (&json!("views.py"), &json!("changed together in 5 of 5 commits")),
        "{found}"
    );
    let confidence = first["confidence"].as_f64().unwrap();
    assert!((0.1..1.0).contains(&confidence));
    assert!(refused(&fixture, "predict", json!({})).contains("changed_node"));

    let plan = |actions: Value| json!({ "actions": actions });
    let modify = |path: &str| json!({"action_type": "modify", "file_path": path});
    let found = ok(&fixture, "validate_plan", plan(json!([modify("models.py")])));
    assert_eq!(found["gaps"][0]["file_path"], "views.py", "{found}");
    assert_eq!(found["test_coverage"]["tests"], json!(["test_views.py"]), "{found}");
    let found = ok(
        &fixture,
        "validate_plan",
        plan(json!([{"action_type": "delete", "file_path": "util.py"}, modify("views.py")])),
    );
    let first = &found["gaps"][0];
    assert_eq!(
        (&first["file_path"], &first["severity"]),
        (&json!("models.py"), &json!("critical")),
        "{found}"
    );
    assert!(found["risk_score"].as_f64().unwrap() >= 0.5 && found["risk_level"] != "low");
    assert!(["high", "critical"].contains(&found["risk_level"].as_str().unwrap()), "{found}");
    let round = json!([
        {"action_type": "modify", "file_path": "util.py", "depends_on": ["views.py"]},
        {"action_type": "modify", "file_path": "views.py", "depends_on": ["util.py"]},
    ]);
    assert!(refused(&fixture, "validate_plan", plan(round)).contains("circle"));
    assert!(
        refused(&fixture, "validate_plan", plan(json!([modify("gone.py")]))).contains("actions[0].file_path")
    );
    assert!(refused(&fixture, "validate_plan", plan(json!([modify("../x.py")]))).contains("outside"));
    ok(&fixture, "validate_plan", plan(json!([{"action_type": "create", "file_path": "new.py"}])));
}

#[test]
fn a_timeline_tells_the_commits_of_a_file() {
    let fixture = program();
    let found = ok(&fixture, "timeline", json!({"node": "clean", "depth": "all"}));
    assert_eq!(names(&found["commits"], "subject"), ["last words", "fix: cleaning", "first"], "{found}");
    assert_eq!((&found["commits"][1]["added"], &found["pattern"]), (&json!(1), &json!("dormant")), "{found}");
    assert_eq!(found["co_changed"][0]["times"], 2, "{found}");
    // What is older can be had, however many there are.
    let page = |cursor: u64| {
        ok(&fixture, "timeline", json!({"node": "clean", "depth": "all", "limit": 1, "cursor": cursor}))
    };
    assert_eq!((&page(0)["next_cursor"], &page(1)["next_cursor"]), (&json!(1), &json!(2)));
    assert_eq!(
        (names(&page(2)["commits"], "subject"), &page(2)["next_cursor"]),
        (vec!["first".to_owned()], &Value::Null)
    );
    assert!(page(0)["next_step_hint"].as_str().unwrap().contains("next_cursor"));
    fs::create_dir_all(fixture.root().join("late")).unwrap();
    fs::write(fixture.root().join("late/new.py"), "def fresh():\n    return 1\n").unwrap();
    for depth in ["30d", "all"] {
        let new = ok(&fixture, "timeline", json!({"node": "late/new.py", "depth": depth}));
        assert!(new["no_data"].as_str().unwrap().contains("no commit touched"), "{new}");
        assert_eq!((&new["stability"], &new["pattern"]), (&Value::Null, &Value::Null));
    }
    let folder = fixture.call("timeline", json!({"node": "late"}));
    let recovery = &folder.body["error"]["recovery"];
    assert_eq!(recovery["arguments"]["node"], "late/new.py", "{}", folder.text());
    let none = ok(&fixture, "timeline", json!({"node": "util.py", "depth": "7d"}));
    assert_eq!((&none["total"], &none["pattern"]), (&json!(0), &json!("dormant")), "{none}");
    assert!(none["next_step_hint"].as_str().unwrap().contains("depth all"));
}

#[test]
fn the_past_gives_trust_and_tremor_and_both_go_into_the_panorama() {
    let fixture = program();
    let found = ok(&fixture, "trust", json!({}));
    // Tests are no modules; models and views were mended twice, util once.
    assert_eq!(
        names(&found["modules"], "file_path"),
        ["models.py", "views.py", "util.py", "other.py"],
        "{found}"
    );
    assert_eq!((&found["modules"][0]["fixes"], &found["modules"][0]["changes"]), (&json!(2), &json!(5)));
    let found = ok(&fixture, "tremor", json!({"min_magnitude": 0}));
    assert_eq!(found["tremors"][0]["counts"], json!([0, 0, 5]), "{found}");
    let all = ok(&fixture, "panoramic", json!({}));
    let first = &all["modules"][0];
    assert_eq!((&first["source_path"], &all["total_scanned"]), (&json!("models.py"), &json!(5)), "{all}");
    // What a module lacks that others have is said where its number stands.
    assert!(first["no_data"].is_null(), "{all}");
    let other =
        all["modules"].as_array().unwrap().iter().find(|row| row["source_path"] == "other.py").unwrap();
    assert_eq!(other["no_data"], json!(["tremor_magnitude"]), "{all}");
    let risk = |name: &str| first[name].as_f64().unwrap();
    let expected = (1.0 - risk("trust_score")) * 0.3 + risk("tremor_magnitude") * 0.25;
    assert!((risk("combined_risk") - expected).abs() < 0.002, "{first}");
    assert_eq!(ok(&fixture, "panoramic", json!({"limit": 5_000}))["clamped"], json!(["limit"]));
    assert!(refused(&fixture, "panoramic", json!({"min_risk": 2})).contains("from 0 to 1"));
}

#[test]
fn edits_through_m1nd_count_as_changes_until_they_are_committed() {
    let fixture = program();
    let count = |path: &str| {
        let found = ok(&fixture, "tremor", json!({"min_magnitude": 0, "scope": path}));
        found["tremors"][0]["counts"][2].as_u64().unwrap_or_default()
    };
    assert_eq!(count("models.py"), 5);
    let text = fs::read_to_string(fixture.root().join("models.py")).unwrap();
    for nth in 0..3 {
        let new = format!("{text}\n\ndef added():\n    return {nth}\n");
        ok(&fixture, "apply", json!({"file_path": "models.py", "new_content": new}));
    }
    // The commits are old, and the newest window ends with the newest edit now.
    assert_eq!(count("models.py"), 3);
    // Refused and unchanged edits are none.
    let same = fs::read_to_string(fixture.root().join("models.py")).unwrap();
    ok(&fixture, "apply", json!({"file_path": "models.py", "new_content": same}));
    refused(&fixture, "apply", json!({"file_path": "models.py", "new_content": "def (:\n"}));
    assert_eq!(count("models.py"), 3);
}

#[test]
fn answers_that_were_wrong_count_against_their_files() {
    let fixture = program();
    let score = || {
        let found = ok(&fixture, "trust", json!({"scope": "other.py"}));
        (found["modules"][0]["trust_score"].as_f64().unwrap(), found["modules"][0]["told"].clone())
    };
    let (before, told) = score();
    assert_eq!(told, Value::Null);
    let judged = json!({"query": "clean", "feedback": "wrong", "node_ids": ["other.py"], "strength": 1.0});
    let learned = ok(&fixture, "learn", judged);
    assert_eq!(learned["trust_records_updated"], 1, "{learned}");
    let (after, told) = score();
    assert!(after < before && told == 1, "{before} {after} {told}");
    let why = ok(&fixture, "heuristics_surface", json!({"node_id": "other.py"}));
    assert!(why.to_string().contains("1 defects were told"), "{why}");
}

#[test]
fn layers_claims_and_removals_follow_the_imports() {
    let fixture = program();
    let found = ok(&fixture, "layers", json!({}));
    let levels: Vec<&Value> =
        found["layers"].as_array().unwrap().iter().map(|layer| &layer["examples"]).collect();
    assert_eq!(levels, [&json!(["util.py"]), &json!(["models.py"]), &json!(["views.py"])], "{found}");
    assert_eq!(ok(&fixture, "layer_inspect", json!({"level": 1}))["files"], json!(["models.py"]));
    assert!(refused(&fixture, "layer_inspect", json!({"level": 9})).contains("0 to 2"));
    let claim = |claim: &str| ok(&fixture, "hypothesize", json!({"claim": claim}))["verdict"].clone();
    assert_eq!(claim("show depends on clean"), "likely_true");
    assert_eq!(claim("clean never calls show"), "likely_true");
    assert_eq!(claim("lonely is isolated"), "likely_true");
    assert_eq!(claim("views.py does not depend on util.py"), "likely_false");
    let reply = fixture.call("hypothesize", json!({"claim": "the code is good"}));
    assert!(reply.is_error && reply.text().contains("A never calls B"), "{}", reply.text());
    let found = ok(&fixture, "counterfactual", json!({"node_ids": ["models.py"]}));
    assert_eq!(found["orphaned"], json!(["function::util.py::clean"]), "{found}");
    let tests = ok(&fixture, "tests_for", json!({"node_id": "clean"}));
    assert_eq!((&tests["total"], &tests["direct"]), (&json!(1), &json!(0)), "{tests}");
}

#[test]
fn a_session_is_reported_and_its_savings_are_counted() {
    let fixture = program();
    ok(&fixture, "impact", json!({"node_id": "clean"}));
    refused(&fixture, "impact", json!({}));
    let found = ok(&fixture, "savings", json!({}));
    // ingest 500 and impact 3000; what was refused saved nothing.
    let session = &found["current_session"];
    assert_eq!((&session["queries_made"], &session["tokens_saved"]), (&json!(2), &json!(3_500)), "{found}");
    assert_eq!((&session["file_reads_avoided"], &session["lines_avoided"]), (&json!(10), &json!(1_000)));
    assert_eq!(session["cost_saved_usd"], 0.035);
    assert!(found["measured"]["bytes_of_files"].as_u64().unwrap() >= MODELS.len() as u64, "{found}");
    let report = ok(&fixture, "report", json!({}));
    assert_eq!(names(&report["queries_made"], "tool"), ["ingest", "impact", "impact", "savings"], "{report}");
    assert_eq!(
        (&report["graph_evolution"]["ingestions"], &report["graph_evolution"]["generation_start"]),
        (&json!(1), &json!(0))
    );
    assert!(report["formatted"].as_str().unwrap().starts_with("## Session"));
    assert!(ok(&fixture, "m1nd.report", json!({"format": "json"}))["formatted"].is_null());
    let other = fixture.restart(m1nd_tools::surface());
    let all = other.call_raw("savings", json!({"agent_id": "b"}).as_object().unwrap().clone()).body;
    assert!(all["global"]["total_queries"].as_u64().is_some(), "{all}");
}

#[test]
fn without_a_history_nothing_is_made_up() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- app.py\nfrom db import rare_word_of_both\ndef run():\n    return rare_word_of_both()\n//- db.py\ndef rare_word_of_both():\n    return 1\n",
    );
    ok(&fixture, "ingest", json!({}));
    let all = ok(&fixture, "panoramic", json!({}));
    assert!(
        all["modules"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["recommendation"] == "Nothing known stands out."),
        "{all}"
    );
    let lacks: Vec<&str> = all["no_data"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let about = |name: &str| lacks.iter().any(|said| said.starts_with(name));
    assert!(about("trust: ") && about("tremor: "), "{all}");
    let likely = ok(&fixture, "predict", json!({"changed_node": "app.py"}));
    assert!(likely["no_data"].is_string(), "{likely}");
    assert!(likely["predictions"].as_array().unwrap().iter().all(|one| one.get("confidence").is_none()));
    let plan = json!({"actions": [{"action_type": "modify", "file_path": "db.py"}]});
    let plan = ok(&fixture, "validate_plan", plan);
    assert!(plan["no_data"].is_string() && plan["gaps"] == json!([]), "{plan}");
    let past = ok(&fixture, "timeline", json!({"node": "app.py"}));
    assert!(past["no_data"].is_string() && past.get("pattern").is_none(), "{past}");
    for (tool, arguments) in [("review", json!({})), ("differential", json!({"snapshot_a": "HEAD"}))] {
        let reply = fixture.call(tool, arguments).body;
        assert!(reply["error"]["recovery"].get("next_tool").is_none(), "nothing that fails again: {reply}");
    }
}

#[test]
fn the_past_of_tests_is_said_to_be_left_out() {
    let fixture = program();
    let why = ok(&fixture, "heuristics_surface", json!({"node_id": "test_views.py"}));
    assert!(why.to_string().contains("the past of tests is left out"), "{why}");
    let none = ok(&fixture, "trust", json!({"scope": "test_views.py"}));
    assert!(none["next_step_hint"].as_str().unwrap().starts_with("Only tests"), "{none}");
}

/// A core that is handed on by files of three languages, in Python and TypeScript over two of them.
const HANDED_ON: &str = "//- pkg/__init__.py
from .core import load
from .side import turn
//- pkg/core/__init__.py
from .impl import load
//- pkg/core/impl.py
def load():
    return 1
//- app.py
from pkg import load

def run():
    return load()
//- direct.py
from pkg.core.impl import load
//- pkg/side.py
def turn():
    return 2
//- other.py
from pkg import turn
//- web/src/index.ts
export * from './core'
//- web/src/core/index.ts
export { read } from './read'
//- web/src/core/read.ts
export function read() { return 1 }
//- web/src/app.ts
import { read } from './index'
export function show() { return read() }
//- web/src/near.ts
import { read } from './core/read'
export function near() { return read() }
//- Cargo.toml
[package]
name = \"shop\"
//- src/lib.rs
mod door;
pub mod user;
//- src/door/mod.rs
mod deep;
pub use deep::open;
//- src/door/deep.rs
pub fn open() -> u32 { 1 }
//- all/Cargo.toml
[package]
name = \"all\"
[dependencies]
shop = { path = \"..\" }
//- all/src/lib.rs
pub extern crate shop as goods;
//- end/Cargo.toml
[package]
name = \"end\"
[dependencies]
all = { path = \"../all\" }
//- end/src/lib.rs
use all::goods::user::enter;

pub fn begin() -> u32 { enter() }
//- src/user.rs
use crate::door::open;

pub fn enter() -> u32 { open() }
";

#[test]
fn who_imports_a_name_through_a_file_that_hands_it_on_depends_on_that_file() {
    let fixture = Fixture::new(m1nd_tools::surface(), HANDED_ON);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let reached = |node: &str, direction: &str| {
        let asked = json!({"node_id": node, "max_hops": 2, "direction": direction});
        let found = ok(&fixture, "impact", asked);
        let hits = found["blast_radius"].as_array().unwrap().clone();
        let told = |hit: &Value| format!("{} {}", hit["node_id"].as_str().unwrap(), hit["hop_distance"]);
        hits.iter().map(told).filter(|hit| hit.starts_with("file::")).collect::<Vec<_>>()
    };
    assert_eq!(
        reached("pkg/core/__init__.py", "forward"),
        ["file::pkg/__init__.py 1", "file::app.py 2"],
        "the core is asked by the package, and that by the program"
    );
    assert_eq!(reached("pkg/__init__.py", "forward"), ["file::app.py 1", "file::other.py 1"]);
    assert_eq!(
        reached("web/src/core/index.ts", "forward"),
        ["file::web/src/index.ts 1", "file::web/src/app.ts 2"]
    );
    assert_eq!(reached("src/door/mod.rs", "forward")[0], "file::src/user.rs 1");
    assert_eq!(reached("all/src/lib.rs", "forward"), ["file::end/src/lib.rs 1"]);
    let needed = reached("web/src/app.ts", "reverse");
    assert!(needed.contains(&"file::web/src/index.ts 1".to_owned()), "{needed:?}");
    assert!(!reached("web/src/near.ts", "reverse").contains(&"file::web/src/index.ts 1".to_owned()));
    // Whoever plans to delete it is told of them.
    let plan = json!({"actions": [{"action_type": "delete", "file_path": "pkg/__init__.py"}]});
    let gaps = ok(&fixture, "validate_plan", plan);
    assert_eq!(gaps["gaps"][0]["file_path"], "app.py", "{gaps}");
    let without = ok(&fixture, "counterfactual", json!({"node_ids": ["web/src/index.ts"]}));
    assert_eq!(without["cascade"][0]["nodes"], json!(["file::web/src/app.ts"]), "{without}");
}

#[test]
fn an_answer_that_leaves_something_out_says_what_and_how_to_get_it() {
    let mut text = String::new();
    for at in 0..140 {
        text.push_str(&format!(
            "//- some/longer/folder/name/module_{at}.py\ndef work_{at}():\n    return {at}\n"
        ));
    }
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let found = ok(&fixture, "panoramic", json!({}));
    let hint = found["next_step_hint"].as_str().unwrap();
    let shown = found["modules"].as_array().unwrap().len();
    assert!(shown < 100 && found["truncated"] == true, "{found}");
    assert!(hint.contains("`limit` keeps 100 of 140: ") && hint.contains("`scope`"), "{hint}");
    assert!(hint.contains(&format!("Cut to fit: {shown} of 100 modules; `max_chars: ")), "{hint}");
    // The call that it names gives what was kept back.
    let room = hint.split("`max_chars: ").nth(1).unwrap().split('`').next().unwrap();
    let more =
        ok(&fixture, "panoramic", json!({"limit": 140, "max_chars": room.parse::<u64>().unwrap() * 2}));
    assert_eq!((more["modules"].as_array().unwrap().len(), &more["truncated"]), (140, &json!(false)));
    assert!(!more["next_step_hint"].as_str().unwrap().contains("limit"), "{more}");
}

#[test]
fn what_changes_with_a_suspect_is_suspected_only_where_it_is_code() {
    let code = |n: u32| format!("def total(x):\n    return x.price # {n}\n");
    let other = |n: u32| format!("def price(x):\n    return {n}\n");
    let fixture = Fixture::new(m1nd_tools::surface(), "//- CHANGES.rst\n0\n//- app.py\n0\n//- store.py\n0\n");
    for n in 1..5 {
        let (app, store, log) = (code(n), other(n), format!("{n}\n"));
        let files = [("CHANGES.rst", &*log), ("app.py", &*app), ("store.py", &*store)];
        commit(fixture.root(), Says("Ann", 1_690_000_000 + u64::from(n) * 86_400, "change"), &files);
    }
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let text = "Traceback (most recent call last):\n  File \"app.py\", line 2, in total\n    return x.price\nAttributeError: no price\n";
    let found = ok(&fixture, "trace", json!({"error_text": text}));
    assert_eq!(names(&found["co_change_suspects"], "file_path"), ["store.py"], "{found}");
}
