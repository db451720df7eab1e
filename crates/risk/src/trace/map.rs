//! From frames to nodes, and from nodes to suspects.

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_stdx::clock::UnixMs;

use super::parse::Frame;

/// Where a frame leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// The code it ran in; whether its line says the same as its function.
    Node { node: NodeIx, moved: bool },
    /// A file that is part of the repository by its name, but which of several is not told.
    Ambiguous(Vec<String>),
    /// Not of this repository: a library, a runtime, a generated file.
    Outside,
}

/// A frame and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub frame: Frame,
    pub mapping: Mapping,
}

/// Parts of paths that hold code of others.
const ELSEWHERE: [&str; 15] = [
    "/rustc/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/.rustup/",
    "site-packages/",
    "dist-packages/",
    "node_modules/",
    "node:",
    "/usr/lib/",
    "/lib/python",
    "/usr/include/",
    "/usr/local/go/",
    "/go/pkg/mod/",
    "<frozen",
    "/libexec/",
];

/// What a path of a trace is on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A file of the repository, by its path there.
    Ours(String),
    /// A file of another repository.
    Others,
    /// It may come from another machine.
    Unknown,
}

/// Looks up every frame. `whose` says what a path is on this machine.
pub fn map(graph: &Graph, frames: Vec<Frame>, whose: impl Fn(&str) -> Whose) -> Vec<Mapped> {
    let files = Files::of(graph);
    let one = |frame: Frame| {
        let mapping = files.find(graph, &frame, &whose);
        Mapped { frame, mapping }
    };
    frames.into_iter().map(one).collect()
}

/// Files by their names.
struct Files<'g> {
    by_name: rustc_hash::FxHashMap<&'g str, Vec<&'g str>>,
}

impl<'g> Files<'g> {
    fn of(graph: &'g Graph) -> Self {
        let mut by_name: rustc_hash::FxHashMap<&str, Vec<&str>> = rustc_hash::FxHashMap::default();
        for node in graph.nodes().filter(|node| node.kind() == NodeKind::File) {
            let name = node.path().rsplit('/').next().unwrap_or_default();
            by_name.entry(name).or_default().push(node.path());
        }
        Self { by_name }
    }

    fn find(&self, graph: &Graph, frame: &Frame, whose: &impl Fn(&str) -> Whose) -> Mapping {
        if frame.path.is_empty() {
            return Mapping::Outside;
        }
        let whose = whose(&frame.path);
        if let Whose::Ours(path) = &whose
            && graph.node_by_path(path).is_some()
        {
            return node_of(graph, path, frame);
        }
        // An installed copy of this very repository.
        if let Some(own) = installed(&frame.path).and_then(|rest| self.ending_in(rest)) {
            return node_of(graph, own, frame);
        }
        // Files of two repositories are often called alike.
        if whose == Whose::Others {
            return Mapping::Outside;
        }
        let is_elsewhere = ELSEWHERE.iter().any(|part| frame.path.contains(part));
        let candidates = self.alike(&frame.path, is_elsewhere);
        match candidates[..] {
            [] if is_elsewhere => Mapping::Outside,
            [] => by_function(graph, frame)
                .map_or(Mapping::Outside, |node| Mapping::Node { node, moved: false }),
            [only] => node_of(graph, only, frame),
            _ => {
                let has = |path: &&&str| has_function(graph, path, frame);
                let mut fitting = candidates.iter().filter(has);
                match (fitting.next(), fitting.next()) {
                    (Some(only), None) => node_of(graph, only, frame),
                    _ => Mapping::Ambiguous(candidates.iter().map(|&path| path.to_owned()).collect()),
                }
            }
        }
    }

    /// The one file whose path is `rest`, or ends in it below a folder of sources.
    fn ending_in(&self, rest: &str) -> Option<&'g str> {
        let name = rest.rsplit('/').next().unwrap_or_default();
        let fits = |path: &&&str| {
            let folder = path.strip_suffix(rest);
            folder.is_some_and(|folder| {
                folder.is_empty() || folder.ends_with("src/") || folder.ends_with("lib/")
            })
        };
        let mut found = self.by_name.get(name)?.iter().filter(fits);
        found.next().copied().filter(|_| found.next().is_none() && rest.contains('/'))
    }

    /// Files whose paths share the longest end with the trace's. The trace may come from another machine, so its beginning
    /// need not fit; but a library's file must not be taken for one of ours that is called alike.
    fn alike(&self, path: &str, is_elsewhere: bool) -> Vec<&'g str> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let Some(known) = self.by_name.get(name) else { return Vec::new() };
        let depth = |other: &str| path.rsplit('/').zip(other.rsplit('/')).take_while(|(a, b)| a == b).count();
        let most = known.iter().map(|other| depth(other)).max().unwrap_or_default();
        let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").count();
        let is_whole = |other: &str| depth(other) == other.split('/').count();
        let mut found: Vec<&str> = known.iter().copied().filter(|other| depth(other) == most).collect();
        // The whole of our path, or the whole of the trace's, or a good part of both.
        found.retain(|other| {
            let whole = is_whole(other) && (most > 1 || parts == 1 || !is_elsewhere);
            (whole && !is_elsewhere) || (most == parts) || (most >= 3 && !is_elsewhere)
        });
        found
    }
}

