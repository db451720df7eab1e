//! `m1nd verify`: whether a proof packet is whole, and whether what it rests on is still so. It changes nothing.

mod files;
mod kept;
mod report;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use m1nd_mission::packet::{self, Packet};
use m1nd_mission::{Detail, MissionId};
use serde_json::Value;

use self::files::Roots;
use self::report::Report;

use crate::args::Global;
use crate::output::Reader;
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
/// Something was changed since the packet or the hand-off was written.
const BROKEN: u8 = 1;
/// It is whole, but files that its claims rest on are not as they were, or its mission says otherwise since.
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
    let reader = Reader::of(args.json);
    let text = match String::from_utf8(read(&args.packet)?) {
        Ok(text) => text,
        Err(err) => {
            let at = err.utf8_error().valid_up_to();
            return Report::broken(format!("It is no text: byte {at} is not UTF-8.")).print(reader);
        }
    };
    if let Ok(handed) = serde_json::from_str::<kept::HandedOver>(&text) {
        return kept::handoff(global, &text, &handed, &args.root)?.print(reader);
    }
    of_packet(global, args, &text).print(reader)
}

fn of_packet(global: &Global, args: &Verify, text: &str) -> Report {
    let mut checked = packet::check(text);
    let packet = serde_json::from_str::<Packet>(text).ok();
    if let Some(packet) = packet.as_ref().filter(|_| checked.intact) {
        checked.faults.extend(kept::held_against(global, packet));
    }
    let named = packet.map(|packet| home_of(global, &packet));
    let roots = Roots::of(global, &args.root, named, &checked.anchors);
    let mut not_checked = Vec::new();
    if !checked.without_files.is_empty() {
        let claims = checked.without_files.join(", ");
        not_checked.push(format!("{claims}: verified by no file, but by what ran or by somebody's word. That cannot be checked here."));
    }
    let searches = checked.absent.iter();
    not_checked.extend(
        searches.map(|search| format!("{search}: a search that found nothing. Make it again to know.")),
    );
    let counts = checked.counted.iter();
    not_checked.extend(counts.map(|count| format!("{count}: a count. Search again to know.")));
    Report {
        intact: checked.intact,
        faults: checked.faults,
        since: Vec::new(),
        remarks: checked.remarks,
        told: checked.told,
        not_checked,
        not_anchored: checked.not_anchored,
        anchors: roots.states(&checked.anchors),
    }
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

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().take(MOST_BYTES).read_to_end(&mut text).context("standard input cannot be read")?;
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
            .read_to_end(&mut text)
            .with_context(|| format!("{} cannot be read", path.display()))?;
    }
    Ok(text)
}
