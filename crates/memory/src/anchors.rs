//! Anchors: places in the code that a note, card or task speaks of, and whether they still hold the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::MemoryError;
use crate::port::{AnchorAt, AnchorRow};

/// Looks at today's code.
pub trait AnchorProbe: Sync {
    fn look(&self, at: &AnchorAt) -> Sight;

    /// The SHA-256 of a whole file in hex, if it can be read.
    fn digest(&self, _path: &str) -> Option<String> {
        None
    }

    /// Where the lines of a file that had this hash are now, when they are no longer at their place.
    fn moved(&self, _: &AnchorAt, _hash: &str) -> Option<(u32, u32)> {
        None
    }

    /// Whether the repository has a commit that this names; nothing if nobody can tell.
    fn has_commit(&self, _name: &str) -> Option<bool> {
        None
    }

    /// What an event of a mission came to: its outcome, or that there is no such event; nothing if nobody can tell.
    fn event(&self, _id: &str) -> Option<EventSeen> {
        None
    }

    /// The ids of the nodes that a name may mean, when it means more than one.
    fn candidates(&self, _: &AnchorAt) -> Vec<String> {
        Vec::new()
    }

    /// The same place as it is written down: one spelling for each place. A place that cannot be found keeps its own.
    fn spelled(&self, at: AnchorAt) -> AnchorAt {
        at
    }
}

/// What a probe saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// The hash of what is there.
    Found { hash: String },
    /// Nothing is there.
    Gone,
    /// Nobody can tell now, for example because no code was read yet.
    Unknown,
}

/// A probe that sees nothing.
#[derive(Clone, Copy, Debug)]
pub struct Blind;

/// An event of a mission, as a receipt cites it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventSeen {
    /// It is there and speaks for what it is cited for, or at least not against it.
    Supports,
    /// It says that something failed or is not so.
    Refutes(String),
    /// It only says what the mission did with itself: that it began, claimed something, was handed on or closed.
    Housekeeping(String),
    Missing,
}

impl AnchorProbe for Blind {
    fn look(&self, _: &AnchorAt) -> Sight {
        Sight::Unknown
    }
}

/// A place in the code: `node_id`, or `path` with `lines`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnchorIn {
    /// A node of the code graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// A file, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Lines of that file, `12` or `12-40`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
}

/// Whether an anchored place still holds what it held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnchorState {
    Current,
    Changed,
    Gone,
}

/// An anchor and its state against today's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    /// A node of the code graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// A file, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Lines of that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// The hash of what the place held when it was written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Where the same lines stand now, if others were put before them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_now: Option<String>,
    /// Absent when the code could not be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_state: Option<AnchorState>,
    /// Why the state is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<Unchecked>,
}

/// Why nobody can say whether an anchored place is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unchecked {
    /// The code was not read when the anchor was written: run `ingest`, then write the anchor again.
    NoHash,
    /// The code cannot be looked at now: run `ingest`.
    NoCode,
}

/// The most anchors on one thing.
const MAX_ANCHORS: usize = 50;
/// The longest node id or path of an anchor, in bytes.
const MAX_PLACE: usize = 1_024;

/// Checks the anchors and takes the hash of each.
pub(crate) fn take(code: &dyn AnchorProbe, given: &[AnchorIn]) -> Result<Vec<AnchorRow>, MemoryError> {
    if given.len() > MAX_ANCHORS {
        return Err(MemoryError::invalid("anchors", format!("more than {MAX_ANCHORS}")));
    }
    let mut out: Vec<AnchorRow> = Vec::with_capacity(given.len());
    for anchor in given {
        let at = code.spelled(place(anchor)?);
        if out.iter().any(|seen| seen.at == at) {
            continue;
        }
        let hash = match code.look(&at) {
            Sight::Found { hash } => Some(hash),
            Sight::Unknown => None,
            Sight::Gone => {
                let candidates = code.candidates(&at);
                return Err(match candidates.is_empty() {
                    true => MemoryError::AnchorUnknown { at },
                    false => MemoryError::AnchorAmbiguous { name: name(&at), candidates },
                });
            }
        };
        out.push(AnchorRow { at, hash });
    }
    Ok(out)
}

