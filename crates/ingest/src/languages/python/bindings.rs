//! What names and attributes are given in Python.

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::annotations;
use super::extract::{FUNCTION_WIDE, Reader};
use crate::facts::{By, DefKind, Expr, ExprIx, Few, Field, TypeIx};
use crate::sheet::{field, is_constant_name, line, named_children};

impl Reader<'_> {
    pub(super) fn with_item(&mut self, node: Node<'_>) {
        let Some(pattern) = field(node, "value").filter(|value| value.kind() == "as_pattern") else {
            return;
        };
        let of = self.sheet.expr(pattern.named_child(0));
        let value = self.sheet.push(Expr::Out { of, by: By::Context });
        if let Some(target) = field(pattern, "alias").and_then(|alias| alias.named_child(0)) {
            self.bind_target(target, Some(value), None, target.start_byte(), FUNCTION_WIDE);
        }
    }

    /// The names that the patterns of a case bind, whatever to.
    pub(super) fn case(&mut self, node: Node<'_>) {
        let mut work: Vec<Node<'_>> =
            named_children(node).into_iter().filter(|child| child.kind() == "case_pattern").collect();
        while let Some(pattern) = work.pop() {
            let mut parts = named_children(pattern);
            match pattern.kind() {
                "identifier" => {
                    let name = self.sheet.name_of(pattern);
                    self.sheet.bind(name, pattern.start_byte(), FUNCTION_WIDE, None, None);
                }
                // `a.b` is a value to compare with.
                "dotted_name" if parts.len() > 1 => {}
                // The class, and the name of a part, bind nothing.
                "class_pattern" | "keyword_pattern" => work.extend(parts.drain(1.min(parts.len())..)),
                _ => work.extend(parts),
            }
        }
    }

    pub(super) fn except_clause(&mut self, node: Node<'_>) {
        self.caught(node);
        let Some(pattern) = named_children(node).into_iter().find(|child| child.kind() == "as_pattern")
        else {
            return;
        };
        let Some(target) = field(pattern, "alias").and_then(|alias| alias.named_child(0)) else {
            return;
        };
        let callee = self.sheet.expr(pattern.named_child(0));
        let value = self.sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
        self.bind_target(target, Some(value), None, node.start_byte(), node.end_byte() as u32);
    }

    /// What is caught is used: `except A`, `except a.B as e`, `except (A, B)`.
    fn caught(&mut self, node: Node<'_>) {
        let mut work: Vec<Node<'_>> =
            named_children(node).into_iter().filter(|child| child.kind() != "block").collect();
        while let Some(one) = work.pop() {
            match one.kind() {
                "as_pattern" => work.extend(one.named_child(0)),
                "tuple" | "parenthesized_expression" | "expression_list" => work.extend(named_children(one)),
                "identifier" | "attribute" => {
                    let what = self.sheet.expr(Some(one));
                    self.sheet.used(what, one);
                }
                _ => {}
            }
        }
    }

    pub(super) fn assignment(&mut self, node: Node<'_>) {
        let scope = self.sheet.scope();
        let right = field(node, "right");
        let value = right.and_then(|right| self.sheet.known(right));
        let ty = field(node, "type")
            .map(|ty| annotations::read(&mut self.sheet, ty.start_byte(), ty.end_byte(), scope, line(node)));
        let Some(left) = field(node, "left") else { return };
        self.note_router(left, right);
        // A chained assignment `a = b = c` has its value on the far right.
        self.sheet.same(node, right);
        if left.kind() == "identifier" && self.sheet.scope_kind() == Some(DefKind::Class) {
            let entry = Field { name: self.sheet.name_of(left), ty, value, line: line(node) };
            if let Some(class) = self.sheet.current() {
                class.fields.push(entry);
            }
            if is_constant_name(self.sheet.text(left)) && right.is_some() {
                self.class_constant(node, left, ty, value);
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

    /// A constant of a class is its field too, by which it is found.
    fn class_constant(&mut self, node: Node<'_>, left: Node<'_>, ty: Option<TypeIx>, value: Option<ExprIx>) {
        let name = self.sheet.name_of(left);
        let mut def = self.sheet.def(DefKind::Constant, name, node, left);
        def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
        (def.of, def.value) = (ty, value);
        self.sheet.add_def(def);
    }

    /// `type Name = …`
    pub(super) fn type_alias(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
        let named = self.sheet.bytes(left);
        let end = named.iter().position(|byte| *byte == b'[').unwrap_or(named.len());
        let name = self.sheet.name(named[..end].trim_ascii());
        let scope = self.sheet.scope();
        let mut def = self.sheet.def(DefKind::TypeAlias, name, node, left);
        def.signature = self.sheet.signature(node.start_byte(), node.end_byte());
        def.of =
            Some(annotations::read(&mut self.sheet, right.start_byte(), right.end_byte(), scope, line(node)));
        if !self.sheet.facts.text(name).starts_with('_') {
            def.flags = def.flags.with(NodeFlags::EXPORTED);
        }
        self.sheet.add_def(def);
    }

    /// Names of a module: its constants and variables where they are first given a value, and aliases of types.
    pub(super) fn module_constant(
        &mut self,
        node: Node<'_>,
        left: Node<'_>,
        ty: Option<TypeIx>,
        right: Option<Node<'_>>,
        value: Option<ExprIx>,
    ) {
        let text = self.sheet.text(left);
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
        let name = self.sheet.name_of(left);
        let is_known = || self.sheet.facts.defs.iter().any(|def| def.parent.is_none() && def.name == name);
        if alias.is_none() && (text.starts_with("__") || (!is_constant_name(text) && is_known())) {
            return;
        }
        let kind = if alias.is_some() { DefKind::TypeAlias } else { DefKind::Constant };
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

    pub(super) fn bind_target(
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
                "attribute" => {
                    self.sheet.given(node);
                    self.object_field(node, value, ty);
                }
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
    pub(super) fn object_field(&mut self, node: Node<'_>, value: Option<ExprIx>, ty: Option<TypeIx>) {
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
}
