//! `m1nd call`: any tool, with arguments as JSON or as flags made from its schema.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use m1nd_runtime::{Registry, Runtime};
use m1nd_stdx::nearest::nearest;
use serde_json::{Map, Value, json};

use crate::args::{Call, Global};
use crate::output::{self, Reader};
use crate::spinner::Spinner;
use crate::wiring;

pub fn run(global: &Global, call: &Call) -> anyhow::Result<ExitCode> {
    let (tool, words) = call.words.split_first().context("name a tool")?;
    if words.iter().any(|word| matches!(word.as_str(), "--help" | "-h")) {
        return super::help::run(global, std::slice::from_ref(tool));
    }
    let mut global = global.clone();
    let registry = Registry::new(m1nd_tools::surface().toolsets);
    let words = take_own(&mut global, registry.arguments(tool).unwrap_or(&Value::Null), words)?;
    let runtime = wiring::runtime(&wiring::config(&global)?)?;
    let (arguments, json) = parse(&runtime, tool, &words)?;
    let spinner = Spinner::start("working");
    let reply = super::ask_to_the_end(&runtime, tool, Value::Object(arguments));
    drop(spinner);
    output::print(&reply, Reader::of(json), |out, body| output::plain(out, body))
}

/// Takes the folders that m1nd itself is told, where the tool has no argument of that name.
fn take_own(global: &mut Global, schema: &Value, words: &[String]) -> anyhow::Result<Vec<String>> {
    let mut rest = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, inline) =
            word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
        let name = flag.trim_start_matches('-').replace('-', "_");
        let slot = match flag {
            "--workspace" => &mut global.workspace,
            "--runtime-root" => &mut global.runtime_root,
            _ => {
                rest.push(word.clone());
                continue;
            }
        };
        if !schema["properties"][&name].is_null() {
            rest.push(word.clone());
            continue;
        }
        let value = inline.map(str::to_owned).or_else(|| words.next().cloned());
        *slot = Some(value.with_context(|| format!("{flag} needs a value"))?.into());
    }
    Ok(rest)
}

/// The arguments, and whether `--json` was among them.
fn parse(runtime: &Runtime, tool: &str, words: &[String]) -> anyhow::Result<(Map<String, Value>, bool)> {
    let schema = runtime.registry().listing(tool).map(|listing| listing.input_schema).unwrap_or_default();
    let mut arguments = Map::new();
    let mut json = false;
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let flag = word.strip_prefix("--").with_context(|| {
            format!("{word:?} stands where an argument's name should be; write --name value")
        })?;
        let (flag, inline) = match flag.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (flag, None),
        };
        if flag == "json" {
            json = true;
            let body =
                inline.map(str::to_owned).or_else(|| words.next_if(|next| !next.starts_with("--")).cloned());
            if let Some(body) = body {
                let parsed: Value =
                    serde_json::from_str(&body).context("the text after --json is not JSON")?;
                let Value::Object(map) = parsed else { bail!("the text after --json is not an object") };
                arguments.extend(map);
            }
            continue;
        }
        let name = flag.replace('-', "_");
        let property = &schema["properties"][&name];
        let kind = match property["type"].as_str() {
            Some(kind) => kind,
            // Unknown tools and unknown names are refused by the pipeline, except where a name would
            // swallow the word behind it.
            None if schema.is_null() => "string",
            // Every tool takes it, whether its listing says so or not.
            None if name == "mission_id" => "string",
            None => {
                let known = schema["properties"].as_object().into_iter().flat_map(|map| map.keys());
                let near = nearest(&name, known.map(String::as_str), 1);
                let guess = near.first().map_or_else(String::new, |near| format!(" Did you mean --{near}?"));
                bail!(
                    "{tool} has no argument --{flag}.{guess} Flags of m1nd itself go before the tool's name."
                );
            }
        };
        let text = match (inline, kind) {
            (Some(value), _) => value.to_owned(),
            (None, "boolean") => {
                let explicit = words.next_if(|next| ["true", "false"].contains(&next.as_str()));
                explicit.map_or("true", String::as_str).to_owned()
            }
            (None, _) => words.next().with_context(|| format!("--{flag} needs a value"))?.clone(),
        };
        let value = typed(kind, property, &text).with_context(|| format!("--{flag}"))?;
        add(&mut arguments, name, value);
    }
    Ok((arguments, json))
}

