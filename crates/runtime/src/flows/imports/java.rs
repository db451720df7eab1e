//! Java: classes of our own packages that an import asks for.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_graph::NodeFlags;
use m1nd_graph::near::folder;
use m1nd_ingest::imported::Written;
use m1nd_vfs::grep::{Case, Pattern, Syntax};

use super::world::{World, says};
use super::{Certainty, Missing, Said};

/// What a build may make classes with.
const MAKERS: [&str; 24] = [
    "protobuf",
    "antlr",
    "avro",
    "openapi",
    "swagger",
    "jooq",
    "querydsl",
    "annotationProcessor",
    "kapt",
    "ksp",
    "jaxb",
    "xjc",
    "thrift",
    "immutables",
    "autovalue",
    "value",
    "dagger",
    "mapstruct",
    "generated",
    "javacc",
    "jflex",
    "lombok",
    "android",
    "codegen",
];

pub(super) fn look(world: &mut World<'_>, path: &str, import: &Written) -> Option<Missing> {
    if import.is_all && import.level == 0 || import.module.len() < 2 {
        return None;
    }
    // The longest beginning that is a package of ours; what follows is a class of it.
    let (package, class, files) = (1..import.module.len()).rev().find_map(|end| {
        let package = import.module[..end].join(".");
        let files = world.files_of(&package);
        (!files.is_empty()).then(|| (package, import.module[end].clone(), files))
    })?;
    let is_class = class.starts_with(char::is_uppercase);
    if !is_class || has(world, &files, &class) {
        return None;
    }
    // A package that only tests are in may be somebody else's, opened for them.
    let is_main = files.iter().any(|file| {
        let node = world.graph.node_by_path(file).map(|ix| world.graph.node(ix));
        node.is_some_and(|node| !node.flags().has(NodeFlags::TEST_CODE))
    });
    if !is_main {
        return None;
    }
    let is_made = MAKERS.iter().any(|word| world.is_built(folder(path), word));
    Some(Missing {
        target: format!("{package}.{class}"),
        why: format!("{package}.{class} is imported, and no file of {package} has a {class}"),
        places: files.iter().next().map(|file| format!("{file}:1")).into_iter().collect(),
        word: class,
        certainty: if is_made { Certainty::Likely } else { Certainty::Certain },
    })
}

pub(super) fn has(world: &mut World<'_>, files: &BTreeSet<String>, class: &str) -> bool {
    let is_known = |file: &String| world.graph.nodes_in(file).any(|ix| world.graph.node(ix).label() == class);
    files.iter().any(is_known)
        || files.iter().any(|file| {
            let words = ["class", "interface", "enum", "record", "object", "trait", "typealias", "type"];
            world
                .text(file)
                .is_none_or(|text| words.iter().any(|word| says(&text, &format!("{word} {class}"))))
        })
}

/// Whether files that the change left alone take classes out of the same package that are not ours: it is somebody else's, too.
pub(super) fn is_shared(
    world: &mut World<'_>,
    said: &Said<'_>,
    own: &BTreeSet<&str>,
    missing: &Missing,
) -> Result<bool, Fault> {
    let Some((package, _)) = missing.target.rsplit_once('.') else { return Ok(true) };
    let written = format!(r"\bimport\s+{}\.[A-Z]\w*\s*;", package.replace('.', r"\."));
    let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { return Ok(true) };
    let hits = said(&pattern, "java")?;
    let files = world.files_of(package);
    let classes: BTreeSet<&str> = hits
        .iter()
        .filter(|hit| !own.contains(hit.path.as_str()))
        .filter_map(|hit| hit.text.split(';').next()?.rsplit('.').next())
        .map(str::trim)
        .collect();
    Ok(classes.into_iter().any(|class| !has(world, &files, class)))
}
