//! `panoramic`: the risk of every file at once.

use std::collections::BTreeSet;

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::ledger::COLD_START;
use m1nd_risk::panorama::{self, Findings};
use m1nd_runtime::flows::ledger::{self, Known};
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::flows::{immunity, turbulence};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Panoramic;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File path prefix filter
    scope: Option<String>,
    /// Include recommendation text per module
    #[schemars(extend("default" = true))]
    include_recommendations: Option<bool>,
    /// Minimum combined risk to include (0.0-1.0)
    #[schemars(extend("default" = 0.0))]
    min_risk: Option<f64>,
    /// Max modules to return (1-1000)
    #[schemars(extend("default" = 100))]
    limit: Option<Int>,
}

/// One file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ModuleRisk {
    node_id: String,
    label: String,
    #[serde(rename = "type")]
    kind: &'static str,
    trust_score: f64,
    tremor_magnitude: f64,
    layer_violations: u32,
    turbulence: f64,
    antibody_matches: u32,
    combined_risk: f64,
    /// Fields of this module that nothing is known for, besides those that no module has data for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_data: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommendation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_path: Option<String>,
}

/// Something that wants a look first.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Alert {
    /// high_risk, trust_deficit, tremor_spike, layer_violation_cluster or antibody_critical.
    category: &'static str,
    description: String,
    affected_nodes: Vec<String>,
    severity: f64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// By combined_risk, highest first.
    modules: Vec<ModuleRisk>,
    /// 1 minus the mean of the highest tenth; absent where there is no module.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall_health: Option<f64>,
    critical_alerts: Vec<Alert>,
    /// Modules before min_risk and limit.
    total_scanned: u64,
    /// What there is no data for, and what would provide it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_data: Vec<String>,
    truncated: bool,
}

/// Files that an alert names where there is no room for all.
const NAMED: usize = 5;
/// Where nothing weighs.
const NO_ADVICE: &str = "Nothing known stands out.";

impl Tool for Panoramic {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "panoramic",
        summary: "Panoramic graph health overview: per-module risk scores combining trust, tremor, layer violations, antibodies, and turbulence.",
        help: "combined_risk = (1-trust) 0.30 + tremor 0.25 + violations/5 0.20 + turbulence 0.15 + antibodies/3 0.10, each part clamped to 0..1; overall_health = 1 - mean of the highest tenth. \
            trust, tremor and layers are those of the tools of these names; layer_violations counts upward edges that start in the file. A part without data counts as 0 (trust as 0.5) and is named in no_data: \
            trust and tremor need a git history, antibodies patterns kept with antibody_create, turbulence (the highest of flow_simulate in the file) Python, Go or Java, in at most 1500 files.",
        intents: &["risk overview", "health of codebase", "riskiest modules", "where are bugs likely"],
        needs: Needs::Graph,
        budget: Some(8_000),
        fresh: true,
        contract: true,
        lean: true,
        family: Family::Orient,
        examples: &[Example { says: "The whole workspace", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.clamp("limit", input.limit, 100, 1..=1_000);
        let least = input.min_risk.unwrap_or_default();
        if !(0.0..=1.0).contains(&least) {
            return Err(ctx.invalid("`min_risk` must be from 0 to 1."));
        }
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let scope = Scope::of(ctx, graph, input.scope.as_deref())?;
        let known = ledger::of(ctx, &at.graph)?;
        let within = |path: &str| scope.admits(path);
        let turbulent = turbulence::by_file(ctx, graph)?.map(|found| (*found).clone());
        let matches = immunity::by_file(ctx, graph)?;
        let critical = matches.as_ref().map(|found| found.critical.clone()).unwrap_or_default();
        let findings = Findings { antibodies: matches.map(|found| found.counts), turbulence: turbulent };
        let layers = ctx.workspace()?.layers(graph);
        let found = panorama::panorama(graph, &known.ledger, &layers, &findings, within);
        let health = panorama::health(&found);
        let alerts = alerts(graph, &found, &critical);
        let advise = input.include_recommendations.unwrap_or(true);
        let lacking = Lacking::of(&found);
        let risky = found.iter().filter(|one| round4(one.combined) >= least);
        let total = risky.clone().count();
        let modules: Vec<ModuleRisk> =
            risky.take(limit).map(|one| module(graph, one, advise, lacking)).collect();
        let no_data = lacks(&known, &findings, &found);
        let guidance = match modules.first() {
            Some(first) => Guidance::next("impact", first.node_id.clone(), "See what it reaches."),
            None if found.is_empty() => Guidance::hint("No file of code is in that scope."),
            None => Guidance::hint("No module reaches min_risk."),
        };
        let guidance = guidance.with_rest(
            modules.len(),
            total as u64,
            "a higher one (to 1000) shows more, `scope` or `min_risk` others",
        );
        let output = Output {
            truncated: total > modules.len(),
            modules,
            overall_health: health.map(round4),
            critical_alerts: alerts,
            total_scanned: found.len() as u64,
            no_data,
        };
        Ok(Answer::of(output)
            .candidates(total as u64)
            .proof(ProofState::Triaging)
            .next(guidance)
            .scope(input.scope))
    }
}

/// Which files are looked at.
enum Scope {
    Below(String),
    /// What begins so, where that is neither a file nor a folder.
    Prefix(String),
}

impl Scope {
    fn of(ctx: &Ctx<'_>, graph: &Graph, scope: Option<&str>) -> Result<Self, Fault> {
        let fault = match ctx.scope(scope) {
            Ok(scope) => return Ok(Self::Below(scope)),
            Err(fault) => fault,
        };
        let prefix = scope.and_then(|scope| ctx.workspace().ok()?.root().relative(scope).ok());
        let prefix = prefix.map(|path| path.as_str().to_owned());
        let is_there = |prefix: &String| graph.nodes().any(|node| node.path().starts_with(prefix.as_str()));
        prefix.filter(is_there).map(Self::Prefix).ok_or(fault)
    }

