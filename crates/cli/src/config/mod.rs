//! Settings from flags, the environment and two files, each with the place it came from.
//!
//! A flag beats a variable, a variable beats the workspace's `m1nd.toml`, that beats `config.toml` in
//! `M1ND_HOME`, and that beats the default. The workspace itself is the one exception: its variable
//! beats its flag, because hosts set the variable to say which workspace they mean.

mod file;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;
use m1nd_runtime::workspace::{BindingSource, from_current_folder};

use crate::args::Global;
use file::{HomeFile, WorkspaceFile};

/// A value and where it came from.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Flag(&'static str),
    Variable(&'static str),
    File(PathBuf),
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag(name) => write!(out, "flag {name}"),
            Origin::Variable(name) => write!(out, "variable {name}"),
            Origin::File(path) => write!(out, "file {}", path.display()),
            Origin::Default => out.write_str("default"),
        }
    }
}

/// Everything that can be set, resolved.
#[derive(Clone, Debug)]
pub struct Config {
    pub home: Setting<PathBuf>,
    /// `None` when there is no workspace to be found.
    pub workspace: Option<(PathBuf, BindingSource)>,
    pub runtime_root: Option<Setting<PathBuf>>,
    pub toolsets: Setting<String>,
    pub read_only: Setting<bool>,
    pub log: Setting<String>,
    /// Where steps of missions are sent; nowhere unless the user says so.
    pub otlp_endpoint: Option<Setting<String>>,
    /// Commands that edits may be verified with.
    pub verify_commands: Vec<String>,
    pub verify_origin: Origin,
    /// Files that could not be read as settings; they were passed over.
    pub warnings: Vec<String>,
}

type Variables = Box<dyn Fn(&str) -> Option<String>>;

/// Where values are looked up; tests hand in their own.
pub struct Surroundings {
    pub variable: Variables,
    pub current_folder: PathBuf,
    pub user_home: Option<PathBuf>,
}

impl Surroundings {
    pub fn real() -> anyhow::Result<Self> {
        let user_home = etcetera::choose_base_strategy().ok().map(|base| base.home_dir().to_owned());
        Ok(Self {
            variable: Box::new(|name| std::env::var(name).ok().filter(|value| !value.is_empty())),
            current_folder: std::env::current_dir()
                .context("the current folder is gone; change to one that exists")?,
            user_home,
        })
    }
}

impl Config {
    pub fn load(global: &Global, from: &Surroundings) -> anyhow::Result<Self> {
        let mut warnings = Vec::new();
        let home = home(from)?;
        let home_path = home.value.join("config.toml");
        let home_file: HomeFile = file::read_home(&home_path, &mut warnings);
        let workspace = workspace(global, from);
        let workspace_path = workspace.as_ref().map(|(folder, _)| folder.join("m1nd.toml"));
        let workspace_file: WorkspaceFile = match &workspace {
            Some((folder, _)) => file::read_workspace(folder, &mut warnings),
            None => WorkspaceFile::default(),
        };
        let verify_origin = match home_file.verify_commands {
            Some(_) => Origin::File(home_path.clone()),
            None => Origin::Default,
        };
        let verify_commands = allowed_commands(
            home_file.verify_commands.unwrap_or_default(),
            workspace_file.verify_commands,
            &mut warnings,
        );
        let layers = Layers { from, workspace_path: workspace_path.as_deref(), home_path: &home_path };
        Ok(Self {
            runtime_root: layers.pick(
                global.runtime_root.clone().map(|path| ("--runtime-root", path)),
                "M1ND_RUNTIME_ROOT",
                |text| Ok(PathBuf::from(text)),
                None,
                home_file.runtime_root,
            )?,
            toolsets: layers
                .pick(
                    global.toolsets.clone().map(|names| ("--toolsets", names)),
                    "M1ND_TOOLSETS",
                    |text| Ok(text.to_owned()),
                    workspace_file.toolsets.map(|names| names.join(",")),
                    home_file.toolsets.map(|names| names.join(",")),
                )?
                .unwrap_or_else(|| default("core".to_owned())),
            read_only: layers
                .pick(
                    global.read_only.then_some(("--read-only", true)),
                    "M1ND_READ_ONLY",
                    yes_or_no,
                    // A repository may ask for less power, never for more.
                    workspace_file.read_only.filter(|wish| *wish),
                    home_file.read_only,
                )?
                .unwrap_or_else(|| default(false)),
            log: layers
                .pick(None, "M1ND_LOG", level, None, home_file.log.filter(|word| level(word).is_ok()))?
                .unwrap_or_else(|| default("info".to_owned())),
            otlp_endpoint: otlp_endpoint(&layers, home_file.otlp_endpoint)?,
            home,
            workspace,
            verify_commands,
            verify_origin,
            warnings,
        })
    }
}

