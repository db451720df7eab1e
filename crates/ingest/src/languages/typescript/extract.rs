//! Reading the facts of one TypeScript or JavaScript file.

use std::time::Duration;

use rustc_hash::FxHashMap;
use tree_sitter::{Language, Node};

use m1nd_graph::NodeFlags;

use super::{names, patterns, types};
use crate::facts::{
    By, DefIx, DefKind, Export, Expr, ExprIx, Field, FileFacts, How, Param, Route, RouteHandler, TypeIx,
    TypeParam,
};
use crate::sheet::{Sheet, clip, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, parse, walk};

pub(super) fn extract(
    language: &str,
    grammar: Language,
    path: &str,
    source: &[u8],
    limit: Duration,
) -> Result<FileFacts, ParseError> {
    let tree = parse(&grammar, source, limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, language, source),
        functions: FxHashMap::default(),
        planned: FxHashMap::default(),
        defs: FxHashMap::default(),
    };
    if is_test_file(path) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || tree.root_node().has_error() {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    Ok(reader.sheet.finish())
}

fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains(".test.")
        || name.contains(".spec.")
        || name.contains(".bench.")
        || path.split('/').any(|part| matches!(part, "__tests__" | "test" | "tests" | "e2e"))
}

struct Reader<'s> {
    sheet: Sheet<'s>,
    /// Parameters of functions whose call is not known yet, by function node.
    functions: FxHashMap<usize, Vec<ExprIx>>,
    /// Functions that become definitions, by node: what they are called and what they are.
    planned: FxHashMap<usize, Plan>,
    /// Definitions by the node they were opened at.
    defs: FxHashMap<usize, DefIx>,
}

