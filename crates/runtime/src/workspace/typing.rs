//! Typing: which files take something from another only so that a checker of types knows it.

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx};
use m1nd_risk::layers::{Layers, layers_without};
use m1nd_vfs::Root;
use m1nd_vfs::read;
use rustc_hash::FxHashSet;

/// Larger files are not looked into.
const MAX_BYTES: u64 = 1 << 20;

/// The layers of the files that `within` admits. What is imported for types alone is not there when the code runs: it makes no
/// circle. Only files of circles are looked into.
pub(crate) fn layers(root: &Root, graph: &Graph, within: impl Fn(&str) -> bool) -> Layers {
    let found = layers_without(graph, &within, |_, _| false);
    let mut left_out: FxHashSet<(NodeIx, NodeIx)> = FxHashSet::default();
    for &file in found.cycles.iter().flatten() {
        left_out.extend(only_typed(root, graph, file).into_iter().map(|other| (file, other)));
    }
    match left_out.is_empty() {
        true => found,
        false => layers_without(graph, within, |from, to| left_out.contains(&(from, to))),
    }
}

/// The files that one imports for types alone.
pub(crate) fn only_typed(root: &Root, graph: &Graph, file: NodeIx) -> Vec<NodeIx> {
    let node = graph.node(file);
    let is_python = match node.language() {
        "python" => true,
        "typescript" | "tsx" => false,
        _ => return Vec::new(),
    };
    let Ok(path) = root.relative(node.path()) else { return Vec::new() };
    let Ok(held) = read::text(root, &path, MAX_BYTES) else { return Vec::new() };
    let is_typed = if is_python { in_python(&held.text) } else { in_typescript(&held.text) };
    if !is_typed.contains(&true) {
        return Vec::new();
    }
    let is_only = |line: u32| (line as usize).checked_sub(1).and_then(|at| is_typed.get(at)) == Some(&true);
    // For each file whether all imports of it, and of what is in it, are for types.
    let mut found: Vec<(NodeIx, bool)> = Vec::new();
    for inner in graph.nodes_in(node.path()) {
        for edge in graph.outgoing(inner).filter(|edge| edge.kind == EdgeKind::Imports) {
            let other = graph.node(edge.target);
            let Some(other) = graph.node_by_path(other.path()).filter(|&other| other != file) else {
                continue;
            };
            let is_only = !edge.lines.is_empty() && edge.lines.iter().all(|&line| is_only(line));
            match found.iter_mut().find(|(known, _)| *known == other) {
                Some(known) => known.1 &= is_only,
                None => found.push((other, is_only)),
            }
        }
    }
    let is_code = |other: NodeIx| !graph.node(other).flags().has(NodeFlags::TEST_CODE);
    found.into_iter().filter(|&(other, is_only)| is_only && is_code(other)).map(|(other, _)| other).collect()
}

/// For each line whether it stands below `if TYPE_CHECKING:`.
fn in_python(text: &str) -> Vec<bool> {
    let mut deep: Option<usize> = None;
    let line = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let said = line.trim();
        if said.is_empty() {
            return deep.is_some();
        }
        if deep.is_some_and(|outer| indent <= outer) {
            deep = None;
        }
        let is_inside = deep.is_some();
        let asked =
            said.strip_prefix("if ").and_then(|rest| rest.split(':').next()).unwrap_or_default().trim();
        if !is_inside
            && (asked == "TYPE_CHECKING" || asked.ends_with(".TYPE_CHECKING") && !asked.contains(' '))
        {
            deep = Some(indent);
        }
        is_inside
    };
    text.lines().map(line).collect()
}

/// For each line whether it begins with `import type`; the names may go over several.
fn in_typescript(text: &str) -> Vec<bool> {
    let mut is_open = false;
    let line = |line: &str| {
        let said = line.trim_start();
        let begins = said.starts_with("import type ") || said.starts_with("export type {");
        let is_typed = is_open || begins;
        is_open = is_typed && !said.contains(" from ") && !said.contains(';');
        is_typed
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_types_alone_are_told_from_others() {
        let python = "import typing as t\nif t.TYPE_CHECKING:\n    from .app import App\n\n    from .b import B\nfrom .c import C\n";
        assert_eq!(in_python(python), [false, false, true, true, true, false]);
        assert_eq!(in_python("if not TYPE_CHECKING:\n    import a\n"), [false, false]);
        let script = "import type {\n  A,\n} from './a'\nimport { type B, c } from './b'\n";
        assert_eq!(in_typescript(script), [true, true, true, false]);
    }
}
