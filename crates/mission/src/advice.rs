//! Advice: exactly one next move, and what to leave alone.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::short;
use crate::state::Remaining;

/// The next step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Move {
    pub tool_family: Family,
    /// A tool of this runtime; none when the step is done elsewhere, as a test run is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'static str>,
    /// Can be passed to it as they are, with what `fill_in` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// What only you can say: to be added to `arguments`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fill_in: Vec<&'static str>,
    pub why: String,
}

/// What not to do now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoNot {
    /// The kind of step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_family: Option<Family>,
    /// Only with this target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub why: String,
}

impl Move {
    /// The same for an agent to call: whose call it is stands among the arguments.
    pub fn called_by(&mut self, agent: &str) {
        if let Some(arguments) = self.arguments.as_mut().and_then(Value::as_object_mut) {
            arguments.insert("agent_id".to_owned(), Value::String(agent.to_owned()));
        }
    }

    /// The same without its arguments, where they have no room; whether there were any.
    pub fn without_arguments(&mut self) -> bool {
        let is_told = self.arguments.take().is_some();
        if is_told {
            NO_ARGUMENTS.clone_into(&mut self.why);
        }
        is_told
    }

    /// What it is about, as its tool would name it.
    pub fn target(&self) -> Option<String> {
        let arguments = self.arguments.as_ref()?;
        let about = ["file_path", "query", "node_id", "claim_id", "target", "scope", "mission_id"];
        let about = about.iter().take(if self.tool_family == Family::Mission { 7 } else { 6 });
        about.filter_map(|name| arguments.get(*name)?.as_str()).next().map(str::to_owned)
    }
}

/// What `mission_next` says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    pub next_move: Move,
    pub allowed_tools: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_tool: Option<&'static str>,
    /// Always there, and empty where nothing speaks against anything.
    pub do_not: Vec<DoNot>,
    /// Set when there are more dead paths than `do_not` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_dead_paths: Option<String>,
    /// When this move is done.
    pub stop_condition: String,
    /// What to do when it cannot be done.
    pub fallback: String,
    /// What would make the next claim count.
    pub evidence_required: Vec<EvidenceClass>,
    pub budget_remaining: Remaining,
    /// Set when more was spent than planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_warning: Option<String>,
}

/// Bytes that texts keep, and things not to do that are named, the wider first.
const ROOM: [(usize, usize); 4] = [(300, 5), (120, 2), (60, 0), (0, 0)];

/// Said in place of a reason where arguments had no room.
const NO_ARGUMENTS: &str = "Its arguments have no room here.";

impl Advice {
    /// Lets go of what is worth least where there is no room for all; whether anything was left to let go. The step itself
    /// stays with its tool, and its arguments go last.
    pub fn cut(&mut self) -> bool {
        if self.allowed_tools.len() > 1 {
            self.allowed_tools.truncate(1);
            return true;
        }
        for (bytes, named) in ROOM {
            // Those that are last hold longest ago, and whether they are named or not.
            if self.do_not.len() > named {
                self.do_not.truncate(named);
                return true;
            }
            let texts = [&mut self.fallback, &mut self.stop_condition, &mut self.next_move.why];
            if texts.into_iter().any(|text| short::to_nothing(text, bytes)) {
                return true;
            }
            if bytes < 100
                && (self.more_dead_paths.take().is_some()
                    || self.budget_warning.take().is_some()
                    || !std::mem::take(&mut self.evidence_required).is_empty())
            {
                return true;
            }
        }
        if !std::mem::take(&mut self.allowed_tools).is_empty() || self.preferred_tool.take().is_some() {
            return true;
        }
        // One of them may be as long as a path can be.
        self.next_move.without_arguments()
    }
}
