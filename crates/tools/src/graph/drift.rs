//! `drift`: where the code moved since a date, and which files that did not move lean on it.

use std::collections::BTreeMap;

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::divergence::{self, BaselineShown, FileState};
use m1nd_runtime::flows::survey::Survey;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Drift;

/// Files and leaning files that are listed.
const LISTED: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A date, a git ref, or last_session
    since: String,
    /// Folder or file
    scope: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Absent where the folder is in no git repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<BaselineShown>,
    /// Folders by how many symbols moved in them.
    folders: Vec<Moved>,
    /// Files, most moved first.
    files: Vec<MovedFile>,
    /// Files that did not change and use what did, those that use most of it first.
    leaning: Vec<Leaning>,
    /// Files that changed in all.
    total_files: u64,
    /// True when something is missing from the answer.
    truncated: bool,
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
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let found = divergence::since(ctx, &at, "since", &input.since, &scope)?;
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
        let mut leaning = leaning(&Survey::of(&at.graph), &files);
        let truncated = [folders.len(), files.len(), leaning.len()].into_iter().any(|len| len > LISTED);
        folders.truncate(LISTED);
        files.truncate(LISTED);
        leaning.truncate(LISTED);
        let guidance = match files.first() {
            Some(_) => Guidance::next("diverge", input.since.clone(), "The same, symbol by symbol."),
            None if found.baseline.is_none() => Guidance::hint(divergence::NO_REPOSITORY),
            None => Guidance::hint("No parsed file differs from then."),
        };
        let is_told = found.baseline.is_some();
        let output = Output { since: found.baseline, folders, files, leaning, total_files, truncated };
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

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.leaning, excess) > 0
            || drop_tail(&mut self.files, excess) > 0
            || drop_tail(&mut self.folders, excess) > 0
    }
}
