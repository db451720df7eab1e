//! The corpus: everything a question is put to, consistent with itself.

use m1nd_graph::{EdgeKind, Graph, NodeKind};

use crate::past::{Past, PastCommit};
use crate::place;
use crate::text::{FileIx, Span, TextIndex};

/// Words, past and relations of one generation of files.
#[derive(Debug, Default)]
pub struct Corpus {
    pub text: TextIndex,
    pub past: Past,
    /// For each file, the files it uses or is used by, with shares that add up to at most 1.
    pub related: Vec<Vec<(FileIx, f32)>>,
    /// Whether a file stands beside the product.
    pub beside: Vec<bool>,
}

/// A commit, by the names of its files.
#[derive(Clone, Debug)]
pub struct NamedCommit<'a> {
    pub message: &'a str,
    pub time_ms: i64,
    pub files: &'a [String],
}

impl Corpus {
    /// The commits come newest first.
    pub fn of<'a>(
        text: TextIndex,
        commits: impl Iterator<Item = NamedCommit<'a>>,
        graph: Option<&Graph>,
    ) -> Self {
        let mut newest = None;
        let commits: Vec<PastCommit<'a>> = commits
            .filter_map(|commit| {
                let newest = *newest.get_or_insert(commit.time_ms);
                let files: Vec<FileIx> = commit.files.iter().filter_map(|path| text.file(path)).collect();
                let age_days = (newest.saturating_sub(commit.time_ms).max(0) as f32) / 86_400_000.0;
                (!files.is_empty()).then_some(PastCommit { message: commit.message, age_days, files })
            })
            .collect();
        let files = text.files().len();
        let past = Past::of(&commits, files);
        let related = graph.map_or_else(|| vec![Vec::new(); files], |graph| related(graph, &text));
        let beside = text.files().iter().map(|file| place::is_beside(&file.path)).collect();
        Self { text, past, related, beside }
    }
}

/// The symbols of a file that are units of the index.
pub fn spans<'g>(graph: &'g Graph, path: &str) -> Vec<Span<'g>> {
    let mut spans = Vec::new();
    for (nth, ix) in graph.nodes_in(path).enumerate() {
        let node = graph.node(ix);
        let is_symbol = !matches!(
            node.kind(),
            NodeKind::Repository
                | NodeKind::Directory
                | NodeKind::File
                | NodeKind::Document
                | NodeKind::Module
        );
        if is_symbol && node.lines().0 > 0 {
            spans.push(Span {
                nth: nth as u32,
                lines: node.lines(),
                name: node.qualified(),
                signature: node.signature(),
                doc: node.doc(),
            });
        }
    }
    spans
}

/// Relations between files, from those of what is in them.
fn related(graph: &Graph, text: &TextIndex) -> Vec<Vec<(FileIx, f32)>> {
    let mut file_of = vec![None; graph.node_count()];
    for (at, file) in text.files().iter().enumerate() {
        for node in graph.nodes_in(&file.path) {
            file_of[node.index()] = Some(at as FileIx);
        }
    }
    let mut pairs: Vec<(FileIx, FileIx, f32)> = Vec::new();
    for edge in graph.edges() {
        let weight = match edge.kind {
            EdgeKind::Calls | EdgeKind::Inherits | EdgeKind::Implements => 1.0,
            EdgeKind::Imports | EdgeKind::References | EdgeKind::DependsOn => 0.5,
            _ => continue,
        };
        if let (Some(source), Some(target)) = (file_of[edge.source.index()], file_of[edge.target.index()])
            && source != target
        {
            pairs.push((source, target, weight));
            pairs.push((target, source, weight));
        }
    }
    pairs.sort_by_key(|&(source, target, _)| (source, target));
    let mut related = vec![Vec::new(); text.files().len()];
    for run in pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let weight: f32 = run.iter().map(|&(_, _, weight)| weight).sum();
        related[run[0].0 as usize].push((run[0].1, weight.ln_1p()));
    }
    for list in &mut related {
        let sum: f32 = list.iter().map(|&(_, weight)| weight).sum();
        list.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    related
}
