//! One node, read from its columns.

use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::float::FiniteF32;
use serde::{Deserialize, Serialize};

use crate::builder::NodeSpec;
use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::NodeKind;

/// Facts about a node that are either so or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeFlags(pub u32);

impl NodeFlags {
    /// Visible outside its file or module.
    pub const EXPORTED: Self = Self(1);
    pub const ASYNC: Self = Self(1 << 1);
    /// A program, a handler or a library starts here.
    pub const ENTRY_POINT: Self = Self(1 << 2);
    /// Part of the test code, whatever its kind.
    pub const TEST_CODE: Self = Self(1 << 3);
    /// Declared without a body.
    pub const ABSTRACT: Self = Self(1 << 4);
    /// The file was written by a program.
    pub const GENERATED: Self = Self(1 << 5);
    /// The file had syntax errors; what lies in them is missing.
    pub const PARTIAL: Self = Self(1 << 6);
    /// Copied from another project.
    pub const VENDORED: Self = Self(1 << 7);
    /// Written in a branch: another definition of the same name may hold instead.
    pub const CONDITIONAL: Self = Self(1 << 8);
    /// Sets up every test that could ask for it.
    pub const FOR_ALL_TESTS: Self = Self(1 << 9);
    /// What it holds is found in what is around it, too: an inline namespace.
    pub const INLINE: Self = Self(1 << 10);
    /// Inside of a namespace that a macro opens.
    pub const OPENED_BY_MACRO: Self = Self(1 << 11);

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What the version history says about a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// When it was last changed.
    pub changed_at: UnixMs,
    /// How many commits changed it.
    pub commits: u32,
    /// How many of those said they fix something.
    pub fixes: u32,
    /// How many people changed it.
    pub authors: u32,
}

/// A borrowed view of one node; each field is read when asked for.
#[derive(Clone, Copy, Debug)]
pub struct Node<'g> {
    graph: &'g Graph,
    ix: NodeIx,
}

impl<'g> Node<'g> {
    pub(crate) fn new(graph: &'g Graph, ix: NodeIx) -> Self {
        Self { graph, ix }
    }

    pub fn ix(&self) -> NodeIx {
        self.ix
    }

    pub fn id(&self) -> &'g str {
        self.text(&self.graph.columns().id)
    }

    pub fn kind(&self) -> NodeKind {
        self.graph.columns().node_kind(self.ix.index())
    }

    /// The short name.
    pub fn label(&self) -> &'g str {
        self.text(&self.graph.columns().label)
    }

    /// The name within the file, outer scopes first, joined by dots.
    pub fn qualified(&self) -> &'g str {
        self.text(&self.graph.columns().qualified)
    }

    /// Workspace-relative, with forward slashes; empty for nodes that have no file.
    pub fn path(&self) -> &'g str {
        self.text(&self.graph.columns().path)
    }

    /// First and last line, 1-based and inclusive; (0, 0) when the node has no place in a file.
    pub fn lines(&self) -> (u32, u32) {
        let columns = self.graph.columns();
        (columns.line_start[self.ix.index()], columns.line_end[self.ix.index()])
    }

    pub fn signature(&self) -> &'g str {
        self.text(&self.graph.columns().signature)
    }

    pub fn doc(&self) -> &'g str {
        self.text(&self.graph.columns().doc)
    }

    pub fn language(&self) -> &'g str {
        self.text(&self.graph.columns().language)
    }

    pub fn flags(&self) -> NodeFlags {
        NodeFlags(self.graph.columns().flags[self.ix.index()])
    }

    pub fn tags(&self) -> impl Iterator<Item = &'g str> + use<'g> {
        let columns = self.graph.columns();
        let at = self.ix.index();
        let range = columns.tag_starts[at] as usize..columns.tag_starts[at + 1] as usize;
        columns.tags[range].iter().map(|&tag| columns.str(tag))
    }

    pub fn pagerank(&self) -> FiniteF32 {
        FiniteF32::new(self.graph.ranks()[self.ix.index()])
    }

    /// Nothing when the history does not mention the node.
    pub fn history(&self) -> Option<History> {
        let columns = self.graph.columns();
        let at = self.ix.index();
        (columns.changed_at[at] != i64::MIN).then(|| History {
            changed_at: UnixMs(columns.changed_at[at]),
            commits: columns.commits[at],
            fixes: columns.fixes[at],
            authors: columns.authors[at],
        })
    }

    /// The node as a builder takes it.
    pub fn to_spec(&self) -> NodeSpec {
        let (line_start, line_end) = self.lines();
        NodeSpec {
            id: self.id().to_owned(),
            kind: self.kind(),
            label: self.label().to_owned(),
            qualified: self.qualified().to_owned(),
            path: self.path().to_owned(),
            line_start,
            line_end,
            signature: self.signature().to_owned(),
            doc: self.doc().to_owned(),
            language: self.language().to_owned(),
            flags: self.flags(),
            tags: self.tags().map(str::to_owned).collect(),
            history: self.history(),
        }
    }

    fn text(&self, column: &'g [u32]) -> &'g str {
        self.graph.columns().str(column[self.ix.index()])
    }
}
