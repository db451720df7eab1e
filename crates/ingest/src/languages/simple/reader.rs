//! Reading the facts of one file by the roles of its nodes.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::{Function, Grammar, Imported, Role, Source, Unit, child_of};
use crate::facts::{
    Def, DefIx, DefKind, Expr, Few, FileFacts, How, Import, ImportAll, Name, Param, Scope, TypeExpr, TypeIx,
};
use crate::sheet::{Sheet, field, last_line, line};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, lost_bytes, parse, walk};

pub(super) fn read(
    grammar: &'static Grammar,
    path: &str,
    source: &[u8],
    limit: Duration,
) -> Result<FileFacts, ParseError> {
    let mut tree = parse(&(grammar.language)(), source, limit)?;
    if let Some(readable) = grammar.readable.filter(|_| tree.root_node().has_error()) {
        let second = parse(&(grammar.language)(), &readable(source), limit)?;
        if lost_bytes(&second) < lost_bytes(&tree) {
            tree = second;
        }
    }
    let mut reader = Reader {
        grammar,
        source: Source(source),
        sheet: Sheet::new(path, grammar.name, source),
        opened: Vec::new(),
        impls: FxHashMap::default(),
        heads: FxHashSet::default(),
        handed: FxHashMap::default(),
        path: Vec::new(),
    };
    if (grammar.is_test_path)(path) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    Ok(reader.sheet.finish())
}

pub(super) struct Reader<'s, 't> {
    pub(super) grammar: &'static Grammar,
    pub(super) source: Source<'s>,
    pub(super) sheet: Sheet<'s>,
    /// Nodes that opened something, innermost last.
    opened: Vec<Opened>,
    /// Members written outside their type, by where and of what.
    impls: FxHashMap<(Scope, Few<Name>), DefIx>,
    /// Nodes that look like calls and are none.
    pub(super) heads: FxHashSet<usize>,
    /// Methods that are handed a block, by call; nothing where they run it as it stands.
    pub(super) handed: FxHashMap<usize, Option<TypeIx>>,
    /// The node being read and those around it, outermost first.
    pub(super) path: Vec<Node<'t>>,
}

struct Opened {
    node: usize,
    defs: u32,
    has_block: bool,
}

impl<'t> Visit<'t> for Reader<'_, 't> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        let (mut defs, mut has_block) = (0, false);
        let up = self.path.last().copied();
        self.path.push(node);
        if self.grammar.is_dynamic() {
            self.branch(node);
        }
        match (self.grammar.role)(&self.source, node, up) {
            Role::Skip => return Descend::Past,
            Role::Comment => {
                self.comment(node);
                return Descend::Past;
            }
            Role::Import(names) => {
                for name in names {
                    self.import(node, name);
                }
                self.sheet.drop_comments();
            }
            Role::Package { name, body } => defs = self.package(node, name, body),
            Role::Type { kind, name, body, bases } => {
                let mut def = self.named(kind, node, name, None, body);
                if !self.is_private_type(node, name) {
                    def.flags = def.flags.with(NodeFlags::EXPORTED);
                }
                def.bases = bases.into_iter().map(|base| self.type_at(base)).collect();
                self.sheet.open_def(def);
                defs = 1;
            }
            Role::Nameless { base, body } => {
                let name = self.sheet.nameless(base.map_or("object", |base| self.source.text(base)));
                let mut def = self.sheet.def(DefKind::Class, name, node, node);
                let end = body.map_or(node.end_byte(), |body| body.start_byte());
                def.signature = self.sheet.signature(node.start_byte(), end);
                def.how = How::Titled;
                def.bases = base.into_iter().map(|base| self.type_at(base)).collect();
                self.sheet.open_def(def);
                defs = 1;
            }
            Role::Extension { of, bases } => {
                self.enter_impl(node, of);
                let bases: Vec<TypeIx> = bases.into_iter().map(|base| self.type_at(base)).collect();
                if let Some(def) = self.sheet.current() {
                    def.bases.extend(bases);
                }
                defs = 1;
            }
            Role::Function(function) => {
                defs = self.function(node, function);
                has_block = true;
            }
            Role::Block => has_block = true,
            _ => {}
        }
        if has_block {
            self.sheet.open_block(node);
        }
        if defs > 0 || has_block {
            self.opened.push(Opened { node: node.id(), defs, has_block });
        }
        Descend::Into
    }

    fn leave(&mut self, node: Node<'t>) {
        if !node.is_named() {
            return;
        }
        self.path.pop();
        self.sheet.close_branch(node);
        if self.opened.last().is_some_and(|opened| opened.node == node.id())
            && let Some(opened) = self.opened.pop()
        {
            if opened.has_block {
                self.sheet.close_block();
            }
            for _ in 0..opened.defs {
                self.sheet.close_def();
            }
            if opened.defs > 0 {
                self.sheet.drop_comments();
            }
            return;
        }
        self.expression(node);
    }
}

