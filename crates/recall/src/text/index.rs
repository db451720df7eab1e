//! The index of a repository's words: by file, and by symbol within it.
//!
//! Why not a text engine: the whole index is an array of numbers that is rebuilt from the bags of its files in
//! less time than an engine needs to commit and merge one segment, needs no files of its own, and one walk over a
//! term's postings gives the scores of symbols and of files together, which an engine would keep in two indexes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::fields::{Counts, FIELDS, Field, FileBag};
use super::postings::{Bm25, Postings};
use super::words::{Term, Terms};

/// Position of a file in the index, in the order of paths.
pub type FileIx = u32;
/// Position of a unit in the index: what is outside all symbols of a file, then its symbols in graph order.
pub type UnitIx = u32;

/// How much each field counts.
pub type FieldWeights = [f32; FIELDS];

/// All words of all files.
#[derive(Debug, Default)]
pub struct TextIndex {
    files: Vec<Arc<FileBag>>,
    /// The first unit of each file, and the number of units.
    starts: Vec<UnitIx>,
    unit_file: Vec<FileIx>,
    /// Relative to the mean.
    unit_length: Vec<f32>,
    file_length: Vec<f32>,
    postings: Postings<Counts>,
    paths: Postings<PathPart>,
    by_path: FxHashMap<String, FileIx>,
}

/// Where in a path a term stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathPart {
    pub in_name: u8,
    pub in_folders: u8,
    /// How many terms the name and the folder before it have.
    pub name_terms: u8,
}

/// How the words of a question count.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    pub fields: &'a FieldWeights,
    pub fields_bm25: Bm25,
    pub unit_bm25: Bm25,
    /// Of names alone.
    pub name_bm25: Bm25,
}

/// What the words of a question say: of files by all words alike, by fields, by names, and by whether a word is there; of units
/// by fields, by names, and by whether a word is there.
#[derive(Debug)]
pub struct Scores<'a> {
    pub text: &'a mut [f32],
    pub fields: &'a mut [f32],
    pub names: &'a mut [f32],
    pub coverage: &'a mut [f32],
    pub units: &'a mut [f32],
    pub unit_names: &'a mut [f32],
    pub unit_coverage: &'a mut [f32],
}

/// A symbol, or the rest of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    pub file: FileIx,
    /// The position of its node among those of the file; nothing for what is outside all symbols.
    pub nth: Option<u32>,
}

impl TextIndex {
    /// An index of these files.
    pub fn of(mut files: Vec<Arc<FileBag>>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut starts = Vec::with_capacity(files.len() + 1);
        let (mut unit_file, mut unit_length, mut file_length) = (Vec::new(), Vec::new(), Vec::new());
        for (at, file) in files.iter().enumerate() {
            starts.push(unit_file.len() as UnitIx);
            for &length in &file.lengths {
                unit_file.push(at as FileIx);
                unit_length.push(length as f32);
            }
            file_length.push(file.lengths.iter().sum::<u32>() as f32);
        }
        starts.push(unit_file.len() as UnitIx);
        relative(&mut unit_length);
        relative(&mut file_length);
        let file_of = |unit: UnitIx| unit_file[unit as usize];
        let postings = Postings::grouped(file_of, |add| {
            for (at, file) in files.iter().enumerate() {
                for entry in file.entries() {
                    add(entry.term, starts[at] + entry.unit, entry.counts);
                }
            }
        });
        let parts: Vec<Vec<(Term, PathPart)>> = files.iter().map(|file| path_parts(&file.path)).collect();
        let paths = Postings::of(|add| {
            for (at, parts) in parts.iter().enumerate() {
                for &(term, part) in parts {
                    add(term, at as FileIx, part);
                }
            }
        });
        let by_path = files.iter().enumerate().map(|(at, file)| (file.path.clone(), at as FileIx)).collect();
        Self { files, starts, unit_file, unit_length, file_length, postings, paths, by_path }
    }

    pub fn files(&self) -> &[Arc<FileBag>] {
        &self.files
    }

    pub fn file(&self, path: &str) -> Option<FileIx> {
        self.by_path.get(path).copied()
    }

    pub fn path(&self, file: FileIx) -> &str {
        &self.files[file as usize].path
    }

    pub fn unit_count(&self) -> usize {
        self.unit_file.len()
    }

    /// Entries in the postings.
    pub fn posting_count(&self) -> usize {
        self.postings.len()
    }

    pub fn unit(&self, unit: UnitIx) -> Unit {
        let file = self.unit_file[unit as usize];
        let nth = (unit - self.starts[file as usize]) as usize;
        Unit { file, nth: nth.checked_sub(1).map(|at| self.files[file as usize].nth[at]) }
    }

