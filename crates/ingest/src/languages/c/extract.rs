//! Reading the facts of one C file. A prototype is an export: it says that a name is a function elsewhere.

use std::ops::Range;
use std::time::Duration;

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::branches::Dialect;
use super::macros;
use super::parse::{self, Parsed};
use crate::facts::{
    Def, DefKind, Export, Expr, ExprIx, Few, Field, FileFacts, Import, ImportAll, Param, TypeExpr, TypeIx,
};
use crate::sheet::{Sheet, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, walk};

pub fn extract(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    let Parsed { tree, dropped } = parse::parse(source, Dialect::C, limit)?;
    let mut reader = Reader { sheet: Sheet::new(path, super::NAME, source), unread: Vec::new() };
    if path.split('/').any(|part| matches!(part, "test" | "tests")) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    reader.unread.extend(dropped);
    macros::read_unread(&mut reader.sheet, reader.unread);
    Ok(reader.sheet.finish())
}

struct Reader<'s> {
    sheet: Sheet<'s>,
    /// Where calls may stand that the tree does not show.
    unread: Vec<Range<usize>>,
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
            "function_definition" => self.open_function(node),
            "struct_specifier" | "union_specifier" | "enum_specifier" => self.open_struct(node),
            "compound_statement" | "for_statement" => self.sheet.open_block(node),
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
        let entry = Import {
            path: vec![self.sheet.name(inner)],
            // A quoted name is looked for beside the file first.
            level: u8::from(bytes.starts_with(b"\"")),
            item: None,
            bind: self.sheet.name(b""),
            all: ImportAll::Yes,
            exported: true,
            scope: None,
            line: line(node),
        };
        self.sheet.facts.imports.push(entry);
        self.sheet.drop_comments();
    }

    /// A macro with parameters is called like a function; others are constants.
    fn define(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else { return };
        // An include guard defines a name without a value.
        if field(node, "value").is_none() {
            return;
        }
        let is_function = node.kind() == "preproc_function_def";
        let kind = if is_function { DefKind::Function } else { DefKind::Constant };
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        // A macro holds to the end of the file, whatever it stands in.
        def.parent = None;
        def.how = macros::MACRO;
        def.doc = self.sheet.take_doc(def.line_start);
        def.flags = def.flags.with(macros::flags(&self.sheet, node));
        let end = field(node, "value").map_or(node.end_byte(), |value| value.start_byte());
        def.signature =
            self.sheet.signature(node.start_byte(), if is_function { end } else { node.end_byte() });
        let def = self.sheet.add_def(def);
        macros::read(&mut self.sheet, node, def);
    }

    /// A function stands in no other. What looks so is a macro with a block, which is part of the function
    /// around it, or the next function of a file whose brackets do not match, which starts its line.
    fn open_function(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "declarator").and_then(declared_name) else {
            let name = self.sheet.name(b"");
            let def = self.sheet.def(DefKind::Function, name, node, node);
            self.sheet.open_def(def);
            self.sheet.open_block(node);
            return;
        };
        let is_nested = self.sheet.owner().is_some();
        let starts_line = node.start_position().column == 0;
        if is_nested && !starts_line && (node.has_error() || macros::is_keyword(self.sheet.bytes(name_node)))
        {
            self.sheet.scope().into_iter().for_each(|around| self.sheet.enter_def(around));
            self.sheet.open_block(node);
            return;
        }
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(DefKind::Function, name, node, name_node);
        if is_nested && starts_line {
            def.parent = None;
        }
        def.doc = self.sheet.take_doc(def.line_start);
        let body = field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
        def.signature = self.sheet.signature(node.start_byte(), body);
        if !self.is_static(node) {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        if self.sheet.text(name_node) == "main" {
            def.flags = def.flags.with(NodeFlags::ENTRY_POINT);
        }
        self.sheet.open_def(def);
        self.sheet.open_block(node);
    }

    fn is_static(&self, node: Node<'_>) -> bool {
        let parts = named_children(node);
        parts
            .iter()
            .any(|part| part.kind() == "storage_class_specifier" && self.sheet.bytes(*part) == b"static")
    }

    /// `struct name { … }` defines; `struct name` alone only names.
    fn open_struct(&mut self, node: Node<'_>) {
        let (Some(name_node), Some(body)) = (field(node, "name"), field(node, "body")) else { return };
        let kind = if node.kind() == "enum_specifier" { DefKind::Enum } else { DefKind::Struct };
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        def.doc = self.sheet.take_doc(def.line_start);
        def.signature = self.sheet.signature(node.start_byte(), body.start_byte());
        def.flags = def.flags.with(NodeFlags::EXPORTED);
        self.sheet.open_def(def);
    }

    fn leave_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_definition" => self.finish_function(node),
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                if field(node, "name").is_some() && field(node, "body").is_some() {
                    self.fields(field(node, "body"));
                    self.sheet.close_def();
                }
                self.named_type(node, field(node, "name"));
            }
            "type_identifier" => self.named_type(node, Some(node)),
            "primitive_type" | "sized_type_specifier" => {
                self.sheet.set_type(node, TypeExpr::Number);
            }
            "type_definition" => self.type_definition(node),
            "declaration" => self.declaration(node),
            "compound_statement" | "for_statement" => self.sheet.close_block(),
            "identifier" => {
                let (name, scope) = (self.sheet.name_of(node), self.sheet.scope());
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "field_expression" => {
                let base = self.sheet.expr(field(node, "argument"));
                if let Some(name) = field(node, "field") {
                    let name = self.sheet.name_of(name);
                    self.sheet.set(node, Expr::Field { base, name });
                }
            }
            "parenthesized_expression" => self.sheet.same(node, node.named_child(0)),
            "pointer_expression" => self.sheet.same(node, field(node, "argument")),
            "subscript_expression" => self.sheet.same(node, field(node, "argument")),
            "cast_expression" => {
                let ty = field(node, "type").and_then(|ty| self.sheet.type_of(field(ty, "type")));
                if let Some(ty) = ty {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            "call_expression" => self.call(node),
            "initializer_list" | "return_statement" | "conditional_expression" => {
                self.values(&named_children(node));
            }
            "initializer_pair" | "init_declarator" => self.values(field(node, "value").as_slice()),
            "assignment_expression" => self.values(field(node, "right").as_slice()),
            // `BEGIN(setup())` before a declaration is taken for a type.
            "ERROR" | "macro_type_specifier" => self.unread.push(node.byte_range()),
            _ => {}
        }
    }

    fn named_type(&mut self, node: Node<'_>, name: Option<Node<'_>>) {
        let Some(name) = name else { return };
        let segments = vec![self.sheet.name_of(name)];
        let scope = self.sheet.scope();
        self.sheet.set_type(
            node,
            TypeExpr::Path { segments: segments.into(), args: Few::new(), scope, line: line(node) },
        );
    }

    fn fields(&mut self, body: Option<Node<'_>>) {
        for declaration in body.map(named_children).unwrap_or_default() {
            let ty = self.sheet.type_of(field(declaration, "type"));
            let mut cursor = declaration.walk();
            let declarators: Vec<Node<'_>> =
                declaration.children_by_field_name("declarator", &mut cursor).collect();
            for declarator in declarators {
                let Some(name) = declared_name(declarator) else { continue };
                // A pointer to a function is not a value of the type it returns.
                let ty = ty.filter(|_| !is_function(declarator));
                let entry =
                    Field { name: self.sheet.name_of(name), ty, value: None, line: line(declaration) };
                self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
            }
        }
    }

    fn finish_function(&mut self, node: Node<'_>) {
        let returns = self.sheet.type_of(field(node, "type"));
        let list = field(node, "declarator").and_then(parameters);
        let mut params = Vec::new();
        for parameter in list.map(named_children).unwrap_or_default() {
            let ty = self.sheet.type_of(field(parameter, "type"));
            let Some(declarator) = field(parameter, "declarator") else { continue };
            let Some(name) = declared_name(declarator).map(|name| self.sheet.name_of(name)) else { continue };
            let ty = ty.filter(|_| !is_function(declarator));
            self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, ty, None);
            params.push(Param { name, ty });
        }
        let is_own = |def: &&mut Def| def.from as usize == node.start_byte();
        if let Some(def) = self.sheet.current().filter(is_own) {
            def.returns = returns;
            def.params = params.into();
        }
        self.sheet.close_block();
        self.sheet.close_def();
    }

    fn type_definition(&mut self, node: Node<'_>) {
        let of = self.sheet.type_of(field(node, "type"));
        let Some(name_node) = field(node, "declarator").and_then(declared_name) else { return };
        let name = self.sheet.name_of(name_node);
        // `typedef struct cart { … } cart;` names one thing twice.
        let same = field(node, "type").and_then(|ty| field(ty, "name")).map(|n| self.sheet.bytes(n));
        if same == Some(self.sheet.bytes(name_node)) {
            return;
        }
        let mut def = self.sheet.def(DefKind::TypeAlias, name, node, name_node);
        def.doc = self.sheet.take_doc(def.line_start);
        def.signature = format!("typedef {}", self.sheet.text(name_node));
        def.of = of;
        self.sheet.add_def(def);
        self.sheet.drop_comments();
    }

    fn declaration(&mut self, node: Node<'_>) {
        let ty = self.sheet.type_of(field(node, "type"));
        let mut cursor = node.walk();
        let declarators: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let Some(name_node) = declared_name(declarator) else { continue };
            let name = self.sheet.name_of(name_node);
            if is_function(declarator) {
                if self.sheet.scope().is_none() && parameters(declarator).is_some() {
                    let value = self.sheet.push(Expr::Unknown);
                    self.sheet.facts.exports.push(Export { name, value });
                }
                continue;
            }
            let value = field(declarator, "value").and_then(|value| self.sheet.known(value));
            self.bind(name, node, ty, value);
            if self.sheet.scope().is_none() && !self.sheet.bytes(node).starts_with(b"extern") {
                self.global(node, declarator, name_node);
            }
        }
        self.sheet.drop_comments();
    }

    /// A variable of the whole file. Its long initialiser is left to the source.
    fn global(&mut self, node: Node<'_>, declarator: Node<'_>, name_node: Node<'_>) {
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(DefKind::Constant, name, node, name_node);
        def.doc = self.sheet.take_doc(def.line_start);
        let is_long = node.start_position().row != node.end_position().row;
        let value = field(declarator, "value").filter(|_| is_long);
        let end = value.map_or(node.end_byte(), |value| value.start_byte());
        def.signature = self.sheet.signature(node.start_byte(), end);
        if !self.is_static(node) {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        self.sheet.add_def(def);
    }

    fn bind(&mut self, name: crate::facts::Name, node: Node<'_>, ty: Option<TypeIx>, value: Option<ExprIx>) {
        let to = self.sheet.block_end();
        self.sheet.bind(name, node.start_byte(), to, ty, value);
    }

    /// A function may be named without being called; what is not one is nothing.
    fn values(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            let is_name = node.kind() == "identifier"
                || (node.kind() == "pointer_expression"
                    && field(*node, "argument").is_some_and(is_identifier));
            if let Some(value) = self.sheet.known(*node).filter(|_| is_name) {
                self.sheet.used(value, *node);
            }
        }
    }

    fn call(&mut self, node: Node<'_>) {
        let function = field(node, "function");
        let callee = self.sheet.expr(function);
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let args: Vec<ExprIx> = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        for (arg, ix) in arguments.iter().zip(&args).filter(|(arg, _)| arg.kind() == "identifier") {
            self.sheet.used(*ix, *arg);
        }
        let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: Few::new() });
        self.sheet.call(call, function.unwrap_or(node));
    }
}

