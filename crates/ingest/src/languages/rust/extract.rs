//! Reading the facts of one Rust file.

use std::time::Duration;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::{attributes::Attributes, macros, patterns, uses};
use crate::facts::{
    By, DefIx, DefKind, Expr, ExprIx, Field, FileFacts, How, Param, TypeExpr, TypeIx, TypeParam,
};
use crate::sheet::{Sheet, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, parse, walk};

pub fn extract(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    let tree = parse(&tree_sitter_rust::LANGUAGE.into(), source, limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, super::NAME, source),
        closures: FxHashMap::default(),
        attributes: Attributes::default(),
        test_scopes: Vec::new(),
    };
    if walk(&tree, &mut reader) == Coverage::DepthLimited || tree.root_node().has_error() {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    Ok(reader.sheet.finish())
}

struct Reader<'s> {
    sheet: Sheet<'s>,
    /// Parameters of closures whose call is not known yet, by closure node.
    closures: FxHashMap<usize, Vec<ExprIx>>,
    attributes: Attributes,
    /// Definitions under `#[cfg(test)]`.
    test_scopes: Vec<DefIx>,
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        match node.kind() {
            "line_comment" | "block_comment" => self.comment(node),
            "attribute_item" => {
                self.attributes.add(node, self.sheet.text(node));
                return Descend::Past;
            }
            "inner_attribute_item" => return Descend::Past,
            "use_declaration" => {
                let exported = has_visibility(node);
                uses::read(&mut self.sheet, node, exported);
                self.attributes.clear();
                return Descend::Past;
            }
            "function_item" | "function_signature_item" => self.open_function(node),
            "struct_item" | "union_item" => self.open_type(node, DefKind::Struct),
            "enum_item" => self.open_type(node, DefKind::Enum),
            "enum_variant" => self.open_type(node, DefKind::Variant),
            "trait_item" => self.open_type(node, DefKind::Trait),
            "type_item" | "associated_type" => self.open_type(node, DefKind::TypeAlias),
            "const_item" | "static_item" => self.open_type(node, DefKind::Constant),
            "mod_item" => self.open_type(node, DefKind::Module),
            "impl_item" => self.open_impl(node),
            "block" | "match_arm" | "closure_expression" | "for_expression" | "if_expression"
            | "while_expression" => self.sheet.open_block(node),
            "macro_invocation" => {
                macros::read(&mut self.sheet, node);
                return Descend::Past;
            }
            "macro_definition" => {
                self.sheet.drop_comments();
                return Descend::Past;
            }
            _ => {}
        }
        Descend::Into
    }

    fn leave(&mut self, node: Node<'t>) {
        if node.is_named() {
            self.leave_item(node);
        }
    }
}

