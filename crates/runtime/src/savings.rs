//! Savings: what answers spared the agents of this machine, as an estimate by tool, and as bytes that can be counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use m1nd_stdx::digest;
use m1nd_vfs::durable;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool::Saves;
use crate::workspace::aside::set_aside;

/// All-time savings, below `M1ND_HOME`.
const FILE: &str = "savings.json";
/// Held while the file is read and written.
const LOCK: &str = "savings.lock";
/// After so many calls they are written down.
const WRITE_AFTER: u64 = 20;
/// Dollars for a token that was not read.
const DOLLARS_PER_TOKEN: f64 = 0.000_01;
/// An answer that names more files than this is a list of files.
const MAX_FILES: usize = 500;

/// What was spared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    pub queries: u64,
    pub tokens_saved: u64,
    pub file_reads_avoided: u64,
    pub lines_avoided: u64,
    /// Bytes of answers, and of the files that they pointed into.
    pub bytes_answered: u64,
    pub bytes_of_files: u64,
}

impl Saved {
    pub fn dollars(&self) -> f64 {
        self.tokens_saved as f64 * DOLLARS_PER_TOKEN
    }

    fn add(&mut self, other: &Saved) {
        self.queries += other.queries;
        self.tokens_saved += other.tokens_saved;
        self.file_reads_avoided += other.file_reads_avoided;
        self.lines_avoided += other.lines_avoided;
        self.bytes_answered += other.bytes_answered;
        self.bytes_of_files += other.bytes_of_files;
    }
}

/// All processes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AllTime {
    pub sessions: u64,
    #[serde(flatten)]
    pub saved: Saved,
}

/// How the file is written now; older ones had the sums alone.
const SCHEMA_VERSION: u32 = 1;

/// What stands in the file.
#[derive(Serialize)]
struct Written {
    schema_version: u32,
    /// Of the sums as they are written.
    checksum: String,
    #[serde(flatten)]
    all: AllTime,
}

impl AllTime {
    fn checksum(&self) -> serde_json::Result<String> {
        Ok(digest::sha256_hex(&serde_json::to_vec(self)?))
    }

    fn written(&self) -> serde_json::Result<Vec<u8>> {
        let written = Written { schema_version: SCHEMA_VERSION, checksum: self.checksum()?, all: *self };
        serde_json::to_vec(&written)
    }
}

#[derive(Debug, Default)]
struct State {
    session: Saved,
    by_tool: BTreeMap<&'static str, u64>,
    /// What is not written down yet.
    pending: Saved,
    is_counted: bool,
}

/// Counts what this process saves, and adds it to what all did.
#[derive(Debug)]
pub(crate) struct Savings {
    folder: PathBuf,
    may_write: bool,
    state: Mutex<State>,
}

impl Saves {
    /// Tokens, files and lines that an agent would have read without the answer.
    fn estimate(self) -> (u64, u64, u64) {
        match self {
            Saves::Activation => (2_000, 5, 500),
            Saves::Blast => (3_000, 8, 800),
            Saves::Surgery => (1_500, 3, 300),
            Saves::Search => (1_000, 4, 400),
            Saves::Other => (500, 2, 200),
        }
    }
}

impl Savings {
    pub(crate) fn new(folder: &Path, may_write: bool) -> Self {
        Self { folder: folder.to_owned(), may_write, state: Mutex::default() }
    }

    /// Counts one successful call.
    pub(crate) fn record(&self, tool: &'static str, saves: Saves, bytes_answered: u64, bytes_of_files: u64) {
        let (tokens_saved, file_reads_avoided, lines_avoided) = saves.estimate();
        let one = Saved {
            queries: 1,
            tokens_saved,
            file_reads_avoided,
            lines_avoided,
            bytes_answered,
            bytes_of_files,
        };
        let mut state = self.state.lock();
        state.session.add(&one);
        state.pending.add(&one);
        *state.by_tool.entry(tool).or_default() += 1;
        let is_due = state.pending.queries >= WRITE_AFTER;
        drop(state);
        if is_due && let Err(err) = self.flush() {
            tracing::debug!(%err, "savings stay in memory");
        }
    }

    pub(crate) fn session(&self) -> (Saved, BTreeMap<&'static str, u64>) {
        let state = self.state.lock();
        (state.session, state.by_tool.clone())
    }

    /// Adds what is not written down yet to what all processes saved, and returns that. Nothing where it cannot be known.
    pub(crate) fn all_time(&self) -> Option<AllTime> {
        if let Err(err) = self.flush() {
            tracing::debug!(%err, "savings stay in memory");
        }
        let mut all = match read(&self.folder.join(FILE)).ok()? {
            Read::Known(all) => all,
            Read::Damaged => return None,
        };
        let state = self.state.lock();
        all.saved.add(&state.pending);
        all.sessions += u64::from(!state.is_counted && state.session.queries > 0);
        Some(all)
    }

    /// One process at a time reads, adds and replaces, so that nothing is lost.
    pub(crate) fn flush(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        // A question alone makes no home: where nothing else is kept, nothing is counted over processes.
        if !self.may_write || state.pending.queries == 0 || !self.folder.is_dir() {
            return Ok(());
        }
        let lock = File::options().create(true).append(true).mode(0o600).open(self.folder.join(LOCK))?;
        lock.lock()?;
        let file = self.folder.join(FILE);
        let mut all = match read(&file)? {
            Read::Known(all) => all,
            Read::Damaged => {
                let kept = set_aside(&file)?;
                tracing::warn!(kept = %kept.display(), "savings could not be read and begin anew");
                AllTime::default()
            }
        };
        all.saved.add(&state.pending);
        all.sessions += u64::from(!state.is_counted);
        durable::replace(&file, &all.written()?)?;
        state.pending = Saved::default();
        state.is_counted = true;
        lock.unlock()
    }
}

