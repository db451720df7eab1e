//! Calls in what a macro stands for. A grammar sees only text there.

use std::ops::Range;

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::text::{comment_end, is_name, line_end, name_end, quoted_end, raw_end};
use crate::facts::{CallSite, Def, DefIx, DefKind, Expr, ExprIx, Few, How, Name};
use crate::sheet::{Sheet, field, line, named_children};

/// How macros differ from functions and variables, none of which is static in this sense.
pub(in crate::languages) const MACRO: How = How::Static;

pub(in crate::languages) fn is_empty_macro(def: &Def) -> bool {
    is_macro(def) && def.flags.has(NodeFlags::ABSTRACT)
}

/// A macro that takes something and does nothing with it, as `do {} while (0)`, has no body of its own.
pub(in crate::languages) fn flags(sheet: &Sheet<'_>, node: Node<'_>) -> NodeFlags {
    let value = field(node, "value").map_or("", |value| sheet.text(value));
    let given = field(node, "parameters").map(named_children).unwrap_or_default();
    let given: Vec<&str> = given.iter().map(|name| sheet.text(*name)).collect();
    let mut words = value.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let is_nothing = words.all(|word| matches!(word, "do" | "while" | "void" | "0") || given.contains(&word));
    let is_plain = value.chars().all(|c| c.is_alphanumeric() || c.is_whitespace() || "_(){};,".contains(c));
    let is_said = value.contains("void") || value.contains("while") || value.trim() == "{}";
    if node.kind() == "preproc_function_def" && is_nothing && is_plain && is_said {
        NodeFlags::default().with(NodeFlags::ABSTRACT)
    } else {
        NodeFlags::default()
    }
}

pub(in crate::languages) fn is_macro(def: &Def) -> bool {
    matches!(def.kind, DefKind::Function | DefKind::Constant) && def.how == MACRO
}

/// Reads what a `#define` stands for. A name that is called there is looked for from the macro's file.
pub(in crate::languages) fn read(sheet: &mut Sheet<'_>, define: Node<'_>, def: DefIx) {
    let Some(value) = field(define, "value") else { return };
    let params = field(define, "parameters").map(named_children).unwrap_or_default();
    let mut body = Body {
        params: params.into_iter().map(|param| sheet.bytes(param)).collect(),
        def,
        line: line(value),
        counted: value.start_byte(),
        from: value.start_byte(),
    };
    body.read(sheet, sheet.bytes(value));
}

/// Reads the calls of what a tree does not show, each for the function around it.
pub(in crate::languages) fn read_unread(sheet: &mut Sheet<'_>, mut unread: Vec<Range<usize>>) {
    let (mut line, mut counted) = (1, 0);
    unread.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    for range in unread {
        if range.start < end {
            continue;
        }
        end = range.end;
        let passed = sheet.source_between(counted, range.start).unwrap_or(&[]);
        line += passed.iter().filter(|&&byte| byte == b'\n').count() as u32;
        counted = range.start;
        let is_around = |def: &&Def| {
            def.kind.is_callable() && (def.from as usize..def.to as usize).contains(&range.start)
        };
        let around = sheet.facts.defs.iter().rposition(|def| is_around(&def));
        let (Some(at), Some(text)) = (around, sheet.source_between(range.start, range.end)) else { continue };
        let def = DefIx(at as u32);
        Body { params: Vec::new(), def, line, counted, from: counted }.read(sheet, text);
    }
}

struct Body<'s> {
    params: Vec<&'s [u8]>,
    def: DefIx,
    /// The line of the last call, and up to where newlines were counted.
    line: u32,
    counted: usize,
    /// Where the body begins in the file.
    from: usize,
}

/// What stands before a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// Another name: what follows is declared.
    Name,
    /// `.` or `->`.
    Member,
    /// `::`, after a name or alone.
    Scope,
    /// `##`: what follows is half a name.
    Joined,
}

