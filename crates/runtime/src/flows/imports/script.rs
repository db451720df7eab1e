//! Scripts: files and names that an import of TypeScript or JavaScript asks for.

use m1nd_graph::near::folder;
use m1nd_graph::{NodeKind, folder_files};
use m1nd_ingest::imported::Written;
use m1nd_ingest::languages;
use m1nd_ingest::manifest::join;

use super::world::World;
use super::{Certainty, Missing, led_to, offered};

/// Endings that a file is written with in the source, and another one on disk.
const BUILT: [&str; 4] = [".js", ".jsx", ".mjs", ".cjs"];

pub(super) fn look(world: &mut World<'_>, path: &str, import: &Written) -> Option<Missing> {
    let asked = import.module.first()?;
    if !is_static(world, path, import.line) {
        return None;
    }
    let asked = asked.split(['?', '#']).next().unwrap_or(asked);
    let is_relative = asked.starts_with("./") || asked.starts_with("../") || matches!(asked, "." | "..");
    if is_relative && !asked.contains(['*', '$', '+', '!', '\\', '{', '@']) {
        let target = join(folder(path), asked)?;
        if !is_there(world, &target) {
            return gone(world, path, asked, &target);
        }
    }
    let item = import.item.as_deref()?;
    let graph = world.graph;
    let led: Vec<_> = led_to(graph, path, import.line).into_iter().map(|ix| graph.node(ix)).collect();
    // What a path stands for, where nothing is configured.
    let is_file = |node: &&m1nd_graph::Node<'_>| node.kind() == NodeKind::File;
    let mut modules: Vec<&str> = led.iter().filter(is_file).map(|node| node.path()).collect();
    modules.sort_unstable();
    modules.dedup();
    let direct = is_relative.then(|| source(world, &join(folder(path), asked)?)).flatten();
    let module = match (&direct, &modules[..]) {
        (Some(file), _) => file.as_str(),
        (None, [module]) => *module,
        _ => return None,
    };
    let is_script = languages::of_path(module).is_some_and(|language| language.family == "script");
    let is_known = led.iter().any(|node| node.label() == item);
    if is_known || !is_script || module == path || offered::by_script(world, module, item) {
        return None;
    }
    let why = match item {
        "default" => format!("{} is imported from {module}, which exports nothing by default", import.bind),
        item => format!("{item} is imported from {module}, which does not export that name"),
    };
    let word = if item == "default" { import.bind.clone() } else { item.to_owned() };
    Some(Missing {
        target: format!("{module}:{item}"),
        word,
        why,
        places: vec![format!("{module}:1")],
        certainty: Certainty::Certain,
    })
}

/// The file that a relative import takes something from.
pub(super) fn module(world: &World<'_>, path: &str, import: &Written) -> Option<String> {
    let asked = import.module.first()?;
    let is_relative =
        asked.starts_with("./") || asked.starts_with("../") || matches!(asked.as_str(), "." | "..");
    is_relative.then(|| source(world, &join(folder(path), asked)?)).flatten()
}

/// Whether an import that is not relative may ask for a file: by the package that the file speaks for, or by the end of its path.
pub(super) fn is_named(world: &mut World<'_>, import: &Written, file: &str) -> bool {
    let Some(asked) = import.module.first().filter(|asked| !asked.starts_with('.')) else { return false };
    if let Some((home, manifest)) = world.nearest(file, "package.json")
        && let Some(name) = package_name(&manifest)
        && let Some(below) = asked.strip_prefix(name.as_str())
    {
        let own = file.strip_prefix(&home).unwrap_or(file).trim_start_matches('/');
        let own = own.strip_prefix("src/").or_else(|| own.strip_prefix("lib/")).unwrap_or(own);
        let own = own.split('.').next().unwrap_or(own);
        return match below.strip_prefix('/') {
            // What is built keeps its folders.
            None => below.is_empty() && (own == "index" || manifest.contains(&format!("/{own}."))),
            Some(below) => own == below || own.strip_suffix("/index") == Some(below),
        };
    }
    // `@/parts`, `~/parts`, `#parts` and what else a name is made to stand for.
    let written: Vec<&str> = asked.split('/').collect();
    let rest = if asked.starts_with(['@', '~', '#']) { &written[1..] } else { &written[..] };
    let called = folder_files::module(file);
    let called: Vec<&str> = called.split('/').collect();
    !rest.is_empty() && called.ends_with(rest)
}

