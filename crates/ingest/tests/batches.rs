//! Batches as agents make them, in a repository with a history: patching one in gives what a fresh ingest gives, and
//! costs the files that can tell it.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph, NodeKind};
use m1nd_ingest::history::{Commit, History, Limits};
use m1nd_ingest::{Ingest, Listed, Report, Said};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::{ManualClock, UnixMs};

type Files = BTreeMap<String, (String, i128)>;

/// Parts of each language, each of which uses the one before it.
const PARTS: usize = 12;
const LANGUAGES: [&str; 4] = ["py", "ts", "rs", "go"];

fn path(language: &str, part: usize) -> String {
    match language {
        "py" => format!("shop/part{part:02}.py"),
        "ts" => format!("web/part{part:02}.ts"),
        "rs" => format!("src/part{part:02}.rs"),
        _ => format!("go/part{part:02}.go"),
    }
}

fn text(language: &str, part: usize) -> String {
    let before = part.saturating_sub(1);
    match language {
        "py" => format!(
            "from .part{before:02} import make{before}, Part{before}\n\nclass Part{part}:\n    def weigh{part}(self):\n        return make{before}()\n\ndef make{part}():\n    return Part{part}()\n\ndef use{part}():\n    make{before}().weigh{before}()\n    return Part{before}()\n"
        ),
        "ts" => format!(
            "import {{ make{before}, Part{before} }} from './part{before:02}'\nexport class Part{part} {{ weigh{part}() {{ return new Part{before}() }} }}\nexport function make{part}() {{\n  return new Part{part}()\n}}\nexport function use{part}() {{\n  make{before}().weigh{before}()\n}}\n"
        ),
        "rs" => format!(
            "use crate::part{before:02}::make{before};\npub struct Part{part};\nimpl Part{part} {{ pub fn weigh{part}(&self) {{}} }}\npub fn make{part}() -> Part{part} {{\n    Part{part}\n}}\npub fn use{part}() {{\n    make{before}().weigh{before}();\n}}\n"
        ),
        _ => format!(
            "package shop\n\ntype Part{part} struct{{}}\n\nfunc (p Part{part}) Weigh{part}() {{}}\n\nfunc Make{part}() Part{part} {{\n\treturn Part{part}{{}}\n}}\n\nfunc Use{part}() {{\n\tMake{before}().Weigh{before}()\n}}\n"
        ),
    }
}

/// One more function, which uses what stands there.
fn added(language: &str, part: usize) -> String {
    match language {
        "py" => format!("\ndef more{part}():\n    return make{part}().weigh{part}()\n"),
        "ts" => format!("export function more{part}() {{ make{part}().weigh{part}() }}\n"),
        "rs" => format!("pub fn more{part}() {{ make{part}().weigh{part}(); }}\n"),
        _ => format!("\nfunc More{part}() {{ Make{part}().Weigh{part}() }}\n"),
    }
}

struct Repository {
    files: Files,
    now: i128,
    history: History,
}

impl Repository {
    fn new() -> Self {
        let mut files = Files::new();
        let modules: String = (0..PARTS).map(|part| format!("pub mod part{part:02};\n")).collect();
        for (path, text) in [
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", modules.as_str()),
            ("shop/__init__.py", ""),
            ("go.mod", "module example.com/shop\n"),
            ("package.json", "{\"name\": \"shop\"}\n"),
        ] {
            files.insert(path.to_owned(), (text.to_owned(), 1));
        }
        for language in LANGUAGES {
            files.extend((0..PARTS).map(|part| (path(language, part), (text(language, part), 1))));
        }
        let commit = |at: usize| Commit {
            time: UnixMs(1_000 * (at as i64 + 1)),
            author: format!("author {}", at % 3),
            subject: if at.is_multiple_of(2) { "fix it".into() } else { "do it".into() },
            files: LANGUAGES
                .iter()
                .flat_map(|one| [path(one, at % PARTS), path(one, at / 2 % PARTS)])
                .collect(),
        };
        let history = History::of((0..60).map(commit), Limits::default());
        Self { files, now: 1, history }
    }

