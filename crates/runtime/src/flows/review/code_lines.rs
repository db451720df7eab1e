//! Code lines: the lines of a text that are not within texts of several lines.

/// With their numbers, from 1. A line on which such a text begins or ends is not among them.
pub fn code_lines<'t>(language: &str, text: &'t str) -> impl Iterator<Item = (u64, &'t str)> {
    let marks: &[&str] = if language == "python" { &["\"\"\"", "'''"] } else { &[] };
    let mut open: Option<&str> = None;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let was_open = open.is_some();
        let mut rest = *line;
        let mut has_mark = false;
        loop {
            let next = match open {
                Some(mark) => rest.find(mark).map(|at| (at, mark)),
                None => marks.iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min(),
            };
            let Some((at, mark)) = next else { break };
            // A mark within a comment opens nothing.
            if open.is_none() && rest[..at].contains('#') {
                break;
            }
            has_mark = true;
            open = if open.is_some() { None } else { Some(mark) };
            rest = &rest[at + mark.len()..];
        }
        !was_open && !has_mark
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_texts_of_several_lines_is_no_code() {
        let text = "a = 1\n\"\"\"One.\n\nx.y\n\"\"\"\nb = '''c'''\nd = 2  # it's \"\"\"\ne = 3\n";
        let lines: Vec<u64> = code_lines("python", text).map(|(number, _)| number).collect();
        assert_eq!(lines, [1, 7, 8]);
        assert_eq!(code_lines("typescript", "a\n\"\"\"\nb").count(), 3);
    }
}
