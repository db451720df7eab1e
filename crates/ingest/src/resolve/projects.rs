//! Which crates, modules and packages of a workspace use each other, as their manifests say.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::program::Program;
use crate::manifest::{Manifest, is_inside, root};
use m1nd_graph::near::nearest_folder;

/// The projects of a program, and for each file the one it belongs to.
pub(crate) struct Projects {
    /// By file; nothing where no manifest stands above it.
    of_file: Vec<Option<u32>>,
    /// For each project, what it uses, through others too.
    uses: Vec<FxHashSet<u32>>,
    /// By file, the languages that can call each other.
    families: Vec<&'static str>,
    /// By file, the root it lies in.
    roots: Vec<u32>,
}

/// One manifest's project.
struct Project {
    kind: Kind,
    folder: String,
    name: String,
    uses: Vec<String>,
    /// A root of packages holds tools and tests for all of them.
    is_root: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Cargo,
    Go,
    Npm,
}

impl Kind {
    /// What manages the dependencies of a language.
    fn of_family(family: &str) -> Option<Self> {
        Some(match family {
            "rust" => Self::Cargo,
            "go" => Self::Go,
            "script" => Self::Npm,
            _ => return None,
        })
    }
}

impl Projects {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let projects: Vec<Project> = program.manifests.iter().filter_map(project).collect();
        let mut by_name: FxHashMap<(Kind, &str), Vec<u32>> = FxHashMap::default();
        for (at, project) in (0..).zip(&projects) {
            by_name.entry((project.kind, &project.name)).or_default().push(at);
        }
        let used = |project: &Project| -> Vec<u32> {
            let named = project.uses.iter().filter_map(|name| by_name.get(&(project.kind, name.as_str())));
            // Of copies of a project the nearest is meant.
            let here = format!("{}/", project.folder);
            let named = named.flat_map(|named| {
                nearest_folder(here.trim_start_matches('/'), named, |at| &projects[at as usize].folder)
            });
            let is_below = |other: &Project| {
                other.folder.is_empty() && project.folder.is_empty()
                    || is_inside(&other.folder, &project.folder)
            };
            match project.is_root {
                true => (0..).zip(&projects).filter(|(_, other)| is_below(other)).map(|(at, _)| at).collect(),
                false => named.collect(),
            }
        };
        let direct: Vec<Vec<u32>> = projects.iter().map(used).collect();
        let uses = (0..projects.len()).map(|at| reached(&direct, at)).collect();
        let families = crate::languages::families(program.files.iter().copied());
        let of_file = program.files.iter().zip(&families).map(|(file, family)| {
            let kind = Kind::of_family(family)?;
            nearest(&projects, kind, &file.path)
        });
        let mut known: Vec<&str> = Vec::new();
        let roots = program.files.iter().map(|file| {
            let own = root(&file.path);
            let at = known.iter().position(|other| *other == own).unwrap_or(known.len());
            if at == known.len() {
                known.push(own);
            }
            at as u32
        });
        let roots = roots.collect();
        Self { of_file: of_file.collect(), uses, families, roots }
    }

    /// Whether the code of two files may call each other, as far as languages and projects tell.
    pub(crate) fn may_meet(&self, one: u32, other: u32) -> bool {
        self.families[one as usize] == self.families[other as usize] && !self.are_apart(one, other)
    }

    /// Whether the code of two files cannot meet: they belong to projects of which neither uses the other.
    fn are_apart(&self, one: u32, other: u32) -> bool {
        let of = |file: u32| self.of_file.get(file as usize).copied().flatten();
        // Of two roots one must say that it uses the other.
        let are_roots_apart = self.roots[one as usize] != self.roots[other as usize];
        let (Some(one), Some(other)) = (of(one), of(other)) else { return are_roots_apart };
        let uses = |from: u32, to: u32| self.uses[from as usize].contains(&to);
        one != other && !uses(one, other) && !uses(other, one)
    }
}

fn reached(direct: &[Vec<u32>], from: usize) -> FxHashSet<u32> {
    let mut seen = FxHashSet::default();
    let mut work = direct[from].clone();
    while let Some(at) = work.pop() {
        if seen.insert(at) {
            work.extend(&direct[at as usize]);
        }
    }
    seen
}