    fn ingest(&self) -> Ingest {
        let mut ingest = Ingest::new("shop");
        ingest.set_history(self.history.clone());
        ingest
    }

    fn write(&mut self, path: &str, text: String) {
        self.now += 5_000_000_000;
        self.files.insert(path.to_owned(), (text, self.now));
    }

    fn edit(&mut self, path: &str, old: &str, new: &str) {
        let text = self.files[path].0.clone();
        assert!(text.contains(old), "{path} has {old}");
        self.write(path, text.replace(old, new));
    }

    fn refresh(&self, ingest: &mut Ingest, last: Option<&Graph>) -> (Graph, Report) {
        let listed = |(path, (text, time)): (&String, &(String, i128))| Listed {
            path: path.clone(),
            size: text.len() as u64,
            modified_ns: *time,
        };
        let list: Vec<Listed> = self.files.iter().map(listed).collect();
        let read = |path: &str| Ok(self.files[path].0.as_bytes().to_vec());
        let (clock, cancel) = (ManualClock::default(), CancelToken::new());
        let later = self.now + 10_000_000_000;
        let done = ingest.refresh_on(last, &list, read, &clock, later, &cancel).expect("nobody stops it");
        (done.graph.expect("another generation"), done.report)
    }
}

fn told(graph: &Graph) -> Vec<String> {
    let edges = graph.edges().map(|edge| {
        let (source, target) = (graph.node(edge.source).id(), graph.node(edge.target).id());
        format!(
            "{source} {:?} {target} {:?} {:?} {:?}",
            edge.kind, edge.evidence, edge.lines, edge.base_weight
        )
    });
    let nodes = graph.nodes().map(|node| format!("{:?}", node.to_spec()));
    nodes.chain(edges).collect()
}

/// A batch in a language, by the paths that it touches.
fn batch(repository: &mut Repository, language: &str, kind: usize) {
    let parts = 1..PARTS;
    match kind {
        // Functions come.
        0 => parts.for_each(|part| {
            let path = path(language, part);
            let text = repository.files[&path].0.clone() + &added(language, part);
            repository.write(&path, text);
        }),
        // A line more inside of functions.
        1 => parts.step_by(2).for_each(|part| {
            let (old, new) = match language {
                "go" => (format!("\tMake{}()", part - 1), format!("\tUse{part}()\n\tMake{}()", part - 1)),
                "py" => {
                    (format!("    make{}()", part - 1), format!("    use{part}()\n    make{}()", part - 1))
                }
                "ts" => (format!("  make{}()", part - 1), format!("  use{part}();\n  make{}()", part - 1)),
                _ => (format!("    make{}()", part - 1), format!("    use{part}();\n    make{}()", part - 1)),
            };
            repository.edit(&path(language, part), &old, &new);
        }),
        // Functions that others call go, or are called otherwise.
        2 => [3, 6, 7].into_iter().for_each(|part| {
            let (old, new) = match language {
                "go" => (format!("func Make{part}("), format!("func Made{part}(")),
                "py" => (format!("def make{part}("), format!("def made{part}(")),
                "ts" => (format!("function make{part}("), format!("function made{part}(")),
                _ => (format!("pub fn make{part}("), format!("pub fn made{part}(")),
            };
            repository.edit(&path(language, part), &old, &new);
        }),
        // Files come, go and move.
        _ => {
            let (gone, moved) = (path(language, 4), path(language, 8));
            repository.files.remove(&gone);
            let (text, _) = repository.files.remove(&moved).expect("a part");
            repository.write(&path(language, 20), text);
            repository.write(&path(language, 21), self::text(language, 21).replace("20", "02"));
            let text = repository.files[&path(language, 9)].0.clone() + &added(language, 9);
            repository.write(&path(language, 9), text);
        }
    }
}

