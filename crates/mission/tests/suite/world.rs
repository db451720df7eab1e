//! A small world: some tools, some files with hashes, and a mission in it.

use std::collections::BTreeMap;

use m1nd_mission::{
    Absence, Advice, Command, Count, Detail, Draft, Event, EventId, EvidenceClass, Family, Inherited,
    MissionError, MissionId, Mode, SetNow, Shelf, Shown, Situation, Spot, Start, State, Stepped, Telling,
    Verify, advise, gaps, start, step,
};
use serde_json::json;

/// Outcomes by which a test says what a text means.
const MEANT: [&str; 4] = ["hypothesis_supported", "hypothesis_rejected", "confirmed", "refuted"];

pub struct Tools;

impl Shelf for Tools {
    fn has(&self, tool: &str) -> bool {
        [
            "ingest",
            "audit",
            "outline",
            "seek",
            "search",
            "view",
            "doctor",
            "recovery_playbook",
            "session_handshake",
            "job_status",
            "update_check",
            "trust_selftest",
            "impact",
            "mission_claim",
            "mission_verify",
            "mission_close",
            "mission_handoff",
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
            Family::Plan => vec!["review"],
            _ => vec![],
        }
    }

    fn family(&self, tool: &str) -> Option<Family> {
        use Family::{Ingest, Orient, Plan, Read, Recover, Relate, Retrieve};
        [Ingest, Orient, Retrieve, Read, Relate, Recover, Plan]
            .into_iter()
            .find(|family| self.of(*family).contains(&tool))
    }
}

