//! Random histories against a model that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_memory::MemoryError;
use m1nd_store::{RamStore, SqliteStore};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::histories::{Action, history};
use crate::world::{World, comes_back, pages, texts, whole_graph};

/// Everything that ever happened, in order, and nothing clever.
#[derive(Default)]
struct Model {
    branches: Vec<(String, Option<(usize, usize)>)>,
    notes: Vec<NoteRow>,
    versions: Vec<Version>,
    /// How many notes and versions there were when the branch was made.
    cuts: Vec<(usize, usize)>,
}

#[derive(Clone)]
struct Version {
    branch: usize,
    key: String,
    /// Nothing for a tombstone.
    state: Option<String>,
}

#[derive(Clone)]
struct NoteRow {
    branch: usize,
    text: String,
}

impl Model {
    fn new() -> Self {
        Self { branches: vec![("main".to_owned(), None)], cuts: vec![(0, 0)], ..Self::default() }
    }

    /// Positions in the log of the notes that a branch shows, oldest first.
    fn view(&self, branch: usize, cut: usize) -> Vec<usize> {
        let mut out = match self.branches[branch].1 {
            Some((base, _)) => self.view(base, self.cuts[branch].0.min(cut)),
            None => Vec::new(),
        };
        out.extend((0..self.notes.len().min(cut)).filter(|at| self.notes[*at].branch == branch));
        out
    }

    fn texts(&self, branch: usize) -> Vec<String> {
        self.view(branch, usize::MAX).into_iter().map(|at| self.notes[at].text.clone()).collect()
    }

    /// The state of every key that a branch shows; nothing for a tombstone.
    fn graph(&self, branch: usize, cut: usize) -> BTreeMap<String, Option<String>> {
        let mut out = match self.branches[branch].1 {
            Some((base, _)) => self.graph(base, self.cuts[branch].1.min(cut)),
            None => BTreeMap::new(),
        };
        for version in self.versions.iter().take(cut).filter(|version| version.branch == branch) {
            out.insert(version.key.clone(), version.state.clone());
        }
        out
    }

