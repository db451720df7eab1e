//! A workspace's graph follows its files: while they are edited, across processes, and whatever ends them.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use m1nd_graph::Graph;
use m1nd_runtime::workspace::{BindingSource, InTime, Reuse, Watching, Workspace};
use m1nd_runtime::{BuildInfo, Settings};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::{Clock, SystemClock, UnixMs};
use m1nd_stdx::float::FiniteF32;
use tempfile::TempDir;

struct Machine {
    dir: TempDir,
}

impl Machine {
    /// A repository of a few Rust files that call each other.
    fn new() -> Self {
        let machine = Self { dir: tempfile::tempdir().unwrap() };
        machine.write("Cargo.toml", "[package]\nname = \"shop\"\n");
        machine.write("src/lib.rs", "pub mod cart;\npub mod till;\n");
        machine.write("src/cart.rs", "pub fn add() { crate::till::ring(); }\n");
        machine.write("src/till.rs", "pub fn ring() {}\n");
        machine
    }

    fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.repo().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Waits until every file is so old that its time proves something.
    fn age(&self) {
        std::thread::sleep(Duration::from_millis(1_100));
    }

    fn open(&self) -> Arc<Workspace> {
        self.open_at(&self.dir.path().join("home"))
    }

    fn open_at(&self, home: &Path) -> Arc<Workspace> {
        self.open_with(settings(home))
    }

    fn open_read_only(&self) -> Arc<Workspace> {
        self.open_with(Settings { read_only: true, ..settings(&self.dir.path().join("home")) })
    }

    fn open_with(&self, settings: Settings) -> Arc<Workspace> {
        Arc::new(Workspace::open(&self.repo(), BindingSource::Flag, &settings).unwrap())
    }

    /// The graph that somebody makes who never saw the workspace before.
    fn made_anew(&self) -> Arc<Graph> {
        let other = self.open_at(&self.dir.path().join("elsewhere"));
        other.ingest(Reuse::Nothing, &SystemClock::new(), &CancelToken::new()).unwrap();
        Arc::clone(other.view().graph().unwrap())
    }
}

fn settings(home: &Path) -> Settings {
    Settings {
        home: home.to_owned(),
        runtime_root: None,
        toolsets: BTreeSet::new(),
        read_only: false,
        verify_commands: Vec::new(),
        build: BuildInfo { version: "0", hash: "test" },
    }
}

fn fresh(workspace: &Workspace) -> Arc<Graph> {
    let view = workspace.fresh_view(&SystemClock::new(), &CancelToken::new()).unwrap();
    Arc::clone(view.graph().unwrap())
}

fn ingest(workspace: &Workspace) -> m1nd_ingest::Report {
    workspace.ingest(Reuse::Unchanged, &SystemClock::new(), &CancelToken::new()).unwrap()
}

#[test]
fn a_new_process_reads_and_resolves_only_what_was_edited_since() {
    let machine = Machine::new();
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    drop(first);
    machine.write("src/cart.rs", "pub fn add() { crate::till::ring(); crate::till::ring(); add() }\n");
    let second = machine.open();
    assert_eq!(*fresh(&second), *machine.made_anew());
    let report = second.view().report().unwrap().clone();
    assert_eq!((report.files_parsed, report.files_resolved, report.files_reused), (1, 1, 3));
}

#[test]
fn a_saved_graph_is_read_on_from_its_file_with_what_was_learned() {
    let machine = Machine::new();
    machine.age();
    let workspace = machine.open();
    ingest(&workspace);
    let before = workspace.view();
    let graph = Arc::clone(before.graph().unwrap());
    graph.weights().set(0, FiniteF32::new(2.5));
    workspace.save().unwrap();
    let after = workspace.view();
    assert!(!Arc::ptr_eq(after.graph().unwrap(), &graph), "another one, which is in the file");
    assert_eq!(**after.graph().unwrap(), *graph);
    assert_eq!(after.generation(), before.generation());
    assert!(after.report().is_some() && !workspace.is_unsaved());
    // An edit is patched into it like into any other.
    machine.write("src/cart.rs", "pub fn add() { crate::till::ring(); more() }\nfn more() {}\n");
    let edited = fresh(&workspace);
    let fresh_weights = machine.made_anew();
    assert_eq!(
        (edited.node_count(), edited.edge_count()),
        (fresh_weights.node_count(), fresh_weights.edge_count())
    );
    assert!(edited.edges().any(|edge| edge.weight.get() == 2.5), "what was learned survives");
    // The next save takes the place of the file that is read from.
    workspace.save().unwrap();
    assert_eq!(*fresh(&workspace), *edited);
}

