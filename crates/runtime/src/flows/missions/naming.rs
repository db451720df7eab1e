//! Naming: the files that a word of a claim may mean.

use std::cell::OnceCell;

use m1nd_graph::{NodeIx, NodeKind};
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::RelPath;
use m1nd_vfs::walk::{self, Found, Reach};
use parking_lot::Mutex;

use crate::workspace::Workspace;

/// Definitions of one name; a name with more is a word like any other.
const MOST_PLACES: usize = 20;

/// Files that a word may mean; a name with more means none of them.
const MOST_FILES: usize = 50;
/// Endings of files that a graph need not know: hidden ones, and those that are no code.
const ENDINGS: [&str; 46] = [
    "yml",
    "yaml",
    "toml",
    "json",
    "json5",
    "jsonc",
    "cfg",
    "ini",
    "conf",
    "config",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "lock",
    "txt",
    "md",
    "mdx",
    "rst",
    "xml",
    "html",
    "css",
    "scss",
    "sql",
    "proto",
    "graphql",
    "properties",
    "gradle",
    "mk",
    "cmake",
    "tf",
    "csv",
    "in",
    "py",
    "js",
    "cjs",
    "mjs",
    "ts",
    "rs",
    "go",
    "rb",
    "java",
    "gitignore",
];

/// Files that one word after another is held against; they are listed once, and only if a word needs it: those of the graph,
/// then all of the repository.
pub(super) struct Names<'w> {
    workspace: &'w Workspace,
    /// Where the repository of the mission stands in the graph, if it is not the workspace itself.
    scope: Option<&'w str>,
    files: OnceCell<Vec<String>>,
    all: OnceCell<Vec<String>>,
}

impl<'w> Names<'w> {
    pub(super) fn new(workspace: &'w Workspace, scope: Option<&'w str>) -> Self {
        Self { workspace, scope, files: OnceCell::new(), all: OnceCell::new() }
    }

    /// By its path, or by the ends of paths. A file of another repository is none of this one's.
    pub(super) fn files(&self, word: &str, is_file: &dyn Fn(&str) -> bool) -> Vec<String> {
        let located = |word: &str| {
            let found = self.workspace.root().locate(word).ok()?.to_string();
            (self.is_of_repo(&found) && is_file(&found)).then_some(found)
        };
        let below = || located(&format!("{}/{word}", self.scope?));
        if let Some(found) = located(word).or_else(below) {
            return vec![found];
        }
        let known = by_end(word, self.known());
        if known.is_empty() && is_file_name(word) { by_end(word, self.all()) } else { known }
    }

    /// Where a name is defined, as `path:first-last`, in the order of the graph. A word that is defined all over the place
    /// names nothing.
    pub(super) fn places(&self, name: &str) -> Vec<String> {
        let view = self.workspace.view();
        let Some(graph) = view.graph() else { return Vec::new() };
        // `Session.send` is one of many that are called `send`.
        let found = match name.contains(['.', ':']) {
            true => graph.nodes_by_suffix(name),
            false => graph.nodes_by_label(name).iter().map(|&at| NodeIx(at)).collect(),
        };
        let nodes = found.into_iter().map(|at| graph.node(at));
        let code = nodes.filter(|node| is_definition(node.kind()) && self.is_of_repo(node.path()));
        let place = |(path, (first, last)): (&str, (u32, u32))| match last > first {
            true => format!("{path}:{first}-{last}"),
            false => format!("{path}:{first}"),
        };
        let places: Vec<String> = code.map(|node| place((node.path(), node.lines()))).collect();
        if places.len() > MOST_PLACES { Vec::new() } else { places }
    }

    fn known(&self) -> &[String] {
        self.files.get_or_init(|| {
            let view = self.workspace.view();
            let nodes = view.graph().into_iter().flat_map(|graph| graph.nodes());
            let files = nodes.filter(|node| node.kind() == NodeKind::File).map(|node| node.path().to_owned());
            files.filter(|path| self.is_of_repo(path)).collect()
        })
    }

    /// Every file of the repository, hidden ones too.
    fn all(&self) -> &[String] {
        self.all.get_or_init(|| {
            let found = Mutex::new(Vec::new());
            let cancel = CancelToken::new();
            let root = self.workspace.root();
            let walked = walk::files_within(root, &RelPath::root(), Reach::Repository, &cancel, || {
                |file: Found<'_>| found.lock().push(file.shown.to_string())
            });
            if let Err(why) = walked {
                tracing::warn!(?why, "the files of a workspace were not all listed");
            }
            let mut found = found.into_inner();
            found.retain(|path| self.is_of_repo(path));
            found.sort();
            found
        })
    }

    fn is_of_repo(&self, path: &str) -> bool {
        self.scope.is_none_or(|scope| path.split('/').next() == Some(scope))
    }
}

fn by_end(word: &str, files: &[String]) -> Vec<String> {
    let end = word.trim_start_matches("./").trim_start_matches('/');
    let ends_so = |path: &&String| {
        path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let found: Vec<String> = files.iter().filter(ends_so).take(MOST_FILES + 1).cloned().collect();
    if found.len() > MOST_FILES { Vec::new() } else { found }
}

/// Whether a word looks like the name of a file and of nothing else.
fn is_file_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.rsplit_once('.').is_none_or(|(_, end)| ENDINGS.contains(&end.to_ascii_lowercase().as_str()))
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
