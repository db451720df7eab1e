//! `persist`: the graph on disk: save it, load it, export it.

use m1nd_contract::{Code, Fault, Guidance, Recovery};
use m1nd_runtime::faults::{self, from_vfs};
use m1nd_runtime::flows::brought;
use m1nd_runtime::workspace::{ReloadError, Saved};
use m1nd_runtime::{Answer, Ctx, Effect, Example, Spec, Tool};
use m1nd_vfs::PathError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Persist;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    #[default]
    Save,
    Load,
    Export,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// save now, load the last good snapshot, or export as JSON
    #[serde(default)]
    #[schemars(extend("default" = "save"))]
    action: Action,
    /// Where in the workspace to export to; default: the runtime root
    path: Option<String>,
}

#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Output {
    /// saved, loaded, exported, empty (there is no graph) or busy (another process is writing it).
    state: &'static str,
    /// Bytes of the file.
    bytes: u64,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Generation of the graph.
    generation: u64,
    /// Its nodes.
    nodes: u64,
    /// Its edges.
    edges: u64,
}

impl Tool for Persist {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "persist",
        summary: "Write the graph to disk now, load the last good one, or export it as JSON. Ingest saves by itself.",
        help: "An export is one line of JSON with a schema version; `ingest` with adapter json reads it back to an equal graph, \
            learned weights included. A file that is not an export is never overwritten.",
        intents: &["save graph", "snapshot", "export graph", "load graph"],
        effect: Effect::Remember,
        examples: &[
            Example { says: "Save", arguments: r#"{"action": "save"}"# },
            Example { says: "Export", arguments: r#"{"action": "export"}"# },
        ],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        if let Some(path) = &input.path {
            match ctx.workspace()?.root().locate(path) {
                // An export makes the file.
                Ok(_) | Err(PathError::NotFound { .. }) => {}
                Err(err) => return Err(from_vfs::path(ctx.tool(), "path", err)),
            }
            if input.action != Action::Export {
                return Err(ctx.invalid("`path` goes with action \"export\"."));
            }
        }
        match input.action {
            Action::Save => save(ctx),
            Action::Load => load(ctx),
            Action::Export => export(ctx, input.path.as_deref()),
        }
    }
}

fn save(ctx: &Ctx<'_>) -> Result<Answer<Output>, Fault> {
    let saved = ctx.workspace()?.save().map_err(|err| {
        Fault::new(
            Code::Storage,
            format!("The graph could not be written: {err}."),
            Recovery::hint("Free some space or allow this user to write to the runtime root; the graph in memory is unharmed."),
        )
    })?;
    let (state, file, bytes) = match saved {
        Saved::Written { path, bytes } => ("saved", Some(path.display().to_string()), bytes),
        Saved::Nothing => ("empty", None, 0),
        Saved::AnotherWrites => ("busy", None, 0),
    };
    Ok(Answer::of(Output { state, bytes, file, ..counts(ctx)? }))
}

fn load(ctx: &Ctx<'_>) -> Result<Answer<Output>, Fault> {
    let workspace = ctx.workspace()?;
    let loaded = workspace.reload(ctx.cancel()).map_err(|err| match err {
        ReloadError::Stopped(stop) => faults::stopped(stop),
        ReloadError::Snapshot(err) => Fault::new(
            Code::Storage,
            format!("The snapshot cannot be read: {err}."),
            Recovery::call(
                "The graph in memory is unharmed; ingest makes a new snapshot.",
                "ingest",
                serde_json::json!({}),
            ),
        ),
    })?;
    let state = if loaded.is_some() { "loaded" } else { "empty" };
    let bytes = workspace.last_save().map_or(0, |(_, bytes)| bytes);
    let guidance = match &loaded {
        Some(_) => Guidance::default(),
        None => Guidance::hint("No graph was saved yet; ingest makes and saves one."),
    };
    Ok(Answer::of(Output { state, bytes, ..counts(ctx)? }).next(guidance))
}

fn export(ctx: &Ctx<'_>, path: Option<&str>) -> Result<Answer<Output>, Fault> {
    // What commits say of files goes out with them.
    let at = ctx.graph_view_with_history()?;
    let exported = brought::export(ctx, &at.graph, path)?;
    let output = Output {
        state: "exported",
        bytes: exported.bytes,
        file: Some(exported.path.display().to_string()),
        generation: at.graph.generation(),
        nodes: at.graph.node_count() as u64,
        edges: at.graph.edge_count() as u64,
    };
    Ok(Answer::of(output))
}

fn counts(ctx: &Ctx<'_>) -> Result<Output, Fault> {
    let view = ctx.workspace()?.view();
    let (generation, nodes, edges) = (view.generation(), view.node_count(), view.edge_count());
    Ok(Output { generation, nodes, edges, ..Output::default() })
}

m1nd_contract::fixed_size!(Output);