/// What the user allows, or what a repository picks of it. A repository's own commands are somebody else's.
fn allowed_commands(
    allowed: Vec<String>,
    wished: Option<Vec<String>>,
    warnings: &mut Vec<String>,
) -> Vec<String> {
    let Some(wished) = wished else { return allowed };
    let (known, unknown): (Vec<String>, Vec<String>) =
        wished.into_iter().partition(|command| allowed.contains(command));
    for command in unknown {
        warnings.push(format!(
            "m1nd.toml asks for the command {command:?}, which verify_commands of your config.toml does not allow"
        ));
    }
    known
}

struct Layers<'a> {
    from: &'a Surroundings,
    workspace_path: Option<&'a Path>,
    home_path: &'a Path,
}

impl Layers<'_> {
    fn pick<T>(
        &self,
        flag: Option<(&'static str, T)>,
        variable: &'static str,
        parse: impl Fn(&str) -> anyhow::Result<T>,
        in_workspace: Option<T>,
        in_home: Option<T>,
    ) -> anyhow::Result<Option<Setting<T>>> {
        if let Some((name, value)) = flag {
            return Ok(Some(Setting { value, origin: Origin::Flag(name) }));
        }
        if let Some(text) = (self.from.variable)(variable) {
            let value = parse(&text).with_context(|| format!("the variable {variable}"))?;
            return Ok(Some(Setting { value, origin: Origin::Variable(variable) }));
        }
        let in_file = |value: T, path: &Path| Setting { value, origin: Origin::File(path.to_owned()) };
        if let (Some(value), Some(path)) = (in_workspace, self.workspace_path) {
            return Ok(Some(in_file(value, path)));
        }
        Ok(in_home.map(|value| in_file(value, self.home_path)))
    }
}

/// A repository's file cannot name one: nothing leaves the machine because of somebody else's text.
fn otlp_endpoint(layers: &Layers<'_>, in_home: Option<String>) -> anyhow::Result<Option<Setting<String>>> {
    let text = |text: &str| Ok(text.to_owned());
    let own = layers.pick(None, "M1ND_OTLP_ENDPOINT", text, None, None)?;
    // The names that OpenTelemetry gives it; a program that is to keep silent there keeps silent here.
    let silent = (layers.from.variable)("OTEL_SDK_DISABLED").is_some_and(|value| value == "true");
    let common =
        if silent { None } else { layers.pick(None, "OTEL_EXPORTER_OTLP_ENDPOINT", text, None, None)? };
    let in_file = in_home.map(|value| Setting { value, origin: Origin::File(layers.home_path.to_owned()) });
    Ok(own.or(common).or(in_file).filter(|setting| setting.value != "off"))
}

fn default<T>(value: T) -> Setting<T> {
    Setting { value, origin: Origin::Default }
}

fn level(word: &str) -> anyhow::Result<String> {
    let known = ["off", "error", "warn", "info", "debug", "trace"];
    anyhow::ensure!(known.contains(&word), "{word:?} is no log level; there are {}", known.join(", "));
    Ok(word.to_owned())
}

fn yes_or_no(text: &str) -> anyhow::Result<bool> {
    match text {
        "1" | "true" | "yes" => Ok(true),
        "0" | "false" | "no" => Ok(false),
        other => anyhow::bail!("{other:?} is neither true nor false"),
    }
}

fn home(from: &Surroundings) -> anyhow::Result<Setting<PathBuf>> {
    if let Some(path) = (from.variable)("M1ND_HOME") {
        return Ok(Setting { value: PathBuf::from(path), origin: Origin::Variable("M1ND_HOME") });
    }
    let user_home = from
        .user_home
        .as_ref()
        .context("there is no home folder; set M1ND_HOME to a folder for m1nd's state")?;
    Ok(default(user_home.join(".m1nd")))
}

