//! A world to test in: a store, a clock that stands still, and every call by name.

use std::cell::RefCell;
use std::collections::BTreeMap;

use m1nd_memory::anchors::{AnchorProbe, Sight};
use m1nd_memory::port::{AnchorAt, Store};
use m1nd_memory::transfer::{export_jsonl, import};
use m1nd_memory::{
    MemoryError, Ports, branch, brief, commits, graph, notes, search, tasks, think, workspace,
};
use m1nd_stdx::clock::{ManualClock, UnixMs};
use m1nd_store::{RamStore, SqliteStore};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Runs a test on a fresh world over each store.
pub fn on_every_store(test: impl Fn(&World)) {
    test(&World::new(Box::new(RamStore::new())));
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
    test(&World::new(Box::new(store)));
}

pub struct World {
    pub store: Box<dyn Store>,
    pub clock: ManualClock,
    pub code: Code,
    workspace: RefCell<String>,
}

/// Code as a test has it: places and what they hold.
#[derive(Default)]
pub struct Code(pub Mutex<BTreeMap<String, String>>);

impl AnchorProbe for Code {
    fn look(&self, at: &AnchorAt) -> Sight {
        let name = match at {
            AnchorAt::Node { node_id } => node_id,
            AnchorAt::Path { path, .. } => path,
        };
        match self.0.lock().get(name) {
            Some(hash) => Sight::Found { hash: hash.clone() },
            None => Sight::Gone,
        }
    }

    fn has_commit(&self, name: &str) -> Option<bool> {
        Some(self.0.lock().contains_key(name))
    }
}

impl World {
    pub fn new(store: Box<dyn Store>) -> Self {
        let clock = ManualClock::at(UnixMs(1_794_780_000_000));
        Self { store, clock, code: Code::default(), workspace: RefCell::new("w".to_owned()) }
    }

    pub fn ports(&self) -> Ports<'_> {
        Ports::new(&*self.store, &self.clock).with_code(&self.code)
    }

    /// Later calls mean this workspace.
    pub fn switch(&self, workspace: &str) {
        *self.workspace.borrow_mut() = workspace.to_owned();
    }

    /// A call that must succeed.
    pub fn ok(&self, name: &str, arguments: Value) -> Value {
        match self.call(name, arguments.clone()) {
            Ok(value) => value,
            Err(err) => panic!("{name} {arguments}: {err}"),
        }
    }

    /// A call that must be refused.
    pub fn refused(&self, name: &str, arguments: Value) -> MemoryError {
        match self.call(name, arguments.clone()) {
            Ok(value) => panic!("{name} {arguments} was not refused: {value}"),
            Err(err) => err,
        }
    }

    pub fn call(&self, name: &str, mut arguments: Value) -> Result<Value, MemoryError> {
        if let Value::Object(fields) = &mut arguments
            && !fields.contains_key("workspace")
        {
            fields.insert("workspace".to_owned(), json!(*self.workspace.borrow()));
        }
        call(&self.ports(), name, arguments)
    }
}

/// Any call by its name, JSON in and JSON out.
pub fn call(ports: &Ports<'_>, name: &str, arguments: Value) -> Result<Value, MemoryError> {
    match name {
        "init" => run(ports, arguments, workspace::init),
        "status" => run(ports, arguments, workspace::status),
        "branch_create" => run(ports, arguments, branch::create),
        "branch_list" => run(ports, arguments, branch::list),
        "checkout" => run(ports, arguments, branch::checkout),
        "notes_commit" => run(ports, arguments, notes::commit),
        "show" => run(ports, arguments, notes::show),
        "diff" => run(ports, arguments, notes::diff),
        "merge" => run(ports, arguments, notes::merge),
        "export" => run(ports, arguments, notes::export),
        "commit" => run(ports, arguments, commits::commit),
        "log" => run(ports, arguments, commits::log),
        "graph_apply" => run(ports, arguments, graph::apply),
        "graph_query" => run(ports, arguments, graph::query),
        "graph_validate" => run(ports, arguments, graph::validate),
        "graph_diff" => run(ports, arguments, graph::diff),
        "graph_merge" => run(ports, arguments, graph::merge),
        "graph_conflicts" => run(ports, arguments, graph::conflicts),
        "graph_conflict_show" => run(ports, arguments, graph::conflict_show),
        "graph_conflict_resolve" => run(ports, arguments, graph::resolve),
        "think_template" => run(ports, arguments, |_, request| think::template(request)),
        "think_card" => run(ports, arguments, think::commit),
        "think_context" => run(ports, arguments, think::context),
        "think_next" => run(ports, arguments, think::next),
        "tasks_create" => run(ports, arguments, tasks::create),
        "tasks_decompose" => run(ports, arguments, tasks::decompose),
        "tasks_define" => run(ports, arguments, tasks::define),
        "tasks_note" => run(ports, arguments, tasks::note),
        "tasks_verify" => run(ports, arguments, tasks::verify),
        "tasks_done" => run(ports, arguments, tasks::done),
        "tasks_edit" => run(ports, arguments, tasks::edit),
        "tasks_radar" => run(ports, arguments, tasks::radar),
        "tasks_context" => run(ports, arguments, tasks::context),
        "tasks_delta" => run(ports, arguments, tasks::delta),
        "tasks_focus_get" => run(ports, arguments, tasks::focus_get),
        "tasks_focus_set" => run(ports, arguments, tasks::focus_set),
        "tasks_focus_clear" => run(ports, arguments, tasks::focus_clear),
        "tasks_ready" => run(ports, arguments, tasks::ready),
        "tasks_claim" => run(ports, arguments, tasks::claim),
        "tasks_release" => run(ports, arguments, tasks::release),
        "memory_search" => run(ports, arguments, search::search),
        "brief" => run(ports, arguments, brief::brief),
        other => panic!("no call {other}"),
    }
}

