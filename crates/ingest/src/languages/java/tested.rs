//! Tested: which methods of Java are tests, and which are run before or after them.

use crate::facts::{DefIx, FileFacts};

/// As much of a method as tells whether it is a test.
pub(super) struct Shape<'a> {
    pub name: &'a str,
    pub modifiers: &'a str,
    pub gives_nothing: bool,
    pub takes_nothing: bool,
}

/// Annotations of single tests: of JUnit 4 and 5, and of TestNG.
const TESTS: [&str; 5] = ["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"];
/// Annotations of what is run before or after tests: JUnit 5, JUnit 4, TestNG.
const SETS_UP: [&str; 14] = [
    "BeforeEach",
    "AfterEach",
    "BeforeAll",
    "AfterAll",
    "Before",
    "After",
    "BeforeClass",
    "AfterClass",
    "BeforeMethod",
    "AfterMethod",
    "BeforeTest",
    "AfterTest",
    "BeforeSuite",
    "AfterSuite",
];
/// Bases of one file that are looked through.
const MAX_BASES: usize = 8;

/// Whether an annotation of that name stands among the modifiers, whatever package it is written with.
pub(super) fn annotated(modifiers: &str, wanted: &str) -> bool {
    let written = modifiers.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let mut names = written.map(|word| word.split(|c: char| !c.is_alphanumeric() && c != '.').next());
    names.any(|name| name.and_then(|name| name.rsplit('.').next()) == Some(wanted))
}

/// Whether a method is run before or after tests.
pub(super) fn sets_up(modifiers: &str) -> bool {
    SETS_UP.iter().any(|name| annotated(modifiers, name))
}

/// Whether a method is a test: it says so, or its class says so of all its methods, or it is one by its name in a test case.
pub(super) fn is_test(method: &Shape<'_>, of_test_case: bool, of_tests: bool) -> bool {
    if TESTS.iter().any(|name| annotated(method.modifiers, name)) {
        return true;
    }
    let has = |wanted: &str| method.modifiers.split_whitespace().any(|word| word == wanted);
    let is_run = has("public") && !has("static") && !has("abstract") && method.gives_nothing;
    let is_apart = sets_up(method.modifiers) || annotated(method.modifiers, "DataProvider");
    is_run
        && !is_apart
        && (of_tests || of_test_case && method.takes_nothing && method.name.starts_with("test"))
}

/// Whether a class is one of JUnit 3, by what it extends: the base is named as test cases are, or stands in the same file and is
/// one.
pub(super) fn is_test_case(facts: &FileFacts, class: DefIx) -> bool {
    let mut class = class;
    for _ in 0..MAX_BASES {
        let Some(base) = base(&facts.def(class).signature) else { return false };
        if ["Test", "TestCase", "Tests", "Tester"].iter().any(|end| base.ends_with(end)) {
            return true;
        }
        let of_file = (0..).map(DefIx).zip(&facts.defs);
        let mut named = of_file.filter(|(_, other)| other.kind.is_type() && facts.text(other.name) == base);
        match named.next() {
            Some((found, _)) if found != class => class = found,
            _ => return false,
        }
    }
    false
}

/// What a class extends, without its package and its types.
fn base(signature: &str) -> Option<&str> {
    let (_, after) = signature.split_once(" extends ")?;
    // Bounds of the class's own types come before.
    let after = match signature.split_once('<') {
        Some((head, _)) if !head.contains(" extends ") => after_types(signature)?.split_once("extends ")?.1,
        _ => after,
    };
    let name = after.trim_start().split(|c: char| !c.is_alphanumeric() && !"._$".contains(c)).next()?;
    name.rsplit('.').next().filter(|name| !name.is_empty())
}

/// What stands behind the first list of types.
fn after_types(signature: &str) -> Option<&str> {
    let mut depth = 0_u32;
    for (at, letter) in signature.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if depth == 1 => return Some(&signature[at + 1..]),
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_of_a_class_is_read_past_its_own_types() {
        assert_eq!(base("public class A extends junit.framework.TestCase"), Some("TestCase"));
        assert_eq!(base("class A<T extends B<C>> extends D<T> implements E"), Some("D"));
        assert_eq!(base("class A<T extends B<C>>"), None);
        assert_eq!(base("class A implements B"), None);
    }

    #[test]
    fn annotations_are_known_wherever_they_stand() {
        assert!(annotated("@Override @org.junit.Test(expected = A.class) public", "Test"));
        assert!(!annotated("@TestOnly public", "Test"));
        assert!(sets_up("@BeforeEach") && sets_up("@BeforeClass(alwaysRun = true) static"));
    }
}
