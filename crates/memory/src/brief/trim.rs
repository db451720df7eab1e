//! Making a brief fit: the far end of the longest list first, the name of the focus last.

use super::{BriefOutput, LONG};
use crate::budget::{json_size, shorten_text};
use crate::text;

/// One list of a brief, and how many of it were left out.
struct List<'a> {
    len: usize,
    cut: Box<dyn FnOnce(usize) + 'a>,
}

fn list<'a, T>(items: &'a mut Vec<T>, dropped: &'a mut usize) -> List<'a> {
    let len = items.len();
    let cut = move |keep: usize| {
        *dropped += items.len().saturating_sub(keep);
        items.truncate(keep);
    };
    List { len, cut: Box::new(cut) }
}

impl BriefOutput {
    /// The lists that give way, the one worth least last.
    fn lists(&mut self) -> Vec<List<'_>> {
        let dropped = &mut self.dropped;
        vec![
            list(&mut self.at_work, &mut dropped.at_work),
            list(&mut self.ready, &mut dropped.ready),
            list(&mut self.conflicts, &mut dropped.conflicts),
            list(&mut self.decisions, &mut dropped.decisions),
            list(&mut self.questions, &mut dropped.questions),
            list(&mut self.stale_anchors, &mut dropped.stale_anchors),
        ]
    }

    /// At most so many of each; the rest is counted.
    pub(super) fn keep_each(&mut self, most: usize) {
        for list in self.lists() {
            (list.cut)(most);
        }
    }

    /// Drops the last of the longest list; says whether one had more than one.
    fn drop_from_longest(&mut self) -> bool {
        let lists = self.lists();
        let Some(longest) = lists.into_iter().filter(|list| list.len > 1).max_by_key(|list| list.len) else {
            return false;
        };
        let keep = longest.len - 1;
        (longest.cut)(keep);
        true
    }
}

/// Drops the oldest of the longest list, then shortens what is long, then drops the oldest of what is pinned.
/// The newest of each stays as long as the budget has room for one of each.
pub(super) fn trim(out: &mut BriefOutput, budget: usize) {
    while json_size(out) > budget {
        out.truncated = true;
        if !out.drop_from_longest() {
            break;
        }
    }
    let mut max = LONG / 2;
    while json_size(out) > budget && max >= 60 {
        for note in out.pinned.iter_mut().chain(&mut out.handoff) {
            note.shorten(max);
        }
        for card in out.decisions.iter_mut().chain(&mut out.questions) {
            card.shorten(max / 2);
        }
        max /= 2;
    }
    if let Some(focus) = &mut out.focus {
        while json_size(focus) > budget / 2 {
            let Some(longest) = [&mut focus.next, &mut focus.verify, &mut focus.blockers]
                .into_iter()
                .max_by_key(|list| list.len())
                .filter(|list| list.len() > 1)
            else {
                break;
            };
            longest.pop();
        }
    }
    for max in [120, 60, 24] {
        if json_size(out) > budget {
            shorten_titles(out, max);
        }
    }
    while json_size(out) > budget && out.pinned.len() > 1 {
        out.pinned.pop();
        out.dropped.pinned += 1;
    }
    if json_size(out) > budget
        && let Some(note) = &mut out.handoff
    {
        note.truncated = true;
        let full = note.text.len();
        note.text_length.get_or_insert(full);
        shorten_text(&mut note.text, full);
    }
    drop_newest(out, budget);
}

/// Cuts every title, and every line about the focus, to `max` bytes.
fn shorten_titles(out: &mut BriefOutput, max: usize) {
    let cut = |title: &mut String, length: &mut Option<usize>| {
        if title.len() > max {
            length.get_or_insert(title.len());
            *title = text::cut(title, max).to_owned();
        }
    };
    for note in out.pinned.iter_mut().chain(&mut out.handoff) {
        if let Some(title) = &mut note.title {
            cut(title, &mut note.title_length);
        }
    }
    for card in out.decisions.iter_mut().chain(&mut out.questions) {
        cut(&mut card.title, &mut card.title_length);
    }
    for task in out.ready.iter_mut().chain(&mut out.at_work) {
        cut(&mut task.title, &mut task.title_length);
        task.truncated |= task.title_length.is_some();
    }
    if let Some(focus) = &mut out.focus {
        let mut shortened = None;
        cut(&mut focus.target.title, &mut shortened);
        cut(&mut focus.now, &mut shortened);
        for line in focus.verify.iter_mut().chain(&mut focus.next).chain(&mut focus.blockers) {
            cut(line, &mut shortened);
        }
    }
}

/// What is left when not even one of each fits: the caller asked for less than a brief, and is told what
/// went. The name of the focus goes last.
fn drop_newest(out: &mut BriefOutput, budget: usize) {
    let fits = |out: &BriefOutput| json_size(out) <= budget;
    let count = out.lists().len();
    for at in (0..count).rev() {
        if fits(out) {
            return;
        }
        (out.lists().swap_remove(at).cut)(0);
    }
    if !fits(out)
        && let Some(focus) = &mut out.focus
    {
        for list in [&mut focus.verify, &mut focus.next, &mut focus.blockers] {
            list.clear();
        }
    }
    if !fits(out) {
        out.dropped.handoff += usize::from(out.handoff.take().is_some());
    }
    if !fits(out) {
        (list(&mut out.pinned, &mut out.dropped.pinned).cut)(0);
    }
    if !fits(out) {
        out.dropped.focus += usize::from(out.focus.take().is_some());
    }
}
