//! Otherwise asked: uses of what went to which no relation of the graph leads: tests ask for fixtures by name, and lines set properties.

use m1nd_edit::Plan;
use m1nd_graph::{Evidence, Graph};
use m1nd_risk::fixtures;
use m1nd_vfs::Root;

use super::shown::{CallerShown, old};
use super::texts::{Texts, Written, has_word};
use crate::flows::review::held::Held;
use crate::flows::review::setters;

/// Tests that ask for a fixture by its name, which nothing has for them any more.
pub(super) fn asking(
    root: &Root,
    before: &Graph,
    after: &Graph,
    (plan, written): (&Plan, &Written),
) -> Vec<CallerShown> {
    let mut texts = Texts::after(root, written);
    let mut found = Vec::new();
    let gave = plan.files.iter().flat_map(|file| before.nodes_in(&file.path));
    for node in gave {
        for (name, asker) in fixtures::without(before, after, node) {
            let user = after.node(asker);
            let (first, last) = user.lines();
            if is_written_down(&mut texts, user.path(), first, &name) {
                continue;
            }
            let lines = texts.lines_with(user.path(), (first, last), &name, &[]);
            let line = lines.first().copied().unwrap_or(first.max(1));
            found.push(CallerShown {
                at: format!("{}:{line}", user.path()),
                node_id: user.id().to_owned(),
                uses: name,
                because: "removed",
                evidence: Evidence::Resolved.name(),
                source: texts.line(user.path(), line),
            });
        }
    }
    found
}

/// Lines that set a property of Python which cannot be set any more.
pub(super) fn setting(
    root: &Root,
    before: &Graph,
    after: &Graph,
    (plan, written): (&Plan, &Written),
) -> Vec<CallerShown> {
    let after_all: crate::workspace::Texts = plan
        .files
        .iter()
        .map(|file| (file.path.clone(), file.after.as_ref().map(|after| after.bytes.clone())))
        .collect();
    let states = plan.files.iter().filter_map(|file| {
        let (path_before, old) = old(&plan.files, file);
        let new = after_all.get(&file.path)?.as_deref()?;
        Some(setters::States { path_before, path: &file.path, old: old?, new })
    });
    let mut texts = Texts::after(root, written);
    let mut held = Held::of(root, &[], &after_all);
    let lost = setters::lost(&mut held, before, after, states);
    let uses = lost.iter().flat_map(|one| one.lines.iter().map(move |place| (one, place)));
    let shown = uses.map(|(one, (path, line))| CallerShown {
        at: format!("{path}:{line}"),
        node_id: after.node_at(path, *line).map_or_else(String::new, |ix| after.node(ix).id().to_owned()),
        uses: format!("{} (its setter)", one.name),
        because: "removed",
        evidence: Evidence::Resolved.name(),
        source: texts.line(path, *line),
    });
    shown.collect()
}

/// Whether the decorators of a test quote a name as one of the parameters that it is given: it may be run with several values.
fn is_written_down(texts: &mut Texts<'_>, path: &str, first: u32, name: &str) -> bool {
    let text = texts.text(path).unwrap_or_default();
    let above: Vec<&str> = text.lines().take(first as usize).collect();
    // The first line is that of the function, or of its first decorator.
    let around = above.iter().rev().take_while(|line| !line.trim().is_empty());
    let below = text.lines().skip(first as usize).take_while(|line| !line.trim_start().starts_with("def "));
    let mut lines = around.copied().chain(below.take(MARKS)).take(2 * MARKS);
    lines.any(|line| has_word(line, name) && line.contains(['"', '\'']) && !line.contains("usefixtures"))
}

/// Lines of decorators that are looked at.
const MARKS: usize = 20;
