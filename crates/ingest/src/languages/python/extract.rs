//! Reading the facts of one Python file.

use std::time::Duration;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::annotations;
use crate::facts::{
    By, DefIx, DefKind, Expr, ExprIx, Field, FileFacts, How, Import, ImportAll, Param, Route, RouteHandler,
    TypeExpr, TypeIx,
};
use crate::sheet::{Sheet, clip, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, parse, walk};

pub fn extract(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    let tree = parse(&tree_sitter_python::LANGUAGE.into(), source, limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, super::NAME, source),
        decorators: Vec::new(),
        lambdas: FxHashMap::default(),
        doc_wanted: DocWanted::File,
    };
    if is_test_file(path) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || tree.root_node().has_error() {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    let mut facts = reader.sheet.finish();
    widen_first_bindings(&mut facts);
    Ok(facts)
}

/// A name assigned anywhere in a function is local in all of it.
fn widen_first_bindings(facts: &mut FileFacts) {
    let mut last = None;
    for binding in &mut facts.bindings {
        let key = (binding.owner, binding.name);
        if last != Some(key) && binding.to == FUNCTION_WIDE {
            binding.from = 0;
        }
        last = Some(key);
    }
}

/// Marks bindings that hold to the end of their function, which is the rule in Python.
const FUNCTION_WIDE: u32 = u32::MAX;

fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_")
        || name.ends_with("_test.py")
        || name == "conftest.py"
        || path.split('/').any(|part| matches!(part, "tests" | "test" | "testing"))
}

struct Reader<'s> {
    sheet: Sheet<'s>,
    /// Decorators of the definition that comes next.
    decorators: Vec<Decorator>,
    /// Parameters of lambdas whose call is not known yet.
    lambdas: FxHashMap<usize, Vec<ExprIx>>,
    doc_wanted: DocWanted,
}

struct Decorator {
    line: u32,
    text: String,
}

