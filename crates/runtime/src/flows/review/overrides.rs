//! Overrides: methods of one name above and below each other that took the same and do not any more.

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_ingest::revision::{Change, Changed};
use m1nd_risk::plan::Severity;
use m1nd_risk::signature::{self, Fit, fit};

use super::contracts::{demands, heirs, is_abstract, knows_bases};
use super::held::Held;
use super::signatures::node_of;
use super::{Edited, Finding};

/// Places that are shown of each.
const MAX_PLACES: usize = super::lines::MAX_PLACES;

/// One finding for each method whose parameters changed without those above or below it.
pub fn apart(held: &mut Held<'_>, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none()) {
        let changed = one.symbols.iter().flatten().filter(|symbol| symbol.change == Change::Signature);
        for symbol in changed.filter(|symbol| symbol.kind == NodeKind::Method) {
            found.extend(of(held, graph, one, symbol));
        }
    }
    found
}

fn of(held: &mut Held<'_>, graph: &Graph, one: &Edited, symbol: &Changed) -> Option<Finding> {
    let [was, is] = symbol.heads.as_deref()?;
    let method = node_of(graph, &one.file.path, symbol)?;
    let owner = graph.owner(method)?;
    let pair = Pair { graph, method, was: &was.signature, is: &is.signature };
    let mut below: Vec<NodeIx> = Vec::new();
    for heir in heirs(graph, owner) {
        below.extend(
            pair.only_of_name(heir).filter(|&other| pair.leaves_behind(held, Place::Below, (heir, other))),
        );
    }
    let mut above: Vec<NodeIx> = Vec::new();
    for base in graph.lineage(owner).into_iter().skip(1) {
        let other = pair.only_of_name(base);
        above.extend(other.filter(|&other| pair.leaves_behind(held, Place::Above, (owner, other))));
    }
    let (others, what) = match (&below[..], &above[..]) {
        ([], []) => return None,
        ([], [base, ..]) => {
            (above.as_slice(), format!("does not fit {} any more", graph.node(*base).qualified()))
        }
        ([heir], _) => (&below[..], format!("{} does not fit it any more", graph.node(*heir).qualified())),
        (all, _) => (&below[..], format!("{} methods below do not fit it any more", all.len())),
    };
    let language = graph.node(method).language();
    // A class that says what it implements, and needs more than that gives.
    let is_contract =
        |ix: NodeIx| graph.owner(ix).is_some_and(|of| graph.node(of).kind() == NodeKind::Interface);
    let is_said = matches!(language, "typescript" | "tsx")
        && others.iter().chain([&method]).any(|&ix| is_contract(ix))
        && !others.iter().chain([&method]).any(|&ix| graph.node(ix).signature().contains("..."));
    let is_checked = matches!(language, "rust" | "java") || is_said;
    let [was, is] = signature::shown(&was.signature, &is.signature, 200);
    Some(Finding {
        kind: "signature_change",
        severity: if is_checked { Severity::High } else { Severity::Medium }.name(),
        at: format!("{}:{}", one.file.path, symbol.line),
        message: format!("{}: {what}. Was: {was}. Is: {is}", symbol.name),
        places: others
            .iter()
            .take(MAX_PLACES)
            .map(|&ix| format!("{}:{}", graph.node(ix).path(), graph.node(ix).lines().0))
            .collect(),
    })
}

/// Where the other method stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Above,
    Below,
}

/// A method as it was and is declared.
struct Pair<'g> {
    graph: &'g Graph,
    method: NodeIx,
    was: &'g str,
    is: &'g str,
}

impl<'g> Pair<'g> {
    fn name(&self) -> &'g str {
        self.graph.node(self.method).label()
    }

    /// The member of that name of a type where it has one.
    fn only_of_name(&self, of: NodeIx) -> Option<NodeIx> {
        let members = self.graph.members(of).into_iter();
        let mut named = members.filter(|&ix| self.graph.node(ix).label() == self.name() && ix != self.method);
        named.next().filter(|&ix| named.next().is_none() && self.graph.node(ix).kind() == NodeKind::Method)
    }

    /// Whether another method fitted this one as it was and does not fit it as it is.
    fn leaves_behind(&self, held: &mut Held<'_>, place: Place, (heir, other): (NodeIx, NodeIx)) -> bool {
        let (node, name) = (self.graph.node(other), self.name());
        let count = |text: &str| signature::count(text, name);
        let counts = [count(self.was), count(self.is), count(node.signature())];
        let [Some(was), Some(is), Some(theirs)] = counts else { return false };
        if node.signature().ends_with('…') || node.language() != self.graph.node(self.method).language() {
            return false;
        }
        match node.language() {
            "rust" => {
                // Traits may have methods of one name.
                let bases = self.graph.lineage(heir).into_iter().skip(1);
                let named = bases.filter(|&base| {
                    self.graph.members(base).iter().any(|&ix| self.graph.node(ix).label() == name)
                });
                let is_trait = |ix: NodeIx| {
                    self.graph.owner(ix).is_some_and(|of| self.graph.node(of).kind() == NodeKind::Trait)
                };
                was == theirs
                    && is != theirs
                    && named.count() == 1
                    && is_trait(self.method) != is_trait(other)
            }
            "java" => {
                let lineage = self.graph.lineage(heir);
                let is_known = lineage.iter().all(|&ix| knows_bases(self.graph, ix));
                let base = if place == Place::Below { self.method } else { other };
                let below = if place == Place::Below { other } else { self.method };
                let is_needed = is_marked(held, self.graph, below)
                    || demands(held, self.graph, base) && !is_abstract(self.graph, heir);
                // Another one of the name above may be what is written below.
                let others = lineage.iter().skip(1).flat_map(|&ix| self.graph.members(ix));
                let mut others = others.filter(|&ix| self.graph.node(ix).label() == name && ix != base);
                was == theirs && is != theirs && is_known && is_needed && others.next().is_none()
            }
            "python" => {
                let fits = |base: &str, heir: &str| fit("python", name, base, heir) != Fit::Broken;
                let is_internal = name.starts_with('_');
                !is_internal
                    && match place {
                        Place::Below => fits(self.was, node.signature()) && !fits(self.is, node.signature()),
                        Place::Above => fits(node.signature(), self.was) && !fits(node.signature(), self.is),
                    }
            }
            "typescript" | "tsx" => {
                let least = |text: &str| signature::least(node.language(), text, name).unwrap_or(0);
                match place {
                    Place::Below => least(node.signature()) <= was && least(node.signature()) > is,
                    Place::Above => least(self.was) <= theirs && least(self.is) > theirs,
                }
            }
            _ => false,
        }
    }
}

/// Whether a method of Java says that it overrides another.
fn is_marked(held: &mut Held<'_>, graph: &Graph, method: NodeIx) -> bool {
    let node = graph.node(method);
    let first = node.lines().0;
    let above = (first.saturating_sub(1).max(1)..first).rev();
    let has_mark = |line: String| line.trim_start().starts_with("@Override");
    has_mark(held.line(node.path(), first))
        || above.into_iter().any(|line| has_mark(held.line(node.path(), line)))
}
