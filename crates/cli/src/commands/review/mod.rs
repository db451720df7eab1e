//! `m1nd review`: one look at a change set, for people and for CI.

mod sarif;

use std::io::{self, Write};
use std::process::ExitCode;

use m1nd_runtime::Reply;
use serde_json::{Value, json};

use super::change::{diff_text, hint, word};
use crate::args::{ReviewArgs, ReviewFormat, Threshold};
use crate::output::{self, BAD, DIM, NUMBER, PATH, Reader, harmless};
use crate::spinner::Spinner;
use crate::wiring;

/// Nothing failed, but findings are as bad as `--fail-on` says.
const FOUND: u8 = 3;

pub fn run(global: &crate::args::Global, args: &ReviewArgs) -> anyhow::Result<ExitCode> {
    let mut arguments = json!({ "max_chars": 1_000_000 });
    if let Some(base) = &args.base {
        arguments["base"] = json!(base);
    }
    if let Some(diff) = &args.diff {
        arguments["diff"] = json!(diff_text(diff)?);
    }
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let spinner = Spinner::start("looking");
    let mut reply = super::ask(&runtime, "review", arguments.clone());
    // CI starts with an empty home.
    if reply.is_error && reply.body["error"]["code"] == "empty_graph" {
        let read = super::ask_to_the_end(&runtime, "ingest", json!({}));
        if !read.is_error {
            reply = super::ask(&runtime, "review", arguments);
        }
    }
    drop(spinner);
    let is_bad = args.fail_on.is_some_and(|threshold| fails(&reply.body, threshold));
    let code = match args.format {
        ReviewFormat::Text => output::print(&reply, Reader::Person, show)?,
        ReviewFormat::Sarif if !reply.is_error => {
            let log = sarif::log(&reply.body);
            output::print(&Reply { body: log, is_error: false }, Reader::Program, show)?
        }
        ReviewFormat::Json | ReviewFormat::Sarif => output::print(&reply, Reader::Program, show)?,
    };
    Ok(if is_bad && !reply.is_error { ExitCode::from(FOUND) } else { code })
}

fn fails(body: &Value, threshold: Threshold) -> bool {
    let severities = body["findings"].as_array().into_iter().flatten().map(|one| &one["severity"]);
    severities.filter_map(Value::as_str).any(|severity| Threshold::of(severity) >= Some(threshold))
}

fn show(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    for one in body["findings"].as_array().into_iter().flatten() {
        let severity = word(&one["severity"]);
        let style = if matches!(severity.as_str(), "high" | "critical") { BAD } else { NUMBER };
        writeln!(
            out,
            "{style}{severity:<8}{style:#} {PATH}{}{PATH:#} {} {DIM}[{}]{DIM:#}",
            word(&one["at"]),
            word(&one["message"]),
            word(&one["kind"])
        )?;
        let places: Vec<String> = one["places"].as_array().into_iter().flatten().map(word).collect();
        if !places.is_empty() {
            writeln!(out, "         {DIM}see {}{DIM:#}", places.join(" "))?;
        }
    }
    let list = |name: &str, field: &str| -> Vec<String> {
        body[name].as_array().into_iter().flatten().map(|one| word(&one[field])).collect()
    };
    let (tests, reviewers) = (list("tests", "file_path"), list("reviewers", "name"));
    if !tests.is_empty() {
        writeln!(out, "tests: {}", tests.join(" "))?;
    }
    if !reviewers.is_empty() {
        writeln!(out, "reviewers: {}", reviewers.join(", "))?;
    }
    for why in body["no_data"].as_array().into_iter().flatten() {
        writeln!(out, "{DIM}{}{DIM:#}", harmless(why.as_str().unwrap_or_default()))?;
    }
    writeln!(
        out,
        "{DIM}{} files, +{} -{}; {} findings; risk {} ({}){DIM:#}",
        body["changed_files"],
        body["lines_added"],
        body["lines_removed"],
        body["total"],
        body["risk_score"],
        word(&body["risk_level"])
    )?;
    hint(out, body)
}
