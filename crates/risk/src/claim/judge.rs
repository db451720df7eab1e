//! What speaks for and against a claim, and what it comes to.
//!
//! Belief starts even. Each piece of evidence multiplies the odds by its factor: more than 1 speaks for the claim, less than 1
//! against it.

use m1nd_graph::{Edge, EdgeKind, Graph, NodeIx, NodeKind};

use super::sentence::Kind;
use super::ways::Order;
use crate::blast::{self, DEPENDS};
use crate::types::{self, Role};

/// One thing that speaks for or against.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub says: String,
    /// More than 1 speaks for the claim.
    pub factor: f32,
    /// The nodes that it is about, in order.
    pub path: Vec<NodeIx>,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub evidence: Vec<Evidence>,
    /// 0 to 1.
    pub confidence: f32,
    /// How many nodes were looked at.
    pub looked_at: usize,
    /// Set when the budget ended the search.
    pub is_cut: bool,
    /// Set when the limit of hops ended it, with more behind.
    pub is_near: bool,
}

/// What commits tell of both files that a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Past {
    /// How many changed the first, the second, and both.
    Known {
        one: u32,
        other: u32,
        both: u32,
    },
    Unknown,
}

/// What is known beside the graph.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub past: Past,
    /// Whether a relation is there only so that a checker of types knows it.
    pub is_typed: &'a dyn Fn(&Edge<'_>) -> bool,
    /// The first line on which a function calls a value, which may be anything.
    pub calls_value: &'a dyn Fn(NodeIx) -> Option<u32>,
    /// Whether a function calls the second always before the third.
    pub order: &'a dyn Fn(NodeIx, NodeIx, NodeIx) -> Order,
}

const NO_SOURCE: Order = Order::Unknown("the source was not looked at");

impl From<Past> for Known<'_> {
    fn from(past: Past) -> Self {
        Self { past, is_typed: &|_| false, calls_value: &|_| None, order: &|_, _, _| NO_SOURCE }
    }
}

impl Judged {
    pub fn verdict(&self) -> &'static str {
        match self.confidence {
            belief if belief > 0.8 => "likely_true",
            belief if belief < 0.2 => "likely_false",
            _ => "inconclusive",
        }
    }

    fn of(evidence: Vec<Evidence>, search: &Search<'_>) -> Self {
        let odds = evidence.iter().map(|one| one.factor).product();
        Self::with(odds, evidence, search)
    }

    /// A claim whose every part must hold is as likely as its weakest part.
    fn of_parts(evidence: Vec<Evidence>, search: &Search<'_>) -> Self {
        // What speaks neither for nor against is no part.
        let parts =
            evidence.iter().map(|one| one.factor).filter(|factor| (factor - 1.0).abs() > f32::EPSILON);
        let odds = parts.fold(f32::INFINITY, f32::min);
        Self::with(if odds.is_finite() { odds } else { 1.0 }, evidence, search)
    }

    fn with(odds: f32, evidence: Vec<Evidence>, search: &Search<'_>) -> Self {
        let (looked_at, is_cut, is_near) = (search.looked_at, search.is_cut, search.is_near);
        Self { confidence: odds / (1.0 + odds), evidence, looked_at, is_cut, is_near }
    }
}

/// A relation that was found is nearly proof.
pub(super) const SEEN: f32 = 30.0;
/// A call of a base method runs the override of some receiver.
pub(super) const DISPATCHED: f32 = 6.0;
/// One that rests on guesses is a hint.
pub(super) const GUESSED: f32 = 2.0;
/// That nothing was found is evidence as far as the search went: dynamic calls are not seen.
pub(super) const NOT_SEEN: f32 = 6.0;
/// A search that ended early says little.
pub(super) const NOT_SEEN_IN_PART: f32 = 1.5;

/// Functions of a type or file whose calls of values are looked for.
const MOST_LOOKED_INTO: usize = 200;

