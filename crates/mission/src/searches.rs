//! Searches: the questions that a mission asks next, by meaning, by a word, once more, or for what a finding hides.

use serde_json::{Value, json};

use crate::absence::Absence;
use crate::family::Family;
use crate::needs::is_document;
use crate::planner::{Planner, Step};
use crate::short;
use crate::state::path_of;
use crate::sweep::{QUESTIONS, SWEEPS, about, is_covered};

/// What a search is asked at most, in bytes: a goal may be a page.
const QUESTION: usize = 300;
/// Matches that are shown of a search: enough to see where to look. How many there are is counted all the same.
pub(crate) const SHOWN: usize = 10;
/// A longer word is no word; its beginning finds it, too. In bytes.
const WORD: usize = 80;

impl Planner<'_> {
    pub(crate) fn locate(&self) -> Step {
        let query = short::question(&self.state.goal, QUESTION);
        // Words that led nowhere lead nowhere again: only the agent knows others.
        let is_dead = self.is_dead(query) || self.is_dead(&self.state.goal);
        Step {
            family: Family::Retrieve,
            tool: self.first(&["seek", "search"]),
            arguments: (!is_dead).then(|| self.scoped(json!({ "query": query }))),
            fill_in: if is_dead { &["query"] } else { &[] },
            why: if is_dead {
                "The goal's own words are a dead path: ask with other words for what it means.".to_owned()
            } else {
                "From the goal's words to the places they mean.".to_owned()
            },
            stop: "One place is plausible enough to read.",
            fallback: "Search for a literal word of the goal.",
        }
    }

    /// A question is asked of the repository that the mission is about, where that is only a part of the graph.
    pub(crate) fn scoped(&self, mut arguments: Value) -> Value {
        if let Some(scope) = self.situation.scope {
            arguments["scope"] = json!(scope);
        }
        arguments
    }

    /// What was nowhere is somewhere now: the same search shows where.
    pub(crate) fn search_again(&self, search: &Absence) -> Step {
        let mut arguments = json!({ "query": search.query, "mode": if search.regex { "regex" } else { "literal" }, "top_k": SHOWN });
        if let Some(scope) = &search.scope {
            arguments["scope"] = json!(scope);
        }
        if let Some(glob) = &search.glob {
            arguments["glob"] = json!(glob);
        }
        Step {
            family: Family::Read,
            tool: self.first(&["search"]),
            arguments: Some(arguments),
            fill_in: &[],
            why: String::new(),
            stop: "You know where it is found, or that it is nowhere.",
            fallback: "Judge the claim again by what is there now.",
        }
    }

    /// Text on disk, by a word that was not asked for yet; where all were, the agent must know more than the mission does.
    pub(crate) fn literal_search(&self, said: &str) -> Step {
        let mut words: Vec<&str> = said
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .map(|word| &word[..word.floor_char_boundary(WORD)])
            .filter(|word| word.chars().count() > 2)
            .filter(|word| !self.state.was_asked(word) && !self.is_dead(word))
            .collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let word = words.first();
        Step {
            family: Family::Read,
            tool: word.and_then(|_| self.first(&["search"])),
            arguments: word
                .map(|word| self.scoped(json!({ "query": word, "mode": "literal", "top_k": SHOWN }))),
            fill_in: &[],
            why: "Text on disk can be trusted when the graph's answers cannot.".to_owned(),
            stop: "A line is found, or the word is nowhere.",
            fallback: "Read the source or run the test that would decide it, and record it with mission_event.",
        }
    }

    pub(crate) fn sweep(&self) -> Step {
        let state = self.state;
        let said = |kind: &str| {
            format!(
                "One finding hides others. Look once, directly, at: {}. Begin with {kind}.",
                SWEEPS.join(", ")
            )
        };
        let stop = "What lies around the findings was read with this mission_id: twenty lines or all of a file beside them or a document of them, or a search for error paths, limits or locks in theirs; or an event of phase sweep is recorded.";
        let fallback = "Run a probe with a boundary value and record it with phase sweep.";
        let step = match self.place().filter(|place| !is_covered(state, path_of(place))) {
            Some(place) => {
                let kind = if is_document(path_of(&place)) { SWEEPS[0] } else { SWEEPS[4] };
                self.read(Some(place), &said(kind))
            }
            None => {
                let (step, kind) = self.ask_around();
                Step { why: said(kind), ..step }
            }
        };
        Step { stop, fallback, ..step }
    }

    /// One of the kinds of what a finding hides, asked in the file that the finding is about; where all were asked, the words
    /// of the findings lead to what uses them, and to the documents that speak of it.
    fn ask_around(&self) -> (Step, &'static str) {
        let state = self.state;
        let open = QUESTIONS.iter().find(|(question, _)| !state.was_asked(question));
        if let (Some((question, kind)), Some(path), Some(search)) =
            (open, about(state), self.first(&["search"]))
        {
            let step = Step {
                tool: Some(search),
                arguments: Some(json!({ "query": question, "mode": "regex", "scope": path, "top_k": SHOWN })),
                ..self.literal_search(&state.goal)
            };
            return (step, kind);
        }
        let said: Vec<&str> = state.all_claims().map(|claim| claim.text.as_str()).collect();
        (self.literal_search(&format!("{} {}", state.goal, said.join(" "))), SWEEPS[4])
    }
}
