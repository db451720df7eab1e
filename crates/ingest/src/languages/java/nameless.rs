//! Classes of Java that have no name: `new Base() { … }`, and constants of enums with a body.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{DefKind, How, Scope, TypeExpr, TypeIx};
use crate::sheet::{field, line};

/// An open body of a class without a name.
pub(super) struct Nameless {
    /// What it extends.
    of: Option<TypeIx>,
    /// The class itself.
    scope: Scope,
    from: usize,
}

impl Reader<'_> {
    /// `new Base() { … }`, or the body of a constant of an enum: what is written in the brackets belongs to a class of
    /// its own, which extends `Base` and which no code can name.
    pub(super) fn open_nameless(&mut self, node: Node<'_>) {
        let Some(made) = node.parent() else { return };
        let (of, called) = match made.kind() {
            "object_creation_expression" => {
                let base = field(made, "type");
                (self.sheet.type_of(base), base.map(|base| self.sheet.text(base)).unwrap_or(""))
            }
            "enum_constant" => {
                let scope = self.sheet.scope();
                let name = field(made, "name").map(|name| self.sheet.text(name)).unwrap_or("");
                (Some(self.sheet.push_type(TypeExpr::SelfType { scope })), name)
            }
            _ => return,
        };
        let name = self.sheet.nameless(called);
        let mut def = self.sheet.def(DefKind::Class, name, node, made);
        def.line_start = line(made);
        def.signature = self.sheet.signature(made.start_byte(), node.start_byte());
        def.how = How::Titled;
        def.bases = of.into_iter().collect();
        self.sheet.open_def(def);
        self.sheet.open_block(node);
        self.nameless.push(Nameless { of, scope: self.sheet.scope(), from: node.start_byte() });
    }

    pub(super) fn close_nameless(&mut self, node: Node<'_>) {
        if self.nameless.pop_if(|body| body.from == node.start_byte()).is_some() {
            self.sheet.close_block();
            self.sheet.close_def();
        }
    }

    /// What the class without a name extends whose member stands here.
    pub(super) fn nameless_base(&self) -> Option<TypeIx> {
        let scope = self.sheet.scope();
        self.nameless.last().filter(|body| body.scope == scope).and_then(|body| body.of)
    }
}
