//! Fixture tools that talk to the client while they run.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CreateMessageRequestParams,
    ElicitRequestParams, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    SamplingMessage,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::{Fixtures, broken, text};

/// Long enough for each notification to be a message of its own.
const PAUSE: Duration = Duration::from_millis(50);

type Answer = Result<CallToolResponse, ErrorData>;

pub(super) async fn of(
    fixtures: &Fixtures,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Answer> {
    let argument = |name: &str| request.arguments.as_ref()?.get(name)?.as_str().map(str::to_owned);
    Some(match request.name.as_ref() {
        "test_tool_with_logging" => logging(context).await,
        "test_logging_tool" => logging_on_request(context).await,
        "test_tool_with_progress" => progress(context).await,
        "test_reconnection" => {
            tokio::time::sleep(PAUSE * 2).await;
            text("Reconnection test completed")
        }
        "test_sampling" => sampling(context, argument("prompt").unwrap_or_default()).await,
        "test_elicitation" => {
            let schema = json!({
                "username": {"type": "string", "description": "The name"},
                "email": {"type": "string", "description": "The address"},
            });
            let message = argument("message").unwrap_or_default();
            elicitation(context, &message, schema, json!(["username", "email"])).await
        }
        "test_elicitation_sep1034_defaults" => {
            elicitation(context, "Everything has a default", defaults(), json!([])).await
        }
        "test_elicitation_sep1330_enums" => elicitation(context, "Choose", choices(), json!([])).await,
        "test_trigger_tool_change" => {
            for sink in fixtures.sinks() {
                ignore_closed(sink.notify_tool_list_changed().await);
            }
            text("The tools have changed")
        }
        "test_trigger_prompt_change" => {
            for sink in fixtures.sinks() {
                ignore_closed(sink.notify_prompt_list_changed().await);
            }
            text("The prompts have changed")
        }
        "test_missing_capability" => missing_capability(context),
        _ => return None,
    })
}

async fn logging(context: &RequestContext<RoleServer>) -> Answer {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let note =
            LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message)).with_logger("fixture");
        context.peer.notify_logging_message(note).await.map_err(broken)?;
        tokio::time::sleep(PAUSE).await;
    }
    text("Logging test completed")
}

async fn logging_on_request(context: &RequestContext<RoleServer>) -> Answer {
    if let Some(level) = context.meta.log_level() {
        let note = LoggingMessageNotificationParam::new(level, json!("A level was asked for"))
            .with_logger("fixture");
        context.peer.notify_logging_message(note).await.map_err(broken)?;
    }
    text("Logging tool completed")
}

async fn progress(context: &RequestContext<RoleServer>) -> Answer {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let note = ProgressNotificationParam::new(token, done)
                .with_total(100.0)
                .with_message(format!("{done} %"));
            context.peer.notify_progress(note).await.map_err(broken)?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    text("Progress test completed")
}

async fn sampling(context: &RequestContext<RoleServer>, prompt: String) -> Answer {
    let question = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    let answer = context.peer.create_message(question).await.map_err(refused)?;
    let answer = serde_json::to_value(answer.message.content).map_err(broken)?;
    let said = answer.pointer("/text").or_else(|| answer.pointer("/0/text"));
    text(format!("LLM response: {}", said.and_then(Value::as_str).unwrap_or_default()))
}

async fn elicitation(
    context: &RequestContext<RoleServer>,
    message: &str,
    properties: Value,
    required: Value,
) -> Answer {
    let question: ElicitRequestParams = serde_json::from_value(json!({
        "mode": "form",
        "message": message,
        "requestedSchema": {"type": "object", "properties": properties, "required": required},
    }))
    .map_err(broken)?;
    let answer = context.peer.create_elicitation(question).await.map_err(refused)?;
    let answer = serde_json::to_value(answer).map_err(broken)?;
    let action = answer["action"].as_str().unwrap_or_default();
    text(format!("Elicitation completed: action={action}, content={}", answer["content"]))
}

fn missing_capability(context: &RequestContext<RoleServer>) -> Answer {
    let declared = context.meta.client_capabilities().unwrap_or_default();
    if declared.sampling.is_none() {
        let needed = ClientCapabilities::builder().enable_sampling().build();
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    text("The capability was declared")
}

fn refused(err: ServiceError) -> ErrorData {
    ErrorData::internal_error(format!("the client did not answer: {err}"), None)
}

/// A subscriber that just left is no reason to fail.
fn ignore_closed<E: std::fmt::Display>(sent: Result<(), E>) {
    if let Err(err) = sent {
        tracing::debug!(%err, "a subscriber was not told");
    }
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "description": "A name", "default": "John Doe"},
        "age": {"type": "integer", "description": "Years", "default": 30},
        "score": {"type": "number", "description": "Points", "default": 95.5},
        "status": {
            "type": "string",
            "description": "A state",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "description": "Whether it was checked", "default": true},
    })
}

fn choices() -> Value {
    let titled: Vec<_> =
        (1..=3).map(|n| json!({"const": format!("value{n}"), "title": format!("Option {n}")})).collect();
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    })
}
