//! `--latency`: how long indexes take to make, and questions to answer, in a folder as it is.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_recall::engines::names::Names;
use m1nd_recall::text::TextIndex;
use serde_json::{Value, json};

use super::super::median_ms;
use super::super::session::Session;
use crate::args::BenchRetrieval;
use crate::output::Reader;

const AGENT: &str = "bench";

/// Questions of each kind.
const QUESTIONS: usize = 60;

pub fn run(args: &BenchRetrieval) -> anyhow::Result<ExitCode> {
    for folder in &args.repo {
        let dir = tempfile::tempdir().context("a temporary folder")?;
        let measured = measure(folder, &dir.path().join("home"))?;
        match Reader::of(args.json) {
            Reader::Program => anstream::println!("{measured}"),
            Reader::Person => {
                let rows = measured.as_object().into_iter().flatten();
                anstream::println!("{}", folder.display());
                rows.for_each(|(what, value)| anstream::println!("  {what:<16} {value}"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Indexes are made here; questions are put to a server, as hosts do, which watches the folder instead of listing it each time.
fn measure(folder: &Path, home: &Path) -> anyhow::Result<Value> {
    let runtime = &super::runtime(folder, home)?;
    let workspace = runtime.workspace().context("the folder is bound")?;
    let view = workspace.view();
    let graph = view.graph().context("the folder has a graph")?;
    let (corpus, words_and_history) = timed(|| super::corpus(runtime));
    let corpus = corpus?;
    let (_, words_again) = timed(|| TextIndex::of(corpus.text.files().to_vec()));
    let (_, names) = timed(|| Names::of(graph));
    let asked = chosen(graph);
    let state = home.join("state");
    let (mut session, _) = Session::start(folder, &["--runtime-root".as_ref(), state.as_os_str()])?;
    let mut ask = |tool: &str, arguments: &dyn Fn(usize) -> Value| -> anyhow::Result<Value> {
        // The first one waits for what is made once.
        session.call(tool, &arguments(0))?;
        let mut times = Vec::new();
        for nth in 0..asked.len() {
            let started = Instant::now();
            session.call(tool, &arguments(nth))?;
            times.push(started.elapsed());
        }
        Ok(spread_of(times))
    };
    let id = |nth: usize| graph.node(asked[nth % asked.len()]).id();
    let words = |nth: usize| question(graph, asked[nth]);
    let name = |nth: usize| graph.node(asked[nth]).label();
    let symbols = graph.nodes().filter(|node| is_symbol(node.kind())).count();
    Ok(json!({
        "nodes": graph.node_count(),
        "symbols": symbols,
        "edges": graph.edge_count(),
        "files": corpus.text.files().len(),
        "commits": corpus.past.len(),
        "words, history": ms(words_and_history),
        "words again": ms(words_again),
        "names": ms(names),
        "seek": ask("seek", &|nth| json!({ "agent_id": AGENT, "query": words(nth) }))?,
        "activate": ask("activate", &|nth| json!({ "agent_id": AGENT, "query": words(nth) }))?,
        "activate a name": ask("activate", &|nth| json!({ "agent_id": AGENT, "query": name(nth) }))?,
        "impact": ask("impact", &|nth| json!({ "agent_id": AGENT, "node_id": id(nth) }))?,
        "why": ask("why", &|nth| json!({ "agent_id": AGENT, "source": id(nth), "target": id(nth + 1) }))?,
    }))
}

fn is_symbol(kind: NodeKind) -> bool {
    !matches!(kind, NodeKind::Repository | NodeKind::Directory | NodeKind::File | NodeKind::Document)
}

/// Nodes from all over the graph that a question can be made of; `_` is a name without a word.
fn chosen(graph: &Graph) -> Vec<NodeIx> {
    let has_words = |label: &str| label.chars().any(char::is_alphabetic);
    let symbols = graph.nodes().filter(|node| is_symbol(node.kind()) && has_words(node.label()));
    let symbols: Vec<NodeIx> = symbols.map(|node| node.ix()).collect();
    let step = (symbols.len() / QUESTIONS).max(1);
    symbols.into_iter().step_by(step).take(QUESTIONS).collect()
}

/// What its author said of a node, else its name.
fn question(graph: &Graph, node: NodeIx) -> String {
    let node = graph.node(node);
    let is_word = |word: &&str| word.chars().any(char::is_alphabetic);
    let doc = node.doc().lines().find(|line| line.split_whitespace().filter(is_word).count() > 2);
    doc.map_or_else(|| node.qualified().replace(['.', ':', '_', '/'], " "), str::to_owned)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let done = work();
    (done, started.elapsed())
}

fn ms(time: Duration) -> Value {
    json!(median_ms(vec![time]))
}

fn spread_of(mut times: Vec<Duration>) -> Value {
    times.sort();
    let late = times.get(times.len() * 95 / 100).copied().unwrap_or_default();
    json!({ "p50_ms": median_ms(times), "p95_ms": median_ms(vec![late]) })
}
