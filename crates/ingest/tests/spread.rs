//! An edit that other files can tell is followed to them: patching it in gives what a fresh ingest gives.

use std::collections::BTreeMap;

use m1nd_graph::Graph;
use m1nd_ingest::{Ingest, Listed, Report};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::ManualClock;
use proptest::prelude::*;

mod said_by_files;
use said_by_files::FILES;

#[derive(Clone, Debug)]
struct Disk {
    files: BTreeMap<&'static str, (&'static str, i128)>,
    now: i128,
}

impl Disk {
    fn first() -> Self {
        let files = FILES.iter().map(|(path, texts)| (*path, (texts[0], 1)));
        Self { files: files.collect(), now: 1 }
    }

    fn write(&mut self, file: usize, text: usize) {
        let (path, texts) = FILES[file];
        self.write_at(path, texts[text % texts.len()]);
    }

    fn write_at(&mut self, path: &'static str, text: &'static str) {
        self.now += 5_000_000_000;
        self.files.insert(path, (text, self.now));
    }

    fn apply(&mut self, edit: Edit) {
        match edit {
            Edit::Write(file, text) => self.write(file, text),
            Edit::Remove(file) => drop(self.files.remove(FILES[file].0)),
            // What a file says may stand in any other of the same language.
            Edit::Move(from, to) => {
                let ending = |at: usize| FILES[at].0.rsplit('.').next();
                if ending(from) == ending(to)
                    && let Some((text, _)) = self.files.remove(FILES[from].0)
                {
                    self.write_at(FILES[to].0, text);
                }
            }
        }
    }

    fn refresh(&self, ingest: &mut Ingest, last: Option<&Graph>) -> (Option<Graph>, Report) {
        let list = self.files.iter().map(|(path, (text, time))| Listed {
            path: (*path).to_owned(),
            size: text.len() as u64,
            modified_ns: *time,
        });
        let list: Vec<Listed> = list.collect();
        let read = |path: &str| Ok(self.files[path].0.as_bytes().to_vec());
        let (clock, cancel) = (ManualClock::default(), CancelToken::new());
        let later = self.now + 10_000_000_000;
        let done = ingest.refresh_on(last, &list, read, &clock, later, &cancel).expect("nobody stops it");
        (done.graph, done.report)
    }
}

fn relations(graph: &Graph) -> Vec<String> {
    let edges = graph.edges().map(|edge| {
        let (source, target) = (graph.node(edge.source).id(), graph.node(edge.target).id());
        format!("{source} {:?} {target} {:?} {:?}", edge.kind, edge.evidence, edge.lines)
    });
    edges.collect()
}

