//! Antibodies: patterns of bugs that were confirmed here, kept in one file for all processes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use m1nd_risk::antibody::{MAX_SIMILARITY, Pattern};
use m1nd_stdx::clock::UnixMs;
use m1nd_vfs::durable;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::aside;

const FILE: &str = "antibodies.json";
/// Held while the file is read and written.
const LOCK: &str = "antibodies.lock";
/// How the file is written.
const SCHEMA: u32 = 1;
/// More patterns than this would make every scan slow.
pub const MAX_ANTIBODIES: usize = 500;

/// A bug that is known, as a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Antibody {
    /// Given by the file.
    #[serde(default)]
    pub id: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub severity: Severity,
    pub pattern: Pattern,
    /// The node that it was made from.
    pub source: String,
    /// When it was made: 1 minus the share of like nodes that it fitted.
    pub specificity: f64,
    pub created: UnixMs,
}

/// How bad such a bug is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Info,
    Warning,
    Critical,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }
}

/// Why a pattern was not kept.
#[derive(Debug, thiserror::Error)]
pub enum AntibodyError {
    #[error("{id} ({name}) asks for the same, to {:.0} of 100", .similarity * 100.0)]
    Duplicate { id: String, name: String, similarity: f64 },
    #[error("there are {MAX_ANTIBODIES} antibodies already")]
    Full,
    #[error("there is no antibody {0:?}")]
    Unknown(String),
    #[error("{0}")]
    Io(#[from] io::Error),
}

#[derive(Serialize, Deserialize)]
struct Kept {
    schema: u32,
    /// The number of the newest one, so that no id comes again.
    newest: u64,
    antibodies: Vec<Antibody>,
}

impl Default for Kept {
    fn default() -> Self {
        Self { schema: SCHEMA, newest: 0, antibodies: Vec::new() }
    }
}

/// The antibodies of a workspace. The file is small and is read for every question.
#[derive(Debug)]
pub(super) struct Antibodies {
    folder: PathBuf,
    /// What was wrong with the file, if it was set aside.
    problem: Mutex<Option<String>>,
}

impl Antibodies {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), problem: Mutex::default() }
    }

    pub(super) fn problem(&self) -> Option<String> {
        self.problem.lock().clone()
    }

    /// All of them, oldest first.
    pub(super) fn all(&self) -> io::Result<Vec<Antibody>> {
        Ok(self.read()?.antibodies)
    }

    /// Keeps one more, or puts it in the place of another. One process at a time, so that none is lost and none comes twice.
    pub(super) fn add(
        &self,
        mut antibody: Antibody,
        replaces: Option<&str>,
    ) -> Result<Antibody, AntibodyError> {
        durable::private_folder(&self.folder)?;
        let lock = File::options().create(true).append(true).open(self.folder.join(LOCK))?;
        lock.lock()?;
        let mut kept = self.read()?;
        if let Some(replaced) = replaces {
            let at = kept.antibodies.iter().position(|one| one.id == replaced);
            kept.antibodies.remove(at.ok_or_else(|| AntibodyError::Unknown(replaced.to_owned()))?);
        }
        let likeness = |one: &Antibody| one.pattern.similarity(&antibody.pattern);
        let twin =
            kept.antibodies.iter().map(|one| (likeness(one), one)).find(|(like, _)| *like > MAX_SIMILARITY);
        if let Some((similarity, one)) = twin {
            let (id, name) = (one.id.clone(), one.name.clone());
            return Err(AntibodyError::Duplicate { id, name, similarity });
        }
        if kept.antibodies.len() >= MAX_ANTIBODIES {
            return Err(AntibodyError::Full);
        }
        kept.newest += 1;
        antibody.id = format!("ab-{}", kept.newest);
        kept.antibodies.push(antibody.clone());
        let bytes = serde_json::to_vec(&kept).map_err(io::Error::from)?;
        durable::replace(&self.folder.join(FILE), &bytes)?;
        lock.unlock()?;
        Ok(antibody)
    }

    /// What is broken is set aside, and said. A file of a later version is an error and stays as it is.
    fn read(&self) -> io::Result<Kept> {
        let path = self.folder.join(FILE);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Kept::default()),
            Err(err) => return Err(err),
        };
        let said = serde_json::from_slice::<serde_json::Value>(&text);
        if let Ok(schema) = said.as_ref().map(|said| &said["schema"])
            && schema.is_u64()
            && *schema != SCHEMA
        {
            let why = format!("{} is of schema {schema}; move it away to begin anew", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        match serde_json::from_slice(&text) {
            Ok(kept) => Ok(kept),
            Err(err) => {
                let to = match aside::set_aside(&path) {
                    Ok(to) => to,
                    // Another process may have been first.
                    Err(gone) if gone.kind() == io::ErrorKind::NotFound => path.clone(),
                    Err(err) => return Err(err),
                };
                let said = format!(
                    "antibodies.json could not be read ({err}) and was set aside as {}",
                    to.display()
                );
                tracing::warn!("{said}");
                *self.problem.lock() = Some(said);
                Ok(Kept::default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use m1nd_graph::NodeKind;
    use m1nd_risk::antibody::PatternNode;

    use super::*;

    fn antibody(word: &str) -> Antibody {
        let nodes = vec![PatternNode { kind: NodeKind::Function, label: None }];
        let words = vec![word.to_owned()];
        let pattern = Pattern { nodes, edges: Vec::new(), words, absent: Vec::new(), in_tests: false };
        Antibody {
            id: String::new(),
            name: word.to_owned(),
            description: String::new(),
            severity: Severity::Warning,
            pattern,
            source: "a".to_owned(),
            specificity: 0.9,
            created: UnixMs(1),
        }
    }

    #[test]
    fn antibodies_outlive_the_process_and_none_comes_twice() {
        let dir = tempfile::tempdir().unwrap();
        let antibodies = Antibodies::new(dir.path());
        assert_eq!(antibodies.add(antibody("eval"), None).unwrap().id, "ab-1");
        let twin = Antibodies::new(dir.path()).add(antibody("eval"), None);
        assert!(matches!(twin, Err(AntibodyError::Duplicate { ref id, .. }) if id == "ab-1"), "{twin:?}");
        assert_eq!(antibodies.add(antibody("exec"), Some("ab-1")).unwrap().id, "ab-2");
        let kept = Antibodies::new(dir.path()).all().unwrap();
        assert_eq!(kept.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["ab-2"]);
        let nobody = antibodies.add(antibody("open"), Some("ab-1"));
        assert!(matches!(nobody, Err(AntibodyError::Unknown(_))));
    }

    #[test]
    fn processes_that_add_at_once_lose_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        std::thread::scope(|scope| {
            for process in 0..4 {
                scope.spawn(move || {
                    for number in 0..5 {
                        let name = format!("w{process}x{number}");
                        Antibodies::new(path).add(antibody(&name), None).unwrap();
                    }
                });
            }
        });
        let mut ids: Vec<String> =
            Antibodies::new(path).all().unwrap().into_iter().map(|one| one.id).collect();
        ids.dedup();
        assert_eq!(ids.len(), 20);
    }

    #[test]
    fn what_is_broken_is_set_aside_and_a_later_version_stays() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE), "{").unwrap();
        let antibodies = Antibodies::new(dir.path());
        assert!(antibodies.all().unwrap().is_empty());
        assert!(antibodies.problem().unwrap().contains("set aside"));
        let kept = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let kept: Vec<_> = kept.filter(|path| path.to_string_lossy().contains("corrupt")).collect();
        assert_eq!(fs::read_to_string(&kept[0]).unwrap(), "{");
        assert_eq!(antibodies.add(antibody("eval"), None).unwrap().id, "ab-1");
        let later = r#"{"schema": 99, "new": true}"#;
        fs::write(dir.path().join(FILE), later).unwrap();
        assert!(antibodies.all().is_err() && antibodies.add(antibody("exec"), None).is_err());
        assert_eq!(fs::read_to_string(dir.path().join(FILE)).unwrap(), later);
    }
}
