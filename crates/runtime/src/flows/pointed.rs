//! Pointed: the files that a question names by their paths. Whoever names a file wants it, whatever its words are.

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_recall::place::is_test;

/// Files of one name that are put first; of more, the name says which only with its folder.
const MAX_OF_NAME: usize = 3;
/// A name of more files is a habit, as `mod.rs` is.
const MAX_ALIKE: usize = 8;
/// Names that are looked at; a longer text is a report, whose later names are clues like other words.
const MAX_NAMES: usize = 20;
/// Files that are put first in all.
const MAX_POINTED: usize = 5;

/// The nodes of files that a question names, in the order it does.
pub(super) fn pointed(graph: &Graph, query: &str) -> Vec<NodeIx> {
    let mut found: Vec<NodeIx> = Vec::new();
    let names = query.lines().flat_map(|line| names(line).map(move |name| (name, is_frame(line))));
    let names: Vec<(&str, bool)> = names.take(MAX_NAMES).collect();
    if names.is_empty() {
        return found;
    }
    for (name, is_frame) in names {
        // `app.py` of a stack trace is the reporter's, unless ours stands at that very path.
        let is_elsewhere = is_frame && !name.contains('/') && file_at(graph, name).is_none();
        let called = if is_elsewhere { Vec::new() } else { called(graph, name) };
        for file in called {
            if !found.contains(&file) {
                found.push(file);
            }
        }
    }
    found.truncate(MAX_POINTED);
    found
}

/// Whether a line is a frame of a stack trace of Python.
fn is_frame(line: &str) -> bool {
    line.trim_start().starts_with("File \"") && line.contains("\", line ")
}

/// What may be the path of a file: with a folder, with an ending, or a name like `Makefile`.
fn names(query: &str) -> impl Iterator<Item = &str> {
    let around = |c: char| c.is_whitespace() || "\"'`()[]<>{},;|".contains(c);
    query.split(around).map(bare).filter(|name| {
        let last = name.rsplit('/').next().unwrap_or(name);
        let ending = last.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty()
                && (1..=8).contains(&ending.len())
                && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        let is_like_makefile = last.len() > 3 && last.starts_with(char::is_uppercase);
        !last.is_empty() && (name.contains('/') || ending || is_like_makefile)
    })
}

/// Without a line behind it and what a sentence puts after it.
fn bare(name: &str) -> &str {
    let mut name = name.trim_end_matches(['.', ':', '!', '?']);
    while let Some((before, line)) = name.rsplit_once(':')
        && !line.is_empty()
        && line.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        name = before;
    }
    name.strip_prefix("./").unwrap_or(name)
}

fn file_at(graph: &Graph, path: &str) -> Option<NodeIx> {
    graph.node_by_path(path).filter(|&ix| graph.node(ix).kind() == NodeKind::File)
}

/// The file of that path; else the files whose paths end so, the product and what stands higher first.
fn called(graph: &Graph, name: &str) -> Vec<NodeIx> {
    if let Some(file) = file_at(graph, name) {
        return vec![file];
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let ends_so = |&ix: &NodeIx| {
        let node = graph.node(ix);
        let folder = node.path().strip_suffix(name);
        node.kind() == NodeKind::File && folder.is_some_and(|folder| folder.ends_with('/'))
    };
    let named = graph.nodes_by_label(last).iter().map(|&at| NodeIx(at));
    let mut found: Vec<NodeIx> = named.filter(ends_so).collect();
    if found.len() > MAX_ALIKE {
        return Vec::new();
    }
    found.sort_by_key(|&ix| {
        let path = graph.node(ix).path();
        (is_test(path), path.matches('/').count(), ix)
    });
    found.truncate(MAX_OF_NAME);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_out_of_sentences() {
        let read = |query: &str| names(query).collect::<Vec<_>>().join(" ");
        assert_eq!(read("the retry logic in `src/net/retry.py:12` is wrong."), "src/net/retry.py");
        assert_eq!(
            read("File \"a/b.py\", line 5: see ./c.toml, e.g. d.rs:3:14?"),
            "File a/b.py c.toml e.g d.rs"
        );
        assert_eq!(read("the Makefile of foo and/or bar"), "Makefile and/or");
        assert_eq!(read("nothing here is a path"), "");
    }
}
