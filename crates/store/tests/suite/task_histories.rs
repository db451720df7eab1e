//! Random histories of tasks against a model: gates, revisions, claims, readiness, projection.

use std::collections::BTreeMap;
use std::time::Duration;

use m1nd_store::{RamStore, SqliteStore};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::world::{World, column, comes_back, pages};

#[derive(Clone, Debug)]
enum Action {
    Create { steps: usize, priority: i64, after: Option<usize> },
    Decompose { task: usize, below: Option<usize> },
    Verify { task: usize, step: usize, criteria: Option<bool>, tests: Option<bool> },
    Define { task: usize, step: usize, tests: bool },
    Done { task: usize, step: usize },
    Note { task: usize },
    Status { task: usize, status: usize },
    Claim { task: usize, agent: usize, lease: u64 },
    Release { task: usize, agent: usize },
    Wait { seconds: u64 },
}

fn action() -> impl Strategy<Value = Action> {
    let some = 0..16_usize;
    let step = 0..5_usize;
    prop_oneof![
        2 => (0..3_usize, 0..3_i64, prop::option::of(some.clone()))
            .prop_map(|(steps, priority, after)| Action::Create { steps, priority, after }),
        2 => (some.clone(), prop::option::of(step.clone()))
            .prop_map(|(task, below)| Action::Decompose { task, below }),
        6 => (some.clone(), step.clone(), any::<Option<bool>>(), any::<Option<bool>>())
            .prop_map(|(task, step, criteria, tests)| Action::Verify { task, step, criteria, tests }),
        1 => (some.clone(), step.clone(), any::<bool>())
            .prop_map(|(task, step, tests)| Action::Define { task, step, tests }),
        6 => (some.clone(), step).prop_map(|(task, step)| Action::Done { task, step }),
        1 => some.clone().prop_map(|task| Action::Note { task }),
        2 => (some.clone(), 0..5_usize).prop_map(|(task, status)| Action::Status { task, status }),
        2 => (some.clone(), 0..2_usize, 1..200_u64)
            .prop_map(|(task, agent, lease)| Action::Claim { task, agent, lease }),
        1 => (some, 0..2_usize).prop_map(|(task, agent)| Action::Release { task, agent }),
        1 => (1..200_u64).prop_map(|seconds| Action::Wait { seconds }),
    ]
}

#[derive(Default)]
struct Task {
    revision: u64,
    status: &'static str,
    priority: i64,
    after: Option<usize>,
    steps: Vec<Step>,
    claim: Option<(usize, u64)>,
    events: usize,
}

struct Step {
    path: String,
    has_tests: bool,
    criteria: bool,
    tests: bool,
    done: bool,
}

impl Task {
    fn closed(&self) -> bool {
        matches!(self.status, "done" | "cancelled")
    }

    /// Whether a step can still be worked on.
    fn is_at_work(&self, step: usize) -> bool {
        !self.steps[step].done && self.status != "cancelled"
    }

    fn open_below(&self, path: &str) -> bool {
        self.steps.iter().any(|step| !step.done && step.path.starts_with(&format!("{path}.")))
    }
}

const STATUSES: [&str; 5] = ["todo", "active", "blocked", "done", "cancelled"];

#[derive(Default)]
struct Play {
    tasks: Vec<Task>,
    now: u64,
}