/// Whose first statement comes next: a string there is its documentation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DocWanted {
    No,
    File,
    Def(DefIx),
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        match node.kind() {
            "comment" => return Descend::Past,
            "decorator" => {
                let text = self.sheet.text(node).trim_start_matches('@').trim().to_owned();
                self.decorators.push(Decorator { line: line(node), text });
            }
            "function_definition" => self.open_function(node),
            "class_definition" => self.open_class(node),
            "type" => return Descend::Past,
            "import_statement" => {
                self.import(node);
                return Descend::Past;
            }
            "import_from_statement" => {
                self.import_from(node);
                return Descend::Past;
            }
            "expression_statement" => {}
            "string" if self.doc_wanted != DocWanted::No => self.doc(node),
            "block" | "module" => {}
            _ => {
                if !matches!(self.doc_wanted, DocWanted::No)
                    && !matches!(node.kind(), "identifier" | "parameters" | "type" | "argument_list")
                    && self.in_body(node)
                {
                    self.doc_wanted = DocWanted::No;
                }
            }
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
    /// Whether a node lies in the body of the definition whose documentation is awaited.
    fn in_body(&self, node: Node<'_>) -> bool {
        match self.doc_wanted {
            DocWanted::Def(ix) => node.start_byte() as u32 >= self.sheet.facts.def(ix).to,
            _ => true,
        }
    }

    fn doc(&mut self, node: Node<'_>) {
        if !self.in_body(node) {
            return;
        }
        let text = self.sheet.text(node);
        let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let text = text.trim_matches(['"', '\'']).trim();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let text = clip(&lines.join("\n"), 2_000);
        match self.doc_wanted {
            DocWanted::File => self.sheet.facts.doc = text,
            DocWanted::Def(ix) => self.sheet.def_mut(ix).doc = text,
            DocWanted::No => {}
        }
        self.doc_wanted = DocWanted::No;
    }

    fn open_function(&mut self, node: Node<'_>) {
        let decorators = std::mem::take(&mut self.decorators);
        let Some(name_node) = field(node, "name") else {
            return;
        };
        let in_class = self.sheet.scope_kind() == Some(DefKind::Class);
        let kind = if in_class { DefKind::Method } else { DefKind::Function };
        let name = self.sheet.name_of(name_node);
        let text = self.sheet.text(name_node);
        let mut def = self.sheet.def(kind, name, node, name_node);
        if let Some(first) = decorators.first() {
            def.line_start = first.line;
        }
        let body = field(node, "body");
        let body_start = body.map_or(node.end_byte(), |body| body.start_byte());
        def.signature = self.sheet.signature(node.start_byte(), body_start);
        def.how = how(in_class, &decorators);
        if def.signature.starts_with("async ") {
            def.flags = def.flags.with(NodeFlags::ASYNC);
        }
        if !text.starts_with('_') || text.ends_with("__") {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        if decorators.iter().any(|d| d.text.ends_with("abstractmethod")) {
            def.flags = def.flags.with(NodeFlags::ABSTRACT);
        }
        let class_name =
            self.sheet.scope().map(|ix| self.sheet.facts.text(self.sheet.facts.def(ix).name).to_owned());
        let in_tests = self.sheet.facts.flags.has(NodeFlags::TEST_CODE);
        let of_test_class = class_name.is_none_or(|name| {
            name.starts_with("Test")
                || name.ends_with("Test")
                || name.ends_with("TestCase")
                || name.ends_with("Tests")
        });
        if in_tests && text.starts_with("test") && of_test_class {
            def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
        }
        if !in_class && self.sheet.scope().is_none() && text == "main" {
            def.flags = def.flags.with(NodeFlags::ENTRY_POINT);
        }
        let outer = self.sheet.scope();
        // Until the body ends, `to` holds where it starts; see `in_body`.
        let end = def.to;
        def.to = body_start as u32;
        let (at, how) = (line(node), def.how);
        let ix = self.sheet.open_def(def);
        self.sheet.open_block(node);
        self.doc_wanted = DocWanted::Def(ix);
        self.parameters(node, ix, how, end);
        if let Some(returns) = field(node, "return_type") {
            let own = self.self_annotation(node, how).filter(|own| *own == self.sheet.bytes(returns));
            let scope = self.sheet.scope();
            let ty = if own.is_some() {
                // `def f(self: T) -> T` gives back what it was called on.
                self.sheet.push_type(TypeExpr::SelfType { scope })
            } else {
                annotations::read(&mut self.sheet, returns.start_byte(), returns.end_byte(), outer, at)
            };
            self.sheet.def_mut(ix).returns = Some(ty);
        }
        for decorator in &decorators {
            if let Some((method, pattern)) = route(&decorator.text) {
                let handler = RouteHandler::Def(ix);
                self.sheet.facts.routes.push(Route { method, pattern, handler, line: decorator.line });
            }
        }
    }

    /// The annotation of the receiver, as it is written.
    fn self_annotation(&self, node: Node<'_>, how: How) -> Option<&[u8]> {
        let first = field(node, "parameters").map(named_children)?.into_iter().next()?;
        let annotated = how == How::Instance && first.kind() == "typed_parameter";
        field(first, "type").filter(|_| annotated).map(|ty| self.sheet.bytes(ty))
    }

    fn parameters(&mut self, node: Node<'_>, ix: DefIx, how: How, _end: u32) {
        let scope = self.sheet.scope();
        let parameters = field(node, "parameters").map(named_children).unwrap_or_default();
        let mut receiver = matches!(how, How::Instance | How::Property)
            || (how == How::Static && self.sheet.facts.def(ix).signature.contains("(cls"));
        for parameter in parameters {
            let (name_node, type_node, default) = match parameter.kind() {
                "identifier" => (Some(parameter), None, None),
                "typed_parameter" => (parameter.named_child(0), field(parameter, "type"), None),
                "default_parameter" => (field(parameter, "name"), None, field(parameter, "value")),
                "typed_default_parameter" => {
                    (field(parameter, "name"), field(parameter, "type"), field(parameter, "value"))
                }
                // After `*`, parameters are given by name only.
                _ => continue,
            };
            let Some(name_node) = name_node.filter(|n| n.kind() == "identifier") else {
                continue;
            };
            let name = self.sheet.name_of(name_node);
            if receiver {
                receiver = false;
                let mut value = self.sheet.push(Expr::This { scope });
                if how == How::Static {
                    value = self.sheet.push(Expr::Out { of: value, by: By::Class });
                }
                self.sheet.bind(name, 0, FUNCTION_WIDE, None, Some(value));
                continue;
            }
            let outer = self.sheet.facts.def(ix).parent;
            let ty = type_node.map(|ty| {
                annotations::read(&mut self.sheet, ty.start_byte(), ty.end_byte(), outer, line(parameter))
            });
            let value = default.map(|value| self.literal(value));
            self.sheet.bind(name, 0, FUNCTION_WIDE, ty, value);
            self.sheet.def_mut(ix).params.push(Param { name, ty });
        }
    }

    /// The value of a default, which is read before its node is left.
    fn literal(&mut self, node: Node<'_>) -> ExprIx {
        match node.kind() {
            "string" => self.sheet.push(Expr::Text),
            "integer" | "float" => self.sheet.push(Expr::Number),
            "true" | "false" => self.sheet.push(Expr::Bool),
            _ => self.sheet.push(Expr::Unknown),
        }
    }

    fn open_class(&mut self, node: Node<'_>) {
        let decorators = std::mem::take(&mut self.decorators);
        let Some(name_node) = field(node, "name") else {
            return;
        };
        let name = self.sheet.name_of(name_node);
        let mut def = self.sheet.def(DefKind::Class, name, node, name_node);
        if let Some(first) = decorators.first() {
            def.line_start = first.line;
        }
        let body_start = field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
        def.signature = self.sheet.signature(node.start_byte(), body_start);
        if !self.sheet.text(name_node).starts_with('_') {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        let scope = self.sheet.scope();
        for base in field(node, "superclasses").map(named_children).unwrap_or_default() {
            if matches!(base.kind(), "keyword_argument" | "comment") {
                continue;
            }
            let ty =
                annotations::read(&mut self.sheet, base.start_byte(), base.end_byte(), scope, line(node));
            def.bases.push(ty);
        }
        def.to = body_start as u32;
        let ix = self.sheet.open_def(def);
        self.sheet.open_block(node);
        self.doc_wanted = DocWanted::Def(ix);
    }

    fn leave_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_definition" | "class_definition" => {
                if field(node, "name").is_some() {
                    if let Some(def) = self.sheet.current() {
                        def.to = node.end_byte() as u32;
                    }
                    self.sheet.close_block();
                    self.sheet.close_def();
                }
                self.doc_wanted = DocWanted::No;
            }
            "decorator" => {
                // A bare decorator is called with what it decorates.
                if let Some(named) = node.named_child(0)
                    && named.kind() != "call"
                    && let Some(callee) = self.sheet.known(named)
                {
                    let call = self.sheet.push(Expr::Call { callee, args: Vec::new(), types: Vec::new() });
                    self.sheet.call(call, node);
                }
            }
            "assignment" => self.assignment(node),
            "named_expression" => {
                let value = field(node, "value").and_then(|value| self.sheet.known(value));
                if let Some(name) = field(node, "name") {
                    self.bind_target(name, value, None, node.start_byte(), FUNCTION_WIDE);
                }
                self.sheet.same(node, field(node, "value"));
            }
            "for_statement" => {
                let item = self.iterated(field(node, "right"));
                if let Some(left) = field(node, "left") {
                    self.bind_target(left, Some(item), None, left.start_byte(), FUNCTION_WIDE);
                }
            }
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => {
                self.comprehension(node);
            }
            "with_item" => self.with_item(node),
            "as_pattern" => self.sheet.same(node, node.named_child(0)),
            "except_clause" => self.except_clause(node),
            "return_statement" => {
                let value = node.named_child(0).and_then(|value| self.sheet.known(value));
                self.result(value);
            }
            "yield" => {
                let value = node.named_child(0).and_then(|value| self.sheet.known(value));
                if let Some(value) = value {
                    let list = self.sheet.push(Expr::List(vec![value]));
                    self.result(Some(list));
                }
            }
            "if_statement" if self.sheet.scope().is_none() => {
                let condition = field(node, "condition").map(|c| self.sheet.text(c)).unwrap_or("");
                if condition.starts_with("__name__") {
                    let facts = &mut self.sheet.facts;
                    facts.flags = facts.flags.with(NodeFlags::ENTRY_POINT);
                }
            }
            kind => self.leave_expression(kind, node),
        }
    }

    fn result(&mut self, value: Option<ExprIx>) {
        if let (Some(value), Some(owner)) = (value, self.sheet.owner()) {
            self.sheet.def_mut(owner).results.push(value);
        }
    }

    fn leave_expression(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "identifier" => {
                let (name, scope) = (self.sheet.name_of(node), self.sheet.scope());
                self.sheet.set(node, Expr::Name { name, at: node.start_byte() as u32, scope });
            }
            "attribute" => {
                let base = self.sheet.expr(field(node, "object"));
                if let Some(name) = field(node, "attribute") {
                    let name = self.sheet.name_of(name);
                    self.sheet.set(node, Expr::Field { base, name });
                }
            }
            "call" => self.call(node),
            "subscript" => {
                let base = self.sheet.expr(field(node, "value"));
                let sliced = field(node, "subscript").is_some_and(|s| s.kind() == "slice");
                if sliced {
                    self.sheet.alias(node, base);
                } else {
                    self.sheet.set(node, Expr::Index { base });
                }
            }
            "await" => {
                let of = self.sheet.expr(node.named_child(0));
                self.sheet.set(node, Expr::Out { of, by: By::Await });
            }
            "parenthesized_expression" | "expression_list" if node.named_child_count() == 1 => {
                self.sheet.same(node, node.named_child(0));
            }
            "conditional_expression" => {
                let parts = named_children(node);
                let ends = [parts.first(), parts.last()];
                let any = ends.into_iter().flatten().filter_map(|p| self.sheet.known(*p)).collect();
                self.sheet.set(node, Expr::Any(any));
            }
            "boolean_operator" => {
                let parts = [field(node, "left"), field(node, "right")];
                let any = parts.into_iter().flatten().filter_map(|p| self.sheet.known(p)).collect();
                self.sheet.set(node, Expr::Any(any));
            }
            "lambda" => self.lambda(node),
            "tuple" | "expression_list" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::Tuple(parts));
            }
            "list" | "set" => {
                let parts = self.children(node);
                self.sheet.set(node, Expr::List(parts));
            }
            "dictionary" => self.dictionary(node),
            "string" | "concatenated_string" => {
                self.sheet.set(node, Expr::Text);
            }
            "integer" | "float" => {
                self.sheet.set(node, Expr::Number);
            }
            "true" | "false" | "comparison_operator" | "not_operator" => {
                self.sheet.set(node, Expr::Bool);
            }
            "binary_operator" => self.sheet.same(node, field(node, "left")),
            _ => {}
        }
    }

    fn children(&mut self, node: Node<'_>) -> Vec<ExprIx> {
        let parts = named_children(node);
        parts.into_iter().map(|part| self.sheet.expr(Some(part))).collect()
    }

    /// The values of a dictionary, as the elements it gives.
    fn dictionary(&mut self, node: Node<'_>) {
        let mut values = Vec::new();
        for pair in named_children(node) {
            if pair.kind() == "pair"
                && let Some(value) = field(pair, "value")
            {
                if value.kind() == "identifier" || value.kind() == "attribute" {
                    let known = self.sheet.expr(Some(value));
                    self.sheet.used(known, value);
                }
                values.extend(self.sheet.known(value));
            }
        }
        let any = self.sheet.push(Expr::Any(values));
        let name = self.sheet.name(b"");
        self.sheet.set(node, Expr::Object(vec![(name, any)]));
    }

    fn call(&mut self, node: Node<'_>) {
        let function = field(node, "function");
        if function.is_some_and(|f| self.sheet.bytes(f) == b"super") {
            let scope = self.sheet.scope();
            self.sheet.set(node, Expr::Super { scope });
            return;
        }
        let callee = self.sheet.expr(function);
        let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
        let mut args = Vec::new();
        for argument in &arguments {
            let value = if argument.kind() == "keyword_argument" {
                field(*argument, "value")
            } else {
                Some(*argument)
            };
            let Some(value) = value else { continue };
            let known = self.sheet.expr(Some(value));
            if matches!(value.kind(), "identifier" | "attribute") {
                self.sheet.used(known, value);
            }
            if argument.kind() != "keyword_argument" {
                args.push(known);
            }
        }
        let call = self.sheet.set(node, Expr::Call { callee, args, types: Vec::new() });
        let place = function.map_or(node, |f| field(f, "attribute").unwrap_or(f));
        self.sheet.call(call, place);
        for (position, argument) in arguments.iter().enumerate() {
            for waiting in self.lambdas.remove(&argument.id()).unwrap_or_default() {
                if let Expr::ArgOf { call: slot, arg, .. } = &mut self.sheet.facts.exprs[waiting.0 as usize] {
                    *slot = call;
                    *arg = position as u32;
                }
            }
        }
    }

    fn lambda(&mut self, node: Node<'_>) {
        let parameters = field(node, "parameters").map(named_children).unwrap_or_default();
        let mut waiting = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            if parameter.kind() == "identifier" {
                let value = self.sheet.push(Expr::ArgOf { call: ExprIx(u32::MAX), arg: 0, param: at as u32 });
                waiting.push(value);
                let name = self.sheet.name_of(*parameter);
                self.sheet.bind(name, node.start_byte(), node.end_byte() as u32, None, Some(value));
            }
        }
        let result = field(node, "body").and_then(|body| self.sheet.known(body));
        let params = parameters.len() as u32;
        self.sheet.set(node, Expr::Closure { params, result, returns: None });
        if !waiting.is_empty() {
            self.lambdas.insert(node.id(), waiting);
        }
    }

    fn iterated(&mut self, node: Option<Node<'_>>) -> ExprIx {
        let of = self.sheet.expr(node);
        self.sheet.push(Expr::Out { of, by: By::Iteration })
    }

    fn comprehension(&mut self, node: Node<'_>) {
        for clause in named_children(node) {
            if clause.kind() == "for_in_clause" {
                let item = self.iterated(field(clause, "right"));
                if let Some(left) = field(clause, "left") {
                    self.bind_target(left, Some(item), None, node.start_byte(), node.end_byte() as u32);
                }
            }
        }
        let body = field(node, "body").and_then(|body| self.sheet.known(body));
        self.sheet.set(node, Expr::List(body.into_iter().collect()));
    }

    fn with_item(&mut self, node: Node<'_>) {
        let Some(pattern) = field(node, "value").filter(|value| value.kind() == "as_pattern") else {
            return;
        };
        let of = self.sheet.expr(pattern.named_child(0));
        let value = self.sheet.push(Expr::Out { of, by: By::Context });
        if let Some(target) = field(pattern, "alias").and_then(|alias| alias.named_child(0)) {
            self.bind_target(target, Some(value), None, target.start_byte(), FUNCTION_WIDE);
        }
    }

    fn except_clause(&mut self, node: Node<'_>) {
        let Some(pattern) = named_children(node).into_iter().find(|child| child.kind() == "as_pattern")
        else {
            return;
        };
        let Some(target) = field(pattern, "alias").and_then(|alias| alias.named_child(0)) else {
            return;
        };
        let callee = self.sheet.expr(pattern.named_child(0));
        let value = self.sheet.push(Expr::Call { callee, args: Vec::new(), types: Vec::new() });
        self.bind_target(target, Some(value), None, node.start_byte(), node.end_byte() as u32);
    }

    fn assignment(&mut self, node: Node<'_>) {
        let scope = self.sheet.scope();
        let right = field(node, "right");
        let value = right.and_then(|right| self.sheet.known(right));
        let ty = field(node, "type")
            .map(|ty| annotations::read(&mut self.sheet, ty.start_byte(), ty.end_byte(), scope, line(node)));
        let Some(left) = field(node, "left") else { return };
        // A chained assignment `a = b = c` has its value on the far right.
        self.sheet.same(node, right);
        if left.kind() == "identifier" && self.sheet.scope_kind() == Some(DefKind::Class) {
            let entry = Field { name: self.sheet.name_of(left), ty, value, line: line(node) };
            if let Some(class) = self.sheet.current() {
                class.fields.push(entry);
            }
            return;
        }
        // A type variable is bound to nothing that could be looked up.
        let made_by = right.filter(|right| right.kind() == "call").and_then(|call| field(call, "function"));
        if made_by
            .is_some_and(|f| matches!(self.sheet.text(f).rsplit('.').next(), Some("TypeVar" | "ParamSpec")))
        {
            return;
        }
        if left.kind() == "identifier" && scope.is_none() {
            self.module_constant(node, left, ty, right, value);
        }
        self.bind_target(left, value, ty, node.end_byte(), FUNCTION_WIDE);
    }

    /// Names of a module that are written as constants, and aliases of types.
    fn module_constant(
        &mut self,
        node: Node<'_>,
        left: Node<'_>,
        ty: Option<TypeIx>,
        right: Option<Node<'_>>,
        value: Option<ExprIx>,
    ) {
        let text = self.sheet.text(left);
        let is_constant = text.chars().any(char::is_alphabetic) && !text.chars().any(char::is_lowercase);
        let alias = right.filter(|right| right.kind() == "subscript").filter(|right| {
            let base = field(*right, "value").map(|base| self.sheet.text(base)).unwrap_or("");
            let base = base.rsplit('.').next().unwrap_or(base);
            matches!(
                base,
                "Union"
                    | "Optional"
                    | "List"
                    | "Dict"
                    | "Tuple"
                    | "Type"
                    | "Callable"
                    | "Sequence"
                    | "Mapping"
                    | "Iterable"
                    | "Iterator"
                    | "AsyncIterator"
                    | "Set"
                    | "FrozenSet"
            )
        });
        if !is_constant && alias.is_none() {
            return;
        }
        let kind = if alias.is_some() { DefKind::TypeAlias } else { DefKind::Constant };
        let name = self.sheet.name_of(left);
        let mut def = self.sheet.def(kind, name, node, left);
        def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
        def.of = ty.or_else(|| {
            alias.map(|right| {
                annotations::read(&mut self.sheet, right.start_byte(), right.end_byte(), None, line(node))
            })
        });
        def.value = value;
        if !text.starts_with('_') {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        self.sheet.add_def(def);
    }

    fn bind_target(
        &mut self,
        target: Node<'_>,
        value: Option<ExprIx>,
        ty: Option<TypeIx>,
        from: usize,
        to: u32,
    ) {
        let mut work = vec![(target, value)];
        while let Some((node, value)) = work.pop() {
            match node.kind() {
                "identifier" => {
                    let name = self.sheet.name_of(node);
                    self.sheet.bind(name, from, to, ty, value);
                }
                "attribute" => self.object_field(node, value, ty),
                "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" | "expression_list" => {
                    for (at, child) in named_children(node).into_iter().enumerate() {
                        let part = value.map(|of| self.sheet.push(Expr::Part { of, index: at as u32 }));
                        work.push((child, part));
                    }
                }
                _ => {}
            }
        }
    }

    /// `self.name = value` in a method declares a field of its class.
    fn object_field(&mut self, node: Node<'_>, value: Option<ExprIx>, ty: Option<TypeIx>) {
        let (Some(object), Some(name_node)) = (field(node, "object"), field(node, "attribute")) else {
            return;
        };
        if !matches!(self.sheet.bytes(object), b"self" | b"cls") {
            return;
        }
        let Some(class) = self.sheet.enclosing(|kind| kind == DefKind::Class) else {
            return;
        };
        let entry = Field { name: self.sheet.name_of(name_node), ty, value, line: line(node) };
        self.sheet.def_mut(class).fields.push(entry);
    }

    fn import(&mut self, node: Node<'_>) {
        self.doc_wanted = DocWanted::No;
        for child in named_children(node) {
            let (path_node, alias) = match child.kind() {
                "aliased_import" => (field(child, "name"), field(child, "alias")),
                _ => (Some(child), None),
            };
            let path: Vec<_> = path_node.map(named_children).unwrap_or_default();
            let path: Vec<_> = path.into_iter().map(|part| self.sheet.name_of(part)).collect();
            let Some(&first) = path.first() else { continue };
            // `import a.b` binds `a`; `import a.b as c` binds the module itself.
            let (bind, path) = match alias {
                Some(alias) => (self.sheet.name_of(alias), path),
                None => (first, path),
            };
            let entry = Import {
                item: None,
                level: 0,
                bind,
                all: ImportAll::No,
                exported: true,
                scope: self.sheet.scope(),
                line: line(node),
                path,
            };
            self.sheet.facts.imports.push(entry);
        }
    }

    fn import_from(&mut self, node: Node<'_>) {
        self.doc_wanted = DocWanted::No;
        let Some(module) = field(node, "module_name") else {
            return;
        };
        let mut level = 0;
        let mut path = Vec::new();
        if module.kind() == "relative_import" {
            level = self.sheet.bytes(module).iter().take_while(|&&b| b == b'.').count() as u8;
            for child in named_children(module).into_iter().filter(|child| child.kind() == "dotted_name") {
                path = named_children(child);
            }
        } else {
            path = named_children(module);
        }
        let path: Vec<_> = path.into_iter().map(|part| self.sheet.name_of(part)).collect();
        let add = |sheet: &mut Sheet<'_>, item, bind, all| {
            let entry = Import {
                path: path.clone(),
                level,
                item,
                bind,
                all,
                exported: true,
                scope: sheet.scope(),
                line: line(node),
            };
            sheet.facts.imports.push(entry);
        };
        for child in named_children(node) {
            if child == module {
                continue;
            }
            match child.kind() {
                "wildcard_import" => {
                    let star = self.sheet.name(b"*");
                    add(&mut self.sheet, None, star, ImportAll::Yes);
                }
                "aliased_import" => {
                    if let (Some(name), Some(alias)) = (field(child, "name"), field(child, "alias")) {
                        let (item, bind) = (self.sheet.name_of(name), self.sheet.name_of(alias));
                        add(&mut self.sheet, Some(item), bind, ImportAll::No);
                    }
                }
                "dotted_name" => {
                    let item = self.sheet.name_of(child);
                    add(&mut self.sheet, Some(item), item, ImportAll::No);
                }
                _ => {}
            }
        }
    }
}

