//! Layers: a crate depends only on the crates below it that the architecture lists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, bail};
use cargo_metadata::{DependencyKind, MetadataCommand};

/// Which of our crates each crate may depend on. Tests may use `testkit` besides.
const ALLOWED: &[(&str, &[&str])] = &[
    ("stdx", &[]),
    ("contract", &["stdx"]),
    ("vfs", &["stdx"]),
    ("graph", &["stdx"]),
    ("memory", &["stdx"]),
    ("mission", &["stdx"]),
    ("guard", &["stdx"]),
    ("recall", &["stdx", "graph"]),
    ("ingest", &["stdx", "graph", "vfs"]),
    ("edit", &["stdx", "vfs"]),
    ("store", &["stdx", "memory", "mission"]),
    ("risk", &["stdx", "recall", "graph"]),
    ("navigate", &["stdx", "recall", "graph"]),
    (
        "runtime",
        &[
            "stdx", "contract", "vfs", "graph", "memory", "mission", "guard", "recall", "ingest", "edit",
            "store", "risk", "navigate",
        ],
    ),
    (
        "tools",
        &[
            "stdx", "contract", "vfs", "runtime", "graph", "memory", "mission", "guard", "recall", "ingest",
            "edit", "store", "risk", "navigate",
        ],
    ),
    ("serve", &["stdx", "contract", "runtime"]),
    (
        "cli",
        &[
            "stdx", "contract", "vfs", "runtime", "tools", "serve", "graph", "memory", "mission", "guard",
            "recall", "ingest", "edit", "store", "risk", "navigate",
        ],
    ),
    ("testkit", &["stdx", "contract", "vfs", "runtime"]),
];

/// Fails with every edge that the table does not allow.
pub fn check(root: &Path) -> anyhow::Result<()> {
    let edges = edges(root)?;
    let wrong = violations(&edges);
    if !wrong.is_empty() {
        bail!("these dependencies are not in the architecture:\n  {}", wrong.join("\n  "));
    }
    Ok(())
}

fn violations(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (from, targets) in edges {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| name == from) else {
            wrong.push(format!("{from} has no row in the table"));
            continue;
        };
        for to in targets.iter().filter(|to| !allowed.contains(&to.as_str())) {
            wrong.push(format!("{from} -> {to}"));
        }
    }
    wrong
}

fn edges(root: &Path) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cargo metadata did not answer")?;
    let ours = |name: &str| name.strip_prefix("m1nd-").map(str::to_owned);
    let mut edges = BTreeMap::new();
    for package in &metadata.packages {
        let Some(name) = ours(&package.name) else { continue };
        let targets =
            package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        edges.insert(name, targets.filter_map(|dependency| ours(&dependency.name)).collect());
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_depend_only_on_what_is_below_them() {
        check(&crate::workspace_root()).unwrap();
    }

    #[test]
    fn an_upward_edge_is_found() {
        let edges = BTreeMap::from([("vfs".to_owned(), BTreeSet::from(["runtime".to_owned()]))]);
        assert_eq!(violations(&edges), ["vfs -> runtime"]);
    }
}