/// A definition that its surroundings name.
#[derive(Clone)]
struct Plan {
    name: Vec<u8>,
    kind: DefKind,
    how: How,
    /// The whole statement that defines it.
    from: usize,
    line: u32,
    flags: NodeFlags,
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        match node.kind() {
            "comment" => self.comment(node),
            "import_statement" => {
                names::import(&mut self.sheet, node);
                self.sheet.drop_comments();
                return Descend::Past;
            }
            "export_statement" => {
                self.plan_export(node);
                if names::reexport(&mut self.sheet, node) {
                    return Descend::Past;
                }
            }
            "variable_declarator" => self.enter_declarator(node),
            "function_declaration" | "generator_function_declaration" | "function_signature" => {
                self.enter_function(node, DefKind::Function);
            }
            "method_definition" | "abstract_method_signature" => self.enter_method(node),
            "method_signature" => {
                if matches!(self.sheet.scope_kind(), Some(DefKind::Interface | DefKind::TypeAlias)) {
                    self.enter_method(node);
                }
            }
            "public_field_definition" | "field_definition" => self.plan_field(node),
            "pair" => self.plan_pair(node),
            "assignment_expression" => self.plan_assignment(node),
            "call_expression" => self.plan_test(node),
            "arrow_function" | "function_expression" | "generator_function" => {
                self.enter_function_value(node)
            }
            "class_declaration" | "abstract_class_declaration" | "class" => {
                self.enter_type(node, DefKind::Class)
            }
            "interface_declaration" => self.enter_type(node, DefKind::Interface),
            "type_alias_declaration" => self.enter_type(node, DefKind::TypeAlias),
            "enum_declaration" => self.enter_type(node, DefKind::Enum),
            "internal_module" | "module" => self.enter_type(node, DefKind::Module),
            "statement_block" | "for_statement" | "for_in_statement" | "switch_body" | "catch_clause" => {
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
    fn comment(&mut self, node: Node<'_>) {
        let text = self.sheet.text(node);
        if text.starts_with("/*") {
            let lines: Vec<&str> = text
                .trim_start_matches("/*")
                .trim_end_matches("*/")
                .lines()
                .map(|line| line.trim().trim_start_matches('*').trim())
                .filter(|line| !line.is_empty())
                .collect();
            let doc = lines.join("\n");
            if line(node) == 1 && self.sheet.facts.defs.is_empty() {
                self.sheet.facts.doc = clip(&doc, 2_000);
            }
            self.sheet.comment(node, doc);
        } else {
            self.sheet.comment(node, text.trim_start_matches('/').trim().to_owned());
        }
    }

    // Definitions.

    fn open(&mut self, node: Node<'_>, name_node: Node<'_>, plan: Plan, body: Option<Node<'_>>) -> DefIx {
        let source = self.sheet.source;
        let name = match find(source, node, name_node, &plan.name) {
            Some(bytes) => self.sheet.name(bytes),
            None => self.sheet.name(b"default"),
        };
        let mut def = self.sheet.def(plan.kind, name, node, name_node);
        def.line_start = plan.line.min(def.line_start);
        def.doc = self.sheet.take_doc(def.line_start);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        def.signature = self.sheet.signature(plan.from.min(node.start_byte()), end);
        let cut = def.signature.trim_end_matches("=>").trim_end().len();
        def.signature.truncate(cut);
        def.how = plan.how;
        def.flags = plan.flags;
        let ix = self.sheet.open_def(def);
        self.defs.insert(node.id(), ix);
        self.sheet.open_block(node);
        ix
    }

    fn close(&mut self, node: Node<'_>) -> bool {
        if self.defs.contains_key(&node.id()) {
            self.sheet.close_block();
            self.sheet.close_def();
            return true;
        }
        false
    }

    fn plan_of(&self, name: &[u8], kind: DefKind, how: How, node: Node<'_>) -> Plan {
        Plan {
            name: name.to_vec(),
            kind,
            how,
            from: node.start_byte(),
            line: line(node),
            flags: NodeFlags::default(),
        }
    }

    fn enter_function(&mut self, node: Node<'_>, kind: DefKind) {
        let name_node = field(node, "name");
        let mut plan =
            self.planned.remove(&node.id()).unwrap_or_else(|| self.plan_of(b"", kind, How::Free, node));
        if let Some(name_node) = name_node {
            plan.name = self.sheet.bytes(name_node).to_vec();
        }
        let body = field(node, "body");
        if body.is_none() {
            plan.flags = plan.flags.with(NodeFlags::ABSTRACT);
        }
        if self.sheet.bytes(node).starts_with(b"async") {
            plan.flags = plan.flags.with(NodeFlags::ASYNC);
        }
        self.open(node, name_node.unwrap_or(node), plan, body);
    }

    fn enter_method(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else {
            return;
        };
        let in_type =
            matches!(self.sheet.scope_kind(), Some(DefKind::Class | DefKind::Interface | DefKind::TypeAlias));
        let head = self.sheet.source.get(node.start_byte()..name_node.start_byte()).unwrap_or(&[]);
        let head: Vec<&[u8]> = head.split(|b| b.is_ascii_whitespace()).collect();
        let has = |word: &[u8]| head.contains(&word);
        let how = match () {
            () if has(b"get") || has(b"set") => How::Property,
            () if has(b"static") => How::Static,
            () => How::Instance,
        };
        let kind = if in_type { DefKind::Method } else { DefKind::Function };
        let mut plan = self.plan_of(self.sheet.bytes(name_node), kind, how, node);
        if has(b"async") {
            plan.flags = plan.flags.with(NodeFlags::ASYNC);
        }
        let body = field(node, "body");
        if body.is_none() {
            plan.flags = plan.flags.with(NodeFlags::ABSTRACT);
        }
        self.open(node, name_node, plan, body);
    }

    fn enter_function_value(&mut self, node: Node<'_>) {
        match self.planned.remove(&node.id()) {
            Some(mut plan) => {
                if self.sheet.bytes(node).starts_with(b"async") {
                    plan.flags = plan.flags.with(NodeFlags::ASYNC);
                }
                self.open(node, node, plan, field(node, "body"));
            }
            None => self.sheet.open_closure(node),
        }
    }

    fn enter_type(&mut self, node: Node<'_>, kind: DefKind) {
        let name_node = field(node, "name");
        let planned = self.planned.remove(&node.id());
        if name_node.is_none() && planned.is_none() {
            return;
        }
        let mut plan = planned.unwrap_or_else(|| self.plan_of(b"", kind, How::Free, node));
        plan.kind = kind;
        if let Some(name_node) = name_node {
            plan.name = self.sheet.bytes(name_node).to_vec();
        }
        let body = field(node, "body").or_else(|| field(node, "value"));
        self.open(node, name_node.unwrap_or(node), plan, body);
    }

    fn plan_export(&mut self, node: Node<'_>) {
        let is_default = self
            .sheet
            .bytes(node)
            .get(6..)
            .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"default"));
        let Some(inner) = field(node, "declaration").or_else(|| field(node, "value")) else {
            return;
        };
        let mut plan = self.plan_of(b"default", DefKind::Function, How::Free, node);
        plan.flags = plan.flags.with(NodeFlags::EXPORTED);
        match inner.kind() {
            "lexical_declaration" | "variable_declaration" => {
                for declarator in named_children(inner) {
                    self.planned.insert(declarator.id(), plan.clone());
                }
            }
            "identifier" | "object" | "call_expression" => {}
            _ => {
                self.planned.insert(inner.id(), plan);
            }
        }
        debug_assert!(is_default || field(node, "value").is_none());
    }

