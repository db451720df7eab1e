//! Structures: places of a file that have a suspicious shape, found by queries over its tree. Whether they are wrong is for others to
//! judge, who know what the names lead to.

mod closed;
mod excuse;
mod fails;
mod queries;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator as _};

use crate::languages;
use crate::walk;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Errors that are dropped.
    ErrorHandling,
    /// Things that are opened and perhaps not closed.
    ResourceCleanup,
    /// Work that is started and not waited for.
    Concurrency,
}

/// A place of that shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    /// What was seen, in words.
    pub what: &'static str,
    /// What is called, caught or opened.
    pub name: String,
    /// Why it may well be right.
    pub excuse: Option<&'static str>,
    /// Whether it is one only if what it calls is as it has to be: returns an error, is asynchronous.
    pub rests_on_callee: bool,
    /// Whether what it calls is one of a standard library's that return an error.
    pub is_known_to_fail: bool,
}

/// Longer parses are given up.
const PARSE_LIMIT: Duration = Duration::from_secs(2);

/// Places of a shape in a file, in order. Nothing where the language has no such shape here, or cannot be read.
pub fn places(path: &str, source: &str, shape: Shape) -> Option<Vec<Place>> {
    let language = languages::of_path(path)?;
    let query = query(language, shape)?;
    let tree = walk::parse(&(language.grammar)(), source.as_bytes(), PARSE_LIMIT).ok()?;
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), source.as_bytes());
    let names = query.capture_names();
    let mut found: Vec<Place> = Vec::new();
    while let Some(one) = matches.next() {
        let captured = |wanted: &str| -> Option<Node<'_>> {
            one.captures().iter().find(|capture| names[capture.index as usize] == wanted).map(|c| c.node)
        };
        let Some(node) = captured("found") else { continue };
        let seen = excuse::Seen { node, name: captured("name"), body: captured("body"), source };
        let Some(what) = queries::what(language.family, shape, one.pattern_index) else { continue };
        let Some(excuse) = excuse::judge(language.family, shape, &seen) else { continue };
        found.push(Place {
            line: node.start_position().row as u32 + 1,
            what,
            name: seen
                .name
                .or_else(|| excuse::caught(&seen))
                .map_or_else(String::new, |node| name_of(node, source)),
            excuse,
            is_known_to_fail: shape == Shape::ErrorHandling
                && seen.name.is_some_and(|name| fails::is_known(language.family, seen.text(name))),
            rests_on_callee: queries::rests_on_callee(language.family, shape, one.pattern_index),
        });
    }
    found.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    found.dedup();
    Some(found)
}

/// Whether a shape is known in a language.
pub fn is_known(path: &str, shape: Shape) -> bool {
    languages::of_path(path).is_some_and(|language| queries::of(language.family, shape).is_some())
}

/// The name of what is called, caught or made: of a chain the last one.
fn name_of(node: Node<'_>, source: &str) -> String {
    let parts = ["field", "attribute", "property", "name"];
    let member = parts.iter().find_map(|part| node.child_by_field_name(part)).unwrap_or(node);
    last_name(source.get(member.byte_range()).unwrap_or_default())
}

/// What stands after the last dot, without what it is given.
fn last_name(text: &str) -> String {
    let head = text.split(['(', '<']).next().unwrap_or(text);
    head.rsplit(['.', ':']).next().unwrap_or(head).trim().to_owned()
}

