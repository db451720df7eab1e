//! Settle: from an open claim to the step that settles it, and from one that rests on what changed to the step that proves it
//! again.

use serde_json::{Value, json};

use crate::advise::NOTE;
use crate::claim::Claim;
use crate::counted::names_of_code;
use crate::denial::denies;
use crate::event::is_passed;
use crate::family::Family;
use crate::named::{Towards, towards};
use crate::needs::{self, Need};
use crate::planner::{Planner, Step};
use crate::short;
use crate::state::{TestRun, path_of};

/// A claim as a reason names it, in bytes.
const CLAIM: usize = 200;

/// What is asked of whoever read something.
const SAY: &str = " Say what was found: outcome supports or contradicts, and quote a line that was shown, as it stands there.";

impl Planner<'_> {
    /// The first open claim: judged by what was seen, or what would settle it.
    pub(crate) fn settle(&self) -> Step {
        let state = self.state;
        let Some(claim) = state.unsettled().next() else { return self.close() };
        let reason = if claim.reason.is_empty() { "nobody has judged it." } else { claim.reason.as_str() };
        let (said, reason) = (short::of(&claim.text, CLAIM), short::of(reason, NOTE));
        let why = format!("{} ({said:?}) is open: {reason}", claim.claim_id);
        let since = state.judged.get(claim.claim_id.as_str()).copied().unwrap_or(0);
        let is_unjudged = claim.verdict == crate::claim::Verdict::Open && claim.reason.is_empty();
        let is_own = state.claim(&claim.claim_id).is_some();
        if is_own && is_unjudged && !claim.event_ids.is_empty() {
            return self.verify(claim, json!(claim.event_ids), why);
        }
        // A line that was pointed at, and that nothing cited shows, must be seen before it says anything.
        if let Some(at) = claim.look_at.as_deref().filter(|at| self.situation.exists(path_of(at))) {
            let seen = state.files.get(path_of(at)).filter(|seen| seen.event_id.sequence() > since);
            return match seen {
                Some(seen) => self.verify(claim, json!([seen.event_id]), why),
                None => self.read_of(at, &claim.text, &why),
            };
        }
        // What was shown decides nothing while nobody says what it shows.
        if is_own && claim.unsaid {
            return self.verify(claim, json!(claim.event_ids), why);
        }
        // What it names must be shown by what it cites.
        match towards(state, claim, self.situation) {
            Some(Towards::Cite(event)) if event.sequence() > since || !claim.reason.is_empty() => {
                return self.verify(claim, json!([event]), why);
            }
            Some(Towards::Read(path)) => return self.read_of(&path, &claim.text, &why),
            Some(Towards::Cite(_)) | None => {}
        }
        // Evidence that came after it was judged may settle it; the same evidence again would not.
        // A search that found nothing says nothing of what is there.
        let may_show = |event: &&crate::ids::EventId| {
            event.sequence() > since && (!state.nothing_found.contains(event) || denies(&claim.text))
        };
        if let Some(newest) = state.newest_direct.as_ref().filter(may_show) {
            return self.verify(claim, json!([newest]), why);
        }
        match self.place() {
            Some(place) => self.read(Some(place), &why),
            None => self.undecided(claim, why),
        }
    }

    /// Nothing that was seen decides a claim: its names are searched for, and where all were, it says more than can be shown.
    fn undecided(&self, claim: &Claim, why: String) -> Step {
        let names: Vec<&str> = names_of_code(&claim.text).collect();
        let said = if names.is_empty() { claim.text.clone() } else { names.join(" ") };
        let search = self.literal_search(&said);
        if search.tool.is_some() {
            return Step { why, ..search };
        }
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_verify"]),
            arguments: Some(json!({ "claim_id": claim.claim_id })),
            fill_in: &["event_ids", "outcome", "quote"],
            why: format!(
                "{why} Everything that it names was searched for. Judge it with outcome contradicts by a line that shows where it \
                 does not hold, and claim what such a line shows."
            ),
            stop: "It is verified or rejected.",
            fallback: "Run what would decide it, and record that with mission_event.",
        }
    }

    /// Judges a claim by events. A run and a search that found nothing say by themselves what they show; what a text shows
    /// only the agent can say.
    fn verify(&self, claim: &Claim, event_ids: Value, why: String) -> Step {
        let state = self.state;
        let speaks = |id: &str| {
            state.tests.iter().any(|run| run.event_id.as_str() == id)
                || state.nothing_found.iter().any(|event| event.as_str() == id)
        };
        let mut ids = event_ids.as_array().into_iter().flatten().filter_map(Value::as_str).peekable();
        let is_said = ids.peek().is_none() || ids.all(speaks) && !claim.unsaid;
        let ask = if is_said { "" } else { SAY };
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_verify"]),
            arguments: Some(json!({ "claim_id": claim.claim_id, "event_ids": event_ids })),
            fill_in: if is_said { &[] } else { &["outcome", "quote"] },
            why: format!("{why}{ask}"),
            stop: "It is verified or rejected.",
            fallback: "Read the source or run the test that would decide it.",
        }
    }

    /// A verified claim rests on a file that changed: read it, and judge the claim by what it says now.
    pub(crate) fn read_again(&self) -> Step {
        let state = self.state;
        let stale = state.stale_claims(self.situation);
        let Some((claim, files)) = stale.first() else { return self.close() };
        let since = state.judged.get(claim.claim_id.as_str()).copied().unwrap_or(0);
        let read = files.iter().filter_map(|path| state.files.get(path)).find(|seen| {
            let hash = seen.content_hash.as_deref().unwrap_or_default();
            seen.event_id.sequence() > since && self.situation.is_current(&seen.path, hash)
        });
        let said = needs::stale_words(claim, files, self.situation);
        let why = format!("{} was verified by what is not as it was: {said}.", claim.claim_id);
        if let Some(search) = claim.found_since(self.situation).next() {
            return Step { why, ..self.search_again(search) };
        }
        if files.is_empty() {
            let is_cited = |run: &&TestRun| claim.event_ids.contains(&run.event_id);
            let cited: Vec<&TestRun> =
                state.inherited.tests.iter().chain(&state.tests).filter(is_cited).collect();
            let again = state.tests.iter().rev().find(|run| {
                run.event_id.sequence() > since.max(state.changed_at)
                    && cited.iter().any(|before| before.target == run.target)
                    && is_passed(&run.outcome)
            });
            return match again {
                Some(run) => self.verify(claim, json!([run.event_id]), why),
                None => Step { why, ..self.towards(Need::Tested) },
            };
        }
        match (read, files.iter().find(|path| self.situation.exists(path))) {
            (Some(seen), _) => self.verify(claim, json!([seen.event_id]), why),
            (None, Some(path)) => self.read_of(path, &claim.text, &format!("{why} Read it again.")),
            // Nothing is left to read: the claim is open again.
            (None, None) => self.verify(claim, json!([]), why),
        }
    }
}
