//! Fields: lines that certainly ask for a field which their type lost.

use std::collections::BTreeSet;

use m1nd_graph::{EdgeKind, Graph, Node, NodeIx, NodeKind};

use super::code_lines::code_lines;
use super::contracts::{heirs, knows_bases};
use super::held::Held;
use super::literals;
use super::made;

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
        // Methods say in their heads what they call it.
        "go" => &[],
        _ => return Asked::new(),
    };
    let family = family(graph, owner, language);
    if may_come_otherwise(held, graph, owner, &family, field) {
        return Asked::new();
    }
    said_of(held, graph, owner, &family, own, field)
}

/// The same, whatever else may have the field; `family` are the types whose values are looked for, `own` what methods call theirs.
pub(super) fn said_of(
    held: &mut Held<'_>,
    graph: &Graph,
    owner: NodeIx,
    family: &[NodeIx],
    own: &[&str],
    field: &str,
) -> Asked {
    let language = graph.node(owner).language();
    let mut found = Asked::new();
    for &ty in family {
        for method in graph.members(ty).into_iter().filter(|&ix| graph.node(ix).kind().is_callable()) {
            for word in own {
                said_in(held, graph, method, (word, Bound::Own), field, &mut found);
            }
        }
    }
    // Who is given one of the type says so in its head.
    let users = graph
        .incoming(owner)
        .filter(|edge| edge.kind == EdgeKind::References && !edge.evidence.is_inferred());
    let mut users: BTreeSet<NodeIx> = users.flat_map(|edge| naming(graph, &edge)).collect();
    if language == "go" {
        users.extend(graph.members(owner));
    }
    for user in users.into_iter().filter(|&ix| graph.node(ix).kind().is_callable()) {
        let head = graph.node(user).signature().to_owned();
        for word in given(&head, graph.node(owner).label()) {
            said_in(held, graph, user, (word, Bound::Given), field, &mut found);
        }
    }
    if matches!(language, "python" | "typescript" | "tsx") {
        for &ty in family {
            of_values_made(held, graph, ty, field, &mut found);
        }
    }
    written_out(held, graph, owner, field, &mut found);
    found
}

/// The lines of functions that say the field of a value which they made themselves, and those that say it of the type.
fn of_values_made(held: &mut Held<'_>, graph: &Graph, owner: NodeIx, field: &str, found: &mut Asked) {
    let node = graph.node(owner);
    let (label, language) = (node.label().to_owned(), node.language());
    let is_maker = |ix: &NodeIx| matches!(graph.node(*ix).label(), "__init__" | "__new__" | "constructor");
    let asked = graph.members(owner).into_iter().filter(is_maker).chain([owner]);
    let edges: Vec<_> = asked.flat_map(|ix| graph.incoming(ix)).collect();
    let is_certain =
        |edge: &&m1nd_graph::Edge<'_>| edge.kind != EdgeKind::Contains && !edge.evidence.is_inferred();
    let mut makers: BTreeSet<(NodeIx, u32)> = BTreeSet::new();
    let mut paths: BTreeSet<&str> = [node.path()].into();
    for edge in edges.iter().filter(is_certain) {
        paths.insert(graph.node(edge.source).path());
        let functions = naming(graph, edge);
        for (line, _) in edge.sites().filter(|(_, evidence)| !evidence.is_inferred()) {
            let is_around = |ix: &&NodeIx| {
                let (first, last) = graph.node(**ix).lines();
                graph.node(**ix).kind().is_callable() && (first..=last).contains(&line)
            };
            makers.extend(functions.iter().filter(is_around).map(|&ix| (ix, line)));
        }
    }
    for path in paths {
        // There it may mean something else.
        if graph.nodes_in(path).any(|ix| ix != owner && graph.node(ix).label() == label) {
            continue;
        }
        let Some(text) = held.text(path) else { continue };
        let lines = code_lines(language, &text).filter(|(_, line)| made::says_of_type(line, &label, field));
        found.extend(lines.map(|(number, _)| (path.to_owned(), number)));
    }
    for (function, line) in makers {
        let text = held.line(graph.node(function).path(), line);
        if let Some(word) = made::bound(language, &text, &label) {
            said_in(held, graph, function, (word, Bound::Made(u64::from(line))), field, found);
        }
    }
}

/// How a word comes to mean a value of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    /// What a method calls its own.
    Own,
    /// The head of the function says so.
    Given,
    /// It is made on this line.
    Made(u64),
}

/// The functions that name a type: in Python what stands in a head belongs to what is around the function.
fn naming(graph: &Graph, edge: &m1nd_graph::Edge<'_>) -> Vec<NodeIx> {
    let source = graph.node(edge.source);
    if source.kind().is_callable() || source.language() != "python" {
        return vec![edge.source];
    }
    let is_named = |ix: &NodeIx| {
        let (first, last) = graph.node(*ix).lines();
        graph.node(*ix).kind().is_callable()
            && edge.sites().any(|(line, evidence)| !evidence.is_inferred() && (first..=last).contains(&line))
    };
    graph.nodes_in(source.path()).filter(is_named).collect()
}

