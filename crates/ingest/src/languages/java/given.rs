//! Given: accessors that Lombok writes.

/// Marks by which it writes them.
const MARKS: [&str; 6] = ["@Getter", "@Setter", "@Data", "@Value", "@With", "@Builder"];
/// How their names begin.
const BEGINNINGS: [&str; 5] = ["get", "set", "is", "with", "builder"];

/// Whether a file may have a method made for it.
pub(crate) fn makes_accessor(text: &str, name: &str) -> bool {
    let is_accessor = BEGINNINGS.iter().any(|start| name.starts_with(start));
    is_accessor && text.contains("lombok") && MARKS.iter().any(|mark| text.contains(mark))
}
