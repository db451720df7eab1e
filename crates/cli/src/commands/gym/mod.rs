//! `m1nd gym`: agents with fixed policies play missions on small repositories, through the real runtime, and are counted.
//!
//! No model takes part: the agents are programs, so that what changes from one build to the next is m1nd.

mod games;
mod hunter;
mod score;
mod seat;
mod world;

use std::process::ExitCode;

use m1nd_runtime::Machine;
use serde_json::json;

use crate::output::Reader;
use hunter::{Begin, Hunt, Hunter, Manner};
use score::{Check, Row, Score};
pub(super) use seat::{Seat, runtime};
use world::{REPOSITORIES, Repository};

pub fn run(json: bool) -> anyhow::Result<ExitCode> {
    let score = play()?;
    let checks = score.checks();
    let holds = checks.iter().all(|check| check.holds);
    match Reader::of(json) {
        Reader::Program => anstream::println!("{}", json!({ "ok": holds, "checks": checks, "score": score })),
        Reader::Person => show(&score, &checks),
    }
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn play() -> anyhow::Result<Score> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path().canonicalize()?;
    let mut score = Score::default();
    for (at, repository) in REPOSITORIES.iter().enumerate() {
        hunts(&dir, repository, &mut score)?;
        let bound = dir.join("games").join(repository.name);
        let neighbour = &REPOSITORIES[(at + 1) % REPOSITORIES.len()];
        repository.lay_out(&bound)?;
        // Beside each other, so that a path can climb from one to the other.
        let beside = dir.join("games").join(format!("{}-neighbour", repository.name));
        neighbour.lay_out(&beside)?;
        let on = runtime(&dir.join("home").join(repository.name), &bound, Machine::default(), None)?;
        Seat::new(&on, "setup").must("ingest", json!({}))?;
        score.add_careless(games::careless(&on, repository)?);
        let (drift, wrong, closed) = games::drift(&on, repository)?;
        anyhow::ensure!(closed, "the drift hunt on {} could not be closed", repository.name);
        score.drift.join(drift);
        score.drift_false_alarms += wrong;
        let (circles, false_circles) = games::circles(&on, repository)?;
        score.circles.join(circles);
        score.circle_false_alarms += false_circles;
        let mixed = games::mixed_up(&dir.join("links").join(repository.name), &on, &bound, &beside)?;
        score.workspace.join(mixed.0);
        score.workspace_false_alarms += mixed.1;
        score.astray.join(mixed.2);
        score.outdated.join(games::outdated(&on, &bound, repository)?);
        score.dead_ends.join(games::dead_ends(&on, repository)?);
    }
    let (hosts, false_hosts) = games::hosts(&dir, &REPOSITORIES[0])?;
    score.hosts.join(hosts);
    score.host_false_alarms += false_hosts;
    Ok(score)
}

/// Each hunt has a runtime of its own, so that nobody learns from another but by a hand-off.
fn hunts(dir: &std::path::Path, repository: &Repository, score: &mut Score) -> anyhow::Result<()> {
    let planted = repository.planted.len();
    let at = |agent: &'static str| (repository.name, repository.language, agent);
    let place = |agent: &str| dir.join("hunts").join(repository.name).join(agent);
    let alone = |agent: &'static str, manner: Manner| -> anyhow::Result<Hunt> {
        let workspace = place(agent).join("ws");
        repository.lay_out(&workspace)?;
        let on = runtime(&place(agent).join("home"), &workspace, Machine::default(), None)?;
        Seat::new(&on, "setup").must("ingest", json!({}))?;
        Hunter::new(Seat::new(&on, agent), repository, manner).play(Begin::Fresh, None)
    };
    let direct = alone("direct", Manner::Direct)?;
    score.hunts.push(Row::of(at("direct"), planted, &direct, 0));
    let guided = alone("guided", Manner::Guided)?;
    score.hunts.push(Row::of(at("guided"), planted, &guided, 0));

    // One agent does half of the work and hands over; one goes on from there, and one begins anew beside it.
    let workspace = place("handoff").join("ws");
    repository.lay_out(&workspace)?;
    let on = runtime(&place("handoff").join("home"), &workspace, Machine::default(), None)?;
    Seat::new(&on, "setup").must("ingest", json!({}))?;
    let half = Some(guided.calls / 2);
    let first =
        Hunter::new(Seat::new(&on, "first_half"), repository, Manner::Guided).play(Begin::Fresh, half)?;
    anyhow::ensure!(
        first.handoff.is_object(),
        "the first half on {} ended before it handed over",
        repository.name
    );
    score.handoff_bytes.push(first.handoff.to_string().len() as u64);
    score.hunts.push(Row::of(at("first_half"), planted, &first, 0));
    let dead_again = |hunt: &Hunt| hunt.files_read.intersection(&first.dead_paths).count() as u64;
    let mut seat = Seat::new(&on, "resumed");
    seat.searched = first.searched.clone();
    let resumed = Hunter::new(seat, repository, Manner::Guided).play(Begin::Handoff(&first.handoff), None)?;
    score.hunts.push(Row::of(at("resumed"), planted, &resumed, dead_again(&resumed)));
    let mut seat = Seat::new(&on, "second_fresh");
    seat.searched = first.searched.clone();
    let again = Hunter::new(seat, repository, Manner::Guided).play(Begin::Fresh, None)?;
    score.hunts.push(Row::of(at("second_fresh"), planted, &again, dead_again(&again)));
    Ok(())
}

fn show(score: &Score, checks: &[Check]) {
    anstream::println!(
        "{:<9} {:<13} {:>5} {:>6} {:>10} {:>7} {:>6} {:>9} {:>10} {:>9} {:>6}",
        "repo",
        "agent",
        "found",
        "calls",
        "first after",
        "direct",
        "graph",
        "repeated",
        "dead again",
        "rejected",
        "closed"
    );
    for row in &score.hunts {
        let first = row.first_finding_calls.map_or_else(|| "-".to_owned(), |calls| calls.to_string());
        anstream::println!(
            "{:<9} {:<13} {:>5} {:>6} {:>11} {:>7} {:>6} {:>9} {:>10} {:>9} {:>6}",
            row.repository,
            row.agent,
            format!("{}/{}", row.found, row.planted),
            row.calls,
            first,
            row.direct_evidence,
            row.graph_calls,
            row.repeated_searches,
            row.repeated_dead_paths,
            format!("{}/{}", row.claims_rejected, row.claims_judged),
            if row.closed { "yes" } else { "no" }
        );
    }
    for check in checks {
        anstream::println!("{}  {}", if check.holds { "holds " } else { "BROKEN" }, check.says);
    }
}
