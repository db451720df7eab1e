//! HTTP routes of TypeScript and JavaScript that no call makes: decorators of NestJS, files of Next.js.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{DefIx, FileFacts, Route, RouteHandler};
use crate::languages::routes;
use crate::sheet::line;

/// Decorators read so far.
#[derive(Default)]
pub(super) struct Decorated {
    /// What `@Controller("cats")` puts before the patterns of its methods.
    prefix: String,
    /// Methods, patterns and lines that wait for the function below them.
    waiting: Vec<(&'static str, String, u32)>,
}

impl Reader<'_> {
    /// `@Controller("cats")` above a class, `@Get(":id")` above a method.
    pub(super) fn decorator(&mut self, node: Node<'_>) {
        let text = self.sheet.text(node).trim_start_matches('@');
        let Some((name, rest)) = text.split_once('(') else { return };
        let pattern = routes::quoted(rest).unwrap_or("").to_owned();
        if name == "Controller" {
            self.decorated.prefix = pattern;
        } else if name.starts_with(|c: char| c.is_uppercase())
            && let Some(method) = routes::method(name)
        {
            self.decorated.waiting.push((method, pattern, line(node)));
        }
    }

    /// Gives a method the routes that stand above it.
    pub(super) fn decorate(&mut self, ix: DefIx) {
        for (method, pattern, line) in std::mem::take(&mut self.decorated.waiting) {
            let pattern = routes::joined(&self.decorated.prefix, &pattern);
            let handler = RouteHandler::Def(ix);
            self.sheet.facts.routes.push(Route { method: method.to_owned(), pattern, handler, line });
        }
    }
}

/// A file below `app` or `pages` of Next.js answers at its own path.
pub(super) fn of_file(facts: &mut FileFacts) {
    let Some((folder, name)) = facts.path.rsplit_once('/') else { return };
    let stem = name.split('.').next().unwrap_or(name);
    let parts: Vec<&str> = folder.split('/').collect();
    let place = |root: &str| parts.iter().position(|part| *part == root);
    let below = match (place("app"), place("pages"), stem) {
        (Some(at), _, "route") => &parts[at + 1..],
        (_, Some(at), stem) if parts.get(at + 1) == Some(&"api") => {
            let pattern = pattern(parts[at + 1..].iter().copied().chain((stem != "index").then_some(stem)));
            let default = facts.defs.iter().position(|def| def.parent.is_none() && def.kind.is_callable());
            if let Some(def) = default.filter(|_| exports_default(facts)) {
                push(facts, "ANY", pattern, def);
            }
            return;
        }
        _ => return,
    };
    let pattern = pattern(below.iter().copied());
    for at in 0..facts.defs.len() {
        let def = &facts.defs[at];
        let text = facts.text(def.name);
        if def.parent.is_none() && text.chars().all(char::is_uppercase) && let Some(method) = routes::method(text) {
            push(facts, method, pattern.clone(), at);
        }
    }
}

fn exports_default(facts: &FileFacts) -> bool {
    facts.exports.iter().any(|export| facts.text(export.name) == "default")
}

fn push(facts: &mut FileFacts, method: &str, pattern: String, def: usize) {
    let line = facts.defs[def].name_line;
    let handler = RouteHandler::Def(DefIx(def as u32));
    facts.routes.push(Route { method: method.to_owned(), pattern, handler, line });
}

/// `[id]` is a parameter, `(group)` only a folder.
fn pattern<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let shown = parts.filter(|part| !part.starts_with('(')).map(|part| {
        match part.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
            Some(name) => format!(":{}", name.trim_start_matches("...")),
            None => part.to_owned(),
        }
    });
    format!("/{}", shown.collect::<Vec<_>>().join("/"))
}
