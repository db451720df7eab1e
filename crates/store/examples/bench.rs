//! Latencies on a large store: `cargo run --release -p m1nd-store --example bench [folder]`.
//!
//! 100,000 notes, 50,000 graph nodes, 200 branches up to 8 deep; then a million entries to open.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use m1nd_memory::ids::{BranchName, DocName, EventNo, GraphNodeId, Relation, Seq, WorkspaceId};
use m1nd_memory::port::{
    Base, Body, BranchRow, EntryKind, EntryRow, FindKind, FindRow, GraphKey, Store, StreamKind, Tx, Verdict,
    VersionRow, WorkspaceRow,
};
use m1nd_memory::{Ports, brief, graph, notes, search, tasks, think};
use m1nd_stdx::clock::{SystemClock, UnixMs};
use m1nd_store::SqliteStore;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const NOTES: i64 = 100_000;
const NODES: i64 = 50_000;
const BRANCHES: i64 = 200;
const DEPTH: i64 = 8;

fn main() {
    let given = std::env::args().nth(1);
    let own = tempfile::tempdir().unwrap();
    let folder = given.as_deref().map_or(own.path(), Path::new);
    let path = folder.join("bench.db");
    let build = Instant::now();
    let store = SqliteStore::open(&path).unwrap();
    fill(&store, NOTES, NODES);
    let mb = std::fs::metadata(&path).unwrap().len() / 1_000_000;
    println!("built in {:.1} s, {mb} MB", build.elapsed().as_secs_f64());
    let clock = SystemClock::new();
    let ports = Ports::new(&store, &clock);
    measure(&ports);
    drop(store);
    open(&path, "100,000 notes, 50,000 nodes");

    let path = folder.join("million.db");
    let store = SqliteStore::open(&path).unwrap();
    fill(&store, 1_000_000, 0);
    drop(store);
    open(&path, "1,000,000 entries");
}

