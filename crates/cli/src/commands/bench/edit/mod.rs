//! `m1nd bench edit`: what agents ask before an edit, and batches of several files, on a copy of a repository that is
//! kept fresh as a server keeps it.

mod batch;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use m1nd_graph::{EdgeKind, NodeFlags};
use m1nd_ingest::{languages, scan};
use m1nd_runtime::Runtime;
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::Root;
use serde_json::{Value, json};

use super::{median_ms, retrieval};
use crate::output::Reader;

/// Functions that are asked about: those with the most callers.
const FUNCTIONS: usize = 10;

pub struct Options<'a> {
    pub repo: &'a Path,
    /// Files of a batch.
    pub files: usize,
    pub runs: usize,
    pub json: bool,
}

pub fn run(options: &Options<'_>) -> anyhow::Result<ExitCode> {
    let dir = tempfile::tempdir().context("a temporary folder")?;
    let folder = dir.path().join("copy");
    let (paths, lines) = copy(options.repo, &folder)?;
    let runtime = retrieval::runtime(&folder, &dir.path().join("home"))?;
    runtime.keep_fresh();
    // Words and history are made ahead, as they are by a server that was started before its first question.
    batch::settle(&runtime)?;
    let contexts = contexts(&runtime, options.runs)?;
    let batches = batch::measured(&runtime, &folder, &paths, options)?;
    let found = json!({ "repo": options.repo, "lines": lines, "files": options.files, "contexts": contexts, "batches": batches });
    match Reader::of(options.json) {
        Reader::Program => anstream::println!("{found}"),
        Reader::Person => show(&found),
    }
    Ok(ExitCode::SUCCESS)
}

fn show(found: &Value) {
    let list = |name: &str| found[name].as_array().cloned().unwrap_or_default();
    anstream::println!("{} lines of code\n\nsurgical_context_v2, ms of the middle run", found["lines"]);
    for one in list("contexts") {
        anstream::println!("{:>9}  {:>6} bytes  {}", one["ms"], one["bytes"], one["node_id"]);
    }
    for one in list("batches") {
        anstream::println!(
            "\n{} ({} files): {} ms, of these {} ms waiting for the disk",
            one["batch"].as_str().unwrap_or_default(),
            one["files"],
            one["ms"],
            one["sync_ms"]
        );
        for (phase, ms) in one["phases"].as_object().into_iter().flatten() {
            anstream::println!("{ms:>9}  {phase}");
        }
    }
}

/// What it takes to answer about the functions with the most callers.
fn contexts(runtime: &Runtime, runs: usize) -> anyhow::Result<Vec<Value>> {
    let mut found = Vec::new();
    for id in central(runtime)? {
        let (mut times, mut bytes) = (Vec::new(), 0);
        // The first answer also loads what later ones share.
        for turn in 0..=runs {
            let started = Instant::now();
            let reply = crate::commands::ask(runtime, "surgical_context_v2", json!({ "node_id": id }));
            let took = started.elapsed();
            anyhow::ensure!(!reply.is_error, "{id}: {}", reply.text());
            if turn > 0 {
                times.push(took);
            }
            bytes = reply.text().len();
        }
        let worst = times.iter().max().copied().unwrap_or(Duration::ZERO);
        found.push(json!({
            "node_id": id,
            "ms": median_ms(times),
            "worst_ms": median_ms(vec![worst]),
            "bytes": bytes,
        }));
    }
    Ok(found)
}

/// Copies the files that count, and lets the copy have the history; the paths of code in UTF-8 that ends in a
/// newline, and the lines of all code.
fn copy(repo: &Path, to: &Path) -> anyhow::Result<(Vec<String>, usize)> {
    let root = Root::open(repo).with_context(|| format!("{} cannot be opened", repo.display()))?;
    let (files, _) = scan::list(&root, &CancelToken::new()).map_err(|_| anyhow::anyhow!("stopped"))?;
    let (mut code, mut lines) = (Vec::new(), 0);
    for file in files {
        let Ok(bytes) = scan::read(&root, &file.path) else { continue };
        let path: PathBuf = to.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(to))?;
        fs::write(&path, &bytes)?;
        if languages::of_path(&file.path).is_some() {
            lines += bytes.iter().filter(|byte| **byte == b'\n').count();
            if bytes.ends_with(b"\n") && std::str::from_utf8(&bytes).is_ok() {
                code.push(file.path);
            }
        }
    }
    let git = root.path().join(".git");
    if git.is_dir() {
        fs::write(to.join(".git"), format!("gitdir: {}\n", git.display()))?;
    }
    Ok((code, lines))
}

/// The functions of the program with the most callers.
fn central(runtime: &Runtime) -> anyhow::Result<Vec<String>> {
    let workspace = runtime.workspace().context("the copy is bound")?;
    let view = workspace.view();
    let graph = view.graph().context("the copy has a graph")?;
    let mut found: Vec<(usize, String)> = Vec::new();
    for node in graph.nodes().filter(|node| node.kind().is_callable()) {
        if !node.flags().has(NodeFlags::TEST_CODE) {
            let calls = graph.incoming(node.ix()).filter(|edge| edge.kind == EdgeKind::Calls).count();
            found.push((calls, node.id().to_owned()));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(found.into_iter().take(FUNCTIONS).map(|(_, id)| id).collect())
}
