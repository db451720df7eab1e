//! `m1nd verify`: whether a proof packet is whole, and whether what it rests on is still so.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use m1nd_mission::missions::{self, Refusal};
use m1nd_mission::packet::{self, Packet};
use m1nd_mission::{Detail, MissionId};
use m1nd_runtime::Reply;
use m1nd_runtime::workspace::BindingSource;
use m1nd_stdx::digest::sha256_hex;
use serde_json::{Value, json};

use crate::args::Global;
use crate::output::{self, DIM, PATH, Reader, harmless};
use crate::wiring;

#[derive(Debug, Args)]
pub struct Verify {
    /// The packet that mission_close wrote; - reads standard input; the id of a mission of this workspace checks what is kept of it
    packet: PathBuf,
    /// The repository to hold its files against [default: the one it names]; NAME::=FOLDER for another one that stood in its graph [default: where this machine's workspace has it]
    #[arg(long, value_name = "FOLDER")]
    root: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// No packet of a real mission is larger.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Something was changed since the packet was written.
const BROKEN: u8 = 1;
/// The packet is whole, but files that its claims rest on are not as they were.
const STALE: u8 = 2;
/// Not everything could be checked: there is no such packet, mission or repository, or it cannot be read.
const UNREADABLE: u8 = 3;

pub fn run(global: &Global, args: &Verify) -> anyhow::Result<ExitCode> {
    check(global, args).or_else(|err| {
        anstream::eprintln!("error: {err:#}");
        Ok(ExitCode::from(UNREADABLE))
    })
}

fn check(global: &Global, args: &Verify) -> anyhow::Result<ExitCode> {
    let id = args.packet.to_str().filter(|id| MissionId::parse(id).is_some() && !args.packet.exists());
    if let Some(id) = id {
        return kept(global, id, args.json);
    }
    let text = read(&args.packet)?;
    let checked = packet::check(&text);
    let named = serde_json::from_str::<Packet>(&text).ok().map(|packet| home_of(global, &packet));
    let roots = Roots::of(global, &args.root, named, &checked.anchors);
    let anchors: Vec<(&str, &'static str)> =
        checked.anchors.iter().map(|(path, hash)| (path.as_str(), roots.state_of(path, hash))).collect();
    let stale = anchors.iter().any(|(_, state)| ["changed", "gone"].contains(state));
    let unknown = anchors.iter().any(|(_, state)| *state == "unknown");
    let (verdict, code) = match (checked.intact, stale, unknown) {
        (false, ..) => ("broken", BROKEN),
        (true, true, _) => ("intact, but files have changed", STALE),
        (true, false, true) => {
            ("intact, but a repository of it is not here: --root names where it is", UNREADABLE)
        }
        (true, false, false) => ("intact and current", 0),
    };
    let shown: Vec<_> = anchors.iter().map(|(path, state)| json!({ "path": path, "today": state })).collect();
    let body = json!({
        "verdict": verdict,
        "intact": checked.intact,
        "faults": checked.faults,
        "remarks": checked.remarks,
        "anchors": shown,
    });
    output::print(&Reply { body, is_error: false }, Reader::of(args.json), |out, _| {
        writeln!(out, "{verdict}")?;
        for line in checked.faults.iter().chain(&checked.remarks) {
            writeln!(out, "  {}", harmless(line))?;
        }
        anchors.iter().try_for_each(|(path, state)| {
            writeln!(out, "  {PATH}{}{PATH:#} {DIM}{state}{DIM:#}", harmless(path))
        })
    })?;
    Ok(ExitCode::from(code))
}

/// The same of a mission that is kept here, open or closed.
fn kept(global: &Global, id: &str, json: bool) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let workspace = runtime.workspace().context("there is no workspace here; name one with --workspace")?;
    anyhow::ensure!(workspace.has_memory(), "this workspace keeps no missions");
    let store = workspace.memory()?;
    let (faults, remarks) = match missions::sound(&*store, id, None) {
        Ok(sound) => (sound.faults, sound.made_again.into_iter().collect::<Vec<_>>()),
        Err(Refusal::Store(err)) => (vec![err.to_string()], Vec::new()),
        Err(Refusal::Unknown { .. }) => {
            anyhow::bail!("this workspace has no mission {id}; `m1nd call mission_list` shows those it has")
        }
        Err(refusal) => anyhow::bail!("{refusal:?}"),
    };
    let intact = faults.is_empty();
    let body = json!({ "intact": intact, "faults": faults, "remarks": remarks });
    output::print(&Reply { body, is_error: false }, Reader::of(json), |out, _| {
        writeln!(out, "{}", if intact { "intact" } else { "broken" })?;
        faults.iter().chain(&remarks).try_for_each(|line| writeln!(out, "  {}", harmless(line)))
    })?;
    Ok(ExitCode::from(if intact { 0 } else { BROKEN }))
}

/// The workspace that a packet's paths are about: the one we are in, if it is the same folder, under whatever name it has
/// now; else the one that it names.
fn home_of(global: &Global, packet: &Packet) -> PathBuf {
    let started = packet.events.first().and_then(|event| event.draft.detail.as_deref());
    let guard = match started {
        Some(Detail::Started { context_guard, .. }) => context_guard,
        _ => &Value::Null,
    };
    let named = PathBuf::from(guard["workspace_root"].as_str().unwrap_or(&packet.repo));
    let here = || -> Option<PathBuf> {
        let mut config = wiring::config(global).ok()?;
        config.read_only.value = true;
        let workspace = wiring::runtime(&config).ok()?.workspace()?;
        (guard["workspace_id"] == workspace.identity()).then(|| workspace.root().path().to_owned())
    };
    // What lies under its old name may be another one.
    here().unwrap_or(named)
}

fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin()
            .take(MOST_BYTES)
            .read_to_string(&mut text)
            .context("standard input cannot be read")?;
    } else {
        let is_id = path.to_str().is_some_and(|text| text.starts_with("msn_") && !text.contains(['/', '.']));
        anyhow::ensure!(
            !is_id || path.exists(),
            "{} is no file, and no id of a mission: that is msn_ and ten digits or letters a to f; `m1nd call mission_list` shows those of this workspace",
            path.display()
        );
        let file =
            std::fs::File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
        file.take(MOST_BYTES)
            .read_to_string(&mut text)
            .with_context(|| format!("{} cannot be read as text", path.display()))?;
    }
    Ok(text)
}

