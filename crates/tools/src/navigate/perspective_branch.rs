//! `perspective_branch`: go on in two directions.

use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::navigate::perspectives::{self, Page, Stand};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct PerspectiveBranch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
    /// What the other is for
    name: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The walk that it was branched off.
    parent_id: String,
    #[serde(flatten)]
    stand: Stand,
}

impl Tool for PerspectiveBranch {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_branch",
        summary: "Go on with a walk in a second direction: the same steps under a new id.",
        intents: &["branch a walk", "try another way", "fork a perspective"],
        budget: Some(3_000),
        examples: &[Example {
            says: "For another idea",
            arguments: r#"{"perspective_id": "persp_1", "name": "who else"}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let name = input.name.map(|name| name[..name.floor_char_boundary(100)].to_owned());
        let here = perspectives::branch(ctx, &at, &input.perspective_id, name)?;
        let stand = perspectives::stand(&at.graph, &here, Page::default(), None);
        let parent_id = here.walk.parent.clone().unwrap_or_default();
        let next = Guidance {
            next_suggested_tool: Some("perspective_suggest"),
            next_suggested_target: Some(stand.perspective_id.clone()),
            next_step_hint: None,
        };
        let total = stand.total_routes as u64;
        Ok(Answer::of(Output { parent_id, stand }).candidates(total).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.stand.shorten(excess, 0)
    }
}
