//! Expressions of Python: as much of each as tells what it is a value of.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{By, DefKind, Expr, ExprIx, Few};
use crate::sheet::{field, named_children};

impl Reader<'_> {
    pub(super) fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "identifier" => {
                let (name, scope) = (self.sheet.name_of(node), self.sheet.scope());
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "attribute" => {
                let base = self.sheet.expr(field(node, "object"));
                if let Some(name_node) = field(node, "attribute") {
                    let name = self.sheet.name_of(name_node);
                    let what = self.sheet.set(node, Expr::Field { base, name });
                    self.sheet.member(what, name_node);
                }
            }
            "call" => self.call(node),
            "subscript" => {
                let base = self.sheet.expr(field(node, "value"));
                let sliced = field(node, "subscript").is_some_and(|s| s.kind() == "slice");
                if sliced {
                    self.sheet.alias(node, base);
                } else {
                    self.sheet.set(node, Expr::Index { base });
                }
            }
            "await" => {
                let of = self.sheet.expr(node.named_child(0));
                self.sheet.set(node, Expr::Out { of, by: By::Await });
            }
            "parenthesized_expression" | "expression_list" if node.named_child_count() == 1 => {
                self.sheet.same(node, node.named_child(0));
            }
            "conditional_expression" => {
                let parts = named_children(node);
                let ends = [parts.first(), parts.last()];
                let any = ends.into_iter().flatten().map(|p| self.sheet.expr(Some(*p))).collect();
                self.sheet.set(node, Expr::Any(any));
            }
            "boolean_operator" => {
                // Of `a and b` what is not `b` is as good as nothing.
                let is_or = field(node, "operator").is_some_and(|operator| operator.kind() == "or");
                let parts = [field(node, "left").filter(|_| is_or), field(node, "right")];
                let any = parts.into_iter().flatten().map(|p| self.sheet.expr(Some(p))).collect();
                self.sheet.set(node, Expr::Any(any));
            }
            "none" => {
                self.sheet.set(node, Expr::Any(Few::new()));
            }
            "lambda" => self.lambda(node),
            "tuple" | "expression_list" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::Tuple(parts.into()));
            }
            "list" | "set" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::List(parts.into()));
            }
            "dictionary" => self.dictionary(node),
            "string" | "concatenated_string" => {
                self.sheet.set(node, Expr::Text);
            }
            "integer" | "float" => {
                self.sheet.set(node, Expr::Number);
            }
            "true" | "false" | "comparison_operator" | "not_operator" => {
                self.sheet.set(node, Expr::Bool);
            }
            "binary_operator" => self.sheet.same(node, field(node, "left")),
            _ => {}
        }
    }

    pub(super) fn children(&mut self, node: Node<'_>) -> Vec<ExprIx> {
        let parts = named_children(node);
        parts.into_iter().map(|part| self.sheet.expr(Some(part))).collect()
    }

    /// The values of a dictionary, as the elements it gives.
    pub(super) fn dictionary(&mut self, node: Node<'_>) {
        let mut values = Vec::new();
        for pair in named_children(node) {
            if pair.kind() == "pair"
                && let Some(value) = field(pair, "value")
            {
                if value.kind() == "identifier" || value.kind() == "attribute" {
                    let known = self.sheet.expr(Some(value));
                    self.sheet.used(known, value);
                }
                values.extend(self.sheet.known(value));
            }
        }
        let any = self.sheet.push(Expr::Any(values.into()));
        let name = self.sheet.name(b"");
        self.sheet.set(node, Expr::Object([(name, any)].into()));
    }

    pub(super) fn call(&mut self, node: Node<'_>) {
        let function = field(node, "function");
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        if function.is_some_and(|f| self.sheet.bytes(f) == b"super") {
            self.parent(node, &arguments);
            return;
        }
        if function.is_some_and(|f| self.sheet.bytes(f) == b"isinstance") {
            self.narrowed(node, &arguments);
        }
        let callee = self.sheet.expr(function);
        let mut args = Vec::new();
        for argument in &arguments {
            let value = if argument.kind() == "keyword_argument" {
                field(*argument, "value")
            } else {
                Some(*argument)
            };
            let Some(value) = value else { continue };
            let known = self.sheet.expr(Some(value));
            if matches!(value.kind(), "identifier" | "attribute") {
                self.sheet.used(known, value);
            }
            if argument.kind() != "keyword_argument" {
                args.push(known);
            }
        }
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: Few::new() });
        let place = function.map_or(node, |f| field(f, "attribute").unwrap_or(f));
        self.sheet.call(call, place);
        self.routing_call(node, place, &arguments);
        for (position, argument) in arguments.iter().enumerate() {
            for waiting in self.lambdas.remove(&argument.id()).unwrap_or_default() {
                if let Expr::ArgOf { call: slot, arg, .. } =
                    &mut self.sheet.facts.inside.exprs[waiting.0 as usize]
                {
                    *slot = call;
                    *arg = position as u32;
                }
            }
        }
    }

    /// `super()`, or `super(Class, self)`, which looks above the class that it names and not above the one around it.
    fn parent(&mut self, node: Node<'_>, arguments: &[Node<'_>]) {
        let scope = self.sheet.scope();
        let Some(&class) = arguments.first().filter(|class| !self.is_class_around(**class)) else {
            self.sheet.set(node, Expr::Super { scope });
            return;
        };
        let callee = self.sheet.expr(field(node, "function"));
        let class = self.sheet.expr(Some(class));
        self.sheet.set(node, Expr::Call { callee, args: [class].into(), types: Few::new() });
    }

    fn is_class_around(&self, named: Node<'_>) -> bool {
        let facts = &self.sheet.facts;
        let mut around = self.sheet.scope();
        while let Some(ix) = around {
            let def = facts.def(ix);
            if def.kind == DefKind::Class {
                return facts.text(def.name).as_bytes() == self.sheet.bytes(named);
            }
            around = def.parent;
        }
        false
    }

    pub(super) fn lambda(&mut self, node: Node<'_>) {
        let parameters = field(node, "parameters").map(named_children).unwrap_or_default();
        let mut waiting = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            if parameter.kind() == "identifier" {
                let value = self.sheet.push(Expr::ArgOf { call: ExprIx(u32::MAX), arg: 0, param: at as u32 });
                waiting.push(value);
                let name = self.sheet.name_of(*parameter);
                self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, None, Some(value));
            }
        }
        let result = field(node, "body").and_then(|body| self.sheet.known(body));
        let params = parameters.len() as u32;
        self.sheet.set(node, Expr::Closure { params, result, returns: None });
        if !waiting.is_empty() {
            self.lambdas.insert(node.id(), waiting);
        }
    }

    pub(super) fn comprehension(&mut self, node: Node<'_>) {
        for clause in named_children(node) {
            if clause.kind() == "for_in_clause" {
                let item = self.iterated(field(clause, "right"));
                if let Some(left) = field(clause, "left") {
                    self.bind_target(left, Some(item), None, node.start_byte(), node.end_byte() as u32);
                }
            }
        }
        let body = field(node, "body").and_then(|body| self.sheet.known(body));
        self.sheet.set(node, Expr::List(body.into_iter().collect()));
    }

    pub(super) fn iterated(&mut self, node: Option<Node<'_>>) -> ExprIx {
        let of = self.sheet.expr(node);
        self.sheet.push(Expr::Out { of, by: By::Iteration })
    }
}
