//! `search`: text in the files as they are now, as ripgrep finds it, with every match counted.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{cut_text, drop_tail, json_len};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::{Graph, NodeKind};
use m1nd_recall::seek::Graphed;
use m1nd_recall::text::terms_of_query;
use m1nd_runtime::faults::from_vfs;
use m1nd_runtime::flows::beside::Elsewhere;
use m1nd_runtime::flows::text_search::{self, Request};
use m1nd_runtime::flows::{file_list, places, seek};
use m1nd_runtime::{Answer, Ctx, Example, Family, GraphView, Saves, Spec, Tool};
use m1nd_stdx::cancel::Stop;
use m1nd_vfs::grep::{Case, Findings, Match, Pattern, Syntax};
use m1nd_vfs::walk::Reach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Search;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchMode {
    #[default]
    Literal,
    Regex,
    Semantic,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Search query string
    query: String,
    /// Search mode: literal (substring), regex (Rust syntax), semantic (graph-aware)
    #[serde(default)]
    #[schemars(extend("default" = "literal"))]
    mode: SearchMode,
    /// File path prefix filter
    scope: Option<String>,
    /// Only paths that match, e.g. *.rs, src/**, !tests/
    glob: Option<String>,
    /// Max results (1-500)
    #[schemars(extend("default" = 50))]
    top_k: Option<Int>,
    /// Lines of context before/after match (0-10)
    #[schemars(extend("default" = 2))]
    context_lines: Option<Int>,
    /// Case-sensitive matching
    #[serde(default)]
    #[schemars(extend("default" = false))]
    case_sensitive: bool,
    /// Regex may match across lines (. matches line ends)
    #[serde(default)]
    #[schemars(extend("default" = false))]
    multiline: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Original query echoed back.
    query: String,
    /// Search mode used.
    mode: SearchMode,
    /// Words that nothing in the code has, and what they were read as; for semantic mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read_as: Vec<String>,
    /// Files that are no code and have words of the query that no code has; for semantic mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<Elsewhere>,
    /// Matching lines, ordered by match_score descending, then path and line.
    matches: Vec<SearchMatch>,
    /// Matching lines in all files, also beyond top_k; for semantic mode symbols that fit.
    total_matches: u64,
    /// Files with at least one match.
    files_matched: u64,
    /// Files that were searched.
    files_searched: u64,
    /// True when matches are missing from the answer.
    truncated: bool,
    /// Why the mode is not the one asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<&'static str>,
    /// True when time ran out: the totals are lower bounds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timed_out: bool,
    /// Files that were not searched, by reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsearched: Option<Unsearched>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct SearchMatch {
    /// Workspace-relative path.
    file_path: String,
    /// 1-based line of the match.
    line_number: u64,
    /// The matching line; of a very long one the part around the match.
    line_content: String,
    /// Lines before the match.
    context_before: Vec<String>,
    /// Lines after the match.
    context_after: Vec<String>,
    /// Innermost graph node around the line, when the file is in the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    /// 1.0 for exact matches, 0.0-1.0 for semantic ones.
    match_score: f64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Unsearched {
    /// Names that look like keys or passwords.
    #[serde(skip_serializing_if = "is_zero")]
    secret: u64,
    /// Refused by the file system.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: u64,
    /// Lines too long to hold.
    #[serde(skip_serializing_if = "is_zero")]
    too_large: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Tool for Search {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "search",
        summary: "Low-level code search: literal, regex, or semantic. Returns file matches with context lines and graph node cross-references.",
        help: "Literal and regex modes read the files on disk as they are now and find what ripgrep would find \
            (same ignore rules, hidden and binary files left out); total_matches counts all of them. `glob` narrows what the ignore rules leave; it brings no ignored file back. \
            Semantic mode needs the graph and falls back to literal without it, saying so.",
        intents: &["find text", "grep string", "where is", "usage of name", "regex pattern", "error message"],
        budget: Some(128_000),
        contract: true,
        fresh: true,
        family: Family::Read,
        examples: &[
            Example {
                says: "Where is a message printed?",
                arguments: r#"{"query": "fn main", "context_lines": 0}"#,
            },
            Example {
                says: "Functions by pattern, in one folder",
                arguments: r#"{"query": "fn \\w+\\(", "mode": "regex", "scope": "src", "top_k": 5}"#,
            },
        ],
        saves: Saves::Search,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let top_k = ctx.clamp("top_k", input.top_k, 50, 1..=500);
        let context = ctx.clamp("context_lines", input.context_lines, 2, 0..=10);
        if input.mode == SearchMode::Semantic
            && let Some(at) = ctx.graph_if_any()?
        {
            return semantic(ctx, &at, input, top_k, context);
        }
        let pattern = pattern(ctx, &input)?;
        let glob = input.glob.as_deref().map(|glob| file_list::below_root(ctx, "glob", glob)).transpose()?;
        let request = Request {
            pattern: &pattern,
            scope: input.scope.as_deref(),
            glob: glob.as_deref(),
            keep: top_k,
            context,
            reach: Reach::Usual,
            tracked: &[],
        };
        let found =
            text_search::run(ctx.workspace()?.root(), ctx.tool(), &request, ctx.cancel(), ctx.progress())?;
        let guidance = guidance(&found, &input);
        let proof = if found.total == 0 { ProofState::Blocked } else { ProofState::Triaging };
        let total = found.total;
        let scope = input.scope.clone();
        let graph = ctx.graph_of(found.matches.iter().map(|found| &found.path))?;
        Ok(Answer::of(shape(found, input, graph.as_deref()))
            .candidates(total)
            .scope(scope)
            .proof(proof)
            .next(guidance))
    }
}

/// Symbols by meaning, each shown by its first line.
fn semantic(
    ctx: &Ctx<'_>,
    at: &GraphView,
    input: Input,
    top_k: usize,
    context: usize,
) -> Result<Answer<Output>, Fault> {
    if input.multiline || input.glob.is_some() || input.case_sensitive {
        return Err(ctx.invalid("`glob`, `case_sensitive` and `multiline` go with the modes literal and regex; semantic mode takes `scope`."));
    }
    let request = seek::Request {
        query: &input.query,
        top_k,
        scope: input.scope.as_deref(),
        kinds: Vec::new(),
        min_score: MIN_SCORE,
        graph: Graphed::Yes,
    };
    if !input.query.chars().any(char::is_alphanumeric) {
        return Err(ctx.invalid("`query` must have at least one word in semantic mode."));
    }
    let seek::Answered { results: lines, candidates, symbols, read_as, elsewhere, .. } =
        seek::lines(ctx, at, &request, context)?;
    let guidance = match lines.first() {
        Some(first) => Guidance {
            next_suggested_tool: Some("view"),
            next_suggested_target: Some(format!("{}:{}", first.file_path, first.line)),
            next_step_hint: None,
        },
        None if !elsewhere.is_empty() => Guidance {
            next_suggested_tool: Some("view"),
            next_suggested_target: Some(format!("{}:{}", elsewhere[0].file_path, elsewhere[0].line)),
            next_step_hint: None,
        },
        None if terms_of_query(&input.query).is_empty() => Guidance::hint(
            "Words that stand everywhere, numbers, single letters and words of over 64 letters are not ranked, and the query has no others. Say what the code does, or use mode literal for exact text.",
        ),
        None => Guidance::hint(
            "Nothing in the code, its history or small files beside it has these words. Try other words, or mode literal for exact text.",
        ),
    };
    let is_found = !lines.is_empty() || !elsewhere.is_empty();
    let proof = if is_found { ProofState::Triaging } else { ProofState::Blocked };
    let files_searched = at.graph.nodes().filter(|node| node.kind() == NodeKind::File).count() as u64;
    let scope = input.scope.clone();
    let matches: Vec<SearchMatch> = lines.into_iter().map(semantic_match).collect();
    let (total_matches, files_matched) = symbols.unwrap_or_default();
    let output = Output {
        query: input.query,
        mode: SearchMode::Semantic,
        read_as,
        total_matches,
        truncated: total_matches > matches.len() as u64,
        matches,
        files_matched,
        files_searched,
        elsewhere,
        fallback: None,
        timed_out: false,
        unsearched: None,
    };
    let answer = Answer::of(output).candidates(candidates).scope(scope).proof(proof).next(guidance);
    Ok(answer.budget(SEMANTIC_BUDGET))
}

/// Bytes of an answer by meaning: its end fits less and less, where exact matches are all equal.
const SEMANTIC_BUDGET: usize = 5_000;

/// What scores less shares a word with the query and nothing else.
const MIN_SCORE: f32 = 0.1;

fn semantic_match(line: seek::Line) -> SearchMatch {
    SearchMatch {
        file_path: line.file_path,
        line_number: line.line,
        line_content: line.text,
        context_before: line.before,
        context_after: line.after,
        node_id: Some(line.node_id),
        match_score: line.score,
    }
}

fn pattern(ctx: &Ctx<'_>, input: &Input) -> Result<Pattern, Fault> {
    let syntax = match (input.mode, input.multiline) {
        (SearchMode::Regex, true) => Syntax::RegexAcrossLines,
        (SearchMode::Regex, false) => Syntax::Regex,
        (SearchMode::Literal, true) => return Err(ctx.invalid("`multiline` goes with mode \"regex\".")),
        (SearchMode::Literal | SearchMode::Semantic, _) => Syntax::Literal,
    };
    let case = if input.case_sensitive { Case::Sensitive } else { Case::Insensitive };
    Pattern::compile(&input.query, syntax, case)
        .map_err(|err| from_vfs::pattern(ctx.tool(), &input.query, &err))
}

fn shape(found: Findings, input: Input, graph: Option<&Graph>) -> Output {
    let missed = found.missed;
    let unsearched =
        Unsearched { secret: missed.secret, unreadable: missed.unreadable, too_large: missed.too_large };
    let semantic = input.mode == SearchMode::Semantic;
    Output {
        query: input.query,
        read_as: Vec::new(),
        elsewhere: Vec::new(),
        mode: if semantic { SearchMode::Literal } else { input.mode },
        truncated: found.total > found.matches.len() as u64,
        matches: found.matches.into_iter().map(|found| shape_match(found, graph)).collect(),
        total_matches: found.total,
        files_matched: found.files_matched,
        files_searched: found.files_searched,
        fallback: semantic
            .then_some("There is no graph yet, so the query was searched as literal text. Run ingest."),
        timed_out: found.stopped == Some(Stop::TimedOut),
        unsearched: (missed != m1nd_vfs::grep::Missed::default()).then_some(unsearched),
    }
}

fn shape_match(found: Match, graph: Option<&Graph>) -> SearchMatch {
    SearchMatch {
        node_id: graph.and_then(|graph| places::innermost(graph, found.path.as_str(), found.line)),
        file_path: found.path.to_string(),
        line_number: found.line,
        line_content: found.text,
        context_before: found.before,
        context_after: found.after,
        match_score: 1.0,
    }
}

fn guidance(found: &Findings, input: &Input) -> Guidance {
    if found.stopped == Some(Stop::TimedOut) {
        return Guidance::hint("Time ran out. Narrow the search with `scope` or `glob`.");
    }
    // A name that is not UTF-8 is shown, but cannot be asked for.
    match found.matches.iter().find(|found| !found.path.as_str().contains('\u{FFFD}')) {
        Some(first) => Guidance {
            next_suggested_tool: Some("view"),
            next_suggested_target: Some(format!("{}:{}", first.path, first.line)),
            next_step_hint: None,
        },
        None if found.total > 0 => Guidance::default(),
        None => {
            let searched = found.files_searched;
            if searched == 0 {
                return Guidance::hint(
                    "No file was searched: what `scope` and `glob` admit is ignored, binary, withheld or not there; glob lists the files that count.",
                );
            }
            let advice = match (input.case_sensitive, input.scope.is_some() || input.glob.is_some()) {
                (true, _) => "try without `case_sensitive`",
                (false, true) => "try without `scope` and `glob`",
                (false, false) => "try a shorter or a different word, or `glob` for file names",
            };
            Guidance::hint(format!("No match in {searched} files: {advice}."))
        }
    }
}

/// How much of a long query is echoed when the budget is tight, and when it is tighter still.
const LONG_ECHO: usize = 200;
const MAX_ECHO: usize = 40;

impl Trim for Output {
    /// A long query is not worth a match; then context of the last matches goes, then the last matches themselves.
    fn trim(&mut self, excess: usize) -> bool {
        let mut dropped = cut_text(&mut self.query, LONG_ECHO);
        if dropped > 0 {
            return true;
        }
        for found in self.matches.iter_mut().rev() {
            if dropped >= excess {
                return true;
            }
            dropped += json_len(&found.context_before) + json_len(&found.context_after) - 4;
            found.context_before.clear();
            found.context_after.clear();
        }
        if dropped == 0 {
            self.truncated = true;
            dropped = drop_tail(&mut self.matches, excess);
        }
        // The caller knows what it asked; the echo goes last.
        dropped > 0 || drop_tail(&mut self.elsewhere, excess) > 0 || cut_text(&mut self.query, MAX_ECHO) > 0
    }
}
