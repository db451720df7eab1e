//! Removed: names that went with the change and that other code still says.

use std::collections::BTreeMap;
use std::time::Duration;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeKind};
use m1nd_ingest::languages;
use m1nd_ingest::revision::Change;
use m1nd_risk::plan::Severity;
use m1nd_vfs::RelPath;
use m1nd_vfs::glob::PathGlob;
use m1nd_vfs::grep::{self, Case, Pattern, Query, Syntax};

use super::{Edited, Finding};
use crate::ctx::Ctx;
use crate::faults;
use crate::flows::unattributed::{is_comment, is_documentation};

/// Shorter names are said for other things, too.
const MIN_NAME: usize = 4;
/// Names that are looked for.
const MAX_NAMES: usize = 40;
/// Lines that are looked at.
const MAX_LINES: usize = 2_000;
/// Lines that are shown of each.
const MAX_PLACES: usize = 5;
/// A name that so many lines say is a common word.
const MAX_USES: usize = 50;
/// A review is not held up longer than this.
const TIME_LIMIT: Duration = Duration::from_millis(1_500);

/// A definition that went.
struct Gone<'a> {
    path: &'a str,
    line: u32,
    kind: NodeKind,
}

impl Gone<'_> {
    /// A method of the name may also be one of something that is not ours.
    fn severity(&self) -> Severity {
        if self.kind == NodeKind::Method { Severity::Medium } else { Severity::High }
    }
}

fn is_new(edited: &[Edited], path: &str, line: u64) -> bool {
    let file = edited.iter().find(|one| one.file.path == path);
    file.zip(u32::try_from(line).ok()).is_some_and(|(one, line)| one.touches(line))
}

/// Functions, methods and types that went, that nothing else is named like, and that code of the same family of languages still names.
pub fn still_used(ctx: &Ctx<'_>, graph: &Graph, edited: &[Edited]) -> Result<Vec<Finding>, Fault> {
    let mut found = Vec::new();
    for (family, gone) in gone(graph, edited) {
        let names: Vec<&str> = gone.keys().copied().take(MAX_NAMES).collect();
        let written = format!(r"\b({})\b", names.join("|"));
        let ends: Vec<&str> = languages::all()
            .filter(|language| language.family == family)
            .flat_map(|language| language.extensions)
            .copied()
            .collect();
        let (Ok(pattern), Ok(files)) = (
            Pattern::compile(&written, Syntax::Regex, Case::Sensitive),
            PathGlob::parse(&format!("**/*.{{{}}}", ends.join(","))),
        ) else {
            continue;
        };
        let query = Query {
            pattern: &pattern,
            start: RelPath::root(),
            prefix: None,
            globs: &[files],
            keep: MAX_LINES,
            context: 0,
        };
        let cancel = ctx.cancel().with_timeout(TIME_LIMIT);
        let said =
            grep::search(ctx.workspace()?.root(), &query, &cancel, &|_| {}).map_err(faults::stopped)?;
        for (name, gone) in gone.iter().take(MAX_NAMES) {
            // Who imports the name anew means what it imports.
            let imports = |path: &str| {
                said.matches.iter().any(|hit| {
                    hit.path.as_str() == path
                        && is_new(edited, path, hit.line)
                        && is_import(&hit.text)
                        && is_use(&hit.text, name, gone.kind)
                })
            };
            let uses = said.matches.iter().filter(|hit| {
                is_use(&hit.text, name, gone.kind)
                    // Who writes the name now means something else by it.
                    && !is_new(edited, hit.path.as_str(), hit.line)
                    && !imports(hit.path.as_str())
                    && !is_comment(&hit.text, family)
                    && !is_documentation(graph, hit.path.as_str(), hit.line, &hit.text)
            });
            let places: Vec<String> = uses.map(|hit| format!("{}:{}", hit.path.as_str(), hit.line)).collect();
            if places.is_empty() || places.len() > MAX_USES {
                continue;
            }
            found.push(Finding {
                kind: "removed_but_used",
                severity: gone.severity().name(),
                at: format!("{}:{}", gone.path, gone.line),
                message: format!(
                    "{name} was removed, nothing else has its name, and {} lines still say it",
                    places.len()
                ),
                places: places.into_iter().take(MAX_PLACES).collect(),
            });
        }
    }
    Ok(found)
}

/// What went, by family of languages and name.
fn gone<'a>(graph: &Graph, edited: &'a [Edited]) -> BTreeMap<&'static str, BTreeMap<&'a str, Gone<'a>>> {
    let mut gone: BTreeMap<&'static str, BTreeMap<&str, Gone<'_>>> = BTreeMap::new();
    for one in edited {
        let Some(language) = languages::of_path(&one.file.path) else { continue };
        let went = one.symbols.iter().flatten().filter(|symbol| symbol.change == Change::Removed);
        for symbol in went.filter(|symbol| symbol.kind.is_type() || symbol.kind.is_callable()) {
            let name = symbol.name.rsplit('.').next().unwrap_or(&symbol.name);
            let is_word = name.len() >= MIN_NAME && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            // A dunder is called by the language, and a test by nobody.
            let is_called =
                symbol.kind != NodeKind::Test && !name.starts_with("__") && !name.starts_with("test");
            if is_word && is_called && graph.nodes_by_label(name).is_empty() {
                let one = Gone { path: &one.file.path, line: symbol.line, kind: symbol.kind };
                gone.entry(language.family).or_default().entry(name).or_insert(one);
            }
        }
    }
    gone
}

fn is_import(line: &str) -> bool {
    ["import ", "use ", "from "].iter().any(|word| line.trim_start().starts_with(word))
}

/// A function or method is called, imported or handed on; a type stands as a word of its own. What stands in quotes is neither.
fn is_use(line: &str, name: &str, kind: NodeKind) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_word = !before.ends_with(is_letter) && !after.starts_with(is_letter);
        let quotes = |mark: char| before.matches(mark).count() % 2 == 1;
        let is_text = quotes('"') || quotes('\'') || quotes('`');
        let is_called = after.trim_start().starts_with('(');
        is_word && !is_text && (kind.is_type() || is_called || is_import(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_imports_are_uses_and_words_are_not() {
        let is = |line: &str| is_use(line, "greet", NodeKind::Function);
        assert!(is("    x.greet (1)") && is("from a import greet") && is("use a::greet;"));
        assert!(
            !is("greeting()") && !is("print('greet(1)')") && !is("we greet everybody") && !is("greet = 1")
        );
        assert!(is_use("let x: Greeter = 1;", "Greeter", NodeKind::Struct));
    }
}
