//! From settings to a runtime.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use etcetera::BaseStrategy as _;
use m1nd_runtime::{BuildInfo, Machine, Registry, Runtime, Settings};
use m1nd_serve::Otlp;
use m1nd_stdx::clock::SystemClock;

use crate::args::{BUILD_HASH, Global, VERSION};
use crate::config::{Config, Origin, Surroundings};

/// Loads the settings and warns about files that were passed over.
pub fn config(global: &Global) -> anyhow::Result<Config> {
    let config = Config::load(global, &Surroundings::real()?)?;
    for warning in &config.warnings {
        anstream::eprintln!("m1nd: warning: {warning}");
    }
    Ok(config)
}

/// A runtime bound to the workspace that the settings name, if they name one.
pub fn runtime(config: &Config) -> anyhow::Result<Runtime> {
    let runtime = unbound(config)?;
    if let Some((folder, source)) = &config.workspace {
        runtime.bind(folder, *source)?;
    }
    Ok(runtime)
}

/// The same for a server: one that cannot open its workspace starts all the same and says so, because a
/// host shows its agent what a server answers, and not why it died.
pub fn serving_runtime(config: &Config) -> anyhow::Result<Runtime> {
    let runtime = unbound(config)?;
    if let Some((folder, source)) = &config.workspace
        && let Err(err) = runtime.bind(folder, *source)
    {
        runtime.note_unbound(format!("{err} (chosen by {source})"));
    }
    Ok(runtime)
}

fn unbound(config: &Config) -> anyhow::Result<Runtime> {
    let surface = m1nd_tools::surface();
    let registry = Registry::new(surface.toolsets);
    let toolsets = match (registry.parse_toolsets(&config.toolsets.value), &config.toolsets.origin) {
        (Ok(toolsets), _) => toolsets,
        // A mistake in a file must not keep a host from starting its server.
        (Err(err), Origin::File(path)) => {
            anstream::eprintln!("m1nd: warning: `toolsets` in {} was passed over: {err}", path.display());
            registry.parse_toolsets("").unwrap_or_default()
        }
        (Err(err), origin) => return Err(err).context(format!("the setting `toolsets` ({origin})")),
    };
    let settings = Settings {
        home: config.home.value.clone(),
        runtime_root: config.runtime_root.as_ref().map(|setting| setting.value.clone()),
        toolsets,
        read_only: config.read_only.value,
        verify_commands: config.verify_commands.clone(),
        build: BuildInfo { version: VERSION, hash: BUILD_HASH },
    };
    let binary = std::env::current_exe().ok();
    let runtime = Runtime::new(surface, settings, Arc::new(SystemClock::new()), binary).on(machine());
    let Some(endpoint) = &config.otlp_endpoint else { return Ok(runtime) };
    match Otlp::start(&endpoint.value, VERSION) {
        Ok(otlp) => Ok(runtime.telling(Arc::new(otlp))),
        // What is only told besides must not keep a host from starting its server.
        Err(err) => {
            let from = &endpoint.origin;
            anstream::eprintln!("m1nd: warning: `otlp_endpoint` ({from}) was passed over: {err}");
            Ok(runtime)
        }
    }
}

/// What is around this process.
pub fn machine() -> Machine {
    let base = etcetera::choose_base_strategy().ok();
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    Machine {
        user_home: base.map(|base| base.home_dir().to_owned()),
        config_home: config,
        search_path: std::env::var_os("PATH"),
    }
}
