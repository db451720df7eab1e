//! Hosts: what each host on this machine would start as m1nd, read from its settings without running anything.

use std::path::{Path, PathBuf};

use m1nd_guard::Facts;
use m1nd_guard::hosts::{ConfigFile, Entry, HOSTS, Host, Under, entries};
use m1nd_vfs::outside;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ctx::Ctx;
use crate::program::Likeness;

/// Files of hosts hold histories too; one that is larger is said and not read.
const MAX_CONFIG_BYTES: u64 = 16 << 20;

/// What a host's settings say of m1nd.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct HostStatus {
    pub host: &'static str,
    /// Whether one of its files names m1nd.
    pub configured: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<Configured>,
    /// Files that are there and cannot be read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// One entry for m1nd.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Configured {
    /// File that holds it.
    pub file: String,
    /// What the host calls it.
    pub entry: String,
    /// As the file says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The program that this leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// this_one, another, not_executable, missing, or unknown.
    pub binary: &'static str,
    /// Whether the host cannot start m1nd by it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'static str>,
    /// Of the program, if it is known without running it.
    pub version: String,
    /// The workspace that the entry names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Whether that is the one of this process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_match: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
    #[serde(skip)]
    is_off: bool,
    #[serde(skip)]
    is_workspace_gone: bool,
    /// Whether the file belongs to the workspace, and not to the user.
    #[serde(skip)]
    is_of_workspace: bool,
}

/// A program called m1nd on the search path.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct OnPath {
    pub path: String,
    pub is_this_one: bool,
    pub version: String,
}

/// What all hosts, or one of them, say.
pub fn status(ctx: &Ctx<'_>, only: Option<&Host>) -> Vec<HostStatus> {
    let look = Look::new(ctx);
    HOSTS
        .iter()
        .filter(|host| only.is_none_or(|only| only.name == host.name))
        .map(|host| look.at(host))
        .collect()
}

/// Programs called m1nd that a shell would find, each file once.
pub fn programs_on_path(ctx: &Ctx<'_>) -> Vec<OnPath> {
    let look = Look::new(ctx);
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for path in ctx.runtime().machine().programs(NAME) {
        let Ok(real) = path.canonicalize() else { continue };
        if !seen.contains(&real) {
            let (binary, version) = look.program(&real);
            found.push(OnPath { path: path.display().to_string(), is_this_one: binary == THIS, version });
            seen.push(real);
        }
    }
    found
}

/// The facts with what hosts and the search path add to them.
pub fn add_to(ctx: &Ctx<'_>, facts: &mut Facts) {
    let on_path = programs_on_path(ctx).into_iter().filter(|program| !program.is_this_one);
    facts.other_programs = on_path.map(|program| format!("{} on the search path", program.path)).collect();
    for host in status(ctx, None) {
        // Settings that cannot be read start nothing.
        facts.dead_entries.extend(host.problems.iter().map(|problem| format!("{}: {problem}", host.host)));
        for entry in host.entries.into_iter().filter(|entry| !entry.is_off) {
            let at = format!("{} in {}", host.host, entry.file);
            facts.dead_entries.extend(entry.problem.map(|problem| format!("{at}: {problem}")));
            if let Some(named) = entry.workspace.as_ref().filter(|_| entry.is_workspace_gone) {
                facts.dead_entries.push(format!("{at} binds m1nd to {named:?}, which is no folder"));
            }
            // What a user bound elsewhere serves another repository; what this one brings must serve this one.
            let is_elsewhere =
                entry.is_of_workspace && entry.workspace_match == Some(false) && !entry.is_workspace_gone;
            if let Some(named) = entry.workspace.as_ref().filter(|_| is_elsewhere) {
                facts
                    .other_bindings
                    .push(format!("{at} binds m1nd to another workspace than this one: {named:?}"));
            }
            match entry.binary {
                "another" => {
                    let program = entry.program.as_deref().unwrap_or_default();
                    facts.other_programs.push(format!("{program} ({at})"));
                }
                "missing" => facts.dead_entries.push(format!("{at} names a program that is not there")),
                "not_executable" => {
                    facts.dead_entries.push(format!("{at} names a file that cannot be started"))
                }
                _ => {}
            }
        }
    }
}

