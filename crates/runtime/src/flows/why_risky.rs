//! Why risky: every factor of a file's risk with its number, and what the number is made of.

use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::layers::{Breach, Layers};
use m1nd_risk::ledger::COLD_START;
use m1nd_risk::panorama::{self, Findings, ModuleRisk};
use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::Serialize;

use super::layering::{self, ViolationShown};
use super::ledger::Known;
use super::{immunity, ledger, turbulence};
use crate::ctx::Ctx;

/// A commit that mended the file.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// Day, UTC.
    pub date: String,
    /// First line of its message.
    pub subject: String,
}

/// A pattern of a confirmed bug that fits something in the file.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Match {
    pub antibody_id: String,
    pub name: String,
    /// The first node that it fits.
    pub node_id: String,
    /// Nodes of the file that it fits.
    pub places: u32,
}

/// One part of combined_risk.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Factor {
    /// trust, tremor, layers, turbulence or antibodies.
    pub factor: &'static str,
    /// What was measured; missing where there is no data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What it adds to combined_risk.
    pub adds: f64,
    /// The most that it can add.
    pub of: f64,
    /// How the value comes about, or what would provide it.
    pub because: String,
}

/// All that is known of one file's risk.
#[derive(Debug)]
pub struct Why {
    pub file: NodeIx,
    pub combined: f64,
    /// 1 for the riskiest file of all.
    pub rank: usize,
    pub files: usize,
    /// What adds most first.
    pub factors: Vec<Factor>,
    /// Newest first.
    pub fixes: Vec<Fix>,
    pub violations: Vec<ViolationShown>,
    pub matches: Vec<Match>,
}

/// Nothing where the file is none of the program's.
pub fn of(ctx: &Ctx<'_>, graph: &Arc<Graph>, file: NodeIx) -> Result<Option<Why>, Fault> {
    let known = ledger::of(ctx, graph)?;
    let antibodies = immunity::all(ctx)?;
    let scan = immunity::scan(ctx, graph, &antibodies)?;
    let counts = (!antibodies.is_empty()).then(|| immunity::count(graph, &scan));
    let flow = turbulence::by_file(ctx, graph)?.map(|found| (*found).clone());
    let findings = Findings { turbulence: flow, antibodies: counts };
    let layers = ctx.workspace()?.layers(graph);
    let modules = panorama::panorama(graph, &known.ledger, &layers, &findings, |_| true);
    let Some(rank) = modules.iter().position(|one| one.node == file) else { return Ok(None) };
    let path = graph.node(file).path();
    let past = ctx.past()?;
    let mut fixes = Vec::new();
    for (nth, entry) in past.log.entries.iter().enumerate() {
        let subject = entry.message.lines().next().unwrap_or_default();
        if ledger::mends(&past, nth) && entry.files.iter().any(|changed| changed == path) {
            fixes.push(Fix { date: day(entry.time), subject: subject.to_owned() });
        }
    }
    let mut matches: Vec<Match> = Vec::new();
    for hit in scan.hits.iter().filter(|hit| graph.node(hit.node).path() == path) {
        match matches.iter_mut().find(|one| one.antibody_id == hit.antibody.id) {
            Some(known) => known.places += 1,
            None => matches.push(Match {
                antibody_id: hit.antibody.id.clone(),
                name: hit.antibody.name.clone(),
                node_id: graph.node(hit.node).id().to_owned(),
                places: 1,
            }),
        }
    }
    let own = layers.violations.iter().filter(|one| one.from == file && one.breach == Breach::Upward);
    let is_test = ledger::is_test(graph, path);
    let mut factors = vec![
        trust(&known, path, is_test),
        tremor(&known, path, is_test),
        layer(&modules[rank], &layers),
        turbulent(&modules[rank]),
        immune(&modules[rank], antibodies.len()),
    ];
    factors.sort_by(|a, b| b.adds.total_cmp(&a.adds));
    Ok(Some(Why {
        file,
        combined: round4(modules[rank].combined),
        rank: rank + 1,
        files: modules.len(),
        factors,
        fixes,
        violations: own.map(|one| layering::violation(graph, one)).collect(),
        matches,
    }))
}

/// Why there is no past of a test.
const TESTS: &str = "no_data: the past of tests is left out; what a fix changes there was no defect";

