//! One bad file costs at most that file, and says why.

use m1nd_ingest::classify::Reason;
use m1nd_ingest::{Ingest, Listed, Outcome};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::{ManualClock, SystemClock};
use rayon::prelude::*;

/// The outcome of one file beside a good one, which must stay whole.
fn outcome(path: &str, bytes: &[u8]) -> Outcome {
    let good = b"pub fn good() {}\n";
    let listed =
        |path: &str, size: usize| Listed { path: path.to_owned(), size: size as u64, modified_ns: 0 };
    let listing = [listed(path, bytes.len()), listed("src/good.rs", good.len())];
    let read = |wanted: &str| Ok(if wanted == path { bytes.to_vec() } else { good.to_vec() });
    let mut ingest = Ingest::new("x");
    let done = ingest
        .refresh(&listing, read, &ManualClock::default(), 1 << 60, &CancelToken::new())
        .expect("nobody stops it");
    let graph = done.graph.expect("a first generation");
    assert!(graph.find_node("good").is_ok(), "the good file is there");
    assert!(graph.node_by_path(path).is_some(), "the bad file is a node all the same");
    let found = ingest.outcomes().find(|(known, _)| *known == path).map(|(_, outcome)| outcome);
    found.expect("the file has an outcome")
}

#[test]
fn nesting_a_hundred_thousand_deep_ends() {
    for (path, open, close) in [
        ("a.rs", "fn f() { let x = ", ""),
        ("a.py", "x = ", ""),
        ("a.ts", "const x = ", ""),
        ("a.js", "const x = ", ""),
    ] {
        let text = format!("{open}{}1{}{close}", "(".repeat(100_000), ")".repeat(100_000));
        // One line of that length is what a shrinker writes; broken up it is parsed.
        let text = text.replace("((((((((((", "((((((((((\n");
        let seen = outcome(path, text.as_bytes());
        assert!(
            matches!(seen, Outcome::Partial(Reason::SyntaxErrors) | Outcome::Failed(Reason::TimedOut)),
            "{path}: {seen:?}"
        );
    }
}

#[test]
fn deep_types_chains_and_blocks_end() {
    let chain = format!("fn f() {{ x{} }}\n", "\n.y()".repeat(20_000));
    let blocks = format!("fn f() {{\n{}{}\n}}\n", "{\n".repeat(20_000), "}\n".repeat(20_000));
    let types = format!("fn f(x: {}u8{}) {{}}\n", "Vec<\n".repeat(20_000), ">\n".repeat(20_000));
    let classes =
        "class A:\n".to_owned() + &(1..200).map(|n| " ".repeat(n) + "class A:\n").collect::<String>();
    let arrows = format!("const f = {}1\n", "() =>\n ".repeat(20_000));
    for (path, text) in
        [("a.rs", chain), ("b.rs", blocks), ("c.rs", types), ("d.py", classes), ("e.ts", arrows)]
    {
        let seen = outcome(path, text.as_bytes());
        assert!(!matches!(seen, Outcome::Failed(Reason::Crashed)), "{path}: {seen:?}");
    }
}

#[test]
fn each_kind_of_file_that_is_no_source_says_what_it_is() {
    assert_eq!(outcome("a.rs", b"\x7fELF\0\0"), Outcome::Skipped(Reason::Binary));
    assert_eq!(outcome("a.js", "x".repeat(100_000).as_bytes()), Outcome::Skipped(Reason::Minified));
    assert_eq!(outcome("a.py", &vec![b'x'; 3 << 20]), Outcome::Skipped(Reason::TooLarge));
    assert_eq!(outcome("Cargo.lock", b"version = 4"), Outcome::Skipped(Reason::LockFile));
    assert_eq!(outcome("notes.txt", b"hello"), Outcome::Unsupported);
    assert_eq!(outcome("a.rs", b"fn f() {}\n// \xff\n"), Outcome::Partial(Reason::NotUtf8));
    assert_eq!(outcome("a.rs", b"fn broken( {"), Outcome::Partial(Reason::SyntaxErrors));
    // What hides no definition makes no file partial.
    assert_eq!(outcome("a.rs", b"fn f() {\n    g(str![\"x\"]);\n}\n"), Outcome::Indexed);
    assert_eq!(outcome("a.rs", b"---\n[package]\n---\nfn main() {}\n"), Outcome::Indexed);
    assert_eq!(outcome("a.cpp", b"TEST_CASE(\"x\") { f(); }\n"), Outcome::Indexed);
    assert_eq!(outcome("a.cpp", b"class A { void f( {\n"), Outcome::Partial(Reason::SyntaxErrors));
    assert_eq!(outcome("crlf.py", b"def f():\r\n    return 1\r\n"), Outcome::Indexed);
    let wide: Vec<u8> = "\u{feff}fn wide() {}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(outcome("wide.rs", &wide), Outcome::Indexed);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let listing = [Listed { path: "a.rs".to_owned(), size: 1, modified_ns: 0 }];
    let mut ingest = Ingest::new("x");
    let done = ingest
        .refresh(
            &listing,
            |_| Err::<Vec<u8>, _>(Reason::Unreadable),
            &SystemClock::new(),
            1 << 60,
            &CancelToken::new(),
        )
        .expect("nobody stops it");
    assert_eq!(done.report.failures, [("a.rs".to_owned(), "unreadable")]);
}

