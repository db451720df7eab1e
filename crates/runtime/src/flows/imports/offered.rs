//! Offered: whether a module has a name that somebody asks it for.

use m1nd_ingest::mentions::{Mention, Role};

use super::star;
use super::world::{World, says};

/// Words of Python that give a module names which it does not write down.
const PYTHON_OPEN: [&str; 2] = ["globals()", "sys.modules[__name__]"];
/// The same of TypeScript and JavaScript.
const SCRIPT_OPEN: [&str; 5] = ["export =", "module.exports", "exports.", "declare module", "__exportStar"];

/// Whether a file of Python may have a name.
pub(super) fn by_python(world: &mut World<'_>, module: &str, name: &str) -> bool {
    by_python_within(world, module, name, star::MAX_HOPS)
}

/// The same, with what it imports as a whole followed so far.
pub(super) fn by_python_within(world: &mut World<'_>, module: &str, name: &str, hops: u32) -> bool {
    // Declarations of their own say more than the module does.
    if world.is_file(&format!("{module}i")) {
        return true;
    }
    let Some(text) = world.text(module).map(|text| text.into_owned()) else { return true };
    if text.contains("import *") && star::brings(world, module, &text, name, hops) {
        return true;
    }
    if PYTHON_OPEN.iter().any(|word| text.contains(word)) || name.starts_with("__") {
        return true;
    }
    // A module that answers for names itself says them, unless it asks somebody else.
    if text.contains("__getattr__") {
        let asks = ["getattr(", "import_module", "__import__"]
            .iter()
            .any(|word| text.match_indices(word).any(|(at, _)| !text[..at].ends_with("__")));
        return asks || says(&text, name);
    }
    let Some(said) = world.mentions(module, name) else { return true };
    let is_global = text.contains("global ");
    // What stands alone is known there by some way; members, arguments and locals are nobody else's.
    said.iter().any(|one| match &one.role {
        Role::Import => true,
        Role::Binding { at_top, .. } => *at_top || is_global,
        Role::Use => one.of.is_empty() && !is_local(&said, one),
        Role::Label => false,
    })
}

/// Whether a use means what a function around it has.
pub(super) fn is_local(all: &[Mention], one: &Mention) -> bool {
    all.iter().any(|other| match &other.role {
        Role::Binding { reach, at_top } => !at_top && reach.contains(&one.at),
        _ => false,
    })
}

/// Whether a file of TypeScript or JavaScript may export a name.
pub(super) fn by_script(world: &mut World<'_>, module: &str, name: &str) -> bool {
    by_script_within(world, module, name, star::MAX_HOPS)
}

/// The same, with what it exports as a whole followed so far.
pub(super) fn by_script_within(world: &mut World<'_>, module: &str, name: &str, hops: u32) -> bool {
    let Some(text) = world.text(module).map(|text| text.into_owned()) else { return true };
    // `export * as name` gives one name, which is written there.
    if text.contains("export *") && name != "default" && star::brings(world, module, &text, name, hops) {
        return true;
    }
    if SCRIPT_OPEN.iter().any(|word| text.contains(word)) {
        return true;
    }
    let is_module = text.contains("export");
    if name == "default" {
        let is_typed = module.ends_with(".ts") || module.ends_with(".tsx") || module.ends_with(".mjs");
        return !is_typed || module.ends_with(".d.ts") || !is_module || says(&text, "default");
    }
    // What stands only in a comment or a string is exported by nobody.
    match world.mentions(module, name) {
        Some(said) => {
            let counts = |one: &Mention| match &one.role {
                Role::Label | Role::Use => one.of.is_empty(),
                Role::Import => true,
                Role::Binding { at_top, .. } => *at_top,
            };
            said.iter().any(counts) || !is_module && says(&text, name)
        }
        None => true,
    }
}