impl Drop for Savings {
    fn drop(&mut self) {
        if let Err(err) = self.flush() {
            tracing::debug!(%err, "the last savings were not written down");
        }
    }
}

/// What stands in the file.
#[derive(Debug, PartialEq, Eq)]
enum Read {
    Known(AllTime),
    /// It is set aside by the next write.
    Damaged,
}

fn read(file: &Path) -> io::Result<Read> {
    match fs::read(file) {
        Ok(text) => Ok(known(&text).map_or(Read::Damaged, Read::Known)),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Read::Known(AllTime::default())),
        Err(err) => Err(err),
    }
}

/// The sums of a file; nothing where they are not what was written.
fn known(text: &[u8]) -> Option<AllTime> {
    let value: Value = serde_json::from_slice(text).ok()?;
    let (version, checksum) = (value.get("schema_version").cloned(), value.get("checksum").cloned());
    let is_old = version.is_none() && checksum.is_none() && value.get("sessions").is_some();
    let all: AllTime = serde_json::from_value(value).ok()?;
    let is_whole = version.and_then(|version| version.as_u64()) == Some(u64::from(SCHEMA_VERSION))
        && checksum.and_then(|sum| sum.as_str().map(str::to_owned)) == all.checksum().ok();
    (is_old || is_whole).then_some(all)
}

/// The files that an answer points into.
pub(crate) fn files_in(body: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    collect(body, &mut found);
    found
}

fn collect<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    if found.len() >= MAX_FILES {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("file_path" | "source_path" | "at", Value::String(text)) => {
                        found.insert(text.split(':').next().unwrap_or(text));
                    }
                    ("node_id", Value::String(id)) => {
                        found.extend(id.split("::").nth(1));
                    }
                    ("agent_runtime_contract" | "freshness", _) => {}
                    (_, value) => collect(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn estimates_are_the_contract_s_and_processes_add_up() {
        let home = tempfile::tempdir().unwrap();
        let one = Savings::new(home.path(), true);
        one.record("activate", Saves::Activation, 10, 100);
        one.record("impact", Saves::Blast, 10, 100);
        one.record("view", Saves::Other, 10, 100);
        let (session, by_tool) = one.session();
        assert_eq!(
            (session.tokens_saved, session.file_reads_avoided, session.lines_avoided),
            (5_500, 15, 1_500)
        );
        assert!((session.dollars() - 0.055).abs() < 1e-9);
        assert_eq!(by_tool["impact"], 1);
        let two = Savings::new(home.path(), true);
        two.record("seek", Saves::Search, 5, 50);
        drop(one);
        let all = two.all_time().unwrap();
        assert_eq!((all.sessions, all.saved.queries, all.saved.tokens_saved), (2, 4, 6_500));
        assert_eq!((all.saved.bytes_answered, all.saved.bytes_of_files), (35, 350));
    }

    #[test]
    fn many_writers_lose_nothing_and_a_reader_writes_nothing() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let savings = Savings::new(home.path(), true);
                    for _ in 0..100 {
                        savings.record("view", Saves::Other, 1, 1);
                    }
                });
            }
        });
        let reader = Savings::new(home.path(), false);
        reader.record("view", Saves::Other, 1, 1);
        let all = reader.all_time().unwrap();
        assert_eq!((all.sessions, all.saved.queries), (9, 801));
        drop(reader);
        let Read::Known(all) = read(&home.path().join(FILE)).unwrap() else { panic!("damaged") };
        assert_eq!(all.saved.queries, 800);
    }

    #[test]
    fn what_cannot_be_read_is_set_aside_and_never_counted_as_nothing() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(FILE), "{").unwrap();
        let savings = Savings::new(home.path(), true);
        assert_eq!(savings.all_time(), None);
        savings.record("view", Saves::Other, 1, 1);
        assert_eq!(savings.all_time().unwrap().saved.queries, 1);
        let kept = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
        let kept: Vec<_> = kept.filter(|path| path.to_string_lossy().contains("corrupt")).collect();
        assert_eq!(fs::read_to_string(&kept[0]).unwrap(), "{");
    }

    #[test]
    fn sums_carry_a_version_and_a_checksum_and_older_files_are_read() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(FILE);
        fs::write(&file, r#"{"sessions":2,"queries":7,"tokens_saved":70}"#).unwrap();
        let savings = Savings::new(home.path(), true);
        savings.record("view", Saves::Other, 1, 1);
        savings.flush().unwrap();
        let written: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!((&written["schema_version"], &written["queries"]), (&json!(1), &json!(8)));
        assert_eq!(written["checksum"].as_str().unwrap().len(), 64);
        assert!(matches!(read(&file).unwrap(), Read::Known(all) if all.sessions == 3));
        // What was changed by another hand, or is of a version to come, is not taken for sums.
        for (from, to) in
            [("\"queries\":8", "\"queries\":9"), ("\"schema_version\":1", "\"schema_version\":2")]
        {
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains(from), "{text}");
            let other = home.path().join("other.json");
            fs::write(&other, text.replace(from, to)).unwrap();
            assert_eq!(read(&other).unwrap(), Read::Damaged);
        }
        fs::write(&file, "{}").unwrap();
        assert_eq!(read(&file).unwrap(), Read::Damaged);
    }

    #[test]
    fn the_files_of_an_answer_are_found() {
        let body = json!({
            "results": [{"file_path": "a.rs", "at": "b.rs:3"}, {"node_id": "function::src/c.rs::f"}],
            "freshness": {"file_path": "no.rs"},
        });
        assert_eq!(files_in(&body).into_iter().collect::<Vec<_>>(), ["a.rs", "b.rs", "src/c.rs"]);
    }
}
