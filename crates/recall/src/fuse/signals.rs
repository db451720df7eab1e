//! Signals: what each source of evidence says about each file, for one question.

use crate::text::{Bm25, FieldWeights};

macro_rules! signals {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The sources of evidence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Signal { $($(#[$doc])* $variant,)* }

        impl Signal {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|signal| signal.name() == name)
            }
        }
    };
}

signals! {
    /// Words of the whole file.
    Text = "text",
    /// Words by field: names count more than bodies.
    Fields = "fields",
    /// The best symbol alone.
    Symbol = "symbol",
    /// Names that the file defines.
    Names = "names",
    /// The best symbol by names alone.
    SymbolName = "symbol_name",
    /// How much of what the question says stands in one symbol.
    SymbolCoverage = "symbol_coverage",
    /// Words that stand side by side in the question and are one identifier in the file.
    Phrase = "phrase",
    /// The same for the best symbol alone.
    SymbolPhrase = "symbol_phrase",
    /// The name of the file.
    Name = "name",
    /// The names of its folders.
    Folder = "folder",
    /// What earlier changes to the file were called.
    Said = "said",
    /// Earlier commits that resemble the question.
    Resembling = "resembling",
    /// The same where many that resemble it a little count, too.
    Widely = "widely",
    /// The same where hardly any but the nearest count.
    Closely = "closely",
    /// Words of the whole file, measured by all that could have matched: small when the question is vague.
    Share = "share",
    /// How much of what the question says stands in the file at all.
    Coverage = "coverage",
    /// What earlier changes to the file were called, measured by all that could have matched.
    SaidShare = "said_share",
    /// The one earlier commit that resembles the question most.
    Nearest = "nearest",
    /// How often the file changes these days.
    Churn = "churn",
    /// How lately it changed.
    Recency = "recency",
    /// How much is in it.
    Size = "size",
    /// How often it changed at all.
    Touched = "touched",
    /// How many files it has to do with.
    Ties = "ties",
    /// Whether it is a test.
    Test = "test",
    /// Whether it stands beside the product otherwise.
    Beside = "beside",
    /// Changed together with the best files.
    Together = "together",
    /// Uses the best files, or is used by them.
    Related = "related",
    /// Has the name of one of the best files, or stands in its folder.
    Sibling = "sibling",
    /// The test that is called like it has the words.
    Tested = "tested",
    /// Tests that have the words use it.
    Exercised = "exercised",
}

/// How many signals there are.
pub const SIGNALS: usize = Signal::ALL.len();

/// Signals that need no other file's score.
pub const FIRST: usize = Signal::Together as usize;

/// Constants inside the signals.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    pub fields: FieldWeights,
    pub fields_bm25: Bm25,
    pub unit_bm25: Bm25,
    /// How much lines of the question after the first count.
    pub later_lines: f32,
    /// How much more what stands before the first colon counts: `fix(parser):` and `parser:` name a part of the product.
    pub scope: f32,
    /// How much more words between backticks count.
    pub quoted: f32,
    /// How much more words that are written as identifiers count.
    pub identifiers: f32,
    /// See [`crate::past::Past::score_resembling`].
    pub power: f32,
    /// How many of the best files the last two signals start from.
    pub seeds: usize,
    /// Signals that are not listened to: to see what each is worth.
    pub silent: Vec<Signal>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            fields: [8.0, 1.0, 0.75, 0.5, 1.0],
            fields_bm25: Bm25 { k1: 1.2, b: 0.6 },
            unit_bm25: Bm25 { k1: 1.2, b: 0.4 },
            later_lines: 0.5,
            scope: 1.0,
            quoted: 1.0,
            identifiers: 1.0,
            power: 3.0,
            seeds: 10,
            silent: Vec::new(),
        }
    }
}

/// Signals that do not depend on the question.
pub const HABITS: [Signal; 7] = [
    Signal::Churn,
    Signal::Recency,
    Signal::Size,
    Signal::Touched,
    Signal::Ties,
    Signal::Test,
    Signal::Beside,
];
