//! Ingests a folder and measures it: `measure <folder> [index.scip] [folder of the index]`;
//! with SHOW=name in the environment it prints the relations of that name instead,
//! with SHOWALL every call edge.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use m1nd_ingest::history::{self, Limits};
use m1nd_ingest::{Ingest, scan, scip};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use m1nd_vfs::Root;
use rayon::prelude::*;

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().unwrap_or_else(|| ".".to_owned()));
    let index = args.next();
    let prefix = args.next().unwrap_or_default();
    let root = Root::open(&folder).expect("a folder");
    let cancel = CancelToken::new();
    let clock = SystemClock::new();
    let mut ingest = Ingest::new("measured");
    let started = Instant::now();
    match history::read(&folder, Limits::default(), &cancel) {
        Ok(history) => {
            println!(
                "history: {} commits, {} pairs, {:?}",
                history.commits,
                history.pairs.len(),
                started.elapsed()
            );
            ingest.set_history(history);
        }
        Err(err) => println!("history: {err}"),
    }
    if std::env::var("PARSE").is_ok() {
        parse_only(&root, &cancel);
    }
    let mut graph = None;
    for round in ["full", "again"] {
        let started = Instant::now();
        let (listing, passed) = scan::list(&root, &cancel).expect("nobody stops it");
        let listed = started.elapsed();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as i128;
        let done = ingest.refresh(&listing, |path| scan::read(&root, path), &clock, now, &cancel);
        let done = done.expect("nobody stops it");
        println!("{round}: {:?} (walk {listed:?}, withheld {})", started.elapsed(), passed.secret);
        println!("{}", serde_json::to_string(&done.report).expect("a report"));
        graph = done.graph.or(graph);
    }
    let graph = graph.expect("two rounds");
    edits(&root, &mut ingest, &graph, &cancel);
    let status = std::fs::read_to_string("/proc/self/status").expect("linux");
    for line in status.lines().filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS")) {
        println!("{line}");
    }
    let started = Instant::now();
    let bytes = m1nd_graph::snapshot::to_bytes(&graph);
    let written = started.elapsed();
    let started = Instant::now();
    let loaded = m1nd_graph::snapshot::read(bytes.clone()).expect("a snapshot");
    println!(
        "snapshot: {} bytes, written {written:?}, read {:?}, equal {}",
        bytes.len(),
        started.elapsed(),
        loaded == graph
    );
    let started = Instant::now();
    let communities = m1nd_graph::community::detect(&graph);
    println!(
        "communities: {} in {:?}, modularity {:.3}",
        communities.list.len(),
        started.elapsed(),
        communities.modularity
    );
    if let Ok(label) = std::env::var("SHOW") {
        for node in graph.nodes().filter(|node| node.label() == label) {
            for edge in graph.outgoing(node.ix()) {
                let target = graph.node(edge.target).id();
                println!("{} {} {:?} {:?} {target}", node.id(), edge.kind.name(), edge.evidence, edge.lines);
            }
        }
        return;
    }
    if std::env::var("SHOWALL").is_ok() {
        for edge in graph.edges().filter(|edge| edge.kind == m1nd_graph::EdgeKind::Calls) {
            let (source, target) = (graph.node(edge.source), graph.node(edge.target));
            println!("EDGE {:?} {} {:?} -> {}", edge.evidence, source.id(), edge.lines, target.id());
        }
    }
    let Some(index) = index else { return };
    let bytes = std::fs::read(index).expect("an index");
    let mut index = scip::read(&bytes).expect("a SCIP index");
    index.place_under(&prefix);
    let truth = scip::truth::measure(&graph, &index, |path| scan::read(&root, path).ok());
    println!(
        "true {} (unknown targets {}) resolved {} right {} inferred {} right {}",
        truth.true_edges,
        truth.unknown_targets,
        truth.resolved,
        truth.resolved_true,
        truth.inferred,
        truth.inferred_true
    );
    println!(
        "precision {:.4} recall {:.4} with inferred {:.4}",
        truth.precision(),
        truth.recall(),
        truth.recall_with_inferred()
    );
    for (caller, target, line) in &truth.wrong {
        println!("WRONG {line} {caller} -> {target}");
    }
    for (caller, target, line) in &truth.missed {
        println!("MISSED {line} {caller} -> {target}");
    }
}

/// How long one edit takes: inside a function, then one that others can see.
fn edits(root: &Root, ingest: &mut Ingest, graph: &m1nd_graph::Graph, cancel: &CancelToken) {
    let (mut listing, _) = scan::list(root, cancel).expect("nobody stops it");
    let source: Vec<usize> = (0..listing.len())
        .filter(|&at| m1nd_ingest::languages::of_path(&listing[at].path).is_some_and(|l| ["rust", "python"].contains(&l.name)))
        .filter(|&at| listing[at].size > 5_000 && listing[at].size < 100_000)
        .collect();
    let Some(&at) = source.get(source.len() / 2) else { return };
    let path = listing[at].path.clone();
    let clock = SystemClock::new();
    let mut last: Option<m1nd_graph::Graph> = None;
    for (says, more) in [("comment", "\n# x\n"), ("again", "\n# y\n"), ("comment", "\n# z\n"), ("new function", "\nfn zzz() {}\n")] {
        let more = if path.ends_with(".rs") { more.replace('#', "//") } else { more.replace("fn zzz() {}", "def zzz(): pass") };
        listing[at].modified_ns += 1;
        listing[at].size += 1;
        let read = |wanted: &str| {
            let mut bytes = scan::read(root, wanted)?;
            if wanted == path {
                bytes.extend_from_slice(more.as_bytes());
            }
            Ok(bytes)
        };
        let started = Instant::now();
        let done = ingest.refresh_on(Some(last.as_ref().unwrap_or(graph)), &listing, read, &clock, 1 << 100, cancel);
        let done = done.expect("nobody stops it");
        println!("edit ({says}) of {path}: {:?}, resolved {}, {:?}", started.elapsed(), done.report.files_resolved, done.report.phases);
        last = done.graph.or(last);
    }
    let started = Instant::now();
    let bytes = m1nd_ingest::state::to_bytes(ingest, "");
    let wrote = started.elapsed();
    let started = Instant::now();
    let back = m1nd_ingest::state::from_bytes(&bytes).is_ok();
    println!("facts: {} bytes, written {wrote:?}, read {:?} {back}", bytes.len(), started.elapsed());
}

/// What the grammars alone need for the same files on the same threads.
fn parse_only(root: &Root, cancel: &CancelToken) {
    let (listing, _) = scan::list(root, cancel).expect("nobody stops it");
    let sources: Vec<(String, Vec<u8>)> = listing
        .iter()
        .filter(|listed| m1nd_ingest::languages::of_path(&listed.path).is_some())
        .filter_map(|listed| Some((listed.path.clone(), scan::read(root, &listed.path).ok()?)))
        .collect();
    let started = Instant::now();
    sources.par_iter().for_each(|(path, bytes)| {
        let grammar: tree_sitter::Language = match path.rsplit('.').next() {
            Some("rs") => tree_sitter_rust::LANGUAGE.into(),
            Some("py" | "pyi") => tree_sitter_python::LANGUAGE.into(),
            Some("tsx") => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Some("ts" | "mts" | "cts") => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            _ => tree_sitter_javascript::LANGUAGE.into(),
        };
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&grammar).expect("a grammar");
        std::hint::black_box(parser.parse(bytes, None));
    });
    println!("parse only: {:?}", started.elapsed());
}
