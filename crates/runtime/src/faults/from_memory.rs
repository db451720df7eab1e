//! What memory said, as advice. Every next call is a read: no hint confirms a gate or throws anything away.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_memory::error::GraphPlace;
use m1nd_memory::port::AnchorAt;
use m1nd_memory::{MemoryError, StoreError};
use m1nd_vfs::root::Kind;
use m1nd_vfs::{PathError, Root};
use serde_json::json;

use super::{from_vfs, invalid_params};
use crate::Ctx;

const BRANCHES: &str = "branchmind_branch_list";
const CONFLICT: &str = "branchmind_graph_conflict_show";
const TEMPLATE: &str = "branchmind_think_template";
const NODES: &str = "branchmind_graph_query";
const RADAR: &str = "tasks_radar";
const ENTITIES: &str = "tasks_context";
const EVENTS: &str = "tasks_delta";
const STATUS: &str = "branchmind_status";

/// What `tool` says when memory refuses.
pub fn refusal(tool: &str, root: &Root, err: &MemoryError) -> Fault {
    use MemoryError as E;
    let said = sentence(err);
    let wrong = || invalid_params(tool, said.clone());
    let fault = |code, recovery| Fault::new(code, said.clone(), recovery);
    match err {
        E::Invalid { .. } | E::OneOf { .. } | E::SelectorDisagrees { .. } => wrong(),
        E::Store(err) => store(err),
        E::BranchUnknown { nearest, .. } => fault(
            Code::UnknownBranch,
            Recovery::call(
                named("List the branches, or create this one first.", nearest),
                BRANCHES,
                json!({}),
            ),
        ),
        E::BranchExists { .. } => {
            fault(Code::Conflict, Recovery::call("Take another name, or use the branch.", BRANCHES, json!({})))
        }
        E::BranchTooDeep { .. } => fault(
            Code::InvalidParams,
            Recovery::call("Branch off an older branch, or merge back first.", BRANCHES, json!({})),
        ),
        E::TargetUnknown { nearest, .. } => fault(
            Code::UnknownTarget,
            Recovery::call(named("List the plans and tasks.", nearest), ENTITIES, json!({})),
        ),
        E::NoTarget => fault(
            Code::UnknownTarget,
            Recovery::call("Name a plan or task, or put one in focus; this lists them.", ENTITIES, json!({})),
        ),
        E::NoGraphDoc { .. } => fault(
            Code::UnknownTarget,
            Recovery::call("Name `doc`, or a branch that has a graph.", BRANCHES, json!({})),
        ),
        E::SeveralGraphDocs { docs, .. } => fault(
            Code::InvalidParams,
            Recovery::hint("Call again with `doc` as one of detail.docs."),
        )
        .with_detail(json!({ "docs": docs })),
        E::ReservedId { .. } => fault(
            Code::InvalidParams,
            Recovery::hint("Take another id; change tasks and steps through the tasks_ tools."),
        ),
        E::NodeUnknown { nearest, at, .. } => {
            fault(Code::NodeNotFound, nodes(named("This reads what is there.", nearest), at, nearest))
        }
        E::EdgeUnknown { from, to, at, .. } => {
            let ends = [from.clone(), to.clone()];
            fault(Code::NodeNotFound, nodes("This reads its nodes and the edges between them.", at, &ends))
        }
        E::WouldDangle { at, .. } => {
            let advice = "Upsert the node before the edge, in the same call; this lists the nodes that are there.";
            fault(Code::NodeNotFound, nodes(advice, at, &[]))
        }
        E::NotMergeBack { .. } => fault(
            Code::InvalidParams,
            Recovery::call("Graphs merge back into their base; this lists the bases.", BRANCHES, json!({})),
        ),
        E::ConflictUnknown { .. } => fault(
            Code::UnknownTarget,
            Recovery::call(
                "This names the open ones; branchmind_graph_conflicts lists all of a branch (`into`).",
                "brief",
                json!({}),
            ),
        ),
        E::ConflictSettled { id, .. } => fault(
            Code::Conflict,
            Recovery::call("It is settled; this shows how.", CONFLICT, json!({ "conflict_id": id })),
        ),
        E::ConflictNeedsNode { missing, from, into, doc, .. } => {
            let advice = format!(
                "Keep the destination with use_into. Or put the node back into {into} with branchmind_graph_apply, then \
                 settle it again with use_from; this reads the node as {from} has it."
            );
            let at = GraphPlace { branch: from.clone(), doc: doc.clone() };
            fault(Code::Conflict, nodes(advice, &at, std::slice::from_ref(missing)))
        }
        E::ConflictStale { id, current, edges } => fault(
            Code::Stale,
            Recovery::call(
                "Compare with detail.current. Merge again to record what is there now.",
                CONFLICT,
                json!({ "conflict_id": id }),
            ),
        )
        .with_detail(match edges.as_slice() {
            [] => json!({ "current": current }),
            edges => json!({ "current": current, "edges_at_node": edges }),
        }),
        E::CardTypeUnknown { supported, .. } => fault(
            Code::InvalidParams,
            Recovery::call(
                format!("Supported types: {}.", supported.join(", ")),
                TEMPLATE,
                json!({ "type": supported.first().copied().unwrap_or("note") }),
            ),
        )
        .with_detail(json!({ "supported_types": supported })),
        E::CardUnreadable { .. } => fault(
            Code::InvalidParams,
            Recovery::call("Fill in this template and pass it as `card`.", TEMPLATE, json!({ "type": "note" })),
        ),
        E::CardChanged { id, differs, at } => fault(
            Code::Conflict,
            nodes(
                "Read the card; then take another id, or call again with `update: true` to change it.",
                at,
                &[id.to_string()],
            ),
        )
        .with_detail(json!({ "differs": differs })),
        E::CardReferenceUnknown { nearest, at, .. } => {
            let advice = named("Write that card first; this reads what is there.", nearest);
            fault(Code::NodeNotFound, nodes(advice, at, nearest))
        }
        E::CardReferenceNoCard { other, at, .. } => {
            let advice = "Name cards only; branchmind_graph_apply links other nodes. This reads what is there.";
            fault(Code::InvalidParams, nodes(advice, at, std::slice::from_ref(other)))
        }
        E::CardUnknown { nearest, at, .. } => {
            let advice = named("Leave `update` out to write a new card; this reads what is there.", nearest);
            fault(Code::NodeNotFound, nodes(advice, at, nearest))
        }
        E::RevisionMismatch { id, expected, current } => {
            fault(Code::RevisionMismatch, radar("Somebody changed it; read it and decide again.", id))
                .with_detail(json!({ "expected": expected, "current": current }))
        }
        E::StepUnknown { task, nearest, .. } => {
            let advice = named("Read the task's steps.", nearest);
            fault(Code::UnknownTarget, Recovery::call(advice, ENTITIES, json!({ "task": task.to_string() })))
        }
        E::NoSuchStep { .. } => fault(
            Code::UnknownTarget,
            Recovery::call("List the tasks; tasks_context with `task` lists its steps.", ENTITIES, json!({})),
        ),
        E::EventUnknown { .. } => fault(
            Code::UnknownTarget,
            Recovery::call("Leave `since` out to begin with the first event; this lists them.", EVENTS, json!({})),
        ),
        E::NothingToChange { id } => {
            fault(Code::InvalidParams, radar("Name a field to change, such as `status`; this shows the present state.", id))
        }
        E::CheckpointsNotConfirmed { step, path, missing } => fault(
            Code::Conflict,
            Recovery::hint(
                "Run what proves it and keep the receipt: a command with its exit code, a commit, or a file's hash.",
            ),
        )
        .with_detail(json!({
            "reason": "checkpoints_not_confirmed", "missing": missing, "step_id": step, "path": path,
        })),
        E::OpenChildren { step, path, open } => {
            fault(Code::Conflict, Recovery::hint("Finish the steps below it first; tasks_radar names the next."))
                .with_detail(json!({ "reason": "open_children", "step_id": step, "path": path, "open": open }))
        }
        E::StepDone { .. } => {
            fault(Code::Conflict, Recovery::hint("Nothing is left to do for this step; tasks_radar names the next."))
        }
        E::OpenSteps { task, open } => {
            fault(Code::Conflict, radar("Finish the open steps first; this names the next.", task))
                .with_detail(json!({ "reason": "open_steps", "open": open }))
        }
        E::OpenTasks { plan, open } => fault(
            Code::Conflict,
            Recovery::call(
                "Finish or cancel its tasks first; this lists them.",
                ENTITIES,
                json!({ "task": plan.to_string() }),
            ),
        )
        .with_detail(json!({
            "reason": "open_tasks", "open": open.len(),
            "tasks": open.iter().take(20).map(ToString::to_string).collect::<Vec<_>>(),
        })),
        E::TaskClosed { task, .. } => fault(
            Code::Conflict,
            radar("Work on another task, or reopen this one with tasks_edit `status`.", task),
        ),
        E::DependencyCycle { task, .. } => {
            fault(Code::InvalidParams, radar("Leave that dependency out; this shows the task.", task))
        }
        E::ClaimHeld { by, until, .. } => fault(
            Code::Conflict,
            Recovery::call("Take another task that is ready, or wait until then.", "tasks_ready", json!({})),
        )
        .with_detail(json!({ "claimed_by": by, "until": until })),
        E::NotClaimed { task } => {
            fault(Code::Conflict, radar("Nobody holds it, so there is nothing to release.", task))
        }
        E::ClaimForeign { task } | E::ClaimExpired { task, .. } => fault(
            Code::Stale,
            radar("Read what happened meanwhile; then claim it again if it is still yours to do.", task),
        ),
        E::Sensitive { .. } => fault(
            Code::InvalidParams,
            Recovery::hint("Leave the secret out and say where it is kept. If it is none, pass `allow_sensitive: true`."),
        ),
        E::AnchorBeyond { at, count } => fault(
            Code::NodeNotFound,
            match at {
                AnchorAt::Path { path, .. } => Recovery::call(
                    "Name lines that the file has; this shows them.",
                    from_vfs::VIEW,
                    json!({ "file_path": path }),
                ),
                AnchorAt::Node { .. } => Recovery::hint("Name lines that the file has."),
            },
        )
        .with_detail(json!({ "lines": count })),
        E::AnchorUnknown { at } => place_unknown(tool, root, "anchors", at),
        E::EvidenceUnknown { at } => place_unknown(tool, root, "evidence", at),
        E::MachineDoc { .. } => fault(
            Code::InvalidParams,
            Recovery::hint("Write into `notes` or a document of your own. Cards go into a trace with branchmind_think_card, commits with branchmind_commit."),
        ),
        E::AnchorAmbiguous { candidates, .. } => fault(
            Code::AmbiguousNode,
            Recovery::hint("Call again with one of the ids in detail.candidates."),
        )
        .with_detail(json!({ "candidates": candidates })),
        E::ImportTargetNotEmpty { .. } => fault(
            Code::Conflict,
            Recovery::call("Import into a workspace of another name.", STATUS, json!({})),
        ),
        E::ImportUnreadable { .. } => fault(
            Code::InvalidParams,
            Recovery::hint("Use a file that `m1nd memory export --format jsonl` wrote, whole and unchanged."),
        ),
    }
}

