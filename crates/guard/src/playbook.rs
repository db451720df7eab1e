//! Playbook: the way back to answers that can be trusted, step by step.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnosis::{Diagnosis, Found, speaks_of_transport, steps};
use crate::facts::{Facts, Observed, Scope};
use crate::trust::{TrustMode, hidden};

/// What a playbook does not claim.
pub const NON_CLAIMS: [&str; 4] = [
    "does not say that a host was rebound before a new handshake shows it",
    "does not repair what a graph holds",
    "does not say that every host was updated",
    "does not replace compiler, test, log or file truth",
];

/// One step of the way.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Step {
    pub id: &'static str,
    /// A tool of this server; none for what only a person or the host can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    pub action: String,
}

/// Where to, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Playbook {
    pub goal: &'static str,
    pub steps: Vec<Step>,
}

/// The way out of a state, and of what was found besides.
pub fn playbook_for(
    mode: TrustMode,
    found: &[Found],
    facts: &Facts,
    observed: &Observed,
    agent: &str,
) -> Playbook {
    let mut book = playbook(mode, facts, observed, agent);
    let make = Maker { facts, agent };
    let mut seen = Vec::new();
    for diagnosis in found.iter().map(|found| found.diagnosis) {
        if !seen.contains(&diagnosis) {
            seen.push(diagnosis);
            let more = steps(diagnosis, &make).into_iter();
            let known: Vec<&str> = book.steps.iter().map(|step| step.id).collect();
            book.steps.extend(more.filter(|step| !known.contains(&step.id)).collect::<Vec<_>>());
        }
    }
    if mode == TrustMode::FullTrust && book.steps.len() > 1 {
        book.goal = "One program that every host starts and reaches.";
        book.steps.remove(0);
    }
    book
}

