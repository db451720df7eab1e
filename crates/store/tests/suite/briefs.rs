//! What a brief shows when there is much: the newest notes, and the hand-off before lesser things.

use std::time::Duration;

use serde_json::{Value, json};

use crate::world::{World, on_every_store};

fn plan_with_tasks(w: &World, count: usize) {
    w.ok("tasks_create", json!({"title": "p"}));
    for at in 1..=count {
        w.ok("tasks_create", json!({"title": format!("task {at}"), "parent": "PLAN-001"}));
    }
}

fn texts(brief: &Value) -> Vec<String> {
    let notes = brief["notes"].as_array().into_iter().flatten();
    notes.map(|note| note["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_brief_shows_the_newest_notes_of_the_whole_workspace_and_counts_the_others() {
    on_every_store(|w| {
        plan_with_tasks(w, 30);
        for at in 1..=30 {
            let target = format!("TASK-{at:03}");
            w.ok("notes_commit", json!({"target": target, "content": format!("note on {at}")}));
        }
        w.ok("branch_create", json!({"name": "trial", "from": "task/TASK-001"}));
        w.ok("notes_commit", json!({"branch": "trial", "doc": "notes", "content": "only tried"}));
        let brief = w.ok("brief", json!({}));
        assert_eq!(texts(&brief), ["note on 30", "note on 29", "note on 28", "note on 27", "note on 26"]);
        assert_eq!(brief["dropped"]["notes"], 25);
        assert_eq!(brief.get("partly_seen"), None);
        // A finished task is not in any list, and what was written on it counts all the same.
        w.ok("tasks_edit", json!({"task": "TASK-030", "status": "done"}));
        w.ok("notes_commit", json!({"target": "TASK-030", "content": "after the end"}));
        assert_eq!(texts(&w.ok("brief", json!({})))[0], "after the end");
        assert_eq!(texts(&w.ok("brief", json!({"target": "PLAN-001"}))), Vec::<String>::new());
    });
}

#[test]
fn a_hand_off_is_whole_before_lists_have_more_than_one() {
    on_every_store(|w| {
        plan_with_tasks(w, 8);
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        let detail = "A sentence that a successor needs to read in full. ".repeat(14);
        let handoff = format!("State: POST still fails. {detail}NEXT: fix the pool.");
        for at in 0..8 {
            let title = format!("Decision {at}: keep the lock order as it is because of deadlocks");
            let card = json!({"id": format!("d{at}"), "type": "decision", "title": title});
            w.ok("think_card", json!({"target": "TASK-001", "card": card}));
            let text = "An ordinary progress note of medium length with what came out of it. ".repeat(3);
            w.ok("notes_commit", json!({"target": "TASK-001", "content": text}));
        }
        let pin = "Never push on Fridays, and never without the long test run.";
        let put = |text: &str, mark: &str| {
            w.ok("notes_commit", json!({"target": "TASK-001", "content": text, "meta": {mark: true}}));
        };
        put(pin, "pinned");
        put(&handoff, "handoff");
        for budget in [2_600, 3_000, 4_000] {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            assert!(brief.to_string().len() <= budget);
            assert_eq!(brief["handoff"]["text"], handoff, "{budget}");
            assert_eq!(brief["pinned"][0]["text"], pin, "{budget}");
            assert_eq!(brief["truncated"], true);
        }
        for budget in [900, 1_200, 1_600, 2_000] {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            assert!(brief.to_string().len() <= budget);
            let whole = brief["handoff"]["text"] == handoff.as_str();
            let most = ["ready", "decisions", "notes"].map(|list| brief[list].as_array().map_or(0, Vec::len));
            assert!(whole || most.iter().all(|count| *count <= 1), "{budget}: {brief}");
        }
        let long = "word ".repeat(1_600);
        put(long.trim(), "handoff");
        assert_eq!(w.ok("brief", json!({"max_chars": 20_000}))["handoff"]["text"], long.trim());
    });
}

#[test]
fn a_brief_that_shortened_a_note_says_so_whatever_the_budget() {
    on_every_store(|w| {
        let note =
            |text: String| w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": text}));
        note("short".to_owned());
        assert_eq!(w.ok("brief", json!({"max_chars": 100_000}))["truncated"], false);
        note("word ".repeat(200));
        let brief = w.ok("brief", json!({"max_chars": 100_000}));
        assert_eq!((&brief["notes"][0]["truncated"], &brief["truncated"]), (&json!(true), &json!(true)));
    });
}

#[test]
fn a_larger_budget_never_shows_less_of_anything() {
    on_every_store(|w| {
        plan_with_tasks(w, 14);
        w.code.0.lock().insert("a.rs".to_owned(), "v1".to_owned());
        w.ok("tasks_focus_set", json!({"task": "TASK-003"}));
        w.ok("tasks_claim", json!({"task": "TASK-002", "agent_id": "ann"}));
        let steps = json!([{"title": "first of all", "success_criteria": ["one", "two"], "tests": ["three"]},
                           {"title": "then the others"}]);
        w.ok("tasks_decompose", json!({"task": "TASK-003", "steps": steps}));
        for at in 0..12 {
            let text = format!("{at} {}", "something that was found out ".repeat(at * 7 % 11));
            for (id, kind) in [("d", "decision"), ("q", "question")] {
                let card = json!({"id": format!("{id}{at}"), "type": kind, "title": format!("{kind} {text}"),
                                  "text": text});
                w.ok(
                    "think_card",
                    json!({"target": "TASK-001", "card": card, "anchors": [{"path": "a.rs"}]}),
                );
            }
            let mark = ["plain", "pinned", "handoff", "plain"][at % 4];
            w.clock.advance(std::time::Duration::from_millis(1));
            let note = json!({"target": "TASK-001", "content": text.repeat(at + 1), "meta": {mark: true}});
            w.ok("notes_commit", note);
        }
        w.code.0.lock().insert("a.rs".to_owned(), "v2".to_owned());
        let lists =
            ["pinned", "at_work", "ready", "conflicts", "decisions", "questions", "notes", "stale_anchors"];
        let mut before: Option<(i64, Vec<usize>)> = None;
        for budget in (300..16_000).step_by(53) {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            let mut shown: Vec<usize> =
                lists.iter().map(|list| brief[*list].as_array().map_or(0, Vec::len)).collect();
            let notes = brief["pinned"].as_array().into_iter().flatten().chain([&brief["handoff"]]);
            shown.push(notes.map(|note| note["text"].as_str().unwrap().len()).sum());
            for list in ["verify", "next", "blockers"] {
                shown.push(brief["focus"][list].as_array().map_or(0, Vec::len));
            }
            if let Some((smaller, less)) = before {
                let fewer = less.iter().zip(&shown).any(|(less, more)| less > more);
                assert!(!fewer, "{smaller}: {less:?}, {budget}: {shown:?}");
            }
            before = Some((budget, shown));
        }
    });
}

#[test]
fn what_a_merge_brings_is_as_old_as_its_original() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "idea", "from": "main"}));
        let put = |branch: &str, text: &str, meta: Value| {
            w.ok("notes_commit", json!({"branch": branch, "doc": "notes", "content": text, "meta": meta}));
            w.clock.advance(Duration::from_secs(60));
        };
        let decide = |branch: &str, id: &str, tags: Value| {
            let card = json!({"id": id, "type": "decision", "title": id, "tags": tags});
            let docs = json!({"branch": branch, "trace_doc": "t", "graph_doc": "g", "card": card});
            w.ok("think_card", docs);
            w.clock.advance(Duration::from_secs(60));
        };
        for (branch, age) in [("idea", "old"), ("main", "new")] {
            put(branch, &format!("{age} hand-off"), json!({"handoff": true}));
            put(branch, &format!("{age} pin"), json!({"pinned": true}));
            put(branch, &format!("{age} note"), json!({}));
            decide(branch, &format!("{age}-decision"), json!([]));
            decide(branch, &format!("{age}-card"), json!(["pinned"]));
        }
        let written = w.ok("show", json!({"branch": "idea", "doc": "notes", "limit": 10}));
        w.ok("merge", json!({"from": "idea", "into": "main"}));
        w.ok("graph_merge", json!({"from": "idea", "into": "main", "doc": "g"}));
        let brief = w.ok("brief", json!({"max_chars": 20_000}));
        assert_eq!(brief["handoff"]["text"], "new hand-off");
        assert_eq!(texts(&brief), ["new note", "old note"]);
        let of = |list: &str, field: &str| -> Vec<Value> {
            brief[list].as_array().unwrap().iter().map(|one| one[field].clone()).collect()
        };
        assert_eq!(of("decisions", "id"), ["new-decision", "old-decision"]);
        let titles: Vec<Value> = of("pinned", "title");
        assert_eq!(titles, [json!("new-card"), Value::Null, json!("old-card"), Value::Null]);
        assert_eq!(of("pinned", "text")[3], "old pin");
        // The times are those of the originals, in the brief and where the copies are read.
        let first =
            written["entries"].as_array().unwrap().iter().find(|one| one["content"] == "old pin").unwrap();
        assert_eq!(of("pinned", "ts")[3], first["ts"]);
        assert!(of("pinned", "ts")[2].as_str().unwrap() < of("pinned", "ts")[1].as_str().unwrap());
        let read = w.ok("show", json!({"branch": "main", "doc": "notes", "limit": 10}));
        let copy =
            read["entries"].as_array().unwrap().iter().find(|one| one["content"] == "old pin").unwrap();
        assert_eq!(copy["origin"], json!({"branch": "idea", "seq": first["seq"], "ts": first["ts"]}));
        assert_ne!(copy["ts"], first["ts"]);
    });
}

