//! Namespaces, classes, functions and their members in C++.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::super::c::macros;
use super::extract::{Opened, Reader, Template};
use super::{declarators, types};
use crate::facts::{
    By, Def, DefIx, DefKind, Export, Expr, ExprIx, Few, Field, FileFacts, How, ImportAll, Name, Param, Scope,
    TypeExpr, TypeIx, TypeParam,
};
use crate::sheet::{field, line, named_children};

/// Members that a class of this file declares without a body, by class and name.
#[derive(Default)]
pub(super) struct Declared {
    members: FxHashMap<(DefIx, Name), Vec<DefIx>>,
    /// Classes of this file by full name.
    classes: FxHashMap<Vec<Name>, DefIx>,
    /// Namespaces around that have no name.
    pub(super) unnamed: u32,
}

impl Declared {
    /// The class that a name of several parts means, seen from a scope.
    fn class(&self, facts: &FileFacts, scope: Scope, path: &[Name]) -> Option<DefIx> {
        let mut around = full_name(facts, scope);
        loop {
            let full: Vec<Name> = around.iter().chain(path).copied().collect();
            if let Some(&found) = self.classes.get(&full) {
                return Some(found);
            }
            if around.pop().is_none() {
                break;
            }
        }
        let opened = facts.imports.iter().filter(|import| import.level == 2 && import.all == ImportAll::Yes);
        opened.into_iter().find_map(|import| {
            let full: Vec<Name> = import.path.iter().chain(path).copied().collect();
            self.classes.get(&full).copied()
        })
    }
}

/// The names from the outside in that lead to a scope.
fn full_name(facts: &FileFacts, scope: Scope) -> Vec<Name> {
    let mut parts = Vec::new();
    let mut around = scope;
    while let Some(ix) = around {
        let def = facts.def(ix);
        match (def.kind, def.of.map(|of| &facts.types[of.0 as usize])) {
            (DefKind::Impl, Some(TypeExpr::Path { segments, .. })) => parts.extend(segments.iter().rev()),
            (DefKind::Impl | DefKind::Function | DefKind::Method, _) => {}
            _ => parts.push(def.name),
        }
        around = def.parent;
    }
    parts.reverse();
    parts
}

/// Whether a member is only declared: its body, if it has one, stands elsewhere.
pub(super) fn is_declaration(def: &Def) -> bool {
    def.flags.has(NodeFlags::ABSTRACT)
}