fn workspace(global: &Global, from: &Surroundings) -> Option<(PathBuf, BindingSource)> {
    if let Some(path) = (from.variable)("M1ND_WORKSPACE_ROOT") {
        return Some((PathBuf::from(path), BindingSource::Environment));
    }
    if let Some(path) = &global.workspace {
        return Some((path.clone(), BindingSource::Flag));
    }
    from_current_folder(&from.current_folder, from.user_home.as_deref())
        .map(|folder| (folder, BindingSource::CurrentFolder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;

    struct Case {
        dir: tempfile::TempDir,
        variables: BTreeMap<&'static str, String>,
    }

    impl Case {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("repo/.git")).unwrap();
            fs::create_dir_all(dir.path().join("home/.m1nd")).unwrap();
            Self { dir, variables: BTreeMap::new() }
        }

        fn load(&self, global: &Global) -> anyhow::Result<Config> {
            let variables = self.variables.clone();
            Config::load(
                global,
                &Surroundings {
                    variable: Box::new(move |name| variables.get(name).cloned()),
                    current_folder: self.dir.path().join("repo"),
                    user_home: Some(self.dir.path().join("home")),
                },
            )
        }
    }

    #[test]
    fn a_flag_beats_a_variable_beats_the_workspace_beats_the_home() {
        let mut case = Case::new();
        let origin = |case: &Case, global: &Global| case.load(global).unwrap().toolsets.origin.to_string();
        let none = Global::default();
        assert_eq!(origin(&case, &none), "default");
        fs::write(case.dir.path().join("home/.m1nd/config.toml"), "toolsets = [\"all\"]\n").unwrap();
        assert!(origin(&case, &none).ends_with("config.toml"));
        fs::write(case.dir.path().join("repo/m1nd.toml"), "toolsets = [\"core\"]\n").unwrap();
        assert!(origin(&case, &none).ends_with("m1nd.toml"));
        case.variables.insert("M1ND_TOOLSETS", "core".into());
        assert_eq!(origin(&case, &none), "variable M1ND_TOOLSETS");
        let flag = Global { toolsets: Some("all".into()), ..Global::default() };
        assert_eq!(origin(&case, &flag), "flag --toolsets");
    }

    #[test]
    fn the_workspace_variable_beats_its_flag() {
        let mut case = Case::new();
        let flag = Global { workspace: Some("/a".into()), ..Global::default() };
        assert_eq!(case.load(&flag).unwrap().workspace, Some(("/a".into(), BindingSource::Flag)));
        case.variables.insert("M1ND_WORKSPACE_ROOT", "/b".into());
        assert_eq!(case.load(&flag).unwrap().workspace, Some(("/b".into(), BindingSource::Environment)));
    }

    #[test]
    fn a_repository_can_make_itself_read_only_but_not_writable() {
        let case = Case::new();
        fs::write(case.dir.path().join("home/.m1nd/config.toml"), "read_only = true\n").unwrap();
        fs::write(case.dir.path().join("repo/m1nd.toml"), "read_only = false\n").unwrap();
        assert!(case.load(&Global::default()).unwrap().read_only.value);
    }

    #[test]
    fn a_file_that_is_wrong_is_passed_over_with_a_warning() {
        let case = Case::new();
        fs::write(case.dir.path().join("repo/m1nd.toml"), "tolsets = [\"all\"]\n").unwrap();
        let config = case.load(&Global::default()).unwrap();
        assert_eq!(config.toolsets.origin, Origin::Default);
        assert!(config.warnings[0].contains("tolsets"), "{:?}", config.warnings);
    }

    #[test]
    fn a_repository_file_that_is_no_small_file_costs_nothing_and_shows_nothing() {
        use std::os::unix::fs::symlink;
        let case = Case::new();
        let file = case.dir.path().join("repo/m1nd.toml");
        fs::write(case.dir.path().join("outside"), "secret-word").unwrap();
        for target in ["/dev/zero", "../outside"] {
            symlink(target, &file).unwrap();
            let config = case.load(&Global::default()).unwrap();
            assert_eq!(config.warnings.len(), 1, "{target}");
            assert!(!config.warnings[0].contains("secret-word"), "{:?}", config.warnings);
            fs::remove_file(&file).unwrap();
        }
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
        assert_eq!(case.load(&Global::default()).unwrap().warnings.len(), 1, "a pipe is not waited for");
        fs::remove_file(&file).unwrap();
        fs::write(&file, "#".repeat(1 << 20)).unwrap();
        assert_eq!(case.load(&Global::default()).unwrap().warnings.len(), 1, "too large");
    }

    #[test]
    fn a_broken_file_that_mentions_read_only_fails_closed() {
        let case = Case::new();
        fs::write(case.dir.path().join("home/.m1nd/config.toml"), "read_only = true\nlogg = 1\n").unwrap();
        let config = case.load(&Global::default()).unwrap();
        assert!(config.read_only.value, "{:?}", config.warnings);
    }

    #[test]
    fn a_log_level_that_does_not_exist_is_named() {
        let mut case = Case::new();
        case.variables.insert("M1ND_LOG", "zzz".into());
        assert!(format!("{:#}", case.load(&Global::default()).unwrap_err()).contains("M1ND_LOG"));
    }

    #[test]
    fn a_variable_that_is_wrong_is_an_error_that_names_it() {
        let mut case = Case::new();
        case.variables.insert("M1ND_READ_ONLY", "perhaps".into());
        let err = case.load(&Global::default()).unwrap_err();
        assert!(format!("{err:#}").contains("M1ND_READ_ONLY"));
    }
}
