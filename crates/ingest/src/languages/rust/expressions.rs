//! Expressions of Rust: as much of each as tells what it is a value of.

use tree_sitter::Node;

use super::extract::Reader;
use super::patterns;
use crate::facts::{By, Expr, ExprIx, Few, Name};
use crate::sheet::{field, named_children};

impl Reader<'_> {
    pub(super) fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "identifier" => {
                let (name, scope) = (self.sheet.name_of(node), self.sheet.scope());
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "self" => {
                let scope = self.sheet.scope();
                let written = scope.and_then(|ix| self.self_types.get(&ix));
                let written = written.and_then(|&node| self.sheet.type_of_id(node));
                self.sheet.set(node, written.map_or(Expr::This { scope }, |ty| Expr::Of { ty }));
            }
            "scoped_identifier" => self.scoped_identifier(node),
            "generic_function" => self.generic_function(node),
            "field_expression" => {
                let base = self.sheet.expr(field(node, "value"));
                if let Some(name) = field(node, "field") {
                    let name = self.sheet.name_of(name);
                    self.sheet.set(node, Expr::Field { base, name });
                }
            }
            "call_expression" => self.call(node),
            "reference_expression" => self.sheet.same(node, field(node, "value")),
            "unary_expression" if self.sheet.bytes(node).starts_with(b"*") => {
                self.sheet.same(node, node.named_child(0));
            }
            "try_expression" => self.out(node, By::Try),
            "await_expression" => self.out(node, By::Await),
            "async_block" => {
                let inner = node.named_child(node.named_child_count().saturating_sub(1) as u32);
                self.sheet.same(node, inner);
            }
            "index_expression" => {
                let base = self.sheet.expr(node.named_child(0));
                let ranged = node.named_child(1).is_some_and(|index| index.kind() == "range_expression");
                if ranged {
                    self.sheet.alias(node, base);
                } else {
                    self.sheet.set(node, Expr::Index { base });
                }
            }
            "struct_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "name")) {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            // A function may be the value of a field.
            "field_initializer" => {
                let value = field(node, "value");
                let value = value.filter(|value| matches!(value.kind(), "identifier" | "scoped_identifier"));
                if let Some((value, known)) = value.and_then(|value| Some((value, self.sheet.known(value)?)))
                {
                    self.sheet.used(known, value);
                }
            }
            "type_cast_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            "tuple_expression" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::Tuple(parts.into()));
            }
            "array_expression" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::List(parts.into()));
            }
            "string_literal" | "raw_string_literal" => {
                self.sheet.set(node, Expr::Text);
            }
            "integer_literal" | "float_literal" => {
                self.sheet.set(node, Expr::Number);
            }
            "boolean_literal" => {
                self.sheet.set(node, Expr::Bool);
            }
            _ => self.leave_type(kind, node),
        }
    }

    pub(super) fn closure(&mut self, node: Node<'_>) {
        self.sheet.close_block();
        let parameters = field(node, "parameters").map(named_children).unwrap_or_default();
        let end = node.end_byte() as u32;
        let mut waiting = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let from = node.start_byte();
            let (pattern, ty) = if parameter.kind() == "parameter" {
                (field(*parameter, "pattern"), self.sheet.type_of(field(*parameter, "type")))
            } else {
                (Some(*parameter), None)
            };
            let Some(pattern) = pattern else { continue };
            let value = self.sheet.push(Expr::ArgOf { call: UNKNOWN_CALL, arg: 0, param: at as u32 });
            waiting.push(value);
            patterns::bind(&mut self.sheet, pattern, Some(value), ty, from, end);
        }
        let result = field(node, "body").and_then(|body| self.sheet.known(body));
        let returns = self.sheet.type_of(field(node, "return_type"));
        let params = parameters.len() as u32;
        self.sheet.set(node, Expr::Closure { params, result, returns });
        if !waiting.is_empty() {
            self.closures.insert(node.id(), waiting);
        }
    }

    pub(super) fn call(&mut self, node: Node<'_>) {
        let callee = self.sheet.expr(field(node, "function"));
        let mut types = Vec::new();
        if let Some(function) = field(node, "function").filter(|f| f.kind() == "generic_function") {
            types = self.type_arguments(field(function, "type_arguments"));
        }
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let args: Vec<ExprIx> = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        for (arg, ix) in arguments.iter().zip(&args) {
            if matches!(arg.kind(), "identifier" | "scoped_identifier") {
                self.sheet.used(*ix, *arg);
            }
        }
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: types.into() });
        let at = field(node, "function").map_or(node, name_end);
        self.sheet.call(call, at);
        self.routing_call(node, &arguments);
        for (position, arg) in arguments.iter().enumerate() {
            for waiting in self.closures.remove(&arg.id()).unwrap_or_default() {
                if let Expr::ArgOf { call: slot, arg, .. } =
                    &mut self.sheet.facts.inside.exprs[waiting.0 as usize]
                {
                    *slot = call;
                    *arg = position as u32;
                }
            }
        }
    }

    pub(super) fn out(&mut self, node: Node<'_>, by: By) {
        let of = self.sheet.expr(node.named_child(0));
        self.sheet.set(node, Expr::Out { of, by });
    }

    pub(super) fn children(&mut self, node: Node<'_>) -> Vec<ExprIx> {
        let parts = named_children(node);
        parts.into_iter().map(|part| self.sheet.expr(Some(part))).collect()
    }

    pub(super) fn scoped_identifier(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else {
            return;
        };
        let name = self.sheet.name_of(name_node);
        let path = field(node, "path");
        if let Some(of) = self.sheet.type_of(path) {
            self.sheet.set(node, Expr::Member { of, name });
            return;
        }
        let mut segments = match path {
            Some(path) => self.segments(path),
            // `::name` starts at the list of crates.
            None => vec![self.sheet.name(b"")],
        };
        segments.push(name);
        let (scope, at) = (self.sheet.scope(), name_node.start_byte() as u32);
        self.sheet.set(node, Expr::Path { segments: segments.into(), args: Few::new(), scope, at });
    }

    pub(super) fn generic_function(&mut self, node: Node<'_>) {
        let args = self.type_arguments(field(node, "type_arguments"));
        let inner = field(node, "function");
        let known = inner.and_then(|inner| self.sheet.known(inner));
        match known.map(|ix| self.sheet.facts.inside.expr(ix).clone()) {
            Some(Expr::Path { segments, scope, at, .. }) => {
                self.sheet.set(node, Expr::Path { segments, args: args.into(), scope, at });
            }
            _ => self.sheet.same(node, inner),
        }
    }

    /// The parts of a path; `crate`, `self`, `super` and `Self` stay words.
    pub(super) fn segments(&mut self, node: Node<'_>) -> Vec<Name> {
        match self.sheet.known(node).map(|ix| self.sheet.facts.inside.expr(ix).clone()) {
            Some(Expr::Path { segments, .. }) => segments.into(),
            Some(Expr::Name { name, .. }) => vec![name],
            _ => vec![self.sheet.name_of(node)],
        }
    }

    pub(super) fn match_expression(&mut self, node: Node<'_>) {
        let value = self.sheet.expr(field(node, "value"));
        let mut results = Vec::new();
        for arm in field(node, "body").map(named_children).unwrap_or_default() {
            if arm.kind() != "match_arm" {
                continue;
            }
            results.extend(field(arm, "value").and_then(|value| self.sheet.known(value)));
            if let Some(pattern) = field(arm, "pattern").and_then(|p| p.named_child(0)) {
                let end = arm.end_byte() as u32;
                patterns::bind(&mut self.sheet, pattern, Some(value), None, pattern.end_byte(), end);
            }
        }
        self.sheet.set(node, Expr::Any(results.into()));
    }

    pub(super) fn let_declaration(&mut self, node: Node<'_>) {
        let ty = self.sheet.type_of(field(node, "type"));
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        let end = self.sheet.block_end();
        if let Some(pattern) = field(node, "pattern") {
            patterns::bind(&mut self.sheet, pattern, value, ty, node.end_byte(), end);
        }
    }
}

/// Marks a closure parameter whose call is not known.
const UNKNOWN_CALL: ExprIx = ExprIx(u32::MAX);

/// The node whose line a call is said to be on: the name that is called, not the start of its chain.
fn name_end(callee: Node<'_>) -> Node<'_> {
    match callee.kind() {
        "field_expression" => field(callee, "field").unwrap_or(callee),
        "scoped_identifier" => field(callee, "name").unwrap_or(callee),
        "generic_function" => field(callee, "function").map_or(callee, |inner| match inner.kind() {
            "field_expression" => field(inner, "field").unwrap_or(inner),
            _ => inner,
        }),
        _ => callee,
    }
}
