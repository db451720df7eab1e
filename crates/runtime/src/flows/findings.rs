//! Findings: what the shape of a repository says is worth a look. Every one is a statement about the graph
//! and the text that can be checked by hand; none says that something is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use m1nd_graph::{EdgeKind, GraphBuilder, Node, NodeFlags, NodeIx, NodeKind, NodeSpec};
use m1nd_graph::{EdgeSpec, Evidence, scc};

use super::survey::{FileRow, Survey, is_within};
use super::texts::Texts;

/// Shorter bodies are alike by chance.
const MIN_DUPLICATE_LINES: u32 = 8;
/// A function with fewer callers is no hub.
const MIN_HUB_CALLERS: usize = 5;
/// Fewer lines than this are no burden, however many things they hold.
const LARGE_FILE_LINES: u32 = 600;

/// Things that are alike enough to be listed together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub total: usize,
    /// Worst first, as text for a person or an agent.
    pub items: Vec<String>,
}

impl Found {
    fn ranked<K: Ord>(mut rows: Vec<(K, String)>) -> Self {
        rows.sort();
        Self { total: rows.len(), items: rows.into_iter().map(|(_, text)| text).collect() }
    }
}

pub fn place(node: Node<'_>) -> String {
    let name = if node.qualified().is_empty() { node.label() } else { node.qualified() };
    format!("{}:{} {name}", node.path(), node.lines().0)
}

/// Files that import each other in a circle, in languages where that can fail at load time. An import that is
/// indented runs later or only for a type checker, and `import type` is erased; neither closes a circle.
pub fn import_cycles(survey: &Survey<'_>, texts: &Texts, scope: &str) -> Found {
    let matters =
        |file: &FileRow<'_>| matches!(file.node.language(), "python" | "javascript" | "typescript" | "tsx");
    let mut builder = GraphBuilder::new();
    let handles: Vec<_> = survey
        .files
        .iter()
        .map(|file| {
            let mut spec = NodeSpec::new(NodeKind::File, file.node.id(), file.node.label());
            spec.path = file.path().to_owned();
            builder.node(spec)
        })
        .collect();
    for (at, file) in survey.files.iter().enumerate().filter(|(_, file)| matters(file)) {
        for (&to, relation) in &file.uses {
            let at_load = relation.import_lines.iter().any(|&line| {
                let line = texts.line(file.path(), line);
                !line.starts_with([' ', '\t'])
                    && !line.starts_with("import type")
                    && !line.starts_with("export type")
            });
            if at_load {
                let (one, other) = (handles[at], handles[to as usize]);
                builder.edge(EdgeSpec::new(one, EdgeKind::Imports, other, Evidence::Resolved));
            }
        }
    }
    let graph = builder.finish(0);
    let rows = scc::cycles(&graph, &[EdgeKind::Imports])
        .into_iter()
        .filter(|members| members.iter().any(|&ix| is_within(graph.node(ix).path(), scope)))
        .filter(|members| {
            let beside = |&ix: &NodeIx| {
                let file = survey.graph.node_by_id(graph.node(ix).id()).and_then(|ix| survey.file_of(ix));
                file.is_some_and(|at| survey.files[at].is_beside())
            };
            !members.iter().all(beside)
        })
        .map(|members| {
            let ring = shortest_ring(&graph, &members);
            let path: Vec<&str> = ring.iter().map(|&ix| graph.node(ix).path()).collect();
            let more = match members.len() - (ring.len() - 1) {
                0 => String::new(),
                _ => format!(" (in a knot of {} files)", members.len()),
            };
            (std::cmp::Reverse(members.len()), format!("{}{more}", path.join(" -> ")))
        });
    Found::ranked(rows.collect())
}

