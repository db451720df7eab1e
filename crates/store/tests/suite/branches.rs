//! Branches: snapshots, cut-offs, depth, checkout.

use m1nd_memory::MemoryError;
use serde_json::json;

use crate::world::{World, column, on_every_store, pages, texts};

fn note(w: &World, branch: &str, text: &str) {
    w.ok("notes_commit", json!({"branch": branch, "doc": "notes", "content": text}));
}

fn shown(w: &World, branch: &str) -> Vec<String> {
    let mut out = texts(&pages(w, "show", json!({"branch": branch, "doc": "notes"}), "entries"));
    out.reverse();
    out
}

#[test]
fn a_branch_shows_its_base_up_to_the_cut_and_its_own() {
    on_every_store(|w| {
        note(w, "main", "m1");
        let made = w.ok("branch_create", json!({"name": "a", "from": "main"}));
        assert_eq!(made["branch"]["base_branch"], "main");
        assert_eq!(made["branch"]["base_seq"], 1);
        note(w, "main", "m2");
        note(w, "a", "a1");
        assert_eq!(shown(w, "a"), ["m1", "a1"]);
        assert_eq!(shown(w, "main"), ["m1", "m2"]);
    });
}

#[test]
fn branches_of_branches_are_readable_to_any_depth() {
    on_every_store(|w| {
        note(w, "main", "0");
        let mut below = "main".to_owned();
        for depth in 1..=40 {
            let name = format!("b{depth}");
            w.ok("branch_create", json!({"name": name, "from": below}));
            note(w, &name, &depth.to_string());
            note(w, &below, "late");
            below = name;
        }
        let expected: Vec<String> = (0..=40).map(|depth| depth.to_string()).collect();
        assert_eq!(shown(w, "b40"), expected);
        let paged = pages(w, "show", json!({"branch": "b40", "doc": "notes", "limit": 7}), "entries");
        assert_eq!(paged.len(), 41);
    });
}

#[test]
fn diff_is_directional_and_knows_both_cuts() {
    on_every_store(|w| {
        note(w, "main", "m1");
        w.ok("branch_create", json!({"name": "a", "from": "main"}));
        note(w, "a", "a1");
        note(w, "main", "m2");
        w.ok("branch_create", json!({"name": "b", "from": "main"}));
        note(w, "b", "b1");
        let diff = |from: &str, to: &str| {
            texts(&pages(w, "diff", json!({"from": from, "to": to, "limit": 1}), "entries"))
        };
        assert_eq!(diff("main", "a"), ["a1"]);
        assert_eq!(diff("a", "main"), ["m2"]);
        assert_eq!(diff("a", "b"), ["b1", "m2"]);
        assert_eq!(diff("b", "a"), ["a1"]);
        assert_eq!(diff("a", "a"), [""; 0]);
    });
}

#[test]
fn checkout_is_where_new_branches_start() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "a"}));
        assert_eq!(
            w.ok("checkout", json!({"ref": "a"})),
            json!({"workspace": "w", "previous": "main", "current": "a"})
        );
        assert_eq!(w.ok("branch_create", json!({"name": "b"}))["branch"]["base_branch"], "a");
        assert!(matches!(w.refused("checkout", json!({"ref": "c"})), MemoryError::BranchUnknown { .. }));
        assert_eq!(w.ok("status", json!({}))["checkout"], "a");
    });
}

#[test]
fn a_branch_is_made_once_and_not_from_nothing() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "a"}));
        assert!(matches!(w.refused("branch_create", json!({"name": "a"})), MemoryError::BranchExists { .. }));
        assert!(matches!(
            w.refused("branch_create", json!({"name": "b", "from": "nowhere"})),
            MemoryError::BranchUnknown { .. }
        ));
        for reserved in ["task/TASK-001", "plan/PLAN-007"] {
            w.refused("branch_create", json!({"name": reserved}));
        }
    });
}

#[test]
fn every_branch_is_listed_whatever_the_limit_and_budget() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        for at in 0..20 {
            w.ok("branch_create", json!({"name": format!("branch-{at}")}));
        }
        for arguments in [json!({}), json!({"limit": 3}), json!({"max_chars": 400}), json!({"max_chars": 1})]
        {
            let all = pages(w, "branch_list", arguments, "branches");
            assert_eq!(all.len(), 22);
            assert_eq!(column(&all, "name").last(), Some(&json!("main")));
        }
        let first = &w.ok("branch_list", json!({"limit": 1}))["branches"][0];
        assert_eq!(first["name"], "branch-19");
    });
}

#[test]
fn a_workspace_that_nothing_was_written_to_has_main() {
    on_every_store(|w| {
        let list = w.ok("branch_list", json!({}));
        assert_eq!(list["branches"].as_array().unwrap().len(), 1, "{list}");
        assert_eq!(
            (&list["branches"][0]["name"], &list["branches"][0]["current"]),
            (&json!("main"), &json!(true))
        );
    });
}
