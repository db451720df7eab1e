//! Diagnosis: what can be wrong with a host, a program or a binding, told apart.

use serde::Serialize;
use serde_json::json;

use crate::facts::{Facts, Observed};
use crate::playbook::{Maker, Step};
use crate::trust::{TrustMode, Verdict, hidden, memory_words, program_words, surface};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Diagnosis {
    /// The program on disk is another one than the one that runs.
    StaleBinary,
    /// The host shows the tools of another server than this one.
    StaleHostToolSurface,
    WrongWorkspace,
    MissingRecoveryTools,
    /// A shell or a host would start another program than the one that answers.
    MixedBinaries,
    /// The graph is populated, and a call was blocked or found nothing.
    RetrievalBlocked,
    UnreadableSnapshot,
    /// What was remembered cannot be read.
    DamagedMemory,
    /// The connection between host and server ended, or a host cannot start the server.
    DeadTransport,
}

/// A diagnosis and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    pub diagnosis: Diagnosis,
    pub why: String,
}

/// Everything that is wrong, as far as the facts tell.
pub fn diagnose(facts: &Facts, observed: &Observed, verdict: &Verdict) -> Vec<Found> {
    let mut found = Vec::new();
    let mut add = |diagnosis: Diagnosis, why: String| found.push(Found { diagnosis, why });
    if facts.binary_replaced {
        add(Diagnosis::StaleBinary, program_words(facts).to_owned());
    }
    if verdict.mode == TrustMode::WrongWorkspaceBinding {
        add(Diagnosis::WrongWorkspace, verdict.why.clone());
    }
    let hidden = hidden(facts, observed);
    let shown = surface(facts, observed);
    if !hidden.is_empty() {
        add(Diagnosis::MissingRecoveryTools, format!("The host hides {}.", hidden.join(", ")));
    } else if !shown.unknown.is_empty() {
        let names = shown.unknown.join(", ");
        add(
            Diagnosis::StaleHostToolSurface,
            format!("The host shows tools that this server has not: {names}."),
        );
    } else if !shown.unseen.is_empty() {
        let names = shown.unseen.join(", ");
        add(
            Diagnosis::StaleHostToolSurface,
            format!("The host does not show tools that this server lists: {names}."),
        );
    }
    if !facts.other_programs.is_empty() {
        let others = facts.other_programs.join("; ");
        add(Diagnosis::MixedBinaries, format!("Not the program that answers here: {others}."));
    }
    if let Some(problem) = &facts.graph_problem {
        add(Diagnosis::UnreadableSnapshot, format!("The graph's files: {problem}."));
    }
    if let Some(problem) = &facts.memory_problem {
        add(Diagnosis::DamagedMemory, memory_words(problem));
    }
    let nothing = observed.candidates == Some(0) || observed.proof_state.as_deref() == Some("blocked");
    if nothing && facts.node_count > 0 && verdict.mode != TrustMode::WrongWorkspaceBinding {
        let nodes = facts.node_count;
        add(
            Diagnosis::RetrievalBlocked,
            format!("The graph has {nodes} nodes, and a call was blocked or found nothing."),
        );
    }
    for entry in &facts.dead_entries {
        add(Diagnosis::DeadTransport, format!("A host cannot start m1nd: {entry}."));
    }
    for entry in &facts.other_bindings {
        add(
            Diagnosis::WrongWorkspace,
            format!("{entry}. What that host starts answers about other code: let its entry name this one."),
        );
    }
    if speaks_of_transport(observed) {
        add(
            Diagnosis::DeadTransport,
            "The error speaks of a connection that ended; this process answers.".to_owned(),
        );
    }
    found
}

/// What hosts and their libraries say when a server is gone.
const TRANSPORT: [&str; 10] = [
    "transport closed",
    "transport is closed",
    "connection closed",
    "connection refused",
    "connection reset",
    "broken pipe",
    "not connected",
    "server disconnected",
    "epipe",
    "-32000",
];

pub(crate) fn speaks_of_transport(observed: &Observed) -> bool {
    let text = observed.error_text.as_deref().unwrap_or_default().to_ascii_lowercase();
    TRANSPORT.iter().any(|words| text.contains(words))
}