impl<'t> Reader<'_, 't> {
    /// Opens what may be skipped, and functions, which begin without doubts.
    fn branch(&mut self, node: Node<'t>) {
        self.sheet.enter_arm(node);
        match node.kind() {
            "if_statement" | "if" | "unless" | "elsif" | "elseif_statement" | "try_statement" => {
                let fields = ["consequence", "body"];
                self.sheet.note_arm(fields.into_iter().find_map(|name| field(node, name)));
            }
            "else_statement" | "else_clause" | "else_if_clause" | "else" | "when" | "in_clause"
            | "rescue" | "catch_clause" | "case_statement" | "default_statement" | "for_statement"
            | "for" | "while" | "until" | "while_statement" | "repeat_statement" | "foreach_statement"
            | "if_modifier" | "unless_modifier" | "rescue_modifier" => self.sheet.open_branch(node, true),
            "function_declaration"
            | "function_definition"
            | "method"
            | "singleton_method"
            | "method_declaration"
            | "anonymous_function"
            | "arrow_function"
            | "class"
            | "module"
            | "class_declaration" => self.sheet.open_branch(node, false),
            _ => {}
        }
    }

    fn comment(&mut self, node: Node<'_>) {
        let text = self.source.text(node);
        let lines = text.trim_end_matches("*/").trim_end_matches("--]]").lines();
        let marks = ['/', '*', '#', '-', '!', ';', '['];
        let lines: Vec<&str> = lines.map(|line| line.trim().trim_start_matches(marks).trim()).collect();
        let text = lines.join("\n");
        // A document may be an attribute, and other attributes stand between it and its definition.
        let text = match text.strip_prefix("@doc").or_else(|| text.strip_prefix("@moduledoc")) {
            Some(doc) => doc.trim().trim_start_matches("~S").trim_matches('"').trim(),
            None if text.starts_with('@') => "",
            None => text.trim(),
        };
        self.sheet.comment(node, text.to_owned());
    }

    pub(super) fn import(&mut self, node: Node<'_>, imported: Imported) {
        let path = imported.path.iter().map(|part| self.sheet.owned_name(part)).collect();
        let all = if imported.bind.is_none() { ImportAll::Yes } else { ImportAll::No };
        let bind = self.sheet.owned_name(imported.bind.as_deref().unwrap_or(""));
        let entry =
            Import { path, level: 0, item: None, bind, all, exported: false, scope: None, line: line(node) };
        self.sheet.facts.imports.push(entry);
    }

    fn package(&mut self, node: Node<'_>, name: Node<'_>, body: Option<Node<'_>>) -> u32 {
        let full = self.source.text(name).replace("::", ".").replace('\\', ".");
        if body.is_none() {
            self.sheet.facts.package = full;
            return 0;
        }
        let mut count = 0;
        for part in full.split('.').filter(|part| !part.is_empty()) {
            let called = self.sheet.owned_name(part);
            let mut def = self.sheet.def(DefKind::Module, called, node, name);
            def.signature = self.sheet.signature(node.start_byte(), name.end_byte());
            self.sheet.open_def(def);
            count += 1;
        }
        self.sheet.drop_comments();
        count
    }

    fn named(
        &mut self,
        kind: DefKind,
        node: Node<'_>,
        name: Node<'_>,
        called: Option<&str>,
        body: Option<Node<'_>>,
    ) -> Def {
        let written = called.unwrap_or(self.source.text(name));
        let own = match kind.is_type() || kind == DefKind::Module {
            // `module A::B` is a type of that full name.
            true => written.split(['<', '[']).next().unwrap_or(written).replace("::", ".").trim().to_owned(),
            false => last_part(written).to_owned(),
        };
        let text = self.sheet.owned_name(&own);
        let mut def = self.sheet.def(kind, text, node, name);
        def.doc = self.sheet.take_doc(def.line_start);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let start = self.after_attributes(node, name);
        // A comment between a head and its body belongs to what comes after it.
        let head = self.source.0.get(name.end_byte()..end).unwrap_or(&[]);
        let end = head
            .windows(2)
            .position(|two| two == b"\n#" || two == b" #")
            .map_or(end, |at| name.end_byte() + at);
        let signature = self.sheet.signature(start, end);
        let signature = signature.trim_end_matches("end").trim_end_matches([',', ';', ' ']);
        def.signature = signature.strip_suffix(" do").unwrap_or(signature).to_owned();
        def
    }

    /// Where a definition starts to say what it is.
    fn after_attributes(&self, node: Node<'_>, name: Node<'_>) -> usize {
        let head = self.source.before(node, name);
        let mut at = 0;
        for line in head.split_inclusive('\n') {
            let is_attribute =
                line.trim_start().starts_with(['@', '[']) || line.trim_start().starts_with("#[");
            if !is_attribute || !line.ends_with('\n') {
                break;
            }
            at += line.len();
        }
        node.start_byte() + at
    }

    fn enter_impl(&mut self, node: Node<'_>, of: Node<'_>) {
        let scope = self.sheet.scope();
        let ty = self.type_at(of);
        let segments = match &self.sheet.facts.types[ty.0 as usize] {
            TypeExpr::Path { segments, .. } => segments.clone(),
            _ => Few::new(),
        };
        if let Some(&known) = self.impls.get(&(scope, segments.clone())) {
            return self.sheet.enter_def(known);
        }
        let name = self.sheet.owned_name("");
        let mut def = self.sheet.def(DefKind::Impl, name, node, of);
        def.of = Some(ty);
        let ix = self.sheet.open_def(def);
        self.impls.insert((scope, segments), ix);
    }

    fn function(&mut self, node: Node<'t>, function: Function<'t>) -> u32 {
        let mut defs = 1;
        self.heads.extend(function.head.map(|head| head.id()));
        if let Some(of) = function.of {
            self.enter_impl(node, of);
            defs += 1;
        }
        let around = self.sheet.scope_kind();
        let holds_methods = |kind: DefKind| {
            kind.is_type()
                || kind == DefKind::Impl
                || (kind == DefKind::Module && self.grammar.unit == Unit::Program)
        };
        let in_type = around.is_some_and(holds_methods);
        let nameless = self.nameless_base();
        let is_method = in_type || function.marks.is_method || nameless.is_some();
        let kind = if is_method { DefKind::Method } else { DefKind::Function };
        if let Some(clause) = self.clause_of(node, &function) {
            self.sheet.enter_def(clause);
            self.bind_params(node, function.params);
            return defs;
        }
        let mut def = self.named(kind, node, function.name, function.called.as_deref(), function.body);
        if let Some(shown) = function.shown {
            def.signature = shown;
        }
        def.how = match (kind, function.marks.is_static) {
            _ if function.marks.is_titled => How::Titled,
            _ if function.marks.is_property => How::Property,
            (DefKind::Function, _) => How::Free,
            (_, true) => How::Static,
            (_, false) => How::Instance,
        };
        let marks = function.marks;
        if !marks.is_private && !self.is_in_block() {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        if marks.is_test {
            def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
        }
        if marks.is_entry {
            def.flags = def.flags.with(NodeFlags::ENTRY_POINT);
        }
        if function.body.is_none() && in_type && !marks.is_bodiless {
            def.flags = def.flags.with(NodeFlags::ABSTRACT);
        }
        def.of = nameless.map(|base| self.type_at(base));
        // `f = function` gives a local of the function around a value like any other.
        if node.kind() == "assignment_statement" && around.is_some_and(DefKind::is_callable) {
            let next = DefIx(self.sheet.facts.defs.len() as u32);
            let (name, value, to) = (def.name, self.sheet.push(Expr::Def(next)), self.sheet.block_end());
            self.sheet.bind(name, node.start_byte(), to, None, Some(value));
        }
        let ix = self.sheet.open_def(def);
        let params = self.bind_params(node, function.params);
        let returns = function.returns.map(|ty| self.type_at(ty));
        let def = self.sheet.def_mut(ix);
        def.params = params.into();
        def.returns = returns;
        self.routes(node, Some(ix));
        defs
    }

    /// What the object without a name extends that a function of Kotlin stands in: `object : Base { … }`.
    fn nameless_base(&self) -> Option<Node<'t>> {
        let [.., object, body, _] = self.path[..] else { return None };
        if self.grammar.name != "kotlin" || object.kind() != "object_literal" || body.kind() != "class_body" {
            return None;
        }
        let specifiers = child_of(object, &["delegation_specifiers"])?;
        let base = specifiers.named_child(0)?.named_child(0)?;
        if base.kind() == "constructor_invocation" { base.named_child(0) } else { Some(base) }
    }

    /// `private struct A`, in languages where that means this file alone.
    fn is_private_type(&self, node: Node<'_>, name: Node<'_>) -> bool {
        let mut words = self.source.before(node, name).split_whitespace();
        let is_by_file = matches!(self.grammar.name, "swift" | "kotlin");
        is_by_file && words.any(|word| matches!(word, "private" | "fileprivate"))
    }

    /// Whether a method of Ruby stands in a block outside of every class: it is one of what the block is run by.
    fn is_in_block(&self) -> bool {
        let mut around = self.path.iter();
        self.grammar.name == "ruby"
            && self.sheet.scope().is_none()
            && around.any(|node| matches!(node.kind(), "do_block" | "block"))
    }

    fn bind_params(&mut self, node: Node<'_>, given: Vec<super::Param<'_>>) -> Vec<Param> {
        let mut params = Vec::new();
        for param in given {
            let ty = param.ty.map(|ty| self.type_at(ty));
            let name = self.sheet.name_of(param.name);
            self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, ty, None);
            params.push(Param { name, ty });
        }
        params
    }

    /// The function that this is a further clause of: the last one, of the same name and parameters.
    fn clause_of(&mut self, node: Node<'_>, function: &Function<'_>) -> Option<DefIx> {
        if !self.grammar.has_clauses || function.marks.is_test {
            return None;
        }
        let scope = self.sheet.scope();
        let last =
            self.sheet.facts.defs.iter().rposition(|def| def.parent == scope && def.kind.is_callable())?;
        let name = self.sheet.name_of(function.name);
        let def = &mut self.sheet.facts.defs[last];
        if def.name != name || def.params.len() != function.params.len() {
            return None;
        }
        def.to = node.end_byte() as u32;
        def.line_end = last_line(node);
        self.sheet.drop_comments();
        Some(DefIx(last as u32))
    }
}

fn last_part(text: &str) -> &str {
    let plain = text.split(['<', '[']).next().filter(|plain| !plain.is_empty()).unwrap_or(text);
    // A test's name is a sentence, which may have dots.
    if plain.contains(' ') {
        text
    } else {
        plain.rsplit(['.', ':', '\\']).next().filter(|part| !part.is_empty()).unwrap_or(text)
    }
}
