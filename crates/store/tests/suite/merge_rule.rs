//! The rule of graph merges, written down a second time as simply as it can be, against random histories.
//!
//! Per key of the merged branch, in the order nodes, edges, oldest first: what says the same as both sides did when a merge
//! last found them agreed (or at the cut) is nothing new; what says the same as the destination is agreed from now on; what
//! somebody refused stays refused until the branch says something else; an edge that is gone because its node is waits for
//! the node; what the destination changed too, or what would leave an edge without its
//! node, is a conflict; the rest is taken. Everything is predicted: every count, every state, every open conflict.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_memory::MemoryError;
use m1nd_store::{RamStore, SqliteStore};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::histories::{Action, history, quarrel};
use crate::world::{World, comes_back, pages, whole_graph};

type Key = String;
/// A node's title or an edge's details; nothing where there is none or it was deleted.
type State = Option<String>;

struct Branch {
    name: String,
    /// Its base, and how many versions there were at the cut.
    base: Option<(usize, usize)>,
}

struct Version {
    branch: usize,
    key: Key,
    state: State,
}

#[derive(Clone, Copy, Default)]
struct Mark {
    agreed: Option<usize>,
    refused: Option<usize>,
}

/// The versions that a conflict is about.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Dispute {
    theirs: usize,
    /// The newest version of the destination that counts; none if it never spoke of it.
    ours: Option<usize>,
}

#[derive(Default, PartialEq, Debug)]
struct Counts {
    merged: usize,
    skipped: usize,
    conflicts: usize,
}

#[derive(Default)]
struct Model {
    branches: Vec<Branch>,
    versions: Vec<Version>,
    marks: BTreeMap<(usize, Key), Mark>,
    open: BTreeMap<(usize, Key), Dispute>,
}

fn is_edge(key: &str) -> bool {
    key.contains("|r|")
}

fn touches(edge: &str, node: &str) -> bool {
    is_edge(edge) && edge.split("|r|").any(|end| end == node)
}

impl Model {
    fn own(&self, branch: usize, key: &str, cut: usize) -> Option<usize> {
        (0..cut.min(self.versions.len()))
            .rfind(|at| self.versions[*at].branch == branch && self.versions[*at].key == key)
    }

    /// The version of a key that a branch shows, its own or inherited.
    fn shown(&self, branch: usize, key: &str, cut: usize) -> Option<usize> {
        let inherited = || {
            let (base, at) = self.branches[branch].base?;
            self.shown(base, key, at.min(cut))
        };
        self.own(branch, key, cut).or_else(inherited)
    }

    fn says(&self, version: Option<usize>) -> State {
        version.and_then(|at| self.versions[at].state.clone())
    }

    fn now(&self, branch: usize, key: &str) -> State {
        self.says(self.shown(branch, key, usize::MAX))
    }

    fn live(&self, branch: usize) -> BTreeMap<Key, String> {
        let keys: BTreeSet<&Key> = self.versions.iter().map(|version| &version.key).collect();
        keys.into_iter().filter_map(|key| Some((key.clone(), self.now(branch, key)?))).collect()
    }

    fn write(&mut self, branch: usize, key: &str, state: State) {
        let gone = state.is_none() && !is_edge(key);
        let edges: Vec<Key> = self.live(branch).into_keys().filter(|edge| touches(edge, key)).collect();
        self.versions.push(Version { branch, key: key.to_owned(), state });
        if gone {
            edges.into_iter().for_each(|key| self.versions.push(Version { branch, key, state: None }));
        }
    }

    /// The version with which a branch, by itself or with what it inherited, began to say what a version says.
    fn first(&self, version: usize, before: impl Fn(usize) -> Option<usize>) -> usize {
        let same = |earlier: &usize| self.versions[*earlier].state == self.versions[version].state;
        match before(version).filter(same) {
            Some(earlier) => self.first(earlier, before),
            None => version,
        }
    }

    fn is_refused(&self, from: usize, key: &str, theirs: usize) -> bool {
        let first = self.first(theirs, |at| self.own(from, key, at));
        self.mark(from, key).refused.is_some_and(|refused| (first..=theirs).contains(&refused))
    }

    fn mark(&self, from: usize, key: &str) -> Mark {
        self.marks.get(&(from, key.to_owned())).copied().unwrap_or_default()
    }

    fn agree(&mut self, from: usize, key: &str, version: usize) {
        self.marks.entry((from, key.to_owned())).or_default().agreed = Some(version);
    }

