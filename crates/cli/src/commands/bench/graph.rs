//! `m1nd bench graph`: how fast and how true the graph of a repository is.
//!
//! Everything that writes works on a copy, so the repository that is measured stays as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use m1nd_graph::NodeKind;
use m1nd_ingest::history::{self, Limits};
use m1nd_ingest::languages;
use m1nd_ingest::{scan, scip};
use m1nd_runtime::workspace::{BindingSource, Reuse, Workspace};
use m1nd_runtime::{BuildInfo, Settings};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use m1nd_vfs::Root;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::generate;
use super::session::Session;
use crate::args::{BUILD_HASH, BenchGraph, VERSION};
use crate::output::Reader;

/// Runs of which the median counts, where a run is short.
const RUNS: usize = 7;
/// Runs of which the median counts, where a run reads everything.
const LONG_RUNS: usize = 5;

pub fn run(args: &BenchGraph) -> anyhow::Result<ExitCode> {
    let dir = tempfile::tempdir().context("a temporary folder")?;
    let copy = dir.path().join("repository");
    let cancel = CancelToken::new();
    let mut report = json!({});
    match args.generate {
        Some(lines) => generate::rust(&copy, lines)?,
        None => {
            let repo = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
            let root = Root::open(&repo).with_context(|| format!("{} cannot be opened", repo.display()))?;
            copy_files(&root, &copy, &cancel)?;
            let started = Instant::now();
            if let Ok(history) = history::read(&repo, Limits::default(), &cancel) {
                report["history_ms"] = json!(milliseconds(started.elapsed()));
                report["history_commits"] = json!(history.commits);
            }
        }
    }
    let root = Root::open(&copy)?;
    settle();
    let sources = sources(&root, &cancel)?;
    let settings = Settings {
        home: dir.path().join("home"),
        runtime_root: Some(dir.path().join("state")),
        toolsets: Default::default(),
        read_only: false,
        verify_commands: Vec::new(),
        build: BuildInfo { version: VERSION, hash: BUILD_HASH },
    };
    let memory = memory(&copy, &dir.path().join("measured"));
    let workspace = Workspace::open(&copy, BindingSource::Flag, &settings)?;
    let clock = SystemClock::new();
    // By turns, so that a slow moment of the machine meets both.
    let (mut parses, mut ingests) = (Vec::new(), Vec::new());
    let mut done = None;
    for _ in 0..LONG_RUNS {
        parses.push(parse_time(&sources));
        let started = Instant::now();
        done = Some(workspace.ingest(Reuse::Nothing, &clock, &cancel).map_err(|_| stopped())?);
        ingests.push(started.elapsed());
    }
    drop(sources);
    let done = done.context("at least one run")?;
    let (parse, ingest) = (super::median_ms(parses), super::median_ms(ingests));
    let lines = code_lines(&workspace).max(1);
    report["files"] = json!(done.files_seen);
    report["lines"] = json!(lines);
    report["nodes"] = json!(done.nodes);
    report["edges"] = json!(done.edges);
    report["ingest_ms"] = json!(ingest);
    report["phases_ms"] = json!(done.phases);
    report["parse_only_ms"] = json!(parse);
    report["ingest_per_parse"] = json!(ratio(ingest, parse));
    report["lines_per_second"] = json!((lines as f64 / ingest * 1_000.0).round());
    match memory {
        Ok(memory) => {
            report["peak_bytes_per_line"] = json!(memory.peak / lines);
            report["kept_bytes_per_line"] = json!(memory.kept / lines);
        }
        Err(err) => tracing::warn!(%err, "memory was not measured"),
    }
    workspace.save()?;
    refreshes(&workspace, &root, &copy, &mut report)?;
    settle();
    workspace.fresh_view(&clock, &cancel).map_err(|_| stopped())?;
    workspace.save()?;
    report["restart_to_answer_ms"] = json!(restart(&copy, &dir.path().join("state"))?);
    if let Some(index) = &args.scip {
        truth(&workspace, &root, index, args, &mut report)?;
    }
    match Reader::of(args.json) {
        Reader::Program => anstream::println!("{report}"),
        Reader::Person => crate::output::plain(&mut anstream::stdout().lock(), &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Lines of files in a language that is read: data and prose cost next to nothing.
fn code_lines(workspace: &Workspace) -> u64 {
    let view = workspace.view();
    let files = view.graph().into_iter().flat_map(|graph| graph.nodes());
    let code = files.filter(|node| node.kind() == NodeKind::File && !node.language().is_empty());
    code.map(|node| u64::from(node.lines().1)).sum()
}

/// Files written just now could change again unseen and are read again; older ones count as settled.
fn settle() {
    std::thread::sleep(Duration::from_millis(1_100));
}

/// Copies the files that an ingest would list, and nothing else.
fn copy_files(root: &Root, copy: &Path, cancel: &CancelToken) -> anyhow::Result<()> {
    let (listing, _) = scan::list(root, cancel).map_err(|_| stopped())?;
    fs::create_dir_all(copy)?;
    for file in listing {
        let target = copy.join(&file.path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(root.path().join(&file.path), target)
            .with_context(|| format!("{} cannot be copied", file.path))?;
    }
    Ok(())
}

/// The files that are parsed, with what they hold.
fn sources(root: &Root, cancel: &CancelToken) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let (listing, _) = scan::list(root, cancel).map_err(|_| stopped())?;
    let sources: Vec<(String, Vec<u8>)> = listing
        .into_iter()
        .filter(|listed| languages::of_path(&listed.path).is_some())
        .filter_map(|listed| Some((listed.path.clone(), scan::read(root, &listed.path).ok()?)))
        .collect();
    ensure!(!sources.is_empty(), "no file of the repository is in a language that is parsed");
    Ok(sources)
}

/// What the grammars alone need for the same files on the same threads.
fn parse_time(sources: &[(String, Vec<u8>)]) -> Duration {
    let started = Instant::now();
    sources.par_iter().for_each(|(path, bytes)| {
        languages::parse_only(path, bytes);
    });
    started.elapsed()
}

/// A look when nothing changed, and one after a file did.
fn refreshes(workspace: &Workspace, root: &Root, copy: &Path, report: &mut Value) -> anyhow::Result<()> {
    let (cancel, clock) = (CancelToken::new(), SystemClock::new());
    let (mut looks, mut walks) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let started = Instant::now();
        workspace.fresh_view(&clock, &cancel).map_err(|_| stopped())?;
        looks.push(started.elapsed());
        let started = Instant::now();
        scan::list(root, &cancel).map_err(|_| stopped())?;
        walks.push(started.elapsed());
    }
    let (look, walk) = (super::median_ms(looks), super::median_ms(walks));
    report["no_change_ms"] = json!(look);
    report["stat_walk_ms"] = json!(walk);
    report["no_change_per_walk"] = json!(ratio(look, walk));
    let (listing, _) = scan::list(root, &cancel).map_err(|_| stopped())?;
    let mut sources: Vec<_> =
        listing.into_iter().filter(|file| languages::of_path(&file.path).is_some()).collect();
    sources.sort_by_key(|file| file.size);
    let middle = copy.join(&sources[sources.len() / 2].path);
    let mut changes = Vec::new();
    for _ in 0..RUNS {
        let mut text = fs::read(&middle)?;
        text.push(b'\n');
        fs::write(&middle, text)?;
        let started = Instant::now();
        workspace.fresh_view(&clock, &cancel).map_err(|_| stopped())?;
        changes.push(started.elapsed());
    }
    report["one_file_change_ms"] = json!(super::median_ms(changes));
    let mut additions = Vec::new();
    for run in 0..LONG_RUNS {
        let Some(more) = new_function(&middle, run) else { return Ok(()) };
        let mut text = fs::read(&middle)?;
        text.extend_from_slice(more.as_bytes());
        fs::write(&middle, text)?;
        let started = Instant::now();
        workspace.fresh_view(&clock, &cancel).map_err(|_| stopped())?;
        additions.push(started.elapsed());
    }
    report["new_function_ms"] = json!(super::median_ms(additions));
    Ok(())
}

/// A definition that other files could mean, in the language of a file.
fn new_function(file: &Path, number: usize) -> Option<String> {
    Some(match file.extension()?.to_str()? {
        "rs" => format!("\npub fn bench_added_{number}() {{}}\n"),
        "py" => format!("\ndef bench_added_{number}():\n    pass\n"),
        "ts" | "tsx" | "js" => format!("\nexport function benchAdded{number}() {{}}\n"),
        "go" => format!("\nfunc benchAdded{number}() {{}}\n"),
        _ => return None,
    })
}

/// From the start of a process to the answer of a graph question.
fn restart(copy: &Path, state: &Path) -> anyhow::Result<f64> {
    let mut times = Vec::new();
    for _ in 0..LONG_RUNS {
        let started = Instant::now();
        let status = Command::new(std::env::current_exe()?)
            .args(["outline", "--depth", "1", "--json", "--workspace"])
            .arg(copy)
            .arg("--runtime-root")
            .arg(state)
            .env_remove("M1ND_WORKSPACE_ROOT")
            .stdout(Stdio::null())
            .status()?;
        ensure!(status.success(), "the question after a restart was refused");
        times.push(started.elapsed());
    }
    Ok(super::median_ms(times))
}

/// Function-level call edges against a compiler's.
fn truth(
    workspace: &Workspace,
    root: &Root,
    index: &Path,
    args: &BenchGraph,
    report: &mut Value,
) -> anyhow::Result<()> {
    let bytes = fs::read(index).with_context(|| format!("{} cannot be read", index.display()))?;
    let mut index = scip::read(&bytes)?;
    let view = workspace.view();
    let graph = view.graph().context("the repository has a graph")?;
    let folder = index.folder(&args.under, |file| graph.node_by_path(file).is_some());
    index.place_under(&folder);
    let source = |path: &str| scan::read(root, path).ok();
    let truth = scip::truth::measure(graph, &index, source);
    ensure!(
        truth.true_edges > 0,
        "the index shows no calls between files of the repository; --under names the folder that its paths start from"
    );
    report["compiler_calls"] = json!(truth.true_edges);
    report["resolved_calls"] = json!(truth.resolved);
    report["precision"] = json!(rounded(truth.precision()));
    report["recall"] = json!(rounded(truth.recall()));
    report["recall_with_inferred"] = json!(rounded(truth.recall_with_inferred()));
    report["impact_callers_recall"] = json!(rounded(truth.callers_recall()));
    let overlay = scip::overlay::Overlay::of(graph, &index, source);
    let laid = overlay.lay_over(graph, graph, |_| true);
    let with_index = scip::truth::measure(&laid.graph, &index, source);
    report["precision_with_index"] = json!(rounded(with_index.precision()));
    report["recall_with_index"] = json!(rounded(with_index.recall()));
    if args.list {
        let rows = |list: &[(String, String, u32)]| -> Vec<String> {
            list.iter().map(|(caller, target, line)| format!("{line} {caller} -> {target}")).collect()
        };
        report["wrong"] = json!(rows(&truth.wrong));
        report["missed"] = json!(rows(&truth.missed));
    }
    Ok(())
}

/// What an ingest adds to the memory of a server.
struct Memory {
    peak: u64,
    kept: u64,
}

/// Measured in a process that does nothing else.
fn memory(copy: &Path, state: &Path) -> anyhow::Result<Memory> {
    let (mut session, _) = Session::start(copy, &["--runtime-root".as_ref(), state.as_os_str()])?;
    let before = session.memory("VmRSS:")?;
    let mut job = session.call("ingest", &json!({"agent_id": "bench"}))?;
    while job["state"] == "running" {
        std::thread::sleep(Duration::from_millis(100));
        let asked = json!({"agent_id": "bench", "job_id": job["job_id"]});
        job = session.call("job_status", &asked)?["jobs"][0].take();
    }
    session.call("persist", &json!({"agent_id": "bench", "action": "save"}))?;
    let (peak, kept) = (session.memory("VmHWM:")?, session.memory("VmRSS:")?);
    Ok(Memory { peak: peak.saturating_sub(before), kept: kept.saturating_sub(before) })
}

fn stopped() -> anyhow::Error {
    anyhow::anyhow!("the work was stopped")
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole * 100.0).round() / 100.0 } else { 0.0 }
}

fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}
