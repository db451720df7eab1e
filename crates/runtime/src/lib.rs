//! The middle of m1nd: one trait for tools, one pipeline for calls, one place for a workspace's state.
//!
//! `Runtime::call` is synchronous and total: it never panics and knows no transport.

mod ctx;
pub mod faults;
pub mod flows;
mod jobs;
mod lanes;
mod log;
mod machine;
pub mod manual;
mod pipeline;
pub mod process;
pub mod program;
mod registry;
mod runtime;
mod runtime_contract;
mod savings;
mod settings;
mod sink;
mod surface;
mod tool;
pub mod workspace;

pub use ctx::{Ctx, GraphView};
pub use jobs::{Job, JobState};
pub use log::{Calls, QueryRecord, SeenRecord, SessionRecord};
pub use m1nd_mission::Family;
pub use m1nd_mission::otlp::request as otlp_request;
pub use machine::Machine;
pub use pipeline::{Progress, Reply, Silent, Step, ToolCall};
pub use registry::{HELP, Listing, Registry, UnknownToolset};
pub use runtime::{Runtime, Start};
pub use savings::{AllTime, Saved};
pub use settings::{BuildInfo, Settings};
pub use sink::FlightSink;
pub use surface::{PromptArgument, PromptSpec, ResourceSpec, Surface};
pub use tool::{Answer, Effect, Entry, Example, Needs, Saves, Spec, Tool, Toolset, ToolsetName, entry};
