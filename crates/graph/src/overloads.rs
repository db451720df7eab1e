//! Overloads: which of several functions of one name a declaration of C++ stands for, by what is written.

/// Words before a type that do not tell overloads apart in practice.
const WORDS: [&str; 8] = ["const", "volatile", "unsigned", "signed", "struct", "class", "enum", "typename"];

/// The first word of the type of each parameter of a signature. Names of parameters may differ, or be left out.
pub(crate) fn params(signature: &str) -> Vec<&str> {
    let Some(open) = signature.find('(') else { return Vec::new() };
    // `operator()(int)`: the brackets of the name are not those of the parameters.
    let open = if signature[open..].starts_with("()(") { open + 2 } else { open };
    let (mut depth, mut start, mut found) = (0_i32, open + 1, Vec::new());
    for (at, c) in signature.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            _ => {}
        }
        let is_end = depth == 0 && c == ')';
        if is_end || (depth == 1 && c == ',') {
            found.push(word(&signature[start..at]));
            start = at + 1;
        }
        if is_end {
            break;
        }
    }
    if matches!(found[..], ["" | "void"]) { Vec::new() } else { found }
}

/// The last part of the first type that is written.
fn word(param: &str) -> &str {
    let mut words = param.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
    let first = words.find(|word| !word.is_empty() && !WORDS.contains(word)).unwrap_or("");
    first.rsplit("::").next().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::params;

    #[test]
    fn parameters_are_told_apart_by_their_types() {
        assert_eq!(params("explicit S(int);"), ["int"]);
        assert_eq!(params("na::S::S(int x)"), ["int"]);
        assert_eq!(params("S()"), Vec::<&str>::new());
        assert_eq!(params("void f(const std::map<int, K>& m, K* k = g(1, 2));"), ["map", "K"]);
        assert_eq!(params("int operator()(int) const"), ["int"]);
    }
}
