//! `m1nd ingest`, `callers`, `callees`, `outline` and `stats`: the code graph from a terminal.

use std::io::{self, Write};
use std::process::ExitCode;

use m1nd_stdx::cancel::CancelToken;
use serde_json::{Value, json};

use crate::args::{Global, IngestArgs, Named};
use crate::output::{self, DIM, NUMBER, PATH, Reader, harmless};
use crate::spinner::Spinner;
use crate::wiring;

pub fn ingest(global: &Global, args: IngestArgs) -> anyhow::Result<ExitCode> {
    let mut global = global.clone();
    let IngestArgs { path, full, add_root, name, remove_root, json } = args;
    global.workspace = path.or(global.workspace);
    let arguments = match (add_root, remove_root) {
        (Some(folder), _) => {
            let folder = std::path::absolute(folder)?;
            let mut arguments = json!({ "intent": "add_root", "path": folder.to_string_lossy() });
            if let Some(name) = name {
                arguments["namespace"] = json!(name);
            }
            arguments
        }
        (None, Some(name)) => json!({ "intent": "remove_root", "namespace": name }),
        (None, None) => json!({ "incremental": !full }),
    };
    let runtime = wiring::runtime(&wiring::config(&global)?)?;
    let spinner = match runtime.workspace() {
        Some(workspace) => Spinner::ingesting(workspace),
        None => Spinner::start("ingesting"),
    };
    let reply = super::ask_to_the_end(&runtime, "ingest", arguments);
    drop(spinner);
    output::print(&reply, Reader::of(json), |out, body| {
        let languages: Vec<String> = body["languages"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(language, files)| format!("{language} {files}"))
            .collect();
        writeln!(
            out,
            "{} nodes, {} edges from {} files ({} lines): {}",
            body["nodes"],
            body["edges"],
            body["files_seen"],
            body["lines"],
            languages.join(", ")
        )?;
        let reasons = |name: &str| -> String {
            let counts = body[name].as_object().into_iter().flatten();
            let words: Vec<String> = counts.map(|(reason, count)| format!("{count} {reason}")).collect();
            if words.is_empty() { "none".to_owned() } else { words.join(", ") }
        };
        writeln!(
            out,
            "{DIM}parsed {}, reused {}, other kinds {}, skipped: {}, in part: {}, failed {}{DIM:#}",
            body["files_parsed"],
            body["files_reused"],
            body["files_unsupported"],
            reasons("files_skipped"),
            reasons("files_partial"),
            body["files_failed"]
        )?;
        for (name, word) in [("files_generated", "generated"), ("files_vendored", "vendored")] {
            if let Some(count) = body[name].as_u64() {
                writeln!(out, "{DIM}{count} {word} among them{DIM:#}")?;
            }
        }
        for root in body["roots"].as_array().into_iter().flatten() {
            let word = |name: &str| harmless(root[name].as_str().unwrap_or_default());
            let problem = root["problem"].as_str().map(|_| format!(" ({})", word("problem")));
            writeln!(
                out,
                "{PATH}{}::{PATH:#} {}{}",
                word("namespace"),
                word("path"),
                problem.unwrap_or_default()
            )?;
        }
        Ok(())
    })
}

pub fn calls(global: &Global, tool: &str, named: &Named) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let spinner = Spinner::start("looking");
    let arguments = json!({ "node_id": named.node, "limit": named.limit, "max_chars": 1_000_000 });
    let reply = super::ask(&runtime, tool, arguments);
    drop(spinner);
    output::print(&reply, Reader::of(named.json), |out, body| show_calls(out, body))
}

fn show_calls(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let word = |value: &Value| harmless(value.as_str().unwrap_or_default());
    for call in body["calls"].as_array().into_iter().flatten() {
        let guess = if call["candidates"].is_null() { "" } else { " (inferred)" };
        writeln!(
            out,
            "{PATH}{}{PATH:#}:{NUMBER}{}{NUMBER:#} {}{DIM}{guess}{DIM:#}",
            word(&call["file_path"]),
            call["line"],
            word(&call["label"])
        )?;
        writeln!(out, "    {DIM}{}{DIM:#}", word(&call["source"]))?;
    }
    writeln!(out, "{DIM}{} calls, {} of them inferred{DIM:#}", body["total"], body["inferred"])?;
    match body["next_step_hint"].as_str() {
        Some(hint) => writeln!(out, "{DIM}{hint}{DIM:#}"),
        None => Ok(()),
    }
}

pub fn outline(global: &Global, path: &str, depth: u32, json: bool) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let spinner = Spinner::start("looking");
    let reply =
        super::ask(&runtime, "outline", json!({ "file_path": path, "depth": depth, "max_chars": 1_000_000 }));
    drop(spinner);
    output::print(&reply, Reader::of(json), |out, body| {
        for line in body["lines"].as_array().into_iter().flatten() {
            writeln!(out, "{}", harmless(line.as_str().unwrap_or_default()))?;
        }
        Ok(())
    })
}

pub fn stats(global: &Global, json: bool) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    // Health says what is in memory, and this process has only what the last one left.
    if let Some(workspace) = runtime.workspace()
        && let Err(stopped) = workspace.fresh_view(runtime.clock(), &CancelToken::new())
    {
        tracing::warn!(?stopped, "the files were not looked at");
    }
    let reply = super::ask(&runtime, "health", json!({}));
    output::print(&reply, Reader::of(json), |out, body| output::plain(out, body))
}
