//! Fields: lines that certainly ask for a field which their type lost.

use std::collections::BTreeSet;

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};

use super::contracts::{heirs, knows_bases};
use super::held::Held;

/// Path and line.
pub type Asked = BTreeSet<(String, u64)>;

/// The lines within members of the type that say the field of themselves, and those of functions that are given a value of the type
/// and say it of that. Nothing where the type may have the field from elsewhere.
pub fn certainly_asked(held: &mut Held<'_>, graph: &Graph, owner: NodeIx, field: &str) -> Asked {
    let language = graph.node(owner).language();
    let own: &[&str] = match language {
        "rust" => &["self"],
        "python" => &["self", "cls"],
        "typescript" | "tsx" => &["this"],
        _ => return Asked::new(),
    };
    let family = family(graph, owner, language);
    if may_come_otherwise(held, graph, owner, &family, field) {
        return Asked::new();
    }
    let mut found = Asked::new();
    for &ty in &family {
        for method in graph.members(ty).into_iter().filter(|&ix| graph.node(ix).kind().is_callable()) {
            for word in own {
                said_in(held, graph, method, word, field, &mut found);
            }
        }
    }
    // Who is given one of the type says so in its head.
    if language != "python" {
        let users = graph
            .incoming(owner)
            .filter(|edge| edge.kind == EdgeKind::References && !edge.evidence.is_inferred());
        let users: BTreeSet<NodeIx> = users.map(|edge| edge.source).collect();
        for user in users.into_iter().filter(|&ix| graph.node(ix).kind().is_callable()) {
            let head = graph.node(user).signature().to_owned();
            for word in given(&head, graph.node(owner).label()) {
                said_in(held, graph, user, word, field, &mut found);
            }
        }
    }
    found
}

/// The type, and in languages that look names up when a line runs also those below it.
fn family(graph: &Graph, owner: NodeIx, language: &str) -> Vec<NodeIx> {
    let mut all = vec![owner];
    if language == "python" || matches!(language, "typescript" | "tsx") {
        all.extend(heirs(graph, owner));
    }
    all
}

/// Whether a type may have a field that it does not declare.
fn may_come_otherwise(
    held: &mut Held<'_>,
    graph: &Graph,
    owner: NodeIx,
    family: &[NodeIx],
    field: &str,
) -> bool {
    let node = graph.node(owner);
    match node.language() {
        // What it leads to when it is looked through may have one.
        "rust" => {
            let deref = format!("Deref for {}", node.label());
            let text = held.text(node.path()).map(|text| text.into_owned()).unwrap_or_default();
            text.contains(&deref) || node.kind() != NodeKind::Struct
        }
        language => {
            let mut all: Vec<NodeIx> = graph.lineage(owner);
            for &heir in family {
                all.extend(graph.lineage(heir));
            }
            all.iter().any(|&ty| {
                let is_known = match language {
                    "python" => has_known_bases(graph, ty),
                    _ => node.kind() == NodeKind::Class && knows_bases(graph, ty),
                };
                !is_known || declares(held, graph, ty, field)
            })
        }
    }
}

/// Whether all that a class of Python says it extends is known.
fn has_known_bases(graph: &Graph, ty: NodeIx) -> bool {
    let head = graph.node(ty).signature();
    let listed = head.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches([')', ':', ' ']));
    let said = listed.split(',').map(str::trim).filter(|base| !base.is_empty() && *base != "object").count();
    let known = graph
        .outgoing(ty)
        .filter(|edge| edge.kind == EdgeKind::Inherits && !edge.evidence.is_inferred())
        .count();
    !listed.contains(['=', '[']) && known >= said
}

/// What gives a type fields that nobody writes down.
const OPEN: [&str; 8] = [
    "__getattr__",
    "__getattribute__",
    "setattr(",
    "__dict__",
    "__slots__",
    "Object.assign",
    "[key: string]",
    "vars(self)",
];
/// Words that stand before a member, and make one of a parameter.
const MEMBERS: [&str; 4] = ["public", "private", "protected", "readonly"];
/// Words that stand before a member as well.
const MARKS: [&str; 9] =
    ["static", "declare", "get", "set", "async", "abstract", "override", "def", "accessor"];