fn measure(ports: &Ports<'_>) {
    let deep = format!("b{}", DEPTH);
    time("notes_commit (text of 400 bytes, synced)", 400, |at| {
        let content = format!("bench {at} {}", "word ".repeat(80));
        let wanted = json!({"workspace": "w", "branch": "main", "doc": "notes", "content": content});
        notes::commit(ports, &ask(wanted)).unwrap();
    });
    time("show, tail 20, fork 8 deep", 500, |_| {
        let wanted = json!({"workspace": "w", "branch": deep, "doc": "notes"});
        assert_eq!(notes::show(ports, &ask(wanted)).unwrap().entries.len(), 20);
    });
    time("show, 20 from the middle of main", 500, |at| {
        let wanted = json!({"workspace": "w", "branch": "main", "doc": "notes", "cursor": 40_000 + at});
        notes::show(ports, &ask(wanted)).unwrap();
    });
    time("diff, 20 of 90,000", 500, |_| {
        let wanted = json!({"workspace": "w", "from": deep, "to": "main"});
        assert_eq!(notes::diff(ports, &ask(wanted)).unwrap().entries.len(), 20);
    });
    time("merge of notes, 200, dry run", 50, |_| {
        let wanted = json!({"workspace": "w", "from": "main", "into": deep, "dry_run": true});
        assert_eq!(notes::merge(ports, &ask(wanted)).unwrap().merged, 200);
    });
    for (doc, nodes) in [("g", 10_000), ("big", 40_000)] {
        time(&format!("graph_query, 50 of {nodes}, newest"), 200, |_| {
            let wanted = json!({"workspace": "w", "branch": "main", "doc": doc});
            graph::query(ports, &ask(wanted)).unwrap();
        });
        time(&format!("graph_query, 50 of {nodes}, fork 8 deep"), 200, |_| {
            let wanted = json!({"workspace": "w", "branch": deep, "doc": doc});
            graph::query(ports, &ask(wanted)).unwrap();
        });
        time(&format!("graph_query, one type and text in {nodes}, nothing found"), 20, |_| {
            let wanted =
                json!({"workspace": "w", "branch": "main", "doc": doc, "types": ["fact"], "text": "nowhere"});
            assert!(graph::query(ports, &ask(wanted)).unwrap().nodes.is_empty());
        });
        time(&format!("graph_query, text of one node in {nodes}, fork 8 deep"), 100, |_| {
            let wanted = json!({"workspace": "w", "branch": deep, "doc": doc, "text": "node 1234 on"});
            assert_eq!(graph::query(ports, &ask(wanted)).unwrap().nodes.len(), 1);
        });
        time(&format!("graph_query, two letters that nothing in {nodes} holds"), 20, |_| {
            let wanted = json!({"workspace": "w", "branch": "main", "doc": doc, "text": "qq"});
            assert!(graph::query(ports, &ask(wanted)).unwrap().nodes.is_empty());
        });
    }
    time("graph_apply, 10 nodes and 10 edges, synced", 100, |at| {
        let mut ops: Vec<Value> = Vec::new();
        for n in 0..10 {
            ops.push(
                json!({"op": "node_upsert", "id": format!("new-{at}-{n}"), "type": "idea", "title": "t"}),
            );
            ops.push(json!({"op": "edge_upsert", "from": format!("new-{at}-{n}"), "rel": "r", "to": "n1"}));
        }
        graph::apply(ports, &ask(json!({"workspace": "w", "branch": deep, "doc": "g", "ops": ops}))).unwrap();
    });
    time("graph_diff of 2,000 changes, 50", 20, |_| {
        graph::diff(ports, &ask(json!({"workspace": "w", "from": "b7", "to": deep, "doc": "g"}))).unwrap();
    });
    time("graph_merge of 200, dry run", 20, |_| {
        let wanted = json!({"workspace": "w", "from": deep, "into": "b7", "doc": "g", "dry_run": true});
        assert_eq!(graph::merge(ports, &ask(wanted)).unwrap().merged, 200);
    });
    for (branch, what) in [("main", "10,000"), (deep.as_str(), "12,000, fork 8 deep")] {
        time(&format!("graph_validate of {what}"), 10, |_| {
            let wanted = json!({"workspace": "w", "branch": branch, "doc": "g"});
            assert!(graph::validate(ports, &ask(wanted)).unwrap().ok);
        });
    }
    let plan = tasks::create(ports, &ask(json!({"workspace": "w", "title": "plan"}))).unwrap();
    for at in 0..200 {
        let wanted = json!({"workspace": "w", "title": format!("task {at}"), "parent": plan.id, "steps": [{"title": "s"}]});
        tasks::create(ports, &ask(wanted)).unwrap();
    }
    time("tasks_note, synced", 200, |at| {
        let wanted = json!({"workspace": "w", "task": "TASK-001", "path": "s:0", "note": format!("n {at}")});
        tasks::note(ports, &ask(wanted)).unwrap();
    });
    time("think_card, synced", 200, |at| {
        let card = json!({"id": format!("card-{at}"), "type": "decision", "title": "because"});
        let wanted = json!({"workspace": "w", "target": "TASK-001", "card": card});
        think::commit(ports, &ask(wanted)).unwrap();
    });
    time("tasks_radar", 200, |_| {
        tasks::radar(ports, &ask(json!({"workspace": "w", "task": "TASK-001"}))).unwrap();
    });
    time("brief", 50, |_| {
        brief::brief(ports, &ask(json!({"workspace": "w"}))).unwrap();
    });
    time("memory_search, two words in 150,000 texts", 50, |at| {
        let query = format!("alpha{} beta{}", at % 997, at % 13);
        search::search(ports, &ask(json!({"workspace": "w", "query": query}))).unwrap();
    });
    time("memory_search, a word that 100,000 texts hold", 10, |_| {
        search::search(ports, &ask(json!({"workspace": "w", "query": "words"}))).unwrap();
    });
    time("memory_search, the beginning of 997 words (alph*)", 10, |_| {
        search::search(ports, &ask(json!({"workspace": "w", "query": "alph*"}))).unwrap();
    });
}

fn open(path: &Path, what: &str) {
    time(&format!("open and read the status, {what}"), 5, |_| {
        let store = SqliteStore::open(path).unwrap();
        let clock = SystemClock::new();
        let wanted = json!({"workspace": "w"});
        m1nd_memory::workspace::status(&Ports::new(&store, &clock), &ask(wanted)).unwrap();
    });
}

fn time(what: &str, times: usize, mut run: impl FnMut(usize)) {
    let mut spent: Vec<Duration> = Vec::with_capacity(times);
    for at in 0..times {
        let start = Instant::now();
        run(at);
        spent.push(start.elapsed());
    }
    spent.sort();
    let ms = |at: usize| spent[at.min(times - 1)].as_secs_f64() * 1_000.0;
    println!("{what:<60} p50 {:>8.3} ms   p95 {:>8.3} ms", ms(times / 2), ms(times * 95 / 100));
}

fn ask<T: DeserializeOwned>(arguments: Value) -> T {
    serde_json::from_value(arguments).unwrap()
}

