//! What the pipeline does for every tool, shown on tools made for the purpose.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Trim, fixed_size};
use m1nd_runtime::faults::stopped;
use m1nd_runtime::workspace::BindingSource;
use m1nd_runtime::{
    Answer, BuildInfo, Ctx, Effect, Entry, JobState, Needs, Reply, Runtime, Settings, Silent, Spec, Surface,
    Tool, ToolCall, Toolset, ToolsetName, entry,
};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Done {
    done: bool,
}

fixed_size!(Done);

struct Panics;

impl Tool for Panics {
    type Input = Nothing;
    type Output = Done;
    const SPEC: Spec = Spec { name: "panics", summary: "Panics.", needs: Needs::Nothing, ..Spec::READ };

    fn run(_: &Ctx<'_>, _: Nothing) -> Result<Answer<Done>, Fault> {
        panic!("on purpose");
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Count {
    count: Option<Int>,
}

#[derive(Serialize, JsonSchema)]
struct Numbers {
    numbers: Vec<usize>,
}

impl Trim for Numbers {
    fn trim(&mut self, excess: usize) -> bool {
        drop_tail(&mut self.numbers, excess) > 0
    }
}

struct Counts;

impl Tool for Counts {
    type Input = Count;
    type Output = Numbers;
    const SPEC: Spec = Spec {
        name: "counts",
        aliases: &["numbers_up_to"],
        summary: "Counts.",
        needs: Needs::Nothing,
        budget: Some(100_000),
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Count) -> Result<Answer<Numbers>, Fault> {
        let count = ctx.clamp("count", input.count, 3, 1..=1_000);
        Ok(Answer::of(Numbers { numbers: (1..=count).collect() }).candidates(count as u64))
    }
}

struct Waits;

impl Tool for Waits {
    type Input = Nothing;
    type Output = Done;
    const SPEC: Spec =
        Spec { name: "waits", summary: "Waits to be cancelled.", needs: Needs::Nothing, ..Spec::READ };

    fn run(ctx: &Ctx<'_>, _: Nothing) -> Result<Answer<Done>, Fault> {
        loop {
            if let Some(stop) = ctx.cancel().stop() {
                return Err(stopped(stop));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

struct Writes;

static WRITING: AtomicUsize = AtomicUsize::new(0);

impl Tool for Writes {
    type Input = Nothing;
    type Output = Done;
    const SPEC: Spec = Spec {
        name: "writes",
        summary: "Writes.",
        effect: Effect::WriteFiles,
        needs: Needs::Workspace,
        ..Spec::READ
    };

    fn run(_: &Ctx<'_>, _: Nothing) -> Result<Answer<Done>, Fault> {
        let others = WRITING.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        WRITING.fetch_sub(1, Ordering::SeqCst);
        Ok(Answer::of(Done { done: others == 0 }))
    }
}

const TOOLS: &[Entry] = &[entry::<Panics>(), entry::<Counts>(), entry::<Waits>(), entry::<Writes>()];

const SURFACE: Surface = Surface {
    toolsets: &[Toolset { name: ToolsetName::Core, about: "", tools: TOOLS }],
    resources: &[],
    prompts: &[],
    instructions: "",
};

fn runtime(read_only: bool) -> (tempfile::TempDir, Runtime) {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        home: dir.path().join("home"),
        runtime_root: None,
        toolsets: BTreeSet::from([ToolsetName::Core]),
        read_only,
        verify_commands: Vec::new(),
        build: BuildInfo { version: "0", hash: "0" },
    };
    let runtime = Runtime::new(SURFACE, settings, Arc::new(SystemClock::new()), None);
    (dir, runtime)
}

fn call(runtime: &Runtime, tool: &str, mut arguments: Value, cancel: &CancelToken) -> Reply {
    arguments["agent_id"] = json!("tester");
    let arguments = arguments.as_object().unwrap().clone();
    runtime.call(ToolCall { name: tool.into(), arguments }, cancel, &Silent)
}

#[test]
fn a_panic_is_a_fault_with_a_report_and_the_next_call_works() {
    let (_dir, runtime) = runtime(false);
    for _ in 0..3 {
        let reply = call(&runtime, "panics", json!({}), &CancelToken::new());
        assert_eq!(reply.body["error"]["code"], "internal");
        assert!(reply.body["error"]["detail"]["report_id"].as_str().unwrap().starts_with("r-"));
        assert!(!reply.text().contains("on purpose"), "what panicked is for the log");
    }
    assert!(!call(&runtime, "counts", json!({}), &CancelToken::new()).is_error);
}

#[test]
fn numbers_out_of_range_are_clamped_and_said() {
    let (_dir, runtime) = runtime(false);
    let body = call(&runtime, "counts", json!({"count": -9}), &CancelToken::new()).body;
    assert_eq!((&body["numbers"], &body["clamped"]), (&json!([1]), &json!(["count"])));
    let body = call(&runtime, "counts", json!({"count": 2.0}), &CancelToken::new()).body;
    assert_eq!((&body["numbers"], &body["clamped"]), (&json!([1, 2]), &Value::Null));
}

#[test]
fn an_answer_gives_way_to_its_budget_and_says_so() {
    let (_dir, runtime) = runtime(false);
    for budget in [500, 777, 2_000] {
        let reply =
            call(&runtime, "counts", json!({"count": 1_000, "max_chars": budget}), &CancelToken::new());
        let bytes = reply.text().len();
        assert!(bytes <= budget && bytes > budget / 2, "{bytes} of {budget}");
        assert_eq!(reply.body["truncated"], true);
        assert_eq!(reply.body["numbers"][0], 1);
    }
    let whole = call(&runtime, "counts", json!({"count": 1_000}), &CancelToken::new());
    assert_eq!(whole.body.get("truncated"), None);
}

#[test]
fn aliases_and_dots_lead_to_the_tool() {
    let (_dir, runtime) = runtime(false);
    for name in ["counts", "numbers_up_to", "m1nd.counts", "numbers.up.to"] {
        assert!(!call(&runtime, name, json!({}), &CancelToken::new()).is_error, "{name}");
    }
}

#[test]
fn a_cancelled_call_ends_with_its_own_code() {
    let (_dir, runtime) = runtime(false);
    let cancel = CancelToken::new();
    let reply = std::thread::scope(|scope| {
        let call = scope.spawn(|| call(&runtime, "waits", json!({}), &cancel));
        cancel.cancel();
        call.join().unwrap()
    });
    assert_eq!(reply.body["error"]["code"], "cancelled");
}

#[test]
fn writers_take_turns() {
    let (dir, runtime) = runtime(false);
    runtime.bind(dir.path(), BindingSource::Flag).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let reply = call(&runtime, "writes", json!({}), &CancelToken::new());
                    assert_eq!(reply.body["done"], true, "{}", reply.text());
                }
            });
        }
    });
}