fn trust(known: &Known, path: &str, is_test: bool) -> Factor {
    let (ledger, commits) = (&known.ledger, known.commits);
    let found = ledger.trust(path).zip(ledger.record(path));
    let because = match &found {
        Some((trust, record)) => format!(
            "{} of its {} commits mended something{}, {:.2} by recency: {:.2} times the mean file of its age (at most 3); \
             trust is 1/(1+that)",
            record.fixes,
            record.changes,
            if record.told > 0 {
                format!(" and {} defects were told of", record.told)
            } else {
                String::new()
            },
            record.weight,
            trust.multiplier
        ),
        None if is_test => TESTS.to_owned(),
        None if commits == 0 => "no_data: there is no git history; the mean is assumed".to_owned(),
        None => format!("no_data: none of {commits} commits says anything of it; the mean is assumed"),
    };
    let score = found.map(|(trust, _)| trust.score);
    let adds = (1.0 - score.unwrap_or(COLD_START)) * 0.30;
    Factor { factor: "trust", value: score.map(round4), adds: round4(adds), of: 0.30, because }
}

fn tremor(known: &Known, path: &str, is_test: bool) -> Factor {
    let found = known.ledger.tremor(path);
    let because = match &found {
        Some(tremor) => {
            let [oldest, middle, newest] = tremor.counts;
            format!(
                "{oldest}, {middle}, {newest} changes in the last three times 30 days: {}",
                tremor.trend()
            )
        }
        None if is_test => TESTS.to_owned(),
        None => "no_data: fewer than three changes of it are known".to_owned(),
    };
    let magnitude = found.map(|tremor| tremor.magnitude);
    let adds = magnitude.unwrap_or_default().clamp(0.0, 1.0) * 0.25;
    Factor { factor: "tremor", value: magnitude.map(round4), adds: round4(adds), of: 0.25, because }
}

fn layer(module: &ModuleRisk, layers: &Layers) -> Factor {
    let because = match (module.violations, layers.of(module.node)) {
        (0, Some(level)) => format!("on layer {level}, and nothing in it goes upward"),
        (0, None) => "it stands in no layer: a utility, a test, or without dependencies".to_owned(),
        (count, _) => format!("{count} edges of it go upward, against the layers; five or more count fully"),
    };
    let adds = (f64::from(module.violations) / 5.0).min(1.0) * 0.20;
    let value = Some(f64::from(module.violations));
    Factor { factor: "layers", value, adds: round4(adds), of: 0.20, because }
}

fn turbulent(module: &ModuleRisk) -> Factor {
    let because = match module.turbulence {
        None => {
            "no_data: no file is in Python, Go or Java, or there are too many to read at once; see flow_simulate"
        }
        Some(value) if value > 0.0 => {
            "it changes shared state on several ways without a lock; see flow_simulate"
        }
        Some(_) => "no change of shared state without a lock is known in it",
    };
    let adds = module.turbulence.unwrap_or_default().clamp(0.0, 1.0) * 0.15;
    Factor {
        factor: "turbulence",
        value: module.turbulence.map(round4),
        adds: round4(adds),
        of: 0.15,
        because: because.to_owned(),
    }
}

fn immune(module: &ModuleRisk, kept: usize) -> Factor {
    let because = match (kept, module.antibodies) {
        (0, _) => "no_data: no antibody was kept; antibody_create keeps one".to_owned(),
        (_, Some(0) | None) => format!("none of {kept} known bug patterns fits anything in it"),
        (_, Some(1)) => format!("1 place in it fits one of {kept} known bug patterns; three count fully"),
        (_, Some(count)) => {
            format!("{count} places in it fit one of {kept} known bug patterns; three count fully")
        }
    };
    let adds = (f64::from(module.antibodies.unwrap_or_default()) / 3.0).min(1.0) * 0.10;
    let value = module.antibodies.map(f64::from);
    Factor { factor: "antibodies", value, adds: round4(adds), of: 0.10, because }
}

/// A day of the calendar, UTC.
fn day(time: UnixMs) -> String {
    let days = time.0.div_euclid(86_400_000);
    // Years are counted from March, so that the odd day is the last; 146,097 days are 400 years.
    let since = days + 719_468;
    let (era, of_era) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let of = |seconds: i64| day(UnixMs(seconds * 1_000));
        assert_eq!([of(0), of(951_782_400), of(1_709_164_800)], ["1970-01-01", "2000-02-29", "2024-02-29"]);
        assert_eq!([of(-1), of(1_735_689_599)], ["1969-12-31", "2024-12-31"]);
    }
}