/// The anchors as shown, each with its state.
pub(crate) fn show(code: &dyn AnchorProbe, rows: &[AnchorRow]) -> Vec<Anchor> {
    rows.iter()
        .map(|row| {
            let (node_id, path, lines) = match &row.at {
                AnchorAt::Node { node_id } => (Some(node_id.clone()), None, None),
                AnchorAt::Path { path, lines } => (None, Some(path.clone()), lines.map(line_text)),
            };
            let (anchor_state, now) = state(code, row);
            let unchecked = match (anchor_state, &row.hash) {
                (Some(_), _) => None,
                (None, None) => Some(Unchecked::NoHash),
                (None, Some(_)) => Some(Unchecked::NoCode),
            };
            let lines_now = now.map(line_text);
            Anchor { node_id, path, lines, hash: row.hash.clone(), lines_now, anchor_state, unchecked }
        })
        .collect()
}

/// The anchors whose place changed or is gone.
pub(crate) fn stale(code: &dyn AnchorProbe, rows: &[AnchorRow]) -> Vec<Anchor> {
    let mut out = show(code, rows);
    out.retain(|a| matches!(a.anchor_state, Some(AnchorState::Changed | AnchorState::Gone)));
    out
}

/// What a writer should know about anchors that were kept without a hash.
pub(crate) fn warnings<'a>(rows: impl IntoIterator<Item = &'a AnchorRow>) -> Vec<String> {
    let unread: Vec<String> =
        rows.into_iter().filter(|row| row.hash.is_none()).map(|row| name(&row.at)).take(NAMED).collect();
    if unread.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "The code was not ingested yet, so changes of {} will not be noticed. Run ingest, then write the anchor again (a card with update: true).",
        unread.join(", ")
    )]
}

/// How many anchors a warning names.
const NAMED: usize = 5;

/// What a place may have been written down as: a path, or a node.
pub(crate) fn spellings(code: &dyn AnchorProbe, place: &str) -> [String; 2] {
    let path = code.spelled(AnchorAt::Path { path: place.to_owned(), lines: None });
    let node = code.spelled(AnchorAt::Node { node_id: place.to_owned() });
    [name(&path), name(&node)]
}

/// The place in words.
pub(crate) fn name(at: &AnchorAt) -> String {
    match at {
        AnchorAt::Node { node_id } => node_id.clone(),
        AnchorAt::Path { path, lines: None } => path.clone(),
        AnchorAt::Path { path, lines: Some(lines) } => format!("{path}:{}", line_text(*lines)),
    }
}

/// The state, and where the lines are if they only moved: what they say is what it was written about.
fn state(code: &dyn AnchorProbe, row: &AnchorRow) -> (Option<AnchorState>, Option<(u32, u32)>) {
    let sight = code.look(&row.at);
    let state = match (&sight, &row.hash) {
        (Sight::Unknown, _) | (Sight::Found { .. }, None) => return (None, None),
        (Sight::Found { hash }, Some(stored)) if hash == stored => return (Some(AnchorState::Current), None),
        (Sight::Found { .. }, Some(_)) => AnchorState::Changed,
        (Sight::Gone, _) => AnchorState::Gone,
    };
    match row.hash.as_ref().and_then(|hash| code.moved(&row.at, hash)) {
        Some(now) => (Some(AnchorState::Current), Some(now)),
        None => (Some(state), None),
    }
}

