//! Metrics: sizes, couplings and history, file by file or folder by folder.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::Graph;
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::Serialize;

use super::survey::{FileRow, Survey, is_within};

/// What rows are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    File,
    Folder,
}

/// What rows are ordered by, largest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Lines,
    FanIn,
    FanOut,
    Commits,
    LongestFunction,
}

/// One file or folder.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)]
pub struct Row {
    /// Its path.
    path: String,
    /// Lines.
    lines: u64,
    /// Functions and methods, without tests.
    functions: u64,
    /// Types.
    types: u64,
    /// Test functions.
    #[serde(skip_serializing_if = "is_zero")]
    tests: u64,
    /// Other files that depend on it, by certain edges.
    fan_in: u64,
    /// Other files it depends on.
    fan_out: u64,
    /// fan_out / (fan_in + fan_out): 0 is relied upon, 1 relies on others.
    #[serde(skip_serializing_if = "Option::is_none")]
    instability: Option<f64>,
    /// Lines of its longest function.
    longest_function: u64,
    /// Share of functions and types with a doc comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    documented: Option<f64>,
    /// Commits that changed it, of those that were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Rows below a scope, ordered, and what they add up to.
#[derive(Clone, Debug)]
pub struct Metrics {
    pub totals: Row,
    pub files: u64,
    pub rows: Vec<Row>,
}

pub fn run(graph: &Graph, scope: &str, by: By, order: Order) -> Metrics {
    let survey = Survey::of(graph);
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut all = Vec::new();
    for (at, file) in survey.files.iter().enumerate() {
        if !is_within(file.path(), scope) || file.node.language().is_empty() {
            continue;
        }
        let name = match by {
            By::File => file.path(),
            By::Folder => file.path().rsplit_once('/').map_or(".", |(folder, _)| folder),
        };
        groups.entry(name).or_default().push(at);
        all.push(at);
    }
    let mut rows: Vec<Row> = groups.iter().map(|(name, files)| row(&survey, name, files)).collect();
    let key = |row: &Row| match order {
        Order::Lines => row.lines,
        Order::FanIn => row.fan_in,
        Order::FanOut => row.fan_out,
        Order::Commits => row.commits.unwrap_or_default(),
        Order::LongestFunction => row.longest_function,
    };
    rows.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| a.path.cmp(&b.path)));
    let name = if scope.is_empty() { "." } else { scope };
    Metrics { totals: row(&survey, name, &all), files: all.len() as u64, rows }
}

fn row(survey: &Survey<'_>, path: &str, members: &[usize]) -> Row {
    let inside: BTreeSet<usize> = members.iter().copied().collect();
    let files = || members.iter().map(|&at| &survey.files[at]);
    let sum = |pick: fn(&FileRow<'_>) -> u32| files().map(|file| u64::from(pick(file))).sum::<u64>();
    let certain = |file: &FileRow<'_>| -> Vec<usize> {
        let certain = file.uses.iter().filter(|(_, to)| to.inferred < to.relations);
        certain.map(|(&to, _)| to as usize).collect()
    };
    let fan_out: BTreeSet<usize> = files().flat_map(certain).filter(|to| !inside.contains(to)).collect();
    let users = files().flat_map(|file| file.users.iter().map(|&at| at as usize));
    let fan_in: BTreeSet<usize> = users.filter(|at| !inside.contains(at)).collect();
    let fan_in = fan_in.len() as u64;
    let (functions, types, tests) =
        (sum(|file| file.functions), sum(|file| file.types), sum(|file| file.tests));
    let fan_out = fan_out.len() as u64;
    let share = |part: u64, whole: u64| (whole > 0).then(|| round4(part as f64 / whole as f64));
    let commits: Vec<u64> =
        files().filter_map(|file| Some(u64::from(file.node.history()?.commits))).collect();
    Row {
        path: path.to_owned(),
        lines: sum(|file| file.lines()),
        functions,
        types,
        tests,
        fan_in,
        fan_out,
        instability: share(fan_out, fan_in + fan_out),
        longest_function: files()
            .filter_map(|file| file.longest)
            .map(|(lines, _)| u64::from(lines))
            .max()
            .unwrap_or(0),
        documented: share(sum(|file| file.documented), functions + types + tests),
        // One commit that changes several files of a folder is counted for each, so folders have no number.
        commits: match (members, commits.as_slice()) {
            ([_], [only]) => Some(*only),
            _ => None,
        },
    }
}
