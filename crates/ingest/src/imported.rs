//! Imported: from where a file takes a name, as its own text says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use m1nd_vfs::read::decode;

use crate::facts::{FileFacts, ImportAll};
use crate::languages;
use crate::said::Said;

/// Longer parses are given up.
const PARSE_LIMIT: Duration = Duration::from_secs(1);

/// An import that brings a name in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub line: u32,
    /// Whether it is written as seen from the file itself.
    pub is_relative: bool,
    /// The module, in the language's own terms.
    pub module: Vec<String>,
}

/// What a name stands for in a whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    pub imports: Vec<Source>,
    /// Whether the file's own statements give it a value.
    pub is_made_here: bool,
}

/// Nothing for a file that is in no language that is read.
pub fn bound(path: &str, bytes: &[u8], name: &str) -> Option<Bound> {
    let (text, _) = decode(bytes)?;
    let language = languages::of_path(path)?;
    let extract = || (language.extract)(path, text.as_bytes(), PARSE_LIMIT);
    let facts = catch_unwind(AssertUnwindSafe(extract)).ok()?.ok()?;
    let named = facts.imports.iter().filter(|import| facts.text(import.bind) == name);
    let imports = named.map(|import| {
        let module: Vec<String> = import.path.iter().map(|part| facts.text(*part).to_owned()).collect();
        let first = module.first().map_or("", String::as_str);
        let is_relative = import.level > 0 && language.family == "python"
            || first.starts_with('.')
            || matches!(first, "crate" | "self" | "super");
        Source { line: import.line, is_relative, module }
    });
    let is_made = |owner: &crate::facts::Scope| owner.is_none();
    let is_made_here = facts.bindings.iter().any(|one| is_made(&one.owner) && facts.text(one.name) == name);
    Some(Bound { imports: imports.collect(), is_made_here })
}

/// An import as a file writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where its statement begins.
    pub line: u32,
    /// For languages with relative imports by level: how many levels up, 0 for absolute.
    pub level: u8,
    /// The module, in the language's own terms.
    pub module: Vec<String>,
    /// What it takes out of the module; nothing for the module itself.
    pub item: Option<String>,
    /// The name it has in the file.
    pub bind: String,
    /// Whether it takes every name that the module offers.
    pub is_all: bool,
    /// Whether others can import it from the file.
    pub is_exported: bool,
    /// The lines of the definition that it stands in, and holds in; nothing where it holds in the whole file.
    pub within: Option<(u32, u32)>,
}

impl Written {
    /// Whether a line is one that it holds in.
    pub fn reaches(&self, line: u32) -> bool {
        self.within.is_none_or(|(first, last)| (first..=last).contains(&line))
    }

    /// Whether two imports ask for the same thing, wherever they stand.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.level, &self.module, &self.item, self.is_all)
            == (other.level, &other.module, &other.item, other.is_all)
    }
}

/// The imports of a file. Nothing for a file that is in no language that is read.
pub fn written(path: &str, bytes: &[u8]) -> Option<Vec<Written>> {
    let (text, _) = decode(bytes)?;
    let language = languages::of_path(path)?;
    let extract = || (language.extract)(path, text.as_bytes(), PARSE_LIMIT);
    Some(said_in(&catch_unwind(AssertUnwindSafe(extract)).ok()?.ok()?))
}

/// The imports of a content that was read already. Nothing where it could not be.
pub fn written_in(said: &Said) -> Option<Vec<Written>> {
    said.facts().map(said_in)
}

fn said_in(facts: &FileFacts) -> Vec<Written> {
    let written = facts.imports.iter().map(|import| Written {
        line: import.line,
        level: import.level,
        module: import.path.iter().map(|part| facts.text(*part).to_owned()).collect(),
        item: import.item.map(|item| facts.text(item).to_owned()),
        bind: facts.text(import.bind).to_owned(),
        is_all: import.all == ImportAll::Yes,
        is_exported: import.exported,
        within: import.scope.map(|scope| (facts.def(scope).line_start, facts.def(scope).line_end)),
    });
    written.collect()
}

#[cfg(all(test, feature = "lang-python"))]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_by_its_import_or_by_what_gives_it_a_value() {
        let of = |text: &str| bound("a.py", text.as_bytes(), "unquote").unwrap();
        let far = of("import x\nfrom urllib.parse import (\n    quote,\n    unquote,\n)\n");
        assert_eq!(far.imports.len(), 1);
        assert_eq!(
            (far.imports[0].is_relative, far.imports[0].module.join(".")),
            (false, "urllib.parse".into())
        );
        assert!(of("from ._utils import unquote\n").imports[0].is_relative);
        assert!(of("from b import x as unquote\n").imports.len() == 1 && !far.is_made_here);
        assert!(of("unquote = str.strip\n").is_made_here);
        assert_eq!(of("def f(unquote):\n    unquote()\n"), Bound::default());
        assert_eq!(bound("notes.txt", b"unquote", "unquote"), None);
        let all = written("a.py", b"import x\nfrom .b import c as d, e\nfrom y import *\n").unwrap();
        let shown = |one: &Written| {
            let item = if one.is_all { "*" } else { one.item.as_deref().unwrap_or("-") };
            format!(
                "{} {}{} {item} {}",
                one.line,
                ".".repeat(one.level.into()),
                one.module.join("."),
                one.bind
            )
        };
        let shown: Vec<String> = all.iter().map(shown).collect();
        assert_eq!(shown, ["1 x - x", "2 .b c d", "2 .b e e", "3 y * *"]);
    }
}
