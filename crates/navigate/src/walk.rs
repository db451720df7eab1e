//! Walk: where an agent began, which steps it took, and where it stands.

use serde::{Deserialize, Serialize};

use crate::error::NavigateError;
use crate::family::Family;

/// A walk keeps its newest steps; older ones are forgotten.
pub const MAX_STEPS: usize = 256;
/// Farther from its anchor than this a walk is on its own.
pub const MAX_ANCHOR_HOPS: u32 = 8;

/// Whether routes are judged by how near they stay to where the walk began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Anchored,
    Local,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Anchored => "anchored",
            Self::Local => "local",
        }
    }
}

/// A node that the walk came to, and by which way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub node: String,
    /// Nothing for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Family>,
}

/// A walk as it is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is looking for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// As it was asked for; a walk that is too far from its anchor is local nevertheless.
    pub mode: Mode,
    pub anchor: String,
    /// Oldest first; never empty. The last is the focus.
    pub steps: Vec<Step>,
    /// The walk that it was branched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub started_ms: i64,
}

impl Walk {
    pub fn begin(id: String, query: Option<String>, mode: Mode, node: String, now_ms: i64) -> Self {
        let steps = vec![Step { node: node.clone(), by: None }];
        Self { id, name: None, query, mode, anchor: node, steps, parent: None, started_ms: now_ms }
    }

    /// Where it stands.
    pub fn focus(&self) -> &str {
        self.steps.last().map_or(&self.anchor, |step| &step.node)
    }

    /// How often it came to a node.
    pub fn visits(&self, node: &str) -> usize {
        self.steps.iter().filter(|step| step.node == node).count()
    }

    pub fn follow(&mut self, node: String, by: Family) {
        self.steps.push(Step { node, by: Some(by) });
        if self.steps.len() > MAX_STEPS {
            self.steps.remove(0);
        }
    }

    /// Takes steps back, at most to the first.
    pub fn back(&mut self, steps: usize) -> Result<(), NavigateError> {
        if self.steps.len() < 2 {
            return Err(NavigateError::AtTheStart);
        }
        let left = self.steps.len().saturating_sub(steps).max(1);
        self.steps.truncate(left);
        Ok(())
    }

    /// The same walk under another name, to go on elsewhere.
    pub fn branch(&self, id: String, name: Option<String>, now_ms: i64) -> Self {
        Self { id, name, parent: Some(self.id.clone()), started_ms: now_ms, ..self.clone() }
    }

    /// The nodes it came to, each once, newest first.
    pub fn seen(&self) -> Vec<&str> {
        let mut seen: Vec<&str> = Vec::new();
        for step in self.steps.iter().rev() {
            if !seen.contains(&step.node.as_str()) {
                seen.push(&step.node);
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_and_taken_back_down_to_the_first() {
        let mut walk = Walk::begin("w".into(), None, Mode::Anchored, "a".into(), 1);
        assert_eq!(walk.back(1), Err(NavigateError::AtTheStart));
        walk.follow("b".into(), Family::Calls);
        walk.follow("a".into(), Family::CalledBy);
        assert_eq!((walk.focus(), walk.visits("a"), walk.seen()), ("a", 2, vec!["a", "b"]));
        let fork = walk.branch("v".into(), None, 2);
        assert_eq!((fork.parent.as_deref(), fork.focus()), (Some("w"), "a"));
        walk.back(9).unwrap();
        assert_eq!((walk.focus(), walk.steps.len()), ("a", 1));
    }

    #[test]
    fn a_long_walk_forgets_its_oldest_steps() {
        let mut walk = Walk::begin("w".into(), None, Mode::Local, "n0".into(), 1);
        for at in 1..=MAX_STEPS {
            walk.follow(format!("n{at}"), Family::Calls);
        }
        assert_eq!((walk.steps.len(), walk.steps[0].node.as_str()), (MAX_STEPS, "n1"));
    }
}
