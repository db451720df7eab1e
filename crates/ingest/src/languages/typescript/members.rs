//! What functions, classes and interfaces of TypeScript and JavaScript hold.

use tree_sitter::Node;

use super::extract::Reader;
use super::{patterns, types};
use crate::facts::{DefKind, Expr, ExprIx, Few, Field, Param, TypeIx, TypeParam};
use crate::sheet::{field, line, named_children};

impl Reader<'_> {
    pub(super) fn finish_callable(&mut self, node: Node<'_>) {
        let returns = self.sheet.type_of(field(node, "return_type"));
        self.type_params(node);
        let parameters = field(node, "parameters").map(named_children).unwrap_or_default();
        let (from, to) = (node.start_byte(), node.end_byte() as u32);
        if let Some(single) = field(node, "parameter") {
            let name = self.sheet.name_of(single);
            self.sheet.bind(name, from, to, None, None);
            self.sheet.current().into_iter().for_each(|def| def.params.push(Param { name, ty: None }));
        }
        let is_constructor = field(node, "name").is_some_and(|name| self.sheet.bytes(name) == b"constructor");
        for parameter in parameters {
            let (pattern, ty, value) = self.parameter(parameter);
            let Some(pattern) = pattern else { continue };
            patterns::bind(&mut self.sheet, pattern, value, ty, from, to);
            let name = self.sheet.name_of(pattern);
            self.sheet.current().into_iter().for_each(|def| def.params.push(Param { name, ty }));
            // `constructor(private cart: Cart)` declares a field.
            if is_constructor
                && parameter
                    .child(0)
                    .is_some_and(|c| matches!(c.kind(), "accessibility_modifier" | "readonly"))
            {
                let entry = Field { name, ty, value: None, line: line(parameter) };
                if let Some(class) = self.sheet.enclosing(|kind| kind == DefKind::Class) {
                    self.sheet.def_mut(class).fields.push(entry);
                }
            }
        }
        let expression = field(node, "body").filter(|body| body.kind() != "statement_block");
        let result = expression.and_then(|body| self.sheet.known(body));
        if let Some(def) = self.sheet.current() {
            def.returns = returns;
            def.results.extend(result);
        }
    }

    pub(super) fn parameter<'t>(
        &mut self,
        parameter: Node<'t>,
    ) -> (Option<Node<'t>>, Option<TypeIx>, Option<ExprIx>) {
        match parameter.kind() {
            "required_parameter" | "optional_parameter" => {
                let ty = self.sheet.type_of(field(parameter, "type"));
                let value = field(parameter, "value").and_then(|value| self.sheet.known(value));
                (field(parameter, "pattern"), ty, value)
            }
            "assignment_pattern" => {
                let default = self.sheet.expr(field(parameter, "right"));
                let given = self.sheet.push(Expr::Unknown);
                let value = self.sheet.push(Expr::Any([given, default].into()));
                (field(parameter, "left"), None, Some(value))
            }
            _ => (Some(parameter), None, None),
        }
    }

    pub(super) fn leave_function_value(&mut self, node: Node<'_>) {
        if let Some(&ix) = self.defs.get(&node.id()) {
            self.finish_callable(node);
            self.close(node);
            let value = self.sheet.set(node, Expr::Def(ix));
            self.own_name(node, value);
            return;
        }
        self.sheet.close_closure();
        let (from, to) = (node.start_byte(), node.end_byte() as u32);
        let mut waiting = Vec::new();
        let single = field(node, "parameter");
        let parameters = field(node, "parameters").map(named_children).unwrap_or_default();
        let parameters: Vec<Node<'_>> = single.into_iter().chain(parameters).collect();
        for (at, parameter) in parameters.iter().enumerate() {
            let (pattern, ty, value) = self.parameter(*parameter);
            let Some(pattern) = pattern else { continue };
            let given = self.sheet.push(Expr::ArgOf { call: ExprIx(u32::MAX), arg: 0, param: at as u32 });
            waiting.push(given);
            let value = match value {
                Some(default) => self.sheet.push(Expr::Any([given, default].into())),
                None => given,
            };
            patterns::bind(&mut self.sheet, pattern, Some(value), ty, from, to);
        }
        let body = field(node, "body");
        let result = match body.filter(|body| body.kind() == "statement_block") {
            Some(block) => self.last_return(block),
            None => body.and_then(|body| self.sheet.known(body)),
        };
        let returns = self.sheet.type_of(field(node, "return_type"));
        let value = self.sheet.set(node, Expr::Closure { params: parameters.len() as u32, result, returns });
        self.own_name(node, value);
        if !waiting.is_empty() {
            self.functions.insert(node.id(), waiting);
        }
    }

    /// `(function f() { f() })`: within the function its own name means itself.
    fn own_name(&mut self, node: Node<'_>, value: ExprIx) {
        if let Some(name) = field(node, "name") {
            let name = self.sheet.name_of(name);
            self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, None, Some(value));
        }
    }

    /// The value that a block returns at its end.
    pub(super) fn last_return(&mut self, block: Node<'_>) -> Option<ExprIx> {
        let last =
            named_children(block).into_iter().next_back().filter(|last| last.kind() == "return_statement")?;
        self.sheet.known(last.named_child(0)?)
    }

    pub(super) fn finish_class(&mut self, node: Node<'_>) {
        let bases = types::heritage(&mut self.sheet, node);
        self.type_params(node);
        if let Some(def) = self.sheet.current() {
            def.bases.extend(bases);
        }
    }

    pub(super) fn type_params(&mut self, node: Node<'_>) {
        for child in field(node, "type_parameters").map(named_children).unwrap_or_default() {
            let Some(name) = field(child, "name") else {
                continue;
            };
            let name = self.sheet.name_of(name);
            let bound = field(child, "constraint").and_then(|c| c.named_child(0));
            let bounds: Few<TypeIx> = self.sheet.type_of(bound).into_iter().collect();
            let default = field(child, "value").and_then(|v| v.named_child(0));
            let default = self.sheet.type_of(default);
            self.sheet.current().into_iter().for_each(|def| {
                def.type_params.push(TypeParam { name, bounds: bounds.clone(), default });
            });
        }
    }

    /// The properties of an interface or of a type written as an object.
    pub(super) fn members(&mut self, body: Option<Node<'_>>) {
        for member in body.map(named_children).unwrap_or_default() {
            if member.kind() == "property_signature"
                && let Some(name) = field(member, "name")
            {
                let entry = Field {
                    name: self.sheet.name_of(name),
                    ty: self.sheet.type_of(field(member, "type")),
                    value: None,
                    line: line(member),
                };
                self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
            }
        }
    }

    pub(super) fn class_field(&mut self, node: Node<'_>) {
        let Some(name) = field(node, "name").or_else(|| field(node, "property")) else {
            return;
        };
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        if value.is_some_and(|value| matches!(self.sheet.facts.inside.expr(value), Expr::Def(_))) {
            return;
        }
        let entry = Field {
            name: self.sheet.name_of(name),
            ty: self.sheet.type_of(field(node, "type")),
            value,
            line: line(node),
        };
        if let Some(class) = self.sheet.enclosing(|kind| kind == DefKind::Class) {
            self.sheet.def_mut(class).fields.push(entry);
        }
    }
}
