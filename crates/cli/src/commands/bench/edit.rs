//! `m1nd bench edit`: what agents ask before an edit, and a batch of twenty files, on a copy of a repository.

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

/// Files of a batch.
const FILES: usize = 20;
/// Functions that are asked about: those with the most callers.
const FUNCTIONS: usize = 10;

pub fn run(repo: &Path, runs: usize, json: bool) -> anyhow::Result<ExitCode> {
    let disk = measured(repo, &tempfile::tempdir().context("a temporary folder")?, runs)?;
    // Where waiting for the disk costs nothing, if there is such a place.
    let memory = tempfile::tempdir_in("/dev/shm").ok();
    let memory = memory.map(|dir| measured(repo, &dir, runs)).transpose()?;
    let found = json!({
        "repo": repo,
        "lines": disk.lines,
        "surgical_context_v2_ms": disk.context_ms,
        "surgical_context_v2_worst_ms": disk.worst_ms,
        "surgical_context_v2_bytes": disk.bytes,
        "batch_files": FILES,
        "apply_batch_ms": disk.batch_ms,
        "apply_batch_without_disk_ms": memory.as_ref().map(|memory| memory.batch_ms),
        "phases": disk.phases,
        "phases_without_disk": memory.as_ref().map(|memory| memory.phases.clone()),
    });
    match Reader::of(json) {
        Reader::Program => anstream::println!("{found}"),
        Reader::Person => {
            for (name, value) in found.as_object().into_iter().flatten() {
                anstream::println!("{name:<30} {value}");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Measured {
    lines: usize,
    context_ms: f64,
    worst_ms: f64,
    bytes: usize,
    batch_ms: f64,
    /// Of the last batch.
    phases: Value,
}

fn measured(repo: &Path, dir: &tempfile::TempDir, runs: usize) -> anyhow::Result<Measured> {
    let folder = dir.path().join("copy");
    let (paths, lines) = copy(repo, &folder)?;
    let runtime = retrieval::runtime(&folder, &dir.path().join("home"))?;
    let functions = central(&runtime)?;
    let (mut times, mut worst, mut bytes) = (Vec::new(), Duration::ZERO, 0);
    for id in &functions {
        // The first answer also loads what later ones share.
        for turn in 0..=runs {
            let started = Instant::now();
            let reply = crate::commands::ask(&runtime, "surgical_context_v2", json!({ "node_id": id }));
            let took = started.elapsed();
            anyhow::ensure!(!reply.is_error, "{id}: {}", reply.text());
            if turn > 0 {
                times.push(took);
                worst = worst.max(took);
            }
            bytes = bytes.max(reply.text().len());
        }
    }
    let step = (paths.len() / FILES).max(1);
    let chosen: Vec<&String> = paths.iter().step_by(step).take(FILES).collect();
    let (mut batches, mut phases) = (Vec::new(), Value::Null);
    for _ in 0..runs {
        let mut edits = Vec::new();
        for path in &chosen {
            let text = fs::read_to_string(folder.join(path))?;
            edits.push(json!({ "file_path": path, "new_content": format!("{text}\n") }));
        }
        let started = Instant::now();
        let reply = crate::commands::ask(&runtime, "apply_batch", json!({ "edits": edits }));
        batches.push(started.elapsed());
        anyhow::ensure!(!reply.is_error, "{}", reply.text());
        phases = reply.body["progress_events"].clone();
    }
    Ok(Measured {
        lines,
        context_ms: median_ms(times),
        worst_ms: median_ms(vec![worst]),
        bytes,
        batch_ms: median_ms(batches),
        phases,
    })
}

/// Copies the files that count; the paths of code in UTF-8 that ends in a newline, and the lines of all code.
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
