//! Literals: where a value of a type is written out with the names of its fields.

/// How a language writes that: what opens it, and what stands behind a name.
#[derive(Clone, Copy)]
pub struct Written {
    open: char,
    behind: char,
}

/// `T{field: 1}`
pub const GO: Written = Written { open: '{', behind: ':' };
/// `T(field=1)`
pub const PYTHON: Written = Written { open: '(', behind: '=' };

/// Lines that one value is looked at.
const MAX_LINES: usize = 60;

/// The lines that name a field within a value of a type that begins on a line, from 1.
pub fn naming(text: &str, line: u32, ty: &str, field: &str, by: Written) -> Vec<u32> {
    let lines: Vec<&str> = text.lines().skip(line.saturating_sub(1) as usize).take(MAX_LINES).collect();
    let Some(first) = lines.first() else { return Vec::new() };
    let mut found = Vec::new();
    for (at, _) in first.match_indices(ty) {
        let after = &first[at + ty.len()..];
        if !first[..at].ends_with(is_letter) && after.starts_with(by.open) {
            let inner: Vec<&str> = std::iter::once(after).chain(lines[1..].iter().copied()).collect();
            found.extend(named_in(&inner, field, by).into_iter().map(|nth| line + nth));
        }
    }
    found.dedup();
    found
}

/// How many lines below the first one each naming of the field stands, outside of what stands in further brackets.
fn named_in(lines: &[&str], field: &str, by: Written) -> Vec<u32> {
    let mut found = Vec::new();
    let (mut depth, mut quote) = (0_usize, None);
    for (nth, line) in (0..).zip(lines) {
        let mut last = ' ';
        for (at, c) in line.char_indices() {
            let before = std::mem::replace(&mut last, c);
            match (quote, c) {
                (Some(open), _) if open == c && before != '\\' => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'' | '`') => quote = Some(c),
                (None, '#') if by.behind == '=' => break,
                (None, '/') if by.behind == ':' && line[at..].starts_with("//") => break,
                (None, '(' | '[' | '{') => depth += 1,
                (None, ')' | ']' | '}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return found;
                    }
                }
                (None, _) if depth == 1 && !is_letter(before) && before != '.' => {
                    let rest = line[at..].strip_prefix(field).map(str::trim_start);
                    let is_named = rest.and_then(|rest| rest.strip_prefix(by.behind));
                    if is_named.is_some_and(|rest| !rest.starts_with('=')) {
                        found.push(nth);
                    }
                }
                _ => {}
            }
        }
        // Only the quotes of Go that may hold lines go on.
        quote = quote.filter(|open| *open == '`');
    }
    found
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_written_out_names_its_fields() {
        let go = "c := Conf{Name: \"Size: 1\",\n\tSize: 2, In: Other{Wide: 1}}\nd := MyConf{Size: 1}\n";
        assert_eq!(naming(go, 1, "Conf", "Size", GO), [2]);
        assert!(naming(go, 1, "Conf", "Wide", GO).is_empty());
        assert!(naming(go, 3, "Conf", "Size", GO).is_empty());
        let python = "p = Point(x=1, y=f(z=2), w == 3)\n";
        assert_eq!(naming(python, 1, "Point", "y", PYTHON), [1]);
        assert!(naming(python, 1, "Point", "z", PYTHON).is_empty());
        assert!(naming(python, 1, "Point", "w", PYTHON).is_empty());
    }
}
