//! The manual: every text about a tool, made from its spec and schemas, for help and for `docs/`.

use std::fmt::Write as _;

use m1nd_contract::header::Field;
use m1nd_contract::schema;
use serde_json::{Map, Value, json};

use crate::registry::{Listing, Registry};
use crate::tool::{Effect, Entry, Example, ToolsetName};

/// One line for each tool, by toolset. `listed` says which toolsets hosts are shown.
pub fn overview(registry: &Registry, listed: &[ToolsetName]) -> String {
    let mut out = String::new();
    for toolset in registry.toolsets() {
        let shown = if listed.contains(&toolset.name) { "" } else { " (not listed; callable by name)" };
        push(&mut out, format_args!("{}{shown}: {}\n", toolset.name, toolset.about));
        for entry in toolset.tools {
            push(&mut out, format_args!("  {}: {}\n", entry.spec.name, first_sentence(entry.spec.summary)));
        }
    }
    out.push_str(
        "Details: help with `tool`. A way to a goal: help with `intent`. An error: help with `error_text`.\n",
    );
    out
}

/// The same as Markdown.
pub fn overview_markdown(registry: &Registry) -> String {
    let mut out = String::new();
    for toolset in registry.toolsets() {
        push(&mut out, format_args!("## {}\n\n{}\n\n", toolset.name, toolset.about));
        for entry in toolset.tools {
            let name = entry.spec.name;
            push(&mut out, format_args!("- [`{name}`]({name}.md): {}\n", first_sentence(entry.spec.summary)));
        }
        out.push('\n');
    }
    out
}

/// The same as data.
pub fn overview_json(registry: &Registry) -> Value {
    registry
        .entries()
        .map(|(entry, toolset)| {
            json!({ "name": entry.spec.name, "toolset": toolset.as_str(), "summary": entry.spec.summary })
        })
        .collect()
}

/// One tool for people and agents.
pub fn page(registry: &Registry, entry: &Entry) -> String {
    let mut out = String::new();
    let spec = entry.spec;
    push(&mut out, format_args!("{}: {}\n", spec.name, spec.summary));
    if !spec.help.is_empty() {
        push(&mut out, format_args!("{}\n", spec.help));
    }
    out.push_str("Arguments:\n");
    for argument in arguments(registry, entry) {
        push(&mut out, format_args!("  {argument}\n"));
    }
    for example in spec.examples {
        push(&mut out, format_args!("Example ({}): {}\n", example.says, whole(entry, example)));
    }
    push(&mut out, format_args!("Effect: {}.\n", effect(spec.effect)));
    out
}

/// The same as Markdown, with the output's fields: a page of `docs/tools/`.
pub fn page_markdown(registry: &Registry, entry: &Entry, toolset: ToolsetName) -> String {
    let mut out = String::new();
    let spec = entry.spec;
    push(&mut out, format_args!("# `{}`\n\n{}\n\n", spec.name, spec.summary));
    if !spec.help.is_empty() {
        push(&mut out, format_args!("{}\n\n", spec.help));
    }
    push(&mut out, format_args!("Toolset `{toolset}`. Effect: {}.\n", effect(spec.effect)));
    if !spec.aliases.is_empty() {
        push(&mut out, format_args!("Also called {}.\n", spec.aliases.join(", ")));
    }
    out.push_str("\n## Arguments\n\n");
    for argument in arguments(registry, entry) {
        push(&mut out, format_args!("- {argument}\n"));
    }
    let output = (entry.output_schema)();
    out.push_str("\n## Answer\n\n");
    match fields(&output) {
        fields if fields.is_empty() => out.push_str("Plain text.\n"),
        fields => {
            for field in fields {
                push(&mut out, format_args!("- {field}\n"));
            }
            out.push_str(
                "\nThe fields that every answer can carry are in [the conventions](../conventions.md).\n",
            );
        }
    }
    if !spec.examples.is_empty() {
        out.push_str("\n## Examples\n");
        for example in spec.examples {
            push(&mut out, format_args!("\n{}\n\n```json\n{}\n```\n", example.says, whole(entry, example)));
        }
    }
    out
}

/// The same as data.
pub fn page_json(registry: &Registry, entry: &Entry, toolset: ToolsetName) -> Value {
    let listing = registry.listing(entry.spec.name);
    json!({
        "name": entry.spec.name,
        "toolset": toolset.as_str(),
        "summary": entry.spec.summary,
        "help": entry.spec.help,
        "aliases": entry.spec.aliases,
        "effect": effect(entry.spec.effect),
        "input_schema": registry.arguments(entry.spec.name),
        // What a lean listing leaves out is told here.
        "output_schema": match (entry.spec.lean, listing) {
            (true, _) => Some((entry.output_schema)()),
            (false, listing) => listing.and_then(|listing| listing.output_schema),
        },
        "examples": entry.spec.examples.iter().map(|example| json!({
            "says": example.says,
            "arguments": serde_json::from_str::<Value>(&whole(entry, example)).unwrap_or_default(),
        })).collect::<Vec<_>>(),
    })
}

