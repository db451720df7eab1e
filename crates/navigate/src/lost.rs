//! Lost: where a walk stands when the place it came to is no longer in the code.

use m1nd_graph::{Graph, NodeIx};

use crate::walk::{Step, Walk};

/// A walk at a place that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub walk: Walk,
    /// Where it stood, if that is gone.
    pub lost: Option<String>,
}

/// The walk at its focus; where that is gone, at the last of its places that is still there, and where none is, at what
/// was around its first one. Nothing where that is gone too.
pub fn find(graph: &Graph, walk: &Walk) -> Option<Found> {
    if graph.node_by_id(walk.focus()).is_some() {
        return Some(Found { walk: walk.clone(), lost: None });
    }
    let lost = Some(walk.focus().to_owned());
    let mut walk = walk.clone();
    match walk.steps.iter().rposition(|step| graph.node_by_id(&step.node).is_some()) {
        Some(last) => walk.steps.truncate(last + 1),
        None => {
            let around = around(graph, &walk.steps.first()?.node)?;
            walk.steps = vec![Step { node: graph.node(around).id().to_owned(), by: None }];
        }
    }
    Some(Found { walk, lost })
}

/// The innermost thing that a node was in: a type, a file or a folder.
fn around(graph: &Graph, id: &str) -> Option<NodeIx> {
    let (_, place) = id.split_once("::")?;
    let ends = place.rmatch_indices("::").map(|(at, _)| at);
    let Some((path, name)) =
        ends.map(|at| (&place[..at], &place[at + 2..])).find(|(path, _)| graph.node_by_path(path).is_some())
    else {
        return folder(graph, place);
    };
    let owners = name.rmatch_indices('.').map(|(at, _)| &name[..at]);
    let mut inside =
        owners.filter_map(|owner| graph.nodes_in(path).find(|&ix| graph.node(ix).qualified() == owner));
    inside.next().or_else(|| graph.node_by_path(path))
}

fn folder(graph: &Graph, place: &str) -> Option<NodeIx> {
    place.rmatch_indices('/').find_map(|(at, _)| graph.node_by_path(&place[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Family;
    use crate::testing::graph;
    use crate::walk::Mode;

    #[test]
    fn a_walk_whose_place_is_gone_stands_at_the_last_one_that_is_there() {
        let graph = graph("a calls b\n");
        let mut walk = Walk::begin("w".into(), None, Mode::Anchored, "a".into(), 1);
        walk.follow("b".into(), Family::Calls);
        assert_eq!(find(&graph, &walk), Some(Found { walk: walk.clone(), lost: None }));
        walk.follow("gone".into(), Family::Calls);
        walk.follow("gone2".into(), Family::Calls);
        let found = find(&graph, &walk).unwrap();
        assert_eq!((found.walk.focus(), found.lost.as_deref()), ("b", Some("gone2")));
        assert_eq!(found.walk.steps.len(), 2);
        let nowhere = Walk::begin("w".into(), None, Mode::Anchored, "function::x.py::f".into(), 1);
        assert_eq!(find(&graph, &nowhere), None);
    }
}
