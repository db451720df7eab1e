//! Expressions by the roles of their nodes: what they are values of, and what they call.

use tree_sitter::Node;

use super::reader::Reader;
use super::{HandedTo, Imported, Role};
use crate::facts::{
    By, DefIx, DefKind, Export, Expr, ExprIx, Few, Field, Name, Route, RouteHandler, TypeExpr,
};
use crate::sheet::{field, line, named_children};

impl<'t> Reader<'_, 't> {
    pub(super) fn expression(&mut self, node: Node<'t>) {
        if self.heads.contains(&node.id()) {
            return;
        }
        let scope = self.sheet.scope();
        let at = node.start_byte() as u32;
        match (self.grammar.role)(&self.source, node, self.path.last().copied()) {
            Role::Value { name, ty, value, is_constant } => self.value(node, name, ty, value, is_constant),
            Role::Values(all) => {
                for (name, value) in all {
                    self.value(node, name, None, Some(value), false);
                }
            }
            Role::Call { receiver, name, args } => {
                let text = self.sheet.name_of(name);
                let callee = match receiver {
                    None if args.is_some() && self.grammar.functions_apart => self.function_named(name),
                    Some(receiver) => {
                        let base = self.receiver(receiver);
                        let base = if self.grammar.extensions { self.seen_here(base, node) } else { base };
                        self.sheet.push(Expr::Field { base, name: text })
                    }
                    None => self.bare(name),
                };
                if receiver.is_none() && self.grammar.name == "ruby" {
                    self.note_blocks(callee);
                }
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
            Role::Declared { name } => {
                let (name, to) = (self.sheet.name_of(name), self.sheet.block_end());
                let nothing = self.sheet.push(Expr::Any(Few::new()));
                self.sheet.bind(name, node.start_byte(), to, None, Some(nothing));
            }
            Role::Nothing => {
                self.sheet.set(node, Expr::Any(Few::new()));
            }
            Role::Either(parts) => {
                let parts = parts.into_iter().map(|part| self.sheet.expr(Some(part))).collect();
                self.sheet.set(node, Expr::Any(parts));
            }
            Role::Same(part) => self.sheet.same(node, Some(part)),
            Role::Result(value) => {
                if let (Some(value), Some(owner)) = (self.sheet.known(value), self.sheet.owner())
                    && self.sheet.block_is_of(owner)
                {
                    self.sheet.def_mut(owner).results.push(value);
                }
            }
            _ => {}
        }
    }

    fn called(&mut self, node: Node<'_>, callee: ExprIx, args: Option<Node<'_>>) {
        let args = args.map(named_children).unwrap_or_default();
        let args = args.iter().map(|arg| self.sheet.expr(Some(*arg))).collect();
        let call = self.sheet.set(node, Expr::Call { callee, args, types: Few::new() });
        self.sheet.call(call, node);
    }

    pub(super) fn routes(&mut self, node: Node<'t>, function: Option<DefIx>) {
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

    /// The same where no local can be meant.
    fn function_named(&mut self, name: Node<'_>) -> ExprIx {
        let (scope, at) = (self.sheet.scope(), name.start_byte() as u32);
        let segments = self.split(self.source.text(name));
        match segments.is_empty() {
            true => self.sheet.push(Expr::Unknown),
            false => self.sheet.push(Expr::Path { segments: segments.into(), args: Few::new(), scope, at }),
        }
    }

    fn is_local(&self, name: Name, at: u32) -> bool {
        let owner = self.sheet.owner();
        let mut last = self.sheet.facts.bindings.iter().rev().take(200).filter(|b| b.owner == owner);
        owner.is_some() && last.any(|b| b.name == name && b.from <= at && at < b.to)
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
