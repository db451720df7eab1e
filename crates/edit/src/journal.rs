//! Journal: a batch happens whole or not at all, whenever the process or the machine stops.
//!
//! A batch is one file of the journal, and its ending says how far it is: `staging` (new contents are being written
//! beside their targets; nothing is changed yet), `forward` (everything is written; from here on the batch will happen),
//! `back` (something was refused; old contents are being put back), `undo` (done). Each step is a synced rename.

use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::digest::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, DiskError, Held, Onto};
use crate::leftover::{self, ASIDE, Left, Unswept, is_obstacle, unless_hindered};
use crate::lock;
use crate::plan::{After, FileChange, Plan};
use crate::record::{Entry, Record, State};

/// What a batch is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchId(pub String);

/// A batch that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    pub id: BatchId,
    /// Whether it can be taken back.
    pub undoable: bool,
}

/// Why a batch did not happen.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Nothing was changed.
    #[error("{path} was changed meanwhile")]
    Stale { path: String, actual: Option<String> },
    /// What was changed is as it was before.
    #[error("{0}")]
    Disk(#[from] DiskError),
    /// The disk refused to put things back too; the next start or batch will.
    #[error("{first}, and putting back what was changed failed too: {second}")]
    Unsettled { first: DiskError, second: DiskError },
    /// Everything but these files is as it was before.
    #[error("{first}; other than before are: {}", left_alone.join(", "))]
    Partly { first: Box<JournalError>, left_alone: Vec<String> },
    #[error("no batch {0:?} can be taken back")]
    Unknown(String),
    #[error("files that the batch changed were changed since")]
    ChangedSince { paths: Vec<String> },
}

/// A batch that an earlier process left unfinished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovered {
    pub id: String,
    pub ended: Ended,
    /// Files that somebody changed since, or that cannot be reached any more; they were left alone.
    pub left_alone: Vec<String>,
    /// The file of the journal that still has the old contents.
    pub aside: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All files are new.
    Completed,
    /// All files are old.
    TakenBack,
    /// Its record could not be read and was set aside.
    Damaged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Staging,
    Forward,
    Back,
    Undo,
}

impl Phase {
    const ALL: [Self; 4] = [Self::Staging, Self::Forward, Self::Back, Self::Undo];

    fn ending(self) -> &'static str {
        match self {
            Self::Staging => "staging",
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Undo => "undo",
        }
    }
}

/// Batches that can be taken back, at most; and what they may hold together.
const MAX_UNDO: usize = 20;
const MAX_UNDO_BYTES: u64 = 256 << 20;
/// In the name of a record, between its own batch and the one that it took back.
const UNDOES: char = '~';

/// The batch that a kept record is of, and the one that it took back; nothing where the name is of another sort.
fn kept_of(name: &str) -> Option<(&str, Option<&str>)> {
    let (_, stem) = phase_of(name).filter(|(phase, _)| *phase == Phase::Undo)?;
    let (_, ids) = stem.split_once('-')?;
    Some(ids.split_once(UNDOES).map_or((ids, None), |(id, of)| (id, Some(of))))
}

/// Whether a batch was taken back, and that not taken back again.
fn is_undone(names: &[(String, u64)], id: &str) -> bool {
    let mut names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let took_back: Vec<(&str, &str)> =
        names.into_iter().filter_map(kept_of).filter_map(|(id, of)| Some((id, of?))).collect();
    let mut is_undone = false;
    for &(_, of) in &took_back {
        let (mut at, mut is_gone) = (of, true);
        // Who takes back a taking back makes the batch again.
        for _ in &took_back {
            if at == id {
                is_undone = is_gone;
            }
            let Some(&(_, of)) = took_back.iter().find(|(own, _)| *own == at) else { break };
            (at, is_gone) = (of, !is_gone);
        }
    }
    is_undone
}

