//! Rust: modules and items of our own crates that a `use` or a `mod` asks for.

use std::collections::BTreeSet;

use m1nd_graph::NodeIx;
use m1nd_graph::near::folder;
use m1nd_ingest::given::is_open;
use m1nd_ingest::imported::Written;
use m1nd_ingest::manifest::join;
use m1nd_ingest::mentions::{self, Role};

use super::world::World;
use super::{Broken, Certainty, Changed, Missing};

/// Folders of a package whose files are crates of their own.
const OF_CRATES: [&str; 4] = ["tests", "examples", "benches", "bin"];
/// Modules that are looked through above one.
const MAX_ABOVE: usize = 60;

pub(super) fn look(world: &mut World<'_>, path: &str, import: &Written) -> Option<Missing> {
    let (first, rest) = import.module.split_first()?;
    let starts = match first.as_str() {
        "crate" => roots(world, path),
        // Within a module that stands in the file these mean that module.
        "self" if import.within.is_none() => vec![path.to_owned()],
        "super" if import.within.is_none() => vec![parent(world, path)?],
        "self" | "super" | "" => return None,
        name => vec![library(world, path, name)?],
    };
    if starts.is_empty() {
        return None;
    }
    // A file may belong to a library and to a program.
    let all: Vec<Missing> = starts
        .into_iter()
        .map(|start| follow(world, &start, rest, import.is_all))
        .collect::<Option<Vec<Missing>>>()?;
    all.into_iter().next()
}

/// Goes from module to module, and tells where a name is not said at all.
fn follow(world: &mut World<'_>, start: &str, parts: &[String], is_all: bool) -> Option<Missing> {
    let mut here = start.to_owned();
    for (at, part) in parts.iter().enumerate() {
        if matches!(part.as_str(), "self" | "super" | "crate" | "*" | "_") {
            return None;
        }
        let text = world.text(&here)?.into_owned();
        if declares(&text, part) {
            let is_last = at + 1 == parts.len();
            let inner = places(&here, part).into_iter().find(|path| world.is_file(path))?;
            if is_last && !is_all {
                return None;
            }
            here = inner;
            continue;
        }
        let is_macro = || world.graph.nodes_by_label(part).iter().any(|&ix| is_macro(world, NodeIx(ix)));
        if is_open(&here, text.as_bytes()) || is_said(&here, &text, part) || is_macro() {
            return None;
        }
        return Some(Missing {
            target: format!("{here}:{part}"),
            word: part.clone(),
            why: format!("{part} is imported from {here}, which does not have that name"),
            places: vec![format!("{here}:1")],
            certainty: if is_derived(&text) { Certainty::Likely } else { Certainty::Certain },
        });
    }
    None
}

/// The files of modules that a `use` takes something from: a file may belong to a library and to a program.
pub(super) fn modules(world: &mut World<'_>, path: &str, import: &Written) -> Vec<String> {
    let Some((first, mut rest)) = import.module.split_first() else { return Vec::new() };
    let is_outside = import.within.is_none();
    let mut starts = match first.as_str() {
        "crate" => roots(world, path),
        "self" if is_outside => vec![path.to_owned()],
        "super" if is_outside => parent(world, path).into_iter().collect(),
        "self" | "super" | "" => Vec::new(),
        // A module of the file itself, or another crate.
        name if is_outside && world.text(path).is_some_and(|text| declares(&text, name)) => {
            rest = &import.module;
            vec![path.to_owned()]
        }
        name => library(world, path, name).into_iter().collect(),
    };
    while let Some((_, inner)) = rest.split_first().filter(|(first, _)| *first == "super") {
        starts = starts.iter().filter_map(|start| parent(world, start)).collect();
        rest = inner;
    }
    starts.into_iter().filter_map(|start| taken_from(world, start, rest, import.is_all)).collect()
}

/// The module in which a name is looked up; nothing where a module itself is meant.
fn taken_from(world: &mut World<'_>, start: String, parts: &[String], is_all: bool) -> Option<String> {
    let mut here = start;
    for (at, part) in parts.iter().enumerate() {
        let text = world.text(&here)?.into_owned();
        if !declares(&text, part) {
            return Some(here);
        }
        let is_last = at + 1 == parts.len();
        if is_last && !is_all {
            return None;
        }
        here = places(&here, part).into_iter().find(|path| world.is_file(path))?;
    }
    is_all.then_some(here)
}

