//! Extent: how far a definition goes in a text. The graph knows it of the code that it has read; of other code what its signs
//! and its indentation say.

use crate::event::Event;
use crate::grounds::{defined_as, span_of};
use crate::situation::Situation;
use crate::syntax::{is_comment, places_of};
use crate::uses::{Use, use_of};

/// Path, first and last line.
pub(crate) type Span = (String, u64, u64);

/// No definition that is worth a look is longer, in lines.
const LONGEST: usize = 5_000;

/// Where what a sentence names is defined, with all of its lines: as the graph knows it, else as the files say that were shown.
pub(crate) fn spans_of(said: &str, name: &str, cited: &[&Event], situation: &Situation<'_>) -> Vec<Span> {
    let known = defined_as(said, name, situation);
    if !known.is_empty() {
        return known.iter().filter_map(|at| span_of(at)).collect();
    }
    let mut paths: Vec<&str> = cited
        .iter()
        .filter(|event| event.draft.shows_text())
        .flat_map(|event| event.draft.anchors().map(|(path, _)| path))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    let mut all = Vec::new();
    for path in paths {
        let Some(text) = (situation.text_of)(path) else { continue };
        all.extend(
            extents(path, &text, name).into_iter().map(|(first, last)| (path.to_owned(), first, last)),
        );
    }
    all
}

/// The lines of each definition of a name in a text, by the signs of its language.
pub(crate) fn extents(path: &str, text: &str, name: &str) -> Vec<(u64, u64)> {
    let lines: Vec<&str> = text.lines().collect();
    let defines = |line: &str| use_of(path, line, name) == Some(Use::Defines) || is_given(line, name);
    let starts = (0..lines.len()).filter(|at| lines[*at].contains(name) && defines(lines[*at]));
    starts
        .map(|at| (at as u64 + 1, end_of(path, &lines, at) as u64 + 1))
        .filter(|(first, last)| first < last)
        .collect()
}

/// Whether a line gives a name at its beginning a value that goes on: `NAME = {`.
fn is_given(line: &str, name: &str) -> bool {
    let Some(rest) = line.strip_prefix(name) else { return false };
    let is_open = line.trim_end().ends_with(['{', '[', '(']);
    is_open && rest.trim_start().starts_with([':', '='])
}

/// The last line of what begins at a line: where its brackets are closed, or where what follows is indented no further.
fn end_of(path: &str, lines: &[&str], first: usize) -> usize {
    let is_indented = path.ends_with(".py") || path.ends_with(".pyi");
    // `NAME = [` has all of it when that bracket is closed.
    let is_list = lines[first].contains('=') && lines[first].trim_end().ends_with(['[', '(']);
    let (mut depth, mut has_opened, mut end) = (0_i32, false, first);
    for (at, line) in lines.iter().enumerate().skip(first).take(LONGEST) {
        let code = if is_comment(path, line) { String::new() } else { without_texts(line) };
        for letter in code.chars() {
            match letter {
                '{' | '[' | '(' => depth += 1,
                '}' | ']' | ')' => depth -= 1,
                _ => {}
            }
            has_opened |= letter == '{';
        }
        end = at;
        let is_over = depth <= 0 && (has_opened || is_list || code.trim_end().ends_with(';'));
        if is_indented && depth <= 0 {
            if !code.trim_end().ends_with(':') {
                return at;
            }
            break;
        }
        if !is_indented && is_over {
            return at;
        }
    }
    if !is_indented {
        return end;
    }
    let own = indent(lines[first]);
    let mut last = end;
    for (at, line) in lines.iter().enumerate().skip(end + 1) {
        if line.trim().is_empty() {
            continue;
        }
        if indent(line) <= own {
            break;
        }
        last = at;
    }
    last
}

pub(crate) fn indent(line: &str) -> usize {
    line.chars().take_while(|letter| letter.is_whitespace()).count()
}

/// A line with nothing in its texts, and without the comment at its end.
pub(crate) fn without_texts(line: &str) -> String {
    let mut bare = String::new();
    let (mut open, mut letters) = (None, line.chars().peekable());
    let mut last = ' ';
    while let Some(letter) = letters.next() {
        match (open, letter) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(mark), letter) if letter == mark => {
                open = None;
                bare.push(letter);
            }
            (Some(_), _) => {}
            (None, '/') if letters.peek() == Some(&'/') => return bare,
            (None, '#') if last.is_whitespace() && letters.peek() != Some(&'[') => return bare,
            (None, '"' | '`') => {
                open = Some(letter);
                bare.push(letter);
            }
            // A lifetime opens no text.
            (None, '\'') if letters.clone().skip(1).take(80).any(|next| next == '\'') => {
                open = Some(letter);
                bare.push(letter);
            }
            (None, letter) => bare.push(letter),
        }
        last = letter;
    }
    bare
}

/// Whether a text has a name by itself anywhere.
pub(crate) fn has_name(text: &str, name: &str) -> bool {
    places_of(text, name).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_goes_as_far_as_its_signs_say() {
        let python = "class A:\n    def run(self,\n            x):\n        return x\n\n    def stop(self): pass\n\nNAMES = {\n    'a': 1,\n}\n";
        assert_eq!(extents("a.py", python, "A"), [(1, 6)]);
        assert_eq!(extents("a.py", python, "run"), [(2, 4)]);
        assert_eq!(extents("a.py", python, "NAMES"), [(8, 10)]);
        let go = "func (q *Queue) drain() {\n\tif x { // {\n\t\tsay(\"{\")\n\t}\n}\n\nfunc run() {\n\tdrain()\n}\n";
        assert_eq!(extents("a.go", go, "drain"), [(1, 5)]);
        assert_eq!(extents("a.go", go, "run"), [(7, 9)]);
        let ts = "export const A = [\n  'x',\n]\nfunction run() {\n  return A\n}\n";
        assert_eq!(extents("a.ts", ts, "A"), [(1, 3)]);
        assert_eq!(extents("a.ts", ts, "run"), [(4, 6)]);
    }
}
