//! Making a brief fit: it grows by rungs, what is worth most first, and everything short before anything is long.
//!
//! The rungs are the same for every budget, and the brief stands on the highest one up to which all fit. So a larger
//! budget never shows less of anything. First come the focus, the hand-off, what is pinned and the newest decision, which
//! are there however small the budget is: without them a brief says nothing. Then one of each list in the order of worth;
//! then whole titles and texts, of the hand-off and what is pinned first; and only then more of the lists.

use super::items::{LONG, SHORT};
use super::{BriefFocus, BriefOutput, Dropped, EACH};
use crate::budget::json_size;
use crate::text;

/// Shows as much of a brief as fits.
pub(super) fn trim(out: &mut BriefOutput, budget: usize) {
    if json_size(out) <= budget {
        return;
    }
    let whole = out.clone();
    let mut form = Form::least(&whole);
    *out = form.show(&whole);
    for rung in rungs(&whole) {
        let mut higher = form.clone();
        rung.add_to(&mut higher);
        let longer = higher.show(&whole);
        if json_size(&longer) > budget {
            stretch(out, &whole, &form, &rung, budget);
            return;
        }
        (form, *out) = (higher, longer);
    }
}

/// What a brief shows, and how long. Each rung makes something of it more, and nothing less.
#[derive(Clone, Debug)]
struct Form {
    /// How many are pinned.
    pinned: usize,
    /// How many of them are whole; bytes of the text of the one behind them, and of all others.
    whole_pins: usize,
    next_pin: usize,
    pin: usize,
    handoff: usize,
    /// Bytes of a title, and of a line about the focus.
    title: usize,
    /// Bytes of the text of a card or plain note.
    lesser: usize,
    focus: Detail,
    /// How many of each list.
    lists: [usize; LISTS.len()],
}

/// How much is told of the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Name,
    Blocker,
    OneOfEach,
    Reasons,
    All,
}

/// The lists that give way, in the order of worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Ready,
    Decisions,
    AtWork,
    Conflicts,
    Questions,
    StaleAnchors,
    Notes,
    Elsewhere,
}

const LISTS: [List; 8] = [
    List::Ready,
    List::Decisions,
    List::AtWork,
    List::Conflicts,
    List::Questions,
    List::StaleAnchors,
    List::Notes,
    List::Elsewhere,
];

#[derive(Clone, Copy, Debug)]
enum Rung {
    Pinned(usize),
    WholePin(usize),
    Pin(usize),
    Handoff(usize),
    Title(usize),
    Lesser(usize),
    Focus(Detail),
    List(List, usize),
}

/// So much may be pinned that nothing else would be left: these are always there, and the others come behind one of each
/// list.
const FIRST_PINS: usize = 8;

/// The way up from the least.
fn rungs(whole: &BriefOutput) -> Vec<Rung> {
    use Rung::{Focus, Handoff, Lesser, Pin, Pinned, Title, WholePin};
    let pins = whole.pinned.len();
    let one = |list: List| Rung::List(list, 1);
    let mut out = vec![one(List::Ready), Pin(32), Focus(Detail::Blocker)];
    out.extend([one(List::AtWork), one(List::Conflicts), one(List::Questions)]);
    out.extend([Title(60), Pin(60), Handoff(60), one(List::StaleAnchors), one(List::Notes)]);
    out.extend([one(List::Elsewhere), Focus(Detail::OneOfEach)]);
    out.extend((FIRST_PINS + 1..=pins).map(Pinned));
    out.extend([Title(SHORT / 2), Pin(SHORT / 2), Focus(Detail::Reasons), Lesser(60), Handoff(LONG)]);
    out.extend((0..pins).map(WholePin));
    out.extend([Title(SHORT), Focus(Detail::All), Title(usize::MAX), Lesser(SHORT / 2)]);
    for count in 2..=EACH {
        out.extend(LISTS.map(|list| Rung::List(list, count)));
        if count == 3 {
            out.push(Handoff(usize::MAX));
        }
    }
    out.push(Lesser(usize::MAX));
    out
}

