//! Inline: functions without a name that are given to a call where it is written, as handlers of routes often are.

use std::ops::Range;

use m1nd_vfs::read::decode;

use crate::languages;
use crate::walk::PARSE_LIMIT;

/// A function that is given to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inline {
    /// The line on which the call's arguments begin.
    pub line: u32,
    /// The bytes of all arguments of the call, among them the function.
    pub given: Range<usize>,
}

/// How grammars name a function without a name, and what is given to a call.
const FUNCTIONS: [&str; 6] = [
    "arrow_function",
    "function_expression",
    "generator_function",
    "func_literal",
    "lambda_expression",
    "lambda",
];
const ARGUMENTS: [&str; 2] = ["arguments", "argument_list"];

/// All of a text, outer ones first. Nothing for a text that no language reads.
pub fn functions(path: &str, bytes: &[u8]) -> Vec<Inline> {
    let Some((language, (text, _))) = languages::of_path(path).zip(decode(bytes)) else { return Vec::new() };
    let Ok(tree) = languages::tree(language, text.as_bytes(), PARSE_LIMIT) else { return Vec::new() };
    let mut found: Vec<Inline> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let around = node.parent().filter(|_| FUNCTIONS.contains(&node.kind()));
        if let Some(given) = around.filter(|around| ARGUMENTS.contains(&around.kind())) {
            let line = u32::try_from(given.start_position().row).unwrap_or(u32::MAX).saturating_add(1);
            let one = Inline { line, given: given.byte_range() };
            if found.last() != Some(&one) {
                found.push(one);
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                found.sort_by_key(|one| (one.given.start, std::cmp::Reverse(one.given.end)));
                found.dedup();
                return found;
            }
        }
    }
}

#[cfg(all(test, feature = "lang-typescript", feature = "lang-go"))]
mod tests {
    use super::*;

    #[test]
    fn functions_that_are_given_to_calls_are_told_apart_on_one_line() {
        let text = "app.get('/a', check(), (q, r) => { run(q); }); app.post('/b', function (q) { go(q); });\nconst own = () => 1;\n";
        let of = |one: &Inline| (one.line, text[one.given.clone()].to_owned());
        let found: Vec<(u32, String)> = functions("a.js", text.as_bytes()).iter().map(of).collect();
        let wanted = ["('/a', check(), (q, r) => { run(q); })", "('/b', function (q) { go(q); })"];
        assert_eq!(found, wanted.map(|text| (1, text.to_owned())));
        let go = "package m\n\nfunc main() {\n\tr.GET(\"/a\", func(c *C) {\n\t\tc.Do()\n\t})\n}\n";
        assert_eq!(functions("a.go", go.as_bytes()).iter().map(|one| one.line).collect::<Vec<_>>(), [4]);
    }
}
