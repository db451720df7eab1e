//! Trust: how far answers can be relied on, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::facts::{Facts, Observed, Scope};

/// Verdicts, the ones that stand before all work first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustMode {
    FullTrust,
    NeedsIngest,
    OrientationOnly,
    DegradedHostToolSurface,
    WrongWorkspaceBinding,
    RetrievalNeedsRecovery,
    StaleBindingSuspected,
}

impl TrustMode {
    pub fn name(self) -> &'static str {
        match self {
            Self::FullTrust => "full_trust",
            Self::NeedsIngest => "needs_ingest",
            Self::OrientationOnly => "orientation_only",
            Self::DegradedHostToolSurface => "degraded_host_tool_surface",
            Self::WrongWorkspaceBinding => "wrong_workspace_binding",
            Self::RetrievalNeedsRecovery => "retrieval_needs_recovery",
            Self::StaleBindingSuspected => "stale_binding_suspected",
        }
    }
}

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub mode: TrustMode,
    pub why: String,
}

/// Tools without which an agent cannot get out of trouble.
const REQUIRED: [&str; 8] = [
    "ingest",
    "health",
    "search",
    "help",
    "session_handshake",
    "trust_selftest",
    "recovery_playbook",
    "doctor",
];

/// The required tools that the host hides, as far as the agent said what it sees.
pub fn hidden(facts: &Facts, observed: &Observed) -> Vec<&'static str> {
    let exists = |tool: &&&str| facts.tools.contains(*tool);
    let (seen, missed) = (seen(facts, observed), missed(facts, observed));
    let is_hidden = |tool: &&str| {
        // A tool that is not listed by default can be called by name all the same: only what should be seen is missed.
        let unseen = seen
            .as_ref()
            .is_some_and(|seen| facts.listed.contains(tool) && !seen.iter().any(|(_, name)| *name == *tool));
        missed.contains(tool) || unseen
    };
    // Which are hidden is not known then: any of them may be.
    let counted = fewer(facts, observed).is_some() || is_said(observed);
    REQUIRED.iter().filter(exists).copied().filter(|tool| counted || is_hidden(tool)).collect()
}

/// Whether an answer said that the host hides tools, and nobody looked which.
fn is_said(observed: &Observed) -> bool {
    let says =
        matches!(observed.trust_mode, Some(TrustMode::DegradedHostToolSurface | TrustMode::OrientationOnly));
    says && observed.available.is_none() && observed.missing.is_empty() && observed.tool_count.is_none()
}

/// How many tools the host shows and how many are listed, where it shows fewer and nobody said which.
pub fn fewer(facts: &Facts, observed: &Observed) -> Option<(u64, u64)> {
    let listed = facts.listed.len() as u64;
    let shown = observed.tool_count.filter(|_| observed.available.is_none())?;
    (shown < listed).then_some((shown, listed))
}

/// What a host shows of this server, as far as the agent said what it sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// complete, stale (not this server's list) or degraded (tools of recovery are hidden); unknown if nobody said.
    pub status: &'static str,
    /// Tools that the host shows and this server has not.
    pub unknown: Vec<String>,
    /// Tools that this server lists and the host does not show.
    pub unseen: Vec<&'static str>,
    /// Tools that somebody missed and that this server has not either.
    pub no_such: Vec<String>,
}

/// More names than this are no help.
const MOST_NAMES: usize = 8;

