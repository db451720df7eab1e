//! HTTP routes of TypeScript and JavaScript: calls of express and its like, decorators of NestJS, files of
//! Next.js.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{DefIx, Expr, FileFacts, Route, RouteHandler, RouterKind};
use crate::languages::routes;
use crate::routers::{Hung, What};
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
    /// Calls that add routes or put routers below a path.
    pub(super) fn route(&mut self, function: Node<'_>, arguments: &[Node<'_>]) {
        let (Some(verb), Some(object)) = (field(function, "property"), field(function, "object")) else {
            return;
        };
        match self.sheet.text(verb) {
            "use" => self.used_routers(object, arguments, line(verb)),
            "register" => self.registered(object, arguments, line(verb)),
            "route" => self.routed(object, arguments, line(verb)),
            _ => self.answered(object, verb, arguments),
        }
    }

    /// `app.get('/path', handler)` and `app.route('/path').get(handler)` of express, fastify, koa, hono.
    fn answered(&mut self, object: Node<'_>, verb: Node<'_>, arguments: &[Node<'_>]) {
        let Some(method) = self.verb(verb) else { return };
        let Some(last) = arguments.last() else { return };
        let (on, pattern) = match self.chained(object) {
            Some((inner, pattern)) => (inner, Some(pattern)),
            None if arguments.len() > 1 => {
                (object, self.pattern(arguments[0]).filter(|_| self.is_router(object)))
            }
            None => return,
        };
        let Some(pattern) = pattern else { return };
        let handler = self.handler(*last);
        self.push_route(method.to_owned(), pattern, handler, line(verb), on);
    }

    /// `fastify.route({ method, url, handler })`, and `app.route('/path', other)` of hono.
    fn routed(&mut self, object: Node<'_>, arguments: &[Node<'_>], line: u32) {
        let [first, rest @ ..] = arguments else { return };
        if !self.is_router(object) {
            return;
        }
        if let ([other], Some(prefix)) = (rest, self.pattern(*first)) {
            return self.mount(*other, Some(prefix), object, line);
        }
        let url = self.member(*first, "url").or_else(|| self.member(*first, "path"));
        let Some(pattern) = url.and_then(|url| self.pattern(url)) else { return };
        let Some(handler) = self.member(*first, "handler") else { return };
        let methods = self.member(*first, "method").map_or("", |methods| self.sheet.text(methods));
        let methods = methods.split(['\'', '"']).skip(1).step_by(2).filter_map(routes::method);
        let mut methods: Vec<&str> = methods.collect();
        if methods.is_empty() {
            methods.push("ANY");
        }
        let handler = self.handler(handler);
        for method in methods {
            self.push_route(method.to_owned(), pattern.clone(), handler, line, object);
        }
    }

    /// `app.use('/path', router)`.
    fn used_routers(&mut self, object: Node<'_>, arguments: &[Node<'_>], line: u32) {
        let Some(first) = arguments.first().filter(|_| self.is_router(object)) else { return };
        let path = match first.kind() {
            "string" => self.pattern(*first),
            "template_string" => Some(self.pattern(*first).unwrap_or_else(|| routes::UNKNOWN.to_owned())),
            _ if arguments.len() > 1 && is_path_name(self.sheet.text(*first)) => {
                Some(routes::UNKNOWN.to_owned())
            }
            _ => None,
        };
        for what in arguments.iter().skip(usize::from(path.is_some())) {
            self.mount(*what, path.clone(), object, line);
        }
    }

    /// `fastify.register(plugin, { prefix: '/path' })`.
    fn registered(&mut self, object: Node<'_>, arguments: &[Node<'_>], line: u32) {
        let Some(first) = arguments.first().filter(|_| self.is_router(object)) else { return };
        let prefix = self.given_prefix(arguments.get(1).copied());
        self.mount(*first, prefix, object, line);
    }

    fn given_prefix(&self, options: Option<Node<'_>>) -> Option<String> {
        let prefix = self.member(options?, "prefix")?;
        Some(self.pattern(prefix).unwrap_or_else(|| routes::UNKNOWN.to_owned()))
    }

    fn mount(&mut self, what: Node<'_>, prefix: Option<String>, object: Node<'_>, line: u32) {
        let value = match (what.kind(), field(what, "function")) {
            ("identifier" | "member_expression", _) => what,
            // `require('./x')` is what it loads, `users.routes()` of koa what it is called on; other functions
            // give back the routers that they make.
            ("call_expression", Some(function)) => {
                match field(function, "property").map(|p| self.sheet.text(p)) {
                    Some("routes") => field(function, "object").unwrap_or(function),
                    _ if matches!(self.sheet.bytes(function), b"require" | b"import") => what,
                    _ => function,
                }
            }
            _ => return,
        };
        let known = self.sheet.expr(Some(value));
        let (outer, hung) = self.hung(object);
        let prefix = match (outer.is_empty(), prefix) {
            (true, prefix) => prefix,
            (false, prefix) => Some(routes::below(&outer, prefix.as_deref().unwrap_or(""), "")),
        };
        let what = What::Name(self.sheet.text(value).to_owned(), known);
        self.sheet.routers.mount(what, prefix, hung, line);
    }

    fn push_route(
        &mut self,
        method: String,
        pattern: String,
        handler: RouteHandler,
        line: u32,
        on: Node<'_>,
    ) {
        let (outer, hung) = self.hung(on);
        let pattern = if outer.is_empty() { pattern } else { routes::below(&outer, &pattern, "") };
        self.sheet.routers.route(Route { method, pattern, handler, line, below: None }, hung);
    }

    fn handler(&mut self, node: Node<'_>) -> RouteHandler {
        let value = self.sheet.expr(Some(node));
        match self.sheet.facts.inside.expr(value) {
            Expr::Def(ix) => RouteHandler::Def(*ix),
            _ => RouteHandler::Value(value),
        }
    }

    /// What a router stands for, out of the functions that are registered in place: the paths they are below,
    /// and the router outside.
    fn hung(&mut self, object: Node<'_>) -> (String, Hung) {
        let mut on = object;
        let mut prefix = String::new();
        for _ in 0..MAX_CHAIN {
            let Some((outer, given)) = self.registered_in_place(on) else { break };
            prefix = routes::below(&given.unwrap_or_default(), &prefix, "");
            on = outer;
        }
        let value = self.sheet.expr(Some(on));
        (prefix, self.sheet.hung_on(self.sheet.text(on), value))
    }

    /// `app.register((instance) => …, { prefix })` around a use of `instance`.
    fn registered_in_place<'t>(&self, object: Node<'t>) -> Option<(Node<'t>, Option<String>)> {
        let mut at = object;
        let function = loop {
            at = at.parent()?;
            if matches!(at.kind(), "arrow_function" | "function_expression" | "function_declaration") {
                let first = field(at, "parameter").or_else(|| field(at, "parameters")?.named_child(0))?;
                let name = field(first, "pattern").unwrap_or(first);
                if self.sheet.bytes(name) == self.sheet.bytes(object) {
                    break at;
                }
            }
        };
        let arguments = function.parent().filter(|list| list.kind() == "arguments")?;
        let called = field(arguments.parent()?, "function")?;
        if self.sheet.bytes(field(called, "property")?) != b"register" {
            return None;
        }
        Some((field(called, "object")?, self.given_prefix(arguments.named_child(1))))
    }

    /// The value of a member of an object that is written out.
    fn member<'t>(&self, object: Node<'t>, name: &str) -> Option<Node<'t>> {
        let pairs = named_children(object).into_iter().filter(|_| object.kind() == "object");
        let mut found = pairs.filter_map(|pair| match pair.kind() {
            "pair" => field(pair, "key").zip(field(pair, "value")),
            "shorthand_property_identifier" | "method_definition" => {
                Some((field(pair, "name").unwrap_or(pair), pair))
            }
            _ => None,
        });
        found.find(|(key, _)| self.sheet.text(*key).trim_matches(['"', '\'']) == name).map(|(_, value)| value)
    }

    fn verb(&self, node: Node<'_>) -> Option<&'static str> {
        let word = self.sheet.text(node);
        let is_known =
            matches!(word, "get" | "post" | "put" | "delete" | "patch" | "all" | "head" | "options");
        routes::method(word).filter(|_| is_known)
    }

    fn pattern(&self, node: Node<'_>) -> Option<String> {
        let pattern = self.sheet.text(node).trim_matches(['"', '\'', '`']);
        let is_plain = match node.kind() {
            "string" => true,
            "template_string" => {
                node.named_children(&mut node.walk()).all(|part| part.kind() == "string_fragment")
            }
            _ => false,
        };
        (is_plain && pattern.starts_with('/')).then(|| pattern.to_owned())
    }

    /// The pattern of `app.route('/path')`, below the methods that are already chained to it.
    fn chained<'t>(&self, mut object: Node<'t>) -> Option<(Node<'t>, String)> {
        for _ in 0..MAX_CHAIN {
            let function = field(object, "function").filter(|_| object.kind() == "call_expression")?;
            let (property, inner) = (field(function, "property")?, field(function, "object")?);
            if self.sheet.text(property) == "route" {
                let first = field(object, "arguments").map(named_children)?.into_iter().next()?;
                return self.pattern(first).filter(|_| self.is_router(inner)).map(|pattern| (inner, pattern));
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
            || (object.kind() == "identifier" && self.registered_in_place(object).is_some())
    }

    /// `const admin = express.Router()` makes `admin` a router.
    pub(super) fn note_router(&mut self, name: Option<Node<'_>>, value: Option<Node<'_>>) {
        let (Some(name), Some(value)) = (name, value) else { return };
        let maker = match value.kind() {
            "call_expression" => field(value, "function"),
            "new_expression" => field(value, "constructor"),
            _ => None,
        };
        let Some(maker) = maker else { return };
        let text = self.sheet.text(maker);
        let is_loaded = text.starts_with("require(") && routes::quoted(text) == Some("express");
        let kind = match last_part(text) {
            "express" | "fastify" | "Fastify" | "Hono" => RouterKind::Root,
            _ if is_loaded && text.ends_with(')') => RouterKind::Root,
            "Router" => RouterKind::Part,
            _ => return,
        };
        if matches!(name.kind(), "identifier" | "member_expression") {
            let options = field(value, "arguments").and_then(|arguments| arguments.named_child(0));
            let prefix = self.given_prefix(options).unwrap_or_default();
            // The constant that is being read is no function around the router.
            let (owner, text) = (self.sheet.owner(), self.sheet.text(name));
            self.sheet.routers.made(owner, text, kind, prefix);
            self.routers.insert(last_part(text).to_owned());
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
            self.sheet.facts.routes.push(Route {
                method: method.to_owned(),
                pattern,
                handler,
                line,
                below: None,
            });
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
        if def.parent.is_none()
            && text.chars().all(char::is_uppercase)
            && let Some(method) = routes::method(text)
        {
            push(facts, method, pattern.clone(), at);
        }
    }
}

fn last_part(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text)
}

/// Whether a name stands for a path rather than for something that handles requests.
fn is_path_name(text: &str) -> bool {
    let last = last_part(text).trim_start_matches('_');
    let lower = last.to_ascii_lowercase();
    !last.chars().any(char::is_lowercase)
        || ["path", "prefix", "base", "root", "url"].iter().any(|end| lower.ends_with(end))
}

fn exports_default(facts: &FileFacts) -> bool {
    facts.exports.iter().any(|export| facts.text(export.name) == "default")
}

fn push(facts: &mut FileFacts, method: &str, pattern: String, def: usize) {
    let line = facts.defs[def].name_line;
    let handler = RouteHandler::Def(DefIx(def as u32));
    facts.routes.push(Route { method: method.to_owned(), pattern, handler, line, below: None });
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
