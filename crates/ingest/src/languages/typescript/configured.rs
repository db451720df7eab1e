//! What a configuration of a TypeScript project says about module names, itself or by what it extends.

use serde_json::Value;

use super::modules::{Alias, parse};
use crate::manifest::{Manifest, folder, join};
use m1nd_graph::near::only_nearest_folder;

/// A configuration that extends itself is followed this far.
const MAX_EXTENDS: u32 = 8;

/// The patterns that hold for a configuration, with what they stand for relative to its folder.
pub(super) fn paths(all: &[Manifest], manifest: &Manifest, json: &Value) -> Vec<Alias> {
    let options = options(all, manifest, json, MAX_EXTENDS);
    let under = |base: &str, target: &str| match base {
        "" => target.to_owned(),
        base => format!("{base}/{target}"),
    };
    let base = options.base.as_deref();
    let mut found: Vec<Alias> = Vec::new();
    if let Some((beside, paths)) = &options.paths {
        let base = base.unwrap_or(beside);
        for (pattern, targets) in paths {
            found.push((pattern.clone(), targets.iter().map(|target| under(base, target)).collect()));
        }
    }
    // Below the base a name needs no pattern.
    found.extend(base.map(|base| ("*".to_owned(), vec![under(base, "*")])));
    found
}

#[derive(Default)]
struct Options {
    /// `baseUrl`, relative to the folder of the configuration that was asked for.
    base: Option<String>,
    /// `paths`, and the folder they are written from.
    paths: Option<(String, Vec<Alias>)>,
}

fn options(all: &[Manifest], manifest: &Manifest, json: &Value, hops: u32) -> Options {
    let written = json.get("compilerOptions");
    let base = written.and_then(|o| o.get("baseUrl")).and_then(Value::as_str).map(str::to_owned);
    let paths = written.and_then(|o| o.get("paths")).and_then(Value::as_object).map(|paths| {
        let aliases = paths.iter().map(|(pattern, targets)| {
            let list = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
            (pattern.clone(), list.map(str::to_owned).collect())
        });
        (String::new(), aliases.collect())
    });
    let mut own = Options { base, paths };
    let extended = match json.get("extends") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    // Of several the last one counts.
    for name in extended.into_iter().rev().filter(|_| hops > 0) {
        let Some(found) = find(all, manifest, name) else { continue };
        let Some(json) = parse(&found.text) else { continue };
        let inherited = options(all, found, &json, hops - 1);
        // What it says is written from its own folder.
        let way = relative(manifest.folder(), found.folder());
        own.base = own.base.or_else(|| inherited.base.map(|base| format!("{way}{base}")));
        own.paths = own.paths.or_else(|| {
            let (beside, paths) = inherited.paths?;
            Some((format!("{way}{beside}").trim_end_matches('/').to_owned(), paths))
        });
    }
    own
}

/// The configuration that another one extends: beside it by path, or of a package.
fn find<'m>(all: &'m [Manifest], from: &Manifest, name: &str) -> Option<&'m Manifest> {
    let at = |path: String| all.iter().find(|m| m.path == path || m.path == format!("{path}.json"));
    let within = |path: String| at(path.clone()).or_else(|| at(join(&path, "tsconfig.json")?));
    if name.starts_with('.') {
        return within(join(from.folder(), name)?);
    }
    let parts = if name.starts_with('@') { 2 } else { 1 };
    let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
    let (package, rest) = (&name[..end], name[end..].trim_start_matches('/'));
    let packages = all.iter().filter(|m| m.name() == "package.json");
    let called_so = |m: &&Manifest| {
        let json = parse(&m.text);
        json.is_some_and(|json| json.get("name").and_then(Value::as_str) == Some(package))
    };
    let ours: Vec<&Manifest> = packages.filter(called_so).collect();
    if let Some(home) = only_nearest_folder(&from.path, &ours, Manifest::folder) {
        let json = parse(&home.text)?;
        let main = json.get("tsconfig").and_then(Value::as_str).unwrap_or("tsconfig.json");
        return within(join(home.folder(), if rest.is_empty() { main } else { rest })?);
    }
    let mut around = from.folder();
    loop {
        let installed = join(around, "node_modules").and_then(|home| join(&home, name));
        if let Some(found) = installed.and_then(&within) {
            return Some(found);
        }
        if around.is_empty() {
            return None;
        }
        around = folder(around);
    }
}

/// The way from one folder to another.
fn relative(from: &str, to: &str) -> String {
    let ups = from.split('/').filter(|part| !part.is_empty()).count();
    let downs: String =
        to.split('/').filter(|part| !part.is_empty()).map(|part| format!("{part}/")).collect();
    "../".repeat(ups) + &downs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_two_folders_goes_up_and_down() {
        assert_eq!(relative("packages/a", "config"), "../../config/");
        assert_eq!(relative("", "config"), "config/");
    }
}
