//! HTTP routes of TypeScript and JavaScript: calls of express and its like, decorators of NestJS, files of
//! Next.js.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{DefIx, Expr, FileFacts, Route, RouteHandler};
use crate::languages::routes;
use crate::sheet::{field, line, named_children};

/// Decorators read so far.
#[derive(Default)]
pub(super) struct Decorated {
    /// What `@Controller("cats")` puts before the patterns of its methods.
    prefix: String,
    /// Methods, patterns and lines that wait for the function below them.
    waiting: Vec<(&'static str, String, u32)>,
}

/// More methods after one `route('/path')` are not read.
const MAX_CHAIN: usize = 16;

impl Reader<'_> {
    /// `app.get('/path', handler)` and `app.route('/path').get(handler)` of express, fastify, koa, hono.
    pub(super) fn route(&mut self, function: Node<'_>, arguments: &[Node<'_>]) {
        let Some(verb) = field(function, "property") else { return };
        let Some(method) = self.verb(verb) else { return };
        let (Some(object), Some(last)) = (field(function, "object"), arguments.last()) else { return };
        let pattern = match self.chained(object) {
            Some(pattern) => Some(pattern),
            None if arguments.len() > 1 && self.is_router(object) => self.pattern(arguments[0]),
            None => None,
        };
        let Some(pattern) = pattern else { return };
        let value = self.sheet.expr(Some(*last));
        let handler = match self.sheet.facts.inside.expr(value) {
            Expr::Def(ix) => RouteHandler::Def(*ix),
            _ => RouteHandler::Value(value),
        };
        self.sheet.facts.routes.push(Route { method: method.to_owned(), pattern, handler, line: line(verb) });
    }

    fn verb(&self, node: Node<'_>) -> Option<&'static str> {
        let word = self.sheet.text(node);
        let is_known =
            matches!(word, "get" | "post" | "put" | "delete" | "patch" | "all" | "head" | "options");
        routes::method(word).filter(|_| is_known)
    }

    fn pattern(&self, node: Node<'_>) -> Option<String> {
        let pattern = self.sheet.text(node).trim_matches(['"', '\'', '`']);
        (node.kind() == "string" && pattern.starts_with('/')).then(|| pattern.to_owned())
    }

    /// The pattern of `app.route('/path')`, below the methods that are already chained to it.
    fn chained(&self, mut object: Node<'_>) -> Option<String> {
        for _ in 0..MAX_CHAIN {
            let function = field(object, "function").filter(|_| object.kind() == "call_expression")?;
            let (property, inner) = (field(function, "property")?, field(function, "object")?);
            if self.sheet.text(property) == "route" {
                let first = field(object, "arguments").map(named_children)?.into_iter().next()?;
                return self.pattern(first).filter(|_| self.is_router(inner));
            }
            self.verb(property)?;
            object = inner;
        }
        None
    }

    /// A name that was given a router, or one that routers usually have.
    fn is_router(&self, object: Node<'_>) -> bool {
        let name = last_part(self.sheet.text(object));
        let lower = name.to_ascii_lowercase();
        self.routers.contains(name)
            || matches!(lower.as_str(), "app" | "server" | "fastify" | "api")
            || lower.ends_with("router")
            || lower.ends_with("routes")
    }

    /// `const admin = express.Router()` makes `admin` a router.
    pub(super) fn note_router(&mut self, name: Option<Node<'_>>, value: Option<Node<'_>>) {
        let (Some(name), Some(value)) = (name, value) else { return };
        let maker = match value.kind() {
            "call_expression" => field(value, "function"),
            "new_expression" => field(value, "constructor"),
            _ => None,
        };
        let is_router = maker.is_some_and(|maker| {
            let text = self.sheet.text(maker);
            let is_loaded = text.starts_with("require(") && routes::quoted(text) == Some("express");
            matches!(last_part(text), "express" | "Router" | "fastify" | "Fastify" | "Hono")
                || (is_loaded && text.ends_with(')'))
        });
        if is_router && matches!(name.kind(), "identifier" | "member_expression") {
            let name = last_part(self.sheet.text(name)).to_owned();
            self.routers.insert(name);
        }
    }

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

fn last_part(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text)
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
