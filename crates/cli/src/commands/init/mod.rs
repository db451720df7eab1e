//! `m1nd init`: what agents should know of m1nd, written where they read it, and the entry by which a host starts it.
//!
//! A user's text is never overwritten: ours stands between marks, entries are added beside others, and what cannot be
//! added to is left and said.

mod block;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args as ClapArgs;
use m1nd_guard::hosts::{ConfigFile, HOSTS, Host, Inserted, Under, entry_for, host, insert};
use m1nd_runtime::Machine;
use m1nd_runtime::program::{Likeness, Program};
use m1nd_tools::pack::{DOCTRINE, SKILL};
use m1nd_vfs::outside;
use serde::Serialize;
use serde_json::json;

use crate::args::Global;
use crate::output::{BAD, DIM, PATH, Reader};
use crate::wiring;
use block::Put;

#[derive(Debug, ClapArgs)]
pub struct Init {
    /// Write the entry of this host too: claude, cursor, codex, vscode, zed …; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What happened to one file.
#[derive(Debug, Serialize)]
struct Done {
    path: String,
    /// created, updated, unchanged, or left.
    action: &'static str,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Settings of hosts are small; histories stand beside them in some.
const MAX_BYTES: u64 = 16 << 20;

pub fn run(global: &Global, args: &Init) -> anyhow::Result<ExitCode> {
    let config = wiring::config(global)?;
    let (workspace, _) = config
        .workspace
        .as_ref()
        .context("there is no workspace here: change to a repository, or name one with --workspace")?;
    let workspace = workspace.canonicalize().with_context(|| workspace.display().to_string())?;
    let hosts: Vec<&Host> = args.host.iter().map(|name| known(name)).collect::<anyhow::Result<_>>()?;
    let at = Setup { workspace: &workspace, machine: wiring::machine(), writes: !args.dry_run };
    let mut done = vec![at.doctrine("AGENTS.md")];
    for host in hosts {
        if host.name == "claude" {
            done.push(at.doctrine("CLAUDE.md"));
            done.push(at.skill(".claude/skills/m1nd/SKILL.md"));
        }
        done.push(at.entry(host));
    }
    let left = done.iter().any(|done| done.action == "left");
    match Reader::of(args.json) {
        Reader::Program => anstream::println!("{}", json!({ "dry_run": args.dry_run, "files": done })),
        Reader::Person => show(&done, args),
    }
    Ok(if left { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn known(name: &str) -> anyhow::Result<&'static Host> {
    let names = || HOSTS.iter().map(|host| host.name).collect::<Vec<_>>().join(", ");
    host(name).with_context(|| format!("--host {name}: it must be one of {}", names()))
}

fn show(done: &[Done], args: &Init) {
    for done in done {
        let style = if done.action == "left" { BAD } else { DIM };
        let (path, what, action) = (&done.path, &done.what, done.action);
        anstream::println!("{style}{action:<9}{style:#} {PATH}{path}{PATH:#}: {what}");
        if let Some(why) = &done.why {
            anstream::println!("          {why}");
        }
    }
    if args.dry_run {
        anstream::println!("Nothing was written (--dry-run).");
    } else if !args.host.is_empty() {
        anstream::println!(
            "Restart the host's server; its agent's session_handshake shows whether it is bound."
        );
    } else {
        anstream::println!("With --host NAME the entry of a host is written too.");
    }
}

struct Setup<'w> {
    workspace: &'w Path,
    machine: Machine,
    writes: bool,
}

impl Setup<'_> {
    /// The doctrine as a block of a file that agents read. A second file that only names the first is left alone.
    fn doctrine(&self, name: &str) -> Done {
        let what = "how to work with m1nd, between marks";
        let ours = format!("## m1nd\n\n{DOCTRINE}");
        let text = match self.read_here(name) {
            Ok(text) => text,
            Err(why) => return self.left(name, what, why),
        };
        let speaks_of_agents = text.as_deref().is_some_and(|text| text.contains("AGENTS.md"));
        if name == "CLAUDE.md" && (speaks_of_agents || self.is_same(name, "AGENTS.md")) {
            let why = Some("it leads to AGENTS.md, which says it".to_owned());
            return Done { path: self.shown(name), action: "unchanged", what: what.to_owned(), why };
        }
        let put = block::put(text.as_deref().unwrap_or_default(), &ours);
        self.write_here(name, what, text.is_some(), put)
    }

    fn skill(&self, name: &str) -> Done {
        let what = "the same as a skill";
        match self.read_here(name) {
            Ok(text) => self.write_here(name, what, text.is_some(), block::whole(text.as_deref(), SKILL)),
            Err(why) => self.left(name, what, why),
        }
    }

    /// The host's entry, in the project's own settings where the host has such.
    fn entry(&self, host: &Host) -> Done {
        let what = format!("the entry by which {} starts m1nd", host.title);
        let Some((path, file)) = self.settings_of(host) else {
            let why = "the home folder is not known".to_owned();
            return Done { path: host.files[0].path.to_owned(), action: "left", what, why: Some(why) };
        };
        let done = |action: &'static str, why: Option<String>| Done {
            path: path.display().to_string(),
            action,
            what: what.clone(),
            why,
        };
        if file.under == Under::Workspace && !self.is_inside(&path) {
            return done("left", Some("a link leads out of the workspace".to_owned()));
        }
        let text = match outside::text(&path, MAX_BYTES) {
            Ok(text) => text,
            Err(err) => return done("left", Some(err.to_string())),
        };
        let (command, remark) = self.command(file.under);
        let entry = entry_for(host, &command, &self.workspace.display().to_string());
        match insert(text.as_deref().unwrap_or_default(), file.form, &entry) {
            Err(why) => done("left", Some(format!("{why}. Add it by hand: {entry}"))),
            Ok(Inserted::Already) => done(
                "unchanged",
                Some(
                    "it has an entry for m1nd already; `m1nd call hosts_status` shows what it starts"
                        .to_owned(),
                ),
            ),
            Ok(Inserted::Text(new)) => match self.write(&path, &new) {
                Ok(()) => done(if text.is_some() { "updated" } else { "created" }, remark),
                Err(err) => done("left", Some(err.to_string())),
            },
        }
    }

