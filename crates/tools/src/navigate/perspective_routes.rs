//! `perspective_routes`: the ways on from where a walk stands.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_navigate::Family;
use m1nd_runtime::flows::navigate::perspectives::{self, Page, Stand};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{READ, version};

pub struct PerspectiveRoutes;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
    /// From 1
    #[schemars(extend("default" = 1))]
    page: Option<Int>,
    /// Or next_cursor of the answer before
    cursor: Option<Int>,
    /// 1-10
    #[schemars(extend("default" = 6))]
    page_size: Option<Int>,
    /// Only these: calls, called_by, tests, tested_by, inherits, inherited_by, references, referenced_by, imports, imported_by, contains, inside, changes_with
    family: Option<String>,
    /// The one you have; an old one is answered with fresh routes and stale
    route_set_version: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    stand: Stand,
}

impl Tool for PerspectiveRoutes {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_routes",
        summary: "The ways on from where a walk stands, best first, six a page; an outdated route_set_version is answered with fresh routes.",
        intents: &["where can I go from here", "routes", "next page of routes"],
        budget: Some(4_000),
        examples: &[Example { says: "The first page", arguments: r#"{"perspective_id": "persp_1"}"# }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let number = ctx.in_range("page", input.page, 1..=1_000_000)?;
        let cursor = ctx.in_range("cursor", input.cursor, 0..=10_000_000)?;
        let size = ctx.clamp("page_size", input.page_size, 6, 1..=10);
        let requested = version(ctx, input.route_set_version)?;
        let family = match input.family.as_deref() {
            None => None,
            Some(name) => Some(Family::parse(name.trim()).ok_or_else(|| {
                let known = Family::ALL.map(Family::name).join(", ");
                ctx.invalid(format!("`family` must be one of {known}."))
            })?),
        };
        let at = ctx.graph_view()?;
        let here = perspectives::open(ctx, &at, &input.perspective_id)?;
        let from = match (number, cursor) {
            (Some(_), Some(_)) => return Err(ctx.invalid("Give `page` or `cursor`, not both.")),
            (_, Some(cursor)) => usize::try_from(cursor).unwrap_or_default(),
            (number, None) => (usize::try_from(number.unwrap_or(1)).unwrap_or(1) - 1) * size,
        };
        let page = Page { from, size, family };
        let stand = perspectives::stand(&at.graph, &here, page, requested);
        let total = stand.total_routes as u64;
        let next = match stand.routes.is_empty() {
            true if stand.page > stand.pages && stand.total_routes > 0 => {
                Guidance::hint(format!("The last page is {}.", stand.pages))
            }
            true => Guidance::hint("No such way leads on from here; perspective_back goes back."),
            false => Guidance::next(
                "perspective_suggest",
                stand.perspective_id.clone(),
                "Ask for the best way on.",
            ),
        };
        Ok(Answer::of(Output { stand }).candidates(total).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.stand.shorten(excess, 1)
    }
}
