//! `hypothesize`: is a sentence about the code true?

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::claims;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Hypothesize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Such as: Parser never calls Database
    claim: String,
    /// 1-10
    #[schemars(extend("default" = 5))]
    max_hops: Option<Int>,
    /// Nodes to look at (1-100000)
    #[schemars(extend("default" = 1000))]
    path_budget: Option<Int>,
}

/// One thing that speaks for or against.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Piece {
    says: String,
    /// What it multiplies the odds by.
    likelihood_factor: f64,
    /// The nodes it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    claim_type: &'static str,
    /// What the names in the claim mean.
    subjects: Vec<String>,
    /// likely_true above 0.8, likely_false below 0.2, else inconclusive.
    verdict: &'static str,
    confidence: f64,
    supporting: Vec<Piece>,
    contradicting: Vec<Piece>,
    nodes_explored: u64,
    /// True when the budget ended the search.
    budget_exhausted: bool,
    truncated: bool,
}

impl Tool for Hypothesize {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "hypothesize",
        summary: "Check a sentence about the code: never calls, always before, depends on, no dependency, coupled, isolated, gateway, circular. Evidence for and against, a confidence, a verdict.",
        help: "Belief starts at even odds; each piece of evidence multiplies them: a chain of certain relations 30, one with guesses 2, none found within max_hops 1/6 (1/1.5 when the budget or max_hops ended the search). What is claimed of both directions is as likely as the weaker one. Isolated is what no other code of the repository uses and what uses none of it; what holds it does not count, tests count apart; \"A is unused\" asks for users alone. A cycle of a type counts the members of every type on the way, one of a file all that is in each file. A gateway stands on every known way of calls. Before is what comes before on every way through each caller: branches, early exits, errors that are caught, `defer` and callbacks are followed in Python, JS/TS, Go, Java, Rust and C/C++; what cannot be known counts for nothing and says why. \
            Calls through values, frameworks and strings are not seen, so that nothing was found is never proof. Sentences: A never calls B; A is always called before B; A depends on B; A calls B; A does not depend on B; \
            A and B are coupled; A is isolated; A is the gateway to B; A and B depend on each other; A is in a cycle.",
        intents: &[
            "is it true that",
            "check assumption",
            "does A call B",
            "verify claim",
            "circular dependency",
        ],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "A dependency", arguments: r#"{"claim": "main calls greet"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let max_hops = ctx.in_range("max_hops", input.max_hops, 1..=10)?.unwrap_or(5);
        let budget = ctx.in_range("path_budget", input.path_budget, 1..=100_000)?.unwrap_or(1_000);
        let at = ctx.graph_view()?;
        let (max_hops, budget) =
            (u32::try_from(max_hops).unwrap_or(5), usize::try_from(budget).unwrap_or(1_000));
        let found = claims::judge(ctx, &at, &input.claim, max_hops, budget)?;
        let id = |&ix: &m1nd_graph::NodeIx| at.graph.node(ix).id().to_owned();
        let (mut supporting, mut contradicting) = (Vec::new(), Vec::new());
        for piece in &found.judged.evidence {
            let shown = Piece {
                says: piece.says.clone(),
                likelihood_factor: round3(piece.factor),
                path: piece.path.iter().map(id).collect(),
            };
            if piece.factor >= 1.0 { supporting.push(shown) } else { contradicting.push(shown) }
        }
        let verdict = found.judged.verdict();
        let output = Output {
            claim_type: found.claim.kind.name(),
            subjects: [Some(found.one), found.other].iter().flatten().map(id).collect(),
            verdict,
            confidence: round3(found.judged.confidence),
            supporting,
            contradicting,
            nodes_explored: found.judged.looked_at as u64,
            budget_exhausted: found.judged.is_cut,
            truncated: false,
        };
        let (proof, guidance) = match verdict {
            "inconclusive" if found.judged.is_cut => (
                ProofState::Triaging,
                Guidance::hint("The budget ended the search; a larger path_budget looks further."),
            ),
            "inconclusive" if found.judged.is_near && max_hops < 10 => (
                ProofState::Triaging,
                Guidance::hint("max_hops ended the search; a larger one (at most 10) looks further."),
            ),
            "inconclusive" => {
                let hint = "The evidence is weak. See the calls themselves.";
                (ProofState::Triaging, Guidance::next("callees", output.subjects[0].clone(), hint))
            }
            _ => (ProofState::Proving, Guidance::default()),
        };
        let pieces = (output.supporting.len() + output.contradicting.len()) as u64;
        Ok(Answer::of(output).candidates(pieces).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let longest =
            self.supporting.iter_mut().chain(&mut self.contradicting).max_by_key(|piece| piece.path.len());
        longest.is_some_and(|piece| drop_tail(&mut piece.path, excess) > 0)
    }
}
