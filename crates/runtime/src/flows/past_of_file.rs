//! Past of a file: its commits, what changed with it, and how its changes go.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_contract::Fault;
use m1nd_ingest::history::{self, HistoryError, Lack};
use m1nd_memory::text::timestamp;
use m1nd_risk::trend::{Step, Trend, trend};
use m1nd_stdx::clock::UnixMs;
use m1nd_vfs::read;
use schemars::JsonSchema;
use serde::Serialize;

use super::ledger;
use super::slice::MAX_FILE_BYTES;
use crate::ctx::Ctx;
use crate::faults;

const DAY_MS: f64 = 86_400_000.0;
/// Files that are named.
const MAX_COMPANIONS: usize = 8;

/// A commit.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Touch {
    pub commit: String,
    pub date: String,
    pub author: String,
    pub subject: String,
    pub added: u32,
    pub removed: u32,
    /// The name it had before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
}

/// A file that was touched with it.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Companion {
    pub file_path: String,
    pub times: u32,
}

/// Where the past of a file ends although older commits touched its path.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Ends {
    /// The commit that moved another file away from this path: what was before is that one's past.
    pub commit: String,
    /// Where that file went.
    pub moved_to: String,
    /// Commits before it that touched the path.
    pub older_commits: u64,
}

/// What was found.
pub struct PastOfFile {
    pub touches: Vec<Touch>,
    pub ends: Option<Ends>,
    pub companions: Vec<Companion>,
    pub trend: Trend,
    pub is_cut: bool,
    /// Why nothing can be said, if so.
    pub no_data: Option<&'static str>,
    /// Why nothing can be said of how its changes go, if so.
    pub no_trend: Option<&'static str>,
}

/// The past of a file in the last `days`, or all of it.
pub fn run(ctx: &Ctx<'_>, path: &str, days: Option<f64>) -> Result<PastOfFile, Fault> {
    let workspace = ctx.workspace()?;
    let root = workspace.root();
    let now = ctx.runtime().clock().now();
    let since = days.map(|days| UnixMs(now.0.saturating_sub((days * DAY_MS) as i64)));
    // A file of another repository has its past there.
    let mount = root.mounted().into_iter().find(|mount| path.starts_with(mount.folder()));
    let (folder, below) = match &mount {
        Some(mount) => (mount.root().path(), path[mount.folder().len()..].trim_start_matches('/')),
        None => (root.path(), path),
    };
    let mut no_data = None;
    let found = match history::timeline(folder, below, since, ctx.cancel()) {
        Ok(found) => found,
        Err(HistoryError::Stopped(stop)) => return Err(faults::stopped(stop)),
        Err(err) => {
            tracing::debug!(%err, "no timeline");
            no_data = Some(ledger::no_history(history::lack(folder)));
            history::Timeline::default()
        }
    };
    if let Some(stop) = ctx.cancel().stop() {
        return Err(faults::stopped(stop));
    }
    let lack = history::lack(folder);
    if found.touches.is_empty()
        && (found.is_cut && lack == Lack::CutOff || matches!(lack, Lack::Commits | Lack::Whole))
    {
        no_data = Some(ledger::no_history(lack));
    }
    if no_data.is_none() && found.touches.is_empty() && !was_committed(ctx, path, (folder, below), since)? {
        no_data = Some("no_data: no commit touched this file. Committing it would provide one.");
    }
    let is_alone = found.touches.len() == 1 && is_only(ctx, path, (folder, below))?;
    let age = |time: UnixMs| (now.0.saturating_sub(time.0).max(0) as f64) / DAY_MS;
    let steps: Vec<Step> = found
        .touches
        .iter()
        .map(|touch| Step { age_days: age(touch.time), added: touch.added, removed: touch.removed })
        .collect();
    let oldest = steps.last().map_or(1.0, |step| step.age_days);
    let lines = root.relative(path).ok().and_then(|path| read::text(root, &path, MAX_FILE_BYTES).ok());
    let lines = lines.map_or(0, |file| u32::try_from(file.text.lines().count()).unwrap_or(u32::MAX));
    let shown = |touch: history::Touch| Touch {
        commit: touch.id.chars().take(12).collect(),
        date: timestamp(touch.time),
        author: touch.author,
        subject: touch.subject[..touch.subject.floor_char_boundary(120)].to_owned(),
        added: touch.added,
        removed: touch.removed,
        renamed_from: touch.renamed_from,
    };
    let ends = found.ends.map(|ends| Ends {
        commit: ends.id.chars().take(12).collect(),
        moved_to: match &mount {
            Some(mount) => format!("{}/{}", mount.folder().trim_end_matches('/'), ends.moved_to),
            None => ends.moved_to,
        },
        older_commits: ends.older as u64,
    });
    Ok(PastOfFile {
        ends,
        trend: trend(&steps, days.unwrap_or(oldest), lines),
        companions: companions(&found.touches, mount.as_ref().map(|mount| mount.folder())),
        is_cut: found.is_cut,
        no_data,
        no_trend: is_alone.then_some(
            "no_data: one commit does not say how its changes go. More commits of it would provide it.",
        ),
        touches: found.touches.into_iter().map(shown).collect(),
    })
}

/// Whether no commit but one ever touched a file.
fn is_only(ctx: &Ctx<'_>, path: &str, (folder, below): (&Path, &str)) -> Result<bool, Fault> {
    let past = ctx.past()?;
    if past.log.entries.iter().filter(|entry| entry.files.iter().any(|file| file == path)).count() > 1 {
        return Ok(false);
    }
    let all = history::timeline(folder, below, None, ctx.cancel());
    Ok(all.is_ok_and(|all| all.touches.len() <= 1))
}

/// Whether any commit touched a file that none touched since then.
fn was_committed(
    ctx: &Ctx<'_>,
    path: &str,
    (folder, below): (&Path, &str),
    since: Option<UnixMs>,
) -> Result<bool, Fault> {
    let past = ctx.past()?;
    if past.log.entries.iter().any(|entry| entry.files.iter().any(|file| file == path)) {
        return Ok(true);
    }
    if since.is_none() {
        return Ok(false);
    }
    let all = history::timeline(folder, below, None, ctx.cancel());
    Ok(all.is_ok_and(|all| !all.touches.is_empty()))
}

/// What these commits touched together with it, below the folder that a mounted repository stands in.
fn companions(touches: &[history::Touch], below: Option<&str>) -> Vec<Companion> {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for other in touches.iter().flat_map(|touch| &touch.companions) {
        *times.entry(other).or_default() += 1;
    }
    let shown = |path: &str| match below {
        Some(folder) => format!("{}/{path}", folder.trim_end_matches('/')),
        None => path.to_owned(),
    };
    let found = times.into_iter().map(|(path, times)| Companion { file_path: shown(path), times });
    let mut found: Vec<Companion> = found.collect();
    found.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.file_path.cmp(&b.file_path)));
    found.truncate(MAX_COMPANIONS);
    found
}
