//! Making a brief fit: the far end of the longest list first, the hand-off and what is pinned last.

use super::items::{LONG, SHORT};
use super::{BriefNote, BriefOutput, tight};
use crate::budget::json_size;
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
            list(&mut self.ready, &mut dropped.ready),
            list(&mut self.decisions, &mut dropped.decisions),
            list(&mut self.at_work, &mut dropped.at_work),
            list(&mut self.conflicts, &mut dropped.conflicts),
            list(&mut self.questions, &mut dropped.questions),
            list(&mut self.stale_anchors, &mut dropped.stale_anchors),
            list(&mut self.notes, &mut dropped.notes),
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

/// The longest text of what is pinned where there is room for hardly anything, in bytes.
const SHORTEST: usize = 60;
/// Shortens cards and plain notes, then drops the far end of the longest list and long lines about the focus; only
/// then what is pinned and the hand-off give way. The newest of each stays as long as the budget has room for one of
/// each; below that, worth decides. What room is left in the end is given back, to the hand-off and what is pinned first.
pub(super) fn trim(out: &mut BriefOutput, budget: usize) {
    if json_size(out) <= budget {
        return;
    }
    let whole = out.clone();
    out.truncated = true;
    shorten_lesser(out, SHORT / 2);
    while json_size(out) > budget && out.drop_from_longest() {}
    if json_size(out) > budget {
        shorten_lesser(out, SHORTEST);
    }
    if json_size(out) > budget
        && let Some(focus) = &mut out.focus
    {
        while json_size(focus) > budget / 3 {
            let Some(longest) = [&mut focus.next, &mut focus.verify, &mut focus.blockers]
                .into_iter()
                .max_by_key(|list| list.len())
                .filter(|list| list.len() > 1)
            else {
                break;
            };
            longest.pop();
            focus.truncated = true;
        }
    }
    for max in [SHORT, SHORT / 2] {
        if json_size(out) > budget {
            shorten_titles(out, max);
        }
    }
    let mut max = LONG.max(budget / 2) / 2;
    while json_size(out) > budget && max >= SHORTEST {
        shorten_kept(out, max);
        max /= 2;
    }
    for max in [60, 24] {
        if json_size(out) > budget {
            shorten_titles(out, max);
        }
    }
    // So much is pinned that nothing else would be left.
    while json_size(out) > budget && out.pinned.len() > 1 && json_size(&out.pinned) > budget / 4 * 3 {
        out.pinned.pop();
        out.dropped.pinned += 1;
    }
    if json_size(out) > budget {
        *out = tight::brief(&whole, budget);
    } else {
        lengthen(out, &whole, budget);
        refill(out, &whole, budget);
    }
}

/// Cuts what is pinned and the hand-off to `max` bytes.
pub(super) fn shorten_kept(out: &mut BriefOutput, max: usize) {
    for note in out.pinned.iter_mut().chain(&mut out.handoff) {
        note.shorten(max);
    }
}

/// Cuts cards and notes to `max` bytes, and the newest note on the focus to twice that.
pub(super) fn shorten_lesser(out: &mut BriefOutput, max: usize) {
    for card in out.decisions.iter_mut().chain(&mut out.questions) {
        card.shorten(max);
    }
    for note in &mut out.notes {
        note.shorten(max);
    }
    if let Some(note) = out.focus.as_mut().and_then(|focus| focus.last_note.as_mut()) {
        note.shorten(max * 2);
    }
}

/// Gives the hand-off, and then what is pinned, as much of their text as there is room for.
pub(super) fn lengthen(out: &mut BriefOutput, whole: &BriefOutput, budget: usize) {
    if let (Some(shown), Some(full)) = (out.handoff.clone(), &whole.handoff) {
        stretch(out, budget, &shown, full, |out, note| out.handoff = Some(note));
    }
    for (at, full) in whole.pinned.iter().enumerate() {
        if let Some(shown) = out.pinned.get(at).cloned() {
            stretch(out, budget, &shown, full, |out, note| out.pinned[at] = note);
        }
    }
}

/// Puts the longest form of a note that there is room for; as it was shown, there was.
fn stretch(
    out: &mut BriefOutput,
    budget: usize,
    shown: &BriefNote,
    full: &BriefNote,
    put: impl Fn(&mut BriefOutput, BriefNote),
) {
    let (mut low, mut high) = (shown.text.len(), full.text.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        put(out, shown.with_text_of(full, middle));
        if json_size(out) <= budget { low = middle } else { high = middle - 1 }
    }
    put(out, if low > shown.text.len() { shown.with_text_of(full, low) } else { shown.clone() });
}

/// Puts back what there is room for: what is pinned and the hand-off, then one of each list in turn, the most important
/// list first.
pub(super) fn refill(out: &mut BriefOutput, whole: &BriefOutput, budget: usize) {
    if out.handoff.is_none()
        && let Some(mut note) = whole.handoff.clone()
    {
        note.shorten(SHORTEST);
        out.handoff = Some(note);
        out.dropped.handoff -= 1;
        if json_size(out) > budget {
            out.handoff = None;
            out.dropped.handoff += 1;
        }
    }
    while let Some(mut note) = whole.pinned.get(out.pinned.len()).cloned() {
        note.shorten(SHORTEST);
        out.pinned.push(note);
        out.dropped.pinned -= 1;
        if json_size(out) > budget {
            out.pinned.pop();
            out.dropped.pinned += 1;
            break;
        }
    }
    macro_rules! give {
        ($($list:ident),*) => {{
            let mut given = false;
            $(
                if let Some(next) = whole.$list.get(out.$list.len()) {
                    out.$list.push(next.clone());
                    out.dropped.$list -= 1;
                    if json_size(out) <= budget {
                        given = true;
                    } else {
                        out.$list.pop();
                        out.dropped.$list += 1;
                    }
                }
            )*
            given
        }};
    }
    while give!(ready, decisions, at_work, conflicts, questions, stale_anchors, notes) {}
}

/// Cuts every title, and every line about the focus, to `max` bytes.
pub(super) fn shorten_titles(out: &mut BriefOutput, max: usize) {
    let cut = |title: &mut String, length: &mut Option<usize>| {
        if title.len() > max {
            length.get_or_insert(title.len());
            *title = text::cut(title, max).to_owned();
        }
    };
    for note in out.pinned.iter_mut().chain(&mut out.handoff).chain(&mut out.notes) {
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
        cut(&mut focus.target.title, &mut focus.target.title_length);
        let mut shortened = focus.target.title_length;
        cut(&mut focus.now, &mut shortened);
        let lists = focus.verify.iter_mut().chain(&mut focus.next).chain(&mut focus.blockers);
        for line in lists.chain(&mut focus.why).chain(&mut focus.contract) {
            cut(line, &mut shortened);
        }
        focus.truncated |= shortened.is_some();
    }
}
