//! Siblings: what most of those beside a node have and it lacks.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Evidence, Graph, NodeFlags, NodeIx, NodeKind};
use rustc_hash::FxHashSet;

use super::value;
use crate::text::parts_of;

/// A relation that a node lacks and its siblings have.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    pub node: NodeIx,
    pub lacks: Lack,
    /// What makes them siblings: the place that holds them, or the type that they share.
    pub family: NodeIx,
    /// Siblings that have it, most activated first.
    pub have: Vec<NodeIx>,
    /// How many of those have it by a guess among two of the name.
    pub guessed: usize,
    /// How many siblings there are, the node among them.
    pub of: usize,
    /// How much it says: 0 to 1.
    pub weight: f32,
}

/// What is lacking.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    Relation(EdgeKind, NodeIx),
    /// A member of this name.
    Member(String),
}

/// Families beyond this size are folders of everything.
const MAX_FAMILY: usize = 60;
const MIN_FAMILY: usize = 3;
/// The share of siblings that must have it.
const SHARE: f32 = 0.6;

/// What is taken off for a guess between two: it is wrong as often as right.
const GUESS: f32 = 0.5;

/// Holes in the families of activated nodes, those that say most first. A family counts when what the question is about has to
/// do with it: two of those that have what is lacking, the one that lacks it, or what makes them a family is activated by `least` of
/// the strongest.
pub fn holes(graph: &Graph, active: &[(NodeIx, f32)], least: f32) -> Vec<Hole> {
    let best = active.iter().map(|&(_, value)| value).fold(0.0, f32::max);
    if best <= 0.0 {
        return Vec::new();
    }
    let activation = |node: NodeIx| value(active, node) / best;
    let strong: Vec<NodeIx> =
        active.iter().map(|&(node, _)| node).filter(|&node| activation(node) >= least).collect();
    let mut found: BTreeMap<(NodeIx, Lack), Hole> = BTreeMap::new();
    for Family { of: family, by, members } in families(graph, &strong) {
        for (lack, Holders { sure, guessed, maybe }) in traits_of(graph, &members) {
            let mut holders: Vec<NodeIx> = sure.into_iter().chain(guessed.iter().copied()).collect();
            let counted = holders.len() as f32 - guessed.len() as f32 * GUESS;
            let share = counted / members.len() as f32;
            if holders.len() == members.len() || holders.len() < 2 || share < SHARE {
                continue;
            }
            let warm = holders.iter().filter(|&&holder| activation(holder) >= least).count();
            let heat = holders.iter().map(|&holder| activation(holder)).sum::<f32>() / holders.len() as f32;
            // What only lies in one file is a family by chance, which the question must mean as a whole.
            let named = if matches!(by, Bond::Place | Bond::Name) { 0.0 } else { activation(family) };
            let has = |member: &NodeIx| {
                holders.contains(member) || maybe.contains(member) || takes_part(graph, *member, &lack)
            };
            let lacking = members.iter().filter(|member| !has(member)).copied().collect::<Vec<_>>();
            holders.sort_by(|a, b| activation(*b).total_cmp(&activation(*a)).then(a.cmp(b)));
            for node in lacking.into_iter().filter(|&node| !is_the_thing(graph, node, &lack)) {
                let around = graph.parent(node).filter(|&holder| graph.node(holder).kind().is_type());
                let culprit = activation(node).max(around.map_or(0.0, &activation));
                if warm < 2 && culprit < least && named < least {
                    continue;
                }
                let heat = if warm < 2 { culprit.max(named) } else { heat };
                let weight = share * heat.min(1.0).sqrt() * telling(graph, &lack, &members) * by.worth();
                let hole = Hole {
                    node,
                    lacks: lack.clone(),
                    family,
                    have: holders.clone(),
                    guessed: guessed.len(),
                    of: members.len(),
                    weight,
                };
                let known = found.entry((node, lack.clone())).or_insert_with(|| hole.clone());
                if known.weight < weight {
                    *known = hole;
                }
            }
        }
    }
    let mut out: Vec<Hole> = found.into_values().collect();
    out.sort_by(|a, b| b.weight.total_cmp(&a.weight).then((a.node, &a.lacks).cmp(&(b.node, &b.lacks))));
    // Who lacks a type lacks its parts, too.
    let types: FxHashSet<(NodeIx, NodeIx)> =
        out.iter().filter_map(|hole| Some((hole.node, hole.type_of(graph)?))).collect();
    out.retain(|hole| match &hole.lacks {
        Lack::Relation(_, target) => {
            graph.parent(*target).is_none_or(|around| !types.contains(&(hole.node, around)))
        }
        Lack::Member(_) => true,
    });
    // A definition of the same name elsewhere is lacked no less, and says nothing more.
    let mut said = FxHashSet::default();
    out.retain(|hole| match &hole.lacks {
        Lack::Relation(kind, target) => {
            said.insert((hole.node, *kind, graph.node(*target).label().to_owned()))
        }
        Lack::Member(_) => true,
    });
    out
}

