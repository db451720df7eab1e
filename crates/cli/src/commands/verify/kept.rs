//! What is kept of a mission in this workspace, held against its own hashes and against what others know of it.

use std::process::ExitCode;

use anyhow::Context as _;
use m1nd_memory::StoreError;
use m1nd_mission::chain;
use m1nd_mission::handed::{self, Seal};
use m1nd_mission::missions::{self, Refusal};
use m1nd_mission::packet::Packet;
use m1nd_mission::{Detail, Handoff, MissionId, State, StoodAt};
use m1nd_runtime::Reply;
use m1nd_runtime::flows::missions::witness::{self, Witnesses};
use m1nd_runtime::flows::missions::{Missions, mission_of_handoff};
use serde::Deserialize;
use serde_json::json;

use super::BROKEN;
use super::files::Roots;
use super::report::Report;
use crate::args::Global;
use crate::output::{self, Reader, harmless};
use crate::wiring;

/// A mission, open or closed.
pub(super) fn mission(global: &Global, id: &str, reader: Reader) -> anyhow::Result<ExitCode> {
    let here = Here::open(global)?;
    let mission = MissionId::parse(id).context("this is no id of a mission")?;
    let witnesses = Witnesses::all(&here.runtime_root, &*here.store, &mission)?;
    let (faults, remarks) = here.faults(&mission, &witnesses)?.with_context(|| {
        format!("this workspace has no mission {id}; `m1nd call mission_list` shows those it has")
    })?;
    let (mut faults, mut remarks) = (faults, remarks);
    if faults.is_empty() {
        let (wrong, odd) = here.told_otherwise(&mission)?;
        faults.extend(wrong);
        remarks.extend(odd);
    }
    say(reader, &faults, &remarks)
}

/// What a hand-off says of its mission; other fields of it are of no matter here.
#[derive(Deserialize)]
pub(super) struct HandedOver {
    handoff_id: String,
    mission_id: String,
    event_count: u64,
    /// One that has room for little lacks it; what was recorded of the hand-off does not.
    #[serde(default)]
    event_digest: String,
}

/// Whether a hand-off is the one that was given, whether its files are as they were, and whether its mission still says so.
pub(super) fn handoff(
    global: &Global,
    text: &str,
    named: &HandedOver,
    roots: &[String],
) -> anyhow::Result<Report> {
    let (kept, seal) = match handed::read(text) {
        Ok(read) => read,
        Err(fault) => return Ok(Report::broken(fault)),
    };
    let HandedOver { handoff_id, mission_id, event_count, event_digest } = named;
    let mission = MissionId::parse(mission_id).context("it names no mission")?;
    // The hand-off is an event itself, behind all those that it counts.
    let place = mission_of_handoff(handoff_id).filter(|(of, _)| of == mission_id).map(|(_, place)| place);
    let sequence = place.context("its handoff_id is none of this mission")?;
    let mut report = Report { intact: seal != Seal::Broken, ..Report::default() };
    if seal == Seal::Broken {
        report.faults.push("handoff_digest is not that of its content.".to_owned());
    }
    let beside = handed::beside(text, &kept);
    report.intact &= beside.forged.is_empty();
    let forged = beside.forged.iter();
    report.faults.extend(forged.map(|field| format!("{field} is not what is said of this hand-off.")));
    if !beside.unsealed.is_empty() {
        report.remarks.push(format!(
            "Not covered by its seal, and not to be relied on: {}.",
            beside.unsealed.join(", ")
        ));
    }
    let here = Here::open(global);
    // Where it was cut to next to nothing, it says only how much it left out of all.
    let left_out = ["graph_anchors", "items"].iter().find_map(|list| kept.left_out.get(*list)?.as_u64());
    let left_out = left_out.unwrap_or(0);
    let root = here.as_ref().ok().map(|here| here.root.clone());
    let mut anchors: Vec<(String, String)> =
        kept.graph_anchors.iter().map(|anchor| (anchor.path.clone(), anchor.content_hash.clone())).collect();
    // Those that had no room in it stand in its mission.
    let more = here.as_ref().ok().and_then(|here| here.seen_by(&mission, *event_count));
    match more.filter(|_| left_out > 0) {
        Some(more) => {
            anchors.extend(more.into_iter().filter(|one| !anchors.contains(one)).collect::<Vec<_>>())
        }
        None => report.not_anchored += left_out,
    }
    report.anchors = Roots::of(global, roots, root, &anchors).states(&anchors);
    let stood = StoodAt { mission_id: mission.clone(), sequence, hash: String::new() };
    let looked = match &here {
        Ok(here) => {
            let witnesses =
                Witnesses::all(&here.runtime_root, &*here.store, &mission)?.with(handoff_id, stood);
            here.faults(&mission, &witnesses)?.map(|looked| (here, looked))
        }
        Err(err) => {
            tracing::debug!(%err, "there is no workspace to hold a hand-off against");
            None
        }
    };
    let Some((here, (faults, remarks))) = looked else {
        let seal = match seal {
            Seal::Missing => " It has no handoff_digest either: an earlier build wrote it.",
            Seal::Whole | Seal::Broken => "",
        };
        report.not_checked.push(format!(
            "What its mission says was not checked: this workspace has no mission {mission_id}.{seal}"
        ));
        return Ok(report);
    };
    report.intact &= faults.is_empty();
    report.faults.extend(faults);
    report.remarks.extend(remarks);
    let last = event_count.checked_sub(1).map(|before| here.store.events(&mission, before, 1)).transpose();
    match last.map(|events| events.and_then(|events| events.into_iter().next())) {
        Ok(Some(_)) if event_digest.is_empty() => {}
        Ok(Some(event)) if chain::digest_of(*event_count, &event.hash) == *event_digest => {}
        Ok(Some(_)) => {
            report.faults.push(format!("{handoff_id} knows other events than those that are there"));
        }
        // That the end is missing was said.
        Ok(None) => {}
        Err(err) => report.faults.push(err.to_string()),
    }
    let recorded = here.store.events(&mission, sequence.saturating_sub(1), 1);
    let recorded =
        recorded.ok().and_then(|events| events.into_iter().next()).and_then(|event| event.draft.detail);
    match recorded.as_deref() {
        Some(Detail::HandedOff { handoff }) => match serde_json::from_value::<Handoff>(handoff.clone()) {
            Ok(recorded) => {
                if seal == Seal::Missing && !recorded.handoff_digest.is_empty() {
                    report.faults.push("its handoff_digest was taken out".to_owned());
                }
                report.faults.extend(handed::differs(&kept, &recorded));
            }
            Err(err) => {
                report.faults.push(format!("what was recorded of {handoff_id} cannot be read: {err}"))
            }
        },
        Some(_) => report.faults.push(format!("{handoff_id} is no hand-off of this mission")),
        None => {}
    }
    report.intact &= report.faults.is_empty();
    if let Ok(now) = missions::state(&*here.store, mission_id) {
        report.since = handed::since(&kept, &now);
    }
    Ok(report)
}

