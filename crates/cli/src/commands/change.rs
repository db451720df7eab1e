//! `m1nd impact`, `predict` and `trace`: what a change reaches, what goes with it, and what a failure went through.

use std::io::{self, IsTerminal as _, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::args::{Global, ImpactArgs};
use crate::output::{self, DIM, NUMBER, PATH, Reader, harmless};
use crate::spinner::Spinner;
use crate::wiring;

/// A longer log holds more than one failure.
const MAX_LOG: u64 = 1 << 20;

pub fn impact(global: &Global, args: &ImpactArgs) -> anyhow::Result<ExitCode> {
    let mut arguments =
        json!({ "direction": args.direction, "max_hops": args.max_hops, "max_chars": 1_000_000 });
    match (&args.node, &args.diff) {
        (Some(node), _) => arguments["node_id"] = json!(node),
        (None, Some(diff)) => arguments["diff"] = json!(diff_text(diff)?),
        (None, None) => anyhow::bail!(
            "Name what changes, or give --diff with a git range, a file, or - for standard input."
        ),
    }
    ask(global, "impact", arguments, args.json, show_impact)
}

/// What stands in a file or on standard input; else the range itself.
pub(super) fn diff_text(diff: &str) -> anyhow::Result<String> {
    if diff == "-" {
        return Ok(text_of(io::stdin())?);
    }
    let path = PathBuf::from(diff);
    if path.is_file() {
        let read = || text_of(std::fs::File::open(&path)?);
        return read().with_context(|| format!("{diff} cannot be read"));
    }
    Ok(diff.to_owned())
}

/// Logs and diffs hold what programs wrote: a byte that is no letter does not make the rest unreadable.
fn text_of(mut from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub fn predict(global: &Global, nodes: &[String], top: usize, json: bool) -> anyhow::Result<ExitCode> {
    let arguments = json!({ "changed_nodes": nodes, "top_k": top, "max_chars": 1_000_000 });
    ask(global, "predict", arguments, json, |out, body| {
        for one in body["predictions"].as_array().into_iter().flatten() {
            let share = one["confidence"].as_f64().unwrap_or_default() * 100.0;
            let path = word(&one["node_id"]);
            let path = path.strip_prefix("file::").unwrap_or(&path);
            writeln!(
                out,
                "{NUMBER}{share:>3.0} %{NUMBER:#} {PATH}{path}{PATH:#} {DIM}{}{DIM:#}",
                word(&one["reason"])
            )?;
        }
        hint(out, body)
    })
}

pub fn trace(
    global: &Global,
    file: Option<PathBuf>,
    language: Option<String>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let text = match &file {
        Some(path) => {
            let file =
                std::fs::File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
            text_of(file.take(MAX_LOG))?
        }
        None => {
            anyhow::ensure!(
                !io::stdin().is_terminal(),
                "Give the log's file, or pipe it in: m1nd trace < error.log"
            );
            text_of(io::stdin().take(MAX_LOG))?
        }
    };
    let mut arguments = json!({ "error_text": text, "max_chars": 1_000_000 });
    if let Some(language) = language {
        arguments["language"] = json!(language);
    }
    ask(global, "trace", arguments, json, show_trace)
}

fn ask(
    global: &Global,
    tool: &str,
    arguments: Value,
    json: bool,
    show: impl Fn(&mut dyn Write, &Value) -> io::Result<()>,
) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let spinner = Spinner::start("looking");
    let reply = super::ask(&runtime, tool, arguments);
    drop(spinner);
    output::print(&reply, Reader::of(json), |out, body| show(out, body))
}

fn show_impact(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    for hit in body["blast_radius"].as_array().into_iter().flatten() {
        let guess = if hit["inferred"].is_null() { "" } else { " (inferred)" };
        writeln!(
            out,
            "{NUMBER}{:>5.3}{NUMBER:#} {:>2} {PATH}{}{PATH:#} {DIM}{}{guess}{DIM:#}",
            hit["signal_strength"].as_f64().unwrap_or_default(),
            hit["hop_distance"],
            word(&hit["node_id"]),
            word(&hit["via"]),
        )?;
    }
    let tests: Vec<String> =
        body["tests"].as_array().into_iter().flatten().map(|test| word(&test["at"])).collect();
    if !tests.is_empty() {
        writeln!(out, "tests: {}", tests.join(" "))?;
    }
    writeln!(
        out,
        "{DIM}{} nodes, {} of them direct callers; {} tests; {} reached only by a guess{DIM:#}",
        body["total"], body["direct_callers"], body["tests_total"], body["inferred"]
    )?;
    hint(out, body)
}

fn show_trace(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    if let Some(message) = body["message"].as_str() {
        writeln!(out, "{}", harmless(message))?;
    }
    for suspect in body["suspects"].as_array().into_iter().flatten() {
        let moved = if suspect["moved"].is_null() { "" } else { " (the file changed since)" };
        writeln!(
            out,
            "{NUMBER}{:>5.3}{NUMBER:#} {PATH}{}{PATH:#} {}{DIM}{moved}{DIM:#}",
            suspect["suspiciousness"].as_f64().unwrap_or_default(),
            word(&suspect["at"]),
            word(&suspect["node_id"]),
        )?;
    }
    let chain: Vec<String> = body["causal_chain"].as_array().into_iter().flatten().map(word).collect();
    if !chain.is_empty() {
        writeln!(out, "{}", chain.join(" > "))?;
    }
    writeln!(
        out,
        "{DIM}{} of {} frames are of this repository{DIM:#}",
        body["frames_mapped"], body["frames_parsed"]
    )?;
    hint(out, body)
}

pub(super) fn word(value: &Value) -> String {
    harmless(value.as_str().unwrap_or_default()).to_string()
}

pub(super) fn hint(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    match body["next_step_hint"].as_str() {
        Some(hint) => writeln!(out, "{DIM}{hint}{DIM:#}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_with_a_byte_that_is_no_letter() {
        let log = b"  File \"a.py\", line 3, in f\nbad \xff byte\n".as_slice();
        assert_eq!(text_of(log).unwrap(), "  File \"a.py\", line 3, in f\nbad \u{fffd} byte\n");
    }
}
