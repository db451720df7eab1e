//! `savings`: what answers spared, in this session and in all.

use m1nd_contract::Fault;
use m1nd_runtime::{Answer, Ctx, Example, Needs, Saved, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Savings;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// This process; tokens, cost, reads and lines are estimates by tool.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SessionSavings {
    queries_made: u64,
    tokens_saved: u64,
    cost_saved_usd: f64,
    file_reads_avoided: u64,
    lines_avoided: u64,
    session_uptime_seconds: f64,
    avg_tokens_per_query: f64,
}

/// All processes that shared this home folder.
#[derive(Debug, JsonSchema, Serialize)]
pub struct GlobalSavings {
    total_sessions: u64,
    total_queries: u64,
    total_tokens_saved: u64,
    total_cost_saved_usd: f64,
    total_file_reads_avoided: u64,
}

/// What was counted.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Measured {
    /// Bytes of this session's answers.
    bytes_answered: u64,
    /// Bytes of the files that the answers pointed into, each counted once an answer.
    bytes_of_files: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    current_session: SessionSavings,
    global: GlobalSavings,
    measured: Measured,
    /// Which of these are estimates.
    note: &'static str,
}

impl Tool for Savings {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "savings",
        summary: "Estimated token and cost savings from using m1nd. Shows current session and global totals, and bytes that were counted.",
        help: "Estimates per successful call: activate 2000 tokens, 5 files, 500 lines; impact, predict, counterfactual 3000, 8, 800; surgical_context 1500, 3, 300; seek, scan, search 1000, 4, 400; others 500, 2, 200; \
            $0.00001 a token. measured compares bytes answered with bytes of the files that the answers pointed into.",
        intents: &["tokens saved", "cost saved", "was it worth it"],
        needs: Needs::Nothing,
        lean: true,
        examples: &[Example { says: "So far", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, _: Input) -> Result<Answer<Output>, Fault> {
        let runtime = ctx.runtime();
        let (session, _) = runtime.saved();
        let all = runtime.saved_all_time().unwrap_or_default();
        let output = Output {
            current_session: SessionSavings::of(&session, runtime.uptime().as_secs_f64()),
            global: GlobalSavings {
                total_sessions: all.sessions,
                total_queries: all.saved.queries,
                total_tokens_saved: all.saved.tokens_saved,
                total_cost_saved_usd: dollars(&all.saved),
                total_file_reads_avoided: all.saved.file_reads_avoided,
            },
            measured: Measured {
                bytes_answered: session.bytes_answered,
                bytes_of_files: session.bytes_of_files,
            },
            note: "tokens, cost, reads and lines are estimated by tool; measured is counted",
        };
        Ok(Answer::of(output))
    }
}

impl SessionSavings {
    fn of(saved: &Saved, uptime: f64) -> Self {
        Self {
            queries_made: saved.queries,
            tokens_saved: saved.tokens_saved,
            cost_saved_usd: dollars(saved),
            file_reads_avoided: saved.file_reads_avoided,
            lines_avoided: saved.lines_avoided,
            session_uptime_seconds: round3(uptime),
            avg_tokens_per_query: saved.tokens_saved as f64 / saved.queries.max(1) as f64,
        }
    }
}

fn dollars(saved: &Saved) -> f64 {
    (saved.dollars() * 1_000_000.0).round() / 1_000_000.0
}

m1nd_contract::fixed_size!(Output);
