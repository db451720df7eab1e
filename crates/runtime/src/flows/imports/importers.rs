//! Importers: files that a change left alone and that ask one of its files for what it no longer has or hands on.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_graph::folder_files;
use m1nd_ingest::everything::Listed;
use m1nd_ingest::imported::{self, Written};
use m1nd_ingest::languages;
use m1nd_ingest::mentions::{Mention, Role};
use m1nd_vfs::grep::{Case, Pattern, Syntax};

use super::star;
use super::world::{World, says};
use super::{Broken, Certainty, Changed, Said, cut, look, offered};
use crate::flows::review::builtins;

/// Files that hand on what others import from them, one through the other.
const MAX_DOORS: usize = 40;
/// Files that name a file of the change and are read; more of them are told by the graph.
const MAX_READ: usize = 200;

/// The two states that a change lies between.
pub struct Worlds<'w, 'a> {
    pub then: &'w mut World<'a>,
    pub now: &'w mut World<'a>,
}

/// Lines that found what they import before the change and do not any more. `gone` are paths that hold nothing now.
pub fn left(
    worlds: Worlds<'_, '_>,
    said: &Said<'_>,
    changed: &[Changed<'_>],
    gone: &[&str],
) -> Result<Vec<Broken>, Fault> {
    let Worlds { then, now } = worlds;
    let own: BTreeSet<&str> = changed.iter().map(|one| one.path).chain(gone.iter().copied()).collect();
    let closed = changed.iter().filter(|one| closes(one)).map(|one| one.path).chain(gone.iter().copied());
    let mut doors: Vec<Door> =
        closed.map(|path| Door { path: path.to_owned(), unlisted: Vec::new() }).collect();
    for one in changed {
        let unlisted = unlisted(one);
        if !unlisted.is_empty() {
            doors.retain(|door| door.path != one.path);
            doors.push(Door { path: one.path.to_owned(), unlisted });
        }
    }
    let mut found: Vec<Broken> = Vec::new();
    let mut at = 0;
    while at < doors.len().min(MAX_DOORS) {
        let Door { path: door, unlisted } = doors[at].clone();
        at += 1;
        let Some(language) = languages::of_path(&door) else { continue };
        let words = words(&door);
        let written = format!(r"\b({})\b", words.join("|"));
        let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { continue };
        let hits = said(&pattern, language.family)?;
        let paths: BTreeSet<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
        for path in paths.into_iter().filter(|path| !own.contains(path)).take(MAX_READ) {
            let Some(text) = now.text(path).map(|text| text.into_owned()) else { continue };
            let imports = imported::written(path, text.as_bytes()).unwrap_or_default();
            let names_it = |import: &&Written| {
                import.module.iter().any(|part| words.iter().any(|word| says(part, word)))
            };
            for import in imports.iter().filter(names_it) {
                if import.is_all && star::source(now, path, import).as_deref() == Some(door.as_str()) {
                    // Whoever takes from this file what it took as a whole is asked, too.
                    if doors.iter().all(|one| one.path != path) {
                        doors.push(Door { path: path.to_owned(), unlisted: unlisted.clone() });
                    }
                    found.extend(lists(then, now, path, &text, &unlisted, &door));
                    continue;
                }
                let Some(missing) = look(now, language.family, path, import) else { continue };
                if missing.certainty < Certainty::Certain
                    || look(then, language.family, path, import).is_some()
                {
                    continue;
                }
                found.push(Broken {
                    path: path.to_owned(),
                    line: import.line,
                    name: missing.word,
                    message: missing.why,
                    places: vec![format!("{door}:1")],
                    lines: Vec::new(),
                    certainty: missing.certainty,
                });
            }
        }
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.name).cmp(&(&b.path, b.line, &b.name)));
    found.dedup_by(|a, b| (&a.path, a.line) == (&b.path, b.line));
    cut(&mut found);
    Ok(found)
}

/// A file through which others get names.
#[derive(Clone, Debug)]
struct Door {
    path: String,
    /// What it does not list any more as one of all its names.
    unlisted: Vec<String>,
}

/// The names that a module of Python listed before and does not list now.
fn unlisted(one: &Changed<'_>) -> Vec<String> {
    let Some(old) = one.old.filter(|_| one.path.ends_with(".py") && one.path_before.ends_with(".py")) else {
        return Vec::new();
    };
    let read = |bytes: &[u8]| Listed::of(&String::from_utf8_lossy(bytes));
    match (read(old), read(one.new)) {
        (Listed::Names(old), Listed::Names(new)) => {
            old.into_iter().filter(|name| !new.contains(name)).collect()
        }
        _ => Vec::new(),
    }
}

