//! Properties: methods that are read like fields now and fields that have to be called, and the lines that go on as before.

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, NodeFlags};
use m1nd_ingest::revision::Changed;
use m1nd_risk::plan::Severity;
use m1nd_risk::signature;
use m1nd_vfs::grep::{self, Case, Pattern, Syntax};

use super::Edited;
use super::held::Held;
use super::signatures::{MAX_PLACES, Shape, Site, Told, untouched};
use super::users::User;

/// Shorter names are those of other things, too.
const MIN_NAME: usize = 4;

/// How lines of a family of languages are found that a pattern is in.
type Said<'s> = dyn Fn(&Pattern) -> Result<Vec<grep::Match>, Fault> + 's;

/// Lines that certainly read or called a member before the change, as they stand now, but for those that it touched.
pub(super) fn users_before<'g>(
    before: &'g Graph,
    graph: &Graph,
    edited: &'g [Edited],
    one: &'g Edited,
    symbol: &Changed,
    is_touched: impl Fn(&str, u32) -> bool,
) -> Vec<Site<'g>> {
    let mut found = Vec::new();
    // One that is read and one that is written may share the name.
    let all = before.nodes_in(one.path_before()).filter(|&ix| {
        let node = before.node(ix);
        node.kind() == symbol.kind && node.qualified() == symbol.name
    });
    for edge in all.flat_map(|ix| before.incoming(ix)).filter(|edge| edge.kind == EdgeKind::Calls) {
        let source = before.node(edge.source);
        let Some(user) = User::of(graph, edited, source.path()) else { continue };
        for (line, _) in edge.sites().filter(|(_, evidence)| !evidence.is_inferred()) {
            if let Some(today) = user.line(line).filter(|&today| !is_touched(user.path, today)) {
                found.push((source.flags().has(NodeFlags::TEST_CODE), user.path, today));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What is told of a member that is read like a field now, or has to be called. `known` are lines that certainly mean it. In Python
/// lines without one count as well where only one thing has the name, and less.
pub(super) fn read_otherwise(
    shape: &Shape<'_>,
    held: &mut Held<'_>,
    said: &Said<'_>,
    known: &[Site<'_>],
    is_touched: impl Fn(&str, u32) -> bool,
    is_read: bool,
) -> Result<Option<Told>, Fault> {
    let mut lines: Vec<String> = Vec::new();
    for &(_, path, line) in known {
        let place = format!("{path}:{line}");
        if is_otherwise(&held.line(path, line), shape.name, is_read) && !lines.contains(&place) {
            lines.push(place);
        }
    }
    let may_fit = may_fit(shape, held, is_read);
    let severity = if lines.is_empty() || may_fit { Severity::Medium } else { Severity::High };
    if shape.language == "python" {
        for place in by_name(shape, said, is_touched, is_read)? {
            if !lines.contains(&place) {
                lines.push(place);
            }
        }
    }
    let what = if is_read { "is read like a field now" } else { "is no property any more" };
    let still = match (is_read, lines.len()) {
        (true, 1) => "calls it",
        (true, _) => "call it",
        (false, 1) => "reads it without a call",
        (false, _) => "read it without a call",
    };
    let unless = if may_fit { ", which fits where it gives a function" } else { "" };
    Ok((!lines.is_empty()).then(|| Told {
        severity,
        what: format!("{what}, and {} {still}{unless}", untouched(lines.len())),
        places: lines.into_iter().take(MAX_PLACES).collect(),
    }))
}

/// Whether every time that a line says a member, it calls what is read now, or reads what has to be called. Who gives it a value
/// does neither.
fn is_otherwise(text: &str, name: &str, is_read: bool) -> bool {
    let name = format!(".{name}");
    let said = text.match_indices(&name).map(|(at, found)| &text[at + found.len()..]);
    let said = said.filter(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    let uses: Vec<(bool, bool)> = said
        .map(|after| {
            let after = after.trim_start();
            let is_called = after.starts_with('(') || after.starts_with("?.(") || after.starts_with("!(");
            let is_given = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
            (is_called, is_given)
        })
        .collect();
    !uses.is_empty() && uses.iter().all(|&(is_called, is_given)| is_called == is_read && !is_given)
}

/// Whether what was called may go on being called, or what was read go on being handed over: the property is, or was, a function.
fn may_fit(shape: &Shape<'_>, held: &mut Held<'_>, is_read: bool) -> bool {
    let [was, is] = shape.heads;
    let property = if is_read { is } else { was };
    let method = if is_read { was } else { is };
    let takes = signature::count(&method.signature, shape.name).unwrap_or(0);
    let own = usize::from(shape.language == "python");
    let says = |text: &str| {
        ["Callable", "lambda", "partial", "=> ", "Func<", "Action<", "function", ".bind("]
            .iter()
            .any(|word| text.contains(word))
    };
    let node = shape.graph.node(shape.node);
    let (first, last) = node.lines();
    let body = |held: &mut Held<'_>| (first..=last).any(|line| says(&held.line(node.path(), line)));
    // Members of C# that are one expression are written behind an arrow.
    takes > own || says(&property.signature) || is_read && shape.language != "csharp" && body(held)
}

/// Lines of Python that say the name of something where only one thing has it.
fn by_name(
    shape: &Shape<'_>,
    said: &Said<'_>,
    is_touched: impl Fn(&str, u32) -> bool,
    is_read: bool,
) -> Result<Vec<String>, Fault> {
    let (graph, name) = (shape.graph, format!(".{}", shape.name));
    let pattern = Pattern::compile(&format!(r"\.{}\b", shape.name), Syntax::Regex, Case::Sensitive);
    let is_only = graph.nodes_by_label(shape.name).len() == 1 && shape.name.len() >= MIN_NAME;
    let Some(pattern) = pattern.ok().filter(|_| is_only) else { return Ok(Vec::new()) };
    let hits = said(&pattern)?;
    // Where other types have a field of the name, only who is called like this one is meant.
    let own = format!("self{name}");
    let is_field = hits.iter().any(|hit| {
        let said = hit.text.trim_start().strip_prefix(own.as_str()).map(str::trim_start);
        said.is_some_and(|after| after.starts_with(':') || after.starts_with('=') && !after.starts_with("=="))
    });
    let owner = graph.owner(shape.node).map(|ix| graph.node(ix).label().to_lowercase());
    let is_meant = |text: &str| {
        let mut before = text.match_indices(&name).map(|(at, _)| &text[..at]);
        let Some(owner) = owner.as_deref().filter(|_| is_field) else { return true };
        before.any(|before| {
            let from = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
            before[from..].to_lowercase().trim_matches('_').ends_with(owner)
        })
    };
    let mut found = Vec::new();
    for hit in hits.iter().filter(|hit| is_meant(&hit.text)) {
        let (path, line) = (hit.path.as_str(), u32::try_from(hit.line).unwrap_or(u32::MAX));
        let is_own = hit.text.trim_start().starts_with(['#', '@']);
        if !is_own && !is_touched(path, line) && is_otherwise(&hit.text, shape.name, is_read) {
            found.push(format!("{path}:{line}"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_on_as_before_where_it_never_says_a_member_otherwise() {
        let reads = |text: &str| is_otherwise(text, "size", false);
        assert!(
            reads("return box.size + 1") && reads("if (box.size === 1) {") && reads("all.map((a) => a.size)")
        );
        assert!(!reads("return box.size()") && !reads("box.size = 1") && !reads("box.sizes"));
        assert!(!reads("return box.size?.() + box.size"));
        assert!(is_otherwise("return box.size()", "size", true) && !is_otherwise("box.size", "size", true));
    }
}