#[test]
fn the_newest_note_on_a_task_is_the_one_that_was_written_last() {
    on_every_store(|w| {
        plan_with_tasks(w, 1);
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        w.ok("branch_create", json!({"name": "trial", "from": "task/TASK-001"}));
        for (branch, text) in [("trial", "old"), ("task/TASK-001", "new")] {
            w.ok("notes_commit", json!({"branch": branch, "doc": "notes", "content": text}));
            w.clock.advance(Duration::from_secs(60));
        }
        w.ok("merge", json!({"from": "trial", "into": "task/TASK-001"}));
        assert_eq!(w.ok("brief", json!({}))["focus"]["last_note"]["text"], "new");
        assert_eq!(texts(&w.ok("brief", json!({"target": "TASK-001"}))), ["old"]);
    });
}

#[test]
fn a_brief_says_which_forks_hold_what_it_does_not_show() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "idea", "from": "main"}));
        let put = |text: &str, meta: Value| {
            w.ok("notes_commit", json!({"branch": "idea", "doc": "notes", "content": text, "meta": meta}))
        };
        assert_eq!(w.ok("brief", json!({})).get("elsewhere"), None);
        put("hand-off", json!({"handoff": true}));
        put("pin", json!({"pinned": true}));
        put("one", json!({}));
        put("two", json!({}));
        let card = json!({"id": "c", "type": "decision", "title": "c", "tags": ["pinned"]});
        w.ok("think_card", json!({"branch": "idea", "trace_doc": "t", "graph_doc": "g", "card": card}));
        let told = json!([{"branch": "idea", "handoffs": 1, "pinned": 2, "notes": 2}]);
        let brief = w.ok("brief", json!({}));
        assert_eq!((brief.get("handoff"), &brief["elsewhere"]), (None, &told));
        w.ok("checkout", json!({"ref": "idea"}));
        let brief = w.ok("brief", json!({}));
        assert_eq!((&brief["handoff"]["text"], brief.get("elsewhere")), (&json!("hand-off"), None));
        w.ok("checkout", json!({"ref": "main"}));
        // What a merge brought is told, and only what it did not bring is left.
        w.ok("merge", json!({"from": "idea", "into": "main"}));
        assert_eq!(w.ok("brief", json!({}))["elsewhere"], json!([{"branch": "idea", "pinned": 1}]));
        w.ok("graph_merge", json!({"from": "idea", "into": "main", "doc": "g"}));
        assert_eq!(w.ok("brief", json!({})).get("elsewhere"), None);
    });
}

