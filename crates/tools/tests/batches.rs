//! After a batch the graph is the one that a fresh ingest of the same files makes, whatever the batch did.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::{ok, refused};
use m1nd_graph::Graph;
use m1nd_runtime::workspace::{BindingSource, Reuse, Workspace};
use m1nd_stdx::cancel::CancelToken;
use m1nd_testkit::{Fixture, settings};
use serde_json::{Value, json};

const FILES: &str = "
//- .ignore
out/
*.gen.py
//- app/__init__.py
//- app/base.py
class Base:
    def run(self):
        return self.step()

    def step(self):
        return 0
//- app/child.py
from app.base import Base


class Child(Base):
    def step(self):
        return 1
//- app/use.py
from app.child import Child


def use():
    return Child().run()
//- tests/test_use.py
from app.use import use


def test_use():
    assert use() == 1
";

fn fixture() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), FILES);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn graph(fixture: &Fixture) -> Arc<Graph> {
    Arc::clone(fixture.runtime.workspace().unwrap().view().graph().unwrap())
}

/// What another process with nothing kept makes of the folder.
fn made_anew(fixture: &Fixture) -> Graph {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(&fixture.root(), BindingSource::Flag, &settings(home.path())).unwrap();
    workspace.ingest(Reuse::Nothing, &fixture.clock, &CancelToken::new()).unwrap();
    let view = workspace.view();
    Graph::clone(view.graph().unwrap())
}

fn same(fixture: &Fixture, after: &str) {
    let (now, fresh) = (graph(fixture), made_anew(fixture));
    let ids = |graph: &Graph| graph.nodes().map(|node| node.id().to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&now), ids(&fresh), "{after}");
    assert!(*now == fresh, "{after}: the relations differ");
}

#[test]
fn only_files_that_count_come_into_the_graph_with_a_batch() {
    let fixture = fixture();
    let paths = |graph: &Graph| graph.nodes().map(|node| node.path().to_owned()).collect::<BTreeSet<_>>();
    let create = |path: &str| json!({"file_path": path, "new_content": "def made(): ...\n", "create": true});
    let made = [
        create("app/more.py"),
        create("out/built.py"),
        create("app/x.gen.py"),
        create("app/new/deep/one.py"),
        create(".hidden/two.py"),
    ];
    ok(&fixture, "apply_batch", json!({ "edits": made }));
    same(&fixture, "files were created");
    let now = paths(&graph(&fixture));
    assert!(now.contains("app/more.py") && now.contains("app/new/deep/one.py"), "{now:?}");
    assert!(
        !now.iter().any(|path| path.contains("built") || path.contains("gen") || path.contains("two")),
        "{now:?}"
    );
    // What counts may change with the batch itself, also for files that it does not touch.
    let rules = json!([{"file_path": ".ignore", "new_content": "app/new/\n"}]);
    ok(&fixture, "apply_batch", json!({ "edits": rules }));
    same(&fixture, "what is ignored changed");
    let now = paths(&graph(&fixture));
    assert!(now.contains("out/built.py") && !now.contains("app/new/deep/one.py"), "{now:?}");
}

#[test]
fn what_others_did_meanwhile_is_seen_by_the_next_question() {
    let fixture = fixture();
    let edits = json!([{"file_path": "app/use.py", "edits": [{"old": "use()", "new": "used()"}]}]);
    fs::write(fixture.root().join("app/other.py"), "def other(): ...\n").unwrap();
    ok(&fixture, "apply_batch", json!({ "edits": edits }));
    same(&fixture, "a file came before the batch");
    fs::write(fixture.root().join("app/other.py"), "def another(): ...\n").unwrap();
    assert_eq!(ok(&fixture, "callers", json!({"node_id": "another"}))["total"], 0);
    same(&fixture, "a file changed after the batch");
}

#[test]
fn a_batch_that_is_refused_by_the_graph_leaves_the_graph_as_it_was() {
    let fixture = fixture();
    let before = graph(&fixture);
    let gone = json!([{"file_path": "app/child.py", "delete": true}]);
    refused(&fixture, "apply_batch", json!({"edits": gone, "verify": "graph"}));
    same(&fixture, "it was taken back");
    assert!(*before == *graph(&fixture).clone());
}

/// A sequence of numbers that looks like none.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

const BODIES: [&str; 5] = [
    "from app.base import Base\n\n\nclass Other(Base):\n    def step(self):\n        return 2\n",
    "from app.child import Child\n\n\ndef use():\n    return Child().step()\n",
    "import app.use\n\n\ndef again():\n    return app.use.use()\n",
    "class Base:\n    def run(self):\n        return self.other()\n\n    def other(self):\n        return again()\n",
    "from app.base import *\n\n\ndef step():\n    return Base().run()\n",
];

/// A batch of up to twenty changes: files made, rewritten, renamed and deleted.
fn batch(root: &Path, dice: &mut Dice) -> Vec<Value> {
    let (mut edits, mut taken) = (Vec::new(), BTreeSet::new());
    for _ in 0..1 + dice.throw(20) {
        let path = format!("app/m{}.py", dice.throw(24));
        let there = root.join(&path).exists();
        let body = BODIES[dice.throw(BODIES.len())];
        let to = format!("{}/r{}.py", ["app", "app/sub", "lib"][dice.throw(3)], dice.throw(24));
        if !taken.insert(path.clone()) {
            continue;
        }
        edits.push(match (there, dice.throw(4)) {
            (false, _) => json!({"file_path": path, "new_content": body, "create": true}),
            (true, 0) => json!({"file_path": path, "delete": true}),
            (true, 1) if !root.join(&to).exists() && taken.insert(to.clone()) => {
                json!({"file_path": path, "rename_to": to})
            }
            (true, _) => json!({"file_path": path, "new_content": body}),
        });
    }
    edits
}

#[test]
fn random_batches_and_taking_them_back_give_what_a_fresh_ingest_gives() {
    let fixture = fixture();
    let mut dice = Dice(8);
    for round in 0..12 {
        let edits = batch(&fixture.root(), &mut dice);
        let made = ok(&fixture, "apply_batch", json!({ "edits": edits }));
        same(&fixture, &format!("batch {round}: {edits:?}"));
        if let Some(id) = made["batch_id"].as_str().filter(|_| round % 3 == 0) {
            ok(&fixture, "undo_batch", json!({ "batch_id": id }));
            same(&fixture, &format!("batch {round} was taken back"));
        }
    }
}
