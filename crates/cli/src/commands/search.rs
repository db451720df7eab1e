//! `m1nd search`: text in the files of the workspace, printed as grep does.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::args::{Global, Search};
use crate::output::{self, DIM, NUMBER, PATH, Reader, harmless};
use crate::spinner::Spinner;
use crate::wiring;

pub fn run(global: &Global, search: &Search) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let spinner = Spinner::start("searching");
    let reply = super::ask(
        &runtime,
        "search",
        json!({
            "query": search.query,
            "mode": if search.regex { "regex" } else { "literal" },
            "scope": search.scope,
            "glob": search.glob,
            "top_k": search.top_k,
            "context_lines": search.context,
            "case_sensitive": search.case_sensitive,
            "multiline": search.multiline,
        }),
    );
    drop(spinner);
    output::print(&reply, Reader::of(search.json), |out, body| show(out, body))
}

fn show(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let lines = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut last = None;
    for found in lines(&body["matches"]) {
        let path = harmless(found["file_path"].as_str().unwrap_or_default());
        if last.as_ref() != Some(&path) {
            if last.is_some() {
                writeln!(out)?;
            }
            writeln!(out, "{PATH}{path}{PATH:#}")?;
            last = Some(path);
        }
        let number = found["line_number"].as_u64().unwrap_or_default();
        let before = lines(&found["context_before"]);
        for (offset, text) in before.iter().enumerate() {
            let at = number.saturating_sub((before.len() - offset) as u64);
            writeln!(out, "{DIM}{at}- {}{DIM:#}", harmless(text.as_str().unwrap_or_default()))?;
        }
        writeln!(
            out,
            "{NUMBER}{number}{NUMBER:#}: {}",
            harmless(found["line_content"].as_str().unwrap_or_default())
        )?;
        for (at, text) in (number + 1..).zip(lines(&found["context_after"])) {
            writeln!(out, "{DIM}{at}- {}{DIM:#}", harmless(text.as_str().unwrap_or_default()))?;
        }
    }
    let (total, shown) =
        (body["total_matches"].as_u64().unwrap_or_default(), lines(&body["matches"]).len() as u64);
    if let Some(missed) = body["unsearched"].as_object() {
        let words: Vec<String> = missed.iter().map(|(why, count)| format!("{count} {why}")).collect();
        writeln!(out, "{DIM}not searched: {} files{DIM:#}", words.join(", "))?;
    }
    let (files, searched) = (&body["files_matched"], &body["files_searched"]);
    match shown < total {
        true => writeln!(out, "{DIM}{shown} of {total} matches in {files} files; -k shows more{DIM:#}"),
        false => writeln!(out, "{DIM}{total} matches in {files} of {searched} files{DIM:#}"),
    }
}