#[test]
fn a_brief_counts_the_hand_offs_before_the_last() {
    on_every_store(|w| {
        let put = |branch: &str, text: &str| {
            let note = json!({"branch": branch, "doc": "notes", "content": text, "meta": {"handoff": true}});
            w.ok("notes_commit", note);
        };
        put("main", "one");
        assert_eq!(w.ok("brief", json!({}))["dropped"].get("handoffs"), None);
        put("main", "two");
        w.ok("branch_create", json!({"name": "fork", "from": "main"}));
        put("fork", "three");
        let brief = w.ok("brief", json!({}));
        assert_eq!((&brief["handoff"]["text"], &brief["dropped"]["handoffs"]), (&json!("two"), &json!(1)));
        assert_eq!(brief["truncated"], true);
        w.ok("merge", json!({"from": "fork", "into": "main"}));
        let brief = w.ok("brief", json!({}));
        assert_eq!((&brief["handoff"]["text"], &brief["dropped"]["handoffs"]), (&json!("three"), &json!(2)));
    });
}

#[test]
fn stale_anchors_name_notes_as_they_are_shown() {
    on_every_store(|w| {
        w.code.0.lock().insert("a.rs".to_owned(), "one".to_owned());
        w.ok("tasks_create", json!({"title": "p"}));
        w.ok("tasks_create", json!({"title": "t", "parent": "PLAN-001"}));
        for (into, fork) in [("main", "f"), ("task/TASK-001", "tf")] {
            w.ok("branch_create", json!({"name": fork, "from": into}));
            let note =
                json!({"branch": fork, "doc": "notes", "content": fork, "anchors": [{"path": "a.rs"}]});
            w.ok("notes_commit", note);
            w.ok("merge", json!({"from": fork, "into": into}));
        }
        w.code.0.lock().insert("a.rs".to_owned(), "two".to_owned());
        let shown = |branch: &str| {
            let shown = w.ok("show", json!({"branch": branch, "doc": "notes"}));
            shown["entries"][0]["seq"].to_string()
        };
        let named = |out: &Value| -> Vec<String> {
            let stale = out["stale_anchors"].as_array().unwrap();
            stale.iter().map(|stale| stale["on"].as_str().unwrap().to_owned()).collect()
        };
        let (on_main, on_task) = (shown("main"), shown("task/TASK-001"));
        assert_eq!(named(&w.ok("tasks_radar", json!({"task": "TASK-001"}))), [on_task.as_str()]);
        let brief = w.ok("brief", json!({}));
        let mut found = named(&brief);
        found.sort();
        let mut all = vec![on_main, on_task];
        all.sort();
        assert_eq!(found, all, "{brief}");
    });
}

