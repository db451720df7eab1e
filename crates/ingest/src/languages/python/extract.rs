//! Reading the facts of one Python file.

use std::time::Duration;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use crate::everything::Listed;
use crate::facts::{DefIx, Expr, ExprIx, Few, FileFacts};
use crate::sheet::{Sheet, clip, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, walk};

pub fn extract(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    let tree = super::parse::parse(source, limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, super::NAME, source),
        decorators: Vec::new(),
        lambdas: FxHashMap::default(),
        doc_wanted: DocWanted::File,
    };
    if is_test_file(path) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    let mut facts = reader.sheet.finish();
    if let Listed::Names(names) = Listed::of(&String::from_utf8_lossy(source)) {
        facts.listed = Some(names);
    }
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
pub(super) const FUNCTION_WIDE: u32 = u32::MAX;

fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_")
        || name.ends_with("_test.py")
        || name == "conftest.py"
        || path.split('/').any(|part| matches!(part, "tests" | "test" | "testing"))
}

pub(super) struct Reader<'s> {
    pub(super) sheet: Sheet<'s>,
    /// Decorators of the definition that comes next.
    pub(super) decorators: Vec<Decorator>,
    /// Parameters of lambdas whose call is not known yet.
    pub(super) lambdas: FxHashMap<usize, Vec<ExprIx>>,
    pub(super) doc_wanted: DocWanted,
}

pub(super) struct Decorator {
    pub(super) line: u32,
    pub(super) text: String,
    /// What a call in it is called on.
    pub(super) on: Option<ExprIx>,
}

/// Whose first statement comes next: a string there is its documentation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DocWanted {
    No,
    File,
    Def(DefIx),
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        self.sheet.enter_arm(node);
        match node.kind() {
            "if_statement" => self.sheet.note_arm(field(node, "consequence")),
            "try_statement" => self.sheet.note_arm(field(node, "body")),
            "elif_clause" | "else_clause" | "for_statement" | "while_statement" | "except_clause"
            | "case_clause" => self.sheet.open_branch(node, true),
            "function_definition" | "class_definition" => self.sheet.open_branch(node, false),
            _ => {}
        }
        match node.kind() {
            "comment" => return Descend::Past,
            "decorated_definition" if self.is_stub(node) => return Descend::Past,
            "decorator" => {
                let text = self.sheet.text(node).trim_start_matches('@').trim().to_owned();
                self.decorators.push(Decorator { line: line(node), text, on: None });
            }
            "function_definition" => self.open_function(node),
            "class_definition" => self.open_class(node),
            "type_alias_statement" => {
                self.type_alias(node);
                return Descend::Past;
            }
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
            self.sheet.close_branch(node);
        }
    }
}

impl Reader<'_> {
    /// Whether a function only tells a way to call the one of its name that follows: that one is the function.
    fn is_stub(&self, node: Node<'_>) -> bool {
        let name = |node: Node<'_>| {
            let inner = if node.kind() == "decorated_definition" { field(node, "definition")? } else { node };
            let function = Some(inner).filter(|inner| inner.kind() == "function_definition")?;
            field(function, "name").map(|name| self.sheet.bytes(name))
        };
        let is_overload = |node: Node<'_>| {
            let decorators = named_children(node).into_iter().filter(|child| child.kind() == "decorator");
            let mut words = decorators.map(|decorator| self.sheet.text(decorator));
            words.any(|word| word.trim_start_matches('@').trim().rsplit('.').next() == Some("overload"))
        };
        let Some(own) = name(node).filter(|_| is_overload(node)) else { return false };
        let mut next = node.next_named_sibling();
        while let Some(other) = next {
            match name(other) {
                Some(found) if found == own && !is_overload(other) => return true,
                None if other.kind() != "comment" => return false,
                Some(found) if found != own => return false,
                _ => next = other.next_named_sibling(),
            }
        }
        false
    }

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
                if let Some(decorator) = self.decorators.last_mut() {
                    let function = node.named_child(0).and_then(|call| field(call, "function"));
                    let object = function.and_then(|function| field(function, "object"));
                    decorator.on = object.and_then(|object| self.sheet.known(object));
                }
                // A bare decorator is called with what it decorates.
                if let Some(named) = node.named_child(0)
                    && named.kind() != "call"
                    && let Some(callee) = self.sheet.known(named)
                {
                    let call = self.sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
                    self.sheet.call(call, node);
                }
            }
            "assignment" => {
                self.note_marks(node);
                self.assignment(node);
            }
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
            "case_clause" => self.case(node),
            "with_item" => self.with_item(node),
            "as_pattern" => self.sheet.same(node, node.named_child(0)),
            "except_clause" => self.except_clause(node),
            "return_statement" => {
                let value = node.named_child(0).map(|value| self.sheet.expr(Some(value)));
                self.result(value);
            }
            "yield" => {
                let value = node.named_child(0).and_then(|value| self.sheet.known(value));
                if let Some(value) = value {
                    let list = self.sheet.push(Expr::List([value].into()));
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
}
