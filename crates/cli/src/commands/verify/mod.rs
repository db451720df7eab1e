//! `m1nd verify`: whether a proof packet is whole, and whether what it rests on is still so. It changes nothing.

mod files;
mod kept;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use m1nd_mission::packet::{self, Packet};
use m1nd_mission::{Detail, MissionId};
use m1nd_runtime::Reply;
use serde_json::{Value, json};

use self::files::{Roots, Today};

use crate::args::Global;
use crate::output::{self, DIM, PATH, Reader, harmless};
use crate::wiring;

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 all of it holds; 1 something was changed; 2 files are not as they were; 3 not all of it could be checked, or there is nothing to check."
)]
pub struct Verify {
    /// The packet that mission_close wrote, or a hand-off; - reads standard input; the id of a mission of this workspace checks what is kept of it
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
/// Not everything could be checked: there is no such packet, mission or repository, it cannot be read, or it rests on what no
/// hash was kept of.
const NOT_CHECKED: u8 = 3;

pub fn run(global: &Global, args: &Verify) -> anyhow::Result<ExitCode> {
    check(global, args).or_else(|err| {
        anstream::eprintln!("error: {err:#}");
        Ok(ExitCode::from(NOT_CHECKED))
    })
}

fn check(global: &Global, args: &Verify) -> anyhow::Result<ExitCode> {
    let id = args.packet.to_str().filter(|id| MissionId::parse(id).is_some() && !args.packet.exists());
    if let Some(id) = id {
        return kept::mission(global, id, Reader::of(args.json));
    }
    let text = read(&args.packet)?;
    if let Ok(handoff) = serde_json::from_str::<kept::HandedOver>(&text) {
        return kept::handoff(global, &handoff, Reader::of(args.json));
    }
    let mut checked = packet::check(&text);
    let packet = serde_json::from_str::<Packet>(&text).ok();
    if let Some(packet) = packet.as_ref().filter(|_| checked.intact) {
        checked.faults.extend(kept::held_against(global, packet));
    }
    let named = packet.map(|packet| home_of(global, &packet));
    let roots = Roots::of(global, &args.root, named, &checked.anchors);
    let anchors: Vec<(&str, Today)> =
        checked.anchors.iter().map(|(path, hash)| (path.as_str(), roots.state_of(path, hash))).collect();
    let count = |name: &str| anchors.iter().filter(|(_, today)| today.name() == name).count() as u64;
    let open = count("not_checked") + checked.not_anchored + checked.without_files.len() as u64;
    let (verdict, code) = match () {
        () if !checked.intact => ("broken".to_owned(), BROKEN),
        () if !checked.faults.is_empty() => {
            ("intact, but what is kept here of its mission is not what it proves".to_owned(), BROKEN)
        }
        () if count("changed") + count("gone") > 0 => ("intact, but files have changed".to_owned(), STALE),
        () if open > 0 => ("intact, but not all of it could be checked".to_owned(), NOT_CHECKED),
        () if anchors.is_empty() => ("intact; it verifies nothing that could be checked".to_owned(), 0),
        () => ("intact and current".to_owned(), 0),
    };
    let why = not_checked(&checked, &anchors);
    let shown: Vec<Value> = anchors
        .iter()
        .map(|(path, today)| match today {
            Today::NotChecked(why) => json!({ "path": path, "today": today.name(), "why": why }),
            _ => json!({ "path": path, "today": today.name() }),
        })
        .collect();
    let body = json!({
        "verdict": verdict,
        "intact": checked.intact,
        "faults": checked.faults,
        "remarks": checked.remarks,
        "files": {
            "current": count("current"),
            "changed": count("changed"),
            "gone": count("gone"),
            "not_checked": count("not_checked") + checked.not_anchored,
        },
        "not_checked": why,
        "anchors": shown,
    });
    output::print(&Reply { body, is_error: false }, Reader::of(args.json), |out, _| {
        writeln!(out, "{verdict}")?;
        for line in checked.faults.iter().chain(&why).chain(&checked.remarks) {
            writeln!(out, "  {}", harmless(line))?;
        }
        anchors.iter().try_for_each(|(path, today)| {
            writeln!(out, "  {PATH}{}{PATH:#} {DIM}{}{DIM:#}", harmless(path), today.name())
        })
    })?;
    Ok(ExitCode::from(code))
}

/// What a packet rests on and nobody looked at, in sentences.
fn not_checked(checked: &packet::Checked, anchors: &[(&str, Today)]) -> Vec<String> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, today) in anchors {
        if let Today::NotChecked(why) = today {
            by_reason.entry(why).or_default().push(path);
        }
    }
    let mut said: Vec<String> = by_reason
        .into_iter()
        .map(|(why, paths)| match paths.as_slice() {
            [one] => format!("{one} was not checked: {why}."),
            many => format!("{} files were not checked: {why}.", many.len()),
        })
        .collect();
    if checked.not_anchored > 0 {
        said.push(format!(
            "{} files that were shown have no hash in it: nobody can check them.",
            checked.not_anchored
        ));
    }
    if !checked.without_files.is_empty() {
        let claims = checked.without_files.join(", ");
        said.push(format!("{claims}: verified by no file, but by what ran or by somebody's word. That cannot be checked here."));
    }
    said
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