/// Rows written straight through the port, many in one transaction.
fn fill(store: &dyn Store, notes: i64, nodes: i64) {
    let name = WorkspaceId::parse("w").unwrap();
    store
        .write(&mut |tx| {
            let mut ws = tx.create_workspace(&name, 0)?;
            let root = BranchRow {
                ws: ws.no,
                name: BranchName::main(),
                no: 1,
                base: None,
                depth: 0,
                created: UnixMs(0),
            };
            tx.put_branch(&root)?;
            ws.branches = 1;
            let share = notes / 10;
            put_notes(tx, &mut ws, "main", share);
            put_nodes(tx, &mut ws, "main", "g", nodes / 5);
            put_nodes(tx, &mut ws, "main", "big", nodes - nodes / 5);
            for at in 1..=BRANCHES {
                let deep = (at - 1) % DEPTH;
                let base = if deep == 0 { "main".to_owned() } else { format!("b{}", at - 1) };
                ws.branches += 1;
                tx.put_branch(&BranchRow {
                    ws: ws.no,
                    name: BranchName::stored(format!("b{at}")),
                    no: ws.branches,
                    base: Some(Base { branch: BranchName::stored(base), seq: ws.seq }),
                    depth: u32::try_from(deep + 1).unwrap(),
                    created: UnixMs(0),
                })?;
                if nodes > 0 {
                    put_notes(tx, &mut ws, &format!("b{at}"), 2);
                    if at == DEPTH {
                        put_nodes(tx, &mut ws, "b8", "g", 2_000);
                    }
                }
            }
            put_notes(tx, &mut ws, "main", notes - share);
            tx.put_workspace(&ws)?;
            Ok(Verdict::Keep)
        })
        .unwrap();
}

fn put_notes(tx: &mut dyn Tx, ws: &mut WorkspaceRow, branch: &str, count: i64) {
    let (branch, doc) = (BranchName::stored(branch), DocName::notes());
    for _ in 0..count {
        ws.seq = Seq(ws.seq.0 + 1);
        let at = ws.seq.0;
        let stream = tx.open_stream(ws.no, &branch, &doc, StreamKind::Log, ws.seq).unwrap();
        let content =
            format!("note {at} alpha{} beta{} {}", at % 997, at % 13, "some words of a note ".repeat(8));
        let row = EntryRow {
            ws: ws.no,
            seq: ws.seq,
            ts: UnixMs(at),
            stream: stream.id,
            branch: branch.clone(),
            doc: doc.clone(),
            kind: EntryKind::Note,
            title: Some(format!("title {at}")),
            format: None,
            meta: None,
            content,
            anchors: Vec::new(),
            origin: None,
            event: None::<EventNo>,
            pinned: false,
            handoff: false,
        };
        tx.put_entry(&row).unwrap();
        let find = FindRow {
            ws: ws.no,
            kind: FindKind::Note,
            reference: at.to_string(),
            seq: ws.seq,
            ts: row.ts,
            title: search::index_text(&row.title.unwrap_or_default()),
            body: search::index_text(&row.content),
        };
        tx.put_find(&find).unwrap();
    }
}

fn put_nodes(tx: &mut dyn Tx, ws: &mut WorkspaceRow, branch: &str, doc: &str, count: i64) {
    let (branch, doc) = (BranchName::stored(branch), DocName::stored(doc));
    for at in 0..count {
        let id = |at: i64| GraphNodeId::stored(format!("n{at}"));
        let mut keys = vec![GraphKey::Node(id(at))];
        if at > 0 {
            keys.push(GraphKey::Edge { from: id(at), rel: Relation::stored("follows"), to: id(at / 2) });
        }
        for key in keys {
            ws.seq = Seq(ws.seq.0 + 1);
            let stream = tx.open_stream(ws.no, &branch, &doc, StreamKind::Graph, ws.seq).unwrap();
            let is_node = matches!(key, GraphKey::Node(_));
            let body = Body {
                type_: if is_node {
                    if at % 2 == 0 { "idea" } else { "fact" }.to_owned()
                } else {
                    String::new()
                },
                title: is_node.then(|| format!("node {at} on {branch}")),
                text: is_node.then(|| "what the node says ".repeat(6)),
                ..Body::default()
            };
            tx.put_version(&VersionRow {
                ws: ws.no,
                seq: ws.seq,
                next: Seq::END,
                ts: UnixMs(0),
                stream: stream.id,
                branch: branch.clone(),
                doc: doc.clone(),
                key,
                deleted: false,
                body,
                origin: None,
            })
            .unwrap();
        }
    }
}
