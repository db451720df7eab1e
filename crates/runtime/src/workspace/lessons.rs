//! Lessons: what was said of answers.

use std::io;
use std::path::Path;
use std::sync::Arc;

use m1nd_recall::feedback::{Find, Gist, Lesson};
use serde::{Deserialize, Serialize};

use super::lines::Lines;

const LESSONS: &str = "feedback.jsonl";
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

/// The lessons of a workspace.
#[derive(Debug)]
pub(super) struct Lessons(Lines<Lesson>);

impl Lessons {
    pub(super) fn new(folder: &Path) -> Self {
        Self(Lines::new(folder.join(LESSONS)))
    }

    /// Every lesson, oldest first.
    pub(super) fn all(&self) -> Arc<Vec<Lesson>> {
        self.0.all(|line: Line| {
            let gist = Gist::of(&line.query, line.finds);
            line.amount.is_finite().then_some(Lesson { gist, node: line.node, amount: line.amount })
        })
    }

    /// Writes down what was said of some nodes as answers to a question that finds these.
    pub(super) fn add(&self, query: &str, finds: &[Find], nodes: &[&str], amount: f32) -> io::Result<()> {
        let query = &query[..query.floor_char_boundary(MAX_QUERY)];
        self.0.add(nodes.iter().map(|&node| Line {
            query: query.to_owned(),
            node: node.to_owned(),
            amount,
            finds: finds.to_vec(),
        }))
    }
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
