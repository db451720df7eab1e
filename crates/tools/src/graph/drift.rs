//! `drift`: where the code moved since a date, and which files that did not move lean on it.

use std::collections::BTreeMap;

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{drop_after, drop_tail};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::divergence::{self, BaselineShown, FileState};
use m1nd_runtime::flows::survey::Survey;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Drift;

/// Folders and leaning files that are listed.
const LISTED: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A date, a git ref, or last_session
    since: String,
    /// Folder or file
    scope: Option<String>,
    /// Max files (1-200)
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
    /// Go on where an answer's next_cursor says
    cursor: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Absent where the folder is in no git repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<BaselineShown>,
    /// Folders by how many symbols moved in them; with a cursor they are left out, as what leans on them is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folders: Vec<Moved>,
    /// Files, most moved first.
    files: Vec<MovedFile>,
    /// Files that did not change and use what did, those that use most of it first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaning: Vec<Leaning>,
    /// Files that changed in all.
    total_files: u64,
    /// The `cursor` that goes on after the files shown here.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    /// True when something is missing from the answer.
    truncated: bool,
    #[serde(skip)]
    cursor: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Moved {
    folder: String,
    files: u64,
    symbols: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct MovedFile {
    path: String,
    state: FileState,
    /// Symbols removed, changed or added.
    symbols: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Leaning {
    path: String,
    /// Changed files that it uses.
    uses_changed: u64,
}

impl Tool for Drift {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "drift",
        summary: "Where the code moved since a date, git ref or the last session: folders, files, and unchanged files that lean on them.",
        help: "diverge tells the same symbol by symbol. Only parsed files count; what is not committed counts too.",
        intents: &["what moved", "catch up", "since I was last here", "recent activity"],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "Since the last commit", arguments: r#"{"since": "HEAD"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let at = ctx.graph_view()?;
        let found = divergence::since(ctx, &at, "since", &input.since, input.scope.as_deref())?;
        let mut folders: BTreeMap<&str, Moved> = BTreeMap::new();
        let mut files = Vec::new();
        for file in &found.files {
            let symbols = file.symbols.as_ref().map_or(1, Vec::len) as u64;
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let moved = folders.entry(folder).or_insert_with(|| Moved {
                folder: folder.to_owned(),
                files: 0,
                symbols: 0,
            });
            moved.files += 1;
            moved.symbols += symbols;
            files.push(MovedFile { path: file.path.clone(), state: file.state, symbols });
        }
        let mut folders: Vec<Moved> = folders.into_values().collect();
        folders.sort_by(|a, b| b.symbols.cmp(&a.symbols).then_with(|| a.folder.cmp(&b.folder)));
        files.sort_by(|a, b| b.symbols.cmp(&a.symbols).then_with(|| a.path.cmp(&b.path)));
        let total_files = files.len() as u64;
        let cursor = ctx.in_range("cursor", input.cursor, 0..=total_files.saturating_sub(1) as i64)?;
        let cursor = cursor.unwrap_or(0);
        // Who goes on has seen them.
        let listed = if cursor == 0 { LISTED } else { 0 };
        let mut leaning = leaning(&Survey::of(&at.graph), &files);
        let truncated = cursor == 0 && (folders.len() > LISTED || leaning.len() > LISTED);
        folders.truncate(listed);
        leaning.truncate(listed);
        let page = files.into_iter().skip(cursor as usize).take(usize::try_from(limit).unwrap_or(20));
        let files: Vec<MovedFile> = page.collect();
        let guidance = match files.first() {
            Some(_) => Guidance::next("diverge", input.since.clone(), "The same, symbol by symbol."),
            None if found.baseline.is_none() => Guidance::hint(divergence::NO_REPOSITORY),
            None => Guidance::hint("No parsed file differs from then."),
        };
        let is_told = found.baseline.is_some();
        let mut output = Output {
            since: found.baseline,
            folders,
            files,
            leaning,
            total_files,
            next_cursor: None,
            truncated,
            cursor,
        };
        output.settle();
        let answer = Answer::of(output).candidates(total_files).scope(input.scope);
        Ok(answer.proof(if is_told { ProofState::Triaging } else { ProofState::Blocked }).next(guidance))
    }
}

/// Files that use changed ones for certain and are not among them.
fn leaning(survey: &Survey<'_>, files: &[MovedFile]) -> Vec<Leaning> {
    let changed = |path: &str| files.iter().any(|file| file.path == path);
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for row in survey.files.iter().filter(|row| changed(row.path())) {
        for user in &row.users {
            *counts.entry(*user).or_default() += 1;
        }
    }
    let named = counts.into_iter().map(|(at, uses)| (survey.files[at as usize].path(), uses));
    let mut out: Vec<Leaning> = named
        .filter(|(path, _)| !changed(path))
        .map(|(path, uses_changed)| Leaning { path: path.to_owned(), uses_changed })
        .collect();
    out.sort_by(|a, b| b.uses_changed.cmp(&a.uses_changed).then_with(|| a.path.cmp(&b.path)));
    out
}

impl Output {
    /// Says where to go on after what is shown.
    fn settle(&mut self) {
        let end = self.cursor + self.files.len() as u64;
        self.next_cursor = (end < self.total_files).then_some(end);
        self.truncated |= self.next_cursor.is_some();
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let dropped = drop_tail(&mut self.leaning, excess) > 0
            || drop_after(&mut self.files, 1, excess) > 0
            || drop_tail(&mut self.folders, excess) > 0;
        self.settle();
        dropped
    }
}