/// A host that keeps the list of an earlier server shows tools that are gone, or lacks some that are there.
pub fn surface(facts: &Facts, observed: &Observed) -> Surface {
    let told = observed.available.is_some();
    let seen = seen(facts, observed).unwrap_or_default();
    // A name without a server's may be one of the host's own tools.
    let gone = seen.iter().filter(|(server, name)| !server.is_empty() && !facts.tools.contains(name));
    let unknown: Vec<String> = gone.take(MOST_NAMES).map(|(_, name)| (*name).to_owned()).collect();
    let is_seen = |tool: &str| seen.iter().any(|(_, name)| *name == tool);
    let unseen = facts.listed.iter().copied().filter(|name| told && !is_seen(name));
    let missed = missed(facts, observed);
    let no_such = missed.iter().filter(|name| !facts.tools.contains(*name)).take(MOST_NAMES);
    let no_such: Vec<String> = no_such.map(|name| (*name).to_owned()).collect();
    let unseen: Vec<&'static str> = unseen.take(MOST_NAMES).collect();
    let status = match (hidden(facts, observed).is_empty(), unknown.is_empty() && unseen.is_empty()) {
        (false, _) => "degraded",
        (true, false) => "stale",
        (true, true) if told || observed.tool_count.is_some() => "complete",
        (true, true) => "unknown",
    };
    Surface { status, unknown, unseen, no_such }
}

/// What stands before a tool's name, and the name.
fn parts(name: &str) -> (&str, &str) {
    name.split_at(name.len() - plain(name).len())
}

/// The tools of this server that the host shows; none if nobody said. Other servers may have tools of the same names.
fn seen<'o>(facts: &Facts, observed: &'o Observed) -> Option<Vec<(&'o str, &'o str)>> {
    let all: Vec<(&str, &str)> = observed.available.as_ref()?.iter().map(|name| parts(name)).collect();
    let own = own_server(facts, &all);
    Some(all.into_iter().filter(|(server, _)| own.is_own(server)).collect())
}

/// The tools of this server that were missed.
fn missed<'o>(facts: &Facts, observed: &'o Observed) -> Vec<&'o str> {
    let all = observed.available.iter().flatten().map(|name| parts(name)).collect::<Vec<_>>();
    let own = own_server(facts, &all);
    let is_own = |server: &str| server.is_empty() || Own::M1nd.is_own(server) || own.is_own(server);
    let missed = observed.missing.iter().map(|name| parts(name));
    missed.filter(|(server, _)| is_own(server)).map(|(_, name)| name).collect()
}

/// How a host calls this server.
enum Own<'o> {
    /// By a name that says m1nd.
    M1nd,
    /// By another.
    Named(&'o str),
}

impl Own<'_> {
    fn is_own(&self, server: &str) -> bool {
        match self {
            Self::M1nd => server.to_ascii_lowercase().contains(OURS),
            Self::Named(name) => server == *name,
        }
    }
}

/// So many names of ours are no accident.
const NO_ACCIDENT: usize = 3;

/// A name that says m1nd, else the one that most tools of ours stand behind, else none.
fn own_server<'o>(facts: &Facts, all: &[(&'o str, &'o str)]) -> Own<'o> {
    if all.iter().any(|(server, _)| Own::M1nd.is_own(server)) {
        return Own::M1nd;
    }
    let count = |server: &str| {
        all.iter().filter(|(other, name)| *other == server && facts.tools.contains(name)).count()
    };
    let named = all.iter().map(|(server, _)| *server).filter(|server| count(server) >= NO_ACCIDENT);
    Own::Named(named.max_by_key(|server| (count(server), std::cmp::Reverse(*server))).unwrap_or_default())
}

