//! `m1nd tools`: what there is.

use std::process::ExitCode;

use m1nd_runtime::manual;
use serde_json::json;

use crate::args::Global;
use crate::output::Reader;
use crate::wiring;

pub fn run(global: &Global, json: bool) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    match Reader::of(json) {
        Reader::Program => {
            let listed = runtime.enabled_toolsets();
            let tools: Vec<_> = runtime
                .registry()
                .entries()
                .map(|(entry, toolset)| {
                    json!({
                        "name": entry.spec.name,
                        "toolset": toolset.as_str(),
                        "listed": listed.contains(&toolset),
                        "summary": entry.spec.summary,
                    })
                })
                .collect();
            anstream::println!("{}", json!(tools));
        }
        Reader::Person => {
            let text = manual::overview(runtime.registry(), &runtime.enabled_toolsets());
            let last = text.trim_end().rfind('\n').unwrap_or(text.len());
            anstream::println!(
                "{}\nDetails: m1nd help TOOL. Call one: m1nd call TOOL --name value.",
                &text[..last]
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
