//! Python: modules and names of our own packages that an import asks for.

use m1nd_graph::NodeKind;
use m1nd_graph::near::folder;
use m1nd_ingest::imported::Written;
use m1nd_ingest::manifest::join;

use super::world::World;
use super::{Certainty, Missing, led_to, offered, stdlib};

/// Packages of the language that have modules, and that a folder of ours may be called like.
const LIBRARY: [&str; 34] = [
    "asyncio",
    "collections",
    "compression",
    "concurrent",
    "ctypes",
    "curses",
    "dbm",
    "distutils",
    "email",
    "encodings",
    "html",
    "http",
    "importlib",
    "json",
    "lib2to3",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "pydoc_data",
    "re",
    "setuptools",
    "sqlite3",
    "string",
    "sysconfig",
    "test",
    "tkinter",
    "tomllib",
    "unittest",
    "urllib",
    "venv",
    "wsgiref",
    "xml",
    "zoneinfo",
];

pub(super) fn look(world: &mut World<'_>, path: &str, import: &Written) -> Option<Missing> {
    let text = world.text(path)?.into_owned();
    if is_guarded(&text, import.line) {
        return None;
    }
    let asked = format!("{}{}", ".".repeat(import.level.into()), import.module.join("."));
    match (place(world, path, import)?, &import.item) {
        (Place::Gone { folder, name }, _) => {
            let target = join(&folder, &name)?;
            is_ours_alone(world, &folder, &name).then(|| Missing {
                why: format!("{asked} is imported, and neither {target}.py nor a folder {target} is there"),
                places: beside(world, &folder),
                target,
                word: name,
                certainty: Certainty::Certain,
            })
        }
        (Place::Folder(folder), Some(item)) => {
            let init = join(&folder, "__init__.py")?;
            if has_module(world, &folder, item) || !world.is_file(&init) || init == path {
                return None;
            }
            if offered::by_python(world, &init, item) || !is_ours_alone(world, &folder, item) {
                return None;
            }
            Some(lacking(&init, item))
        }
        (Place::File(module), Some(item)) => {
            // The graph may know of a way that is not written there.
            let is_known = led_to(world.graph, path, import.line).iter().any(|&ix| {
                let node = world.graph.node(ix);
                node.label() == item && node.kind() != NodeKind::File
            });
            (!is_known && module != path && !offered::by_python(world, &module, item))
                .then(|| lacking(&module, item))
        }
        (Place::Folder(_) | Place::File(_), None) => None,
    }
}

/// The file that an import takes something from: a package's is the one that stands for it, unless a module of it is meant.
pub(super) fn module(world: &mut World<'_>, path: &str, import: &Written) -> Option<String> {
    match place(world, path, import)? {
        Place::File(module) => Some(module),
        Place::Folder(folder) => {
            let init = join(&folder, "__init__.py")?;
            let is_module = import.item.as_ref().is_some_and(|item| has_module(world, &folder, item));
            (!is_module && world.is_file(&init)).then_some(init)
        }
        Place::Gone { .. } => None,
    }
}

fn lacking(module: &str, item: &str) -> Missing {
    Missing {
        target: format!("{module}:{item}"),
        word: item.to_owned(),
        why: format!("{item} is imported from {module}, which does not have that name"),
        places: vec![format!("{module}:1")],
        certainty: Certainty::Certain,
    }
}

/// Where a module is.
enum Place {
    Folder(String),
    File(String),
    /// A folder of ours that does not have it.
    Gone {
        folder: String,
        name: String,
    },
}

/// Nothing where the module is not ours, or may be made by something else.
fn place(world: &mut World<'_>, path: &str, import: &Written) -> Option<Place> {
    let (mut here, parts) = match import.level {
        0 => {
            let (first, rest) = import.module.split_first()?;
            match package(world, path, first) {
                Some(found) => (found, rest),
                None => return rest.is_empty().then(|| beside_it(world, path, first)).flatten(),
            }
        }
        level => {
            let mut here = folder(path);
            for _ in 1..level {
                if here.is_empty() {
                    return None;
                }
                here = folder(here);
            }
            (here.to_owned(), &import.module[..])
        }
    };
    for (at, part) in parts.iter().enumerate() {
        let inner = join(&here, part)?;
        if world.is_folder(&inner)
            && (world.is_file(&format!("{inner}/__init__.py")) || !has_file(world, &here, part))
        {
            here = inner;
            continue;
        }
        if has_file(world, &here, part) {
            let module = format!("{inner}.py");
            // What stands below a file is made by it.
            let is_last = at + 1 == parts.len();
            return (is_last && world.is_file(&module)).then_some(Place::File(module));
        }
        return Some(Place::Gone { folder: here, name: part.clone() });
    }
    Some(Place::Folder(here))
}

