//! A small world: some tools, some files with hashes, and a mission in it.

use std::collections::BTreeMap;

use m1nd_mission::{
    Advice, Command, Event, EventId, EvidenceClass, Family, Inherited, MissionError, MissionId, Mode, Shelf,
    Situation, Start, State, Stepped, Telling, advise, start, step,
};
use serde_json::json;

pub struct Tools;

impl Shelf for Tools {
    fn has(&self, tool: &str) -> bool {
        [
            "ingest",
            "audit",
            "seek",
            "search",
            "view",
            "doctor",
            "impact",
            "mission_claim",
            "mission_verify",
            "mission_close",
        ]
        .contains(&tool)
    }

    fn of(&self, family: Family) -> Vec<&'static str> {
        match family {
            Family::Ingest => vec!["ingest"],
            Family::Orient => vec!["audit"],
            Family::Retrieve => vec!["seek"],
            Family::Read => vec!["view", "search"],
            Family::Relate => vec!["impact"],
            Family::Recover => vec!["doctor"],
            _ => vec![],
        }
    }
}

/// What the files are now.
pub struct World {
    pub now_ms: i64,
    pub files: BTreeMap<String, String>,
    pub graph_is_empty: bool,
    pub right_workspace: bool,
    pub events: Vec<Event>,
    pub state: State,
}

impl World {
    pub fn new(mode: Mode, known_paths: &[&str]) -> Self {
        Self::begin(mode, known_paths, None, Inherited::default())
    }

    pub fn begin(mode: Mode, known: &[&str], parent: Option<MissionId>, inherited: Inherited) -> Self {
        let id = MissionId::new("the limiter drops the last job", 1_000, u64::from(parent.is_some()));
        let begin = Start {
            repo: "/repo".to_owned(),
            goal: "the limiter drops the last job".to_owned(),
            mode,
            budget: mode.budget(),
            known_paths: known.iter().map(|path| (*path).to_owned()).collect(),
            context_guard: json!({"class": "single_repo"}),
            right_workspace: true,
            parent,
            inherited,
        };
        let first = start(&id, begin, "ada", 1_000).unwrap();
        let state = State::begin(&first).unwrap();
        let files = BTreeMap::from([("src/a.rs".to_owned(), "h1".to_owned())]);
        Self {
            now_ms: 1_000,
            files,
            graph_is_empty: false,
            right_workspace: true,
            events: vec![first],
            state,
        }
    }

    pub fn with<T>(&self, ask: impl FnOnce(&Situation<'_>) -> T) -> T {
        let is_current = |path: &str, hash: &str| self.files.get(path).is_some_and(|now| now == hash);
        ask(&Situation {
            now_ms: self.now_ms,
            shelf: &Tools,
            right_workspace: self.right_workspace,
            graph_is_empty: self.graph_is_empty,
            stale_binary: false,
            is_current: &is_current,
        })
    }

    pub fn do_(&mut self, command: Command) -> Result<Stepped, MissionError> {
        self.now_ms += 10;
        let find = |place: u64| self.events.get(usize::try_from(place).ok()?.checked_sub(1)?).cloned();
        let done = self.with(|situation| step(&self.state, command, "ada", situation, &find))?;
        self.state = done.state.clone();
        self.events.extend(done.events.iter().cloned());
        Ok(done)
    }

    /// Tells of a step; the id of its event.
    pub fn tell(&mut self, kind: &str, target: &str, class: EvidenceClass, outcome: &str) -> EventId {
        self.tell_in("verify", kind, target, class, outcome)
    }

    pub fn tell_in(
        &mut self,
        phase: &str,
        kind: &str,
        target: &str,
        class: EvidenceClass,
        outcome: &str,
    ) -> EventId {
        let telling = Telling {
            phase: phase.to_owned(),
            event_type: kind.to_owned(),
            target: target.to_owned(),
            evidence_class: Some(class),
            outcome: outcome.to_owned(),
            content_hash: self.files.get(target).cloned(),
            ..Telling::default()
        };
        self.do_(Command::Tell(telling)).unwrap().events[0].event_id.clone()
    }

    pub fn next(&self) -> Advice {
        self.with(|situation| advise(&self.state, situation))
    }
}