/// Does what a plan says. The caller holds the lock and has recovered.
pub fn commit(disk: &dyn Disk, plan: &Plan, id: &BatchId, now: UnixMs) -> Result<Applied, JournalError> {
    let undoes = plan.undoes.as_ref().map_or_else(String::new, |of| format!("{UNDOES}{of}"));
    let name = format!("{:08}-{}{undoes}", next_number(disk)?, id.0);
    let batch = Batch { name, record: Record::of(plan, &id.0, now) };
    let bytes = batch.record.to_bytes().map_err(|err| DiskError::State(err.into()))?;
    if let Err(err) = disk.put_state(&batch.file(Phase::Staging), &bytes) {
        return Err(batch.give_up(disk, err.into()));
    }
    drop(bytes);
    match batch.stage(disk, plan).and_then(|()| batch.still_old(disk)) {
        Ok(()) => {}
        Err(err) => return Err(batch.give_up(disk, err)),
    }
    let moved = disk.move_state(&batch.file(Phase::Staging), &batch.file(Phase::Forward));
    let done = moved.and_then(|()| batch.forward(disk)).map_err(JournalError::from);
    let done = done.and_then(|left| match left.into_iter().next() {
        None => Ok(()),
        Some(Left { why: Some(err), .. }) => Err(err.into()),
        Some(Left { path, .. }) => Err(stale(disk, &path)),
    });
    if let Err(err) = done {
        return Err(batch.give_up(disk, err));
    }
    // All files are new and on disk; what the journal says of it can be mended later.
    let undoable = match batch.close(disk) {
        Ok(()) => true,
        Err(err) => {
            tracing::warn!(%err, "a batch is done, and the journal could not say so");
            false
        }
    };
    Ok(Applied { id: id.clone(), undoable })
}

/// Ends what an earlier process left unfinished. The caller holds the lock.
///
/// What has become something else since never stands in the way: it is left alone and named. Only a disk that does not
/// work is an error.
pub fn recover(disk: &dyn Disk) -> Result<Vec<Recovered>, DiskError> {
    let mut names: Vec<String> = disk.states()?.into_iter().map(|(name, _)| name).collect();
    names.sort();
    let mut ended = Vec::new();
    for name in names {
        if name.starts_with('.') {
            disk.remove_state(&name)?;
            continue;
        }
        let Some((phase, stem)) = phase_of(&name).filter(|(phase, _)| *phase != Phase::Undo) else {
            continue;
        };
        let Ok(record) = Record::from_bytes(&disk.state(&name)?) else {
            disk.move_state(&name, &format!("{name}.corrupt"))?;
            let (id, aside) = (stem.to_owned(), Some(format!("{name}.corrupt")));
            ended.push(Recovered { id, ended: Ended::Damaged, left_alone: Vec::new(), aside });
            continue;
        };
        let batch = Batch { name: stem.to_owned(), record };
        let id = batch.record.id.clone();
        if phase == Phase::Forward && batch.can_go_forward(disk)? {
            let left_alone = batch.forward(disk)?.iter().map(Left::said).collect();
            batch.close(disk)?;
            ended.push(Recovered { id, ended: Ended::Completed, left_alone, aside: None });
        } else {
            let Back { left, aside } = batch.take_back(disk)?;
            let left_alone = left.iter().map(Left::said).collect();
            ended.push(Recovered { id, ended: Ended::TakenBack, left_alone, aside });
        }
    }
    leftover::sweep(disk)?;
    Ok(ended)
}

/// Whether anything waits for recovery; the lock need not be held.
pub fn is_pending(disk: &dyn Disk) -> bool {
    // A name with a dot is a record that was never written to its end.
    let pending =
        |name: &str| name.starts_with('.') || phase_of(name).is_some_and(|(phase, _)| phase != Phase::Undo);
    disk.states().is_ok_and(|states| states.iter().any(|(name, _)| pending(name)))
}

