//! `m1nd activate`: what goes with a name, one node a line.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::args::{Activate, Global};
use crate::output::{self, DIM, PATH, Reader, harmless};
use crate::spinner::Spinner;
use crate::wiring;

pub fn run(global: &Global, activate: &Activate) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let spinner = Spinner::start("looking");
    let arguments = json!({
        "query": activate.query.join(" "),
        "top_k": activate.top_k,
        "learn": !activate.no_learn,
    });
    let reply = super::ask(&runtime, "activate", arguments);
    drop(spinner);
    output::print(&reply, Reader::of(activate.json), |out, body| show(out, body))
}

fn show(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let word = |value: &Value| harmless(value.as_str().unwrap_or_default());
    for node in body["activated"].as_array().into_iter().flatten() {
        let dimensions = node["dimensions"].as_object().into_iter().flatten();
        let seen: Vec<String> = dimensions.map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(
            out,
            "{} {PATH}{}{PATH:#} {} {DIM}{}{DIM:#}",
            node["activation"],
            word(&node["provenance"]),
            word(&node["label"]),
            seen.join(", ")
        )?;
    }
    for ghost in body["ghost_edges"].as_array().into_iter().flatten() {
        let (one, other) = (word(&ghost["source"]), word(&ghost["target"]));
        writeln!(out, "{DIM}changes together: {one} and {other} ({} commits){DIM:#}", ghost["co_changes"])?;
    }
    if let Some(hint) = body["next_step_hint"].as_str() {
        writeln!(out, "{DIM}{}{DIM:#}", harmless(hint))?;
    }
    Ok(())
}