/// The shortest way from a member of a circle back to itself, found from its first members.
fn shortest_ring(graph: &m1nd_graph::Graph, members: &[NodeIx]) -> Vec<NodeIx> {
    let inside: BTreeSet<NodeIx> = members.iter().copied().collect();
    let mut best: Option<Vec<NodeIx>> = None;
    for &start in members.iter().take(50) {
        let mut came: BTreeMap<NodeIx, NodeIx> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        'search: while let Some(at) = queue.pop_front() {
            for next in graph.targets(at, EdgeKind::Imports).filter(|next| inside.contains(next)) {
                if next == start {
                    let mut ring = vec![start];
                    let mut back = at;
                    while back != start {
                        ring.push(back);
                        back = came[&back];
                    }
                    ring.push(start);
                    ring.reverse();
                    if best.as_ref().is_none_or(|best| ring.len() < best.len()) {
                        best = Some(ring);
                    }
                    break 'search;
                }
                if next != start && !came.contains_key(&next) {
                    came.insert(next, at);
                    queue.push_back(next);
                }
            }
        }
        if best.as_ref().is_some_and(|ring| ring.len() == 3) {
            break;
        }
    }
    best.unwrap_or_default()
}

/// Functions and types that no edge of the graph reaches and whose name no text mentions but where they are
/// defined: the private ones, and how many exported ones there are, which others may use.
pub fn unmentioned(survey: &Survey<'_>, texts: &Texts, scope: &str) -> (Found, usize) {
    let graph = survey.graph;
    let mut candidates: Vec<(Node<'_>, u32)> = Vec::new();
    for node in graph.nodes() {
        let Some(file) = survey.file_of(node.ix()).map(|at| &survey.files[at]) else { continue };
        if !is_within(node.path(), scope)
            || !file.is_own()
            || file.is_beside()
            || !may_be_dead(survey, texts, node)
        {
            continue;
        }
        let reached =
            graph.incoming(node.ix()).any(|edge| edge.kind != EdgeKind::Contains && edge.source != node.ix());
        if !reached {
            let (first, last) = node.lines();
            candidates.push((node, last - first + 1));
        }
    }
    // A name can be put together from its beginning and something else.
    let beginnings = |label: &'_ str| -> Vec<usize> {
        label.char_indices().filter(|(at, c)| *c == '_' && *at >= 3).map(|(at, _)| at + 1).collect()
    };
    let wanted = candidates.iter().flat_map(|(node, _)| {
        let label = node.label();
        let parts = beginnings(label).into_iter().map(move |end| &label[..end]);
        parts.chain([label])
    });
    let mentions = texts.mentions(wanted);
    let is_built = |label: &str| {
        beginnings(label)
            .iter()
            .any(|&end| end < label.len() && mentions.get(&label[..end]).is_some_and(|&n| n > 0))
    };
    let mut defined: HashMap<&str, u32> = HashMap::new();
    for node in graph.nodes() {
        *defined.entry(node.label()).or_default() += 1;
    }
    let mut exported = 0;
    let mut rows = Vec::new();
    for (node, lines) in candidates {
        if mentions.get(node.label()) > defined.get(node.label()) || is_built(node.label()) {
            continue;
        }
        if node.flags().has(NodeFlags::EXPORTED) {
            exported += 1;
        } else {
            rows.push((std::cmp::Reverse(lines), format!("{} ({lines} lines)", place(node))));
        }
    }
    (Found::ranked(rows), exported)
}

/// What runs without being named is left out: programs, handlers, tests, members of traits and of their
/// implementations, names that a language calls by itself, and members of objects in scripts.
fn may_be_dead(survey: &Survey<'_>, texts: &Texts, node: Node<'_>) -> bool {
    let kind = node.kind();
    let flags = node.flags();
    let special = node.label().starts_with("__")
        || node.label().len() < 3
        || node.label().starts_with('_') && node.label().ends_with('_');
    let excused = [NodeFlags::ENTRY_POINT, NodeFlags::TEST_CODE, NodeFlags::ABSTRACT];
    let plain = matches!(kind, NodeKind::Function | NodeKind::Method) || kind.is_type();
    if !plain || special || excused.iter().any(|&flag| flags.has(flag)) {
        return false;
    }
    let parent = survey.graph.parent(node.ix()).map(|ix| survey.graph.node(ix).kind());
    match node.language() {
        "javascript" | "typescript" | "tsx" => {
            let line = texts.line(node.path(), node.lines().0).trim_start();
            parent == Some(NodeKind::File) && DECLARED.iter().any(|word| line.starts_with(word))
        }
        "rust" => {
            parent != Some(NodeKind::Trait) && !is_in_trait_impl(texts.text(node.path()), node.lines().0)
        }
        _ => true,
    }
}

