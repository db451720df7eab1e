//! A brief for which not even one of each has room: what is worth most comes first, in its shortest form.
//!
//! The order is that of worth: the focus, what is pinned, the hand-off, a task that is ready, the newest decision, what
//! is in the way. What does not fit ends it, so that nothing is shown at the cost of something worth more. The first
//! three, one of each, are there however small the budget is: without them a brief says nothing.

use super::trim::{lengthen, refill, shorten_kept, shorten_lesser, shorten_titles};
use super::{BriefFocus, BriefOutput, Dropped};
use crate::budget::json_size;

/// The longest text of a note here, in bytes, and the longest title or line.
const TEXT: usize = 32;
const LINE: usize = 24;

/// The most of `whole` that fits.
pub(super) fn brief(whole: &BriefOutput, budget: usize) -> BriefOutput {
    let least = shortest(whole);
    let mut tight = Tight { out: bare(whole), whole, budget };
    let all = tight.worth_most(&least);
    lengthen(&mut tight.out, whole, budget);
    if all {
        refill(&mut tight.out, whole, budget);
    }
    tight.out
}

struct Tight<'a> {
    out: BriefOutput,
    whole: &'a BriefOutput,
    budget: usize,
}

impl Tight<'_> {
    /// Makes a change if there is room for it; says whether there was.
    fn add(&mut self, change: impl FnOnce(&mut BriefOutput)) -> bool {
        let before = self.out.clone();
        change(&mut self.out);
        self.out.dropped = left_out(&self.out, self.whole);
        let fits = json_size(&self.out) <= self.budget;
        if !fits {
            self.out = before;
        }
        fits
    }

    /// Adds one of each in the order of worth, until something does not fit; says whether all did.
    fn worth_most(&mut self, least: &BriefOutput) -> bool {
        self.out.focus = least.focus.as_ref().map(name_of);
        self.out.handoff.clone_from(&least.handoff);
        self.out.pinned.extend(least.pinned.first().cloned());
        self.out.dropped = left_out(&self.out, self.whole);
        if json_size(&self.out) > self.budget {
            return false;
        }
        for note in least.pinned.iter().skip(1) {
            // So much may be pinned that nothing else would be left.
            if json_size(&self.out.pinned) > self.budget / 4 * 3 {
                break;
            }
            if !self.add(|out| out.pinned.push(note.clone())) {
                return false;
            }
        }
        let blockers: &[String] = least.focus.as_ref().map_or(&[], |focus| &focus.blockers);
        self.add(|out| out.ready.extend(least.ready.first().cloned()))
            && self.add(|out| out.decisions.extend(least.decisions.first().cloned()))
            && self.add(|out| {
                if let Some(focus) = &mut out.focus {
                    focus.blockers.extend(blockers.first().cloned());
                }
            })
            && self.add(|out| out.at_work.extend(least.at_work.first().cloned()))
            && self.add(|out| out.conflicts.extend(least.conflicts.first().cloned()))
            && self.add(|out| out.questions.extend(least.questions.first().cloned()))
    }
}

/// A brief that says how much there is, and none of it.
fn bare(whole: &BriefOutput) -> BriefOutput {
    let mut out = BriefOutput {
        focus: None,
        handoff: None,
        pinned: Vec::new(),
        at_work: Vec::new(),
        ready: Vec::new(),
        conflicts: Vec::new(),
        decisions: Vec::new(),
        questions: Vec::new(),
        notes: Vec::new(),
        stale_anchors: Vec::new(),
        truncated: true,
        ..whole.clone()
    };
    out.dropped = left_out(&out, whole);
    out
}

/// Everything in its shortest form.
fn shortest(whole: &BriefOutput) -> BriefOutput {
    let mut least = whole.clone();
    shorten_kept(&mut least, TEXT);
    shorten_lesser(&mut least, TEXT / 2);
    shorten_titles(&mut least, LINE);
    for card in least.decisions.iter_mut().chain(&mut least.questions) {
        if let Some(text) = card.text.take_if(|_| !card.title.is_empty()) {
            card.truncated = true;
            card.text_length.get_or_insert(text.len());
        }
    }
    least
}

/// What is in focus, and none of what is to be said about it.
fn name_of(focus: &BriefFocus) -> BriefFocus {
    let (verify, next, blockers) = (Vec::new(), Vec::new(), Vec::new());
    let short =
        BriefFocus { verify, next, blockers, why: None, contract: None, last_note: None, ..focus.clone() };
    BriefFocus { truncated: focus.truncated || short != *focus, ..short }
}

/// How many of each `out` lacks.
fn left_out(out: &BriefOutput, whole: &BriefOutput) -> Dropped {
    let before = whole.dropped;
    Dropped {
        pinned: before.pinned + whole.pinned.len() - out.pinned.len(),
        ready: before.ready + whole.ready.len() - out.ready.len(),
        decisions: before.decisions + whole.decisions.len() - out.decisions.len(),
        questions: before.questions + whole.questions.len() - out.questions.len(),
        stale_anchors: before.stale_anchors + whole.stale_anchors.len() - out.stale_anchors.len(),
        at_work: before.at_work + whole.at_work.len() - out.at_work.len(),
        conflicts: before.conflicts + whole.conflicts.len() - out.conflicts.len(),
        notes: before.notes + whole.notes.len() - out.notes.len(),
        handoff: usize::from(whole.handoff.is_some() && out.handoff.is_none()),
        focus: usize::from(whole.focus.is_some() && out.focus.is_none()),
    }
}
