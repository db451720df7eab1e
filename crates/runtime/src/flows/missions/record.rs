//! Flight recorder: a line of JSON for each step, beside the other state of the workspace.

use std::fs;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use m1nd_mission::{Event, EventId, MissionId, Stepped, flight, missions, otlp};
use m1nd_vfs::durable;

use super::{Missions, witness};
use crate::sink::FlightSink;
use crate::workspace::Workspace;

/// Where missions leave their files in the runtime root.
const FOLDER: &str = "missions";

/// Where the proof packet of a mission is written.
pub fn packet_path(workspace: &Workspace, mission: &MissionId) -> PathBuf {
    packet_in(workspace.runtime_root(), mission)
}

pub(super) fn packet_in(runtime_root: &Path, mission: &MissionId) -> PathBuf {
    runtime_root.join(FOLDER).join(format!("{mission}.packet.json"))
}

/// Where the lines of a mission are.
pub(super) fn lines_path(runtime_root: &Path, mission: &MissionId) -> PathBuf {
    runtime_root.join(FOLDER).join(format!("{mission}.jsonl"))
}

/// Adds the lines of what happened, and of what the stream has and the recorder lacks: a process may have ended between the
/// two. The stream in the store is what counts; a line that cannot be written is a warning in the log.
pub(super) fn lines(
    workspace: &Workspace,
    ledger: &Missions,
    stepped: &Stepped,
    sink: Option<&dyn FlightSink>,
) {
    if let Some(sink) = sink {
        for (event, mark) in stepped.events.iter().zip(&stepped.marks) {
            sink.step(otlp::span(&flight::line(event, *mark), event));
        }
    }
    let path = lines_path(workspace.runtime_root(), &stepped.state.mission_id);
    if let Err(err) = add(&path, ledger, stepped) {
        tracing::warn!(%err, path = %path.display(), "the flight recorder could not write");
    }
}

fn add(path: &Path, ledger: &Missions, stepped: &Stepped) -> io::Result<()> {
    let (Some(first), Some(last)) = (stepped.events.first(), stepped.events.last()) else { return Ok(()) };
    let (first, last) = (first.sequence, last.sequence);
    make_folder(path)?;
    let mut file = fs::File::options().create(true).read(true).append(true).mode(0o600).open(path)?;
    // Of several processes one after the other: each sees what the others wrote.
    file.lock()?;
    let Told { last: told, bytes } = Told::of(&mut file)?;
    if bytes < file.metadata()?.len() {
        // A line that was cut is made again from its event.
        file.set_len(bytes)?;
    }
    let mission = &stepped.state.mission_id;
    // Whoever came later and was first to write told of these, too. A recorder that knows more than the stream has seen one
    // that was cut: what goes on there is told twice.
    let is_told = told > last && ledger.events(mission, told - 1, 1).is_ok_and(|found| !found.is_empty());
    if is_told {
        return Ok(());
    }
    let mut text = String::new();
    if told + 1 < first {
        match missions::stream(ledger, mission) {
            Ok(events) => {
                let lost = flight::lines(&events).into_iter().zip(&events);
                let lost = lost.filter(|(_, event)| (told + 1..first).contains(&event.sequence));
                lost.for_each(|(line, _)| push(&mut text, &line));
            }
            Err(_) => {
                tracing::warn!(%mission, "lines that the flight recorder lacks could not be made again")
            }
        }
    }
    for (event, mark) in stepped.events.iter().zip(&stepped.marks) {
        push(&mut text, &flight::line(event, *mark));
    }
    file.write_all(text.as_bytes())
}

fn push(text: &mut String, line: &flight::Line<'_>) {
    match serde_json::to_string(line) {
        Ok(line) => text.extend([line.as_str(), "\n"]),
        Err(err) => tracing::warn!(%err, "a step of a mission has no line"),
    }
}

/// How far a recorder tells, and the bytes of its whole lines.
struct Told {
    last: u64,
    bytes: u64,
}

/// The first event makes the mission, and has no line.
const BEGUN: u64 = 1;
/// Of a recorder this much is read to find its last line; no line is nearly as long.
const TAIL: u64 = 64 << 10;

impl Told {
    fn of(file: &mut fs::File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let from = length.saturating_sub(TAIL);
        file.seek(io::SeekFrom::Start(from))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        let whole = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // Without an end of a line nothing is told, unless it is all one line that nobody can read.
        let bytes = if whole == 0 && from > 0 { length } else { from + whole as u64 };
        let mut lines = tail[..whole].split(|byte| *byte == b'\n').rev();
        let last = lines.find_map(|line| place_in(&String::from_utf8_lossy(line))).unwrap_or(BEGUN);
        Ok(Self { last, bytes })
    }
}

/// What stands before the id of a step in its line, near the beginning: nothing that an agent said comes before it.
const STEP: &str = "\"step_id\":\"";

/// The step that a line tells of.
pub(super) fn step_in(line: &str) -> Option<(MissionId, u64)> {
    let (step, _) = line.split_once(STEP)?.1.split_once('"')?;
    EventId::parse(step)
}

fn place_in(line: &str) -> Option<u64> {
    step_in(line).map(|(_, place)| place)
}