/// The way out of a state. `agent` goes into the arguments, so that they can be passed on as they are.
pub fn playbook(mode: TrustMode, facts: &Facts, observed: &Observed, agent: &str) -> Playbook {
    let make = Maker { facts, agent };
    let asked = observed.repository.clone().unwrap_or_else(|| "the repository that is meant".to_owned());
    let mut federate = json!({ "path": asked, "intent": "add_root" });
    if let Some(name) = &observed.namespace {
        federate["namespace"] = json!(name);
    }
    let literal = |action: &str| match word(observed) {
        Some(word) => make.call("literal", "search", json!({ "query": word, "mode": "literal" }), action),
        None => make.says("literal", &format!("{action} A word of what you look for will do.")),
    };
    let (goal, steps) = match mode {
        TrustMode::FullTrust => ("Go on.", vec![make.says("go_on", "Nothing is wrong: use answers, and prove claims with the source.")]),
        TrustMode::NeedsIngest => (
            "A graph of this workspace.",
            vec![
                make.call("ingest", "ingest", json!({}), "Read the workspace into the graph."),
                make.says("ask_again", "Repeat the call that found nothing."),
            ],
        ),
        TrustMode::OrientationOnly => (
            "A host that shows ingest, or work without a graph.",
            vec![
                make.says("show_ingest", "Ask the user to let the host show m1nd's ingest, or call it by name."),
                make.call("read_text", "glob", json!({ "pattern": "*" }), "Until then list, search and read files: these need no graph."),
            ],
        ),
        TrustMode::DegradedHostToolSurface => {
            let names = hidden(facts, observed).join(", ");
            (
                "A host that shows the tools of recovery.",
                vec![
                    make.says("call_by_name", &format!("Call {names} by name: a tool that is not listed still answers.")),
                    make.call("widen", "toolset_enable", json!({ "toolsets": ["all"] }), "Let this server list every tool."),
                    make.says("reconnect", "If the host still hides them, ask the user to reconnect m1nd in it."),
                ],
            )
        }
        TrustMode::WrongWorkspaceBinding if observed.scope == Some(Scope::Missing) => (
            "A path that is there.",
            vec![
                make.says("name_it", &format!("There is no {:?}, here or outside: name the repository that is meant by its absolute path.", observed.scope_text.as_deref().unwrap_or_default())),
                make.call("handshake", "session_handshake", json!({}), "See what this server is bound to."),
            ],
        ),
        TrustMode::WrongWorkspaceBinding if observed.repository.is_none() => (
            "A server that is bound to the repository that is meant.",
            vec![
                make.says("rebind", "Ask the user to start the host's server with M1ND_WORKSPACE_ROOT set to the repository that is meant, then make a new handshake."),
                make.says("ingest_here", "Or, on purpose, put that repository into this graph: ingest with its path and intent add_root."),
                make.says("federate", "Or, for work across repositories, add each of them so, with a namespace; its paths begin with its name and ::."),
            ],
        ),
        TrustMode::WrongWorkspaceBinding => (
            "A server that is bound to the repository that is meant.",
            vec![
                make.says("rebind", &format!("Ask the user to start the host's server with M1ND_WORKSPACE_ROOT set to {asked}, then make a new handshake.")),
                make.call("ingest_here", "ingest", json!({ "path": asked, "intent": "add_root" }), "Or, on purpose, put that repository into this graph as a second one."),
                make.call("federate", "ingest", federate, "Or, for work across repositories, add it so under a namespace; its paths begin with that name and ::."),
            ],
        ),
        TrustMode::RetrievalNeedsRecovery if facts.graph_problem.is_none() && facts.memory_problem.is_some() => {
            ("A memory that can be read.", steps(Diagnosis::DamagedMemory, &make))
        }
        TrustMode::RetrievalNeedsRecovery if is_only_transport(facts, observed) => {
            ("A connection that answers.", steps(Diagnosis::DeadTransport, &make))
        }
        TrustMode::RetrievalNeedsRecovery => (
            "An answer, or the reason why there is none.",
            vec![
                make.call("look", "health", json!({}), "See what the graph covers and what is wrong with its files."),
                make.call("compare", "cross_verify", json!({}), "Hold the graph against the files."),
                make.call("read_anew", "ingest", json!({ "incremental": false }), "If they differ, read everything anew."),
                literal("Meanwhile search the text itself, which needs no graph."),
            ],
        ),
        TrustMode::StaleBindingSuspected => (
            "One program, one workspace, one graph.",
            vec![
                make.call("look", "health", json!({}), "Compare process, build and workspace with what you expect."),
                make.says("restart", if facts.binary_gone {
                    "The program is gone from the disk: ask the user to install it again, restart the host's server, then make a new handshake."
                } else if facts.binary_replaced {
                    "The program on disk was replaced: ask the user to restart the host's server, then make a new handshake."
                } else {
                    "If they are not what you expect, ask the user to restart the host's server, then make a new handshake."
                }),
                literal("Search the text itself: what it finds is there."),
            ],
        ),
    };
    Playbook { goal, steps }
}

/// Whether nothing is wrong but the connection that a call was made over: no graph need be read anew for that.
fn is_only_transport(facts: &Facts, observed: &Observed) -> bool {
    facts.graph_problem.is_none() && observed.trust_mode.is_none() && speaks_of_transport(observed)
}

/// The word to look for: the longest of what was asked or said; none where nobody said any.
fn word(observed: &Observed) -> Option<String> {
    let said = observed.error_text.as_deref().or(observed.scope_text.as_deref())?;
    let words = said.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.max_by_key(|word| word.len()).filter(|word| !word.is_empty()).map(str::to_owned)
}

pub(crate) struct Maker<'a> {
    facts: &'a Facts,
    agent: &'a str,
}

impl Maker<'_> {
    /// A step that is a call; a sentence only where this build has no such tool.
    pub(crate) fn call(
        &self,
        id: &'static str,
        tool: &'static str,
        mut arguments: Value,
        action: &str,
    ) -> Step {
        let exists = self.facts.tools.contains(&tool);
        arguments["agent_id"] = json!(self.agent);
        Step {
            id,
            tool: exists.then_some(tool),
            arguments: exists.then_some(arguments),
            action: action.to_owned(),
        }
    }

    pub(crate) fn says(&self, id: &'static str, action: &str) -> Step {
        Step { id, tool: None, arguments: None, action: action.to_owned() }
    }
}
