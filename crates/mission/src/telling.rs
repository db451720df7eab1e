//! Telling: a step that an agent tells of, and what that is evidence of, whatever it is called.

use crate::error::MissionError;
use crate::event::{Detail, Draft, Shown, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::EventId;
use crate::lines::ranges;
use crate::machine::{MAX_TARGET, MAX_TEXT, Machine, text, word};
use crate::named::{file_in, no_such_in};
use crate::needs::is_document;
use crate::quote;
use crate::state::{State, path_of};

/// Names of steps that are tools' and persons' alike.
const BY_PERSONS: [&str; 3] = ["review", "audit", "approv"];
/// Whether a path leads out of the workspace, of which nothing is known here.
fn is_elsewhere(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..")
}

/// The command by which the runtime is asked without a host.
const PROGRAM: &str = "m1nd";
/// Files that a run is anchored to.
const MAX_SHOWN: usize = 64;

/// A step that an agent tells of.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    pub phase: String,
    pub event_type: String,
    pub target: String,
    pub evidence_class: Option<EvidenceClass>,
    pub outcome: String,
    pub duration_ms: Option<u64>,
    pub agent_confidence: Option<f64>,
    pub note: Option<String>,
    /// Of the file that the target names, as it is now.
    pub content_hash: Option<String>,
    /// A line of that file that shows it.
    pub quote: Option<String>,
}