/// What the package around a file calls itself.
pub(super) fn package_of(world: &mut World<'_>, file: &str) -> Option<String> {
    let (_, manifest) = world.nearest(file, "package.json")?;
    package_name(&manifest)
}

/// What a package calls itself.
fn package_name(manifest: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(manifest).ok()?;
    value.get("name").and_then(|name| name.as_str()).map(str::to_owned)
}

fn gone(world: &mut World<'_>, path: &str, asked: &str, target: &str) -> Option<Missing> {
    let word = target.rsplit('/').next().unwrap_or(target);
    let word = stem(word).to_owned();
    let tries = ["", ".ts", ".tsx", ".js", ".d.ts", ".vue", "/index.ts", "/index.js"];
    let is_ignored = tries.iter().any(|end| world.is_ignored(&format!("{target}{end}")));
    let words = ["generated", "dist", "build", "out", "virtual", "node_modules"];
    let is_generated = target.split('/').any(|part| words.iter().any(|word| part.contains(word)));
    // Folders may be laid over each other.
    let is_laid_over = world.is_built(folder(path), "rootDirs");
    if is_ignored || is_generated || is_laid_over || word.is_empty() || is_declared(world, asked) {
        return None;
    }
    Some(Missing {
        why: format!("{asked} is imported, and no file is at {target}"),
        target: target.to_owned(),
        word,
        places: Vec::new(),
        certainty: Certainty::Certain,
    })
}

/// Whether declarations speak for modules of a path that need not be there.
fn is_declared(world: &mut World<'_>, asked: &str) -> bool {
    let last = asked.rsplit('/').next().unwrap_or(asked).to_owned();
    let declarations: Vec<String> =
        world.paths().iter().filter(|path| path.ends_with(".d.ts")).cloned().collect();
    declarations.iter().any(|path| {
        world.text(path).is_some_and(|text| text.contains("declare module") && text.contains(&last))
    })
}

/// Whether something is where an import looks: a file of that name with any ending, or a folder.
fn is_there(world: &World<'_>, target: &str) -> bool {
    if target.is_empty() || world.is_file(target) || world.is_folder(target) {
        return true;
    }
    let name = target.rsplit('/').next().unwrap_or(target);
    let plain = BUILT.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    world.names_in(folder(target)).iter().any(|file| {
        [name, plain]
            .iter()
            .any(|name| file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    })
}

/// The file that a path stands for, where it is one that is read.
fn source(world: &World<'_>, target: &str) -> Option<String> {
    let plain = BUILT.iter().find_map(|end| target.strip_suffix(end)).unwrap_or(target);
    let ends = ["", ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
    let beside = ends.iter().flat_map(|end| [format!("{target}{end}"), format!("{plain}{end}")]);
    let within = ends.iter().skip(1).map(|end| format!("{target}/index{end}"));
    let mut tries = beside.chain(within);
    tries.find(|path| world.is_file(path) && languages::of_path(path).is_some())
}

fn stem(name: &str) -> &str {
    BUILT
        .iter()
        .chain(&[".ts", ".tsx", ".vue", ".json"])
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

/// Whether an import stands at the top of a file as a statement of its own, and is not told to be wrong.
fn is_static(world: &mut World<'_>, path: &str, line: u32) -> bool {
    let text = world.line(path, line);
    let begins = ["import ", "import{", "import*", "import'", "import\"", "export "]
        .iter()
        .any(|word| text.starts_with(word));
    let requires =
        ["const ", "let ", "var "].iter().any(|word| text.starts_with(word)) && text.contains("require(");
    let above = world.line(path, line.saturating_sub(1));
    (begins || requires) && !above.contains("@ts-ignore") && !above.contains("@ts-expect-error")
}