#[test]
fn a_new_process_knows_that_nothing_changed() {
    let machine = Machine::new();
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    let second = machine.open();
    let report = ingest(&second);
    assert_eq!((report.files_parsed, report.generation), (0, 1));
    assert!(!second.is_unsaved());
}

#[test]
fn a_file_replaced_by_an_older_one_while_nobody_ran_is_seen() {
    let machine = Machine::new();
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    machine.write("src/till.rs", "\n\n\npub fn ring() {}\n");
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(90_000);
    let file = fs::File::options().write(true).open(machine.repo().join("src/till.rs")).unwrap();
    file.set_modified(long_ago).unwrap();
    let second = machine.open();
    let path = second.root().relative("src/till.rs").unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let InTime::Fresh(view) = second.view_of([&path].into_iter(), &clock, &CancelToken::new()).unwrap()
    else {
        panic!("nobody else reads");
    };
    let graph = view.graph().unwrap();
    assert_eq!(graph.node(graph.find_node("ring").unwrap()).lines(), (4, 4));
}

#[test]
fn an_edit_that_keeps_size_and_time_is_seen() {
    let machine = Machine::new();
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    let till = machine.repo().join("src/till.rs");
    let time = fs::metadata(&till).unwrap().modified().unwrap();
    machine.write("src/till.rs", "pub fn rang() {}\n");
    fs::File::options().write(true).open(&till).unwrap().set_modified(time).unwrap();
    let second = machine.open();
    assert!(fresh(&second).find_node("rang").is_ok());
}

#[test]
fn facts_that_cannot_be_read_cost_time_and_nothing_else() {
    let machine = Machine::new();
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    let facts = first.runtime_root().join("graph.facts");
    let whole = fs::read(&facts).unwrap();
    for damage in [&b""[..], b"nonsense", &whole[..whole.len() / 2]] {
        fs::write(&facts, damage).unwrap();
        machine.write("src/till.rs", &format!("pub fn ring() {{ let n = {}; }}\n", damage.len()));
        let next = machine.open();
        assert_eq!(*fresh(&next), *machine.made_anew());
    }
}

#[test]
fn a_graph_that_another_process_made_is_taken_over() {
    let machine = Machine::new();
    machine.age();
    let (one, other) = (machine.open(), machine.open());
    ingest(&one);
    one.save().unwrap();
    assert_eq!(other.view().generation(), 1);
    machine.write("src/till.rs", "pub fn ring() {}\npub fn open() { ring() }\n");
    machine.age();
    ingest(&one);
    one.save().unwrap();
    assert_eq!(*fresh(&other), *machine.made_anew());
    assert!(other.view().report().is_none(), "it was loaded, not made again");
    assert_eq!(other.view().generation(), 2);
}

#[test]
fn a_repository_that_changes_while_it_is_read_is_right_in_the_end() {
    let machine = Machine::new();
    let workspace = machine.open();
    let stop = Arc::new(AtomicBool::new(false));
    let writer = {
        let (stop, repo) = (Arc::clone(&stop), machine.repo());
        std::thread::spawn(move || {
            let mut round = 0;
            while !stop.load(Ordering::Relaxed) {
                round += 1;
                let text = format!("pub fn ring() {{}}\npub fn more{}() {{ ring() }}\n", round % 7);
                fs::write(repo.join("src/till.rs"), &text).unwrap();
                let extra = repo.join(format!("src/extra{}.rs", round % 3));
                match round % 2 {
                    0 => fs::write(&extra, text).unwrap(),
                    _ => drop(fs::remove_file(&extra)),
                }
            }
        })
    };
    for _ in 0..40 {
        ingest(&workspace);
        fresh(&workspace);
    }
    stop.store(true, Ordering::Relaxed);
    writer.join().unwrap();
    assert_eq!(*fresh(&workspace), *machine.made_anew());
}

/// The watch is used where the system has one; the answers are the same without.
fn kept(machine: &Machine) -> Arc<Workspace> {
    let workspace = machine.open();
    ingest(&workspace);
    workspace.keep(Arc::new(SystemClock::new()), true);
    let until = Instant::now() + Duration::from_secs(60);
    while matches!(workspace.watching(), Watching::NotYet) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    workspace
}