/// An array argument given twice grows.
fn add(arguments: &mut Map<String, Value>, name: String, value: Value) {
    match (arguments.get_mut(&name), value) {
        (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
        (_, value) => {
            arguments.insert(name, value);
        }
    }
}

fn typed(kind: &str, property: &Value, text: &str) -> anyhow::Result<Value> {
    Ok(match kind {
        "integer" | "number" => {
            let number: Value = serde_json::from_str(text).context("not a number")?;
            anyhow::ensure!(number.is_number(), "{text:?} is not a number");
            number
        }
        "boolean" => match text {
            "true" => json!(true),
            "false" => json!(false),
            other => bail!("{other:?} is neither true nor false"),
        },
        "array" if text.starts_with('[') => serde_json::from_str(text).context("not a JSON array")?,
        "array" => {
            let item = property["items"]["type"].as_str().unwrap_or("string");
            let items = text.split(',').map(|part| typed(item, &property["items"], part.trim()));
            Value::Array(items.collect::<anyhow::Result<_>>()?)
        }
        "object" => serde_json::from_str(text).context("not a JSON object")?,
        _ => json!(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use m1nd_testkit::Fixture;

    fn parsed(words: &[&str]) -> String {
        let fixture = Fixture::new(m1nd_tools::surface(), "//- a.txt\nx\n");
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match parse(&fixture.runtime, "search", &words) {
            Ok((map, json)) => format!("{} {json}", Value::Object(map)),
            Err(err) => format!("{err:#}"),
        }
    }

    #[test]
    fn flags_take_their_types_from_the_schema() {
        assert_eq!(
            parsed(&["--query", "x", "--top-k", "5", "--case-sensitive", "--mode=regex"]),
            r#"{"query":"x","top_k":5,"case_sensitive":true,"mode":"regex"} false"#
        );
        assert_eq!(parsed(&["--json", r#"{"query":"x"}"#]), r#"{"query":"x"} true"#);
        assert_eq!(parsed(&["--query", "x", "--json"]), r#"{"query":"x"} true"#);
    }

    #[test]
    fn a_workspace_may_be_named_after_the_tool_unless_it_is_an_argument_of_it() {
        let registry = Registry::new(m1nd_tools::surface().toolsets);
        let taken = |tool: &str, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let mut global = Global::default();
            let rest = take_own(&mut global, registry.arguments(tool).unwrap(), &words).unwrap();
            (global.workspace.map(|path| path.display().to_string()), rest.join(" "))
        };
        assert_eq!(
            taken("search", &["--query", "x", "--workspace", "/w"]),
            (Some("/w".into()), "--query x".into())
        );
        assert_eq!(taken("search", &["--workspace=/w"]), (Some("/w".into()), String::new()));
        assert_eq!(taken("branchmind_show", &["--workspace", "demo"]), (None, "--workspace demo".into()));
    }

    #[test]
    fn every_tool_takes_the_mission_that_a_call_belongs_to() {
        let fixture = Fixture::new(m1nd_tools::surface(), "//- a.txt\nx\n");
        for tool in ["audit", "apply_batch", "edit_preview", "edit_commit"] {
            let words = ["--mission-id".to_owned(), "msn_1".to_owned()];
            let (arguments, _) = parse(&fixture.runtime, tool, &words).unwrap();
            assert_eq!(arguments["mission_id"], "msn_1", "{tool}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parsed(&["--top-k", "many"]), "--top-k: not a number: expected value at line 1 column 1");
        assert!(
            parsed(&["--qurey", "x"]).starts_with("search has no argument --qurey. Did you mean --query?")
        );
        assert_eq!(parsed(&["--query"]), "--query needs a value");
        assert!(parsed(&["x"]).contains("write --name value"));
    }
}
