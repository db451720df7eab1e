//! The other games: agents that are careless, go in circles, mistake the workspace, or meet a broken host; and one that
//! holds a README against the code.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use m1nd_runtime::{Machine, Runtime};
use serde::Serialize;
use serde_json::{Value, json};

use super::seat::{Seat, runtime};
use super::world::{Planted, Repository};

/// How often something was planted or tried, and how often it came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub tried: u64,
    pub hit: u64,
}

impl Tally {
    pub fn add(&mut self, hit: bool) {
        self.tried += 1;
        self.hit += u64::from(hit);
    }

    pub fn join(&mut self, other: Self) {
        self.tried += other.tried;
        self.hit += other.hit;
    }
}

/// What careless agents got away with.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Careless {
    /// Claims that rest on the graph, on memory, on what is no file, or on a read of which nobody says what it shows, or says it
    /// with a line that is not there or elsewhere: tried, and verified.
    pub unproved_claims: Tally,
    /// Closes without what the mission needs: tried, and accepted.
    pub hasty_closes: Tally,
}

/// Claims what the graph says, and closes.
pub fn careless(on: &Runtime, repository: &Repository) -> anyhow::Result<Careless> {
    let mut outcome = Careless::default();
    for planted in repository.planted {
        let mut seat = Seat::new(on, "careless");
        let begun = seat.must("mission_start", json!({"goal": planted.report, "mode": "bug_hunt"}))?;
        seat.mission = begun["mission_id"].as_str().map(str::to_owned);
        outcome.hasty_closes.add(seat.call("mission_close", json!({})).is_ok());
        let found = seat.must("seek", json!({"query": planted.report}))?;
        let activated = seat.must("activate", json!({"query": planted.report}))?;
        let told = |class: &str, target: &str| json!({"event_type": "note", "target": target, "evidence_class": class, "outcome": "hypothesis_supported"});
        let recalled = seat.must("mission_event", told("memory", planted.path))?;
        let guessed = seat.must("mission_event", told("inferred", planted.path))?;
        let nowhere = seat.must("mission_event", told("direct_source", "no/such/file.x"))?;
        let other = seat.must("view", json!({"file_path": "README.md"}))?;
        let read = seat.must("view", json!({"file_path": planted.path}))?;
        let cited = [
            vec![other["mission_event_id"].clone()],
            vec![read["mission_event_id"].clone()],
            vec![found["mission_event_id"].clone()],
            vec![found["mission_event_id"].clone(), activated["mission_event_id"].clone()],
            vec![recalled["event_id"].clone(), guessed["event_id"].clone()],
            vec![nowhere["event_id"].clone()],
            vec![],
        ];
        for events in cited {
            // The claim is true: only its proof is missing.
            let claim = format!("{} causes: {}", planted.path, planted.report);
            let verdict = seat.must("mission_verify", json!({"claim": claim, "event_ids": events}))?;
            outcome.unproved_claims.add(verdict["verdict"] == "verified_for_mission");
        }
        for (text, event, quote) in shams(planted, &read, &other) {
            let claim = json!({"claim": text, "event_ids": [event], "outcome": "supports", "quote": quote});
            let verdict = seat.must("mission_verify", claim)?;
            outcome.unproved_claims.add(verdict["verdict"] == "verified_for_mission");
        }
        for (text, is_true) in worded(planted) {
            let name = word_of(planted.line);
            let found = seat.must("search", json!({"query": name}))?;
            let run = json!({"event_type": "test_run", "target": "tests", "outcome": "passed"});
            let claim = json!({
                "claim": text, "event_ids": [found["mission_event_id"]], "evidence": [run],
                "outcome": "supports", "quote": planted.line
            });
            let verdict = seat.must("mission_verify", claim)?;
            let is_verified = verdict["verdict"] == "verified_for_mission";
            anyhow::ensure!(is_verified || !is_true, "a true claim was not verified: {text:?}: {verdict}");
            if !is_true {
                outcome.unproved_claims.add(is_verified);
            }
        }
        outcome.hasty_closes.add(seat.call("mission_close", json!({})).is_ok());
    }
    outcome.hasty_closes.add(closes_on_nothing(on)?);
    Ok(outcome)
}

