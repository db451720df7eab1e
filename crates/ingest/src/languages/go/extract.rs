//! Reading the facts of one Go file.

use std::time::Duration;

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::{build, types};
use crate::facts::{
    By, DefKind, Expr, ExprIx, Field, FileFacts, How, Import, ImportAll, Param, TypeIx, TypeParam,
};
use crate::sheet::{Sheet, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, parse, walk};

pub fn extract(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    let tree = parse(&tree_sitter_go::LANGUAGE.into(), source, limit)?;
    let mut reader = Reader { sheet: Sheet::new(path, super::NAME, source) };
    if path.ends_with("_test.go") {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if build::is_left_out(source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::CONDITIONAL);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    Ok(reader.sheet.finish())
}

pub(super) struct Reader<'s> {
    pub(super) sheet: Sheet<'s>,
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        match node.kind() {
            "comment" => {
                let text = self.sheet.text(node).trim_start_matches(['/', '*']).trim_end_matches("*/").trim();
                self.sheet.comment(node, text.to_owned());
            }
            "package_clause" => {
                let name = node.named_child(0).map(|name| self.sheet.text(name)).unwrap_or("");
                self.sheet.facts.package = name.to_owned();
                self.sheet.facts.doc = self.sheet.take_doc(line(node));
                return Descend::Past;
            }
            "import_spec" => {
                self.import(node);
                return Descend::Past;
            }
            "function_declaration" => self.open_function(node, DefKind::Function),
            "method_declaration" => self.open_method(node),
            "method_elem" | "method_spec" if self.sheet.scope_kind() == Some(DefKind::Interface) => {
                self.open_function(node, DefKind::Method);
            }
            "type_spec" | "type_alias" => self.open_type(node),
            "const_spec" if self.sheet.scope().is_none() => self.constants(node, "const"),
            "var_spec" if self.sheet.scope().is_none() => self.constants(node, "var"),
            "block"
            | "for_statement"
            | "if_statement"
            | "expression_case"
            | "type_case"
            | "default_case"
            | "communication_case"
            | "func_literal"
            | "expression_switch_statement"
            | "type_switch_statement" => {
                self.sheet.open_block(node);
            }
            _ => {}
        }
        Descend::Into
    }

    fn leave(&mut self, node: Node<'t>) {
        if node.is_named() {
            self.leave_statement(node);
        }
    }
}