impl Rung {
    fn add_to(self, form: &mut Form) {
        match self {
            Rung::Pinned(count) => form.pinned = count,
            Rung::WholePin(at) => (form.whole_pins, form.next_pin) = (at + 1, form.pin),
            Rung::Pin(max) => (form.pin, form.next_pin) = (max, max),
            Rung::Handoff(max) => form.handoff = max,
            Rung::Title(max) => form.title = max,
            Rung::Lesser(max) => form.lesser = max,
            Rung::Focus(detail) => form.focus = detail,
            Rung::List(list, count) => form.lists[list as usize] = count,
        }
    }
}

impl Form {
    fn least(whole: &BriefOutput) -> Self {
        let mut lists = [0; LISTS.len()];
        lists[List::Decisions as usize] = 1;
        Self {
            pinned: whole.pinned.len().min(FIRST_PINS),
            whole_pins: 0,
            next_pin: 0,
            pin: 0,
            handoff: 32,
            title: 24,
            lesser: 0,
            focus: Detail::Name,
            lists,
        }
    }

    fn show(&self, whole: &BriefOutput) -> BriefOutput {
        let of = |list: List| self.lists[list as usize];
        let mut out = BriefOutput {
            workspace: whole.workspace.clone(),
            checkout: whole.checkout.clone(),
            focus: whole.focus.as_ref().map(|focus| self.focus.of(focus)),
            handoff: whole.handoff.clone(),
            pinned: first(&whole.pinned, self.pinned),
            at_work: first(&whole.at_work, of(List::AtWork)),
            ready: first(&whole.ready, of(List::Ready)),
            conflicts: first(&whole.conflicts, of(List::Conflicts)),
            decisions: first(&whole.decisions, of(List::Decisions)),
            questions: first(&whole.questions, of(List::Questions)),
            notes: first(&whole.notes, of(List::Notes)),
            elsewhere: first(&whole.elsewhere, of(List::Elsewhere)),
            stale_anchors: first(&whole.stale_anchors, of(List::StaleAnchors)),
            last_event_id: whole.last_event_id.clone(),
            dropped: Dropped::default(),
            partly_seen: whole.partly_seen.clone(),
            truncated: true,
        };
        out.dropped = left_out(&out, whole);
        for (at, note) in out.pinned.iter_mut().enumerate() {
            match at {
                at if at < self.whole_pins => {}
                at if at == self.whole_pins => note.shorten_to_title(self.next_pin),
                _ => note.shorten_to_title(self.pin),
            }
        }
        if let Some(note) = &mut out.handoff {
            note.shorten(self.handoff);
        }
        shorten_lesser(&mut out, self.lesser);
        shorten_titles(&mut out, self.title);
        out
    }
}

fn first<T: Clone>(items: &[T], count: usize) -> Vec<T> {
    items.iter().take(count).cloned().collect()
}

impl Detail {
    fn of(self, focus: &BriefFocus) -> BriefFocus {
        let most = |one: Detail| match self {
            Detail::All => usize::MAX,
            detail if detail >= one => 1,
            _ => 0,
        };
        let mut out = BriefFocus {
            blockers: first(&focus.blockers, most(Detail::Blocker)),
            verify: first(&focus.verify, most(Detail::OneOfEach)),
            next: first(&focus.next, most(Detail::OneOfEach)),
            ..focus.clone()
        };
        if self < Detail::Reasons {
            (out.why, out.contract, out.last_note) = (None, None, None);
        }
        out.truncated |= out != *focus;
        out
    }
}

/// Gives the text that the next rung would have made longer as much as there is room for.
fn stretch(out: &mut BriefOutput, whole: &BriefOutput, form: &Form, rung: &Rung, budget: usize) {
    let longer = |max: usize| {
        let mut form = form.clone();
        match rung {
            Rung::Handoff(most) => form.handoff = max.min(*most),
            Rung::WholePin(_) => form.next_pin = max,
            _ => return None,
        }
        Some(form.show(whole))
    };
    let text = |note: Option<&super::BriefNote>| note.map_or(0, |note| note.text.len());
    let (mut low, mut high) = match rung {
        Rung::Handoff(_) => (form.handoff, text(whole.handoff.as_ref())),
        Rung::WholePin(at) => (form.next_pin, text(whole.pinned.get(*at))),
        _ => return,
    };
    while low < high {
        let middle = (low + high).div_ceil(2);
        match longer(middle) {
            Some(shown) if json_size(&shown) <= budget => (low, *out) = (middle, shown),
            _ => high = middle - 1,
        }
    }
}

