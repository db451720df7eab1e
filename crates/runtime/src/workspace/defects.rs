//! Defects: what was told of the files of a workspace besides the fixes in its history.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::lines::Lines;

const DEFECTS: &str = "defects.jsonl";

/// A defect that was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Defect {
    pub time_ms: i64,
    pub path: String,
    /// How much it counts; a fix in the history counts 1, and nothing takes back what its source told of the file before.
    pub weight: f64,
    /// Who told it: `learn`, or the claim of a mission. What has the same source and path is one defect.
    pub source: String,
}

/// The defects of a workspace.
#[derive(Debug)]
pub(super) struct Defects(Lines<Defect>);

impl Defects {
    pub(super) fn new(folder: &Path) -> Self {
        Self(Lines::new(folder.join(DEFECTS)))
    }

    /// Every defect that was not taken back, oldest first.
    pub(super) fn all(&self) -> Arc<Vec<Defect>> {
        self.0.all_of(|lines: Vec<Defect>| {
            let mut all: Vec<Defect> = Vec::new();
            for line in lines.into_iter().filter(|line| line.weight.is_finite()) {
                match line.weight > 0.0 {
                    true => all.push(line),
                    false => all.retain(|told| (&told.source, &told.path) != (&line.source, &line.path)),
                }
            }
            all
        })
    }

    pub(super) fn add(&self, defects: &[Defect]) -> io::Result<()> {
        self.0.add(defects)
    }
}
