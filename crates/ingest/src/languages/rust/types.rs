//! Types, bounds and type parameters as they are written in Rust.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{Few, TypeExpr, TypeIx, TypeParam};
use crate::sheet::{field, line, named_children};

impl Reader<'_> {
    pub(super) fn leave_type(&mut self, kind: &str, node: Node<'_>) {
        let scope = self.sheet.scope();
        match kind {
            "type_identifier" | "primitive_type" => {
                if self.sheet.bytes(node) == b"Self" {
                    self.sheet.set_type(node, TypeExpr::SelfType { scope });
                } else {
                    let segments = vec![self.sheet.name_of(node)];
                    let ty = TypeExpr::Path {
                        segments: segments.into(),
                        args: Few::new(),
                        scope,
                        line: line(node),
                    };
                    self.sheet.set_type(node, ty);
                }
            }
            "scoped_type_identifier" => {
                let last = field(node, "name");
                let Some(name) = last.map(|name| self.sheet.name_of(name)) else {
                    return;
                };
                let path = field(node, "path");
                if let Some(of) = self.sheet.type_of(path) {
                    self.sheet.set_qualified(node, last, TypeExpr::Assoc { of, name });
                    return;
                }
                let mut segments = path.map(|path| self.segments(path)).unwrap_or_default();
                if segments.first().is_some_and(|first| self.sheet.facts.text(*first) == "Self") {
                    let of = self.sheet.push_type(TypeExpr::SelfType { scope });
                    self.sheet.set_qualified(node, last, TypeExpr::Assoc { of, name });
                    return;
                }
                segments.push(name);
                let ty =
                    TypeExpr::Path { segments: segments.into(), args: Few::new(), scope, line: line(node) };
                self.sheet.set_qualified(node, last, ty);
            }
            "generic_type" | "generic_type_with_turbofish" => {
                let args = self.type_arguments(field(node, "type_arguments"));
                let inner = field(node, "type");
                let ty =
                    match self.sheet.type_of(inner).map(|ix| self.sheet.facts.types[ix.0 as usize].clone()) {
                        Some(TypeExpr::Path { segments, scope, line, .. }) => {
                            TypeExpr::Path { segments, args: args.into(), scope, line }
                        }
                        Some(other) => other,
                        None => {
                            let segments = inner.map(|path| self.segments(path)).unwrap_or_default();
                            TypeExpr::Path {
                                segments: segments.into(),
                                args: args.into(),
                                scope,
                                line: line(node),
                            }
                        }
                    };
                self.sheet.set_type(node, ty);
            }
            "reference_type" | "pointer_type" => {
                if let Some(of) = self.sheet.type_of(field(node, "type")) {
                    self.sheet.set_type(node, TypeExpr::Ref(of));
                }
            }
            // `&(dyn A + B)`: the brackets hold a sum together.
            "tuple_type" if node.named_child_count() == 1 && !self.sheet.bytes(node).ends_with(b",)") => {
                self.sheet.same_type(node, node.named_child(0));
            }
            "tuple_type" => {
                let parts = named_children(node);
                let parts = parts.into_iter().map(|p| self.type_or_unknown(Some(p))).collect();
                self.sheet.set_type(node, TypeExpr::Tuple(parts));
            }
            "array_type" => {
                let of = self.type_or_unknown(field(node, "element"));
                self.sheet.set_type(node, TypeExpr::List(of));
            }
            "dynamic_type" | "abstract_type" => {
                let of = self.type_or_unknown(field(node, "trait"));
                self.sheet.set_type(node, TypeExpr::Bounds([of].into()));
            }
            "bounded_type" => {
                let parts = named_children(node);
                let parts = parts.into_iter().filter_map(|p| self.sheet.type_of(Some(p))).collect();
                self.sheet.set_type(node, TypeExpr::Bounds(parts));
            }
            "higher_ranked_trait_bound" => self.sheet.same_type(node, field(node, "type")),
            "function_type" => {
                let params = field(node, "parameters").map(named_children).unwrap_or_default();
                let params = params.into_iter().map(|p| self.type_or_unknown(Some(p))).collect();
                let result = self.sheet.type_of(field(node, "return_type"));
                self.sheet.set_type(node, TypeExpr::Function { params, result });
            }
            "bracketed_type" => self.sheet.same_type(node, node.named_child(0)),
            "qualified_type" => self.sheet.same_type(node, field(node, "type")),
            _ => {}
        }
    }

    pub(super) fn type_or_unknown(&mut self, node: Option<Node<'_>>) -> TypeIx {
        match self.sheet.type_of(node) {
            Some(ty) => ty,
            None => self.sheet.push_type(TypeExpr::Unknown),
        }
    }

    /// Type arguments in order; an associated type like `Item = T` counts as one.
    pub(super) fn type_arguments(&mut self, node: Option<Node<'_>>) -> Vec<TypeIx> {
        let mut args = Vec::new();
        for child in node.map(named_children).unwrap_or_default() {
            match child.kind() {
                "lifetime" => {}
                "type_binding" => args.push(self.type_or_unknown(field(child, "type"))),
                _ => args.push(self.type_or_unknown(Some(child))),
            }
        }
        args
    }

    pub(super) fn bounds(&mut self, node: Option<Node<'_>>) -> Vec<TypeIx> {
        let parts = node.map(named_children).unwrap_or_default();
        parts.into_iter().filter_map(|part| self.sheet.type_of(Some(part))).collect()
    }

    pub(super) fn type_parameters(&mut self, node: Node<'_>) {
        let mut params = Vec::new();
        for child in named_children(node) {
            if !matches!(child.kind(), "type_parameter" | "const_parameter") {
                continue;
            }
            if let Some(name) = field(child, "name") {
                let name = self.sheet.name_of(name);
                let bounds = self.bounds(field(child, "bounds"));
                let default = self.sheet.type_of(field(child, "default_type"));
                params.push(TypeParam { name, bounds: bounds.into(), default });
            }
        }
        // `for<'a>` has type parameters too; it declares only lifetimes.
        if !params.is_empty()
            && let Some(def) = self.sheet.current()
        {
            def.type_params.extend(params);
        }
    }

    pub(super) fn where_predicate(&mut self, node: Node<'_>) {
        let Some(left) = field(node, "left") else { return };
        let name = self.sheet.name_of(left);
        let bounds = self.bounds(field(node, "bounds"));
        if let Some(def) = self.sheet.current()
            && let Some(param) = def.type_params.iter_mut().find(|param| param.name == name)
        {
            param.bounds.extend(bounds);
        }
    }
}