/// Cuts cards and notes to `max` bytes, and the newest note on the focus to twice that. With none, a card is its title.
fn shorten_lesser(out: &mut BriefOutput, max: usize) {
    let least = max.max(SHORTEST);
    for card in out.decisions.iter_mut().chain(&mut out.questions) {
        card.shorten(least);
        if max == 0
            && let Some(text) = card.text.take_if(|_| !card.title.is_empty())
        {
            card.truncated = true;
            card.text_length.get_or_insert(text.len());
        }
    }
    for note in &mut out.notes {
        note.shorten(least);
    }
    if let Some(note) = out.focus.as_mut().and_then(|focus| focus.last_note.as_mut()) {
        note.shorten(least.saturating_mul(2));
    }
}

/// The shortest text of a card or plain note, in bytes.
const SHORTEST: usize = 16;

/// Bytes that it takes to say that a title was shortened.
const TITLE_MARK: usize = r#","title_length":60"#.len();

/// Cuts every title, and every line about the focus, to `max` bytes.
fn shorten_titles(out: &mut BriefOutput, max: usize) {
    let cut = |title: &mut String, length: &mut Option<usize>| {
        // What says that it was cut takes room, too.
        if title.len() > max.saturating_add(TITLE_MARK) {
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
        focus.truncated |= focus.target.title_length.is_some();
        let lists = focus.verify.iter_mut().chain(&mut focus.next).chain(&mut focus.blockers);
        let lines = lists.chain(&mut focus.why).chain(&mut focus.contract);
        for line in lines.chain([&mut focus.now]).filter(|line| line.len() > max) {
            *line = text::cut(line, max).to_owned();
            focus.truncated = true;
        }
    }
}

/// How many of each `out` lacks.
fn left_out(out: &BriefOutput, whole: &BriefOutput) -> Dropped {
    let before = whole.dropped;
    Dropped {
        handoffs: before.handoffs,
        pinned: before.pinned + whole.pinned.len() - out.pinned.len(),
        ready: before.ready + whole.ready.len() - out.ready.len(),
        decisions: before.decisions + whole.decisions.len() - out.decisions.len(),
        questions: before.questions + whole.questions.len() - out.questions.len(),
        stale_anchors: before.stale_anchors + whole.stale_anchors.len() - out.stale_anchors.len(),
        at_work: before.at_work + whole.at_work.len() - out.at_work.len(),
        conflicts: before.conflicts + whole.conflicts.len() - out.conflicts.len(),
        notes: before.notes + whole.notes.len() - out.notes.len(),
        elsewhere: before.elsewhere + whole.elsewhere.len() - out.elsewhere.len(),
    }
}

impl BriefOutput {
    /// At most so many of each list; the rest is counted.
    pub(super) fn keep_each(&mut self, most: usize) {
        fn keep<T>(items: &mut Vec<T>, most: usize, dropped: &mut usize) {
            *dropped += items.len().saturating_sub(most);
            items.truncate(most);
        }
        let dropped = &mut self.dropped;
        keep(&mut self.ready, most, &mut dropped.ready);
        keep(&mut self.decisions, most, &mut dropped.decisions);
        keep(&mut self.at_work, most, &mut dropped.at_work);
        keep(&mut self.conflicts, most, &mut dropped.conflicts);
        keep(&mut self.questions, most, &mut dropped.questions);
        keep(&mut self.stale_anchors, most, &mut dropped.stale_anchors);
        keep(&mut self.notes, most, &mut dropped.notes);
        keep(&mut self.elsewhere, most, &mut dropped.elsewhere);
    }

    /// Whether something is not shown, or not in full.
    pub(super) fn is_partial(&self) -> bool {
        let notes = self.pinned.iter().chain(&self.handoff).chain(&self.notes);
        let cards = self.decisions.iter().chain(&self.questions);
        let last_note = self.focus.as_ref().and_then(|focus| focus.last_note.as_ref());
        self.dropped != Dropped::default()
            || notes.into_iter().any(|note| note.truncated)
            || cards.into_iter().any(|card| card.truncated)
            || self.focus.as_ref().is_some_and(|focus| focus.truncated)
            || last_note.is_some_and(|note| note.truncated)
    }
}
