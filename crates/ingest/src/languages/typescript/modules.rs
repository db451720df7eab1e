//! Which file a module name of TypeScript or JavaScript stands for.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::configured;
use crate::manifest::{Manifest, folder, is_inside, join};
use crate::resolve::program::Program;
use m1nd_graph::near::only_nearest_folder;

/// Extensions a module name may leave out, in the order a compiler tries them.
const EXTENSIONS: &[&str] = &["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// What manifests say about module names.
#[derive(Default)]
pub(super) struct Modules {
    /// Packages of the workspace by name.
    packages: FxHashMap<String, Vec<Package>>,
    /// `imports` of packages, by folder.
    private: Vec<(String, Vec<(String, String)>)>,
    /// Packages that a manifest gives the path of (`file:../core`), by its folder: name and folder.
    linked: Vec<(String, Vec<(String, String)>)>,
    /// `paths` of configurations, by folder.
    paths: Vec<(String, Vec<Alias>)>,
}

/// A pattern of module names and the files it may stand for.
pub(super) type Alias = (String, Vec<String>);

struct Package {
    folder: String,
    /// Subpath (`.` for the package itself) and where it leads.
    exports: Vec<(String, String)>,
    main: Option<String>,
}

/// What a module name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    File(u32),
    /// Ours, but no file of that name is known.
    Missing,
    External,
}

impl Modules {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let mut modules = Self::default();
        for manifest in program.manifests {
            let Some(json) = parse(&manifest.text) else {
                continue;
            };
            if manifest.name() == "package.json" {
                modules.package(manifest, &json);
            } else if manifest.name() == "jsconfig.json" || manifest.name().starts_with("tsconfig") {
                let paths = configured::paths(program.manifests, manifest, &json);
                if !paths.is_empty() {
                    modules.paths.push((manifest.folder().to_owned(), paths));
                }
            }
        }
        // The nearest configuration above a file is the one that counts.
        modules.paths.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        modules.private.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        modules.linked.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        modules
    }

    fn package(&mut self, manifest: &Manifest, json: &Value) {
        let folder = manifest.folder().to_owned();
        let imports = flatten(json.get("imports"));
        if !imports.is_empty() {
            self.private.push((folder.clone(), imports));
        }
        let linked = linked(&folder, json);
        if !linked.is_empty() {
            self.linked.push((folder.clone(), linked));
        }
        let Some(name) = json.get("name").and_then(Value::as_str) else {
            return;
        };
        let main = ["source", "module", "main", "types"].iter().find_map(|key| json.get(key)?.as_str());
        let mut exports = flatten(json.get("exports"));
        if let Some(Value::String(only)) = json.get("exports") {
            exports.push((".".to_owned(), only.clone()));
        }
        let package = Package { folder, exports, main: main.map(str::to_owned) };
        self.packages.entry(name.to_owned()).or_default().push(package);
    }

    pub(super) fn find(&self, program: &Program<'_>, from: u32, name: &str) -> Target {
        let path = &program.files[from as usize].path;
        let name = name.split('?').next().unwrap_or(name);
        if name.starts_with('.') {
            let found = join(folder(path), name).and_then(|path| file(program, &path));
            return found.map_or(Target::Missing, Target::File);
        }
        for (at, patterns) in &self.paths {
            if is_inside(path, at) {
                for (pattern, targets) in patterns {
                    let Some(rest) = matched(pattern, name) else {
                        continue;
                    };
                    for target in targets {
                        let target = join(at, &target.replace('*', rest));
                        if let Some(found) = target.and_then(|path| file(program, &path)) {
                            return Target::File(found);
                        }
                    }
                }
            }
        }
        if name.starts_with('#') {
            let near = self.private.iter().find(|(at, _)| is_inside(path, at));
            let found = near.and_then(|(at, imports)| mapped(program, at, imports, name));
            return found.map_or(Target::External, Target::File);
        }
        self.workspace(program, path, name)
    }

    fn workspace(&self, program: &Program<'_>, from: &str, name: &str) -> Target {
        let parts = if name.starts_with('@') { 2 } else { 1 };
        let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
        let (package, rest) = name.split_at(end);
        let named: Vec<&Package> = self.packages.get(package).into_iter().flatten().collect();
        if named.is_empty() {
            return Target::External;
        }
        let linked = self.linked.iter().filter(|(at, _)| is_inside(from, at)).find_map(|(_, packages)| {
            let (_, folder) = packages.iter().find(|(name, _)| name == package)?;
            named.iter().find(|package| package.folder == *folder).copied()
        });
        let near = || only_nearest_folder(from, &named, |package| &package.folder);
        let Some(package) = linked.or_else(near) else { return Target::Missing };
        let subpath = format!(".{rest}");
        if let Some(found) = mapped(program, &package.folder, &package.exports, &subpath) {
            return Target::File(found);
        }
        let below = rest.trim_start_matches('/');
        let guesses = if below.is_empty() {
            let main = package.main.clone().into_iter();
            main.chain(["src/index".to_owned(), "index".to_owned(), "src/main".to_owned()])
                .collect::<Vec<_>>()
        } else {
            vec![below.to_owned(), format!("src/{below}")]
        };
        let found = guesses.iter().find_map(|guess| built(program, &package.folder, guess));
        found.map_or(Target::Missing, Target::File)
    }
}