/// The plan that takes a batch back; an empty one where that was done already. Refused where one of its files was
/// changed since.
pub fn inverse(disk: &dyn Disk, id: &str) -> Result<Plan, JournalError> {
    let names = disk.states()?;
    let found = names.iter().find(|(name, _)| kept_of(name).is_some_and(|(of, _)| of == id));
    let unknown = || JournalError::Unknown(id.to_owned());
    let (name, _) = found.ok_or_else(unknown)?;
    let record = Record::from_bytes(&disk.state(name)?).map_err(|_| unknown())?;
    let mut plan = Plan { undoes: Some(id.to_owned()), ..Plan::default() };
    let (mut changed, mut is_back) = (Vec::new(), true);
    let moved: Vec<(String, String)> =
        record.files.iter().filter_map(|entry| Some((entry.from.clone()?, entry.path.clone()))).collect();
    for (entry, old) in record.files.into_iter().zip(record.old) {
        let now = disk.held(&entry.path)?;
        is_back &= is(now.as_ref(), entry.before.as_ref());
        if !is(now.as_ref(), entry.after.as_ref()) {
            changed.push(entry.path);
            continue;
        }
        let mode = entry.before.as_ref().and_then(|before| before.mode);
        let after = old.map(|bytes| After { bytes, mode });
        if now.is_none() {
            let missing = disk.missing_folders(&entry.path)?.into_iter();
            let new: Vec<String> = missing.filter(|folder| !plan.folders.contains(folder)).collect();
            plan.folders.extend(new);
        }
        // What moved there moves back.
        let from = moved.iter().find(|(from, _)| *from == entry.path).map(|(_, to)| to.clone());
        let from = from.filter(|_| after.is_some());
        plan.files.push(FileChange { path: entry.path, from, before: now, after });
    }
    match (is_back, changed.is_empty()) {
        (true, _) => Ok(Plan::default()),
        (false, true) => Ok(plan),
        // What came after it was taken back does not make it come back.
        (false, false) if is_undone(&names, id) => Ok(Plan::default()),
        (false, false) => Err(JournalError::ChangedSince { paths: changed }),
    }
}

/// Takes the newest batch back as if it had never been; the caller holds the lock since before it.
pub fn roll_back(disk: &dyn Disk, id: &BatchId, now: UnixMs) -> Result<(), JournalError> {
    let plan = inverse(disk, &id.0)?;
    let back = BatchId(format!("{}-back", id.0));
    commit(disk, &plan, &back, now)?;
    remove_made_folders(disk, &id.0);
    for (name, _) in disk.states()? {
        if kept_of(&name).is_some_and(|(of, _)| [id, &back].iter().any(|id| id.0 == of)) {
            disk.remove_state(&name)?;
        }
    }
    Ok(())
}

/// Folders that a batch made and that hold nothing now go with it; those who took it back call this.
pub fn remove_made_folders(disk: &dyn Disk, id: &str) {
    let Ok(names) = disk.states() else { return };
    for (name, _) in names.iter().filter(|(name, _)| kept_of(name).is_some_and(|(of, _)| of == id)) {
        let record = disk.state(name).ok().and_then(|bytes| Record::from_bytes(&bytes).ok());
        for folder in record.iter().flat_map(|record| record.folders.iter().rev()) {
            if let Err(err) = disk.remove_empty_folder(folder) {
                tracing::debug!(%err, folder, "an empty folder stays");
            }
        }
    }
}

struct Batch {
    name: String,
    record: Record,
}

impl Batch {
    fn file(&self, phase: Phase) -> String {
        format!("{}.{}", self.name, phase.ending())
    }

    fn stage(&self, disk: &dyn Disk, plan: &Plan) -> Result<(), JournalError> {
        for folder in &self.record.folders {
            disk.make_folder(folder)?;
            disk.sync_beside(folder)?;
        }
        for (entry, file) in self.record.files.iter().zip(&plan.files) {
            if let Some(after) = &file.after {
                let like = entry.from.as_ref().unwrap_or(&entry.path);
                disk.put_beside(&entry.path, &entry.staged, &after.bytes, after.mode, like)?;
            }
        }
        Ok(self.sync(disk)?)
    }