fn is_identifier(node: Node<'_>) -> bool {
    node.kind() == "identifier"
}

/// The name inside pointers, arrays, brackets and initialisers.
fn declared_name(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut at = declarator;
    for _ in 0..MAX_NESTED {
        match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" => return Some(at),
            "parenthesized_declarator" | "attributed_declarator" => at = at.named_child(0)?,
            _ => at = field(at, "declarator")?,
        }
    }
    None
}

/// Whether a declarator declares a function or a pointer to one.
fn is_function(declarator: Node<'_>) -> bool {
    let mut at = Some(declarator);
    for _ in 0..MAX_NESTED {
        match at.map(|node| node.kind()) {
            Some("function_declarator") => return true,
            Some("identifier" | "field_identifier") | None => return false,
            _ => at = at.and_then(|node| field(node, "declarator")),
        }
    }
    false
}

/// The parameters of the function a declarator declares; nothing for a pointer to a function.
fn parameters(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut at = declarator;
    for _ in 0..MAX_NESTED {
        if at.kind() == "function_declarator" {
            let inner = field(at, "declarator")?;
            return (inner.kind() == "identifier").then(|| field(at, "parameters")).flatten();
        }
        at = field(at, "declarator")?;
    }
    None
}

/// Declarators nested deeper than this are not written by people.
const MAX_NESTED: u32 = 16;