    /// How many words a file has, relative to the mean.
    pub fn length(&self, file: FileIx) -> f32 {
        self.file_length[file as usize]
    }

    /// The units of a file.
    pub fn units_of(&self, file: FileIx) -> std::ops::Range<UnitIx> {
        self.starts[file as usize]..self.starts[file as usize + 1]
    }

    /// Whether a term stands in one of these units.
    pub fn has(&self, units: &std::ops::Range<UnitIx>, term: Term) -> bool {
        let (with, _) = self.postings.of_term(term);
        let at = with.partition_point(|&unit| unit < units.start);
        with.get(at).is_some_and(|&unit| unit < units.end)
    }

    /// In how many files a term stands.
    pub fn files_with(&self, term: Term) -> usize {
        self.postings.groups(term)
    }

    /// Adds what one term says to all scores that a question asks for, in one walk.
    pub fn score_all(&self, term: Term, idf: f32, rules: &Rules<'_>, scores: &mut Scores<'_>) {
        let (units, counts) = self.postings.of_term(term);
        let mut at = 0;
        while at < units.len() {
            let file = self.unit_file[units[at] as usize] as usize;
            let (end, length) = (self.starts[file + 1], self.file_length[file]);
            let (mut all, mut fields, mut names) = (0.0, 0.0, 0.0);
            while at < units.len() && units[at] < end {
                let (unit, counts) = (units[at] as usize, &counts[at]);
                let weighed = weighted(counts, rules.fields);
                let name = f32::from(counts[Field::Name as usize]);
                all += weighted(counts, &[1.0; FIELDS]);
                fields += weighed;
                names += name;
                scores.units[unit] += rules.unit_bm25.score(idf, weighed, self.unit_length[unit]);
                scores.unit_names[unit] += rules.name_bm25.score(idf, name, self.unit_length[unit]);
                scores.unit_coverage[unit] += idf;
                at += 1;
            }
            scores.text[file] += Bm25::USUAL.score(idf, all, length);
            scores.fields[file] += rules.fields_bm25.score(idf, fields, length);
            scores.names[file] += rules.name_bm25.score(idf, names, length);
            scores.coverage[file] += idf;
        }
    }

    /// Adds what one term says to the scores of files.
    pub fn score_files(&self, term: Term, idf: f32, bm25: Bm25, weights: &FieldWeights, scores: &mut [f32]) {
        let (units, counts) = self.postings.of_term(term);
        let mut at = 0;
        while at < units.len() {
            let file = self.unit_file[units[at] as usize];
            let end = self.starts[file as usize + 1];
            let mut frequency = 0.0;
            while at < units.len() && units[at] < end {
                frequency += weighted(&counts[at], weights);
                at += 1;
            }
            scores[file as usize] += bm25.score(idf, frequency, self.file_length[file as usize]);
        }
    }

    /// Hands over every file that has the term, once, in order, and whether it defines a name with it.
    pub fn each_file_with(&self, term: Term, mut found: impl FnMut(FileIx, bool)) {
        let (units, counts) = self.postings.of_term(term);
        let mut at = 0;
        while at < units.len() {
            let file = self.unit_file[units[at] as usize];
            let end = self.starts[file as usize + 1];
            let mut is_name = false;
            while at < units.len() && units[at] < end {
                is_name |= counts[at][Field::Name as usize] > 0;
                at += 1;
            }
            found(file, is_name);
        }
    }

    /// The terms of a file, each once, and whether it defines a name with it.
    pub fn words_of(&self, file: FileIx) -> Vec<(Term, bool)> {
        let mut words: Vec<(Term, bool)> = Vec::new();
        for entry in self.files[file as usize].entries() {
            let is_name = entry.counts[Field::Name as usize] > 0;
            match words.last_mut().filter(|(term, _)| *term == entry.term) {
                Some((_, known)) => *known |= is_name,
                None => words.push((entry.term, is_name)),
            }
        }
        words
    }

    /// The terms of a file's own name, or of its folder's where the name says nothing.
    pub fn terms_of_name(path: &str) -> Vec<Term> {
        let parts = path_parts(path).into_iter().filter(|(_, part)| part.in_name > 0);
        parts.map(|(term, _)| term).collect()
    }

    /// Adds what one term says to the scores of units.
    pub fn score_units(&self, term: Term, idf: f32, bm25: Bm25, weights: &FieldWeights, scores: &mut [f32]) {
        let (units, counts) = self.postings.of_term(term);
        for (&unit, counts) in units.iter().zip(counts) {
            let unit = unit as usize;
            scores[unit] += bm25.score(idf, weighted(counts, weights), self.unit_length[unit]);
        }
    }

