//! Taint: which dangerous calls can be reached from where input comes in, and whether anything on the way looks at it.
//!
//! This follows calls, not values: a way says that the call may run for that entry, not that its input arrives there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::LazyLock;

use m1nd_graph::{EdgeKind, Evidence, Graph, NodeIx};
use regex::Regex;

mod built;
mod imported;

use built::Built;
pub use imported::Imported;

/// What a dangerous call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sink {
    /// Runs code or a program.
    Execute,
    /// SQL put together from pieces.
    Sql,
    /// Makes objects from bytes.
    Deserialize,
    /// Puts text into a page as it is.
    Markup,
    /// Writes or removes files.
    Files,
}

impl Sink {
    pub fn name(self) -> &'static str {
        match self {
            Sink::Execute => "execute",
            Sink::Sql => "sql",
            Sink::Deserialize => "deserialize",
            Sink::Markup => "markup",
            Sink::Files => "files",
        }
    }
}

/// How dangerous calls are written, by language.
const SINKS: &[(&[&str], Sink, &str)] = &[
    (&["python"], Sink::Execute, r"(?:^|[^\w.])(?:eval|exec)\(|\bos\.(?:system|popen)\(|\bsubprocess\.\w+\("),
    (
        &["python"],
        Sink::Sql,
        r#"\.(?:execute|executemany|executescript|raw)\(\s*(?:f["']|["'][^"']*["']\s*(?:%|\+|\.format)|\w+\s*[%+])"#,
    ),
    (&["python"], Sink::Deserialize, r"\b(?:pickle|marshal)\.loads?\(|\byaml\.(?:load|unsafe_load)\("),
    (&["python"], Sink::Markup, r"\bmark_safe\(|\bMarkup\("),
    (
        &["python"],
        Sink::Files,
        r#"\bopen\([^)]*["'][wax]b?\+?["']|\.write_(?:text|bytes)\(|\bshutil\.(?:rmtree|move)\(|\bos\.(?:remove|unlink)\("#,
    ),
    (
        JS,
        Sink::Execute,
        r"(?:^|[^\w.])eval\(|\bnew Function\(|\bchild_process\.\w+\(|(?:^|[^\w.])(?:exec|execSync|spawn|spawnSync)\(",
    ),
    (JS, Sink::Sql, r"\.(?:query|execute|raw)\(\s*`[^`]*\$\{"),
    (JS, Sink::Markup, r"\.innerHTML\s*=|dangerouslySetInnerHTML|\bdocument\.write\("),
    (JS, Sink::Files, r"\b(?:writeFile|writeFileSync|unlinkSync|rmSync)\("),
    (&["go"], Sink::Execute, r"\bexec\.Command(?:Context)?\("),
    (&["go"], Sink::Sql, r#"\.(?:Query|QueryRow|Exec)(?:Context)?\([^)]*(?:fmt\.Sprintf|"\s*\+)"#),
    (&["go"], Sink::Deserialize, r"\bgob\.NewDecoder\("),
    (&["go"], Sink::Markup, r"\btemplate\.(?:HTML|JS)\("),
    (&["go"], Sink::Files, r"\bos\.(?:WriteFile|Create|OpenFile|Remove|RemoveAll)\("),
    (&["java"], Sink::Execute, r"\.exec\(|\bnew ProcessBuilder\("),
    (&["java"], Sink::Sql, r#"\.(?:execute|executeQuery|executeUpdate|prepareStatement)\([^)]*"\s*\+"#),
    (&["java"], Sink::Deserialize, r"\bnew ObjectInputStream\(|\.readObject\(\)"),
    (
        &["java"],
        Sink::Files,
        r"\bnew (?:FileOutputStream|FileWriter)\(|\bFiles\.(?:write|writeString|delete)\(",
    ),
];
const JS: &[&str] = &["javascript", "typescript", "tsx"];

/// Calls whose names say that they look at input, or make it harmless.
const BOUNDARY: &str = r"(?i)\b(\w*(?:validat|sanitiz|sanitis|escap|clean|authoriz|authoris|authenticat|permission|verify|quote|is_valid|has_perm)\w*)\s*\(";

struct Patterns {
    sinks: Vec<(&'static [&'static str], Sink, Regex)>,
    boundary: Regex,
}

fn patterns() -> &'static Patterns {
    static ALL: LazyLock<Patterns> = LazyLock::new(|| {
        let regex = |text: &str| Regex::new(text).expect("tested");
        let sinks = SINKS.iter().map(|&(languages, sink, text)| (languages, sink, regex(text))).collect();
        Patterns { sinks, boundary: regex(BOUNDARY) }
    });
    &ALL
}

/// Whether dangerous calls of a language are known.
pub fn knows(language: &str) -> bool {
    SINKS.iter().any(|(languages, ..)| languages.contains(&language))
}