fn run<I: DeserializeOwned, O: Serialize>(
    ports: &Ports<'_>,
    arguments: Value,
    call: impl Fn(&Ports<'_>, &I) -> Result<O, MemoryError>,
) -> Result<Value, MemoryError> {
    let request: I = serde_json::from_value(arguments).unwrap();
    Ok(serde_json::to_value(call(ports, &request)?).unwrap())
}

/// What was written can be taken out and in again, and says the same there.
pub fn comes_back(world: &World) {
    if world.ok("status", json!({}))["last_seq"] == 0 {
        return;
    }
    let mut lines = Vec::new();
    export_jsonl(&world.ports(), "w", &mut lines).unwrap();
    let copy = RamStore::new();
    let ports = Ports::new(&copy, &world.clock).with_code(&world.code);
    import(&ports, "w", &mut lines.as_slice()).unwrap();
    let mut again = Vec::new();
    export_jsonl(&ports, "w", &mut again).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(lines).unwrap());
}

/// All pages of a list, following `next_cursor`.
pub fn pages(world: &World, name: &str, arguments: Value, list: &str) -> Vec<Value> {
    let mut out = Vec::new();
    let mut arguments = arguments;
    for _ in 0..10_000 {
        let page = world.ok(name, arguments.clone());
        let items = page[list].as_array().unwrap();
        assert_eq!(page["pagination"]["count"], items.len());
        out.extend(items.iter().cloned());
        if page["pagination"]["has_more"] == json!(false) {
            assert_eq!(page["pagination"].get("next_cursor"), None);
            return out;
        }
        assert!(!items.is_empty(), "a page that shows nothing: {page}");
        arguments["cursor"] = page["pagination"]["next_cursor"].clone();
    }
    panic!("{name} never ends");
}

/// All nodes and edges of a graph, following both cursors.
pub fn whole_graph(world: &World, arguments: Value) -> (Vec<Value>, Vec<Value>) {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let mut arguments = arguments;
    loop {
        let first = world.ok("graph_query", arguments.clone());
        nodes.extend(first["nodes"].as_array().unwrap().iter().cloned());
        let mut page = first.clone();
        loop {
            let shown = page["edges"].as_array().unwrap();
            edges.extend(shown.iter().cloned());
            assert_eq!(page.get("edges_dropped").is_some(), page.get("next_edges_cursor").is_some());
            let Some(next) = page.get("next_edges_cursor") else { break };
            arguments["edges_cursor"] = next.clone();
            page = world.ok("graph_query", arguments.clone());
            assert_ne!(page["edges"], json!([]), "a call for edges that shows none");
            assert_eq!(page["nodes"], json!([]));
            assert_eq!(page["pagination"]["next_cursor"], first["pagination"]["next_cursor"]);
        }
        arguments.as_object_mut().unwrap().remove("edges_cursor");
        match first["pagination"].get("next_cursor") {
            Some(next) => arguments["cursor"] = next.clone(),
            None => return (nodes, edges),
        }
    }
}

/// One field of each item.
pub fn column(items: &[Value], field: &str) -> Vec<Value> {
    items.iter().map(|item| item[field].clone()).collect()
}

/// Texts of entries, in order.
pub fn texts(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["content"].as_str().unwrap().to_owned()).collect()
}