/// What the files are now.
pub struct World {
    pub now_ms: i64,
    pub files: BTreeMap<String, String>,
    pub graph_is_empty: bool,
    pub running_job: Option<&'static str>,
    pub right_workspace: bool,
    pub stale_binary: bool,
    /// Where the mission's repository stands, if it is one among others.
    pub scope: Option<&'static str>,
    /// What the change set comes to now.
    pub changes: Option<SetNow>,
    /// Words that stand in the files.
    pub words: Vec<String>,
    /// Where a search for a word finds it.
    pub spots: Vec<(String, Spot)>,
    /// Names that the graph knows, with the place of each.
    pub names: Vec<(String, String)>,
    /// Texts of files that are not those that every file here has.
    pub texts: BTreeMap<String, String>,
    /// Whether claims are judged without a word about what their evidence shows.
    pub silent: bool,
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
            running_job: None,
            right_workspace: true,
            stale_binary: false,
            scope: None,
            changes: None,
            words: Vec::new(),
            spots: Vec::new(),
            names: Vec::new(),
            texts: BTreeMap::new(),
            silent: false,
            events: vec![first],
            state,
        }
    }

    pub fn with<T>(&self, ask: impl FnOnce(&Situation<'_>) -> T) -> T {
        ask(&Situation {
            now_ms: self.now_ms,
            shelf: &Tools,
            right_workspace: self.right_workspace,
            graph_is_empty: self.graph_is_empty,
            running_job: self.running_job,
            stale_binary: self.stale_binary,
            hash_of: &|path| self.files.get(path).map(|hash| hash.as_str().into()),
            is_of_repo: &|path| self.scope.is_none_or(|scope| path.starts_with(scope)),
            scope: self.scope,
            change_set: &|_| self.changes.clone(),
            names: &|word| {
                let ends = |path: &&String| *path == word || path.ends_with(&format!("/{word}"));
                self.files.keys().filter(ends).cloned().collect()
            },
            text_of: &|path| self.text_of(path).map(|text| text.as_str().into()),
            defined: &|name| {
                let own = self.names.iter().filter(|(one, _)| one == name);
                own.map(|(_, place)| place.clone()).collect()
            },
            count: &|search| {
                let word =
                    |text: &String| Spot { path: text.clone(), line: 1, within: Vec::new(), defines: false };
                let words = self.words.iter().filter(|text| **text == search.query).map(word);
                let spots: Vec<Spot> = self
                    .spots
                    .iter()
                    .filter(|(query, _)| *query == search.query)
                    .map(|(_, spot)| spot.clone())
                    .chain(words)
                    .collect();
                Some(Count { total: spots.len() as u64, files: 7, spots, ..Count::default() })
            },
        })
    }

    /// What a file says: a line that only it has, and what the mission is about.
    pub fn text_of(&self, path: &str) -> Option<String> {
        let hash = self.files.get(path)?;
        let plain =
            || format!("the whole text of {path} {hash}\nthe limiter drops the last job of its queue\n");
        Some(self.texts.get(path).cloned().unwrap_or_else(plain))
    }

    /// A judge who says what the newest text that is cited shows, as an honest agent does.
    fn said(&self, verify: Verify) -> Verify {
        if self.silent || verify.outcome.is_some() {
            return verify;
        }
        let known = verify.claim_id.as_ref().and_then(|id| self.state.claim(id));
        let before = known.iter().flat_map(|claim| &claim.event_ids);
        let cited: Vec<&EventId> = before.chain(&verify.event_ids).collect();
        let events = self.events.iter().rev().filter(|event| cited.contains(&&event.event_id));
        let mut reads = events.filter(|event| {
            let told = event.draft.quote().is_some();
            !told && event.draft.evidence_class == Some(EvidenceClass::DirectSource)
        });
        let quote = reads.find_map(|event| {
            let current = |(path, hash): &(&str, &str)| self.files.get(*path).is_some_and(|now| now == hash);
            let (path, _) = event.draft.anchors().find(current)?;
            self.text_of(path).and_then(|text| text.lines().next().map(str::to_owned))
        });
        Verify { outcome: quote.as_ref().map(|_| "supports".to_owned()), quote, ..verify }
    }

    pub fn do_(&mut self, command: Command) -> Result<Stepped, MissionError> {
        self.now_ms += 10;
        let command = match command {
            Command::Verify(verify) => Command::Verify(self.said(verify)),
            other => other,
        };
        let find = |place: u64| self.events.get(usize::try_from(place).ok()?.checked_sub(1)?).cloned();
        let done = self.with(|situation| step(&self.state, command, "ada", situation, &find))?;
        self.state = done.state.as_ref().clone();
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
            quote: self.text_of(target).filter(|_| MEANT.contains(&outcome)),
            ..Telling::default()
        };
        self.do_(Command::Tell(telling)).unwrap().events[0].event_id.clone()
    }

    /// A search that the runtime saw find nothing.
    pub fn seek_nothing(&mut self, query: &str) -> EventId {
        let mut draft = self.events[0].draft.clone();
        draft.event_type = "search".to_owned();
        draft.tool_family = Family::Read;
        draft.target = query.to_owned();
        draft.evidence_class = Some(EvidenceClass::DirectSource);
        draft.outcome = "nothing_found".to_owned();
        let search = Absence { query: query.to_owned(), files: 7, ..Absence::default() };
        draft.detail = Some(Box::new(Detail::Absent { search }));
        self.do_(Command::Observe(Box::new(draft))).unwrap().events[0].event_id.clone()
    }

    /// A call that the runtime saw: the files it showed.
    pub fn see(&mut self, tool: &str, family: Family, target: &str, files: &[&str]) -> EventId {
        let shown = files.iter().filter_map(|path| {
            Some(Shown { path: (*path).to_owned(), content_hash: self.files.get(*path)?.clone() })
        });
        let shown: Vec<Shown> = shown.collect();
        let is_read = family == Family::Read && !shown.is_empty();
        let draft = Draft {
            phase: "verify".to_owned(),
            event_type: tool.to_owned(),
            tool_family: family,
            target: target.to_owned(),
            asked: None,
            evidence_class: is_read.then_some(EvidenceClass::DirectSource),
            outcome: if is_read { "read" } else { "nothing_found" }.to_owned(),
            duration_ms: None,
            agent_confidence: None,
            note: None,
            content_hash: None,
            shown,
            not_anchored: 0,
            detail: None,
        };
        self.do_(Command::Observe(Box::new(draft))).unwrap().events[0].event_id.clone()
    }

    pub fn is_dead(&self, target: &str) -> bool {
        self.with(|situation| self.state.is_dead(target, situation.hash_of))
    }

    pub fn gaps(&self) -> Vec<String> {
        self.with(|situation| gaps(&self.state, situation)).into_iter().map(|gap| gap.gap).collect()
    }

    pub fn next(&self) -> Advice {
        self.with(|situation| advise(&self.state, situation))
    }
}
