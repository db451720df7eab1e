//! The sheet an extractor writes a file's facts on: names, scopes, pending comments, memoised expressions.

use std::cell::RefCell;
use std::num::NonZeroU16;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Language, Node};

use m1nd_graph::NodeFlags;

use crate::comments;
use crate::constants;
use crate::facts::{
    Binding, CallSite, Def, DefIx, DefKind, Expr, ExprIx, Few, FileFacts, How, Name, RouteHandler, Scope,
    TypeExpr, TypeIx,
};
use crate::reads;
use crate::routers::{Hung, On, Routers};

/// A comment that says one of these speaks of its file.
const OF_FILE: [&str; 7] =
    ["@file", "@license", "@module", "@overview", "@packageDocumentation", "@preserve", "Copyright"];
/// Longer signatures and comments are cut: they are shown, not parsed.
const MAX_SIGNATURE: usize = 400;
const MAX_DOC: usize = 2_000;

pub(crate) struct Sheet<'s> {
    pub source: &'s [u8],
    /// The same where all of it is text.
    text: &'s str,
    pub facts: FileFacts,
    names: FxHashMap<&'s [u8], Name>,
    /// Names that are not written in the source as they are.
    made: FxHashMap<String, Name>,
    /// How many classes without a name stand in a scope that are called the same.
    nameless: FxHashMap<(Scope, Name), u32>,
    exprs: FxHashMap<usize, ExprIx>,
    types: FxHashMap<usize, TypeIx>,
    /// Open definitions, outermost first.
    open: Vec<DefIx>,
    /// Starts and ends of open blocks, outermost first.
    blocks: Vec<(u32, u32)>,
    /// Open functions that are no definitions.
    closures: Vec<(u32, u32)>,
    /// Routers, and what was added to them.
    pub routers: Routers,
    /// Comments that may belong to what comes next: last line that they reach to, text.
    comments: Vec<(u32, String)>,
    /// Branches, loops and functions around, outermost first.
    branches: Vec<Branch>,
    /// Statements that only one side of a condition runs, by node.
    arms: Vec<usize>,
    /// Members that something is given to.
    given: FxHashSet<ExprIx>,
}

struct Branch {
    node: usize,
    end: u32,
    /// Whether what it does may not be done.
    may_be_skipped: bool,
}

impl<'s> Sheet<'s> {
    pub fn new(path: &str, language: &str, source: &'s [u8]) -> Self {
        let newlines = source.iter().filter(|&&b| b == b'\n').count();
        let unfinished = usize::from(source.last().is_some_and(|&b| b != b'\n'));
        let facts = FileFacts {
            path: path.to_owned(),
            language: language.to_owned(),
            lines: u32::try_from(newlines + unfinished).unwrap_or(u32::MAX),
            flags: if is_script(source) { NodeFlags::ENTRY_POINT } else { NodeFlags::default() },
            ..FileFacts::default()
        };
        Self {
            source,
            text: std::str::from_utf8(source).unwrap_or(""),
            facts,
            names: FxHashMap::default(),
            made: FxHashMap::default(),
            nameless: FxHashMap::default(),
            exprs: FxHashMap::default(),
            types: FxHashMap::default(),
            open: Vec::new(),
            blocks: vec![(0, u32::try_from(source.len()).unwrap_or(u32::MAX))],
            closures: Vec::new(),
            routers: Routers::default(),
            comments: Vec::new(),
            branches: Vec::new(),
            arms: Vec::new(),
            given: FxHashSet::default(),
        }
    }

    pub fn finish(mut self) -> FileFacts {
        self.facts.bindings.sort_by_key(|b| (b.owner, b.name, b.from, b.to));
        std::mem::take(&mut self.routers).settle(&mut self.facts);
        self.settle_routes();
        constants::find(&mut self.facts, self.source);
        reads::settle(&mut self.facts, &self.given);
        self.facts
    }