#[test]
fn a_read_only_server_refuses_to_write_and_goes_on_reading() {
    let (dir, runtime) = runtime(true);
    runtime.bind(dir.path(), BindingSource::Flag).unwrap();
    let reply = call(&runtime, "writes", json!({}), &CancelToken::new());
    assert!(reply.text().contains("read-only"), "{}", reply.text());
    assert!(!call(&runtime, "counts", json!({}), &CancelToken::new()).is_error);
}

#[test]
fn without_a_workspace_the_reason_is_given() {
    let (_dir, runtime) = runtime(false);
    let reply = call(&runtime, "writes", json!({}), &CancelToken::new());
    assert_eq!(reply.body["error"]["code"], "wrong_workspace_binding");
    runtime.note_unbound("/gone cannot be opened".into());
    assert!(
        call(&runtime, "writes", json!({}), &CancelToken::new()).text().contains("/gone cannot be opened")
    );
}

#[test]
fn a_weaker_choice_of_workspace_gives_way_to_a_stronger_one() {
    let (dir, runtime) = runtime(false);
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    std::fs::create_dir(&a).unwrap();
    std::fs::create_dir(&b).unwrap();
    assert!(runtime.bind(&a, BindingSource::CurrentFolder).unwrap());
    assert!(runtime.bind(&b, BindingSource::ClientRoot).unwrap());
    assert!(runtime.bind(&a, BindingSource::Flag).unwrap());
    assert!(!runtime.bind(&b, BindingSource::ClientRoot).unwrap());
    assert!(runtime.workspace().unwrap().root().path().ends_with("a"));
}

#[test]
fn the_log_remembers_who_asked_what() {
    let (_dir, runtime) = runtime(false);
    call(&runtime, "counts", json!({"count": 5}), &CancelToken::new());
    let queries = runtime.queries();
    assert_eq!(
        (queries[0].tool, queries[0].agent_id.as_str(), queries[0].result_count),
        ("counts", "tester", 5)
    );
    assert_eq!(runtime.sessions()["tester"].queries, 1);
}

#[test]
fn work_under_way_ends_with_the_process() {
    let (_dir, runtime) = runtime(false);
    let job = runtime.start_job("ingest", |cancel| {
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        JobState::Cancelled
    });
    let job = job.unwrap();
    runtime.close();
    assert_eq!(job.wait(Duration::from_secs(60), &CancelToken::new()), JobState::Cancelled);
}