    fn live(&self, branch: usize) -> BTreeMap<String, String> {
        let all = self.graph(branch, usize::MAX);
        all.into_iter().filter_map(|(key, state)| Some((key, state?))).collect()
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

    fn name(&self, branch: usize) -> String {
        self.model.branches[branch].0.clone()
    }

    fn step(&mut self, action: &Action) {
        match *action {
            Action::Fork { from } => {
                let from = self.pick(from);
                let name = format!("b{}", self.model.branches.len());
                self.w.ok("branch_create", json!({"name": name, "from": self.name(from)}));
                self.model.branches.push((name, Some((from, 0))));
                self.model.cuts.push((self.model.notes.len(), self.model.versions.len()));
            }
            Action::Note { on } => {
                let branch = self.pick(on);
                let text = format!("note {}", self.model.notes.len());
                let name = self.name(branch);
                self.w.ok("notes_commit", json!({"branch": name, "doc": "notes", "content": text}));
                self.model.notes.push(NoteRow { branch, text });
            }
            Action::MergeNotes { from, into, limit } => {
                self.merge_notes(self.pick(from), self.pick(into), limit)
            }
            Action::PutNode { on, id, value } => {
                let op = json!({"op": "node_upsert", "id": format!("n{id}"), "type": "t", "title": format!("v{value}")});
                self.apply(on, op, &format!("n{id}"), Some(format!("v{value}")));
            }
            Action::DropNode { on, id } => {
                self.apply(on, json!({"op": "node_delete", "id": format!("n{id}")}), &format!("n{id}"), None);
            }
            Action::PutEdge { on, from, to, value } => {
                let key = format!("n{from}|r|n{to}");
                let op = json!({"op": "edge_upsert", "from": format!("n{from}"), "rel": "r", "to": format!("n{to}"),
                                "meta": {"v": value}});
                self.apply(on, op, &key, Some(format!("{{\"v\":{value}}}")));
            }
            Action::DropEdge { on, from, to } => {
                let key = format!("n{from}|r|n{to}");
                let op = json!({"op": "edge_delete", "from": format!("n{from}"), "rel": "r", "to": format!("n{to}")});
                self.apply(on, op, &key, None);
            }
            Action::MergeGraph { from, limit } => self.merge_graph(self.pick(from), limit),
            Action::Settle { which, from } => self.settle(which, from),
        }
    }

    fn merge_notes(&mut self, from: usize, into: usize, limit: i64) {
        let target = self.model.view(into, usize::MAX);
        let there: BTreeSet<String> = self.model.texts(into).into_iter().collect();
        let source: Vec<usize> = self.model.view(from, usize::MAX);
        let candidates: Vec<usize> = source.into_iter().filter(|at| !target.contains(at)).collect();
        // Texts are unique, so that a note and its copies are those of the same text.
        let mut new: Vec<String> = Vec::new();
        for at in &candidates {
            let text = &self.model.notes[*at].text;
            if !there.contains(text) && !new.contains(text) {
                new.push(text.clone());
            }
        }
        let arguments = json!({"from": self.name(from), "into": self.name(into), "limit": limit});
        let (merged, looked) = self.turn("merge", &arguments);
        assert_eq!((merged, looked), (new.len(), candidates.len()));
        self.model.notes.extend(new.into_iter().map(|text| NoteRow { branch: into, text }));
        assert_eq!(self.turn("merge", &arguments).0, 0, "merging again changed something");
    }

    /// All pages of a merge: how many were merged, how many looked at.
    fn turn(&self, name: &str, arguments: &Value) -> (usize, usize) {
        let (mut merged, mut looked) = (0, 0);
        let mut arguments = arguments.clone();
        loop {
            let page = self.w.ok(name, arguments.clone());
            let count = |field: &str| usize::try_from(page[field].as_u64().unwrap_or(0)).unwrap();
            merged += count("merged") + count("conflicts_created");
            looked += count("merged") + count("skipped") + count("conflicts_created");
            match page["pagination"].get("next_cursor") {
                Some(next) => arguments["cursor"] = next.clone(),
                None => return (merged, looked),
            }
        }
    }

    fn apply(&mut self, on: usize, op: Value, key: &str, state: Option<String>) {
        let branch = self.pick(on);
        let live = self.model.live(branch);
        let ends: Vec<&str> = key.split("|r|").collect();
        let possible = match (&state, ends.len()) {
            (Some(_), 1) => true,
            (Some(_), _) => ends.iter().all(|end| live.contains_key(*end)),
            (None, _) => live.contains_key(key),
        };
        let done = self.w.call("graph_apply", json!({"branch": self.name(branch), "doc": "g", "ops": [op]}));
        assert_eq!(done.is_ok(), possible, "{key} {state:?} on {branch}: {done:?}");
        if !possible {
            return;
        }
        let gone = state.is_none() && ends.len() == 1;
        self.model.versions.push(Version { branch, key: key.to_owned(), state });
        if gone {
            for other in live.keys().filter(|other| other.split("|r|").count() == 2) {
                if other.split("|r|").any(|end| end == key) {
                    self.model.versions.push(Version { branch, key: other.clone(), state: None });
                }
            }
        }
    }

    fn merge_graph(&mut self, from: usize, limit: i64) {
        let Some((into, _)) = self.model.branches[from].1 else {
            let refusal =
                self.w.call("graph_merge", json!({"from": self.name(from), "into": "main", "doc": "g"}));
            assert!(matches!(refusal, Err(MemoryError::NotMergeBack { .. })));
            return;
        };
        // What a merge must do is told in `merge_rule`; here it only makes histories.
        let arguments = json!({"from": self.name(from), "into": self.name(into), "doc": "g", "limit": limit});
        self.turn("graph_merge", &arguments);
        self.adopt(into);
        assert_eq!(self.turn("graph_merge", &arguments).0, 0, "merging again changed something");
    }

    fn settle(&mut self, which: usize, from: bool) {
        let mut open = Vec::new();
        for branch in 0..self.model.branches.len() {
            let arguments = json!({"into": self.name(branch), "doc": "g", "status": "open"});
            for conflict in pages(self.w, "graph_conflicts", arguments, "conflicts") {
                open.push((branch, conflict["conflict_id"].clone()));
            }
        }
        if open.is_empty() {
            return;
        }
        let (into, id) = open[which % open.len()].clone();
        let resolution = if from { "use_from" } else { "use_into" };
        let done =
            self.w.call("graph_conflict_resolve", json!({"conflict_id": id, "resolution": resolution}));
        match done {
            Ok(_) => self.adopt(into),
            Err(MemoryError::ConflictStale { .. } | MemoryError::ConflictNeedsNode { .. }) => assert!(from),
            Err(other) => panic!("{other}"),
        }
    }

    /// Takes over what a merge did to a branch.
    fn adopt(&mut self, branch: usize) {
        let now = self.shown_graph(branch, 200, 1_000_000);
        let before = self.model.live(branch);
        for (key, state) in &now {
            if before.get(key) != Some(state) {
                let (key, state) = (key.clone(), Some(state.clone()));
                self.model.versions.push(Version { branch, key, state });
            }
        }
        for key in before.keys().filter(|key| !now.contains_key(*key)) {
            self.model.versions.push(Version { branch, key: key.clone(), state: None });
        }
    }

    /// Live nodes and edges by pages, each once.
    fn shown_graph(&self, branch: usize, limit: i64, budget: i64) -> BTreeMap<String, String> {
        let name = self.name(branch);
        let mut out = BTreeMap::new();
        let wish =
            json!({"branch": name, "doc": "g", "limit": limit, "edges_limit": limit, "max_chars": budget});
        let (nodes, edges) = whole_graph(self.w, wish);
        for node in nodes {
            assert_eq!(node["deleted"], false);
            let before = out.insert(text_of(&node["id"]), text_of(&node["title"]));
            assert_eq!(before, None, "a node was shown twice");
        }
        for edge in edges {
            let key = format!("{}|r|{}", text_of(&edge["from"]), text_of(&edge["to"]));
            assert_eq!(out.insert(key, edge["meta"].to_string()), None, "an edge was shown twice");
        }
        out
    }

    fn check(&self, limit: i64, budget: i64) {
        for branch in 0..self.model.branches.len() {
            let name = self.name(branch);
            let arguments = json!({"branch": name, "doc": "notes", "limit": limit, "max_chars": budget});
            let mut shown = texts(&pages(self.w, "show", arguments, "entries"));
            shown.reverse();
            let mut expected = self.model.texts(branch);
            if budget < 600 {
                // Texts may be shortened; none may be missing.
                assert_eq!(shown.len(), expected.len());
                expected.clone_from(&shown);
            }
            assert_eq!(shown, expected, "notes of {name}");
            assert_eq!(
                self.shown_graph(branch, limit, budget.max(400)),
                self.model.live(branch),
                "graph of {name}"
            );
            let valid = self.w.ok("graph_validate", json!({"branch": name, "doc": "g"}));
            assert_eq!(valid["ok"], true, "{valid}");
            for other in 0..self.model.branches.len() {
                self.check_diffs(other, branch, limit, budget);
            }
        }
    }

    fn check_diffs(&self, from: usize, to: usize, limit: i64, budget: i64) {
        let names = json!({"from": self.name(from), "to": self.name(to), "doc": "notes", "limit": limit});
        let mut found = texts(&pages(self.w, "diff", names, "entries"));
        found.reverse();
        let seen = self.model.view(from, usize::MAX);
        let there: BTreeSet<String> = self.model.texts(from).into_iter().collect();
        let only = self.model.view(to, usize::MAX).into_iter().filter(|at| !seen.contains(at));
        let only = only.map(|at| self.model.notes[at].text.clone());
        let expected: Vec<String> = only.filter(|text| !there.contains(text)).collect();
        assert_eq!(found, expected, "diff of notes");

        let budget = budget.max(400);
        let names = json!({"from": self.name(from), "to": self.name(to), "doc": "g", "limit": limit, "max_chars": budget});
        let changes = pages(self.w, "graph_diff", names, "changes");
        let numbers: Vec<i64> =
            changes.iter().map(|change| change["to"]["last_seq"].as_i64().unwrap()).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] > pair[1]), "a diff is newest first");
        let key = |change: &Value| match change["kind"].as_str().unwrap() {
            "node" => change["id"].as_str().unwrap().to_owned(),
            _ => format!(
                "{}|r|{}",
                change["key"]["from"].as_str().unwrap(),
                change["key"]["to"].as_str().unwrap()
            ),
        };
        let found: BTreeSet<String> = changes.iter().map(key).collect();
        assert_eq!(found.len(), changes.len(), "a change was shown twice");
        let there = self.model.graph(from, usize::MAX);
        let here = self.model.graph(to, usize::MAX);
        let state = |side: &BTreeMap<String, Option<String>>, key: &str| side.get(key).cloned().flatten();
        let expected: BTreeSet<String> =
            here.keys().filter(|key| state(&here, key) != state(&there, key)).cloned().collect();
        assert_eq!(found, expected, "diff of graphs");
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn play(w: &World, history: &[Action], limit: i64, budget: i64) {
    w.ok("init", json!({}));
    let mut play = Play { w, model: Model::new() };
    for action in history {
        play.step(action);
    }
    play.check(limit, budget);
    comes_back(w);
}

fn run(cases: u32, history: impl Strategy<Value = Vec<Action>>, world: impl Fn() -> World) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let inputs = (history, 1..8_i64, 1..3_000_i64);
    let outcome = TestRunner::new(config).run(&inputs, |(history, limit, budget)| {
        play(&world(), &history, limit, budget);
        Ok(())
    });
    if let Err(err) = outcome {
        panic!("{err}");
    }
}

/// More with `MEMORY_CASES=2000`.
fn cases(usual: u32) -> u32 {
    std::env::var("MEMORY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

#[test]
fn views_diffs_merges_and_pages_agree_with_the_model_in_ram() {
    run(cases(120), history(60), || World::new(Box::new(RamStore::new())));
}

#[test]
fn views_diffs_merges_and_pages_agree_with_the_model_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    run(cases(25), history(40), || {
        number.set(number.get() + 1);
        let path = folder.path().join(format!("{}.db", number.get()));
        World::new(Box::new(SqliteStore::open(path).unwrap()))
    });
}
