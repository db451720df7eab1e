//! Calls inside macros and what they are given, read from their tokens.
//!
//! A grammar sees only tokens there, so chains like `a.b(c)::d()` are put together here.

use tree_sitter::Node;

use crate::facts::{By, Def, DefKind, Expr, ExprIx, Few, How, Name};
use crate::sheet::{Sheet, field, named_children};

/// Macros and functions may share a name; neither is meant where the other is called. No other function of
/// Rust that stands outside of types is static, and the interface of a file knows it.
pub(super) const MACRO: How = How::Static;

pub(super) fn is_macro(def: &Def) -> bool {
    def.kind == DefKind::Function && def.how == MACRO
}

pub(super) fn read(sheet: &mut Sheet<'_>, invocation: Node<'_>) {
    if let Some(called) = field(invocation, "macro") {
        let segments = sheet.text(called).split("::").map(str::trim).map(str::to_owned).collect();
        call(sheet, segments, called);
    }
    let name = field(invocation, "macro").map(|name| sheet.text(name)).unwrap_or("");
    let mut cursor = invocation.walk();
    let trees: Vec<Node<'_>> =
        invocation.children(&mut cursor).filter(|child| child.kind() == "token_tree").collect();
    let elements = read_trees(sheet, trees);
    let value = match name.rsplit("::").next().unwrap_or(name) {
        "vec" => Expr::List(elements.into()),
        "format" | "concat" | "stringify" | "env" | "include_str" => Expr::Text,
        "dbg" | "try" => elements.first().map_or(Expr::Unknown, |&only| Expr::Any([only].into())),
        _ => Expr::Unknown,
    };
    sheet.set(invocation, value);
}

/// The name of the test that a macro makes: `rgtest!(name, …)` among items.
pub(super) fn test_name<'t>(sheet: &Sheet<'_>, invocation: Node<'t>) -> Option<Node<'t>> {
    let called = sheet.text(field(invocation, "macro")?).rsplit("::").next()?.trim();
    if !called.ends_with("test") {
        return None;
    }
    let outer = invocation.parent().filter(|outer| outer.kind() != "expression_statement");
    let outer = outer.or_else(|| invocation.parent()?.parent())?;
    let is_item = match outer.kind() {
        "source_file" => true,
        "declaration_list" => outer.parent().is_some_and(|of| of.kind() == "mod_item"),
        _ => false,
    };
    let mut cursor = invocation.walk();
    let given = invocation.children(&mut cursor).find(|child| child.kind() == "token_tree")?;
    let (name, next) = (given.child(1)?, given.child(2)?);
    let is_name = name.kind() == "identifier"
        && next.kind() == ","
        && sheet.text(name).starts_with(|first: char| first.is_lowercase() || first == '_');
    (is_item && is_name).then_some(name)
}

/// What the rules of `macro_rules!` stand for; names in it are looked for from where it is written.
pub(super) fn read_rules(sheet: &mut Sheet<'_>, definition: Node<'_>) {
    for rule in named_children(definition).into_iter().filter(|child| child.kind() == "macro_rule") {
        read_trees(sheet, field(rule, "right").into_iter().collect());
    }
}

/// Reads groups and those inside them; returns the values between the commas of the last.
fn read_trees(sheet: &mut Sheet<'_>, trees: Vec<Node<'_>>) -> Vec<ExprIx> {
    let mut work = trees;
    let elements = work.pop().map(|tree| read_tree(sheet, tree, &mut work)).unwrap_or_default();
    while let Some(tree) = work.pop() {
        read_tree(sheet, tree, &mut work);
    }
    elements
}

