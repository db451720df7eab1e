//! HTTP routes of Rust: routers of axum, scopes of actix, mounts of rocket.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{Expr, ExprIx, Few, Route, RouteHandler, RouterKind};
use crate::languages::routes;
use crate::routers::{Hung, On, What};
use crate::sheet::{field, line};

/// A route has no more methods than HTTP.
const MAX_METHODS: usize = 9;
/// Longer chains of calls, and routers deeper within each other, are not followed.
const MAX_CHAIN: usize = 400;

impl Reader<'_> {
    /// Calls that add routes or put routers below a path.
    pub(super) fn routing_call(&mut self, node: Node<'_>, arguments: &[Node<'_>]) {
        let Some(name) = field(node, "function").and_then(|function| field(function, "field")) else {
            return;
        };
        match (self.sheet.bytes(name), arguments) {
            (b"route", [pattern, handlers]) => self.route(node, *pattern, *handlers),
            (b"route", [handlers]) => {
                if let Some(pattern) = self.resource_path(node) {
                    self.route(node, pattern, *handlers);
                }
            }
            (b"to", [handler]) => {
                if let Some(pattern) = self.resource_path(node) {
                    self.answered(node, pattern, vec![("ANY", *handler, line(name))]);
                }
            }
            (b"nest" | b"nest_service", [path, what]) if self.serves() => {
                let path = self.literal(*path).unwrap_or(routes::UNKNOWN).to_owned();
                self.mount(node, line(name), Some(path), *what);
            }
            (b"mount", [path, what]) if what.kind() == "macro_invocation" && self.serves() => {
                let path = self.literal(*path).unwrap_or(routes::UNKNOWN).to_owned();
                self.mount_listed(node, line(name), &path, *what);
            }
            (b"merge" | b"service" | b"configure", [what]) if self.serves() => {
                self.mount(node, line(name), None, *what);
            }
            _ => {}
        }
    }

    /// Whether the file has to do with a framework for the web; other things are merged and mounted too.
    fn serves(&self) -> bool {
        let names = ["axum", "Router", "actix_web", "rocket"];
        self.sheet.facts.names.iter().any(|name| names.contains(&name))
    }

    fn literal(&self, node: Node<'_>) -> Option<&str> {
        (node.kind() == "string_literal").then(|| self.sheet.text(node).trim_matches('"'))
    }

    /// `.route("/x", get(f).post(g))` of axum and `.route("/x", web::get().to(f))` of actix.
    fn route(&mut self, node: Node<'_>, pattern: Node<'_>, handlers: Node<'_>) {
        let mut found = Vec::new();
        let mut at = handlers;
        let mut pending = None;
        for _ in 0..MAX_METHODS {
            let (Some(function), "call_expression") = (field(at, "function"), at.kind()) else { break };
            let given = field(at, "arguments").and_then(|list| list.named_child(0));
            let word = field(function, "field").or_else(|| field(function, "name")).unwrap_or(function);
            match (self.sheet.text(word), given) {
                ("to", given) => pending = given,
                (word, given) => found.extend(
                    routes::method(word)
                        .zip(given.or(pending.take()))
                        .map(|(method, given)| (method, given, line(at))),
                ),
            }
            match field(function, "value") {
                Some(inner) => at = inner,
                None => break,
            }
        }
        self.answered(node, pattern, found);
    }

    /// Routes of one path, with the functions that answer them.
    fn answered(&mut self, node: Node<'_>, pattern: Node<'_>, found: Vec<(&'static str, Node<'_>, u32)>) {
        let written = self.literal(pattern).filter(|pattern| pattern.starts_with('/')).map(str::to_owned);
        let Some(pattern) = written.filter(|_| !found.is_empty()) else { return };
        let (outer, hung) = self.hung(node);
        let pattern = if outer.is_empty() { pattern } else { routes::below(&outer, &pattern, "") };
        for (method, handler, line) in found {
            let handler = RouteHandler::Value(self.sheet.expr(Some(handler)));
            let route =
                Route { method: method.to_owned(), pattern: pattern.clone(), handler, line, below: None };
            self.sheet.routers.route(route, hung.clone());
        }
    }

    /// `.nest("/x", users::router())`, `.merge(other)`, `.service(handler)`.
    fn mount(&mut self, node: Node<'_>, line: u32, path: Option<String>, what: Node<'_>) {
        let start = chain_start(what);
        let called = field(start, "function").filter(|_| start.kind() == "call_expression");
        let what = match called {
            // A router that is made in place is read where its routes are.
            Some(function) if is_maker(self.sheet.text(function)) => return,
            Some(function) => What::Value(self.sheet.expr(Some(function))),
            None if matches!(start.kind(), "identifier" | "scoped_identifier") => {
                What::Name(self.sheet.text(start).to_owned(), self.sheet.expr(Some(start)))
            }
            None => return,
        };
        self.put(node, line, path, what);
    }

    /// `.mount("/x", routes![list, users::one])` of rocket.
    fn mount_listed(&mut self, node: Node<'_>, line: u32, path: &str, list: Node<'_>) {
        let text = self.sheet.text(list);
        let Some((_, inside)) = text.split_once(['[', '(', '{']) else { return };
        for one in inside.trim_end_matches([']', ')', '}']).split(',') {
            let parts: Vec<&str> = one.trim().split("::").filter(|part| !part.is_empty()).collect();
            if !parts.is_empty() {
                let value = self.path_value(&parts, list);
                self.put(node, line, Some(path.to_owned()), What::Value(value));
            }
        }
    }

    fn path_value(&mut self, parts: &[&str], place: Node<'_>) -> ExprIx {
        let segments: Few<_> = parts.iter().map(|part| self.sheet.owned_name(part)).collect();
        let (scope, at) = (self.sheet.scope(), place.start_byte() as u32);
        self.sheet.push(match segments[..] {
            [name] => Expr::Name { name, at, scope },
            _ => Expr::Path { segments, args: Few::new(), scope, at },
        })
    }

    fn put(&mut self, node: Node<'_>, line: u32, path: Option<String>, what: What) {
        let (outer, hung) = self.hung(node);
        let path = match (outer.is_empty(), path) {
            (true, path) => path,
            (false, path) => Some(routes::below(&outer, path.as_deref().unwrap_or(""), "")),
        };
        self.sheet.routers.mount(what, path, hung, line);
    }

    /// What a call in a chain is added to, out of the routers that are made in place: the path they are below,
    /// and what holds the outermost.
    fn hung(&mut self, node: Node<'_>) -> (String, Hung) {
        let owner = self.sheet.owner();
        let mut prefix = String::new();
        let mut at = node;
        for _ in 0..MAX_CHAIN {
            let start = chain_start(at);
            if let Some(path) = self.scope_path(start) {
                prefix = routes::below(&path, &prefix, "");
            }
            at = chain_end(at);
            let Some(around) = at.parent() else { break };
            let name = match around.kind() {
                "let_declaration" => field(around, "pattern"),
                "assignment_expression" => field(around, "left"),
                "arguments" => {
                    let Some(call) = around.parent() else { break };
                    let name = field(call, "function").and_then(|function| field(function, "field"));
                    match name.map(|name| self.sheet.text(name)) {
                        Some("nest" | "nest_service") => {
                            let path = around.named_child(0).and_then(|path| self.literal(path));
                            prefix = routes::below(path.unwrap_or(routes::UNKNOWN), &prefix, "");
                        }
                        Some("merge" | "service") => {}
                        _ => break,
                    }
                    at = call;
                    continue;
                }
                _ if start.kind() == "identifier" => Some(start),
                _ => None,
            };
            let Some(name) = name else { break };
            let text = self.sheet.text(name).trim_start_matches("mut ");
            if around.kind() == "let_declaration" {
                self.sheet.routers.made(owner, text, RouterKind::Part, String::new());
            }
            let value = self.sheet.expr(Some(name));
            return (prefix, self.sheet.hung_on(text, value));
        }
        (prefix, Hung { owner, on: On::Function })
    }

    /// The path of `web::resource("/x")` of actix that a chain begins with.
    fn resource_path<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let start = chain_start(node);
        let function = field(start, "function").filter(|_| start.kind() == "call_expression")?;
        let is_resource = self.sheet.text(function).rsplit("::").next() == Some("resource");
        field(start, "arguments").filter(|_| is_resource)?.named_child(0)
    }

    /// The path of `web::scope("/x")` of actix.
    fn scope_path(&self, start: Node<'_>) -> Option<String> {
        let function = field(start, "function").filter(|_| start.kind() == "call_expression")?;
        let is_scope = self.sheet.text(function).ends_with("scope");
        let first = field(start, "arguments").and_then(|list| list.named_child(0)).filter(|_| is_scope)?;
        Some(self.literal(first).unwrap_or(routes::UNKNOWN).to_owned())
    }
}

/// The innermost expression of a chain of method calls.
fn chain_start(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    for _ in 0..MAX_CHAIN {
        let inner = field(at, "function").filter(|function| function.kind() == "field_expression");
        match inner.and_then(|function| field(function, "value")) {
            Some(inner) if at.kind() == "call_expression" => at = inner,
            _ => break,
        }
    }
    at
}

/// The whole chain of method calls that a call is part of.
fn chain_end(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    for _ in 0..MAX_CHAIN {
        let outer = at.parent().filter(|parent| parent.kind() == "field_expression");
        match outer.and_then(|parent| parent.parent()).filter(|call| call.kind() == "call_expression") {
            Some(call) => at = call,
            None => break,
        }
    }
    at
}

/// Functions of the frameworks that make a router in place.
fn is_maker(function: &str) -> bool {
    matches!(function.rsplit("::").next(), Some("new" | "scope" | "resource" | "build" | "default"))
}
