//! One file for each command.

mod activate;
pub mod apply;
mod bench;
mod call;
mod change;
mod completions;
mod config;
mod doctor;
mod graph;
mod gym;
mod help;
pub mod init;
pub mod memory;
mod review;
mod search;
mod seek;
mod serve;
pub mod tasks;
mod tools;
pub mod verify;
mod view;

use std::process::ExitCode;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_runtime::{Reply, Runtime, Silent, ToolCall};
use m1nd_stdx::cancel::CancelToken;
use serde_json::{Map, Value, json};

use crate::args::{Args, Command, ConfigCommand};

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let global = args.global;
    match args.command {
        Command::Serve(serve) => serve::run(&global, &serve),
        Command::Call(call) => call::run(&global, &call),
        Command::Tools { json } => tools::run(&global, json),
        Command::Search(search) => search::run(&global, &search),
        Command::Seek(seek) => seek::run(&global, &seek),
        Command::Activate(activate) => activate::run(&global, &activate),
        Command::View(view) => view::run(&global, &view),
        Command::Ingest(args) => graph::ingest(&global, args),
        Command::Impact(args) => change::impact(&global, &args),
        Command::Review(args) => review::run(&global, &args),
        Command::Apply(args) => apply::run(&global, &args),
        Command::Predict { nodes, top, json } => change::predict(&global, &nodes, top, json),
        Command::Trace { file, language, json } => change::trace(&global, file, language, json),
        Command::Callers(named) => graph::calls(&global, "callers", &named),
        Command::Callees(named) => graph::calls(&global, "callees", &named),
        Command::Outline { path, depth, json } => graph::outline(&global, &path, depth, json),
        Command::Memory(memory) => memory::run(&global, &memory),
        Command::Tasks(tasks) => tasks::run(&global, &tasks),
        Command::Stats { json } => graph::stats(&global, json),
        Command::Help { words } => help::run(&global, &words),
        Command::Verify(args) => verify::run(&global, &args),
        Command::Init(args) => init::run(&global, &args),
        Command::Doctor { json } => doctor::run(&global, json),
        Command::Config { command: ConfigCommand::Show { json } } => config::show(&global, json),
        Command::Completions { shell } => completions::run(shell),
        Command::Gym { json } => gym::run(json),
        Command::Bench { command } => bench::run(&global, command),
    }
}

/// The name that calls from a terminal carry.
const AGENT: &str = "cli";

/// Calls a tool through the same pipeline that hosts use. Null arguments are left out.
fn ask(runtime: &Runtime, tool: &str, arguments: Value) -> Reply {
    let mut map: Map<String, Value> = match arguments {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    map.retain(|_, value| !value.is_null());
    if takes_agent(runtime, tool) {
        map.entry("agent_id").or_insert_with(|| json!(AGENT));
    }
    let call = ToolCall { name: tool.to_owned(), arguments: map };
    runtime.call(call, &CancelToken::new(), &Silent)
}

/// The same, waiting for a job that outlasts its call: it would end with this process.
fn ask_to_the_end(runtime: &Runtime, tool: &str, arguments: Value) -> Reply {
    let mut reply = ask(runtime, tool, arguments);
    while !reply.is_error && reply.body["state"] == "running" && reply.body["job_id"].is_string() {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let status = ask(runtime, "job_status", json!({ "job_id": reply.body["job_id"] }));
        reply = Reply { body: status.body["jobs"][0].clone(), is_error: status.is_error };
    }
    // A job that failed after its call was answered is a failure here.
    if reply.body["state"] == "failed" {
        reply.is_error = true;
        let why = reply.body["why"].as_str().unwrap_or_default().to_owned();
        let said = Fault::new(
            Code::Internal,
            format!("The work failed: {why}."),
            Recovery::hint("The last good graph is still there. The log says more."),
        );
        reply.body = said.to_body();
    }
    reply
}

fn takes_agent(runtime: &Runtime, tool: &str) -> bool {
    runtime
        .registry()
        .listing(tool)
        .is_none_or(|listing| listing.input_schema["properties"].get("agent_id").is_some())
}