    /// Project settings first, where the host has them and reads servers from them; else those of this machine, where
    /// they already are.
    fn settings_of(&self, host: &Host) -> Option<(PathBuf, ConfigFile)> {
        let in_project = !["codex", "zed"].contains(&host.name);
        let files = host.files.iter().filter(|file| file.under != Under::Workspace || in_project);
        let places: Vec<(PathBuf, ConfigFile)> = files
            .filter_map(|file| {
                Some((self.machine.folder(file.under, Some(self.workspace))?.join(file.path), *file))
            })
            .collect();
        let in_workspace = places.iter().find(|(_, file)| file.under == Under::Workspace);
        in_workspace.or_else(|| places.iter().find(|(path, _)| path.exists())).or(places.first()).cloned()
    }

    /// The bare name where a shell finds this very program by it; else its full path.
    fn command(&self, under: Under) -> (String, Option<String>) {
        let Ok(own) = std::env::current_exe() else { return ("m1nd".to_owned(), None) };
        let program = Program::of(own.clone());
        let first = self.machine.programs("m1nd").into_iter().next();
        if first.is_some_and(|found| program.likeness(&found) == Likeness::Same) {
            return ("m1nd".to_owned(), None);
        }
        let shared = "m1nd is not on PATH, so the entry names it by its path on this machine; think of that before you commit the file";
        (own.display().to_string(), (under == Under::Workspace).then(|| shared.to_owned()))
    }

    fn read_here(&self, name: &str) -> Result<Option<String>, String> {
        let path = self.workspace.join(name);
        if !self.is_inside(&path) {
            return Err("a link leads out of the workspace".to_owned());
        }
        outside::text(&path, MAX_BYTES).map_err(|err| err.to_string())
    }

    fn write_here(&self, name: &str, what: &str, was_there: bool, put: Put) -> Done {
        match put {
            Put::Left(why) => self.left(name, what, why.to_owned()),
            Put::Unchanged => {
                Done { path: self.shown(name), action: "unchanged", what: what.to_owned(), why: None }
            }
            Put::Text(text) => match self.write(&self.workspace.join(name), &text) {
                Ok(()) => {
                    let action = if was_there { "updated" } else { "created" };
                    Done { path: self.shown(name), action, what: what.to_owned(), why: None }
                }
                Err(err) => self.left(name, what, err.to_string()),
            },
        }
    }

    fn write(&self, path: &Path, text: &str) -> std::io::Result<()> {
        if self.writes { outside::write(path, text) } else { Ok(()) }
    }

    fn left(&self, name: &str, what: &str, why: String) -> Done {
        Done { path: self.shown(name), action: "left", what: what.to_owned(), why: Some(why) }
    }

    fn shown(&self, name: &str) -> String {
        self.workspace.join(name).display().to_string()
    }

    /// Whether two names of the workspace lead to one file.
    fn is_same(&self, one: &str, other: &str) -> bool {
        let real = |name: &str| self.workspace.join(name).canonicalize().ok();
        real(one).is_some() && real(one) == real(other)
    }

    /// Whether what is at a path, or the nearest folder above it that is there, lies in the workspace.
    fn is_inside(&self, path: &Path) -> bool {
        let real = path.ancestors().find_map(|at| at.canonicalize().ok());
        // A link to nothing would be made by writing through it.
        let dangles = path.is_symlink() && !path.exists();
        !dangles && real.is_some_and(|real| real.starts_with(self.workspace))
    }
}