/// The same of something that was looked for under a name that nothing was remembered under; `near` are names that
/// there are.
pub fn elsewhere(fault: Fault, asked: &str, near: &[String]) -> Fault {
    let (asked, said) = (shortened(asked), &fault.message);
    let Some(first) = near.first() else {
        let message = format!("{said} Nothing was remembered about this repository yet.");
        return Fault { message, ..fault };
    };
    let message =
        format!("{said} Nothing was remembered under the workspace {asked}; there is {}.", near.join(", "));
    let hint = "Call again with the `workspace` that was meant; this looks at the nearest.";
    Fault { message, recovery: Recovery::call(hint, STATUS, json!({ "workspace": first })), ..fault }
}

/// What memory refused in a call.
pub fn refusal_in(ctx: &Ctx<'_>, err: &MemoryError) -> Fault {
    match ctx.workspace() {
        Ok(workspace) => refusal(ctx.tool(), workspace.root(), err),
        Err(fault) => fault,
    }
}

/// What the store itself says no to.
pub fn store(err: &StoreError) -> Fault {
    let said = first_upper(&err.to_string());
    let (code, hint) = match err {
        StoreError::Busy { .. } => {
            (Code::Busy, "Another process is writing. Nothing was changed; call again.".to_owned())
        }
        StoreError::DiskFull => (
            Code::Storage,
            "Nothing was changed. Ask the user to free some space, then call again.".to_owned(),
        ),
        StoreError::ReadOnly { .. } => (
            Code::Storage,
            "Nothing was changed. Ask the user to allow writing there, or to set M1ND_HOME to another folder.".to_owned(),
        ),
        StoreError::Corrupt { set_aside: Some(kept), .. } => (
            Code::Storage,
            format!("The damaged file is kept as {kept}; tell the user. Calling again starts an empty memory."),
        ),
        StoreError::Corrupt { set_aside: None, .. } => {
            (Code::Storage, "Tell the user. The next call sets the damaged file aside.".to_owned())
        }
        StoreError::Unreadable { .. } => (
            Code::Storage,
            "Only this is damaged: the rest of memory is well, and nothing was changed or set aside. Tell the user. `m1nd verify` with the id of the mission says what is wrong with it; mission_resume goes on from what is left of it.".to_owned(),
        ),
        StoreError::SchemaTooNew { .. } => {
            (Code::Storage, "A newer m1nd wrote it. Ask the user to update this one; nothing was changed.".to_owned())
        }
        StoreError::Io { .. } | StoreError::Engine { .. } => {
            (Code::Storage, "Nothing was changed. `m1nd doctor` checks the disk and the folder.".to_owned())
        }
    };
    Fault::new(code, format!("{said}."), Recovery::hint(hint))
}

