//! `report`: what happened in this session.

use std::collections::BTreeMap;

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Trim};
use m1nd_risk::panorama::{self, Findings};
use m1nd_runtime::flows::{immunity, ledger, navigate};
use m1nd_runtime::{Answer, Calls, Ctx, Example, Needs, QueryRecord, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Report;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Markdown,
    Text,
    Json,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Output format for the formatted report
    #[serde(default)]
    #[schemars(extend("default" = "markdown"))]
    format: Format,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct SessionSummary {
    uptime_seconds: f64,
    total_queries: u64,
    unique_agents: usize,
    node_count: u64,
    edge_count: u64,
    active_perspectives: usize,
    active_locks: usize,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct QueryShown {
    tool: &'static str,
    agent_id: String,
    timestamp_ms: i64,
    elapsed_ms: f64,
    /// Results that the answer held.
    result_count: u64,
    summary: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct BugRecord {
    /// antibody_match, tremor_spike, layer_violation or trust_deficit.
    category: &'static str,
    node_id: String,
    description: String,
    severity: f64,
    detected_at_ms: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct GraphEvolution {
    /// Net, since this process was first asked.
    nodes_added: u64,
    nodes_removed: u64,
    edges_added: u64,
    edges_removed: u64,
    ingestions: u64,
    learn_events: u64,
    apply_operations: u64,
    generation_start: u64,
    generation_current: u64,
}

/// Estimates by tool; see savings.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SavingsEstimate {
    tokens_saved: u64,
    cost_saved_usd: f64,
    file_reads_avoided: u64,
    lines_avoided: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    session_summary: SessionSummary,
    /// Newest last.
    queries_made: Vec<QueryShown>,
    bugs_found: Vec<BugRecord>,
    graph_evolution: GraphEvolution,
    savings: SavingsEstimate,
    /// Absent for json.
    #[serde(skip_serializing_if = "Option::is_none")]
    formatted: Option<String>,
    truncated: bool,
}

/// Anomalies that are named.
const MAX_BUGS: usize = 10;
/// Queries that the formatted report names.
const SHOWN: usize = 10;

impl Tool for Report {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "report",
        summary: "Session intelligence report: queries, bugs, graph evolution, and estimated savings.",
        help: "The last 1000 queries of this process are kept. bugs_found names files with three times the mean of defects, changes that speed up (0.5 or more), those that known bug patterns fit, and five edges or more against the layers, as they are now; see panoramic. \
            Nodes and edges added and removed are net, since this process was first asked.",
        intents: &["session report", "what was done", "summary of session"],
        needs: Needs::Nothing,
        budget: Some(8_000),
        lean: true,
        examples: &[Example { says: "As markdown", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let runtime = ctx.runtime();
        let view = ctx.workspace().ok().map(|workspace| workspace.view());
        let (nodes, edges, generation) =
            view.as_ref().map_or((0, 0, 0), |view| (view.node_count(), view.edge_count(), view.generation()));
        // Without a workspace nobody walks anywhere.
        let (walks, locks) = ctx.workspace().map_or(Ok((0, 0)), |_| navigate::open(ctx))?;
        let start = runtime.start();
        let (saved, by_tool) = runtime.saved();
        let count = |names: &[&str]| names.iter().filter_map(|name| by_tool.get(name)).sum::<u64>();
        let queries: Vec<QueryShown> = runtime.queries().into_iter().map(QueryShown::of).collect();
        let total = queries.len() as u64;
        let mut output = Output {
            session_summary: SessionSummary {
                uptime_seconds: round3(runtime.uptime().as_secs_f64()),
                total_queries: runtime.queries_total(),
                unique_agents: runtime.sessions().len(),
                node_count: nodes,
                edge_count: edges,
                active_perspectives: walks,
                active_locks: locks,
            },
            queries_made: queries,
            bugs_found: bugs(ctx)?,
            graph_evolution: GraphEvolution {
                nodes_added: nodes.saturating_sub(start.nodes),
                nodes_removed: start.nodes.saturating_sub(nodes),
                edges_added: edges.saturating_sub(start.edges),
                edges_removed: start.edges.saturating_sub(edges),
                ingestions: count(&["ingest"]),
                learn_events: count(&["learn"]),
                apply_operations: count(&["apply", "apply_batch", "edit_commit"]),
                generation_start: start.generation,
                generation_current: generation,
            },
            savings: SavingsEstimate {
                tokens_saved: saved.tokens_saved,
                cost_saved_usd: (saved.dollars() * 1_000_000.0).round() / 1_000_000.0,
                file_reads_avoided: saved.file_reads_avoided,
                lines_avoided: saved.lines_avoided,
            },
            formatted: None,
            truncated: false,
        };
        output.formatted = match input.format {
            Format::Json => None,
            Format::Markdown => Some(formatted(&output, &runtime.calls(), "## ", "- ")),
            Format::Text => Some(formatted(&output, &runtime.calls(), "", "  ")),
        };
        Ok(Answer::of(output).candidates(total))
    }
}

impl QueryShown {
    fn of(record: QueryRecord) -> Self {
        Self {
            tool: record.tool,
            agent_id: record.agent_id,
            timestamp_ms: record.timestamp_ms.0,
            elapsed_ms: round3(record.elapsed_ms),
            result_count: record.result_count,
            summary: record.summary,
        }
    }
}

/// What stands out now. A workspace without a graph has nothing to show.
fn bugs(ctx: &Ctx<'_>) -> Result<Vec<BugRecord>, Fault> {
    let Ok(workspace) = ctx.workspace() else { return Ok(Vec::new()) };
    let view = workspace.view();
    let Some(graph) = view.graph() else { return Ok(Vec::new()) };
    let known = ledger::of(ctx, graph)?;
    let findings = Findings {
        antibodies: immunity::by_file(ctx, graph)?.map(|found| found.counts),
        ..Findings::default()
    };
    let layers = workspace.layers(graph);
    let modules = panorama::panorama(graph, &known.ledger, &layers, &findings, |_| true);
    let now = ctx.runtime().clock().now().0;
    let mut bugs = Vec::new();
    for one in modules {
        let node_id = graph.node(one.node).id().to_owned();
        let mut bug = |category, description: String, severity: f64| {
            let severity = round3(severity);
            bugs.push(BugRecord {
                category,
                node_id: node_id.clone(),
                description,
                severity,
                detected_at_ms: now,
            });
        };
        if let Some(trust) = one.trust.filter(|&trust| trust <= 0.25) {
            bug("trust_deficit", "three times as many defects as the mean file".to_owned(), 1.0 - trust);
        }
        if let Some(tremor) = one.tremor.filter(|&tremor| tremor >= 0.5) {
            bug("tremor_spike", "its changes speed up".to_owned(), tremor);
        }
        if let Some(count) = one.antibodies.filter(|&count| count > 0) {
            let severity = (f64::from(count) / 3.0).min(1.0);
            bug("antibody_match", format!("known bug patterns fit it in {count} places"), severity);
        }
        if one.violations >= 5 {
            let severity = (f64::from(one.violations) / 10.0).min(1.0);
            bug("layer_violation", format!("{} edges go against the layers", one.violations), severity);
        }
    }
    bugs.sort_by(|a, b| b.severity.total_cmp(&a.severity).then_with(|| a.node_id.cmp(&b.node_id)));
    bugs.truncate(MAX_BUGS);
    Ok(bugs)
}

fn formatted(output: &Output, by_tool: &BTreeMap<&'static str, Calls>, head: &str, item: &str) -> String {
    let mut text = String::new();
    let session = &output.session_summary;
    let mut line = |said: String| {
        text.push_str(&said);
        text.push('\n');
    };
    line(format!("{head}Session"));
    line(format!(
        "{item}{} queries of {} agents in {:.0} s; {} nodes, {} edges",
        session.total_queries,
        session.unique_agents,
        session.uptime_seconds,
        session.node_count,
        session.edge_count
    ));
    let evolution = &output.graph_evolution;
    line(format!(
        "{item}generation {} to {}, {} ingests, {} lessons, {} edits",
        evolution.generation_start,
        evolution.generation_current,
        evolution.ingestions,
        evolution.learn_events,
        evolution.apply_operations
    ));
    if !by_tool.is_empty() {
        line(format!("{head}Tools"));
        let mut tools: Vec<(&&str, &Calls)> = by_tool.iter().collect();
        tools.sort_by(|a, b| b.1.all.cmp(&a.1.all).then_with(|| a.0.cmp(b.0)));
        let said = |calls: Calls| match calls.failed {
            0 => calls.all.to_string(),
            failed => format!("{} ({failed} failed)", calls.all),
        };
        for (tool, calls) in tools.iter().take(SHOWN) {
            line(format!("{item}{tool}: {}", said(**calls)));
        }
        let rest = tools.iter().skip(SHOWN).fold(Calls::default(), |sum, (_, calls)| Calls {
            all: sum.all + calls.all,
            failed: sum.failed + calls.failed,
        });
        if rest.all > 0 {
            line(format!("{item}{} other tools: {}", tools.len() - SHOWN, said(rest)));
        }
    }
    if !output.bugs_found.is_empty() {
        line(format!("{head}To look at"));
        for bug in &output.bugs_found {
            line(format!("{item}{} {}: {}", bug.category, bug.node_id, bug.description));
        }
    }
    line(format!("{head}Savings (estimated)"));
    line(format!(
        "{item}{} tokens, ${:.4}, {} file reads",
        output.savings.tokens_saved, output.savings.cost_saved_usd, output.savings.file_reads_avoided
    ));
    text
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        // The newest queries are last, and worth most.
        let mut oldest_first: Vec<QueryShown> = std::mem::take(&mut self.queries_made);
        oldest_first.reverse();
        let dropped = drop_tail(&mut oldest_first, excess);
        oldest_first.reverse();
        self.queries_made = oldest_first;
        dropped > 0 || drop_tail(&mut self.bugs_found, excess) > 0 || self.formatted.take().is_some()
    }
}