    /// A route that names a function of this file is answered by it.
    fn settle_routes(&mut self) {
        for at in 0..self.facts.routes.len() {
            let RouteHandler::Value(value) = self.facts.routes[at].handler else { continue };
            let Expr::Name { name, .. } = self.facts.inside.expr(value) else { continue };
            let is_it = |def: &Def| def.parent.is_none() && def.name == *name && def.kind.is_callable();
            if let Some(found) = self.facts.defs.iter().position(is_it) {
                self.facts.routes[at].handler = RouteHandler::Def(DefIx(found as u32));
            }
        }
    }

    pub fn bytes(&self, node: Node<'_>) -> &'s [u8] {
        self.source.get(node.byte_range()).unwrap_or(&[])
    }

    pub fn source_between(&self, from: usize, to: usize) -> Option<&'s [u8]> {
        self.source.get(from..to)
    }

    pub fn text(&self, node: Node<'_>) -> &'s str {
        self.text
            .get(node.byte_range())
            .unwrap_or_else(|| std::str::from_utf8(self.bytes(node)).unwrap_or(""))
    }

    pub fn name(&mut self, bytes: &'s [u8]) -> Name {
        if let Some(&known) = self.names.get(bytes) {
            return known;
        }
        if let Some(&known) = std::str::from_utf8(bytes).ok().and_then(|text| self.made.get(text)) {
            return known;
        }
        let fresh = self.facts.names.push(&String::from_utf8_lossy(bytes));
        self.names.insert(bytes, fresh);
        fresh
    }

    /// A name that is put together from several parts of the source.
    pub fn owned_name(&mut self, text: &str) -> Name {
        if let Some(&known) = self.names.get(text.as_bytes()).or_else(|| self.made.get(text)) {
            return known;
        }
        let fresh = self.facts.names.push(text);
        self.made.insert(text.to_owned(), fresh);
        fresh
    }

    /// What a class without a name is called here: after what it extends, with a number from the second such on. No
    /// code can say it.
    pub fn nameless(&mut self, base: &str) -> Name {
        let base = base.split(['<', '(']).next().unwrap_or(base).trim();
        let called = format!("${}", base.rsplit('.').next().unwrap_or(base));
        let name = self.owned_name(&called);
        let scope = self.scope();
        let count = self.nameless.entry((scope, name)).or_default();
        *count += 1;
        match *count {
            1 => name,
            more => self.owned_name(&format!("{called}#{more}")),
        }
    }

    pub fn name_of(&mut self, node: Node<'_>) -> Name {
        let bytes = self.bytes(node);
        self.name(bytes)
    }

    // Expressions and types, remembered by the node they were read from.

    pub fn push(&mut self, expr: Expr) -> ExprIx {
        self.facts.inside.exprs.push(expr);
        ExprIx(self.facts.inside.exprs.len() as u32 - 1)
    }

    pub fn set(&mut self, node: Node<'_>, expr: Expr) -> ExprIx {
        let ix = self.push(expr);
        self.exprs.insert(node.id(), ix);
        ix
    }

    /// Makes one node stand for the same value as another.
    pub fn same(&mut self, node: Node<'_>, as_node: Option<Node<'_>>) {
        if let Some(ix) = as_node.and_then(|inner| self.exprs.get(&inner.id()).copied()) {
            self.exprs.insert(node.id(), ix);
        }
    }

    pub fn alias(&mut self, node: Node<'_>, ix: ExprIx) {
        self.exprs.insert(node.id(), ix);
    }

    pub fn known(&self, node: Node<'_>) -> Option<ExprIx> {
        self.exprs.get(&node.id()).copied()
    }

    pub fn expr(&mut self, node: Option<Node<'_>>) -> ExprIx {
        match node.and_then(|node| self.known(node)) {
            Some(ix) => ix,
            None => self.push(Expr::Unknown),
        }
    }

    pub fn push_type(&mut self, ty: TypeExpr) -> TypeIx {
        self.facts.types.push(ty);
        TypeIx(self.facts.types.len() as u32 - 1)
    }

    pub fn set_type(&mut self, node: Node<'_>, ty: TypeExpr) -> TypeIx {
        let ix = self.push_type(ty);
        self.types.insert(node.id(), ix);
        ix
    }

    /// The type of `a.B`, whose last part was read as a type of its own: by itself it names nothing, least of all what
    /// this file calls `B`.
    pub fn set_qualified(&mut self, node: Node<'_>, last: Option<Node<'_>>, ty: TypeExpr) -> TypeIx {
        let Some(ix) = self.type_of(last) else { return self.set_type(node, ty) };
        self.facts.types[ix.0 as usize] = ty;
        self.types.insert(node.id(), ix);
        ix
    }

    pub fn same_type(&mut self, node: Node<'_>, as_node: Option<Node<'_>>) {
        if let Some(ix) = as_node.and_then(|inner| self.types.get(&inner.id()).copied()) {
            self.types.insert(node.id(), ix);
        }
    }

    /// The type that a node with this id writes.
    pub fn type_of_id(&self, node: usize) -> Option<TypeIx> {
        self.types.get(&node).copied()
    }

    pub fn type_of(&self, node: Option<Node<'_>>) -> Option<TypeIx> {
        node.and_then(|node| self.types.get(&node.id()).copied())
    }

    // Scopes.

    pub fn scope(&self) -> Scope {
        self.open.last().copied()
    }

    /// The innermost open callable, or what else holds local names.
    pub fn owner(&self) -> Scope {
        self.open.iter().rev().copied().find(|&ix| self.facts.def(ix).kind.is_callable())
    }

    pub fn scope_kind(&self) -> Option<DefKind> {
        self.scope().map(|ix| self.facts.def(ix).kind)
    }

    /// The innermost open definition that satisfies a condition.
    pub fn enclosing(&self, wanted: impl Fn(DefKind) -> bool) -> Scope {
        self.open.iter().rev().copied().find(|&ix| wanted(self.facts.def(ix).kind))
    }

    pub fn open_def(&mut self, def: Def) -> DefIx {
        self.facts.defs.push(def);
        let ix = DefIx(self.facts.defs.len() as u32 - 1);
        self.open.push(ix);
        ix
    }

    pub fn add_def(&mut self, def: Def) -> DefIx {
        self.facts.defs.push(def);
        DefIx(self.facts.defs.len() as u32 - 1)
    }

    /// Goes on with a definition that was read before.
    pub fn enter_def(&mut self, ix: DefIx) {
        self.open.push(ix);
    }

    pub fn close_def(&mut self) -> Scope {
        self.open.pop()
    }

    pub fn current(&mut self) -> Option<&mut Def> {
        let ix = self.open.last()?;
        self.facts.defs.get_mut(ix.0 as usize)
    }

    pub fn def_mut(&mut self, ix: DefIx) -> &mut Def {
        &mut self.facts.defs[ix.0 as usize]
    }

    pub fn open_block(&mut self, node: Node<'_>) {
        self.blocks.push((node.start_byte() as u32, node.end_byte() as u32));
    }

    pub fn close_block(&mut self) {
        self.blocks.pop();
    }

    pub fn block_end(&self) -> u32 {
        self.blocks.last().map_or(u32::MAX, |block| block.1)
    }

    pub fn block_start(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.0 as usize)
    }

