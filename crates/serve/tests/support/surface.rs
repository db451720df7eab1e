//! A small surface with tools that behave well, badly and slowly.

use std::sync::Arc;
use std::time::{Duration, Instant};

use m1nd_contract::{Fault, Trim};
use m1nd_runtime::{
    Answer, BuildInfo, Ctx, Effect, Needs, PromptArgument, PromptSpec, ResourceSpec, Runtime, Settings, Spec,
    Step, Surface, Tool, Toolset, ToolsetName, entry, faults,
};
use m1nd_stdx::clock::SystemClock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A runtime on that surface, with its state in `home`.
pub fn runtime(home: &std::path::Path) -> Arc<Runtime> {
    let settings = Settings {
        home: home.to_owned(),
        runtime_root: None,
        toolsets: [ToolsetName::Core].into(),
        read_only: false,
        verify_commands: Vec::new(),
        build: BuildInfo { version: "0.0.0", hash: "test" },
    };
    Arc::new(Runtime::new(SURFACE, settings, Arc::new(SystemClock::new()), None))
}

pub const SURFACE: Surface = Surface {
    toolsets: &[
        Toolset {
            name: ToolsetName::Core,
            about: "Everyday.",
            tools: &[
                entry::<Echo>(),
                entry::<Crash>(),
                entry::<Wait>(),
                entry::<Stubborn>(),
                entry::<Count>(),
                entry::<Grow>(),
                entry::<Here>(),
            ],
        },
        Toolset { name: ToolsetName::Graph, about: "More.", tools: &[entry::<Extra>()] },
    ],
    resources: &[
        ResourceSpec {
            uri: "fixture://here",
            name: "here",
            description: "Where the server works.",
            mime: "application/json",
            tool: "here",
            argument: None,
        },
        ResourceSpec {
            uri: "fixture://echo/{tool}",
            name: "echo",
            description: "What was asked.",
            mime: "application/json",
            tool: "echo",
            argument: Some("tool"),
        },
    ],
    prompts: &[PromptSpec {
        name: "ask",
        description: "Asks something.",
        arguments: &[PromptArgument { name: "what", description: "The thing.", required: true }],
        text: "Tell me about {what}.",
    }],
    instructions: "Call echo.",
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

#[derive(Serialize, JsonSchema)]
pub struct Said {
    /// What there is to say.
    said: String,
}

impl Trim for Said {
    fn trim(&mut self, excess: usize) -> bool {
        m1nd_contract::budget::cut_text(&mut self.said, excess) > 0
    }
}

fn said(text: impl Into<String>) -> Result<Answer<Said>, Fault> {
    Ok(Answer::of(Said { said: text.into() }))
}

const FREE: Spec = Spec { needs: Needs::Nothing, ..Spec::READ };

/// Declares a tool in the order: type, name, effect, input, body.
macro_rules! tool {
    ($type:ident, $name:literal, $effect:expr, $input:ty, $run:expr) => {
        pub struct $type;
        impl Tool for $type {
            type Input = $input;
            type Output = Said;
            const SPEC: Spec =
                Spec { name: $name, summary: concat!("The test tool ", $name, "."), effect: $effect, ..FREE };
            fn run(ctx: &Ctx<'_>, input: $input) -> Result<Answer<Said>, Fault> {
                let run: fn(&Ctx<'_>, $input) -> Result<Answer<Said>, Fault> = $run;
                run(ctx, input)
            }
        }
    };
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Comes back.
    text: Option<String>,
    /// Comes back too.
    tool: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Milliseconds.
    ms: u64,
}

tool!(Echo, "echo", Effect::Read, Text, |_, input| said(input.text.or(input.tool).unwrap_or_default()));
tool!(Crash, "crash", Effect::Read, Nothing, |_, _| panic!("on purpose"));
tool!(Wait, "wait", Effect::Read, Time, |ctx, input| {
    let until = Instant::now() + Duration::from_millis(input.ms);
    while Instant::now() < until {
        if let Some(stop) = ctx.cancel().stop() {
            return Err(faults::stopped(stop));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    said("waited")
});
tool!(Stubborn, "stubborn", Effect::Read, Time, |_, input| {
    std::thread::sleep(Duration::from_millis(input.ms));
    said("at last")
});
tool!(Count, "count", Effect::Read, Time, |ctx, input| {
    for done in 0..input.ms {
        ctx.report(Step { done, total: Some(input.ms), message: format!("step {done}") });
        std::thread::sleep(Duration::from_millis(1));
    }
    said("counted")
});
tool!(Grow, "grow", Effect::Configure, Nothing, |ctx, _| {
    let changed = ctx.runtime().enable_toolsets("all");
    said(format!("{:?}", changed.ok()))
});
tool!(Here, "here", Effect::Read, Nothing, |ctx, _| {
    let bound = ctx.runtime().workspace();
    said(bound.map_or("nowhere".into(), |bound| bound.root().path().display().to_string()))
});
tool!(Extra, "extra", Effect::Read, Nothing, |_, _| said("extra"));
