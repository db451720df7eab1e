//! Seek: from a question to the symbols and files that answer it, each with its reasons.

use std::cell::RefCell;

use m1nd_graph::{Graph, NodeFlags, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

use crate::corpus::Corpus;
use crate::fuse::{self, Evidence, FIRST, Ranking, SIGNALS, Signal, Tuning, Weights};
use crate::spell::spelled;
use crate::text::{Bm25, FileIx, Term, Terms, UnitIx, parts_of, raw_words, terms_of_text};

/// Symbols shown of one file before other files had their turn.
const PER_FILE: usize = 2;
/// A further symbol of a file is worth showing when it fits at least this well, measured by the first.
const SECOND: f32 = 0.3;
/// How much more a symbol fits whose own name is all of the question.
const NAMED: f32 = 1.5;
/// What is left of a test beside the product in the same file.
const BESIDE: f32 = 0.3;
/// Words of the question that are named as a reason.
const MAX_WORDS: usize = 4;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question<'q> {
    pub query: &'q str,
    /// Words of it that stand in files which are no code, and so are no mistakes.
    pub elsewhere: &'q [String],
    /// Results wanted.
    pub top_k: usize,
    /// Whether relations and common changes of the best files count.
    pub graph: Graphed,
    pub min_score: f32,
    pub tests: Tests,
}

/// Whether tests are what is looked for. Otherwise the product comes first, which is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    Wanted,
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graphed {
    Yes,
    No,
}

/// One symbol or file.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub node: NodeIx,
    pub file: FileIx,
    /// From 0 to 1.
    pub score: f32,
    pub breakdown: Breakdown,
    /// Words of the question that stand in it, most telling first.
    pub words: Vec<String>,
}

/// How much of the score comes from where.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Breakdown {
    /// Words of the code and of paths.
    pub lexical: f32,
    /// Words that earlier changes were described in.
    pub semantic: f32,
    /// Relations to other good files.
    pub graph: f32,
    /// How often and how lately it changed.
    pub temporal: f32,
}

/// A file with its best symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHit {
    pub hit: Hit,
    pub symbols: Vec<NodeIx>,
}

/// Everything a question found, before it is cut into results.
pub struct Found<'c> {
    corpus: &'c Corpus,
    graph: &'c Graph,
    ranking: Ranking,
    weights: [f32; SIGNALS],
    /// Files, best first.
    files: Vec<FileIx>,
    words: Vec<Word>,
    /// The terms of single words, in order.
    telling: Vec<Term>,
    /// How much words tell, as far as it was asked: counting where a word stands costs as much as it stands there.
    weighed: RefCell<FxHashMap<Term, f32>>,
    /// Names say the same words again and again.
    cut: RefCell<Terms>,
    /// Words that nothing has, and what they were read as.
    read_as: Vec<(String, String)>,
    question: &'c Question<'c>,
}

/// A symbol that has words of the question.
struct Fitting {
    node: NodeIx,
    unit: UnitIx,
    fits: f32,
}

/// A word as it was said.
struct Word {
    said: String,
    /// Of an identifier the whole.
    term: Term,
    /// The parts of an identifier.
    parts: Vec<(String, Term)>,
}

impl<'c> Found<'c> {
    /// Asks; `admits` says which paths count.
    pub fn of(
        corpus: &'c Corpus,
        graph: &'c Graph,
        question: &'c Question<'c>,
        admits: impl Fn(&str) -> bool,
    ) -> Self {
        let mut weights = Weights::default();
        if question.graph == Graphed::No {
            weights.last = weights.first;
            Signal::ALL[FIRST..].iter().for_each(|&signal| fuse::without(&mut weights.closer, signal));
        }
        if question.tests == Tests::Wanted {
            weights.first[Signal::Test as usize] = 0.0;
            weights.last[Signal::Test as usize] = 0.0;
            fuse::without(&mut weights.closer, Signal::Test);
        }
        let sum = |part: fn(&f32) -> bool| weights.last.iter().filter(|weight| part(weight)).sum::<f32>();
        // What only holds a file back must not make it vanish; that a test was not asked for may.
        let held_back = -sum(|weight| *weight < 0.0) + weights.last[Signal::Test as usize];
        let most = sum(|weight| *weight > 0.0) + held_back;
        let shown = |evidence: &Evidence, file: FileIx, score: f32| {
            let says = evidence.has_words(file) && admits(corpus.text.path(file));
            // The root spreads the low end, where most files are.
            if says { ((score + held_back).max(0.0) / most).sqrt() } else { 0.0 }
        };
        let spelled = spelled(corpus, question.query, question.elsewhere);
        let ranking = fuse::rank(corpus, &spelled.query, &weights, &Tuning::default(), shown);
        let files = fuse::best(&ranking.scores, ranking.scores.len());
        let mut files: Vec<FileIx> =
            files.into_iter().filter(|&file| ranking.scores[file as usize] >= question.min_score).collect();
        // Company of files that are not admitted is no answer where nothing else is one.
        if !files.iter().any(|&file| ranking.evidence.has_own_words(file)) {
            files.clear();
        }
        let words = words_of(corpus, &spelled.query);
        let mut telling: Vec<Term> =
            raw_words(&spelled.query).flat_map(parts_of).flat_map(terms_of_text).collect();
        telling.sort_unstable();
        telling.dedup();
        Self {
            corpus,
            graph,
            ranking,
            weights: weights.last.map(|weight| weight / most),
            files,
            words,
            telling,
            weighed: RefCell::default(),
            cut: RefCell::default(),
            read_as: spelled.read_as,
            question,
        }
    }

