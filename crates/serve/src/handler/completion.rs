//! Completion: names of tools for resource templates that take one.

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::Handler;

/// The template variable that stands for a tool's name.
const TOOL: &str = "tool";

impl Handler {
    pub(super) fn completion(&self, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(values) = self.fixtures.completion(request) {
            return complete(values);
        }
        let Reference::Resource(reference) = &request.r#ref else {
            return complete(Vec::new());
        };
        let mut specs = self.runtime.surface().resources.iter();
        let takes_a_tool = specs.any(|spec| spec.uri == reference.uri && spec.argument == Some(TOOL));
        if !takes_a_tool || request.argument.name != TOOL {
            return complete(Vec::new());
        }
        let typed = request.argument.value.as_str();
        let names = self.runtime.registry().entries().map(|(entry, _)| entry.spec.name);
        let mut names: Vec<_> = names.filter(|name| name.starts_with(typed)).map(str::to_owned).collect();
        names.sort_unstable();
        complete(names)
    }
}

fn complete(mut values: Vec<String>) -> Result<CompleteResult, ErrorData> {
    values.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::new(values).map(CompleteResult::new).map_err(|err| ErrorData::internal_error(err, None))
}
