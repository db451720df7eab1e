//! `seek`: from a sentence to the code it is about.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{cut_text, drop_after, drop_tail, json_len};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::NodeKind;
use m1nd_recall::seek::Graphed;
use m1nd_recall::text::terms_of_query;
use m1nd_risk::trace as traces;
use m1nd_runtime::flows::beside::Elsewhere;
use m1nd_runtime::flows::context_guard;
use m1nd_runtime::flows::coverage::Coverage;
use m1nd_runtime::flows::seek::{self, Request, SeekFile, SeekResult};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Saves, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Seek;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupBy {
    #[default]
    Symbol,
    File,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What you look for: a bug report, a feature, an error
    query: String,
    /// Max results (1-100)
    #[schemars(extend("default" = 20))]
    top_k: Option<Int>,
    /// File path prefix filter
    scope: Option<String>,
    /// Only these kinds
    node_types: Option<Vec<String>>,
    /// Least score (0-1)
    #[schemars(extend("default" = 0.1))]
    min_score: Option<f64>,
    /// Use relations and history
    #[schemars(extend("default" = true))]
    graph_rerank: Option<bool>,
    /// file: files with their best symbols
    #[serde(default)]
    #[schemars(extend("default" = "symbol"))]
    group_by: GroupBy,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The beginning of the query.
    query: String,
    /// Words that nothing in the code has, and what they were read as.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read_as: Vec<String>,
    /// Symbols, best first; at most two of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<SeekResult>>,
    /// Files, best first, for group_by file.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<SeekFile>>,
    /// Files that are no code and have words of the query that no code has; where `scope` has no answer, any words of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<Elsewhere>,
    /// What an empty answer rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Coverage>,
    /// Files that scored at least min_score.
    total_candidates_scanned: u64,
    /// True when results are missing from the answer.
    truncated: bool,
    /// Whether the scope holds nothing that is ranked.
    #[serde(skip)]
    unranked: bool,
}

impl Tool for Seek {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "seek",
        summary: "Find code by intent: from a bug report, feature or error to functions and files, with lines and reasons.",
        help: "Weighs the words of names, paths, signatures, docs, strings and bodies, the words of earlier commits and the files they touched, \
            relations and common changes. A file that the query names by its path comes first. Files that are no code (settings, documents, build files) are not ranked; where they alone have a word of the query, or `scope` holds no other answer, `elsewhere` names the line. `group_by: \"file\"` gives files with their best symbols in fewer bytes. For exact text use search.",
        intents: &[
            "find code that",
            "where is handled",
            "which file",
            "by intent",
            "bug report",
            "implement feature",
        ],
        needs: Needs::Graph,
        budget: Some(4_000),
        contract: true,
        fresh: true,
        lean: true,
        family: Family::Retrieve,
        examples: &[
            Example { says: "Where to start", arguments: r#"{"query": "greet the user by name"}"# },
            Example {
                says: "The ten files that matter",
                arguments: r#"{"query": "main program prints", "group_by": "file", "top_k": 10}"#,
            },
        ],
        saves: Saves::Search,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let top_k = ctx.clamp("top_k", input.top_k, 20, 1..=100);
        let min_score = input.min_score.unwrap_or(0.1);
        if !(0.0..=1.0).contains(&min_score) {
            return Err(ctx.invalid("`min_score` must be from 0 to 1."));
        }
        if !input.query.chars().any(char::is_alphanumeric) {
            return Err(ctx.invalid("`query` must have at least one word."));
        }
        let others = context_guard::told_of_others(ctx, "query", &input.query)?;
        let request = Request {
            query: &input.query,
            top_k,
            scope: input.scope.as_deref(),
            kinds: kinds(ctx, input.node_types.as_deref().unwrap_or_default())?,
            min_score: min_score as f32,
            graph: if input.graph_rerank.unwrap_or(true) { Graphed::Yes } else { Graphed::No },
        };
        let at = ctx.graph_view()?;
        let mut output = match input.group_by {
            GroupBy::Symbol => {
                let (mut output, results) = Output::of(seek::symbols(ctx, &at, &request)?);
                output.results = Some(results);
                output
            }
            GroupBy::File => {
                let (mut output, files) = Output::of(seek::files(ctx, &at, &request)?);
                output.files = Some(files);
                output
            }
        };
        let candidates = output.total_candidates_scanned.max(output.elsewhere.len() as u64);
        let is_trace = traces::is_trace(&input.query);
        let is_common = terms_of_query(&input.query).is_empty();
        output.query = input.query;
        cut_text(&mut output.query, MAX_ECHO);
        let limits = Limits {
            kinds: input.node_types.is_some_and(|types| !types.is_empty()),
            scope: input.scope.is_some(),
            min_score: input.min_score.is_some(),
            is_common,
        };
        let (proof, mut guidance) = next(&output, &limits);
        if is_trace {
            let hint =
                "This is a stack trace: trace maps its frames to code. Pass the same text as error_text.";
            guidance = Guidance {
                next_suggested_tool: Some("trace"),
                next_step_hint: Some(hint.into()),
                ..guidance
            };
        }
        if let Some(commits) = ctx.workspace()?.commits_so_far() {
            guidance.next_step_hint = Some(format!(
                "The history is still being read ({commits} commits so far): ask again in a few seconds if this misses what you look for."
            ));
        }
        if let Some(others) = others {
            let before = guidance.next_step_hint.map(|hint| format!(" {hint}")).unwrap_or_default();
            guidance.next_step_hint = Some(others + &before);
        }
        let answer = Answer::of(output).candidates(candidates).scope(input.scope).proof(proof).next(guidance);
        Ok(match input.group_by {
            GroupBy::File => answer.budget(FILES_BUDGET.max(top_k * FILE_BUDGET)),
            GroupBy::Symbol => answer,
        })
    }
}

