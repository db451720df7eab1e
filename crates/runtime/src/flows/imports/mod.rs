//! Imports: those that a change wrote and that lead nowhere, and names that it left without one.
//!
//! Only what is certain is told: the place that an import looks into must be wholly ours, and nothing may bring the name there that
//! cannot be read.

mod exports;
mod go;
pub(crate) mod handed;
mod importers;
mod java;
mod java_bases;
mod moved;
mod offered;
mod packages;
mod python;
pub(crate) mod rust;
mod script;
mod shut;
mod star;
mod stdlib;
mod unbound;
mod world;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use m1nd_contract::Fault;
use m1nd_graph::Graph;
use m1nd_ingest::imported::{self, Written};
use m1nd_ingest::languages;
use m1nd_vfs::grep::{self, Case, Pattern, Syntax};
use rayon::prelude::*;

pub use self::importers::{Worlds, left};
pub(crate) use self::moved::astray;
pub use self::world::World;

/// Files that import the same, and are read to learn whether that was missing before.
const MAX_OTHERS: usize = 20;
/// More of them are one move of many, and are counted.
const MAX_FOUND: usize = 20;

/// A file of a change, with what it held and holds.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'a> {
    pub path: &'a str,
    pub path_before: &'a str,
    /// Nothing where it is new.
    pub old: Option<&'a [u8]>,
    pub new: &'a [u8],
    /// The imports of both, where somebody read them already.
    pub imports: Option<&'a Imports>,
}

/// The imports that a file had and has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imports {
    pub old: Vec<Written>,
    pub new: Vec<Written>,
}

/// A line that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    pub path: String,
    pub line: u32,
    /// What it asks for.
    pub name: String,
    pub message: String,
    /// Where else to look.
    pub places: Vec<String>,
    /// Other lines that need the same.
    pub lines: Vec<u32>,
    pub certainty: Certainty,
}

/// How sure it is that a line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Something that cannot be read may bring the name.
    Likely,
    Certain,
}

/// What an import asks for and nobody has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The module or name, with its place, by which the same import of another file is known.
    pub target: String,
    /// The word by which files that ask for the same are found.
    pub word: String,
    pub why: String,
    pub places: Vec<String>,
    pub certainty: Certainty,
}

/// Finds lines of a family of languages that a pattern is in, as the change leaves them.
pub type Said<'s> = dyn Fn(&Pattern, &'static str) -> Result<Vec<grep::Match>, Fault> + 's;

/// All lines of the change that ask for what is not there; `changed` has every file that it writes.
pub fn broken(world: &mut World<'_>, said: &Said<'_>, changed: &[Changed<'_>]) -> Result<Vec<Broken>, Fault> {
    let mut found = Vec::new();
    let own: BTreeSet<&str> = changed.iter().map(|one| one.path).collect();
    let read: Vec<(&Changed<'_>, Cow<'_, Imports>)> = changed
        .par_iter()
        .filter(|one| !is_made_to_fail(one.path) && may_matter(one))
        .filter_map(|one| Some((one, read(one)?)))
        .collect();
    for (one, imports) in &read {
        let Imports { old, new } = &**imports;
        let Some(language) = languages::of_path(one.path) else { continue };
        let came = new.iter().filter(|import| !old.iter().any(|was| was.is_same(import)));
        for import in came {
            let Some(missing) = look(world, language.family, one.path, import) else { continue };
            if was_missing(world, said, &own, language.family, &missing)? {
                continue;
            }
            found.push(Broken {
                path: one.path.to_owned(),
                line: import.line,
                name: missing.word.clone(),
                message: missing.why,
                places: missing.places,
                lines: Vec::new(),
                certainty: missing.certainty,
            });
        }
        let more = match language.family {
            "go" => go::members(world, one, new),
            "rust" => rust::mounted(world, one),
            _ => Vec::new(),
        };
        found.extend(more);
        // Names are left without an import only where one went.
        let count = |list: &[Written], was: &Written| {
            let is_it = |one: &&Written| {
                one.is_same(was) && one.bind == was.bind && one.within.is_none() == was.within.is_none()
            };
            list.iter().filter(is_it).count()
        };
        if old.iter().any(|was| count(new, was) < count(old, was)) {
            found.extend(unbound::left(world, one, language.family, old, new));
        }
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.name).cmp(&(&b.path, b.line, &b.name)));
    found.dedup_by(|a, b| (&a.path, a.line, &a.name) == (&b.path, b.line, &b.name));
    cut(&mut found);
    Ok(found)
}