    /// Adds what one term says to the scores of units whose comments, strings or docs have it.
    pub fn score_prose(&self, term: Term, idf: f32, scores: &mut [f32]) {
        self.score_units(term, idf, Bm25 { k1: 0.2, b: 0.3 }, &PROSE, scores);
    }

    /// Whether comments, strings or docs have a term.
    pub fn is_said(&self, term: Term) -> bool {
        let (_, counts) = self.postings.of_term(term);
        counts.iter().any(|counts| weighted(counts, &PROSE) > 0.0)
    }

    /// Counts one more term for units whose comments, strings or docs have it.
    pub fn count_prose(&self, term: Term, found: &mut [u16]) {
        let (units, counts) = self.postings.of_term(term);
        let having = units.iter().zip(counts).filter(|(_, counts)| weighted(counts, &PROSE) > 0.0);
        having.for_each(|(&unit, _)| found[unit as usize] += 1);
    }

    /// Files in whose path a term stands.
    pub fn in_paths(&self, term: Term) -> (&[FileIx], &[PathPart]) {
        self.paths.of_term(term)
    }
}

/// Comments, strings and docs.
const PROSE: FieldWeights = [0.0, 0.0, 1.0, 1.0, 0.0];

fn weighted(counts: &Counts, weights: &FieldWeights) -> f32 {
    counts.iter().zip(weights).map(|(&count, weight)| f32::from(count) * weight).sum()
}

fn relative(lengths: &mut [f32]) {
    let mean = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(1.0);
    lengths.iter_mut().for_each(|length| *length /= mean);
}

/// Names that only say that a folder has a face.
const FACES: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "init"];

fn path_parts(path: &str) -> Vec<(Term, PathPart)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    // A face is called by its folder.
    let (folders, stem) = match (FACES.contains(&stem), folders.rsplit_once('/')) {
        (true, Some((above, folder))) => (above, folder),
        (true, None) if !folders.is_empty() => ("", folders),
        _ => (folders, stem),
    };
    let mut parts: Vec<(Term, PathPart)> = Vec::new();
    let mut terms = Terms::default();
    let mut name_terms = 0_u8;
    let mut add = |term, part: PathPart| match parts.iter_mut().find(|(known, _)| *known == term) {
        Some((_, known)) => {
            known.in_name |= part.in_name;
            known.in_folders |= part.in_folders;
        }
        None => parts.push((term, part)),
    };
    terms.each(stem, |term| {
        name_terms = name_terms.saturating_add(1);
        add(term, PathPart { in_name: 1, ..PathPart::default() });
    });
    terms.each(folders, |term| add(term, PathPart { in_folders: 1, ..PathPart::default() }));
    parts.iter_mut().for_each(|(_, part)| part.name_terms = name_terms);
    parts
}

#[cfg(test)]
mod tests {
    use super::super::fields::{Source, Span};
    use super::super::words::terms_of_text;
    use super::*;

    fn index(files: &[(&str, &str)]) -> TextIndex {
        let bag = |&(path, text): &(&str, &str)| {
            let lines = text.lines().count() as u32;
            let name = text.split_whitespace().next().unwrap_or_default();
            let spans =
                vec![Span { nth: 1, lines: (1, lines.saturating_sub(1)), name, signature: "", doc: "" }];
            Arc::new(FileBag::of(&Source { path, text, spans }))
        };
        TextIndex::of(files.iter().map(bag).collect())
    }

    #[test]
    fn files_and_units_are_scored_by_the_same_walk() {
        let index = index(&[("b.rs", "cache cache\nother"), ("a.rs", "other\ncache")]);
        let term = terms_of_text("cache")[0];
        assert_eq!(index.files_with(term), 2);
        let mut files = vec![0.0; 2];
        index.score_files(term, 1.0, Bm25::USUAL, &[1.0; FIELDS], &mut files);
        assert!(files[1] > files[0], "{files:?}");
        assert_eq!(index.path(1), "b.rs");
        let mut units = vec![0.0; index.unit_count()];
        index.score_units(term, 1.0, Bm25::USUAL, &[1.0; FIELDS], &mut units);
        assert_eq!(units.iter().map(|&score| score > 0.0).collect::<Vec<_>>(), [true, false, false, true]);
        assert_eq!(index.unit(3), Unit { file: 1, nth: Some(1) });
        assert_eq!(index.unit(2), Unit { file: 1, nth: None });
    }

    #[test]
    fn a_face_is_called_by_its_folder() {
        let index = index(&[("src/http/mod.rs", "x\ny"), ("src/http/client.rs", "x\ny")]);
        let (files, parts) = index.in_paths(terms_of_text("http")[0]);
        assert_eq!(files, [0, 1]);
        assert_eq!((parts[1].in_name, parts[0].in_name), (1, 0));
    }
}
