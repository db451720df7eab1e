//! What can keep a server from serving.

use std::net::SocketAddr;

/// Facts for the command line to explain.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("a thread could not be started: {0}")]
    Thread(#[source] std::io::Error),
    #[error("{address} cannot be listened on: {source}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: std::io::Error,
    },
    #[error("{address} is not a loopback address and remote clients are not allowed")]
    NotLoopback { address: SocketAddr },
    #[error("the token has {length} characters and needs at least {least}")]
    WeakToken { length: usize, least: usize },
    #[error("there is no source of random numbers: {0}")]
    Random(String),
}