    /// What both sides said when a merge last found them agreed, or at the cut.
    fn agreed(&self, from: usize, key: &str) -> State {
        let (into, cut) = self.branches[from].base.unwrap();
        match self.mark(from, key).agreed {
            Some(version) => self.says(Some(version)),
            None => self.says(self.shown(into, key, cut)),
        }
    }

    /// Live edges of the destination at a node.
    fn edges_at(&self, into: usize, node: &str) -> Vec<Key> {
        self.live(into).into_keys().filter(|edge| touches(edge, node)).collect()
    }

    fn leaves_hole(&self, from: usize, into: usize, key: &str, state: &State) -> bool {
        match state {
            None if !is_edge(key) => self.edges_at(into, key).iter().any(|edge| {
                let theirs = self.own(from, edge, usize::MAX);
                let kept = theirs.is_some_and(|theirs| self.is_refused(from, edge, theirs));
                kept || self.now(into, edge) != self.agreed(from, edge)
            }),
            Some(_) if is_edge(key) => key.split("|r|").any(|end| self.now(into, end).is_none()),
            _ => false,
        }
    }

    /// Whether an edge is gone only because a node is that the destination still has.
    fn went_with_node(&self, from: usize, into: usize, key: &str, theirs: usize) -> bool {
        let first = |key: &str, version: usize| self.first(version, |at| self.own(from, key, at));
        let disputed = |end: &str| {
            let node = self.own(from, end, usize::MAX).filter(|at| self.versions[*at].state.is_none());
            node.is_some_and(|node| first(end, node) < first(key, theirs)) && self.now(into, end).is_some()
        };
        is_edge(key) && self.versions[theirs].state.is_none() && key.split("|r|").any(disputed)
    }

    fn dispute(&self, from: usize, into: usize, key: &str, theirs: usize) -> Dispute {
        let stands = |key: &str| {
            let shown = self.shown(into, key, usize::MAX)?;
            Some(self.first(shown, |at| self.shown(into, key, at)))
        };
        let mut ours = stands(key);
        if self.versions[theirs].state.is_none() && !is_edge(key) {
            for edge in self.edges_at(into, key) {
                if self.now(into, &edge) != self.agreed(from, &edge) {
                    ours = ours.max(stands(&edge));
                }
            }
        }
        Dispute { theirs: self.first(theirs, |at| self.own(from, key, at)), ours }
    }

    /// Writes a version of `from` into the destination; edges that go with a node are gone on both sides.
    fn take(&mut self, from: usize, into: usize, key: &str, theirs: usize) {
        let state = self.says(Some(theirs));
        let edges = if state.is_none() { self.edges_at(into, key) } else { Vec::new() };
        self.write(into, key, state);
        self.agree(from, key, theirs);
        for edge in edges {
            if let Some(own) = self.own(from, &edge, usize::MAX)
                && self.versions[own].state.is_none()
            {
                self.agree(from, &edge, own);
            }
        }
    }

    fn merge(&mut self, from: usize, into: usize) -> Counts {
        let own = self.versions.iter().filter(|version| version.branch == from);
        let keys: BTreeSet<Key> = own.map(|version| version.key.clone()).collect();
        let newest = |key: Key| (is_edge(&key), self.own(from, &key, usize::MAX).unwrap(), key);
        let changed: BTreeSet<(bool, usize, Key)> = keys.into_iter().map(newest).collect();
        let mut counts = Counts::default();
        let before: BTreeMap<Key, bool> =
            changed.iter().map(|(_, _, key)| (key.clone(), self.now(into, key).is_some())).collect();
        let mut skipped = Vec::new();
        for (_, theirs, key) in changed {
            let (state, ours) = (self.says(Some(theirs)), self.now(into, &key));
            let agreed = self.agreed(from, &key);
            let at = (from, key.clone());
            let nothing =
                self.is_refused(from, &key, theirs) || self.went_with_node(from, into, &key, theirs);
            if state == agreed || state == ours || nothing {
                if state == ours && state != agreed {
                    self.agree(from, &key, theirs);
                }
                counts.skipped += 1;
                skipped.push(key);
                self.open.remove(&at);
            } else if ours != agreed || self.leaves_hole(from, into, &key, &state) {
                let dispute = self.dispute(from, into, &key, theirs);
                match self.open.insert(at, dispute) {
                    Some(known) if known == dispute => counts.skipped += 1,
                    _ => counts.conflicts += 1,
                }
            } else {
                self.take(from, into, &key, theirs);
                counts.merged += 1;
                self.open.remove(&at);
            }
        }
        // Whatever the destination had and has no more was merged, though it went with something else.
        let gone = skipped.iter().filter(|key| before[*key] && self.now(into, key).is_none()).count();
        counts.skipped -= gone;
        counts.merged += gone;
        counts
    }
}

