//! `audit`: one call to know an unfamiliar repository.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::faults::{self, from_vfs};
use m1nd_runtime::flows::audit::{self, Section};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Audit;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    #[default]
    Overview,
    Structure,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder to look at
    path: Option<String>,
    /// overview: what there is; structure: what is worth a look
    #[serde(default)]
    #[schemars(extend("default" = "overview"))]
    profile: Profile,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Most telling first within each.
    sections: Vec<Section>,
}

impl Tool for Audit {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "audit",
        summary: "Know an unfamiliar repository in one call: languages, entry points, parts, hot spots, risk, tests, docs; or its structural findings.",
        help: "Totals are exact; items are the first of them. Places are path:line, which view, callers and diagram take.\n\
            overview: languages, entry_points, parts (communities), central_files, hot_spots (commits times lines), risk (fix commits times log of \
            dependants), tests, docs, call_edges by evidence.\n\
            structure: import_cycles, large_files, unmentioned (dead code candidates), orphan_files, duplicates, untested_hubs. Each note says \
            what the list rests on. Generated, vendored and damaged files, tests, examples, fixtures and benchmarks are left out.",
        intents: &[
            "understand repository",
            "overview",
            "orientation",
            "dead code",
            "cycles",
            "duplicates",
            "where to start",
            "hot spots",
        ],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        family: Family::Orient,
        examples: &[
            Example { says: "What is this repository?", arguments: "{}" },
            Example {
                says: "What is worth a look in a folder?",
                arguments: r#"{"path": "src", "profile": "structure"}"#,
            },
        ],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let root = ctx.workspace()?.root();
        let scope = match &input.path {
            Some(path) => {
                root.locate(path).map_err(|err| from_vfs::path(ctx.tool(), "path", err))?.as_str().to_owned()
            }
            None => String::new(),
        };
        let scope = scope.as_str();
        let at = ctx.graph_view_with_history()?;
        let (sections, guidance) = match input.profile {
            Profile::Overview => (
                audit::overview(&at.graph, scope),
                Guidance::hint("outline shows a part; profile structure lists what is worth a look."),
            ),
            Profile::Structure => (
                audit::structure(&at.graph, root, scope, ctx.cancel()).map_err(faults::stopped)?,
                Guidance::default(),
            ),
        };
        let count = sections.len() as u64;
        Ok(Answer::of(Output { sections }).candidates(count).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        audit::shorten(&mut self.sections, excess) || self.sections.pop().is_some()
    }
}