/// A program's own frame without a source says only what ran: the one function of that name and owner, where there is just one.
fn by_function(graph: &Graph, frame: &Frame) -> Option<NodeIx> {
    if frame.line.is_some() || frame.path.contains(".so") || frame.path.contains(".dylib") {
        return None;
    }
    let whole = without_types(&frame.function);
    let (name, owner) = (short(&whole), owner(&whole));
    let is_it = |ix: &NodeIx| {
        let node = graph.node(*ix);
        node.kind().is_callable()
            && matches!(node.language(), "c" | "cpp" | "rust")
            && owner_of(graph, *ix) == owner
    };
    let mut found = graph.nodes_by_label(name).iter().map(|&at| NodeIx(at)).filter(is_it);
    found.next().filter(|_| !name.is_empty() && found.next().is_none())
}

/// A name without what types it was made for.
fn without_types(function: &str) -> String {
    let mut depth = 0_i32;
    let mut kept = String::with_capacity(function.len());
    let head = function.split('(').next().unwrap_or_default();
    for letter in head.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = (depth - 1).max(0),
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

/// What comes after the folder that Python's packages are installed in.
fn installed(path: &str) -> Option<&str> {
    ["site-packages/", "dist-packages/"]
        .iter()
        .find_map(|folder| path.split_once(folder))
        .map(|(_, rest)| rest)
}

/// The last part of a function's name: languages write owners and modules before it in many ways.
fn short(function: &str) -> &str {
    let name = function.split(['(', '[']).next().unwrap_or_default();
    name.rsplit(['.', ':', '#', '>', '$', '/']).next().unwrap_or_default().trim()
}

fn has_function(graph: &Graph, path: &str, frame: &Frame) -> bool {
    let name = short(&frame.function);
    !name.is_empty() && graph.nodes_in(path).any(|ix| graph.node(ix).label() == name)
}

/// The function of the trace, where the file has one of that name; else what stands at the line now.
fn node_of(graph: &Graph, path: &str, frame: &Frame) -> Mapping {
    let name = short(&frame.function);
    let here = frame.line.and_then(|line| graph.node_at(path, line));
    let around = |node: NodeIx| {
        let mut at = Some(node);
        while let Some(ix) = at {
            if graph.node(ix).label() == name {
                return Some(ix);
            }
            at = graph.parent(ix).filter(|&up| graph.node(up).path() == path);
        }
        None
    };
    if let Some(node) = here.and_then(around) {
        // Another type may have a method of that name where the line is now.
        let owner = owner(&frame.function);
        let is_it = owner.is_empty() || owner_of(graph, node) == owner;
        let meant = if is_it { None } else { member(graph, path, name, owner, frame.line) };
        let moved = meant.is_some_and(|meant| !holds(graph, meant, frame.line));
        return Mapping::Node { node: meant.unwrap_or(node), moved };
    }
    match (here, named(graph, path, frame)) {
        (_, Some(only)) => {
            let moved = here.is_some() && !holds(graph, only, frame.line);
            Mapping::Node { node: only, moved }
        }
        (Some(node), None) => Mapping::Node { node, moved: false },
        (None, None) => graph
            .node_by_path(path)
            .map_or(Mapping::Outside, |node| Mapping::Node { node, moved: frame.line.is_some() }),
    }
}

/// Whether a line is one of a node's.
fn holds(graph: &Graph, node: NodeIx, line: Option<u32>) -> bool {
    let (first, last) = graph.node(node).lines();
    line.is_some_and(|line| (first..=last).contains(&line))
}

/// The definition of a file that a trace's function is: by its name together with what it is a member of, else by its name alone.
fn named(graph: &Graph, path: &str, frame: &Frame) -> Option<NodeIx> {
    let name = short(&frame.function);
    let mut found = called(graph, path, name);
    match (found.next(), found.next()) {
        (only, None) => only,
        _ => match owner(&frame.function) {
            "" => nearest(graph, called(graph, path, name), frame.line),
            // What stands before a function that is no member of anything is its module.
            owner => member(graph, path, name, owner, frame.line).or_else(|| {
                let free = called(graph, path, name).filter(|&ix| owner_of(graph, ix).is_empty());
                nearest(graph, free, frame.line)
            }),
        },
    }
}

/// The member of that name that the file has of a type. Of overloads nobody knows which was meant before the file changed: it is the
/// nearest to the line of then.
fn member(graph: &Graph, path: &str, name: &str, owner: &str, line: Option<u32>) -> Option<NodeIx> {
    let found = called(graph, path, name).filter(|&ix| !owner.is_empty() && owner_of(graph, ix) == owner);
    nearest(graph, found, line)
}

/// The one whose lines are nearest to a line; without one only a single one is told.
fn nearest(graph: &Graph, mut found: impl Iterator<Item = NodeIx>, line: Option<u32>) -> Option<NodeIx> {
    let Some(line) = line else { return found.next().filter(|_| found.next().is_none()) };
    found.min_by_key(|&ix| {
        let (first, last) = graph.node(ix).lines();
        (first.saturating_sub(line).max(line.saturating_sub(last)), first)
    })
}

/// Functions and types of a file that are called so.
fn called<'g>(graph: &'g Graph, path: &'g str, name: &str) -> impl Iterator<Item = NodeIx> {
    graph.nodes_in(path).filter(move |&ix| {
        let node = graph.node(ix);
        !name.is_empty() && node.label() == name && (node.kind().is_callable() || node.kind().is_type())
    })
}

