//! Go: packages of our own module, and names of them, that a file asks for.

use std::collections::BTreeSet;

use m1nd_ingest::imported::Written;
use m1nd_ingest::manifest::join;
use m1nd_ingest::mentions::{self, Role};

use super::world::{World, says};
use super::{Broken, Certainty, Changed, Missing};

pub(super) fn look(world: &mut World<'_>, path: &str, import: &Written) -> Option<Missing> {
    let asked = import.module.first()?;
    let target = package(world, path, asked)?;
    if has_code(world, &target) || world.is_ignored(&format!("{target}/x.go")) {
        return None;
    }
    let word = target.rsplit('/').next().unwrap_or(&target).to_owned();
    Some(Missing {
        why: format!("{asked} is imported, and {target} has no file of Go"),
        target,
        word,
        places: Vec::new(),
        certainty: Certainty::Certain,
    })
}

/// The folder of a package that can only be one of our module.
pub(super) fn package(world: &mut World<'_>, path: &str, asked: &str) -> Option<String> {
    let (at, text) = world.nearest(path, "go.mod")?;
    let module = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("module "))?
        .trim()
        .trim_matches('"')
        .to_owned();
    let rest = asked.strip_prefix(module.as_str())?;
    let rest = if rest.is_empty() { "" } else { rest.strip_prefix('/')? };
    let first = rest.split('/').next().unwrap_or_default();
    let is_version = first
        .strip_prefix('v')
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
    // A module of its own below ours may be fetched from elsewhere.
    let is_other = text.split_whitespace().any(|word| {
        word.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('/'))
            && (asked == word || asked.strip_prefix(word).is_some_and(|rest| rest.starts_with('/')))
    });
    (!is_version && !is_other).then(|| join(&at, rest)).flatten()
}

fn has_code(world: &World<'_>, folder: &str) -> bool {
    world.names_in(folder).iter().any(|name| name.ends_with(".go"))
}

/// Names of our packages that the change says and no file of the package does.
pub(super) fn members(world: &mut World<'_>, one: &Changed<'_>, imports: &[Written]) -> Vec<Broken> {
    let mut found = Vec::new();
    let text = String::from_utf8_lossy(one.new).into_owned();
    let old = one.old.map(String::from_utf8_lossy).unwrap_or_default().into_owned();
    for import in imports.iter().filter(|import| !import.is_all && !matches!(import.bind.as_str(), "" | "_"))
    {
        let Some(target) = import.module.first().and_then(|asked| package(world, one.path, asked)) else {
            continue;
        };
        let names = said_of(one, &text, &import.bind);
        let new: BTreeSet<(u32, &str)> =
            names.into_iter().filter(|(_, name)| !says(&old, &format!("{}.{name}", import.bind))).collect();
        if new.is_empty() || !has_code(world, &target) || is_named_otherwise(world, &target, import) {
            continue;
        }
        let files: Vec<String> =
            world.names_in(&target).into_iter().filter(|name| name.ends_with(".go")).collect();
        for (line, name) in new {
            let mut is_said = false;
            for file in &files {
                let path = join(&target, file).unwrap_or_default();
                is_said |= world.text(&path).is_none_or(|text| says(&text, name));
            }
            if !is_said && !found.iter().any(|other: &Broken| other.name == name) {
                found.push(Broken {
                    path: one.path.to_owned(),
                    line,
                    name: name.to_owned(),
                    message: format!("{}.{name} is used, and no file of {target} says {name}", import.bind),
                    places: files.first().map(|file| format!("{target}/{file}:1")).into_iter().collect(),
                    lines: Vec::new(),
                    certainty: Certainty::Certain,
                });
            }
        }
    }
    found
}

/// Whether files of a package give it another name than the one that it has in an import without one.
fn is_named_otherwise(world: &mut World<'_>, target: &str, import: &Written) -> bool {
    let last = target.rsplit('/').next().unwrap_or(target);
    // With a name of its own in the import, the package's does not matter.
    if import.bind != last {
        return false;
    }
    let files: Vec<String> = world
        .names_in(target)
        .into_iter()
        .filter(|name| name.ends_with(".go") && !name.ends_with("_test.go"))
        .collect();
    files.iter().any(|file| {
        let path = format!("{target}/{file}");
        let named = |text: &str| text.lines().any(|line| line.trim() == format!("package {last}"));
        world
            .text(path.trim_start_matches('/'))
            .is_some_and(|text| !named(&text) && !text.contains("package main"))
    })
}

/// The exported names that a file says of a package, each with its line; nothing where the package's name means something else, too.
fn said_of<'t>(one: &Changed<'_>, text: &'t str, bind: &str) -> Vec<(u32, &'t str)> {
    let Some(said) = mentions::of(one.path, one.new, bind) else { return Vec::new() };
    if said.iter().any(|one| matches!(one.role, Role::Binding { .. })) {
        return Vec::new();
    }
    let uses = said.iter().filter(|one| one.role == Role::Use && one.of.is_empty());
    let named = uses.filter_map(|one| {
        let rest = text.get(one.at + bind.len()..)?.strip_prefix('.')?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = &rest[..end];
        name.starts_with(char::is_uppercase).then_some((one.line, name))
    });
    named.collect()
}
