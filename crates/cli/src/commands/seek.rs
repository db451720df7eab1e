//! `m1nd seek`: code by what it is about, one place a line.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::args::{Global, Seek};
use crate::output::{self, DIM, NUMBER, PATH, Reader, harmless};
use crate::spinner::Spinner;
use crate::wiring;

pub fn run(global: &Global, seek: &Seek) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let spinner = Spinner::start("looking");
    let reply = super::ask(
        &runtime,
        "seek",
        json!({
            "query": seek.query.join(" "),
            "scope": seek.scope,
            "top_k": seek.top_k,
            "group_by": if seek.files { "file" } else { "symbol" },
        }),
    );
    drop(spinner);
    output::print(&reply, Reader::of(seek.json), |out, body| show(out, body))
}

fn show(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let word = |value: &Value| harmless(value.as_str().unwrap_or_default());
    for found in body["results"].as_array().into_iter().flatten() {
        let (path, line) = (word(&found["file_path"]), &found["line_start"]);
        writeln!(
            out,
            "{PATH}{path}{PATH:#}:{NUMBER}{line}{NUMBER:#} {} {DIM}{}{DIM:#}",
            word(&found["label"]),
            word(&found["intent_summary"])
        )?;
    }
    for found in body["files"].as_array().into_iter().flatten() {
        let symbols: Vec<String> = found["symbols"].as_array().into_iter().flatten().map(word).collect();
        writeln!(out, "{PATH}{}{PATH:#} {DIM}{}{DIM:#}", word(&found["file_path"]), symbols.join(" "))?;
    }
    if let Some(hint) = body["next_step_hint"].as_str() {
        writeln!(out, "{DIM}{}{DIM:#}", harmless(hint))?;
    }
    Ok(())
}