/// Whether marks of a module may make items in it: what they stand for is written elsewhere.
pub(crate) fn is_derived(text: &str) -> bool {
    const KNOWN: [&str; 60] = [
        "Debug",
        "Clone",
        "Copy",
        "Default",
        "PartialEq",
        "Eq",
        "PartialOrd",
        "Ord",
        "Hash",
        "Serialize",
        "Deserialize",
        "Error",
        "derive",
        "cfg",
        "cfg_attr",
        "allow",
        "warn",
        "deny",
        "expect",
        "forbid",
        "inline",
        "must_use",
        "doc",
        "test",
        "non_exhaustive",
        "repr",
        "serde",
        "error",
        "from",
        "source",
        "default",
        "macro_use",
        "macro_export",
        "path",
        "deprecated",
        "cold",
        "track_caller",
        "rustfmt",
        "clippy",
        "ignore",
        "should_panic",
        "feature",
        "no_std",
        "no_mangle",
        "link",
        "target_feature",
        "bench",
        "unsafe",
        "global_allocator",
        "rustfmt_skip",
        "recursion_limit",
        "tokio",
        "main",
        "thiserror",
        "JsonSchema",
        "schemars",
        "Parser",
        "Args",
        "Subcommand",
        "ValueEnum",
    ];
    let is_known = |name: &str| {
        let name = name.trim().rsplit("::").next().unwrap_or(name).trim();
        name.is_empty() || KNOWN.contains(&name)
    };
    let mut marks = text.lines().filter_map(|line| line.trim().strip_prefix("#["));
    marks.any(|mark| {
        let name = mark.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        let derived =
            mark.strip_prefix("derive(").map_or("", |list| list.split(')').next().unwrap_or_default());
        !is_known(name) || !derived.split(',').all(is_known)
    })
}

/// What is exported from a crate is found at its root, wherever it stands.
fn is_macro(world: &World<'_>, ix: NodeIx) -> bool {
    world.graph.node(ix).signature().contains("macro_rules")
}

/// Whether a module names a file of its own for another one.
fn declares(text: &str, name: &str) -> bool {
    text.lines().filter_map(mounted_by).any(|found| found == name)
}

/// The module that a line gives a file.
fn mounted_by(line: &str) -> Option<&str> {
    let line = line.split("//").next()?.trim().strip_suffix(';')?;
    let (before, name) = line.rsplit_once("mod ")?;
    let is_head = before.trim().is_empty() || before.trim().starts_with("pub");
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_head && is_name).then_some(name)
}

/// Whether a module gives a name to something, or may: what only uses it does not.
fn is_said(path: &str, text: &str, name: &str) -> bool {
    let Some(said) = mentions::of(path, text.as_bytes(), name) else { return true };
    said.iter().any(|one| one.in_macro || one.role != Role::Use)
}

/// Where the crates that a file belongs to begin: the files that no other names as a module.
fn roots(world: &mut World<'_>, path: &str) -> Vec<String> {
    let (mut found, mut work) = (Vec::new(), vec![path.to_owned()]);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(at) = work.pop() {
        if !seen.insert(at.clone()) || seen.len() > MAX_ABOVE {
            continue;
        }
        let above = declaring(world, &at);
        match above.is_empty() {
            true => found.push(at),
            false => work.extend(above),
        }
    }
    // What nobody names is a crate where cargo looks for one.
    let is_crate = |path: &String| {
        let (at, name) = path.rsplit_once('/').unwrap_or(("", path));
        matches!(name, "lib.rs" | "main.rs") || OF_CRATES.contains(&at.rsplit('/').next().unwrap_or(at))
    };
    if found.iter().all(is_crate) { found } else { Vec::new() }
}

