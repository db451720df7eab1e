//! Heirs: what a type has from others, and what others have from it.

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::EdgeKind;
use crate::spelling::wanted;

/// Types below a type that are looked through.
const MAX_HEIRS: usize = 200;
/// Types above a type that are looked through.
const MAX_BASES: usize = 50;

impl Graph {
    /// The member that `Type.member` means where that is not its own name: one of a base, or one that is written for
    /// the type elsewhere.
    pub fn inherited(&self, name: &str) -> Option<NodeIx> {
        let at = name.rfind(['.', ':', '#', '\\'])?;
        let (owner, member) = (name[..at].trim_end_matches([':', '.', '#']), &name[at + 1..]);
        let mut types = self.nodes_by_suffix(owner);
        if types.is_empty() {
            types = self.reexported(&wanted(owner));
        }
        types.retain(|&ix| self.node(ix).kind().is_type());
        let has = |ix: NodeIx| self.members(ix).into_iter().find(|&ix| self.node(ix).label() == member);
        // Several types of the name may lead to the same member.
        let mut found: Vec<NodeIx> =
            types.into_iter().filter_map(|ty| self.lineage(ty).into_iter().find_map(has)).collect();
        found.sort();
        found.dedup();
        match found[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// A type and what it inherits from or implements, nearest first.
    pub fn lineage(&self, of: NodeIx) -> Vec<NodeIx> {
        let mut line = vec![of];
        let mut at = 0;
        while at < line.len() && line.len() < MAX_BASES {
            for kind in [EdgeKind::Inherits, EdgeKind::Implements] {
                for above in self.targets(line[at], kind) {
                    if !line.contains(&above) {
                        line.push(above);
                    }
                }
            }
            at += 1;
        }
        line
    }

    /// Members of the same name in the types that the node's type inherits from or implements.
    pub fn overridden(&self, node: NodeIx) -> Vec<NodeIx> {
        // A method whose type is no node says itself what it implements.
        let mut found: Vec<NodeIx> = self.targets(node, EdgeKind::Implements).collect();
        found.retain(|&target| self.node(target).kind().is_callable());
        let Some(owner) = self.owner(node).filter(|_| found.is_empty()) else { return found };
        let label = self.node(node).label();
        let bases = self.lineage(owner).into_iter().skip(1);
        let members = bases.flat_map(|base| self.targets(base, EdgeKind::Contains));
        members.filter(|&member| self.node(member).label() == label && member != node).collect()
    }

    /// Members of the same name in the types that inherit from or implement the node's type: what a call of it may run.
    pub fn overriding(&self, node: NodeIx) -> Vec<NodeIx> {
        let Some(owner) = self.owner(node) else { return Vec::new() };
        let label = self.node(node).label();
        let mut below = vec![owner];
        let mut at = 0;
        while at < below.len() && below.len() < MAX_HEIRS {
            for edge in self.incoming(below[at]) {
                let heir = matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
                if heir && !below.contains(&edge.source) {
                    below.push(edge.source);
                }
            }
            at += 1;
        }
        // A method whose type is no node says itself what it implements.
        let alone = self.sources(node, EdgeKind::Implements).collect::<Vec<_>>();
        let alone = alone.into_iter().filter(|&heir| self.node(heir).kind().is_callable());
        let members = below
            .into_iter()
            .skip(1)
            .flat_map(|heir| self.targets(heir, EdgeKind::Contains).collect::<Vec<_>>());
        let members = members.filter(|&member| self.node(member).label() == label && member != node);
        members.chain(alone).collect()
    }
}
