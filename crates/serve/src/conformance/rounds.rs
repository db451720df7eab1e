//! Fixture tools that need input first: they answer with questions until the client comes back with answers.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, InputRequest, InputRequests, InputRequiredResult, InputResponses,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::{broken, text};

type Answer = Result<CallToolResponse, ErrorData>;

pub(super) fn of(request: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Option<Answer> {
    let given = Given(request.input_responses.as_ref());
    let state = request.request_state.as_deref();
    let name = request.name.strip_prefix("test_input_required_result_");
    Some(match name.or(request.name.strip_prefix("test_"))? {
        "elicitation" | "validate_input" if name.is_some() => match given.content("user_name", "name") {
            Some(name) => text(format!("Hello, {name}!")),
            None => ask(vec![name_question()], None),
        },
        "sampling" if name.is_some() => match given.get("capital_question") {
            Some(answer) => text(format!("Sampling response: {}", answer["content"]["text"])),
            None => ask(vec![("capital_question", sampling("What is the capital of France?"))], None),
        },
        "list_roots" => match given.get("client_roots") {
            Some(answer) => text(format!("Client roots: {}", answer["roots"])),
            None => ask(vec![("client_roots", roots())], None),
        },
        "request_state" | "tampered_state" => confirm(state),
        "multiple_inputs" => multiple(&given, state),
        "multi_round" => multi_round(state),
        "capabilities" => capabilities(&given, context),
        "streaming_elicitation" => {
            ask(vec![("streaming_elicitation", elicitation("Give a value", "value", "string"))], None)
        }
        _ => return None,
    })
}

/// The question of `prompts/get`, which is no tool but asks in the same way.
pub(super) fn prompt_context(
    responses: Option<&InputResponses>,
) -> Result<String, Result<InputRequiredResult, ErrorData>> {
    let question =
        || questions(vec![("user_context", elicitation("What is it about?", "context", "string"))]);
    Given(responses)
        .content("user_context", "context")
        .ok_or_else(|| question().map(InputRequiredResult::from_input_requests))
}

fn confirm(state: Option<&str>) -> Answer {
    match state {
        None => ask(
            vec![("confirm", elicitation("Please confirm", "ok", "boolean"))],
            Some(json!({"stage": "confirm"})),
        ),
        Some(sealed) => open(sealed).and_then(|_| text("Confirmed: state-ok")),
    }
}

fn multiple(given: &Given<'_>, state: Option<&str>) -> Answer {
    let opened = state.map(open).transpose()?;
    let all = ["user_name", "greeting", "client_roots"];
    if opened.is_some() && all.iter().all(|key| given.get(key).is_some()) {
        return text("All inputs received");
    }
    let questions = vec![name_question(), ("greeting", sampling("Say hello")), ("client_roots", roots())];
    ask(questions, Some(json!({"stage": "gather"})))
}

fn multi_round(state: Option<&str>) -> Answer {
    let round = match state {
        None => 0,
        Some(sealed) => open(sealed)?["round"].as_u64().unwrap_or_default(),
    };
    let next = Some(json!({"round": round + 1}));
    match round {
        0 => ask(vec![("step1", elicitation("What is your name?", "name", "string"))], next),
        1 => ask(vec![("step2", elicitation("Which colour?", "color", "string"))], next),
        _ => text("All rounds are done"),
    }
}

/// Asks only for what the client said it can answer.
fn capabilities(given: &Given<'_>, context: &RequestContext<RoleServer>) -> Answer {
    if given.0.is_some() {
        return text("All inputs received");
    }
    let client = context.meta.client_capabilities().unwrap_or_default();
    let possible = [
        (client.elicitation.is_some(), name_question()),
        (client.sampling.is_some(), ("greeting", sampling("Say hello"))),
        (client.roots.is_some(), ("client_roots", roots())),
    ];
    let questions: Vec<_> =
        possible.into_iter().filter_map(|(can, question)| can.then_some(question)).collect();
    if questions.is_empty() {
        return text("The client can answer nothing");
    }
    ask(questions, None)
}

/// What the client sent along. Anything but an object counts as not sent.
struct Given<'a>(Option<&'a InputResponses>);

impl Given<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0?.get(key).filter(|value| value.is_object())
    }

    fn content(&self, key: &str, field: &str) -> Option<String> {
        let content = &self.get(key)?["content"];
        content[field].as_str().map(str::to_owned)
    }
}

type Question = (&'static str, Value);

fn name_question() -> Question {
    ("user_name", elicitation("What is your name?", "name", "string"))
}

fn elicitation(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {
        "mode": "form",
        "message": message,
        "requestedSchema": {"type": "object", "properties": {field: {"type": kind}}, "required": [field]},
    }})
}

fn sampling(prompt: &str) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
        "maxTokens": 100,
    }})
}

fn roots() -> Value {
    json!({"method": "roots/list"})
}

fn questions(questions: Vec<Question>) -> Result<InputRequests, ErrorData> {
    let read = |(key, json): Question| {
        serde_json::from_value::<InputRequest>(json)
            .map(|question| (key.to_owned(), question))
            .map_err(broken)
    };
    questions.into_iter().map(read).collect()
}

fn ask(asked: Vec<Question>, state: Option<Value>) -> Answer {
    let state = state.map(|state| seal(&state));
    Ok(InputRequiredResult::new(Some(questions(asked)?), state).into())
}

/// Good enough for a fixture: a real server would keep this key to itself.
const KEY: &[u8; 32] = b"the key of conformance fixtures!";

/// State that comes back through the client, with a mark that only this server can make.
fn seal(state: &Value) -> String {
    let state = state.to_string();
    format!("{}.{state}", blake3::keyed_hash(KEY, state.as_bytes()).to_hex())
}

fn open(sealed: &str) -> Result<Value, ErrorData> {
    let refused = || ErrorData::invalid_params("The request state was changed on its way.", None);
    let (mark, state) = sealed.split_once('.').ok_or_else(refused)?;
    let mark = blake3::Hash::from_hex(mark).map_err(|_| refused())?;
    if mark != blake3::keyed_hash(KEY, state.as_bytes()) {
        return Err(refused());
    }
    serde_json::from_str(state).map_err(|_| refused())
}
