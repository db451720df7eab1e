//! Fold: what one event more makes of a state.

use crate::claim::{Claim, Verdict};
use crate::edits::is_change;
use crate::event::{Detail, Draft, Event, Shown, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::EventId;
use crate::state::{DeadPath, KEPT, LOOP, OWN, Seen, State, Status, TestRun, path_of, turn_key};
use crate::sweep;

/// Nobody reads further down a list than this before asking again.
const PLACES: usize = 10;

impl State {
    /// One event more.
    pub fn apply(&mut self, event: &Event) {
        self.sequence = event.sequence;
        self.head.clone_from(&event.hash);
        self.updated_ms = self.updated_ms.max(event.timestamp_ms);
        match event.source {
            Source::Kernel => self.apply_own(event),
            Source::Observed | Source::Told => self.apply_step(event),
        }
    }

    fn apply_own(&mut self, event: &Event) {
        if event.draft.asked.is_some() {
            self.count_turn(event);
        }
        match event.draft.detail.as_deref() {
            Some(Detail::Claimed { claim_id, text, event_ids }) => {
                // Made again it is the same claim, and what was found of it holds.
                if let Some(claim) = self.claims.iter_mut().find(|claim| claim.claim_id == *claim_id) {
                    if claim.verdict.is_open() {
                        claim.event_ids.clone_from(event_ids);
                    }
                    return;
                }
                self.judged.insert(claim_id.to_string(), event.sequence);
                self.claims.push(Claim::open(claim_id.clone(), text.clone(), event_ids.clone()));
            }
            Some(Detail::Judged { claim_id, judgement }) => {
                let verdict = judgement.verdict;
                self.judged.insert(claim_id.to_string(), event.sequence);
                let elapsed = event.timestamp_ms - self.started_ms;
                if verdict == Verdict::VerifiedForMission {
                    self.counters.first_finding_ms.get_or_insert(u64::try_from(elapsed).unwrap_or(0));
                }
                self.counters.claims_rejected += u64::from(verdict == Verdict::Rejected);
                if let Some(claim) = self.claims.iter_mut().find(|claim| claim.claim_id == *claim_id) {
                    *claim = claim.judged(judgement);
                    if verdict == Verdict::Rejected {
                        let target = claim.text.clone();
                        self.add_dead_path(target, Some(judgement.reason.clone()), None, &event.event_id);
                    }
                }
                if verdict.is_settled() {
                    self.turns.retain(|turn, _| turn.starts_with(OWN));
                }
            }
            Some(Detail::Dissent { .. }) => self.counters.dissents += 1,
            Some(Detail::HandedOff { .. }) => self.handoffs.push(event.event_id.clone()),
            Some(Detail::Closed { gaps, .. }) => {
                self.status = Status::Closed;
                self.gaps.clone_from(gaps);
            }
            Some(
                Detail::Started { .. }
                | Detail::Found { .. }
                | Detail::Edited { .. }
                | Detail::Reviewed { .. }
                | Detail::Showed { .. }
                | Detail::Quoted { .. }
                | Detail::Absent { .. },
            )
            | None => {}
        }
    }

    fn apply_step(&mut self, event: &Event) {
        let draft = &event.draft;
        // It adds words to what was shown, and shows nothing more.
        if draft.is_finding() {
            return;
        }
        if draft.is_idle() {
            self.counters.loop_warnings += 1;
            return;
        }
        let family = draft.tool_family;
        let is_call = !matches!(family, Family::Other);
        self.counters.tool_calls += u64::from(is_call);
        self.counters.graph_calls +=
            u64::from(family.is_graph() || draft.evidence_class == Some(EvidenceClass::Graph));
        if draft.carries() && !self.was_shown(event) {
            self.counters.direct_evidence += 1;
            match event.source {
                Source::Observed => self.counters.observed_evidence += 1,
                Source::Told | Source::Kernel => self.counters.told_evidence += 1,
            }
        }
        if draft.carries() {
            self.newest_direct = Some(event.event_id.clone());
        }
        // What an agent says it did not do, and a call that was refused, is a step and fulfils nothing.
        let is_done = draft.is_done();
        if is_done {
            *self.steps.entry(family).or_default() += 1;
            self.failed.remove(&family);
        } else {
            *self.failed.entry(family).or_default() += 1;
        }
        self.newest.insert(family, event.event_id.clone());
        self.confidence = draft.agent_confidence.or(self.confidence);
        let is_edit = self.take_edits(event);
        let is_news = self.learn(event) || is_edit;
        self.overtake(event);
        if is_news {
            self.turns.clear();
        }
        if !draft.target.is_empty() {
            self.count_turn(event);
        }
        if family == Family::Retrieve && is_done {
            self.retrieval_blocked = matches!(draft.outcome.as_str(), "blocked" | "nothing_found");
            self.recovered.clear();
        }
        if matches!(family, Family::Recover | Family::Trust) && !self.recovered.contains(&draft.event_type) {
            keep(&mut self.recovered, draft.event_type.clone());
        }
        match draft.detail.as_deref() {
            Some(Detail::Absent { .. }) => keep(&mut self.nothing_found, event.event_id.clone()),
            Some(Detail::Found { places }) => {
                self.places = places.iter().take(PLACES).cloned().collect();
            }
            Some(Detail::Reviewed { changed_files, files, set }) => {
                self.take_review(*changed_files, files, set.as_ref(), event.sequence);
            }
            _ => {}
        }
        if draft.evidence_class == Some(EvidenceClass::Diff) && is_done && !is_change(event) {
            // Whoever saw the lines of the change need not read its files; whoever made it has not read it by that. That
            // there is a change is only known from what the runtime saw.
            self.to_read.clear();
            self.diff_read = true;
        }
        if draft.is_dead_path() {
            let hash = draft.content_hash.clone();
            self.add_dead_path(draft.target.clone(), draft.note.clone(), hash, &event.event_id);
        }
        if sweep::is_one(self, event) {
            keep(&mut self.sweeps, event.event_id.clone());
            self.sweep_shown |= event.source == Source::Observed;
        }
    }

    /// Takes in what an event shows; whether that is new.
    fn learn(&mut self, event: &Event) -> bool {
        let draft = &event.draft;
        match draft.evidence_class {
            Some(EvidenceClass::DirectSource | EvidenceClass::Diff)
                if event.source == Source::Told && !draft.is_done() =>
            {
                false
            }
            Some(class @ (EvidenceClass::DirectSource | EvidenceClass::Diff)) => {
                let files: Vec<Shown> = draft
                    .anchors()
                    .map(|(path, hash)| Shown { path: path.to_owned(), content_hash: hash.to_owned() })
                    .collect();
                let mut is_news = false;
                for file in files {
                    // Whoever changes a file has not read it by that.
                    if class == EvidenceClass::DirectSource || self.files.contains_key(&file.path) {
                        is_news |= self.see(file, event);
                    }
                }
                is_news
            }
            Some(EvidenceClass::TestRun | EvidenceClass::Compiler | EvidenceClass::RuntimeProbe) => {
                let before = self.tests.iter().rev().find(|test| test.target == draft.target);
                let is_news = before.is_none_or(|before| before.outcome != draft.outcome);
                self.keep_run(TestRun::of(event));
                is_news
            }
            // Who says the same again says nothing new.
            Some(EvidenceClass::Human) => self.turns_of(event.source, draft) == 0,
            Some(EvidenceClass::Graph | EvidenceClass::Inferred | EvidenceClass::Memory) | None => false,
        }
    }

    /// Whether the same lines of the same file were shown before, by a call or by somebody's word, and it is as it was. What
    /// was only told is shown when a call shows it.
    fn was_shown(&self, event: &Event) -> bool {
        let draft = &event.draft;
        let (Some(EvidenceClass::DirectSource), Some(hash)) = (draft.evidence_class, &draft.content_hash)
        else {
            return false;
        };
        let Some(seen) = self.files.get(path_of(&draft.target)) else { return false };
        let part = part_of(draft);
        seen.content_hash.as_ref() == Some(hash)
            && seen.parts.contains(&part)
            && (!seen.told || event.source == Source::Told)
            && draft.shown.is_empty()
    }

    /// A file was shown; whether that is new.
    fn see(&mut self, file: Shown, event: &Event) -> bool {
        let Shown { path, content_hash } = file;
        let known = self.files.get(&path);
        let same = known.filter(|seen| seen.content_hash.as_ref() == Some(&content_hash));
        let told = match (event.draft.evidence_class, known) {
            // Whoever changes a file that was shown has not read it anew.
            (Some(EvidenceClass::Diff), Some(known)) => known.told,
            _ => event.source == Source::Told && same.is_none_or(|seen| seen.told),
        };
        // What somebody only told of is no part that a call has shown.
        let mut parts =
            same.filter(|seen| seen.told == told).map_or_else(Vec::new, |seen| seen.parts.clone());
        if path == path_of(&event.draft.target) && parts.len() < PARTS {
            let part = part_of(&event.draft);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        let first_hash = known.and_then(|seen| {
            let first = seen.first_hash.clone().or_else(|| seen.content_hash.clone());
            first.filter(|first| *first != content_hash)
        });
        let is_news = known.is_none_or(|seen| seen.content_hash.as_ref() != Some(&content_hash));
        if known.is_none() {
            self.counters.files_read += 1;
            // What a file was before it was changed must not be forgotten.
            if self.files.len() >= KEPT + self.edits.len() {
                let others = self.files.values().filter(|seen| !self.edits.contains_key(&seen.path));
                let oldest = others.min_by_key(|seen| seen.event_id.sequence());
                if let Some(oldest) = oldest.map(|seen| seen.path.clone()) {
                    self.files.remove(&oldest);
                }
            }
        }
        let event_id = event.event_id.clone();
        let now = Seen {
            path: path.clone(),
            content_hash: Some(content_hash),
            event_id,
            first_hash,
            told,
            parts,
            other_goal: false,
        };
        self.files.insert(path, now);
        is_news
    }

    fn count_turn(&mut self, event: &Event) {
        let family = event.draft.tool_family;
        if self.turns.len() >= KEPT {
            self.turns.clear();
        }
        let turns = self.turns.entry(turn_key(event.source, &event.draft)).or_default();
        *turns += 1;
        let turns = *turns;
        self.counters.repeated_searches +=
            u64::from(turns > 1 && matches!(family, Family::Retrieve | Family::Relate | Family::Read));
        self.counters.loop_warnings += u64::from(turns >= LOOP);
    }

    fn add_dead_path(
        &mut self,
        target: String,
        note: Option<String>,
        content_hash: Option<String>,
        event_id: &EventId,
    ) {
        let file = path_of(&target);
        // Of a file that changed in between, the newest word counts.
        let is_same = |dead: &DeadPath| {
            (dead.target == target || dead.target == file)
                && (dead.content_hash.is_none() || dead.content_hash == content_hash)
        };
        if target.is_empty() || self.all_dead_paths().any(is_same) {
            return;
        }
        self.dead_paths.retain(|dead| dead.target != target);
        let event_id = event_id.clone();
        keep(&mut self.dead_paths, DeadPath { target, note, event_id, content_hash, reopened: false });
    }
}

/// Parts of one file that are told apart.
const PARTS: usize = 32;

/// The lines that a target names.
fn part_of(draft: &Draft) -> String {
    draft.target[path_of(&draft.target).len()..].to_owned()
}

/// Adds to a list of which the newest are kept.
fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(item);
}
