//! Reading the facts of one Rust file.

use std::time::Duration;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::{attributes::Attributes, macros, patterns, readable, uses};
use crate::facts::{By, DefIx, DefKind, Expr, ExprIx, Few, Field, FileFacts, How, Param, TypeExpr};
use crate::sheet::{Sheet, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, parse, walk};

pub fn extract(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    let tree = parse(&tree_sitter_rust::LANGUAGE.into(), &readable::readable(source), limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, super::NAME, source),
        closures: FxHashMap::default(),
        attributes: Attributes::default(),
        test_scopes: Vec::new(),
        self_types: FxHashMap::default(),
    };
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    Ok(reader.sheet.finish())
}

pub(super) struct Reader<'s> {
    pub(super) sheet: Sheet<'s>,
    /// Parameters of closures whose call is not known yet, by closure node.
    pub(super) closures: FxHashMap<usize, Vec<ExprIx>>,
    pub(super) attributes: Attributes,
    /// Definitions under `#[cfg(test)]`.
    pub(super) test_scopes: Vec<DefIx>,
    /// The nodes of the types that functions give `self`.
    pub(super) self_types: FxHashMap<DefIx, usize>,
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        // Attributes are of what follows them at once: of an item, or of a statement, a field or an arm, which are none.
        if node.is_named() && !takes_attributes(node.kind()) {
            self.attributes.clear();
        }
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
            "extern_crate_declaration" => {
                let exported = has_visibility(node);
                uses::read_extern(&mut self.sheet, node, exported);
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
                match macros::test_name(&self.sheet, node) {
                    Some(name) => self.test_of_macro(node, name),
                    None => macros::read(&mut self.sheet, node),
                }
                return Descend::Past;
            }
            "macro_definition" => {
                self.macro_definition(node);
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

/// Whether a node is an item, or stands between one and its attributes.
fn takes_attributes(kind: &str) -> bool {
    kind.ends_with("_item")
        || kind.contains("comment")
        || matches!(kind, "enum_variant" | "associated_type" | "macro_definition")
}

/// Traits that the language itself derives. Nothing else of their names is meant, whatever the file calls so.
const DERIVED: [&[u8]; 9] =
    [b"Debug", b"Clone", b"Copy", b"Default", b"PartialEq", b"Eq", b"PartialOrd", b"Ord", b"Hash"];

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
        let first = field(node, "parameters").and_then(|params| named_children(params).first().copied());
        let own = first.filter(|first| is_self(*first, &self.sheet));
        let takes_self = own.is_some();
        // `self: Arc<Self>`
        self.self_types.extend(own.and_then(|own| field(own, "type")).map(|ty| (ix, ty.id())));
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

    /// A test that a macro makes of its name and what it is given.
    fn test_of_macro(&mut self, node: Node<'_>, name: Node<'_>) {
        let ix = self.open_named(node, name, DefKind::Function);
        let signature = format!("{}, …)", self.sheet.signature(node.start_byte(), name.end_byte()));
        let def = self.sheet.def_mut(ix);
        def.signature = signature;
        def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
        self.sheet.open_block(node);
        macros::read(&mut self.sheet, node);
        self.sheet.close_block();
        self.close();
        self.sheet.drop_comments();
    }

    /// A macro is a function that is called by `name!`.
    fn macro_definition(&mut self, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return self.attributes.clear() };
        let is_exported = self.attributes.exports_macro();
        let ix = self.open_named(node, name, DefKind::Function);
        let signature = format!("macro_rules! {}", self.sheet.text(name));
        let def = self.sheet.def_mut(ix);
        def.signature = signature;
        def.how = macros::MACRO;
        if is_exported {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        macros::read_rules(&mut self.sheet, node);
        self.close();
        self.sheet.drop_comments();
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
                below: Some(crate::facts::Below::Def(ix)),
            };
            self.sheet.facts.routes.push(route);
        }
        ix
    }

    /// A derived trait of ours is a base; a library's stays unknown and adds nothing.
    fn derives(&mut self, attributes: &Attributes, node: Node<'_>, ix: DefIx) {
        for range in attributes.derives() {
            let Some(bytes) = self.sheet.source.get(range).filter(|name| !DERIVED.contains(name)) else {
                continue;
            };
            let parts = bytes.split(|&b| b == b':').filter(|part| !part.is_empty());
            let segments = parts.map(|part| self.sheet.name(part)).collect();
            let scope = self.sheet.facts.def(ix).parent;
            let ty = TypeExpr::Path { segments, args: Few::new(), scope, line: line(node) };
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

    pub(super) fn leave_item(&mut self, node: Node<'_>) {
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
                    def.bases = bases.into();
                }
                self.close();
            }
            "type_item" | "associated_type" => {
                let of = self.sheet.type_of(field(node, "type"));
                let bases = self.bounds(field(node, "bounds"));
                if let Some(def) = self.sheet.current() {
                    def.of = of;
                    def.bases = bases.into();
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
                self.sheet.set(node, Expr::Any(any.into()));
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

    pub(super) fn field(&mut self, node: Node<'_>) {
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

    pub(super) fn tuple_fields(&mut self, node: Node<'_>) {
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

    pub(super) fn parameter(&mut self, node: Node<'_>) {
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
}

fn has_visibility(node: Node<'_>) -> bool {
    node.named_child(0).is_some_and(|first| first.kind() == "visibility_modifier")
}

fn is_self(parameter: Node<'_>, sheet: &Sheet<'_>) -> bool {
    parameter.kind() == "self_parameter"
        || field(parameter, "pattern").is_some_and(|pattern| sheet.bytes(pattern) == b"self")
}
