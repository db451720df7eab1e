//! Where definitions of a TypeScript or JavaScript file begin, and what they are called.

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::extract::{Plan, Reader};
use crate::facts::{DefIx, DefKind, Expr, How};
use crate::sheet::{field, line, named_children};

impl Reader<'_> {
    pub(super) fn open(
        &mut self,
        node: Node<'_>,
        name_node: Node<'_>,
        plan: Plan,
        body: Option<Node<'_>>,
    ) -> DefIx {
        if let Some(owner) = &plan.owner {
            self.enter_impl(node, owner);
        }
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
        let is_method = plan.kind == DefKind::Method;
        if let Some((from, to)) = self.block_of(&plan) {
            def.how = match node.kind() {
                "function_declaration" | "generator_function_declaration" => How::Hoisted,
                _ => How::Block,
            };
            let next = DefIx(self.sheet.facts.defs.len() as u32);
            let value = self.sheet.push(Expr::Def(next));
            self.sheet.bind(name, from, to, None, Some(value));
        }
        let ix = self.sheet.open_def(def);
        if let Some(body) = body {
            self.bodies.insert(ix, (body.start_byte(), body.end_byte() as u32));
        }
        if is_method {
            self.decorate(ix);
        }
        self.defs.insert(node.id(), ix);
        self.sheet.open_block(node);
        ix
    }

    /// The block within which alone a function or a class has its name, where it stands neither at the top of a file nor of
    /// what is defined around it.
    fn block_of(&self, plan: &Plan) -> Option<(usize, u32)> {
        let is_named = plan.how == How::Free && matches!(plan.kind, DefKind::Function | DefKind::Class);
        if !is_named || plan.flags.has(NodeFlags::EXPORTED) {
            return None;
        }
        let (from, to) = match plan.is_var {
            true => self.sheet.function_range(),
            false => (self.sheet.block_start(), self.sheet.block_end()),
        };
        let whole = match self.sheet.scope() {
            None => (0, self.sheet.source.len() as u32),
            Some(ix) => (self.sheet.facts.def(ix).from as usize, self.sheet.facts.def(ix).to),
        };
        let body = self.sheet.scope().and_then(|ix| self.bodies.get(&ix)).copied();
        ((from, to) != whole && Some((from, to)) != body).then_some((from, to))
    }

    pub(super) fn close(&mut self, node: Node<'_>) -> bool {
        if self.defs.contains_key(&node.id()) {
            self.sheet.close_block();
            self.sheet.close_def();
            if self.owned.remove(&node.id()) {
                self.sheet.close_def();
            }
            return true;
        }
        false
    }

    pub(super) fn plan_of(&self, name: &[u8], kind: DefKind, how: How, node: Node<'_>) -> Plan {
        Plan {
            name: name.to_vec(),
            kind,
            how,
            is_var: false,
            from: node.start_byte(),
            line: line(node),
            flags: NodeFlags::default(),
            owner: None,
        }
    }

    pub(super) fn enter_function(&mut self, node: Node<'_>, kind: DefKind) {
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
        let told = self.told_of(&plan.name);
        let ix = self.open(node, name_node.unwrap_or(node), plan, body);
        let def = self.sheet.def_mut(ix);
        if let Some(doc) = told.filter(|_| def.doc.is_empty()) {
            def.doc = doc;
        }
    }

    pub(super) fn enter_method(&mut self, node: Node<'_>) {
        let Some(name_node) = field(node, "name") else {
            return;
        };
        let in_type =
            matches!(self.sheet.scope_kind(), Some(DefKind::Class | DefKind::Interface | DefKind::TypeAlias))
                || self.members.contains(&node.id());
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

    pub(super) fn enter_function_value(&mut self, node: Node<'_>) {
        match self.planned.remove(&node.id()) {
            Some(mut plan) => {
                if self.sheet.bytes(node).starts_with(b"async") {
                    plan.flags = plan.flags.with(NodeFlags::ASYNC);
                }
                let own = field(node, "name").filter(|own| self.sheet.bytes(*own) == plan.name);
                self.open(node, own.unwrap_or(node), plan, field(node, "body"));
            }
            None => self.sheet.open_closure(node),
        }
    }

    pub(super) fn enter_type(&mut self, node: Node<'_>, kind: DefKind) {
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

    pub(super) fn plan_export(&mut self, node: Node<'_>) {
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
    pub(super) fn enter_declarator(&mut self, node: Node<'_>) {
        let (Some(name_node), value) = (field(node, "name"), field(node, "value")) else {
            return;
        };
        if name_node.kind() != "identifier" {
            return;
        }
        let exported = self.planned.remove(&node.id());
        let mut plan = exported.unwrap_or_else(|| self.plan_of(b"", DefKind::Function, How::Free, node));
        plan.name = self.sheet.bytes(name_node).to_vec();
        plan.is_var = self.vars.contains(&node.id());
        match value.and_then(function_held) {
            Some(function) => drop(self.planned.insert(function.id(), plan)),
            None if self.sheet.scope().is_none() => {
                plan.kind = DefKind::Constant;
                let ix = self.open(node, name_node, plan, value);
                // The value of a constant is not a scope of its own.
                self.sheet.close_block();
                debug_assert!(self.sheet.scope() == Some(ix));
            }
            None => {}
        }
    }

    pub(super) fn plan_field(&mut self, node: Node<'_>) {
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

    pub(super) fn plan_pair(&mut self, node: Node<'_>) {
        if let (Some(key), Some(value)) = (field(node, "key"), field(node, "value"))
            && matches!(value.kind(), "arrow_function" | "function_expression")
            && key.kind() == "property_identifier"
        {
            let kind = match self.members.contains(&node.id()) {
                true => DefKind::Method,
                false => DefKind::Function,
            };
            let plan = self.plan_of(self.sheet.bytes(key), kind, How::Instance, node);
            self.planned.insert(value.id(), plan);
        }
    }

    /// `exports.name = function`, `Type.prototype.name = function`, `Type.name = function`.
    pub(super) fn plan_assignment(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
        self.plan_prototype(left, right);
        let is_function = matches!(right.kind(), "arrow_function" | "function_expression" | "class");
        let name = field(left, "property").filter(|_| left.kind() == "member_expression");
        let Some(name) = name.filter(|_| is_function) else { return };
        let owner = self.owner_of(left);
        let is_instance = matches!(owner, Some((_, How::Instance)));
        if self.sheet.scope().is_some() && !is_instance {
            return;
        }
        let mut plan = self.plan_of(self.sheet.bytes(name), DefKind::Function, How::Free, node);
        if let Some((owner, how)) = owner {
            (plan.kind, plan.how, plan.owner) = (DefKind::Method, how, Some(owner));
        }
        let written = self.sheet.bytes(left);
        if written.starts_with(b"exports.") || written.starts_with(b"module.exports") {
            plan.flags = plan.flags.with(NodeFlags::EXPORTED);
        }
        // `module.exports = function go()` is known as `go`, but nobody in the file can call it so.
        if let (b"module.exports", Some(own)) = (written, field(right, "name")) {
            plan.name = self.sheet.bytes(own).to_vec();
            plan.how = How::Static;
        }
        self.planned.insert(right.id(), plan);
    }

    /// `test('name', () => …)` in a test file is a test.
    pub(super) fn plan_test(&mut self, node: Node<'_>) {
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
            let mut plan = self.plan_of(name, DefKind::Function, How::Titled, node);
            plan.flags = NodeFlags::TEST_CODE.with(NodeFlags::ENTRY_POINT);
            self.planned.insert(body.id(), plan);
        }
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

/// The function or class that a value is, whatever brackets are around it and whatever type it is said to have.
fn function_held(value: Node<'_>) -> Option<Node<'_>> {
    let mut value = value;
    loop {
        value = match value.kind() {
            "arrow_function" | "function_expression" | "generator_function" | "class" => return Some(value),
            "parenthesized_expression" | "as_expression" | "satisfies_expression" | "non_null_expression" => {
                named_children(value).into_iter().find(|child| child.kind() != "comment")?
            }
            "type_assertion" => named_children(value).into_iter().next_back()?,
            _ => return None,
        };
    }
}
