//! `trail_save`: keep what was seen and thought on the way.

use m1nd_contract::{Fault, Guidance, fixed_size};
use m1nd_navigate::{Conclusion, Hypothesis, Standing, Trail};
use m1nd_runtime::flows::navigate::{self, trails};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{WRITE, share};

pub struct TrailSave;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Open,
    Supported,
    Rejected,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thought {
    /// In a sentence
    statement: String,
    /// 0-1
    confidence: f64,
    #[serde(default)]
    status: Status,
    /// Nodes that speak for it
    #[serde(default)]
    supporting: Vec<String>,
    /// Nodes that speak against it
    #[serde(default)]
    contradicting: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// In a sentence
    statement: String,
    /// 0-1
    confidence: f64,
    /// Nodes that speak for it
    #[serde(default)]
    supporting: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Boost {
    /// A node
    node_id: String,
    /// 0-1
    boost: f64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What it is about
    label: String,
    /// Nodes that were visited, oldest first: ids, paths or names
    visited: Option<Vec<String>>,
    /// Instead: a walk, whose nodes they are
    perspective_id: Option<String>,
    /// What you think, with what speaks for and against it
    hypotheses: Option<Vec<Thought>>,
    /// What you found out
    conclusions: Option<Vec<Finding>>,
    /// What is to be found out yet
    open_questions: Option<Vec<String>>,
    /// Words to find it by
    tags: Option<Vec<String>>,
    /// All of it in a few sentences
    summary: Option<String>,
    /// What answers lift after it was resumed
    boosts: Option<Vec<Boost>>,
    /// An earlier trail, whose place it takes
    replace: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    trail_id: String,
    nodes: usize,
    hypotheses: usize,
    conclusions: usize,
    open_questions: usize,
}

const MAX_NODES: usize = 500;
const MAX_EACH: usize = 100;
const MAX_TEXT: usize = 2_000;

impl Tool for TrailSave {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "trail_save",
        summary: "Keep an investigation for later or for another agent: nodes visited, hypotheses, conclusions, open questions.",
        help: "Each node is kept with a hash of its text, so that trail_resume can say what changed. Trails are shared in the workspace, at most 2000; \
            each has at most 500 nodes and 100 of everything else.",
        intents: &["save my investigation", "keep a trail", "remember where I was"],
        examples: &[Example {
            says: "One thought",
            arguments: r#"{"label": "who greets", "visited": ["greet"], "hypotheses": [{"statement": "only main greets", "confidence": 0.7, "supporting": ["main"]}], "open_questions": ["Is greet public?"]}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let text = |name: &str, text: &str| match text.trim() {
            "" => Err(ctx.invalid(format!("`{name}` is empty."))),
            long if long.len() > MAX_TEXT => {
                Err(ctx.invalid(format!("`{name}` has more than {MAX_TEXT} bytes.")))
            }
            said => Ok(said.to_owned()),
        };
        let texts = |name: &str, given: Option<Vec<String>>| {
            let given = given.unwrap_or_default();
            if given.len() > MAX_EACH {
                return Err(ctx.invalid(format!("`{name}` has more than {MAX_EACH} entries.")));
            }
            given.iter().map(|one| text(name, one)).collect::<Result<Vec<_>, _>>()
        };
        let at = ctx.graph_view()?;
        let ids = |name: &str, given: &[String]| {
            if given.len() > MAX_NODES {
                return Err(ctx.invalid(format!("`{name}` has more than {MAX_NODES} nodes.")));
            }
            given.iter().map(|one| navigate::named(ctx, &at.graph, name, one)).collect::<Result<Vec<_>, _>>()
        };
        let mut trail = Trail { label: text("label", &input.label)?, ..Trail::default() };
        let thoughts = input.hypotheses.unwrap_or_default();
        let results = input.conclusions.unwrap_or_default();
        if thoughts.len() > MAX_EACH || results.len() > MAX_EACH {
            return Err(
                ctx.invalid(format!("`hypotheses` and `conclusions` have at most {MAX_EACH} entries each."))
            );
        }
        for one in thoughts {
            trail.hypotheses.push(Hypothesis {
                statement: text("hypotheses.statement", &one.statement)?,
                confidence: share(ctx, "hypotheses.confidence", one.confidence)?,
                standing: match one.status {
                    Status::Open => Standing::Open,
                    Status::Supported => Standing::Supported,
                    Status::Rejected => Standing::Rejected,
                },
                supporting: ids("hypotheses.supporting", &one.supporting)?,
                contradicting: ids("hypotheses.contradicting", &one.contradicting)?,
            });
        }
        for one in results {
            trail.conclusions.push(Conclusion {
                statement: text("conclusions.statement", &one.statement)?,
                confidence: share(ctx, "conclusions.confidence", one.confidence)?,
                supporting: ids("conclusions.supporting", &one.supporting)?,
            });
        }
        let boosts = input.boosts.unwrap_or_default();
        if boosts.len() > MAX_EACH {
            return Err(ctx.invalid(format!("`boosts` has more than {MAX_EACH} entries.")));
        }
        for one in boosts {
            let node = navigate::named(ctx, &at.graph, "boosts.node_id", &one.node_id)?;
            trail.boosts.push((node, share(ctx, "boosts.boost", one.boost)?));
        }
        trail.open_questions = texts("open_questions", input.open_questions)?;
        trail.tags = texts("tags", input.tags)?;
        trail.summary = input.summary.map(|said| text("summary", &said)).transpose()?;
        let nodes = match (input.visited, input.perspective_id) {
            (Some(_), Some(_)) => return Err(ctx.invalid("Give `visited` or `perspective_id`, not both.")),
            (Some(named), None) => ids("visited", &named)?,
            (None, Some(walk)) => trails::of_walk(ctx, &walk)?,
            (None, None) => Vec::new(),
        };
        if nodes.is_empty()
            && trail.hypotheses.is_empty()
            && trail.conclusions.is_empty()
            && trail.open_questions.is_empty()
        {
            return Err(ctx.invalid("There is nothing to keep: give `visited` or `perspective_id`, hypotheses, conclusions or open questions."));
        }
        let kept = trails::save(ctx, &at, &trail, &nodes, input.replace.as_deref())?;
        let output = Output {
            nodes: kept.visited.len(),
            hypotheses: kept.hypotheses.len(),
            conclusions: kept.conclusions.len(),
            open_questions: kept.open_questions.len(),
            trail_id: kept.id.clone(),
        };
        let next = Guidance::hint(format!("trail_resume with {} takes it up again.", kept.id));
        Ok(Answer::of(output).next(next))
    }
}

fixed_size!(Output);
