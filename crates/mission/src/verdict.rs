//! Verdict: whether what was seen carries what a claim says.

use crate::absence::{Absence, Purpose, World};
use crate::claim::{Judgement, Verdict};
use crate::counted;
use crate::covered;
use crate::denial;
use crate::doer;
use crate::event::{AGAINST, Event, SUPPORT, Shown, Source, Speaks};
use crate::evidence::EvidenceClass;
use crate::grounds::{self, Besides};
use crate::ids::EventId;
use crate::named::named_in;
use crate::nowhere::is_nowhere;
use crate::phrase;
use crate::pointed;
use crate::runs::is_run;
use crate::situation::Situation;
use crate::state::{State, TestRun};
use crate::tally;
use crate::universal;
use crate::valued;

/// Files that a verdict keeps; more are in the events it cites.
const MOST_FILES: usize = 64;
/// Words that are named to whoever used another.
const MOST_WORDS: usize = 8;

/// Judges what a claim says by the events it cites, as the mission and the files are now.
pub(crate) fn judge(state: &State, said: &str, events: &[&Event], situation: &Situation<'_>) -> Judgement {
    // Apostrophes as they are printed mean what those of a keyboard mean.
    let said = &*said.replace(['\u{2019}', '\u{2018}', '\u{02bc}'], "'").replace('\u{ad}', "");
    let is_current = |path: &str, hash: &str| situation.is_current(path, hash);
    let exists = |path: &str| situation.exists(path);
    let event_ids: Vec<EventId> = events.iter().map(|event| event.event_id.clone()).collect();
    let needs = |reason: String, stale: Vec<EventId>| Judgement {
        verdict: Verdict::NeedsDirectEvidence,
        reason,
        event_ids: event_ids.clone(),
        stale,
        ..Judgement::default()
    };
    if !situation.right_workspace {
        let why = format!(
            "The runtime is not bound to {}: nothing that is cited shows anything of it.",
            state.repo
        );
        return needs(why, Vec::new());
    }
    if events.is_empty() {
        let why = "It cites no event: read the source, run the test, and cite what that recorded.";
        return needs(why.to_owned(), Vec::new());
    }
    let direct: Vec<&&Event> = events.iter().filter(|event| event.draft.is_direct()).collect();
    if direct.is_empty() {
        return needs(indirect(events), Vec::new());
    }
    // Only the runtime knows that a search found nothing, and only what denies its word rests on that.
    let world = World { scope: situation.scope, defined: situation.defined };
    let lacks = |search: &Absence| {
        search.lacks(said, &world).or_else(|| phrase::still_there(search, said, situation))
    };
    let absence = |event: &Event| {
        let search = event.draft.absence().filter(|search| lacks(search).is_none());
        search.filter(|_| event.source == Source::Observed).cloned()
    };
    let carries = |event: &&&Event| event.draft.carries() || absence(event).is_some();
    let carrying: Vec<&&Event> = direct.iter().copied().filter(carries).collect();
    if carrying.is_empty() {
        let nothing = direct.iter().find_map(|event| lacks(event.draft.absence()?));
        let why = nothing.unwrap_or_else(|| {
            "Nothing that it cites was done and shows lines of a file of this workspace: read the file itself and cite that."
                .to_owned()
        });
        let look_at = direct.iter().find_map(|event| event.draft.absence()?.left_out.clone());
        return Judgement { look_at, ..needs(why, Vec::new()) };
    }
    let changed = |event: &Event| -> Option<String> {
        let mut files = event.draft.anchors();
        files.find(|(path, hash)| !is_current(path, hash)).map(|(path, _)| path.to_owned())
    };
    let (mut current, mut stale, mut said_of) = (Vec::new(), Vec::new(), Vec::new());
    let mut old: Vec<&Event> = Vec::new();
    let mut is_left = false;
    for event in carrying {
        if let Some(how) = state.overtaken(event) {
            is_left = true;
            said_of.push(format!("{} ({how})", event.event_id));
            stale.push(event.event_id.clone());
            old.push(event);
            continue;
        }
        if let Some(search) = event.draft.absence()
            && !situation.is_absent(search)
        {
            is_left = true;
            said_of.push(format!("{} ({:?} is found now)", event.event_id, search.query));
            stale.push(event.event_id.clone());
            old.push(event);
            continue;
        }
        match changed(event) {
            None => current.push(*event),
            Some(path) => {
                let is_there = exists(&path);
                is_left |= is_there;
                let how = if is_there { "changed since" } else { "is gone" };
                said_of.push(format!("{} ({path} {how})", event.event_id));
                stale.push(event.event_id.clone());
                old.push(event);
            }
        }
    }
    let not_counted =
        if said_of.is_empty() { String::new() } else { format!(" Not counted: {}.", said_of.join(", ")) };
    if current.is_empty() {
        let why = if is_left {
            "What it rests on was changed since it was seen: read or run it again and cite that."
        } else {
            "What it rests on is gone: cite what shows it now, or what speaks against it."
        };
        return needs(format!("{why}{not_counted}"), stale);
    }
    // What a search that found nothing bears out need not be counted.
    let rest = current.iter().find_map(|event| Some(absence(event)?.rest_of(said).join(" ")));
    let borne_out =
        counted::borne_out(said, rest.as_deref().unwrap_or(said), &current, situation, &world, state.mode);
    let unused = counted::none_used(said, &current, situation, &world);
    // That nothing uses it is of all, and shown by the same search.
    let borne_out = match (borne_out, &unused) {
        (Err(_), Some(unused)) if is_nowhere(said, false) => Ok(vec![unused.clone()]),
        (Ok(mut counted), Some(unused)) if is_nowhere(said, false) => {
            if !counted.contains(unused) {
                counted.push(unused.clone());
            }
            Ok(counted)
        }
        (borne_out, _) => borne_out,
    };
    let counted = borne_out.as_deref().unwrap_or_default();
    // A line that is elsewhere than the claim says speaks for nothing of it, unless it is one of those that it counts;
    // against it a line of any file may speak.
    let astray = |event: &Event| {
        let place = pointed::place_of(event, situation).filter(|_| event.draft.shows_text())?;
        let is_counted = counted::has_line(counted, &place.path, place.line, situation);
        pointed::astray(said, &place, &current, situation, state.mode).filter(|_| !is_counted)
    };
    // What somebody tells is worth less than what the runtime found, or did not find, itself.
    let is_shown = !counted.is_empty() || current.iter().any(|event| absence(event).is_some());
    // A claim that something is there, and a search of all that it speaks of that finds nothing, or nothing that calls it.
    let denies = denial::denies(said);
    let not_there = || {
        let searches = direct.iter().filter(|event| event.source == Source::Observed && !denies);
        searches.filter_map(|event| event.draft.absence()).find(|search| {
            search.is_named_in(said, &world, Purpose::Count)
                && search.too_wide(said, situation.scope).is_none()
                && situation.is_absent(search)
        })
    };
    let not_there = not_there().or_else(|| unused.as_ref().filter(|_| !denies).map(|unused| &unused.search));
    let is_word = |event: &Event| {
        event.source == Source::Told
            && (is_run(event) || event.draft.evidence_class == Some(EvidenceClass::Human))
    };
    // Nor does a line that gives what the claim names another value.
    let other_value = valued::other_value(said, &current, situation);
    let is_quoted = |event: &Event| event.draft.quote().is_some();
    // Nor does a line that gives it the very value speak against that.
    let same_value = valued::same_value(said, &current, situation);
    let speaks = |event: &Event| match (absence(event), event.draft.speaks()) {
        (Some(_), _) => Speaks::For,
        (None, Speaks::For) if other_value.is_some() && is_quoted(event) => Speaks::Neither,
        (None, Speaks::Against) if is_shown && is_word(event) => Speaks::Neither,
        (None, Speaks::Against) if same_value.is_some() && is_quoted(event) => Speaks::Neither,
        (None, Speaks::For) if not_there.is_some() && is_word(event) => Speaks::Neither,
        (None, Speaks::For) if astray(event).is_some() => Speaks::Neither,
        (None, speaks) => speaks,
    };
    let by = |wanted: Speaks| current.iter().rev().find(|event| speaks(event) == wanted);
    let is_said = by(Speaks::For).is_some() || by(Speaks::Against).is_some();
    let is_again = not_seen_again(&old, &current, situation).is_none();
    // What bears out that something is nowhere need not show it anywhere.
    let is_absent = current.iter().any(|event| absence(event).is_some());
    let besides = grounds::besides(said, &current, situation, state.mode);
    if let Some(Besides { why, look_at, .. }) = besides.filter(|besides| !is_absent || besides.is_of_a_file)
        && is_again
    {
        return Judgement { look_at, ..needs(format!("{why}{not_counted}"), stale) };
    }
    if let Some(search) = not_there.filter(|_| !is_said && is_again) {
        let why = format!(
            "The search for {:?} that it cites finds none that bears it out, and what is only told is worth less: cite a line that \
             shows it, or claim that it is not there.",
            search.query
        );
        return needs(format!("{why}{not_counted}"), stale);
    }
    if let Some(why) = same_value.as_ref().filter(|_| !is_said && is_again) {
        return Judgement { unsaid: true, ..needs(format!("{why}{not_counted}"), stale) };
    }
    if by(Speaks::Against).is_none() && is_again {
        // A run, too, does not make up for what the text has.
        if let Some(why) = &other_value {
            return Judgement { unsaid: true, ..needs(format!("{why}{not_counted}"), stale) };
        }
        // What was read shows what is there: that something is nowhere shows only who searched for it.
        let names_file = !named_in(said, situation.names).is_empty();
        if let Some(why) = doer::does_not(said, &current, situation) {
            return needs(format!("{why}{not_counted}"), stale);
        }
        // The search that it cites, where that finds what it denies.
        let found = || {
            let searches = current.iter().filter(|event| event.source == Source::Observed);
            let mut searches = searches.filter_map(|event| event.draft.search());
            let own = searches.find(|search| search.is_named_in(said, &world, Purpose::Count))?;
            let spot = (situation.count)(own)?.spots.into_iter().next()?;
            Some(format!(" The one that it cites finds {:?} at {}:{}.", own.query, spot.path, spot.line))
        };
        let is_there = grounds::denied_and_there(said, &current, situation);
        if let Some(why) = is_there.filter(|_| !is_absent && unused.is_none()) {
            let found = found().filter(|_| why.contains("search for")).unwrap_or_default();
            return needs(format!("{why}{found}{not_counted}"), stale);
        }
        if !is_absent && unused.is_none() && is_nowhere(said, names_file) {
            let narrow = direct.iter().find_map(|event| lacks(event.draft.absence()?));
            let why = narrow.unwrap_or_else(|| {
                "It says that something is nowhere: search for it with this mission_id, and cite the search that finds nothing."
                    .to_owned()
            });
            let found = found().unwrap_or_default();
            return needs(format!("{why}{found}{not_counted}"), stale);
        }
        let only_absent =
            current.iter().all(|event| speaks(event) != Speaks::For || absence(event).is_some());
        let more = current.iter().find_map(|event| absence(event)?.besides(said).map(str::to_owned));
        if let Some(more) = more.filter(|_| only_absent) {
            let why = format!(
                "The search bears out what is not there; it does not show that {more:?}. Cite what does, with outcome \
                 (supports or contradicts) and quote, a line of it.{not_counted}"
            );
            return Judgement { unsaid: shows_text(&current), ..needs(why, stale) };
        }
        // What ran, or what a person says, may be of all; a line is of its place. Neither is worth more than what the runtime
        // found when it searched.
        let is_of_all =
            |event: &&&Event| is_run(event) || event.draft.evidence_class == Some(EvidenceClass::Human);
        let is_of_all = current.iter().filter(is_of_all).any(|event| speaks(event) == Speaks::For);
        let was_searched = current.iter().any(|event| {
            event.source == Source::Observed
                && event.draft.search().is_some_and(|one| one.is_named_in(said, &world, Purpose::Count))
        });
        if let Some(why) = borne_out.as_ref().err().filter(|_| !is_of_all || was_searched) {
            return needs(format!("{why}{not_counted}"), stale);
        }
        // The same line twice shows no more than once.
        let shows = |event: &&&Event| speaks(event) == Speaks::For && event.draft.shows_text();
        let lines: std::collections::BTreeSet<&str> =
            current.iter().filter(shows).filter_map(|event| event.draft.quote()).collect();
        if let Some(why) = pointed::several(said, lines.len()).filter(|_| !is_of_all) {
            return Judgement { unsaid: shows_text(&current), ..needs(format!("{why}{not_counted}"), stale) };
        }
        if let Some(why) = current.iter().rev().find_map(|event| astray(event)).filter(|_| !is_said) {
            return Judgement { unsaid: true, ..needs(format!("{why}{not_counted}"), stale) };
        }
        // Last of all, whatever the rules before made of the sentence: the text that is to show it has its words.
        let is_by_text =
            !is_of_all && current.iter().any(|event| speaks(event) == Speaks::For && is_quoted(event));
        if is_by_text {
            let mode = state.mode;
            let why = universal::not_always(said, &current, situation, mode)
                .or_else(|| universal::done_after_all(said, &current, situation, mode))
                .or_else(|| tally::miscounted(said, &current, situation, mode));
            if let Some(why) = why {
                return needs(format!("{why}{not_counted}"), stale);
            }
            if let Some(lacking) = covered::uncovered(said, &current, counted, situation, mode) {
                let covered::Uncovered { why, is_shown, look_at } = lacking;
                let why = format!("{why}{not_counted}");
                return Judgement { unsaid: is_shown, look_at, ..needs(why, stale) };
            }
        }
    }
    if !is_said && is_again && shows_text(&current) {
        let read = current.iter().rev().find(|event| event.draft.shows_text());
        let (id, target) =
            read.map_or(("", ""), |event| (event.event_id.as_str(), event.draft.target.as_str()));
        let target = crate::short::of(target, TARGET);
        let why = format!(
            "Nobody said what {id} ({target}) shows: call mission_verify with outcome, supports or contradicts, and quote, \
             a line of it as it stands there.{not_counted}"
        );
        return Judgement { unsaid: true, ..needs(why, stale) };
    }
    let (verdict, reason) = if let Some(against) = by(Speaks::Against) {
        let before = by(Speaks::For).map_or_else(String::new, |event| {
            format!(" {} ({}) spoke for it.", event.event_id, event.draft.outcome)
        });
        let said = format!("{} says {}{}.{before}", against.event_id, against.draft.outcome, quoted(against));
        (Verdict::Rejected, said)
    } else if let Some(lost) = not_seen_again(&old, &current, situation) {
        let how = if exists(&lost) || is_left { "changed" } else { "gone" };
        let why = format!(
            "{lost} is {how} since, and nothing that it cites shows it again: cite what does, or what speaks against \
             the claim.{not_counted}"
        );
        return needs(why, stale);
    } else if let Some(newest) = by(Speaks::For) {
        let shows = match newest.draft.absence() {
            Some(search) => search.said(),
            None => newest.draft.evidence_class.map_or("", EvidenceClass::name).to_owned(),
        };
        (
            Verdict::VerifiedForMission,
            format!("Direct evidence: {} ({shows}){}.", newest.event_id, quoted(newest)),
        )
    } else {
        let outcomes: std::collections::BTreeSet<&str> =
            current.iter().map(|event| event.draft.outcome.as_str()).collect();
        let outcomes: Vec<&str> = outcomes.into_iter().collect();
        let why = format!(
            "{} speaks neither for it nor against it. For: {} …; against: {} ….{not_counted}",
            outcomes.join(", "),
            SUPPORT[..MOST_WORDS].join(", "),
            AGAINST[..MOST_WORDS].join(", ")
        );
        return needs(why, stale);
    };
    // Beside what decides, a claim rests on what shows the files that it names, and on what it counts. Of one that is rejected
    // all is kept: none of it speaks for the same claim later.
    let named: Vec<String> = named_in(said, situation.names);
    let bears = |event: &&&Event| {
        verdict == Verdict::Rejected
            || speaks(event) == Speaks::For
            || event.draft.search().is_some_and(|search| counted.iter().any(|one| one.search == *search))
            || event.draft.anchors().any(|(path, _)| named.iter().any(|file| file == path))
    };
    let bearing: Vec<&Event> = current.iter().filter(bears).copied().collect();
    let mut rests_on: Vec<Shown> = bearing
        .iter()
        .flat_map(|event| event.draft.anchors())
        .map(|(path, hash)| Shown { path: path.to_owned(), content_hash: hash.to_owned() })
        .collect();
    rests_on.sort();
    rests_on.dedup();
    let rest = rests_on.len().saturating_sub(MOST_FILES) as u64;
    rests_on.truncate(MOST_FILES);
    let not_checked = bearing.iter().map(|event| event.draft.not_anchored).sum::<u64>() + rest;
    let said = match not_checked {
        0 => String::new(),
        1 => " 1 file of what was shown is not checked.".to_owned(),
        count => format!(" {count} files of what was shown are not checked."),
    };
    let reason = format!("{reason}{not_counted}{said}");
    let decides = if verdict == Verdict::Rejected { Speaks::Against } else { Speaks::For };
    let self_reported = current.iter().any(|event| {
        speaks(event) == decides && event.source == Source::Told && !was_observed(event, &current)
    });
    let runs = current.iter().filter(|event| is_run(event)).map(|event| TestRun::of(event)).collect();
    let absent = current.iter().filter_map(|event| absence(event)).collect();
    Judgement {
        verdict,
        reason,
        self_reported,
        rests_on,
        runs,
        not_checked,
        absent,
        counted: if verdict == Verdict::VerifiedForMission { counted.to_vec() } else { Vec::new() },
        stale,
        event_ids,
        ..Judgement::default()
    }
}

