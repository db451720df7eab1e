//! Measures a graph of a folder: `measure <folder> [index.scip] [folder of the index]`;
//! with SHOW=name in the environment it prints the relations of that name instead.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use m1nd_ingest::{FileFacts, Manifest, assemble, languages, resolve, scip};
use rayon::prelude::*;

fn main() {
    let mut args = std::env::args().skip(1);
    let root = PathBuf::from(args.next().unwrap_or_else(|| ".".to_owned()));
    let index = args.next();
    let prefix = args.next().unwrap_or_default();
    let mut paths = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || matches!(name.as_str(), "node_modules" | "target" | "dist") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                paths.push(path);
            }
        }
    }
    let relative = |path: &Path| path.strip_prefix(&root).unwrap_or(path).to_string_lossy().into_owned();
    let manifests: Vec<Manifest> = paths
        .iter()
        .filter(|path| Manifest::is_one(&relative(path)))
        .filter_map(|path| Some(Manifest { path: relative(path), text: std::fs::read_to_string(path).ok()? }))
        .collect();
    let sources: Vec<(String, Vec<u8>)> = paths
        .iter()
        .filter(|path| languages::of_path(&relative(path)).is_some())
        .filter_map(|path| Some((relative(path), std::fs::read(path).ok()?)))
        .collect();
    let started = Instant::now();
    let mut facts: Vec<FileFacts> = sources
        .par_iter()
        .filter_map(|(path, bytes)| {
            let language = languages::of_path(path)?;
            (language.extract)(path, bytes, Duration::from_secs(5)).ok()
        })
        .collect();
    let extracted = started.elapsed();
    facts.sort_by(|a, b| a.path.cmp(&b.path));
    let files: Vec<&FileFacts> = facts.iter().collect();
    let started = Instant::now();
    let links = resolve(&files, &manifests);
    let resolved = started.elapsed();
    let started = Instant::now();
    let graph = assemble("measured", &files, &links, 1);
    let assembled = started.elapsed();
    let lines: u32 = facts.iter().map(|file| file.lines).sum();
    println!("files {} lines {lines} nodes {} edges {}", facts.len(), graph.node_count(), graph.edge_count());
    println!("extract {extracted:?} resolve {resolved:?} assemble {assembled:?}");
    let unresolved: u32 = links.iter().map(|l| l.unresolved).sum();
    let external: u32 = links.iter().map(|l| l.external).sum();
    println!("calls: unresolved {unresolved} external {external}");
    if let Ok(label) = std::env::var("SHOW") {
        for node in graph.nodes().filter(|node| node.label() == label) {
            for edge in graph.outgoing(node.ix()) {
                let target = graph.node(edge.target).id();
                println!("{} {} {:?} {:?} {target}", node.id(), edge.kind.name(), edge.evidence, edge.lines);
            }
        }
        return;
    }
    let Some(index) = index else { return };
    let bytes = std::fs::read(index).expect("an index");
    let mut index = scip::read(&bytes).expect("a SCIP index");
    index.place_under(&prefix);
    let truth = scip::truth::measure(&graph, &index, |path| std::fs::read(root.join(path)).ok());
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
