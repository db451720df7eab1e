//! `differential`: what differs between two graphs, now and then.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{cut_text, drop_after, json_len};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_risk::differential::Relation;
use m1nd_risk::signature;
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
    /// This list alone
    part: Option<Part>,
    /// Go on in the list of `part` where an answer's next_cursor says
    cursor: Option<Int>,
}

/// A list of the answer.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Part {
    NewNodes,
    RemovedNodes,
    MovedNodes,
    ChangedSignatures,
    NewEdges,
    RemovedEdges,
    WeightChanges,
    Coupling,
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
    /// With `part`: the `cursor` that goes on after what is shown here.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    truncated: bool,
    #[serde(skip)]
    page: Option<Page>,
}

/// Where in one list an answer stands.
#[derive(Clone, Copy, Debug)]
struct Page {
    part: Part,
    begins: usize,
    of: usize,
}

/// More of one kind beside others helps nobody.
const MAX_SHOWN: usize = 60;
/// Of a list that is asked for alone, as many as a page may have.
const MAX_PAGE: usize = 1_000;
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
            Weights are learned, so they differ only between exports and today. Each list shows at most 60; `part` asks for one alone, which `cursor` goes through.",
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
        let cursor = ctx.in_range("cursor", input.cursor, 0..=i64::MAX)?;
        if cursor.is_some() && input.part.is_none() {
            return Err(ctx.invalid("`cursor` goes on in one list: say which in `part`."));
        }
        let begins = usize::try_from(cursor.unwrap_or(0)).unwrap_or(usize::MAX);
        let asked =
            Asked { words: words(input.question.as_deref().unwrap_or_default()), part: input.part, begins };
        let edge = |(from, kind, to): &Relation| format!("{from} {} {to}", kind.name());
        let edges = |part: Part, list: &[Relation]| {
            asked.first(part, list.iter().map(edge).collect(), |text| text.clone())
        };
        let summary = summary(&totals, &found.coupling);
        let total = totals.nodes_added + totals.nodes_removed + totals.edges_added + totals.edges_removed;
        // A picture has nothing that rests on it.
        let code = found.added.iter().find(|id| !id.starts_with("file::"));
        let guidance = match code.or(found.edges_added.first().map(|edge| &edge.2)) {
            Some(first) => Guidance::next("impact", first.clone(), "See what rests on what is new."),
            None if !found.added.is_empty() => Guidance::hint(
                "No code is new. Look at the files that came, or compare with an older revision.",
            ),
            None => {
                Guidance::hint("Nothing is new. Look at what was removed, or compare with an older revision.")
            }
        };
        let sizes = [
            (Part::NewNodes, found.added.len()),
            (Part::RemovedNodes, found.removed.len()),
            (Part::MovedNodes, found.moved.len()),
            (Part::ChangedSignatures, found.reshaped.len()),
            (Part::NewEdges, found.edges_added.len()),
            (Part::RemovedEdges, found.edges_removed.len()),
            (Part::WeightChanges, found.reweighted.len()),
            (Part::Coupling, found.coupling.len()),
        ];
        let page = sizes.iter().find(|(part, _)| input.part == Some(*part));
        let page = page.map(|&(part, of)| Page { part, begins, of });
        if let Some(page) = page.filter(|page| page.begins > 0 && page.begins >= page.of) {
            return Err(ctx.invalid(format!("`cursor` is beyond the {} of this list.", page.of)));
        }
        let mut output = Output {
            a,
            b,
            summary,
            totals,
            truncated: page.is_none() && sizes.iter().any(|&(_, len)| len > MAX_SHOWN),
            new_nodes: asked.first(Part::NewNodes, found.added, |id| id.clone()),
            removed_nodes: asked.first(Part::RemovedNodes, found.removed, |id| id.clone()),
            moved_nodes: asked.first(
                Part::MovedNodes,
                found.moved.into_iter().map(|one| Moved { from: one.from, to: one.to }).collect(),
                |one| one.to.clone(),
            ),
            changed_signatures: asked.first(
                Part::ChangedSignatures,
                found
                    .reshaped
                    .into_iter()
                    .map(|one| {
                        let [was, is] = signature::shown(&one.was, &one.is, LONG);
                        Signature { node_id: one.id, was, is }
                    })
                    .collect(),
                |one| one.node_id.clone(),
            ),
            new_edges: edges(Part::NewEdges, &found.edges_added),
            removed_edges: edges(Part::RemovedEdges, &found.edges_removed),
            weight_changes: asked.first(
                Part::WeightChanges,
                found
                    .reweighted
                    .iter()
                    .map(|one| Weight { edge: edge(&one.relation), was: round3(one.was), is: round3(one.is) })
                    .collect(),
                |one| one.edge.clone(),
            ),
            coupling: asked.first(
                Part::Coupling,
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
            next_cursor: None,
            page,
        };
        output.settle();
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

/// The words of a question that can tell one name from another.
fn words(question: &str) -> Vec<String> {
    let words = question.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.filter(|word| word.len() >= MIN_WORD).map(str::to_lowercase);
    let common =
        ["what", "which", "the", "has", "have", "did", "does", "changed", "new", "how", "and", "for"];
    words.filter(|word| !common.contains(&word.as_str())).collect()
}

/// What is asked for: by which words lists are ordered, and which of them is shown from where.
struct Asked {
    words: Vec<String>,
    part: Option<Part>,
    begins: usize,
}

impl Asked {
    /// What is named with the most words first, else in the order that it has; as many as are shown.
    fn first<T>(&self, part: Part, mut list: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
        if self.part.is_some_and(|asked| asked != part) {
            return Vec::new();
        }
        let missing = |one: &T| {
            let name = name(one).to_lowercase();
            self.words.iter().filter(|word| !name.contains(word.as_str())).count()
        };
        list.sort_by_cached_key(missing);
        let most = if self.part.is_some() { MAX_PAGE } else { MAX_SHOWN };
        list.into_iter().skip(self.begins).take(most).collect()
    }
}

impl Output {
    /// Says where to go on in the one list that was asked for.
    fn settle(&mut self) {
        let Some(Page { part, begins, of }) = self.page else { return };
        let shown = match part {
            Part::NewNodes => self.new_nodes.len(),
            Part::RemovedNodes => self.removed_nodes.len(),
            Part::MovedNodes => self.moved_nodes.len(),
            Part::ChangedSignatures => self.changed_signatures.len(),
            Part::NewEdges => self.new_edges.len(),
            Part::RemovedEdges => self.removed_edges.len(),
            Part::WeightChanges => self.weight_changes.len(),
            Part::Coupling => self.coupling.len(),
        };
        let end = begins + shown;
        self.next_cursor = (end < of).then_some(end as u64);
        self.truncated |= self.next_cursor.is_some();
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
        // A page that shows nothing leads nowhere.
        let kept = usize::from(self.page.is_some());
        let dropped = match longest {
            Some(0) => drop_after(&mut self.new_edges, kept, some),
            Some(1) => drop_after(&mut self.removed_edges, kept, some),
            Some(2) => drop_after(&mut self.new_nodes, kept, some),
            Some(3) => drop_after(&mut self.removed_nodes, kept, some),
            Some(4) => drop_after(&mut self.moved_nodes, kept, some),
            Some(5) => drop_after(&mut self.changed_signatures, kept, some),
            Some(6) => drop_after(&mut self.weight_changes, kept, some),
            _ => drop_after(&mut self.coupling, kept, some),
        };
        self.settle();
        // The summary only says the totals in words.
        dropped > 0 || cut_text(&mut self.summary, 0) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_question_names_comes_first() {
        let asked = Asked { words: words("What changed in the parser?"), part: None, begins: 0 };
        assert_eq!(asked.words, ["parser"]);
        let list = vec!["file::a.rs", "file::parser.rs", "file::b.rs"];
        let ordered = asked.first(Part::NewNodes, list, |id| (*id).to_owned());
        assert_eq!(ordered, ["file::parser.rs", "file::a.rs", "file::b.rs"]);
    }
}