#[test]
fn a_workspace_that_was_moved_away_and_back_keeps_its_graph_and_is_followed_again() {
    let machine = Machine::new();
    let workspace = kept(&machine);
    let nodes = fresh(&workspace).node_count();
    let away = machine.dir.path().join("away");
    for pause in [50, 400] {
        fs::rename(machine.repo(), &away).unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        assert_eq!(workspace.view().graph().unwrap().node_count(), nodes, "after {pause} ms");
        assert_eq!(fresh(&workspace).node_count(), nodes, "after {pause} ms");
        fs::rename(&away, machine.repo()).unwrap();
        assert_eq!(fresh(&workspace).node_count(), nodes);
    }
    for round in 0..3 {
        machine.write(&format!("src/late{round}.rs"), "pub fn late() {}\n");
        assert_eq!(*fresh(&workspace), *machine.made_anew(), "file {round}");
    }
}

#[test]
fn each_question_sees_the_edit_right_before_it() {
    let machine = Machine::new();
    let workspace = kept(&machine);
    for round in 0..30 {
        match round % 6 {
            0 => machine.write("src/till.rs", &format!("pub fn ring() {{ let n = {round}; }}\n")),
            1 => {
                machine.write("src/till.rs", &format!("pub fn ring() {{}}\npub fn n{round}() {{ ring() }}\n"))
            }
            2 => machine.write(&format!("src/deep{round}/er/mod.rs"), "pub fn deep() {}\n"),
            3 => machine.write(&format!("src/deep{}/er/more.rs", round - 1), "pub fn more() {}\n"),
            4 => fs::rename(
                machine.repo().join(format!("src/deep{}", round - 2)),
                machine.repo().join(format!("src/moved{round}")),
            )
            .unwrap(),
            _ => fs::remove_dir_all(machine.repo().join(format!("src/moved{}", round - 1))).unwrap(),
        }
        assert_eq!(*fresh(&workspace), *machine.made_anew(), "round {round}");
    }
    machine.write(".gitignore", "src/cart.rs\n");
    assert_eq!(*fresh(&workspace), *machine.made_anew());
    fs::remove_file(machine.repo().join(".gitignore")).unwrap();
    assert_eq!(*fresh(&workspace), *machine.made_anew());
}

#[test]
fn a_kept_graph_is_read_ahead() {
    let machine = Machine::new();
    let workspace = kept(&machine);
    if !matches!(workspace.watching(), Watching::On(_)) {
        eprintln!("skipped: {:?}", workspace.watching());
        return;
    }
    machine.write("src/till.rs", "pub fn ring() {}\npub fn ahead() { ring() }\n");
    let until = Instant::now() + Duration::from_secs(60);
    let known = |workspace: &Workspace| workspace.view().graph().unwrap().find_node("ahead").is_ok();
    while !known(&workspace) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(known(&workspace));
}

#[test]
fn a_file_that_ended_the_process_often_is_named_and_left_out_until_everything_is_read_anew() {
    let machine = Machine::new();
    machine.age();
    let workspace = machine.open();
    let folder = workspace.ensure_runtime_root().unwrap().to_owned();
    let mut slot = b"src/cart.rs".to_vec();
    slot.resize(4_096, 0);
    let die = |times: u32| {
        for process in 0..times {
            fs::write(folder.join(format!("graph.reading-99999{process}")), &slot).unwrap();
        }
    };
    die(5);
    let report = workspace.ingest(Reuse::Unchanged, &SystemClock::new(), &CancelToken::new()).unwrap();
    assert_eq!(report.failures, [("src/cart.rs".to_owned(), "quarantined")]);
    let graph = workspace.view().graph().cloned().unwrap();
    assert!(graph.find_node("ring").is_ok() && graph.find_node("add").is_err());
    let again = workspace.ingest(Reuse::Nothing, &SystemClock::new(), &CancelToken::new()).unwrap();
    assert!(again.failures.is_empty(), "whoever reads everything anew tries again");
    die(4);
    machine.write("src/cart.rs", "pub fn add() {}\npub fn more() {}\n");
    let asked = workspace.ingest(Reuse::Unchanged, &SystemClock::new(), &CancelToken::new()).unwrap();
    assert!(asked.failures.is_empty(), "whoever asks for an ingest may try more often");
    assert!(workspace.view().graph().unwrap().find_node("more").is_ok());
}

#[test]
fn a_process_that_looked_before_there_was_a_graph_sees_the_one_another_makes() {
    let machine = Machine::new();
    let (early, maker) = (machine.open(), machine.open());
    let look = |workspace: &Workspace| {
        workspace.fresh_view(&SystemClock::new(), &CancelToken::new()).unwrap().graph().is_some()
    };
    assert!(!look(&early));
    ingest(&maker);
    maker.save().unwrap();
    assert!(look(&early));
    assert_eq!(*fresh(&early), *machine.made_anew());
}