/// Lines that the change left alone and that take what a file of it does not give any more: an export, what other crates may use, a
/// name that comes with all of a module. `before` is the graph that knows who takes from it.
pub(crate) fn ungiven(
    worlds: Worlds<'_, '_>,
    said: &Said<'_>,
    before: &Graph,
    changed: &[Changed<'_>],
) -> Result<Vec<Broken>, Fault> {
    let Worlds { then, now } = worlds;
    let mut found = exports::gone(now, before, changed);
    found.extend(shut::from_others(now, said, changed)?);
    found.extend(packages::left(Worlds { then, now }, said, before, changed)?);
    found.extend(importers::unlisted_used(Worlds { then, now }, said, changed)?);
    found.sort_by(|a, b| (&a.path, a.line, &a.name).cmp(&(&b.path, b.line, &b.name)));
    found.dedup_by(|a, b| (&a.path, a.line, &a.name) == (&b.path, b.line, &b.name));
    cut(&mut found);
    Ok(found)
}

/// Keeps the first ones, and says how many more there are.
fn cut(found: &mut Vec<Broken>) {
    let more = found.len().saturating_sub(MAX_FOUND);
    found.truncate(MAX_FOUND);
    if more > 0
        && let Some(last) = found.last_mut()
    {
        last.message.push_str(&format!("; {more} more like it are not listed"));
    }
}

/// The imports of a file before and after; both states are parsed, unless they were already.
fn read<'c>(one: &'c Changed<'_>) -> Option<Cow<'c, Imports>> {
    if let Some(known) = one.imports {
        return Some(Cow::Borrowed(known));
    }
    let new = imported::written(one.path, one.new)?;
    let old = one.old.map_or(Some(Vec::new()), |old| imported::written(one.path_before, old))?;
    Some(Cow::Owned(Imports { old, new }))
}

/// Whether lines that came or went may be part of an import, or say a name of a package. Most edits are neither, and are not parsed.
fn may_matter(one: &Changed<'_>) -> bool {
    let Some(old) = one.old else { return true };
    let [old, new] = [old, one.new].map(String::from_utf8_lossy);
    // How many times more a line stands there than before, or fewer times.
    let mut lines: BTreeMap<&str, i64> = BTreeMap::new();
    for (text, by) in [(&old, -1), (&new, 1)] {
        text.lines().for_each(|line| *lines.entry(line.trim()).or_default() += by);
    }
    let is_go = one.path.ends_with(".go");
    let may = |line: &&str| {
        const WORDS: [&str; 6] = ["import", "from", "use ", "require", "mod ", "export"];
        // A line of a list over several ones.
        let is_part = |c: char| c.is_alphanumeric() || "_$,{}*:\"'./@- ".contains(c);
        let is_listed = || line.ends_with([',', '{', '}']) || !line.contains(' ');
        WORDS.iter().any(|word| line.contains(word))
            || line.chars().all(is_part) && line.contains(char::is_alphanumeric) && is_listed()
            || is_go && line.contains('.')
    };
    lines.iter().any(|(line, by)| *by != 0 && may(line))
}

/// What an import asks for and does not get; nothing where it is found, or may be.
fn look(world: &mut World<'_>, family: &str, path: &str, import: &Written) -> Option<Missing> {
    match family {
        "python" => python::look(world, path, import),
        "script" => script::look(world, path, import),
        "go" => go::look(world, path, import),
        "java" => java::look(world, path, import),
        "rust" => rust::look(world, path, import),
        _ => None,
    }
}

/// Whether a file that the change left alone asks for the same: it was missing before, so something else makes it.
fn was_missing(
    world: &mut World<'_>,
    said: &Said<'_>,
    own: &BTreeSet<&str>,
    family: &'static str,
    missing: &Missing,
) -> Result<bool, Fault> {
    let is_word = missing.word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let Ok(pattern) = Pattern::compile(&format!(r"\b{}\b", missing.word), Syntax::Regex, Case::Sensitive)
    else {
        return Ok(true);
    };
    if !is_word {
        return Ok(true);
    }
    if family == "java" && java::is_shared(world, said, own, missing)? {
        return Ok(true);
    }
    let hits = said(&pattern, family)?;
    let paths: BTreeSet<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    for path in paths.into_iter().filter(|path| !own.contains(path)).take(MAX_OTHERS) {
        let Some(text) = world.text(path).map(|text| text.into_owned()) else { continue };
        for import in imported::written(path, text.as_bytes()).unwrap_or_default() {
            let is_it =
                look(world, family, path, &import).is_some_and(|other| other.target == missing.target);
            if is_it {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a file is input of tests: what it imports need not be there.
fn is_made_to_fail(path: &str) -> bool {
    const FOLDERS: [&str; 9] = [
        "fixtures",
        "__fixtures__",
        "fixture",
        "testdata",
        "test-data",
        "test_data",
        "playground",
        "snapshots",
        "templates",
    ];
    path.split('/').any(|part| FOLDERS.contains(&part))
}

/// The nodes that certainly are what a line of a file imports.
pub(crate) fn led_to(graph: &Graph, path: &str, line: u32) -> Vec<m1nd_graph::NodeIx> {
    let Some(file) = graph.node_by_path(path) else { return Vec::new() };
    let imports = graph.outgoing(file).filter(|edge| edge.kind == m1nd_graph::EdgeKind::Imports);
    imports.filter(|edge| edge.lines.contains(&line)).map(|edge| edge.target).collect()
}