    /// Where the innermost function around begins and ends, or the file.
    pub fn function_range(&self) -> (usize, u32) {
        let whole = self.blocks.first().copied().unwrap_or((0, u32::MAX));
        let owner = self.owner().map(|ix| (self.facts.def(ix).from, self.facts.def(ix).to));
        let innermost = self.closures.last().copied().into_iter().chain(owner).max_by_key(|(from, _)| *from);
        let (from, to) = innermost.unwrap_or(whole);
        (from as usize, to)
    }

    /// Whether no other function lies between a definition and the innermost open block.
    pub fn block_is_of(&self, def: DefIx) -> bool {
        let found = self.facts.def(def);
        !self.closures.iter().any(|&(from, to)| from > found.from && to <= found.to)
    }

    pub fn open_closure(&mut self, node: Node<'_>) {
        self.closures.push((node.start_byte() as u32, node.end_byte() as u32));
        self.open_block(node);
    }

    pub fn close_closure(&mut self) {
        self.closures.pop();
        self.close_block();
    }

    pub fn bind(&mut self, name: Name, from: usize, to: u32, ty: Option<TypeIx>, value: Option<ExprIx>) {
        let owner = self.owner();
        let until = match self.branches.last() {
            Some(&Branch { end, may_be_skipped: true, .. }) => end.min(to),
            _ => to,
        };
        self.facts.bindings.push(Binding { owner, name, from: from as u32, to, until, ty, value });
    }