/// Dependencies of a manifest that are folders of ours.
fn linked(folder: &str, json: &Value) -> Vec<(String, String)> {
    let lists = ["dependencies", "devDependencies", "optionalDependencies"];
    let listed = lists.into_iter().filter_map(|list| json.get(list)?.as_object()).flatten();
    let found = listed.filter_map(|(name, value)| {
        let written = value.as_str()?;
        let path = ["file:", "link:", "portal:"].iter().find_map(|kind| written.strip_prefix(kind))?;
        Some((name.clone(), join(folder, path)?))
    });
    found.collect()
}

/// Follows a map of names to files, exact names before patterns.
fn mapped(program: &Program<'_>, at: &str, map: &[(String, String)], name: &str) -> Option<u32> {
    let exact = map.iter().filter(|(key, _)| key == name);
    if let Some(found) = exact.clone().find_map(|(_, target)| built(program, at, target)) {
        return Some(found);
    }
    let patterns = map.iter().filter(|(key, _)| key.contains('*'));
    patterns.into_iter().find_map(|(key, target)| {
        let rest = matched(key, name)?;
        built(program, at, &target.replace('*', rest))
    })
}

/// A file that a manifest names: itself, or the source it is built from.
fn built(program: &Program<'_>, at: &str, target: &str) -> Option<u32> {
    let direct = join(at, target).and_then(|path| file(program, &path));
    direct.or_else(|| {
        let inner = target.trim_start_matches("./");
        let (head, rest) = inner.split_once('/')?;
        if !matches!(head, "dist" | "lib" | "build" | "out" | "es" | "esm" | "cjs") {
            return None;
        }
        let stem = strip_extension(rest);
        [format!("src/{stem}"), stem.to_owned()].iter().find_map(|path| file(program, &join(at, path)?))
    })
}

/// The file at a path that may lack its extension, carry the one it is built to, or be a folder.
fn file(program: &Program<'_>, path: &str) -> Option<u32> {
    if let Some(found) = program.file(path) {
        return Some(found);
    }
    for (built, sources) in [
        (".js", &["ts", "tsx", "d.ts"][..]),
        (".jsx", &["tsx"]),
        (".mjs", &["mts", "d.mts"]),
        (".cjs", &["cts", "d.cts"]),
    ] {
        if let Some(stem) = path.strip_suffix(built) {
            let found = sources.iter().find_map(|ext| program.file(&format!("{stem}.{ext}")));
            if found.is_some() {
                return found;
            }
        }
    }
    let beside = EXTENSIONS.iter().find_map(|ext| program.file(&format!("{path}.{ext}")));
    beside.or_else(|| {
        let index = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        EXTENSIONS.iter().find_map(|ext| program.file(&format!("{index}.{ext}")))
    })
}

fn strip_extension(path: &str) -> &str {
    [".d.ts", ".mjs", ".cjs", ".js", ".mts", ".ts"]
        .iter()
        .find_map(|ext| path.strip_suffix(ext))
        .unwrap_or(path)
}

/// What `*` stands for when a pattern matches a name.
fn matched<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('*') {
        Some((head, tail)) => name.strip_prefix(head)?.strip_suffix(tail),
        None => (pattern == name).then_some(""),
    }
}

/// `exports` and `imports` maps, each condition's target as an entry of its own.
fn flatten(value: Option<&Value>) -> Vec<(String, String)> {
    let Some(Value::Object(map)) = value else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    for (key, value) in map {
        // Conditions at the top apply to the package itself.
        let name = if key.starts_with('.') || key.starts_with('#') { key.as_str() } else { "." };
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            match value {
                Value::String(target) => entries.push((name.to_owned(), target.clone())),
                Value::Object(conditions) => work.extend(conditions.values().rev()),
                Value::Array(list) => work.extend(list.iter().rev()),
                _ => {}
            }
        }
    }
    entries
}

/// JSON as these files have it: with comments and trailing commas.
pub(super) fn parse(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => {
                clean.push(c);
                clean.extend(chars.next());
            }
            '"' => {
                in_string = !in_string;
                clean.push(c);
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                while chars.next_if(|&c| c != '\n').is_some() {}
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref().skip(1) {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' if !in_string => {
                let kept = clean.trim_end().trim_end_matches(',').len();
                clean.truncate(kept);
                clean.push(c);
            }
            c => clean.push(c),
        }
    }
    serde_json::from_str(&clean).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_with_comments_and_trailing_commas_is_read() {
        let text = "{ // why\n \"a\": \"x//y\", /* b */ \"c\": [1, 2,],\n}";
        assert_eq!(parse(text), serde_json::from_str(r#"{"a": "x//y", "c": [1, 2]}"#).ok());
    }
}