    /// Words of the question that nothing has, and what they were read as.
    pub fn read_as(&self) -> &[(String, String)] {
        &self.read_as
    }

    /// How many symbols could have been shown, and of how many files. Counting ends when there are more than `enough`.
    pub fn symbol_count(&self, kinds: &dyn Fn(NodeKind) -> bool, enough: usize) -> (usize, usize) {
        let least = usize::from(kinds(NodeKind::File));
        let of = |&file: &FileIx| {
            let (units, score) = (self.best_units(file, kinds), self.ranking.scores[file as usize]);
            let first = units.first().map_or(1.0, |one| one.fits);
            let fits = |one: &&Fitting| score * one.fits / first >= self.question.min_score;
            units.iter().filter(fits).count().max(if units.is_empty() { least } else { 0 })
        };
        let (mut symbols, mut files) = (0, 0);
        for count in self.files.iter().map(of) {
            symbols += count;
            files += usize::from(count > 0);
            if symbols > enough {
                break;
            }
        }
        (symbols, files)
    }

    /// Whether more files than these could have been shown.
    pub fn has_more_files(&self, kinds: &dyn Fn(NodeKind) -> bool, than: usize) -> bool {
        let is_shown = |file: &&FileIx| kinds(NodeKind::File) || !self.best_units(**file, kinds).is_empty();
        self.files.iter().filter(is_shown).nth(than).is_some()
    }

    /// What every signal says.
    pub fn evidence(&self) -> &Evidence {
        &self.ranking.evidence
    }

    /// The rank of a file, from 1.
    pub fn place(&self, file: FileIx) -> Option<usize> {
        self.files.iter().position(|&found| found == file).map(|at| at + 1)
    }

    /// How many files could have been shown.
    pub fn candidates(&self) -> usize {
        self.files.len()
    }

    /// Files with their best symbols of some kinds; without such a symbol only where files themselves are wanted.
    pub fn files(&self, kinds: &dyn Fn(NodeKind) -> bool) -> Vec<FileHit> {
        let hits = self.files.iter().filter_map(|&file| {
            let units = self.best_units(file, kinds).into_iter().take(PER_FILE);
            let symbols: Vec<NodeIx> = units.map(|one| one.node).collect();
            if symbols.is_empty() && !kinds(NodeKind::File) {
                return None;
            }
            let node = self.graph.node_by_path(self.corpus.text.path(file))?;
            Some(FileHit { hit: self.hit(node, file, self.ranking.scores[file as usize], None), symbols })
        });
        hits.take(self.question.top_k).collect()
    }

