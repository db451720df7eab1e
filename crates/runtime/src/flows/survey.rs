//! Survey: the graph seen file by file, for answers about the shape of a repository.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph, Node, NodeFlags, NodeIx, NodeKind};
use m1nd_recall::place;

/// One file of the graph and what its definitions add up to.
#[derive(Clone, Debug)]
pub struct FileRow<'g> {
    pub node: Node<'g>,
    pub functions: u32,
    pub types: u32,
    pub tests: u32,
    /// Functions and types that have a doc comment.
    pub documented: u32,
    /// Call edges that arrive from other files, and those that leave for others.
    pub calls_in: u32,
    pub calls_out: u32,
    /// Files that this one depends on, by position.
    pub uses: BTreeMap<u32, Use>,
    /// How many files depend on it for certain, and which, in order.
    pub used_by: u32,
    pub users: Vec<u32>,
    /// The longest function: its lines and its node.
    pub longest: Option<(u32, NodeIx)>,
}

/// How one file depends on another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Relations of any kind.
    pub relations: u32,
    /// Of those, relations that are only inferred.
    pub inferred: u32,
    /// Lines of imports.
    pub import_lines: Vec<u32>,
}

/// Every file, in the order of paths.
#[derive(Clone, Debug)]
pub struct Survey<'g> {
    pub graph: &'g Graph,
    pub files: Vec<FileRow<'g>>,
    /// The position in `files` of each node's file.
    file_of: Vec<u32>,
}

const NO_FILE: u32 = u32::MAX;

impl<'g> Survey<'g> {
    pub fn of(graph: &'g Graph) -> Self {
        let mut files: Vec<FileRow<'g>> = Vec::new();
        let mut file_of = vec![NO_FILE; graph.node_count()];
        // Nodes stand in the order of their paths, and a file before what is in it.
        for node in graph.nodes() {
            if node.kind() == NodeKind::File {
                files.push(FileRow::new(node));
            }
            let at = files.len() as u32;
            if let Some(file) = files.last_mut().filter(|file| file.path() == node.path()) {
                file_of[node.ix().index()] = at - 1;
                file.count(node);
            }
        }
        let mut survey = Self { graph, files, file_of };
        survey.relate();
        survey
    }

    fn relate(&mut self) {
        for edge in self.graph.edges() {
            if matches!(edge.kind, EdgeKind::Contains | EdgeKind::CoChanges) {
                continue;
            }
            let (from, to) = (self.file_of[edge.source.index()], self.file_of[edge.target.index()]);
            if from == NO_FILE || to == NO_FILE || from == to {
                continue;
            }
            let calls = u32::from(edge.kind == EdgeKind::Calls);
            self.files[to as usize].calls_in += calls;
            let file = &mut self.files[from as usize];
            file.calls_out += calls;
            let relation = file.uses.entry(to).or_default();
            relation.relations += 1;
            relation.inferred += u32::from(edge.evidence.is_inferred());
            if edge.kind == EdgeKind::Imports {
                relation.import_lines.extend_from_slice(edge.lines);
            }
        }
        for from in 0..self.files.len() {
            // A name that merely fits does not make a file depend on another.
            let certain = self.files[from].uses.iter().filter(|(_, to)| to.inferred < to.relations);
            for to in certain.map(|(to, _)| *to).collect::<Vec<_>>() {
                self.files[to as usize].used_by += 1;
                self.files[to as usize].users.push(from as u32);
            }
        }
    }

    /// The position of a node's file.
    pub fn file_of(&self, node: NodeIx) -> Option<usize> {
        let at = self.file_of[node.index()];
        (at != NO_FILE).then_some(at as usize)
    }

    /// Files written by people for this project, in a language that is read.
    pub fn own(&self) -> impl Iterator<Item = &FileRow<'g>> {
        self.files.iter().filter(|file| file.is_own())
    }
}

impl<'g> FileRow<'g> {
    fn new(node: Node<'g>) -> Self {
        Self {
            node,
            functions: 0,
            types: 0,
            tests: 0,
            documented: 0,
            calls_in: 0,
            calls_out: 0,
            uses: BTreeMap::new(),
            used_by: 0,
            users: Vec::new(),
            longest: None,
        }
    }

    fn count(&mut self, node: Node<'g>) {
        let kind = node.kind();
        self.tests += u32::from(kind == NodeKind::Test);
        self.functions += u32::from(matches!(kind, NodeKind::Function | NodeKind::Method));
        self.types += u32::from(kind.is_type());
        if kind.is_type() || kind.is_callable() {
            self.documented += u32::from(!node.doc().is_empty());
        }
        let (first, last) = node.lines();
        let lines = last.saturating_sub(first) + 1;
        if kind.is_callable() && self.longest.is_none_or(|(most, _)| lines > most) {
            self.longest = Some((lines, node.ix()));
        }
    }

    pub fn path(&self) -> &'g str {
        self.node.path()
    }

    pub fn lines(&self) -> u32 {
        self.node.lines().1
    }

    pub fn has(&self, flag: NodeFlags) -> bool {
        self.node.flags().has(flag)
    }

    /// Whether it belongs to the tests: by what is in it, or by its name.
    pub fn is_test(&self) -> bool {
        self.has(NodeFlags::TEST_CODE)
            || self.tests > 0 && self.tests >= self.functions
            || place::is_test(self.path())
    }

    /// Whether it is beside the product: tests, examples, fixtures, benchmarks.
    pub fn is_beside(&self) -> bool {
        self.is_test() || place::is_beside(self.path())
    }

    pub fn is_own(&self) -> bool {
        !self.node.language().is_empty()
            && !self.has(NodeFlags::GENERATED)
            && !self.has(NodeFlags::VENDORED)
            && !self.has(NodeFlags::PARTIAL)
    }

    /// Files this one depends on for certain.
    pub fn depends_on(&self) -> u32 {
        self.uses.values().filter(|to| to.inferred < to.relations).count() as u32
    }
}

/// Whether a path is a scope (a folder or a file; empty for everything) or lies in it.
pub fn is_within(path: &str, scope: &str) -> bool {
    scope.is_empty() || path == scope || path.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/'))
}