impl Output {
    /// All but the query and the results, and the results.
    fn of<T>(found: seek::Answered<T>) -> (Self, Vec<T>) {
        let output = Self {
            query: String::new(),
            read_as: found.read_as,
            results: None,
            files: None,
            elsewhere: found.elsewhere,
            rests_on: found.rests_on,
            total_candidates_scanned: found.candidates,
            truncated: found.more,
            unranked: found.unranked,
        };
        (output, found.results)
    }
}

/// Bytes of an answer that names files; more where more of them are asked for.
const FILES_BUDGET: usize = 2_000;
const FILE_BUDGET: usize = 180;

/// What the caller left out of the answer.
struct Limits {
    kinds: bool,
    scope: bool,
    min_score: bool,
    /// No word of the query is ranked.
    is_common: bool,
}

fn kinds(ctx: &Ctx<'_>, names: &[String]) -> Result<Vec<NodeKind>, Fault> {
    let known = |name: &String| {
        NodeKind::parse(name).ok_or_else(|| {
            let all: Vec<&str> = NodeKind::ALL.iter().map(|kind| kind.name()).collect();
            ctx.invalid(format!("`node_types` knows {}.", all.join(", ")))
        })
    };
    names.iter().map(known).collect()
}

fn next(output: &Output, limits: &Limits) -> (ProofState, Guidance) {
    let symbol = output.results.iter().flatten().next().map(|found| {
        let says = found.says.as_ref().map_or(found.line_start, |says| says.line);
        format!("{}:{}", found.file_path, says.max(1))
    });
    let file = output.files.iter().flatten().next().map(|found| found.file_path.clone());
    let elsewhere = output.elsewhere.first().map(|place| format!("{}:{}", place.file_path, place.line));
    let is_empty = symbol.is_none() && file.is_none();
    match symbol.or(file).or(elsewhere) {
        Some(target) => {
            let view = Guidance {
                next_suggested_tool: Some("view"),
                next_suggested_target: Some(target),
                next_step_hint: (is_empty && limits.scope).then(|| UNRANKED.to_owned()),
            };
            (ProofState::Triaging, view)
        }
        None => {
            let hint = match limits {
                Limits { is_common: true, .. } => {
                    "Words that stand everywhere, numbers, single letters and words of over 64 letters are not ranked, and the query has no others. Say what the code does, or `search` for exact text."
                }
                Limits { kinds: true, .. } if output.total_candidates_scanned > 0 => {
                    "Files have these words, but nothing of these `node_types` in them does. Ask again without `node_types`."
                }
                Limits { scope: true, .. } if output.unranked => {
                    "No file below `scope` is code, and only code is ranked; none of the others has these words. `search` with this `scope` looks for exact text."
                }
                Limits { scope: true, .. } => {
                    "Nothing below `scope` has these words, nor what its changes were called. Ask again without `scope`, or `search` for exact text."
                }
                Limits { min_score: true, .. } => {
                    "Nothing fits these words that well. Ask again with a lower `min_score`, or `search` for exact text."
                }
                _ => {
                    "Code, history and small files beside it do not have these words: use words of the code, or `search` for exact text."
                }
            };
            (ProofState::Blocked, Guidance::hint(hint))
        }
    }
}