/// Whether something that is cited shows text, of which somebody can say what it means.
fn shows_text(events: &[&Event]) -> bool {
    events.iter().any(|event| event.draft.shows_text())
}

/// What an event points at.
fn quoted(event: &Event) -> String {
    let quote = event.draft.quote().map(|quote| crate::short::of(quote, QUOTE));
    quote.map_or_else(String::new, |quote| format!(": {} {quote:?}", event.draft.target))
}

/// A quote, and a target, in a reason, in bytes.
const QUOTE: usize = 160;
const TARGET: usize = 120;

/// Whether a call that was recorded by the runtime, and is cited too, showed what an agent tells of: every file of it, as it
/// is now. What ran, and what a person said, no call shows.
fn was_observed(told: &Event, cited: &[&Event]) -> bool {
    if is_run(told) || told.draft.evidence_class == Some(EvidenceClass::Human) {
        return false;
    }
    let observed = || cited.iter().filter(|event| event.source == Source::Observed);
    let is_shown = |file: (&str, &str)| observed().any(|event| event.draft.anchors().any(|one| one == file));
    told.draft.is_anchored() && told.draft.anchors().all(is_shown)
}

/// What stale events showed and no current one does: a file, or a run. What is beside it says nothing of it.
fn not_seen_again(old: &[&Event], current: &[&Event], situation: &Situation<'_>) -> Option<String> {
    let is_shown = |path: &str| current.iter().any(|event| event.draft.anchors().any(|(at, _)| at == path));
    old.iter().find_map(|event| {
        if is_run(event) {
            let is_again = |other: &&Event| is_run(other) && other.draft.target == event.draft.target;
            return (!current.iter().any(is_again)).then(|| event.draft.target.clone());
        }
        if let Some(search) = event.draft.absence() {
            let is_again =
                |other: &&Event| other.draft.absence().is_some_and(|one| one.query == search.query);
            return (!current.iter().any(is_again)).then(|| format!("what {:?} finds", search.query));
        }
        let mut changed = event.draft.anchors().filter(|(path, hash)| !situation.is_current(path, hash));
        changed.find(|(path, _)| !is_shown(path)).map(|(path, _)| path.to_owned())
    })
}

/// Why events without direct evidence carry nothing.
fn indirect(events: &[&Event]) -> String {
    let classes: std::collections::BTreeSet<&str> =
        events.iter().filter_map(|event| event.draft.evidence_class).map(EvidenceClass::name).collect();
    if classes.is_empty() {
        return "None of the events it cites is evidence of anything: read the source or run it, and cite that."
            .to_owned();
    }
    let classes: Vec<&str> = classes.into_iter().collect();
    format!(
        "It rests on indirect evidence alone ({}): read the source or run it, and cite that.",
        classes.join(", ")
    )
}
