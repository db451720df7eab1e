//! Namesakes: what else has a name, or answers to it.

use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::answered::{Answers, answered};
use m1nd_ingest::languages;

/// Nodes of a name in a family of languages; documents and whatever else is in no language have none.
pub fn namesakes<'g>(graph: &'g Graph, name: &str, family: &'g str) -> impl Iterator<Item = NodeIx> + 'g {
    let of_family = move |ix: &NodeIx| {
        let spoken = graph.node(*ix).language();
        languages::all().any(|language| language.name == spoken && language.family == family)
    };
    graph.nodes_by_label(name).iter().map(|&ix| NodeIx(ix)).filter(of_family)
}

/// Whether a module gives a name that it does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    No,
    /// Its answer does not tell for which names it is.
    Maybe,
    Yes,
}

impl Answer {
    pub(crate) fn of(path: &str, text: &[u8], name: &str) -> Self {
        match answered(path, text) {
            None => Self::No,
            Some(Answers::Only(names)) if names.contains(name) => Self::Yes,
            Some(Answers::Only(_)) => Self::No,
            Some(Answers::Any) => Self::Maybe,
        }
    }
}

/// Whether a class of Python answers for any member itself, or one that it extends does.
pub(crate) fn has_answer(graph: &Graph, path: &str, class: &str) -> bool {
    let owner = graph.nodes_in(path).find(|&ix| graph.node(ix).qualified() == class);
    let answers = |ix: NodeIx| {
        let members = graph.members(ix).into_iter().map(|ix| graph.node(ix).label());
        members.into_iter().any(|label| matches!(label, "__getattr__" | "__getattribute__"))
    };
    path.ends_with(".py")
        && owner.is_some_and(|owner| graph.lineage(owner).into_iter().chain([owner]).any(answers))
}