/// The lines that make a value of the type and name the field: `T{field: 1}` in Go, `T(field=1)` of a class of Python that is made
/// from its fields.
fn written_out(held: &mut Held<'_>, graph: &Graph, owner: NodeIx, field: &str, found: &mut Asked) {
    let node = graph.node(owner);
    let by = match node.language() {
        "go" => literals::GO,
        "python" if is_made_from_fields(held, graph, owner) => literals::PYTHON,
        _ => return,
    };
    let kinds = [EdgeKind::Calls, EdgeKind::References];
    for edge in graph.incoming(owner).filter(|edge| kinds.contains(&edge.kind)) {
        let path = graph.node(edge.source).path();
        for (line, _) in edge.sites().filter(|(_, evidence)| !evidence.is_inferred()) {
            let Some(text) = held.text(path) else { continue };
            let lines = literals::naming(&text, line, node.label(), field, by);
            found.extend(lines.into_iter().map(|line| (path.to_owned(), u64::from(line))));
        }
    }
}

/// What makes a class of Python from its fields.
const MAKERS: [&str; 8] = [
    "dataclass",
    "dataclasses.dataclass",
    "attr.s",
    "attr.attrs",
    "attr.define",
    "attrs.define",
    "define",
    "attrs.frozen",
];

fn is_made_from_fields(held: &mut Held<'_>, graph: &Graph, owner: NodeIx) -> bool {
    let node = graph.node(owner);
    if graph.members(owner).iter().any(|&ix| graph.node(ix).label() == "__init__") {
        return false;
    }
    if extends_named_tuple(node.signature()) {
        return true;
    }
    let Some(text) = held.text(node.path()) else { return false };
    let head = text.lines().skip((node.lines().0 as usize).saturating_sub(1));
    let marks = head.map(str::trim).take_while(|line| !line.starts_with("class ")).take(MAX_MARKS);
    marks.filter_map(|line| line.strip_prefix('@')).any(|mark| {
        let name = mark.split('(').next().unwrap_or(mark);
        MAKERS.contains(&name.trim())
    })
}

/// The head of what makes a class of Python from its fields; nothing within where that cannot be read, and nothing at all where nothing
/// makes it so.
pub(super) fn made_from(text: &str, class: &Node<'_>) -> Option<Option<String>> {
    let (first, last) = class.lines();
    let lines: Vec<&str> = text.lines().skip((first as usize).saturating_sub(1)).collect();
    let lines = &lines[..lines.len().min((last.saturating_sub(first) + 1) as usize)];
    let head = lines.iter().position(|line| line.trim_start().starts_with("class "))?;
    let marks: Vec<&str> = lines[..head].iter().map(|line| line.trim()).collect();
    let is_tuple = extends_named_tuple(class.signature());
    match marks[..] {
        [] if is_tuple => {}
        [] => return None,
        ["@dataclass" | "@dataclasses.dataclass"] if !class.signature().contains('(') => {}
        // What is said of it may change what it takes.
        _ => return Some(None),
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let body = lines[head + 1..].iter().filter(|line| !line.trim().is_empty());
    let body: Vec<&str> = body.copied().collect();
    // A head of several lines.
    if !lines[head].trim_end().ends_with(':') {
        return Some(None);
    }
    let within = body.first().map_or(0, |line| indent(line));
    let mut given = Vec::new();
    for line in body.iter().filter(|line| indent(line) == within) {
        let line = line.split("  #").next().unwrap_or(line).trim();
        let Some((name, rest)) = line.split_once(':') else { continue };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        // `def __init__(…)` is written by hand, `_: KW_ONLY` and `field(…)` say more than can be read here.
        if line.starts_with("def __init__") || rest.contains("KW_ONLY") || rest.contains("field(") {
            return Some(None);
        }
        let is_word = matches!(name, "else" | "try" | "finally");
        if is_name && !is_word && !rest.contains("ClassVar") {
            given.push(format!("{name}{}", if rest.contains('=') { "=0" } else { "" }));
        }
    }
    let given = given.iter().map(|name| format!(", {name}")).collect::<String>();
    Some(Some(format!("def __init__(self{given})")))
}

/// Lines of decorators that are looked at.
const MAX_MARKS: usize = 20;

fn extends_named_tuple(head: &str) -> bool {
    let listed = head.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches([')', ':', ' ']));
    matches!(listed, "NamedTuple" | "typing.NamedTuple")
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
        // What is embedded may have one, and a file for another platform may say it of the same type.
        "go" => {
            let folder = m1nd_graph::near::folder(node.path());
            let twins = graph.nodes_by_label(node.label()).iter().filter(|&&ix| {
                let other = graph.node(NodeIx(ix));
                other.kind().is_type() && m1nd_graph::near::folder(other.path()) == folder
            });
            let has_method = graph.members(owner).iter().any(|&ix| graph.node(ix).label() == field);
            twins.count() > 1 || has_method || node.kind() != NodeKind::Struct || embeds(held, graph, owner)
        }
        language => {
            let mut all: Vec<NodeIx> = graph.lineage(owner);
            for &heir in family {
                all.extend(graph.lineage(heir));
            }
            all.iter().any(|&ty| {
                let is_known = match language {
                    "python" => has_known_bases(graph, ty),
                    _ => is_closed(graph, ty) && knows_bases(graph, ty),
                };
                !is_known || declares(held, graph, ty, field)
            })
        }
    }
}

