//! Finding: what an agent says that a text shows, with the line that shows it.

use crate::error::MissionError;
use crate::event::{Detail, Draft, ENDED, Event, Source, Speaks};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::EventId;
use crate::machine::{MAX_TEXT, Machine, text};
use crate::pointed;
use crate::quote::{self, Place};
use crate::short;

/// Targets that a refusal names, and how much of each, in bytes.
const MAX_TARGETS: usize = 4;
const MAX_NAMED: usize = 100;

/// What an agent says that cited text shows, with the line: both, or neither where something else decides.
pub(crate) fn finding(
    outcome: Option<String>,
    quote: Option<String>,
) -> Result<Option<(String, String)>, MissionError> {
    if let Some(outcome) = &outcome
        && (Speaks::of(outcome) == Speaks::Neither || ENDED.contains(&outcome.as_str()))
    {
        return Err(MissionError::invalid("outcome", "neither supports nor contradicts"));
    }
    if let Some(quote) = &quote {
        text("quote", quote, MAX_TEXT)?;
    }
    match (outcome, quote) {
        (Some(outcome), Some(quote)) => Ok(Some((outcome, quote))),
        (None, Some(_)) => {
            Err(MissionError::invalid("outcome", "needed with a quote: supports or contradicts"))
        }
        (Some(_) | None, None) => Ok(None),
    }
}

/// Why a quote is none, and where it stands, if it does.
pub(crate) struct Unfound {
    pub why: String,
    pub look_at: Option<String>,
}

impl Machine<'_> {
    /// Records what somebody says that a cited text shows, where the line stands in what was shown; else why not.
    pub(crate) fn found(
        &mut self,
        said: &str,
        cited: &[Event],
        outcome: String,
        quote: String,
    ) -> Result<EventId, Unfound> {
        let shows = |event: &&Event| event.draft.carries() && event.draft.shows_text();
        let texts: Vec<&Event> = cited.iter().filter(shows).collect();
        let places = texts.iter().rev().flat_map(|event| {
            let places = quote::all_in(&event.draft, &quote, self.situation);
            places.into_iter().map(|place| (*event, place))
        });
        let places: Vec<(&Event, Place)> = places.collect();
        // Of several, the one that the claim speaks of is meant.
        let mode = self.mode();
        let is_meant = |place: &Place| pointed::astray(said, place, &texts, self.situation, mode).is_none();
        let meant = places.iter().find(|(_, place)| is_meant(place)).or_else(|| places.first());
        let Some((event, place)) = meant.map(|(event, place)| (*event, place.clone())) else {
            let mut targets: Vec<String> =
                texts.iter().map(|event| short::of(&event.draft.target, MAX_NAMED)).collect();
            targets.dedup();
            targets.truncate(MAX_TARGETS);
            let beyond =
                || texts.iter().find_map(|event| quote::beyond(&event.draft, &quote, self.situation));
            if let Some(at) = beyond() {
                let why = format!(
                    "The quote stands in {at}, which nothing that it cites shows: call view with file_path {at:?} and this \
                     mission_id, and cite that."
                );
                return Err(Unfound { why, look_at: Some(at) });
            }
            let why = match targets.as_slice() {
                [] => "It cites nothing that can be quoted: read the source with this mission_id, and cite that.".to_owned(),
                _ if !quote::is_enough(&quote) => "The quote says too little: copy a whole line that shows it.".to_owned(),
                _ => format!(
                    "The quote stands in none of the lines that it cites ({}): copy a line of them as it is, or cite what shows it.",
                    targets.join(", ")
                ),
            };
            return Err(Unfound { why, look_at: None });
        };
        let of = Some(event.event_id.clone());
        let draft = Draft {
            evidence_class: Some(EvidenceClass::DirectSource),
            tool_family: Family::Other,
            content_hash: Some(place.content_hash),
            detail: Some(Box::new(Detail::Quoted { quote, of })),
            ..Draft::kernel(
                "verify",
                "finding",
                format!("{}:{}", place.path, place.line),
                &outcome,
                Detail::Found { places: Vec::new() },
            )
        };
        Ok(self.link(draft, Source::Told))
    }
}
