//! Uses: what a line of code does with a name: defines, imports, calls or otherwise uses it, or only speaks of it.

use crate::syntax::{Spoken, bare_calls, is_definition, is_import, places_of, spoken};

/// What a line does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Defines,
    Imports,
    Calls,
    /// It stands in code, and is not called there.
    Names,
    /// It stands in a comment or in a text.
    Speaks,
}

/// What a line of a file does with a name; nothing where it has not the name. Of several, the one that does most.
pub(crate) fn use_of(path: &str, line: &str, name: &str) -> Option<Use> {
    let uses: Vec<Use> = uses_in(path, line, name).map(|(_, one)| one).collect();
    [Use::Calls, Use::Names, Use::Imports, Use::Defines, Use::Speaks]
        .into_iter()
        .find(|one| uses.contains(one))
}

/// Where a line has a name, and what it does with it there.
pub(crate) fn uses_in<'l>(
    path: &'l str,
    line: &'l str,
    name: &'l str,
) -> impl Iterator<Item = (usize, Use)> + 'l {
    places_of(line, name).map(move |at| (at, one(path, line, at, name.len())))
}

fn one(path: &str, line: &str, at: usize, len: usize) -> Use {
    let (before, after) = (&line[..at], &line[at + len..]);
    match spoken(path, before) {
        Spoken::Include => return Use::Imports,
        Spoken::Text => return Use::Speaks,
        Spoken::Code => {}
    }
    if is_import(line, is_called(after)) {
        return Use::Imports;
    }
    if is_definition(before) {
        return Use::Defines;
    }
    if is_called(after) || bare_calls(path) { Use::Calls } else { Use::Names }
}

/// Whether a bracket of arguments follows, behind type arguments or not.
fn is_called(after: &str) -> bool {
    let after = after.trim_start().trim_start_matches(['!', '?']);
    let after = after.strip_prefix("::").unwrap_or(after);
    let after = match after.strip_prefix('<').and_then(|inner| inner.find(">(")) {
        Some(end) if !after[..end].contains(';') => &after[end + 2..],
        _ => after,
    };
    after.starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_definitions_comments_and_texts_are_no_calls() {
        for (path, line, wanted) in [
            ("a.py", "from queue import drain", Use::Imports),
            ("a.py", "import drain", Use::Imports),
            ("a.rs", "use crate::queue::drain;", Use::Imports),
            ("a.c", "#include \"drain.h\"", Use::Imports),
            ("a.js", "const { drain } = require('./queue');", Use::Imports),
            ("a.py", "def drain(queue):", Use::Defines),
            ("a.rs", "pub fn drain(queue: &mut Queue) {", Use::Defines),
            ("a.go", "func (q *Queue) drain() {", Use::Defines),
            ("a.py", "# drain(queue) was here", Use::Speaks),
            ("a.rs", "run(); // drain(queue)", Use::Speaks),
            ("a.py", "log(\"drain(queue)\")", Use::Speaks),
            ("a.py", "    drain(queue)", Use::Calls),
            ("a.rs", "let left = queue.drain::<Job>();", Use::Calls),
            ("a.rs", "fn next<'a>(q: &'a Queue) { drain(q) }", Use::Calls),
            ("a.rb", "drain queue", Use::Calls),
            ("a.py", "handlers = [drain]", Use::Names),
            ("a.py", "say(\"it\"); drain(queue)", Use::Calls),
            ("a.py", "say(f\"left: {drain(queue)} {other}\")", Use::Calls),
            ("a.py", "say(f\"left: {other} drain(queue)\")", Use::Speaks),
            ("a.py", "say(f\"left: {{drain(queue)}}\")", Use::Speaks),
            ("a.js", "say(`left: ${drain(queue)}`)", Use::Calls),
            ("a.js", "say(`left: {drain(queue)}`)", Use::Speaks),
            ("a.go", "use := drain(queue)", Use::Calls),
        ] {
            assert_eq!(use_of(path, line, "drain"), Some(wanted), "{line}");
        }
        assert_eq!(use_of("a.py", "drained(queue)", "drain"), None);
    }
}