/// A dangerous call in the source of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub sink: Sink,
    /// How many lines after the first.
    pub after: usize,
    /// The last name of what is called, as the language's own libraries write it.
    pub name: String,
}

/// Every dangerous call in the source of one function.
pub fn sinks(language: &str, source: &str, imported: &Imported) -> Vec<Call> {
    let mut found: Vec<Call> = Vec::new();
    let mut built = Built::of(language);
    for (after, line) in source.lines().enumerate() {
        // Comments, and the heads of functions that are called like what is looked for.
        let Some(code) = behind_head(line.trim_start()) else { continue };
        let code = &*imported.spelled_out(code);
        if let Some(name) = built.runs(code) {
            found.push(Call { sink: Sink::Sql, after, name });
        }
        for (languages, sink, regex) in &patterns().sinks {
            if !languages.contains(&language) {
                continue;
            }
            for call in regex.find_iter(code).filter(|call| !is_constant(&code[call.end()..])) {
                // SQL that is put together where it is run is one call, however it is seen.
                if *sink != Sink::Sql || !found.iter().any(|one| one.sink == Sink::Sql && one.after == after)
                {
                    found.push(Call { sink: *sink, after, name: last_name(call.as_str()).to_owned() });
                }
            }
        }
    }
    found
}

/// The last name before the bracket.
fn last_name(call: &str) -> &str {
    let head = call.split('(').next().unwrap_or(call);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    head.rsplit(|letter| !is_part(letter)).find(|part| !part.is_empty()).unwrap_or_default()
}

/// What a line does; nothing for a comment or the head of a function that says nothing more.
fn behind_head(line: &str) -> Option<&str> {
    if ["#", "//", "*", "/*"].iter().any(|start| line.starts_with(start)) {
        return None;
    }
    if !["def ", "async def "].iter().any(|start| line.starts_with(start)) {
        return Some(line);
    }
    let mut depth = 0_i32;
    for (at, letter) in line.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ':' if depth == 0 => return Some(line[at + 1..].trim()).filter(|rest| !rest.is_empty()),
            _ => {}
        }
    }
    None
}

/// Whether the first argument is a text that stands there as a whole: no input gets into that.
fn is_constant(arguments: &str) -> bool {
    let arguments = arguments.trim_start();
    let Some(quote) = arguments.chars().next().filter(|first| ['"', '\''].contains(first)) else {
        return false;
    };
    let Some((text, after)) = arguments[1..].split_once(quote) else { return false };
    // A shell runs what comes after it.
    let is_shell = ["sh", "bash", "cmd", "powershell"]
        .iter()
        .any(|shell| text.trim_end_matches(".exe").ends_with(shell));
    after.trim_start().starts_with([',', ')']) && !is_shell
}

/// Whether the name of a call says that it looks at input, or makes it harmless.
pub fn looks(name: &str) -> bool {
    patterns().boundary.is_match(&format!("{name}("))
}

/// Names of calls in a source that look at input, in their order, each once.
pub fn boundaries(source: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for hit in patterns().boundary.captures_iter(source) {
        if !found.iter().any(|known| known == &hit[1]) {
            found.push(hit[1].to_owned());
        }
    }
    found
}

/// The shortest way from an entry to everything that entries reach over calls that are certain, by the node before it.
pub fn reached(graph: &Graph, entries: &[NodeIx]) -> BTreeMap<NodeIx, Option<NodeIx>> {
    let mut before: BTreeMap<NodeIx, Option<NodeIx>> = entries.iter().map(|&node| (node, None)).collect();
    let mut open: VecDeque<NodeIx> = before.keys().copied().collect();
    while let Some(node) = open.pop_front() {
        for edge in graph.outgoing(node).filter(|edge| edge.kind == EdgeKind::Calls) {
            let is_guess = matches!(edge.evidence, Evidence::Inferred { candidates } if candidates > 1);
            if is_guess || before.contains_key(&edge.target) {
                continue;
            }
            before.insert(edge.target, Some(node));
            open.push_back(edge.target);
            for inner in constructors(graph, edge.target) {
                before.entry(inner).or_insert_with(|| {
                    open.push_back(inner);
                    Some(edge.target)
                });
            }
        }
    }
    before
}

/// What runs when a class is called.
fn constructors(graph: &Graph, class: NodeIx) -> Vec<NodeIx> {
    let node = graph.node(class);
    if !node.kind().is_type() {
        return Vec::new();
    }
    let is_made_by = |label: &str| ["__init__", "__new__", "constructor", node.label()].contains(&label);
    graph
        .targets(class, EdgeKind::Contains)
        .filter(|&inner| graph.node(inner).kind().is_callable() && is_made_by(graph.node(inner).label()))
        .collect()
}

