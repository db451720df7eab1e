//! Unexplained: lines of other files that say the name of something which nothing in the graph is known to use.

use std::collections::BTreeSet;
use std::time::Duration;

use m1nd_contract::Fault;
use m1nd_graph::NodeIx;
use m1nd_ingest::syntax::Source;
use m1nd_ingest::{languages, scan};
use m1nd_risk::claim::{Claim, Evidence, Judged, Kind};
use m1nd_vfs::grep::{Case, Pattern, Syntax};

use super::review::namesakes::namesakes;
use super::review::said;
use super::unattributed::is_comment;
use crate::ctx::{Ctx, GraphView};
use crate::workspace::Texts;

/// Shorter names are said for other things, too.
const MIN_NAME: usize = 4;
/// Files that are looked into.
const MAX_FILES: usize = 40;
/// An answer is not held up longer than this.
const TIME_LIMIT: Duration = Duration::from_millis(1_000);
/// What one such line says against that a thing is unused: enough to leave it open, not to refute it.
const FACTOR: f32 = 1.0 / 6.0;

/// What was judged, with lines that say the name of what is said to be unused.
pub(super) fn weighed(
    ctx: &Ctx<'_>,
    at: &GraphView,
    claim: &Claim,
    one: NodeIx,
    mut judged: Judged,
) -> Result<Judged, Fault> {
    let is_open = judged.evidence.iter().all(|one| one.path.is_empty());
    if claim.kind != Kind::Unused || !is_open || judged.confidence <= 0.5 {
        return Ok(judged);
    }
    let lines = lines(ctx, at, one)?;
    let Some((path, line)) = lines.first() else { return Ok(judged) };
    let says = match lines.len() {
        1 => format!("1 line of another file says its name, and no relation explains it: {path}:{line}"),
        count => {
            format!("{count} lines of other files say its name, and no relation explains them: {path}:{line}")
        }
    };
    let odds = judged.confidence / (1.0 - judged.confidence).max(f32::EPSILON) * FACTOR;
    judged.confidence = odds / (1.0 + odds);
    judged.evidence.push(Evidence { says, factor: FACTOR, path: Vec::new() });
    Ok(judged)
}

/// Lines of code that say a name which nothing else has, outside of the file that it is in.
fn lines(ctx: &Ctx<'_>, at: &GraphView, one: NodeIx) -> Result<Vec<(String, u64)>, Fault> {
    let node = at.graph.node(one);
    let name = node.label();
    let is_word = name.len() >= MIN_NAME && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some(language) = languages::of_path(node.path()).filter(|_| is_word) else { return Ok(Vec::new()) };
    if namesakes(&at.graph, name, language.family).any(|ix| ix != one) {
        return Ok(Vec::new());
    }
    let Ok(pattern) = Pattern::compile(&format!(r"\b{name}\b"), Syntax::Regex, Case::Sensitive) else {
        return Ok(Vec::new());
    };
    let root = ctx.workspace()?.root();
    let hits = said(ctx, &Texts::default(), &pattern, language.family, TIME_LIMIT)?;
    let others: BTreeSet<&str> = hits
        .iter()
        .map(|hit| hit.path.as_str())
        .filter(|path| *path != node.path())
        .take(MAX_FILES)
        .collect();
    let mut found = Vec::new();
    for path in others {
        let source = scan::read(root, path).ok().and_then(|bytes| Source::of(path, &bytes));
        let Some(source) = source else { continue };
        for hit in hits.iter().filter(|hit| hit.path.as_str() == path) {
            let line = u32::try_from(hit.line).unwrap_or(u32::MAX);
            if !is_comment(&hit.text, language.family) && !source.only_quotes(line, name) {
                found.push((path.to_owned(), hit.line));
            }
        }
    }
    Ok(found)
}
