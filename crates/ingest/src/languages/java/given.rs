//! Given: accessors that nobody writes: those of Lombok, and of what a record is made of.

/// Marks by which it writes them.
const MARKS: [&str; 6] = ["@Getter", "@Setter", "@Data", "@Value", "@With", "@Builder"];
/// How their names begin.
const BEGINNINGS: [&str; 5] = ["get", "set", "is", "with", "builder"];

/// Whether a file may have a method made for it.
pub(crate) fn makes_accessor(text: &str, name: &str) -> bool {
    makes_by_mark(text, name) || is_part_of_record(text, name)
}

fn makes_by_mark(text: &str, name: &str) -> bool {
    let is_accessor = BEGINNINGS.iter().any(|start| name.starts_with(start));
    is_accessor && text.contains("lombok") && MARKS.iter().any(|mark| text.contains(mark))
}

/// Whether a record in a file is made of a part of this name.
fn is_part_of_record(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let is_word = |before: &str, after: &str| !before.ends_with(is_letter) && !after.starts_with(is_letter);
    let records = text
        .match_indices("record ")
        .filter(|(at, word)| is_word(&text[..*at], &text[at + word.len() - 1..]));
    records.map(|(at, word)| head(&text[at + word.len()..])).any(|head| {
        let mut said = head.match_indices(name);
        said.any(|(at, _)| {
            let (before, after) = (&head[..at], head[at + name.len()..].trim_start());
            // A part stands behind its type and before the next one.
            is_word(before, &head[at + name.len()..])
                && before.ends_with(char::is_whitespace)
                && after.starts_with([',', ')'])
        })
    })
}

/// What stands behind the name of a record, up to its body.
fn head(text: &str) -> &str {
    &text[..text.find('{').unwrap_or(0)]
}