    /// Symbols: two of a file, and further ones where all files had their turn.
    pub fn symbols(&self, kinds: &dyn Fn(NodeKind) -> bool) -> Vec<Hit> {
        let (mut hits, mut further) = (Vec::new(), Vec::new());
        for &file in &self.files {
            // Later files score less than the last result would.
            let score = self.ranking.scores[file as usize];
            if hits.len() >= self.question.top_k * 2 {
                break;
            }
            let units = self.best_units(file, kinds);
            if units.is_empty() && kinds(NodeKind::File) {
                let node = self.graph.node_by_path(self.corpus.text.path(file));
                hits.extend(node.map(|node| self.hit(node, file, score, None)));
            }
            let first = units.first().map_or(1.0, |one| one.fits);
            for (nth, one) in units.into_iter().enumerate() {
                let score = score * one.fits / first;
                match nth {
                    0..PER_FILE => hits.push(self.hit(one.node, file, score, Some(one.unit))),
                    _ => further.push((score, file, one)),
                }
            }
        }
        // A second symbol scores less than its file.
        hits.retain(|hit| hit.score >= self.question.min_score);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.node.cmp(&b.node)));
        hits.truncate(self.question.top_k);
        further.retain(|(score, ..)| *score >= self.question.min_score);
        further.sort_by(|(a, _, one), (b, _, other)| b.total_cmp(a).then_with(|| one.node.cmp(&other.node)));
        // They come after what scores less than they do, and so score no more.
        let least = hits.last().map_or(1.0, |hit| hit.score);
        further.truncate(self.question.top_k - hits.len());
        let further = further.into_iter();
        hits.extend(
            further.map(|(score, file, one)| self.hit(one.node, file, score.min(least), Some(one.unit))),
        );
        hits
    }

    /// The best symbols of one file, whatever its place.
    pub fn symbols_of(&self, path: &str, kinds: &dyn Fn(NodeKind) -> bool) -> Vec<Hit> {
        let Some(file) = self.corpus.text.file(path) else { return Vec::new() };
        let units = self.best_units(file, kinds).into_iter().take(PER_FILE);
        units.map(|one| self.hit(one.node, file, 1.0, Some(one.unit))).collect()
    }

    /// The symbols of a file that have words of the question and fit well enough beside the best of them, best first.
    fn best_units(&self, file: FileIx, kinds: &dyn Fn(NodeKind) -> bool) -> Vec<Fitting> {
        let text = &self.corpus.text;
        let first = self.graph.nodes_in(text.path(file)).next();
        let Some(first) = first else { return Vec::new() };
        let scores = &self.ranking.evidence.units;
        let units = text.units_of(file).filter_map(|unit| {
            let node = NodeIx(first.0 + text.unit(unit).nth?);
            let fits = scores[unit as usize];
            (fits > 0.0 && kinds(self.graph.node(node).kind())).then(|| Fitting {
                node,
                unit,
                fits: fits * self.worth(node),
            })
        });
        let mut units: Vec<Fitting> = units.collect();
        units.sort_by(|a, b| b.fits.total_cmp(&a.fits).then_with(|| a.node.cmp(&b.node)));
        let least = units.first().map_or(0.0, |first| first.fits * SECOND);
        units.retain(|one| one.fits >= least);
        units
    }

    /// What a symbol's words are worth: more where its own name says them and not only the type around it, less in a test that
    /// stands beside what it tests.
    fn worth(&self, node: NodeIx) -> f32 {
        let node = self.graph.node(node);
        let is_test = node.kind() == NodeKind::Test || node.flags().has(NodeFlags::TEST_CODE);
        let beside = if is_test && self.question.tests == Tests::After { BESIDE } else { 1.0 };
        let text = &self.corpus.text;
        let count = |term: Term| Bm25::idf(text.files_with(term).max(1), text.files().len());
        let idf = |term: Term| *self.weighed.borrow_mut().entry(term).or_insert_with(|| count(term));
        let (mut own, mut said) = (0.0, 0.0);
        let mut known: Vec<Term> = Vec::new();
        let mut cut = self.cut.borrow_mut();
        for part in parts_of(node.label()) {
            cut.each(part, |term| {
                if !known.contains(&term) {
                    known.push(term);
                    own += idf(term);
                    said += if self.telling.binary_search(&term).is_ok() { idf(term) } else { 0.0 };
                }
            });
        }
        // How much of the name the question says, and how much of the question the name.
        let precise = if own > 0.0 { said / own } else { 0.0 };
        let whole: f32 = self.telling.iter().map(|&term| idf(term)).sum();
        let covered = if whole > 0.0 { (said / whole).min(1.0) } else { 0.0 };
        (1.0 + NAMED * precise * covered.sqrt()) * beside
    }

    fn hit(&self, node: NodeIx, file: FileIx, score: f32, unit: Option<UnitIx>) -> Hit {
        let units = match unit {
            Some(unit) => unit..unit + 1,
            None => self.corpus.text.units_of(file),
        };
        let stands = |term: Term| {
            self.corpus.text.has(&units, term)
                || self.corpus.text.in_paths(term).0.binary_search(&file).is_ok()
        };
        let mut words: Vec<String> = Vec::new();
        for word in &self.words {
            // Where an identifier as a whole is not there, only what is there of it may be said.
            let parts = word.parts.iter().filter(|(_, term)| stands(*term)).map(|(part, _)| part);
            let there: Vec<&String> = if stands(word.term) { vec![&word.said] } else { parts.collect() };
            for said in there {
                if !words.iter().any(|known| known.eq_ignore_ascii_case(said)) {
                    words.push(said.clone());
                }
            }
        }
        words.truncate(MAX_WORDS);
        Hit { node, file, score, breakdown: self.breakdown(file), words }
    }

    fn breakdown(&self, file: FileIx) -> Breakdown {
        let mut parts = Breakdown::default();
        for &signal in Signal::ALL {
            let value =
                self.weights[signal as usize] * self.ranking.evidence.files[signal as usize][file as usize];
            let part = match signal {
                Signal::Said | Signal::Resembling | Signal::Widely | Signal::Closely => &mut parts.semantic,
                Signal::Together
                | Signal::Related
                | Signal::Sibling
                | Signal::Tested
                | Signal::Exercised
                | Signal::Ties => &mut parts.graph,
                Signal::Churn | Signal::Recency | Signal::Touched => &mut parts.temporal,
                _ => &mut parts.lexical,
            };
            *part += value;
        }
        parts
    }
}

