//! Lessons: what was said of answers, one line each in a file that several processes may add to.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use m1nd_recall::feedback::{Find, Gist, Lesson};
use m1nd_vfs::durable;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

const LESSONS: &str = "feedback.jsonl";
/// Older lessons are forgotten when the file grows beyond this.
const MAX_BYTES: u64 = 1_000_000;
/// How much of a question is written down.
const MAX_QUERY: usize = 500;

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    query: String,
    node: String,
    amount: f32,
    /// What the question found.
    #[serde(default)]
    finds: Vec<Find>,
}

/// The lessons of a workspace, read again when the file changed.
#[derive(Debug)]
pub(super) struct Lessons {
    path: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    made_from: Option<(u64, Option<SystemTime>)>,
    lessons: Arc<Vec<Lesson>>,
}

impl Lessons {
    pub(super) fn new(folder: &Path) -> Self {
        Self { path: folder.join(LESSONS), kept: Mutex::default() }
    }

    /// Every lesson, oldest first.
    pub(super) fn all(&self) -> Arc<Vec<Lesson>> {
        let mut kept = self.kept.lock();
        let state = std::fs::metadata(&self.path).ok().map(|meta| (meta.len(), meta.modified().ok()));
        if state != kept.made_from {
            let text = std::fs::read_to_string(&self.path).unwrap_or_default();
            // A line that a crash cut short is no lesson.
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
            let lessons = lines.filter(|line| line.amount.is_finite()).map(|line| {
                let gist = Gist::of(&line.query, line.finds);
                Lesson { gist, node: line.node, amount: line.amount }
            });
            *kept = Kept { made_from: state, lessons: Arc::new(lessons.collect()) };
        }
        Arc::clone(&kept.lessons)
    }

    /// Writes down what was said of some nodes as answers to a question that finds these.
    pub(super) fn add(&self, query: &str, finds: &[Find], nodes: &[&str], amount: f32) -> io::Result<()> {
        let query = &query[..query.floor_char_boundary(MAX_QUERY)];
        let mut text = String::new();
        for &node in nodes {
            text.push_str(&serde_json::to_string(&Line {
                query: query.to_owned(),
                node: node.to_owned(),
                amount,
                finds: finds.to_vec(),
            })?);
            text.push('\n');
        }
        let _one_at_a_time = self.kept.lock();
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        // What a crash cut short must not swallow the next line.
        if !ends_with_newline(&self.path)? {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        if file.metadata()?.len() > MAX_BYTES { self.forget_oldest() } else { Ok(()) }
    }

    fn forget_oldest(&self) -> io::Result<()> {
        let text = std::fs::read_to_string(&self.path)?;
        let half = text.ceil_char_boundary(text.len() / 2);
        let kept = text[half..].split_once('\n').map_or("", |(_, rest)| rest);
        durable::replace(&self.path, kept.as_bytes())
    }
}

fn ends_with_newline(path: &Path) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_outlive_the_process_and_a_line_cut_short() {
        let dir = tempfile::tempdir().unwrap();
        Lessons::new(dir.path()).add("parse headers", &[(1, 100), (2, 50)], &["a", "b"], 0.2).unwrap();
        let path = dir.path().join(LESSONS);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"query\": \"cut sho");
        std::fs::write(&path, &text).unwrap();
        let lessons = Lessons::new(dir.path());
        assert_eq!(lessons.all().len(), 2);
        lessons.add("send", &[], &["c"], -0.2).unwrap();
        let nodes: Vec<String> = lessons.all().iter().map(|lesson| lesson.node.clone()).collect();
        assert_eq!(nodes, ["a", "b", "c"]);
    }
}