impl Reader<'_> {
    fn import(&mut self, node: Node<'_>) {
        let Some(path_node) = field(node, "path") else { return };
        let bytes = self.sheet.bytes(path_node);
        let path = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or(bytes);
        let last = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
        let alias = field(node, "name").map(|name| self.sheet.bytes(name));
        let entry = Import {
            path: vec![self.sheet.name(path)],
            level: 0,
            item: None,
            bind: self.sheet.name(alias.unwrap_or(last)),
            all: if alias == Some(b".") { ImportAll::Yes } else { ImportAll::No },
            exported: false,
            scope: None,
            line: line(node),
        };
        self.sheet.facts.imports.push(entry);
    }

    fn open_function(&mut self, node: Node<'_>, kind: DefKind) {
        let name_node = field(node, "name").unwrap_or(node);
        let name = self.sheet.name_of(name_node);
        let text = self.sheet.text(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        def.doc = self.sheet.take_doc(def.line_start);
        let body = field(node, "body");
        def.signature =
            self.sheet.signature(node.start_byte(), body.map_or(node.end_byte(), |b| b.start_byte()));
        def.how = if kind == DefKind::Method { How::Instance } else { How::Free };
        if text.chars().next().is_some_and(char::is_uppercase) {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        if body.is_none() {
            def.flags = def.flags.with(NodeFlags::ABSTRACT);
        }
        let is_test = ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|head| text.starts_with(head));
        if kind == DefKind::Function && is_test && self.sheet.facts.flags.has(NodeFlags::TEST_CODE) {
            def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
        }
        if kind == DefKind::Function && matches!(text, "main" | "init") {
            def.flags = def.flags.with(NodeFlags::ENTRY_POINT);
        }
        self.sheet.open_def(def);
        self.sheet.open_block(node);
    }

    /// A method stands outside its type; an impl around it says whose it is.
    fn open_method(&mut self, node: Node<'_>) {
        let doc_line = line(node);
        let doc = self.sheet.take_doc(doc_line);
        let name = self.sheet.name(b"");
        let def = self.sheet.def(DefKind::Impl, name, node, node);
        self.sheet.open_def(def);
        self.open_function(node, DefKind::Method);
        if let Some(def) = self.sheet.current() {
            def.doc = doc;
        }
    }

    fn open_type(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else { return };
        let kind = match field(node, "type").map(|ty| ty.kind()) {
            Some("struct_type") => DefKind::Struct,
            Some("interface_type") => DefKind::Interface,
            _ => DefKind::TypeAlias,
        };
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        def.doc = self.sheet.take_doc(def.line_start);
        let end = match field(node, "type") {
            Some(ty) if kind != DefKind::TypeAlias => ty.start_byte(),
            _ => node.end_byte(),
        };
        def.signature = format!("type {}", self.sheet.signature(node.start_byte(), end));
        if self.sheet.text(name_node).chars().next().is_some_and(char::is_uppercase) {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        self.sheet.open_def(def);
    }

    /// Constants and variables of the package.
    fn constants(&mut self, node: Node<'_>, word: &str) {
        let is_long = node.start_position().row != node.end_position().row;
        let end =
            field(node, "value").filter(|_| is_long).map_or(node.end_byte(), |value| value.start_byte());
        let signature = format!("{word} {}", self.sheet.signature(node.start_byte(), end));
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
        for name_node in names.into_iter().filter(|name| name.kind() == "identifier") {
            if self.sheet.bytes(name_node) == b"_" {
                continue;
            }
            let name = self.sheet.name_of(name_node);
            let mut def = self.sheet.def(DefKind::Constant, name, node, name_node);
            def.doc = self.sheet.take_doc(def.line_start);
            def.signature.clone_from(&signature);
            if self.sheet.text(name_node).chars().next().is_some_and(char::is_uppercase) {
                def.flags = def.flags.with(NodeFlags::EXPORTED);
            }
            self.sheet.add_def(def);
        }
    }

    fn leave_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_declaration" => {
                self.finish_function(node);
                self.sheet.close_block();
                self.sheet.close_def();
            }
            "method_elem" | "method_spec" if self.sheet.scope_kind() == Some(DefKind::Method) => {
                self.finish_function(node);
                self.sheet.close_block();
                self.sheet.close_def();
            }
            "method_declaration" => self.finish_method(node),
            "type_spec" | "type_alias" if field(node, "name").is_some() => self.finish_type(node),
            "short_var_declaration" | "assignment_statement" => {
                self.assigned(field(node, "left"), field(node, "right"), None, node.end_byte());
            }
            "receive_statement" => {
                let names = field(node, "left").map(named_children).unwrap_or_default();
                let values: Vec<Node<'_>> = field(node, "right").into_iter().collect();
                self.bind_all(&names, &values, None, node.end_byte());
            }
            // Constants of the package are definitions; those of a function hide what has their name outside.
            "const_spec" if self.sheet.scope().is_none() => {}
            "var_spec" | "const_spec" => {
                let ty = self.sheet.type_of(field(node, "type"));
                let mut cursor = node.walk();
                let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
                let values = field(node, "value").map(named_children).unwrap_or_default();
                self.bind_all(&names, &values, ty, node.end_byte());
            }
            "range_clause" => self.range(node),
            "type_case" => self.sheet.close_block(),
            "type_switch_statement" => {
                self.type_switch(node);
                self.sheet.close_block();
            }
            "block"
            | "for_statement"
            | "if_statement"
            | "expression_case"
            | "default_case"
            | "communication_case"
            | "expression_switch_statement" => self.sheet.close_block(),
            "func_literal" => {
                self.parameters(node, "parameters");
                self.parameters(node, "result");
                self.sheet.close_block();
                let returns = types::result(&mut self.sheet, node);
                self.sheet.set(node, Expr::Closure { params: 0, result: None, returns });
            }
            kind => self.leave_expression(kind, node),
        }
    }

    fn type_parameters(&mut self, node: Node<'_>) {
        for child in field(node, "type_parameters").map(named_children).unwrap_or_default() {
            let bound = self.sheet.type_of(field(child, "type").and_then(|ty| ty.named_child(0)));
            let mut cursor = child.walk();
            let names: Vec<Node<'_>> = child.children_by_field_name("name", &mut cursor).collect();
            for name in names {
                let name = self.sheet.name_of(name);
                let param = TypeParam { name, bounds: bound.into_iter().collect(), default: None };
                self.sheet.current().into_iter().for_each(|def| def.type_params.push(param.clone()));
            }
        }
    }

    fn finish_function(&mut self, node: Node<'_>) {
        self.type_parameters(node);
        let params = self.parameters(node, "parameters");
        self.parameters(node, "result");
        let returns = types::result(&mut self.sheet, node);
        if let Some(def) = self.sheet.current() {
            def.params = params.into();
            def.returns = returns;
        }
    }

    /// Binds the parameters of a function, or its results where they have names, for all of it.
    fn parameters(&mut self, node: Node<'_>, which: &str) -> Vec<Param> {
        let mut params = Vec::new();
        let (from, to) = (node.start_byte(), node.end_byte() as u32);
        let list = field(node, which).filter(|list| list.kind() == "parameter_list");
        for declaration in list.map(named_children).unwrap_or_default() {
            let mut ty = self.sheet.type_of(field(declaration, "type"));
            if declaration.kind() == "variadic_parameter_declaration" {
                ty = ty.map(|ty| self.sheet.push_type(crate::facts::TypeExpr::List(ty)));
            }
            let mut cursor = declaration.walk();
            let names: Vec<Node<'_>> = declaration.children_by_field_name("name", &mut cursor).collect();
            for name in names {
                let name = self.sheet.name_of(name);
                self.sheet.bind(name, from, to, ty, None);
                params.push(Param { name, ty });
            }
        }
        params
    }

    fn finish_method(&mut self, node: Node<'_>) {
        let receiver = field(node, "receiver").and_then(|list| list.named_child(0));
        let of = self.sheet.type_of(receiver.and_then(|receiver| field(receiver, "type")));
        if let Some(name) = receiver.and_then(|receiver| field(receiver, "name")) {
            let name = self.sheet.name_of(name);
            self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, of, None);
        }
        self.finish_function(node);
        self.sheet.close_block();
        self.sheet.close_def();
        if let Some(outer) = self.sheet.current() {
            outer.of = of;
        }
        self.sheet.close_def();
    }

    fn finish_type(&mut self, node: Node<'_>) {
        self.type_parameters(node);
        let of = self.sheet.type_of(field(node, "type"));
        let body = field(node, "type");
        match body.map(|body| body.kind()) {
            Some("struct_type") => self.struct_fields(body),
            Some("interface_type") => {
                for element in body.map(named_children).unwrap_or_default() {
                    if matches!(element.kind(), "type_elem" | "constraint_elem") {
                        let base = self.sheet.type_of(element.named_child(0));
                        self.sheet.current().into_iter().for_each(|def| def.bases.extend(base));
                    }
                }
            }
            _ => self.sheet.current().into_iter().for_each(|def| def.of = of),
        }
        self.sheet.close_def();
    }

    fn struct_fields(&mut self, body: Option<Node<'_>>) {
        let list = body.and_then(|body| body.named_child(0));
        for declaration in list.map(named_children).unwrap_or_default() {
            let ty = self.sheet.type_of(field(declaration, "type"));
            let mut cursor = declaration.walk();
            let names: Vec<Node<'_>> = declaration.children_by_field_name("name", &mut cursor).collect();
            if names.is_empty() {
                // An embedded type lends its members, and is a field of its own name.
                self.sheet.current().into_iter().for_each(|def| def.bases.extend(ty));
                let last = field(declaration, "type").map(|ty| types::last_name(&self.sheet, ty));
                if let Some(last) = last.filter(|last| !last.is_empty()) {
                    let name = self.sheet.name(last);
                    let entry = Field { name, ty, value: None, line: line(declaration) };
                    self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
                }
            }
            for name in names {
                let entry =
                    Field { name: self.sheet.name_of(name), ty, value: None, line: line(declaration) };
                self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
            }
        }
    }

    fn assigned(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>, ty: Option<TypeIx>, from: usize) {
        let names = left.map(named_children).unwrap_or_default();
        let values = right.map(named_children).unwrap_or_default();
        self.bind_all(&names, &values, ty, from);
    }

    /// `a, b := x, y` pairs them; `a, b := f()` takes the result apart.
    fn bind_all(&mut self, names: &[Node<'_>], values: &[Node<'_>], ty: Option<TypeIx>, from: usize) {
        let to = self.sheet.block_end();
        for (at, name_node) in names.iter().enumerate() {
            if name_node.kind() != "identifier" || self.sheet.bytes(*name_node) == b"_" {
                continue;
            }
            let value = match values {
                // `v, ok :=` of a map, a channel or an assertion: the value, and whether there is one.
                [only] if names.len() == 2 && self.may_fail(*only) => match at {
                    0 => self.sheet.known(*only),
                    _ => Some(self.sheet.push(Expr::Bool)),
                },
                [only] if names.len() > 1 => {
                    let of = self.sheet.expr(Some(*only));
                    Some(self.sheet.push(Expr::Part { of, index: at as u32 }))
                }
                several => several.get(at).and_then(|value| self.sheet.known(*value)),
            };
            if let Some(value) = values.get(at) {
                self.note_router(*name_node, *value);
            }
            let name = self.sheet.name_of(*name_node);
            self.sheet.bind(name, from, to, ty, value);
        }
    }

    fn may_fail(&self, value: Node<'_>) -> bool {
        match value.kind() {
            "type_assertion_expression" | "index_expression" => true,
            "unary_expression" => self.sheet.bytes(value).starts_with(b"<-"),
            _ => false,
        }
    }

    fn range(&mut self, node: Node<'_>) {
        let names = field(node, "left").map(named_children).unwrap_or_default();
        let base = self.sheet.expr(field(node, "right"));
        let to = self.sheet.block_end();
        for (at, name_node) in names.iter().enumerate().filter(|(_, name)| name.kind() == "identifier") {
            let value = match at {
                1 => self.sheet.push(Expr::Index { base }),
                _ => self.sheet.push(Expr::Unknown),
            };
            let name = self.sheet.name_of(*name_node);
            self.sheet.bind(name, node.end_byte(), to, None, Some(value));
        }
    }

    /// In each case of a type switch the name has the case's type.
    fn type_switch(&mut self, node: Node<'_>) {
        let alias = field(node, "alias").and_then(|alias| alias.named_child(0));
        let Some(name) = alias.map(|alias| self.sheet.name_of(alias)) else { return };
        // Without a case, or in one of several types, it is what was asked about.
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        let from = alias.map_or(node.start_byte(), |alias| alias.end_byte());
        self.sheet.bind(name, from, node.end_byte() as u32, None, value);
        for case in named_children(node).into_iter().filter(|child| child.kind() == "type_case") {
            let mut cursor = case.walk();
            let types: Vec<Node<'_>> = case.children_by_field_name("type", &mut cursor).collect();
            if let [only] = types[..] {
                let ty = self.sheet.type_of(Some(only));
                self.sheet.bind(name, case.start_byte(), case.end_byte() as u32, ty, None);
            }
        }
    }

    /// The key of an element names a field, and no value, unless what is written is a map or a list.
    fn field_name(&mut self, element: Node<'_>) {
        let of = element.parent().and_then(|list| list.parent()).and_then(|literal| field(literal, "type"));
        let has_keys = of.is_some_and(|of| {
            matches!(of.kind(), "map_type" | "array_type" | "slice_type" | "implicit_length_array_type")
        });
        let key = element.named_child(0).filter(|_| !has_keys);
        let key =
            key.map(|key| key.named_child(0).filter(|_| key.kind() == "literal_element").unwrap_or(key));
        if let Some(key) = key.filter(|key| key.kind() == "identifier") {
            let known = self.sheet.known(key);
            known.into_iter().for_each(|ix| self.sheet.facts.inside.exprs[ix.0 as usize] = Expr::Unknown);
        }
    }

    fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "identifier" => {
                let (name, scope) = (self.sheet.name_of(node), self.sheet.scope());
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "selector_expression" => {
                let base = self.sheet.expr(field(node, "operand"));
                if let Some(name) = field(node, "field") {
                    let name = self.sheet.name_of(name);
                    self.sheet.set(node, Expr::Field { base, name });
                }
            }
            "call_expression" => self.call(node),
            // `Run: emptyRun` hands a function on.
            "keyed_element" => {
                self.field_name(node);
                self.handed_on(node.named_child(1));
            }
            "literal_value" => {
                let elements = named_children(node);
                elements.into_iter().filter(|part| part.kind() == "literal_element").for_each(|part| {
                    self.handed_on(Some(part));
                });
            }
            "composite_literal" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            "type_conversion_expression" if self.generic_call(node) => {}
            "type_assertion_expression" | "type_conversion_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            "unary_expression" => {
                let receives = self.sheet.bytes(node).starts_with(b"<-");
                let base = self.sheet.expr(field(node, "operand"));
                match receives {
                    true => self.sheet.set(node, Expr::Index { base }),
                    false => {
                        self.sheet.alias(node, base);
                        base
                    }
                };
            }
            "parenthesized_expression" => self.sheet.same(node, node.named_child(0)),
            "index_expression" => {
                let base = self.sheet.expr(field(node, "operand"));
                self.sheet.set(node, Expr::Index { base });
            }
            "slice_expression" => self.sheet.same(node, field(node, "operand")),
            "interpreted_string_literal" | "raw_string_literal" => {
                self.sheet.set(node, Expr::Text);
            }
            "int_literal" | "float_literal" => {
                self.sheet.set(node, Expr::Number);
            }
            _ => types::leave(&mut self.sheet, kind, node),
        }
    }

    /// `Open[int](2)` is written like a conversion to a type; what `Open` is tells what it is.
    fn generic_call(&mut self, node: Node<'_>) -> bool {
        let generic = field(node, "type").filter(|ty| ty.kind() == "generic_type");
        let Some(named) = generic.and_then(|generic| field(generic, "type")) else { return false };
        let scope = self.sheet.scope();
        let name = |sheet: &mut Sheet<'_>, node: Node<'_>| {
            let expr = Expr::Name { name: sheet.name_of(node), at: node.start_byte() as u32, scope };
            sheet.set(node, expr)
        };
        let (callee, place) = match (field(named, "package"), field(named, "name")) {
            (Some(package), Some(last)) => {
                let base = name(&mut self.sheet, package);
                let member = self.sheet.name_of(last);
                (self.sheet.set(named, Expr::Field { base, name: member }), last)
            }
            _ => (name(&mut self.sheet, named), named),
        };
        let argument = field(node, "operand").map(|operand| self.sheet.expr(Some(operand)));
        let types =
            types::arguments(&mut self.sheet, generic.and_then(|generic| field(generic, "type_arguments")));
        let args: Vec<ExprIx> = argument.into_iter().collect();
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: types.into() });
        self.sheet.call(call, place);
        true
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(function) = field(node, "function") else { return };
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        match self.sheet.bytes(function) {
            b"make" | b"new" => {
                if let Some(ty) = self.sheet.type_of(arguments.first().copied()) {
                    self.sheet.set(node, Expr::Of { ty });
                }
                return;
            }
            b"append" => {
                self.sheet.same(node, arguments.first().copied());
                return;
            }
            _ => {}
        }
        let mut callee = self.sheet.expr(Some(function));
        // `Make[int]()` is written like a call of an element; what `Make` is tells what it is.
        if let Some(operand) = field(function, "operand").filter(|_| function.kind() == "index_expression") {
            let of = self.sheet.expr(Some(operand));
            callee = self.sheet.push(Expr::Out { of, by: By::New });
        }
        let args: Vec<ExprIx> = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        for (arg, ix) in arguments.iter().zip(&args) {
            if matches!(arg.kind(), "identifier" | "selector_expression") {
                self.sheet.used(*ix, *arg);
            }
        }
        let types = types::arguments(&mut self.sheet, field(node, "type_arguments"));
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: types.into() });
        let place = field(function, "field").unwrap_or(function);
        self.sheet.call(call, place);
        self.routing_call(node, place, &arguments);
    }

    fn handed_on(&mut self, element: Option<Node<'_>>) {
        let value = element.and_then(|element| element.named_child(0));
        let value = value.filter(|value| matches!(value.kind(), "identifier" | "selector_expression"));
        if let Some((value, known)) = value.and_then(|value| Some((value, self.sheet.known(value)?))) {
            self.sheet.used(known, value);
        }
    }
}
