//! The experiment: a repository as it was, and later commits as questions whose answers are known.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use m1nd_ingest::history::{LaterCommit, Past};
use m1nd_ingest::languages;
use m1nd_recall::past::without_trailers;
use m1nd_recall::place;

/// How far back a snapshot is looked for.
const MAX_DEPTH: usize = 6_000;
/// A commit that touches more source files is about more than its message says.
const MAX_TRUTH: usize = 5;
/// A commit that touches more files, tests among them, says little about what belongs together.
const MAX_TOGETHER: usize = 10;
/// Fewer words than this are no question.
const MIN_WORDS: usize = 3;

/// A snapshot laid out in a folder, and the questions put to it.
pub struct Experiment {
    pub name: String,
    /// The commit of the snapshot.
    pub snapshot: String,
    pub head: String,
    pub folder: PathBuf,
    pub questions: Vec<Question>,
    pub changes: Vec<Change>,
    /// All later commits, the oldest first.
    pub later: Vec<LaterCommit>,
    /// The files of each earlier commit, as they were called then.
    pub named: Vec<Vec<String>>,
}

/// A file of the product that a later commit touched, and the other source files that it touched, tests among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub given: String,
    pub with: Vec<String>,
}

/// What a later commit said, and what it touched.
#[derive(Clone, Debug)]
pub struct Question {
    pub commit: String,
    pub text: String,
    /// Source files that are no tests, as they are called in the snapshot.
    pub truth: Vec<String>,
}

impl Experiment {
    /// Lays the snapshot out below `folder`: the newest one after which there are `commits` questions.
    pub fn lay_out(repo: &Path, commits: usize, folder: &Path) -> anyhow::Result<Self> {
        let past = open(repo)?;
        let mut back = (commits * 2).min(past.depth());
        loop {
            let enough = questions(&past.after(back)?, &past.paths(back)?).len() >= commits;
            if enough || back == past.depth() {
                break;
            }
            back = (back * 3 / 2).max(back + 1).min(past.depth());
        }
        let mut experiment = Self::at(repo, &past, back, folder)?;
        ensure!(
            !experiment.questions.is_empty(),
            "{} has no commits to ask about: none has a message of {MIN_WORDS} words and touches 1 to {MAX_TRUTH} source files that are no tests",
            repo.display()
        );
        if let Some(note) = too_few(&experiment.name, experiment.questions.len(), commits) {
            anstream::eprintln!("{note}");
        }
        experiment.questions.truncate(commits);
        experiment.changes.truncate(commits);
        Ok(experiment)
    }

    /// Lays out the snapshot after which there are `commits` commits, or half of all where there are fewer than twice as many.
    pub fn before(repo: &Path, commits: usize, folder: &Path) -> anyhow::Result<Self> {
        let past = open(repo)?;
        Self::at(repo, &past, commits.min(past.depth() / 2), folder)
    }

    fn at(repo: &Path, past: &Past, back: usize, folder: &Path) -> anyhow::Result<Self> {
        let (paths, later) = (past.paths(back)?, past.after(back)?);
        ensure!(!paths.is_empty(), "the snapshot is empty");
        past.files(
            back,
            |_| true,
            |path, bytes| {
                let target = folder.join(path);
                let written = target
                    .parent()
                    .map_or(Ok(()), fs::create_dir_all)
                    .and_then(|()| fs::write(&target, bytes));
                if let Err(err) = written {
                    tracing::debug!(%err, path, "left out of the snapshot");
                }
            },
        )?;
        borrow_history(repo, folder, &past.id(back))?;
        let name = repo.file_name().filter(|name| *name != "repo").or_else(|| repo.parent()?.file_name());
        let name =
            name.map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().replace('+', "/"));
        Ok(Self {
            name,
            snapshot: past.id(back),
            head: past.id(0),
            folder: folder.to_owned(),
            questions: questions(&later, &paths),
            changes: changes(&later, &paths),
            later,
            named: past.named(back)?,
        })
    }
}

/// What to say where a history has fewer commits to ask about than were wanted.
fn too_few(name: &str, found: usize, wanted: usize) -> Option<String> {
    (found < wanted).then(|| {
        format!(
            "{name}: only {found} of {wanted} commits. The history that is there has no more that touch 1 to {MAX_TRUTH} source files, \
             and the snapshot is its beginning; a smaller --commits leaves more past to learn from."
        )
    })
}

fn open(repo: &Path) -> anyhow::Result<Past> {
    Past::open(repo, MAX_DEPTH).with_context(|| format!("{} has no readable history", repo.display()))
}

