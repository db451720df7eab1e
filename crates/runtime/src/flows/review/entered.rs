//! Entered: `with` of a class of Python that cannot be entered or left any more.

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_ingest::revision::Change;
use m1nd_risk::plan::Severity;

use super::contracts::heirs;
use super::fields::has_known_bases;
use super::held::Held;
use super::lines::{self, Lines};
use super::{Edited, Finding};

/// What `with` runs, and how it is written then.
const RUN: [(&str, &str); 4] = [
    ("__enter__", "with "),
    ("__exit__", "with "),
    ("__aenter__", "async with "),
    ("__aexit__", "async with "),
];

/// One finding for each class that lost such a method while it is still entered.
pub fn still_entered(held: &mut Held<'_>, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none() && one.file.path.ends_with(".py")) {
        let gone = one.symbols.iter().flatten().filter(|symbol| symbol.change == Change::Removed);
        for symbol in gone.filter(|symbol| symbol.kind == NodeKind::Method) {
            let Some((class, method)) = symbol.name.rsplit_once('.') else { continue };
            let Some((_, word)) = RUN.iter().find(|(name, _)| *name == method) else { continue };
            let is_class = |ix: &NodeIx| {
                graph.node(*ix).kind() == NodeKind::Class && graph.node(*ix).qualified() == class
            };
            let Some(owner) = graph.nodes_in(&one.file.path).find(is_class) else { continue };
            let mut lines = Lines::new();
            for class in heirs(graph, owner).into_iter().chain([owner]) {
                if !may_have(graph, class, method) {
                    entered(held, graph, class, word, &mut lines);
                }
            }
            if lines.is_empty() {
                continue;
            }
            let enter_it = match lines.len() {
                1 => "1 line still enters it".to_owned(),
                count => format!("{count} lines still enter it"),
            };
            found.push(Finding {
                kind: "removed_but_used",
                severity: Severity::High.name(),
                at: format!("{}:{}", one.file.path, graph.node(owner).lines().0),
                message: format!("{} was removed, and {enter_it} by `{}`", symbol.name, word.trim()),
                places: lines::places(&lines),
            });
        }
    }
    found
}

/// Whether objects of a class may find a method of that name.
fn may_have(graph: &Graph, class: NodeIx, method: &str) -> bool {
    let line = graph.lineage(class);
    line.iter().any(|&ty| {
        !has_known_bases(graph, ty) || graph.members(ty).iter().any(|&ix| graph.node(ix).label() == method)
    })
}

/// The lines that make an object of a class and enter it at once.
fn entered<'g>(held: &mut Held<'_>, graph: &'g Graph, class: NodeIx, word: &str, lines: &mut Lines<'g>) {
    let label = graph.node(class).label();
    let is_maker = |ix: &NodeIx| matches!(graph.node(*ix).label(), "__init__" | "__new__");
    let asked = graph.members(class).into_iter().filter(is_maker).chain([class]);
    for edge in asked.flat_map(|ix| graph.incoming(ix)).filter(|edge| edge.kind == EdgeKind::Calls) {
        let user = graph.node(edge.source);
        for (line, _) in edge.sites().filter(|(_, evidence)| !evidence.is_inferred()) {
            let text = held.line(user.path(), line);
            if enters(text.trim_start(), word, label) {
                lines.insert((user.flags().has(NodeFlags::TEST_CODE), user.path(), line));
            }
        }
    }
}

/// Whether a line enters what it makes: `with a.Class(…) as name`, among others or alone.
fn enters(line: &str, word: &str, class: &str) -> bool {
    let Some(rest) = line.strip_prefix(word) else { return false };
    let made = format!("{class}(");
    let mut depth = 0_u32;
    // What stands in brackets is given to something else, unless they hold all that is entered.
    let rest = rest.trim_start_matches('(');
    for (at, letter) in rest.char_indices() {
        if depth == 0 && rest[at..].starts_with(&made) {
            let is_part = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            return !is_part && is_entered_itself(&rest[at + made.len()..]);
        }
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Whether nothing is asked of what a call makes whose arguments begin here.
fn is_entered_itself(given: &str) -> bool {
    let mut depth = 1_u32;
    for (at, letter) in given.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return !given[at + 1..].trim_start().starts_with(['.', '[', '(']);
        }
    }
    // The rest stands below.
    true
}

#[cfg(test)]
mod tests {
    use super::enters;

    #[test]
    fn what_is_made_behind_with_is_entered_and_what_is_given_to_something_else_is_not() {
        for line in [
            "with Client() as c:",
            "with httpx.Client(a=1) as c:",
            "with open(x), Client():",
            "with (Client() as c):",
        ] {
            assert!(enters(line, "with ", "Client"), "{line}");
        }
        for line in ["with closing(Client()):", "with MyClient():", "c = Client()", "with Clients():"] {
            assert!(!enters(line, "with ", "Client"), "{line}");
        }
        assert!(enters("async with Client() as c:", "async with ", "Client"));
        assert!(!enters("with Client().stream() as c:", "with ", "Client"), "its stream is");
    }
}
