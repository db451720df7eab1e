//! Python annotations, read from their text: the same for `List[Cart]` and for `"List[Cart]"`.

use crate::facts::{Few, Name, Scope, TypeExpr, TypeIx};
use crate::sheet::Sheet;

/// Deeper types are not written by people.
const MAX_DEPTH: u32 = 16;

/// Reads the annotation in `from..to` of the source.
pub(super) fn read(sheet: &mut Sheet<'_>, from: usize, to: usize, scope: Scope, line: u32) -> TypeIx {
    let mut reader = Reader { at: from, to, scope, line };
    reader.union(sheet, MAX_DEPTH)
}

struct Reader {
    at: usize,
    to: usize,
    scope: Scope,
    line: u32,
}

impl Reader {
    fn peek(&mut self, sheet: &Sheet<'_>) -> Option<u8> {
        // Quotes only delay evaluation; they do not change what is named.
        while self.at < self.to {
            match sheet.source[self.at] {
                b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'(' | b')' => self.at += 1,
                other => return Some(other),
            }
        }
        None
    }

    fn union(&mut self, sheet: &mut Sheet<'_>, depth: u32) -> TypeIx {
        let mut parts = vec![self.one(sheet, depth)];
        while self.peek(sheet) == Some(b'|') {
            self.at += 1;
            parts.push(self.one(sheet, depth));
        }
        if let [only] = parts[..] { only } else { sheet.push_type(TypeExpr::Union(parts.into())) }
    }

    fn one(&mut self, sheet: &mut Sheet<'_>, depth: u32) -> TypeIx {
        let segments = self.name(sheet);
        if segments.is_empty() {
            return match self.peek(sheet) {
                // The parameter list of a callable, or a literal.
                Some(b'[') if depth > 0 => {
                    let parts = self.arguments(sheet, depth - 1);
                    sheet.push_type(TypeExpr::Tuple(parts.into()))
                }
                Some(b',' | b']' | b'|') | None => sheet.push_type(TypeExpr::Unknown),
                Some(_) => {
                    self.at += 1;
                    sheet.push_type(TypeExpr::Unknown)
                }
            };
        }
        let mut args = Vec::new();
        if self.peek(sheet) == Some(b'[') && depth > 0 {
            args = self.arguments(sheet, depth - 1);
        }
        let last = segments.last().map(|&last| sheet.facts.text(last).to_owned()).unwrap_or_default();
        let ty = match (last.as_str(), &args[..]) {
            ("Callable", [params, result, ..]) => {
                let params = match &sheet.facts.types[params.0 as usize] {
                    TypeExpr::Tuple(params) => params.clone(),
                    _ => Few::new(),
                };
                TypeExpr::Function { params, result: Some(*result) }
            }
            ("None" | "Any" | "object", _) => TypeExpr::Unknown,
            ("Self", _) => TypeExpr::SelfType { scope: self.scope },
            _ => TypeExpr::Path {
                segments: segments.into(),
                args: args.into(),
                scope: self.scope,
                line: self.line,
            },
        };
        sheet.push_type(ty)
    }

    /// `[a, b]`, from its opening bracket.
    fn arguments(&mut self, sheet: &mut Sheet<'_>, depth: u32) -> Vec<TypeIx> {
        self.at += 1;
        let mut args = Vec::new();
        loop {
            match self.peek(sheet) {
                None => return args,
                Some(b']') => {
                    self.at += 1;
                    return args;
                }
                Some(b',') => self.at += 1,
                Some(_) => {
                    let before = self.at;
                    args.push(self.union(sheet, depth));
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    fn name(&mut self, sheet: &mut Sheet<'_>) -> Vec<Name> {
        let mut segments = Vec::new();
        while self.peek(sheet).is_some_and(is_word) {
            let start = self.at;
            while self.at < self.to && is_word(sheet.source[self.at]) {
                self.at += 1;
            }
            let source = sheet.source;
            segments.push(sheet.name(&source[start..self.at]));
            if self.peek(sheet) != Some(b'.') {
                break;
            }
            self.at += 1;
        }
        segments
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