#[test]
fn cyclic_types_bases_and_aliases_end() {
    outcome("a.rs", b"type A = B;\ntype B = A;\nfn f(a: A) { a.go(); }\ntrait X: Y {} trait Y: X {}\nfn g(x: &dyn X) { x.go(); }\n");
    outcome(
        "a.py",
        b"class A(B): ...\nclass B(A): ...\ndef f(a: A):\n    a.go()\n    x = y\n    y = x\n    y.go()\n",
    );
    outcome("a.ts", b"class A extends B {}\nclass B extends A {}\nfunction f(a: A) { a.go(); return f(a) }\ntype T = U; type U = T\nfunction g(t: T) { t.go(); g(g(t)) }\n");
}

/// A little of every syntax: what is cut out of it is broken in every language.
const PIECES: &str = "class A < B { def f(x) do fn g() -> int { return h(x.y::z<T>[1], \"s\", 'c'); } end }\n\
    namespace n { template <typename T> struct S : public Q { S(int a) : q(a) {} virtual ~S(); }; }\n\
    import a.b.{C, D}; use A\\B; #include \"x.h\"\nfunction M.f(a) local x = require('y') end\n\
    <?php $a->b(c: 1); ?> @doc \"\"\"x\"\"\" const Z = struct { pub fn k() void {} }; <<EOF\nx\nEOF\n";

/// Forty names of which each is given what four others give: walked on every way, they would never end.
#[test]
fn values_that_lead_to_each_other_end() {
    let others = |nth: usize| [1, 7, 13, 29].map(|step| (nth * 3 + step) % 40);
    let each = |line: &dyn Fn(usize) -> String| (0..40).map(line).collect::<String>();
    let functions = each(&|nth| {
        let calls = others(nth).map(|other| format!("if (x) return f{other}().go()\n"));
        format!("function f{nth}() {{\n{}}}\n", calls.concat())
    });
    let fields =
        each(&|nth| others(nth).map(|other| format!("this.v{nth} = this.v{other}.next()\n")).concat());
    let class = format!("class Circle {{\nrun() {{\n{fields}this.v0.next()\n}}\nnext() {{}}\n}}\n");
    let python = each(&|nth| {
        let calls = others(nth).map(|other| format!("    if x: return f{other}().go()\n"));
        format!("def f{nth}():\n{}", calls.concat())
    });
    let top = each(&|nth| others(nth).map(|other| format!("if x: v{nth} = v{other}.next()\n")).concat());
    for (path, text) in [("a.js", functions), ("b.ts", class), ("c.py", python), ("d.py", top)] {
        assert!(matches!(outcome(path, text.as_bytes()), Outcome::Indexed), "{path}");
    }
}

#[test]
fn no_language_panics_hangs_or_overflows_on_hostile_text() {
    let limit = std::time::Duration::from_millis(60);
    // A small generator: the same bytes on every run.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let noise: Vec<u8> = (0..20_000).map(|_| random() as u8).collect();
    let mut inputs: Vec<Vec<u8>> = vec![Vec::new(), noise, vec![b'a'; 1 << 20], b"a b ".repeat(100_000)];
    for pair in ["()", "[]", "{}", "<>", "do end "] {
        let (open, close) = pair.split_at(pair.len() / 2);
        inputs.push((open.repeat(100_000) + &close.repeat(100_000)).into_bytes());
        inputs.push(pair.repeat(50_000).into_bytes());
    }
    for _ in 0..40 {
        let (from, to) = (random() as usize % PIECES.len(), random() as usize % PIECES.len());
        inputs.push(PIECES.as_bytes()[from.min(to)..from.max(to)].to_vec());
    }
    let languages: Vec<_> = m1nd_ingest::languages::all().collect();
    languages.into_par_iter().for_each(|language| {
        let path = format!("src/a.{}", language.extensions[0]);
        for input in &inputs {
            let text = String::from_utf8_lossy(input);
            if let Ok(facts) = (language.extract)(&path, text.as_bytes(), limit) {
                assert_eq!(facts.language, language.name);
                assert!(facts.defs.iter().all(|def| def.line_start <= def.line_end));
            }
        }
    });
}
