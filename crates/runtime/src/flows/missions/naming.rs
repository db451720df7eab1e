//! Naming: the file that a word of a claim means.

use std::cell::OnceCell;

use m1nd_graph::{NodeIx, NodeKind};

use crate::workspace::Workspace;

/// Definitions of one name; a name with more is a word like any other.
const MOST_PLACES: usize = 20;

/// Files of the graph that one word after another is held against; they are listed once, and only if a word needs it.
pub(super) struct Names<'w> {
    workspace: &'w Workspace,
    /// Where the repository of the mission stands in the graph, if it is not the workspace itself.
    scope: Option<&'w str>,
    files: OnceCell<Vec<String>>,
}

impl<'w> Names<'w> {
    pub(super) fn new(workspace: &'w Workspace, scope: Option<&'w str>) -> Self {
        Self { workspace, scope, files: OnceCell::new() }
    }

    /// By its path, or by the end of one where no other ends so. A file of another repository is none of this one's.
    pub(super) fn file(&self, word: &str, is_file: &dyn Fn(&str) -> bool) -> Option<String> {
        let located = |word: &str| {
            let found = self.workspace.root().locate(word).ok()?.to_string();
            (self.is_of_repo(&found) && is_file(&found)).then_some(found)
        };
        let below = || located(&format!("{}/{word}", self.scope?));
        located(word).or_else(below).or_else(|| self.by_end(word))
    }

    fn by_end(&self, word: &str) -> Option<String> {
        let end = word.trim_start_matches("./").trim_start_matches('/');
        let ends_so = |path: &&String| {
            path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let mut found = self.files().iter().filter(ends_so);
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    /// Where a name is defined, as `path:line`, in the order of the graph. A word that is defined all over the place names
    /// nothing.
    pub(super) fn places(&self, name: &str) -> Vec<String> {
        let view = self.workspace.view();
        let Some(graph) = view.graph() else { return Vec::new() };
        let nodes = graph.nodes_by_label(name).iter().map(|&at| graph.node(NodeIx(at)));
        let code = nodes.filter(|node| is_definition(node.kind()) && self.is_of_repo(node.path()));
        let places: Vec<String> = code.map(|node| format!("{}:{}", node.path(), node.lines().0)).collect();
        if places.len() > MOST_PLACES { Vec::new() } else { places }
    }

    fn files(&self) -> &[String] {
        self.files.get_or_init(|| {
            let view = self.workspace.view();
            let nodes = view.graph().into_iter().flat_map(|graph| graph.nodes());
            let files = nodes.filter(|node| node.kind() == NodeKind::File).map(|node| node.path().to_owned());
            files.filter(|path| self.is_of_repo(path)).collect()
        })
    }

    fn is_of_repo(&self, path: &str) -> bool {
        self.scope.is_none_or(|scope| path.split('/').next() == Some(scope))
    }
}

/// Whether a node is something that code defines and names.
fn is_definition(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Enum
            | NodeKind::Trait
            | NodeKind::Interface
            | NodeKind::Type
            | NodeKind::Function
            | NodeKind::Method
            | NodeKind::Constant
            | NodeKind::Test
    )
}