impl Machine<'_> {
    pub(crate) fn tell(&mut self, telling: Telling) -> Result<EventId, MissionError> {
        word("phase", &telling.phase)?;
        word("event_type", &telling.event_type)?;
        word("outcome", &telling.outcome)?;
        text("target", &telling.target, MAX_TARGET)?;
        if let Some(note) = &telling.note {
            text("note", note, MAX_TEXT)?;
        }
        if telling.agent_confidence.is_some_and(|given| !(0.0..=1.0).contains(&given)) {
            return Err(MissionError::invalid("agent_confidence", "not between 0 and 1"));
        }
        // A run of tests is one, whether it says of what kind its evidence is or not.
        let is_run = telling.event_type == EvidenceClass::TestRun.name();
        let said = telling.evidence_class.or(is_run.then_some(EvidenceClass::TestRun));
        let is_meant = said.is_some_and(|said| said.is_direct() && said != EvidenceClass::Human);
        let asked = self.tool_asked(&telling.target).filter(|_| is_meant);
        let what = asked.as_deref().unwrap_or(&telling.event_type);
        let evidence_class = said.and_then(|said| self.class_of_told(what, said));
        let family = asked.as_deref().and_then(|tool| self.situation.shelf.family(tool));
        let is_run = evidence_class.is_some_and(EvidenceClass::is_run);
        let is_of_nothing = evidence_class.is_some_and(|class| self.is_of_nothing(class, &telling.target));
        let evidence_class = evidence_class.filter(|_| !is_of_nothing);
        let (shown, not_anchored) =
            if is_run && !is_of_nothing { self.run_with(&telling.target) } else { (Vec::new(), 0) };
        let mut draft = Draft {
            tool_family: family.unwrap_or_else(|| Family::of_told(&telling.event_type, evidence_class)),
            phase: telling.phase,
            event_type: telling.event_type,
            target: telling.target,
            asked: None,
            evidence_class,
            outcome: telling.outcome,
            duration_ms: telling.duration_ms,
            agent_confidence: telling.agent_confidence,
            note: telling.note,
            content_hash: telling.content_hash,
            shown,
            not_anchored,
            detail: None,
        };
        if let Some(quote) = telling.quote {
            text("quote", &quote, MAX_TEXT)?;
            if quote::in_draft(&draft, &quote, self.situation).is_some() {
                draft.detail = Some(Box::new(Detail::Quoted { quote, of: None }));
            } else {
                let target = &draft.target;
                self.warnings.push(format!(
                    "The quote does not stand in {target:?}, so it shows nothing: copy a line as it is."
                ));
            }
        }
        if draft.is_direct() && !draft.is_done() {
            self.warnings.push(format!(
                "{:?} says that it was not done, so this event carries nothing.",
                draft.outcome
            ));
        } else if draft.is_direct() && !draft.carries() {
            let target = &draft.target;
            self.warnings.push(format!(
                "{target:?} names no file of this workspace, or no lines of it, so this event carries nothing and counts as no read."
            ));
        }
        if draft.tool_family == Family::Edit
            && !crate::edits::is_undo(&draft)
            && let Err(why) = self.state.told_edit(&draft)
        {
            self.warnings.push(format!("Not counted as a change: {why}"));
        }
        Ok(self.add(draft, Source::Told))
    }

    /// Whether a run or a person's word is about a file that is not there, or a line beyond its end, and so about nothing. A
    /// command is about more than the paths in it: one that is not there is only told.
    fn is_of_nothing(&mut self, class: EvidenceClass, target: &str) -> bool {
        if !(class.is_run() || class == EvidenceClass::Human) || !self.situation.right_workspace {
            return false;
        }
        let own = format!("{}/", self.state.repo.trim_end_matches('/'));
        let target = target.trim();
        if target.contains(char::is_whitespace) {
            let words = target.split_whitespace().map(|word| word.strip_prefix(&own).unwrap_or(word));
            let words: Vec<&str> = words.filter(|word| !is_elsewhere(word)).collect();
            if let Some(path) = no_such_in(&words.join(" "), self.situation.names).filter(|_| class.is_run())
            {
                self.warnings
                    .push(format!("{path:?} in it is no file of this workspace: say what was really run."));
            }
            return false;
        }
        let target = target.strip_prefix(&own).unwrap_or(target);
        let Some(path) = file_in(target).filter(|path| !is_elsewhere(path)) else { return false };
        if !self.situation.exists(path) && (self.situation.names)(path).is_empty() {
            self.warnings.push(format!(
                "{path:?} is no file of this workspace, so this event carries nothing: where something else was run, say the command."
            ));
            return true;
        }
        let line = ranges(&target[path_of(target).len()..]).first().map_or(0, |(first, _)| *first);
        let text = (self.situation.text_of)(path);
        let is_beyond = text.is_some_and(|text| line > text.lines().count().max(1) as u64);
        if is_beyond {
            self.warnings.push(format!("{path:?} has no line {line}, so this event carries nothing."));
        }
        is_beyond
    }

    /// The runtime's own tool that a command asks, by whichever way: `m1nd callers drain`, `m1nd call seek …`, `seek(drain)`.
    fn tool_asked(&self, command: &str) -> Option<String> {
        let own = |word: &str| {
            let word = word.rsplit("__").next().unwrap_or(word);
            let word = word.trim_start_matches("m1nd_").trim_start_matches("m1nd.").replace('.', "_");
            let word = word.split('(').next().unwrap_or_default().to_owned();
            self.situation.shelf.family(&word).is_some().then_some(word)
        };
        // Another program may start it: `sh -c "m1nd callers drain"`, `timeout 5 m1nd …`.
        let mut words = command.split(|letter: char| letter.is_whitespace() || "\"'`()|;&$".contains(letter));
        let is_program = |word: &str| {
            let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
            name.trim_end_matches(".exe") == PROGRAM
        };
        if words.any(is_program) {
            return words.find_map(own);
        }
        command.split(['|', ';', '&', '\n']).find_map(|one| {
            let mut words = one.split_whitespace().skip_while(|word| word.contains('='));
            let program = words.next()?;
            // A tool's name alone may be that of a test or a target of a build: those of the graph are none.
            own(program).filter(|tool| self.situation.shelf.family(tool).is_some_and(Family::is_graph))
        })
    }

    /// What a step is evidence of. What one of the runtime's own tools answers with is known: nobody makes more of it by
    /// calling it something else.
    fn class_of_told(&mut self, event_type: &str, said: EvidenceClass) -> Option<EvidenceClass> {
        let tool = event_type.strip_prefix("m1nd_").unwrap_or(event_type);
        // A person reviews and audits, too: what they found is theirs, and no tool's.
        if said == EvidenceClass::Human && BY_PERSONS.iter().any(|word| tool.contains(word)) {
            return Some(said);
        }
        let known = self.situation.shelf.family(tool);
        let most = match known {
            None if said != EvidenceClass::Human && Family::is_graph_word(event_type) => {
                Some(EvidenceClass::Graph)
            }
            None | Some(Family::Run) => return Some(said),
            Some(Family::Read) => Some(EvidenceClass::DirectSource),
            Some(Family::Edit) => Some(EvidenceClass::Diff),
            Some(Family::Recall) => Some(EvidenceClass::Memory),
            Some(family) => family.is_graph().then_some(EvidenceClass::Graph),
        };
        if !said.is_direct() || most == Some(said) {
            return Some(said);
        }
        let what = most.map_or("no evidence", EvidenceClass::name);
        self.warnings.push(format!(
            "What {event_type} answers is {what}, and was recorded as that, not as {}: if something else was done, say what \
             (file_read, test_run, diff …).",
            said.name()
        ));
        most
    }

    /// Files that the mission changed, and code that it looked at, the newest first, as they are now, and how many more there
    /// are: what runs now runs with these.
    fn run_with(&self, target: &str) -> (Vec<Shown>, u64) {
        let State { edits, files, .. } = &self.state;
        let mut seen: Vec<_> = files.values().filter(|seen| !edits.contains_key(&seen.path)).collect();
        seen.retain(|seen| !is_document(&seen.path));
        seen.sort_by_key(|seen| std::cmp::Reverse(seen.event_id.sequence()));
        let paths = || edits.keys().chain(seen.iter().map(|seen| &seen.path)).map(String::as_str);
        let paths = || paths().filter(|path| *path != path_of(target));
        let shown = paths().filter_map(|path| {
            let content_hash = (self.situation.hash_of)(path)?.to_string();
            Some(Shown { path: path.to_owned(), content_hash })
        });
        let shown: Vec<Shown> = shown.take(MAX_SHOWN).collect();
        (shown, paths().count().saturating_sub(MAX_SHOWN) as u64)
    }
}
