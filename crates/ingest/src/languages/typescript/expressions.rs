//! Expressions of TypeScript and JavaScript: as much of each as tells what it is a value of.

use tree_sitter::Node;

use super::extract::Reader;
use super::{names, types};
use crate::facts::{By, Expr, ExprIx, Few, SPREAD};
use crate::sheet::{field, named_children};

impl Reader<'_> {
    /// Whether what a type is said of is a function that has a name.
    fn is_defined(&self, node: Node<'_>) -> bool {
        let known = named_children(node).into_iter().filter_map(|child| self.sheet.known(child));
        let mut known = known.map(|value| self.sheet.facts.inside.expr(value));
        known.any(|value| matches!(value, Expr::Def(_)))
    }

    pub(super) fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "identifier" | "shorthand_property_identifier" => {
                let (name, scope) = (self.sheet.name_of(node), self.sheet.scope());
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "this" => {
                let scope = self.sheet.scope();
                self.sheet.set(node, Expr::This { scope });
            }
            "super" => {
                let scope = self.sheet.scope();
                self.sheet.set(node, Expr::Super { scope });
            }
            "member_expression" => {
                let base = self.sheet.expr(field(node, "object"));
                if let Some(name_node) = field(node, "property") {
                    let name = self.sheet.name_of(name_node);
                    let what = self.sheet.set(node, Expr::Field { base, name });
                    self.sheet.member(what, name_node);
                }
            }
            "subscript_expression" => {
                let base = self.sheet.expr(field(node, "object"));
                self.sheet.set(node, Expr::Index { base });
            }
            "call_expression" => self.call(node),
            "new_expression" => self.new_expression(node),
            "await_expression" => {
                let of = self.sheet.expr(node.named_child(0));
                self.sheet.set(node, Expr::Out { of, by: By::Await });
            }
            "parenthesized_expression" | "non_null_expression" | "satisfies_expression" => {
                self.sheet
                    .same(node, named_children(node).into_iter().find(|child| child.kind() != "comment"));
            }
            // A function is what it is, whatever type it is said to have.
            "as_expression" | "type_assertion" if self.is_defined(node) => {
                let inner = if node.kind() == "as_expression" { 0 } else { node.named_child_count() - 1 };
                self.sheet.same(node, node.named_child(inner as u32));
            }
            "as_expression" | "type_assertion" => {
                let ty = named_children(node).into_iter().find_map(|child| self.sheet.type_of(Some(child)));
                match ty {
                    Some(ty) => {
                        self.sheet.set(node, Expr::Of { ty });
                    }
                    None => self.sheet.same(node, node.named_child(0)),
                }
            }
            "ternary_expression" => {
                let parts = [field(node, "consequence"), field(node, "alternative")];
                self.any(node, parts);
            }
            "binary_expression" => {
                let operator = field(node, "operator").map(|o| self.sheet.bytes(o)).unwrap_or(b"");
                if operator == b"instanceof" {
                    self.narrowed(node);
                }
                match operator {
                    b"||" | b"??" => self.any(node, [field(node, "left"), field(node, "right")]),
                    // What is not the right side is as good as nothing.
                    b"&&" => self.any(node, [field(node, "right"), None]),
                    b"+" | b"-" | b"*" | b"/" | b"%" => {
                        self.sheet.same(node, field(node, "left"));
                    }
                    _ => {
                        self.sheet.set(node, Expr::Bool);
                    }
                }
            }
            "array" => {
                let parts = named_children(node);
                let parts = parts.into_iter().map(|part| self.sheet.expr(Some(part))).collect();
                self.sheet.set(node, Expr::List(parts));
            }
            "spread_element" => {
                let of = self.sheet.expr(node.named_child(0));
                self.sheet.set(node, Expr::Out { of, by: By::Iteration });
            }
            "object" => {
                self.object(node);
                self.leave_object(node);
            }
            "string" | "template_string" => {
                self.sheet.set(node, Expr::Text);
            }
            "number" => {
                self.sheet.set(node, Expr::Number);
            }
            "true" | "false" => {
                self.sheet.set(node, Expr::Bool);
            }
            "null" | "undefined" => {
                self.sheet.set(node, Expr::Any(Few::new()));
            }
            "jsx_opening_element" | "jsx_self_closing_element" => self.component(node),
            _ => types::leave(&mut self.sheet, kind, node),
        }
    }

    pub(super) fn any(&mut self, node: Node<'_>, parts: [Option<Node<'_>>; 2]) {
        let any = parts.into_iter().flatten().map(|part| self.sheet.expr(Some(part))).collect();
        self.sheet.set(node, Expr::Any(any));
    }

    pub(super) fn object(&mut self, node: Node<'_>) {
        let mut members = Vec::new();
        for child in named_children(node) {
            let (key, value) = match child.kind() {
                "pair" => (field(child, "key"), field(child, "value")),
                "shorthand_property_identifier" => (Some(child), Some(child)),
                "method_definition" => (field(child, "name"), Some(child)),
                "spread_element" => {
                    let value = self.sheet.expr(child.named_child(0));
                    members.push((self.sheet.name(SPREAD.as_bytes()), value));
                    continue;
                }
                _ => continue,
            };
            let (Some(key), Some(value)) = (key, value) else {
                continue;
            };
            let known = self.sheet.expr(Some(value));
            if matches!(value.kind(), "identifier" | "shorthand_property_identifier") {
                self.sheet.used(known, value);
            }
            members.push((self.sheet.name_of(key), known));
        }
        self.sheet.set(node, Expr::Object(members.into()));
    }

    pub(super) fn call(&mut self, node: Node<'_>) {
        let Some(function) = field(node, "function") else {
            return;
        };
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        if matches!(self.sheet.bytes(function), b"require" | b"import")
            && let Some(module) = arguments.first().filter(|a| a.kind() == "string")
        {
            let at = names::loaded(&mut self.sheet, *module);
            self.sheet.set(node, Expr::Import(at));
            return;
        }
        let mut callee = self.sheet.expr(Some(function));
        if function.kind() == "super" {
            callee = self.sheet.push(Expr::Out { of: callee, by: By::Class });
        }
        let args: Vec<ExprIx> = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        for (arg, ix) in arguments.iter().zip(&args) {
            if matches!(arg.kind(), "identifier" | "member_expression") {
                self.sheet.used(*ix, *arg);
            }
        }
        let types = types::arguments(&mut self.sheet, field(node, "type_arguments"));
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: types.into() });
        let place = field(function, "property").unwrap_or(function);
        self.sheet.call(call, place);
        self.settle(&arguments, call);
        self.route(function, &arguments);
    }

    /// Functions given to a call learn what they are called with.
    pub(super) fn settle(&mut self, arguments: &[Node<'_>], call: ExprIx) {
        for (position, argument) in arguments.iter().enumerate() {
            for waiting in self.functions.remove(&argument.id()).unwrap_or_default() {
                if let Expr::ArgOf { call: slot, arg, .. } =
                    &mut self.sheet.facts.inside.exprs[waiting.0 as usize]
                {
                    *slot = call;
                    *arg = position as u32;
                }
            }
        }
    }

    pub(super) fn new_expression(&mut self, node: Node<'_>) {
        let constructor = field(node, "constructor");
        let mut callee = self.sheet.expr(constructor);
        // `new this()` makes what the class around it is.
        let is_this = constructor.is_some_and(|constructor| constructor.kind() == "this");
        let by = if is_this { By::Class } else { By::New };
        callee = self.sheet.push(Expr::Out { of: callee, by });
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let args: Vec<ExprIx> = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        let types = types::arguments(&mut self.sheet, field(node, "type_arguments"));
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: types.into() });
        let place = field(node, "constructor").unwrap_or(node);
        self.sheet.call(call, place);
        self.settle(&arguments, call);
    }

    /// `<Cart />` runs the component.
    pub(super) fn component(&mut self, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let is_component = name.kind() == "member_expression"
            || self.sheet.bytes(name).first().is_some_and(u8::is_ascii_uppercase);
        if is_component {
            let callee = self.sheet.expr(Some(name));
            let call = self.sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
            self.sheet.call(call, name);
        }
    }
}
