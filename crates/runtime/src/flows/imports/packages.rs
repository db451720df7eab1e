//! Packages: files of Java and Go that say they are in another package than before, and who still asks for them where they were.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_graph::near::folder;
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::imported;
use m1nd_ingest::manifest::join;
use m1nd_vfs::grep::{Case, Pattern, Syntax};

use super::importers::Worlds;
use super::world::{World, says};
use super::{Broken, Certainty, Changed, Said, go, java};

/// Lines that ask for what a file of the change gave under the name of another package. `before` is the graph that knows who did.
pub(super) fn left(
    worlds: Worlds<'_, '_>,
    said: &Said<'_>,
    before: &Graph,
    changed: &[Changed<'_>],
) -> Result<Vec<Broken>, Fault> {
    let Worlds { then, now } = worlds;
    let mut found = Vec::new();
    for one in changed {
        let Some(old) = one.old else { continue };
        let (Some(was), Some(is)) = (package_of(old), package_of(one.new)) else { continue };
        if was == is {
            continue;
        }
        let moved = Moved { one, was: &was, is: &is };
        match one.path.rsplit('.').next() {
            Some("java") => found.extend(moved.of_java(then, now, said, before, changed)?),
            Some("go") if one.path == one.path_before => found.extend(moved.of_go(now, before)),
            _ => {}
        }
    }
    Ok(found)
}

/// The package that a file says it is in.
fn package_of(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let said = text.lines().find_map(|line| line.trim_start().strip_prefix("package "))?;
    let name = said.split([';', ' ', '/']).next()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// A file that says another package.
struct Moved<'c> {
    one: &'c Changed<'c>,
    was: &'c str,
    is: &'c str,
}

impl Moved<'_> {
    fn of_java(
        &self,
        then: &mut World<'_>,
        now: &mut World<'_>,
        said: &Said<'_>,
        before: &Graph,
        changed: &[Changed<'_>],
    ) -> Result<Vec<Broken>, Fault> {
        let Self { one, was, is } = self;
        let inside: Vec<NodeIx> = before.nodes_in(one.path_before).collect();
        let types = inside.iter().map(|&ix| before.node(ix));
        let types: BTreeSet<&str> = types
            .filter(|node| node.kind().is_type() && !node.qualified().contains('.'))
            .map(|node| node.label())
            .collect();
        let left = now.files_of(was);
        let gone: Vec<&str> = types.into_iter().filter(|class| !java::has(now, &left, class)).collect();
        let mut found = Vec::new();
        if gone.is_empty() {
            return Ok(found);
        }
        let written =
            format!(r"^\s*import\s+(static\s+)?{}\.({})\b", was.replace('.', r"\."), gone.join("|"));
        let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else {
            return Ok(found);
        };
        let broken = |path: &str, line: u32, name: &str, message: String| Broken {
            path: path.to_owned(),
            line,
            name: name.to_owned(),
            message,
            places: vec![format!("{}:1", one.path)],
            lines: Vec::new(),
            certainty: Certainty::Certain,
        };
        for hit in said(&pattern, "java")? {
            let name = gone.iter().find(|class| says(&hit.text, class)).copied().unwrap_or_default();
            let line = u32::try_from(hit.line).unwrap_or(u32::MAX);
            let why = format!("{was}.{name} is imported, and {} is in {is} now", one.path);
            found.push(broken(hit.path.as_str(), line, name, why));
        }
        // Files of the same package need no import.
        let is_changed = |path: &str| changed.iter().any(|one| one.path == path);
        for path in then.files_of(was).into_iter().filter(|path| path != one.path_before && !is_changed(path))
        {
            let uses = before.nodes_in(&path).flat_map(|node| before.outgoing(node));
            let mut uses = uses.filter(|edge| inside.contains(&edge.target) && !edge.evidence.is_inferred());
            let Some(line) = uses.find_map(|edge| edge.lines.first().copied()) else { continue };
            if now.text(&path).is_some_and(|text| !text.contains(&format!("{is}."))) {
                let why = format!("{path} uses what {} has, which is in {is} now and not imported", one.path);
                found.push(broken(&path, line.max(1), gone[0], why));
            }
        }
        Ok(found)
    }

    fn of_go(&self, now: &mut World<'_>, before: &Graph) -> Vec<Broken> {
        let Self { one, was, is } = self;
        if was.ends_with("_test") || is.ends_with("_test") || one.path.ends_with("_test.go") {
            return Vec::new();
        }
        let at = folder(one.path);
        let broken = |path: &str, line: u32, message: String, lines: Vec<u32>| Broken {
            path: path.to_owned(),
            line,
            name: (*was).to_owned(),
            message,
            places: vec![format!("{}:1", one.path)],
            lines,
            certainty: Certainty::Certain,
        };
        // All files of a folder are one package.
        let files: Vec<String> = now.names_in(at).into_iter().filter(|name| name.ends_with(".go")).collect();
        for file in files {
            let Some(path) = join(at, &file).filter(|path| path != one.path) else { continue };
            let Some(text) = now.text(&path).map(|text| text.into_owned()) else { continue };
            let is_left_out = text.contains("//go:build") || text.contains("// +build");
            if package_of(text.as_bytes()).as_deref() == Some(*was) && !is_left_out {
                let line = (1..).zip(text.lines()).find(|(_, line)| line.starts_with("package "));
                let why = format!("{path} is in package {was}, and {} beside it in {is} now", one.path);
                return vec![broken(&path, line.map_or(1, |(line, _)| line), why, Vec::new())];
            }
        }
        let mut importers: BTreeSet<&str> = BTreeSet::new();
        for node in before.nodes_in(one.path) {
            importers.extend(before.incoming(node).map(|edge| before.node(edge.source).path()));
        }
        let mut found = Vec::new();
        for path in importers.into_iter().filter(|path| folder(path) != at) {
            let Some(text) = now.text(path).map(|text| text.into_owned()) else { continue };
            let imports = imported::written(path, text.as_bytes()).unwrap_or_default();
            let asks =
                |asked: &str, now: &mut World<'_>| go::package(now, path, asked).as_deref() == Some(at);
            let mut imports = imports.iter().filter(|import| !import.is_all && import.bind == *was);
            let asked = imports.find(|import| import.module.first().is_some_and(|asked| asks(asked, now)));
            let Some(import) = asked else { continue };
            // A name that the import gives holds whatever the package calls itself.
            let line = now.line(path, import.line);
            if line.trim().trim_start_matches("import").trim_start().starts_with(was) {
                continue;
            }
            let lines: Vec<u32> = (1..)
                .zip(text.lines())
                .filter(|(_, line)| says(line, was) && line.contains(&format!("{was}.")))
                .map(|(line, _)| line)
                .collect();
            if let Some(&first) = lines.first() {
                let why = format!("{was} is what package {is} of {at} was called, and {path} still says it");
                found.push(broken(path, first, why, lines));
            }
        }
        found
    }
}
