//! Counting commits: pure, so that any source of commits can be tested with any.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_stdx::clock::UnixMs;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// How much of a history is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Newest first.
    pub commits: usize,
    /// A commit that touches more files than this says nothing about any pair of them.
    pub files_per_commit: usize,
    /// Fewer common changes than this are chance.
    pub pair_times: u32,
    /// Pairs kept for one file.
    pub pairs_per_file: usize,
    /// Pairs kept in all.
    pub pairs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { commits: 5_000, files_per_commit: 50, pair_times: 2, pairs_per_file: 100, pairs: 500_000 }
    }
}

/// One commit, as far as counting needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub time: UnixMs,
    pub author: String,
    /// The first line of its message.
    pub subject: String,
    /// Files it changed, by the names they have in it.
    pub files: Vec<String>,
}

/// The history of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHistory {
    pub changed_at: UnixMs,
    pub commits: u32,
    pub fixes: u32,
    /// Who changed it, and how often.
    pub authors: BTreeMap<String, u32>,
}

/// Two files that were changed by the same commits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CoChange {
    pub one: String,
    pub other: String,
    pub times: u32,
}

/// What the looked-at part of a history says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The commit it starts from.
    pub head: String,
    pub files: BTreeMap<String, FileHistory>,
    /// Most frequent first.
    pub pairs: Vec<CoChange>,
    /// Commits looked at.
    pub commits: usize,
    /// Commits that touched too many files to say anything about pairs.
    pub wide_commits: usize,
    /// Whether older commits exist that were not looked at.
    pub is_cut: bool,
    /// Why there is a history that could not be read.
    pub unreadable: Option<String>,
}

impl History {
    /// Counts commits, newest first.
    pub fn of(commits: impl IntoIterator<Item = Commit>, limits: Limits) -> Self {
        let mut history = Self::default();
        let mut paths = Paths::default();
        let mut pairs: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for commit in commits {
            if history.commits == limits.commits {
                history.is_cut = true;
                break;
            }
            history.commits += 1;
            let files: BTreeSet<&String> = commit.files.iter().collect();
            let is_wide = files.len() > limits.files_per_commit;
            history.wide_commits += usize::from(is_wide);
            let fix = is_fix(&commit.subject);
            for file in &files {
                let entry = history.files.entry((*file).clone()).or_default();
                // Clocks of authors disagree; the latest time said counts.
                entry.changed_at = entry.changed_at.max(commit.time);
                if is_wide {
                    continue;
                }
                entry.commits += 1;
                entry.fixes += u32::from(fix);
                *entry.authors.entry(commit.author.clone()).or_default() += 1;
            }
            if is_wide {
                continue;
            }
            let mut files: Vec<u32> = files.into_iter().map(|file| paths.number(file)).collect();
            files.sort_unstable();
            for (at, one) in files.iter().enumerate() {
                for other in &files[at + 1..] {
                    *pairs.entry((*one, *other)).or_default() += 1;
                }
            }
        }
        history.pairs = strongest(&paths, pairs, limits);
        history
    }
}

/// Paths by number, so that a pair of them is two numbers: there are far more pairs than paths.
#[derive(Default)]
struct Paths {
    known: FxHashMap<String, u32>,
    list: Vec<String>,
}

impl Paths {
    fn number(&mut self, path: &str) -> u32 {
        if let Some(&known) = self.known.get(path) {
            return known;
        }
        let next = self.list.len() as u32;
        self.known.insert(path.to_owned(), next);
        self.list.push(path.to_owned());
        next
    }
}

/// The most frequent pairs, with no file in more than its share.
fn strongest(paths: &Paths, pairs: FxHashMap<(u32, u32), u32>, limits: Limits) -> Vec<CoChange> {
    let often = pairs.into_iter().filter(|&(_, times)| times >= limits.pair_times);
    let mut all: Vec<CoChange> = often
        .map(|((one, other), times)| {
            let (one, other) = (&paths.list[one as usize], &paths.list[other as usize]);
            let (one, other) = if one < other { (one, other) } else { (other, one) };
            CoChange { one: one.clone(), other: other.clone(), times }
        })
        .collect();
    all.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.cmp(b)));
    let mut taken: FxHashMap<u32, usize> = FxHashMap::default();
    all.retain(|pair| {
        let ends = [paths.known[&pair.one], paths.known[&pair.other]];
        if ends.iter().any(|end| taken.get(end).is_some_and(|&count| count >= limits.pairs_per_file)) {
            return false;
        }
        for end in ends {
            *taken.entry(end).or_default() += 1;
        }
        true
    });
    all.truncate(limits.pairs);
    all
}

/// Whether a subject says that the commit repairs something that the program does. A mended word, layout or document is no defect.
pub fn is_fix(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    let (kind, _) = lower.split_once(':').unwrap_or(("", &lower));
    let kind = kind.split(['(', '/', '!']).next().unwrap_or_default();
    if BESIDE.contains(&kind) || lower.starts_with("merge ") || lower.contains("pre-commit") {
        return false;
    }
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if has(WORDING) || has(LAYOUT) && !has(DEFECT) {
        return false;
    }
    let mends = |at: usize| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match words[at] {
            // What has a fixed size was not broken, and a test of a regression mends none.
            "fixed" => !FIXED.contains(&next),
            "regression" => !matches!(next, "test" | "tests"),
            word => MENDS.contains(&word),
        }
    };
    (0..words.len()).any(mends)
}

