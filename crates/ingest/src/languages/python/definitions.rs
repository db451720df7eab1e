//! Functions and classes of a Python file.

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::annotations;
use super::extract::{Decorator, DocWanted, FUNCTION_WIDE, Reader};
use crate::facts::{By, DefIx, DefKind, Expr, ExprIx, How, Param, TypeExpr};
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
        let in_tests = self.sheet.facts.flags.has(NodeFlags::TEST_CODE);
        let around = self.sheet.scope().map(|ix| self.sheet.facts.def(ix));
        let of_test_class = around.is_none_or(|class| is_test_class(&class.signature));
        // What tests ask for by its name may begin like one.
        let fixture = decorators.iter().find(|decorator| decorated_by(decorator) == Some("fixture"));
        if in_tests && fixture.is_some_and(is_automatic) {
            def.flags = def.flags.with(NodeFlags::FOR_ALL_TESTS);
        }
        if in_tests && text.starts_with("test") && of_test_class && fixture.is_none() {
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
            self.decorated_routes(decorator, ix, outer);
        }
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
        self.sheet.open_block(node);
        self.doc_wanted = DocWanted::Def(ix);
    }
}

/// Whether a class holds tests: it is called so, or what it inherits from is.
fn is_test_class(signature: &str) -> bool {
    let mut words = signature.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| {
        word.starts_with("Test") || ["Test", "TestCase", "Tests"].iter().any(|end| word.ends_with(end))
    })
}

/// Whether a fixture is used without being asked for.
fn is_automatic(fixture: &Decorator) -> bool {
    let plain: String = fixture.text.split_whitespace().collect();
    plain.contains("autouse=True")
}

/// The last name of a decorator.
fn decorated_by(decorator: &Decorator) -> Option<&str> {
    decorator.text.split('(').next()?.trim().rsplit('.').next()
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