#[test]
fn the_task_in_focus_is_told_once() {
    on_every_store(|w| {
        plan_with_tasks(w, 2);
        for task in ["TASK-001", "TASK-002"] {
            w.ok("tasks_claim", json!({"task": task, "agent_id": "ann"}));
        }
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        let brief = w.ok("brief", json!({}));
        assert_eq!(brief["focus"]["target"]["claimed_by"], "ann", "{brief}");
        let at_work = brief["at_work"].as_array().unwrap();
        assert_eq!((at_work.len(), &at_work[0]["id"]), (1, &json!("TASK-002")));
    });
}

/// Eight pinned cards with long texts, and a decision that was made after them.
fn pinned_and_decided(w: &World) {
    w.ok("tasks_create", json!({"title": "p"}));
    for at in 0..8 {
        w.clock.advance(Duration::from_millis(1));
        let text = format!("{at} {}", "holds whatever else changes ".repeat(10));
        let title = format!("Rule {at} of the release train");
        let card = json!({"id": format!("pin-{at}"), "type": "note", "title": title, "text": text, "tags": ["pinned"]});
        w.ok("think_card", json!({"target": "PLAN-001", "card": card}));
    }
    let text = "Two writers would need a lock that nobody holds for long. ".repeat(4);
    let card =
        json!({"id": "newest", "type": "decision", "title": "One writer for each store", "text": text});
    w.ok("think_card", json!({"target": "PLAN-001", "card": card}));
}

#[test]
fn neither_the_newest_decision_nor_what_is_pinned_is_dropped_however_small_a_brief_is() {
    on_every_store(|w| {
        pinned_and_decided(w);
        let least = w.ok("brief", json!({"max_chars": 1})).to_string().len();
        assert!(least <= 1_640, "{least}");
        for budget in (1..2_600).step_by(37) {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            let size = brief.to_string().len();
            assert!(size <= budget.max(least), "{budget}: {size}");
            assert_eq!(brief["decisions"][0]["id"], "newest", "{budget}: {brief}");
            let pins = brief["pinned"].as_array().unwrap();
            assert_eq!((pins.len(), &brief["dropped"]["pinned"]), (8, &json!(0)), "{budget}: {brief}");
            for pin in pins {
                let is_whole = pin["text"].as_str().unwrap().len() > 280;
                assert!(is_whole || pin["truncated"] == true, "{budget}: {pin}");
            }
        }
    });
}

#[test]
fn a_text_is_not_shortened_where_saying_so_takes_more_room_than_it_saves() {
    on_every_store(|w| {
        let text = "Never push on Fridays, and never alone.";
        let pin = json!({"branch": "main", "doc": "notes", "content": text, "meta": {"pinned": true}});
        w.ok("notes_commit", pin);
        let brief = w.ok("brief", json!({"max_chars": 1}));
        assert_eq!(brief["pinned"][0]["text"], text, "{brief}");
    });
}
