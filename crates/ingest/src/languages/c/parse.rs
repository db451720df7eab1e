//! A source of C or C++ as a tree, whatever conditions and macros do to it.

use std::ops::Range;
use std::time::Duration;

use tree_sitter::{Language, Tree};

use super::branches::{Cut, Dialect, one_of_each};
use super::readable::{Written, readable};
use crate::walk::{self, ParseError, lost_bytes};

/// A tree, and the bytes of the branches that it does not hold.
pub(in crate::languages) struct Parsed {
    pub tree: Tree,
    pub dropped: Vec<Range<usize>>,
}

/// Parses a source with as few branches cut as it takes: the tree in which the fewest bytes are lost.
pub(in crate::languages) fn parse(
    source: &[u8],
    dialect: Dialect,
    limit: Duration,
) -> Result<Parsed, ParseError> {
    let grammar = dialect.grammar();
    if dialect == Dialect::C {
        return parse_c(&grammar, source, limit);
    }
    let (read, dropped) = one_of_each(source, Cut::Brackets, dialect);
    let tree = walk::parse(&grammar, &readable(&read, dialect.macros()), limit)?;
    if !tree.root_node().has_error() {
        return Ok(Parsed { tree, dropped });
    }
    // A branch may be kept and only its directives go, as inside of a list.
    let (cut, also_dropped) = one_of_each(source, Cut::Statements, dialect);
    if cut == read {
        return Ok(Parsed { tree, dropped });
    }
    let other = walk::parse(&grammar, &readable(&cut, dialect.macros()), limit)?;
    if lost_bytes(&other) >= lost_bytes(&tree) {
        return Ok(Parsed { tree, dropped });
    }
    Ok(Parsed { tree: other, dropped: also_dropped })
}

/// Parsing costs far more than looking at the text, and where the text shows conditions that cut statements, or
/// macros where no name can stand, the source as it is hardly ever reads without errors. So it is read without
/// them first, and as it is where that loses much.
fn parse_c(grammar: &Language, source: &[u8], limit: Duration) -> Result<Parsed, ParseError> {
    let dialect = Dialect::C;
    let (first, dropped) = one_of_each(source, Cut::Brackets, dialect);
    let (read, mut also_dropped) = one_of_each(source, Cut::Statements, dialect);
    let clean = readable(&read, dialect.macros());
    if clean[..] == first[..] {
        return Ok(Parsed { tree: walk::parse(grammar, &first, limit)?, dropped });
    }
    let tree = walk::parse(grammar, &clean, limit)?;
    let lost = lost_bytes(&tree);
    if lost > source.len() / LITTLE {
        let other = walk::parse(grammar, &first, limit)?;
        if lost_bytes(&other) <= lost {
            return Ok(Parsed { tree: other, dropped });
        }
    }
    also_dropped.extend(overwritten(&read, &clean));
    Ok(Parsed { tree, dropped: also_dropped })
}

/// One byte in so many may be lost.
const LITTLE: usize = 200;

impl Dialect {
    fn grammar(self) -> Language {
        match self {
            #[cfg(feature = "lang-cpp")]
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            _ => tree_sitter_c::LANGUAGE.into(),
        }
    }

    /// What is taken for a macro where a source cannot be read otherwise.
    fn macros(self) -> Written {
        match self {
            Self::C => Written::InCapitals,
            Self::Cpp => Written::WithUnderscore,
        }
    }
}

/// Where two sources of one length differ; blanks between two such places belong to them.
fn overwritten(before: &[u8], after: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let differ = before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after);
    for (at, _) in differ {
        match found.last_mut() {
            Some(last) if before[last.end..at].iter().all(u8::is_ascii_whitespace) => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}
