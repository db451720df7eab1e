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

/// Whether a file gives others a name that it defines under another one, or has something make it: `export { made as name }`,
/// `globals()["name"] = made`, an accessor that Lombok writes.
pub(crate) fn is_given_otherwise(path: &str, text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    match languages::of_path(path).map(|language| language.family) {
        Some("script") => text.match_indices(&format!(" as {name}")).any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            let open = before.rfind('{').filter(|&open| before.rfind('}').is_none_or(|close| close < open));
            let head = open.map_or("", |open| before[..open].trim_end());
            !after.starts_with(is_letter) && (head.ends_with("export") || head.ends_with("export type"))
        }),
        Some("python") => {
            ['"', '\''].iter().any(|mark| text.contains(&format!("globals()[{mark}{name}{mark}]")))
        }
        Some("java") => {
            let is_made = ["@Getter", "@Setter", "@Data", "@Value", "@With", "@Builder"]
                .iter()
                .any(|one| text.contains(one));
            let is_accessor =
                ["get", "set", "is", "with", "builder"].iter().any(|start| name.starts_with(start));
            is_accessor && is_made && text.contains("lombok")
        }
        _ => false,
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
