//! Fixtures of pytest: what gives something to tests, and marks that ask for it.

use tree_sitter::Node;

use m1nd_graph::NodeFlags;
use m1nd_graph::fixtures::{ASKS, GIVES};

use super::extract::{Decorator, Reader};
use crate::facts::DefIx;
use crate::sheet::field;

const MARK: &str = "usefixtures";

impl Reader<'_> {
    /// What decorators say of a function or a class.
    pub(super) fn note_fixtures(&mut self, decorators: &[Decorator], ix: DefIx) {
        if !self.sheet.facts.flags.has(NodeFlags::TEST_CODE) {
            return;
        }
        let mut tags = Vec::new();
        if let Some(fixture) = decorators.iter().find(|decorator| is_fixture(decorator)) {
            let facts = &self.sheet.facts;
            let name = named(&fixture.text).unwrap_or_else(|| facts.text(facts.def(ix).name));
            tags.push(format!("{GIVES}{name}"));
            if is_automatic(fixture) {
                let def = self.sheet.def_mut(ix);
                def.flags = def.flags.with(NodeFlags::FOR_ALL_TESTS);
            }
        }
        for mark in decorators {
            tags.extend(asked(&mark.text).map(|name| format!("{ASKS}{name}")));
        }
        self.sheet.facts.tags.extend(tags.into_iter().map(|tag| (Some(ix), tag)));
    }

    /// `pytestmark = …` marks all tests of a class or a file.
    pub(super) fn note_marks(&mut self, assignment: Node<'_>) {
        let (left, right) = (field(assignment, "left"), field(assignment, "right"));
        let is_mark = left.is_some_and(|left| self.sheet.bytes(left) == b"pytestmark");
        if !is_mark || !self.sheet.facts.flags.has(NodeFlags::TEST_CODE) {
            return;
        }
        let scope = self.sheet.scope();
        let text = right.map_or("", |right| self.sheet.text(right));
        let tags: Vec<_> = asked(text).map(|name| (scope, format!("{ASKS}{name}"))).collect();
        self.sheet.facts.tags.extend(tags);
    }
}

/// Whether what it decorates is given to tests.
pub(super) fn is_fixture(decorator: &Decorator) -> bool {
    decorated_by(decorator).is_some_and(|name| matches!(name, "fixture" | "yield_fixture"))
}

/// Whether a fixture is used without being asked for.
fn is_automatic(fixture: &Decorator) -> bool {
    let plain: String = fixture.text.split_whitespace().collect();
    plain.contains("autouse=True")
}

/// The last name of a decorator.
fn decorated_by(decorator: &Decorator) -> Option<&str> {
    decorator.text.split('(').next()?.trim().rsplit('.').next()
}

/// The name that a fixture is given under, where it is not that of its function.
fn named(text: &str) -> Option<&str> {
    let inside = text.split_once('(')?.1;
    let starts = inside
        .match_indices("name")
        .filter(|(at, _)| !inside[..*at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_'));
    starts.into_iter().find_map(|(at, word)| {
        let value = inside[at + word.len()..].trim_start().strip_prefix('=')?.trim_start();
        literals(value).next().filter(|_| value.starts_with(['"', '\'']))
    })
}

/// What the marks in a text ask for.
fn asked(text: &str) -> impl Iterator<Item = &str> {
    let marks = text.split(MARK).skip(1);
    marks.flat_map(|rest| {
        let inside = rest.trim_start().strip_prefix('(').unwrap_or("");
        literals(inside.split(')').next().unwrap_or(""))
    })
}

/// The plain strings of a text.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\''])?;
        let quote = &rest[start..=start];
        let (literal, after) = rest[start + 1..].split_once(quote)?;
        rest = after;
        Some(literal)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_decorators_and_marks() {
        assert_eq!(named("pytest.fixture(scope='module', name = \"db\")"), Some("db"));
        assert_eq!(named("pytest.fixture(params=[1], rename='x')"), None);
        assert_eq!(named("pytest.fixture"), None);
        let all = |text| asked(text).collect::<Vec<_>>();
        assert_eq!(all("pytest.mark.usefixtures('a', \"b\")"), ["a", "b"]);
        assert_eq!(all("[pytest.mark.slow('x'), pytest.mark.usefixtures('a'), mark('y')]"), ["a"]);
        assert!(all("usefixtures").is_empty());
    }
}
