//! Where programs begin, as a project's manifests say it.

use rustc_hash::FxHashMap;

use crate::facts::DefIx;
use crate::manifest::{Manifest, join};
use crate::resolve::eval::Eval;
use crate::resolve::ty::Ty;

/// What the manifests name, by file: the file itself, or a function of it.
pub(super) fn of(eval: &mut Eval<'_, '_>, manifests: &[Manifest]) -> FxHashMap<u32, Vec<Option<DefIx>>> {
    let mut found: FxHashMap<u32, Vec<Option<DefIx>>> = FxHashMap::default();
    for manifest in manifests {
        let ends = match manifest.name() {
            "package.json" => package_json(eval, manifest),
            "pyproject.toml" => scripts(eval, manifest, pyproject(&manifest.text)),
            "setup.cfg" => scripts(eval, manifest, setup_cfg(&manifest.text)),
            _ => continue,
        };
        for (file, def) in ends {
            found.entry(file).or_default().push(def);
        }
    }
    for ends in found.values_mut() {
        ends.sort();
        ends.dedup();
    }
    found
}

/// `bin` and `main` of a package.
fn package_json(eval: &Eval<'_, '_>, manifest: &Manifest) -> Vec<(u32, Option<DefIx>)> {
    let Ok(package) = serde_json::from_str::<serde_json::Value>(&manifest.text) else { return Vec::new() };
    let mut paths: Vec<&str> = Vec::new();
    match &package["bin"] {
        serde_json::Value::String(path) => paths.push(path),
        serde_json::Value::Object(named) => {
            paths.extend(named.values().filter_map(serde_json::Value::as_str))
        }
        _ => {}
    }
    paths.extend(["main", "module"].iter().filter_map(|key| package[key].as_str()));
    let files = paths.into_iter().filter_map(|path| script_file(eval, manifest.folder(), path));
    files.map(|file| (file, None)).collect()
}

/// A script as Node finds it: the file, with an ending, or the index of a folder.
fn script_file(eval: &Eval<'_, '_>, folder: &str, path: &str) -> Option<u32> {
    let path = join(folder, path)?;
    let ends = ["", ".js", ".cjs", ".mjs", ".ts", "/index.js", "/index.ts"];
    ends.iter().find_map(|end| eval.program.file(&format!("{path}{end}")))
}

/// `name = "package.module:function"` of `[project.scripts]` and its like.
fn pyproject(text: &str) -> Vec<String> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let tables = [&["project", "scripts"][..], &["project", "gui-scripts"], &["tool", "poetry", "scripts"]];
    let mut found = Vec::new();
    for keys in tables {
        let mut at = Some(&table);
        for key in keys {
            at = at.and_then(|table| table.get(*key)?.as_table());
        }
        let scripts = at.into_iter().flatten().filter_map(|(_, script)| script.as_str());
        found.extend(scripts.map(str::to_owned));
    }
    found
}

/// The lines below `console_scripts =`.
fn setup_cfg(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if !line.starts_with([' ', '\t']) {
            inside = matches!(line.split('=').next().map(str::trim), Some("console_scripts" | "gui_scripts"));
        } else if let Some((_, target)) = line.split_once('=').filter(|_| inside) {
            found.push(target.trim().to_owned());
        }
    }
    found
}

/// Functions that are named as `package.module:function`, as far as they are ours.
fn scripts(eval: &mut Eval<'_, '_>, manifest: &Manifest, named: Vec<String>) -> Vec<(u32, Option<DefIx>)> {
    let mut found = Vec::new();
    for script in named {
        let (module, function) = script.split_once(':').unwrap_or((&script, ""));
        let path = module.trim().replace('.', "/");
        let places = ["", "src", "lib"].iter().filter_map(|folder| join(manifest.folder(), folder));
        let paths =
            places.flat_map(|folder| [".py", "/__init__.py"].map(|end| format!("{folder}/{path}{end}")));
        let mut files = paths.filter_map(|path| eval.program.file(path.trim_start_matches('/')));
        let file = files.next();
        drop(files);
        let Some(file) = file else { continue };
        let function = function.split(['[', '.']).next().unwrap_or("").trim();
        let name = eval.program.find_name(function);
        let def = name.and_then(|name| match eval.rules(file).name(eval, file, None, name) {
            Ty::Fn(def, _) | Ty::Type(def, _) => Some(eval.program.local(def)),
            _ => None,
        });
        found.push(def.map_or((file, None), |(file, def)| (file, Some(def))));
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing;

    #[test]
    fn manifests_and_conventions_say_where_programs_begin() {
        let found = testing::entries(
            r#"
//- package.json
{ "name": "tool", "bin": { "tool": "./bin/tool.js" }, "main": "lib" }
//- bin/tool.js
require('../lib');
//- lib/index.js
exports.run = () => 1;
//- lib/other.js
exports.run = () => 1;
//- py/pyproject.toml
[project]
name = "py"
[project.scripts]
one = "pkg.cli:start"
two = "pkg:again"
[tool.poetry.scripts]
three = "elsewhere:main"
//- py/src/pkg/__init__.py
from ._main import again
//- py/src/pkg/_main.py
def again(): ...
def other(): ...
//- py/src/pkg/cli.py
def start(): ...
//- old/setup.cfg
[options.entry_points]
console_scripts =
    old = old.run:go
[flake8]
    x = old.run:stay
//- old/old/run.py
def go(): ...
def stay(): ...
//- script.py
def work(): ...
if __name__ == "__main__":
    work()
//- Main.java
class Main { public static void main(String[] args) {} }
//- main.go
package main
func main() {}
"#,
        );
        expect![[r#"
            file::bin/tool.js
            file::lib/index.js
            file::script.py
            function::main.go::main
            function::old/old/run.py::go
            function::py/src/pkg/_main.py::again
            function::py/src/pkg/cli.py::start
            method::Main.java::Main.main
        "#]]
        .assert_eq(&found);
    }
}