    /// Gives a name that was declared before another value, which holds as long as the name does.
    pub fn rebind(&mut self, name: Name, from: usize, value: Option<ExprIx>) {
        let (owner, at) = (self.owner(), from as u32);
        let mut last = self.facts.bindings.iter().rev().take(200);
        let declared = last.find(|b| b.owner == owner && b.name == name && b.from <= at && at < b.to);
        let to = declared.map_or(self.block_end(), |declared| declared.to);
        // A function inside may be run at any time, or never.
        let end = self.function_range().1;
        self.bind(name, from, to, None, value);
        if let Some(bound) = self.facts.bindings.last_mut()
            && end < to
        {
            bound.until = bound.until.min(end);
        }
    }

    /// Opens a branch or a loop, or a function, which begins without doubts.
    pub fn open_branch(&mut self, node: Node<'_>, may_be_skipped: bool) {
        self.branches.push(Branch { node: node.id(), end: node.end_byte() as u32, may_be_skipped });
    }

    /// What stands here is run under a condition; the rest of the statement around it is not.
    pub fn note_arm(&mut self, node: Option<Node<'_>>) {
        self.arms.extend(node.map(|node| node.id()));
    }

    /// Opens a branch where a node is such an arm.
    pub fn enter_arm(&mut self, node: Node<'_>) {
        if self.arms.pop_if(|arm| *arm == node.id()).is_some() {
            self.open_branch(node, true);
        }
    }

    /// Whether the definition that a branch was opened for last stands in one that may be skipped.
    pub fn is_conditional(&self) -> bool {
        self.branches.iter().rev().nth(1).is_some_and(|branch| branch.may_be_skipped)
    }

    /// Closes what a node opened, if it opened anything.
    pub fn close_branch(&mut self, node: Node<'_>) {
        while self.branches.pop_if(|branch| branch.node == node.id()).is_some() {}
    }

    pub fn call(&mut self, what: ExprIx, node: Node<'_>) {
        let (scope, line) = (self.scope(), line(node));
        self.facts.inside.calls.push(CallSite { what, scope, line });
    }

    /// What stands here is added to a router by this name.
    pub fn hung_on(&self, name: &str, value: ExprIx) -> Hung {
        Hung { owner: self.owner(), on: On::Name(name.to_owned(), value) }
    }

    pub fn used(&mut self, what: ExprIx, node: Node<'_>) {
        let (scope, line) = (self.scope(), line(node));
        self.facts.inside.uses.push(CallSite { what, scope, line });
    }

    /// A member is named, by an expression at its node.
    pub fn member(&mut self, what: ExprIx, node: Node<'_>) {
        let (scope, line) = (self.scope(), line(node));
        self.facts.inside.members.push(CallSite { what, scope, line });
    }

    /// A member is given something, and not read.
    pub fn given(&mut self, node: Node<'_>) {
        self.given.extend(self.exprs.get(&node.id()));
    }

    // Comments.

    pub fn comment(&mut self, node: Node<'_>, text: String) {
        let first = line(node);
        let start = node.start_byte();
        let line_start = start - node.start_position().column.min(start);
        let before = self.source.get(line_start..start).unwrap_or(&[]);
        // What stands behind code on its line speaks of that code.
        if !before.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if self.comments.last().is_some_and(|(end, _)| end + 1 < first) {
            self.comments.clear();
        }
        // A grammar may count the newline as part of a line comment.
        let end = node.end_position();
        let last = if end.column == 0 { end.row } else { end.row + 1 };
        let reach = u32::from(self.is_doc_before_blank_line(node, &text));
        self.comments.push((last as u32 + reach, text));
    }