impl Hole {
    /// The type that is lacking.
    fn type_of(&self, graph: &Graph) -> Option<NodeIx> {
        match &self.lacks {
            Lack::Relation(_, target) => Some(*target).filter(|&target| graph.node(target).kind().is_type()),
            Lack::Member(_) => None,
        }
    }
}

/// Whether a node imports something of a file that it does not import as such, or of what the file is the face of.
fn takes_part(graph: &Graph, node: NodeIx, lack: &Lack) -> bool {
    let Lack::Relation(EdgeKind::Imports, whole) = lack else { return false };
    let path = graph.node(*whole).path();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_face = FACES.contains(&name.split('.').next().unwrap_or(name));
    graph.targets(node, EdgeKind::Imports).any(|target| {
        let other = graph.node(target).path();
        let is_below =
            other.strip_prefix(folder).is_some_and(|rest| folder.is_empty() || rest.starts_with('/'));
        other == path || is_face && is_below
    })
}

/// Files through which others are imported.
const FACES: [&str; 4] = ["__init__", "index", "mod", "lib"];

/// What makes siblings of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Bond {
    /// They lie in one file or class.
    Place,
    /// They share a base.
    Base,
    /// They are what types of one base have under one name.
    Role,
    /// They are functions of one folder whose names begin alike, such as `decode_json` and `decode_xml`.
    Name,
}

impl Bond {
    /// Those that share a place often differ on purpose, those that play one role hardly ever.
    fn worth(self) -> f32 {
        match self {
            Self::Place | Self::Name => 0.8,
            Self::Base | Self::Role => 1.0,
        }
    }
}

/// Nodes of one kind that ought to be alike.
struct Family {
    of: NodeIx,
    by: Bond,
    members: Vec<NodeIx>,
}

/// A node does not lack itself, nor what is inside it or around it, nor what it inherits.
fn is_the_thing(graph: &Graph, node: NodeIx, lack: &Lack) -> bool {
    match lack {
        Lack::Relation(_, target) => {
            *target == node || graph.parent(*target) == Some(node) || graph.parent(node) == Some(*target)
        }
        Lack::Member(name) => inherits(graph, node, name),
    }
}

/// How many bases up a member is looked for.
const MAX_BASES: usize = 8;

fn inherits(graph: &Graph, node: NodeIx, name: &str) -> bool {
    let mut ring = vec![node];
    for _ in 0..MAX_BASES {
        let up = |&of: &NodeIx| {
            graph
                .targets(of, EdgeKind::Inherits)
                .chain(graph.targets(of, EdgeKind::Implements))
                .collect::<Vec<_>>()
        };
        ring = ring.iter().flat_map(up).collect();
        ring.sort_unstable();
        ring.dedup();
        let has = |&base: &NodeIx| {
            graph.targets(base, EdgeKind::Contains).any(|held| graph.node(held).label() == name)
        };
        if ring.iter().any(has) {
            return true;
        }
    }
    false
}

