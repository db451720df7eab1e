//! Imported: from where a file takes a name, as its own text says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use m1nd_vfs::read::decode;

use crate::facts::ImportAll;
use crate::languages;

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

/// A name that an import takes out of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub line: u32,
    pub name: String,
}

/// The names that the imports of a file take out of modules. Nothing for a file that is in no language that is read.
pub fn taken(path: &str, bytes: &[u8]) -> Option<Vec<Taken>> {
    let (text, _) = decode(bytes)?;
    let language = languages::of_path(path)?;
    let extract = || (language.extract)(path, text.as_bytes(), PARSE_LIMIT);
    let facts = catch_unwind(AssertUnwindSafe(extract)).ok()?.ok()?;
    let named = facts.imports.iter().filter(|import| import.all == ImportAll::No);
    let taken = named.filter_map(|import| {
        let name = facts.text(import.item?).to_owned();
        Some(Taken { line: import.line, name })
    });
    Some(taken.collect())
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
        let names = taken("a.py", b"import x\nfrom .b import c as d, e\nfrom y import *\n").unwrap();
        let names: Vec<(u32, &str)> = names.iter().map(|one| (one.line, one.name.as_str())).collect();
        assert_eq!(names, [(2, "c"), (2, "e")]);
    }
}