/// What is wrong with the mission of a packet, if this workspace keeps it. A packet is checked on any machine: where nothing
/// is kept, nothing is said.
pub(super) fn held_against(global: &Global, packet: &Packet) -> Vec<String> {
    let Ok(here) = Here::open(global) else { return Vec::new() };
    let Some(stood) = witness::of_packet(packet) else { return Vec::new() };
    let witnesses = Witnesses::default().with("this packet", stood);
    match here.faults(&packet.mission_id, &witnesses) {
        Ok(Some((faults, _))) => faults,
        Ok(None) => Vec::new(),
        Err(err) => vec![err.to_string()],
    }
}

/// The workspace that the command is run in, to be looked at.
struct Here {
    root: std::path::PathBuf,
    runtime_root: std::path::PathBuf,
    store: Box<Missions>,
}

/// What is wrong with a mission, and what is odd.
type Looked = (Vec<String>, Vec<String>);

impl Here {
    fn open(global: &Global) -> anyhow::Result<Self> {
        let mut config = wiring::config(global)?;
        config.read_only.value = true;
        let runtime = wiring::runtime(&config)?;
        let workspace =
            runtime.workspace().context("there is no workspace here; name one with --workspace")?;
        anyhow::ensure!(workspace.has_memory(), "this workspace keeps no missions");
        let store = Box::new(workspace.memory_to_look_at()?);
        let (root, runtime_root) = (workspace.root().path().to_owned(), workspace.runtime_root().to_owned());
        Ok(Self { root, runtime_root, store })
    }

    /// The files that a mission had seen when it had come so far, as they were then.
    fn seen_by(&self, mission: &MissionId, count: u64) -> Option<Vec<(String, String)>> {
        let events = self.store.events(mission, 0, usize::try_from(count).ok()?).ok()?;
        let state = State::of(&events)?;
        let before = state.inherited.files.iter().filter(|seen| !state.files.contains_key(&seen.path));
        let seen = before.chain(state.files.values());
        Some(seen.filter_map(|seen| Some((seen.path.clone(), seen.content_hash.clone()?))).collect())
    }

    /// What the flight recorder tells otherwise than the events.
    fn told_otherwise(&self, mission: &MissionId) -> Result<Looked, StoreError> {
        let events = self.store.events(mission, 0, usize::MAX)?;
        Ok(witness::recorder_against(&self.runtime_root, mission, &events))
    }

    /// Nothing where there is no such mission. The witnesses were heard before.
    fn faults(&self, mission: &MissionId, witnesses: &Witnesses) -> Result<Option<Looked>, StoreError> {
        let sound = match missions::sound(&*self.store, mission.as_str(), None) {
            Ok(sound) => sound,
            Err(Refusal::Store(StoreError::Unreadable { what, detail })) => {
                return Ok(Some((vec![format!("{what}: {detail}")], Vec::new())));
            }
            Err(Refusal::Store(err)) => return Err(err),
            Err(Refusal::Unknown { .. } | Refusal::Busy | Refusal::Mission(_)) => return Ok(None),
        };
        let mut faults = sound.faults;
        let stands_at = sound.state.as_ref().map_or(0, |state| state.sequence);
        faults.extend(witnesses.faults(&*self.store, mission, stands_at)?);
        Ok(Some((faults, sound.made_again.into_iter().collect())))
    }
}

fn say(reader: Reader, faults: &[String], remarks: &[String]) -> anyhow::Result<ExitCode> {
    let intact = faults.is_empty();
    let body = json!({ "intact": intact, "faults": faults, "remarks": remarks });
    output::print(&Reply { body, is_error: false }, reader, |out, _| {
        writeln!(out, "{}", if intact { "intact" } else { "broken" })?;
        faults.iter().chain(remarks).try_for_each(|line| writeln!(out, "  {}", harmless(line)))
    })?;
    Ok(ExitCode::from(if intact { 0 } else { BROKEN }))
}
