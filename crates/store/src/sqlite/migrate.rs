//! The layout of the file, and how an older one becomes the present one.

use std::path::Path;

use m1nd_memory::graph::derive_marks;
use m1nd_memory::search::reindex;
use m1nd_memory::{MemoryError, StoreError};
use rusqlite::Connection;

use super::errors::fault;
use super::{Sql, node_text};

/// The present version of the layout.
pub(super) const VERSION: u32 = crate::SCHEMA_VERSION;

/// What turns version `n` into version `n + 1`, for each `n`. Never changed once released.
const STEPS: [&str; VERSION as usize] = [
    include_str!("schema.sql"),
    include_str!("briefing.sql"),
    include_str!("finding.sql"),
    include_str!("noting.sql"),
    include_str!("pinning.sql"),
    include_str!("missions.sql"),
    include_str!("drawers.sql"),
    include_str!("merging.sql"),
    include_str!("checkpoints.sql"),
];

/// Versions before this one were indexed in another way: words were not folded, then copies of cards were left out.
const INDEXED: u32 = 6;
/// Versions before this one had no texts of nodes.
pub(super) const NODE_TEXT: u32 = 3;
/// Versions before this one had no merge marks.
pub(super) const MERGE_MARKS: u32 = 8;

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings the layout up to date, in one transaction; another process may have done it meanwhile.
pub(super) fn migrate(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let sql = |err: rusqlite::Error| fault(path, &err);
    connection.execute_batch("BEGIN IMMEDIATE").map_err(sql)?;
    let result = steps(path, connection);
    connection.execute_batch(if result.is_ok() { "COMMIT" } else { "ROLLBACK" }).map_err(sql)?;
    result
}