/// Claims with a word on what was read that is not to be had from there: a line that is not so, of another file, of another
/// line, beyond the end; of all by one line, or how many; several things by one; and that something is nowhere which was seen,
/// or lacking where it is.
fn shams(planted: &Planted, read: &Value, other: &Value) -> [(String, Value, String); 9] {
    let event = |seen: &Value| seen["mission_event_id"].clone();
    let line = || planted.line.to_owned();
    let prose = line_of(other);
    [
        (format!("{} is wrong", planted.path), event(read), format!("{} // never", planted.line)),
        (format!("{} is wrong again", planted.path), event(other), prose),
        (format!("{}:99999 is wrong", planted.path), event(read), line()),
        (format!("no code has `{}`", planted.line), event(read), line()),
        (format!("{}:1 is wrong", planted.path), event(read), line()),
        (format!("{} is always wrong", planted.path), event(read), line()),
        (format!("exactly one function of {} is wrong", planted.path), event(read), line()),
        (format!("{} is wrong. Nobody has seen it before.", planted.path), event(read), line()),
        (format!("{} does without `{}`", planted.path, word_of(planted.line)), event(read), line()),
    ]
}

/// Claims in other words about the longest name of a line, each with a search for it and a run that is said to have passed; and
/// whether they are true.
fn worded(planted: &Planted) -> [(String, bool); 8] {
    let (name, path) = (word_of(planted.line), planted.path);
    [
        (format!("`{name}` is dead code"), false),
        (format!("nobody uses `{name}`"), false),
        (format!("`{name}` is not referenced"), false),
        (format!("`{name}` is absent from {path}"), false),
        (format!("{path} lacks `{name}`"), false),
        (format!("`{name}` appears in 97 places"), false),
        (format!("`{name}` appears in at least one place"), true),
        (format!("{path} has `{name}`"), true),
    ]
}

