//! `differential`: what differs between two graphs, now and then.

use m1nd_contract::budget::{cut_text, drop_tail, json_len};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_risk::differential::Relation;
use m1nd_runtime::flows::snapshots::{self, Side};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Differential;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The older one: current, a file that `persist` exported, or a git revision
    snapshot_a: String,
    /// The newer one [default: current]
    #[schemars(extend("default" = "current"))]
    snapshot_b: Option<String>,
    /// Words; what is named with them comes first
    question: Option<String>,
    /// Only these nodes and what is in them
    focus_nodes: Option<Vec<String>>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Totals {
    nodes_added: u64,
    nodes_removed: u64,
    nodes_moved: u64,
    signatures_changed: u64,
    edges_added: u64,
    edges_removed: u64,
    weights_changed: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Moved {
    from: String,
    to: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Signature {
    node_id: String,
    was: String,
    is: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Weight {
    edge: String,
    was: f64,
    is: f64,
}

/// Relations between two communities of the newer graph.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Coupling {
    between: [String; 2],
    before: u32,
    after: u32,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    a: Side,
    b: Side,
    #[serde(skip_serializing_if = "String::is_empty")]
    summary: String,
    totals: Totals,
    /// Ids; files first, then what more leads to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    new_nodes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed_nodes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moved_nodes: Vec<Moved>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_signatures: Vec<Signature>,
    /// source kind target
    #[serde(skip_serializing_if = "Vec::is_empty")]
    new_edges: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed_edges: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weight_changes: Vec<Weight>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    coupling: Vec<Coupling>,
    truncated: bool,
}

/// More of one kind helps nobody.
const MAX_SHOWN: usize = 60;
/// Bytes of a signature that are shown.
const LONG: usize = 160;
/// Shorter words are in every name.
const MIN_WORD: usize = 3;

impl Tool for Differential {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "differential",
        summary: "What differs between two states of the code graph: now, an exported graph, or a git revision (read from git's objects, without a checkout).",
        help: "A revision costs reading all its files and resolving them; only files that differ from today's are parsed. It can be cancelled. Nodes that are the only ones of their kind, name and signature on both sides are told as moved. \
            Weights are learned, so they differ only between exports and today.",
        intents: &[
            "compare versions of the architecture",
            "what changed since the release",
            "architecture drift",
            "graph diff",
        ],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "Nothing differs", arguments: r#"{"snapshot_a": "current"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let newer = input.snapshot_b.as_deref().unwrap_or(snapshots::CURRENT);
        let names = [("snapshot_a", input.snapshot_a.as_str()), ("snapshot_b", newer)];
        let focus = input.focus_nodes.unwrap_or_default();
        let snapshots::Compared { sides: [a, b], found } = snapshots::compare(ctx, names, &focus)?;
        let totals = Totals {
            nodes_added: found.added.len() as u64,
            nodes_removed: found.removed.len() as u64,
            nodes_moved: found.moved.len() as u64,
            signatures_changed: found.reshaped.len() as u64,
            edges_added: found.edges_added.len() as u64,
            edges_removed: found.edges_removed.len() as u64,
            weights_changed: found.reweighted.len() as u64,
        };
        let asked = Asked::of(input.question.as_deref().unwrap_or_default());
        let edge = |(from, kind, to): &Relation| format!("{from} {} {to}", kind.name());
        let edges = |list: &[Relation]| asked.first(list.iter().map(edge).collect(), |text| text.clone());
        let summary = summary(&totals, &found.coupling);
        let total = totals.nodes_added + totals.nodes_removed + totals.edges_added + totals.edges_removed;
        let guidance = match found.added.first().or(found.edges_added.first().map(|edge| &edge.0)) {
            Some(first) => Guidance::next("impact", first.clone(), "See what rests on what is new."),
            None => {
                Guidance::hint("Nothing is new. Look at what was removed, or compare with an older revision.")
            }
        };
        let output = Output {
            a,
            b,
            summary,
            totals,
            truncated: total > 0 && [&found.added, &found.removed].iter().any(|list| list.len() > MAX_SHOWN)
                || [&found.edges_added, &found.edges_removed].iter().any(|list| list.len() > MAX_SHOWN),
            new_nodes: asked.first(found.added, |id| id.clone()),
            removed_nodes: asked.first(found.removed, |id| id.clone()),
            moved_nodes: asked.first(
                found.moved.into_iter().map(|one| Moved { from: one.from, to: one.to }).collect(),
                |one| one.to.clone(),
            ),
            changed_signatures: asked.first(
                found
                    .reshaped
                    .into_iter()
                    .map(|one| Signature { node_id: one.id, was: short(one.was), is: short(one.is) })
                    .collect(),
                |one| one.node_id.clone(),
            ),
            new_edges: edges(&found.edges_added),
            removed_edges: edges(&found.edges_removed),
            weight_changes: asked.first(
                found
                    .reweighted
                    .iter()
                    .map(|one| Weight { edge: edge(&one.relation), was: round3(one.was), is: round3(one.is) })
                    .collect(),
                |one| one.edge.clone(),
            ),
            coupling: asked.first(
                found
                    .coupling
                    .into_iter()
                    .map(|one| Coupling {
                        between: [one.one, one.other],
                        before: one.before,
                        after: one.after,
                    })
                    .collect(),
                |one| one.between.concat(),
            ),
        };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

fn summary(totals: &Totals, coupling: &[m1nd_risk::differential::Coupling]) -> String {
    let mut text = format!(
        "{} nodes came, {} went, {} moved; {} signatures changed; {} relations came, {} went.",
        totals.nodes_added,
        totals.nodes_removed,
        totals.nodes_moved,
        totals.signatures_changed,
        totals.edges_added,
        totals.edges_removed
    );
    if let Some(most) = coupling.first() {
        text += &format!(
            " Most changed between {} and {}: {} relations, now {}.",
            most.one, most.other, most.before, most.after
        );
    }
    text
}

/// A signature is known by its beginning.
fn short(mut signature: String) -> String {
    if cut_text(&mut signature, LONG) > 0 {
        signature.push('…');
    }
    signature
}

/// The words of a question.
struct Asked(Vec<String>);

impl Asked {
    fn of(question: &str) -> Self {
        let words = question.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| word.len() >= MIN_WORD).map(str::to_lowercase);
        let common =
            ["what", "which", "the", "has", "have", "did", "does", "changed", "new", "how", "and", "for"];
        Self(words.filter(|word| !common.contains(&word.as_str())).collect())
    }

    /// What is named with the most words first, else in the order that it has; as many as are shown.
    fn first<T>(&self, mut list: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
        let missing = |one: &T| {
            let name = name(one).to_lowercase();
            self.0.iter().filter(|word| !name.contains(word.as_str())).count()
        };
        list.sort_by_cached_key(missing);
        list.truncate(MAX_SHOWN);
        list
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        // The longest list gives way first.
        let sizes = [
            json_len(&self.new_edges),
            json_len(&self.removed_edges),
            json_len(&self.new_nodes),
            json_len(&self.removed_nodes),
            json_len(&self.moved_nodes),
            json_len(&self.changed_signatures),
            json_len(&self.weight_changes),
            json_len(&self.coupling),
        ];
        let longest = sizes.iter().enumerate().max_by_key(|(_, len)| **len).map(|(at, _)| at);
        // A little at a time, so that no list is emptied for the sake of another.
        let some = excess.min(400);
        match longest {
            Some(0) => drop_tail(&mut self.new_edges, some) > 0,
            Some(1) => drop_tail(&mut self.removed_edges, some) > 0,
            Some(2) => drop_tail(&mut self.new_nodes, some) > 0,
            Some(3) => drop_tail(&mut self.removed_nodes, some) > 0,
            Some(4) => drop_tail(&mut self.moved_nodes, some) > 0,
            Some(5) => drop_tail(&mut self.changed_signatures, some) > 0,
            Some(6) => drop_tail(&mut self.weight_changes, some) > 0,
            _ => {
                // It only says the totals in words.
                drop_tail(&mut self.coupling, some) > 0 || cut_text(&mut self.summary, 0) > 0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_question_names_comes_first() {
        let asked = Asked::of("What changed in the parser?");
        assert_eq!(asked.0, ["parser"]);
        let list = vec!["file::a.rs", "file::parser.rs", "file::b.rs"];
        assert_eq!(asked.first(list, |id| (*id).to_owned()), ["file::parser.rs", "file::a.rs", "file::b.rs"]);
    }
}