#[test]
fn a_batch_and_its_undoing_give_what_a_fresh_ingest_gives() {
    for (kind, languages) in (0..4).flat_map(|kind| {
        let each = LANGUAGES.iter().map(move |one| (kind, vec![*one]));
        each.chain([(kind, LANGUAGES.to_vec())])
    }) {
        let mut repository = Repository::new();
        let mut kept = repository.ingest();
        let first = repository.refresh(&mut kept, None).0;
        let before = repository.files.clone();
        languages.iter().for_each(|language| batch(&mut repository, language, kind));
        let next = repository.refresh(&mut kept, Some(&first)).0;
        assert_eq!(
            told(&next),
            told(&repository.refresh(&mut repository.ingest(), None).0),
            "{kind} {languages:?}"
        );
        // Undone: every file is as it was, those that were gone among them.
        repository.files.retain(|path, _| before.contains_key(path));
        for (path, (text, _)) in &before {
            if repository.files.get(path).is_none_or(|(now, _)| now != text) {
                repository.write(path, text.clone());
            }
        }
        let back = repository.refresh(&mut kept, Some(&next)).0;
        assert_eq!(told(&back), told(&first), "{kind} {languages:?}");
    }
}

#[test]
fn a_file_that_comes_back_has_its_history_without_everything_being_resolved() {
    let mut repository = Repository::new();
    let mut kept = repository.ingest();
    let first = repository.refresh(&mut kept, None).0;
    let (path, total) = (path("py", 5), repository.files.len() as u64);
    let pairs = |graph: &Graph| graph.edges().filter(|edge| edge.kind == EdgeKind::CoChanges).count();
    assert!(pairs(&first) > 0 && repository.history.files.contains_key(&path));
    let (text, _) = repository.files.remove(&path).expect("a part");
    let (next, report) = repository.refresh(&mut kept, Some(&first));
    assert!(report.files_resolved < total / 2 && pairs(&next) < pairs(&first));
    repository.write(&path, text);
    let (back, report) = repository.refresh(&mut kept, Some(&next));
    assert!(report.files_resolved < total / 2, "{}", report.files_resolved);
    assert_eq!(told(&back), told(&first));
}

#[test]
fn a_result_that_is_given_twice_is_no_news_to_others() {
    let mut repository = Repository::new();
    let mut kept = repository.ingest();
    let first = repository.refresh(&mut kept, None).0;
    repository.edit(
        &path("py", 5),
        "    return Part5()\n",
        "    if limit:\n        return Part5()\n    return Part5()\n",
    );
    let (next, report) = repository.refresh(&mut kept, Some(&first));
    assert_eq!(report.files_resolved, 1);
    assert_eq!(told(&next), told(&repository.refresh(&mut repository.ingest(), None).0));
    // Another result is.
    repository.edit(
        &path("py", 5),
        "    if limit:\n        return Part5()\n",
        "    if limit:\n        return Part4()\n",
    );
    let (last, report) = repository.refresh(&mut kept, Some(&next));
    assert!(report.files_resolved > 1);
    assert_eq!(told(&last), told(&repository.refresh(&mut repository.ingest(), None).0));
}

#[test]
fn what_was_read_before_it_was_written_is_taken_only_for_the_same_bytes() {
    let mut repository = Repository::new();
    let mut kept = repository.ingest();
    let first = repository.refresh(&mut kept, None).0;
    let (one, other) = (path("py", 3), path("py", 6));
    let texts = [&one, &other].map(|path| repository.files[path].0.clone() + "\ndef more():\n    use3()\n");
    let said: Vec<Said> = [&one, &other]
        .iter()
        .zip(&texts)
        .filter_map(|(path, text)| Said::of(path, text.as_bytes()))
        .collect();
    assert_eq!(said.len(), 2);
    kept.expect(said);
    repository.write(&one, texts[0].clone());
    // Somebody else wrote this one meanwhile.
    repository.write(&other, texts[1].replace("more", "less"));
    let next = repository.refresh(&mut kept, Some(&first)).0;
    assert_eq!(told(&next), told(&repository.refresh(&mut repository.ingest(), None).0));
}

/// A repository with one more module of Python and one that uses it, and its first generation.
fn with_holder(text: &str, user: &str) -> (Repository, Ingest, Graph) {
    let mut repository = Repository::new();
    repository.write("shop/holder.py", text.to_owned());
    repository.write("shop/user.py", user.to_owned());
    let mut kept = repository.ingest();
    let first = repository.refresh(&mut kept, None).0;
    (repository, kept, first)
}