impl Reader<'_> {
    pub(super) fn open_template(&mut self, node: Node<'_>) {
        let mut params = Vec::new();
        for child in field(node, "parameters").map(named_children).unwrap_or_default() {
            let name = field(child, "name").or_else(|| {
                let parts = named_children(child);
                parts.into_iter().find(|part| part.kind() == "type_identifier")
            });
            let is_type = child.kind().contains("type_parameter");
            if let Some(name) = name.filter(|_| is_type) {
                params.push(self.sheet.name_of(name));
            }
        }
        match &mut self.template {
            Some(outer) => outer.params.extend(params),
            None => {
                self.template = Some(Template { from: node.start_byte() as u32, line: line(node), params });
            }
        }
    }

    /// Gives a definition the template it stands in.
    fn templated(&mut self, def: &mut Def) {
        let Some(template) = self.template.take() else { return };
        def.from = template.from;
        def.line_start = template.line;
        let params = template.params.into_iter();
        def.type_params = params.map(|name| TypeParam { name, bounds: Few::new(), default: None }).collect();
    }

    pub(super) fn opened(&mut self, node: Node<'_>, opened: Opened) {
        self.opened.push((node.id(), opened));
    }

    pub(super) fn close(&mut self, node: Node<'_>) {
        if self.opened.last().is_some_and(|(id, _)| *id == node.id())
            && let Some((_, opened)) = self.opened.pop()
        {
            (0..opened.blocks).for_each(|_| self.sheet.close_block());
            for _ in 0..opened.defs {
                self.sheet.close_def();
            }
        }
    }

    pub(super) fn open_namespace(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else {
            self.declared.unnamed += 1;
            return;
        };
        let text = self.sheet.bytes(name_node);
        let mut opened = Opened::default();
        for part in text.split(|&b| b == b':').map(<[u8]>::trim_ascii).filter(|part| !part.is_empty()) {
            let nested = part.strip_prefix(b"inline ");
            let is_inline = nested.is_some() || self.sheet.bytes(node).starts_with(b"inline");
            let part = nested.map_or(part, <[u8]>::trim_ascii);
            let name = self.sheet.name(part);
            let mut def = self.sheet.def(DefKind::Module, name, node, name_node);
            def.doc = self.sheet.take_doc(def.line_start);
            def.signature = format!("namespace {}", String::from_utf8_lossy(part));
            if is_inline {
                def.flags = def.flags.with(NodeFlags::INLINE);
            }
            self.sheet.open_def(def);
            opened.defs += 1;
        }
        self.opened(node, opened);
    }

    pub(super) fn close_namespace(&mut self, node: Node<'_>) {
        match field(node, "name") {
            Some(_) => self.close(node),
            None => self.declared.unnamed -= 1,
        }
    }

    pub(super) fn open_class(&mut self, node: Node<'_>) {
        let (Some(name_node), Some(body)) = (field(node, "name"), field(node, "body")) else { return };
        let kind = match node.kind() {
            "class_specifier" => DefKind::Class,
            "enum_specifier" => DefKind::Enum,
            _ => DefKind::Struct,
        };
        self.parts.insert(name_node.id());
        let (segments, _) = declarators::segments(&mut self.sheet, name_node);
        let Some((&name, outer)) = segments.split_last() else { return };
        let mut opened = Opened { defs: 1, blocks: 0 };
        // `struct A::B {` stands outside of the class it is in.
        if !outer.is_empty() {
            self.enter_impl(node, outer.to_vec());
            opened.defs += 1;
        }
        let scope = self.sheet.scope();
        let mut def = self.sheet.def(kind, name, node, name_node);
        let from = self.template.as_ref().map_or(node.start_byte(), |template| template.from as usize);
        self.templated(&mut def);
        def.doc = self.sheet.take_doc(def.line_start);
        def.signature = self.sheet.signature(from, body.start_byte());
        def.flags = def.flags.with(NodeFlags::EXPORTED);
        let ix = self.sheet.open_def(def);
        let mut full = full_name(&self.sheet.facts, scope);
        full.push(name);
        self.declared.classes.entry(full).or_insert(ix);
        self.opened(node, opened);
    }

    pub(super) fn finish_class(&mut self, node: Node<'_>) {
        if field(node, "name").is_none() || field(node, "body").is_none() {
            return;
        }
        let clause = named_children(node).into_iter().find(|child| child.kind() == "base_class_clause");
        let bases: Vec<TypeIx> = clause
            .map(named_children)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|base| self.sheet.type_of(Some(base)))
            .collect();
        if let Some(def) = self.sheet.current() {
            def.bases = bases.into();
        }
        self.close(node);
    }

    pub(super) fn is_member_declaration(&self, node: Node<'_>) -> bool {
        let in_class = matches!(self.sheet.scope_kind(), Some(DefKind::Class | DefKind::Struct));
        in_class && field(node, "declarator").and_then(declarators::function).is_some()
    }

    /// A member: a function without its body, or fields.
    pub(super) fn field_declaration(&mut self, node: Node<'_>) {
        let ty = self.sheet.type_of(field(node, "type"));
        let mut cursor = node.walk();
        let declarators: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            if let Some(function) = declarators::function(declarator) {
                self.declare_method(node, function);
                continue;
            }
            let Some(name) = declarators::name_node(declarator) else { continue };
            let mut ty = self.declared_type(declarator, ty);
            if declarators::is_pointer(declarator) {
                ty = ty.map(|ty| self.sheet.push_type(TypeExpr::Ref(ty)));
            }
            let value = field(node, "default_value").and_then(|value| self.sheet.known(value));
            let entry = Field { name: self.sheet.name_of(name), ty, value, line: line(node) };
            self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
            if field(node, "default_value").is_some() && self.is_static(node) && self.is_constant(node) {
                self.constant(node, declarator, ty, value);
            }
        }
        self.sheet.drop_comments();
    }

    /// Whether a declaration says that its value stays.
    pub(super) fn is_constant(&self, node: Node<'_>) -> bool {
        let qualifiers = named_children(node).into_iter().filter(|child| child.kind() == "type_qualifier");
        let mut words = qualifiers.map(|word| self.sheet.bytes(word));
        words.any(|word| matches!(word, b"const" | b"constexpr" | b"constinit"))
    }

    pub(super) fn constant(
        &mut self,
        node: Node<'_>,
        declarator: Node<'_>,
        ty: Option<TypeIx>,
        value: Option<ExprIx>,
    ) {
        let Some(name) = declarators::name_node(declarator) else { return };
        if !matches!(name.kind(), "identifier" | "field_identifier") {
            return;
        }
        let text = self.sheet.name_of(name);
        let mut def = self.sheet.def(DefKind::Constant, text, node, name);
        def.doc = self.sheet.take_doc(def.line_start);
        def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
        (def.of, def.value) = (ty, value);
        self.sheet.add_def(def);
    }

    /// The type of what a declarator names, given the one that is written before it.
    pub(super) fn declared_type(&mut self, declarator: Node<'_>, ty: Option<TypeIx>) -> Option<TypeIx> {
        let ty = ty.filter(|_| !declarators::is_function_value(declarator))?;
        let lists = 0..declarators::dimensions(declarator);
        Some(lists.fold(ty, |of, _| self.sheet.push_type(TypeExpr::List(of))))
    }

    /// `: Base(1)` and `: ThisClass(2)` run another constructor, `: member(3)` that of the member's class.
    pub(super) fn initialiser(&mut self, node: Node<'_>) {
        let Some(mut named) = node.named_child(0) else { return };
        let list = node.named_child(1);
        if named.kind() == "qualified_identifier" {
            let ty = types::path(&mut self.sheet, named);
            return self.made(node, ty, named, list);
        }
        if named.kind() == "template_method" {
            named = field(named, "name").unwrap_or(named);
        }
        if named.kind() != "field_identifier" {
            return;
        }
        let scope = self.sheet.scope();
        let base = self.sheet.push(Expr::This { scope });
        let name = self.sheet.name_of(named);
        let of = self.sheet.push(Expr::Field { base, name });
        let callee = self.sheet.push(Expr::Out { of, by: By::Maker });
        let args = self.arguments(list);
        let call = self.sheet.push(Expr::Call { callee, args: args.into(), types: Few::new() });
        self.sheet.call(call, named);
    }

    fn declare_method(&mut self, node: Node<'_>, function: Node<'_>) {
        let Some(name_node) = declarators::name_node(function) else { return };
        let (segments, _) = declarators::segments(&mut self.sheet, name_node);
        let ([name], Some(class)) = (&segments[..], self.sheet.scope()) else { return };
        let mut def = self.sheet.def(DefKind::Method, *name, node, name_node);
        let from = self.template.as_ref().map_or(node.start_byte(), |template| template.from as usize);
        self.templated(&mut def);
        def.doc = self.sheet.take_doc(def.line_start);
        def.signature = self.sheet.signature(from, node.end_byte());
        def.how = if self.is_static(node) { How::Static } else { How::Instance };
        def.flags = def.flags.with(NodeFlags::EXPORTED).with(NodeFlags::ABSTRACT);
        def.returns = self.sheet.type_of(field(node, "type"));
        def.params = self.params(field(function, "parameters"), None).into();
        let ix = self.sheet.add_def(def);
        self.declared.members.entry((class, *name)).or_default().push(ix);
    }

    /// A function that is defined elsewhere.
    pub(super) fn prototype(&mut self, node: Node<'_>, function: Node<'_>) {
        let Some(name_node) = declarators::name_node(function) else { return };
        let (segments, _) = declarators::segments(&mut self.sheet, name_node);
        if let ([name], false) = (&segments[..], self.is_static(node)) {
            let value = self.sheet.push(Expr::Unknown);
            self.sheet.facts.exports.push(Export { name: *name, value });
        }
    }

    fn is_static(&self, node: Node<'_>) -> bool {
        let parts = named_children(node);
        parts
            .iter()
            .any(|part| part.kind() == "storage_class_specifier" && self.sheet.bytes(*part) == b"static")
    }

    pub(super) fn open_function(&mut self, node: Node<'_>) {
        let function = field(node, "declarator").and_then(declarators::function);
        let name_node = function.and_then(declarators::name_node);
        // What is deleted can never be called.
        let is_deleted = named_children(node).iter().any(|part| part.kind() == "delete_method_clause");
        let (Some(function), Some(name_node), false) = (function, name_node, is_deleted) else {
            self.template = None;
            return;
        };
        if let Some((suite, name, is_fixture)) = self.test_macro(node, function, name_node) {
            return self.open_test(node, suite, &name, is_fixture);
        }
        let (mut path, last) = declarators::segments(&mut self.sheet, name_node);
        let Some(name) = path.pop() else { return };
        let from = self.template.as_ref().map_or(node.start_byte(), |template| template.from as usize);
        let body = field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
        let initialisers =
            named_children(node).into_iter().find(|child| child.kind() == "field_initializer_list");
        let end = initialisers.map_or(body, |list| list.start_byte());
        let signature = self.sheet.signature(from, end);
        let mut opened = Opened { defs: 1, blocks: 1 };
        let scope = self.sheet.scope();
        let class = match path.is_empty() {
            true => None,
            false => self.declared.class(&self.sheet.facts, scope, &path),
        };
        if let Some(ix) = class.and_then(|class| self.declaration_of(class, name, function)) {
            // The class says it, this defines it: one thing, and its lines are here.
            let mut def = self.sheet.def(DefKind::Method, name, node, last);
            self.templated(&mut def);
            let doc = self.sheet.take_doc(def.line_start);
            let known = self.sheet.def_mut(ix);
            (known.from, known.to) = (def.from, def.to);
            (known.line_start, known.line_end, known.name_line) =
                (def.line_start, def.line_end, def.name_line);
            known.signature = signature;
            known.flags = NodeFlags(known.flags.0 & !NodeFlags::ABSTRACT.0);
            known.type_params = def.type_params;
            if known.doc.is_empty() {
                known.doc = doc;
            }
            self.sheet.enter_def(ix);
        } else {
            if !path.is_empty() {
                self.enter_impl(node, path);
                opened.defs += 1;
            }
            let in_class =
                matches!(self.sheet.scope_kind(), Some(DefKind::Class | DefKind::Struct | DefKind::Impl));
            let kind = if in_class { DefKind::Method } else { DefKind::Function };
            let mut def = self.sheet.def(kind, name, node, last);
            self.templated(&mut def);
            def.doc = self.sheet.take_doc(def.line_start);
            def.signature = signature;
            let is_static = self.is_static(node);
            def.how = match (in_class, is_static) {
                (false, _) => How::Free,
                (true, true) => How::Static,
                (true, false) => How::Instance,
            };
            // What a namespace without a name holds is its file's own.
            if in_class || (!is_static && self.declared.unnamed == 0) {
                def.flags = def.flags.with(NodeFlags::EXPORTED);
            }
            if kind == DefKind::Function && scope.is_none() && self.sheet.text(name_node) == "main" {
                def.flags = def.flags.with(NodeFlags::ENTRY_POINT);
            }
            self.sheet.open_def(def);
        }
        self.sheet.open_block(node);
        self.opened(node, opened);
    }

    /// Members of a class that stands elsewhere are kept together.
    pub(super) fn enter_impl(&mut self, node: Node<'_>, path: Vec<Name>) {
        let scope = self.sheet.scope();
        if let Some(&known) = self.impls.get(&(scope, path.clone())) {
            return self.sheet.enter_def(known);
        }
        let segments = path.clone();
        let of = self.sheet.push_type(TypeExpr::Path {
            segments: segments.into(),
            args: Few::new(),
            scope,
            line: line(node),
        });
        let name = self.sheet.name(b"");
        let mut def = self.sheet.def(DefKind::Impl, name, node, node);
        def.of = Some(of);
        let ix = self.sheet.open_def(def);
        self.impls.insert((scope, path), ix);
    }

    /// The declaration in a class that a definition outside it belongs to.
    fn declaration_of(&mut self, class: DefIx, name: Name, function: Node<'_>) -> Option<DefIx> {
        let wanted = field(function, "parameters").map(named_children).unwrap_or_default();
        let types: Vec<&str> =
            wanted.iter().map(|param| field(*param, "type").map_or("", |ty| self.sheet.text(ty))).collect();
        let facts = &self.sheet.facts;
        let known = self.declared.members.get(&(class, name))?;
        let open = known.iter().copied().filter(|&ix| is_declaration(facts.def(ix)));
        let mut fitting: Vec<DefIx> = open.filter(|&ix| facts.def(ix).params.len() == types.len()).collect();
        if fitting.len() > 1 {
            let says = |ix: &DefIx| types.iter().all(|ty| facts.def(*ix).signature.contains(ty));
            fitting.retain(says);
        }
        fitting.first().copied()
    }

    pub(super) fn finish_function(&mut self, node: Node<'_>) {
        if self.opened.last().is_none_or(|(id, _)| *id != node.id()) {
            return;
        }
        let function = field(node, "declarator").and_then(declarators::function);
        let mut returns = self.sheet.type_of(field(node, "type"));
        // `auto f() -> T`
        let trailing = function.map(named_children).unwrap_or_default();
        if let Some(trailing) = trailing.into_iter().find(|child| child.kind() == "trailing_return_type") {
            returns = self.sheet.type_of(trailing.named_child(0));
        }
        let params = self.params(function.and_then(|function| field(function, "parameters")), Some(node));
        let is_test = self.sheet.current().is_some_and(|def| def.flags.has(NodeFlags::TEST_CODE));
        if let Some(def) = self.sheet.current().filter(|_| !is_test) {
            def.returns = returns.or(def.returns);
            def.params = params.into();
        }
        self.close(node);
    }

    /// Parameters, bound within a body where there is one.
    pub(super) fn params(&mut self, list: Option<Node<'_>>, body: Option<Node<'_>>) -> Vec<Param> {
        let mut params = Vec::new();
        for parameter in list.map(named_children).unwrap_or_default() {
            let Some(written) = field(parameter, "type") else { continue };
            let declarator = field(parameter, "declarator");
            // `f(void)` takes nothing.
            if declarator.is_none() && self.sheet.bytes(written) == b"void" {
                continue;
            }
            let is_function = declarator.is_some_and(declarators::is_function_value);
            let ty = self.sheet.type_of(Some(written)).filter(|_| !is_function);
            let name = match declarator.and_then(declarators::name_node) {
                Some(name) => self.sheet.name_of(name),
                None => self.sheet.name(b""),
            };
            if let (Some(body), Some(_)) = (body, declarator) {
                self.sheet.bind(name, body.start_byte(), body.end_byte() as u32, ty, None);
            }
            params.push(Param { name, ty });
        }
        params
    }

    pub(super) fn type_alias(&mut self, node: Node<'_>) {
        let of = self.sheet.type_of(field(node, "type"));
        let named =
            field(node, "name").or_else(|| field(node, "declarator").and_then(declarators::name_node));
        let Some(name_node) = named else { return };
        let name = self.sheet.name_of(name_node);
        // `typedef struct cart { … } cart;` names one thing twice.
        let same = field(node, "type").and_then(|ty| field(ty, "name")).map(|n| self.sheet.bytes(n));
        if same == Some(self.sheet.bytes(name_node)) || self.sheet.owner().is_some() {
            return;
        }
        let mut def = self.sheet.def(DefKind::TypeAlias, name, node, name_node);
        self.templated(&mut def);
        def.doc = self.sheet.take_doc(def.line_start);
        def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
        def.of = of;
        self.sheet.add_def(def);
    }

    /// A macro with parameters is called like a function; others are constants.
    pub(super) fn define(&mut self, node: Node<'_>) {
        let (Some(name_node), Some(value)) = (field(node, "name"), field(node, "value")) else { return };
        let is_function = node.kind() == "preproc_function_def";
        let kind = if is_function { DefKind::Function } else { DefKind::Constant };
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        // Macros do not belong to the namespace they stand in.
        def.parent = None;
        def.how = macros::MACRO;
        def.flags = def.flags.with(macros::flags(&self.sheet, node));
        def.doc = self.sheet.take_doc(def.line_start);
        let end = if is_function { value.start_byte() } else { node.end_byte() };
        def.signature = self.sheet.signature(node.start_byte(), end);
        let def = self.sheet.add_def(def);
        macros::read(&mut self.sheet, node, def);
    }
}
