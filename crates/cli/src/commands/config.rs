//! `m1nd config show`: every setting, its value, and where it came from.

use std::process::ExitCode;

use serde_json::json;

use crate::args::Global;
use crate::output::{DIM, Reader};
use crate::wiring;

pub fn show(global: &Global, json: bool) -> anyhow::Result<ExitCode> {
    let config = wiring::config(global)?;
    let runtime = wiring::runtime(&config);
    let (workspace, workspace_origin) = match &config.workspace {
        Some((folder, source)) => (folder.display().to_string(), source.to_string()),
        None => ("none".into(), "nothing names one".into()),
    };
    let (runtime_root, root_origin) =
        match (&config.runtime_root, runtime.as_ref().ok().and_then(|r| r.workspace())) {
            (Some(setting), _) => (setting.value.display().to_string(), setting.origin.to_string()),
            (None, Some(workspace)) => (workspace.runtime_root().display().to_string(), "default".into()),
            (None, None) => ("none".into(), "no workspace".into()),
        };
    let otlp = match &config.otlp_endpoint {
        Some(setting) => (setting.value.clone(), setting.origin.to_string()),
        None => ("none".to_owned(), "default".to_owned()),
    };
    let rows = [
        ("workspace", workspace, workspace_origin),
        ("home", config.home.value.display().to_string(), config.home.origin.to_string()),
        ("runtime_root", runtime_root, root_origin),
        ("toolsets", config.toolsets.value.clone(), config.toolsets.origin.to_string()),
        ("read_only", config.read_only.value.to_string(), config.read_only.origin.to_string()),
        ("verify_commands", config.verify_commands.join("; "), config.verify_origin.to_string()),
        ("log", config.log.value.clone(), config.log.origin.to_string()),
        ("otlp_endpoint", otlp.0, otlp.1),
    ];
    match Reader::of(json) {
        Reader::Program => {
            let body: serde_json::Map<_, _> = rows
                .iter()
                .map(|(name, value, origin)| ((*name).to_owned(), json!({ "value": value, "from": origin })))
                .collect();
            anstream::println!("{}", json!(body));
        }
        Reader::Person => {
            for (name, value, origin) in &rows {
                anstream::println!("{name:<15} {value}  {DIM}({origin}){DIM:#}");
            }
        }
    }
    runtime.map(|_| ExitCode::SUCCESS)
}