/// Whether nothing but its own text says what a type of TypeScript has. Interfaces of one name are added up.
fn is_closed(graph: &Graph, ty: NodeIx) -> bool {
    let node = graph.node(ty);
    let namesakes = || graph.nodes_by_label(node.label()).iter().map(|&ix| graph.node(NodeIx(ix)).kind());
    match node.kind() {
        NodeKind::Class => true,
        NodeKind::Interface => namesakes().filter(|kind| kind.is_type()).count() == 1,
        _ => false,
    }
}

/// Whether a struct of Go has the fields of others.
fn embeds(held: &mut Held<'_>, graph: &Graph, owner: NodeIx) -> bool {
    let node = graph.node(owner);
    let (first, last) = node.lines();
    let Some(text) = held.text(node.path()) else { return true };
    let mut lines = text.lines().skip(first as usize).take((last.saturating_sub(first + 1)) as usize);
    lines.any(|line| {
        let code = line.split("//").next().unwrap_or(line).split('`').next().unwrap_or(line).trim();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '*');
        !code.is_empty() && code.chars().all(is_name)
    })
}

/// Whether all that a class of Python says it extends is known.
pub(super) fn has_known_bases(graph: &Graph, ty: NodeIx) -> bool {
    let head = graph.node(ty).signature();
    if extends_named_tuple(head) {
        return true;
    }
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

/// The names of parameters that are of a type. Go writes the type behind the name, others a colon between them.
fn given<'h>(head: &'h str, ty: &str) -> Vec<&'h str> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in head.match_indices(ty) {
        let (before, after) = (&head[..at], &head[at + ty.len()..]);
        let before = match head.starts_with("func ") {
            true if before.ends_with(is_letter) => continue,
            true => match before.trim_end_matches('*').strip_suffix(' ') {
                Some(before) => before,
                None => continue,
            },
            false => {
                let before = before.trim_end_matches("mut ").trim_end_matches(['&', ' ']);
                let Some(before) = before.strip_suffix(':') else { continue };
                before
            }
        };
        let from = before.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
        if after.trim_start().starts_with([',', ')']) && from < before.len() {
            found.push(&before[from..]);
        }
    }
    found
}

/// The lines of a function that say the field of a word which means nothing else there.
fn said_in(
    held: &mut Held<'_>,
    graph: &Graph,
    function: NodeIx,
    (word, bound): (&str, Bound),
    field: &str,
    found: &mut Asked,
) {
    let node = graph.node(function);
    let (first, last) = node.lines();
    let Some(text) = held.text(node.path()) else { return };
    let inner: Vec<(u64, &str)> = code_lines(node.language(), &text)
        .filter(|(number, _)| (u64::from(first)..=u64::from(last)).contains(number))
        .collect();
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let rebinds = [
        format!("let {word}"),
        format!("let mut {word}"),
        format!("const {word}"),
        format!("|{word}"),
        format!("for {word} "),
        format!("for {word},"),
        format!("{word} =>"),
        format!("{word} :="),
        format!("var {word} "),
        format!("as {word}"),
        format!("hasattr({word}"),
    ];
    let made = if let Bound::Made(line) = bound { line } else { 0 };
    let others = || inner.iter().filter(|(number, _)| *number != made);
    let body = others().filter(|(number, _)| *number != u64::from(first));
    let is_set = |line: &str| {
        let rest = line.trim_start().strip_prefix(word).map(str::trim_start);
        rest.is_some_and(|rest| {
            rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with(',') && rest.contains('=')
        }) || line.contains(&format!(", {word} = "))
    };
    let takes = [format!("({word} "), format!(", {word} "), format!("lambda {word}")];
    let is_taken = |line: &str| {
        let is_function = line.contains("func(") || line.contains("lambda ") || line.contains("def ");
        is_function && takes.iter().any(|way| line.contains(way.as_str()))
    };
    if bound != Bound::Own
        && (others().any(|(_, line)| rebinds.iter().any(|way| line.contains(way.as_str())))
            || body.clone().any(|(_, line)| is_set(line) || is_taken(line))
            || others().any(|(_, line)| line.contains("AttributeError")))
    {
        return;
    }
    let said = format!("{word}.{field}");
    for &(number, line) in inner.iter().filter(|(number, _)| *number > made) {
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
        assert_eq!(
            given("func (s *Shape) Join(a Shape, b []Shape, c MyShape, d *Shape) int", "Shape"),
            ["s", "a", "d"]
        );
        assert_eq!(given("def f(a: Shape, b: list[Shape]):", "Shape"), ["a"]);
    }
}