/// How a definition of a script starts; a member of an object starts with its name, and an interface may add to
/// one of the platform's.
const DECLARED: [&str; 8] =
    ["function ", "async function ", "const ", "let ", "var ", "class ", "abstract class ", "enum "];

/// Whether the nearest `impl` before a line is one of a trait.
fn is_in_trait_impl(text: &str, line: u32) -> bool {
    let before: Vec<&str> = text.lines().take(line as usize).collect();
    let head = before.iter().rev().find(|line| {
        let line = line.trim_start();
        line.starts_with("impl") || line.starts_with("unsafe impl")
    });
    head.is_some_and(|head| head.contains(" for "))
}

/// Source files that no other file is known to use, with no entry point, no test, and a name that no other
/// text mentions.
pub fn orphan_files(survey: &Survey<'_>, texts: &Texts, scope: &str) -> Found {
    let graph = survey.graph;
    let starts_something: BTreeSet<usize> = graph
        .nodes()
        .filter(|node| node.flags().has(NodeFlags::ENTRY_POINT) || node.kind() == NodeKind::Route)
        .filter_map(|node| survey.file_of(node.ix()))
        .collect();
    let lonely: Vec<&FileRow<'_>> = survey
        .files
        .iter()
        .enumerate()
        .filter(|(at, file)| {
            let incoming = graph.nodes_in(file.path()).flat_map(|node| graph.incoming(node)).any(|edge| {
                !matches!(edge.kind, EdgeKind::Contains | EdgeKind::CoChanges)
                    && survey.file_of(edge.source) != Some(*at)
            });
            // What is named by a number is found by listing its folder.
            let numbered = file.node.label().starts_with(|c: char| c.is_ascii_digit());
            file.is_own()
                && !numbered
                && !file.is_beside()
                && file.functions + file.types > 0
                && !incoming
                && !starts_something.contains(at)
                && is_within(file.path(), scope)
        })
        .map(|(_, file)| file)
        .collect();
    let stem = |file: &FileRow<'_>| -> String {
        let name = file.node.label();
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let stems: Vec<String> = lonely.iter().map(|file| stem(file)).collect();
    // A hyphen ends a word, so the longest part of a name stands for it.
    let telling: Vec<&str> = stems
        .iter()
        .map(|stem| super::texts::words(stem).max_by_key(|word| word.len()).unwrap_or_default())
        .collect();
    let mentions = texts.mentions(telling.iter().copied());
    let rows = lonely.iter().zip(&telling).filter_map(|(file, word)| {
        let own = super::texts::words(texts.text(file.path())).filter(|found| found == word).count() as u32;
        let elsewhere = mentions.get(word).copied().unwrap_or_default() > own;
        let row = (std::cmp::Reverse(file.lines()), format!("{} ({} lines)", file.path(), file.lines()));
        (!word.is_empty() && !elsewhere).then_some(row)
    });
    Found::ranked(rows.collect())
}