fn how(in_class: bool, decorators: &[Decorator]) -> How {
    if !in_class {
        return How::Free;
    }
    let has = |wanted: &str| {
        decorators.iter().any(|d| d.text.split('(').next().and_then(|n| n.rsplit('.').next()) == Some(wanted))
    };
    if has("staticmethod") || has("classmethod") {
        How::Static
    } else if has("property") || has("cached_property") || has("setter") {
        How::Property
    } else {
        How::Instance
    }
}

/// `@app.get("/x")` and `@app.route("/x", methods=["POST"])`.
fn route(decorator: &str) -> Option<(String, String)> {
    let (callee, rest) = decorator.split_once('(')?;
    let (_, verb) = callee.rsplit_once('.')?;
    let quote = rest.trim_start().chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let pattern = rest.trim_start()[1..].split(quote).next()?;
    let method = match verb {
        "get" | "post" | "put" | "delete" | "patch" | "head" | "options" | "websocket" => verb.to_uppercase(),
        "route" | "api_route" => match rest.split_once("methods") {
            Some((_, list)) => {
                let name: String = list
                    .chars()
                    .skip_while(|c| !c.is_alphabetic())
                    .take_while(|c| c.is_alphabetic())
                    .collect();
                name.to_uppercase()
            }
            None => "ANY".to_owned(),
        },
        _ => return None,
    };
    pattern.starts_with('/').then(|| (method, pattern.to_owned()))
}