/// A path that leaves the workspace, a file that is not there, a line behind its end, or a node.
fn place_unknown(tool: &str, root: &Root, field: &str, at: &AnchorAt) -> Fault {
    match at {
        AnchorAt::Path { path, lines } => match root.locate(path) {
            Err(err) => from_vfs::path(tool, field, err),
            Ok(found) if lines.is_some() && root.kind(&found).is_ok_and(|kind| kind == Kind::Folder) => {
                Fault::new(
                    Code::NodeNotFound,
                    format!("`{field}`: {} is a folder and has no lines.", shortened(path)),
                    Recovery::hint("Leave the lines out to speak of the folder, or name one of its files."),
                )
            }
            Ok(_) => Fault::new(
                Code::NodeNotFound,
                match lines {
                    Some((first, _)) => format!("`{field}`: {} has no line {first}.", shortened(path)),
                    None => format!("`{field}`: {} cannot be read.", shortened(path)),
                },
                match lines {
                    Some(_) => Recovery::call(
                        "See which lines the file has.",
                        from_vfs::VIEW,
                        json!({ "file_path": path }),
                    ),
                    None => Recovery::hint("Name a file or folder of the workspace that can be read."),
                },
            ),
        },
        AnchorAt::Node { node_id } => match root.locate(node_id) {
            Err(err @ PathError::Outside { .. }) => from_vfs::path(tool, field, err),
            _ => Fault::new(
                Code::NodeNotFound,
                format!("`{field}`: nothing in the code is at {:?}.", shortened(node_id)),
                Recovery::call(
                    "Search for the name; each match carries the id of the node around it.",
                    from_vfs::SEARCH,
                    json!({ "query": shortened(node_id.rsplit("::").next().unwrap_or(node_id)) }),
                ),
            ),
        },
    }
}