fn place(anchor: &AnchorIn) -> Result<AnchorAt, MemoryError> {
    let bad = |reason: &str| Err(MemoryError::invalid("anchors", reason));
    let checked = |text: &str| -> Result<String, MemoryError> {
        if text.trim().is_empty() || text.len() > MAX_PLACE || text.chars().any(char::is_control) {
            return Err(MemoryError::invalid("anchors", format!("{text:?} is not a node id or path")));
        }
        Ok(text.to_owned())
    };
    match (&anchor.node_id, &anchor.path, &anchor.lines) {
        (Some(node_id), None, None) => Ok(AnchorAt::Node { node_id: checked(node_id)? }),
        (None, Some(path), None) => {
            // `src/a.rs:12-40` says its lines itself.
            let said = path.rsplit_once(':').and_then(|(path, lines)| Some((path, parse_lines(lines).ok()?)));
            let (path, lines) = said.map_or((path.as_str(), None), |(path, lines)| (path, Some(lines)));
            Ok(AnchorAt::Path { path: checked(path)?, lines })
        }
        (None, Some(path), lines) => {
            Ok(AnchorAt::Path { path: checked(path)?, lines: lines.as_deref().map(parse_lines).transpose()? })
        }
        (Some(_), None, Some(_)) => bad("lines go with a path"),
        (Some(_), Some(_), _) => bad("an anchor has a node_id or a path, not both"),
        (None, None, _) => bad("an anchor has a node_id or a path"),
    }
}

fn parse_lines(text: &str) -> Result<(u32, u32), MemoryError> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok((first, last)),
        _ => Err(MemoryError::invalid("anchors", format!("{text:?} is not lines such as 12 or 12-40"))),
    }
}

fn line_text((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Code(Sight);

    impl AnchorProbe for Code {
        fn look(&self, _: &AnchorAt) -> Sight {
            self.0.clone()
        }
    }

    fn anchor(path: &str, lines: Option<&str>) -> AnchorIn {
        AnchorIn { path: Some(path.to_owned()), lines: lines.map(str::to_owned), node_id: None }
    }

    #[test]
    fn an_anchor_tells_current_changed_and_gone_apart() {
        let found = |hash: &str| Code(Sight::Found { hash: hash.to_owned() });
        let rows = take(&found("a"), &[anchor("src/x.rs", Some("3-9"))]).unwrap();
        let state = |code: &Code| show(code, &rows)[0].anchor_state;
        assert_eq!(state(&found("a")), Some(AnchorState::Current));
        assert_eq!(state(&found("b")), Some(AnchorState::Changed));
        assert_eq!(state(&Code(Sight::Gone)), Some(AnchorState::Gone));
        assert_eq!(state(&Code(Sight::Unknown)), None);
        assert_eq!(show(&Blind, &rows)[0].lines.as_deref(), Some("3-9"));
    }

    struct Moved;

    impl AnchorProbe for Moved {
        fn look(&self, _: &AnchorAt) -> Sight {
            Sight::Found { hash: "other".to_owned() }
        }

        fn moved(&self, _: &AnchorAt, hash: &str) -> Option<(u32, u32)> {
            (hash == "a").then_some((8, 14))
        }
    }

    #[test]
    fn lines_that_only_moved_are_current_and_say_where_they_are() {
        let at = AnchorAt::Path { path: "src/x.rs".to_owned(), lines: Some((3, 9)) };
        let rows = ["a", "b"].map(|hash| AnchorRow { at: at.clone(), hash: Some(hash.to_owned()) });
        let shown = show(&Moved, &rows);
        assert_eq!(
            (shown[0].anchor_state, shown[0].lines_now.as_deref()),
            (Some(AnchorState::Current), Some("8-14"))
        );
        assert_eq!(
            (shown[1].anchor_state, shown[1].lines_now.as_deref()),
            (Some(AnchorState::Changed), None)
        );
        assert_eq!(stale(&Moved, &rows).len(), 1);
    }

    #[test]
    fn an_anchor_to_nothing_is_refused() {
        let gone = take(&Code(Sight::Gone), &[anchor("src/y.rs", None)]);
        assert_eq!(
            gone,
            Err(MemoryError::AnchorUnknown {
                at: AnchorAt::Path { path: "src/y.rs".to_owned(), lines: None }
            })
        );
        for lines in ["0", "9-3", "x", ""] {
            assert!(take(&Blind, &[anchor("a", Some(lines))]).is_err(), "{lines}");
        }
        assert!(take(&Blind, &[AnchorIn::default()]).is_err());
        let said = take(&Blind, &[anchor("src/y.rs:12-40", None)]).unwrap();
        assert_eq!(said[0].at, AnchorAt::Path { path: "src/y.rs".to_owned(), lines: Some((12, 40)) });
    }
}
