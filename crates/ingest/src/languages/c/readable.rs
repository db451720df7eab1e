//! C and C++ as their grammars want them: macros that stand where no name can stand are overwritten by blanks.

use super::text::{comment_end, directive_end, line_end, quoted_end, raw_end};

/// The source with the same bytes at the same places, but without macros such as `class API_EXPORT Name`,
/// `API_FUNC void f()`, `int n GUARDED_BY(m);` and lines that are one macro's name.
pub(in crate::languages) fn readable(source: &[u8], written: Written) -> Vec<u8> {
    let tokens = tokens(source);
    let mut bytes = source.to_vec();
    let mut gone = vec![false; tokens.len()];
    for at in 0..tokens.len() {
        let alone = Place { source, tokens: &tokens, gone: &gone, first: at, last: at };
        let annotates = alone.annotates_pointer() || alone.annotates_class();
        let is_macro = match written {
            Written::WithUnderscore => tokens[at].is_macro(source),
            Written::InCapitals => tokens[at].is_in_capitals(source),
        };
        if !annotates && !is_macro {
            continue;
        }
        let has_arguments = tokens.get(at + 1).is_some_and(|next| next.is(source, b"("));
        let last = if has_arguments { closing(&tokens, source, at + 1) } else { Some(at) };
        let Some(last) = last else { continue };
        let place = Place { source, tokens: &tokens, gone: &gone, first: at, last };
        if annotates || place.is_useless() {
            gone[at..=last].fill(true);
            let blank = &mut bytes[tokens[at].from..tokens[last].to];
            blank.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
    }
    bytes
}

/// What is taken for a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::languages) enum Written {
    /// `A_NAME`, as little else is written.
    WithUnderscore,
    /// `NAME` too, which may be a type: for sources that cannot be read otherwise.
    InCapitals,
}

/// A macro, with its arguments, among its neighbours.
struct Place<'a> {
    source: &'a [u8],
    tokens: &'a [Token],
    /// Macros that are blank already.
    gone: &'a [bool],
    first: usize,
    last: usize,
}

