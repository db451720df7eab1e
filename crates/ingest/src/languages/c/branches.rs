//! Source whose `#if` cuts through a bracket or a statement, with one branch of it left.
//!
//! A grammar reads every branch of a condition. Where each of them opens the brace that the code below closes, it
//! sees too many, and what follows lands inside the wrong function.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::text::{comment_end, directive_end, is_name, line_end, name_end, quoted_end, raw_end};

/// Which conditions are cut down to one branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Those that hold half a pair of brackets. Nothing can be read there otherwise.
    Brackets,
    /// Those that hold part of a statement too.
    Statements,
}

/// The dialect decides what `__cplusplus` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::languages) enum Dialect {
    C,
    Cpp,
}

/// The source with the same bytes at the same places, but with blanks for all branches but one of each condition
/// that is cut; and where what was written in those branches stands.
pub(super) fn one_of_each(source: &[u8], cut: Cut, dialect: Dialect) -> (Cow<'_, [u8]>, Vec<Range<usize>>) {
    let mut reader = Reader {
        source,
        cut,
        dialect,
        groups: Vec::new(),
        top: Branch::default(),
        known: FxHashMap::default(),
        blanks: Vec::new(),
        dropped: Vec::new(),
    };
    reader.read();
    if reader.blanks.is_empty() {
        return (Cow::Borrowed(source), Vec::new());
    }
    let mut bytes = source.to_vec();
    for (from, to) in reader.blanks {
        let blank = bytes.get_mut(from..to).unwrap_or(&mut []);
        blank.iter_mut().filter(|byte| !matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    (Cow::Owned(bytes), reader.dropped)
}

/// From `#if` to `#endif`.
#[derive(Default)]
struct Group {
    branches: Vec<Branch>,
}

/// From one directive to the next.
#[derive(Default)]
struct Branch {
    /// What must hold; an `#else` has nothing.
    condition: Option<Condition>,
    /// Its directive.
    from: usize,
    /// The end of its directive, and where the next one begins.
    inside: (usize, usize),
    /// Brackets that it closes and did not open, and those that it opens and does not close.
    closes: Vec<u8>,
    opens: Vec<u8>,
    first: Word,
    last: Word,
}

/// Condition texts are compared without blanks; `#ifdef A`, `#if A` and `#if defined(A)` are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Condition {
    text: Vec<u8>,
    is_negated: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Word {
    #[default]
    None,
    /// `else`, which belongs to what stands before.
    Else,
    Name,
    Sign(u8),
}

struct Reader<'s> {
    source: &'s [u8],
    cut: Cut,
    dialect: Dialect,
    groups: Vec<Group>,
    top: Branch,
    /// What was decided of a condition holds in the whole file.
    known: FxHashMap<Vec<u8>, bool>,
    blanks: Vec<(usize, usize)>,
    dropped: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let source = self.source;
        let (mut at, mut starts_line) = (0, true);
        while let Some(&byte) = source.get(at) {
            match byte {
                b'\n' => {
                    starts_line = true;
                    at += 1;
                    continue;
                }
                b if b.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b'#' if starts_line => {
                    let end = directive_end(source, at);
                    self.directive(at, end);
                    at = end;
                    continue;
                }
                b'/' if source.get(at + 1) == Some(&b'/') => at = line_end(source, at),
                b'/' if source.get(at + 1) == Some(&b'*') => {
                    at = comment_end(source, at);
                    continue;
                }
                b'R' if self.dialect == Dialect::Cpp && source.get(at + 1) == Some(&b'"') => {
                    at = raw_end(source, at + 2);
                    self.word(Word::Name);
                }
                b'"' | b'\'' => {
                    at = quoted_end(source, at, byte);
                    self.word(Word::Name);
                }
                b if is_name(b) => {
                    let from = at;
                    at = name_end(source, at);
                    self.word(if &source[from..at] == b"else" { Word::Else } else { Word::Name });
                }
                b'{' | b'(' | b'[' => {
                    self.branch().opens.push(byte);
                    self.word(Word::Sign(byte));
                    at += 1;
                }
                b'}' | b')' | b']' => {
                    self.branch().close(byte);
                    self.word(Word::Sign(byte));
                    at += 1;
                }
                _ => {
                    self.word(Word::Sign(byte));
                    at += 1;
                }
            }
            starts_line = false;
        }
    }

    fn branch(&mut self) -> &mut Branch {
        self.groups.last_mut().and_then(|group| group.branches.last_mut()).unwrap_or(&mut self.top)
    }

    fn word(&mut self, word: Word) {
        let branch = self.branch();
        if branch.first == Word::None {
            branch.first = word;
        }
        branch.last = word;
    }

    fn directive(&mut self, from: usize, to: usize) {
        let text = self.source[from + 1..to].trim_ascii_start();
        let name_len = text.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(text.len());
        let (name, rest) = text.split_at(name_len);
        let condition = match name {
            b"ifdef" | b"elifdef" => Some(Condition::of(rest)),
            b"ifndef" | b"elifndef" => Some(Condition::of(rest).negated()),
            b"if" | b"elif" => Some(Condition::of(rest)),
            _ => None,
        };
        match name {
            b"if" | b"ifdef" | b"ifndef" => self.groups.push(Group::default()),
            b"elif" | b"elifdef" | b"elifndef" | b"else" => self.end_branch(from),
            b"endif" => {
                self.end_branch(from);
                return self.end_group(from, to);
            }
            _ => return,
        }
        if let Some(group) = self.groups.last_mut() {
            group.branches.push(Branch { condition, from, inside: (to, to), ..Branch::default() });
        }
    }

    fn end_branch(&mut self, at: usize) {
        if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut()) {
            branch.inside.1 = at;
        }
    }

    fn end_group(&mut self, from: usize, to: usize) {
        let Some(group) = self.groups.pop() else { return };
        let is_cut = group.branches.iter().any(|branch| branch.is_cut(self.cut));
        if !is_cut {
            let last = group.branches.iter().rev().map(|branch| branch.last).find(|last| *last != Word::None);
            last.into_iter().for_each(|last| self.word(last));
            return;
        }
        let kept = self.choose(&group);
        for (at, branch) in group.branches.iter().enumerate() {
            let end = if kept == Some(at) { branch.inside.0 } else { branch.inside.1 };
            self.blanks.push((branch.from, end));
            if kept != Some(at) && branch.first != Word::None {
                self.dropped.push(branch.inside.0..branch.inside.1);
            }
        }
        self.blanks.push((from, to));
        let Some(branch) = kept.and_then(|kept| group.branches.into_iter().nth(kept)) else { return };
        for &closed in &branch.closes {
            self.branch().close(closed);
        }
        self.branch().opens.extend(&branch.opens);
        if branch.first != Word::None {
            self.word(branch.first);
            self.word(branch.last);
        }
    }

    /// The first branch that may hold, by what was decided above; a condition nobody decided holds from now on.
    fn choose(&mut self, group: &Group) -> Option<usize> {
        group.branches.iter().position(|branch| match &branch.condition {
            None => true,
            Some(condition) => {
                let default = match &condition.text[..] {
                    b"0" => false,
                    b"__cplusplus" => self.dialect == Dialect::Cpp,
                    _ => !condition.is_negated,
                };
                let holds = *self.known.entry(condition.text.clone()).or_insert(default);
                holds != condition.is_negated
            }
        })
    }
}

