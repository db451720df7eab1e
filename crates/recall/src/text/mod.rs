//! Text: words, the fields they stand in, and an index of both.

mod fields;
mod index;
mod kin;
mod lines;
mod postings;
mod stem;
mod stop;
mod words;

pub use fields::{Counts, Entry, FIELDS, Field, FileBag, Source, Span};
pub use index::{FieldWeights, FileIx, PathPart, Rules, Scores, TextIndex, Unit, UnitIx};
pub use kin::kin;
pub use lines::{Kind, Line, Style};
pub use postings::{Bm25, Postings};
pub use stop::is_stop;
pub use words::{Term, Terms, hash, parts_of, raw_words, terms_of_query, terms_of_text};
