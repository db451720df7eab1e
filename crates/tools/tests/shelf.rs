//! What holds for every tool on the shelf.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{registry, remembered};
use m1nd_contract::{envelope, schema};
use m1nd_runtime::{Saves, ToolsetName};
use serde_json::{Value, json};

#[test]
fn every_file_of_a_toolset_folder_is_on_its_table() {
    for toolset in m1nd_tools::TOOLSETS {
        // The folder of the memory toolset is called `remember`: a module named `memory` would hide the crate.
        let folder = match toolset.name {
            ToolsetName::Memory => "remember",
            other => other.as_str(),
        };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
        let files: BTreeSet<String> = fs::read_dir(&path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".rs").to_owned())
            .filter(|name| name != "mod")
            .collect();
        let tools: BTreeSet<String> = toolset.tools.iter().map(|entry| entry.spec.name.to_owned()).collect();
        assert_eq!(files, tools, "files and table of {folder} differ");
    }
}

#[test]
fn only_the_tools_that_the_contract_names_are_said_to_spare_more_than_others() {
    let of = |saves: Saves| -> Vec<&str> {
        let registry = registry();
        let mut names: Vec<&str> = registry
            .entries()
            .filter(|(entry, _)| entry.spec.saves == saves)
            .map(|(entry, _)| entry.spec.name)
            .collect();
        names.sort_unstable();
        names
    };
    assert_eq!(of(Saves::Activation), ["activate"]);
    assert_eq!(of(Saves::Blast), ["counterfactual", "impact", "predict"]);
    assert_eq!(of(Saves::Surgery), ["surgical_context", "surgical_context_v2"]);
    assert_eq!(of(Saves::Search), ["scan", "search", "seek"]);
}

#[test]
fn names_and_descriptions_are_what_hosts_accept() {
    for (entry, _) in registry().entries() {
        let name = entry.spec.name;
        assert!((3..=40).contains(&name.len()), "{name}");
        assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{name}");
        assert!(!entry.spec.summary.is_empty() && entry.spec.summary.len() < 2_048, "{name}");
        assert!(!entry.spec.examples.is_empty(), "{name} has no example");
    }
}

#[test]
fn schemas_are_plain_and_leave_the_envelope_alone() {
    for (entry, _) in registry().entries() {
        let listing = registry().listing(entry.spec.name).unwrap();
        assert_eq!(schema::violations(&listing.input_schema), [""; 0], "input of {}", listing.name);
        let Some(output) = listing.output_schema else {
            continue;
        };
        assert_eq!(schema::violations(&output), [""; 0], "output of {}", listing.name);
        for reserved in envelope::RESERVED {
            assert!(output["properties"].get(reserved).is_none(), "{} declares {reserved}", listing.name);
        }
    }
}

#[test]
fn the_default_list_is_small() {
    let size = |toolsets: &BTreeSet<ToolsetName>| {
        let tools: Vec<Value> = registry()
            .listings(toolsets)
            .iter()
            .map(|listing| {
                let mut tool = json!({
                    "name": listing.name,
                    "description": listing.description,
                    "inputSchema": listing.input_schema,
                    "annotations": {"readOnlyHint": true, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true},
                });
                if let Some(schema) = &listing.output_schema {
                    tool["outputSchema"] = schema.clone();
                }
                tool
            })
            .collect();
        (tools.len(), json!(tools).to_string().len())
    };
    let (count, bytes) = size(&BTreeSet::from([ToolsetName::Core]));
    assert!(count <= 16 && bytes <= 16_000, "core: {count} tools, {bytes} bytes");
    let (_, bytes) = size(&ToolsetName::ALL.into_iter().collect());
    assert!(bytes <= 60_000, "all: {bytes} bytes");
}

#[test]
fn a_long_list_leaves_out_words_and_options_and_no_tool_or_argument_that_is_required() {
    let listed = registry().listings(&ToolsetName::ALL.into_iter().collect());
    assert_eq!(listed.len(), registry().entries().count());
    for tool in listed {
        let whole = registry().listing(tool.name).unwrap();
        let types = |schema: &Value| {
            let properties = schema["properties"].as_object().unwrap().iter();
            properties.map(|(name, property)| (name.clone(), property["type"].clone())).collect::<Vec<_>>()
        };
        let all = types(&whole.input_schema);
        assert!(types(&tool.input_schema).iter().all(|argument| all.contains(argument)), "{}", tool.name);
        assert_eq!(tool.input_schema["required"], whole.input_schema["required"], "{}", tool.name);
        let required = tool.input_schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            assert!(tool.input_schema["properties"].get(name).is_some(), "{} {name}", tool.name);
        }
        if tool.toolset == ToolsetName::Core {
            assert_eq!((tool.input_schema, tool.output_schema), (whole.input_schema, whole.output_schema));
        } else {
            assert!(tool.input_schema["additionalProperties"] != false, "{}: help tells more", tool.name);
        }
    }
}

#[test]
fn a_lean_listing_leaves_out_words_and_no_arguments() {
    for (entry, _) in registry().entries().filter(|(entry, _)| entry.spec.lean) {
        let name = entry.spec.name;
        let (listed, whole) = (registry().listing(name).unwrap(), registry().arguments(name).unwrap());
        assert!(listed.output_schema.is_none(), "{name}");
        assert_eq!(
            schema::without_descriptions(&listed.input_schema),
            schema::without_descriptions(whole),
            "{name}"
        );
        for (argument, field) in whole["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{name}: help says nothing about {argument}");
        }
        assert!(listed.input_schema["properties"]["workspace"]["description"].is_null(), "{name}");
    }
}