    fn admits(&self, path: &str) -> bool {
        match self {
            Self::Below(folder) => is_within(path, folder),
            Self::Prefix(prefix) => path.starts_with(prefix),
        }
    }
}

/// What no module has data for, and what would provide it.
fn lacks(known: &Known, findings: &Findings, found: &[panorama::ModuleRisk]) -> Vec<String> {
    let mut lacks = Vec::new();
    if found.is_empty() {
        lacks.push(
            "modules: no file of code is in that scope; code in a known language would provide them"
                .to_owned(),
        );
        return lacks;
    }
    let history = known.no_data().map(|why| why.trim_start_matches("no_data: ").trim_end_matches('.'));
    let past = |name: &str, otherwise: &str| format!("{name}: {}", history.unwrap_or(otherwise));
    if findings.turbulence.is_none() {
        lacks.push("turbulence: no file is in Python, Go or Java, or there are too many to read at once; flow_simulate looks at some".to_owned());
    }
    if findings.antibodies.is_none() {
        lacks.push("antibodies: no pattern of a bug is kept; antibody_create keeps one".to_owned());
    }
    if found.iter().all(|one| one.trust.is_none()) {
        lacks.push(past(
            "trust",
            "no commit says that it fixed one of these; commits that say so would provide it",
        ));
    }
    let assumed = found.iter().filter(|one| one.trust.is_none()).count();
    if (1..found.len()).contains(&assumed) {
        lacks.push(format!(
            "trust: {assumed} of {} modules have nothing on record, and {COLD_START} is assumed for them; trust tells of each, and commits that touch them would provide it",
            found.len()
        ));
    }
    if found.iter().all(|one| one.tremor.is_none()) {
        lacks.push(past("tremor", "no file has three changes on record; more commits would provide it"));
    }
    let untold = found.iter().filter(|one| one.tremor.is_none()).count();
    if (1..found.len()).contains(&untold) {
        lacks.push(format!(
            "tremor: {untold} of {} modules have fewer than three changes on record, and 0 is counted for them; more commits that touch them would provide it",
            found.len()
        ));
    }
    let Lacking { trust, tremor } = Lacking::of(found);
    if trust && tremor {
        let parts =
            [(findings.turbulence.is_some(), "turbulence"), (findings.antibodies.is_some(), "antibodies")];
        let known: Vec<&str> =
            parts.iter().filter(|(is_known, _)| *is_known).map(|(_, name)| *name).collect();
        let rests_on = ["layers"].into_iter().chain(known).collect::<Vec<&str>>().join(", ");
        lacks.push(format!(
            "overall_health, combined_risk: they rest on {rests_on} alone, with {COLD_START} assumed as everybody's trust; a history of commits would provide more"
        ));
    }
    lacks
}

/// What no module has data for.
#[derive(Clone, Copy)]
struct Lacking {
    trust: bool,
    tremor: bool,
}

impl Lacking {
    fn of(found: &[panorama::ModuleRisk]) -> Self {
        Self {
            trust: found.iter().all(|one| one.trust.is_none()),
            tremor: found.iter().all(|one| one.tremor.is_none()),
        }
    }
}

fn module(graph: &Graph, one: &panorama::ModuleRisk, advise: bool, lacking: Lacking) -> ModuleRisk {
    let node = graph.node(one.node);
    let fields = [
        ("trust_score", one.trust.is_none() && !lacking.trust),
        ("tremor_magnitude", one.tremor.is_none() && !lacking.tremor),
    ];
    ModuleRisk {
        node_id: node.id().to_owned(),
        label: node.label().to_owned(),
        kind: node.kind().name(),
        trust_score: round4(one.trust.unwrap_or(COLD_START)),
        tremor_magnitude: round4(one.tremor.unwrap_or_default()),
        layer_violations: one.violations,
        turbulence: round4(one.turbulence.unwrap_or_default()),
        antibody_matches: one.antibodies.unwrap_or_default(),
        combined_risk: round4(one.combined),
        no_data: fields.into_iter().filter(|(_, lacks)| *lacks).map(|(field, _)| field).collect(),
        recommendation: advise.then(|| advice(one).unwrap_or_else(|| NO_ADVICE.to_owned())),
        source_path: Some(node.path().to_owned()),
    }
}

/// What to do about what weighs most; nothing where nothing weighs.
fn advice(one: &panorama::ModuleRisk) -> Option<String> {
    if one.combined < 0.2 {
        return None;
    }
    // A file that is mended as often as the mean one has no past to be careful about.
    let mended = one.trust.filter(|trust| *trust < COLD_START);
    let against = format!("{} edges go against the layers: see layers.", one.violations);
    let parts = [
        (
            (f64::from(one.antibodies.unwrap_or_default()) / 3.0).min(1.0) * 0.10,
            "Looks like bugs confirmed before: see antibody_scan.",
        ),
        ((f64::from(one.violations) / 5.0).min(1.0) * 0.20, &against),
        (
            one.turbulence.unwrap_or_default().clamp(0.0, 1.0) * 0.15,
            "Shared state changes without a lock: see flow_simulate.",
        ),
        (
            one.tremor.unwrap_or_default().clamp(0.0, 1.0) * 0.25,
            "Its changes speed up: review them before more follow.",
        ),
        (
            mended.map_or(0.0, |trust| (COLD_START - trust) * 0.30),
            "Mended more often than the mean: add tests before changing it.",
        ),
    ];
    let most = parts.iter().filter(|(part, _)| *part > 0.0).max_by(|a, b| a.0.total_cmp(&b.0));
    most.map(|(_, said)| (*said).to_owned())
}

fn alerts(graph: &Graph, found: &[panorama::ModuleRisk], critical: &BTreeSet<NodeIx>) -> Vec<Alert> {
    let mut alerts = Vec::new();
    let mut alert = |category, what: &str, is_hit: &dyn Fn(&panorama::ModuleRisk) -> Option<f64>| {
        let mut hits: Vec<(&panorama::ModuleRisk, f64)> =
            found.iter().filter_map(|one| Some((one, is_hit(one)?))).collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.node.cmp(&b.0.node)));
        if let Some(&(_, worst)) = hits.first() {
            alerts.push(Alert {
                category,
                description: format!("{} {what}", hits.len()),
                affected_nodes: hits.iter().map(|(one, _)| graph.node(one.node).id().to_owned()).collect(),
                severity: round4(worst.clamp(0.0, 1.0)),
            });
        }
    };
    alert("high_risk", "modules have a combined risk of 0.5 or more", &|one| {
        (one.combined >= 0.5).then_some(one.combined)
    });
    alert("trust_deficit", "modules had at least three times as many defects as the mean", &|one| {
        one.trust.filter(|&trust| trust <= 0.25).map(|trust| 1.0 - trust)
    });
    alert("tremor_spike", "modules change much faster than before (magnitude 0.5 or more)", &|one| {
        one.tremor.filter(|&tremor| tremor >= 0.5)
    });
    alert("layer_violation_cluster", "modules have five edges or more against the layers", &|one| {
        (one.violations >= 5).then_some((f64::from(one.violations) / 10.0).min(1.0))
    });
    let what = "modules match a critical bug pattern, or known ones in three places or more";
    alert("antibody_critical", what, &|one| {
        let is_often = one.antibodies.is_some_and(|count| count >= 3);
        (is_often || critical.contains(&one.node)).then_some(1.0)
    });
    alerts
}

impl Alert {
    /// Keeps the worst of many, and says so.
    fn name_fewer(&mut self) -> bool {
        let is_long = self.affected_nodes.len() > NAMED;
        if is_long {
            self.affected_nodes.truncate(NAMED);
            self.description.push_str(&format!("; the worst {NAMED} are named"));
        }
        is_long
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        self.critical_alerts.iter_mut().map(Alert::name_fewer).fold(false, |any, cut| any | cut)
            || drop_tail(&mut self.modules, excess) > 0
            || drop_tail(&mut self.critical_alerts, excess) > 0
            || drop_tail(&mut self.no_data, excess) > 0
    }
}
