//! Pack: what an agent should know of working with m1nd, as one short text for every place that agents read.

/// When to ask the graph, when to read, when to begin a mission, how to end and to recover.
pub const DOCTRINE: &str = include_str!("doctrine.md");

/// The same as a skill, with a mission call by call.
pub const SKILL: &str =
    concat!(include_str!("SKILL.md"), include_str!("doctrine.md"), include_str!("more.md"));