const HOLDER: &str = "from .part00 import make0\nfrom .part01 import make1\n\nclass Holder:\n    def __init__(self, name):\n        self.name = name\n        self.part = make0()\n\n    def again(self): ...\n";

#[test]
fn what_a_field_is_given_twice_is_no_news_to_others() {
    let user = "from .holder import Holder\n\ndef user():\n    Holder(1).part.weigh0()\n    Holder(1).part.weigh1()\n    Holder(1).name.weigh2()\n";
    let (mut repository, mut kept, first) = with_holder(HOLDER, user);
    // In another method, and in the same one.
    repository.edit(
        "shop/holder.py",
        "    def again(self): ...\n",
        "    def again(self, name):\n        self.name = name\n        self.part = make0()\n        self.part = make0()\n",
    );
    let (next, report) = repository.refresh(&mut kept, Some(&first));
    assert_eq!(report.files_resolved, 1);
    assert_eq!(told(&next), told(&repository.refresh(&mut repository.ingest(), None).0));
    // Something else is.
    repository.edit(
        "shop/holder.py",
        "        self.part = make0()\n        self.part = make0()\n",
        "        self.part = make1()\n",
    );
    let (last, report) = repository.refresh(&mut kept, Some(&next));
    assert!(report.files_resolved > 1, "{}", report.files_resolved);
    assert_eq!(told(&last), told(&repository.refresh(&mut repository.ingest(), None).0));
    // And so is what a method means by a name that it defines for itself.
    repository.edit(
        "shop/holder.py",
        "        self.part = make1()\n",
        "        def make0():\n            return make1()\n        self.part = make0()\n",
    );
    let (again, report) = repository.refresh(&mut kept, Some(&last));
    assert!(report.files_resolved > 1, "{}", report.files_resolved);
    assert_eq!(told(&again), told(&repository.refresh(&mut repository.ingest(), None).0));
}

#[test]
fn a_field_that_is_given_very_much_is_told_as_a_whole() {
    let user = "from .holder import Holder\n\ndef user():\n    Holder(1).part.weigh1()\n";
    let (mut repository, mut kept, mut last) = with_holder(HOLDER, user);
    let mut text = "    def again(self, name):\n".to_owned();
    for round in 0..30 {
        text += "        self.part = make0()\n";
        let whole =
            HOLDER.replace("    def again(self): ...\n", &format!("{text}        self.part = make1()\n"));
        if round % 7 == 2 || round > 20 {
            repository.write("shop/holder.py", whole);
            last = repository.refresh(&mut kept, Some(&last)).0;
            assert_eq!(told(&last), told(&repository.refresh(&mut repository.ingest(), None).0), "{round}");
        }
    }
}

#[test]
fn what_is_inside_a_new_function_is_found_through_it_alone() {
    let user =
        "from .holder import wrap\n\ndef user():\n    wrap()().weigh0()\n    wrap().own_part().weigh1()\n";
    let (mut repository, mut kept, first) = with_holder(HOLDER, user);
    repository.edit(
        &path("py", 9),
        "def use9",
        "def outer9():\n    def weigh0():\n        return 1\n    class Local9:\n        def own_part9(self): ...\n    return Local9()\n\ndef use9",
    );
    let (second, report) = repository.refresh(&mut kept, Some(&first));
    // Others say `weigh0` too, and cannot mean this one.
    assert_eq!(report.files_resolved, 1);
    assert_eq!(told(&second), told(&repository.refresh(&mut repository.ingest(), None).0));
    // What such a function is changes with what it holds, for those who come by it.
    let mut last = second;
    for (old, new) in [
        (
            "    def again(self): ...\n",
            "    def again(self): ...\n\ndef wrap():\n    def inner():\n        return 1\n    return inner\n",
        ),
        ("        return 1\n", "        return make0()\n"),
        (
            "    def inner():\n        return make0()\n    return inner\n",
            "    class Inner:\n        def own_part(self):\n            return 1\n    return Inner()\n",
        ),
        ("            return 1\n", "            return make1()\n"),
        ("def wrap():", "def wrapped():"),
    ] {
        repository.edit("shop/holder.py", old, new);
        last = repository.refresh(&mut kept, Some(&last)).0;
        assert_eq!(told(&last), told(&repository.refresh(&mut repository.ingest(), None).0), "{new}");
    }
}

