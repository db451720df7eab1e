//! Shut: items that a crate of Rust handed on to others and keeps to itself now.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_ingest::imported::{self, Written};
use m1nd_vfs::grep::{Case, Pattern, Syntax};

use super::world::World;
use super::{Broken, Certainty, Changed, Said, rust};

/// Files that say a name and are read.
const MAX_READ: usize = 200;

/// Lines of a statement that are looked through for where it begins.
const MAX_STATEMENT: usize = 200;

/// Lines by which other crates take what a file of the change does not hand on any more.
pub(crate) fn from_others(
    world: &mut World<'_>,
    said: &Said<'_>,
    changed: &[Changed<'_>],
) -> Result<Vec<Broken>, Fault> {
    let mut found = Vec::new();
    for one in changed.iter().filter(|one| one.path.ends_with(".rs") && one.path == one.path_before) {
        let Some(old) = one.old else { continue };
        let new = handed_on(one.path, one.new);
        let text = String::from_utf8_lossy(one.new).into_owned();
        for name in handed_on(one.path, old).difference(&new) {
            // What the file makes or hands on otherwise is still there for others.
            if is_public(&text, name) || text.contains("pub use") && text.contains("::*") {
                continue;
            }
            let Ok(pattern) = Pattern::compile(&format!(r"\b{name}\b"), Syntax::Regex, Case::Sensitive)
            else {
                continue;
            };
            let hits = said(&pattern, "rust")?;
            let paths: BTreeSet<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
            for path in paths.into_iter().filter(|path| *path != one.path).take(MAX_READ) {
                let Some(user) = world.text(path).map(|text| text.into_owned()) else { continue };
                for import in imported::written(path, user.as_bytes()).unwrap_or_default() {
                    let first = import.module.first().map_or("", String::as_str);
                    let is_other = !matches!(first, "crate" | "self" | "super" | "");
                    let takes_it = import.module.last() == Some(name) || import.item.as_ref() == Some(name);
                    if is_other
                        && takes_it
                        && rust::modules(world, path, &import).iter().any(|at| at == one.path)
                    {
                        found.push(Broken {
                            path: path.to_owned(),
                            line: import.line,
                            name: name.clone(),
                            message: format!(
                                "{name} is taken from {}, which does not hand it on to other crates any more",
                                one.path
                            ),
                            places: vec![format!("{}:1", one.path)],
                            lines: Vec::new(),
                            certainty: Certainty::Certain,
                        });
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The names that a file hands on to everybody by `pub use`.
fn handed_on(path: &str, bytes: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    // The line of a name in a list is not the one on which the statement begins.
    let begins =
        |line: &str| ["use ", "pub use ", "pub("].iter().any(|word| line.trim_start().starts_with(word));
    let is_open = |import: &Written| {
        let above = lines.iter().take(import.line as usize).rev();
        let head = above.take(MAX_STATEMENT).find(|line| begins(line));
        head.is_some_and(|line| line.contains("pub use "))
    };
    let imports = imported::written(path, bytes).unwrap_or_default();
    let named = imports.into_iter().filter(|one| is_open(one) && !one.is_all && one.within.is_none());
    named.map(|one| one.bind).filter(|name| !name.is_empty() && name != "_").collect()
}

/// What makes an item.
const KINDS: [&str; 9] =
    ["struct ", "enum ", "fn ", "trait ", "type ", "const ", "static ", "union ", "mod "];

/// Whether a file makes something of the name for everybody, or may hand it on.
fn is_public(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let says_it = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let is_word = !before.ends_with(is_letter) && !after.starts_with(is_letter);
            is_word && (line.starts_with("pub use ") || KINDS.iter().any(|kind| before.ends_with(kind)))
        })
    };
    let public = text.lines().map(str::trim_start).filter(|line| line.starts_with("pub "));
    let may_be_made = text.contains("macro_rules!") && text.contains("pub use $");
    may_be_made || public.into_iter().any(says_it)
}
