//! `help`: the manual of every tool, listed or not, and the way from an intent or an error to a tool.

use m1nd_contract::budget::cut_text;
use m1nd_contract::{Code, Fault, Recovery, Trim};
use m1nd_runtime::{Answer, Ctx, Entry, Example, Family, Needs, Runtime, Spec, Tool, manual};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub struct Help;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Text,
    Markdown,
    Json,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Specific tool name for detailed help (omit for overview)
    tool: Option<String>,
    /// What you want to do: answers with the tools for it
    intent: Option<String>,
    /// An error you got: answers with what it means and what to do
    error_text: Option<String>,
    /// Output format
    #[serde(default)]
    #[schemars(extend("default" = "text"))]
    format: Format,
}

/// Plain text: the answer is the string itself, also where the string is JSON.
#[derive(Debug)]
pub enum Output {
    Text(String),
    Json(Value),
}

impl Serialize for Output {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Output::Text(text) => out.serialize_str(text),
            Output::Json(value) => out.collect_str(value),
        }
    }
}

impl JsonSchema for Output {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

impl Tool for Help {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "help",
        summary: "Get help text for m1nd tools. Returns overview or detailed help for a specific tool.",
        help: "Give at most one of tool, intent and error_text.",
        intents: &["how to", "which tool", "explain error", "arguments", "documentation"],
        needs: Needs::Nothing,
        budget: Some(24_000),
        family: Family::Recover,
        examples: &[
            Example { says: "One tool", arguments: r#"{"tool": "search"}"# },
            Example { says: "Which tool for this?", arguments: r#"{"intent": "find all usages of a name"}"# },
            Example {
                says: "What does this error mean?",
                arguments: r#"{"error_text": "path_outside_workspace"}"#,
            },
        ],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let runtime = ctx.runtime();
        let text = match (&input.tool, &input.intent, &input.error_text) {
            (None, None, None) => overview(runtime, input.format),
            (Some(tool), None, None) => page(runtime, tool, input.format)?,
            (None, Some(intent), None) => for_intent(runtime, intent, input.format),
            (None, None, Some(text)) => for_error(runtime, text, input.format),
            _ => return Err(ctx.invalid("Give at most one of `tool`, `intent` and `error_text`.")),
        };
        Ok(Answer::of(text).candidates(1))
    }
}

fn overview(runtime: &Runtime, format: Format) -> Output {
    let registry = runtime.registry();
    match format {
        Format::Text => Output::Text(manual::overview(registry, &runtime.enabled_toolsets())),
        Format::Markdown => Output::Text(manual::overview_markdown(registry)),
        Format::Json => Output::Json(json!({ "tools": manual::overview_json(registry) })),
    }
}

fn page(runtime: &Runtime, tool: &str, format: Format) -> Result<Output, Fault> {
    let registry = runtime.registry();
    let (entry, toolset) = registry.entry(tool).ok_or_else(|| unknown(runtime, tool))?;
    Ok(match format {
        Format::Text => Output::Text(manual::page(registry, entry)),
        Format::Markdown => Output::Text(manual::page_markdown(registry, entry, toolset)),
        Format::Json => Output::Json(manual::page_json(registry, entry, toolset)),
    })
}

fn unknown(runtime: &Runtime, tool: &str) -> Fault {
    let near = runtime.registry().near(tool);
    let shown = &tool[..tool.floor_char_boundary(60)];
    let (message, arguments) = match near.first() {
        Some(first) => (
            format!("There is no tool named {shown:?}. Nearest: {}.", near.join(", ")),
            json!({ "tool": first }),
        ),
        None => (format!("There is no tool named {shown:?}."), json!({})),
    };
    Fault::new(Code::UnknownTool, message, Recovery::call("Ask for a tool that exists.", "help", arguments))
}

fn for_intent(runtime: &Runtime, intent: &str, format: Format) -> Output {
    let found = manual::for_intent(runtime.registry(), intent);
    if let Format::Json = format {
        let tools: Value = found
            .iter()
            .map(|entry| json!({ "tool": entry.spec.name, "summary": entry.spec.summary, "example": example(entry) }))
            .collect();
        return Output::Json(json!({ "tools": tools }));
    }
    if found.is_empty() {
        let all = manual::overview(runtime.registry(), &runtime.enabled_toolsets());
        return Output::Text(format!("No tool fits these words. All tools:\n{all}"));
    }
    let lines = found
        .iter()
        .map(|entry| format!("{}: {} Example: {}\n", entry.spec.name, entry.spec.summary, example(entry)));
    Output::Text(lines.collect())
}

fn example(entry: &Entry) -> Value {
    let first = entry.spec.examples.first();
    first.and_then(|example| serde_json::from_str(&manual::whole(entry, example)).ok()).unwrap_or_default()
}

/// Error codes are words of our own; what else the text says is matched like an intent.
fn for_error(runtime: &Runtime, text: &str, format: Format) -> Output {
    let named = Code::ALL.into_iter().find(|code| text.contains(code.as_str()));
    let tool = runtime.registry().entries().map(|(entry, _)| entry).find(|entry| {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.into_iter().any(|word| word == entry.spec.name)
    });
    let Some(code) = named else {
        return for_intent(runtime, text, format);
    };
    if let Format::Json = format {
        return Output::Json(
            json!({ "code": code, "meaning": code.meaning(), "tool": tool.map(|entry| entry.spec.name) }),
        );
    }
    let mut out = format!(
        "{}: {} The error's `recovery` names the next call; its arguments can be passed on as they are.\n",
        code.as_str(),
        code.meaning()
    );
    if let Some(entry) = tool {
        out.push_str(&manual::page(runtime.registry(), entry));
    }
    Output::Text(out)
}

/// What a page of JSON can do without, dearest last.
const SPARE: [&str; 4] = ["output_schema", "examples", "help", "input_schema"];

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        match self {
            Output::Text(text) => {
                let keep = text.len().saturating_sub(excess + MARK.len());
                let cut = cut_text(text, keep) > 0;
                if cut {
                    text.push_str(MARK);
                }
                cut && keep > 0
            }
            Output::Json(Value::Object(page)) => {
                page.insert("truncated".into(), json!(true));
                if let Some(Value::Array(tools)) = page.get_mut("tools") {
                    return tools.pop().is_some();
                }
                SPARE.iter().any(|name| page.shift_remove(*name).is_some())
            }
            Output::Json(_) => false,
        }
    }
}

/// Text has no field that could say it.
const MARK: &str = "\n[truncated: raise max_chars]";
