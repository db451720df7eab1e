//! `m1nd tasks`: plans and tasks of this repository, for people.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use m1nd_runtime::Runtime;

use super::memory::{Place, ask, list, more, name, word};
use crate::args::Global;
use crate::output::{self, DIM, NUMBER, PATH};
use crate::wiring;

#[derive(Debug, Args)]
pub struct Tasks {
    #[command(subcommand)]
    command: Option<Command>,
    /// Most to print where no command is given [default: 200]
    #[arg(short = 'k', long)]
    limit: Option<u32>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Every plan and task, newest first; also what `m1nd tasks` alone does
    List {
        /// Most to print
        #[arg(short = 'k', long, default_value_t = 200)]
        limit: u32,
    },
    /// Tasks that can be started now, most urgent first
    Ready {
        /// Most to print
        #[arg(short = 'k', long, default_value_t = 20)]
        limit: u32,
    },
    /// Where a plan or task stands
    Show {
        /// PLAN-001 or TASK-001 [default: the one in focus]
        task: Option<String>,
    },
    /// What happened, oldest first
    Events {
        /// Only events after this one
        since: Option<String>,
        /// Most to print
        #[arg(short = 'k', long, default_value_t = 50)]
        limit: u32,
    },
}

/// No list of a page's length is longer.
const LARGE: u32 = 1_000_000;

pub fn run(global: &Global, tasks: &Tasks) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let place = &tasks.place;
    if tasks.limit.is_some() && tasks.command.is_some() {
        anyhow::bail!("-k goes behind the command, as in `m1nd tasks ready -k 5`");
    }
    let list = Command::List { limit: tasks.limit.unwrap_or(200) };
    match tasks.command.as_ref().unwrap_or(&list) {
        Command::List { limit } => {
            ask(&runtime, place, "tasks_context", json!({ "limit": limit, "max_chars": LARGE }), all)
        }
        Command::Ready { limit } => {
            ask(&runtime, place, "tasks_ready", json!({ "limit": limit, "max_chars": LARGE }), ready)
        }
        Command::Show { task } => show(&runtime, place, task.as_deref()),
        Command::Events { since, limit } => {
            let wanted = json!({ "since": since, "limit": limit, "max_chars": LARGE });
            ask(&runtime, place, "tasks_delta", wanted, events)
        }
    }
}

/// Where it stands, and for people its steps or tasks as well.
fn show(runtime: &Runtime, place: &Place, task: Option<&str>) -> anyhow::Result<ExitCode> {
    let workspace = name(runtime, place)?;
    let reply = super::ask(runtime, "tasks_radar", json!({ "workspace": workspace, "task": task }));
    let below =
        if reply.is_error { Vec::new() } else { parts(runtime, &workspace, &reply.body["target"]["id"]) };
    output::print(&reply, place.reader(), |out, body| {
        radar(out, body)?;
        let own = &body["target"]["id"];
        below.iter().filter(|one| one["id"] != *own).try_for_each(|one| match one.get("step_id") {
            Some(_) => step(out, one),
            None => line(out, one, &Value::Null, 2),
        })
    })
}

/// The steps of a task, or the tasks of a plan.
fn parts(runtime: &Runtime, workspace: &str, id: &Value) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let wanted =
            json!({ "workspace": workspace, "task": id, "limit": 200, "max_chars": LARGE, "cursor": cursor });
        let page = super::ask(runtime, "tasks_context", wanted);
        if page.is_error {
            return parts;
        }
        parts.extend(list(&page.body["detail"]["steps"]).chain(list(&page.body["tasks"])).cloned());
        cursor = page.body["pagination"]["next_cursor"].clone();
        if cursor.is_null() {
            return parts;
        }
    }
}

/// A step with its mark, what would prove it, and whether that was confirmed.
fn step(out: &mut dyn Write, step: &Value) -> io::Result<()> {
    let path = step["path"].as_str().unwrap_or_default();
    let depth = 2 + 2 * path.matches('.').count();
    let mark = if step["completed"] == true { "x" } else { " " };
    writeln!(
        out,
        "{:depth$}[{mark}] {NUMBER}{}{NUMBER:#} {}",
        "",
        word(&step["path"]),
        word(&step["title"])
    )?;
    for (name, items, check) in [
        ("criteria", "success_criteria", "criteria"),
        ("tests", "tests", "tests"),
        ("blocked by", "blockers", ""),
    ] {
        let confirmed = step["checkpoints"][check]["confirmed"] == true;
        let said = if confirmed { " (confirmed)" } else { "" };
        for item in list(&step[items]) {
            writeln!(out, "{:depth$}    {DIM}{name}{said}{DIM:#} {}", "", word(item))?;
        }
    }
    Ok(())
}

