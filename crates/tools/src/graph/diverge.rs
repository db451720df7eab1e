//! `diverge`: how the code differs from an earlier commit, definition by definition.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{drop_after, drop_tail};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::divergence::{self, BaselineShown, Change, FileState};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Diverge;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A date, a git ref, or last_session
    baseline: String,
    /// Folder or file
    scope: Option<String>,
    /// Max symbols (1-500)
    #[schemars(extend("default" = 50))]
    limit: Option<Int>,
    /// Go on where an answer's next_cursor says
    cursor: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Absent where the folder is in no git repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineShown>,
    files_added: u64,
    files_removed: u64,
    files_changed: u64,
    files_renamed: u64,
    /// What callers can tell first, and of that what is called most.
    symbols: Vec<SymbolChange>,
    /// Symbols in all.
    total_symbols: u64,
    /// Files that changed and cannot be told symbol by symbol.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    untold: Vec<String>,
    /// The `cursor` that goes on after the symbols shown here.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    /// True when symbols are missing from the answer.
    truncated: bool,
    #[serde(skip)]
    cursor: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct SymbolChange {
    /// removed, signature, body or added.
    change: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    /// `path:line` today; for something removed, where it was.
    at: String,
    /// Definitions that call it today.
    #[serde(skip_serializing_if = "is_zero")]
    callers: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Tool for Diverge {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "diverge",
        summary: "How the code differs from a date, git ref or the last session: symbols removed, with another signature or body, or added.",
        help: "Today's files, saved or not committed, are compared with those of the commit. Of a date the newest commit of HEAD's line that is not younger is taken. \
            Layout is no difference; a comment inside a symbol is one of its body. A file with the same content under another name counts as renamed.",
        intents: &[
            "what changed since",
            "compare with a commit",
            "breaking changes",
            "diff by symbol",
            "since last session",
        ],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "Since the last commit", arguments: r#"{"baseline": "HEAD"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(50);
        let at = ctx.graph_view()?;
        let found = divergence::since(ctx, &at, "baseline", &input.baseline, input.scope.as_deref())?;
        let count = |state: FileState| found.files.iter().filter(|file| file.state == state).count() as u64;
        let mut symbols: Vec<(Change, SymbolChange)> = Vec::new();
        let mut untold = Vec::new();
        for file in &found.files {
            match &file.symbols {
                None => untold.push(file.path.clone()),
                Some(changes) => symbols.extend(changes.iter().map(|changed| {
                    let callers = divergence::callers(&at.graph, &file.path, changed) as u64;
                    let place = format!("{}:{}", file.path, changed.line);
                    let (change, kind) = (changed.change.name(), changed.kind.name());
                    (
                        changed.change,
                        SymbolChange { change, kind, name: changed.name.clone(), at: place, callers },
                    )
                })),
            }
        }
        symbols.sort_by(|(a, one), (b, other)| {
            a.cmp(b).then(other.callers.cmp(&one.callers)).then_with(|| one.at.cmp(&other.at))
        });
        let total_symbols = symbols.len() as u64;
        let cursor = ctx.in_range("cursor", input.cursor, 0..=total_symbols.saturating_sub(1) as i64)?;
        let cursor = cursor.unwrap_or(0);
        let page = symbols.into_iter().skip(cursor as usize).take(usize::try_from(limit).unwrap_or(50));
        let symbols: Vec<SymbolChange> = page.map(|(_, shown)| shown).collect();
        let telling = symbols.iter().find(|one| one.change == "signature" && one.callers > 0);
        let guidance = match telling {
            Some(one) => Guidance {
                next_suggested_tool: Some("callers"),
                next_suggested_target: Some(one.at.clone()),
                next_step_hint: None,
            },
            None if found.baseline.is_none() => Guidance::hint(divergence::NO_REPOSITORY),
            None if found.files.is_empty() => Guidance::hint("No parsed file differs from the baseline."),
            None => Guidance::default(),
        };
        let is_told = found.baseline.is_some();
        let mut output = Output {
            files_added: count(FileState::Added),
            files_removed: count(FileState::Removed),
            files_changed: count(FileState::Changed),
            files_renamed: count(FileState::Renamed),
            baseline: found.baseline,
            symbols,
            total_symbols,
            // Who goes on has seen them.
            untold: if cursor == 0 { untold } else { Vec::new() },
            next_cursor: None,
            truncated: false,
            cursor,
        };
        output.settle();
        let answer = Answer::of(output).candidates(total_symbols).scope(input.scope);
        Ok(answer.proof(if is_told { ProofState::Triaging } else { ProofState::Blocked }).next(guidance))
    }
}

impl Output {
    /// Says where to go on after what is shown.
    fn settle(&mut self) {
        let end = self.cursor + self.symbols.len() as u64;
        self.next_cursor = (end < self.total_symbols).then_some(end);
        self.truncated |= self.next_cursor.is_some();
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let dropped = drop_after(&mut self.symbols, 1, excess) > 0 || drop_tail(&mut self.untold, excess) > 0;
        self.settle();
        dropped
    }
}
