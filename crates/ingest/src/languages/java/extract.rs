//! Reading the facts of one Java file.

use std::time::Duration;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::nameless::Nameless;
use super::{mapped, tested, types};
use crate::facts::{
    By, DefKind, Expr, ExprIx, Few, Field, FileFacts, How, Import, ImportAll, Param, Route, RouteHandler,
    TypeIx, TypeParam,
};
use crate::languages::routes;
use crate::sheet::{Sheet, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, parse, walk};

pub fn extract(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    let tree = parse(&tree_sitter_java::LANGUAGE.into(), source, limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, super::NAME, source),
        lambdas: FxHashMap::default(),
        prefixes: Vec::new(),
        all_tests: Vec::new(),
        nameless: Vec::new(),
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    if path.split('/').any(|part| part == "test")
        || name.ends_with("Test.java")
        || name.ends_with("Tests.java")
    {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    Ok(reader.sheet.finish())
}

pub(super) struct Reader<'s> {
    pub(super) sheet: Sheet<'s>,
    /// Parameters of lambdas whose call is not known yet.
    lambdas: FxHashMap<usize, Vec<ExprIx>>,
    /// The patterns of open classes, outermost first.
    prefixes: Vec<String>,
    /// Whether each of them says that all its methods are tests.
    all_tests: Vec<bool>,
    /// Open bodies of classes without a name.
    pub(super) nameless: Vec<Nameless>,
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        match node.kind() {
            "line_comment" | "block_comment" => self.sheet.plain_comment(node),
            "package_declaration" => {
                let name = named_children(node).into_iter().next_back();
                self.sheet.facts.package = name.map(|name| self.sheet.text(name)).unwrap_or("").to_owned();
                return Descend::Past;
            }
            "import_declaration" => {
                self.import(node);
                return Descend::Past;
            }
            "class_declaration" | "record_declaration" => self.open_type(node, DefKind::Class),
            "interface_declaration" | "annotation_type_declaration" => {
                self.open_type(node, DefKind::Interface)
            }
            "enum_declaration" => self.open_type(node, DefKind::Enum),
            "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
                self.open_method(node);
            }
            "class_body" => self.open_nameless(node),
            "block"
            | "for_statement"
            | "enhanced_for_statement"
            | "lambda_expression"
            | "catch_clause"
            | "try_with_resources_statement"
            | "switch_block" => self.sheet.open_block(node),
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
        let children = named_children(node);
        let Some(name) =
            children.iter().find(|child| matches!(child.kind(), "scoped_identifier" | "identifier"))
        else {
            return;
        };
        let mut path = types::dotted(&mut self.sheet, *name);
        let all = children.iter().any(|child| child.kind() == "asterisk");
        let is_static = self.sheet.text(node).split_whitespace().nth(1) == Some("static");
        let bind = path.last().copied().unwrap_or_else(|| self.sheet.name(b""));
        let item = if is_static && !all { path.pop() } else { None };
        let entry = Import {
            path,
            // A static import brings in members of a class.
            level: u8::from(is_static),
            item,
            bind,
            all: if all { ImportAll::Yes } else { ImportAll::No },
            exported: false,
            scope: None,
            line: line(node),
        };
        self.sheet.facts.imports.push(entry);
    }

    fn modifiers(&self, node: Node<'_>) -> String {
        let first = node.named_child(0).filter(|first| first.kind() == "modifiers");
        first.map(|first| self.sheet.text(first).to_owned()).unwrap_or_default()
    }

    fn open_type(&mut self, node: Node<'_>, kind: DefKind) {
        let name_node = field(node, "name").unwrap_or(node);
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        def.doc = self.sheet.take_doc(def.line_start);
        let end = field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
        let modifiers = self.modifiers(node);
        let start = node.start_byte() + modifiers.rfind('\n').map_or(0, |at| at + 1);
        def.signature = self.sheet.signature(start, end);
        if modifiers.split_whitespace().any(|word| word == "public") {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        self.prefixes.push(mapped::prefix(&modifiers));
        self.all_tests.push(tested::annotated(&modifiers, "Test"));
        self.sheet.open_def(def);
        self.sheet.open_block(node);
    }

    fn open_method(&mut self, node: Node<'_>) {
        let name_node = field(node, "name").unwrap_or(node);
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(DefKind::Method, name, node, name_node);
        def.doc = self.sheet.take_doc(def.line_start);
        let modifiers = self.modifiers(node);
        let body = field(node, "body");
        let start = field(node, "type_parameters").or_else(|| field(node, "type")).unwrap_or(name_node);
        let written =
            self.sheet.signature(start.start_byte(), body.map_or(node.end_byte(), |b| b.start_byte()));
        def.signature = keywords(&modifiers).chain([written.as_str()]).collect::<Vec<&str>>().join(" ");
        let has = |wanted: &str| modifiers.split_whitespace().any(|word| word == wanted);
        // A method of a class without a name says what that class extends.
        def.of = self.nameless_base();
        def.how = if has("static") { How::Static } else { How::Instance };
        for (holds, flag) in [
            (has("public"), NodeFlags::EXPORTED),
            (body.is_none(), NodeFlags::ABSTRACT),
            (has("static") && self.sheet.text(name_node) == "main", NodeFlags::ENTRY_POINT),
        ] {
            if holds {
                def.flags = def.flags.with(flag);
            }
        }
        let shape = tested::Shape {
            name: self.sheet.text(name_node),
            modifiers: &modifiers,
            gives_nothing: field(node, "type").is_some_and(|ty| ty.kind() == "void_type"),
            takes_nothing: field(node, "parameters").is_none_or(|all| named_children(all).is_empty()),
        };
        let (of_test_case, of_tests) = self.sheet.scope().map_or((false, false), |class| {
            let is_all = self.all_tests.last().is_some_and(|all| *all);
            (tested::is_test_case(&self.sheet.facts, class), is_all)
        });
        if tested::is_test(&shape, of_test_case, of_tests) {
            def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
        } else if self.sheet.facts.flags.has(NodeFlags::TEST_CODE) && tested::sets_up(&modifiers) {
            def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::FOR_ALL_TESTS);
        }
        let found = mapped::routes(&modifiers);
        let ix = self.sheet.open_def(def);
        self.sheet.open_block(node);
        for (method, pattern) in found {
            let pattern = routes::joined(self.prefixes.last().map_or("", String::as_str), &pattern);
            let handler = RouteHandler::Def(ix);
            self.sheet.facts.routes.push(Route { method, pattern, handler, line: line(node), below: None });
        }
    }

    fn leave_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "class_declaration"
            | "record_declaration"
            | "interface_declaration"
            | "annotation_type_declaration"
            | "enum_declaration" => self.finish_type(node),
            "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
                self.finish_method(node);
            }
            "field_declaration" | "constant_declaration" => self.fields(node),
            "enum_constant" => {
                let scope = self.sheet.scope();
                let ty = self.sheet.push_type(crate::facts::TypeExpr::SelfType { scope });
                if let Some(name) = field(node, "name") {
                    let entry =
                        Field { name: self.sheet.name_of(name), ty: Some(ty), value: None, line: line(node) };
                    self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
                    self.made(ty, name, field(node, "arguments"));
                }
            }
            "local_variable_declaration" => {
                let ty = self.sheet.type_of(field(node, "type"));
                let mut cursor = node.walk();
                let declarators: Vec<Node<'_>> =
                    node.children_by_field_name("declarator", &mut cursor).collect();
                let to = self.sheet.block_end();
                for declarator in declarators {
                    let value = field(declarator, "value").and_then(|value| self.sheet.known(value));
                    if let Some(name) = field(declarator, "name") {
                        let name = self.sheet.name_of(name);
                        self.sheet.bind(name, declarator.start_byte(), to, ty, value);
                    }
                }
            }
            "resource" | "catch_formal_parameter" | "instanceof_expression" => self.named_value(node),
            "enhanced_for_statement" => {
                let ty = self.sheet.type_of(field(node, "type"));
                let of = self.sheet.expr(field(node, "value"));
                let value = self.sheet.push(Expr::Out { of, by: By::Iteration });
                if let Some(name) = field(node, "name") {
                    let name = self.sheet.name_of(name);
                    self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, ty, Some(value));
                }
                self.sheet.close_block();
            }
            "block" | "for_statement" | "catch_clause" | "try_with_resources_statement" | "switch_block" => {
                self.sheet.close_block();
            }
            "lambda_expression" => self.lambda(node),
            "class_body" => self.close_nameless(node),
            kind => self.leave_expression(kind, node),
        }
    }

    fn named_value(&mut self, node: Node<'_>) {
        let ty_node = field(node, "type").or_else(|| field(node, "right"));
        let ty_node = ty_node.or_else(|| {
            named_children(node).into_iter().find(|c| c.kind() == "catch_type").and_then(|c| c.named_child(0))
        });
        let ty = self.sheet.type_of(ty_node);
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        if let Some(name) = field(node, "name") {
            let name = self.sheet.name_of(name);
            let to = self.sheet.block_end();
            self.sheet.bind(name, node.start_byte(), to, ty, value);
        }
    }

    fn finish_type(&mut self, node: Node<'_>) {
        let mut bases = Vec::new();
        for part in [field(node, "superclass"), field(node, "interfaces")]
            .into_iter()
            .flatten()
            .chain(named_children(node).into_iter().filter(|child| child.kind() == "extends_interfaces"))
        {
            let mut work = named_children(part);
            while let Some(child) = work.pop() {
                if child.kind() == "type_list" {
                    work.extend(named_children(child));
                } else {
                    bases.extend(self.sheet.type_of(Some(child)));
                }
            }
        }
        self.type_params(node);
        // The parts of a record are its fields and are read by methods of their names.
        for parameter in field(node, "parameters").map(named_children).unwrap_or_default() {
            let ty = self.sheet.type_of(field(parameter, "type"));
            if let Some(name) = field(parameter, "name") {
                let entry = Field { name: self.sheet.name_of(name), ty, value: None, line: line(parameter) };
                self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
            }
        }
        if let Some(def) = self.sheet.current() {
            def.bases = bases.into();
        }
        self.prefixes.pop();
        self.all_tests.pop();
        self.sheet.close_block();
        self.sheet.close_def();
    }

    fn type_params(&mut self, node: Node<'_>) {
        for child in field(node, "type_parameters").map(named_children).unwrap_or_default() {
            let parts = named_children(child);
            let Some(name) =
                parts.iter().find(|part| matches!(part.kind(), "type_identifier" | "identifier"))
            else {
                continue;
            };
            let bound = parts.iter().find(|part| part.kind() == "type_bound").and_then(|b| b.named_child(0));
            let bounds = self.sheet.type_of(bound).into_iter().collect();
            let param = TypeParam { name: self.sheet.name_of(*name), bounds, default: None };
            self.sheet.current().into_iter().for_each(|def| def.type_params.push(param.clone()));
        }
    }

    fn finish_method(&mut self, node: Node<'_>) {
        self.type_params(node);
        let returns = self.sheet.type_of(field(node, "type"));
        let mut params = Vec::new();
        for parameter in field(node, "parameters").map(named_children).unwrap_or_default() {
            let (name, ty) = match parameter.kind() {
                "formal_parameter" => {
                    (field(parameter, "name"), self.sheet.type_of(field(parameter, "type")))
                }
                "spread_parameter" => {
                    let parts = named_children(parameter);
                    let of = parts.iter().find_map(|part| self.sheet.type_of(Some(*part)));
                    let ty = of.map(|of| self.sheet.push_type(crate::facts::TypeExpr::List(of)));
                    let declarator = parts.into_iter().find(|part| part.kind() == "variable_declarator");
                    (declarator.and_then(|d| field(d, "name")), ty)
                }
                _ => continue,
            };
            let Some(name) = name else { continue };
            let name = self.sheet.name_of(name);
            self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, ty, None);
            params.push(Param { name, ty });
        }
        if let Some(def) = self.sheet.current() {
            def.returns = returns;
            def.params = params.into();
        }
        self.sheet.close_block();
        self.sheet.close_def();
    }

    fn fields(&mut self, node: Node<'_>) {
        let ty = self.sheet.type_of(field(node, "type"));
        let modifiers = self.modifiers(node);
        let has = |wanted: &str| modifiers.split_whitespace().any(|word| word == wanted);
        let is_constant = node.kind() == "constant_declaration" || (has("static") && has("final"));
        let mut cursor = node.walk();
        let declarators: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let Some(name_node) = field(declarator, "name") else { continue };
            let value = field(declarator, "value").and_then(|value| self.sheet.known(value));
            let name = self.sheet.name_of(name_node);
            let entry = Field { name, ty, value, line: line(node) };
            self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
            if is_constant {
                let mut def = self.sheet.def(DefKind::Constant, name, node, name_node);
                def.doc = self.sheet.take_doc(def.line_start);
                def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
                def.of = ty;
                def.value = value;
                self.sheet.add_def(def);
            }
        }
        self.sheet.drop_comments();
    }

    fn lambda(&mut self, node: Node<'_>) {
        self.sheet.close_block();
        let Some(parameters) = field(node, "parameters") else { return };
        let names: Vec<Node<'_>> = match parameters.kind() {
            "identifier" => vec![parameters],
            _ => named_children(parameters),
        };
        let mut waiting = Vec::new();
        for (at, parameter) in names.iter().enumerate() {
            let (name, ty) = match parameter.kind() {
                "formal_parameter" => {
                    (field(*parameter, "name"), self.sheet.type_of(field(*parameter, "type")))
                }
                _ => (Some(*parameter), None),
            };
            let Some(name) = name else { continue };
            let name = self.sheet.name_of(name);
            let value = self.sheet.push(Expr::ArgOf { call: ExprIx(u32::MAX), arg: 0, param: at as u32 });
            waiting.push(value);
            self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, ty, Some(value));
        }
        let body = field(node, "body").filter(|body| body.kind() != "block");
        let result = body.and_then(|body| self.sheet.known(body));
        self.sheet.set(node, Expr::Closure { params: names.len() as u32, result, returns: None });
        self.lambdas.insert(node.id(), waiting);
    }

    fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        let scope = self.sheet.scope();
        match kind {
            "identifier" => {
                let name = self.sheet.name_of(node);
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "this" => {
                self.sheet.set(node, Expr::This { scope });
            }
            "super" => {
                self.sheet.set(node, Expr::Super { scope });
            }
            "field_access" => {
                let base = self.sheet.expr(field(node, "object"));
                if let Some(name) = field(node, "field") {
                    let name = self.sheet.name_of(name);
                    self.sheet.set(node, Expr::Field { base, name });
                }
            }
            "method_invocation" => self.call(node),
            "object_creation_expression" => {
                let ty = types::known(&mut self.sheet, field(node, "type"));
                self.sheet.set(node, Expr::Of { ty });
                self.made(ty, field(node, "type").unwrap_or(node), field(node, "arguments"));
            }
            "method_reference" => self.method_reference(node),
            "explicit_constructor_invocation" => self.handed_on(node),
            "cast_expression" => {
                if let Some(ty) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set(node, Expr::Of { ty });
                }
            }
            "class_literal" => {
                let segments = Few::from([self.sheet.name(b"Class")]);
                let (args, line) = (Few::new(), line(node));
                let ty = self.sheet.push_type(crate::facts::TypeExpr::Path { segments, args, scope, line });
                self.sheet.set(node, Expr::Of { ty });
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
            "parenthesized_expression" => self.sheet.same(node, node.named_child(0)),
            "ternary_expression" => {
                let parts = [field(node, "consequence"), field(node, "alternative")];
                let any = parts.into_iter().flatten().filter_map(|part| self.sheet.known(part)).collect();
                self.sheet.set(node, Expr::Any(any));
            }
            "array_access" => {
                let base = self.sheet.expr(field(node, "array"));
                self.sheet.set(node, Expr::Index { base });
            }
            "assignment_expression" => self.sheet.same(node, field(node, "right")),
            "string_literal" => {
                self.sheet.set(node, Expr::Text);
            }
            "decimal_integer_literal" | "decimal_floating_point_literal" => {
                self.sheet.set(node, Expr::Number);
            }
            "true" | "false" => {
                self.sheet.set(node, Expr::Bool);
            }
            _ => types::leave(&mut self.sheet, kind, node),
        }
    }

    /// A constructor runs and makes a value of a type.
    fn made(&mut self, ty: TypeIx, place: Node<'_>, arguments: Option<Node<'_>>) {
        let of = self.sheet.push(Expr::Of { ty });
        let callee = self.sheet.push(Expr::Out { of, by: By::Class });
        let arguments = arguments.map(named_children).unwrap_or_default();
        let args = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        let call = self.sheet.push(Expr::Call { callee, args, types: Few::new() });
        self.sheet.call(call, place);
    }

    /// `A::f` and `A::new` hand a method or a constructor on.
    fn method_reference(&mut self, node: Node<'_>) {
        let Some(of) = node.named_child(0) else { return };
        let last = node.child(node.child_count().saturating_sub(1)).filter(|last| last.id() != of.id());
        let Some(last) = last else { return };
        let callee = match self.sheet.bytes(last) {
            b"new" if of.kind() == "identifier" => self.sheet.expr(Some(of)),
            b"new" => {
                let ty = types::known(&mut self.sheet, Some(of));
                let of = self.sheet.push(Expr::Of { ty });
                self.sheet.push(Expr::Out { of, by: By::Class })
            }
            _ => {
                let base = self.sheet.expr(Some(of));
                let name = self.sheet.name_of(last);
                self.sheet.push(Expr::Field { base, name })
            }
        };
        let call = self.sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
        self.sheet.used(call, node);
    }

    /// `this(…)` and `super(…)` run another constructor.
    fn handed_on(&mut self, node: Node<'_>) {
        let Some(constructor) = field(node, "constructor") else { return };
        let of = self.sheet.expr(Some(constructor));
        let callee = self.sheet.push(Expr::Out { of, by: By::Class });
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let args = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        let call = self.sheet.push(Expr::Call { callee, args, types: Few::new() });
        self.sheet.call(call, constructor);
    }

    fn call(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else { return };
        let name = self.sheet.name_of(name_node);
        let callee = match field(node, "object") {
            Some(object) => {
                let base = self.sheet.expr(Some(object));
                self.sheet.push(Expr::Field { base, name })
            }
            // A bare name before brackets is a method, whatever else has that name.
            None => {
                let (scope, at) = (self.sheet.scope(), name_node.start_byte() as u32);
                self.sheet.push(Expr::Path { segments: [name].into(), args: Few::new(), scope, at })
            }
        };
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let args = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        let call = self.sheet.set(node, Expr::Call { callee, args, types: Few::new() });
        self.sheet.call(call, name_node);
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
}

/// The words among modifiers that are no annotations.
fn keywords(modifiers: &str) -> impl Iterator<Item = &str> {
    let known = [
        "public",
        "protected",
        "private",
        "static",
        "abstract",
        "final",
        "default",
        "synchronized",
        "native",
        "strictfp",
    ];
    modifiers.split_whitespace().filter(move |word| known.contains(word))
}