/// The project whose folder is the nearest above a file.
fn nearest(projects: &[Project], kind: Kind, path: &str) -> Option<u32> {
    let above =
        (0..).zip(projects).filter(|(_, project)| project.kind == kind && is_inside(path, &project.folder));
    above.max_by_key(|(_, project)| project.folder.len()).map(|(at, _)| at)
}

fn project(manifest: &Manifest) -> Option<Project> {
    let folder = manifest.folder().to_owned();
    match manifest.name() {
        "Cargo.toml" => {
            let table: toml::Table = manifest.text.parse().ok()?;
            let name = table.get("package")?.get("name")?.as_str()?.to_owned();
            Some(Project { kind: Kind::Cargo, folder, name, uses: cargo_uses(&table), is_root: false })
        }
        "go.mod" => {
            let line = manifest.text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
            let name = line.trim().trim_matches('"').to_owned();
            // `require a v1`, or a line of a list; words that are no module find none.
            let words = manifest.text.split_whitespace();
            let uses = words.filter(|word| word.contains('/') && **word != name).map(str::to_owned).collect();
            Some(Project { kind: Kind::Go, folder, name, uses, is_root: false })
        }
        "package.json" => {
            let json: Value = serde_json::from_str(&manifest.text).ok()?;
            let name = json.get("name")?.as_str()?.to_owned();
            let lists = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
            let listed = lists.into_iter().filter_map(|list| json.get(list)?.as_object());
            let uses = listed.flat_map(|list| list.keys().cloned()).collect();
            let is_root = folder == root(&folder) || json.get("workspaces").is_some();
            Some(Project { kind: Kind::Npm, folder, name, uses, is_root })
        }
        _ => None,
    }
}

fn cargo_uses(table: &toml::Table) -> Vec<String> {
    let mut tables = vec![table];
    if let Some(targets) = table.get("target").and_then(toml::Value::as_table) {
        tables.extend(targets.values().filter_map(toml::Value::as_table));
    }
    let mut uses = Vec::new();
    for table in tables {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, value) in table.get(kind).and_then(toml::Value::as_table).into_iter().flatten() {
                // A dependency of the workspace may be renamed there, which is rare: then it is not known.
                uses.push(value.get("package").and_then(toml::Value::as_str).unwrap_or(name).to_owned());
            }
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use crate::testing;

    #[test]
    fn projects_that_do_not_use_each_other_do_not_call_each_other() {
        let found = testing::calls(
            r#"
//- a/Cargo.toml
[package]
name = "a"
//- a/src/lib.rs
pub fn run(x: impl Unseen) { x.weigh_parts(); }
//- b/Cargo.toml
[package]
name = "b"
//- b/src/lib.rs
pub struct Part;
impl Part { pub fn weigh_parts(&self) {} }
//- c/Cargo.toml
[package]
name = "c"
[dependencies]
b = { path = "../b" }
//- c/src/lib.rs
pub fn run(x: impl Unseen) { x.weigh_parts(); }
//- go/one/go.mod
module example.com/one
require example.com/two v1.0.0
//- go/one/main.go
package one
func Run(x Unseen) { x.WeighParts() }
//- go/two/go.mod
module example.com/two
//- go/two/part.go
package two
type Part struct{}
func (p Part) WeighParts() {}
//- go/three/go.mod
module example.com/three
//- go/three/main.go
package three
func Run(x Unseen) { x.WeighParts() }
//- package.json
{"name": "root", "workspaces": ["js/*"]}
//- test.js
export function run(x) { x.weighParts(); }
//- js/one/package.json
{"name": "one"}
//- js/one/index.js
export class Part { weighParts() {} }
//- js/two/package.json
{"name": "two"}
//- js/two/index.js
export function run(x) { x.weighParts(); }
//- js/three/package.json
{"name": "three", "devDependencies": {"one": "*"}}
//- js/three/index.js
export function run(x) { x.weighParts(); }
"#,
        );
        expect_test::expect![[r#"
            c/src/lib.rs run -> b/src/lib.rs Part.weigh_parts @[1] ?1
            go/one/main.go Run -> go/two/part.go Part.WeighParts @[2] ?1
            js/three/index.js run -> js/one/index.js Part.weighParts @[1] ?1
            test.js run -> js/one/index.js Part.weighParts @[1] ?1
        "#]]
        .assert_eq(&found);
    }
}
