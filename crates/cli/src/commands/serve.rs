//! `m1nd serve`: MCP over stdin and stdout, or over HTTP.

use std::fs;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use m1nd_runtime::Runtime;
use m1nd_serve::{HttpOptions, HttpServer, Shutdown, StdioOptions, generate_token};
use m1nd_vfs::durable;

use crate::args::{Global, Serve};
use crate::config::{Config, Surroundings};
use crate::{log, wiring};

/// The token that HTTP clients must send.
const TOKEN_FILE: &str = "http-token";

/// Workers only move bytes; calls run on threads of their own.
const WORKERS: usize = 2;

pub fn run(global: &Global, serve: &Serve) -> anyhow::Result<ExitCode> {
    let config = Config::load(global, &Surroundings::real()?)?;
    let runtime = Arc::new(wiring::serving_runtime(&config)?);
    let state = state_folder(&runtime, &config);
    if let Err(err) = log::start(state.as_deref().ok(), &config.log.value, global.verbose) {
        // A server that cannot log still serves.
        log::start(None, "info", global.verbose).context(err)?;
    }
    if let Err(err) = &state {
        tracing::warn!("{err:#}");
    }
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .context("no threads could be started")?;
    runtime.keep_fresh();
    let served = Arc::clone(&runtime);
    let outcome = match &serve.http {
        None => tokio.block_on(stdio(runtime)),
        Some(address) => {
            let token = token(&state?)?;
            let mut options = HttpOptions::new(resolve(address)?, token);
            options.allow_remote = serve.allow_remote;
            tokio.block_on(http(runtime, options))
        }
    };
    // A call that ignores its cancellation must not keep the process alive.
    tokio.shutdown_background();
    served.close();
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn stdio(runtime: Arc<Runtime>) -> anyhow::Result<()> {
    let options = StdioOptions::default();
    options.shutdown.on_signals().context("signals cannot be received")?;
    tracing::info!(version = crate::args::VERSION, "serving stdio");
    let ended = m1nd_serve::stdio(runtime, options).await?;
    tracing::info!(?ended, "ended");
    Ok(())
}

async fn http(runtime: Arc<Runtime>, mut options: HttpOptions) -> anyhow::Result<()> {
    let shutdown = Shutdown::new();
    shutdown.on_signals().context("signals cannot be received")?;
    options.shutdown = shutdown;
    let server = HttpServer::bind(options).await.map_err(explain)?;
    let token = runtime.workspace().map(|workspace| workspace.runtime_root().join(TOKEN_FILE));
    anstream::eprintln!("m1nd: serving {}", server.url());
    if let Some(token) = token {
        anstream::eprintln!("m1nd: the bearer token is in {}", token.display());
    }
    server.run(runtime).await;
    Ok(())
}

fn explain(err: m1nd_serve::ServeError) -> anyhow::Error {
    let advice = match &err {
        m1nd_serve::ServeError::NotLoopback { .. } => {
            "Other machines could reach it. If that is what you want, add --allow-remote."
        }
        m1nd_serve::ServeError::Listen { .. } => {
            "Choose another address: --http 127.0.0.1:0 takes a free port."
        }
        _ => return err.into(),
    };
    anyhow::anyhow!("{err}. {advice}")
}

fn resolve(address: &str) -> anyhow::Result<SocketAddr> {
    address
        .to_socket_addrs()
        .ok()
        .and_then(|mut found| found.next())
        .with_context(|| format!("{address:?} is not an address; write one like 127.0.0.1:8137"))
}

/// The runtime root of the workspace, made if need be.
fn state_folder(runtime: &Runtime, config: &Config) -> anyhow::Result<std::path::PathBuf> {
    match runtime.workspace() {
        Some(workspace) => Ok(workspace.ensure_runtime_root()?.to_owned()),
        None => {
            let folder = config.home.value.join("unbound");
            durable::private_folder(&folder).with_context(|| folder.display().to_string())?;
            Ok(folder)
        }
    }
}

/// The token in the state folder, made on first use.
fn token(folder: &Path) -> anyhow::Result<String> {
    let path = folder.join(TOKEN_FILE);
    if let Ok(text) = fs::read_to_string(&path)
        && !text.trim().is_empty()
    {
        return Ok(text.trim().to_owned());
    }
    let token = generate_token()?;
    durable::replace(&path, token.as_bytes()).with_context(|| path.display().to_string())?;
    Ok(token)
}
