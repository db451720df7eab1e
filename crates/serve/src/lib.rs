//! MCP over stdio and streamable HTTP. Knows the protocol and names no tool.
//!
//! Both transports put one [`Runtime`](m1nd_runtime::Runtime) behind the official SDK. Calls run on
//! blocking threads, a bounded number at a time; nothing is remembered about a connection.

#![expect(deprecated, reason = "hosts before 2026-07-28 name their folder by roots and set a log level")]

mod calls;
mod changes;
#[cfg(feature = "conformance")]
mod conformance;
mod error;
mod handler;
mod http;
mod jsonrpc;
mod otlp;
mod progress;
mod roots;
mod shutdown;
mod stdio;

pub use error::ServeError;
pub use http::{HttpOptions, HttpServer, generate_token};
pub use otlp::{Otlp, OtlpError};
pub use shutdown::Shutdown;
pub use stdio::{Ended, StdioOptions, serve_pipes, stdio};
