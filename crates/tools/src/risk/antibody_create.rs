//! `antibody_create`: keep the pattern of a confirmed bug, to find the like of it.

use m1nd_contract::{Fault, Guidance, ProofState, fixed_size};
use m1nd_risk::antibody::Wanted;
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::immunity::{self, Request};
use m1nd_runtime::workspace;
use m1nd_runtime::{Answer, Ctx, Effect, Example, Needs, Spec, Tool};
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct AntibodyCreate;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    #[default]
    Warning,
    Critical,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The node that had the bug: id, path:line or name
    node_id: String,
    /// What the bug is, in a few words
    name: String,
    /// Names it uses, or words in its source, that belong to the bug; by default the three it shares with the fewest others
    #[serde(default)]
    with: Vec<String>,
    /// Names that a sound place uses and the bug did not
    #[serde(default)]
    without: Vec<String>,
    /// The form of its own name, such as get_*
    named: Option<String>,
    /// Why it is a bug and how to mend it
    description: Option<String>,
    /// How bad it is
    #[serde(default)]
    #[schemars(extend("default" = "warning"))]
    severity: Severity,
    /// Id of an antibody that this one takes the place of
    replaces: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    antibody_id: String,
    /// In words.
    pattern: String,
    /// 1 minus the share of nodes of its kind that it fits.
    specificity: f64,
    /// Nodes that it fits now.
    matches: u64,
    /// Nodes of that kind.
    of: u64,
    /// Whether it still fits the node that it was made from.
    matches_source: bool,
    /// The first of the others that it fits.
    others: Vec<String>,
}

const SHOWN: usize = 5;
/// Nobody looks at more places than this.
const MANY: u64 = 100;
/// Longer texts are cut.
const MAX_NAME: usize = 120;
const MAX_DESCRIPTION: usize = 1_000;
/// More names make no pattern of twelve nodes.
const MAX_NAMES: usize = 11;

impl Tool for AntibodyCreate {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "antibody_create",
        summary: "Keep the pattern of a confirmed bug (what its node uses, and what it fails to use), so that antibody_scan finds the like of it.",
        help: "The pattern is the node, what it is said to be used with (within two relations of it, or as words of its source) and the relations among them: at most 12 nodes and 20 relations. \
            without: the node has no relation to such a name, nor does the word stand in its source; this is what tells a bug from a sound place. Functions and methods count as one kind, as do all types. \
            Refused: specificity below 0.15, a likeness above 0.9 to another (shared demands over all demands), more than 500.",
        intents: &["record bug pattern", "remember this bug", "antibody", "find similar bugs"],
        effect: Effect::Remember,
        needs: Needs::Graph,
        lean: true,
        examples: &[Example {
            says: "What formats text and checks nothing",
            arguments: r#"{"node_id": "greet", "name": "name is not checked", "with": ["format"], "without": ["is_empty"]}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let name = input.name.trim();
        if name.is_empty() {
            return Err(ctx.invalid("`name` must say what the bug is."));
        }
        if input.with.len().max(input.without.len()) > MAX_NAMES {
            return Err(ctx.invalid(format!("`with` and `without` take at most {MAX_NAMES} names each.")));
        }
        let names = input.with.iter().chain(&input.without).chain(&input.named);
        if names.clone().any(|name| name.trim().is_empty()) {
            return Err(ctx.invalid("`with`, `without` and `named` must not be empty."));
        }
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let centre = from_graph::find_code(ctx.workspace()?.root(), graph, "node_id", &input.node_id)?;
        let description = input.description.as_deref().unwrap_or_default();
        let request = Request {
            name: &name[..name.floor_char_boundary(MAX_NAME)],
            description: &description[..description.floor_char_boundary(MAX_DESCRIPTION)],
            severity: match input.severity {
                Severity::Info => workspace::Severity::Info,
                Severity::Warning => workspace::Severity::Warning,
                Severity::Critical => workspace::Severity::Critical,
            },
            centre,
            wanted: Wanted { with: &input.with, without: &input.without, named: input.named.as_deref() },
            replaces: input.replaces.as_deref(),
            now: ctx.runtime().clock().now(),
        };
        let made = immunity::create(ctx, graph, &request)?;
        let others = made.found.centres.iter().filter(|&&node| node != centre);
        let output = Output {
            antibody_id: made.antibody.id,
            pattern: made.antibody.pattern.to_string(),
            specificity: round4(made.antibody.specificity),
            matches: made.found.centres.len() as u64,
            of: made.population as u64,
            matches_source: made.found.centres.contains(&centre),
            others: others.take(SHOWN).map(|&node| graph.node(node).id().to_owned()).collect(),
        };
        let hint = if !output.matches_source {
            "It does not fit the node it was made of, which now has what `without` names: right where that is mended already. Else make another and name this one in `replaces`."
        } else if output.matches > MANY {
            "It fits many places: make a closer one and name this one in `replaces`."
        } else {
            "Look at the places that it fits; a sound one among them wants `without`."
        };
        let guidance = Guidance {
            next_suggested_tool: Some("antibody_scan"),
            next_suggested_target: None,
            next_step_hint: Some(hint.to_owned()),
        };
        Ok(Answer::of(output).proof(ProofState::Proving).next(guidance))
    }
}

fixed_size!(Output);
