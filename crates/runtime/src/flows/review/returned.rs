//! Returned: what calls give back, and what lines do with it.

use m1nd_risk::signature::Call;

/// How many values a list of results has.
pub(super) fn results(list: &str) -> usize {
    let Some(inner) = list.strip_prefix('(') else { return usize::from(!list.is_empty()) };
    let mut depth = 0_i32;
    let commas = inner.chars().filter(|&letter| {
        depth += match letter {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        letter == ',' && depth == 0
    });
    commas.count() + 1
}

/// How many names a line gives the values of a call to; none where it stands alone, nothing where that is not seen.
pub(super) fn taken_apart(call: &Call) -> Option<usize> {
    let before = call.before.trim_start();
    let is_path =
        |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '&'));
    if is_path(before) && !call.after.starts_with('.') {
        return Some(0);
    }
    // What is asked, compared, reached into or stands beside others is one value.
    let head = before.trim_end_matches(|c: char| is_path(&c.to_string())).trim_end();
    let asks = ["!", "&&", "||", "==", "!=", "<", ">", "+", ","];
    let words = ["if", "switch", "case", "for", "range"];
    let is_asked = asks.iter().any(|mark| head.ends_with(mark))
        || head.split_whitespace().next_back().is_some_and(|word| words.contains(&word));
    let after = call.after.trim_start();
    let is_reached = after.starts_with(['.', '[']) || asks[1..8].iter().any(|mark| after.starts_with(mark));
    if is_asked && !head.contains("return") || is_reached {
        return Some(1);
    }
    let (names, rest) = before.split_once(":=").or_else(|| before.split_once(" = "))?;
    let names =
        ["if ", "for ", "switch ", "var "].iter().find_map(|word| names.strip_prefix(word)).unwrap_or(names);
    let is_all = call.after.is_empty()
        || call.after.starts_with(['\n', '{', ';'])
        || !call.after.starts_with(['.', '[', ')', ',']);
    (is_path(rest.trim()) && is_all).then(|| names.split(',').count())
}

/// A type without the modules it is from and how long it lives.
pub(super) fn bare(kind: &str) -> String {
    let words = kind.split_inclusive(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '.')));
    let last = |word: &str| word.rsplit([':', '.']).next().unwrap_or(word).to_owned();
    words.map(last).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use m1nd_risk::signature;

    use super::*;

    #[test]
    fn what_a_line_does_with_the_values_of_a_call_is_read() {
        let count = |line: &str| {
            let calls = signature::calls("go", line, 1, "Find");
            calls.first().and_then(taken_apart)
        };
        assert_eq!(count("\tcmd, args, err := c.Find(x)"), Some(3));
        assert_eq!(count("\tif cmd, err := c.Find(x); err != nil {"), Some(2));
        assert_eq!(count("\tc.Find(x)"), Some(0));
        assert_eq!(count("\treturn c.Find(x)"), None);
        assert_eq!(count("\tif c.Find(x) {"), Some(1));
        assert_eq!(count("\tif a && !c.Find(x) {"), Some(1));
        assert_eq!(count("\treturn c.Find(x).Done()"), Some(1));
        assert_eq!(count("\tx := g(a, c.Find(x))"), Some(1));
        assert_eq!(count("\ta := g(c.Find(x))"), None);
        assert_eq!(["(a, error)", "", "int", "(map[a]b, func(a, b) c)"].map(results), [2, 0, 1, 2]);
        assert_eq!(bare("std::io::Result<&'a Path>"), bare("Result<&'a std::path::Path>"));
    }
}
