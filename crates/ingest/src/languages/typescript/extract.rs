//! Reading the facts of one TypeScript or JavaScript file.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Language, Node};

use m1nd_graph::NodeFlags;

use super::signatures::Told;
use super::{commonjs, names, patterns, routes, types};
use crate::facts::{By, DefIx, DefKind, Export, Expr, ExprIx, Few, Field, FileFacts, How, Name, Scope};
use crate::sheet::{Sheet, clip, field, line, named_children};
use crate::walk::{Coverage, Descend, ParseError, Visit, hides_definitions, parse, walk};

pub(super) fn extract(
    language: &str,
    grammar: Language,
    path: &str,
    source: &[u8],
    limit: Duration,
) -> Result<FileFacts, ParseError> {
    let tree = parse(&grammar, source, limit)?;
    let mut reader = Reader {
        sheet: Sheet::new(path, language, source),
        functions: FxHashMap::default(),
        planned: FxHashMap::default(),
        defs: FxHashMap::default(),
        decorated: routes::Decorated::default(),
        routers: FxHashSet::default(),
        prototypes: FxHashMap::default(),
        members: FxHashSet::default(),
        owned: FxHashSet::default(),
        impls: FxHashMap::default(),
        vars: FxHashSet::default(),
        bodies: FxHashMap::default(),
        told: None,
    };
    if is_test_file(path) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::TEST_CODE);
    }
    if walk(&tree, &mut reader) == Coverage::DepthLimited || hides_definitions(&tree, source) {
        reader.sheet.facts.flags = reader.sheet.facts.flags.with(NodeFlags::PARTIAL);
    }
    let mut facts = reader.sheet.finish();
    commonjs::mark(&mut facts);
    routes::of_file(&mut facts);
    Ok(facts)
}

fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains(".test.")
        || name.contains(".spec.")
        || name.contains(".bench.")
        || path.split('/').any(|part| matches!(part, "__tests__" | "test" | "tests" | "e2e"))
}

pub(super) struct Reader<'s> {
    pub(super) sheet: Sheet<'s>,
    /// Parameters of functions whose call is not known yet, by function node.
    pub(super) functions: FxHashMap<usize, Vec<ExprIx>>,
    /// Functions that become definitions, by node: what they are called and what they are.
    pub(super) planned: FxHashMap<usize, Plan>,
    /// Definitions by the node they were opened at.
    pub(super) defs: FxHashMap<usize, DefIx>,
    pub(super) decorated: routes::Decorated,
    /// Names that were given a router of express or its like.
    pub(super) routers: FxHashSet<String>,
    /// Objects whose members are added to what is called so, by node.
    pub(super) prototypes: FxHashMap<usize, Vec<u8>>,
    /// Entries of such objects.
    pub(super) members: FxHashSet<usize>,
    /// Nodes that opened the members of an owner.
    pub(super) owned: FxHashSet<usize>,
    /// Members that are added by assignment, by where and to what.
    pub(super) impls: FxHashMap<(Scope, Name), DefIx>,
    /// Declarators of `var`, by node.
    pub(super) vars: FxHashSet<usize>,
    /// Where the bodies of definitions begin and end.
    pub(super) bodies: FxHashMap<DefIx, (usize, u32)>,
    /// What was said of the function that is to come.
    pub(super) told: Option<Told>,
}

/// A definition that its surroundings name.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) name: Vec<u8>,
    pub(super) kind: DefKind,
    pub(super) how: How,
    /// Whether the name holds in all of the function around it, as `var` does.
    pub(super) is_var: bool,
    /// The whole statement that defines it.
    pub(super) from: usize,
    pub(super) line: u32,
    pub(super) flags: NodeFlags,
    /// What it is added to, where it does not stand in it.
    pub(super) owner: Option<Vec<u8>>,
}