#[test]
fn a_damaged_snapshot_gives_way_to_the_one_before_and_is_told() {
    let machine = Machine::new();
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    machine.write("src/till.rs", "pub fn ring() {}\npub fn open() {}\n");
    ingest(&first);
    first.save().unwrap();
    let snapshot = first.runtime_root().join("graph.snapshot");
    fs::write(&snapshot, &fs::read(&snapshot).unwrap()[..1_000]).unwrap();
    machine.age();
    let second = machine.open();
    assert!(second.view().graph().unwrap().find_node("add").is_ok(), "the one before is there at once");
    assert!(second.problem().unwrap().contains("set aside"));
    assert_eq!(*fresh(&second), *machine.made_anew(), "and the files are read before an answer");
    assert_eq!(second.graphs_set_aside().len(), 1);
    // Whoever made it again saved it: the next process need not.
    let third = machine.open();
    assert!(third.view().graph().unwrap().find_node("open").is_ok());
    assert!(third.problem().is_none(), "{:?}", third.problem());
    assert_eq!(*fresh(&third), *machine.made_anew());
    assert!(third.view().report().is_none(), "nothing was read again");
    assert_eq!(third.graphs_set_aside(), second.graphs_set_aside(), "it is still told");
}

#[test]
fn who_may_not_write_makes_a_lost_graph_again_and_does_not_save_it() {
    let machine = Machine::new();
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    let snapshot = first.runtime_root().join("graph.snapshot");
    fs::write(&snapshot, "junk").unwrap();
    let looker = machine.open_read_only();
    assert_eq!(*fresh(&looker), *machine.made_anew());
    assert!(!snapshot.exists());
}

#[test]
fn files_saved_too_young_are_proved_once_and_not_by_every_process() {
    let machine = Machine::new();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    machine.age();
    let second = machine.open();
    fresh(&second);
    assert!(second.view().report().is_some(), "it had to look");
    let third = machine.open();
    fresh(&third);
    assert!(third.view().report().is_none(), "the next one need not");
}

#[test]
fn a_folder_in_place_of_a_file_of_the_graph_is_set_aside_and_said() {
    let machine = Machine::new();
    let workspace = machine.open();
    ingest(&workspace);
    workspace.save().unwrap();
    for name in ["graph.facts", "graph.stamp", "graph.snapshot"] {
        let path = workspace.runtime_root().join(name);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "kept").unwrap();
    }
    workspace.save().unwrap();
    assert!(machine.open().view().graph().unwrap().find_node("ring").is_ok());
    let kept = fs::read_dir(workspace.runtime_root()).unwrap().flatten();
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("graph.corrupt-"));
    assert_eq!(kept.filter(|entry| entry.path().join("inside").is_file()).count(), 3);
}

#[test]
fn when_every_snapshot_is_damaged_the_graph_is_made_again() {
    let machine = Machine::new();
    let workspace = machine.open();
    ingest(&workspace);
    workspace.save().unwrap();
    for entry in fs::read_dir(workspace.runtime_root()).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("graph.snapshot") {
            fs::write(entry.path(), "junk").unwrap();
        }
    }
    drop(workspace);
    assert_eq!(*fresh(&machine.open()), *machine.made_anew());
}

/// Writes a file of the repository through another name, outside of it.
fn write_aside(machine: &Machine, path: &str, text: &str) {
    let other = machine.dir.path().join("other-name");
    if !other.exists() {
        fs::hard_link(machine.repo().join(path), &other).unwrap();
    }
    fs::write(&other, text).unwrap();
}