/// The words of a question as they were said, most telling first.
fn words_of(corpus: &Corpus, query: &str) -> Vec<Word> {
    let mut words: Vec<(usize, Word)> = Vec::new();
    for said in raw_words(query) {
        let terms = terms_of_text(said);
        // Of an identifier the whole comes last, after its parts.
        let Some(&term) = terms.last() else { continue };
        let rarest = terms.iter().map(|&term| corpus.text.files_with(term)).filter(|&with| with > 0).min();
        let parts = parts_of(said).filter_map(|part| match terms_of_text(part)[..] {
            [of_part] if of_part != term => Some((part.to_lowercase(), of_part)),
            _ => None,
        });
        if let Some(rarest) = rarest
            && !words.iter().any(|(_, known)| known.said == said)
        {
            words.push((rarest, Word { said: said.to_owned(), term, parts: parts.collect() }));
        }
    }
    words.sort_by_key(|(rarest, _)| *rarest);
    words.into_iter().map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use m1nd_graph::{GraphBuilder, NodeSpec, ids};

    use super::*;
    use crate::corpus::{self, NamedCommit};
    use crate::text::{FileBag, Source, TextIndex};

    const FILES: [(&str, &str); 6] = [
        (
            "src/cache.py",
            "def evict(key):\n    drop(key)\n\ndef expire(key):\n    evict(key)\n\ndef evict_all():\n    pass\n",
        ),
        ("src/http.py", "def send(request):\n    pool.send(request)\n"),
        ("src/pool.py", "def acquire():\n    # waits for a free connection of a LeaseHolder\n    pass\n"),
        ("tests/test_cache.py", "def test_evict():\n    evict(1)\n"),
        ("src/spiderloader.py", "def find():\n    return spiders()\n"),
        ("src/start.py", "def begin():\n    return SpiderLoader()\n"),
    ];

    fn graph() -> Graph {
        let mut builder = GraphBuilder::new();
        for (path, text) in FILES {
            let mut file = NodeSpec::new(NodeKind::File, ids::node_id(NodeKind::File, path, ""), path);
            file.path = path.to_owned();
            file.language = "python".to_owned();
            (file.line_start, file.line_end) = (1, text.lines().count() as u32);
            builder.node(file);
            let starts: Vec<usize> = text
                .lines()
                .enumerate()
                .filter(|(_, line)| line.starts_with("def"))
                .map(|(at, _)| at + 1)
                .collect();
            for (nth, &start) in starts.iter().enumerate() {
                let line = text.lines().nth(start - 1).unwrap();
                let name = line["def ".len()..].split('(').next().unwrap();
                let kind = NodeKind::Function;
                let mut spec = NodeSpec::new(kind, ids::node_id(kind, path, name), name);
                spec.path = path.to_owned();
                spec.qualified = name.to_owned();
                spec.line_start = start as u32;
                spec.line_end = starts.get(nth + 1).map_or(text.lines().count(), |next| next - 1) as u32;
                builder.node(spec);
            }
        }
        builder.finish(1)
    }

    fn corpus(graph: &Graph, commits: &[(&str, &str)]) -> Corpus {
        let bags = FILES.iter().map(|&(path, text)| {
            Arc::new(FileBag::of(&Source { path, text, spans: corpus::spans(graph, path) }))
        });
        let text = TextIndex::of(bags.collect());
        let files: Vec<[String; 1]> = commits.iter().map(|(_, file)| [(*file).to_owned()]).collect();
        let named = commits.iter().zip(&files).map(|((message, _), files)| NamedCommit {
            message,
            time_ms: 0,
            files: &files[..],
        });
        Corpus::of(text, named, Some(graph))
    }

    fn ask(commits: &[(&str, &str)], query: &str, scope: &str) -> Vec<String> {
        let graph = graph();
        let corpus = corpus(&graph, commits);
        let tests = if scope == "tests/" { Tests::Wanted } else { Tests::After };
        let question =
            Question { query, elsewhere: &[], top_k: 10, graph: Graphed::Yes, min_score: 0.0, tests };
        let found = Found::of(&corpus, &graph, &question, |path| path.starts_with(scope));
        let hits = found.symbols(&|_| true);
        assert_eq!(
            hits,
            Found::of(&corpus, &graph, &question, |path| path.starts_with(scope)).symbols(&|_| true)
        );
        hits.iter().map(|hit| format!("{} ({})", graph.node(hit.node).id(), hit.words.join(" "))).collect()
    }

    #[test]
    fn words_find_symbols_and_a_file_shows_a_third_when_the_others_had_their_turn() {
        let found = ask(&[], "evict a key", "src/");
        assert_eq!(found[0], "function::src/cache.py::evict (key evict)");
        let of_one: Vec<usize> = (0..found.len()).filter(|&at| found[at].contains("cache.py")).collect();
        assert_eq!((of_one.len(), of_one[2]), (3, found.len() - 1), "{found:?}");
    }

    #[test]
    fn no_symbol_scores_less_than_was_asked_for() {
        let graph = graph();
        let corpus = corpus(&graph, &[]);
        let scores = |min_score: f32| -> Vec<f32> {
            let question = Question {
                query: "evict a key",
                elsewhere: &[],
                top_k: 10,
                graph: Graphed::Yes,
                min_score,
                tests: Tests::After,
            };
            let found = Found::of(&corpus, &graph, &question, |_| true);
            found.symbols(&|_| true).iter().map(|hit| hit.score).collect()
        };
        let all = scores(0.0);
        let (first, last) = (all[0], all[all.len() - 1]);
        assert!(last < first, "{all:?}");
        // A threshold between a file's score and that of its second symbol.
        for least in all.iter().copied().map(|score| score + 1e-4).filter(|&least| least <= first) {
            assert!(scores(least).iter().all(|&score| score >= least), "{least} {:?}", scores(least));
        }
    }

    #[test]
    fn of_an_identifier_that_is_not_there_only_its_parts_are_claimed() {
        let found = ask(&[], "evictKey, then evict_all", "src/");
        assert!(found.contains(&"function::src/cache.py::evict (evict key)".to_owned()), "{found:?}");
        assert!(
            found.contains(&"function::src/cache.py::evict_all (evict evict_all)".to_owned()),
            "{found:?}"
        );
    }

    #[test]
    fn an_identifier_in_small_letters_is_found_as_a_whole() {
        let found = ask(&[], "leaseholder", "src/");
        assert!(found.first().is_some_and(|found| found.contains("src/pool.py")), "{found:?}");
    }

    #[test]
    fn an_identifier_in_small_letters_is_found_beside_a_file_of_its_name() {
        let found = ask(&[], "spiderloader fails", "src/");
        for file in ["src/spiderloader.py", "src/start.py"] {
            assert!(found.iter().any(|found| found.contains(file)), "{file} {found:?}");
        }
    }

    #[test]
    fn a_word_that_nothing_has_is_read_as_the_nearest() {
        assert!(ask(&[], "conection", "").first().is_some_and(|found| found.contains("acquire")));
    }

    #[test]
    fn what_changes_were_called_finds_files_that_do_not_say_it() {
        let commits = [("stop leaking sockets", "src/pool.py"), ("tidy", "src/http.py")];
        let found = ask(&commits, "leaking sockets", "");
        assert!(found[0].contains("src/pool.py"), "{found:?}");
        assert!(ask(&[], "leaking sockets", "").is_empty());
    }

    #[test]
    fn words_that_nothing_has_find_nothing_however_often_files_change() {
        let commits = [("tidy", "src/pool.py"), ("tidy", "src/pool.py"), ("tidy", "src/http.py")];
        assert_eq!(ask(&commits, "leaking sockets", ""), [] as [&str; 0]);
        assert_eq!(ask(&commits, "the of and", ""), [] as [&str; 0]);
    }

    #[test]
    fn the_product_comes_before_its_tests() {
        let found = ask(&[], "evict", "");
        assert!(found[0].contains("src/cache.py"), "{found:?}");
        assert_eq!(ask(&[], "evict", "tests/").len(), 1);
    }
}