fn radar(hint: &str, task: &m1nd_memory::ids::EntityId) -> Recovery {
    Recovery::call(hint, RADAR, json!({ "task": task.to_string() }))
}

/// Reads these nodes of a graph, or all if none is named.
fn nodes(hint: impl Into<String>, at: &GraphPlace, ids: &[String]) -> Recovery {
    let mut arguments = json!({ "branch": at.branch, "doc": at.doc });
    if !ids.is_empty() {
        arguments["ids"] = json!(ids);
    }
    Recovery::call(hint, NODES, arguments)
}

/// The nearest existing names before the advice.
fn named(advice: &str, nearest: &[String]) -> String {
    if nearest.is_empty() { advice.to_owned() } else { format!("Nearest: {}. {advice}", nearest.join(", ")) }
}

/// An error in a sentence, with the argument's name as arguments are written.
fn sentence(err: &MemoryError) -> String {
    match err {
        MemoryError::Invalid { field, reason } => {
            // What the argument is or does goes on with its name; anything else speaks for itself.
            let verbs = ["is ", "has ", "holds ", "belongs ", "goes ", "differs ", "cannot "];
            let joint = if verbs.iter().any(|verb| reason.starts_with(verb)) { "" } else { ":" };
            format!("`{field}`{joint} {}.", reason.trim_end_matches('.'))
        }
        other => format!("{}.", first_upper(&shortened(&other.to_string()).replace('\n', " "))),
    }
}

/// `checkpoints_not_confirmed` is a word that callers look for, not the beginning of a sentence.
fn first_upper(text: &str) -> String {
    let word = text.split([' ', ':']).next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !word.contains(['_', '/', '.']) => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Names come from outside: they are shown short.
fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(300)]
}
