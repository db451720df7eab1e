//! Unmounted: files of Rust that no module names any more, and that other code still uses.

use m1nd_graph::{Graph, NodeFlags};
use m1nd_risk::blast::DEPENDS;
use m1nd_risk::plan::Severity;

use super::lines::{self, Lines};
use super::{Edited, Finding};
use crate::flows::imports::rust::{mounts, places};

/// One finding for each `mod` that went while its file and what uses it stayed.
pub fn still_used(graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none() && one.file.path.ends_with(".rs")) {
        let (Some(old), Some(new)) = &one.texts else { continue };
        let [was, is] = [old, new].map(|text| mounts(&String::from_utf8_lossy(text)));
        for name in was.difference(&is) {
            // Another file may have taken it, or a macro.
            let is_elsewhere = edited.iter().any(|other| {
                let Some(text) = &other.texts.1 else { return false };
                let text = String::from_utf8_lossy(text);
                let says = |line: &str| {
                    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
                };
                (1..)
                    .zip(text.lines())
                    .any(|(line, text)| other.touches(line) && text.contains("mod") && says(text))
            });
            let file =
                places(&one.file.path, name).into_iter().find(|path| graph.node_by_path(path).is_some());
            let Some(file) = file.filter(|_| !is_elsewhere) else { continue };
            let mut lines = Lines::new();
            for node in graph.nodes_in(&file) {
                for edge in graph.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
                    let user = graph.node(edge.source);
                    let is_inside = user.path() == file
                        || user.path().starts_with(&format!(
                            "{}/",
                            file.trim_end_matches(".rs").trim_end_matches("/mod")
                        ));
                    if !is_inside && user.language() == "rust" {
                        let sites = edge.sites().filter(|(_, evidence)| !evidence.is_inferred());
                        let is_test = user.flags().has(NodeFlags::TEST_CODE);
                        lines.extend(sites.map(|(line, _)| (is_test, user.path(), line)));
                    }
                }
            }
            if lines.is_empty() {
                continue;
            }
            let use_it = match lines.len() {
                1 => "1 line still uses".to_owned(),
                count => format!("{count} lines still use"),
            };
            found.push(Finding {
                kind: "broken_import",
                severity: Severity::High.name(),
                at: format!("{}:{}", one.file.path, one.file.lines.first().map_or(1, |lines| lines.0)),
                message: format!(
                    "mod {name} was removed, so that {file} is no part of the crate any more, and {use_it} it"
                ),
                places: lines::places(&lines),
            });
        }
    }
    found
}
