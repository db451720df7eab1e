//! Hosts: which programs start m1nd, where each keeps its list of servers, and what such a list says of m1nd.
//!
//! Lists are written by people and by other programs: whatever is not understood is said, never guessed.

mod entry;
mod insert;
mod table;

pub use entry::{Entry, entries};
pub use insert::{Inserted, entry_for, insert};
pub use table::{ConfigFile, Form, HOSTS, Host, Under, host};