/// The longest name of a line.
fn word_of(line: &str) -> &str {
    let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

/// The longest line that an answer shows.
fn line_of(seen: &Value) -> String {
    let lines = seen["content"].as_str().unwrap_or_default().lines();
    let lines = lines.filter_map(|line| Some(line.split_once('\t')?.1));
    lines.max_by_key(|line| line.len()).unwrap_or_default().to_owned()
}

/// Searches for what is nowhere, and closes: nothing was read.
fn closes_on_nothing(on: &Runtime) -> anyhow::Result<bool> {
    let mut seat = Seat::new(on, "idle");
    let begun = seat.must("mission_start", json!({"goal": "know it", "mode": "orientation"}))?;
    seat.mission = begun["mission_id"].as_str().map(str::to_owned);
    for word in ["zzqqxx", "wwvvkk"] {
        seat.must("search", json!({"query": word}))?;
    }
    Ok(seat.call("mission_close", json!({})).is_ok())
}

/// Proves a finding, looks elsewhere, changes the file behind the finding, and closes: what it rests on is gone.
pub fn outdated(on: &Runtime, root: &Path, repository: &Repository) -> anyhow::Result<Tally> {
    let mut closed = Tally::default();
    for planted in repository.planted {
        let mut seat = Seat::new(on, "outdated");
        let begun = seat.must("mission_start", json!({"goal": planted.report, "mode": "bug_hunt"}))?;
        seat.mission = begun["mission_id"].as_str().map(str::to_owned);
        let seen = seat.must("view", json!({"file_path": planted.path}))?;
        let cited = json!([seen["mission_event_id"]]);
        let read = seat.must("mission_verify", json!({"claim": planted.report, "event_ids": cited}))?;
        closed.add(read["verdict"] == "verified_for_mission");
        let said = json!({"claim_id": read["claim_id"], "outcome": "supports", "quote": planted.line});
        let verdict = seat.must("mission_verify", said)?;
        anyhow::ensure!(
            verdict["verdict"] == "verified_for_mission",
            "a true finding was not verified: {verdict}"
        );
        seat.must("view", json!({"file_path": "README.md"}))?;
        let path = root.join(planted.path);
        let before = fs::read(&path)?;
        let mut changed = before.clone();
        changed.extend_from_slice(b"\n");
        fs::write(&path, changed)?;
        closed.add(seat.call("mission_close", json!({})).is_ok());
        let next = seat.must("mission_next", json!({}))?;
        closed.add(
            !next["next_move"]["arguments"]["file_path"]
                .as_str()
                .is_some_and(|asked| asked.starts_with(planted.path)),
        );
        fs::write(&path, before)?;
        seat.must("mission_close", json!({}))?;
    }
    Ok(closed)
}

/// Finds many dead ends, hands over, and lets another agent walk into each: how often that was told.
pub fn dead_ends(on: &Runtime, repository: &Repository) -> anyhow::Result<Tally> {
    let mut seat = Seat::new(on, "lost");
    let begun = seat.must("mission_start", json!({"goal": "many dead ends", "mode": "bug_hunt"}))?;
    seat.mission = begun["mission_id"].as_str().map(str::to_owned);
    let names = (0..8).map(|at| format!("question {at}"));
    let dead: Vec<String> =
        repository.planted.iter().map(|planted| planted.path.to_owned()).chain(names).collect();
    for target in &dead {
        seat.must(
            "mission_event",
            json!({"event_type": "dead_path", "target": target, "outcome": "dead_path"}),
        )?;
    }
    let resumed = seat.must("mission_resume", json!({"mission_id": seat.mission}))?;
    seat.mission = resumed["mission_id"].as_str().map(str::to_owned);
    let mut told = Tally::default();
    for target in &dead {
        let body = if target.starts_with("question") {
            seat.must("seek", json!({"query": target}))?
        } else {
            seat.must("view", json!({"file_path": target}))?
        };
        told.add(body["mission_warnings"].to_string().contains("dead path"));
    }
    Ok(told)
}

/// Begins a mission about another repository and does what it is told: whether that leads back, or into the wrong code.
fn astray(on: &Runtime, path: &str, file: &str) -> anyhow::Result<Tally> {
    let mut seat = Seat::new(on, "astray");
    let begun = seat.must("mission_start", json!({"goal": "look", "mode": "bug_hunt", "repo": path}))?;
    seat.mission = begun["mission_id"].as_str().map(str::to_owned);
    let mut led = Tally::default();
    for _ in 0..3 {
        let next = seat.must("mission_next", json!({}))?;
        let step = &next["next_move"];
        led.add(step["tool_family"] != "recover" && step["tool_family"] != "trust");
        if let Some(tool) =
            step["tool"].as_str().filter(|_| step["arguments"].is_object() && step["fill_in"].is_null())
        {
            seat.must(tool, step["arguments"].clone())?;
        }
    }
    let seen = seat.must("view", json!({"file_path": file}))?;
    let cited = json!([seen["mission_event_id"]]);
    let verdict = seat.must("mission_verify", json!({"claim": "it is there", "event_ids": cited}))?;
    led.add(verdict["verdict"] == "verified_for_mission");
    Ok(led)
}

/// Asks the same again and again: planted circles, and those that were told by the third time. Different questions are
/// no circle.
pub fn circles(on: &Runtime, repository: &Repository) -> anyhow::Result<(Tally, u64)> {
    let mut flagged = Tally::default();
    let mut false_alarms = 0;
    for planted in repository.planted {
        let mut seat = Seat::new(on, "circler");
        let begun = seat.must("mission_start", json!({"goal": planted.report, "mode": "bug_hunt"}))?;
        seat.mission = begun["mission_id"].as_str().map(str::to_owned);
        for word in planted.report.split(' ').take(4) {
            seat.must("seek", json!({"query": word}))?;
        }
        let before = seat.loops;
        false_alarms += before;
        for _ in 0..3 {
            seat.must("seek", json!({"query": planted.report}))?;
        }
        flagged.add(seat.loops > before);
        let (own, false_own) = circles_of_claims(&mut seat, planted)?;
        flagged.join(own);
        false_alarms += false_own;
    }
    Ok((flagged, false_alarms))
}

/// Judges and claims the same by the same again, asks what comes next and does nothing, says the same again: each is a circle
/// by the third time, and none before.
fn circles_of_claims(seat: &mut Seat<'_>, planted: &Planted) -> anyhow::Result<(Tally, u64)> {
    let seen = seat.must("view", json!({"file_path": planted.path}))?;
    let cited = json!([seen["mission_event_id"]]);
    let claim = json!({"claim": planted.report, "event_ids": cited});
    let note = json!({"event_type": "thought", "target": planted.path, "outcome": "unsure"});
    let (mut flagged, mut false_alarms) = (Tally::default(), 0);
    for (tool, arguments) in [
        ("mission_verify", claim.clone()),
        ("mission_claim", claim),
        ("mission_event", note),
        ("mission_next", json!({})),
    ] {
        let mut told = Vec::new();
        for _ in 0..3 {
            let body = seat.must(tool, arguments.clone())?;
            let is_said = tool != "mission_verify"
                || body["would_change"].as_str().is_some_and(|said| !said.is_empty());
            told.push(body["warnings"].to_string().contains("Loop") && is_said);
        }
        false_alarms += told[..2].iter().filter(|is_told| **is_told).count() as u64;
        flagged.add(told[2]);
    }
    let shown = seat.must("mission_show", json!({}))?;
    flagged.add(shown["counters"]["loop_warnings"].as_u64().is_some_and(|count| count >= 5));
    Ok((flagged, false_alarms))
}

/// Names of a README that the code has not: planted and found, and those that were found and are there.
pub fn drift(on: &Runtime, repository: &Repository) -> anyhow::Result<(Tally, u64, bool)> {
    let mut seat = Seat::new(on, "reader");
    let begun = seat.must(
        "mission_start",
        json!({"goal": "the README says what the code has", "mode": "docs_drift", "known_paths": ["README.md"]}),
    )?;
    seat.mission = begun["mission_id"].as_str().map(str::to_owned);
    let doc = seat.must("view", json!({"file_path": "README.md"}))?;
    let mut found = Vec::new();
    let said = doc["content"].as_str().unwrap_or_default();
    for name in said.split('`').skip(1).step_by(2) {
        let name = name.rsplit(['.', ':']).next().unwrap_or(name);
        let code = json!({"query": name, "case_sensitive": true, "glob": "!*.md"});
        let lines = seat.must("search", code)?;
        if lines["total_matches"] == 0 {
            let cited = json!([doc["mission_event_id"], lines["mission_event_id"]]);
            let line = said.lines().find(|line| line.contains(name)).unwrap_or_default();
            let claim = format!("README.md speaks of {name}, and no code has it");
            let claim = json!({"claim": claim, "event_ids": cited, "outcome": "supports", "quote": line});
            let verdict = seat.must("mission_verify", claim)?;
            if verdict["verdict"] == "verified_for_mission" {
                found.push(name.to_owned());
            }
        }
    }
    // A second file must be seen before a drift is proved.
    seat.must("view", json!({"file_path": repository.planted[0].path}))?;
    let closed = seat.call("mission_close", json!({})).is_ok();
    let mut tally = Tally::default();
    for name in repository.drifted {
        tally.add(found.iter().any(|known| known == name));
    }
    let wrong = found.iter().filter(|name| !repository.drifted.contains(&name.as_str())).count() as u64;
    Ok((tally, wrong, closed))
}

/// Agents that mean another repository than the one that is bound: how many were told, and how many of those that mean
/// the right one were told wrongly.
pub fn mixed_up(dir: &Path, on: &Runtime, bound: &Path, other: &Path) -> anyhow::Result<(Tally, u64, Tally)> {
    let mut seat = Seat::new(on, "visitor");
    let outside = dir.join("links");
    fs::create_dir_all(&outside)?;
    symlink(other, outside.join("other"))?;
    symlink(bound, outside.join("bound"))?;
    symlink(other, bound.join("led-out"))?;
    let text = |path: &Path| path.display().to_string();
    let name = other.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let elsewhere = [text(other), text(&outside.join("other")), "led-out".to_owned(), format!("../{name}")];
    let right = [text(bound), text(&outside.join("bound")), ".".to_owned()];
    let mut caught = Tally::default();
    let mut led = Tally::default();
    for path in &elsewhere {
        led.join(astray(on, path, "README.md")?);
        for (tool, arguments) in asked(path) {
            let is_told = match seat.call(tool, arguments) {
                Err(error) => {
                    let guard = &error["detail"]["context_guard"];
                    guard["class"] == WRONG
                        && guard["recoveries"].as_array().is_some_and(|ways| ways.len() == 3)
                }
                Ok(body) => body["trust_mode"] == WRONG || body["context_guard"]["class"] == WRONG,
            };
            caught.add(is_told);
        }
    }
    let mut false_alarms = 0;
    for path in &right {
        for (tool, arguments) in asked(path) {
            let told = match seat.call(tool, arguments) {
                Err(error) => error["code"] != "invalid_params",
                Ok(body) => body["trust_mode"] == WRONG || body["context_guard"]["class"] == WRONG,
            };
            false_alarms += u64::from(told);
        }
    }
    fs::remove_file(bound.join("led-out"))?;
    Ok((caught, false_alarms, led))
}

const WRONG: &str = "wrong_workspace_binding";

/// Ways to ask about a folder.
fn asked(path: &str) -> [(&'static str, Value); 5] {
    [
        ("seek", json!({"query": "queue", "scope": path})),
        ("search", json!({"query": "queue", "scope": path})),
        ("glob", json!({"pattern": "*", "scope": path})),
        ("session_handshake", json!({"scope": path})),
        ("mission_start", json!({"goal": "look", "mode": "orientation", "repo": path})),
    ]
}

/// Hosts and programs that are broken in a known way: planted, and named by `doctor`. The last one is whole.
pub fn hosts(dir: &Path, repository: &Repository) -> anyhow::Result<(Tally, u64)> {
    let mut named = Tally::default();
    let mut false_alarms = 0;
    let faults: [(&str, Option<&str>); 5] = [
        ("replaced program", Some("stale_binary")),
        ("second program", Some("mixed_binaries")),
        ("entry without program", Some("dead_transport")),
        ("connection ended", Some("dead_transport")),
        ("nothing", None),
    ];
    for (fault, diagnosis) in faults {
        let at = dir.join("hosts").join(fault.replace(' ', "-"));
        for folder in ["home/.cursor", "bin", "other"] {
            fs::create_dir_all(at.join(folder))?;
        }
        repository.lay_out(&at.join("ws"))?;
        let program = |path: &Path, text: &str| -> anyhow::Result<()> {
            fs::write(path, text)?;
            Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
        };
        let own = at.join("bin/m1nd");
        program(&own, "one")?;
        let machine = Machine {
            user_home: Some(at.join("home")),
            config_home: None,
            search_path: std::env::join_paths([at.join("bin"), at.join("other")]).ok(),
        };
        let on = runtime(&at.join("state"), &at.join("ws"), machine, Some(&own))?;
        let mut seat = Seat::new(&on, "doctor");
        seat.must("ingest", json!({}))?;
        let mut saw = json!({});
        match fault {
            "replaced program" => {
                program(&at.join("new"), "two")?;
                fs::rename(at.join("new"), &own)?;
            }
            "second program" => program(&at.join("other/m1nd"), "two")?,
            "entry without program" => {
                let entry = json!({"mcpServers": {"m1nd": {"command": at.join("gone/m1nd")}}});
                fs::write(at.join("home/.cursor/mcp.json"), entry.to_string())?;
            }
            "connection ended" => saw = json!({"error_text": "MCP error -32000: Connection closed"}),
            _ => {}
        }
        let doctor = seat.must("doctor", saw)?;
        let found: Vec<&str> = doctor["diagnostics"]["found"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|found| found["diagnosis"].as_str())
            .collect();
        match diagnosis {
            Some(diagnosis) => named.add(found.contains(&diagnosis)),
            None => false_alarms += found.len() as u64,
        }
    }
    Ok((named, false_alarms))
}