const MENDS: &[&str] = &["fix", "fixes", "fixing", "bugfix", "hotfix", "bug", "bugs", "revert"];
/// Kinds of commits that change nothing that the program does.
const BESIDE: &[&str] = &["docs", "doc", "style", "test", "tests", "chore", "ci", "build", "typo", "lint"];
const WORDING: &[&str] = &[
    "typo",
    "typos",
    "spelling",
    "misspelling",
    "grammar",
    "grammatical",
    "wording",
    "whitespace",
    "lint",
    "lints",
    "linting",
    "linter",
    "flake8",
    "pylint",
    "pycodestyle",
    "mypy",
    "clippy",
    "eslint",
    "rubocop",
    "checkstyle",
    "isort",
    "gofmt",
    "rustfmt",
    "codespell",
    "docstring",
    "docstrings",
    "readme",
    "changelog",
];
/// Words of layout and documents. A program can be about these, too.
const LAYOUT: &[&str] = &[
    "style",
    "styling",
    "formatting",
    "indentation",
    "indent",
    "typing",
    "comment",
    "comments",
    "docs",
    "doc",
    "documentation",
];
/// Words that say that something went wrong.
const DEFECT: &[&str] = &[
    "bug",
    "bugs",
    "crash",
    "crashes",
    "panic",
    "panics",
    "wrong",
    "incorrect",
    "leak",
    "deadlock",
    "race",
    "overflow",
    "segfault",
    "exception",
    "regression",
    "fails",
    "failing",
    "failure",
    "hang",
    "hangs",
];
/// What is fixed by its nature.
const FIXED: &[&str] = &[
    "width", "point", "size", "sized", "length", "seed", "rate", "position", "header", "height", "number",
    "array", "layout", "window", "interval", "order", "offset", "price", "cost", "set",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(time: i64, author: &str, subject: &str, files: &[&str]) -> Commit {
        Commit {
            time: UnixMs(time),
            author: author.to_owned(),
            subject: subject.to_owned(),
            files: files.iter().map(|&f| f.to_owned()).collect(),
        }
    }

    #[test]
    fn a_mended_word_is_no_defect() {
        let fixes =
            ["fix: a crash", "Fixes #12", "docs/ssl: fix typo (#3703)", "Fix lint", "add prefix"].map(is_fix);
        assert_eq!(fixes, [true, true, false, false, false]);
    }

    #[test]
    fn layout_documents_and_fixed_sizes_are_no_defects() {
        for subject in [
            "Fix grammatical error (#4268)",
            "Fix style issues on master using Black",
            "Fix linting error.",
            "fix formatting",
            "fix indentation",
            "fix flake8",
            "fix README",
            "docs: fix link",
            "docs(api): fix link",
            "Fix docstring of f",
            "[pre-commit.ci] auto fixes from pre-commit.com hooks",
            "fix mypy findings",
            "fixed width columns",
            "Add support for fixed-point numbers",
            "test: add regression test",
            "Add regression tests",
            "Merge branch fix-1",
            "fix broken link in comment",
        ] {
            assert!(!is_fix(subject), "{subject}");
        }
        for subject in [
            "Fix crash on empty input",
            "Fixed a leak",
            "fix(parser): wrong total",
            "Fixes #3 wrong total",
            "fix crash in comment parser",
            "a regression in y",
            "hotfix: null deref",
        ] {
            assert!(is_fix(subject), "{subject}");
        }
    }

    #[test]
    fn churn_fixes_authors_and_pairs_are_counted() {
        let history = History::of(
            [
                commit(30, "ann", "fix: a crash", &["a", "b"]),
                commit(20, "bob", "add prefix", &["a", "b", "c"]),
                commit(10, "ann", "start", &["a"]),
            ],
            Limits { pair_times: 1, ..Limits::default() },
        );
        let a = &history.files["a"];
        assert_eq!((a.commits, a.fixes, a.changed_at, a.authors.len()), (3, 1, UnixMs(30), 2));
        assert_eq!(history.pairs[0], CoChange { one: "a".into(), other: "b".into(), times: 2 });
        assert_eq!(history.pairs.len(), 3);
        assert!(!history.is_cut);
    }

    #[test]
    fn a_commit_that_touches_everything_says_nothing_about_pairs() {
        let limits = Limits { files_per_commit: 2, ..Limits::default() };
        let history = History::of([commit(1, "x", "format", &["a", "b", "c"])], limits);
        assert_eq!((history.pairs.len(), history.wide_commits), (0, 1));
        assert_eq!((history.files["a"].commits, history.files["a"].changed_at), (0, UnixMs(1)));
    }

    #[test]
    fn limits_hold_and_say_so() {
        let commits = (0..9).map(|n| commit(n, "x", "change", &["a", "b", "c", "d"]));
        let limits = Limits { commits: 3, pairs_per_file: 1, ..Limits::default() };
        let history = History::of(commits, limits);
        assert_eq!((history.commits, history.is_cut, history.files["a"].commits), (3, true, 3));
        assert_eq!(history.pairs.len(), 2, "a-b and c-d");
    }

    #[test]
    fn words_that_only_contain_fix_are_no_fixes() {
        assert!(is_fix("Fix: x") && is_fix("a regression in y") && is_fix("Revert \"z\""));
        assert!(!is_fix("add prefix") && !is_fix("suffixes") && !is_fix("debug output"));
    }
}