/// A host may write `mcp__m1nd__search`, `m1nd.search`, `m1nd_search` or `mcp_m1nd_search`.
fn plain(name: &str) -> &str {
    let name = name.rsplit("__").next().and_then(|name| name.rsplit(['.', '/', ':']).next()).unwrap_or(name);
    let ours = name.to_ascii_lowercase().rfind(OURS).map(|at| &name[at + OURS.len()..]);
    ours.and_then(|rest| rest.strip_prefix(['_', '-'])).filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// How a server of ours is called.
const OURS: &str = "m1nd";

/// How far answers can be relied on.
pub fn verdict(facts: &Facts, observed: &Observed) -> Verdict {
    let says = |mode: TrustMode, why: String| Verdict { mode, why };
    let wrong = observed.scope == Some(Scope::WrongWorkspaceBinding)
        || observed.trust_mode == Some(TrustMode::WrongWorkspaceBinding);
    let bound = facts.workspace_root.as_deref().unwrap_or("nothing");
    let asked = observed.scope_text.as_deref().unwrap_or("another folder");
    if observed.scope == Some(Scope::Missing) {
        let why = format!(
            "The server is bound to {bound}, which has no {asked:?}, and there is no such path outside."
        );
        return says(TrustMode::WrongWorkspaceBinding, why);
    }
    if wrong {
        return says(
            TrustMode::WrongWorkspaceBinding,
            format!("The server is bound to {bound}, and {asked} lies outside."),
        );
    }
    if facts.workspace_root.is_none() {
        let why = "The server is bound to no workspace.".to_owned();
        return says(TrustMode::WrongWorkspaceBinding, why);
    }
    let hidden = hidden(facts, observed);
    if facts.node_count == 0 {
        return if hidden.contains(&"ingest") {
            says(TrustMode::OrientationOnly, "The graph is empty, and the host hides ingest.".to_owned())
        } else {
            says(TrustMode::NeedsIngest, "The graph is empty.".to_owned())
        };
    }
    if !hidden.is_empty() {
        let why = match fewer(facts, observed) {
            Some((shown, listed)) => format!("The host shows {shown} of {listed} tools."),
            None if is_said(observed) => {
                format!(
                    "An answer said that the host hides tools of recovery; they are {}.",
                    hidden.join(", ")
                )
            }
            None => format!("The host hides {}.", hidden.join(", ")),
        };
        return says(TrustMode::DegradedHostToolSurface, why);
    }
    if facts.binary_replaced {
        return says(TrustMode::StaleBindingSuspected, program_words(facts).to_owned());
    }
    if let Some(problem) = &facts.graph_problem {
        return says(TrustMode::RetrievalNeedsRecovery, format!("The graph's files: {problem}."));
    }
    if let Some(problem) = &facts.memory_problem {
        return says(TrustMode::RetrievalNeedsRecovery, memory_words(problem));
    }
    if observed.trust_mode == Some(TrustMode::RetrievalNeedsRecovery) {
        let why = "An answer said that it needs recovery.".to_owned();
        return says(TrustMode::RetrievalNeedsRecovery, why);
    }
    let nothing = observed.candidates == Some(0) || observed.proof_state.as_deref() == Some("blocked");
    if nothing || observed.trust_mode == Some(TrustMode::StaleBindingSuspected) {
        let nodes = facts.node_count;
        let why = format!("The graph has {nodes} nodes, and a call was blocked or found nothing.");
        return says(TrustMode::StaleBindingSuspected, why);
    }
    if observed.error_text.as_deref().is_some_and(|text| !text.trim().is_empty()) {
        let why = "A call failed although the graph and the binding are well.".to_owned();
        return says(TrustMode::RetrievalNeedsRecovery, why);
    }
    says(TrustMode::FullTrust, "The graph is populated and bound to this workspace.".to_owned())
}

/// What became of the program that answers.
pub(crate) fn program_words(facts: &Facts) -> &'static str {
    if facts.binary_gone {
        "The program that answers is gone from the disk: a host cannot start it again."
    } else {
        "The program on disk is another one than the one that answers."
    }
}