/// Queries are compiled once for each grammar.
fn query(language: &'static languages::Language, shape: Shape) -> Option<Arc<Query>> {
    type Known = BTreeMap<(&'static str, Shape), Arc<Query>>;
    static ALL: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let text = queries::of(language.family, shape)?;
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(&(language.name, shape)) {
        return Some(Arc::clone(known));
    }
    let query = match Query::new(&(language.grammar)(), text) {
        Ok(query) => Arc::new(query),
        Err(err) => {
            debug_assert!(false, "{} {shape:?}: {err}", language.name);
            return None;
        }
    };
    all.insert((language.name, shape), Arc::clone(&query));
    Some(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, source: &str, shape: Shape) -> Vec<String> {
        let found = places(path, source, shape).unwrap();
        found
            .iter()
            .map(|one| {
                let excuse = one.excuse.map_or_else(String::new, |why| format!(" ({why})"));
                format!("{} {}{excuse}", one.line, one.name)
            })
            .collect()
    }

    #[test]
    fn every_query_compiles_for_every_grammar_of_its_family() {
        for language in languages::all() {
            for shape in [Shape::ErrorHandling, Shape::ResourceCleanup, Shape::Concurrency] {
                if let Some(text) = queries::of(language.family, shape) {
                    let query = Query::new(&(language.grammar)(), text);
                    let query = query.unwrap_or_else(|err| panic!("{} {shape:?}: {err}", language.name));
                    for pattern in 0..query.pattern_count() {
                        assert!(queries::what(language.family, shape, pattern).is_some());
                    }
                }
            }
        }
    }

    #[test]
    fn dropped_errors_are_seen() {
        let python = "try:\n    a()\nexcept:\n    pass\ntry:\n    a()\nexcept KeyError:\n    pass\ntry:\n    a()\nexcept Exception:\n    # fine\n    pass\ntry:\n    a()\nexcept Exception:\n    log()\n";
        assert_eq!(
            shown("a.py", python, Shape::ErrorHandling),
            ["3 ", "7 KeyError (only what is named is dropped)", "11 Exception (a comment says why)"]
        );
        let ts =
            "try { a() } catch (e) {}\ntry { a() } catch { /* fine */ }\ntry { a() } catch (e) { log(e) }\n";
        assert_eq!(shown("a.ts", ts, Shape::ErrorHandling), ["1 ", "2  (a comment says why)"]);
        let java = "class A { void f() {\ntry { a(); } catch (Exception e) {}\ntry { a(); } catch (InterruptedException ignored) {}\n} }\n";
        assert_eq!(
            shown("A.java", java, Shape::ErrorHandling),
            ["2 Exception", "3 InterruptedException (its name says that it is ignored)"]
        );
        let gives = "for x in y:\n    try:\n        a()\n    except Exception:\n        continue\ndef f():\n    try:\n        a()\n    except Exception:\n        return None\ndef g():\n    try:\n        a()\n    except Exception:\n        return 1\n";
        assert_eq!(shown("a.py", gives, Shape::ErrorHandling), ["4 Exception", "9 Exception"]);
        let go = "package a\nfunc f() {\n\t_ = g()\n\tx, _ := h()\n\t_, y := h()\n\tx, _ = h()\n}\n";
        assert_eq!(shown("a.go", go, Shape::ErrorHandling), ["3 g", "4 h", "6 h"]);
        let known = "package a\nfunc f() {\n\tb, _ := json.Marshal(x)\n\t_ = os.Remove(y)\n\tv, _ := cache.Load(y)\n}\n";
        let fails = |path: &str, text: &str| -> Vec<(u32, bool)> {
            let found = places(path, text, Shape::ErrorHandling).unwrap();
            found.iter().map(|one| (one.line, one.is_known_to_fail)).collect()
        };
        assert_eq!(fails("a.go", known), [(3, true), (4, true), (5, false)]);
        let known = "fn f() {\n    let _ = std::fs::remove_file(x);\n    let _ = x.get();\n}\n";
        assert_eq!(fails("a.rs", known), [(2, true), (3, false)]);
        let cleanup = "package a\nfunc f() {\n\t_ = tx.Rollback()\n\t_ = tx.Commit()\n}\n";
        assert_eq!(
            shown("a.go", cleanup, Shape::ErrorHandling),
            ["3 Rollback (it cleans up, and its own error has nobody to go to)", "4 Commit"]
        );
        let rust = "fn f() {\n    let _ = x.g();\n    let _guard = h();\n    // Nobody minds.\n    let _ = h(x);\n}\n";
        assert_eq!(shown("a.rs", rust, Shape::ErrorHandling), ["2 g", "5 h (a comment says why)"]);
    }

    #[test]
    fn what_is_opened_and_not_closed_is_seen() {
        let python = "def a():\n    f = open('x')\n    return f.read()\n\ndef b():\n    with open('x') as f:\n        pass\n\ndef c():\n    f = open('x')\n    f.close()\n\ndef d():\n    return open('x')\n";
        assert_eq!(
            shown("a.py", python, Shape::ResourceCleanup),
            ["2 open", "10 open (it is closed in the same function)", "14 open (it is handed to the caller)"]
        );
        let go = "package a\nfunc f() {\n\tx, err := os.Open(p)\n\tdefer x.Close()\n}\nfunc g() {\n\tx, _ := os.Create(p)\n\tuse(x)\n}\n";
        assert_eq!(
            shown("a.go", go, Shape::ResourceCleanup),
            ["3 Open (it is closed in the same function)", "7 Create"]
        );
        // What becomes a part of something that is given back, or of what outlives the function, is not left open here.
        let owned = "package a\nfunc f() (*S, error) {\n\tx, err := os.Open(p)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn &S{file: x}, nil\n}\n\
                     func (s *S) g() {\n\ts.file, _ = os.Create(p)\n}\nfunc h() net.Listener {\n\tl, _ := net.Listen(a, b)\n\tl = limit(l)\n\treturn l\n}\n\
                     func i() int {\n\tx, _ := os.Open(p)\n\treturn count(x.Name())\n}\n";
        assert_eq!(
            shown("a.go", owned, Shape::ResourceCleanup),
            [
                "3 Open (it is kept in an object that may close it)",
                "10 Create (it is kept in an object that may close it)",
                "13 Listen (it is handed to the caller)",
                "18 Open"
            ]
        );
        // A handle is closed only where it is the one that is closed.
        let two = "package a\nfunc f() {\n\tf, err := os.Open(a)\n\tg, err := os.Open(b)\n\tdefer g.Close()\n\tr, err := http.Get(u)\n\tdefer r.Body.Close()\n}\n";
        assert_eq!(
            shown("a.go", two, Shape::ResourceCleanup),
            [
                "3 Open",
                "4 Open (it is closed in the same function)",
                "6 Get (it is closed in the same function)"
            ]
        );
        let two = "def a(x):\n    f = open(a)\n    g = open(b)\n    g.close()\n\ndef b(x):\n    f, g = open(a), open(b)\n    with f:\n        pass\n\ndef c(x):\n    f = x.enter_context(open(a))\n    g = open(b)\n    w = Wrapper(g)\n    w.close()\n";
        assert_eq!(
            shown("a.py", two, Shape::ResourceCleanup),
            [
                "2 open",
                "3 open (it is closed in the same function)",
                "7 open (it is closed in the same function)",
                "7 open",
                "12 open (it is closed in the same function)",
                "13 open (it is closed in the same function)"
            ]
        );
        let two = "class A { void f() {\nReader x = new FileReader(p);\nReader y = new FileReader(q);\nReader z = new BufferedReader(y);\nz.close();\n} }\n";
        assert_eq!(
            shown("A.java", two, Shape::ResourceCleanup),
            ["2 FileReader", "3 FileReader (it is closed in the same function)"]
        );
        let java = "class A { void f() {\ntry (Reader r = new FileReader(p)) { }\nReader x = new FileReader(p);\n} }\n";
        assert_eq!(shown("A.java", java, Shape::ResourceCleanup), ["3 FileReader"]);
    }

    #[test]
    fn work_that_nobody_waits_for_is_seen() {
        let python = "async def f():\n    g()\n    await g()\n    x = g()\n";
        assert_eq!(shown("a.py", python, Shape::Concurrency), ["2 g"]);
        let ts = "async function f() { a.g(); await g(); void g(); return g() }\nfunction h() { g() }\n";
        assert_eq!(
            shown("a.ts", ts, Shape::Concurrency),
            ["1 g", "2 g (what calls it is not asynchronous and cannot wait)"]
        );
        let chain = "async fn f() {\n    x.g()\n        .await\n        .h();\n}\n";
        assert_eq!(shown("a.rs", chain, Shape::Concurrency), ["2 h"]);
        assert_eq!(places("a.rb", "x", Shape::Concurrency), None);
    }
}