/// A call of a macro, told from one of a function by the mark on its last name.
fn call(sheet: &mut Sheet<'_>, mut segments: Vec<String>, place: Node<'_>) {
    let Some(last) = segments.last_mut() else { return };
    if is_keyword(last) || (is_library(last) && !is_defined_above(sheet, last)) {
        return;
    }
    last.push('!');
    let segments = segments.iter().map(|part| sheet.owned_name(part)).collect();
    let (scope, at) = (sheet.scope(), place.start_byte() as u32);
    let callee = sheet.push(Expr::Path { segments, args: Few::new(), scope, at });
    let call = sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
    sheet.call(call, place);
}

/// A macro hides one of the library below the place where it is written.
fn is_defined_above(sheet: &Sheet<'_>, name: &str) -> bool {
    sheet.facts.defs.iter().any(|def| is_macro(def) && sheet.facts.text(def.name) == name)
}

/// Macros of the standard library, which are in every file.
fn is_library(name: &str) -> bool {
    matches!(
        name,
        "assert"
            | "assert_eq"
            | "assert_ne"
            | "cfg"
            | "column"
            | "compile_error"
            | "concat"
            | "dbg"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "env"
            | "eprint"
            | "eprintln"
            | "file"
            | "format"
            | "format_args"
            | "include"
            | "include_bytes"
            | "include_str"
            | "line"
            | "macro_rules"
            | "matches"
            | "module_path"
            | "option_env"
            | "panic"
            | "print"
            | "println"
            | "stringify"
            | "thread_local"
            | "todo"
            | "try"
            | "unimplemented"
            | "unreachable"
            | "vec"
            | "write"
            | "writeln"
    )
}

/// What the tokens before the current one amount to.
enum Head {
    Nothing,
    Path(Vec<Name>, u32),
    Value(ExprIx),
}

/// Reads one bracketed group; groups inside it are added to `work`. Returns the values between its commas.
fn read_tree<'t>(sheet: &mut Sheet<'_>, tree: Node<'t>, work: &mut Vec<Node<'t>>) -> Vec<ExprIx> {
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'t>> = tree.children(&mut cursor).collect();
    let mut values = Vec::new();
    let mut head = Head::Nothing;
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        let next = tokens.get(at).map_or("", |next| next.kind());
        let before = at.checked_sub(2).and_then(|b| tokens.get(b)).map_or("", |b| b.kind());
        head = match token.kind() {
            "identifier" | "self" | "crate" | "super" | "primitive_type" => word(sheet, token, before, head),
            "metavariable" if sheet.bytes(token) == b"$crate" => {
                Head::Path(vec![sheet.name(b"crate")], token.start_byte() as u32)
            }
            // What a macro is given may be anything.
            "metavariable" => Head::Value(sheet.push(Expr::Unknown)),
            "token_repetition" => {
                work.push(token);
                Head::Nothing
            }
            "::" if next == "<" => {
                at = past_angles(&tokens, at);
                head
            }
            "::" | "." => head,
            "?" => match value_of(sheet, head) {
                Some(of) => Head::Value(sheet.push(Expr::Out { of, by: By::Try })),
                None => Head::Nothing,
            },
            "token_tree" => {
                work.push(token);
                let group = sheet.bytes(token).first().copied();
                // A nested macro: `name!(…)`.
                if before == "!" {
                    if let Head::Path(segments, _) = head {
                        let segments =
                            segments.iter().map(|&part| sheet.facts.text(part).to_owned()).collect();
                        call(sheet, segments, token);
                    }
                    head = Head::Nothing;
                    continue;
                }
                match (group, value_of(sheet, head)) {
                    (Some(b'('), Some(callee)) => {
                        let call = sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
                        let place = tokens.get(at.saturating_sub(2)).copied().unwrap_or(token);
                        sheet.call(call, place);
                        Head::Value(call)
                    }
                    (Some(b'['), Some(base)) => Head::Value(sheet.push(Expr::Index { base })),
                    _ => Head::Nothing,
                }
            }
            "string_literal" | "raw_string_literal" => Head::Value(sheet.push(Expr::Text)),
            "&" | "mut" | "*" | "mutable_specifier" => Head::Nothing,
            "!" => head,
            "," => {
                values.extend(value_of(sheet, head));
                Head::Nothing
            }
            _ => Head::Nothing,
        };
    }
    values
}

