//! Prompts: texts that a host can offer to its user.

use m1nd_runtime::PromptSpec;
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};

use super::Handler;

impl Handler {
    pub(super) fn prompts(&self) -> ListPromptsResult {
        let prompts = self.runtime.surface().prompts.iter().map(listed).collect();
        #[cfg(feature = "conformance")]
        let prompts = self.fixtures.with_prompts(prompts);
        ListPromptsResult::with_all_items(prompts)
    }

    pub(super) fn prompt(&self, request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(prompt) = self.fixtures.prompt(request) {
            return prompt;
        }
        let known = self.runtime.surface().prompts;
        let Some(spec) = known.iter().find(|spec| spec.name == request.name) else {
            let names: Vec<_> = known.iter().map(|spec| spec.name).collect();
            let message = format!("There is no prompt {}; there are {}.", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let text =
            spec.render(|name| request.arguments.as_ref()?.get(name)?.as_str()).map_err(|missing| {
                ErrorData::invalid_params(format!("The argument {missing} is missing."), None)
            })?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(spec.description).into())
    }
}

fn listed(spec: &PromptSpec) -> Prompt {
    let arguments = spec.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    let arguments: Vec<_> = arguments.collect();
    Prompt::new(spec.name, Some(spec.description), (!arguments.is_empty()).then_some(arguments))
}