impl Place<'_> {
    fn is_useless(&self) -> bool {
        if self.before_is(&["class", "struct", "union"]) {
            return self.is_word(1) && !self.next_is(1, &["final"]);
        }
        match self.last > self.first {
            true => self.follows_declarator(),
            false => {
                self.precedes_type()
                    || self.precedes_constructor()
                    || self.follows_parameter()
                    || self.is_alone()
            }
        }
    }

    /// `class LOCKABLE Mutex {`
    fn annotates_class(&self) -> bool {
        self.tokens[self.first].is_in_capitals(self.source)
            && self.before_is(&["class", "struct"])
            && self.is_word(1)
            && !self.next_is(1, &["final"])
            && self.next_is(2, &["{", ":"])
    }

    /// `T* nonnull x`: two names after a pointer are one too many.
    fn annotates_pointer(&self) -> bool {
        let own = self.tokens[self.first];
        let is_language =
            [&b"const"[..], b"volatile", b"operator", b"or", b"and", b"override", b"final", b"noexcept"]
                .iter()
                .any(|word| own.is(self.source, word));
        // The name may come first and a macro after it.
        let joins = self.next_is(1, &["or", "and", "xor", "const", "override", "noexcept"])
            || self.next(1).is_some_and(|next| next.is_macro(self.source));
        own.is_word && !is_language && self.before_is(&["*"]) && self.is_word(1) && !joins
    }

    /// `int n GUARDED_BY(m);`, `void f() REQUIRES(m) {`
    fn follows_declarator(&self) -> bool {
        let after_name = self.before().is_some_and(|b| b.is_word && !b.is_keyword(self.source));
        let after_function = self.ends_function_head();
        (after_name && self.next_is(1, &[";", "="]))
            || (after_function && self.is_followed_by(&["{", ";", ":"]))
    }

    /// `API_FUNC void f()`
    fn precedes_type(&self) -> bool {
        let starts = self.is_word(1) && !self.next(1).is_some_and(|next| next.is_keyword(self.source));
        let goes_on = self.is_word(2) || self.next_is(2, &["::", "*", "&", "<"]);
        let is_first = self.before().is_none_or(|before| before.is_word);
        starts && goes_on && (is_first || self.before_is(&[";", "}", "{", ">", ":"]))
    }

    /// `API_CONSTEXPR Name(int x) : x_(x) {`: nothing else is followed by initialisers.
    fn precedes_constructor(&self) -> bool {
        let is_first = self.before().is_none_or(|before| before.is_word);
        let starts = is_first || self.before_is(&[";", "}", "{", ">", ":"]);
        let named = self.is_word(1) && self.next_is(2, &["("]);
        let last = (starts && named).then(|| closing(self.tokens, self.source, self.last + 2)).flatten();
        let after = last.and_then(|last| self.tokens.get(last + 1));
        after.is_some_and(|token| token.is(self.source, b":"))
    }

    /// `f(const T& x LIFETIME_BOUND)`, `int f() const LIFETIME_BOUND {`
    fn follows_parameter(&self) -> bool {
        let named = self.before().is_some_and(|before| before.is_word && !before.is_keyword(self.source));
        let typed = self.first.checked_sub(2).map(|at| self.tokens[at]);
        let by_word = typed.is_some_and(|token| token.is_word);
        let by_sign = typed.is_some_and(|token| [b"&", b"*", b">"].iter().any(|w| token.is(self.source, *w)));
        let after_parameter = named && (by_word || by_sign) && self.next_is(1, &[")", ","]);
        let after_value = named && by_sign && self.next_is(1, &["=", ";"]);
        let after_function = self.ends_function_head()
            && self.is_followed_by(&["{", ";", ":", "const", "override", "noexcept"]);
        after_parameter || after_value || after_function
    }

    /// A line that is one macro's name, and no part of a list or an expression.
    fn is_alone(&self) -> bool {
        let line = self.tokens[self.first].line;
        let alone = self.before().is_none_or(|before| before.line < line)
            && self.next(1).is_none_or(|next| next.line > line);
        alone && !self.before_is(&[",", "(", "="]) && !self.next_is(1, &[";", ",", ")"])
    }

    /// Whether the parameters of a function end right before; those of `if` and its like are none.
    fn ends_function_head(&self) -> bool {
        if !self.before_is(&[")"]) {
            return self.before_is(&["const", "override", "noexcept"]);
        }
        let mut depth = 0;
        let from = self.before_at().map_or(0, |at| at + 1);
        for at in (0..from).rev().take(MAX_ARGUMENTS) {
            let token = self.tokens[at];
            depth += i32::from(token.is(self.source, b")")) - i32::from(token.is(self.source, b"("));
            if depth == 0 {
                let name = at.checked_sub(1).map(|at| self.tokens[at]);
                let is_statement = |name: Token| {
                    [&b"if"[..], b"for", b"while", b"switch"].iter().any(|w| name.is(self.source, w))
                };
                return name.is_some_and(|name| name.is_word && !is_statement(name));
            }
        }
        false
    }

    /// Whether one of these comes after it and after macros that follow it.
    fn is_followed_by(&self, words: &[&str]) -> bool {
        let mut at = self.last + 1;
        while self.tokens.get(at).is_some_and(|token| token.is_macro(self.source)) {
            let has_arguments = self.tokens.get(at + 1).is_some_and(|next| next.is(self.source, b"("));
            let last = if has_arguments { closing(self.tokens, self.source, at + 1) } else { Some(at) };
            let Some(last) = last else { return false };
            at = last + 1;
        }
        self.tokens.get(at).is_some_and(|token| words.iter().any(|w| token.is(self.source, w.as_bytes())))
    }

    fn before_at(&self) -> Option<usize> {
        (0..self.first).rev().find(|&at| !self.gone[at])
    }

    fn before(&self) -> Option<Token> {
        self.before_at().map(|at| self.tokens[at])
    }

    fn next(&self, n: usize) -> Option<Token> {
        self.tokens.get(self.last + n).copied()
    }

    fn is_word(&self, n: usize) -> bool {
        self.next(n).is_some_and(|token| token.is_word)
    }

    fn before_is(&self, words: &[&str]) -> bool {
        self.before().is_some_and(|token| words.iter().any(|word| token.is(self.source, word.as_bytes())))
    }

    fn next_is(&self, n: usize, words: &[&str]) -> bool {
        self.next(n).is_some_and(|token| words.iter().any(|word| token.is(self.source, word.as_bytes())))
    }
}

#[derive(Clone, Copy)]
struct Token {
    from: usize,
    to: usize,
    line: usize,
    is_word: bool,
}

impl Token {
    fn is(self, source: &[u8], text: &[u8]) -> bool {
        &source[self.from..self.to] == text
    }

    /// Upper case with an underscore, as macros are written and little else is.
    fn is_macro(self, source: &[u8]) -> bool {
        self.is_in_capitals(source) && source[self.from + 1..self.to].contains(&b'_')
    }

    fn is_in_capitals(self, source: &[u8]) -> bool {
        let text = &source[self.from..self.to];
        self.is_word
            && text.len() >= 4
            && text[0].is_ascii_uppercase()
            && text.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
    }