/// The families of activated nodes: of what the same place holds, of types that share a base, and of what such types have under
/// one name.
fn families(graph: &Graph, strong: &[NodeIx]) -> Vec<Family> {
    let mut seen: FxHashSet<(NodeIx, Bond, NodeKind, String)> = FxHashSet::default();
    let mut out = Vec::new();
    let mut add = |of: NodeIx, by: Bond, name: &str, kind: NodeKind, mut members: Vec<NodeIx>| {
        members.retain(|&member| graph.node(member).kind() == kind);
        members.sort_unstable();
        members.dedup();
        let fits = (MIN_FAMILY..=MAX_FAMILY).contains(&members.len());
        if fits && seen.insert((of, by, kind, name.to_owned())) {
            out.push(Family { of, by, members });
        }
    };
    for &node in strong {
        let kind = graph.node(node).kind();
        if matches!(kind, NodeKind::Directory | NodeKind::Repository | NodeKind::Constant) {
            continue;
        }
        let parent = graph.parent(node);
        if let Some(parent) = parent {
            // Files of one folder are siblings where they are of one language.
            let sort = |ix: NodeIx| match kind {
                NodeKind::File => graph.node(ix).label().rsplit_once('.').map_or("", |(_, sort)| sort),
                _ => "",
            };
            let beside = graph.targets(parent, EdgeKind::Contains).filter(|&one| sort(one) == sort(node));
            add(parent, Bond::Place, sort(node), kind, beside.collect());
        }
        if kind == NodeKind::Function
            && let Some(name) = first_part(graph.node(node).label())
            && let Some(folder) = parent.and_then(|file| graph.parent(file))
        {
            let files = graph.targets(folder, EdgeKind::Contains);
            let functions = files.flat_map(|file| graph.targets(file, EdgeKind::Contains));
            let alike = functions.filter(|&one| first_part(graph.node(one).label()).as_ref() == Some(&name));
            add(folder, Bond::Name, &name, kind, alike.collect());
        }
        // A type's own bases, those of the type that holds a method, and the type as a base of others.
        let holder =
            if kind.is_type() { Some(node) } else { parent.filter(|&at| graph.node(at).kind().is_type()) };
        let Some(holder) = holder else { continue };
        let asked = |name: &str| match kind.is_type() {
            true => graph.targets(holder, EdgeKind::Contains).any(|held| graph.node(held).label() == name),
            false => graph.node(node).label() == name,
        };
        let bases: Vec<NodeIx> = BASES.iter().flat_map(|&edge| graph.targets(holder, edge)).collect();
        for base in bases.into_iter().chain([holder]) {
            let types: Vec<NodeIx> = BASES.iter().flat_map(|&edge| graph.sources(base, edge)).collect();
            if !(MIN_FAMILY..=MAX_FAMILY).contains(&types.len()) {
                continue;
            }
            if kind.is_type() {
                add(base, Bond::Base, "", graph.node(types[0]).kind(), types.clone());
            }
            for (name, methods) in roles(graph, &types) {
                if base == node || asked(name) {
                    add(base, Bond::Role, name, NodeKind::Method, methods);
                }
            }
        }
        // Many languages name no base: types of one folder that have a method of one name play the same role.
        let folder = graph.parent(holder).and_then(|file| graph.parent(file));
        if let Some(folder) = folder.filter(|&folder| graph.node(folder).kind() == NodeKind::Directory) {
            let files = graph.targets(folder, EdgeKind::Contains);
            let held = files.flat_map(|file| graph.targets(file, EdgeKind::Contains));
            let types: Vec<NodeIx> =
                held.filter(|&one| graph.node(one).kind().is_type()).take(MAX_TYPES).collect();
            // An interface that is asked about stands for all that do what it says.
            let is_abstract = matches!(graph.node(node).kind(), NodeKind::Interface | NodeKind::Trait);
            let of = if is_abstract { node } else { folder };
            for (name, methods) in roles(graph, &types) {
                if asked(name) {
                    add(of, Bond::Role, name, NodeKind::Method, methods);
                }
            }
        }
    }
    out
}

/// Types of a folder that are looked at.
const MAX_TYPES: usize = 300;