impl<'t> Visit<'t> for Reader<'_> {
    fn enter(&mut self, node: Node<'t>) -> Descend {
        if !node.is_named() {
            return Descend::Past;
        }
        let kind = node.kind();
        self.sheet.enter_arm(node);
        match kind {
            "if_statement" => self.sheet.note_arm(field(node, "consequence")),
            "try_statement" => self.sheet.note_arm(field(node, "body")),
            "else_clause" | "for_statement" | "for_in_statement" | "while_statement" | "do_statement"
            | "switch_case" | "switch_default" | "catch_clause" => {
                self.sheet.open_branch(node, true);
            }
            "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
            | "class_static_block" => self.sheet.open_branch(node, false),
            _ => {}
        }
        match kind {
            "comment" => self.comment(node),
            "decorator" => self.decorator(node),
            "import_statement" => {
                names::import(&mut self.sheet, node);
                self.sheet.drop_comments();
                return Descend::Past;
            }
            "export_statement" => {
                self.plan_export(node);
                if names::reexport(&mut self.sheet, node) {
                    return Descend::Past;
                }
            }
            "variable_declaration" => self.vars.extend(named_children(node).iter().map(|one| one.id())),
            "variable_declarator" => self.enter_declarator(node),
            "function_signature" if self.is_way_to_call(node) => return Descend::Past,
            "function_declaration" | "generator_function_declaration" | "function_signature" => {
                self.enter_function(node, DefKind::Function);
            }
            "method_definition" | "abstract_method_signature" => self.enter_method(node),
            "method_signature" => {
                if matches!(self.sheet.scope_kind(), Some(DefKind::Interface | DefKind::TypeAlias)) {
                    self.enter_method(node);
                }
            }
            "public_field_definition" | "field_definition" => self.plan_field(node),
            "pair" => self.plan_pair(node),
            "assignment_expression" => self.plan_assignment(node),
            "call_expression" => {
                self.plan_test(node);
                self.note_hook(node);
                self.plan_mixin(node);
            }
            "object" => self.enter_object(node),
            "arrow_function" | "function_expression" | "generator_function" => {
                self.enter_function_value(node)
            }
            "class_declaration" | "abstract_class_declaration" | "class" => {
                self.enter_type(node, DefKind::Class)
            }
            "interface_declaration" => self.enter_type(node, DefKind::Interface),
            "type_alias_declaration" => self.enter_type(node, DefKind::TypeAlias),
            "enum_declaration" => self.enter_type(node, DefKind::Enum),
            "internal_module" | "module" => self.enter_type(node, DefKind::Module),
            "statement_block" | "for_statement" | "for_in_statement" | "switch_body" | "catch_clause" => {
                self.sheet.open_block(node);
            }
            _ => {}
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
    fn comment(&mut self, node: Node<'_>) {
        let text = self.sheet.text(node);
        if text.starts_with("/*") {
            let lines: Vec<&str> = text
                .trim_start_matches("/*")
                .trim_end_matches("*/")
                .lines()
                .map(|line| line.trim().trim_start_matches('*').trim())
                .filter(|line| !line.is_empty())
                .collect();
            let doc = lines.join("\n");
            if line(node) == 1 && self.sheet.facts.defs.is_empty() {
                self.sheet.facts.doc = clip(&doc, 2_000);
            }
            self.sheet.comment(node, doc);
        } else {
            self.sheet.comment(node, text.trim_start_matches('/').trim().to_owned());
        }
    }

    fn leave_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "function_declaration"
            | "generator_function_declaration"
            | "function_signature"
            | "method_definition"
            | "abstract_method_signature"
            | "method_signature" => {
                if self.defs.contains_key(&node.id()) {
                    self.finish_callable(node);
                    self.close(node);
                    let ix = self.defs[&node.id()];
                    self.sheet.set(node, Expr::Def(ix));
                }
            }
            "arrow_function" | "function_expression" | "generator_function" => {
                self.leave_function_value(node)
            }
            "class_declaration" | "abstract_class_declaration" | "class" => {
                if let Some(&ix) = self.defs.get(&node.id()) {
                    self.finish_class(node);
                    self.close(node);
                    self.sheet.set(node, Expr::Def(ix));
                }
            }
            "interface_declaration" => {
                let bases = types::extended(&mut self.sheet, node);
                self.sheet.current().into_iter().for_each(|def| def.bases.extend(bases.iter().copied()));
                self.members(field(node, "body"));
                self.type_params(node);
                self.close(node);
            }
            "type_alias_declaration" => {
                let value = field(node, "value");
                if value.is_some_and(|value| value.kind() == "object_type") {
                    self.members(value);
                } else {
                    let of = self.sheet.type_of(value);
                    self.sheet.current().into_iter().for_each(|def| def.of = of);
                }
                self.type_params(node);
                self.close(node);
            }
            "enum_declaration" | "internal_module" | "module" => {
                self.close(node);
            }
            "variable_declarator" => self.leave_declarator(node),
            "public_field_definition" | "field_definition" => self.class_field(node),
            "statement_block" | "for_statement" | "switch_body" => self.sheet.close_block(),
            "catch_clause" => {
                if let Some(pattern) = field(node, "parameter") {
                    let (from, to) = (node.start_byte(), node.end_byte() as u32);
                    patterns::bind(&mut self.sheet, pattern, None, None, from, to);
                }
                self.sheet.close_block();
            }
            "for_in_statement" => {
                let of = self.sheet.expr(field(node, "right"));
                let item = self.sheet.push(Expr::Out { of, by: By::Iteration });
                if let Some(left) = field(node, "left") {
                    let (from, to) = (self.sheet.block_start(), self.sheet.block_end());
                    patterns::bind(&mut self.sheet, left, Some(item), None, from, to);
                }
                self.sheet.close_block();
            }
            "return_statement" => {
                let value = node.named_child(0).map(|value| self.sheet.expr(Some(value)));
                if let (Some(value), Some(owner)) = (value, self.sheet.owner()) {
                    // A closure's own returns are not those of the function around it.
                    if self.sheet.block_is_of(owner) {
                        self.sheet.def_mut(owner).results.push(value);
                    }
                }
            }
            "assignment_expression" => self.assignment(node),
            "export_statement" => self.leave_export(node),
            kind => self.leave_expression(kind, node),
        }
    }

    fn leave_declarator(&mut self, node: Node<'_>) {
        self.note_router(field(node, "name"), field(node, "value"));
        let ty = self.sheet.type_of(field(node, "type"));
        let value = field(node, "value").and_then(|value| self.sheet.known(value));
        if let Some(&ix) = self.defs.get(&node.id()) {
            let def = self.sheet.def_mut(ix);
            def.of = ty;
            def.value = value;
            self.sheet.close_def();
        }
        let is_def = value.is_some_and(|value| matches!(self.sheet.facts.inside.expr(value), Expr::Def(_)));
        if let Some(pattern) = field(node, "name")
            && !is_def
        {
            // `var` holds in all of the function around it.
            let (from, to) = match self.vars.remove(&node.id()) {
                true => self.sheet.function_range(),
                false => (self.sheet.block_start(), self.sheet.block_end()),
            };
            // `let x;` holds nothing yet.
            let is_bare = value.is_none() && ty.is_none() && field(node, "value").is_none();
            let value = if is_bare { Some(self.sheet.push(Expr::Any(Few::new()))) } else { value };
            patterns::bind(&mut self.sheet, pattern, value, ty, from, to);
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return;
        };
        self.note_router(Some(left), Some(right));
        self.sheet.given(left);
        let value = self.sheet.known(right);
        self.sheet.same(node, Some(right));
        match left.kind() {
            "identifier" => {
                let name = self.sheet.name_of(left);
                self.sheet.rebind(name, node.end_byte(), value);
            }
            "member_expression" => {
                let object = field(left, "object").map(|o| self.sheet.bytes(o)).unwrap_or(&[]);
                let Some(property) = field(left, "property") else {
                    return;
                };
                let name = self.sheet.name_of(property);
                match object {
                    b"this" => {
                        let entry = Field { name, ty: None, value, line: line(node) };
                        let class = self.sheet.enclosing(|kind| kind == DefKind::Class);
                        if let Some(class) = class.or_else(|| self.constructor_function()) {
                            self.sheet.def_mut(class).fields.push(entry);
                        }
                    }
                    b"exports" | b"module.exports" => {
                        let value = self.sheet.expr(Some(right));
                        self.sheet.facts.exports.push(Export { name, value });
                    }
                    b"module" if self.sheet.bytes(property) == b"exports" => {
                        let value = self.sheet.expr(Some(right));
                        let name = self.sheet.name(commonjs::WHOLE.as_bytes());
                        self.sheet.facts.exports.push(Export { name, value });
                    }
                    _ => {}
                }
            }
            _ => {
                let (from, to) = (node.end_byte(), self.sheet.block_end());
                patterns::bind(&mut self.sheet, left, value, None, from, to);
            }
        }
    }

    /// The function around that makes values with `new`, by the custom of its name.
    fn constructor_function(&self) -> Scope {
        self.sheet.owner().filter(|&ix| {
            let def = self.sheet.facts.def(ix);
            let is_upper = self.sheet.facts.text(def.name).starts_with(|c: char| c.is_ascii_uppercase());
            def.kind == DefKind::Function && is_upper
        })
    }

    fn leave_export(&mut self, node: Node<'_>) {
        let text = self.sheet.bytes(node);
        if !text.get(6..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"default")) {
            return;
        }
        let inner = field(node, "value").or_else(|| field(node, "declaration"));
        let value = self.sheet.expr(inner);
        let name = self.sheet.name(b"default");
        self.sheet.facts.exports.push(Export { name, value });
    }
}