/// Names that a module lists as its own and got from another as a whole, which does not list them any more.
fn lists(
    then: &mut World<'_>,
    now: &mut World<'_>,
    path: &str,
    text: &str,
    unlisted: &[String],
    door: &str,
) -> Vec<Broken> {
    let Listed::Names(names) = Listed::of(text) else { return Vec::new() };
    let mut found = Vec::new();
    for name in unlisted.iter().filter(|name| names.contains(name)) {
        if !offered::by_python(now, path, name) && offered::by_python(then, path, name) {
            let line = (1..).zip(text.lines()).find(|(_, line)| says(line, name)).map_or(1, |(line, _)| line);
            found.push(Broken {
                path: path.to_owned(),
                line,
                name: name.clone(),
                message: format!("{path} lists {name} in __all__, and nothing gives it that name any more"),
                places: vec![format!("{door}:1")],
                lines: Vec::new(),
                certainty: Certainty::Certain,
            });
        }
    }
    found
}

/// Lines that say a name which came with all of a module and is not listed there any more.
pub(super) fn unlisted_used(
    worlds: Worlds<'_, '_>,
    said: &Said<'_>,
    changed: &[Changed<'_>],
) -> Result<Vec<Broken>, Fault> {
    let Worlds { then, now } = worlds;
    let mut found = Vec::new();
    for one in changed {
        let names: Vec<String> =
            unlisted(one).into_iter().filter(|name| !builtins::has("python", name)).collect();
        if names.is_empty() {
            continue;
        }
        let written = format!(r"\b({})\b", words(one.path).join("|"));
        let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { continue };
        let hits = said(&pattern, "python")?;
        let paths: BTreeSet<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
        for path in paths.into_iter().filter(|path| *path != one.path).take(MAX_READ) {
            let Some(text) = now.text(path).map(|text| text.into_owned()) else { continue };
            let imports = imported::written(path, text.as_bytes()).unwrap_or_default();
            let takes_all = |import: &&Written| import.is_all;
            let stars: Vec<&Written> = imports.iter().filter(takes_all).collect();
            if !stars.iter().any(|star| star::source(now, path, star).as_deref() == Some(one.path)) {
                continue;
            }
            for name in &names {
                if star::brings(now, path, &text, name, star::MAX_HOPS)
                    || !star::brings(then, path, &text, name, star::MAX_HOPS)
                {
                    continue;
                }
                let all = now.mentions(path, name).unwrap_or_default();
                let is_made = |one: &Mention| match &one.role {
                    Role::Binding { at_top, .. } => *at_top,
                    Role::Import => true,
                    Role::Use | Role::Label => false,
                };
                if all.iter().any(is_made) || text.contains("globals()") {
                    continue;
                }
                let means_it = |one: &&Mention| {
                    one.role == Role::Use && one.of.is_empty() && !offered::is_local(&all, one)
                };
                let lines: Vec<u32> = all.iter().filter(means_it).map(|one| one.line).collect();
                let Some(&line) = lines.first() else { continue };
                found.push(Broken {
                    path: path.to_owned(),
                    line,
                    name: name.clone(),
                    message: format!(
                        "{name} came with all of {}, which does not list it in __all__ any more",
                        one.path
                    ),
                    places: vec![format!("{}:1", one.path)],
                    lines,
                    certainty: Certainty::Certain,
                });
            }
        }
    }
    Ok(found)
}

/// The words by which a file is imported: its own name, and its folder's where it stands for that.
fn words(path: &str) -> Vec<&str> {
    let mut words = vec![folder_files::stem(path), folder_files::word(path)];
    words.dedup();
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    words.into_iter().filter(is_word).collect()
}

/// Whether a file hands on less than before. What it defines itself is known by the graph.
fn closes(one: &Changed<'_>) -> bool {
    let Some(old) = one.old else { return false };
    let says_default = |bytes: &[u8]| says(&String::from_utf8_lossy(bytes), "default");
    if languages::of_path(one.path).is_some_and(|language| language.family == "script")
        && says_default(old)
        && !says_default(one.new)
    {
        return true;
    }
    let handed = |path: &str, bytes: &[u8]| -> Vec<(String, bool)> {
        let all = imported::written(path, bytes).unwrap_or_default();
        // Every import of a module of Python can be taken from it.
        let is_handed = |import: &Written| import.is_exported || path.ends_with(".py");
        all.into_iter().filter(is_handed).map(|import| (import.bind, import.is_all)).collect()
    };
    let now = handed(one.path, one.new);
    handed(one.path_before, old).iter().any(|was| !now.contains(was))
}
