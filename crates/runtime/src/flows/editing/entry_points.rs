//! Entry points: programs that a manifest says begin in a function or a file, which went.

use m1nd_graph::near::folder;
use m1nd_graph::{Evidence, Graph, NodeIx, NodeKind, folder_files};

use super::shown::CallerShown;
use super::texts::{Texts, has_word};

/// Manifests of Python that name functions as `package.module:function`.
const OF_PYTHON: [&str; 3] = ["pyproject.toml", "setup.cfg", "setup.py"];
const OF_SCRIPTS: &str = "package.json";

/// Lines of manifests that still name what went.
pub(super) fn left(texts: &mut Texts<'_>, before: &Graph, gone: &[NodeIx]) -> Vec<CallerShown> {
    let mut found = Vec::new();
    for &ix in gone {
        let node = before.node(ix);
        let is_function = node.qualified() == node.label() && node.kind().is_callable();
        match node.language() {
            "python" if is_function || node.kind().is_type() => {
                if is_given_elsewhere(texts, node.path(), node.label()) {
                    continue;
                }
                for path in manifests(node.path(), &OF_PYTHON) {
                    let lines = lines_naming(texts, &path, node.path(), node.label());
                    found.extend(lines.into_iter().map(|line| shown(texts, &path, line, node.label())));
                }
            }
            "javascript" | "typescript" if node.kind() == NodeKind::File => {
                let Some(path) =
                    manifests(node.path(), &[OF_SCRIPTS]).into_iter().find(|path| texts.text(path).is_some())
                else {
                    continue;
                };
                let line = line_of_script(texts, &path, node.path());
                found.extend(line.map(|line| shown(texts, &path, line, node.label())));
            }
            _ => {}
        }
    }
    found
}

/// Whether a file that took the place of a module says the name: a module may become a package, and the other way round.
fn is_given_elsewhere(texts: &mut Texts<'_>, path: &str, name: &str) -> bool {
    let module = folder_files::module(path);
    let tries = [format!("{module}.py"), format!("{module}/__init__.py")];
    let mut others = tries.iter().filter(|other| *other != path);
    others.any(|other| texts.text(other).is_some_and(|text| text.lines().any(|line| has_word(line, name))))
}

fn shown(texts: &mut Texts<'_>, path: &str, line: u32, name: &str) -> CallerShown {
    CallerShown {
        at: format!("{path}:{line}"),
        node_id: String::new(),
        uses: name.to_owned(),
        because: "removed",
        evidence: Evidence::Resolved.name(),
        source: texts.line(path, line),
    }
}

/// Where the manifests of a file may be, the nearest first.
fn manifests(path: &str, names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = folder(path);
    loop {
        let inside = |name: &&str| if at.is_empty() { (*name).to_owned() } else { format!("{at}/{name}") };
        found.extend(names.iter().map(inside));
        if at.is_empty() {
            return found;
        }
        at = folder(at);
    }
}

/// Lines that name a function of a module as `package.module:function`.
fn lines_naming(texts: &mut Texts<'_>, manifest: &str, path: &str, name: &str) -> Vec<u32> {
    let home = folder(manifest);
    let own = path.strip_prefix(home).unwrap_or(path).trim_start_matches('/');
    let module = folder_files::module(own).replace('/', ".");
    let roots = ["", "src.", "lib."].map(|root| module.strip_prefix(root));
    let said: Vec<String> = roots.into_iter().flatten().map(|module| format!("{module}:{name}")).collect();
    let Some(text) = texts.text(manifest) else { return Vec::new() };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let names_it = |line: &str| {
        said.iter().any(|said| {
            line.match_indices(said.as_str()).any(|(at, _)| {
                let (before, after) = (&line[..at], &line[at + said.len()..]);
                !before.ends_with(is_part)
                    && !after.starts_with(is_part)
                    && !before.trim_start().starts_with('#')
            })
        })
    };
    (1..).zip(text.lines()).filter(|(_, line)| names_it(line)).map(|(line, _)| line).collect()
}

/// The line on which a package names a file as one of its programs or as what it is imported by.
fn line_of_script(texts: &mut Texts<'_>, manifest: &str, path: &str) -> Option<u32> {
    let home = folder(manifest);
    let own = path.strip_prefix(home).unwrap_or(path).trim_start_matches('/').to_owned();
    let text = texts.text(manifest)?;
    let package: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut named: Vec<&str> = ["main", "module"].iter().filter_map(|key| package[key].as_str()).collect();
    match &package["bin"] {
        serde_json::Value::String(path) => named.push(path),
        serde_json::Value::Object(bins) => named.extend(bins.values().filter_map(|path| path.as_str())),
        _ => {}
    }
    let said = named.into_iter().find(|named| named.trim_start_matches("./") == own)?;
    let said = format!("\"{said}\"");
    (1..).zip(text.lines()).find(|(_, line)| line.contains(&said)).map(|(line, _)| line)
}