/// The methods of some types, by their names; a type counts once.
fn roles<'g>(graph: &'g Graph, types: &[NodeIx]) -> BTreeMap<&'g str, Vec<NodeIx>> {
    let mut roles: BTreeMap<&str, Vec<NodeIx>> = BTreeMap::new();
    for held in types.iter().flat_map(|&one| graph.targets(one, EdgeKind::Contains)) {
        // What has no body does nothing and lacks nothing.
        let is_said_only = |one: NodeIx| {
            let holder = graph.parent(one).map(|holder| graph.node(holder).kind());
            graph.node(one).flags().has(NodeFlags::ABSTRACT) || holder == Some(NodeKind::Interface)
        };
        if graph.node(held).kind() == NodeKind::Method && !is_said_only(held) {
            roles.entry(graph.node(held).label()).or_default().push(held);
        }
    }
    roles
}

/// What a name of several parts begins with.
fn first_part(name: &str) -> Option<String> {
    let mut parts = parts_of(name);
    let first = parts.next()?.to_lowercase();
    parts.next().map(|_| first)
}

/// The relations that make bases.
const BASES: [EdgeKind; 2] = [EdgeKind::Implements, EdgeKind::Inherits];

/// Who of a family has something, by how that is known; each stands in one of the lists.
#[derive(Default)]
struct Holders {
    sure: Vec<NodeIx>,
    /// Of two definitions for two platforms, either may be meant.
    guessed: Vec<NodeIx>,
    /// One of many of that name: too little to have it, too much to lack it.
    maybe: Vec<NodeIx>,
}

/// What members of a family have: relations that the code states, and members by name.
fn traits_of(graph: &Graph, members: &[NodeIx]) -> Vec<(Lack, Holders)> {
    let mut out: BTreeMap<Lack, Holders> = BTreeMap::new();
    let mut add = |lack: Lack, member: NodeIx, evidence: Evidence| {
        let Holders { sure, guessed, maybe } = out.entry(lack).or_default();
        let list = match evidence {
            Evidence::Inferred { candidates: 2 } => guessed,
            Evidence::Inferred { .. } => maybe,
            Evidence::Precise | Evidence::Resolved => sure,
        };
        if list.last() != Some(&member) {
            list.push(member);
        }
    };
    for &member in members {
        for edge in graph.outgoing(member) {
            let stated = matches!(
                edge.kind,
                EdgeKind::Calls
                    | EdgeKind::Implements
                    | EdgeKind::Inherits
                    | EdgeKind::References
                    | EdgeKind::Imports
            );
            if stated {
                add(Lack::Relation(edge.kind, edge.target), member, edge.evidence);
            } else if edge.kind == EdgeKind::Contains {
                let held = graph.node(edge.target);
                if held.kind() == NodeKind::Method {
                    add(Lack::Member(held.label().to_owned()), member, Evidence::Resolved);
                }
            }
        }
    }
    out.into_iter().collect()
}

