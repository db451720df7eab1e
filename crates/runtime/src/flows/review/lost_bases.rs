//! Lost bases: types that a change took a base from, and the lines that use what they had from it.

use std::collections::BTreeSet;

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx};
use m1nd_ingest::languages;
use m1nd_risk::blast::DEPENDS;
use m1nd_risk::plan::Severity;

use super::contracts::{heirs, knows_bases};
use super::held::Held;
use super::lines::{Lines, places};
use super::users::User;
use super::{Edited, Finding, builtins};

/// Names of members that a finding says.
const MAX_NAMES: usize = 5;

/// One finding for each type that has a base less, and code that asks it for a member which only that one had.
pub fn still_used(held: &mut Held<'_>, before: &Graph, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none() && one.symbols.is_some()) {
        for then in before.nodes_in(one.path_before()).filter(|&ix| before.node(ix).kind().is_type()) {
            let is_it = |&ix: &NodeIx| {
                let node = graph.node(ix);
                node.kind().is_type() && node.qualified() == before.node(then).qualified()
            };
            let Some(now) = graph.nodes_in(&one.file.path).find(is_it) else { continue };
            let lost = lost(before, graph, then, now);
            // Bases that nobody can read may have anything.
            if !lost.is_empty() && !has_unread_base(graph, now) {
                found.extend(Lost { one, then, now, lost }.told(held, before, graph, edited));
            }
        }
    }
    found
}

/// The bases that a type had and does not have any more, under whatever name.
fn lost(before: &Graph, graph: &Graph, then: NodeIx, now: NodeIx) -> Vec<NodeIx> {
    let head = graph.node(now).signature();
    let has: Vec<&str> = graph.lineage(now).into_iter().map(|ix| graph.node(ix).label()).collect();
    let bases = [EdgeKind::Inherits, EdgeKind::Implements].map(|kind| before.targets(then, kind));
    let mut lost: Vec<NodeIx> = bases.into_iter().flatten().collect();
    lost.retain(|&base| {
        let label = before.node(base).label();
        let is_said = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == label);
        !has.contains(&label) && !is_said
    });
    lost
}

/// Whether a type, or one above it, has bases that are not in the graph.
fn has_unread_base(graph: &Graph, ty: NodeIx) -> bool {
    graph.lineage(ty).into_iter().any(|ix| {
        let node = graph.node(ix);
        match node.language() {
            "python" => {
                let bases = graph.targets(ix, EdgeKind::Inherits).count();
                listed(node.signature()) > bases
            }
            _ => !knows_bases(graph, ix),
        }
    })
}

/// How many bases a class of Python says that may have members.
fn listed(head: &str) -> usize {
    let Some((_, list)) = head.split_once('(') else { return 0 };
    let list = list.rsplit_once(')').map_or(list, |(list, _)| list);
    let mut depth = 0_i32;
    let parts = list.split(|c: char| {
        depth += i32::from(matches!(c, '[' | '(')) - i32::from(matches!(c, ']' | ')'));
        c == ',' && depth == 0
    });
    let names = parts.map(|part| part.split('[').next().unwrap_or(part).trim());
    let names = names.map(|name| name.rsplit('.').next().unwrap_or(name));
    names
        .filter(|name| {
            !name.is_empty()
                && !matches!(*name, "object" | "ABC" | "Generic" | "Protocol" | "metaclass=ABCMeta")
        })
        .count()
}

/// A type that lost bases.
struct Lost<'e> {
    one: &'e Edited,
    then: NodeIx,
    now: NodeIx,
    lost: Vec<NodeIx>,
}

impl Lost<'_> {
    fn told(&self, held: &mut Held<'_>, before: &Graph, graph: &Graph, edited: &[Edited]) -> Option<Finding> {
        let family = languages::of_path(&self.one.file.path)?.family;
        let left = |ix: NodeIx| graph.members(ix).into_iter().map(|ix| graph.node(ix).label());
        let left: BTreeSet<&str> = graph.lineage(self.now).into_iter().flat_map(left).collect();
        let gone = self.lost.iter().flat_map(|&base| before.lineage(base));
        let gone = gone.flat_map(|base| before.members(base)).filter(|&member| {
            let label = before.node(member).label();
            !left.contains(label) && !label.starts_with("__") && !builtins::has(family, label)
        });
        let gone: BTreeSet<NodeIx> = gone.collect();
        // The lines of the type itself and of those below it.
        let mut own = vec![self.then];
        own.extend(heirs(before, self.then));
        let is_own = |path: &str, line: u32| {
            own.iter().any(|&ix| {
                let node = before.node(ix);
                let (first, last) = node.lines();
                node.path() == path && (first..=last).contains(&line)
            })
        };
        let mut lines = Lines::new();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for &member in &gone {
            let name = before.node(member).label();
            for edge in before.incoming(member).filter(|edge| DEPENDS.contains(&edge.kind)) {
                let source = before.node(edge.source);
                let Some(user) = User::of(graph, edited, source.path()) else { continue };
                let certain = edge.sites().filter(|(_, evidence)| !evidence.is_inferred());
                for (line, _) in certain.filter(|(line, _)| is_own(source.path(), *line)) {
                    let Some(today) = user.line(line) else { continue };
                    let is_found = user.certainly_leads_to(today).any(|ix| graph.node(ix).label() == name);
                    if !is_found && asks_itself(&held.line(user.path, today), name, family) {
                        let is_test = source.flags().has(NodeFlags::TEST_CODE);
                        // A place lives as long as the files that were edited, or the graph.
                        lines.insert((is_test, user.path, today));
                        names.insert(name);
                    }
                }
            }
        }
        let count = match lines.len() {
            0 => return None,
            1 => "1 line of it still uses".to_owned(),
            count => format!("{count} lines of it still use"),
        };
        let said: Vec<&str> = names.iter().copied().take(MAX_NAMES).collect();
        let base = self.lost.first().map_or("", |&base| before.node(base).label());
        let node = graph.node(self.now);
        Some(Finding {
            kind: "removed_but_used",
            severity: Severity::High.name(),
            at: format!("{}:{}", self.one.file.path, node.lines().0),
            message: format!(
                "{} is no {base} any more, and {count} what only that one has: {}",
                node.qualified(),
                said.join(", ")
            ),
            places: places(&lines),
        })
    }
}

/// Whether a line asks the object that it belongs to for a member.
fn asks_itself(line: &str, name: &str, family: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_said = ["self.", "cls.", "this.", "super().", "super."].iter().any(|own| {
            before.strip_suffix(own).is_some_and(|rest| !rest.ends_with(|c| is_letter(c) || c == '.'))
        });
        let is_bare = family == "java" && !before.ends_with(|c| is_letter(c) || c == '.');
        !after.starts_with(is_letter) && (is_said || is_bare)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_counted_that_may_have_members() {
        assert_eq!(listed("class A(B, Generic[K, V], c.D[E], metaclass=ABCMeta)"), 2);
        assert_eq!(["class A", "class A()", "class A(object)"].map(listed), [0, 0, 0]);
    }

    #[test]
    fn a_line_asks_the_object_that_it_belongs_to() {
        assert!(asks_itself("  return self.helper(1)", "helper", "python"));
        assert!(
            asks_itself("  this.helper()", "helper", "script") && asks_itself("helper();", "helper", "java")
        );
        assert!(!asks_itself("  other.self.helper(1)", "helper", "python"));
        assert!(
            !asks_itself("  helper(1)", "helper", "python")
                && !asks_itself("self.helpers", "helper", "python")
        );
    }
}
