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

/// What a file is about, going by its name: `test_cart.py`, `CartTest.java` and `cart.spec.ts` are about `cart`.
pub fn subject(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let bare = stem.strip_prefix("test_").unwrap_or(stem);
    let bare = ["_test", "_tests", "_spec", "Tests", "TestCase", "Test"]
        .iter()
        .find_map(|ending| bare.strip_suffix(ending))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(bare);
    bare.to_lowercase()
}

/// How many leading folders two paths share, and how many the deeper one has.
pub fn common_folders(a: &str, b: &str) -> (usize, usize) {
    let folders = |path: &str| path.matches('/').count();
    let all = folders(a).max(folders(b));
    let (a, b) = (a.rsplit_once('/').map_or("", |(f, _)| f), b.rsplit_once('/').map_or("", |(f, _)| f));
    let same = a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count();
    (same, all)
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

    #[test]
    fn a_test_is_about_what_it_is_called_after() {
        for path in ["a/cart.py", "test_cart.py", "CartTest.java", "t/cart.spec.ts", "cart_test.go"] {
            assert_eq!(subject(path), "cart", "{path}");
        }
        assert_eq!(subject("Test.java"), "test");
    }

    #[test]
    fn folders_in_common_are_counted_from_the_root() {
        assert_eq!(common_folders("a/b/c.rs", "a/b/d.rs"), (2, 2));
        assert_eq!(common_folders("a/b/c.rs", "a/x/b/d.rs"), (1, 3));
        assert_eq!(common_folders("c.rs", "a/d.rs"), (0, 1));
        assert_eq!(common_folders("c.rs", "d.rs"), (0, 0));
    }
}