#[test]
fn every_example_runs_and_points_only_to_tools_that_exist() {
    let fixture = remembered();
    for (entry, _) in registry().entries() {
        for example in entry.spec.examples {
            let reply = fixture.call(entry.spec.name, serde_json::from_str(example.arguments).unwrap());
            assert!(!reply.is_error, "{}: {}: {}", entry.spec.name, example.says, reply.text());
            if let Some(next) = reply.body.get("next_suggested_tool") {
                assert!(registry().entry(next.as_str().unwrap()).is_some(), "{next}");
            }
        }
    }
}

#[test]
fn every_example_runs_as_help_prints_it() {
    let fixture = remembered();
    for (entry, _) in registry().entries() {
        let help = fixture.call("help", json!({"tool": entry.spec.name})).body;
        let page = help.as_str().unwrap();
        let printed: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("Example ("))
            .map(|line| &line[line.find("): {").unwrap() + 3..])
            .collect();
        assert_eq!(printed.len(), entry.spec.examples.len(), "{page}");
        for arguments in printed {
            let reply = fixture.call_raw(entry.spec.name, serde_json::from_str(arguments).unwrap());
            assert!(!reply.is_error, "{} {arguments}: {}", entry.spec.name, reply.text());
        }
    }
}

#[test]
fn asking_twice_gives_the_same_answer() {
    let fixture = remembered();
    // These tell what was asked before.
    let counts = |name: &str| ["health", "report", "savings"].contains(&name);
    for (entry, _) in
        registry().entries().filter(|(entry, _)| entry.spec.effect.read_only() && !counts(entry.spec.name))
    {
        for example in entry.spec.examples {
            let ask = || {
                let mut body =
                    fixture.call(entry.spec.name, serde_json::from_str(example.arguments).unwrap()).body;
                if let Value::Object(map) = &mut body {
                    map.remove("elapsed_ms");
                    map.remove("freshness");
                    map.remove("changed");
                }
                body.to_string()
            };
            assert_eq!(ask(), ask(), "{}", entry.spec.name);
        }
    }
}

#[test]
fn answers_fit_the_budget_that_was_given() {
    let fixture = remembered();
    let takes_budget = |name: &str| {
        registry()
            .listing(name)
            .is_some_and(|listing| listing.input_schema["properties"].get("max_chars").is_some())
    };
    for (entry, toolset) in registry().entries().filter(|(entry, _)| takes_budget(entry.spec.name)) {
        // Memory refuses what is too small for its smallest form.
        let is_memory = matches!(toolset, ToolsetName::Memory | ToolsetName::Tasks);
        let small: &[i32] = if is_memory { &[1, 150, 300] } else { &[] };
        for example in entry.spec.examples {
            for max_chars in small.iter().copied().chain([500, 800, 1_500, 4_000]) {
                // What was written is told, although the head of a proof packet takes more.
                if entry.spec.name == "mission_close" && max_chars <= 1_500 {
                    continue;
                }
                let mut arguments: Value = serde_json::from_str(example.arguments).unwrap();
                arguments["max_chars"] = json!(max_chars);
                let reply = fixture.call(entry.spec.name, arguments.clone());
                let bytes = reply.text().len();
                if let Some(least) = reply.body["error"]["detail"]["least"].as_i64() {
                    assert!(i64::from(max_chars) < least && least < 800, "{}: {least}", entry.spec.name);
                    arguments["max_chars"] = json!(least);
                    let again = fixture.call(entry.spec.name, arguments);
                    assert!(!again.is_error, "{}", again.text());
                    assert!(again.text().len() as i64 <= least, "{}", again.text());
                    continue;
                }
                let max_chars = usize::try_from(max_chars).unwrap();
                assert!(bytes <= max_chars, "{}: {bytes} > {max_chars}: {}", entry.spec.name, reply.text());
            }
        }
    }
}

#[test]
fn instructions_prompts_and_resources_are_short_and_name_only_what_exists() {
    let surface = m1nd_tools::surface();
    assert!(surface.instructions.len() < 1_229, "{} bytes", surface.instructions.len());
    let texts = surface.prompts.iter().map(|prompt| prompt.text).chain([surface.instructions]);
    let arguments = [
        "agent_id",
        "workspace",
        "max_chars",
        "next_tool",
        "arguments",
        "intent",
        "error_text",
        "agent_runtime_contract",
    ];
    for text in texts {
        for word in text.split('`').skip(1).step_by(2).filter(|word| !word.contains([':', '.'])) {
            let known = registry().entry(word).is_some() || arguments.contains(&word);
            assert!(known, "`{word}` is no tool");
        }
    }
    for resource in surface.resources {
        assert!(registry().entry(resource.tool).is_some(), "{}", resource.uri);
    }
}

#[test]
fn what_agents_are_told_is_short_and_names_only_tools_that_exist() {
    for text in [m1nd_tools::pack::DOCTRINE, m1nd_tools::pack::SKILL] {
        for word in text.split('`').skip(1).step_by(2) {
            assert!(registry().entry(word).is_some(), "`{word}` is no tool");
        }
    }
    let (doctrine, skill) = (m1nd_tools::pack::DOCTRINE.len(), m1nd_tools::pack::SKILL.len());
    assert!(doctrine < 1_500 && skill < 2_048, "{doctrine} and {skill} bytes");
}
