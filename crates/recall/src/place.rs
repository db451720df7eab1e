//! What the place of a file says: whether it is of the product, or stands beside it.

/// Whether people put tests there.
pub fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let is_folder = |part: &str| {
        matches!(
            part,
            "tests"
                | "test"
                | "spec"
                | "specs"
                | "js_tests"
                | "testing"
                | "testdata"
                | "e2e"
                | "unittest"
                | "unittests"
                | "testsuite"
                | "test-support"
                | "fixtures"
                | "__fixtures__"
                | "__mocks__"
                | "playground"
                | "Tests"
        ) || part.starts_with("__tests")
            || part.ends_with("-tests")
            || part.ends_with("-test")
            || part.ends_with("_tests")
            || part.ends_with("Tests")
            || part.ends_with("Test") && part.len() > 4
    };
    folders.split('/').any(is_folder)
        || matches!(stem, "tests" | "test" | "conftest")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || is_camel_test(stem)
        || name.contains(".spec.")
        || name.contains(".test.")
        || name.contains(".bench.")
}

/// `CartTest` and `CartTests`, but not `Contest`.
fn is_camel_test(stem: &str) -> bool {
    let before = stem
        .strip_suffix("Test")
        .or_else(|| stem.strip_suffix("Tests"))
        .or_else(|| stem.strip_suffix("TestCase"));
    before.is_some_and(|before| before.ends_with(|c: char| c.is_lowercase() || c.is_numeric()))
}

/// Whether it is beside the product: tests, examples, fixtures, benchmarks.
pub fn is_beside(path: &str) -> bool {
    let beside = |part: &str| {
        matches!(
            part,
            "examples"
                | "example"
                | "samples"
                | "demo"
                | "demos"
                | "playground"
                | "fixtures"
                | "testdata"
                | "benches"
                | "bench"
                | "benchmarks"
                | "benchmark"
                | "__fixtures__"
                | "__mocks__"
        )
    };
    is_test(path) || path.split('/').rev().skip(1).any(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_from_the_product() {
        for path in
            ["a/tests/b.rs", "test_x.py", "a_test.go", "x.spec.ts", "a/CartTest.java", "__tests__/a.js"]
        {
            assert!(is_test(path), "{path}");
        }
        for path in
            ["src/contest.rs", "src/Contest.java", "src/attest.go", "src/latest/a.py", "src/Test.java"]
        {
            assert!(!is_test(path), "{path}");
        }
        assert!(is_beside("examples/a.rs") && !is_beside("src/example.rs"));
    }
}