/// An example's arguments with the required name of the caller, so that it can be passed on as it is printed.
pub fn whole(entry: &Entry, example: &Example) -> String {
    let caller = entry.spec.caller;
    let given: Map<String, Value> = serde_json::from_str(example.arguments).unwrap_or_default();
    if given.contains_key(caller.name()) {
        return example.arguments.to_owned();
    }
    let name = if caller == Field::Workspace { "demo" } else { "me" };
    let rest = example.arguments.trim_start_matches('{');
    let comma = if given.is_empty() { "" } else { ", " };
    format!("{{\"{}\": \"{name}\"{comma}{rest}", caller.name())
}

/// The pinned form of a tool's surface: what a host can depend on.
pub fn snapshot(listing: &Listing, entry: &Entry) -> Value {
    json!({
        "name": listing.name,
        "toolset": listing.toolset.as_str(),
        "aliases": entry.spec.aliases,
        "description": listing.description,
        "annotations": {
            "readOnlyHint": listing.effect.read_only(),
            "destructiveHint": listing.effect.destructive(),
            "idempotentHint": listing.effect.idempotent(),
            "openWorldHint": false,
        },
        "inputSchema": listing.input_schema,
        "outputSchema": listing.output_schema.as_ref().map(|_| schema::without_descriptions(&(entry.output_schema)())),
    })
}

/// The tools that fit an intent best, best first. Words in names and intents count most.
pub fn for_intent<'r>(registry: &'r Registry, intent: &str) -> Vec<&'r Entry> {
    let words: Vec<String> = words(intent).collect();
    let mut scored: Vec<(usize, &Entry)> = registry
        .entries()
        .map(|(entry, _)| (fitness(entry, &words), entry))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.spec.name.cmp(b.1.spec.name)));
    scored.into_iter().take(3).map(|(_, entry)| entry).collect()
}

fn fitness(entry: &Entry, wanted: &[String]) -> usize {
    let spec = entry.spec;
    let strong: Vec<String> =
        words(spec.name).chain(spec.intents.iter().flat_map(|text| words(text))).collect();
    let weak: Vec<String> = words(spec.summary).collect();
    wanted.iter().map(|word| 3 * usize::from(strong.contains(word)) + usize::from(weak.contains(word))).sum()
}

/// Words of three letters and more, lower case, without plural endings.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() >= 3)
        .map(|word| word.to_lowercase().trim_end_matches('s').to_owned())
}

fn arguments(registry: &Registry, entry: &Entry) -> Vec<String> {
    registry.arguments(entry.spec.name).map(fields).unwrap_or_default()
}

/// `name (type, required): description`, one line for each property.
fn fields(schema: &Value) -> Vec<String> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_input = schema.get("additionalProperties").is_some();
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    properties
        .iter()
        .map(|(name, field)| {
            let must = if is_input && required.contains(&name.as_str()) { ", required" } else { "" };
            let mut line = format!("`{name}` ({}{must})", kind(field));
            if let Some(text) = field["description"].as_str() {
                push(&mut line, format_args!(": {text}"));
            }
            if let Some(default) = field.get("default") {
                push(&mut line, format_args!(" (default {default})"));
            }
            line
        })
        .collect()
}

fn kind(field: &Value) -> String {
    if let Some(values) = field["enum"].as_array() {
        let words: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        return words.join(" | ");
    }
    match field["type"].as_str() {
        Some("array") => {
            let item = &field["items"];
            let inner = item["properties"].as_object().map(|map: &Map<String, Value>| {
                let names: Vec<&str> = map.keys().map(String::as_str).collect();
                format!("{{{}}}", names.join(", "))
            });
            format!("array of {}", inner.unwrap_or_else(|| item["type"].as_str().unwrap_or("object").into()))
        }
        Some(word) => word.to_owned(),
        None => "any".into(),
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads only",
        Effect::Configure => "changes this process only",
        Effect::Learn => "moves learned weights",
        Effect::Remember => "writes to memory",
        Effect::Ingest => "makes a new graph generation",
        Effect::WriteFiles => "writes files of the workspace",
    }
}

fn first_sentence(text: &str) -> &str {
    text.split_inclusive(". ").next().unwrap_or(text).trim_end()
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    out.write_fmt(text).unwrap_or_default();
}
