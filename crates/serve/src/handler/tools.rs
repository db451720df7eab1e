//! Tools: the registry's listings and replies in MCP's words.

use std::sync::Arc;

use m1nd_runtime::{Listing, Reply, Silent, ToolCall};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::Handler;
use crate::calls::CallLost;
use crate::progress::Reports;

impl Handler {
    pub(super) async fn tools(&self) -> Result<ListToolsResult, ErrorData> {
        let runtime = Arc::clone(&self.runtime);
        // The first listing makes every schema.
        let listings = tokio::task::spawn_blocking(move || runtime.listings())
            .await
            .map_err(|err| ErrorData::internal_error(err.to_string(), None))?;
        let tools = listings.into_iter().map(tool).collect();
        #[cfg(feature = "conformance")]
        let tools = self.fixtures.with_tools(tools);
        Ok(ListToolsResult::with_all_items(tools))
    }

    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(answer) = self.fixtures.call(&request, &context).await {
            return answer;
        }
        if let Some(roots) = &self.roots {
            roots.settled().await;
        }
        let call =
            ToolCall { name: request.name.into_owned(), arguments: request.arguments.unwrap_or_default() };
        let reply = match context.meta.get_progress_token() {
            None => self.run(call, &context).await,
            Some(token) => {
                let reports = Arc::new(Reports::default());
                tokio::select! {
                    reply = self.run_reporting(call, &context, Arc::clone(&reports)) => reply,
                    never = reports.forward(&context.peer, token) => never,
                }
            }
        }
        .map_err(lost)?;
        tokio::select! {
            () = self.log.failure(&reply, &context) => {}
            // The SDK confirms nothing once it is ending.
            () = self.calls.stopped() => {}
        }
        Ok(result(reply).into())
    }

    async fn run(&self, call: ToolCall, context: &RequestContext<RoleServer>) -> Result<Reply, CallLost> {
        let runtime = Arc::clone(&self.runtime);
        self.calls.run(&context.ct, move |cancel| runtime.call(call, cancel, &Silent)).await
    }

    async fn run_reporting(
        &self,
        call: ToolCall,
        context: &RequestContext<RoleServer>,
        reports: Arc<Reports>,
    ) -> Result<Reply, CallLost> {
        let runtime = Arc::clone(&self.runtime);
        self.calls.run(&context.ct, move |cancel| runtime.call(call, cancel, &*reports)).await
    }
}

pub(super) fn lost(lost: CallLost) -> ErrorData {
    ErrorData::internal_error(format!("There is no answer: {lost}."), None)
}

fn tool(listing: Listing) -> Tool {
    let effect = listing.effect;
    let tool = Tool::new(listing.name, listing.description, object(listing.input_schema));
    let tool = match listing.output_schema {
        Some(schema) => tool.with_raw_output_schema(object(schema)),
        None => tool,
    };
    tool.with_annotations(
        ToolAnnotations::new()
            .read_only(effect.read_only())
            .destructive(effect.destructive())
            .idempotent(effect.idempotent())
            .open_world(false),
    )
}

fn object(schema: Value) -> Arc<rmcp::model::JsonObject> {
    match schema {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}

/// Text for hosts that show text, and the same object for hosts that read objects.
fn result(reply: Reply) -> CallToolResult {
    let content = vec![ContentBlock::text(reply.text())];
    let mut result =
        if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    if reply.body.is_object() {
        result.structured_content = Some(reply.body);
    }
    result
}