/// What a trace's function is a member of, by its last name.
fn owner(function: &str) -> &str {
    let whole = function.split(['(', '[']).next().unwrap_or_default();
    let before = whole.strip_suffix(short(function)).unwrap_or_default();
    short(before.trim_end_matches(['.', ':', '#', '>', '$', '/', '-']))
}

/// What a definition is a member of: languages may write members away from their types.
fn owner_of(graph: &Graph, node: NodeIx) -> &str {
    graph.node(node).qualified().rsplit('.').nth(1).unwrap_or_default()
}

/// What counts how much.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    pub depth: f32,
    pub recency: f32,
    pub centrality: f32,
}

impl Default for Weights {
    /// Where it failed says most; a change of late more than that many depend on it.
    fn default() -> Self {
        Self { depth: 0.6, recency: 0.3, centrality: 0.1 }
    }
}

/// Code that may be to blame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspect {
    pub node: NodeIx,
    pub suspiciousness: f32,
    /// 1 where it failed, less with every frame of ours further out and every failure further back.
    pub depth: f32,
    /// 1 when it changed just now, half after `window`; nothing where there is no history.
    pub recency: Option<f32>,
    /// Its place among all code by how much leads to it, 0 to 1.
    pub centrality: f32,
}

/// Every node of the trace once, the most suspicious first. `changed` tells when a node's file last changed.
pub fn suspects(
    graph: &Graph,
    mapped: &[Mapped],
    weights: Weights,
    now: UnixMs,
    window_hours: f32,
    changed: impl Fn(NodeIx) -> Option<UnixMs>,
) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    // Of the same failure how many came before, and which they were.
    let (mut failure, mut inner) = (0, Vec::new());
    for one in mapped {
        let Mapping::Node { node, .. } = one.mapping else { continue };
        if one.frame.failure != failure {
            failure = one.frame.failure;
            inner.clear();
        }
        if inner.contains(&node) {
            continue;
        }
        // An earlier failure counts like one more call in between.
        let above = inner.len() as u32 + failure;
        inner.push(node);
        let depth = 1.0 / (1.0 + 0.5 * above as f32);
        if let Some(known) = found.iter().position(|suspect: &Suspect| suspect.node == node) {
            if found[known].depth >= depth {
                continue;
            }
            found.remove(known);
        }
        let age = changed(node).map(|at| (now.0.saturating_sub(at.0).max(0) as f32) / 3_600_000.0);
        let recency = age.map(|hours| (-hours / window_hours.max(0.01)).exp2());
        let centrality = centrality(graph, node);
        // Without a history its share goes to what is known.
        let known = weights.depth + weights.centrality + recency.map_or(0.0, |_| weights.recency);
        let sum = weights.depth * depth
            + weights.centrality * centrality
            + weights.recency * recency.unwrap_or(0.0);
        found.push(Suspect { node, suspiciousness: sum / known, depth, recency, centrality });
    }
    found.sort_by(|a, b| b.suspiciousness.total_cmp(&a.suspiciousness).then(b.depth.total_cmp(&a.depth)));
    found
}

/// The share of nodes that less leads to.
fn centrality(graph: &Graph, node: NodeIx) -> f32 {
    let own = graph.node(node).pagerank();
    let below = graph.nodes().filter(|other| other.pagerank() < own).count();
    below as f32 / graph.node_count().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, graph};
    use crate::trace::parse;

    #[test]
    fn a_frame_without_a_source_is_the_only_function_of_its_name() {
        let graph = graph("run calls stack.pop\na.twin calls run\nb.twin calls run\n");
        let text = "ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x4f in acme::stack<int>::pop() (/x/app+0x191e)\n    #1 0x4f in Other::pop() (/x/app+0x191f)\n    #2 0x4f in run (/lib/x86_64/libc.so.6+0x1)\n    #3 0x4f in run (/x/app+0x1920)\n";
        let frames = parse(text, None).unwrap().frames;
        let mapped = map(&graph, frames, |_| Whose::Unknown);
        let shown: Vec<Option<NodeIx>> = mapped
            .iter()
            .map(|one| match one.mapping {
                Mapping::Node { node, .. } => Some(node),
                _ => None,
            })
            .collect();
        assert_eq!(shown, [Some(at(&graph, "stack.pop")), None, None, Some(at(&graph, "run"))]);
    }
}