/// The files that name a file as a module of theirs.
fn declaring(world: &mut World<'_>, path: &str) -> Vec<String> {
    let (at, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (home, stem) = match name {
        "mod.rs" => (folder(at), at.rsplit('/').next().unwrap_or(at)),
        name => (at, name.strip_suffix(".rs").unwrap_or(name)),
    };
    let mut tries: Vec<String> = world
        .names_in(home)
        .into_iter()
        .filter(|file| file.ends_with(".rs"))
        .filter_map(|file| join(home, &file))
        .collect();
    tries.push(format!("{home}.rs"));
    let mut found = Vec::new();
    for other in tries {
        let is_it = other != path && places(&other, stem).iter().any(|place| place == path);
        if is_it && world.text(&other).is_some_and(|text| declares(&text, stem)) {
            found.push(other);
        }
    }
    found
}

/// The file of the module around a file.
fn parent(world: &mut World<'_>, path: &str) -> Option<String> {
    match &declaring(world, path)[..] {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// The library that another crate of the workspace is.
fn library(world: &mut World<'_>, path: &str, name: &str) -> Option<String> {
    let found: Vec<String> =
        world.files_of(name).into_iter().filter(|path| path.ends_with("src/lib.rs")).collect();
    let [only] = &found[..] else { return None };
    // It must be the one that the package asks for, and not another version of it.
    let (_, manifest) = world.nearest(path, "Cargo.toml")?;
    let is_asked = manifest.lines().any(|line| {
        let key = line.split('=').next().unwrap_or_default().trim().replace('-', "_");
        let key = key.split('.').next().unwrap_or_default().to_owned();
        key == name && (line.contains("path") || line.contains("workspace"))
    });
    let is_own = world.nearest(only, "Cargo.toml").is_some_and(|(_, text)| text == manifest);
    (is_asked || is_own).then(|| only.clone())
}

/// Where the file of a module may be that another file names.
pub(crate) fn places(path: &str, name: &str) -> Vec<String> {
    let (at, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_root = OF_CRATES.contains(&at.rsplit('/').next().unwrap_or(at));
    let beside = [at.to_owned()];
    let within = [path.trim_end_matches(".rs").to_owned()];
    let folders: Vec<String> = match file {
        "lib.rs" | "main.rs" | "mod.rs" | "build.rs" => beside.into(),
        _ if is_root => beside.into_iter().chain(within).collect(),
        _ => within.into(),
    };
    let inner = |at: &String| if at.is_empty() { String::new() } else { format!("{at}/") };
    folders
        .iter()
        .flat_map(|at| [format!("{}{name}.rs", inner(at)), format!("{}{name}/mod.rs", inner(at))])
        .collect()
}

/// The modules whose files a text names.
pub(crate) fn mounts(text: &str) -> BTreeSet<String> {
    text.lines().filter_map(mounted_by).map(str::to_owned).collect()
}

/// Modules that the change gave a file which is not there.
pub(super) fn mounted(world: &World<'_>, one: &Changed<'_>) -> Vec<Broken> {
    let new = String::from_utf8_lossy(one.new);
    let old = one.old.map(|old| mounts(&String::from_utf8_lossy(old))).unwrap_or_default();
    let lines: Vec<&str> = new.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) =
            mounted_by(line).filter(|name| !old.contains(*name) && !line.starts_with([' ', '\t']))
        else {
            continue;
        };
        let marks = lines[..at].iter().rev().take_while(|line| line.trim_start().starts_with("#["));
        let is_marked = marks.into_iter().any(|mark| mark.contains("cfg") || mark.contains("path"));
        let tries = places(one.path, name);
        let is_there = tries.iter().any(|path| world.is_file(path) || world.is_ignored(path));
        if !is_marked
            && !is_there
            && let Some(first) = tries.first()
        {
            found.push(Broken {
                path: one.path.to_owned(),
                line: u32::try_from(at + 1).unwrap_or(u32::MAX),
                name: name.to_owned(),
                message: format!("mod {name} is declared, and {first} is not there"),
                places: Vec::new(),
                lines: Vec::new(),
                certainty: Certainty::Certain,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_where_their_files_are() {
        let names: Vec<String> =
            mounts("mod a;\npub(crate) mod b;\n// mod c;\nmod d {\nlet x = mod e;\n").into_iter().collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(places("src/lib.rs", "a"), ["src/a.rs", "src/a/mod.rs"]);
        assert_eq!(places("src/a.rs", "b"), ["src/a/b.rs", "src/a/b/mod.rs"]);
        assert_eq!(places("tests/one.rs", "b")[..2], ["tests/b.rs", "tests/b/mod.rs"]);
    }
}