    /// `const name = function` is a function; other names at the top are constants.
    fn enter_declarator(&mut self, node: Node<'_>) {
        let (Some(name_node), value) = (field(node, "name"), field(node, "value")) else {
            return;
        };
        if name_node.kind() != "identifier" {
            return;
        }
        let exported = self.planned.remove(&node.id());
        let mut plan = exported.unwrap_or_else(|| self.plan_of(b"", DefKind::Function, How::Free, node));
        plan.name = self.sheet.bytes(name_node).to_vec();
        match value.map(|value| value.kind()) {
            Some("arrow_function" | "function_expression" | "generator_function" | "class") => {
                if let Some(value) = value {
                    self.planned.insert(value.id(), plan);
                }
            }
            _ if self.sheet.scope().is_none() => {
                plan.kind = DefKind::Constant;
                let ix = self.open(node, name_node, plan, value);
                // The value of a constant is not a scope of its own.
                self.sheet.close_block();
                debug_assert!(self.sheet.scope() == Some(ix));
            }
            _ => {}
        }
    }

    fn plan_field(&mut self, node: Node<'_>) {
        let name = field(node, "name").or_else(|| field(node, "property"));
        if let (Some(name), Some(value)) = (name, field(node, "value"))
            && matches!(value.kind(), "arrow_function" | "function_expression")
        {
            let is_static = self.sheet.bytes(node).starts_with(b"static");
            let how = if is_static { How::Static } else { How::Instance };
            let plan = self.plan_of(self.sheet.bytes(name), DefKind::Method, how, node);
            self.planned.insert(value.id(), plan);
        }
    }

    fn plan_pair(&mut self, node: Node<'_>) {
        if let (Some(key), Some(value)) = (field(node, "key"), field(node, "value"))
            && matches!(value.kind(), "arrow_function" | "function_expression")
            && key.kind() == "property_identifier"
        {
            let plan = self.plan_of(self.sheet.bytes(key), DefKind::Function, How::Instance, node);
            self.planned.insert(value.id(), plan);
        }
    }

    /// `exports.name = function` and `Type.prototype.name = function`.
    fn plan_assignment(&mut self, node: Node<'_>) {
        if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right"))
            && matches!(right.kind(), "arrow_function" | "function_expression" | "class")
            && left.kind() == "member_expression"
            && let Some(name) = field(left, "property")
            && self.sheet.scope().is_none()
        {
            let mut plan = self.plan_of(self.sheet.bytes(name), DefKind::Function, How::Free, node);
            if self.sheet.bytes(left).starts_with(b"exports.")
                || self.sheet.bytes(left).starts_with(b"module.exports.")
            {
                plan.flags = plan.flags.with(NodeFlags::EXPORTED);
            }
            self.planned.insert(right.id(), plan);
        }
    }

    /// `test('name', () => …)` in a test file is a test.
    fn plan_test(&mut self, node: Node<'_>) {
        if !self.sheet.facts.flags.has(NodeFlags::TEST_CODE) {
            return;
        }
        let function = field(node, "function").map(|f| self.sheet.text(f)).unwrap_or("");
        if !matches!(function.split('.').next(), Some("it" | "test" | "bench" | "specify")) {
            return;
        }
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let title = arguments.first().filter(|a| matches!(a.kind(), "string" | "template_string"));
        let body =
            arguments.iter().rev().find(|a| matches!(a.kind(), "arrow_function" | "function_expression"));
        if let (Some(title), Some(body)) = (title, body) {
            let name = self.sheet.bytes(*title);
            let name = name.get(1..name.len().saturating_sub(1)).unwrap_or(name);
            let mut plan = self.plan_of(name, DefKind::Function, How::Free, node);
            plan.flags = NodeFlags::TEST_CODE.with(NodeFlags::ENTRY_POINT);
            self.planned.insert(body.id(), plan);
        }
    }

    // On the way up.

