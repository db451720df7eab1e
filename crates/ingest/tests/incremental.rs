//! Whatever is edited in whatever order, refreshing gives the graph that a fresh ingest gives.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph};
use m1nd_ingest::classify::Reason;
use m1nd_ingest::state::{self, StateError};
use m1nd_ingest::{Ingest, Ingested, Listed};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::ManualClock;
use proptest::prelude::*;

/// Files in memory, each with the time it was last written.
#[derive(Clone, Debug, Default)]
struct Disk {
    files: BTreeMap<String, (String, i128)>,
    now: i128,
}

impl Disk {
    fn write(&mut self, path: &str, text: &str) {
        self.now += 5_000_000_000;
        self.files.insert(path.to_owned(), (text.to_owned(), self.now));
    }

    fn listing(&self) -> Vec<Listed> {
        let list = self.files.iter().map(|(path, (text, time))| Listed {
            path: path.clone(),
            size: text.len() as u64,
            modified_ns: *time,
        });
        list.collect()
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Reason> {
        self.files.get(path).map(|(text, _)| text.clone().into_bytes()).ok_or(Reason::Unreadable)
    }

    fn refresh(&self, ingest: &mut Ingest) -> Ingested {
        self.refresh_on(ingest, None)
    }

    fn refresh_on(&self, ingest: &mut Ingest, last: Option<&Graph>) -> Ingested {
        let read = |path: &str| self.bytes(path);
        let later = self.now + 10_000_000_000;
        let clock = ManualClock::default();
        let cancel = CancelToken::new();
        ingest.refresh_on(last, &self.listing(), read, &clock, later, &cancel).expect("nobody stops it")
    }
}

const PATHS: [&str; 8] = [
    "src/lib.rs",
    "src/cart.rs",
    "Cargo.toml",
    "shop/__init__.py",
    "shop/cart.py",
    "web/cart.ts",
    "web/app.ts",
    "pyproject.toml",
];

const TEXTS: [&str; 34] = [
    "mod cart;\npub fn run() { cart::Cart::new().add(1); helper(); }\nfn helper() {}\n",
    "pub struct Cart;\nimpl Cart { pub fn new() -> Self { Cart } pub fn add(&self, n: u32) {} }\n",
    "pub struct Cart { inner: Inner }\nimpl Cart { pub fn new() -> Inner { Inner } }\npub struct Inner;\nimpl Inner { pub fn add(&self, n: u32) {} }\n",
    "[package]\nname = \"shop\"\n",
    "from .cart import Cart\ndef run():\n    Cart().add(1)\n",
    "class Base:\n    def add(self, n): ...\nclass Cart(Base):\n    def total(self):\n        return self.add(1)\n",
    "class Cart:\n    def add(self, n): ...\n",
    "export class Cart { add(n: number) {} }\n",
    "export class Store { add(n: number) {} }\nexport const Cart = Store\n",
    "import { Cart } from './cart'\nexport function run() { new Cart().add(1) }\n",
    "import * as c from './cart'\nexport function run(x: c.Cart) { x.add(1) }\n",
    "",
    "fn broken( {",
    "x = 1\n",
    // The same to others, with other insides.
    "mod cart;\n\n// Moved down.\npub fn run() { helper(); helper(); let c = cart::Cart::new(); c.add(2); }\nfn helper() {}\n",
    "mod cart;\n/// Says more.\npub fn run() {}\nfn helper() { run() }\n",
    "pub struct Cart;\nimpl Cart { pub fn new() -> Self { let c = Cart; c.add(0); c }\n pub fn add(&self, n: u32) { Cart::new(); } }\n",
    "from .cart import Cart\n\ndef run():\n    c = Cart()\n    c.add(2)\n    run()\n",
    "class Base:\n    def add(self, n):\n        print(n)\nclass Cart(Base):\n    def total(self):\n        x = self\n        return self.add(1)\n",
    "class Base:\n    def add(self, n): ...\nclass Cart(Base):\n    def total(self):\n        c = Cart()\n        return c\n",
    "export class Cart { add(n: number) { this.add(n - 1); new Cart() } }\n",
    "import { Cart } from './cart'\nexport function run() { const c = new Cart()\n c.add(1); run() }\n",
    // Routers, values of modules, and where programs begin.
    "bp = Blueprint('x', __name__, url_prefix='/x')\nLIMIT = 3\n@bp.get('/one')\ndef one():\n    return LIMIT\n",
    "bp = Blueprint('x', __name__)\nLIMIT = 3\n# Moved down.\n@bp.get('/one')\ndef one():\n    one()\n",
    "from .cart import bp, LIMIT\napp = Flask('x')\napp.register_blueprint(bp, url_prefix='/y')\ndef run():\n    return LIMIT\n",
    "from .cart import bp, LIMIT\ndef run():\n    app = Flask('x')\n    app.register_blueprint(bp)\n    return LIMIT\n",
    "[project.scripts]\nshop = \"shop.cart:one\"\n",
    "[project.scripts]\nshop = \"shop:run\"\n",
    // Names of types, constants that are written as anything else, and what is listed as everything.
    "from typing import Union\nItem = Union[str, int]\nCart = dict()\nLIMIT = 3\n__all__ = ['Item', 'LIMIT']\n",
    "from typing import Union\nItem = 1\nclass Cart: ...\nLIMIT = 3\n__all__ = ['Cart']\n",
    "from .cart import *\nfrom .cart import Cart\ndef run(x: Item):\n    return Cart(x) or LIMIT\n",
    "export const Cart: typeof Array.isArray = Array.isArray\nexport type Item = string | Cart\n",
    "export function Cart() {}\nexport interface Item {}\n",
    "import { Cart, Item } from './cart'\nimport * as c from './cart'\nexport function run(x: Item) { return c.Cart(Cart(x)) }\n",
];

#[derive(Clone, Debug)]
enum Edit {
    Write(usize, usize),
    Remove(usize),
    /// Same content, new time.
    Touch(usize),
    Rename(usize, usize),
    /// The process ends, and another goes on from what it wrote down.
    Restart,
    /// The process goes on with the facts that it wrote down before.
    Save,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let file = 0..PATHS.len();
    let edit = prop_oneof![
        6 => (file.clone(), 0..TEXTS.len()).prop_map(|(path, text)| Edit::Write(path, text)),
        1 => file.clone().prop_map(Edit::Remove),
        1 => file.clone().prop_map(Edit::Touch),
        1 => (file.clone(), file).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => Just(Edit::Restart),
        1 => Just(Edit::Save),
    ];
    prop::collection::vec(edit, 1..25)
}

fn apply(disk: &mut Disk, edit: &Edit) {
    match *edit {
        Edit::Write(path, text) => disk.write(PATHS[path], TEXTS[text]),
        Edit::Remove(path) => {
            disk.files.remove(PATHS[path]);
        }
        Edit::Touch(path) => {
            if let Some((text, _)) = disk.files.get(PATHS[path]).cloned() {
                disk.write(PATHS[path], &text);
            }
        }
        Edit::Rename(from, to) => {
            if let Some((text, time)) = disk.files.remove(PATHS[from]) {
                disk.files.insert(PATHS[to].to_owned(), (text, time));
            }
        }
        Edit::Restart | Edit::Save => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn refreshing_after_any_edits_equals_a_fresh_ingest(edits in edits(), every in 1..4_usize) {
        let mut disk = Disk::default();
        let mut kept = Ingest::new("shop");
        let mut last = m1nd_graph::Graph::empty();
        let mut saved = None;
        for (at, edit) in edits.iter().enumerate() {
            apply(&mut disk, edit);
            if matches!(edit, Edit::Save) {
                let bytes = state::to_bytes(&kept, "").into();
                // Files may have changed since the bytes were written.
                kept = state::settle(kept, saved.as_ref().unwrap_or(&bytes)).expect("its own bytes");
                saved = Some(bytes);
            }
            if matches!(edit, Edit::Restart) {
                kept = state::from_bytes(&state::to_bytes(&kept, "").into()).expect("its own bytes").0;
                if at > 0 && at % every == 1 % every {
                    kept = kept.with_graph();
                }
            }
            if at % every == 0 {
                if let Some(next) = disk.refresh_on(&mut kept, Some(&last)).graph {
                    last = next;
                }
                let fresh = disk.refresh(&mut Ingest::new("shop")).graph.expect("a first generation");
                prop_assert_eq!(&last, &fresh);
            }
        }
    }
}

fn sample() -> Disk {
    let mut disk = Disk::default();
    disk.write("src/lib.rs", TEXTS[0]);
    disk.write("src/cart.rs", TEXTS[1]);
    disk.write("Cargo.toml", TEXTS[3]);
    disk
}

#[test]
fn only_what_changed_is_parsed_again() {
    let mut disk = sample();
    let mut ingest = Ingest::new("shop");
    let first = disk.refresh(&mut ingest);
    assert_eq!(
        (first.report.files_parsed, first.report.files_reused),
        (2, 0),
        "no grammar parses the manifest"
    );
    let again = disk.refresh(&mut ingest);
    assert_eq!((again.report.files_parsed, again.report.files_reused), (0, 3));
    assert_eq!((again.report.generation, again.graph.is_none()), (1, true), "the graph is still true");
    disk.write("src/cart.rs", TEXTS[1]);
    let touched = disk.refresh(&mut ingest);
    assert_eq!((touched.report.files_parsed, touched.report.files_reused), (0, 3));
    disk.write("src/cart.rs", TEXTS[2]);
    let edited = disk.refresh(&mut ingest);
    assert_eq!((edited.report.files_parsed, edited.report.files_reused), (1, 2));
    let graph = edited.graph.expect("a new generation");
    assert_eq!(graph.generation(), 2);
    let add = graph.find_node("Inner.add").expect("the new method");
    assert_eq!(graph.sources(add, EdgeKind::Calls).count(), 1, "the caller in the other file follows");
}

#[test]
fn a_refresh_without_a_change_tells_the_same_of_calls_that_lead_nowhere() {
    let mut disk = sample();
    disk.write("src/lib.rs", "mod cart;\npub fn run() { nowhere(); }\n");
    let mut ingest = Ingest::new("shop");
    let first = disk.refresh(&mut ingest).report;
    assert!(first.unresolved_references > 0, "{first:?}");
    let again = disk.refresh(&mut ingest);
    assert!(again.graph.is_none());
    assert_eq!(
        (again.report.unresolved_references, again.report.external_references),
        (first.unresolved_references, first.external_references)
    );
}

#[test]
fn an_edit_inside_a_function_resolves_one_file() {
    let mut disk = sample();
    let mut ingest = Ingest::new("shop");
    let first = disk.refresh(&mut ingest);
    assert_eq!(first.report.files_resolved, 3);
    let first = first.graph.expect("a first generation");
    let inside =
        "mod cart;\n\n/// Runs.\npub fn run() { helper(); helper() }\nfn helper() { cart::Cart::new(); }\n";
    disk.write("src/lib.rs", inside);
    let edited = disk.refresh_on(&mut ingest, Some(&first));
    assert_eq!((edited.report.files_parsed, edited.report.files_resolved), (1, 1));
    let second = edited.graph.expect("a new generation");
    let fresh = disk.refresh(&mut Ingest::new("shop"));
    assert_eq!(Some(&second), fresh.graph.as_ref());
    assert_eq!(edited.report.unresolved_references, fresh.report.unresolved_references);
    let run = second.find_node("run").expect("it is there");
    assert_eq!(second.node(run).doc(), "Runs.");
    assert_eq!(second.node(run).pagerank(), fresh.graph.as_ref().expect("a graph").node(run).pagerank());
    disk.write("src/lib.rs", &inside.replace("fn helper()", "fn helped()"));
    let renamed = disk.refresh_on(&mut ingest, Some(&second));
    assert_eq!(renamed.report.files_resolved, 1, "no other file mentions what is new or gone");
    assert_eq!(renamed.graph, disk.refresh(&mut Ingest::new("shop")).graph);
}

#[test]
fn weights_learned_survive_a_patch() {
    let mut disk = sample();
    let mut ingest = Ingest::new("shop");
    let first = disk.refresh(&mut ingest).graph.expect("a first generation");
    let call = |graph: &Graph| {
        let (run, helper) = (graph.find_node("run").expect("a"), graph.find_node("helper").expect("b"));
        graph.edge_between(run, EdgeKind::Calls, helper).expect("a call")
    };
    first.weights().set(call(&first).index(), m1nd_stdx::float::FiniteF32::new(3.5));
    disk.write("src/lib.rs", TEXTS[14]);
    let second = disk.refresh_on(&mut ingest, Some(&first)).graph.expect("a new generation");
    assert_eq!(second.edge(call(&second)).weight.get(), 3.5);
}

#[test]
fn a_change_within_the_same_instant_is_seen() {
    let mut disk = sample();
    let mut ingest = Ingest::new("shop");
    let read = |disk: &Disk, ingest: &mut Ingest| {
        let read = |path: &str| disk.bytes(path);
        let now = disk.now;
        ingest.refresh(&disk.listing(), read, &ManualClock::default(), now, &CancelToken::new()).unwrap()
    };
    read(&disk, &mut ingest);
    let time = disk.files["Cargo.toml"].1;
    disk.files.insert("Cargo.toml".to_owned(), ("[package]\nname = \"shoq\"\n".to_owned(), time));
    assert_eq!(read(&disk, &mut ingest).report.files_reused, 2);
}

#[test]
fn a_stopped_refresh_leaves_the_state_as_it_was() {
    let mut disk = sample();
    let mut ingest = Ingest::new("shop");
    disk.refresh(&mut ingest);
    disk.write("src/cart.rs", TEXTS[2]);
    let stopped = CancelToken::new();
    stopped.cancel();
    let read = |path: &str| disk.bytes(path);
    let result = ingest.refresh(&disk.listing(), read, &ManualClock::default(), disk.now, &stopped);
    assert_eq!(result.err(), Some(Stop::Cancelled));
    disk.write("src/cart.rs", TEXTS[1]);
    let after = disk.refresh(&mut ingest);
    assert_eq!((after.report.files_parsed, after.graph.is_none()), (0, true));
}

#[test]
fn a_new_process_goes_on_from_the_bytes_of_the_last() {
    let mut disk = sample();
    let mut ingest = Ingest::new("shop");
    disk.refresh(&mut ingest);
    let bytes = state::to_bytes(&ingest, "tag").into();
    let (restored, tag) = state::from_bytes(&bytes).expect("its own bytes");
    assert_eq!(tag, "tag");
    let again = disk.refresh(&mut restored.with_graph());
    assert_eq!((again.report.files_parsed, again.report.generation), (0, 1));
    assert!(again.graph.is_none(), "the graph is still true");
    disk.write("src/cart.rs", TEXTS[2]);
    let (mut restored, _) = state::from_bytes(&bytes).expect("its own bytes");
    let edited = disk.refresh(&mut restored);
    assert_eq!((edited.report.files_parsed, edited.report.files_reused), (1, 2));
    assert_eq!(edited.graph, disk.refresh(&mut Ingest::new("shop")).graph);
}

#[test]
fn facts_that_were_saved_are_read_where_they_lie() {
    let mut disk = sample();
    let mut ingest = Ingest::new("shop");
    let first = disk.refresh(&mut ingest).graph;
    assert!(state::is_scattered(&ingest));
    let bytes = state::to_bytes(&ingest, "").into();
    let mut ingest = state::settle(ingest, &bytes).expect("its own bytes");
    assert!(!state::is_scattered(&ingest));
    disk.write("src/cart.rs", TEXTS[2]);
    let edited = disk.refresh_on(&mut ingest, first.as_ref());
    assert_eq!((edited.report.files_parsed, edited.report.files_resolved), (1, 2));
    assert_eq!(edited.graph, disk.refresh(&mut Ingest::new("shop")).graph);
}

#[test]
fn damaged_bytes_are_no_state() {
    let mut ingest = Ingest::new("shop");
    sample().refresh(&mut ingest);
    let bytes = state::to_bytes(&ingest, "");
    for cut in 0..bytes.len() {
        assert!(state::from_bytes(&bytes[..cut].to_vec().into()).is_err(), "cut at {cut}");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        assert!(state::from_bytes(&damaged.into()).is_err(), "bit flipped at {at}");
    }
    assert_eq!(state::from_bytes(&Vec::new().into()).err(), Some(StateError::Foreign));
    let mut other = bytes;
    other[8] ^= 1;
    assert_eq!(state::from_bytes(&other.into()).err(), Some(StateError::OtherBuild));
}