/// How special what is lacking is to the family: what everybody uses says little.
fn telling(graph: &Graph, lack: &Lack, members: &[NodeIx]) -> f32 {
    match lack {
        Lack::Member(_) => 1.0,
        Lack::Relation(_, target) => {
            let users = graph.incoming(*target).filter(|edge| edge.kind != EdgeKind::Contains).count();
            (members.len() as f32 / users.max(1) as f32).min(1.0).sqrt()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::*;

    fn found(text: &str, active: &[(&str, f32)]) -> Vec<String> {
        let graph = graph(text);
        let mut active: Vec<(NodeIx, f32)> =
            active.iter().map(|&(name, value)| (at(&graph, name), value)).collect();
        active.sort_unstable_by_key(|&(node, _)| node);
        let name = |ix: NodeIx| graph.node(ix).id().to_owned();
        let shown = holes(&graph, &active, 0.3).into_iter().map(|hole| match hole.lacks {
            Lack::Relation(kind, target) => {
                format!(
                    "{} lacks {} {} ({} of {})",
                    name(hole.node),
                    kind.name(),
                    name(target),
                    hole.have.len(),
                    hole.of
                )
            }
            Lack::Member(member) => format!("{} lacks {member}", name(hole.node)),
        });
        shown.collect()
    }

    const HANDLERS: &str = "h.rs contains get\nh.rs contains put\nh.rs contains post\nh.rs contains delete\nget calls check\nput calls check\n\
        post calls check\ndelete calls store\nput calls store\npost calls store";

    #[test]
    fn the_one_that_does_not_check_is_named() {
        assert_eq!(
            found(HANDLERS, &[("get", 1.0), ("put", 0.8), ("post", 0.5), ("delete", 0.4)]),
            ["delete lacks calls check (3 of 4)", "get lacks calls store (3 of 4)"]
        );
    }

    #[test]
    fn the_culprit_is_named_when_it_is_asked_about() {
        assert_eq!(found(HANDLERS, &[("delete", 1.0)]), ["delete lacks calls check (3 of 4)"]);
    }

    const BINDINGS: &str = "Json implements Binding\nXml implements Binding\nYaml implements Binding\nForm implements Binding\n\
        Json contains Json.bind\nXml contains Xml.bind\nYaml contains Yaml.bind\nForm contains Form.bind\n\
        Json contains Json.name\nXml contains Xml.name\nYaml contains Yaml.name\n\
        Json.bind calls validate\nYaml.bind calls validate\nForm.bind calls validate\nXml.bind calls decode";

    #[test]
    fn types_of_one_base_are_a_family_and_so_is_what_they_have_under_one_name() {
        let all = ["Form lacks name", "Xml.bind lacks calls validate (3 of 4)"];
        assert_eq!(found(BINDINGS, &[("Binding", 1.0)]), all, "the base is asked about");
        assert_eq!(found(BINDINGS, &[("Xml", 1.0)]), all[1..], "the type of the culprit");
        assert_eq!(found(BINDINGS, &[("Xml.bind", 1.0)]), all[1..], "the culprit");
        assert_eq!(found(BINDINGS, &[("Json.bind", 1.0), ("Form.bind", 0.6)]), all[1..], "two that have it");
        assert_eq!(found(BINDINGS, &[("Form", 1.0)]), all[..1]);
    }

    #[test]
    fn a_guess_is_told_and_whoever_may_have_it_does_not_lack_it() {
        let text = "h.rs contains get\nh.rs contains put\nh.rs contains post\nh.rs contains delete\nget calls check\nput calls?2 check\n\
            post calls check\nh.rs contains patch\npatch calls check";
        let graph_of = |text: &str| {
            let graph = graph(text);
            let mut active = ["get", "put", "post"].map(|name| (at(&graph, name), 1.0));
            active.sort_unstable_by_key(|&(node, _)| node);
            holes(&graph, &active, 0.3).iter().map(|hole| (hole.have.len(), hole.guessed)).collect::<Vec<_>>()
        };
        assert_eq!(graph_of(text), [(4, 1)]);
        let guesses = text.replace("get calls", "get calls?2").replace("post calls", "post calls?2");
        assert_eq!(
            graph_of(&guesses),
            [] as [(usize, usize); 0],
            "three guesses and a fact are half of five"
        );
        assert_eq!(graph_of(&format!("{text}\ndelete calls?5 check")), [] as [(usize, usize); 0]);
    }

    #[test]
    fn who_imports_a_part_does_not_lack_the_whole() {
        let text = "tests contains a.rs\ntests contains b.rs\ntests contains c.rs\na.rs imports web/mod.rs\n\
            b.rs imports web/mod.rs";
        let active = [("a.rs", 1.0), ("b.rs", 1.0)];
        assert_eq!(found(text, &active), ["c.rs lacks imports web/mod.rs (2 of 3)"]);
        assert!(found(&format!("{text}\nc.rs imports web/app.rs"), &active).is_empty());
        assert!(found(&text.replace("c.rs", "c.md"), &active).is_empty(), "another language is no sibling");
    }

    #[test]
    fn who_lacks_a_type_is_not_told_to_lack_its_parts() {
        let text = "h.rs contains get\nh.rs contains put\nh.rs contains post\nCart contains Cart.new\n\
            get calls Cart.new\nget references Cart\nput calls Cart.new\nput references Cart";
        let all = found(text, &[("get", 1.0), ("put", 1.0)]);
        assert_eq!(all, ["post lacks references Cart (2 of 3)"]);
    }

    #[test]
    fn cold_siblings_prove_nothing() {
        assert!(found(HANDLERS, &[("post", 1.0), ("put", 0.1)]).is_empty());
        assert!(found(HANDLERS, &[]).is_empty());
    }
}
