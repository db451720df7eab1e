//! Places: the part of the code that a search is narrowed to.

use crate::anchors::{self, Anchor, AnchorIn, AnchorProbe, Sight};
use crate::error::MemoryError;
use crate::port::AnchorAt;

/// The most places of one question.
const MAX_PLACES: usize = 50;

/// Files, folders, lines of files, and nodes.
pub(super) struct Places(Vec<Asked>);

struct Asked {
    said: String,
    path: String,
    lines: Option<(u32, u32)>,
    /// The id of the node that it names, if it names one.
    node: String,
}

impl Places {
    /// Nothing is left out where no place is named.
    pub(super) fn of(code: &dyn AnchorProbe, given: &[String]) -> Result<Option<Self>, MemoryError> {
        if given.len() > MAX_PLACES {
            return Err(MemoryError::invalid("anchors", format!("more than {MAX_PLACES}")));
        }
        let places = given.iter().map(|said| asked(code, said)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(Self(places)).filter(|places| !places.0.is_empty()))
    }

    /// Whether an anchor is at one of them: at the file or node itself, below the folder, on some of the lines. What
    /// speaks of a folder speaks of its files.
    pub(super) fn hold(&self, code: &dyn AnchorProbe, anchor: &Anchor) -> bool {
        let node = anchor.node_id.as_deref().map(|said| node(code, said));
        let (file, lines) = extent(code, anchor, node.as_deref());
        self.0.iter().any(|asked| {
            let inside = file
                .as_deref()
                .is_some_and(|file| is_below(file, &asked.path) || is_below(&asked.path, file));
            let touches = match (asked.lines, lines) {
                (Some((first, last)), Some((from, to))) => first <= to && from <= last,
                // A whole file has every line of it; what is not known to stand elsewhere may be meant.
                (None, _) | (_, None) => true,
            };
            node.as_ref() == Some(&asked.node) || (inside && touches)
        })
    }

    /// Those that today's code does not have, as they were given.
    pub(super) fn unknown(&self, code: &dyn AnchorProbe) -> Vec<String> {
        let gone = |asked: &&Asked| {
            let path = AnchorAt::Path { path: asked.path.clone(), lines: None };
            let node = AnchorAt::Node { node_id: asked.node.clone() };
            // Before the first ingest nobody knows what nodes there are.
            code.look(&path) == Sight::Gone && code.look(&node) == Sight::Gone
        };
        self.0.iter().filter(gone).map(|asked| asked.said.clone()).collect()
    }
}

fn asked(code: &dyn AnchorProbe, said: &str) -> Result<Asked, MemoryError> {
    let at = anchors::place(&AnchorIn { path: Some(said.to_owned()), ..AnchorIn::default() })?;
    let node = node(code, said);
    // A node stands on lines of a file: what speaks of these, or of all of the file, speaks of it. A file or folder of
    // that name comes first.
    if code.look(&at) == Sight::Gone
        && let Some((path, lines)) = code.extent(&node)
    {
        return Ok(Asked { said: said.to_owned(), path, lines, node });
    }
    match code.spelled(at) {
        AnchorAt::Path { path, lines } => Ok(Asked { said: said.to_owned(), path, lines, node }),
        AnchorAt::Node { node_id } => Ok(Asked { said: said.to_owned(), path: node_id, lines: None, node }),
    }
}

/// The id of the node that a name means today; the name itself if it means none. What was anchored before the first
/// ingest was kept by the name that it was given.
fn node(code: &dyn AnchorProbe, said: &str) -> String {
    match code.spelled(AnchorAt::Node { node_id: said.to_owned() }) {
        AnchorAt::Node { node_id } => node_id,
        AnchorAt::Path { .. } => said.to_owned(),
    }
}

/// The file of an anchor, and the lines that it stands on now.
fn extent(
    code: &dyn AnchorProbe,
    anchor: &Anchor,
    node: Option<&str>,
) -> (Option<String>, Option<(u32, u32)>) {
    let Some(id) = node else {
        let lines = anchor.lines_now.as_ref().or(anchor.lines.as_ref());
        return (anchor.path.clone(), lines.and_then(|lines| anchors::parse_lines(lines).ok()));
    };
    match code.extent(id) {
        Some((file, lines)) => (Some(file), lines),
        // A node that is gone says its file itself: its id is `kind::path::name`.
        None => (id.split("::").nth(1).map(str::to_owned), None),
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder.trim_end_matches('/'));
    folder == "." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code of one node, once it was read.
    struct Read(bool);

    const GREET: &str = "function::main.rs::greet";

    impl AnchorProbe for Read {
        fn look(&self, at: &AnchorAt) -> Sight {
            match at {
                AnchorAt::Node { .. } if !self.0 => Sight::Unknown,
                AnchorAt::Node { node_id } if node_id == GREET => Sight::Found { hash: "x".to_owned() },
                _ => Sight::Gone,
            }
        }

        fn spelled(&self, at: AnchorAt) -> AnchorAt {
            match at {
                AnchorAt::Node { node_id } if self.0 && node_id == "greet" => {
                    AnchorAt::Node { node_id: GREET.to_owned() }
                }
                other => other,
            }
        }

        fn extent(&self, node_id: &str) -> Option<(String, Option<(u32, u32)>)> {
            (self.0 && node_id == GREET).then(|| ("main.rs".to_owned(), Some((5, 7))))
        }
    }

    #[test]
    fn a_node_that_was_named_before_the_code_was_read_is_found_before_and_after() {
        let anchor: Anchor = serde_json::from_str(r#"{"node_id": "greet"}"#).unwrap();
        for (read, asked) in [(false, "greet"), (true, "greet"), (true, GREET), (true, "main.rs:6")] {
            let code = Read(read);
            let places = Places::of(&code, &[asked.to_owned()]).unwrap().unwrap();
            assert!(places.hold(&code, &anchor), "{asked}");
        }
        let unknown = |read: bool, asked: &str| {
            let places = Places::of(&Read(read), &[asked.to_owned()]).unwrap().unwrap();
            places.unknown(&Read(read))
        };
        assert_eq!(unknown(false, "greet"), [""; 0]);
        assert_eq!(unknown(true, "greet"), [""; 0]);
        assert_eq!(unknown(true, "greeet"), ["greeet"]);
    }

    #[test]
    fn a_folder_holds_what_lies_below_it_and_not_what_merely_begins_alike() {
        for (path, folder) in
            [("src/a.rs", "src"), ("src/a.rs", "src/"), ("src/a.rs", "src/a.rs"), ("x", ".")]
        {
            assert!(is_below(path, folder), "{path} {folder}");
        }
        for (path, folder) in [("src2/a.rs", "src"), ("src", "src/a.rs"), ("src/a.rs2", "src/a.rs")] {
            assert!(!is_below(path, folder), "{path} {folder}");
        }
    }
}