    /// Somebody else may have written while the new contents were.
    fn still_old(&self, disk: &dyn Disk) -> Result<(), JournalError> {
        for entry in &self.record.files {
            let now = disk.held(&entry.path)?;
            if !is(now.as_ref(), entry.before.as_ref()) {
                return Err(stale(disk, &entry.path));
            }
        }
        Ok(())
    }

    /// Nothing that is still to take a place is missing or has something in its way: the old contents are in the record,
    /// so that going back is the better half then.
    fn can_go_forward(&self, disk: &dyn Disk) -> Result<bool, DiskError> {
        let (mut is_hindered, mut is_waiting) = (false, false);
        for entry in &self.record.files {
            let state = || {
                let is_old = is_old(disk.held(&entry.path)?.as_ref(), entry);
                let is_there = entry.after.is_none() || disk.is_beside(&entry.path, &entry.staged)?;
                Ok((is_old, is_there))
            };
            match state() {
                Ok((true, false)) => return Ok(false),
                Ok((is_old, _)) => is_waiting |= is_old,
                Err(err) if is_obstacle(&err) => is_hindered = true,
                Err(err) => return Err(err),
            }
        }
        Ok(!is_hindered || !is_waiting)
    }

    /// Puts every new content in its place. Can be done again; what somebody changed meanwhile is left alone.
    fn forward(&self, disk: &dyn Disk) -> Result<Vec<Left>, DiskError> {
        let (mut left, mut unswept) = (Vec::new(), Unswept::default());
        for entry in &self.record.files {
            let why = match place_new(disk, entry) {
                Ok(true) => continue,
                Ok(false) => None,
                Err(err) if is_obstacle(&err) => Some(err),
                Err(err) => return Err(err),
            };
            left.push(Left { path: entry.path.clone(), why });
            clean(disk, entry, &mut unswept)?;
        }
        self.sync(disk)?;
        unswept.keep(disk, &self.name)?;
        Ok(left)
    }

    /// Says that it is done, and forgets batches that are too old to be taken back.
    fn close(&self, disk: &dyn Disk) -> Result<(), DiskError> {
        disk.move_state(&self.file(Phase::Forward), &self.file(Phase::Undo))?;
        let mut kept: Vec<(String, u64)> = disk.states()?;
        kept.retain(|(name, _)| kept_of(name).is_some());
        kept.sort_by(|a, b| b.cmp(a));
        let ids: Vec<&str> = kept.iter().filter_map(|(name, _)| Some(kept_of(name)?.0)).collect();
        let (mut bytes, mut batches) = (0, 0);
        for (nth, (name, size)) in kept.iter().enumerate() {
            bytes += size;
            // Taking a batch back takes no place of another one.
            let of = kept_of(name).and_then(|(_, of)| of);
            batches += usize::from(of.is_none_or(|of| !ids.contains(&of)));
            let is_too_old = batches > MAX_UNDO || nth >= 2 * MAX_UNDO || bytes > MAX_UNDO_BYTES;
            if nth > 0 && is_too_old {
                disk.remove_state(name)?;
            }
        }
        Ok(())
    }

    fn give_up(&self, disk: &dyn Disk, why: JournalError) -> JournalError {
        match (self.take_back(disk), why) {
            (Ok(back), why) => {
                let is_known =
                    |left: &Left| matches!(&why, JournalError::Stale { path, .. } if *path == left.path);
                let left = back.left.iter().filter(|left| !is_known(left));
                let left_alone: Vec<String> = left.map(Left::said).collect();
                match left_alone.is_empty() {
                    true => why,
                    false => JournalError::Partly { first: Box::new(why), left_alone },
                }
            }
            (Err(second), JournalError::Disk(first)) => JournalError::Unsettled { first, second },
            (Err(second), why) => {
                tracing::warn!(%second, "what a refused batch wrote beside files is still there");
                why
            }
        }
    }

