//! Recall: from words to places in the code.
//!
//! Pure: texts, commits and the graph come in as arguments, and nothing here reads a file or a clock.
//! `engines` follow relations. `text` knows words, `past` knows what earlier changes were called and what they touched, `fuse` weighs what
//! they and the graph say.

pub mod corpus;
pub mod engines;
pub mod feedback;
pub mod fuse;
pub mod message;
pub mod past;
pub mod place;
pub mod predict;
pub mod quoted;
pub mod report;
pub mod seek;
pub mod spell;
pub mod text;
