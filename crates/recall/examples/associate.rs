//! How long the engines take on a graph of a given number of symbols: `cargo run --release -p m1nd-recall --example associate -- 100000`.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use m1nd_graph::{EdgeKind, EdgeSpec, Evidence, Graph, GraphBuilder, NodeIx, NodeKind, NodeSpec};
use m1nd_recall::engines::associate::{Noise, associate};
use m1nd_recall::engines::merge::Dimension;
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::paths::between;
use m1nd_recall::engines::resonance::resonate;
use m1nd_recall::engines::seeds::seeds;

const VERBS: [&str; 12] =
    ["get", "set", "parse", "read", "write", "open", "close", "merge", "split", "send", "find", "make"];
const NOUNS: [&str; 20] = [
    "header", "cookie", "socket", "buffer", "token", "index", "graph", "node", "edge", "path", "cache",
    "query", "row", "table", "field", "value", "lock", "task", "event", "route",
];

fn main() {
    let symbols: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let graph = graph(symbols);
    println!("{} nodes, {} edges", graph.node_count(), graph.edge_count());
    let start = Instant::now();
    let names = Names::of(&graph);
    println!("index of names: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let queries: Vec<String> = (0..40)
        .map(|n| format!("{} {} {}", VERBS[n % 12], NOUNS[(n * 7) % 20], NOUNS[(n * 3 + 1) % 20]))
        .chain((0..20).map(|n| format!("{}_{}_{}", VERBS[n % 12], NOUNS[n], n * 37)))
        .collect();
    timed("seeds", &queries, |query| seeds(&graph, &names, query).len());
    timed("activate with xlr", &queries, |query| {
        associate(&graph, &names, query, &Dimension::ALL, Noise::Cancelled).activated.len()
    });
    timed("activate without", &queries, |query| {
        associate(&graph, &names, query, &Dimension::ALL, Noise::Kept).activated.len()
    });
    let mut dice = 11_u64;
    let mut node = || NodeIx((next(&mut dice) % graph.node_count() as u64) as u32);
    let pairs: Vec<(NodeIx, NodeIx)> = (0..60).map(|_| (node(), node())).collect();
    timed("why, 6 hops", &pairs, |&(source, target)| between(&graph, source, target, 6, 3).chains.len());
    timed("resonate", &pairs, |&(source, _)| resonate(&names, &[(source, 1.0)]).amplitudes.len());
}

fn timed<T>(what: &str, inputs: &[T], run: impl Fn(&T) -> usize) {
    let mut found = 0;
    let mut times: Vec<f64> = inputs
        .iter()
        .map(|input| {
            let start = Instant::now();
            found += run(input);
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (p50, p95) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    println!("{what}: p50 {p50:.1} ms, p95 {p95:.1} ms, {} found on average", found / inputs.len().max(1));
}

/// Files of twenty functions; each calls four, mostly near ones, and some are called by very many.
fn graph(symbols: usize) -> Graph {
    let mut dice = 5_u64;
    let mut builder = GraphBuilder::new();
    let mut functions = Vec::with_capacity(symbols);
    let mut file = None;
    for n in 0..symbols {
        let path = format!("src/m{}/f{}.rs", n / 1_000, n / 20);
        if n % 20 == 0 {
            let mut spec = NodeSpec::new(NodeKind::File, format!("file::{path}"), format!("f{}.rs", n / 20));
            spec.path = path.clone();
            file = Some(builder.node(spec));
        }
        let name = format!(
            "{}_{}_{n}",
            VERBS[(next(&mut dice) % 12) as usize],
            NOUNS[(next(&mut dice) % 20) as usize]
        );
        let mut spec = NodeSpec::new(NodeKind::Function, format!("function::{path}::{name}"), name.clone());
        spec.qualified = name;
        spec.path = path;
        spec.line_start = (n % 20 * 10 + 1) as u32;
        spec.line_end = spec.line_start + 8;
        let function = builder.node(spec);
        functions.push(function);
        if let Some(file) = file {
            builder.edge(EdgeSpec::new(file, EdgeKind::Contains, function, Evidence::Resolved));
        }
    }
    for n in 0..symbols {
        for _ in 0..4 {
            let target = match next(&mut dice) % 10 {
                0 => next(&mut dice) as usize % 50,
                1 | 2 => next(&mut dice) as usize % symbols,
                _ => (n + next(&mut dice) as usize % 60).min(symbols - 1),
            };
            let ends = (functions[n], functions[target.min(symbols - 1)]);
            if n != target {
                builder.edge(EdgeSpec::new(ends.0, EdgeKind::Calls, ends.1, Evidence::Resolved));
            }
        }
    }
    builder.finish(1)
}

fn next(dice: &mut u64) -> u64 {
    *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *dice >> 33
}
