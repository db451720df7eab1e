//! Handler: MCP's requests answered from a runtime. Holds no state of a conversation but its log level.

mod completion;
mod logging;
mod prompts;
mod resources;
mod tools;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use m1nd_runtime::Runtime;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio_util::sync::CancellationToken;

use crate::calls::Calls;
use crate::changes::Changes;
use crate::roots::Roots;
use logging::Log;

/// One conversation's view of the runtime. Cheap to make: everything behind it is shared.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    runtime: Arc<Runtime>,
    calls: Calls,
    changes: Changes,
    roots: Option<Roots>,
    log: Log,
    #[cfg(feature = "conformance")]
    fixtures: crate::conformance::Fixtures,
}

impl Handler {
    /// `stop` cancels all work. Needs a tokio runtime.
    pub(crate) fn new(runtime: Arc<Runtime>, stop: CancellationToken) -> Self {
        Self {
            changes: Changes::watch(&runtime, stop.clone()),
            calls: Calls::new(stop),
            runtime,
            roots: None,
            log: Log::default(),
            #[cfg(feature = "conformance")]
            fixtures: crate::conformance::Fixtures::default(),
        }
    }

    /// Lets the client say where it works. Only for servers with one client.
    pub(crate) fn asking_for_roots(mut self) -> Self {
        self.roots = Some(Roots::new(Arc::clone(&self.runtime)));
        self
    }

    /// The same server for another conversation.
    pub(crate) fn for_new_conversation(&self) -> Self {
        Self { log: Log::default(), ..self.clone() }
    }

    pub(crate) fn calls(&self) -> &Calls {
        &self.calls
    }
}

/// A panic in a handler would leave its request without an answer.
async fn guarded<T>(work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("a request handler panicked");
        Err(ErrorData::internal_error("m1nd failed; the server goes on.", None))
    })
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        #[cfg(feature = "conformance")]
        let capabilities = crate::conformance::capabilities(capabilities);
        let build = self.runtime.settings().build;
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::LATEST)
            .with_server_info(Implementation::new("m1nd", build.version).with_title("m1nd"))
            .with_instructions(self.runtime.surface().instructions)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        if let Some(roots) = &self.roots {
            roots.expect(&request.capabilities);
        }
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.changes.add(context.peer.clone());
        if let Some(roots) = &self.roots {
            roots.ask(&context.peer).await;
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if let Some(roots) = &self.roots {
            roots.ask(&context.peer).await;
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        guarded(self.tools()).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        guarded(self.call(request, context)).await
    }

    #[cfg(feature = "conformance")]
    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.fixtures.tool(name)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(self.resources())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(self.resource_templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        guarded(self.read(request, context)).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(self.prompts())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        guarded(async { self.prompt(&request) }).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        guarded(async { self.completion(&request) }).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !has_handshake(&context) {
            return Err(no_method("logging/setLevel"));
        }
        self.log.set(request.level);
        Ok(())
    }

    #[cfg(feature = "conformance")]
    async fn subscribe(
        &self,
        _: rmcp::model::SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    #[cfg(feature = "conformance")]
    async fn unsubscribe(
        &self,
        _: rmcp::model::UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        #[cfg(feature = "conformance")]
        let _listening = self.fixtures.listening(context.sink());
        self.changes.listen(&context).await;
        Ok(())
    }

    /// The SDK hands over every method that it does not know, and every known one whose parameters
    /// it could not read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        let known =
            METHODS.contains(&method) || (HANDSHAKE_METHODS.contains(&method) && has_handshake(&context));
        Err(if known {
            ErrorData::invalid_params(format!("The parameters do not fit the method {method}."), None)
        } else {
            no_method(method)
        })
    }
}

/// Whether the request belongs to a revision that begins with `initialize`.
fn has_handshake(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_none_or(|version| version.as_str() < ProtocolVersion::V_2026_07_28.as_str())
}

fn no_method(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {method}."), None)
}

const METHODS: [&str; 10] = [
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Methods that 2026-07-28 took away.
const HANDSHAKE_METHODS: [&str; 3] = ["initialize", "logging/setLevel", "ping"];