fn all(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let focus = &body["focus"];
    // A plan stands above its tasks; tasks whose plan is on another page stand alone.
    for plan in list(&body["plans"]) {
        line(out, plan, focus, 0)?;
        for task in list(&body["tasks"]).filter(|task| task["parent"] == plan["id"]) {
            line(out, task, focus, 2)?;
        }
    }
    let known = |task: &Value| list(&body["plans"]).any(|plan| plan["id"] == task["parent"]);
    for task in list(&body["tasks"]).filter(|task| !known(task)) {
        line(out, task, focus, 0)?;
    }
    more(out, body, "plans or tasks")
}

fn line(out: &mut dyn Write, row: &Value, focus: &Value, depth: usize) -> io::Result<()> {
    let mark = if row["id"] == *focus { "*" } else { " " };
    write!(
        out,
        "{mark} {:depth$}{NUMBER}{}{NUMBER:#} {:<9} {}",
        "",
        word(&row["id"]),
        word(&row["status"]),
        word(&row["title"])
    )?;
    let before: Vec<String> = list(&row["depends_on"]).map(word).collect();
    if !before.is_empty() {
        write!(out, " {DIM}after {}{DIM:#}", before.join(", "))?;
    }
    if let Some(agent) = row["claimed_by"].as_str() {
        write!(out, " {DIM}claimed by {}{DIM:#}", crate::output::harmless(agent))?;
    }
    writeln!(out)
}

fn ready(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    list(&body["tasks"]).try_for_each(|task| line(out, task, &Value::Null, 0))?;
    if list(&body["tasks"]).next().is_none() {
        writeln!(out, "{DIM}nothing is ready; `m1nd tasks` lists what is blocked, claimed or done{DIM:#}")?;
    }
    more(out, body, "tasks")
}

fn radar(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let (target, radar, steps) = (&body["target"], &body["radar"], &body["steps"]);
    writeln!(
        out,
        "{NUMBER}{}{NUMBER:#} {} ({}, revision {})",
        word(&target["id"]),
        word(&target["title"]),
        word(&target["status"]),
        target["revision"]
    )?;
    for (name, text) in [("now", &radar["now"]), ("why", &radar["why"])] {
        if text.as_str().is_some_and(|text| !text.is_empty()) {
            writeln!(out, "  {DIM}{name}{DIM:#} {}", word(text).replace('\n', "\n      "))?;
        }
    }
    for (name, items) in
        [("verify", &radar["verify"]), ("next", &radar["next"]), ("blocked by", &radar["blockers"])]
    {
        list(items).try_for_each(|item| writeln!(out, "  {DIM}{name}{DIM:#} {}", word(item)))?;
    }
    let parts = if word(&target["id"]).starts_with("PLAN") { "tasks" } else { "steps" };
    writeln!(out, "  {DIM}{} of {} {parts} open{DIM:#}", steps["open"], steps["total"])?;
    for anchor in list(&body["stale_anchors"]) {
        let place = [&anchor["node_id"], &anchor["path"]].into_iter().find(|place| place.is_string());
        let place = place.map(word).unwrap_or_default();
        writeln!(out, "  {PATH}{place}{PATH:#} {DIM}{} since{DIM:#}", word(&anchor["anchor_state"]))?;
    }
    Ok(())
}

fn events(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    for event in list(&body["events"]) {
        let path = event["path"].as_str().map_or_else(String::new, |path| format!(" {path}"));
        writeln!(
            out,
            "{NUMBER}{}{NUMBER:#} {} {}{path} {DIM}{}{DIM:#}",
            word(&event["event_id"]),
            word(&event["entity"]),
            word(&event["type"]),
            word(&event["ts"])
        )?;
    }
    more(out, body, "events")
}