/// What is said where only files that are no code answer below a scope.
const UNRANKED: &str = "No code below `scope` answers; documents and settings are not ranked, and `elsewhere` shows the first that have the words. `search` with this `scope` finds all their lines.";

/// How much of a long query is echoed.
const MAX_ECHO: usize = 120;

impl Trim for Output {
    /// The echo is cut first; then the last results lose what is not needed to act, and then they go.
    fn trim(&mut self, excess: usize) -> bool {
        let mut dropped = cut_text(&mut self.query, MAX_ECHO);
        for found in self.results.iter_mut().flatten().rev() {
            if dropped >= excess {
                return true;
            }
            dropped += field_len("connections", &found.connections, found.connections.is_empty());
            dropped += field_len("score_breakdown", &found.score_breakdown, found.score_breakdown.is_none());
            found.connections.clear();
            found.score_breakdown = None;
        }
        for found in after(&mut self.results, DESCRIBED).iter_mut().rev() {
            if dropped >= excess {
                return true;
            }
            dropped += field_len("intent_summary", &found.intent_summary, found.intent_summary.is_empty());
            found.intent_summary.clear();
        }
        for found in self.files.iter_mut().flatten().rev() {
            if dropped >= excess {
                return true;
            }
            dropped += field_len("words", &found.words, found.words.is_empty());
            found.words.clear();
        }
        for kept in [1, 0] {
            for found in after(&mut self.files, DESCRIBED_FILES).iter_mut().rev() {
                if dropped >= excess {
                    return true;
                }
                if found.symbols.len() > kept {
                    let before = field_len("symbols", &found.symbols, false);
                    found.symbols.truncate(kept);
                    dropped += before - field_len("symbols", &found.symbols, kept == 0);
                }
            }
        }
        if dropped >= excess {
            return true;
        }
        let rest = excess - dropped;
        self.truncated = true;
        let gone = match (&mut self.results, &mut self.files) {
            // An answer that shows nothing looks like one that found nothing.
            (Some(results), _) => drop_after(results, 1, rest),
            (None, Some(files)) => drop_after(files, 1, rest),
            (None, None) => 0,
        };
        dropped + gone > 0
            || drop_tail(&mut self.elsewhere, rest) > 0
            || cut_text(&mut self.query, 40) > 0
            || self.rests_on.take().is_some()
            || self.results.iter_mut().flatten().any(strip)
    }
}

/// Leaves of a result what names it. Says whether anything went.
fn strip(found: &mut SeekResult) -> bool {
    found.says.take().is_some() || cut_text(&mut found.intent_summary, 0) > 0
}

/// Results that keep what they are in words as long as there are results after them.
const DESCRIBED: usize = 10;

/// Files that keep their symbols as long as there are files after them.
const DESCRIBED_FILES: usize = 3;

/// What comes after the first ones.
fn after<T>(found: &mut Option<Vec<T>>, first: usize) -> &mut [T] {
    let all = found.as_mut().map_or(&mut [][..], Vec::as_mut_slice);
    let first = first.min(all.len());
    &mut all[first..]
}

/// Bytes of a field that will be left out, with its name and the comma; nothing where it is left out already.
fn field_len<T: Serialize>(name: &str, value: &T, is_left_out: bool) -> usize {
    if is_left_out { 0 } else { json_len(value) + name.len() + r#""":,"#.len() }
}