    /// Puts every old content back, and takes away everything that was written beside files.
    fn take_back(&self, disk: &dyn Disk) -> Result<Back, DiskError> {
        let names = disk.states()?;
        let has = |phase| names.iter().any(|(name, _)| *name == self.file(phase));
        // Before that nothing was put in its place: whatever is there now is somebody else's.
        let is_begun = has(Phase::Forward) || has(Phase::Back);
        // From here on a recovery goes back too.
        if has(Phase::Forward) {
            disk.move_state(&self.file(Phase::Forward), &self.file(Phase::Back))?;
        }
        let (mut left, mut unswept) = (Vec::new(), Unswept::default());
        for (entry, old) in self.record.files.iter().zip(&self.record.old) {
            let is_back = if is_begun { place_old(disk, entry, old.as_deref()) } else { Ok(true) };
            match is_back {
                Ok(true) => {}
                Ok(false) => left.push(Left { path: entry.path.clone(), why: None }),
                Err(err) if is_obstacle(&err) => {
                    left.push(Left { path: entry.path.clone(), why: Some(err) });
                }
                Err(err) => return Err(err),
            }
            clean(disk, entry, &mut unswept)?;
        }
        self.sync(disk)?;
        unswept.forget_below(disk, &self.record.folders);
        for folder in self.record.folders.iter().rev() {
            unless_hindered(disk.remove_empty_folder(folder))?;
        }
        unswept.keep(disk, &self.name)?;
        let mut aside = None;
        if !left.is_empty() {
            let name = format!("{}.{ASIDE}", self.name);
            disk.move_state(&self.file(Phase::Back), &name)?;
            leftover::keep_newest(disk, ASIDE)?;
            aside = Some(name);
        }
        for phase in [Phase::Staging, Phase::Forward, Phase::Back] {
            disk.remove_state(&self.file(phase))?;
        }
        Ok(Back { left, aside })
    }

    /// Each folder once.
    fn sync(&self, disk: &dyn Disk) -> Result<(), DiskError> {
        let mut done: Vec<&str> = Vec::new();
        for entry in &self.record.files {
            let folder = entry.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !done.contains(&folder) {
                unless_hindered(disk.sync_beside(&entry.path))?;
                done.push(folder);
            }
        }
        Ok(())
    }
}

/// Somebody else wrote the file.
fn stale(disk: &dyn Disk, path: &str) -> JournalError {
    let now = disk.held(path).ok().flatten();
    JournalError::Stale { path: path.to_owned(), actual: now.map(|held| sha256_hex(&held.bytes)) }
}

/// What taking a batch back came to.
struct Back {
    left: Vec<Left>,
    /// The record, where it is still needed.
    aside: Option<String>,
}

/// Makes a file new, unless it is neither old nor new; whether it is new now.
fn place_new(disk: &dyn Disk, entry: &Entry) -> Result<bool, DiskError> {
    let now = disk.held(&entry.path)?;
    let is_new = || has(now.as_ref(), entry.after.as_ref());
    if entry.after.is_some() && !disk.is_beside(&entry.path, &entry.staged)? {
        return Ok(is_new());
    }
    if !has(now.as_ref(), entry.before.as_ref()) {
        let is_new = is_new();
        if is_new {
            disk.remove_beside(&entry.path, &entry.staged)?;
        }
        return Ok(is_new);
    }
    let mode = entry.before.as_ref().and_then(|before| before.mode);
    match (&now, &entry.after) {
        (Some(now), Some(after)) if after.mode.is_some() && mode.is_some_and(|mode| mode != now.mode) => {
            // Somebody gave the old content another mode; the new one has it too.
            let Some(new) = disk.held(&beside(&entry.path, &entry.staged))? else { return Ok(false) };
            take_over(disk, entry, &new.bytes, Some(now.mode), Onto::Existing)?;
            disk.remove_beside(&entry.path, &entry.staged)?;
        }
        (Some(_), Some(_)) => disk.take_place(&entry.path, &entry.staged, Onto::Existing)?,
        (None, Some(_)) => disk.take_place(&entry.path, &entry.staged, Onto::Nothing)?,
        (_, None) => disk.remove_file(&entry.path)?,
    }
    Ok(true)
}