impl Reader<'_> {
    fn comment(&mut self, node: Node<'_>) {
        let text = self.sheet.text(node);
        if let Some(doc) = text.strip_prefix("///").or_else(|| text.strip_prefix("/**")) {
            let doc = doc.trim_end_matches("*/").trim().to_owned();
            self.sheet.comment(node, doc);
        } else if let Some(doc) = text.strip_prefix("//!")
            && self.sheet.scope().is_none()
        {
            let doc = doc.trim();
            let facts = &mut self.sheet.facts;
            if !facts.doc.is_empty() {
                facts.doc.push('\n');
            }
            facts.doc.push_str(doc);
        }
    }

    fn open_function(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else {
            return self.open_nameless(node, DefKind::Function);
        };
        let in_type = matches!(self.sheet.scope_kind(), Some(DefKind::Impl | DefKind::Trait));
        let kind = if in_type { DefKind::Method } else { DefKind::Function };
        let ix = self.open_named(node, name_node, kind);
        let takes_self = field(node, "parameters")
            .is_some_and(|params| named_children(params).first().is_some_and(|p| is_self(*p, &self.sheet)));
        let end = field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
        let signature = self.sheet.signature(node.start_byte(), end);
        let is_main =
            !in_type && self.sheet.facts.def(ix).parent.is_none() && self.sheet.text(name_node) == "main";
        let def = self.sheet.def_mut(ix);
        def.how = match (in_type, takes_self) {
            (false, _) => How::Free,
            (true, true) => How::Instance,
            (true, false) => How::Static,
        };
        if field(node, "body").is_none() {
            def.flags = def.flags.with(NodeFlags::ABSTRACT);
        }
        if is_main {
            def.flags = def.flags.with(NodeFlags::ENTRY_POINT);
        }
        if signature.split(" fn ").next().is_some_and(|head| head.split(' ').any(|word| word == "async")) {
            def.flags = def.flags.with(NodeFlags::ASYNC);
        }
        def.signature = signature;
        self.sheet.open_block(node);
    }

    fn open_type(&mut self, node: Node<'_>, kind: DefKind) {
        let Some(name_node) = field(node, "name") else {
            return self.open_nameless(node, kind);
        };
        let ix = self.open_named(node, name_node, kind);
        let body = field(node, "body").filter(|_| kind != DefKind::Variant);
        let end = body.or_else(|| field(node, "value")).map_or(node.end_byte(), |b| b.start_byte());
        let signature = self.sheet.signature(node.start_byte(), end);
        self.sheet.def_mut(ix).signature = signature;
    }

    fn open_named(&mut self, node: Node<'_>, name_node: Node<'_>, kind: DefKind) -> DefIx {
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        let attributes = std::mem::take(&mut self.attributes);
        def.line_start = attributes.first_line().unwrap_or(def.line_start).min(def.line_start);
        def.doc = self.sheet.take_doc(def.line_start);
        if has_visibility(node) {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        let ix = self.sheet.open_def(def);
        self.derives(&attributes, node, ix);
        if attributes.is_test() {
            let def = self.sheet.def_mut(ix);
            def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
        }
        if attributes.is_test_only() {
            self.test_scopes.push(ix);
        }
        if !self.test_scopes.is_empty() {
            let def = self.sheet.def_mut(ix);
            def.flags = def.flags.with(NodeFlags::TEST_CODE);
        }
        if let Some(path) = attributes.path() {
            // Kept as the module's signature: the resolver reads the file name from it.
            let literal = self.sheet.signature(path.start, path.end);
            self.sheet.def_mut(ix).doc = format!("#[path]{literal}");
        }
        if let Some((method, pattern)) = attributes.route() {
            let route = crate::facts::Route {
                method,
                pattern,
                handler: crate::facts::RouteHandler::Def(ix),
                line: line(node),
            };
            self.sheet.facts.routes.push(route);
        }
        ix
    }

    /// A derived trait of ours is a base; a library's stays unknown and adds nothing.
    fn derives(&mut self, attributes: &Attributes, node: Node<'_>, ix: DefIx) {
        for range in attributes.derives() {
            let Some(bytes) = self.sheet.source.get(range) else {
                continue;
            };
            let parts = bytes.split(|&b| b == b':').filter(|part| !part.is_empty());
            let segments = parts.map(|part| self.sheet.name(part)).collect();
            let scope = self.sheet.facts.def(ix).parent;
            let ty = TypeExpr::Path { segments, args: Vec::new(), scope, line: line(node) };
            let ty = self.sheet.push_type(ty);
            self.sheet.def_mut(ix).bases.push(ty);
        }
    }

    fn open_nameless(&mut self, node: Node<'_>, kind: DefKind) {
        let name = self.sheet.name(b"");
        let def = self.sheet.def(kind, name, node, node);
        self.sheet.open_def(def);
        self.attributes.clear();
        if kind == DefKind::Function {
            self.sheet.open_block(node);
        }
    }

    fn open_impl(&mut self, node: Node<'_>) {
        let name = self.sheet.name(b"");
        let mut def = self.sheet.def(DefKind::Impl, name, node, node);
        let end = field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
        def.signature = self.sheet.signature(node.start_byte(), end);
        let ix = self.sheet.open_def(def);
        if self.attributes.is_test_only() {
            self.test_scopes.push(ix);
        }
        self.attributes.clear();
        self.sheet.drop_comments();
    }

    fn close(&mut self) {
        let closed = self.sheet.close_def();
        if self.test_scopes.last().copied() == closed {
            self.test_scopes.pop();
        }
    }

    fn leave_item(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_item" | "function_signature_item" => {
                let returns = self.sheet.type_of(field(node, "return_type"));
                for parameter in field(node, "parameters").map(named_children).unwrap_or_default() {
                    self.parameter(parameter);
                }
                if let Some(def) = self.sheet.current() {
                    def.returns = returns;
                }
                self.sheet.close_block();
                self.close();
            }
            "struct_item" | "union_item" | "enum_item" | "enum_variant" | "mod_item" => self.close(),
            "trait_item" => {
                let bases = self.bounds(field(node, "bounds"));
                if let Some(def) = self.sheet.current() {
                    def.bases = bases;
                }
                self.close();
            }
            "type_item" | "associated_type" => {
                let of = self.sheet.type_of(field(node, "type"));
                let bases = self.bounds(field(node, "bounds"));
                if let Some(def) = self.sheet.current() {
                    def.of = of;
                    def.bases = bases;
                }
                self.close();
            }
            "const_item" | "static_item" => {
                let of = self.sheet.type_of(field(node, "type"));
                let value = field(node, "value").and_then(|value| self.sheet.known(value));
                if let Some(def) = self.sheet.current() {
                    def.of = of;
                    def.value = value;
                }
                self.close();
            }
            "impl_item" => {
                let of = self.sheet.type_of(field(node, "type"));
                let base = self.sheet.type_of(field(node, "trait"));
                if let Some(def) = self.sheet.current() {
                    def.of = of;
                    def.bases = base.into_iter().collect();
                }
                self.close();
            }
            "field_declaration" => self.field(node),
            "ordered_field_declaration_list" => self.tuple_fields(node),
            "type_parameters" => self.type_parameters(node),
            "where_predicate" => self.where_predicate(node),
            "let_declaration" => self.let_declaration(node),
            "let_condition" => {
                let value = self.sheet.expr(field(node, "value"));
                let end = self.sheet.block_end();
                if let Some(pattern) = field(node, "pattern") {
                    patterns::bind(&mut self.sheet, pattern, Some(value), None, node.end_byte(), end);
                }
            }
            "for_expression" => {
                let value = self.sheet.expr(field(node, "value"));
                let item = self.sheet.push(Expr::Out { of: value, by: By::Iteration });
                if let (Some(pattern), Some(body)) = (field(node, "pattern"), field(node, "body")) {
                    let end = body.end_byte() as u32;
                    patterns::bind(&mut self.sheet, pattern, Some(item), None, body.start_byte(), end);
                }
                self.sheet.close_block();
            }
            "match_expression" => self.match_expression(node),
            "match_arm" | "while_expression" => self.sheet.close_block(),
            "closure_expression" => self.closure(node),
            "if_expression" => {
                self.sheet.close_block();
                let parts = [field(node, "consequence"), field(node, "alternative")];
                let any: Vec<ExprIx> =
                    parts.into_iter().flatten().filter_map(|p| self.sheet.known(p)).collect();
                self.sheet.set(node, Expr::Any(any));
            }
            "block" => {
                self.sheet.close_block();
                let tail = node.named_child(node.named_child_count().saturating_sub(1) as u32);
                self.sheet.same(node, tail);
            }
            "expression_statement" if !self.sheet.bytes(node).ends_with(b";") => {
                self.sheet.same(node, node.named_child(0));
            }
            "else_clause" | "unsafe_block" | "parenthesized_expression" | "try_block" | "const_block" => {
                self.sheet.same(node, node.named_child(0));
            }
            kind => self.leave_expression(kind, node),
        }
    }

    fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "identifier" => {
                let (name, scope) = (self.sheet.name_of(node), self.sheet.scope());
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "self" => {
                let scope = self.sheet.scope();
                self.sheet.set(node, Expr::This { scope });
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
            "type_cast_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            "tuple_expression" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::Tuple(parts));
            }
            "array_expression" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::List(parts));
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

    fn leave_type(&mut self, kind: &str, node: Node<'_>) {
        let scope = self.sheet.scope();
        match kind {
            "type_identifier" | "primitive_type" => {
                if self.sheet.bytes(node) == b"Self" {
                    self.sheet.set_type(node, TypeExpr::SelfType { scope });
                } else {
                    let segments = vec![self.sheet.name_of(node)];
                    let ty = TypeExpr::Path { segments, args: Vec::new(), scope, line: line(node) };
                    self.sheet.set_type(node, ty);
                }
            }
            "scoped_type_identifier" => {
                let Some(name) = field(node, "name").map(|name| self.sheet.name_of(name)) else {
                    return;
                };
                let path = field(node, "path");
                if let Some(of) = self.sheet.type_of(path) {
                    self.sheet.set_type(node, TypeExpr::Assoc { of, name });
                    return;
                }
                let mut segments = path.map(|path| self.segments(path)).unwrap_or_default();
                if segments.first().is_some_and(|first| self.sheet.facts.text(*first) == "Self") {
                    let of = self.sheet.push_type(TypeExpr::SelfType { scope });
                    self.sheet.set_type(node, TypeExpr::Assoc { of, name });
                    return;
                }
                segments.push(name);
                let ty = TypeExpr::Path { segments, args: Vec::new(), scope, line: line(node) };
                self.sheet.set_type(node, ty);
            }
            "generic_type" | "generic_type_with_turbofish" => {
                let args = self.type_arguments(field(node, "type_arguments"));
                let inner = field(node, "type");
                let ty =
                    match self.sheet.type_of(inner).map(|ix| self.sheet.facts.types[ix.0 as usize].clone()) {
                        Some(TypeExpr::Path { segments, scope, line, .. }) => {
                            TypeExpr::Path { segments, args, scope, line }
                        }
                        Some(other) => other,
                        None => {
                            let segments = inner.map(|path| self.segments(path)).unwrap_or_default();
                            TypeExpr::Path { segments, args, scope, line: line(node) }
                        }
                    };
                self.sheet.set_type(node, ty);
            }
            "reference_type" | "pointer_type" => {
                if let Some(of) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set_type(node, TypeExpr::Ref(of));
                }
            }
            "tuple_type" => {
                let parts = named_children(node);
                let parts = parts.into_iter().map(|p| self.type_or_unknown(Some(p))).collect();
                self.sheet.set_type(node, TypeExpr::Tuple(parts));
            }
            "array_type" => {
                let of = self.type_or_unknown(field(node, "element"));
                self.sheet.set_type(node, TypeExpr::List(of));
            }
            "dynamic_type" | "abstract_type" => {
                let of = self.type_or_unknown(field(node, "trait"));
                self.sheet.set_type(node, TypeExpr::Bounds(vec![of]));
            }
            "bounded_type" => {
                let parts = named_children(node);
                let parts = parts.into_iter().filter_map(|p| self.sheet.type_of(Some(p))).collect();
                self.sheet.set_type(node, TypeExpr::Bounds(parts));
            }
            "higher_ranked_trait_bound" => self.sheet.same_type(node, field(node, "type")),
            "function_type" => {
                let params = field(node, "parameters").map(named_children).unwrap_or_default();
                let params = params.into_iter().map(|p| self.type_or_unknown(Some(p))).collect();
                let result = self.sheet.type_of(field(node, "return_type"));
                self.sheet.set_type(node, TypeExpr::Function { params, result });
            }
            "bracketed_type" => self.sheet.same_type(node, node.named_child(0)),
            "qualified_type" => self.sheet.same_type(node, field(node, "type")),
            _ => {}
        }
    }

    fn type_or_unknown(&mut self, node: Option<Node<'_>>) -> TypeIx {
        match self.sheet.type_of(node) {
            Some(ty) => ty,
            None => self.sheet.push_type(TypeExpr::Unknown),
        }
    }

    /// Type arguments in order; an associated type like `Item = T` counts as one.
    fn type_arguments(&mut self, node: Option<Node<'_>>) -> Vec<TypeIx> {
        let mut args = Vec::new();
        for child in node.map(named_children).unwrap_or_default() {
            match child.kind() {
                "lifetime" => {}
                "type_binding" => args.push(self.type_or_unknown(field(child, "type"))),
                _ => args.push(self.type_or_unknown(Some(child))),
            }
        }
        args
    }

    fn bounds(&mut self, node: Option<Node<'_>>) -> Vec<TypeIx> {
        let parts = node.map(named_children).unwrap_or_default();
        parts.into_iter().filter_map(|part| self.sheet.type_of(Some(part))).collect()
    }

    fn type_parameters(&mut self, node: Node<'_>) {
        let mut params = Vec::new();
        for child in named_children(node) {
            if !matches!(child.kind(), "type_parameter" | "const_parameter") {
                continue;
            }
            if let Some(name) = field(child, "name") {
                let name = self.sheet.name_of(name);
                let bounds = self.bounds(field(child, "bounds"));
                let default = self.sheet.type_of(field(child, "default_type"));
                params.push(TypeParam { name, bounds, default });
            }
        }
        // `for<'a>` has type parameters too; it declares only lifetimes.
        if !params.is_empty()
            && let Some(def) = self.sheet.current()
        {
            def.type_params.extend(params);
        }
    }

    fn where_predicate(&mut self, node: Node<'_>) {
        let Some(left) = field(node, "left") else { return };
        let name = self.sheet.name_of(left);
        let bounds = self.bounds(field(node, "bounds"));
        if let Some(def) = self.sheet.current()
            && let Some(param) = def.type_params.iter_mut().find(|param| param.name == name)
        {
            param.bounds.extend(bounds);
        }
    }

    fn field(&mut self, node: Node<'_>) {
        if let Some(name) = field(node, "name") {
            let entry = Field {
                name: self.sheet.name_of(name),
                ty: self.sheet.type_of(field(node, "type")),
                value: None,
                line: line(node),
            };
            if let Some(def) = self.sheet.current() {
                def.fields.push(entry);
            }
        }
        self.sheet.drop_comments();
        self.attributes.clear();
    }

    fn tuple_fields(&mut self, node: Node<'_>) {
        const DIGITS: [&[u8]; 12] =
            [b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9", b"10", b"11"];
        let mut cursor = node.walk();
        let types: Vec<Node<'_>> = node.children_by_field_name("type", &mut cursor).collect();
        for (ty, digits) in types.into_iter().zip(DIGITS) {
            let entry = Field {
                name: self.sheet.name(digits),
                ty: self.sheet.type_of(Some(ty)),
                value: None,
                line: line(ty),
            };
            if let Some(def) = self.sheet.current() {
                def.fields.push(entry);
            }
        }
    }

    fn parameter(&mut self, node: Node<'_>) {
        let Some(pattern) = field(node, "pattern") else {
            return;
        };
        if is_self(node, &self.sheet) {
            return;
        }
        let ty = self.sheet.type_of(field(node, "type"));
        let name = self.sheet.name_of(pattern);
        let end = self.sheet.block_end();
        patterns::bind(&mut self.sheet, pattern, None, ty, node.end_byte(), end);
        if let Some(def) = self.sheet.current() {
            def.params.push(Param { name, ty });
        }
    }

    fn let_declaration(&mut self, node: Node<'_>) {
        let ty = self.sheet.type_of(field(node, "type"));
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        let end = self.sheet.block_end();
        if let Some(pattern) = field(node, "pattern") {
            patterns::bind(&mut self.sheet, pattern, value, ty, node.end_byte(), end);
        }
    }

    fn match_expression(&mut self, node: Node<'_>) {
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
        self.sheet.set(node, Expr::Any(results));
    }

    fn closure(&mut self, node: Node<'_>) {
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

    fn call(&mut self, node: Node<'_>) {
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
        let call = self.sheet.set(node, Expr::Call { callee, args, types });
        let at = field(node, "function").map_or(node, name_end);
        self.sheet.call(call, at);
        for (position, arg) in arguments.iter().enumerate() {
            for waiting in self.closures.remove(&arg.id()).unwrap_or_default() {
                if let Expr::ArgOf { call: slot, arg, .. } = &mut self.sheet.facts.exprs[waiting.0 as usize] {
                    *slot = call;
                    *arg = position as u32;
                }
            }
        }
    }

    fn out(&mut self, node: Node<'_>, by: By) {
        let of = self.sheet.expr(node.named_child(0));
        self.sheet.set(node, Expr::Out { of, by });
    }

    fn children(&mut self, node: Node<'_>) -> Vec<ExprIx> {
        let parts = named_children(node);
        parts.into_iter().map(|part| self.sheet.expr(Some(part))).collect()
    }

    fn scoped_identifier(&mut self, node: Node<'_>) {
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
        self.sheet.set(node, Expr::Path { segments, args: Vec::new(), scope, at });
    }

    fn generic_function(&mut self, node: Node<'_>) {
        let args = self.type_arguments(field(node, "type_arguments"));
        let inner = field(node, "function");
        let known = inner.and_then(|inner| self.sheet.known(inner));
        match known.map(|ix| self.sheet.facts.expr(ix).clone()) {
            Some(Expr::Path { segments, scope, at, .. }) => {
                self.sheet.set(node, Expr::Path { segments, args, scope, at });
            }
            _ => self.sheet.same(node, inner),
        }
    }

    /// The parts of a path; `crate`, `self`, `super` and `Self` stay words.
    fn segments(&mut self, node: Node<'_>) -> Vec<crate::facts::Name> {
        match self.sheet.known(node).map(|ix| self.sheet.facts.expr(ix).clone()) {
            Some(Expr::Path { segments, .. }) => segments,
            Some(Expr::Name { name, .. }) => vec![name],
            _ => vec![self.sheet.name_of(node)],
        }
    }
}

/// Marks a closure parameter whose call is not known.
pub(crate) const UNKNOWN_CALL: ExprIx = ExprIx(u32::MAX);

fn has_visibility(node: Node<'_>) -> bool {
    node.named_child(0).is_some_and(|first| first.kind() == "visibility_modifier")
}

fn is_self(parameter: Node<'_>, sheet: &Sheet<'_>) -> bool {
    parameter.kind() == "self_parameter"
        || field(parameter, "pattern").is_some_and(|pattern| sheet.bytes(pattern) == b"self")
}

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
