//! Batches of the kinds that agents make, each applied and taken back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use m1nd_graph::Graph;
use m1nd_ingest::syntax;
use m1nd_runtime::Runtime;
use m1nd_vfs::sync;
use serde_json::{Value, json};

use super::super::median_ms;
use super::Options;

/// How long a server is left alone between batches: an agent thinks longer.
const PAUSE: Duration = Duration::from_millis(1_500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A line more inside a function of each file.
    Bodies,
    /// A function more in each file.
    Functions,
    /// Three files get a function, one comes, one goes, one moves, the others get a line.
    Mixed,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Bodies => "a line inside a function of each file",
            Self::Functions => "a new function in each file",
            Self::Mixed => "lines and functions, a file created, one deleted, one renamed",
        }
    }
}

pub(super) fn measured(
    runtime: &Runtime,
    folder: &Path,
    paths: &[String],
    options: &Options<'_>,
) -> anyhow::Result<Vec<Value>> {
    let mut found = Vec::new();
    for kind in [Kind::Bodies, Kind::Functions, Kind::Mixed] {
        let changes = changes(runtime, folder, paths, options.files, kind)?;
        let (mut made, mut back) = (Times::default(), Times::default());
        for _ in 0..options.runs {
            settle(runtime)?;
            let reply = made.timed(runtime, "apply_batch", json!({ "edits": changes }))?;
            settle(runtime)?;
            back.timed(runtime, "undo_batch", json!({ "batch_id": reply["batch_id"] }))?;
        }
        found.push(made.shown(kind.name(), changes.len()));
        found.push(back.shown("the same taken back", changes.len()));
    }
    Ok(found)
}

/// Waits until what a server does between questions is done.
pub(super) fn settle(runtime: &Runtime) -> anyhow::Result<()> {
    std::thread::sleep(PAUSE);
    // A question behind the work that is still under way.
    let reply = crate::commands::ask(runtime, "seek", json!({ "query": "main" }));
    anyhow::ensure!(!reply.is_error, "{}", reply.text());
    Ok(())
}

#[derive(Default)]
struct Times {
    whole: Vec<Duration>,
    synced: Vec<Duration>,
    phases: BTreeMap<(usize, String), Vec<Duration>>,
}

impl Times {
    fn timed(&mut self, runtime: &Runtime, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        let (started, waited) = (Instant::now(), sync::waited());
        let reply = crate::commands::ask(runtime, tool, arguments);
        let (took, synced) = (started.elapsed(), sync::waited().saturating_sub(waited));
        anyhow::ensure!(!reply.is_error, "{tool}: {}", reply.text());
        self.whole.push(took);
        self.synced.push(synced);
        let mut before = 0.0;
        let events = reply.body["progress_events"].as_array().cloned().unwrap_or_default();
        let rest = json!({ "phase": "the rest", "elapsed_ms": took.as_secs_f64() * 1_000.0 });
        for (at, event) in events.iter().chain([&rest]).enumerate() {
            let (phase, ms) = (event["phase"].as_str(), event["elapsed_ms"].as_f64().unwrap_or_default());
            let key = (at, phase.unwrap_or_default().to_owned());
            let took = Duration::from_secs_f64((ms - before).max(0.0) / 1_000.0);
            self.phases.entry(key).or_default().push(took);
            before = ms;
        }
        Ok(reply.body)
    }

    fn shown(self, batch: &str, files: usize) -> Value {
        let phases: serde_json::Map<String, Value> =
            self.phases.into_iter().map(|((_, phase), times)| (phase, json!(median_ms(times)))).collect();
        json!({
            "batch": batch,
            "files": files,
            "ms": median_ms(self.whole),
            "sync_ms": median_ms(self.synced),
            "phases": phases,
        })
    }
}

/// The edits of a batch, spread over the repository.
fn changes(
    runtime: &Runtime,
    folder: &Path,
    paths: &[String],
    count: usize,
    kind: Kind,
) -> anyhow::Result<Vec<Value>> {
    let view = runtime.workspace().context("the copy is bound")?.view();
    let graph = view.graph().context("the copy has a graph")?;
    let step = (paths.len() / (count * 2)).max(1);
    let mut found = Vec::new();
    for path in paths.iter().step_by(step) {
        if found.len() == count {
            break;
        }
        let text = fs::read_to_string(folder.join(path))?;
        let (start, ending) = path.rsplit_once('.').unwrap_or((path, ""));
        let whole = |text: String| json!({ "file_path": path, "new_content": text });
        let change = match (kind, found.len()) {
            (Kind::Mixed, 0) => Some(
                json!({ "file_path": format!("{start}_m1nd.{ending}"), "new_content": text, "create": true }),
            ),
            (Kind::Mixed, 1) => Some(json!({ "file_path": path, "delete": true })),
            (Kind::Mixed, 2) => {
                Some(json!({ "file_path": path, "rename_to": format!("{start}_m1nd.{ending}") }))
            }
            (Kind::Mixed, 3..=5) | (Kind::Functions, _) => with_function(graph, path, &text).map(whole),
            _ => with_line(graph, path, &text).map(whole),
        };
        found.extend(change);
    }
    Ok(found)
}

/// A function once more, under another name.
fn with_function(graph: &Graph, path: &str, text: &str) -> Option<String> {
    functions(graph, path).find_map(|(name, first, last)| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let own = lines.get(first - 1..last)?.iter().map(|line| line.replace(&name, &format!("{name}_m1nd")));
        let own: Vec<String> = own.collect();
        lines.splice(last..last, own);
        sound(path, text, lines)
    })
}

/// A line of a function twice.
fn with_line(graph: &Graph, path: &str, text: &str) -> Option<String> {
    functions(graph, path).find_map(|(_, first, last)| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (first..last.min(lines.len())).rev().find_map(|at| {
            let mut lines = lines.clone();
            lines.insert(at, lines[at].clone());
            sound(path, text, lines)
        })
    })
}

/// Names and lines, of those that are longer than two lines.
fn functions<'g>(graph: &'g Graph, path: &str) -> impl Iterator<Item = (String, usize, usize)> + 'g {
    let nodes = graph.nodes_in(path).collect::<Vec<_>>().into_iter().map(|ix| graph.node(ix));
    let long = nodes.filter(|node| node.kind().is_callable() && node.lines().1 > node.lines().0 + 1);
    long.map(|node| (node.label().to_owned(), node.lines().0 as usize, node.lines().1 as usize))
}

fn sound(path: &str, before: &str, lines: Vec<String>) -> Option<String> {
    let now = lines.join("\n") + "\n";
    let errors = syntax::introduced(path, Some(before.as_bytes()), now.as_bytes()).ok()?;
    (errors.is_empty() && now != before).then_some(now)
}