/// Makes a recorder whole that lacks lines and says nothing else than the events do.
pub(super) fn complete(runtime_root: &Path, mission: &MissionId, events: &[Event]) {
    let (faults, remarks) = witness::recorder_against(runtime_root, mission, events);
    if !faults.is_empty() || remarks.is_empty() {
        return;
    }
    let mut text = String::new();
    flight::lines(events).iter().skip(BEGUN as usize).for_each(|line| push(&mut text, line));
    let path = lines_path(runtime_root, mission);
    if let Err(err) = whole(&path, &text) {
        tracing::warn!(%err, path = %path.display(), "the flight recorder could not be made whole");
    }
}

/// Writes a whole file.
pub(super) fn whole(path: &Path, text: &str) -> io::Result<()> {
    make_folder(path)?;
    durable::replace(path, text.as_bytes())
}

/// The folder of a mission's file, for this user only.
fn make_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => fs::DirBuilder::new().recursive(true).mode(0o700).create(folder),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use m1nd_mission::missions::{act, begin};
    use m1nd_mission::{Command, Family, Inherited, Mode, Shelf, Situation, Start, Telling};
    use m1nd_store::RamStore;

    struct NoTools;

    impl Shelf for NoTools {
        fn has(&self, _: &str) -> bool {
            false
        }

        fn of(&self, _: Family) -> Vec<&'static str> {
            Vec::new()
        }

        fn family(&self, _: &str) -> Option<Family> {
            None
        }
    }

    struct World {
        ledger: RamStore,
        folder: tempfile::TempDir,
        mission: MissionId,
    }

    impl World {
        fn new() -> Self {
            let (ledger, folder) = (RamStore::new(), tempfile::tempdir().unwrap());
            let start = Start {
                repo: "/r".to_owned(),
                goal: "know it".to_owned(),
                mode: Mode::BugHunt,
                budget: Mode::BugHunt.budget(),
                known_paths: Vec::new(),
                context_guard: serde_json::Value::Null,
                right_workspace: true,
                parent: None,
                inherited: Inherited::default(),
            };
            let mission = begin(&ledger, &start, "ann", 1).unwrap().mission_id.clone();
            Self { ledger, folder, mission }
        }

        fn path(&self) -> PathBuf {
            lines_path(self.folder.path(), &self.mission)
        }

        /// A step that is kept in the stream; whether it is told is up to the test.
        fn step(&self, target: &str) -> Stepped {
            let situation = Situation {
                now_ms: 5,
                shelf: &NoTools,
                right_workspace: true,
                graph_is_empty: false,
                running_job: None,
                stale_binary: false,
                hash_of: &|_| None,
                is_of_repo: &|_| true,
                scope: None,
                change_set: &|_| None,
                names: &|_| Vec::new(),
                text_of: &|_| None,
                defined: &|_| Vec::new(),
                count: &|_| None,
            };
            let telling = Telling {
                phase: "verify".to_owned(),
                event_type: "command".to_owned(),
                target: target.to_owned(),
                outcome: "ok".to_owned(),
                agent_confidence: Some(0.5),
                ..Telling::default()
            };
            act(&self.ledger, self.mission.as_str(), "ann", &situation, |_| Command::Tell(telling.clone()))
                .unwrap()
        }

        fn tell(&self, stepped: &Stepped) {
            add(&self.path(), &self.ledger, stepped).unwrap();
        }

        fn is_whole(&self) -> bool {
            let events = missions::stream(&self.ledger, &self.mission).unwrap();
            let mut text = String::new();
            flight::lines(&events).iter().skip(1).for_each(|line| push(&mut text, line));
            fs::read_to_string(self.path()).unwrap() == text
        }
    }

    #[test]
    fn a_step_whose_line_was_lost_is_told_by_the_next_one() {
        let world = World::new();
        world.tell(&world.step("one"));
        world.step("two, and the process ends");
        world.step("three, and that one too");
        assert!(!world.is_whole());
        world.tell(&world.step("four"));
        assert!(world.is_whole(), "{}", fs::read_to_string(world.path()).unwrap());
        fs::remove_file(world.path()).unwrap();
        world.tell(&world.step("five"));
        assert!(world.is_whole(), "a recorder that is gone is made again");
    }

    #[test]
    fn a_line_that_was_cut_is_made_again() {
        let world = World::new();
        world.tell(&world.step("one"));
        world.tell(&world.step("two"));
        let text = fs::read(world.path()).unwrap();
        for left in [text.len() - 1, text.len() - 9, 7, 0] {
            fs::write(world.path(), &text[..left]).unwrap();
            world.tell(&world.step("three"));
            assert!(world.is_whole(), "{left}: {}", fs::read_to_string(world.path()).unwrap());
        }
    }

    #[test]
    fn of_two_processes_the_later_step_may_be_told_first() {
        let world = World::new();
        let (one, two) = (world.step("one"), world.step("two"));
        world.tell(&two);
        world.tell(&one);
        assert!(world.is_whole(), "{}", fs::read_to_string(world.path()).unwrap());
    }

    #[test]
    fn a_mission_that_ends_leaves_a_whole_recorder() {
        let world = World::new();
        world.tell(&world.step("one"));
        world.tell(&world.step("two"));
        world.tell(&world.step("three"));
        let text = fs::read_to_string(world.path()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        fs::write(world.path(), format!("{}\n{}\n", lines[0], lines[2])).unwrap();
        let events = missions::stream(&world.ledger, &world.mission).unwrap();
        complete(world.folder.path(), &world.mission, &events);
        assert!(world.is_whole());
        fs::write(world.path(), text.replace("two", "six").replace(lines[0], "")).unwrap();
        complete(world.folder.path(), &world.mission, &events);
        assert!(!world.is_whole(), "what was changed stays as a witness");
    }
}