/// What is wrong with a host's entries, in sentences.
pub fn warnings(host: &HostStatus) -> Vec<String> {
    let mut said: Vec<String> =
        host.problems.iter().map(|problem| format!("{}: {problem}.", host.host)).collect();
    for entry in host.entries.iter().filter(|entry| !entry.is_off) {
        let at = format!("{} ({})", host.host, entry.file);
        said.extend(entry.problem.map(|problem| format!("{at}: {problem}.")));
        match entry.binary {
            "another" => said.push(format!("{at} starts another program than the one that answers.")),
            "missing" => {
                let command = entry.command.as_deref().unwrap_or_default();
                said.push(format!(
                    "{at} names a program that is not there, so it cannot start m1nd: {command:?}."
                ));
            }
            "not_executable" => {
                let command = entry.command.as_deref().unwrap_or_default();
                said.push(format!("{at} names a file that cannot be started: {command:?}."));
            }
            _ => {}
        }
        match (entry.workspace_match, &entry.workspace) {
            (Some(false), Some(named)) if entry.is_workspace_gone => {
                said.push(format!("{at} binds m1nd to {named:?}, which is no folder."));
            }
            (Some(false), Some(named)) => {
                said.push(format!("{at} binds m1nd to another workspace than this one: {named:?}."));
            }
            _ => {}
        }
    }
    said
}

const NO_SERVE: &str = "its arguments do not say `serve`, so m1nd ends at once";

/// A program that is called m1nd, or nearly: other names are those of programs that start others.
fn is_ours(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().starts_with(NAME))
}

const NAME: &str = "m1nd";
const THIS: &str = "this_one";

struct Look<'a> {
    ctx: &'a Ctx<'a>,
    workspace: Option<PathBuf>,
    own_version: String,
}

impl<'a> Look<'a> {
    fn new(ctx: &'a Ctx<'a>) -> Self {
        let build = ctx.runtime().settings().build;
        Self {
            ctx,
            workspace: ctx.workspace().ok().map(|workspace| workspace.root().path().to_owned()),
            own_version: format!("{} ({})", build.version, build.hash),
        }
    }

    fn at(&self, host: &Host) -> HostStatus {
        let mut status =
            HostStatus { host: host.name, configured: false, entries: Vec::new(), problems: Vec::new() };
        for file in host.files {
            let folder = self.ctx.runtime().machine().folder(file.under, self.workspace.as_deref());
            let Some(path) = folder.map(|folder| folder.join(file.path)) else { continue };
            match self.read(&path, file) {
                Ok(found) => {
                    status.entries.extend(found.into_iter().map(|entry| self.configured(&path, file, entry)));
                }
                Err(why) => status.problems.push(format!("{}: {why}", path.display())),
            }
        }
        status.configured = !status.entries.is_empty();
        status
    }

    fn read(&self, path: &Path, file: &ConfigFile) -> Result<Vec<Entry>, String> {
        let text = outside::text(path, MAX_CONFIG_BYTES).map_err(|err| err.to_string())?;
        let project = self.workspace.as_ref().and_then(|path| path.to_str());
        text.map_or_else(|| Ok(Vec::new()), |text| entries(&text, file.form, project))
    }

