//! Fixtures that the official conformance suite calls by name. Not in release builds.
//!
//! They stand before the runtime's own tools, behind the same transports, limits and panic guard.

mod answers;
mod pages;
mod rounds;
mod table;
mod talk;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Prompt, Resource, ResourceTemplate, ResultType,
    ServerCapabilities, Tool,
};
use rmcp::service::{RequestContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

/// What fixtures share: the open subscriptions, which two of the tools set off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fixtures {
    subscribers: Arc<Mutex<Subscribers>>,
}

#[derive(Debug, Default)]
struct Subscribers {
    next: u64,
    sinks: BTreeMap<u64, SubscriptionSink>,
}

/// Keeps a subscription on the list.
pub(crate) struct Listening {
    subscribers: Arc<Mutex<Subscribers>>,
    number: u64,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.subscribers.lock().sinks.remove(&self.number);
    }
}

/// What the suite expects a server with these fixtures to offer.
pub(crate) fn capabilities(mut own: ServerCapabilities) -> ServerCapabilities {
    if let Some(resources) = &mut own.resources {
        resources.subscribe = Some(true);
        resources.list_changed = Some(true);
    }
    if let Some(prompts) = &mut own.prompts {
        prompts.list_changed = Some(true);
    }
    own
}

impl Fixtures {
    pub(crate) fn listening(&self, sink: &SubscriptionSink) -> Listening {
        let mut subscribers = self.subscribers.lock();
        subscribers.next += 1;
        let number = subscribers.next;
        subscribers.sinks.insert(number, sink.clone());
        Listening { subscribers: Arc::clone(&self.subscribers), number }
    }

    fn sinks(&self) -> Vec<SubscriptionSink> {
        self.subscribers.lock().sinks.values().cloned().collect()
    }

    pub(crate) fn tool(&self, name: &str) -> Option<Tool> {
        table::tools().into_iter().find(|tool| tool.name == name)
    }

    pub(crate) fn with_tools(&self, own: Vec<Tool>) -> Vec<Tool> {
        own.into_iter().chain(table::tools()).collect()
    }

    pub(crate) fn with_resources(&self, own: Vec<Resource>) -> Vec<Resource> {
        own.into_iter().chain(pages::resources()).collect()
    }

    pub(crate) fn with_templates(&self, own: Vec<ResourceTemplate>) -> Vec<ResourceTemplate> {
        own.into_iter().chain(pages::templates()).collect()
    }

    pub(crate) fn with_prompts(&self, own: Vec<Prompt>) -> Vec<Prompt> {
        own.into_iter().chain(pages::prompts()).collect()
    }

    /// The answer of a fixture, or `None` when no fixture has that name.
    pub(crate) async fn call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<CallToolResponse, ErrorData>> {
        if let Some(answer) = answers::of(request) {
            return Some(answer);
        }
        if let Some(answer) = rounds::of(request, context) {
            return Some(answer);
        }
        talk::of(self, request, context).await
    }
}

/// A tool's result from its JSON.
fn result(json: Value) -> Result<CallToolResponse, ErrorData> {
    let mut result: CallToolResult = serde_json::from_value(json).map_err(broken)?;
    result.result_type = Some(ResultType::COMPLETE);
    Ok(result.into())
}

fn text(text: impl Into<String>) -> Result<CallToolResponse, ErrorData> {
    let content = rmcp::model::ContentBlock::text(text.into());
    Ok(CallToolResult::success(vec![content]).into())
}

fn broken(err: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(format!("a fixture is broken: {err}"), None)
}
