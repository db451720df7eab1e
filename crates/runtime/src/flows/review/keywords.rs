//! Keywords: whether a call gives an argument by its name.

/// Lines that a call may go over.
const MAX_LINES: usize = 60;

/// Whether a call of `function` on a line (from 1) says one of these names with a value, or hands names on that are not written
/// there. A call that is not found there counts.
pub fn are_said(text: &str, line: u32, function: &str, names: &[String]) -> bool {
    let at = (line as usize).saturating_sub(1);
    let rest = text.lines().skip(at).take(MAX_LINES).collect::<Vec<_>>().join("\n");
    let first = rest.find('\n').unwrap_or(rest.len());
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let calls = rest[..first].match_indices(function).filter_map(|(at, _)| {
        let (before, after) = (&rest[..at], &rest[at + function.len()..]);
        let inner = after.trim_start().strip_prefix('(')?;
        (!before.ends_with(is_letter)).then(|| arguments(inner))
    });
    let mut calls = calls.peekable();
    let says = |given: &str| {
        given.starts_with("**")
            || given.split_once('=').is_some_and(|(name, value)| {
                !value.starts_with('=') && names.iter().any(|one| one == name.trim())
            })
    };
    calls.peek().is_none() || calls.any(|given| given.iter().any(|given| says(given)))
}

/// What stands between brackets, cut at its commas.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut quote, mut found) = (1_u32, 0, None, Vec::new());
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 1 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            found.push(text[start..at].trim());
            return found;
        }
    }
    found.push(text[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_says_a_name_only_where_it_gives_it_a_value() {
        let says = |text: &str| are_said(text, 2, "greet", &["name".to_owned()]);
        assert!(says("x\ngreet(name='a')\n") && says("x\na.greet(1,\n    name = 2,\n)\n"));
        assert!(says("x\ngreet(**more)\n") && says("x\nhandler = other\n"));
        assert!(!says("x\ngreet(name)\n") && !says("x\ngreet(name == 1, other=2)\n"));
        assert!(!says("x\ngreet(f(name=1), 'name=1')\ngreet(name=1)\n"));
    }
}