/// The way to a node, the entry first.
pub fn way(before: &BTreeMap<NodeIx, Option<NodeIx>>, to: NodeIx) -> Vec<NodeIx> {
    let mut way = vec![to];
    while let Some(&Some(node)) = way.last().and_then(|last| before.get(last)) {
        way.push(node);
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, graph};

    #[test]
    fn the_shortest_way_is_kept_and_guesses_are_none() {
        let graph =
            graph("get calls a\na calls b\nb calls run\nget calls c\nc calls run\nput calls far ?2\n");
        let before = reached(&graph, &[at(&graph, "get"), at(&graph, "put")]);
        let names: Vec<&str> =
            way(&before, at(&graph, "run")).into_iter().map(|node| graph.node(node).id()).collect();
        assert_eq!(names, ["get", "c", "run"]);
        assert!(!before.contains_key(&at(&graph, "far")));
        let graph = crate::testing::graph(
            "get calls Pool\nPool contains __init__\nPool contains close\n__init__ calls run\n",
        );
        let before = reached(&graph, &[at(&graph, "get")]);
        assert!(before.contains_key(&at(&graph, "run")) && !before.contains_key(&at(&graph, "close")));
    }

    #[test]
    fn dangerous_calls_are_told_from_like_ones() {
        let found = |language: &str, line: &str| {
            sinks(language, line, &Imported::default())
                .into_iter()
                .map(|call| call.sink.name())
                .collect::<Vec<_>>()
        };
        assert_eq!(found("python", "    os.system(command)"), ["execute"]);
        assert_eq!(found("python", "    cursor.execute(f\"select {x}\")"), ["sql"]);
        assert_eq!(found("python", "    cursor.execute(\"select %s\", [x])"), [""; 0]);
        assert_eq!(found("python", "    frame.eval(x)"), [""; 0]);
        assert_eq!(found("python", "    # eval(x)"), [""; 0]);
        assert_eq!(found("python", "def mark_safe(text):"), [""; 0]);
        assert_eq!(found("python", "    open(path, 'wb')"), ["files"]);
        assert_eq!(found("python", "    open(path)"), [""; 0]);
        assert_eq!(found("python", "def p(c: str) -> int: os.system(c)"), ["execute"]);
        assert_eq!(found("typescript", "  db.query(`select ${x}`)"), ["sql"]);
        assert_eq!(found("typescript", "  regex.exec(x)"), [""; 0]);
        assert_eq!(found("typescript", "  exec('net use', { hide: true })"), [""; 0]);
        assert_eq!(found("typescript", "  exec('net ' + x)"), ["execute"]);
        assert_eq!(found("go", "\texec.Command(name)"), ["execute"]);
        assert_eq!(found("go", "\texec.Command(\"sh\", \"-c\", x)"), ["execute"]);
        assert_eq!(found("java", "  new ObjectInputStream(in)"), ["deserialize"]);
        let go = "\tq := fmt.Sprintf(\"select %s\", x)\n\trows, err := db.Query(q)";
        assert_eq!(found("go", go), ["sql"]);
        assert_eq!(found("go", "\tq := \"select 1\"\n\tdb.QueryContext(ctx, q)"), [""; 0]);
        assert_eq!(found("go", "\tq := \"select \" + x\n\tdb.QueryContext(ctx, q, 1)"), ["sql"]);
        assert_eq!(found("go", "\tq := \"select \" + x\n\tq = \"select 1\"\n\tdb.Query(q)"), [""; 0]);
        assert_eq!(found("java", "  String q = \"select \" + x;\n  s.executeQuery(q);"), ["sql"]);
        assert_eq!(found("python", "    q = f\"select {x}\"\n    cur.execute(q)"), ["sql"]);
        assert_eq!(found("python", "    q = \"select 1\"\n    q += x\n    cur.execute(q, [y])"), ["sql"]);
        assert_eq!(found("python", "    q = f\"select {x}\"\n    cur.execute(other)"), [""; 0]);
        assert_eq!(found("typescript", "  const q = `select ${x}`;\n  db.query(q)"), ["sql"]);
        // Each of several is told, with its line and its name.
        let several =
            sinks("go", "\texec.Command(x)\n\texec.Command(y); exec.Command(z)", &Imported::default());
        let several: Vec<(usize, &str)> =
            several.iter().map(|call| (call.after, call.name.as_str())).collect();
        assert_eq!(several, [(0, "Command"), (1, "Command"), (1, "Command")]);
        assert!(looks("validateInput") && !looks("run"));
        assert!(!knows("rust") && knows("tsx"));
        assert_eq!(boundaries("if form.is_valid():\n  x = escape(y)"), ["is_valid", "escape"]);
    }
}