#[derive(Clone, Copy, Debug)]
enum Edit {
    Write(usize, usize),
    Remove(usize),
    Move(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let file = || 0..FILES.len();
    prop_oneof![
        6 => (file(), 0..5_usize).prop_map(|(file, text)| Edit::Write(file, text)),
        1 => file().prop_map(Edit::Remove),
        1 => (file(), file()).prop_map(|(from, to)| Edit::Move(from, to)),
    ]
}

/// `SPREAD_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("SPREAD_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]
    #[test]
    fn whoever_can_tell_an_edit_is_resolved_again(
        edits in prop::collection::vec((edit(), any::<bool>()), 1..24),
    ) {
        let mut disk = Disk::first();
        let mut kept = Ingest::new("shop");
        let mut last = disk.refresh(&mut kept, None).0.expect("a first generation");
        for (edit, look) in edits {
            disk.apply(edit);
            if !look {
                continue;
            }
            let (Some(next), report) = disk.refresh(&mut kept, Some(&last)) else { continue };
            last = next;
            let (fresh, whole) = disk.refresh(&mut Ingest::new("shop"), None);
            let fresh = fresh.expect("a graph");
            prop_assert_eq!(relations(&last), relations(&fresh));
            prop_assert!(last == fresh);
            prop_assert_eq!(report.unresolved_references, whole.unresolved_references);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]
    #[test]
    fn batches_of_writes_removals_and_moves_give_what_a_fresh_ingest_gives(
        batches in prop::collection::vec(prop::collection::vec(edit(), 5..40), 1..6),
    ) {
        let mut disk = Disk::first();
        let mut kept = Ingest::new("shop");
        let mut last = disk.refresh(&mut kept, None).0.expect("a first generation");
        for batch in batches {
            batch.into_iter().for_each(|edit| disk.apply(edit));
            let (Some(next), _) = disk.refresh(&mut kept, Some(&last)) else { continue };
            last = next;
            let fresh = disk.refresh(&mut Ingest::new("shop"), None).0.expect("a graph");
            prop_assert_eq!(relations(&last), relations(&fresh));
            prop_assert!(last == fresh);
        }
    }
}

/// Classes that have a method of one name, in files of their own, and a call of which nothing but that name is known.
fn classes(with: usize) -> Disk {
    const PATHS: [&str; 40] = [
        "c00.py", "c01.py", "c02.py", "c03.py", "c04.py", "c05.py", "c06.py", "c07.py", "c08.py", "c09.py",
        "c10.py", "c11.py", "c12.py", "c13.py", "c14.py", "c15.py", "c16.py", "c17.py", "c18.py", "c19.py",
        "c20.py", "c21.py", "c22.py", "c23.py", "c24.py", "c25.py", "c26.py", "c27.py", "c28.py", "c29.py",
        "c30.py", "c31.py", "c32.py", "c33.py", "c34.py", "c35.py", "c36.py", "c37.py", "c38.py", "c39.py",
    ];
    let mut disk = Disk { files: BTreeMap::new(), now: 1 };
    for (at, path) in PATHS.into_iter().enumerate() {
        let has = if at < with { "class C:\n    def proceed(self): ...\n" } else { "class C:\n    pass\n" };
        disk.write_at(path, has);
    }
    disk.write_at("user.py", "def use(x):\n    x.proceed()\n");
    disk.write_at("other.py", "def other(x):\n    x.stay()\n");
    disk
}

#[test]
fn a_batch_that_gives_many_classes_a_method_takes_guesses_away_and_back() {
    let mut kept = Ingest::new("guess");
    let few = classes(4);
    let first = few.refresh(&mut kept, None).0.expect("a first generation");
    let guesses =
        |graph: &Graph| relations(graph).iter().filter(|line| line.contains("user.py::use Calls")).count();
    assert_eq!(guesses(&first), 4);
    let mut many = classes(40);
    many.now += few.now;
    many.files.values_mut().for_each(|(_, time)| *time += few.now);
    let (next, report) = many.refresh(&mut kept, Some(&first));
    let next = next.expect("another generation");
    assert_eq!((guesses(&next), report.files_resolved), (0, 41), "all who have it, and who calls it");
    assert_eq!(next, many.refresh(&mut Ingest::new("guess"), None).0.expect("a graph"));
    let mut back = classes(4);
    back.now += many.now;
    back.files.values_mut().for_each(|(_, time)| *time += many.now);
    let last = back.refresh(&mut kept, Some(&next)).0.expect("another generation");
    assert_eq!(guesses(&last), 4);
}

#[test]
fn a_module_that_is_said_to_be_in_another_file_is_found_there() {
    let mut disk = Disk { files: BTreeMap::new(), now: 1 };
    disk.write_at("Cargo.toml", "[package]\nname = \"sys\"\n");
    disk.write_at("src/lib.rs", "#[path = \"unix.rs\"]\npub mod sys;\npub mod user;\n");
    disk.write_at("src/unix.rs", "pub fn open() {}\n");
    disk.write_at("src/windows.rs", "pub fn open() {}\n");
    disk.write_at("src/user.rs", "pub fn go() {\n    crate::sys::open();\n}\n");
    let mut kept = Ingest::new("sys");
    let first = disk.refresh(&mut kept, None).0.expect("a first generation");
    let calls = |graph: &Graph| -> Vec<String> {
        relations(graph).into_iter().filter(|line| line.contains("go Calls")).collect()
    };
    assert!(calls(&first)[0].contains("src/unix.rs::open"), "{:?}", calls(&first));
    disk.write_at("src/lib.rs", "#[path = \"windows.rs\"]\npub mod sys;\npub mod user;\n");
    let next = disk.refresh(&mut kept, Some(&first)).0.expect("another generation");
    assert!(calls(&next)[0].contains("src/windows.rs::open"), "{:?}", calls(&next));
    assert_eq!(next, disk.refresh(&mut Ingest::new("sys"), None).0.expect("a graph"));
}

fn position(path: &str) -> usize {
    FILES.iter().position(|(known, _)| *known == path).expect("a file")
}

#[test]
fn what_a_module_passes_on_as_a_whole_is_followed_through_it() {
    // It takes the members of another over, or is the other one.
    for old in [2, 3] {
        let mut disk = Disk::first();
        for (path, text) in [("web/helper.js", 2), ("web/old.js", old), ("web/user.js", 2)] {
            disk.write(position(path), text);
        }
        let mut kept = Ingest::new("shop");
        let first = disk.refresh(&mut kept, None).0.expect("a first generation");
        disk.write(position("web/helper.js"), 3);
        let (next, _) = disk.refresh(&mut kept, Some(&first));
        assert_eq!(next, disk.refresh(&mut Ingest::new("shop"), None).0);
    }
}

#[test]
fn an_edit_reaches_its_users_and_not_the_others() {
    let resolved = |path: &str, text: usize| {
        let mut disk = Disk::first();
        let mut kept = Ingest::new("shop");
        let first = disk.refresh(&mut kept, None).0.expect("a first generation");
        disk.write(position(path), text);
        let (next, report) = disk.refresh(&mut kept, Some(&first));
        assert_eq!(next, disk.refresh(&mut Ingest::new("shop"), None).0);
        report.files_resolved
    };
    // What a Go file offers concerns no Rust, Python or TypeScript.
    assert_eq!(resolved("pkg/cart.go", 1), 8);
    assert!(resolved("shop/base.py", 1) <= 14);
    assert!((2..FILES.len() as u64).contains(&resolved("web/store.ts", 2)));
}

#[test]
fn a_member_more_in_an_object_is_nothing_to_who_reads_another_member() {
    let text = |open: &str, more: &str| {
        format!(
            "class Day {{ end() {{}} }}\nclass Night {{ end() {{}} }}\nconst Clock = {{\n  open: function () {{ return new {open}() }},\n{more}}};\nexport function stamp() {{ return Clock.open() }}\n"
        )
    };
    let texts: [&'static str; 3] = [
        text("Day", "").leak(),
        text("Day", "  close: function () { return 1 },\n").leak(),
        text("Night", "  close: function () { return 1 },\n").leak(),
    ];
    let mut disk = Disk { files: BTreeMap::new(), now: 1 };
    disk.write_at("clock.js", texts[0]);
    disk.write_at("user.js", "import { stamp } from './clock'\nexport function use() { stamp().end() }\n");
    let mut kept = Ingest::new("clock");
    let mut last = disk.refresh(&mut kept, None).0.expect("a first generation");
    let mut resolved = Vec::new();
    for text in &texts[1..] {
        disk.write_at("clock.js", text);
        let (next, report) = disk.refresh(&mut kept, Some(&last));
        last = next.expect("another generation");
        assert_eq!(last, disk.refresh(&mut Ingest::new("clock"), None).0.expect("a graph"));
        resolved.push(report.files_resolved);
    }
    assert_eq!(resolved, [1, 2], "who reads the other member is left alone, who reads this one is not");
    let ends = |line: &String| line.contains("user.js::use Calls method::clock.js::Night.end");
    assert!(relations(&last).iter().any(ends));
}
