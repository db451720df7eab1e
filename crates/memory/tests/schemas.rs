//! Requests and outputs have schemas that every host can take, and every field of a request is described.

#![allow(clippy::unwrap_used)]

use m1nd_memory::{branch, brief, commits, graph, notes, search, tasks, think, workspace};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value()
}

/// What stands in the way of one plain type, at any depth: references, unions of real types, no type.
fn faults(schema: &Value, at: &str, out: &mut Vec<String>) {
    let Some(node) = schema.as_object() else {
        out.push(format!("{at} says nothing"));
        return;
    };
    for word in ["$ref", "$defs", "allOf", "not", "if"] {
        if node.contains_key(word) {
            out.push(format!("{at} uses {word}"));
        }
    }
    let null = json!("null");
    for word in ["anyOf", "oneOf"] {
        let Some(choices) = node.get(word).and_then(Value::as_array) else { continue };
        let real: Vec<&Value> = choices.iter().filter(|choice| choice.get("type") != Some(&null)).collect();
        let constants =
            real.iter().all(|choice| choice.get("const").is_some() || choice.get("enum").is_some());
        match real.as_slice() {
            _ if constants => return,
            [only] => return faults(only, at, out),
            _ => out.push(format!("{at} is a union")),
        }
    }
    match node.get("type") {
        Some(Value::String(_)) => {}
        Some(Value::Array(types)) if types.iter().filter(|kind| **kind != null).count() == 1 => {}
        other => out.push(format!("{at} has the type {other:?}")),
    }
    if let Some(items) = node.get("items") {
        faults(items, &format!("{at}[]"), out);
    }
    for (name, schema) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        faults(schema, &format!("{at}.{name}"), out);
    }
}

fn check<I: JsonSchema, O: JsonSchema>(name: &str) {
    let mut out = Vec::new();
    let input = schema::<I>();
    assert_eq!(input["additionalProperties"], json!(false), "{name} takes unknown fields");
    assert!(input["required"].as_array().unwrap().contains(&json!("workspace")), "{name}");
    for (field, schema) in input["properties"].as_object().unwrap() {
        assert!(schema.get("description").is_some() || field.len() < 3, "{name}: {field} is not described");
    }
    faults(&input, name, &mut out);
    faults(&schema::<O>(), &format!("{name} ->"), &mut out);
    assert_eq!(out, [""; 0]);
}

#[test]
fn every_request_and_output_is_plain_and_described() {
    check::<workspace::InitRequest, workspace::InitOutput>("init");
    check::<workspace::StatusRequest, workspace::StatusOutput>("status");
    check::<branch::BranchCreateRequest, branch::BranchCreateOutput>("branch_create");
    check::<branch::BranchListRequest, branch::BranchListOutput>("branch_list");
    check::<branch::CheckoutRequest, branch::CheckoutOutput>("checkout");
    check::<notes::NotesCommitRequest, notes::NotesCommitOutput>("notes_commit");
    check::<notes::ShowRequest, notes::ShowOutput>("show");
    check::<notes::DiffRequest, notes::DiffOutput>("diff");
    check::<notes::MergeRequest, notes::MergeOutput>("merge");
    check::<notes::ExportRequest, notes::ExportOutput>("export");
    check::<commits::CommitRequest, commits::CommitOutput>("commit");
    check::<commits::LogRequest, commits::LogOutput>("log");
    check::<graph::GraphApplyRequest, graph::GraphApplyOutput>("graph_apply");
    check::<graph::GraphQueryRequest, graph::GraphQueryOutput>("graph_query");
    check::<graph::GraphValidateRequest, graph::GraphValidateOutput>("graph_validate");
    check::<graph::GraphDiffRequest, graph::GraphDiffOutput>("graph_diff");
    check::<graph::GraphMergeRequest, graph::GraphMergeOutput>("graph_merge");
    check::<graph::ConflictsRequest, graph::ConflictsOutput>("graph_conflicts");
    check::<graph::ConflictShowRequest, graph::ConflictShowOutput>("graph_conflict_show");
    check::<graph::ConflictResolveRequest, graph::ConflictResolveOutput>("graph_conflict_resolve");
    check::<think::ThinkTemplateRequest, think::ThinkTemplateOutput>("think_template");
    check::<think::ThinkCardRequest, think::ThinkCardOutput>("think_card");
    check::<think::ThinkContextRequest, think::ThinkContextOutput>("think_context");
    check::<think::ThinkNextRequest, think::ThinkNextOutput>("think_next");
    check::<tasks::TasksCreateRequest, tasks::TasksCreateOutput>("tasks_create");
    check::<tasks::TasksDecomposeRequest, tasks::TasksDecomposeOutput>("tasks_decompose");
    check::<tasks::TasksDefineRequest, tasks::StepOutput>("tasks_define");
    check::<tasks::TasksNoteRequest, tasks::TasksNoteOutput>("tasks_note");
    check::<tasks::TasksVerifyRequest, tasks::StepOutput>("tasks_verify");
    check::<tasks::TasksDoneRequest, tasks::TasksDoneOutput>("tasks_done");
    check::<tasks::TasksEditRequest, tasks::TasksEditOutput>("tasks_edit");
    check::<tasks::TasksRadarRequest, tasks::TasksRadarOutput>("tasks_radar");
    check::<tasks::TasksContextRequest, tasks::TasksContextOutput>("tasks_context");
    check::<tasks::TasksDeltaRequest, tasks::TasksDeltaOutput>("tasks_delta");
    check::<tasks::FocusGetRequest, tasks::FocusOutput>("tasks_focus_get");
    check::<tasks::FocusSetRequest, tasks::FocusOutput>("tasks_focus_set");
    check::<tasks::TasksReadyRequest, tasks::TasksReadyOutput>("tasks_ready");
    check::<tasks::ClaimRequest, tasks::ClaimOutput>("tasks_claim");
    check::<tasks::ReleaseRequest, tasks::ReleaseOutput>("tasks_release");
    check::<search::SearchRequest, search::SearchOutput>("memory_search");
    check::<brief::BriefRequest, brief::BriefOutput>("brief");
}
