//! Reading the facts of one file by the roles of its nodes.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::rules::ROOT;
use super::{Function, Grammar, HandedTo, Imported, Role, Source, Unit};
use crate::facts::{
    By, Def, DefIx, DefKind, Export, Expr, ExprIx, Few, Field, FileFacts, How, Import, ImportAll, Name,
    Param, Route, RouteHandler, Scope, TypeExpr, TypeIx,
};
use crate::sheet::{Sheet, field, last_line, line, named_children};
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

struct Reader<'s, 't> {
    grammar: &'static Grammar,
    source: Source<'s>,
    sheet: Sheet<'s>,
    /// Nodes that opened something, innermost last.
    opened: Vec<Opened>,
    /// Members written outside their type, by where and of what.
    impls: FxHashMap<(Scope, Few<Name>), DefIx>,
    /// Nodes that look like calls and are none.
    heads: FxHashSet<usize>,
    /// The node being read and those around it, outermost first.
    path: Vec<Node<'t>>,
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
                def.flags = def.flags.with(NodeFlags::EXPORTED);
                def.bases = bases.into_iter().map(|base| self.type_at(base)).collect();
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

    fn import(&mut self, node: Node<'_>, imported: Imported) {
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
        let kind = if in_type || function.marks.is_method { DefKind::Method } else { DefKind::Function };
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
            _ if function.marks.is_property => How::Property,
            (DefKind::Function, _) => How::Free,
            (_, true) => How::Static,
            (_, false) => How::Instance,
        };
        let marks = function.marks;
        if !marks.is_private {
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
        let ix = self.sheet.open_def(def);
        let params = self.bind_params(node, function.params);
        let returns = function.returns.map(|ty| self.type_at(ty));
        let def = self.sheet.def_mut(ix);
        def.params = params.into();
        def.returns = returns;
        self.routes(node, Some(ix));
        defs
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

    /// A written type: its names, without what it is made of.
    fn type_at(&mut self, node: Node<'_>) -> TypeIx {
        let text = self.source.text(node).trim();
        let text = text.trim_start_matches(['?', '*', '&', ':', '!', '(', ' ']);
        let text = text.strip_prefix("const ").unwrap_or(text);
        if let Some(element) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
            && !element.contains(':')
        {
            let of = self.type_named(element, node);
            return self.sheet.push_type(TypeExpr::List(of));
        }
        if let Some(element) = text.strip_suffix("[]") {
            let of = self.type_named(element, node);
            return self.sheet.push_type(TypeExpr::List(of));
        }
        self.type_named(text, node)
    }

    fn type_named(&mut self, text: &str, node: Node<'_>) -> TypeIx {
        if let Some((asked, rest)) = text.strip_prefix("@import(\"").and_then(|rest| rest.split_once("\")")) {
            return self.type_loaded(asked, rest, node);
        }
        let plain = text.split(['<', '[', '(', '?', '|', '&', '{', ' ', ')', '!', ',']).next().unwrap_or("");
        let segments = self.split(plain);
        if segments.is_empty() {
            return self.sheet.push_type(TypeExpr::Unknown);
        }
        let scope = self.sheet.scope();
        self.sheet.push_type(TypeExpr::Path {
            segments: segments.into(),
            args: Few::new(),
            scope,
            line: line(node),
        })
    }

    /// A file loaded where a type stands, or a type in it.
    fn type_loaded(&mut self, asked: &str, rest: &str, node: Node<'_>) -> TypeIx {
        self.import(node, Imported { path: vec![asked.to_owned()], bind: Some(asked.to_owned()) });
        let mut segments = vec![self.sheet.owned_name(asked)];
        segments.extend(self.split(rest));
        let scope = self.sheet.scope();
        self.sheet.push_type(TypeExpr::Path {
            segments: segments.into(),
            args: Few::new(),
            scope,
            line: line(node),
        })
    }

    fn split(&mut self, text: &str) -> Vec<Name> {
        let root = text.starts_with(ROOT).then_some(ROOT);
        let parts = text.split(['.', ':', '\\']).map(str::trim).filter(|part| !part.is_empty());
        let parts: Vec<&str> = root.into_iter().chain(parts).collect();
        parts.into_iter().map(|part| self.sheet.owned_name(part)).collect()
    }

    fn expression(&mut self, node: Node<'t>) {
        if self.heads.contains(&node.id()) {
            return;
        }
        let scope = self.sheet.scope();
        let at = node.start_byte() as u32;
        match (self.grammar.role)(&self.source, node, self.path.last().copied()) {
            Role::Value { name, ty, value, is_constant } => self.value(node, name, ty, value, is_constant),
            Role::Call { receiver, name, args } => {
                let text = self.sheet.name_of(name);
                let callee = match receiver {
                    Some(receiver) => {
                        let base = self.receiver(receiver);
                        let base = if self.grammar.extensions { self.seen_here(base, node) } else { base };
                        self.sheet.push(Expr::Field { base, name: text })
                    }
                    None => self.bare(name),
                };
                let args = args.map(named_children).unwrap_or_default();
                let mut args: Vec<ExprIx> = args.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
                if self.is_piped(node) {
                    args.insert(0, self.sheet.push(Expr::Unknown));
                }
                let call = self.sheet.set(node, Expr::Call { callee, args: args.into(), types: Few::new() });
                self.sheet.call(call, name);
                self.routes(node, None);
            }
            Role::Captured { receiver, name, takes } => {
                let text = self.sheet.name_of(name);
                let callee = match receiver {
                    Some(receiver) => {
                        let base = self.receiver(receiver);
                        self.sheet.push(Expr::Field { base, name: text })
                    }
                    None => self.bare(name),
                };
                let args: Vec<ExprIx> = (0..takes).map(|_| self.sheet.push(Expr::Unknown)).collect();
                let call = self.sheet.push(Expr::Call { callee, args: args.into(), types: Few::new() });
                self.sheet.used(call, node);
            }
            Role::Alias { name, of } => {
                let called = self.sheet.name_of(name);
                let of = self.type_at(of);
                let mut def = self.sheet.def(DefKind::TypeAlias, called, node, name);
                def.doc = self.sheet.take_doc(def.line_start);
                def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
                def.of = Some(of);
                self.sheet.add_def(def);
            }
            Role::New { ty, args } => {
                let ty_ix = self.type_at(ty);
                let made = self.sheet.set(node, Expr::Of { ty: ty_ix });
                let callee = self.sheet.push(Expr::Out { of: made, by: By::Class });
                let args = args.map(named_children).unwrap_or_default();
                let args = args.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
                let call = self.sheet.push(Expr::Call { callee, args, types: Few::new() });
                self.sheet.call(call, ty);
            }
            Role::HandedOn { to, args } => {
                let of = self.sheet.push(match to {
                    HandedTo::Own => Expr::This { scope },
                    HandedTo::Base => Expr::Super { scope },
                });
                let callee = self.sheet.push(Expr::Out { of, by: By::Class });
                self.called(node, callee, args);
            }
            Role::Overridden { args } => {
                let base = self.sheet.push(Expr::Super { scope });
                if let Some(owner) = self.sheet.owner() {
                    let name = self.sheet.facts.def(owner).name;
                    let callee = self.sheet.push(Expr::Field { base, name });
                    self.called(node, callee, args);
                }
            }
            Role::Member { base, name } => {
                let base = self.receiver(base);
                let name = self.sheet.name_of(name);
                self.sheet.set(node, Expr::Field { base, name });
            }
            Role::ValueOf { ty } => {
                let ty = self.type_at(ty);
                self.sheet.set(node, Expr::Of { ty });
            }
            Role::Table { name } => {
                let name = self.sheet.name_of(name);
                let value = self.sheet.push(Expr::Unknown);
                self.sheet.facts.exports.push(Export { name, value });
            }
            Role::Name => {
                let name = self.sheet.name_of(node);
                self.sheet.set(node, Expr::Name { name, at, scope });
            }
            Role::Path => {
                let text = self.source.text(node);
                let segments = self.split(text);
                if !segments.is_empty() {
                    self.sheet
                        .set(node, Expr::Path { segments: segments.into(), args: Few::new(), scope, at });
                }
            }
            Role::Loaded(asked) => {
                let import = self.sheet.facts.imports.len() as u32;
                self.import(node, Imported { path: vec![asked.clone()], bind: Some(asked) });
                self.sheet.set(node, Expr::Import(import));
            }
            Role::This => {
                self.sheet.set(node, Expr::This { scope });
            }
            Role::Super => {
                self.sheet.set(node, Expr::Super { scope });
            }
            Role::Text => {
                self.sheet.set(node, Expr::Text);
            }
            Role::Number => {
                self.sheet.set(node, Expr::Number);
            }
            Role::Bool => {
                self.sheet.set(node, Expr::Bool);
            }
            Role::Same(part) => self.sheet.same(node, Some(part)),
            _ => {}
        }
    }

    fn called(&mut self, node: Node<'_>, callee: ExprIx, args: Option<Node<'_>>) {
        let args = args.map(named_children).unwrap_or_default();
        let args = args.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        let call = self.sheet.set(node, Expr::Call { callee, args, types: Few::new() });
        self.sheet.call(call, node);
    }

    fn routes(&mut self, node: Node<'t>, function: Option<DefIx>) {
        let Some(routes) = self.grammar.routes else { return };
        let path = self.sheet.facts.path.clone();
        for found in routes(&self.source, &path, &self.path, node) {
            let (scope, at) = (self.sheet.scope(), node.start_byte() as u32);
            let handler = match function {
                Some(function) => RouteHandler::Def(function),
                // A block without a name answers.
                None if found.handler.is_empty() => RouteHandler::Value(self.sheet.push(Expr::Unknown)),
                None => {
                    let segments = found.handler.iter().map(|part| self.sheet.owned_name(part)).collect();
                    RouteHandler::Value(self.sheet.push(Expr::Path { segments, args: Few::new(), scope, at }))
                }
            };
            let route = Route {
                method: found.method.to_owned(),
                pattern: found.pattern,
                handler,
                line: line(node),
                below: None,
            };
            self.sheet.facts.routes.push(route);
        }
    }

    /// A keyword that stands for the object may be no node of its own.
    fn receiver(&mut self, node: Node<'_>) -> ExprIx {
        let scope = self.sheet.scope();
        match self.source.text(node) {
            "this" if !node.is_named() => self.sheet.push(Expr::This { scope }),
            "base" | "super" if !node.is_named() => self.sheet.push(Expr::Super { scope }),
            _ => self.sheet.expr(Some(node)),
        }
    }

    /// A value together with where it is seen from: a path of no names, told what it is.
    fn seen_here(&mut self, base: ExprIx, node: Node<'_>) -> ExprIx {
        let (scope, at) = (self.sheet.scope(), node.start_byte() as u32);
        let ty = self.sheet.push_type(TypeExpr::ValueOf(base));
        self.sheet.push(Expr::Path { segments: Few::new(), args: [ty].into(), scope, at })
    }

    /// Whether `x |> f()` gives the call one more argument.
    fn is_piped(&self, node: Node<'_>) -> bool {
        let up = self.path.last().filter(|up| up.kind() == "binary_operator");
        up.is_some_and(|up| {
            let operator = field(*up, "operator").map_or("", |operator| self.source.text(operator));
            operator == "|>" && field(*up, "right").is_some_and(|right| right.id() == node.id())
        })
    }

    /// What stands before the brackets of a call without a receiver. A local of that name hides all else.
    fn bare(&mut self, name: Node<'_>) -> ExprIx {
        let (scope, at) = (self.sheet.scope(), name.start_byte() as u32);
        let text = self.source.text(name);
        let segments = self.split(text);
        let is_local = matches!(segments[..], [only] if self.is_local(only, at));
        match segments[..] {
            [] => self.sheet.push(Expr::Unknown),
            [only] if is_local => self.sheet.push(Expr::Name { name: only, at, scope }),
            _ => self.sheet.push(Expr::Path { segments: segments.into(), args: Few::new(), scope, at }),
        }
    }

    fn is_local(&self, name: Name, at: u32) -> bool {
        let owner = self.sheet.owner();
        let bindings = self.sheet.facts.bindings.iter().rev().take_while(|b| b.owner == owner).take(200);
        owner.is_some() && bindings.into_iter().any(|b| b.name == name && b.from <= at && at < b.to)
    }

    fn value(
        &mut self,
        node: Node<'_>,
        name_node: Node<'_>,
        ty: Option<Node<'_>>,
        value: Option<Node<'_>>,
        is_constant: bool,
    ) {
        let ty = ty.map(|ty| self.type_at(ty));
        let value = value.and_then(|value| self.sheet.known(value));
        let name = self.sheet.name_of(name_node);
        let around = self.sheet.scope_kind();
        if around.is_some_and(|kind| kind.is_type() || kind == DefKind::Impl) {
            let entry = Field { name, ty, value, line: line(node) };
            self.sheet.current().into_iter().for_each(|def| def.fields.push(entry.clone()));
        } else {
            let to = self.sheet.block_end();
            self.sheet.bind(name, node.start_byte(), to, ty, value);
        }
        if is_constant && !around.is_some_and(DefKind::is_callable) {
            let mut def = self.sheet.def(DefKind::Constant, name, node, name_node);
            def.doc = self.sheet.take_doc(def.line_start);
            def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
            def.of = ty;
            def.value = value;
            self.sheet.add_def(def);
        }
        self.sheet.drop_comments();
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