#[test]
fn what_is_written_through_another_name_is_seen_soon() {
    let machine = Machine::new();
    machine.age();
    let workspace = kept(&machine);
    // The link itself is heard of: it changes the file's entry.
    write_aside(&machine, "src/till.rs", "pub fn ring() {}\n");
    machine.age();
    fresh(&workspace);
    write_aside(&machine, "src/till.rs", "pub fn ring() {}\npub fn aside() {}\n");
    let until = Instant::now() + Duration::from_secs(60);
    while fresh(&workspace).find_node("aside").is_err() {
        assert!(Instant::now() < until, "it stays unseen");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_difference_that_only_contents_tell_is_found_and_read() {
    let machine = Machine::new();
    machine.age();
    let (clock, cancel) = (SystemClock::new(), CancelToken::new());
    let first = machine.open();
    let alike =
        first.ingest(Reuse::Nothing, &Ahead, &cancel).map(|_| first.differences(&first.view(), &cancel));
    let alike = alike.unwrap().unwrap();
    assert_eq!((alike.changed.len(), alike.compared), (0, 4));
    first.save().unwrap();
    machine.write("src/till.rs", "pub fn rang() {}\n");
    // A snapshot only tells when it was made, which is later than the edit by the clock that was wrong.
    let second = machine.open();
    let found = second.differences(&second.view(), &cancel).unwrap();
    assert_eq!(found.changed, ["src/till.rs"]);
    second.reread(&found.changed, &clock, &cancel).unwrap();
    assert_eq!(*second.view().graph().unwrap().as_ref(), *machine.made_anew());
}

/// A clock that is a day ahead.
struct Ahead;

impl Clock for Ahead {
    fn now(&self) -> UnixMs {
        UnixMs(SystemClock::new().now().0 + 86_400_000)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn what_an_ended_process_left_half_written_is_removed() {
    let machine = Machine::new();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    let folder = first.runtime_root().to_owned();
    fs::write(folder.join("graph.snapshot.tmp-99999999"), "half").unwrap();
    fs::write(folder.join(".m1nd-young"), "being written").unwrap();
    let second = machine.open();
    assert!(second.view().graph().is_some());
    assert!(!folder.join("graph.snapshot.tmp-99999999").exists());
    assert!(folder.join(".m1nd-young").exists(), "somebody may be writing it");
}

#[test]
fn a_graph_that_could_not_be_saved_is_told_until_it_is() {
    let machine = Machine::new();
    let workspace = machine.open();
    ingest(&workspace);
    workspace.save().unwrap();
    assert_eq!(workspace.unsaved_because(), None);
    let lock = workspace.runtime_root().join("graph.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    assert!(workspace.save().is_err());
    assert!(workspace.unsaved_because().unwrap().contains("could not be saved"));
    fs::remove_dir(&lock).unwrap();
    workspace.save().unwrap();
    assert_eq!(workspace.unsaved_because(), None);
}

#[test]
fn a_question_that_cannot_wait_is_answered_from_the_last_good_graph_and_says_so() {
    let machine = Machine::new();
    machine.age();
    let workspace = machine.open();
    ingest(&workspace);
    let before = Arc::clone(workspace.view().graph().unwrap());
    workspace.answer_in_time(Some(std::time::Duration::ZERO));
    machine.write("src/cart.rs", "pub fn add() {}\npub fn remove() {}\n");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let asked = workspace.view_in_time(&clock, &CancelToken::new()).unwrap();
    let InTime::Behind(view, changed) = asked else { panic!("{asked:?}") };
    assert_eq!((view.generation(), changed), (before.generation(), 1));
    // The rest is read by somebody else, who ends.
    while workspace.is_behind() {
        std::thread::yield_now();
    }
    assert_eq!(**workspace.view().graph().unwrap(), *machine.made_anew());
}

#[test]
fn a_question_that_cannot_wait_says_how_many_files_it_does_not_show() {
    let machine = Machine::new();
    for at in 0..20 {
        machine.write(&format!("src/m{at}.rs"), "pub fn one() {}\n");
    }
    machine.age();
    let first = machine.open();
    ingest(&first);
    first.save().unwrap();
    // Of a graph that was read from the disk nothing but its time is known.
    for workspace in [first, machine.open()] {
        workspace.view();
        machine.age();
        for at in 0..3 {
            machine.write(&format!("src/m{at}.rs"), "pub fn one() {}\npub fn two() {}\n");
            machine.write(&format!("src/new{at}.rs"), "pub fn three() {}\n");
        }
        for at in 3..8 {
            fs::remove_file(machine.repo().join(format!("src/m{at}.rs"))).unwrap();
        }
        workspace.answer_in_time(Some(Duration::ZERO));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let asked = workspace.view_in_time(&clock, &CancelToken::new()).unwrap();
        let InTime::Behind(_, changed) = asked else { panic!("{asked:?}") };
        assert_eq!(changed, 11);
        while workspace.is_behind() {
            std::thread::yield_now();
        }
        for at in 0..8 {
            machine.write(&format!("src/m{at}.rs"), "pub fn one() {}\n");
        }
        for at in 0..3 {
            fs::remove_file(machine.repo().join(format!("src/new{at}.rs"))).unwrap();
        }
        machine.age();
        fresh(&workspace);
        workspace.save().unwrap();
    }
}
