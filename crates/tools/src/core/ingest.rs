//! `ingest`: reads the workspace into the graph.

use m1nd_contract::{Code, Fault, Guidance, Recovery};
use m1nd_runtime::faults::{from_bring, from_vfs};
use m1nd_runtime::flows::brought::{self, Adapter};
use m1nd_runtime::flows::ingest::{What, run, shown};
use m1nd_runtime::flows::roots;
use m1nd_runtime::workspace::{Keep, Reuse};
use m1nd_runtime::{Answer, Ctx, Effect, Example, Family, JobState, Spec, Tool};
use m1nd_vfs::PathError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub struct Ingest;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    #[default]
    Code,
    Scip,
    Json,
    Auto,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Replace,
    Merge,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    AddRoot,
    RemoveRoot,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A place in the workspace; the index or export for scip and json; another repository for add_root
    path: Option<String>,
    /// code: source files; scip: a compiler's index; json: a graph from persist export; auto: by what path is
    #[serde(default)]
    #[schemars(extend("default" = "code"))]
    adapter: Reader,
    /// merge keeps other indexes (scip)
    #[schemars(extend("default" = "replace"))]
    mode: Option<Mode>,
    /// Parse only files that changed
    #[schemars(extend("default" = true))]
    incremental: Option<bool>,
    /// Name of another repository in the graph; its paths begin with it and ::
    namespace: Option<String>,
    /// Put another repository (path) into this graph, or take it (namespace) out
    intent: Option<Intent>,
}

/// What the ingest did so far.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// done or running.
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
            The graph is saved and loaded again at the next start; graph tools look at the files before each answer and read again what changed. \
            The whole workspace is read whatever `path` names in it, and both modes do the same for code.\n\
            scip: `path` is an index.scip that a compiler's indexer made. Calls that it shows become precise, calls that it contradicts go, \
            and this holds for every later generation, for files that are still as they were when the index was read; documents newer than \
            the index are not used. mode replace drops other indexes, merge keeps them.\n\
            add_root: `path` is another repository on this machine. Its files are read, watched and found like the workspace's own, \
            under paths such as name::/src/lib.rs, until remove_root; the name is `namespace`, else the folder's. It stays its own repository: \
            ignore rules, history and packages are its own, and calls cross over where packages are named by imports.\n\
            json: `path` is a file that `persist export` wrote. It becomes the graph as it is, and answers say stale, until the workspace \
            is ingested with adapter code.",
        intents: &[
            "index repository",
            "build graph",
            "refresh graph",
            "read workspace",
            "scip index",
            "import graph",
        ],
        effect: Effect::Ingest,
        family: Family::Ingest,
        examples: &[Example { says: "The workspace", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let changed = change_roots(ctx, &input)?;
        let what = if changed { What::Files(Reuse::Unchanged) } else { what(ctx, &input)? };
        let root = ctx.workspace()?.root();
        let place = input.path.as_deref().and_then(|path| root.locate(path).ok());
        let part = !changed && matches!(what, What::Files(_)) && place.is_some_and(|place| !place.is_root());
        let (job, state) = run(ctx, what)?;
        let guidance = match &state {
            JobState::Running => {
                Guidance::next("job_status", job.id.clone(), "The ingest goes on; ask how far it is.")
            }
            JobState::Done(report) if report.get("imported_from").is_some() => Guidance::hint(
                "Answers come from the imported graph and say stale; ingest with adapter code goes back to the files.",
            ),
            JobState::Done(_) if part => Guidance::hint(
                "The whole workspace was read, not only `path`, because files of a graph find each other. Ask for outline of the path.",
            ),
            JobState::Done(_) | JobState::Cancelled => Guidance::hint("Ask for outline, callers or callees."),
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

/// Puts another repository in or takes one out; whether that was asked for.
fn change_roots(ctx: &Ctx<'_>, input: &Input) -> Result<bool, Fault> {
    let namespace = input.namespace.as_deref();
    match input.intent {
        None if namespace.is_some() => {
            Err(ctx.invalid("`namespace` names another repository in the graph: say with `intent` whether to add_root or to remove_root it."))
        }
        None => Ok(false),
        Some(_) if !matches!(input.adapter, Reader::Code | Reader::Auto) => {
            Err(ctx.invalid("`intent`: only repositories are put in and taken out; leave `adapter` away."))
        }
        Some(Intent::AddRoot) => {
            let path = input.path.as_deref().filter(|path| !path.trim().is_empty());
            let path = path.ok_or_else(|| ctx.invalid("`path` must name the other repository's folder."))?;
            roots::add(ctx, path, namespace)?;
            Ok(true)
        }
        Some(Intent::RemoveRoot) => {
            let namespace = namespace.ok_or_else(|| ctx.invalid("`namespace` must say which repository to take out."))?;
            roots::remove(ctx, namespace)?;
            Ok(true)
        }
    }
}

fn what(ctx: &Ctx<'_>, input: &Input) -> Result<What, Fault> {
    let root = ctx.workspace()?.root();
    let path = input.path.as_deref().map(|path| root.locate(path)).transpose();
    let path = path.map_err(|err| match (input.adapter, err) {
        (Reader::Code, PathError::Outside { path }) => from_bring::another_repository(ctx.tool(), &path),
        (Reader::Code, err) => from_vfs::path(ctx.tool(), "path", err),
        (_, err) => from_bring::path(ctx.tool(), err),
    })?;
    let wanted = match input.adapter {
        Reader::Code => Adapter::Code,
        Reader::Scip => Adapter::Scip,
        Reader::Json => Adapter::Json,
        Reader::Auto => brought::adapter_of(root, path.as_ref()),
    };
    let named =
        || path.clone().ok_or_else(|| ctx.invalid("`path` must name the file that this adapter reads."));
    match wanted {
        Adapter::Code if input.incremental.unwrap_or(true) => Ok(What::Files(Reuse::Unchanged)),
        Adapter::Code => Ok(What::Files(Reuse::Nothing)),
        Adapter::Scip if input.mode == Some(Mode::Merge) => Ok(What::Index(named()?, Keep::Others)),
        Adapter::Scip => Ok(What::Index(named()?, Keep::OnlyThis)),
        Adapter::Json if input.mode == Some(Mode::Merge) => {
            Err(ctx.invalid("`mode`: an exported graph replaces the graph; it cannot be merged into it."))
        }
        Adapter::Json => Ok(What::Export(named()?)),
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
