//! `m1nd view`: numbered lines of a file.

use std::process::ExitCode;

use serde_json::json;

use crate::args::{Global, View};
use crate::output::{self, DIM, Reader, harmless};
use crate::wiring;

pub fn run(global: &Global, view: &View) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let arguments =
        json!({ "file_path": view.path, "offset": view.offset, "limit": view.limit, "max_chars": 1_000_000 });
    let reply = super::ask(&runtime, "view", arguments);
    output::print(&reply, Reader::of(view.json), |out, body| {
        write!(out, "{}", harmless(body["content"].as_str().unwrap_or_default()))?;
        match body["next_offset"].as_u64() {
            Some(next) => writeln!(out, "{DIM}lines {next} to {} follow{DIM:#}", body["total_lines"]),
            None => Ok(()),
        }
    })
}
