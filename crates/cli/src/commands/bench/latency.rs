//! `m1nd bench risk --latency`: how long questions about change and risk take in a server.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use serde_json::{Value, json};

use super::session::Session;
use super::{median_ms, retrieval};
use crate::output::Reader;

/// Nodes of each sort that are asked about.
const ASKED: usize = 10;
/// Histories are read to their ends by then.
const LONGEST_HISTORY: Duration = Duration::from_secs(120);
/// Files of the change that is reviewed.
const CHANGED: usize = 20;

pub fn run(repos: &[PathBuf], runs: usize, json: bool) -> anyhow::Result<ExitCode> {
    ensure!(runs > 0, "--runs must be at least 1");
    let first = repos.first().context("a repository is given")?;
    let dir = tempfile::tempdir().context("a temporary folder")?;
    let home = dir.path().join("home");
    let (size, sorts, diff) = prepared(first, &repos[1..], &home)?;
    let state = home.join("state");
    let (mut session, _) = Session::start(first, &[OsStr::new("--runtime-root"), state.as_os_str()])?;
    let mut found = size;
    let mut ask = |tool: &str, arguments: Value| {
        let started = Instant::now();
        let answer = session.call(tool, &arguments)?;
        anyhow::Ok((started.elapsed(), answer))
    };
    for (name, nodes) in sorts {
        let (mut times, mut most) = (Vec::new(), 0);
        for id in &nodes {
            // The first answer also loads what later ones share.
            for turn in 0..=runs {
                let arguments = json!({"agent_id": "bench", "node_id": id, "max_hops": 3});
                let (took, answer) = ask("impact", arguments)?;
                most = most.max(answer["total"].as_u64().unwrap_or_default());
                if turn > 0 {
                    times.push(took);
                }
            }
        }
        found[format!("impact_{name}")] = json!({
            "asked": nodes.len(), "most_reached": most, "ms": median_ms(times.clone()), "worst_ms": worst_ms(&times),
        });
    }
    let mut repeated = |tool: &str, arguments: Value| {
        let (first, answer) = ask(tool, arguments.clone())?;
        let again = (0..runs).map(|_| anyhow::Ok(ask(tool, arguments.clone())?.0));
        let again: Vec<Duration> = again.collect::<anyhow::Result<_>>()?;
        let times = json!({"first_ms": median_ms(vec![first]), "ms": median_ms(again.clone()), "worst_ms": worst_ms(&again)});
        anyhow::Ok((times, answer))
    };
    let (at_once, _) = repeated("panoramic", json!({"agent_id": "bench"}))?;
    // Until the histories are read to their ends, every question waits a moment for them.
    let started = Instant::now();
    while started.elapsed() < LONGEST_HISTORY {
        let (_, answer) = repeated("panoramic", json!({"agent_id": "bench"}))?;
        if answer["freshness"]["commits_so_far"].is_null() {
            break;
        }
    }
    let (times, answer) = repeated("panoramic", json!({"agent_id": "bench"}))?;
    found["panoramic"] = times;
    found["panoramic"]["first_ms"] = at_once["first_ms"].clone();
    found["panoramic"]["while_reading_history_ms"] = at_once["ms"].clone();
    found["panoramic"]["modules"] = answer["total_scanned"].clone();
    let (times, answer) = repeated("review", json!({"agent_id": "bench", "diff": diff}))?;
    found["review"] = times;
    found["review"]["files"] = answer["changed_files"].clone();
    match Reader::of(json) {
        Reader::Program => anstream::println!("{found}"),
        Reader::Person => {
            for (name, value) in found.as_object().into_iter().flatten() {
                anstream::println!("{name:<28} {value}");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn worst_ms(times: &[Duration]) -> f64 {
    median_ms(times.iter().max().copied().into_iter().collect())
}

/// Nodes to ask about, by their sort.
type Sorts = Vec<(&'static str, Vec<String>)>;

/// Reads all repositories into one graph, and chooses what to ask of it: its size, nodes by their sort, and a change.
fn prepared(first: &Path, others: &[PathBuf], home: &Path) -> anyhow::Result<(Value, Sorts, String)> {
    let runtime = retrieval::runtime(first, home)?;
    for other in others {
        let path = fs::canonicalize(other).with_context(|| format!("{}", other.display()))?;
        let arguments = json!({"path": path, "intent": "add_root"});
        let reply = crate::commands::ask_to_the_end(&runtime, "ingest", arguments);
        ensure!(!reply.is_error, "{} was not read: {}", other.display(), reply.text());
    }
    let view = runtime.workspace().context("the repository is bound")?.view();
    let graph = view.graph().context("the repository has a graph")?;
    let size = json!({"nodes": graph.node_count(), "edges": graph.edge_count()});
    let functions: Vec<NodeIx> = graph
        .nodes()
        .filter(|node| node.kind().is_callable() && !node.flags().has(NodeFlags::TEST_CODE))
        .map(|node| node.ix())
        .collect();
    let files: Vec<NodeIx> =
        graph.nodes().filter(|node| node.kind() == NodeKind::File).map(|node| node.ix()).collect();
    let calls = |ix: &NodeIx| graph.incoming(*ix).filter(|edge| edge.kind == EdgeKind::Calls).count();
    let held = |ix: &NodeIx| graph.nodes_in(graph.node(*ix).path()).count();
    let id = |ix: NodeIx| graph.node(ix).id().to_owned();
    let sorts = vec![
        ("functions", spread(&functions, ASKED).into_iter().map(id).collect()),
        ("most_called_functions", most(&functions, calls).into_iter().map(id).collect()),
        ("largest_files", most(&files, held).into_iter().map(id).collect()),
    ];
    Ok((size, sorts, change(graph, first, &functions)))
}

fn most(nodes: &[NodeIx], count: impl Fn(&NodeIx) -> usize) -> Vec<NodeIx> {
    let mut nodes: Vec<(usize, NodeIx)> = nodes.iter().map(|ix| (count(ix), *ix)).collect();
    nodes.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    nodes.into_iter().take(ASKED).map(|(_, ix)| ix).collect()
}

fn spread<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    items.iter().copied().step_by((items.len() / count).max(1)).take(count).collect()
}

/// A unified diff that changes the second line of one function in each of some files.
fn change(graph: &Graph, folder: &Path, functions: &[NodeIx]) -> String {
    let mut one_each: Vec<NodeIx> = functions.to_vec();
    one_each.retain(|&ix| {
        folder.join(graph.node(ix).path()).is_file() && graph.node(ix).lines().1 > graph.node(ix).lines().0
    });
    one_each.dedup_by_key(|ix| graph.node(*ix).path());
    let mut diff = String::new();
    for ix in spread(&one_each, CHANGED) {
        let (path, line) = (graph.node(ix).path(), graph.node(ix).lines().0 + 1);
        let text = fs::read_to_string(folder.join(path)).unwrap_or_default();
        let was = text.lines().nth(line as usize - 1).unwrap_or_default();
        diff += &format!("--- a/{path}\n+++ b/{path}\n@@ -{line},1 +{line},1 @@\n-{was}\n+{was} \n");
    }
    diff
}
