//! Small things that every crate needs and none should write twice. Knows nothing of m1nd.

pub mod cancel;
pub mod clock;
pub mod digest;
pub mod float;
pub mod mapped;
pub mod memory;
pub mod names;
pub mod nearest;
pub mod round;
