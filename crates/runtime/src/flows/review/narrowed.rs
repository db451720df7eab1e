//! Narrowed: what is private since the change, and lines elsewhere that still use it.

use std::collections::BTreeMap;

use m1nd_graph::near::folder;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_ingest::revision::{Change, Changed};
use m1nd_risk::blast::DEPENDS;
use m1nd_risk::plan::Severity;

use super::lines::{self, Lines};
use super::users::User;
use super::{Edited, Finding};

/// One finding for each definition that other files used and cannot see any more.
pub fn still_used(before: &Graph, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut users: BTreeMap<&str, Option<User<'_>>> = BTreeMap::new();
    for one in edited.iter().filter(|one| one.broken.is_none()) {
        let stays = |symbol: &&Changed| matches!(symbol.change, Change::Signature | Change::Body);
        for symbol in one.symbols.iter().flatten().filter(stays) {
            let Some(was) = only(before, one.path_before(), symbol) else { continue };
            let Some(is) = only(graph, &one.file.path, symbol) else { continue };
            let (then, now) = (before.node(was), graph.node(is));
            let language = now.language();
            let is_shut = !is_private(language, then.signature()) && is_private(language, now.signature());
            // What a trait has is seen with it.
            if !is_shut || !graph.overridden(is).is_empty() {
                continue;
            }
            let mut lines = Lines::new();
            for edge in before.incoming(was).filter(|edge| DEPENDS.contains(&edge.kind)) {
                let source = before.node(edge.source);
                if sees(language, &one.file.path, source.path()) {
                    continue;
                }
                let user = users.entry(source.path());
                let user = user.or_insert_with(|| User::of(graph, edited, source.path()));
                let Some(user) = user else { continue };
                for (line, _) in edge.sites().filter(|(_, evidence)| !evidence.is_inferred()) {
                    let today = user.line(line).filter(|_| user.still_says(line, now.label(), edge.kind));
                    // It may mean something else of the name now.
                    let is_other = |today: u32| {
                        let mut to = user.certainly_leads_to(today);
                        to.any(|to| to != is && graph.node(to).label() == now.label())
                    };
                    if let Some(today) = today.filter(|&today| !is_other(today)) {
                        lines.insert((source.flags().has(NodeFlags::TEST_CODE), user.path, today));
                    }
                }
            }
            if lines.is_empty() {
                continue;
            }
            let use_it = match lines.len() {
                1 => "1 line elsewhere still uses it".to_owned(),
                count => format!("{count} lines elsewhere still use it"),
            };
            found.push(Finding {
                kind: "removed_but_used",
                severity: Severity::High.name(),
                at: format!("{}:{}", one.file.path, symbol.line),
                message: format!("{} is private now, and {use_it}", symbol.name),
                places: lines::places(&lines),
            });
        }
    }
    found
}

/// The one definition of a name and kind in a file: of overloads each is seen by itself.
fn only(graph: &Graph, path: &str, symbol: &Changed) -> Option<NodeIx> {
    let mut same = graph.nodes_in(path).filter(|&ix| {
        let node = graph.node(ix);
        node.kind() == symbol.kind && node.qualified() == symbol.name
    });
    same.next().filter(|_| same.next().is_none())
}

/// Whether a head says that nothing outside may use what it declares. In Rust that is what says nothing.
fn is_private(language: &str, head: &str) -> bool {
    let before = head.split(['(', '=', '{']).next().unwrap_or(head);
    let mut words = before.split_whitespace();
    match language {
        "java" | "typescript" | "tsx" | "csharp" | "kotlin" => words.any(|word| word == "private"),
        "rust" => !head.trim_start().starts_with("pub"),
        _ => false,
    }
}

/// Whether a file sees what is private in another one.
fn sees(language: &str, home: &str, from: &str) -> bool {
    if home == from {
        return true;
    }
    if language != "rust" {
        return false;
    }
    // Modules below see what is above them.
    let stem = home.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
    let below = match stem {
        "mod" | "lib" | "main" => folder(home).to_owned(),
        _ if folder(home).is_empty() => stem.to_owned(),
        _ => format!("{}/{stem}", folder(home)),
    };
    below.is_empty() || from.strip_prefix(&below).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_see_what_is_private_above_them() {
        assert!(sees("rust", "src/lib.rs", "src/a/b.rs"));
        assert!(sees("rust", "src/a.rs", "src/a/b.rs"));
        assert!(sees("rust", "src/a/mod.rs", "src/a/b.rs"));
        assert!(!sees("rust", "src/a.rs", "src/b.rs"));
        assert!(!sees("rust", "src/lib.rs", "tests/a.rs"));
        assert!(!sees("java", "p/A.java", "p/B.java"));
    }

    #[test]
    fn a_head_says_who_may_use_it() {
        assert!(is_private("java", "private static int f(int x)"));
        assert!(!is_private("java", "int f(@Named(\"private\") int x)"));
        assert!(is_private("rust", "fn f()") && !is_private("rust", "pub(crate) fn f()"));
        assert!(!is_private("python", "def f()"));
    }
}