/// Functions whose bodies are the same but for white space.
pub fn duplicates(survey: &Survey<'_>, texts: &Texts, scope: &str) -> Found {
    let mut groups: HashMap<String, Vec<Node<'_>>> = HashMap::new();
    for file in survey.own().filter(|file| !file.is_beside()) {
        let lines: Vec<&str> = texts.text(file.path()).lines().collect();
        for ix in survey.graph.nodes_in(file.path()) {
            let node = survey.graph.node(ix);
            let (first, last) = node.lines();
            let is_function = matches!(node.kind(), NodeKind::Function | NodeKind::Method);
            if !is_function || last.saturating_sub(first) + 1 < MIN_DUPLICATE_LINES {
                continue;
            }
            let Some(body) = lines.get(first as usize - 1..last as usize) else { continue };
            let squeezed: Vec<String> =
                body.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            groups.entry(squeezed.join("\n")).or_default().push(node);
        }
    }
    let rows = groups.into_iter().filter_map(|(body, nodes)| {
        let here = nodes.iter().any(|node| is_within(node.path(), scope));
        let lines = body.lines().count();
        let places: Vec<String> = nodes.iter().take(4).map(|node| place(*node)).collect();
        let more = if nodes.len() > 4 { format!(" and {} more", nodes.len() - 4) } else { String::new() };
        let row =
            (std::cmp::Reverse(lines * nodes.len()), format!("{lines} lines: {}{more}", places.join(" = ")));
        (here && nodes.len() > 1).then_some(row)
    });
    Found::ranked(rows.collect())
}

/// Functions many others call and that no known chain of calls reaches from test code. Nothing when the
/// graph holds no tests at all.
pub fn untested_hubs(survey: &Survey<'_>, scope: &str) -> Option<Found> {
    let graph = survey.graph;
    let is_test = |node: Node<'_>| {
        node.flags().has(NodeFlags::TEST_CODE)
            || node.kind() == NodeKind::Test
            || survey.file_of(node.ix()).is_some_and(|at| survey.files[at].is_test())
    };
    let mut reached = vec![false; graph.node_count()];
    let mut queue: VecDeque<NodeIx> =
        graph.nodes().filter(|node| is_test(*node)).map(|node| node.ix()).collect();
    if !graph.nodes().any(|node| node.kind().is_callable() && is_test(node)) {
        return None;
    }
    for &start in &queue {
        reached[start.index()] = true;
    }
    while let Some(at) = queue.pop_front() {
        // What runs has been loaded, and loading runs what stands outside of functions.
        let loaded = survey.file_of(at).map(|file| survey.files[file].node.ix());
        let mut next: Vec<NodeIx> = loaded.into_iter().collect();
        for edge in graph.outgoing(at) {
            match edge.kind {
                EdgeKind::Contains | EdgeKind::CoChanges => {}
                EdgeKind::Imports => {
                    next.extend(survey.file_of(edge.target).map(|file| survey.files[file].node.ix()));
                }
                // Whoever uses a type may run any of its methods.
                _ => {
                    next.push(edge.target);
                    if graph.node(edge.target).kind().is_type() {
                        next.extend(graph.targets(edge.target, EdgeKind::Contains));
                    }
                }
            }
        }
        for target in next {
            if !reached[target.index()] {
                reached[target.index()] = true;
                queue.push_back(target);
            }
        }
    }
    let mut rows = Vec::new();
    for node in graph.nodes().filter(|node| matches!(node.kind(), NodeKind::Function | NodeKind::Method)) {
        let own = survey
            .file_of(node.ix())
            .map(|at| &survey.files[at])
            .is_some_and(|file| file.is_own() && !file.is_beside());
        if !own || reached[node.ix().index()] || is_test(node) || !is_within(node.path(), scope) {
            continue;
        }
        let calls = graph.incoming(node.ix()).filter(|edge| edge.kind == EdgeKind::Calls);
        let callers = calls.filter(|edge| !edge.evidence.is_inferred()).count();
        if callers >= MIN_HUB_CALLERS {
            rows.push((std::cmp::Reverse(callers), format!("{} ({callers} callers)", place(node))));
        }
    }
    Some(Found::ranked(rows))
}

/// Long files that much depends on: where changes meet.
pub fn large_files(survey: &Survey<'_>, scope: &str) -> Found {
    let rows = survey
        .own()
        .filter(|file| !file.is_beside() && file.lines() >= LARGE_FILE_LINES && is_within(file.path(), scope))
        .map(|file| {
            let weight = u64::from(file.lines()) * u64::from(file.used_by + 1);
            let text = format!(
                "{} ({} lines, {} functions, used by {} files)",
                file.path(),
                file.lines(),
                file.functions,
                file.used_by
            );
            (std::cmp::Reverse(weight), text)
        });
    Found::ranked(rows.collect())
}
