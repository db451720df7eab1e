//! Functions and classes of a Python file.

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::annotations;
use super::extract::{Decorator, DocWanted, FUNCTION_WIDE, Reader};
use super::fixtures::is_fixture;
use crate::facts::{By, Def, DefIx, DefKind, Expr, ExprIx, How, Param, TypeExpr};
use crate::sheet::{field, line, named_children};

impl Reader<'_> {
    pub(super) fn open_function(&mut self, node: Node<'_>) {
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
        if self.sheet.is_conditional() {
            def.flags = def.flags.with(NodeFlags::CONDITIONAL);
        }
        if def.signature.starts_with("async ") {
            def.flags = def.flags.with(NodeFlags::ASYNC);
        }
        if !text.starts_with('_') || text.ends_with("__") {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        if decorators.iter().any(|d| d.text.ends_with("abstractmethod")) {
            def.flags = def.flags.with(NodeFlags::ABSTRACT);
        }
        // What tests ask for by its name may begin like one.
        let is_named = text.starts_with("test") && !decorators.iter().any(is_fixture);
        let of_test_class = || self.sheet.scope().is_none_or(|ix| self.is_test_class(ix, MAX_BASES));
        if is_named && is_collected(&self.sheet.facts.path) && of_test_class() {
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
        self.note_fixtures(&decorators, ix);
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
            self.decorated_routes(decorator, ix, outer);
        }
    }

    /// Whether the functions of a class that are named like tests are run as such: pytest goes by the name of the class, unittest
    /// by its bases, which may stand between it and the one that says so.
    fn is_test_class(&self, ix: DefIx, depth: usize) -> bool {
        let facts = &self.sheet.facts;
        let is_test_name = |name: &str| {
            ["Test", "TestCase", "Tests"].iter().any(|end| name.ends_with(end)) || name.starts_with("Test")
        };
        let class = facts.def(ix);
        if is_test_name(facts.text(class.name)) {
            return true;
        }
        let bases = class.signature.split_once('(').map_or("", |(_, bases)| bases);
        bases.split([',', ')', '[']).map(|base| base.rsplit('.').next().unwrap_or(base).trim()).any(|base| {
            let is_ours =
                |(_, other): &(u32, &Def)| other.kind == DefKind::Class && facts.text(other.name) == base;
            let known = (0..).zip(&facts.defs).filter(is_ours).map(|(at, _)| DefIx(at));
            let by_base = |other: DefIx| depth > 0 && other != ix && self.is_test_class(other, depth - 1);
            is_test_name(base) || known.into_iter().any(by_base)
        })
    }

    /// The annotation of the receiver, as it is written.
    pub(super) fn self_annotation(&self, node: Node<'_>, how: How) -> Option<&[u8]> {
        let first = field(node, "parameters").map(named_children)?.into_iter().next()?;
        let annotated = how == How::Instance && first.kind() == "typed_parameter";
        field(first, "type").filter(|_| annotated).map(|ty| self.sheet.bytes(ty))
    }

    pub(super) fn parameters(&mut self, node: Node<'_>, ix: DefIx, how: How, _end: u32) {
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
                "list_splat_pattern" | "dictionary_splat_pattern" => (Some(parameter), None, None),
                // After `*`, parameters are given by name only.
                _ => continue,
            };
            let Some(name_node) = name_node else { continue };
            if matches!(name_node.kind(), "list_splat_pattern" | "dictionary_splat_pattern") {
                self.gathered(name_node, type_node, ix);
                continue;
            }
            if name_node.kind() != "identifier" {
                continue;
            }
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

    /// `*args` and `**kwargs`: all that no parameter takes.
    fn gathered(&mut self, node: Node<'_>, type_node: Option<Node<'_>>, ix: DefIx) {
        let Some(name) = node.named_child(0).filter(|name| name.kind() == "identifier") else { return };
        let outer = self.sheet.facts.def(ix).parent;
        let of = type_node
            .filter(|_| node.kind() == "list_splat_pattern")
            .map(|ty| annotations::read(&mut self.sheet, ty.start_byte(), ty.end_byte(), outer, line(node)));
        let ty = of.map(|of| self.sheet.push_type(TypeExpr::List(of)));
        let name = self.sheet.name_of(name);
        self.sheet.bind(name, 0, FUNCTION_WIDE, ty, None);
    }

    /// The value of a default, which is read before its node is left.
    pub(super) fn literal(&mut self, node: Node<'_>) -> ExprIx {
        match node.kind() {
            "string" => self.sheet.push(Expr::Text),
            "integer" | "float" => self.sheet.push(Expr::Number),
            "true" | "false" => self.sheet.push(Expr::Bool),
            // What is given instead of nothing is not known.
            _ => self.sheet.push(Expr::Unknown),
        }
    }

    pub(super) fn open_class(&mut self, node: Node<'_>) {
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
        if self.sheet.is_conditional() {
            def.flags = def.flags.with(NodeFlags::CONDITIONAL);
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
        self.note_fixtures(&decorators, ix);
        self.sheet.open_block(node);
        self.doc_wanted = DocWanted::Def(ix);
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

/// Bases between a class and the one that makes it one of tests.
const MAX_BASES: usize = 4;

/// Whether functions of a file that are named like tests are looked for by those who run tests. A package that helps to test, as
/// `django/test`, is a product.
fn is_collected(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test")
        || ["_test.py", "_tests.py"].iter().any(|end| name.ends_with(end))
        || name == "conftest.py"
        || path.split('/').any(|part| part == "tests")
}

#[cfg(test)]
mod tests {
    use crate::testing;

    #[test]
    fn tests_are_known_by_the_bases_of_their_classes_too() {
        let fixture = r#"
//- tests/test_u.py
from unittest import TestCase
class Mid(TestCase): pass
class C2(TestCase):
    def test_c(self): pass
class C3(Mid):
    def test_d(self): pass
class Plain:
    def test_match(self): pass
class Own(Plain):
    def test_other(self): pass
//- shop/test/runner.py
def test_match_tags(tags): pass
"#;
        let graph = testing::graph(fixture);
        let mut tests: Vec<&str> =
            graph.nodes().map(|node| node.id()).filter(|id| id.starts_with("test::")).collect();
        tests.sort_unstable();
        assert_eq!(tests, ["test::tests/test_u.py::C2.test_c", "test::tests/test_u.py::C3.test_d"]);
    }
}
