//! HTTP routes of Go: the standard library, and the groups of gin, echo, chi, fiber and gorilla.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{Route, RouteHandler, RouterKind};
use crate::languages::routes;
use crate::routers::{Hung, What};
use crate::sheet::{field, line, named_children};

/// Deeper functions within functions are not followed.
const MAX_DEPTH: usize = 16;

impl Reader<'_> {
    /// Calls that add routes or put routers below a path.
    pub(super) fn routing_call(&mut self, node: Node<'_>, name: Node<'_>, arguments: &[Node<'_>]) {
        let function = field(node, "function");
        let on = function.and_then(|function| field(function, "operand"));
        match (self.sheet.bytes(name), on, arguments) {
            (b"Mount", Some(on), [path, what]) if self.is_router(on) => {
                let path = self.literal(*path).unwrap_or(routes::UNKNOWN).to_owned();
                let called = field(*what, "function").filter(|_| what.kind() == "call_expression");
                self.mount(node, on, Some(path), called.unwrap_or(*what));
            }
            // `users.Register(api)` adds its routes to what it is given.
            (_, _, [first, ..]) if first.kind() == "identifier" && self.is_router(*first) => {
                if let Some(function) = function {
                    self.mount(node, *first, None, function);
                }
            }
            _ => self.route(node, name, on, arguments),
        }
    }

    /// `http.HandleFunc("/x", f)`, and `r.GET("/x", f)` of gin, echo and chi.
    fn route(&mut self, node: Node<'_>, name: Node<'_>, on: Option<Node<'_>>, arguments: &[Node<'_>]) {
        // `r.Handle("GET", "/x", f)` of gin, `r.Method("GET", "/x", f)` of chi.
        let named =
            matches!(self.sheet.bytes(name), b"Handle" | b"Method" | b"MethodFunc" | b"Add" | b"HandleFunc");
        let given = arguments.first().filter(|_| named && arguments.len() > 2);
        let given = given.and_then(|first| self.literal(*first)).and_then(routes::method);
        let arguments = if given.is_some() { &arguments[1..] } else { arguments };
        let [pattern, .., handler] = arguments else { return };
        let is_handler = matches!(
            handler.kind(),
            "identifier" | "selector_expression" | "func_literal" | "call_expression"
        );
        if name.kind() != "field_identifier" || !is_handler {
            return;
        }
        let Some(pattern) = self.literal(*pattern) else { return };
        let (methods, pattern) = match (self.sheet.text(name), given, pattern.split_once(' ')) {
            (_, Some(method), _) => (vec![method.to_owned()], pattern),
            ("HandleFunc" | "Handle", _, Some((method, pattern))) => (vec![method.to_owned()], pattern),
            ("HandleFunc" | "Handle", _, None) => (self.methods_after(node), pattern),
            (name, ..) => match routes::method(name) {
                Some(method) => (vec![method.to_owned()], pattern),
                None => return,
            },
        };
        // A group answers at its own path, too.
        let is_whole = pattern.is_empty() && on.is_some_and(|on| self.is_router(on) || self.is_parameter(on));
        if !pattern.starts_with('/') && !is_whole {
            return;
        }
        let pattern = pattern.to_owned();
        let handler = RouteHandler::Value(self.sheet.expr(Some(*handler)));
        let hung = on.and_then(|on| self.hung(on));
        for method in methods {
            let route = Route { method, pattern: pattern.clone(), handler, line: line(node), below: None };
            match &hung {
                Some((outer, hung)) => {
                    let pattern = routes::below(outer, &route.pattern, "");
                    self.sheet.routers.route(Route { pattern, ..route }, hung.clone());
                }
                None => self.sheet.facts.routes.push(route),
            }
        }
    }

    /// `r.HandleFunc("/x", f).Methods("GET", "POST")` of gorilla.
    fn methods_after(&self, node: Node<'_>) -> Vec<String> {
        let mut at = node;
        for _ in 0..MAX_DEPTH {
            let outer = at.parent().filter(|parent| parent.kind() == "selector_expression");
            let Some((name, call)) = outer.and_then(|outer| field(outer, "field").zip(outer.parent())) else {
                break;
            };
            if self.sheet.bytes(name) == b"Methods" {
                let given = field(call, "arguments").map(named_children).unwrap_or_default();
                let words = given.iter().filter_map(|word| {
                    // `http.MethodGet`
                    let written =
                        field(*word, "field").and_then(|name| self.sheet.text(name).strip_prefix("Method"));
                    self.literal(*word).or(written).and_then(routes::method)
                });
                let words: Vec<String> = words.map(str::to_owned).collect();
                if !words.is_empty() {
                    return words;
                }
            }
            at = call;
        }
        vec!["ANY".to_owned()]
    }

    /// `api := r.Group("/api")`, `s := r.PathPrefix("/s").Subrouter()`, `r := chi.NewRouter()`.
    pub(super) fn note_router(&mut self, name: Node<'_>, value: Node<'_>) {
        let Some(function) = field(value, "function").filter(|_| value.kind() == "call_expression") else {
            return;
        };
        let Some(last) = field(function, "field") else { return };
        let operand = field(function, "operand");
        let (owner, text) = (self.sheet.owner(), self.sheet.text(name));
        let kind = match (self.sheet.text(last), self.sheet.text(function)) {
            (_, "gin.Default" | "gin.New" | "echo.New" | "fiber.New") => RouterKind::Root,
            ("NewRouter" | "NewServeMux" | "NewMux", _) => RouterKind::Part,
            ("Group", _) => return self.group(name, value, operand),
            ("Subrouter", _) => {
                let call = operand.filter(|call| call.kind() == "call_expression");
                let outer = call.and_then(|call| field(call, "function")).and_then(|f| field(f, "operand"));
                return call.into_iter().for_each(|call| self.group(name, call, outer));
            }
            _ => return,
        };
        self.sheet.routers.made(owner, text, kind, String::new());
    }

    /// A router below the path that a call is given, on another.
    fn group(&mut self, name: Node<'_>, call: Node<'_>, on: Option<Node<'_>>) {
        let first = field(call, "arguments").and_then(|arguments| arguments.named_child(0));
        let (Some(first), Some(on)) = (first, on) else { return };
        if first.kind() == "func_literal" {
            return;
        }
        let path = self.literal(first).unwrap_or(routes::UNKNOWN).to_owned();
        let (owner, text) = (self.sheet.owner(), self.sheet.text(name));
        // What is known of the outer router is asked before the name may hide it.
        let outer = self.hung(on);
        let value = self.sheet.expr(Some(name));
        match outer {
            Some((outer, hung)) => {
                self.sheet.routers.made(owner, text, RouterKind::Part, String::new());
                let path = routes::below(&outer, &path, "");
                self.sheet.routers.mount(What::Name(text.to_owned(), value), Some(path), hung, line(call));
            }
            None => self.sheet.routers.made(owner, text, RouterKind::Root, path),
        }
    }

    fn mount(&mut self, node: Node<'_>, on: Node<'_>, path: Option<String>, what: Node<'_>) {
        let Some((outer, hung)) = self.hung(on) else { return };
        let value = self.sheet.expr(Some(what));
        let path = match (outer.is_empty(), path) {
            (true, path) => path,
            (false, path) => Some(routes::below(&outer, path.as_deref().unwrap_or(""), "")),
        };
        let what = What::Name(self.sheet.text(what).to_owned(), value);
        self.sheet.routers.mount(what, path, hung, line(node));
    }

    fn is_router(&self, on: Node<'_>) -> bool {
        self.sheet.routers.knows(&self.sheet.facts, self.sheet.owner(), self.sheet.text(on))
    }

    /// What a router stands for, out of the functions that are given to `Route` and `Group` in place. Nothing where
    /// neither this function made it nor was given it: then it is taken for one whose paths are whole.
    fn hung(&mut self, on: Node<'_>) -> Option<(String, Hung)> {
        let mut on = on;
        let mut prefix = String::new();
        for _ in 0..MAX_DEPTH {
            let Some((outer, path)) = self.given_in_place(on) else { break };
            prefix = routes::below(&path, &prefix, "");
            on = outer;
        }
        let text = self.sheet.text(on).to_owned();
        let is_given = self.sheet.owner().is_some_and(|_| self.is_parameter(on));
        if !is_given && !self.is_router(on) {
            return (!prefix.is_empty()).then(|| (prefix, self.function()));
        }
        let value = self.sheet.expr(Some(on));
        Some((prefix, self.sheet.hung_on(&text, value)))
    }

    fn function(&self) -> Hung {
        Hung { owner: self.sheet.owner(), on: crate::routers::On::Function }
    }

    /// Whether the function around is given this name.
    fn is_parameter(&self, on: Node<'_>) -> bool {
        let mut at = on;
        while let Some(around) = at.parent() {
            if matches!(around.kind(), "function_declaration" | "method_declaration") {
                let given = field(around, "parameters").map(named_children).unwrap_or_default();
                return given
                    .iter()
                    .filter_map(|param| field(*param, "name"))
                    .any(|name| self.sheet.bytes(name) == self.sheet.bytes(on));
            }
            at = around;
        }
        false
    }

    /// `r.Route("/x", func(r chi.Router) { … })` around a use of the inner `r`.
    fn given_in_place<'t>(&self, on: Node<'t>) -> Option<(Node<'t>, String)> {
        let mut at = on;
        let function = loop {
            at = at.parent()?;
            if at.kind() == "func_literal" {
                let first = field(at, "parameters")?.named_child(0)?;
                if self.sheet.bytes(field(first, "name")?) == self.sheet.bytes(on) {
                    break at;
                }
            }
        };
        let arguments = function.parent().filter(|list| list.kind() == "argument_list")?;
        let called = field(arguments.parent()?, "function")?;
        let outer = field(called, "operand")?;
        match self.sheet.text(field(called, "field")?) {
            "Route" => {
                let path = arguments.named_child(0).and_then(|path| self.literal(path));
                Some((outer, path.unwrap_or(routes::UNKNOWN).to_owned()))
            }
            "Group" => Some((outer, String::new())),
            _ => None,
        }
    }

    fn literal(&self, node: Node<'_>) -> Option<&str> {
        let is_text = node.kind().ends_with("string_literal");
        is_text.then(|| self.sheet.text(node).trim_matches(['"', '`']))
    }
}