#[test]
fn a_function_that_nobody_calls_is_resolved_alone() {
    let mut repository = Repository::new();
    let mut kept = repository.ingest();
    let first = repository.refresh(&mut kept, None).0;
    for language in ["py", "ts", "rs"] {
        let path = path(language, 5);
        let text = repository.files[&path].0.clone() + &added(language, 5);
        repository.write(&path, text);
    }
    let (next, report) = repository.refresh(&mut kept, Some(&first));
    assert_eq!(report.files_resolved, 3);
    assert_eq!(told(&next), told(&repository.refresh(&mut repository.ingest(), None).0));
}

#[test]
fn readers_of_a_constant_follow_it_wherever_it_goes() {
    let mut repository = Repository::new();
    let files = [
        (
            "src/limits.rs",
            "pub const LIMIT: u32 = 3;\npub struct Cart;\nimpl Cart { pub const SIZE: u32 = 1; }\n",
        ),
        (
            "src/reader.rs",
            "use crate::limits::{self, *};\npub fn a() -> u32 { LIMIT + limits::LIMIT + Cart::SIZE }\n",
        ),
        ("go/limits.go", "package shop\n\nconst Limit = 3\n\nvar shared = 4\n"),
        ("go/reader.go", "package shop\n\nfunc A() int { return Limit + shared }\n"),
        ("j/a/Limits.java", "package a;\npublic class Limits { public static final int LIMIT = 3; }\n"),
        (
            "j/b/Reader.java",
            "package b;\nimport a.Limits;\nclass Reader { int a() { return Limits.LIMIT + 1; } }\n",
        ),
        ("c/limits.h", "#define LIMIT 3\n"),
        ("c/reader.c", "#include \"limits.h\"\nint a(int x) { return x + LIMIT; }\n"),
        ("shop/limits.py", "LIMIT = 3\n"),
        ("shop/reader.py", "from shop import limits\ndef a():\n    return limits.LIMIT + 1\n"),
    ];
    for (path, text) in files {
        repository.write(path, text.to_owned());
    }
    repository.edit("src/lib.rs", "pub mod part00;", "pub mod limits;\npub mod reader;\npub mod part00;");
    let mut ingest = repository.ingest();
    let (mut graph, _) = repository.refresh(&mut ingest, None);
    let readers = |graph: &Graph| {
        let edges = graph.edges().filter(|edge| edge.kind == EdgeKind::References);
        let constants = edges.filter(|edge| graph.node(edge.target).kind() == NodeKind::Constant);
        constants.filter(|edge| graph.node(edge.source).path().contains("eader")).count()
    };
    assert_eq!(readers(&graph), 7, "{:#?}", told(&graph));
    let renamed = [
        ("src/limits.rs", "LIMIT", "MOST"),
        ("src/limits.rs", "SIZE", "SPACE"),
        ("go/limits.go", "Limit", "Most"),
        ("go/limits.go", "shared", "common"),
        ("j/a/Limits.java", "LIMIT", "MOST"),
        ("c/limits.h", "LIMIT", "MOST"),
        ("shop/limits.py", "LIMIT", "MOST"),
    ];
    for (path, was, is) in renamed {
        for (from, to) in [(was, is), (is, was)] {
            repository.edit(path, from, to);
            let before = readers(&graph);
            graph = repository.refresh(&mut ingest, Some(&graph)).0;
            let (fresh, _) = repository.refresh(&mut repository.ingest(), None);
            assert_eq!(told(&graph), told(&fresh), "{path}: {from} to {to}");
            assert_ne!(readers(&graph), before, "{path}: {from} to {to}");
        }
    }
}