/// The folder of one of our packages that an absolute import names.
fn package(world: &World<'_>, path: &str, name: &str) -> Option<String> {
    if LIBRARY.contains(&name) {
        return None;
    }
    let ending = format!("{name}/__init__.py");
    let is_it = |found: &&String| {
        let above = found.strip_suffix(ending.as_str()).map(|above| above.trim_end_matches('/'));
        above.is_some_and(|above| {
            let is_whole = above.is_empty() || found.ends_with(&format!("/{ending}"));
            let is_searched = matches!(above, "" | "src" | "lib" | "python") || is_around(path, above);
            let is_first = above.is_empty() || !world.is_file(&format!("{above}/__init__.py"));
            is_whole && is_searched && is_first
        })
    };
    let mut found = world.paths().iter().filter(is_it);
    let first = found.next()?;
    let is_only = found.next().is_none();
    // Beside the package a module may have its name.
    let folder = folder(first).to_owned();
    (is_only && !world.is_file(&format!("{folder}.py"))).then_some(folder)
}

/// A module that lies beside a file which is in no package: whoever starts there finds it first.
fn beside_it(world: &mut World<'_>, path: &str, name: &str) -> Option<Place> {
    let at = folder(path);
    let module = join(at, &format!("{name}.py"))?;
    let is_plain = !world.is_file(&join(at, "__init__.py")?) && !world.is_folder(&join(at, name)?);
    let is_ours = is_plain && module != path && world.is_file(&module) && !stdlib::has(name);
    (is_ours && !world.is_built(at, name)).then_some(Place::File(module))
}

fn is_around(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

fn has_module(world: &World<'_>, folder: &str, name: &str) -> bool {
    has_file(world, folder, name) || join(folder, name).is_some_and(|inner| world.is_folder(&inner))
}

/// Whether a folder has a file of a name, whatever it is written in: modules are also compiled.
fn has_file(world: &World<'_>, folder: &str, name: &str) -> bool {
    world.names_in(folder).iter().any(|file| file.split('.').next() == Some(name) && file.contains('.'))
}

/// Whether nothing but files of a folder can be its modules of a name.
fn is_ours_alone(world: &mut World<'_>, folder: &str, name: &str) -> bool {
    let inner = format!("{folder}/{name}");
    let inner = inner.trim_start_matches('/');
    let is_generated = name.ends_with("_pb2") || name.ends_with("_pb2_grpc") || name.contains("version");
    let init = format!("{folder}/__init__.py");
    let init = init.trim_start_matches('/');
    let is_open = world.text(init).is_some_and(|text| {
        ["__path__", "extend_path", "sys.modules", "__getattr__", "sys.meta_path"]
            .iter()
            .any(|word| text.contains(word))
    });
    let has_code = world.names_in(folder).iter().any(|file| file.ends_with(".py"));
    let is_ignored = [format!("{inner}.py"), format!("{inner}/__init__.py"), format!("{inner}.so")]
        .iter()
        .any(|path| world.is_ignored(path));
    has_code && !is_generated && !is_open && !is_ignored && !world.is_built(folder, name)
}

/// A place to look at: the package itself.
fn beside(world: &World<'_>, folder: &str) -> Vec<String> {
    let init = format!("{folder}/__init__.py");
    let init = init.trim_start_matches('/');
    if world.is_file(init) { vec![format!("{init}:1")] } else { Vec::new() }
}

/// Whether an import stands where it may fail, or need not be made: within `try`, a condition, or what expects errors.
fn is_guarded(text: &str, line: u32) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let at = (line as usize).saturating_sub(1);
    let Some(own) = lines.get(at) else { return true };
    let indent = |line: &str| line.len() - line.trim_start().len();
    if own.contains("type: ignore") || own.contains("noqa") && own.contains("F401") && indent(own) > 0 {
        return true;
    }
    let mut least = indent(own);
    for line in lines[..at].iter().rev() {
        let said = line.trim_start();
        if said.is_empty() || said.starts_with('#') || indent(line) >= least {
            continue;
        }
        least = indent(line);
        let first = said.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let expects =
            ["raises", "suppress", "warns", "Raises", "assertWarns"].iter().any(|word| said.contains(word));
        if matches!(first, "try" | "except" | "finally" | "if" | "elif" | "else")
            || first == "with" && expects
        {
            return true;
        }
        if least == 0 {
            break;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_that_may_fail_are_passed_over() {
        let text = "import a\ntry:\n    import b\nexcept ImportError:\n    import c\n\ndef f():\n    import d\n    with raises(E):\n        import e\n";
        let guarded: Vec<u32> = [1, 3, 5, 8, 10].into_iter().filter(|&line| is_guarded(text, line)).collect();
        assert_eq!(guarded, [3, 5, 10]);
    }
}