    fn leave_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_declaration"
            | "generator_function_declaration"
            | "function_signature"
            | "method_definition"
            | "abstract_method_signature"
            | "method_signature" => {
                if self.defs.contains_key(&node.id()) {
                    self.finish_callable(node);
                    self.close(node);
                    let ix = self.defs[&node.id()];
                    self.sheet.set(node, Expr::Def(ix));
                }
            }
            "arrow_function" | "function_expression" | "generator_function" => {
                self.leave_function_value(node)
            }
            "class_declaration" | "abstract_class_declaration" | "class" => {
                if let Some(&ix) = self.defs.get(&node.id()) {
                    self.finish_class(node);
                    self.close(node);
                    self.sheet.set(node, Expr::Def(ix));
                }
            }
            "interface_declaration" => {
                let bases = types::extended(&mut self.sheet, node);
                self.sheet.current().into_iter().for_each(|def| def.bases.extend(bases.iter().copied()));
                self.members(field(node, "body"));
                self.type_params(node);
                self.close(node);
            }
            "type_alias_declaration" => {
                let value = field(node, "value");
                if value.is_some_and(|value| value.kind() == "object_type") {
                    self.members(value);
                } else {
                    let of = self.sheet.type_of(value);
                    self.sheet.current().into_iter().for_each(|def| def.of = of);
                }
                self.type_params(node);
                self.close(node);
            }
            "enum_declaration" | "internal_module" | "module" => {
                self.close(node);
            }
            "variable_declarator" => self.leave_declarator(node),
            "public_field_definition" | "field_definition" => self.class_field(node),
            "statement_block" | "for_statement" | "switch_body" | "catch_clause" => self.sheet.close_block(),
            "for_in_statement" => {
                let of = self.sheet.expr(field(node, "right"));
                let item = self.sheet.push(Expr::Out { of, by: By::Iteration });
                if let Some(left) = field(node, "left") {
                    let (from, to) = (self.sheet.block_start(), self.sheet.block_end());
                    patterns::bind(&mut self.sheet, left, Some(item), None, from, to);
                }
                self.sheet.close_block();
            }
            "return_statement" => {
                let value = node.named_child(0).and_then(|value| self.sheet.known(value));
                if let (Some(value), Some(owner)) = (value, self.sheet.owner()) {
                    // A closure's own returns are not those of the function around it.
                    if self.sheet.block_is_of(owner) {
                        self.sheet.def_mut(owner).results.push(value);
                    }
                }
            }
            "assignment_expression" => self.assignment(node),
            "export_statement" => self.leave_export(node),
            kind => self.leave_expression(kind, node),
        }
    }

    fn finish_callable(&mut self, node: Node<'_>) {
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

    fn parameter<'t>(&mut self, parameter: Node<'t>) -> (Option<Node<'t>>, Option<TypeIx>, Option<ExprIx>) {
        match parameter.kind() {
            "required_parameter" | "optional_parameter" => {
                let ty = self.sheet.type_of(field(parameter, "type"));
                let value = field(parameter, "value").and_then(|value| self.sheet.known(value));
                (field(parameter, "pattern"), ty, value)
            }
            "assignment_pattern" => {
                let value = field(parameter, "right").and_then(|value| self.sheet.known(value));
                (field(parameter, "left"), None, value)
            }
            _ => (Some(parameter), None, None),
        }
    }

    fn leave_function_value(&mut self, node: Node<'_>) {
        if let Some(&ix) = self.defs.get(&node.id()) {
            self.finish_callable(node);
            self.close(node);
            self.sheet.set(node, Expr::Def(ix));
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
                Some(default) => self.sheet.push(Expr::Any(vec![given, default])),
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
        self.sheet.set(node, Expr::Closure { params: parameters.len() as u32, result, returns });
        if !waiting.is_empty() {
            self.functions.insert(node.id(), waiting);
        }
    }

    /// The value that a block returns at its end.
    fn last_return(&mut self, block: Node<'_>) -> Option<ExprIx> {
        let last =
            named_children(block).into_iter().next_back().filter(|last| last.kind() == "return_statement")?;
        self.sheet.known(last.named_child(0)?)
    }

    fn finish_class(&mut self, node: Node<'_>) {
        let bases = types::heritage(&mut self.sheet, node);
        self.type_params(node);
        if let Some(def) = self.sheet.current() {
            def.bases.extend(bases);
        }
    }

    fn type_params(&mut self, node: Node<'_>) {
        for child in field(node, "type_parameters").map(named_children).unwrap_or_default() {
            let Some(name) = field(child, "name") else {
                continue;
            };
            let name = self.sheet.name_of(name);
            let bound = field(child, "constraint").and_then(|c| c.named_child(0));
            let bounds = self.sheet.type_of(bound).into_iter().collect();
            let default = field(child, "value").and_then(|v| v.named_child(0));
            let default = self.sheet.type_of(default);
            self.sheet.current().into_iter().for_each(|def| {
                def.type_params.push(TypeParam { name, bounds: Vec::clone(&bounds), default });
            });
        }
    }

    /// The properties of an interface or of a type written as an object.
    fn members(&mut self, body: Option<Node<'_>>) {
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

    fn class_field(&mut self, node: Node<'_>) {
        let Some(name) = field(node, "name").or_else(|| field(node, "property")) else {
            return;
        };
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        if value.is_some_and(|value| matches!(self.sheet.facts.expr(value), Expr::Def(_))) {
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

    fn leave_declarator(&mut self, node: Node<'_>) {
        let ty = self.sheet.type_of(field(node, "type"));
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        if let Some(&ix) = self.defs.get(&node.id()) {
            let def = self.sheet.def_mut(ix);
            def.of = ty;
            def.value = value;
            self.sheet.close_def();
        }
        let is_def = value.is_some_and(|value| matches!(self.sheet.facts.expr(value), Expr::Def(_)));
        if let Some(pattern) = field(node, "name")
            && !is_def
        {
            let (from, to) = (self.sheet.block_start(), self.sheet.block_end());
            patterns::bind(&mut self.sheet, pattern, value, ty, from, to);
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return;
        };
        let value = self.sheet.known(right);
        self.sheet.same(node, Some(right));
        match left.kind() {
            "identifier" => {
                let name = self.sheet.name_of(left);
                let to = self.sheet.block_end();
                self.sheet.bind(name, node.end_byte(), to, None, value);
            }
            "member_expression" => {
                let object = field(left, "object").map(|o| self.sheet.bytes(o)).unwrap_or(&[]);
                let Some(property) = field(left, "property") else {
                    return;
                };
                let name = self.sheet.name_of(property);
                match object {
                    b"this" => {
                        let entry = Field { name, ty: None, value, line: line(node) };
                        if let Some(class) = self.sheet.enclosing(|kind| kind == DefKind::Class) {
                            self.sheet.def_mut(class).fields.push(entry);
                        }
                    }
                    b"exports" | b"module.exports" => {
                        let value = self.sheet.expr(Some(right));
                        self.sheet.facts.exports.push(Export { name, value });
                    }
                    b"module" if self.sheet.bytes(property) == b"exports" => {
                        let value = self.sheet.expr(Some(right));
                        let name = self.sheet.name(b"module.exports");
                        self.sheet.facts.exports.push(Export { name, value });
                    }
                    _ => {}
                }
            }
            _ => {
                let (from, to) = (node.end_byte(), self.sheet.block_end());
                patterns::bind(&mut self.sheet, left, value, None, from, to);
            }
        }
    }

    fn leave_export(&mut self, node: Node<'_>) {
        let text = self.sheet.bytes(node);
        if !text.get(6..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"default")) {
            return;
        }
        let inner = field(node, "value").or_else(|| field(node, "declaration"));
        let value = self.sheet.expr(inner);
        let name = self.sheet.name(b"default");
        self.sheet.facts.exports.push(Export { name, value });
    }

    fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
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
                if let Some(name) = field(node, "property") {
                    let name = self.sheet.name_of(name);
                    self.sheet.set(node, Expr::Field { base, name });
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
                self.sheet.same(node, node.named_child(0));
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
                match operator {
                    b"||" | b"??" | b"&&" => self.any(node, [field(node, "left"), field(node, "right")]),
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
            "object" => self.object(node),
            "string" | "template_string" => {
                self.sheet.set(node, Expr::Text);
            }
            "number" => {
                self.sheet.set(node, Expr::Number);
            }
            "true" | "false" => {
                self.sheet.set(node, Expr::Bool);
            }
            "jsx_opening_element" | "jsx_self_closing_element" => self.component(node),
            _ => types::leave(&mut self.sheet, kind, node),
        }
    }

    fn any(&mut self, node: Node<'_>, parts: [Option<Node<'_>>; 2]) {
        let any = parts.into_iter().flatten().filter_map(|part| self.sheet.known(part)).collect();
        self.sheet.set(node, Expr::Any(any));
    }

    fn object(&mut self, node: Node<'_>) {
        let mut members = Vec::new();
        for child in named_children(node) {
            let (key, value) = match child.kind() {
                "pair" => (field(child, "key"), field(child, "value")),
                "shorthand_property_identifier" => (Some(child), Some(child)),
                "method_definition" => (field(child, "name"), Some(child)),
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
        self.sheet.set(node, Expr::Object(members));
    }

    fn call(&mut self, node: Node<'_>) {
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
        let callee = self.sheet.expr(Some(function));
        let args: Vec<ExprIx> = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        for (arg, ix) in arguments.iter().zip(&args) {
            if matches!(arg.kind(), "identifier" | "member_expression") {
                self.sheet.used(*ix, *arg);
            }
        }
        let types = types::arguments(&mut self.sheet, field(node, "type_arguments"));
        let call = self.sheet.set(node, Expr::Call { callee, args, types });
        let place = field(function, "property").unwrap_or(function);
        self.sheet.call(call, place);
        self.settle(&arguments, call);
        self.route(node, function, &arguments);
    }

    /// Functions given to a call learn what they are called with.
    fn settle(&mut self, arguments: &[Node<'_>], call: ExprIx) {
        for (position, argument) in arguments.iter().enumerate() {
            for waiting in self.functions.remove(&argument.id()).unwrap_or_default() {
                if let Expr::ArgOf { call: slot, arg, .. } = &mut self.sheet.facts.exprs[waiting.0 as usize] {
                    *slot = call;
                    *arg = position as u32;
                }
            }
        }
    }

    fn new_expression(&mut self, node: Node<'_>) {
        let callee = self.sheet.expr(field(node, "constructor"));
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let args: Vec<ExprIx> = arguments.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        let types = types::arguments(&mut self.sheet, field(node, "type_arguments"));
        let call = self.sheet.set(node, Expr::Call { callee, args, types });
        let place = field(node, "constructor").unwrap_or(node);
        self.sheet.call(call, place);
        self.settle(&arguments, call);
    }

    /// `<Cart />` runs the component.
    fn component(&mut self, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let is_component = name.kind() == "member_expression"
            || self.sheet.bytes(name).first().is_some_and(u8::is_ascii_uppercase);
        if is_component {
            let callee = self.sheet.expr(Some(name));
            let call = self.sheet.push(Expr::Call { callee, args: Vec::new(), types: Vec::new() });
            self.sheet.call(call, name);
        }
    }

    /// `app.get('/path', handler)` of express, fastify, koa-router, hono.
    fn route(&mut self, node: Node<'_>, function: Node<'_>, arguments: &[Node<'_>]) {
        let Some(verb) = field(function, "property").map(|p| self.sheet.text(p)) else {
            return;
        };
        if !matches!(verb, "get" | "post" | "put" | "delete" | "patch" | "all" | "head" | "options") {
            return;
        }
        let object = field(function, "object").map(|o| self.sheet.text(o)).unwrap_or("");
        let is_router = object.rsplit('.').next().is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            matches!(name.as_str(), "app" | "server" | "fastify" | "api")
                || name.ends_with("router")
                || name.ends_with("routes")
        });
        let (Some(first), Some(last)) = (arguments.first(), arguments.last()) else {
            return;
        };
        let pattern = self.sheet.text(*first).trim_matches(['"', '\'', '`']).to_owned();
        if !is_router || arguments.len() < 2 || first.kind() != "string" || !pattern.starts_with('/') {
            return;
        }
        let value = self.sheet.expr(Some(*last));
        let method = if verb == "all" { "ANY".to_owned() } else { verb.to_uppercase() };
        let handler = match self.sheet.facts.expr(value) {
            Expr::Def(ix) => RouteHandler::Def(*ix),
            _ => RouteHandler::Value(value),
        };
        self.sheet.facts.routes.push(Route { method, pattern, handler, line: line(node) });
    }
}

/// The bytes of a planned name where they stand in the source near a definition.
fn find<'s>(source: &'s [u8], node: Node<'_>, name_node: Node<'_>, name: &[u8]) -> Option<&'s [u8]> {
    let here = source.get(name_node.byte_range())?;
    if here == name {
        return Some(here);
    }
    // The name stands before the function: `const name = () => …`, `name: () => …`, `test('name', …)`.
    let before = source.get(node.start_byte().saturating_sub(LOOK_BACK + name.len())..node.start_byte())?;
    let at =
        (0..=before.len().checked_sub(name.len())?).rev().find(|&at| &before[at..at + name.len()] == name)?;
    (!name.is_empty()).then(|| &before[at..at + name.len()])
}

/// How far before a function its name may stand: a long type may lie between.
const LOOK_BACK: usize = 600;
