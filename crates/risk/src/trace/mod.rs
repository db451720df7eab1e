//! Trace: from the text of a failure to the code that it went through.

mod frames;
mod map;
mod parse;
mod plain;
mod sections;

pub use map::{Mapped, Mapping, Suspect, Weights, Whose, map, suspects};
pub use parse::{Frame, Parsed, Style, is_trace, parse};