/// Whether a type gives itself the field, or any field.
fn declares(held: &mut Held<'_>, graph: &Graph, ty: NodeIx, field: &str) -> bool {
    let node = graph.node(ty);
    let (first, last) = node.lines();
    let Some(text) = held.text(node.path()) else { return true };
    let mut lines = text.lines().skip(first as usize - 1).take((last - first + 1) as usize);
    lines.any(|line| OPEN.iter().any(|word| line.contains(word)) || is_given_in(line, field))
}

/// Whether a line within a type makes a name one of its members.
fn is_given_in(line: &str, field: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(field).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + field.len()..]);
        if before.ends_with(is_letter) || after.starts_with(is_letter) {
            return false;
        }
        let after = after.trim_start().trim_start_matches(['?', '!']);
        let is_set = after.starts_with(['=', ':']) && !after.starts_with("==") || after.starts_with("+=");
        // Several names may be given values at once.
        let is_one_of_several = after.starts_with([',', ')', ']']) && line.contains('=');
        if ["self.", "cls.", "this."].iter().any(|word| before.ends_with(word)) {
            return is_set || is_one_of_several;
        }
        let mut words = before.split_whitespace();
        let is_member = words.all(|word| MEMBERS.contains(&word) || MARKS.contains(&word))
            && !before.ends_with(['.', '(']);
        let last = before.trim_end().rsplit(|c: char| !is_letter(c)).next().unwrap_or_default();
        let is_parameter = before.ends_with(' ') && MEMBERS.contains(&last);
        is_parameter || is_member && (is_set || after.is_empty() || after.starts_with(['(', ';']))
    })
}

/// The names of parameters that are of a type.
fn given<'h>(head: &'h str, ty: &str) -> Vec<&'h str> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in head.match_indices(ty) {
        let (before, after) = (&head[..at], &head[at + ty.len()..]);
        let before = before.trim_end_matches("mut ").trim_end_matches(['&', ' ']);
        let Some(before) = before.strip_suffix(':') else { continue };
        let from = before.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
        if after.trim_start().starts_with([',', ')']) && from < before.len() {
            found.push(&before[from..]);
        }
    }
    found
}

/// The lines of a function that say the field of a word which means nothing else there.
fn said_in(held: &mut Held<'_>, graph: &Graph, function: NodeIx, word: &str, field: &str, found: &mut Asked) {
    let node = graph.node(function);
    let (first, last) = node.lines();
    let Some(text) = held.text(node.path()) else { return };
    let inner: Vec<(u64, &str)> =
        (1..).zip(text.lines()).skip(first as usize - 1).take((last - first + 1) as usize).collect();
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let rebinds = [
        format!("let {word}"),
        format!("let mut {word}"),
        format!("const {word}"),
        format!("|{word}"),
        format!("for {word} "),
        format!("{word} =>"),
    ];
    if word != "self"
        && word != "this"
        && inner.iter().any(|(_, line)| rebinds.iter().any(|way| line.contains(way.as_str())))
    {
        return;
    }
    let said = format!("{word}.{field}");
    for (number, line) in inner {
        let code = line.split("//").next().unwrap_or(line);
        let is_comment = code.trim_start().starts_with(['#', '*']);
        let asks = code.match_indices(&said).any(|(at, _)| {
            let (before, after) = (&code[..at], &code[at + said.len()..]);
            let is_word = !before.ends_with(|c| is_letter(c) || c == '.') && !after.starts_with(is_letter);
            is_word && !after.trim_start().starts_with('(') && !super::removed::is_quoted(before)
        });
        if asks && !is_comment {
            found.insert((node.path().to_owned(), number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_gives_itself_fields_by_declaring_or_setting_them() {
        for line in [
            "  width = 1",
            "  private width: u8",
            "  constructor(readonly width) {",
            "self.width = 1",
            "a, self.width = 1, 2",
            "    def width(self):",
            "    width: int",
        ] {
            assert!(is_given_in(line, "width"), "{line}");
        }
        for line in ["return self.width", "x.width = 1", "self.width == 1", "f(width=1)", "self.widths = 1"] {
            assert!(!is_given_in(line, "width"), "{line}");
        }
    }

    #[test]
    fn parameters_of_a_type_are_named_in_the_head() {
        assert_eq!(
            given("fn f(a: &Shape, b: &mut Shape, c: Vec<Shape>, d: Shapes, e: Shape)", "Shape"),
            ["a", "b", "e"]
        );
    }
}