/// Fewer common changes, or a smaller share of them, happen to any two files.
const MIN_COMMON: u32 = 2;
const LEAST_SHARE: f32 = 0.1;

/// Judges a claim about nodes; `other` is the second one where the claim has two.
pub fn judge<'a>(
    graph: &'a Graph,
    kind: Kind,
    one: NodeIx,
    other: Option<NodeIx>,
    max_hops: u32,
    budget: usize,
    known: impl Into<Known<'a>>,
) -> Judged {
    let known = known.into();
    let mut search = Search { graph, max_hops, budget, known, looked_at: 0, is_cut: false, is_near: false };
    let evidence = match (kind, other) {
        (Kind::DependsOn, Some(other)) => vec![search.dependency(one, other, &DEPENDS)],
        (Kind::Calls, Some(other)) => vec![search.dependency(one, other, &[EdgeKind::Calls])],
        (Kind::NeverCalls, Some(other)) => vec![against(search.dependency(one, other, &[EdgeKind::Calls]))],
        (Kind::NoDependency, Some(other)) => vec![against(search.dependency(one, other, &DEPENDS))],
        (Kind::Independent, Some(other)) => {
            vec![
                against(search.dependency(one, other, &DEPENDS)),
                against(search.dependency(other, one, &DEPENDS)),
            ]
        }
        (Kind::Circular, Some(other)) => {
            vec![search.dependency(one, other, &DEPENDS), search.dependency(other, one, &DEPENDS)]
        }
        (Kind::Circular, None) => vec![search.cycle(one)],
        (Kind::Coupling, Some(other)) => search.coupling(one, other),
        (Kind::Isolated, _) => search.isolation(one),
        (Kind::Unused, _) => vec![search.use_of(one)],
        (Kind::Gateway, Some(other)) => search.gateway(one, other),
        (Kind::AlwaysBefore, Some(other)) => search.order(one, other),
        (_, None) => Vec::new(),
    };
    // Nothing is read in documents, so that nothing is seen in them says nothing.
    let is_read = |node: NodeIx| {
        let node = graph.node(node);
        !node.language().is_empty() || !matches!(node.kind(), NodeKind::File | NodeKind::Document)
    };
    let unread = [Some(one), other].into_iter().flatten().find(|&node| !is_read(node));
    if let Some(unread) = unread.filter(|_| evidence.iter().all(|one| one.path.is_empty())) {
        let says = format!("no_data: {} is no code, and what it relates to is not read", search.name(unread));
        return Judged::of(vec![Evidence { says, factor: 1.0, path: Vec::new() }], &search);
    }
    match (kind, other) {
        (Kind::Isolated, _) | (Kind::Circular | Kind::Independent, Some(_)) => {
            Judged::of_parts(evidence, &search)
        }
        _ => Judged::of(evidence, &search),
    }
}

/// The same evidence for the opposite.
fn against(evidence: Evidence) -> Evidence {
    Evidence { factor: 1.0 / evidence.factor, ..evidence }
}

/// Which relations a search follows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trust {
    Certain,
    /// Also from the call of a base method to its overrides.
    Dispatch,
    /// Also to the methods of types that have all that an interface asks for.
    Promise,
    /// Also what is imported for types alone.
    Types,
    /// Also guesses.
    Guess,
}

impl Trust {
    pub(super) const ALL: [Self; 5] =
        [Self::Certain, Self::Dispatch, Self::Promise, Self::Types, Self::Guess];
}

pub(super) struct Search<'g> {
    pub(super) graph: &'g Graph,
    pub(super) max_hops: u32,
    pub(super) budget: usize,
    pub(super) known: Known<'g>,
    pub(super) looked_at: usize,
    pub(super) is_cut: bool,
    is_near: bool,
}

