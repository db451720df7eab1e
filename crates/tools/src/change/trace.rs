//! `trace`: from a stack trace to suspects.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{cut_text, drop_after, drop_tail};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::trace::{self, CoSuspect, FixScope, SuspectShown, UnmappedShown};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Trace;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The trace, panic, sanitizer report or compiler output
    error_text: String,
    /// Whose trace it is, if it is not evident
    language: Option<String>,
    /// A change this old is half as suspicious as a new one
    #[schemars(extend("default" = 24))]
    window_hours: Option<f64>,
    /// 1-50
    #[schemars(extend("default" = 10))]
    top_k: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    language: &'static str,
    /// What went wrong, as the trace says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// What went wrong first, where that led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    root_cause: Option<String>,
    /// Failures in the text; a failure and its causes are one. The last one comes first.
    failures: u64,
    frames_parsed: u64,
    frames_mapped: u64,
    /// Most suspicious first.
    suspects: Vec<SuspectShown>,
    /// Files of code that change together with the suspects'.
    co_change_suspects: Vec<CoSuspect>,
    /// The calls that led to the last failure, outermost first.
    causal_chain: Vec<String>,
    fix_scope: FixScope,
    /// Frames that are not of this repository, innermost first.
    unmapped_frames: Vec<UnmappedShown>,
    unmapped_total: u64,
    /// Other repositories of this machine that it went through: their files are not in this graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_repositories: Vec<String>,
    truncated: bool,
}

/// How much of a message is told where there is little room.
const SHORT: usize = 60;
/// Frames of libraries that are shown.
const MAX_UNMAPPED: usize = 5;

impl Tool for Trace {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "trace",
        summary: "From a stack trace to the code it went through and the likeliest suspects. Python, Rust, JS/TS, Go, JVM, C/C++ (gdb, ASan), .NET, Ruby, PHP, compiler output.",
        help: "suspiciousness = 0.6 trace_depth + 0.3 recency + 0.1 centrality; without a history recency's share goes to the others. trace_depth is 1 where it failed and 1/(1+n/2) n frames of this repository further out, or n failures before the last; of chained exceptions the first cause counts as where it failed; \
            recency halves with every window_hours since the file's last commit; centrality is the share of nodes that less leads to. Paths of other machines are matched by their ends; where the line moved since, the function's name decides, with the type it is of where the file has several, and of overloads the nearest (moved).",
        intents: &["stack trace", "traceback", "panic", "crash", "exception", "which code failed"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Retrieve,
        examples: &[Example {
            says: "A panic",
            arguments: r#"{"error_text": "thread 'main' panicked at src/main.rs:2:20:\nboom"}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let top_k = ctx.clamp("top_k", input.top_k, 10, 1..=50);
        let window = input.window_hours.unwrap_or(24.0);
        if !(window > 0.0 && window <= 100_000.0) {
            return Err(ctx.invalid("`window_hours` must be more than 0 and at most 100000."));
        }
        let at = ctx.graph_view()?;
        let mut found = trace::run(ctx, &at, &input.error_text, input.language.as_deref(), window)?;
        let total = found.suspects.len();
        found.suspects.truncate(top_k);
        let frames_mapped = found.frames_mapped() as u64;
        let mut unmapped = found.unmapped();
        let unmapped_total = unmapped.len() as u64;
        unmapped.truncate(MAX_UNMAPPED);
        let others = found.other_repositories();
        let (proof, guidance) = match found.suspects.first() {
            Some(first) => {
                let hint = others.first().map(|(other, frames)| {
                    format!("{frames} frames are of {other}, which is not in this graph.")
                });
                let view = Guidance {
                    next_suggested_tool: Some("view"),
                    next_suggested_target: Some(first.at.clone()),
                    next_step_hint: hint,
                };
                (ProofState::Triaging, view)
            }
            None if !others.is_empty() => {
                let hint = format!(
                    "The trace is of {}, which is not in this graph. session_handshake with it as `scope` has the ways there.",
                    others[0].0
                );
                (ProofState::Blocked, Guidance::next("session_handshake", others[0].0.clone(), hint))
            }
            None => {
                let hint = "No frame is of this repository: the trace may be of another one, or its files are not ingested. Seek what the message speaks of.";
                let said =
                    found.cause.clone().or(found.message.clone()).filter(|said| !said.trim().is_empty());
                let guidance = match said {
                    Some(said) => Guidance::next("seek", said, hint),
                    None => Guidance::hint(
                        "No frame is of this repository, and the text has no message: the trace may be of another one, or its files are not ingested.",
                    ),
                };
                (ProofState::Blocked, guidance)
            }
        };
        let output = Output {
            language: found.style.name(),
            message: found.message,
            root_cause: found.cause,
            failures: found.failures as u64,
            frames_parsed: found.mapped.len() as u64,
            frames_mapped,
            truncated: total > found.suspects.len(),
            suspects: found.suspects,
            co_change_suspects: found.co_changes,
            causal_chain: found.chain,
            fix_scope: found.scope,
            unmapped_frames: unmapped,
            unmapped_total,
            other_repositories: others.into_iter().map(|(other, _)| other).take(MAX_UNMAPPED).collect(),
        };
        Ok(Answer::of(output).candidates(total as u64).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.unmapped_frames, excess) > 0
            || drop_tail(&mut self.co_change_suspects, excess) > 0
            || drop_tail(&mut self.causal_chain, excess) > 0
            || drop_after(&mut self.suspects, 1, excess) > 0
            || drop_tail(&mut self.other_repositories, excess) > 0
            // The first suspect says where to look; how far a fix reaches can be asked of impact.
            || drop_tail(&mut self.fix_scope.files, excess) > 0
            || self.message.as_mut().is_some_and(|message| cut_text(message, SHORT) > 0)
            || self.root_cause.as_mut().is_some_and(|cause| cut_text(cause, SHORT) > 0)
    }
}