/// What to do about one that the way out of a trust mode says nothing of.
pub(crate) fn steps(diagnosis: Diagnosis, make: &Maker<'_>) -> Vec<Step> {
    match diagnosis {
        Diagnosis::MixedBinaries => vec![
            make.call("compare_programs", "hosts_status", json!({}), "See which program each host starts."),
            make.says(
                "name_one",
                "Ask the user to let the host's entry name one program by its full path, restart the host's server, and make a new handshake.",
            ),
        ],
        Diagnosis::StaleBinary => vec![make.call(
            "compare_builds",
            "update_check",
            json!({}),
            "See which build runs, which is on disk, and which each host would start.",
        )],
        Diagnosis::StaleHostToolSurface => vec![make.says(
            "reload_tools",
            "Ask the user to reconnect m1nd in the host, so that it lists the tools anew; a tool that is not shown still answers by name.",
        )],
        Diagnosis::DeadTransport => vec![
            make.says(
                "check_start",
                "Ask the user to run `m1nd doctor`: it starts a server as a host would and says why one does not start.",
            ),
            make.says("reconnect_host", "Then reconnect m1nd in the host, and make a new handshake: nothing is rebound before that."),
        ],
        Diagnosis::DamagedMemory => vec![
            make.says(
                "tell_user",
                "Tell the user before anything is remembered. A damaged file: a backup can take its place now, or the next call that needs memory sets it aside, says where, and begins anew. A file of a newer m1nd: this one must be updated, and the file stays as it is.",
            ),
            make.call("look", "health", json!({}), "See which file it is. Questions to the graph are not concerned."),
        ],
        Diagnosis::WrongWorkspace
        | Diagnosis::MissingRecoveryTools
        | Diagnosis::RetrievalBlocked
        | Diagnosis::UnreadableSnapshot => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::verdict;

    fn well() -> Facts {
        Facts {
            workspace_root: Some("/r".to_owned()),
            node_count: 9,
            tools: vec!["ingest", "health", "search", "help", "recovery_playbook", "seek"],
            listed: vec!["ingest", "health", "search", "help", "seek"],
            ..Facts::default()
        }
    }

    fn found(facts: &Facts, observed: &Observed) -> Vec<Diagnosis> {
        let verdict = verdict(facts, observed);
        diagnose(facts, observed, &verdict).into_iter().map(|found| found.diagnosis).collect()
    }

    #[test]
    fn nothing_is_wrong_with_what_is_well() {
        let shown = ["ingest", "health", "search", "help", "seek"].map(|name| format!("mcp__m1nd__{name}"));
        let others = vec!["mcp__other__grep".to_owned()];
        let observed = Observed { available: Some([shown.to_vec(), others].concat()), ..Observed::default() };
        assert_eq!(found(&well(), &observed), []);
        assert_eq!(surface(&well(), &observed).status, "complete");
    }

    #[test]
    fn the_list_of_an_earlier_server_is_told_from_hidden_tools() {
        let shown = |names: &[&str]| Observed {
            available: Some(names.iter().map(|name| format!("mcp__m1nd__{name}")).collect()),
            ..Observed::default()
        };
        let old = shown(&["ingest", "health", "search", "help", "seek", "find_code"]);
        assert_eq!(found(&well(), &old), [Diagnosis::StaleHostToolSurface]);
        let lacks = shown(&["ingest", "health", "search", "help"]);
        assert_eq!(found(&well(), &lacks), [Diagnosis::StaleHostToolSurface]);
        let hides = shown(&["search", "seek"]);
        assert_eq!(found(&well(), &hides), [Diagnosis::MissingRecoveryTools]);
    }

    #[test]
    fn a_connection_that_ended_is_heard_from_what_hosts_say() {
        for (text, dead) in [
            ("MCP error -32000: Connection closed", true),
            ("write EPIPE", true),
            ("Transport closed", true),
            ("the pattern does not compile", false),
        ] {
            let observed = Observed { error_text: Some(text.to_owned()), ..Observed::default() };
            assert_eq!(found(&well(), &observed).contains(&Diagnosis::DeadTransport), dead, "{text}");
        }
    }

    #[test]
    fn the_way_out_is_that_of_what_is_wrong_and_says_each_step_once() {
        let ids = |facts: &Facts, observed: &Observed| {
            let verdict = verdict(facts, observed);
            let found = diagnose(facts, observed, &verdict);
            let book = crate::playbook::playbook_for(verdict.mode, &found, facts, observed, "a");
            book.steps.into_iter().map(|step| step.id).collect::<Vec<_>>()
        };
        let ended = Observed { error_text: Some("Transport closed".to_owned()), ..Observed::default() };
        assert_eq!(ids(&well(), &ended), ["check_start", "reconnect_host"]);
        let damaged = Facts { memory_problem: Some("memory.db is damaged".to_owned()), ..well() };
        assert_eq!(ids(&damaged, &Observed::default()), ["tell_user", "look"]);
        let other = Observed { error_text: Some("no such pattern".to_owned()), ..Observed::default() };
        assert_eq!(ids(&well(), &other), ["look", "compare", "read_anew", "literal"]);
    }
}