    /// Whether a comment is made to be read as documentation, and a blank line follows it: it may still belong to what comes then. What
    /// stands at the top of a file speaks of the file.
    fn is_doc_before_blank_line(&self, node: Node<'_>, text: &str) -> bool {
        let (start, end) = (node.start_byte(), node.end_byte());
        let is_doc = self.source.get(start..).is_some_and(|rest| rest.starts_with(b"/**")) && line(node) > 1;
        let mut after = self.source.get(end..).unwrap_or_default().split(|&byte| byte == b'\n').take(2);
        let is_blank = after.all(|part| part.iter().all(u8::is_ascii_whitespace));
        is_doc && is_blank && !OF_FILE.iter().any(|word| text.contains(word))
    }

    /// A comment of a language with `//` and `/* … */`, without its marks.
    pub fn plain_comment(&mut self, node: Node<'_>) {
        let text = self.text(node);
        let lines = text.trim_start_matches(['/', '*', '!', '<']).trim_end_matches("*/").lines();
        let lines: Vec<&str> = lines.map(|line| line.trim().trim_start_matches('*').trim()).collect();
        self.comment(node, lines.join("\n").trim().to_owned());
    }

    /// The comment right above a line, and its end.
    pub fn take_doc(&mut self, above: u32) -> String {
        let comments = std::mem::take(&mut self.comments);
        match comments.last() {
            Some((end, _)) if end + 1 >= above => {
                let lines: Vec<String> = comments.into_iter().map(|(_, text)| text).collect();
                clip(lines.join("\n").trim(), MAX_DOC)
            }
            _ => String::new(),
        }
    }

    pub fn drop_comments(&mut self) {
        self.comments.clear();
    }

    /// The text of a definition up to its body, on one line.
    pub fn signature(&self, from: usize, to: usize) -> String {
        // A table may go on for megabytes.
        let to = to.min(from + 8 * MAX_SIGNATURE);
        let text = String::from_utf8_lossy(self.source.get(from..to).unwrap_or(&[]));
        let text = comments::without(&text, comments::Marks::of(&self.facts.language));
        let words: Vec<&str> = text.split_whitespace().collect();
        clip(words.join(" ").trim_end_matches(['{', ':', ';', '=']).trim_end(), MAX_SIGNATURE)
    }

    /// A definition with what every kind has.
    pub fn def(&mut self, kind: DefKind, name: Name, node: Node<'_>, name_node: Node<'_>) -> Def {
        Def {
            kind,
            name,
            parent: self.scope(),
            line_start: line(node),
            line_end: last_line(node),
            name_line: line(name_node),
            from: node.start_byte() as u32,
            to: node.end_byte() as u32,
            signature: String::new(),
            doc: String::new(),
            flags: NodeFlags::default(),
            how: How::Free,
            type_params: Few::new(),
            params: Few::new(),
            returns: None,
            results: Few::new(),
            bases: Few::new(),
            fields: Few::new(),
            of: None,
            value: None,
        }
    }
}

/// Whether a name is written as one whose value does not change.
pub(crate) fn is_constant_name(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase)
}

/// Whether the first line says what program runs the file.
fn is_script(source: &[u8]) -> bool {
    source.starts_with(b"#!") && !source.starts_with(b"#![")
}

/// 1-based.
pub(crate) fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// 1-based; a node that ends with its newline ends on the line before it.
pub(crate) fn last_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let row = if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row };
    row as u32 + 1
}

/// The first `max` bytes, cut between characters.
pub(crate) fn clip(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = (0..=max).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// A field of a node, by name.
pub(crate) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_id(field_id(&node.language(), name)?.get())
}

/// Numbers of fields, by name.
type Fields = FxHashMap<String, Option<NonZeroU16>>;

/// A field's number in a grammar. A grammar compares the name with all it has, so what it found is kept.
fn field_id(grammar: &Language, name: &str) -> Option<NonZeroU16> {
    thread_local! {
        static KNOWN: RefCell<Vec<(Language, Fields)>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        let at = known.iter().position(|(other, _)| other == grammar).unwrap_or_else(|| {
            known.push((grammar.clone(), FxHashMap::default()));
            known.len() - 1
        });
        let fields = &mut known[at].1;
        if let Some(found) = fields.get(name) {
            return *found;
        }
        let found = grammar.field_id_for_name(name);
        fields.insert(name.to_owned(), found);
        found
    })
}

/// Named children that are not comments.
pub(crate) fn named_children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}
