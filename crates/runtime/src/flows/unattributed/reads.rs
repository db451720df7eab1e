//! Reads: places that take a member by its name without calling it: a getter runs there, or a value that is called later
//! under another name.

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, Node, NodeKind};

use super::{Hits, attributed, is_comment, is_documentation};

/// One such place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub path: String,
    pub line: u64,
    /// Whether it is given to a call, or to a name among others.
    pub is_handed_on: bool,
}

/// Whether a node is read like a field, as far as what is written of it tells.
pub(super) fn is_property(node: &Node<'_>) -> bool {
    let head = node.signature().split('(').next().unwrap_or_default();
    let has_word = |word: &str| head.split_whitespace().any(|found| found == word);
    match node.language() {
        "typescript" | "tsx" | "javascript" => has_word("get") || has_word("set"),
        "csharp" | "kotlin" | "swift" => node.kind() == NodeKind::Method && !node.signature().contains('('),
        _ => false,
    }
}

/// The places, by path and line, that no relation of the graph explains.
pub(super) fn of(
    graph: &Graph,
    asked: &Node<'_>,
    family: &str,
    search: &mut dyn FnMut(&str) -> Result<Option<Hits>, Fault>,
) -> Result<Vec<Read>, Fault> {
    let name = asked.label();
    let mut written = format!(r"(?:\.|->|::){name}\b");
    match family {
        "script" => {
            let key = r#"\[\s*["'`]"#;
            written.push_str(&format!(r"|{key}{name}\b|\{{[^{{}}()]*\b{name}\b[^{{}}()]*\}}\s*(?::[^=]*)?="));
        }
        "python" => written.push_str(&format!(r#"|getattr\([^()]*["']{name}["']"#)),
        _ => {}
    }
    let Some(found) = search(&written)? else { return Ok(Vec::new()) };
    let known = attributed(graph, name, EdgeKind::References);
    let is_property = is_property(asked);
    let hits = found.hits.iter().filter_map(|hit| {
        let path = hit.path.as_str();
        let use_ = taken(&hit.text, name, is_property)?;
        let is_explained = known.contains(&(path, hit.line))
            || is_comment(&hit.text, family)
            || is_documentation(graph, path, hit.line, &hit.text)
            || is_import(&hit.text);
        let is_handed_on = use_ == Taken::HandedOn;
        (!is_explained).then(|| Read { path: path.to_owned(), line: hit.line, is_handed_on })
    });
    let mut reads: Vec<Read> = hits.collect();
    reads.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(reads)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Read,
    HandedOn,
}

/// How a line takes something of a name without calling it, if it does. What is written is set only where that runs something.
fn taken(line: &str, name: &str, is_property: bool) -> Option<Taken> {
    let mut found = None;
    for (at, _) in line.match_indices(name) {
        let (before, after) = (&line[..at], line[at + name.len()..].trim_start());
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if after_is_part(&line[at + name.len()..], is_part) || before.ends_with(is_part) {
            continue;
        }
        let is_dotted = before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
        let is_member = is_dotted || before.ends_with(['"', '\'', '`']) || is_pattern(before, after);
        let is_called = after.starts_with(['(', '<']) || after.starts_with("::<") || after.starts_with("?.(");
        let is_set = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
        if !is_member || is_called || (is_set && !is_property) {
            continue;
        }
        let start = before.rfind(|c: char| !(is_part(c) || matches!(c, '.' | ':' | '-' | '>' | '?')));
        let opened = start.is_some_and(|start| before[..=start].trim_end().ends_with(['(', ',', '=']));
        match is_dotted && opened && after.starts_with([',', ')']) {
            true => return Some(Taken::HandedOn),
            false => found = Some(Taken::Read),
        }
    }
    found
}

/// Whether a name stands in brackets that something is taken apart by: `{ a, name } = `.
fn is_pattern(before: &str, after: &str) -> bool {
    let is_open = before.rfind('{').is_some_and(|at| !before[at..].contains('}'));
    let end = after.split_once('}').map(|(_, end)| end.trim_start());
    is_open && end.is_some_and(|end| end.starts_with([':', '=']))
}

fn after_is_part(after: &str, is_part: impl Fn(char) -> bool) -> bool {
    after.chars().next().is_some_and(is_part)
}

/// A path of modules is no read.
fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    ["import ", "from ", "use ", "pub use ", "using ", "#include", "export {", "export *"]
        .iter()
        .any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_without_a_call_is_told_from_what_is_called() {
        for (line, expected) in [
            ("store.save()", None),
            ("store.save<T>(1)", None),
            ("store.save = x", None),
            ("const f = store.save;", Some(Taken::Read)),
            ("const { load, save } = store", Some(Taken::Read)),
            ("const { save: keep } = store", Some(Taken::Read)),
            ("getattr(store, 'save')(1)", Some(Taken::Read)),
            ("if (store.save == x) store.save()", Some(Taken::Read)),
            ("on('x', store.save)", Some(Taken::HandedOn)),
            ("store.saved + store.unsave", None),
            ("return save + store.save()", None),
            ("let save = store.save()", None),
        ] {
            assert_eq!(taken(line, "save", false), expected, "{line}");
        }
        assert_eq!(taken("store.save = x", "save", true), Some(Taken::Read), "a setter runs");
    }
}