fn word(sheet: &mut Sheet<'_>, token: Node<'_>, before: &str, head: Head) -> Head {
    let name = sheet.name_of(token);
    match (before, head) {
        (".", head) => match value_of(sheet, head) {
            Some(of) if sheet.bytes(token) == b"await" => {
                Head::Value(sheet.push(Expr::Out { of, by: By::Await }))
            }
            Some(base) => Head::Value(sheet.push(Expr::Field { base, name })),
            None => Head::Nothing,
        },
        ("::", Head::Path(mut path, _)) => {
            path.push(name);
            Head::Path(path, token.start_byte() as u32)
        }
        ("::", Head::Value(base)) => Head::Value(sheet.push(Expr::Field { base, name })),
        ("fn" | "let" | "struct" | "mod" | "$" | "'", _) => Head::Nothing,
        _ => Head::Path(vec![name], token.start_byte() as u32),
    }
}

fn value_of(sheet: &mut Sheet<'_>, head: Head) -> Option<ExprIx> {
    let scope = sheet.scope();
    match head {
        Head::Nothing => None,
        Head::Value(ix) => Some(ix),
        Head::Path(segments, at) => Some(match segments[..] {
            [only] if sheet.facts.text(only) == "self" => sheet.push(Expr::This { scope }),
            [only] if is_keyword(sheet.facts.text(only)) => return None,
            [only] => sheet.push(Expr::Name { name: only, at, scope }),
            _ => sheet.push(Expr::Path { segments: segments.into(), args: Few::new(), scope, at }),
        }),
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "match"
            | "while"
            | "for"
            | "in"
            | "return"
            | "else"
            | "loop"
            | "move"
            | "as"
            | "async"
            | "unsafe"
            | "fn"
            | "let"
            | "pub"
            | "where"
            | "impl"
            | "dyn"
            | "ref"
    )
}

/// The position after `<…>`, given the position of `<`.
fn past_angles(tokens: &[Node<'_>], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind() {
            "<" => depth += 1,
            ">" => depth -= 1,
            ">>" => depth -= 2,
            _ => {}
        }
        if depth <= 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use m1nd_graph::NodeKind;

    use crate::testing;

    #[test]
    fn a_test_that_a_macro_makes_has_the_name_it_is_given() {
        let fixture = r#"
//- src/lib.rs
macro_rules! rgtest {
    ($name:ident, $fun:expr) => { #[test] fn $name() { $fun(); } };
}
fn helper() {}
fn other() {}
rgtest!(matches_a_line, |dir: Dir| {
    helper();
});
mod inner {
    crate::rgtest!(inside, || { super::helper() });
}
latest!(Version, 3);
fn run() {
    rgtest!(not_an_item, other());
}
"#;
        expect![[r#"
            src/lib.rs inner.inside -> src/lib.rs helper @[10]
            src/lib.rs inner.inside -> src/lib.rs rgtest @[10]
            src/lib.rs matches_a_line -> src/lib.rs helper @[7]
            src/lib.rs matches_a_line -> src/lib.rs rgtest @[6]
            src/lib.rs run -> src/lib.rs other @[14]
            src/lib.rs run -> src/lib.rs rgtest @[14]
        "#]]
        .assert_eq(&testing::calls(fixture));
        let graph = testing::graph(fixture);
        let tests = graph.nodes().filter(|node| node.kind() == NodeKind::Test);
        let shown: Vec<String> =
            tests.map(|node| format!("{} {:?} {}", node.label(), node.lines(), node.signature())).collect();
        assert_eq!(
            shown,
            ["matches_a_line (6, 8) rgtest!(matches_a_line, …)", "inside (10, 10) crate::rgtest!(inside, …)"]
        );
    }
}