/// Where the files of a packet are.
struct Roots {
    own: Option<PathBuf>,
    /// Other repositories that stood in the graph, by the name that their paths begin with.
    added: Vec<(String, PathBuf)>,
}

/// Ends the name of another repository, in paths and in `--root`.
const MARK: &str = "::";

impl Roots {
    /// As they were given, else as the packet and the workspace on this machine name them.
    fn of(global: &Global, given: &[String], named: Option<PathBuf>, anchors: &[(String, String)]) -> Self {
        let (mut own, mut added) = (None, Vec::new());
        for given in given {
            match given.split_once("::=") {
                Some((name, folder)) => added.push((name.to_owned(), PathBuf::from(folder))),
                None => own = Some(PathBuf::from(given)),
            }
        }
        let own = own.or(named);
        let asks = anchors.iter().any(|(path, _)| split(path).0.is_some());
        if let Some(own) = own.as_deref().filter(|_| asks) {
            added.extend(added_to(global, own));
        }
        Self { own, added }
    }

    /// How a file is now. A path that leads out of the repository is nothing that a packet may ask about.
    fn state_of(&self, path: &str, hash: &str) -> &'static str {
        let (name, below) = split(path);
        let root = match name {
            None => self.own.as_deref(),
            Some(name) => self.added.iter().find(|(known, _)| known == name).map(|(_, at)| at.as_path()),
        };
        let Some(root) = root.and_then(|root| m1nd_vfs::Root::open(root).ok()) else { return "unknown" };
        let Ok(path) = root.locate(below) else { return "gone" };
        match m1nd_vfs::read::bytes(&root, &path, MOST_BYTES) {
            Ok(bytes) if sha256_hex(&bytes) == hash => "current",
            Ok(_) => "changed",
            Err(_) => "gone",
        }
    }
}

/// The repository that a path names, if it is another one, and the path in it.
fn split(path: &str) -> (Option<&str>, &str) {
    let (first, below) = path.split_once('/').unwrap_or((path, ""));
    match first.strip_suffix(MARK) {
        Some(name) => (Some(name), below),
        None => (None, path),
    }
}

/// What was put into the graph of a workspace of this machine; nothing where it keeps none.
fn added_to(global: &Global, own: &Path) -> Vec<(String, PathBuf)> {
    let open = || -> anyhow::Result<_> {
        let mut config = wiring::config(global)?;
        config.workspace = Some((own.to_owned(), BindingSource::Flag));
        let runtime = wiring::runtime(&config)?;
        Ok(runtime.workspace().map(|workspace| workspace.added_roots()).unwrap_or_default())
    };
    match open() {
        Ok(added) => added.into_iter().map(|added| (added.namespace, added.path)).collect(),
        Err(err) => {
            tracing::debug!(%err, "the workspace of a packet cannot be opened");
            Vec::new()
        }
    }
}