impl Branch {
    fn close(&mut self, byte: u8) {
        let open = match byte {
            b'}' => b'{',
            b')' => b'(',
            _ => b'[',
        };
        if self.opens.last() == Some(&open) {
            self.opens.pop();
        } else {
            self.closes.push(byte);
        }
    }

    fn is_cut(&self, cut: Cut) -> bool {
        let has_half_pair = !self.opens.is_empty() || !self.closes.is_empty();
        has_half_pair || (cut == Cut::Statements && self.is_part())
    }

    /// Whether it begins or ends within a statement.
    fn is_part(&self) -> bool {
        let begins_within = match self.first {
            Word::Else => true,
            Word::Sign(sign) => matches!(sign, b'&' | b'|' | b'+' | b'?' | b':' | b',' | b'.' | b'=' | b'<'),
            Word::None | Word::Name => false,
        };
        let ends_within = match self.last {
            Word::None => false,
            // What ends with a comma is part of a list.
            Word::Sign(sign) => !matches!(sign, b';' | b'}' | b'{' | b':'),
            Word::Else | Word::Name => true,
        };
        begins_within || ends_within
    }
}

impl Condition {
    fn of(text: &[u8]) -> Self {
        let mut text = uncommented(text);
        text.retain(|byte| !byte.is_ascii_whitespace() && *byte != b'\\');
        let (is_negated, mut inner) = match text.strip_prefix(b"!") {
            Some(inner) if !inner.contains(&b'&') && !inner.contains(&b'|') => (true, inner),
            _ => (false, &text[..]),
        };
        if let Some(name) = inner.strip_prefix(b"defined") {
            let bare = name.strip_prefix(b"(").and_then(|name| name.strip_suffix(b")")).unwrap_or(name);
            if bare.iter().all(|byte| is_name(*byte)) {
                inner = bare;
            }
        }
        Self { text: inner.to_vec(), is_negated }
    }

    fn negated(self) -> Self {
        Self { is_negated: !self.is_negated, ..self }
    }
}

fn uncommented(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match (byte, text.get(at + 1)) {
            (b'/', Some(b'/')) => break,
            (b'/', Some(b'*')) => at = comment_end(text, at),
            _ => {
                kept.push(byte);
                at += 1;
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{Cut, Dialect, one_of_each};

    #[track_caller]
    fn check(source: &str, cut: Cut, left: &str) {
        let (found, _) = one_of_each(source.as_bytes(), cut, Dialect::C);
        assert_eq!(found.len(), source.len());
        let found = String::from_utf8(found.into_owned()).expect("text");
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), left);
    }

    #[test]
    fn one_branch_is_left_where_brackets_are_cut() {
        check("#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\n}", Cut::Brackets, "if (a) { }");
        check(
            "#ifdef A\nif (a) {\n#endif\nf();\n#ifndef A\n#else\n}\n#endif\n",
            Cut::Brackets,
            "if (a) { f(); }",
        );
        check("#if 0 // no\n{\n#elif B\n(\n#endif\n)", Cut::Brackets, "( )");
        check("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f();", Cut::Brackets, "int f();");
        check("#if A\n#if B\n{\n#else\n{ {\n#endif\n#else\n{\n#endif\n}", Cut::Brackets, "{ }");
    }

    #[test]
    fn whole_branches_stay() {
        for source in [
            "#ifdef A\nint f() { return '{'; }\n#else\nint f() { return \"}\"[0]; } // {\n#endif",
            "#if A\n#define OPEN {\n#endif\nint a;",
            "f(); /* #if A\n { */ g();",
        ] {
            check(source, Cut::Brackets, &source.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }

    #[test]
    fn parts_of_statements_are_cut_when_asked() {
        let source = "if (a)\n#ifdef A\nif (b)\n#endif\nf(a\n#if B\n, b\n#endif\n);";
        check(source, Cut::Statements, "if (a) if (b) f(a , b );");
        check("#if A\nf();\n#else\ng();\n#endif", Cut::Statements, "#if A f(); #else g(); #endif");
    }
}
