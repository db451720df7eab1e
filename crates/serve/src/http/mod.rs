//! MCP over streamable HTTP: both eras on one endpoint, behind a token, a Host and an Origin check.

mod body;
mod connections;
mod guard;
mod malformed;
mod sessions;
mod token;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use m1nd_runtime::Runtime;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::ServeError;
use crate::handler::Handler;
use crate::shutdown::Shutdown;
use connections::Connections;
use guard::Guard;
use sessions::Sessions;
pub use token::generate_token;

/// Where MCP is served.
const ENDPOINT: &str = "/mcp";
/// Bytes of one request's body.
pub(crate) const MAX_BODY: usize = 16 << 20;
/// Two seconds in all, with the time to persist.
const PATIENCE_AFTER_SIGNAL: Duration = Duration::from_millis(1_000);
const PATIENCE_FOR_WRITING: Duration = Duration::from_millis(300);

/// How an HTTP server behaves.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// What clients send as `Authorization: Bearer …`.
    pub token: String,
    /// Listen on an address that other machines can reach.
    pub allow_remote: bool,
    /// Names by which clients may call this server, besides its address and `localhost`.
    pub hosts: Vec<String>,
    /// Web pages that may call this server, besides its own: `https://example.org:8443`.
    pub origins: Vec<String>,
    pub shutdown: Shutdown,
}

impl HttpOptions {
    pub fn new(address: SocketAddr, token: impl Into<String>) -> Self {
        Self {
            address,
            token: token.into(),
            allow_remote: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            shutdown: Shutdown::new(),
        }
    }
}

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
}

impl HttpServer {
    /// Takes the address. Nothing is answered before [`run`](Self::run).
    pub async fn bind(options: HttpOptions) -> Result<Self, ServeError> {
        let address = options.address;
        if !address.ip().is_loopback() && !options.allow_remote {
            return Err(ServeError::NotLoopback { address });
        }
        token::check(&options.token)?;
        let failed = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, options })
    }

    /// Where the server really listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the endpoint, for people and configurations. It holds no secret.
    pub fn url(&self) -> String {
        format!("http://{}{ENDPOINT}", self.address)
    }

    /// Serves until [`Shutdown`] is asked for; calls under way then get a moment to finish.
    ///
    /// Calls that ignore cancellation may still be running on blocking threads when this returns.
    pub async fn run(self, runtime: Arc<Runtime>) {
        let stop = CancellationToken::new();
        let handler = Handler::new(runtime, stop.clone());
        let calls = handler.calls().clone();
        // The guard has looked at Host and Origin already, on every route.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(stop.clone());
        let sessions = Arc::new(Sessions::default());
        let service = StreamableHttpService::new(
            move || Ok(handler.for_new_conversation()),
            Arc::clone(&sessions),
            config,
        );
        let guard = Arc::new(Guard::new(&self.options, self.address));
        let router = Router::new()
            .route_service(ENDPOINT, service)
            .layer(axum::middleware::from_fn(malformed::check))
            .layer(axum::middleware::from_fn_with_state(guard, guard::check));
        let shutdown = self.options.shutdown.clone();
        let connections = Connections::default();
        connections.accept(self.listener, router, shutdown.token().clone()).await;
        tracing::info!("ending");
        calls.idle(PATIENCE_AFTER_SIGNAL).await;
        // Stopping ends the streams too, and answers are on their way through them.
        connections.finished(PATIENCE_FOR_WRITING).await;
        stop.cancel();
        connections.finished(PATIENCE_FOR_WRITING).await;
        connections.drop_all();
    }
}