impl Search<'_> {
    /// The shortest way from anything in `one` to anything in `other`, over certain relations if there is one.
    fn dependency(&mut self, one: NodeIx, other: NodeIx, kinds: &[EdgeKind]) -> Evidence {
        // How an earlier search ended says nothing of this one.
        let (was_cut, was_near) = (std::mem::take(&mut self.is_cut), std::mem::take(&mut self.is_near));
        let found = self.chain(one, other, kinds);
        self.is_cut |= was_cut;
        self.is_near |= was_near;
        found
    }

    fn chain(&mut self, one: NodeIx, other: NodeIx, kinds: &[EdgeKind]) -> Evidence {
        for trust in Trust::ALL {
            if let Some(path) = self.path(one, other, kinds, trust) {
                let steps = path.len().saturating_sub(1);
                let (factor, how) = match trust {
                    Trust::Certain => (SEEN, ""),
                    Trust::Dispatch => (DISPATCHED, ", where a call of a base method runs the override"),
                    Trust::Promise => (
                        GUESSED,
                        ", where a call of an interface's method may run that of a type which has all its methods",
                    ),
                    Trust::Types => {
                        (GUESSED, ", some of it only for types: it is not there when the code runs")
                    }
                    Trust::Guess => (GUESSED, ", some of it only guessed by name"),
                };
                let says = match steps {
                    1 => format!("{} directly{how}", self.relation(&path, kinds)),
                    _ => format!("{} over {steps} steps{how}", self.relation(&path, kinds)),
                };
                return Evidence { says, factor, path };
            }
        }
        if let Some(found) = self.signature(one, other, kinds) {
            return found;
        }
        if kinds == [EdgeKind::Calls]
            && let Some((caller, line)) = self.value_called(one)
        {
            let says = format!(
                "no chain of calls is known to lead from {} to {}, but {} calls a value on line {line}, and what that is is not known",
                self.name(one),
                self.name(other),
                self.name(caller)
            );
            return Evidence { says, factor: 1.0 / NOT_SEEN_IN_PART, path: vec![caller] };
        }
        let (factor, how) = match (self.is_cut, self.is_near) {
            (true, _) => (NOT_SEEN_IN_PART, "before the budget ended"),
            (false, true) => (NOT_SEEN_IN_PART, "(longer ones were not looked for)"),
            (false, false) => (NOT_SEEN, ""),
        };
        let what = if kinds == [EdgeKind::Calls] { "calls" } else { "relations" };
        let says = format!(
            "no chain of at most {} {what} leads from {} to {} {how}",
            self.max_hops,
            self.name(one),
            self.name(other)
        );
        Evidence { says: says.trim_end().to_owned(), factor: 1.0 / factor, path: Vec::new() }
    }

    /// A type that stands in a function's signature is referred to by what is around the function; the function is meant.
    fn signature(&mut self, one: NodeIx, other: NodeIx, kinds: &[EdgeKind]) -> Option<Evidence> {
        if !kinds.contains(&EdgeKind::References) || !self.graph.node(other).kind().is_type() {
            return None;
        }
        let ours = blast::insides(self.graph, &[one]);
        let stops = types::trace(self.graph, other, 1);
        let said = |stop: &&types::Stop| {
            matches!(stop.role, Role::Takes | Role::Returns) && ours.contains(&stop.node)
        };
        let stop = stops.iter().filter(said).min_by_key(|stop| stop.is_guess)?;
        let says = format!(
            "{} depends on {} directly: it {} one",
            self.name(stop.node),
            self.name(other),
            stop.role.name()
        );
        let factor = if stop.is_guess { GUESSED } else { SEEN };
        Some(Evidence { says, factor, path: vec![stop.node, other] })
    }

    /// What of a node calls a value itself, and on which line. What it calls further on may do so, too, as nearly all code does
    /// somewhere: that would say nothing.
    fn value_called(&self, of: NodeIx) -> Option<(NodeIx, u32)> {
        let own = blast::insides(self.graph, &[of]).into_iter();
        let callable = own.filter(|&ix| self.graph.node(ix).kind().is_callable());
        callable.take(MOST_LOOKED_INTO).find_map(|ix| Some((ix, (self.known.calls_value)(ix)?)))
    }

    fn relation(&self, path: &[NodeIx], kinds: &[EdgeKind]) -> String {
        let (Some(&first), Some(&last)) = (path.first(), path.last()) else { return String::new() };
        let verb = if kinds == [EdgeKind::Calls] { "calls" } else { "depends on" };
        format!("{} {verb} {}", self.name(first), self.name(last))
    }

    pub(super) fn name(&self, node: NodeIx) -> String {
        let node = self.graph.node(node);
        if node.qualified().is_empty() { node.path().to_owned() } else { node.qualified().to_owned() }
    }

    fn path(&mut self, one: NodeIx, other: NodeIx, kinds: &[EdgeKind], trust: Trust) -> Option<Vec<NodeIx>> {
        let sources = blast::insides(self.graph, &[one]);
        let mut is_goal = vec![false; self.graph.node_count()];
        for node in blast::insides(self.graph, &[other]) {
            is_goal[node.index()] = true;
        }
        let mut from: rustc_hash::FxHashMap<NodeIx, NodeIx> =
            sources.iter().map(|&node| (node, node)).collect();
        let mut front = sources;
        let mut used = 0;
        for _ in 0..self.max_hops {
            let mut next = Vec::new();
            for node in front {
                if used >= self.budget {
                    self.is_cut = true;
                    return None;
                }
                used += 1;
                self.looked_at += 1;
                for end in self.ends(node, kinds, trust) {
                    if from.contains_key(&end) {
                        continue;
                    }
                    from.insert(end, node);
                    if is_goal[end.index()] {
                        return Some(way_back(&from, end));
                    }
                    next.push(end);
                }
            }
            front = next;
        }
        let leads_on = |&node: &NodeIx| {
            let mut out = self.graph.outgoing(node).filter(|edge| kinds.contains(&edge.kind));
            out.any(|edge| {
                (trust == Trust::Guess || !edge.evidence.is_inferred()) && !from.contains_key(&edge.target)
            })
        };
        self.is_near |= front.iter().any(leads_on);
        None
    }

    /// What a node leads to in one step.
    pub(super) fn ends(&self, node: NodeIx, kinds: &[EdgeKind], trust: Trust) -> Vec<NodeIx> {
        let mut ends = Vec::new();
        for edge in self.graph.outgoing(node).filter(|edge| kinds.contains(&edge.kind)) {
            if trust != Trust::Guess && edge.evidence.is_inferred()
                || trust < Trust::Types && (self.known.is_typed)(&edge)
            {
                continue;
            }
            ends.push(edge.target);
            if trust != Trust::Certain && edge.kind == EdgeKind::Calls {
                ends.extend(self.overrides(&edge));
            }
            if trust >= Trust::Promise && edge.kind == EdgeKind::Calls {
                ends.extend(self.graph.keeping(edge.target));
            }
        }
        ends
    }

    /// What a call of a base method may run instead. Who makes one of a class names the class; who calls what it overrides means
    /// just that; and a method of a class runs what that class and those below it have, not what its siblings have.
    fn overrides(&self, edge: &Edge<'_>) -> Vec<NodeIx> {
        const MAKERS: [&str; 4] = ["__init__", "__new__", "constructor", "initialize"];
        let graph = self.graph;
        let (source, target) = (graph.node(edge.source).label(), graph.node(edge.target).label());
        if MAKERS.contains(&target) {
            return Vec::new();
        }
        let all = graph.overriding(edge.target).into_iter();
        let (Some(own), Some(base)) = (graph.owner(edge.source), graph.owner(edge.target)) else {
            return all.collect();
        };
        if own == base || !graph.lineage(own).contains(&base) {
            return all.collect();
        }
        if source == target {
            return Vec::new();
        }
        all.filter(|&other| graph.owner(other).is_some_and(|owner| graph.lineage(owner).contains(&own)))
            .collect()
    }

    /// Relations both ways and common changes.
    fn coupling(&mut self, one: NodeIx, other: NodeIx) -> Vec<Evidence> {
        let (ours, theirs) = (blast::insides(self.graph, &[one]), blast::insides(self.graph, &[other]));
        let is_theirs: std::collections::BTreeSet<NodeIx> = theirs.iter().copied().collect();
        let mut relations = 0_usize;
        for &node in &ours {
            self.looked_at += 1;
            let out = self.graph.outgoing(node).filter(|edge| is_theirs.contains(&edge.target));
            let back = self.graph.incoming(node).filter(|edge| is_theirs.contains(&edge.source));
            relations += out.chain(back).filter(|edge| DEPENDS.contains(&edge.kind)).count();
        }
        let mut evidence = vec![match relations {
            0 => Evidence {
                says: "no relation joins them directly".into(),
                factor: 1.0 / 5.0,
                path: Vec::new(),
            },
            count => Evidence {
                says: format!("{count} relations join them directly"),
                factor: 1.0 + count as f32,
                path: vec![one, other],
            },
        }];
        let bases = |node: NodeIx| self.graph.lineage(node).into_iter().skip(1).collect::<Vec<_>>();
        let common: Vec<NodeIx> = bases(one).into_iter().filter(|base| bases(other).contains(base)).collect();
        if let Some(&base) = common.first() {
            let says = format!("both inherit from {}", self.name(base));
            evidence.push(Evidence { says, factor: 3.0, path: vec![one, base, other] });
        }
        if self.graph.node(one).path() == self.graph.node(other).path() {
            let says = "they stand in one file, whose history does not tell them apart".to_owned();
            evidence.push(Evidence { says, factor: 2.0, path: Vec::new() });
        }
        let file = |node: NodeIx| self.graph.node_by_path(self.graph.node(node).path());
        if let (Some(ours), Some(theirs)) = (file(one), file(other))
            && ours != theirs
        {
            evidence.push(self.common_past(ours, theirs));
        }
        evidence
    }

    /// How often the files of both changed together.
    fn common_past(&self, ours: NodeIx, theirs: NodeIx) -> Evidence {
        let (one, other, both) = match self.known.past {
            Past::Known { one, other, both } if one.min(other) >= MIN_COMMON => (one, other, both),
            // One change tells nothing of how often two files change together.
            Past::Known { one, other, .. } if one > 0 && other > 0 => {
                return Evidence {
                    says: format!(
                        "no_data: their files changed {one} and {other} times, too seldom to tell; more commits of them would provide it"
                    ),
                    factor: 1.0,
                    path: Vec::new(),
                };
            }
            _ => {
                return Evidence {
                    says: "no_data: git history does not tell of both of their files; commits of them would provide it".into(),
                    factor: 1.0,
                    path: Vec::new(),
                };
            }
        };
        let path = vec![ours, theirs];
        let shares = [one, other].map(|changes| both as f32 / changes as f32);
        if both < MIN_COMMON || shares[0].max(shares[1]) < LEAST_SHARE {
            let says = format!(
                "their files seldom or never changed together: in {both} of {one} and {other} changes"
            );
            return Evidence { says, factor: 1.0 / 1.5, path };
        }
        let says = format!(
            "their files changed together {both} times: in {:.0} % of the {one} changes of {}, {:.0} % of the {other} of {}",
            shares[0] * 100.0,
            self.name(ours),
            shares[1] * 100.0,
            self.name(theirs)
        );
        // The same whichever is named first.
        Evidence { says, factor: 1.0 + 5.0 * (shares[0] + shares[1]), path }
    }
}

pub(super) fn way_back(from: &rustc_hash::FxHashMap<NodeIx, NodeIx>, end: NodeIx) -> Vec<NodeIx> {
    let mut way = vec![end];
    let mut here = end;
    while let Some(&before) = from.get(&here).filter(|&&before| before != here) {
        way.push(before);
        here = before;
    }
    way.reverse();
    way
}
