//! Fixture resources, prompts and completions.

use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt,
    PromptArgument, Reference, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use super::answers::{PNG, image, resource};
use super::rounds::prompt_context;
use super::{Fixtures, broken};

pub(super) fn resources() -> [Resource; 3] {
    let listed = |uri: &str, mime: &str| {
        Resource::new(uri, uri).with_description("A conformance fixture.").with_mime_type(mime)
    };
    [
        listed("test://static-text", "text/plain"),
        listed("test://static-binary", "image/png"),
        listed("test://watched-resource", "text/plain"),
    ]
}

pub(super) fn templates() -> [ResourceTemplate; 1] {
    [ResourceTemplate::new("test://template/{id}/data", "template")
        .with_description("A conformance fixture.")
        .with_mime_type("application/json")]
}

pub(super) fn prompts() -> Vec<Prompt> {
    let plain = [
        "test_simple_prompt",
        "test_prompt_with_embedded_resource",
        "test_prompt_with_image",
        "test_input_required_result_prompt",
    ];
    let mut prompts: Vec<_> = plain.iter().map(|name| prompt(name, &[])).collect();
    prompts.push(prompt("test_prompt_with_arguments", &["arg1", "arg2"]));
    prompts
}

fn prompt(name: &str, arguments: &[&str]) -> Prompt {
    let arguments: Vec<_> =
        arguments.iter().map(|argument| PromptArgument::new(*argument).with_required(true)).collect();
    Prompt::new(name, Some("A conformance fixture."), Some(arguments))
}

impl Fixtures {
    pub(crate) fn read(&self, uri: &str) -> Option<ResourceContents> {
        let contents = match uri {
            "test://static-text" => {
                ResourceContents::text("This is the content of the static text resource.", uri)
            }
            "test://watched-resource" => ResourceContents::text("Watched.", uri),
            "test://static-binary" => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
            _ => {
                let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
                let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
            }
        };
        Some(contents)
    }

    pub(crate) fn prompt(
        &self,
        request: &GetPromptRequestParams,
    ) -> Option<Result<GetPromptResponse, ErrorData>> {
        let argument = |name: &str| request.arguments.as_ref()?.get(name)?.as_str();
        Some(match request.name.as_str() {
            "test_simple_prompt" => messages(vec![words("This is a simple prompt for testing.")]),
            "test_prompt_with_arguments" => messages(vec![words(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1").unwrap_or_default(),
                argument("arg2").unwrap_or_default()
            ))]),
            "test_prompt_with_embedded_resource" => {
                let uri = argument("resourceUri").unwrap_or("test://example-resource");
                let embedded = resource(uri, "text/plain", "Embedded resource content for testing.");
                messages(vec![embedded, words("Please process the embedded resource above.")])
            }
            "test_prompt_with_image" => messages(vec![image(), words("Please analyze the image above.")]),
            "test_input_required_result_prompt" => match prompt_context(request.input_responses.as_ref()) {
                Ok(context) => messages(vec![words(&format!("Tell me about {context}."))]),
                Err(question) => question.map(Into::into),
            },
            _ => return None,
        })
    }

    pub(crate) fn completion(&self, request: &CompleteRequestParams) -> Option<Vec<String>> {
        let ours = match &request.r#ref {
            Reference::Prompt(prompt) => prompts().iter().any(|known| known.name == prompt.name),
            Reference::Resource(resource) => {
                templates().iter().any(|known| known.uri_template == resource.uri)
            }
            _ => false,
        };
        let values = ["paris", "park", "party"];
        let typed = request.argument.value.as_str();
        ours.then(|| {
            values.iter().filter(|value| value.starts_with(typed)).map(|value| (*value).to_owned()).collect()
        })
    }
}

fn words(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn messages(contents: Vec<Value>) -> Result<GetPromptResponse, ErrorData> {
    let messages: Vec<_> =
        contents.into_iter().map(|content| json!({"role": "user", "content": content})).collect();
    let messages = serde_json::from_value(messages.into()).map_err(broken)?;
    Ok(GetPromptResult::new(messages).into())
}
