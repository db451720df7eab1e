//! Reading the facts of one C++ file: statements and expressions.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::super::c::branches::Dialect;
use super::super::c::macros;
use super::super::c::parse::{self, Parsed};
use super::definitions::Declared;
use super::{declarators, opened, types};
use crate::facts::{By, DefIx, Expr, ExprIx, Few, FileFacts, Import, ImportAll, Name, Scope};
use crate::sheet::{Sheet, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, walk};

pub(in crate::languages) fn extract(
    path: &str,
    source: &[u8],
    limit: Duration,
) -> Result<FileFacts, ParseError> {
    let Parsed { tree, dropped } = parse::parse(source, Dialect::Cpp, limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, super::NAME, source),
        parts: FxHashSet::default(),
        opened: Vec::new(),
        impls: FxHashMap::default(),
        declared: Declared::default(),
        template: None,
        test_case: None,
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    if path.split('/').rev().skip(1).any(|part| matches!(part, "test" | "tests" | "unittest" | "unittests"))
        || ["_test", "_tests", "_unittest", "-test"].iter().any(|end| stem.ends_with(end))
    {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    macros::read_unread(&mut reader.sheet, dropped);
    opened::read(&mut reader.sheet, source);
    Ok(reader.sheet.finish())
}

pub(super) struct Reader<'s> {
    pub(super) sheet: Sheet<'s>,
    /// Nodes that are parts of a longer name.
    pub(super) parts: FxHashSet<usize>,
    /// How many definitions and blocks each open node stands for.
    pub(super) opened: Vec<(usize, Opened)>,
    /// Members defined outside their class, by where and of what.
    pub(super) impls: FxHashMap<(Scope, Vec<Name>), DefIx>,
    pub(super) declared: Declared,
    /// The template around the next definition.
    pub(super) template: Option<Template>,
    /// A test whose block has not come yet.
    pub(super) test_case: Option<TestCase>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Opened {
    pub defs: u32,
    pub blocks: u32,
}

/// `TEST_CASE("name")` and where it stands.
pub(super) struct TestCase {
    pub name: String,
    pub line: u32,
    pub from: usize,
    pub to: usize,
}

/// `template <…>` before a definition.
pub(super) struct Template {
    pub from: u32,
    pub line: u32,
    pub params: Vec<Name>,
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        match node.kind() {
            "comment" => self.sheet.plain_comment(node),
            "preproc_include" => {
                self.include(node);
                return Descend::Past;
            }
            "preproc_def" | "preproc_function_def" => {
                self.define(node);
                return Descend::Past;
            }
            "preproc_call" | "preproc_directive" => return Descend::Past,
            "using_declaration" | "namespace_alias_definition" => {
                self.using(node);
                return Descend::Past;
            }
            "friend_declaration" => return Descend::Past,
            "template_declaration" => self.open_template(node),
            "namespace_definition" => self.open_namespace(node),
            "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.open_class(node);
            }
            "function_definition" => self.open_function(node),
            "compound_statement" => self.open_compound(node),
            "for_statement" | "for_range_loop" | "if_statement" | "while_statement" | "switch_statement"
            | "lambda_expression" | "catch_clause" => self.sheet.open_block(node),
            "qualified_identifier" | "template_type" | "template_function" | "template_method" => {
                for part in [field(node, "scope"), field(node, "name")].into_iter().flatten() {
                    self.parts.insert(part.id());
                }
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
    fn include(&mut self, node: Node<'_>) {
        let Some(path) = field(node, "path") else { return };
        let bytes = self.sheet.bytes(path);
        let inner = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or(bytes);
        let path = vec![self.sheet.name(inner)];
        self.import(node, path, u8::from(bytes.starts_with(b"\"")), ImportAll::Yes);
        self.sheet.drop_comments();
    }

    /// `using namespace a::b`, `using a::b`, `namespace c = a::b`; level 2 tells them from includes.
    fn using(&mut self, node: Node<'_>) {
        let text = self.sheet.text(node);
        let is_namespace = text
            .trim_start()
            .strip_prefix("using")
            .is_some_and(|rest| rest.trim_start().starts_with("namespace"));
        let named = match node.kind() {
            "namespace_alias_definition" => {
                node.named_child(node.named_child_count().saturating_sub(1) as u32)
            }
            _ => node.named_child(0),
        };
        let Some(named) = named else { return };
        let bytes = self.sheet.bytes(named);
        let mut path = Vec::new();
        let mut rest = bytes;
        while let Some(at) = rest.windows(2).position(|window| window == b"::") {
            path.push(rest[..at].trim_ascii());
            rest = &rest[at + 2..];
        }
        path.push(rest.trim_ascii());
        let path: Vec<Name> =
            path.into_iter().filter(|part| !part.is_empty()).map(|part| self.sheet.name(part)).collect();
        let all = if is_namespace { ImportAll::Yes } else { ImportAll::No };
        self.import(node, path, 2, all);
        if let (Some(entry), Some(alias)) =
            (self.sheet.facts.imports.len().checked_sub(1), field(node, "name"))
        {
            self.sheet.facts.imports[entry].bind = self.sheet.name_of(alias);
        }
    }

    fn import(&mut self, node: Node<'_>, path: Vec<Name>, level: u8, all: ImportAll) {
        let bind = path.last().copied().unwrap_or_else(|| self.sheet.name(b""));
        let entry =
            Import { path, level, item: None, bind, all, exported: true, scope: None, line: line(node) };
        self.sheet.facts.imports.push(entry);
    }

    fn leave_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "namespace_definition" => self.close_namespace(node),
            "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.finish_class(node);
                types::leave(&mut self.sheet, node.kind(), node);
            }
            "function_definition" => self.finish_function(node),
            "compound_statement" => self.close(node),
            "template_declaration" => self.template = None,
            "expression_statement" => self.statement(node),
            "field_declaration" => self.field_declaration(node),
            "declaration" => self.declaration(node),
            "type_definition" | "alias_declaration" => self.type_alias(node),
            "for_range_loop" => {
                let ty = self.sheet.type_of(field(node, "type"));
                let of = self.sheet.expr(field(node, "right"));
                let value = self.sheet.push(Expr::Out { of, by: By::Iteration });
                if let Some(declarator) = field(node, "declarator") {
                    self.bind(declarator, node.start_byte(), node.end_byte() as u32, ty, Some(value));
                }
                self.sheet.close_block();
            }
            "for_statement" | "if_statement" | "while_statement" | "switch_statement" => {
                self.sheet.close_block();
            }
            "catch_clause" | "lambda_expression" => {
                let list = field(node, "parameters").or_else(|| {
                    field(node, "declarator").and_then(|declarator| field(declarator, "parameters"))
                });
                self.params(list, Some(node));
                self.sheet.close_block();
            }
            kind => self.leave_expression(kind, node),
        }
    }

    /// Binds what a declarator names, or every name of `[a, b]`.
    pub(super) fn bind(
        &mut self,
        declarator: Node<'_>,
        from: usize,
        to: u32,
        ty: Option<crate::facts::TypeIx>,
        value: Option<ExprIx>,
    ) {
        let mut at = declarator;
        for _ in 0..declarators::MAX_NESTED {
            if at.kind() == "structured_binding_declarator" {
                for (index, name) in named_children(at).into_iter().enumerate() {
                    let name = self.sheet.name_of(name);
                    let value = value.map(|of| self.sheet.push(Expr::Part { of, index: index as u32 }));
                    self.sheet.bind(name, from, to, None, value);
                }
                return;
            }
            match at.named_child(0) {
                Some(inner) if matches!(at.kind(), "reference_declarator" | "init_declarator") => at = inner,
                _ => break,
            }
        }
        let Some(name) = declarators::name_node(declarator) else { return };
        if name.kind() == "qualified_identifier" {
            return;
        }
        let ty = self.declared_type(declarator, ty);
        let name = self.sheet.name_of(name);
        self.sheet.bind(name, from, to, ty, value);
    }

    fn declaration(&mut self, node: Node<'_>) {
        if self.is_member_declaration(node) {
            return self.field_declaration(node);
        }
        let ty = self.sheet.type_of(field(node, "type"));
        let mut cursor = node.walk();
        let declarators: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            if let Some(function) =
                declarators::function(declarator).filter(|_| declarator.kind() != "init_declarator")
            {
                // Inside a body this is a value made with arguments more often than a declaration.
                match self.sheet.owner() {
                    None => self.prototype(node, function),
                    Some(_) => self.bind(declarator, node.start_byte(), self.sheet.block_end(), ty, None),
                }
                continue;
            }
            let init = field(declarator, "value");
            let value = init.and_then(|value| self.sheet.known(value));
            let to = self.sheet.block_end();
            self.bind(declarator, node.start_byte(), to, ty, value);
            if self.sheet.owner().is_none() && init.is_some() && self.is_constant(node) {
                self.constant(node, declarator, ty, value);
            }
            if let (Some(list), Some(ty)) = (init, ty)
                && matches!(list.kind(), "argument_list" | "initializer_list")
            {
                self.made(list, ty, field(node, "type").unwrap_or(node), Some(list));
            }
            if let (None, Some(ty)) = (init, ty)
                && !declarators::is_pointer(declarator)
                && !self.is_elsewhere(node)
            {
                self.made_plainly(ty, node);
            }
        }
        self.sheet.drop_comments();
    }

    /// `T x;` runs the constructor that `T` declares, if it declares one.
    fn made_plainly(&mut self, ty: crate::facts::TypeIx, node: Node<'_>) {
        let of = self.sheet.push(Expr::Of { ty });
        let callee = self.sheet.push(Expr::Out { of, by: By::Maker });
        let call = self.sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
        self.sheet.call(call, field(node, "type").unwrap_or(node));
    }

    /// `extern T x;`
    fn is_elsewhere(&self, node: Node<'_>) -> bool {
        let parts = named_children(node);
        parts
            .iter()
            .any(|part| part.kind() == "storage_class_specifier" && self.sheet.bytes(*part) == b"extern")
    }

    /// A value of a type is made by calling the type.
    pub(super) fn made(
        &mut self,
        node: Node<'_>,
        ty: crate::facts::TypeIx,
        at: Node<'_>,
        list: Option<Node<'_>>,
    ) {
        let made = self.sheet.set(node, Expr::Of { ty });
        let callee = self.sheet.push(Expr::Out { of: made, by: By::Class });
        let args = self.arguments(list);
        let call = self.sheet.push(Expr::Call { callee, args: args.into(), types: Few::new() });
        self.sheet.call(call, at);
    }

    pub(super) fn arguments(&mut self, list: Option<Node<'_>>) -> Vec<ExprIx> {
        list.map(named_children).unwrap_or_default().iter().map(|arg| self.sheet.expr(Some(*arg))).collect()
    }

    fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        let scope = self.sheet.scope();
        if self.parts.contains(&node.id()) {
            return;
        }
        match kind {
            "identifier" => {
                let name = self.sheet.name_of(node);
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "qualified_identifier" => {
                let (segments, last) = declarators::segments(&mut self.sheet, node);
                if matches!(last.kind(), "type_identifier" | "template_type") {
                    types::path(&mut self.sheet, node);
                } else {
                    let args = types::arguments(&mut self.sheet, last);
                    let at = node.start_byte() as u32;
                    self.sheet
                        .set(node, Expr::Path { segments: segments.into(), args: args.into(), scope, at });
                }
            }
            // Whatever is added to a text gives a text.
            "binary_expression" => {
                let parts = [field(node, "left"), field(node, "right")];
                let is_text = parts.into_iter().flatten().any(|part| part.kind() == "string_literal");
                let operator = field(node, "operator").map(|operator| self.sheet.bytes(operator));
                if is_text && operator == Some(b"+") {
                    self.sheet.set(node, Expr::Text);
                }
            }
            "template_function" => {
                let (segments, last) = declarators::segments(&mut self.sheet, node);
                let args = types::arguments(&mut self.sheet, last);
                self.sheet.set(
                    node,
                    Expr::Path {
                        segments: segments.into(),
                        args: args.into(),
                        scope,
                        at: node.start_byte() as u32,
                    },
                );
            }
            "this" => {
                self.sheet.set(node, Expr::This { scope });
            }
            "field_expression" => {
                let mut base = self.sheet.expr(field(node, "argument"));
                let is_arrow = field(node, "operator").is_some_and(|op| self.sheet.bytes(op) == b"->");
                if is_arrow {
                    base = self.sheet.push(Expr::Out { of: base, by: By::Deref });
                }
                if let Some(name) = field(node, "field") {
                    let (segments, _) = declarators::segments(&mut self.sheet, name);
                    if let [name] = segments[..] {
                        self.sheet.set(node, Expr::Field { base, name });
                    }
                }
            }
            "pointer_expression" => {
                let is_deref = field(node, "operator").is_some_and(|op| self.sheet.bytes(op) == b"*");
                match is_deref {
                    true => {
                        let of = self.sheet.expr(field(node, "argument"));
                        self.sheet.set(node, Expr::Out { of, by: By::Deref });
                    }
                    false => self.sheet.same(node, field(node, "argument")),
                }
            }
            "subscript_expression" => {
                let base = self.sheet.expr(field(node, "argument"));
                self.sheet.set(node, Expr::Index { base });
            }
            "parenthesized_expression" => self.sheet.same(node, node.named_child(0)),
            "assignment_expression" => self.sheet.same(node, field(node, "left")),
            "conditional_expression" => {
                let parts = [field(node, "consequence"), field(node, "alternative")];
                let any = parts.into_iter().flatten().filter_map(|part| self.sheet.known(part)).collect();
                self.sheet.set(node, Expr::Any(any));
            }
            "cast_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            "new_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.made(node, ty, field(node, "type").unwrap_or(node), field(node, "arguments"));
                }
            }
            "compound_literal_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.made(node, ty, node, field(node, "value"));
                }
            }
            "call_expression" => self.call(node),
            "field_initializer" => self.initialiser(node),
            "string_literal" | "raw_string_literal" | "concatenated_string" | "char_literal" => {
                self.sheet.set(node, Expr::Text);
            }
            "number_literal" => {
                self.sheet.set(node, Expr::Number);
            }
            "true" | "false" => {
                self.sheet.set(node, Expr::Bool);
            }
            _ => types::leave(&mut self.sheet, kind, node),
        }
    }

    fn call(&mut self, node: Node<'_>) {
        let function = field(node, "function");
        if let Some(cast) = function.filter(|f| f.kind() == "template_function") {
            let name = field(cast, "name").map(|name| self.sheet.text(name)).unwrap_or("");
            if let (true, Some(&ty)) =
                (name.ends_with("_cast"), types::arguments(&mut self.sheet, cast).first())
            {
                self.sheet.set(node, Expr::Of { ty });
                return;
            }
        }
        let callee = self.sheet.expr(function);
        let list = field(node, "arguments");
        let args = self.arguments(list);
        for (arg, ix) in list.map(named_children).unwrap_or_default().iter().zip(&args) {
            if matches!(arg.kind(), "identifier" | "qualified_identifier") {
                self.sheet.used(*ix, *arg);
            }
        }
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: Few::new() });
        self.sheet.call(call, function.unwrap_or(node));
    }
}
