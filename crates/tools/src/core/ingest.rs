//! `ingest`: reads the workspace into the graph.

use m1nd_contract::{Code, Fault, Guidance, Recovery};
use m1nd_runtime::faults::from_vfs;
use m1nd_runtime::flows::ingest::{run, shown};
use m1nd_runtime::workspace::Reuse;
use m1nd_runtime::{Answer, Ctx, Effect, Example, JobState, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub struct Ingest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The workspace (the default); another folder cannot be ingested on this binding
    path: Option<String>,
    /// Parse only files that changed
    #[schemars(extend("default" = true))]
    incremental: Option<bool>,
}

/// What the ingest did so far.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// done, running, failed or cancelled.
    state: String,
    /// Ask job_status about it while it runs.
    job_id: String,
    /// Numbers of a finished ingest: files_seen, files_parsed, files_reused, files_skipped, nodes, edges, languages, unresolved_references, generation, phases.
    #[serde(flatten)]
    #[schemars(skip)]
    report: Map<String, Value>,
}

impl Tool for Ingest {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "ingest",
        summary: "Read the workspace into the code graph. Unchanged files are not parsed again; goes on as a job when it takes long.",
        help: "Honours .gitignore, .ignore and .m1ndignore; files over 2 MiB, binary, minified and generated ones are counted with the reason. \
            The graph is saved and loaded again at the next start; graph tools look at the files before each answer and read again what changed.",
        intents: &["index repository", "build graph", "refresh graph", "read workspace"],
        effect: Effect::Ingest,
        examples: &[Example { says: "The workspace", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        if let Some(path) = &input.path {
            let root = ctx.workspace()?.root();
            root.locate(path).map_err(|err| from_vfs::path(ctx.tool(), "path", err))?;
        }
        let reuse = if input.incremental.unwrap_or(true) { Reuse::Unchanged } else { Reuse::Nothing };
        let (job, state) = run(ctx, reuse)?;
        let guidance = match &state {
            JobState::Running => {
                Guidance::next("job_status", job.id.clone(), "The ingest goes on; ask how far it is.")
            }
            JobState::Done(_) => Guidance::hint("Ask for outline, callers or callees."),
            JobState::Cancelled => {
                return Err(m1nd_runtime::faults::stopped(m1nd_stdx::cancel::Stop::Cancelled));
            }
            JobState::Failed(why) => {
                return Err(Fault::new(
                    Code::Internal,
                    format!("The ingest failed: {why}."),
                    Recovery::hint("The last good graph is still there. The log says more."),
                ));
            }
        };
        let nodes = match &state {
            JobState::Done(report) => report["nodes"].as_u64().unwrap_or_default(),
            _ => 0,
        };
        Ok(Answer::of(Output::new(shown(&job, &state))).candidates(nodes).next(guidance))
    }
}

impl Output {
    fn new(shown: Value) -> Self {
        let Value::Object(mut report) = shown else {
            return Self { state: String::new(), job_id: String::new(), report: Map::new() };
        };
        let mut take = |name: &str| match report.remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (state, job_id) = (take("state"), take("job_id"));
        report.remove("elapsed_ms");
        Self { state, job_id, report }
    }
}

m1nd_contract::fixed_size!(Output);