    fn is_keyword(self, source: &[u8]) -> bool {
        matches!(
            &source[self.from..self.to],
            b"return"
                | b"else"
                | b"case"
                | b"throw"
                | b"co_return"
                | b"co_await"
                | b"do"
                | b"goto"
                | b"new"
                | b"delete"
        )
    }
}

/// Words and signs outside comments, texts and directives.
fn tokens(source: &[u8]) -> Vec<Token> {
    let mut found = Vec::new();
    let (mut at, mut line, mut line_start) = (0, 0, true);
    while let Some(&byte) = source.get(at) {
        let start = at;
        match byte {
            b'\n' => {
                line += 1;
                line_start = true;
                at += 1;
                continue;
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' if line_start => at = directive_end(source, at),
            b'/' if source.get(at + 1) == Some(&b'/') => at = line_end(source, at),
            b'/' if source.get(at + 1) == Some(&b'*') => at = comment_end(source, at),
            b'R' if source.get(at + 1) == Some(&b'"') => at = raw_end(source, at + 2),
            b'"' => at = quoted_end(source, at, byte),
            b'\'' => at = quoted_end(source, at, byte),
            b if b.is_ascii_alphanumeric() || b == b'_' => {
                while source.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    at += 1;
                }
                // 1'000'000 is one number.
                while byte.is_ascii_digit() && source.get(at) == Some(&b'\'') {
                    at += 1;
                    while source.get(at).is_some_and(u8::is_ascii_alphanumeric) {
                        at += 1;
                    }
                }
                found.push(Token { from: start, to: at, line, is_word: !byte.is_ascii_digit() });
            }
            b':' if source.get(at + 1) == Some(&b':') => {
                at += 2;
                found.push(Token { from: start, to: at, line, is_word: false });
            }
            _ => {
                at += 1;
                found.push(Token { from: start, to: at, line, is_word: false });
            }
        }
        line += source[start..at].iter().filter(|&&b| b == b'\n').count();
        line_start = false;
    }
    found
}

/// Macro arguments longer than this are code.
const MAX_ARGUMENTS: usize = 64;

fn closing(tokens: &[Token], source: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open).take(MAX_ARGUMENTS) {
        if token.is(source, b"(") {
            depth += 1;
        } else if token.is(source, b")") {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Written, readable};

    #[track_caller]
    fn check(source: &str, read: &str) {
        let found = String::from_utf8(readable(source.as_bytes(), Written::WithUnderscore)).expect("text");
        assert_eq!(found.len(), source.len());
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), read);
    }

    #[test]
    fn macros_go_where_no_name_can_stand() {
        check("class API_EXPORT Cart { };", "class Cart { };");
        check("struct LIB_ALIGN(8) Cart : Base { };", "struct Cart : Base { };");
        check("class LOCKABLE Mutex { };", "class Mutex { };");
        check("LIB_FUNC void go() {}", "void go() {}");
        check("LIB_API std::string f();", "std::string f();");
        check("LIB_BEGIN_NAMESPACE\nclass A {};\nLIB_END_NAMESPACE\n", "class A {};");
        check("int n GUARDED_BY(m_);", "int n ;");
        check("void f() EXCLUSIVE_LOCKS(m) { g(); }", "void f() { g(); }");
        check("int& f(const T& x LIFETIME_BOUND) LIFETIME_BOUND {", "int& f(const T& x ) {");
        check("void f(T* lib_nonnull x, T* const y);", "void f(T* x, T* const y);");
        check("int f(int n) WARN_UNUSED LIB_PRINTF(1, 2);", "int f(int n) ;");
        check("auto* env LIB_UNUSED = g();", "auto* env = g();");
        check("explicit A(int n) LOCK_FUNCTION(n) : n_(n) {}", "explicit A(int n) : n_(n) {}");
    }

    #[test]
    fn what_may_be_a_name_stays() {
        for text in [
            "FILE_HANDLE h = open();",
            "class CART final { };",
            "struct ITEM first;",
            "FILE_HANDLE open();",
            "return CHECK_IT(x);",
            "int CHECK_IT(int a) { return a; }",
            "x = MAX_SIZE;",
            "void* operator new(size_t n);",
            "return *a or b;",
            "f(int MAX_SIZE, A_B);",
            "if (x) DO_IT(y());",
            "for (;;) { while (a()) DO_IT; }",
            "enum E { FIRST_ONE, SECOND_ONE };",
            "f(\"class API_EXPORT X {\");",
        ] {
            check(text, text);
        }
    }
}
