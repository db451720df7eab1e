//! Java members: what is read of records by methods that nobody writes, and constants that a switch names by themselves.

use std::collections::BTreeSet;

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_ingest::imported;

use super::held::Held;
use super::java_calls::File;

/// Lines that a switch may go on for.
const MAX_LINES: usize = 400;

/// Whether a line calls a method of this name on a variable that is a record of ours, which has no such part any more.
pub(super) fn reads_record(
    held: &mut Held<'_>,
    graph: &Graph,
    record: NodeIx,
    name: &str,
    (path, line): (&str, u32),
) -> bool {
    let Some(text) = held.text(path).map(|text| text.into_owned()) else { return false };
    let imports = imported::written(path, text.as_bytes()).unwrap_or_default();
    let file = File { graph, path, text: &text, imports: &imports };
    let said = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
    let said = said.split("//").next().unwrap_or(said);
    let called = format!(".{name}()");
    let mut of = said.match_indices(&called).map(|(at, _)| &said[..at]);
    of.any(|of| file.receiver(of, line) == Some(record))
}

/// Whether a record may have a method of a name from elsewhere: it writes one, or what it implements has one.
pub(super) fn is_given(graph: &Graph, record: NodeIx, name: &str) -> bool {
    let lineage = graph.lineage(record);
    let mut members = lineage.into_iter().flat_map(|ty| graph.members(ty));
    let is_record = graph.node(record).signature().split_whitespace().any(|word| word == "record");
    !is_record || members.any(|ix| graph.node(ix).label() == name)
}

/// Whether a line of a switch over an enumeration names a constant that went. Its other cases tell which one is meant: all of them
/// are constants that it still has, and no other enumeration has them all.
pub(super) fn is_case(
    held: &mut Held<'_>,
    graph: &Graph,
    owner: NodeIx,
    constants: &BTreeSet<String>,
    name: &str,
    (path, line): (&str, u32),
) -> bool {
    let Some(text) = held.text(path).map(|text| text.into_owned()) else { return false };
    let lines: Vec<&str> = text.lines().collect();
    let Some(own) = lines.get((line as usize).saturating_sub(1)).and_then(|text| labels(text)) else {
        return false;
    };
    let Some(all) = cases_around(&lines, (line as usize).saturating_sub(1)) else { return false };
    let others: Vec<&str> = all.iter().copied().filter(|label| *label != name && *label != "null").collect();
    if !own.contains(&name) || others.is_empty() || !others.iter().all(|one| constants.contains(*one)) {
        return false;
    }
    let is_other = |ix: NodeIx, held: &mut Held<'_>| {
        let node = graph.node(ix);
        let (first, last) = node.lines();
        let Some(text) = held.text(node.path()) else { return true };
        let inner = text.lines().skip((first as usize).saturating_sub(1)).take((last - first + 1) as usize);
        let inner = inner.collect::<Vec<_>>().join("\n");
        let words: BTreeSet<&str> = inner.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        words.contains(name) && others.iter().all(|one| words.contains(one))
    };
    let enums = graph.nodes().filter(|node| node.kind() == NodeKind::Enum && node.language() == "java");
    let enums: Vec<NodeIx> = enums.map(|node| node.ix()).filter(|&ix| ix != owner).collect();
    !enums.into_iter().any(|ix| is_other(ix, held))
}

/// The names that a case lists; nothing for a line that is none, or lists something else.
fn labels(line: &str) -> Option<Vec<&str>> {
    let listed = line.trim_start().strip_prefix("case ")?;
    let end = listed.find("->").or_else(|| listed.find(':'))?;
    let names: Vec<&str> = listed[..end].split(',').map(str::trim).collect();
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    names.iter().all(is_name).then_some(names)
}

/// The names of all cases of the switch around a line; nothing where one lists something else.
fn cases_around<'t>(lines: &[&'t str], at: usize) -> Option<Vec<&'t str>> {
    let change = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        code.matches('{').count() as i32 - code.matches('}').count() as i32
    };
    let mut depth = 0;
    let first = (at.saturating_sub(MAX_LINES)..at).rev().find(|&above| {
        depth += change(lines[above]);
        depth > 0
    })?;
    if !lines[first].contains("switch") {
        return None;
    }
    let (mut depth, mut found) = (change(lines[first]), Vec::new());
    for line in lines.iter().skip(first + 1).take(MAX_LINES) {
        if depth == 1 && line.trim_start().starts_with("case ") {
            found.extend(labels(line)?);
        }
        depth += change(line);
        if depth <= 0 {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_of_a_switch_are_those_of_no_other_one() {
        let text = "switch (kind) {\n  case RED, BLUE -> 1;\n  case GREEN:\n    switch (other) {\n      case X: break;\n    }\n  default: 2;\n}\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(cases_around(&lines, 1).unwrap(), ["RED", "BLUE", "GREEN"]);
        assert_eq!(cases_around(&lines, 4).unwrap(), ["X"]);
        assert_eq!(
            (labels("case \"a\":"), labels("case Point(int x) ->"), labels("x = 1")),
            (None, None, None)
        );
    }
}
