//! `m1nd bench mission`: how long a mission's calls take once it has many events, through the whole pipeline.

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use m1nd_runtime::Machine;
use serde_json::{Value, json};

use super::median_ms;
use crate::commands::gym::{Seat, runtime};
use crate::output::Reader;

/// Files that the mission reads again and again.
const FILES: usize = 500;
/// Steps between two claims.
const STEPS: usize = 48;
/// Calls that are timed, of each kind.
const RUNS: usize = 51;

pub fn run(events: usize, json: bool) -> anyhow::Result<ExitCode> {
    let dir = tempfile::tempdir()?;
    let workspace = dir.path().join("ws");
    fs::create_dir_all(workspace.join("src"))?;
    for file in 0..FILES {
        fs::write(workspace.join(format!("src/f{file}.py")), format!("def f{file}(): return {file}\n"))?;
    }
    let on = runtime(&dir.path().join("home"), &workspace, Machine::default(), None)?;
    let mut seat = Seat::new(&on, "bench");
    seat.must("ingest", json!({}))?;
    let begun = seat.must("mission_start", json!({"goal": "many steps", "mode": "bug_hunt"}))?;
    seat.mission = begun["mission_id"].as_str().map(str::to_owned);
    let started = Instant::now();
    let mut made = 1;
    while made < events {
        // A claim with the steps that led to it: each is an event, and so are the claim and its verdict.
        let evidence: Vec<Value> = (made..made + STEPS).map(step).collect();
        seat.must("mission_verify", json!({"claim": format!("claim {made}"), "evidence": evidence}))?;
        made += STEPS + 2;
    }
    let filled = started.elapsed();
    let mut time = |tool: &str, arguments: &dyn Fn(usize) -> Value| -> anyhow::Result<f64> {
        let mut times: Vec<Duration> = Vec::new();
        for run in 0..RUNS {
            let asked = arguments(run);
            let started = Instant::now();
            seat.must(tool, asked)?;
            times.push(started.elapsed());
        }
        Ok(median_ms(times))
    };
    let next = time("mission_next", &|_| json!({}))?;
    let next_with_event = time("mission_next", &|run| json!({"last_event": step(run + 1)}))?;
    let event = time("mission_event", &|run| step(run + 7))?;
    let view = time("view", &|run| json!({"file_path": format!("src/f{run}.py")}))?;
    let handoff = time("mission_handoff", &|_| json!({}))?;
    let shown = seat.must("mission_show", json!({}))?;
    let report = json!({
        "events": shown["sequence"],
        "fill_ms_per_event": (filled.as_secs_f64() * 100_000.0 / events as f64).round() / 100.0,
        "mission_next_ms": next,
        "mission_next_with_event_ms": next_with_event,
        "mission_event_ms": event,
        "view_in_mission_ms": view,
        "mission_handoff_ms": handoff,
    });
    match Reader::of(json) {
        Reader::Program => anstream::println!("{report}"),
        Reader::Person => {
            for (name, value) in report.as_object().into_iter().flatten() {
                anstream::println!("{name:<27} {value}");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads, runs, searches, dead ends and thoughts, each with targets of its own.
fn step(at: usize) -> Value {
    let (event_type, target, class, outcome) = match at % 5 {
        0 => ("file_read", format!("src/f{}.py", at % FILES), "direct_source", "read"),
        1 => ("test_run", format!("pytest -k case_{at}"), "test_run", "passed"),
        2 => ("seek", format!("question {at}"), "graph", "found"),
        3 => ("file_read", format!("lib/gone_{at}.py"), "direct_source", "dead_path"),
        _ => ("thought", format!("idea {at}"), "inferred", "noted"),
    };
    json!({"event_type": event_type, "target": target, "evidence_class": class, "outcome": outcome, "phase": "verify"})
}