impl Play {
    /// Plays one action; the call must be taken or refused as the model says.
    fn step(&mut self, w: &World, action: &Action) {
        let count = self.tasks.len();
        let pick = |wish: usize| (count > 0).then(|| wish % count);
        match *action {
            Action::Wait { seconds } => {
                self.now += seconds;
                w.clock.advance(Duration::from_secs(seconds));
            }
            Action::Create { steps, priority, after } => {
                let after = after.and_then(pick);
                let given: Vec<Value> = (0..steps).map(|at| given_step(at % 2 == 1)).collect();
                let depends: Vec<String> = after.iter().map(|at| name(*at)).collect();
                let arguments = json!({"title": "t", "kind": "task", "steps": given, "priority": priority, "depends_on": depends});
                let out = w.ok("tasks_create", arguments);
                assert_eq!((&out["id"], &out["revision"]), (&json!(name(count)), &json!(0)));
                let steps = (0..steps).map(|at| new_step(format!("s:{at}"), at % 2 == 1)).collect();
                self.tasks.push(Task {
                    status: "todo",
                    priority,
                    after,
                    steps,
                    events: 1,
                    ..Task::default()
                });
            }
            Action::Decompose { task, below } => {
                let Some(at) = pick(task) else { return };
                let task = &self.tasks[at];
                let parent = below.map(|step| format!("s:{step}"));
                let known = |path: &String| task.steps.iter().any(|step| step.path == *path && !step.done);
                let possible = !task.closed() && parent.as_ref().is_none_or(known);
                let prefix = parent.as_ref().map(|path| format!("{path}.")).unwrap_or_default();
                let siblings = task.steps.iter().filter(|step| {
                    step.path.starts_with(&prefix) && !step.path[prefix.len()..].contains('.')
                });
                let path = format!("{prefix}s:{}", siblings.count());
                let arguments = json!({"task": name(at), "parent": parent, "steps": [given_step(false)]});
                if let Some(out) = self.call(w, at, "tasks_decompose", arguments, possible) {
                    assert_eq!(out["steps"][0]["path"], path.as_str());
                    self.tasks[at].steps.push(new_step(path, false));
                }
            }
            Action::Verify { task, step, criteria, tests } => {
                let Some((at, path, found)) = self.find(pick(task), step) else { return };
                let possible = found.is_some_and(|found| self.tasks[at].is_at_work(found))
                    && (criteria.is_some() || tests.is_some());
                let mut checks = json!({});
                for (gate, given) in [("criteria", criteria), ("tests", tests)] {
                    if let Some(confirmed) = given {
                        checks[gate] = json!({"confirmed": confirmed});
                    }
                }
                let arguments = json!({"task": name(at), "path": path, "checkpoints": checks});
                if self.call(w, at, "tasks_verify", arguments, possible).is_some()
                    && let Some(found) = found
                {
                    let step = &mut self.tasks[at].steps[found];
                    step.criteria = criteria.unwrap_or(step.criteria);
                    step.tests = tests.unwrap_or(step.tests);
                }
            }
            Action::Define { task, step, tests } => {
                let Some((at, path, found)) = self.find(pick(task), step) else { return };
                let possible = found.is_some_and(|found| self.tasks[at].is_at_work(found));
                let field = if tests { "tests" } else { "success_criteria" };
                let arguments = json!({"task": name(at), "path": path, field: ["anew"]});
                if self.call(w, at, "tasks_define", arguments, possible).is_some()
                    && let Some(found) = found
                {
                    let step = &mut self.tasks[at].steps[found];
                    if tests {
                        (step.has_tests, step.tests) = (true, false);
                    } else {
                        step.criteria = false;
                    }
                }
            }
            Action::Done { task, step } => {
                let Some((at, path, found)) = self.find(pick(task), step) else { return };
                let possible = found.is_some_and(|found| {
                    let task = &self.tasks[at];
                    let step = &task.steps[found];
                    task.is_at_work(found)
                        && step.criteria
                        && (step.tests || !step.has_tests)
                        && !task.open_below(&path)
                });
                let arguments = json!({"task": name(at), "path": path});
                if self.call(w, at, "tasks_done", arguments, possible).is_some()
                    && let Some(found) = found
                {
                    let task = &mut self.tasks[at];
                    task.steps[found].done = true;
                    if task.steps.iter().all(|step| step.done) && !task.closed() {
                        task.status = "done";
                        task.events += 1;
                    }
                }
            }
            Action::Note { task } => {
                let Some(at) = pick(task) else { return };
                self.call(w, at, "tasks_note", json!({"task": name(at), "note": "n"}), true);
            }
            Action::Status { task, status } => {
                let Some(at) = pick(task) else { return };
                let status = STATUSES[status];
                let possible = status != "done" || self.tasks[at].steps.iter().all(|step| step.done);
                let arguments = json!({"task": name(at), "status": status});
                if self.tasks[at].status == status {
                    let before = w.ok("status", json!({}));
                    let out = w.ok("tasks_edit", arguments);
                    assert_eq!((&out["revision"], out.get("event")), (&json!(self.tasks[at].revision), None));
                    assert_eq!(
                        w.ok("status", json!({})),
                        before,
                        "nothing changed, and something was written"
                    );
                    return;
                }
                if self.call(w, at, "tasks_edit", arguments, possible).is_some() {
                    let was_closed = self.tasks[at].closed();
                    self.tasks[at].status = status;
                    if was_closed && !self.tasks[at].closed() {
                        self.tasks[at].claim = None;
                    }
                }
            }
            Action::Claim { task, agent, lease } => {
                let Some(at) = pick(task) else { return };
                let task = &self.tasks[at];
                let free = task.claim.is_none_or(|(by, until)| by == agent || until <= self.now);
                let possible = free && !task.closed();
                let arguments =
                    json!({"task": name(at), "agent_id": format!("a{agent}"), "lease_seconds": lease});
                if self.call(w, at, "tasks_claim", arguments, possible).is_some() {
                    self.tasks[at].claim = Some((agent, self.now + lease));
                }
            }
            Action::Release { task, agent } => {
                let Some(at) = pick(task) else { return };
                let held = self.tasks[at].claim;
                let possible = held.is_some_and(|(by, until)| by == agent && until > self.now);
                let arguments = json!({"task": name(at), "agent_id": format!("a{agent}")});
                if self.call(w, at, "tasks_release", arguments, possible).is_some() {
                    self.tasks[at].claim = None;
                }
            }
        }
    }

    fn find(&self, task: Option<usize>, step: usize) -> Option<(usize, String, Option<usize>)> {
        let at = task?;
        let steps = &self.tasks[at].steps;
        let path = steps.get(step).map_or_else(|| "s:9".to_owned(), |step| step.path.clone());
        let found = steps.iter().position(|step| step.path == path);
        Some((at, path, found))
    }

