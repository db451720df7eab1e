//! Anchors: places in the code that a note, card or task speaks of, and whether they still hold the same.

mod around;
mod lines;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::MemoryError;
use crate::port::{AnchorAt, AnchorRow, CopyRow};
pub use around::{AROUND, Standing, standings};
use lines::Verdict;

/// Looks at today's code.
pub trait AnchorProbe: Sync {
    fn look(&self, at: &AnchorAt) -> Sight;

    /// The SHA-256 of a whole file in hex, if it can be read.
    fn digest(&self, _path: &str) -> Option<String> {
        None
    }

    /// Every place of an anchor's file that holds as many lines with this hash, from the top; nothing if nobody can tell,
    /// or there is too much to compare.
    fn standings(&self, _: &AnchorAt, _hash: &str) -> Option<Vec<Standing>> {
        None
    }

    /// How many lines a file has, if it can be read.
    fn line_count(&self, _path: &str) -> Option<u32> {
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

    /// The file of a node and the lines that it stands on, if the node is there.
    fn extent(&self, _node_id: &str) -> Option<(String, Option<(u32, u32)>)> {
        None
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
    /// It is there, shows something directly, and speaks for what it is cited for.
    Supports,
    /// It says that something failed or is not so.
    Refutes(String),
    /// It only says what the mission did with itself: that it began, claimed something, was handed on or closed.
    Housekeeping(String),
    /// It shows nothing by itself: what was not done, decides nothing, or comes from the graph.
    ShowsNothing(String),
    /// What it showed has changed since: the file.
    Stale(String),
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
        if let AnchorAt::Path { path, lines: Some((_, last)) } = &at
            && let Some(count) = code.line_count(path).filter(|count| count < last)
        {
            return Err(MemoryError::AnchorBeyond { at, count });
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
        let copy = hash.as_ref().and_then(|hash| meant(code, &at, hash));
        out.push(AnchorRow { at, hash, copy });
    }
    Ok(out)
}

/// Which of the places that hold the same lines is meant.
fn meant(code: &dyn AnchorProbe, at: &AnchorAt, hash: &str) -> Option<CopyRow> {
    let AnchorAt::Path { lines: Some((first, _)), .. } = at else { return None };
    lines::copy(*first, &code.standings(at, hash)?)
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

/// The place in words.
pub(crate) fn name(at: &AnchorAt) -> String {
    match at {
        AnchorAt::Node { node_id } => node_id.clone(),
        AnchorAt::Path { path, lines: None } => path.clone(),
        AnchorAt::Path { path, lines: Some(lines) } => format!("{path}:{}", line_text(*lines)),
    }
}

/// How long the file of a place is, in words.
pub(crate) fn length(at: &AnchorAt, count: u32) -> String {
    let file = match at {
        AnchorAt::Path { path, .. } => path,
        AnchorAt::Node { node_id } => node_id,
    };
    format!("{file} has {count} line{}", if count == 1 { "" } else { "s" })
}

/// The state, and where the lines are if they only moved: what they say is what it was written about.
fn state(code: &dyn AnchorProbe, row: &AnchorRow) -> (Option<AnchorState>, Option<(u32, u32)>) {
    let state = match (code.look(&row.at), &row.hash) {
        // What was never seen cannot be said to have changed or gone.
        (Sight::Unknown, _) | (_, None) => return (None, None),
        (Sight::Found { hash }, Some(stored)) if hash == *stored => AnchorState::Current,
        (Sight::Found { .. }, Some(_)) => AnchorState::Changed,
        (Sight::Gone, _) => AnchorState::Gone,
    };
    // A copy may stand at its lines, unless nothing was kept by which to tell.
    if state == AnchorState::Current && row.copy.is_none() {
        return (Some(state), None);
    }
    let (AnchorAt::Path { lines: Some(lines), .. }, Some(hash)) = (&row.at, &row.hash) else {
        return (Some(state), None);
    };
    let Some(places) = code.standings(&row.at, hash) else { return (Some(state), None) };
    match lines::judge(*lines, row.copy.as_ref(), &places) {
        Verdict::Here => (Some(AnchorState::Current), None),
        Verdict::Moved(now) => (Some(AnchorState::Current), Some(now)),
        Verdict::Unsure => (Some(AnchorState::Changed), None),
        Verdict::Nowhere => (Some(state), None),
    }
}

/// The place that was given, checked.
pub(crate) fn place(anchor: &AnchorIn) -> Result<AnchorAt, MemoryError> {
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

pub(crate) fn parse_lines(text: &str) -> Result<(u32, u32), MemoryError> {
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
        let unseen = take(&Blind, &[anchor("src/x.rs", None)]).unwrap();
        assert_eq!(show(&Code(Sight::Gone), &unseen)[0].unchecked, Some(Unchecked::NoHash));
        assert_eq!(show(&Blind, &rows)[0].lines.as_deref(), Some("3-9"));
    }

    /// A file of these lines, where every text is its own hash.
    struct Lines(Vec<&'static str>);

    impl AnchorProbe for Lines {
        fn look(&self, at: &AnchorAt) -> Sight {
            let AnchorAt::Path { lines: Some((first, last)), .. } = at else { return Sight::Unknown };
            let (skip, take) = (*first as usize - 1, (last - first) as usize + 1);
            let held: Vec<&str> = self.0.iter().skip(skip).take(take).copied().collect();
            if held.is_empty() { Sight::Gone } else { Sight::Found { hash: held.join("|") } }
        }

        fn standings(&self, _: &AnchorAt, hash: &str) -> Option<Vec<Standing>> {
            let count = hash.split('|').count();
            let held = self.0.windows(count).enumerate().filter(|(_, held)| held.join("|") == hash);
            let starts: Vec<usize> = held.map(|(at, _)| at).collect();
            Some(standings(&self.0, &starts, count, &str::to_owned))
        }

        fn line_count(&self, _: &str) -> Option<u32> {
            u32::try_from(self.0.len()).ok()
        }
    }

    #[test]
    fn lines_that_only_moved_are_current_and_a_copy_that_stood_elsewhere_is_not_them() {
        let then = Lines(vec!["f", "if", "none", "g", "if", "none", "h"]);
        let rows = take(&then, &["2-3", "5-6", "7"].map(|lines| anchor("x", Some(lines)))).unwrap();
        let states = |now: Vec<&'static str>| -> Vec<String> {
            let shown = show(&Lines(now), &rows);
            let said = |a: &Anchor| {
                format!("{:?} {}", a.anchor_state.unwrap(), a.lines_now.clone().unwrap_or_default())
            };
            shown.iter().map(|anchor| said(anchor).trim_end().to_owned()).collect()
        };
        assert_eq!(states(then.0.clone()), ["Current", "Current", "Current"]);
        assert_eq!(
            states(vec!["f", "if", "raise", "g", "if", "none", "h"]),
            ["Changed", "Current", "Current"]
        );
        assert_eq!(
            states(vec!["new", "f", "if", "none", "g", "if", "none", "h"]),
            ["Current 3-4", "Current 6-7", "Current 8"]
        );
        // A short line is found, too, when the file no longer reaches to where it stood.
        assert_eq!(states(vec!["f", "h"]), ["Changed", "Gone", "Current 2"]);
        assert_eq!(states(vec!["h", "h"])[2], "Changed");
        let before_copies_were_counted: Vec<AnchorRow> =
            rows.iter().map(|row| AnchorRow { copy: None, ..row.clone() }).collect();
        let judged = |now: Vec<&'static str>| show(&Lines(now), &before_copies_were_counted)[0].clone();
        assert_eq!(judged(vec!["f", "if", "none"]).anchor_state, Some(AnchorState::Current));
        assert_eq!(judged(vec!["if", "none"]).lines_now.as_deref(), Some("1-2"));
        assert_eq!(judged(vec!["if", "none", "x", "if", "none"]).anchor_state, Some(AnchorState::Changed));
    }

    #[test]
    fn lines_behind_the_end_of_a_file_are_refused_with_its_length() {
        let code = Lines(vec!["a", "b", "c"]);
        for lines in ["2-9", "4", "3-4"] {
            let said = take(&code, &[anchor("x", Some(lines))]).unwrap_err();
            assert_eq!(said.to_string(), format!("anchor x:{lines} is behind the end: x has 3 lines"));
        }
        assert!(take(&code, &[anchor("x", Some("2-3"))]).is_ok());
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