impl<'s> Body<'s> {
    fn read(&mut self, sheet: &mut Sheet<'s>, text: &'s [u8]) {
        let mut before = Before::Nothing;
        let mut path: Vec<&'s [u8]> = Vec::new();
        let mut names = 0;
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let from = at;
            match byte {
                b if b.is_ascii_whitespace() || b == b'\\' => {
                    at += 1;
                    continue;
                }
                b'/' if text.get(at + 1) == Some(&b'/') => at = line_end(text, at),
                b'/' if text.get(at + 1) == Some(&b'*') => at = comment_end(text, at),
                b'R' if text.get(at + 1) == Some(&b'"') => at = raw_end(text, at + 2),
                b'"' | b'\'' => at = quoted_end(text, at, byte),
                b if is_name(b) => {
                    at = name_end(text, at);
                    let name = &text[from..at];
                    if before != Before::Scope {
                        path.clear();
                    }
                    path.push(name);
                    names += 1;
                    let rest = text[at..].trim_ascii_start();
                    let is_called = rest.starts_with(b"(") && !rest.starts_with(b"(*");
                    if is_called && !byte.is_ascii_digit() && !is_keyword(name) {
                        self.called(sheet, &path, before, from);
                    }
                    before = if is_keyword(name) { Before::Nothing } else { Before::Name };
                    continue;
                }
                b':' if text.get(at + 1) == Some(&b':') => {
                    at += 2;
                    before = Before::Scope;
                    continue;
                }
                b'-' if text.get(at + 1) == Some(&b'>') => {
                    at += 2;
                    before = Before::Member;
                    continue;
                }
                b'#' if text.get(at + 1) == Some(&b'#') => {
                    at += 2;
                    before = Before::Joined;
                    continue;
                }
                b'.' => {
                    at += 1;
                    before = Before::Member;
                    continue;
                }
                _ => at += 1,
            }
            path.clear();
            before = Before::Nothing;
        }
        // `#define other_name name` says that both are one.
        if names == 1 && path.len() == 1 && path[0].len() == text.trim_ascii().len() {
            let name = self.name(sheet, path[0], self.from);
            self.site(sheet, name, self.from).into_iter().for_each(|site| sheet.facts.inside.uses.push(site));
        }
    }

    fn called(&mut self, sheet: &mut Sheet<'s>, path: &[&'s [u8]], before: Before, at: usize) {
        let at = self.from + at;
        let callee = match (before, path) {
            (Before::Name | Before::Joined, _) => return,
            (Before::Member, [.., name]) => {
                let base = sheet.push(Expr::Unknown);
                let name = sheet.name(name);
                sheet.push(Expr::Field { base, name })
            }
            (Before::Nothing, [name]) if self.params.contains(name) => return,
            (Before::Nothing | Before::Scope, [name]) => self.name(sheet, name, at),
            _ => {
                let segments: Vec<Name> = path.iter().map(|part| sheet.name(part)).collect();
                let scope = Some(self.def);
                sheet.push(Expr::Path { segments: segments.into(), args: Few::new(), scope, at: at as u32 })
            }
        };
        let call = sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
        if let Some(site) = self.site(sheet, call, at) {
            sheet.facts.inside.calls.push(site);
        }
    }

    fn name(&self, sheet: &mut Sheet<'s>, name: &'s [u8], at: usize) -> ExprIx {
        let name = sheet.name(name);
        sheet.push(Expr::Name { name, at: at as u32, scope: Some(self.def) })
    }

    fn site(&mut self, sheet: &Sheet<'s>, what: ExprIx, at: usize) -> Option<CallSite> {
        let passed = sheet.source_between(self.counted, at)?;
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.counted = at;
        Some(CallSite { what, scope: Some(self.def), line: self.line })
    }
}

/// Words before a bracket that are no calls, and after which a call may stand.
pub(super) fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"if"
            | b"while"
            | b"for"
            | b"switch"
            | b"return"
            | b"sizeof"
            | b"do"
            | b"else"
            | b"case"
            | b"goto"
            | b"defined"
            | b"typeof"
            | b"__typeof__"
            | b"__attribute__"
            | b"__declspec"
            | b"_Pragma"
            | b"__pragma"
            | b"__asm__"
            | b"asm"
            | b"alignof"
            | b"_Alignof"
            | b"_Generic"
            | b"_Static_assert"
            | b"static_assert"
            | b"decltype"
            | b"noexcept"
            | b"catch"
            | b"throw"
            | b"new"
            | b"delete"
            | b"static_cast"
            | b"const_cast"
            | b"reinterpret_cast"
            | b"dynamic_cast"
            | b"operator"
            | b"int"
            | b"char"
            | b"void"
            | b"unsigned"
            | b"long"
            | b"double"
            | b"float"
            | b"bool"
            | b"and"
            | b"or"
            | b"not"
    )
}