    fn call(
        &mut self,
        w: &World,
        task: usize,
        name: &str,
        arguments: Value,
        possible: bool,
    ) -> Option<Value> {
        let before = w.ok("status", json!({}));
        let out = w.call(name, arguments.clone());
        assert_eq!(out.is_ok(), possible, "{name} {arguments}: {out:?}");
        if !possible {
            assert_eq!(w.ok("status", json!({})), before, "a refused call left something behind");
            return None;
        }
        let out = out.unwrap();
        self.tasks[task].revision += 1;
        self.tasks[task].events += 1;
        assert_eq!(out["revision"], self.tasks[task].revision);
        Some(out)
    }

    fn check(&self, w: &World) {
        let events = pages(w, "tasks_delta", json!({"limit": 200, "max_chars": 1_000_000}), "events");
        let numbers: Vec<String> = (1..=events.len()).map(|no| format!("evt_{no:016}")).collect();
        assert_eq!(column(&events, "event_id"), numbers.iter().map(|no| json!(no)).collect::<Vec<_>>());
        for (at, task) in self.tasks.iter().enumerate() {
            let radar = w.ok("tasks_radar", json!({"task": name(at)}));
            assert_eq!(radar["target"]["revision"], task.revision);
            assert_eq!(radar["target"]["status"], task.status);
            let done = task.steps.iter().filter(|step| step.done).count();
            assert_eq!(
                (&radar["steps"]["total"], &radar["steps"]["completed"]),
                (&json!(task.steps.len()), &json!(done))
            );
            let own: Vec<&Value> = events.iter().filter(|event| event["entity"] == json!(name(at))).collect();
            assert_eq!(own.len(), task.events);
            let arguments =
                json!({"target": name(at), "doc_kind": "trace", "limit": 200, "max_chars": 1_000_000});
            let mut trace = pages(w, "show", arguments, "entries");
            trace.reverse();
            assert_eq!(
                column(&trace, "source_event_id"),
                own.iter().map(|event| event["event_id"].clone()).collect::<Vec<_>>()
            );
            self.check_projection(w, at, task);
        }
        let live = |task: &Task| task.claim.is_some_and(|(_, until)| until > self.now);
        let waits = |task: &Task| task.after.is_some_and(|on| self.tasks[on].status != "done");
        let mut ready: Vec<(i64, usize)> = Vec::new();
        for (at, task) in self.tasks.iter().enumerate() {
            if matches!(task.status, "todo" | "active") && !live(task) && !waits(task) {
                ready.push((-task.priority, at));
            }
        }
        ready.sort_unstable();
        let expected: Vec<Value> = ready.into_iter().map(|(_, at)| json!(name(at))).collect();
        let found = w.ok("tasks_ready", json!({"limit": 200}));
        assert_eq!(column(found["tasks"].as_array().unwrap(), "id"), expected);
    }

    fn check_projection(&self, w: &World, at: usize, task: &Task) {
        let graph = w.ok("graph_query", json!({"target": name(at), "limit": 200, "max_chars": 1_000_000}));
        let nodes = graph["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), task.steps.len() + 1);
        assert_eq!(graph["edges"].as_array().unwrap().len(), task.steps.len());
        let mut statuses: BTreeMap<String, String> = BTreeMap::new();
        for node in nodes {
            let key = node["meta"]["path"].as_str().unwrap_or("task").to_owned();
            statuses.insert(key, node["status"].as_str().unwrap().to_owned());
        }
        assert_eq!(statuses["task"], task.status);
        for step in &task.steps {
            assert_eq!(statuses[&step.path], if step.done { "done" } else { "todo" });
        }
        assert_eq!(w.ok("graph_validate", json!({"target": name(at)}))["ok"], true);
    }
}

fn name(at: usize) -> String {
    format!("TASK-{:03}", at + 1)
}

fn given_step(tests: bool) -> Value {
    let tests: &[&str] = if tests { &["t"] } else { &[] };
    json!({"title": "s", "success_criteria": ["c"], "tests": tests})
}

fn new_step(path: String, has_tests: bool) -> Step {
    Step { path, has_tests, criteria: false, tests: false, done: false }
}

fn run(cases: u32, longest: usize, world: impl Fn() -> World) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let histories = prop::collection::vec(action(), 1..longest);
    let outcome = TestRunner::new(config).run(&histories, |history| {
        let w = world();
        let mut play = Play::default();
        for action in &history {
            play.step(&w, action);
        }
        play.check(&w);
        comes_back(&w);
        Ok(())
    });
    if let Err(err) = outcome {
        panic!("{err}");
    }
}

/// More with `MEMORY_CASES=2000`.
#[test]
fn tasks_agree_with_the_model_in_ram() {
    let cases = std::env::var("MEMORY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(80);
    run(cases, 60, || World::new(Box::new(RamStore::new())));
}

#[test]
fn tasks_agree_with_the_model_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    run(12, 50, || {
        number.set(number.get() + 1);
        let path = folder.path().join(format!("{}.db", number.get()));
        World::new(Box::new(SqliteStore::open(path).unwrap()))
    });
}