fn steps(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let sql = |err: rusqlite::Error| fault(path, &err);
    let from = version(connection).map_err(sql)?;
    for (at, step) in (0_u32..).zip(STEPS).skip(from as usize) {
        connection.execute_batch(step).map_err(sql)?;
        connection.pragma_update(None, "user_version", at + 1).map_err(sql)?;
    }
    if from < NODE_TEXT {
        node_text::fill(connection).map_err(sql)?;
    }
    let engine = |err| match err {
        MemoryError::Store(err) => err,
        other => StoreError::Engine { detail: other.to_string() },
    };
    if from < INDEXED {
        reindex(&mut Sql { connection, path }).map_err(engine)?;
    }
    if from < MERGE_MARKS {
        derive_marks(&mut Sql { connection, path }).map_err(engine)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use m1nd_memory::graph::{self, GraphApplyRequest, GraphQueryRequest};
    use m1nd_memory::notes::{self, NotesCommitRequest};
    use m1nd_memory::search::{self, SearchRequest};
    use m1nd_memory::tasks::{self, TasksCreateRequest};
    use m1nd_memory::{Ports, branch, think};
    use m1nd_stdx::clock::ManualClock;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;
    use crate::SqliteStore;

    /// Tables whose rows are the same in every version.
    const TABLES: [&str; 10] = [
        "workspaces",
        "branches",
        "streams",
        "entries",
        "versions",
        "conflicts",
        "entities",
        "steps",
        "events",
        "finds",
    ];

    fn ask<T: DeserializeOwned>(mut arguments: Value) -> T {
        arguments["workspace"] = json!("w");
        serde_json::from_value(arguments).unwrap()
    }

    /// A store as an older version left it, with the rows of another one.
    fn as_version(version: u32, path: &Path, rows: &Path) -> Connection {
        let old = Connection::open(path).unwrap();
        old.pragma_update(None, "journal_mode", "WAL").unwrap();
        STEPS[..version as usize].iter().for_each(|step| old.execute_batch(step).unwrap());
        old.pragma_update(None, "user_version", version).unwrap();
        old.execute("ATTACH $1 AS now", [rows.display().to_string()]).unwrap();
        for table in TABLES {
            old.execute_batch(&format!("INSERT INTO {table} SELECT * FROM now.{table}")).unwrap();
        }
        old
    }

    /// A store as version 2 left it, with words that were not folded.
    fn as_version_2(path: &Path, rows: &Path) {
        let old = as_version(2, path, rows);
        old.execute_batch(
            "INSERT INTO find_text (rowid, scope, title, body) SELECT id, 'ws1', '', reference FROM finds",
        )
        .unwrap();
    }

    #[test]
    fn what_an_older_store_merged_and_settled_is_not_disputed() {
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (folder.path().join("new.db"), folder.path().join("memory.db"));
        let clock = ManualClock::default();
        let node =
            |id: &str, title: &str| json!({"op": "node_upsert", "id": id, "type": "t", "title": title});
        let edge = || json!({"op": "edge_upsert", "from": "gone", "rel": "r", "to": "taken"});
        let put = |ports: &Ports<'_>, branch: &str, ops: Value| {
            graph::apply(ports, &ask(json!({"branch": branch, "doc": "g", "ops": ops}))).unwrap();
        };
        let merge = |ports: &Ports<'_>| {
            let out = graph::merge(ports, &ask(json!({"from": "f", "into": "main", "doc": "g"}))).unwrap();
            (out.merged, out.conflict_ids)
        };
        {
            let store = SqliteStore::open(&new).unwrap();
            let ports = Ports::new(&store, &clock);
            put(&ports, "main", json!([node("taken", "0"), node("kept", "0"), node("gone", "0"), edge()]));
            branch::create(&ports, &ask(json!({"name": "f"}))).unwrap();
            put(
                &ports,
                "f",
                json!([node("taken", "f"), node("kept", "f"), {"op": "node_delete", "id": "gone"}]),
            );
            put(&ports, "main", json!([node("kept", "main")]));
            let (merged, conflicts) = merge(&ports);
            // What was taken, what is gone, and its edge.
            assert_eq!((merged, conflicts.len()), (3, 1));
            let keep = json!({"conflict_id": conflicts[0], "resolution": "use_into"});
            graph::resolve(&ports, &ask(keep)).unwrap();
        }
        drop(as_version(MERGE_MARKS - 1, &old, &new));
        let store = SqliteStore::open(&old).unwrap();
        store.wait_for_check().unwrap();
        let ports = Ports::new(&store, &clock);
        assert_eq!(merge(&ports), (0, Vec::new()));
        put(&ports, "main", json!([node("taken", "on"), node("kept", "on"), node("gone", "back"), edge()]));
        assert_eq!(merge(&ports), (0, Vec::new()), "the branch has said nothing new");
        put(&ports, "f", json!([node("taken", "f again")]));
        assert_eq!(merge(&ports).1.len(), 1, "now both have");
    }

    #[test]
    fn an_older_store_is_found_in_as_a_new_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (folder.path().join("new.db"), folder.path().join("memory.db"));
        let clock = ManualClock::default();
        {
            let store = SqliteStore::open(&new).unwrap();
            let ports = Ports::new(&store, &clock);
            let note: NotesCommitRequest = ask(
                json!({"branch": "main", "doc": "notes", "content": "Café: 缓存失效 in ProjectionIndex"}),
            );
            notes::commit(&ports, &note).unwrap();
            let task: TasksCreateRequest = ask(json!({"title": "caching"}));
            tasks::create(&ports, &task).unwrap();
            let card = json!({"target": "PLAN-001", "card": {"id": "d1", "type": "decision", "title": "keep retries"}});
            think::commit(&ports, &ask(card)).unwrap();
            let apply: GraphApplyRequest = ask(json!({"branch": "main", "doc": "ideas", "ops": [
                {"op": "node_upsert", "id": "n1", "type": "idea", "title": "ÄRGER over locks"},
                {"op": "node_upsert", "id": "n2", "type": "idea", "text": "nothing"},
            ]}));
            graph::apply(&ports, &apply).unwrap();
        }
        as_version_2(&old, &new);
        let store = SqliteStore::open(&old).unwrap();
        store.wait_for_check().unwrap();
        let ports = Ports::new(&store, &clock);
        for (query, id) in
            [("cafe", "1"), ("缓存", "1"), ("projections", "1"), ("cached", "PLAN-001"), ("retry", "d1")]
        {
            let request: SearchRequest = ask(json!({"query": query}));
            let hits = search::search(&ports, &request).unwrap().hits;
            assert_eq!(hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>(), [id], "{query}");
        }
        for (text, id) in [("ärger", "n1"), ("N1", "n1"), ("er over", "n1"), ("hing", "n2"), ("r", "n1")] {
            let request: GraphQueryRequest = ask(json!({"branch": "main", "doc": "ideas", "text": text}));
            let nodes = graph::query(&ports, &request).unwrap().nodes;
            assert_eq!(nodes.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), [id], "{text}");
        }
    }
}
