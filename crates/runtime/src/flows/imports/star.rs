//! Star: names that a file brings by importing everything from others.

use m1nd_ingest::everything::Listed;
use m1nd_ingest::imported::{self, Written};

use super::world::World;
use super::{offered, python, script};

/// Files that import everything from each other are followed this far.
pub(super) const MAX_HOPS: u32 = 5;

/// Whether an import of everything in a file may bring a name. What is not ours may bring any.
pub(super) fn brings(world: &mut World<'_>, path: &str, text: &str, name: &str, hops: u32) -> bool {
    let Some(hops) = hops.checked_sub(1) else { return true };
    let imports = imported::written(path, text.as_bytes()).unwrap_or_default();
    imports.iter().filter(|import| import.is_all).any(|import| match source(world, path, import) {
        Some(file) if file == path => false,
        Some(file) => gives(world, &file, name, hops),
        None => true,
    })
}

/// The file that an import of everything takes from.
pub(super) fn source(world: &mut World<'_>, path: &str, import: &Written) -> Option<String> {
    match path.ends_with(".py") {
        true => python::module(world, path, import),
        false => script::module(world, path, import),
    }
}

/// Whether a file gives a name to who imports everything from it.
fn gives(world: &mut World<'_>, file: &str, name: &str, hops: u32) -> bool {
    if !file.ends_with(".py") {
        // What is exported by default has no name that could be passed on.
        return name != "default" && offered::by_script_within(world, file, name, hops);
    }
    let Some(text) = world.text(file).map(|text| text.into_owned()) else { return true };
    match Listed::of(&text) {
        Listed::Names(names) => names.iter().any(|one| one == name),
        Listed::Open => true,
        Listed::Nothing => !name.starts_with('_') && offered::by_python_within(world, file, name, hops),
    }
}