/// Notes, tasks and missions that cannot be read.
pub(crate) fn memory_words(problem: &str) -> String {
    format!("Memory cannot be read: {problem}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn well() -> Facts {
        Facts {
            workspace_root: Some("/r".to_owned()),
            node_count: 9,
            tools: vec!["ingest", "health", "search", "help", "recovery_playbook"],
            listed: vec!["ingest", "health", "search", "help"],
            ..Facts::default()
        }
    }

    fn mode(facts: &Facts, observed: &Observed) -> &'static str {
        verdict(facts, observed).mode.name()
    }

    #[test]
    fn every_verdict_has_its_facts() {
        let nothing = Observed::default();
        assert_eq!(mode(&well(), &nothing), "full_trust");
        let empty = Facts { node_count: 0, ..well() };
        assert_eq!(mode(&empty, &nothing), "needs_ingest");
        let hides = |tool: &str| Observed { missing: vec![tool.to_owned()], ..Observed::default() };
        assert_eq!(mode(&empty, &hides("mcp__m1nd__ingest")), "orientation_only");
        assert_eq!(mode(&well(), &hides("ingest")), "degraded_host_tool_surface");
        let sees_some = |count: u64| Observed { tool_count: Some(count), ..Observed::default() };
        assert_eq!(mode(&well(), &sees_some(3)), "degraded_host_tool_surface", "four are listed");
        assert_eq!(surface(&well(), &sees_some(3)).status, "degraded");
        assert_eq!(mode(&well(), &sees_some(4)), "full_trust");
        for said in [TrustMode::DegradedHostToolSurface, TrustMode::OrientationOnly] {
            let said = Observed { trust_mode: Some(said), ..Observed::default() };
            assert_eq!(mode(&well(), &said), "degraded_host_tool_surface");
            assert_eq!(mode(&empty, &said), "orientation_only");
            let shown = Some(well().listed.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(
                mode(&well(), &Observed { available: shown, ..said }),
                "full_trust",
                "it was looked at"
            );
        }
        let foreign = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let ours: Vec<String> = ["health", "help"].map(|name| format!("mcp__m1nd__{name}")).to_vec();
        let others = foreign(&["mcp__github__search", "mcp__rag__ingest", "search"]);
        let mixed = Observed { available: Some([ours, others].concat()), ..Observed::default() };
        assert_eq!(hidden(&well(), &mixed), ["ingest", "search"], "those of other servers are no help");
        for before in ["", "mcp__m1nd__", "mcp__code__"] {
            let ours = well().listed.iter().map(|name| format!("{before}{name}")).collect::<Vec<_>>();
            let hosts = foreign(&["Bash", "Read", "mcp__other__find"]);
            let shown = Observed { available: Some([ours, hosts].concat()), ..Observed::default() };
            assert_eq!(surface(&well(), &shown).status, "complete", "{before}");
        }
        let bogus = Observed { missing: foreign(&["bogus", "mcp__other__search"]), ..Observed::default() };
        assert_eq!(surface(&well(), &bogus).no_such, ["bogus"]);
        assert_eq!(mode(&well(), &bogus), "full_trust");
        for before in ["m1nd_", "mcp_m1nd_", "mcp__m1nd__", "m1nd.", "M1nd-", "mcp_my-m1nd_"] {
            let shown = Some(well().listed.iter().map(|name| format!("{before}{name}")).collect());
            let shown = Observed { available: shown, ..Observed::default() };
            assert_eq!(surface(&well(), &shown).status, "complete", "{before}");
        }
        let nowhere = Observed { scope: Some(Scope::Missing), ..Observed::default() };
        assert_eq!(mode(&well(), &nowhere), "wrong_workspace_binding");
        let sees = Observed { available: Some(vec!["search".to_owned()]), ..Observed::default() };
        assert_eq!(hidden(&well(), &sees), ["ingest", "health", "help"], "the playbook is not listed anyway");
        let outside = Observed { scope: Some(Scope::WrongWorkspaceBinding), ..Observed::default() };
        assert_eq!(mode(&well(), &outside), "wrong_workspace_binding");
        assert_eq!(mode(&Facts { workspace_root: None, ..well() }, &nothing), "wrong_workspace_binding");
        let blocked = Observed { candidates: Some(0), ..Observed::default() };
        assert_eq!(mode(&well(), &blocked), "stale_binding_suspected");
        let said = Observed { trust_mode: Some(TrustMode::RetrievalNeedsRecovery), ..blocked };
        assert_eq!(mode(&well(), &said), "retrieval_needs_recovery");
        let damaged = Facts { graph_problem: Some("set aside".to_owned()), ..well() };
        assert_eq!(mode(&damaged, &nothing), "retrieval_needs_recovery");
        let damaged = Facts { memory_problem: Some("memory.db is damaged".to_owned()), ..well() };
        assert_eq!(mode(&damaged, &nothing), "retrieval_needs_recovery");
        assert_eq!(mode(&Facts { binary_replaced: true, ..well() }, &nothing), "stale_binding_suspected");
    }
}