    fn configured(&self, path: &Path, file: &ConfigFile, entry: Entry) -> Configured {
        let from = if file.under == Under::Workspace { self.workspace.as_deref() } else { None };
        let program = entry.command.as_deref().and_then(|command| self.resolve(command, from));
        let (binary, version) = match (&program, &entry.command) {
            (Some(program), _) if is_ours(program) => self.program(program),
            (None, Some(command)) if !command.contains(['$', '%']) => ("missing", UNKNOWN.to_owned()),
            _ => (UNKNOWN, UNKNOWN.to_owned()),
        };
        let named = entry.workspace.as_deref().and_then(|named| self.expand(named, from));
        let own = self.workspace.as_deref();
        let same =
            |named: &PathBuf| own.is_some_and(|own| named.canonicalize().ok() == own.canonicalize().ok());
        // Without a command m1nd only says how it is used, and ends.
        let serves = entry.args.iter().any(|arg| arg == "serve");
        let silent = program.as_deref().is_some_and(is_ours) && !serves;
        let problem = entry.problem.or(silent.then_some(NO_SERVE));
        let is_relative = entry
            .command
            .as_deref()
            .is_some_and(|command| command.contains('/') && !command.starts_with(['/', '~', '$']));
        let note = match (&entry.url, &program) {
            _ if entry.is_off => Some("it is switched off in the host's settings"),
            _ if is_relative => {
                Some("its command is a relative path: what it leads to depends on where the host is started")
            }
            (Some(_), None) => Some("it is reached by address; which program answers there is not known"),
            (_, Some(program)) if binary == UNKNOWN && program.exists() => {
                Some("another program starts it; which one it starts is not known")
            }
            (None, None) if binary == UNKNOWN && problem.is_none() => {
                Some("its command holds a variable; what it leads to is not known")
            }
            _ => None,
        };
        Configured {
            file: path.display().to_string(),
            entry: entry.name,
            command: entry.command.or(entry.url),
            program: program.map(|path| path.display().to_string()),
            binary,
            version,
            is_workspace_gone: named.as_ref().is_some_and(|named| !named.is_dir()),
            is_of_workspace: file.under == Under::Workspace,
            workspace_match: named.as_ref().map(same),
            workspace: entry.workspace,
            problem,
            note,
            is_off: entry.is_off,
        }
    }

    /// A bare name is looked for as a shell would; a path is taken from the workspace or the home.
    fn resolve(&self, command: &str, from: Option<&Path>) -> Option<PathBuf> {
        if command.contains('/') {
            return self.expand(command, from).filter(|path| path.exists());
        }
        self.ctx.runtime().machine().programs(command).into_iter().next()
    }

    /// A path with the few variables that hosts know; none if it has others.
    fn expand(&self, text: &str, from: Option<&Path>) -> Option<PathBuf> {
        let home = self.ctx.runtime().machine().user_home.as_deref();
        let in_home = ["~/", "$HOME/", "${HOME}/", "${env:HOME}/", "${userHome}/"];
        let in_workspace = ["${workspaceFolder}", "${workspaceRoot}"];
        if let Some(rest) = in_home.iter().find_map(|start| text.strip_prefix(start)) {
            return Some(home?.join(rest));
        }
        if let Some(rest) = in_workspace.iter().find_map(|start| text.strip_prefix(start)) {
            return Some(self.workspace.as_deref()?.join(rest.trim_start_matches('/')));
        }
        if text.contains(['$', '%']) {
            return None;
        }
        let path = Path::new(text);
        if path.is_absolute() {
            Some(path.to_owned())
        } else {
            Some(from.or(self.workspace.as_deref())?.join(path))
        }
    }

    fn program(&self, path: &Path) -> (&'static str, String) {
        let unknown = UNKNOWN.to_owned();
        match self.ctx.runtime().program().map(|own| own.likeness(path)) {
            Some(Likeness::Same) => (THIS, self.own_version.clone()),
            Some(Likeness::Other(version)) => ("another", version.unwrap_or(unknown)),
            Some(Likeness::NotExecutable) => ("not_executable", unknown),
            Some(Likeness::Missing) => ("missing", unknown),
            Some(Likeness::Unknown) | None => (UNKNOWN, unknown),
        }
    }
}

const UNKNOWN: &str = "unknown";
