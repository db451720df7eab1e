//! Again: what was rejected is not so because somebody says it once more.

use crate::claim::{Claim, Verdict};
use crate::event::Event;
use crate::ids::ClaimId;
use crate::runs::is_run;
use crate::state::State;

/// Why a claim is not verified that says what another was rejected for: nothing was seen since that was not seen then.
pub(crate) fn said_again(state: &State, id: &ClaimId, cited: &[Event]) -> Option<String> {
    let text = plain(&state.claim(id)?.text);
    let is_same = |claim: &&Claim| {
        claim.claim_id != *id && claim.verdict == Verdict::Rejected && plain(&claim.text) == text
    };
    let rejected = state.all_claims().filter(is_same).last()?;
    // What the mission before rejected it did before any event of this one.
    let since = state.judged.get(rejected.claim_id.as_str()).copied().unwrap_or(0);
    let shows_more = |event: &Event| {
        // A run says more than the files that it ran with.
        if is_run(event) {
            return true;
        }
        let mut files = event.draft.anchors().peekable();
        let is_known = |(path, hash): (&str, &str)| {
            rejected.rests_on.iter().any(|file| file.path == path && file.content_hash == hash)
        };
        files.peek().is_none() || !files.all(is_known)
    };
    let carries = |event: &Event| event.draft.carries() || event.draft.absence().is_some();
    let is_new = |event: &Event| event.sequence > since && carries(event) && shows_more(event);
    (!cited.iter().any(is_new)).then(|| {
        format!(
            "{} says the same and was rejected: {} Cite what was seen since then and shows otherwise.",
            rejected.claim_id, rejected.reason
        )
    })
}

/// A text without what makes no other statement of it. A name of code in other letters is another name; a sentence may begin
/// with either.
pub(crate) fn plain(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let alike =
        words.enumerate().map(|(at, word)| if at == 0 { word.to_lowercase() } else { word.to_owned() });
    alike.collect::<Vec<_>>().join(" ")
}