/// Makes a file old, unless it is neither old nor new; whether it is old now.
fn place_old(disk: &dyn Disk, entry: &Entry, old: Option<&[u8]>) -> Result<bool, DiskError> {
    let now = disk.held(&entry.path)?;
    if is(now.as_ref(), entry.before.as_ref()) {
        return Ok(true);
    }
    let is_new = is(now.as_ref(), entry.after.as_ref());
    if !is_new && has(now.as_ref(), entry.before.as_ref()) {
        return Ok(true);
    }
    if !has(now.as_ref(), entry.after.as_ref()) {
        return Ok(false);
    }
    let Some(old) = old else { return disk.remove_file(&entry.path).map(|()| true) };
    // A mode that somebody gave it since stays.
    let given = now.as_ref().filter(|_| !is_new).map(|now| now.mode);
    let mode = given.or(entry.before.as_ref().and_then(|before| before.mode));
    let onto = if entry.after.is_some() { Onto::Existing } else { Onto::Nothing };
    take_over(disk, entry, old, mode, onto)?;
    Ok(true)
}

/// Writes a content beside a file and gives it the place.
fn take_over(
    disk: &dyn Disk,
    entry: &Entry,
    bytes: &[u8],
    mode: Option<u32>,
    onto: Onto,
) -> Result<(), DiskError> {
    let name = restoring(entry);
    disk.remove_beside(&entry.path, &name)?;
    disk.put_beside(&entry.path, &name, bytes, mode, &entry.path)?;
    disk.take_place(&entry.path, &name, onto)
}

/// Takes away what was written beside a file.
fn clean(disk: &dyn Disk, entry: &Entry, unswept: &mut Unswept) -> Result<(), DiskError> {
    if entry.after.is_some() {
        unswept.remove(disk, &entry.path, &entry.staged)?;
    }
    if entry.before.is_some() {
        unswept.remove(disk, &entry.path, &restoring(entry))?;
    }
    Ok(())
}

/// The path of a file beside another.
fn beside(path: &str, name: &str) -> String {
    path.rsplit_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
}

/// The file in which an old content waits to take its place.
fn restoring(entry: &Entry) -> String {
    format!("{}-old", entry.staged)
}

/// Whether a file has its old content still; one that only gets another mode is told by that.
fn is_old(now: Option<&Held>, entry: &Entry) -> bool {
    let content = |state: &Option<State>| state.as_ref().map(|state| state.sha256.clone());
    let only_mode = content(&entry.before) == content(&entry.after);
    has(now, entry.before.as_ref()) && !(only_mode && is(now, entry.after.as_ref()))
}

/// Whether a file is in a state. A mode that the system chose is not compared.
fn is(now: Option<&Held>, state: Option<&State>) -> bool {
    let is_mode = |now: &Held, state: &State| state.mode.is_none_or(|mode| mode == now.mode);
    has(now, state) && now.zip(state).is_none_or(|(now, state)| is_mode(now, state))
}

/// Whether a file has the content of a state, with whatever mode.
fn has(now: Option<&Held>, state: Option<&State>) -> bool {
    match (now, state) {
        (None, None) => true,
        (Some(now), Some(state)) => {
            now.bytes.len() as u64 == state.bytes && sha256_hex(&now.bytes) == state.sha256
        }
        _ => false,
    }
}

fn phase_of(name: &str) -> Option<(Phase, &str)> {
    let (stem, ending) = name.rsplit_once('.')?;
    let phase = Phase::ALL.into_iter().find(|phase| phase.ending() == ending)?;
    Some((phase, stem))
}

/// Batches are numbered, so that the newest can be told.
fn next_number(disk: &dyn Disk) -> Result<u64, DiskError> {
    let names = disk.states()?;
    let names = names.iter().filter(|(name, _)| !lock::is_lock(name));
    let newest = names.filter_map(|(name, _)| name.split_once('-')?.0.parse::<u64>().ok()).max();
    Ok(newest.unwrap_or_default() + 1)
}
