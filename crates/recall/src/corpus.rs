//! The corpus: everything a question is put to, consistent with itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_graph::{EdgeKind, Graph, NodeKind};

use crate::fuse::{HABITS, Signal, best, normalise};
use crate::past::{Past, PastCommit};
use crate::place;
use crate::text::{FileIx, Span, TextIndex};

/// Words, past and relations of one generation of files.
#[derive(Debug, Default)]
pub struct Corpus {
    pub text: Arc<TextIndex>,
    pub past: Past,
    /// For each file, the files it uses or is used by, with shares that add up to at most 1.
    pub related: Vec<Vec<(FileIx, f32)>>,
    /// For each file, those with its name and those in its folder.
    pub siblings: Vec<Vec<(FileIx, f32)>>,
    /// For each file, its tests, or what it tests, going by names.
    pub pairs: Vec<Vec<FileIx>>,
    /// Files that change most often these days, first ones first.
    pub busiest: Vec<FileIx>,
    /// What is known of files whatever is asked, in the order of [`crate::fuse::HABITS`].
    pub habits: [Vec<f32>; HABITS.len()],
}

/// A folder with more files than this is no neighbourhood.
const MAX_FOLDER: usize = 40;
/// More files of one name than this are a convention, not a relation.
const MAX_NAMESAKES: usize = 8;
/// Files that are known to change often.
const MAX_BUSIEST: usize = 100;
/// How close files of one folder are; files of one name are 1.
const SAME_FOLDER: f32 = 0.3;

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
        let files = text.files().len();
        let past = past(&text, commits);
        let related = graph.map_or_else(|| vec![Vec::new(); files], |graph| related(graph, &text));
        let siblings = siblings(&text);
        let habits = habits(&text, &past, &related);
        let pairs = pairs(&text);
        let busiest = best(&habits[0], MAX_BUSIEST);
        Self { text: Arc::new(text), past, related, siblings, pairs, busiest, habits }
    }

    /// The same files with another past.
    pub fn with_past<'a>(&self, commits: impl Iterator<Item = NamedCommit<'a>>) -> Self {
        let past = past(&self.text, commits);
        let habits = habits(&self.text, &past, &self.related);
        Self {
            text: Arc::clone(&self.text),
            past,
            related: self.related.clone(),
            siblings: self.siblings.clone(),
            pairs: self.pairs.clone(),
            busiest: best(&habits[0], MAX_BUSIEST),
            habits,
        }
    }

    /// What is known of each file by a signal that does not depend on what is asked; nothing for other signals.
    pub fn habit(&self, signal: Signal) -> &[f32] {
        HABITS.iter().position(|&habit| habit == signal).map_or(&[], |at| &self.habits[at])
    }
}

/// What commits tell of the files, newest first.
fn past<'a>(text: &TextIndex, commits: impl Iterator<Item = NamedCommit<'a>>) -> Past {
    let mut newest = None;
    let commits: Vec<PastCommit<'a>> = commits
        .filter_map(|commit| {
            let newest = *newest.get_or_insert(commit.time_ms);
            let files: Vec<FileIx> = commit.files.iter().filter_map(|path| text.file(path)).collect();
            let age_days = (newest.saturating_sub(commit.time_ms).max(0) as f32) / 86_400_000.0;
            (!files.is_empty()).then_some(PastCommit { message: commit.message, age_days, files })
        })
        .collect();
    Past::of(&commits, text.files().len())
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

fn habits(text: &TextIndex, past: &Past, related: &[Vec<(FileIx, f32)>]) -> [Vec<f32>; HABITS.len()] {
    let files = 0..text.files().len() as FileIx;
    HABITS.map(|signal| {
        let is = |holds: bool| f32::from(u8::from(holds));
        let of = |file: FileIx| match signal {
            Signal::Churn => past.churn(file).ln_1p(),
            Signal::Recency => past.recency(file),
            Signal::Size => text.length(file).ln_1p(),
            Signal::Touched => (past.touched(file) as f32).ln_1p(),
            Signal::Ties => (related[file as usize].len() as f32).ln_1p(),
            Signal::Test => is(place::is_test(text.path(file))),
            _ => is(place::is_beside(text.path(file)) && !place::is_test(text.path(file))),
        };
        let mut values: Vec<f32> = files.clone().map(of).collect();
        normalise(&mut values);
        values
    })
}

fn siblings(text: &TextIndex) -> Vec<Vec<(FileIx, f32)>> {
    let mut siblings: Vec<Vec<(FileIx, f32)>> = vec![Vec::new(); text.files().len()];
    let key = |path: &str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        (folder.to_owned(), name.split('.').next().unwrap_or(name).to_owned())
    };
    let keys: Vec<(String, String)> = text.files().iter().map(|file| key(&file.path)).collect();
    let mut by_name: BTreeMap<&str, Vec<FileIx>> = BTreeMap::new();
    let mut by_folder: BTreeMap<&str, Vec<FileIx>> = BTreeMap::new();
    for (at, (folder, name)) in keys.iter().enumerate() {
        by_name.entry(name).or_default().push(at as FileIx);
        by_folder.entry(folder).or_default().push(at as FileIx);
    }
    let namesakes = by_name.values().filter(|group| group.len() <= MAX_NAMESAKES).map(|group| (group, 1.0));
    let neighbours =
        by_folder.values().filter(|group| group.len() <= MAX_FOLDER).map(|group| (group, SAME_FOLDER));
    for (group, share) in namesakes.chain(neighbours) {
        for &one in group {
            siblings[one as usize]
                .extend(group.iter().filter(|&&other| other != one).map(|&other| (other, share)));
        }
    }
    siblings
}

/// Tests and what they are called after.
fn pairs(text: &TextIndex) -> Vec<Vec<FileIx>> {
    let mut by_subject: BTreeMap<String, Vec<FileIx>> = BTreeMap::new();
    for (at, file) in text.files().iter().enumerate() {
        by_subject.entry(place::subject(&file.path)).or_default().push(at as FileIx);
    }
    let mut pairs = vec![Vec::new(); text.files().len()];
    for group in by_subject.values().filter(|group| group.len() <= MAX_NAMESAKES) {
        for &one in group {
            let is_test = place::is_test(text.path(one));
            let others = group.iter().filter(|&&other| place::is_test(text.path(other)) != is_test);
            pairs[one as usize].extend(others);
        }
    }
    pairs
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
