//! Pages of ready tasks, however urgent these are.

use serde_json::{Value, json};

use crate::world::on_every_store;

#[test]
fn ready_tasks_are_paged_whatever_their_priorities() {
    on_every_store(|w| {
        for (at, priorities) in [
            vec![524_286, 524_287, 524_288, 524_289],
            vec![600_000, 700_000, 800_000, 800_000, 700_000],
            vec![-524_288, -600_000, -700_000, i64::MIN],
            vec![i64::MAX, 1_794_924_070, 0, 3, -3, i64::MAX],
        ]
        .into_iter()
        .enumerate()
        {
            let ws = format!("urgent{at}");
            w.ok("tasks_create", json!({"workspace": ws, "title": "p"}));
            for priority in &priorities {
                let task = json!({"workspace": ws, "title": "t", "parent": "PLAN-001", "priority": priority});
                w.ok("tasks_create", task);
            }
            let mut all: Vec<i64> = priorities.clone();
            all.sort_by_key(|priority| std::cmp::Reverse(*priority));
            for limit in 1..4 {
                let (mut found, mut ids) = (Vec::new(), Vec::new());
                let mut cursor = json!(0);
                while !cursor.is_null() && found.len() <= all.len() {
                    let asked = json!({"workspace": ws, "limit": limit, "cursor": cursor});
                    let page = w.ok("tasks_ready", asked);
                    let tasks: Vec<Value> = page["tasks"].as_array().unwrap().clone();
                    found.extend(tasks.iter().map(|task| task["priority"].as_i64().unwrap()));
                    ids.extend(tasks.iter().map(|task| task["id"].to_string()));
                    cursor = page["pagination"]["next_cursor"].clone();
                }
                assert_eq!(found, all, "limit {limit}");
                ids.sort();
                ids.dedup();
                assert_eq!(ids.len(), all.len());
            }
        }
    });
}

#[test]
fn a_page_of_ready_tasks_goes_on_behind_one_that_was_done_meanwhile() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        for priority in [900_000, 800_000, 700_000] {
            w.ok("tasks_create", json!({"title": "t", "parent": "PLAN-001", "priority": priority}));
        }
        let first = w.ok("tasks_ready", json!({"limit": 2}));
        w.ok("tasks_edit", json!({"task": "TASK-002", "status": "done"}));
        let cursor = &first["pagination"]["next_cursor"];
        let second = w.ok("tasks_ready", json!({"limit": 2, "cursor": cursor}));
        assert_eq!(second["tasks"][0]["id"], "TASK-003", "{second}");
        assert_eq!(second["tasks"].as_array().unwrap().len(), 1);
    });
}