struct Play<'w> {
    w: &'w World,
    model: Model,
}

impl Play<'_> {
    fn pick(&self, wish: usize) -> usize {
        wish % self.model.branches.len()
    }

    fn name(&self, branch: usize) -> &str {
        &self.model.branches[branch].name
    }

    fn step(&mut self, action: &Action) {
        match *action {
            Action::Fork { from } => {
                let (from, name) = (self.pick(from), format!("b{}", self.model.branches.len()));
                self.w.ok("branch_create", json!({"name": name, "from": self.name(from)}));
                let base = Some((from, self.model.versions.len()));
                self.model.branches.push(Branch { name, base });
            }
            Action::PutNode { on, id, value } => {
                let (key, title) = (format!("n{id}"), format!("v{value}"));
                let op = json!({"op": "node_upsert", "id": key, "type": "t", "title": title});
                self.apply(self.pick(on), op, &key, Some(title));
            }
            Action::DropNode { on, id } => {
                let key = format!("n{id}");
                self.apply(self.pick(on), json!({"op": "node_delete", "id": key}), &key, None);
            }
            Action::PutEdge { on, from, to, value } => {
                let (from, to, meta) = (format!("n{from}"), format!("n{to}"), json!({"v": value}));
                let op = json!({"op": "edge_upsert", "from": from, "rel": "r", "to": to, "meta": meta});
                self.apply(self.pick(on), op, &format!("{from}|r|{to}"), Some(meta.to_string()));
            }
            Action::DropEdge { on, from, to } => {
                let (from, to) = (format!("n{from}"), format!("n{to}"));
                let op = json!({"op": "edge_delete", "from": from, "rel": "r", "to": to});
                self.apply(self.pick(on), op, &format!("{from}|r|{to}"), None);
            }
            Action::MergeGraph { from, limit } => self.merge(self.pick(from), limit),
            Action::Settle { which, from } => self.settle(which, from),
            Action::Note { .. } | Action::MergeNotes { .. } => {}
        }
    }

    fn apply(&mut self, branch: usize, op: Value, key: &str, state: State) {
        let there = |key: &str| self.model.now(branch, key).is_some();
        let possible = match &state {
            Some(_) => !is_edge(key) || key.split("|r|").all(there),
            None => there(key),
        };
        let done = self.w.call("graph_apply", json!({"branch": self.name(branch), "doc": "g", "ops": [op]}));
        assert_eq!(done.is_ok(), possible, "{key} {state:?}: {done:?}");
        if possible {
            self.model.write(branch, key, state);
        }
    }

    fn merge(&mut self, from: usize, limit: i64) {
        let Some((into, _)) = self.model.branches[from].base else { return };
        let wish = json!({"from": self.name(from), "into": self.name(into), "doc": "g", "limit": limit});
        let mut rehearsal = wish.clone();
        rehearsal["dry_run"] = json!(true);
        let before = self.w.ok("status", json!({}))["last_seq"].clone();
        let told = self.turn(&rehearsal);
        assert_eq!(self.w.ok("status", json!({}))["last_seq"], before, "a rehearsal wrote something");
        let done = self.turn(&wish);
        assert_eq!(told, done, "a rehearsal told something else than what happened");
        let expected = self.model.merge(from, into);
        assert_eq!(done, expected, "merging {}", self.name(from));
        let again = self.turn(&wish);
        assert_eq!((again.merged, again.conflicts), (0, 0), "merging again changed something");
        assert_eq!(self.model.merge(from, into), again);
        assert_eq!(self.graph(into), self.model.live(into), "after merging {}", self.name(from));
    }

    /// All pages of a merge.
    fn turn(&self, wish: &Value) -> Counts {
        let (mut out, mut wish) = (Counts::default(), wish.clone());
        loop {
            let page = self.w.ok("graph_merge", wish.clone());
            let count = |field: &str| usize::try_from(page[field].as_u64().unwrap()).unwrap();
            out.merged += count("merged");
            out.skipped += count("skipped");
            out.conflicts += count("conflicts_created");
            match page["pagination"].get("next_cursor") {
                Some(next) => wish["cursor"] = next.clone(),
                None => return out,
            }
        }
    }

    /// The open conflicts: their branch, their key, and the id.
    fn open(&self) -> BTreeMap<(usize, Key), Value> {
        let mut out = BTreeMap::new();
        for branch in &self.model.branches {
            let wish = json!({"into": branch.name, "doc": "g", "status": "open", "limit": 3});
            for row in pages(self.w, "graph_conflicts", wish, "conflicts") {
                let from = self.model.branches.iter().position(|other| row["from"] == other.name.as_str());
                let key = (from.unwrap(), row["key"].as_str().unwrap().to_owned());
                assert_eq!(out.insert(key, row["conflict_id"].clone()), None, "two conflicts over one key");
            }
        }
        out
    }

    fn settle(&mut self, which: usize, use_from: bool) {
        let open = self.open();
        assert_eq!(open.keys().collect::<Vec<_>>(), self.model.open.keys().collect::<Vec<_>>());
        let Some(((from, key), id)) = open.into_iter().nth(which % self.model.open.len().max(1)) else {
            return;
        };
        let (into, _) = self.model.branches[from].base.unwrap();
        let dispute = self.model.open[&(from, key.clone())];
        let resolution = if use_from { "use_from" } else { "use_into" };
        let done =
            self.w.call("graph_conflict_resolve", json!({"conflict_id": id, "resolution": resolution}));
        if use_from {
            let stale = self.model.dispute(from, into, &key, dispute.theirs) != dispute;
            let state = self.model.says(Some(dispute.theirs));
            let hole = state.is_some() && self.model.leaves_hole(from, into, &key, &state);
            match done {
                Err(MemoryError::ConflictStale { .. }) => return assert!(stale, "{key} was called stale"),
                Err(MemoryError::ConflictNeedsNode { .. }) => return assert!(hole, "{key} needs no node"),
                other => assert!(other.is_ok() && !stale && !hole, "{key}: {other:?}"),
            }
            self.model.take(from, into, &key, dispute.theirs);
        } else {
            assert!(done.is_ok(), "{done:?}");
            self.model.marks.entry((from, key.clone())).or_default().refused = Some(dispute.theirs);
        }
        self.model.open.remove(&(from, key));
        assert_eq!(self.graph(into), self.model.live(into), "after {resolution}");
    }

    fn graph(&self, branch: usize) -> BTreeMap<Key, String> {
        let wish = json!({"branch": self.name(branch), "doc": "g", "limit": 200, "edges_limit": 1_000,
                          "max_chars": 1_000_000});
        let (nodes, edges) = whole_graph(self.w, wish);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let nodes = nodes.iter().map(|node| (text(&node["id"]), text(&node["title"])));
        let key = |edge: &Value| format!("{}|r|{}", text(&edge["from"]), text(&edge["to"]));
        nodes.chain(edges.iter().map(|edge| (key(edge), edge["meta"].to_string()))).collect()
    }

    fn check(&self) {
        let open: Vec<(usize, Key)> = self.open().into_keys().collect();
        assert_eq!(open.iter().collect::<Vec<_>>(), self.model.open.keys().collect::<Vec<_>>());
        for (branch, own) in self.model.branches.iter().enumerate() {
            assert_eq!(self.graph(branch), self.model.live(branch), "graph of {}", own.name);
            let valid = self.w.ok("graph_validate", json!({"branch": own.name, "doc": "g"}));
            assert_eq!(valid["ok"], true, "{valid}");
        }
    }
}

fn play(w: &World, history: &[Action]) {
    w.ok("init", json!({}));
    let main = Branch { name: "main".to_owned(), base: None };
    let mut play = Play { w, model: Model { branches: vec![main], ..Model::default() } };
    history.iter().for_each(|action| play.step(action));
    play.check();
    comes_back(w);
}

fn run(cases: u32, history: impl Strategy<Value = Vec<Action>>, world: impl Fn() -> World) {
    let cases = std::env::var("MEMORY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let outcome = TestRunner::new(config).run(&history, |history| {
        play(&world(), &history);
        Ok(())
    });
    if let Err(err) = outcome {
        panic!("{err}");
    }
}

#[test]
fn two_branches_that_quarrel_merge_by_the_rule() {
    run(150, quarrel(60), || World::new(Box::new(RamStore::new())));
}

#[test]
fn forks_of_forks_merge_by_the_rule() {
    run(80, history(90), || World::new(Box::new(RamStore::new())));
}

#[test]
fn the_rule_holds_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    run(20, quarrel(40), || {
        number.set(number.get() + 1);
        let path = folder.path().join(format!("{}.db", number.get()));
        World::new(Box::new(SqliteStore::open(path).unwrap()))
    });
}