/// Makes the folder a repository whose `HEAD` is the snapshot: what came after it cannot be reached from there. Its objects
/// stay where they are.
fn borrow_history(repo: &Path, folder: &Path, head: &str) -> anyhow::Result<()> {
    let git = if repo.join(".git").is_dir() { repo.join(".git") } else { repo.to_owned() };
    let objects = git.join("objects").canonicalize().context("the repository's objects")?;
    let own = folder.join(".git");
    fs::create_dir_all(own.join("objects/info"))?;
    fs::create_dir_all(own.join("refs/heads"))?;
    fs::write(own.join("objects/info/alternates"), format!("{}\n", objects.display()))?;
    fs::write(own.join("HEAD"), format!("{head}\n"))?;
    let config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
    fs::write(own.join("config"), config)?;
    if git.join("shallow").exists() {
        fs::copy(git.join("shallow"), own.join("shallow"))?;
    }
    Ok(())
}

fn questions(later: &[LaterCommit], paths: &BTreeSet<String>) -> Vec<Question> {
    let names: HashSet<&str> = paths.iter().map(|path| name_of(path)).collect();
    let mut asked = HashSet::new();
    let mut questions = Vec::new();
    for commit in later {
        let touched = commit.modified.iter().chain(&commit.other).filter(|path| is_product(path)).count();
        let truth: Vec<String> = commit
            .modified
            .iter()
            .filter(|path| is_product(path) && paths.contains(*path))
            .cloned()
            .collect();
        let text = without_paths(&without_trailers(&commit.message), &names);
        let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
        // What is reverted or picked again is the same question with the same answer.
        let is_new = asked.insert(text.lines().next().unwrap_or_default().to_owned());
        if (1..=MAX_TRUTH).contains(&touched)
            && !truth.is_empty()
            && words >= MIN_WORDS
            && is_new
            && !text.starts_with("Revert ")
            && !text.starts_with("Merge ")
        {
            questions.push(Question { commit: commit.id.clone(), text, truth });
        }
    }
    questions
}

/// Every file of the product of every commit that touched others, too.
fn changes(later: &[LaterCommit], paths: &BTreeSet<String>) -> Vec<Change> {
    let is_source = |path: &str| is_visible(path) && languages::of_path(path).is_some();
    let mut changes = Vec::new();
    for commit in later {
        let touched = commit.modified.iter().filter(|path| is_source(path) && paths.contains(*path));
        let touched: Vec<&String> = touched.collect();
        if !(2..=MAX_TOGETHER).contains(&touched.len()) {
            continue;
        }
        for &given in touched.iter().filter(|path| is_product(path)) {
            let with = touched.iter().filter(|&&other| other != given).map(|&other| other.clone());
            changes.push(Change { given: given.clone(), with: with.collect() });
        }
    }
    changes
}

fn is_visible(path: &str) -> bool {
    !path.split('/').any(|part| part.starts_with('.'))
}

/// Whether a path is of a source file that is no test. Hidden files are of the tools around a product.
pub fn is_product(path: &str) -> bool {
    is_visible(path) && languages::of_path(path).is_some() && !place::is_test(path)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A message without words that name files, addresses, or numbers of requests.
fn without_paths(message: &str, names: &HashSet<&str>) -> String {
    let mut kept = String::with_capacity(message.len());
    for line in message.lines() {
        let words = line.split_whitespace().filter(|word| {
            let bare =
                word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_' || c == '/' || c == '.'));
            let bare = bare.trim_end_matches('.');
            let last = name_of(bare);
            let is_number = bare.bytes().all(|b| b.is_ascii_digit()) && word.contains('#');
            let is_path = names.contains(last) && last.contains('.')
                || bare.contains('/') && last.contains('.')
                || bare.contains("://")
                || word.contains("://")
                || bare.matches('/').count() > 1;
            !is_path && !is_number
        });
        let line = words.collect::<Vec<_>>().join(" ");
        kept.push_str(&line);
        kept.push('\n');
    }
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_commits_than_wanted_are_said() {
        assert_eq!(too_few("a", 100, 100), None);
        assert!(too_few("a", 7, 100).unwrap().starts_with("a: only 7 of 100 commits."));
    }

    #[test]
    fn a_question_names_no_file() {
        let names = HashSet::from(["parse.rs", "Makefile"]);
        let check = |message: &str, expected: &str| assert_eq!(without_paths(message, &names), expected);
        check("parse.rs: stop at `src/parse.rs`. (#123)", "stop at");
        check("fix parse for src/a/b and https://x.org/y, see #7", "fix parse for and see");
        check("keep read/write and v1.2 in Makefile", "keep read/write and v1.2 in Makefile");
    }
}
