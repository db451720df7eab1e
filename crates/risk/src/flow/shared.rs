//! Shared state: variables of a module that its functions change, as the text of a language shows them.
//!
//! Known are Python, Go and Java. Only names of the same file (in Go, of the same folder) are seen, and only as the beginning of
//! a statement; changes through other names are not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// What is known of a language.
struct Language {
    name: &'static str,
    /// The variable, as a line declares it outside of functions.
    declares: &'static str,
    /// Values and types that are safe to share, or never change.
    safe: &'static str,
    /// What changes a variable, after its name.
    changes: &'static str,
    /// Words of locks: without them none is taken.
    locks: &'static str,
    /// Calls that take one, give it back, or hold it while what they are given runs.
    takes: &'static [&'static str],
    gives: &'static [&'static str],
    around: &'static [&'static str],
    /// What a block holds while it runs.
    blocks: &'static str,
}

const LANGUAGES: [Language; 3] = [
    Language {
        name: "python",
        declares: r"^([A-Za-z_]\w*)(?:\s*:[^=]+)?\s*=[^=]",
        safe: r"Lock\(|[lL]ocal\(|ContextVar\(|Queue\(|getLogger\(|namedtuple\(|TypeVar\(|Semaphore\(|Event\(",
        changes: r"(\s*(?:=[^=]|[-+*/|&]=)|\[[^=]*\]\s*[-+|&]?=[^=]|\.(?:append|add|update|pop|clear|extend|remove|setdefault|insert|discard|popitem|appendleft)\()",
        locks: r"(?i)\bwith\b.*(?:lock|mutex|semaphore|condition)|\.acquire\(",
        takes: &["acquire"],
        gives: &["release"],
        around: &[],
        blocks: r"(?i)^[\w.]*(?:lock|mutex|semaphore|condition)",
    },
    Language {
        name: "go",
        declares: r"^(?:var\s+|\t)([A-Za-z_]\w*)\b(?:\s+[^=]+)?(?:\s*=|$)",
        safe: r"sync\.|atomic\.|\bchan\b|errors\.New|regexp\.MustCompile|fmt\.Errorf|template\.Must",
        changes: r"(\s*(?:=[^=]|[-+*/|&]=|\+\+|--)|\[[^=]*\]\s*(?:[-+|&]?=[^=]|\+\+|--))",
        locks: r"\.R?Lock\(\)|\.Do\(",
        takes: &["Lock", "RLock"],
        gives: &["Unlock", "RUnlock"],
        around: &["Do"],
        blocks: "^$",
    },
    Language {
        name: "java",
        declares: r"^\s+(?:(?:public|protected|private|transient)\s+)*static\s+(?:final\s+)?[\w<>\[\], .?]+?\s+(\w+)\s*(?:=|;)",
        safe: r"volatile|Atomic|Concurrent|ThreadLocal|synchronized|Collections\.unmodifiable",
        changes: r"(\s*(?:=[^=]|[-+*/|&]=|\+\+|--)|\[[^=]*\]\s*(?:[-+|&]?=[^=]|\+\+|--)|\.(?:put|add|remove|clear|putIfAbsent|putAll|addAll|computeIfAbsent)\()",
        locks: r"\bsynchronized\b|\.lock\(\)|\.lockInterruptibly\(\)",
        takes: &["lock", "lockInterruptibly"],
        gives: &["unlock"],
        around: &[],
        blocks: "",
    },
];

/// The patterns of one language, ready to use.
pub struct Patterns {
    language: &'static str,
    declares: Regex,
    safe: Regex,
    changes: &'static str,
    locks: Regex,
    blocks: Regex,
    language_of: &'static Language,
}

/// What a call or the head of a block does with a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    Takes,
    Gives,
    /// Holds it while what it is given, or the block, runs.
    Around,
}

/// Nothing for languages of which no patterns are known.
pub fn patterns(language: &str) -> Option<&'static Patterns> {
    static ALL: LazyLock<Vec<Patterns>> = LazyLock::new(|| LANGUAGES.iter().map(Patterns::of).collect());
    ALL.iter().find(|patterns| patterns.language == language)
}

/// Changes of shared state in one function: the name, and how many lines after its first.
pub type Change = (String, usize);

impl Patterns {
    fn of(language: &'static Language) -> Self {
        let regex = |text: &str| Regex::new(text).expect("tested");
        Self {
            language: language.name,
            declares: regex(language.declares),
            safe: regex(language.safe),
            changes: language.changes,
            locks: regex(language.locks),
            blocks: regex(language.blocks),
            language_of: language,
        }
    }

    /// Names that belong together: those of a file, or of a folder.
    pub fn home<'p>(&self, path: &'p str) -> &'p str {
        if self.language == "go" { path.rsplit_once('/').map_or("", |(folder, _)| folder) } else { path }
    }

    /// Variables of a file that outlive its functions and are not safe to share.
    pub fn declared(&self, text: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut in_block = false;
        for line in text.lines() {
            if self.language == "go" {
                in_block = (in_block || line.starts_with("var (")) && !line.starts_with(')');
                if line.starts_with('\t') && !in_block {
                    continue;
                }
            }
            let Some(found) = self.declares.captures(line) else { continue };
            // A constant container of Java can be changed, any other constant cannot.
            let is_constant = self.language == "java" && line.contains(" final ");
            let holds =
                [" new HashMap", " new ArrayList", " new HashSet", " new LinkedHashMap", " new TreeMap"];
            let is_container = holds.iter().any(|value| line.contains(value));
            // Go's blank keeps nothing.
            let is_blank = &found[1] == "_";
            if !is_blank && !self.safe.is_match(line) && (!is_constant || is_container) {
                names.insert(found[1].to_owned());
            }
        }
        names
    }

    /// Whether a source speaks of a lock at all.
    pub fn names_lock(&self, source: &str) -> bool {
        self.locks.is_match(source)
    }

    /// Whether a whole function is under a lock, by its head.
    pub fn is_locked(&self, source: &str) -> bool {
        let head = source.split(['(', '{']).next().unwrap_or_default();
        self.language == "java" && words(head).any(|word| word == "synchronized")
    }

    /// What a call does with a lock, by its name.
    pub fn call(&self, name: &str) -> Option<Lock> {
        let known = self.language_of;
        match name {
            name if known.takes.contains(&name) => Some(Lock::Takes),
            name if known.gives.contains(&name) => Some(Lock::Gives),
            name if known.around.contains(&name) => Some(Lock::Around),
            _ => None,
        }
    }

    /// The same for the head of a block.
    pub fn block(&self, head: &str) -> Option<Lock> {
        self.blocks.is_match(head).then_some(Lock::Around)
    }

    /// Whether a statement begins with a change of a name.
    pub fn is_change_of(&self, name: &str, statement: &str) -> bool {
        let statement = statement.trim_start();
        let begins = |text: &str| {
            let rest = text.strip_prefix(name);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let given = |call: &str| statement.strip_prefix(call).is_some_and(|rest| begins(rest.trim_start()));
        match self.language {
            "go" => begins(statement) || given("delete(") || given("clear("),
            "java" => {
                let bare = statement.split_once('.').filter(|(class, _)| words(class).count() == 1);
                begins(statement.trim_start_matches(['+', '-'])) || bare.is_some_and(|(_, rest)| begins(rest))
            }
            _ => begins(statement),
        }
    }

    /// Finds changes of any of these names; nothing where there are none to look for.
    pub fn finder(&self, names: &BTreeSet<String>) -> Option<Finder> {
        if names.is_empty() {
            return None;
        }
        let any = names.iter().map(|name| regex::escape(name)).collect::<Vec<_>>().join("|");
        let before = if self.language == "java" { r"(?:[A-Z]\w*\.)?" } else { "" };
        let regex = Regex::new(&format!(r"^\s*{before}({any}){}", self.changes)).ok()?;
        let deletes = Regex::new(&format!(r"^\s*(?:delete|clear)\(\s*({any})\s*[,)]")).ok()?;
        let deletes = (self.language == "go").then_some(deletes);
        Some(Finder { language: self.language, regex, deletes })
    }
}

/// Looks for changes of some names.
pub struct Finder {
    language: &'static str,
    regex: Regex,
    /// Go takes something out of a map with a call.
    deletes: Option<Regex>,
}

impl Finder {
    /// The changes in the source of one function. A name that is its own (an argument, a local variable) is none of them.
    pub fn changes(&self, source: &str) -> Vec<Change> {
        let mut found: Vec<Change> = Vec::new();
        for change in self.all(source) {
            if !found.iter().any(|(known, _)| *known == change.0) {
                found.push(change);
            }
        }
        found
    }

    /// The same with every change of a name.
    pub fn all(&self, source: &str) -> Vec<Change> {
        let mut found: Vec<Change> = Vec::new();
        for (at, statement) in self.statements(source) {
            let deletes = || self.deletes.as_ref().and_then(|deletes| deletes.captures(statement));
            let Some(hit) = self.regex.captures(statement).or_else(deletes) else { continue };
            let (name, how) = (&hit[1], hit.get(2).map_or("", |how| how.as_str()).trim_start());
            let is_assigned = !how.starts_with(['[', '.']);
            let change = (name.to_owned(), at);
            if !self.is_own(source, name, is_assigned) && !found.contains(&change) {
                found.push(change);
            }
        }
        found
    }

    /// What is written behind the head of the function, with the number of its line after the first.
    fn statements<'s>(&self, source: &'s str) -> Vec<(usize, &'s str)> {
        let (head, body) = source.split_at(self.body_at(source));
        let first = head.matches('\n').count();
        let ends: &[char] = if self.language == "python" { &[';'] } else { &[';', '{', '}'] };
        let lines = body.lines().enumerate();
        lines.flat_map(|(at, line)| line.split(ends).map(move |part| (first + at, part))).collect()
    }

    /// Where the head of the function ends: behind the colon or the bracket after its parameters.
    fn body_at(&self, source: &str) -> usize {
        let mark = if self.language == "python" { ':' } else { '{' };
        let start = match self.language {
            // What decorates it may have calls of its own.
            "python" => source.find("def ").unwrap_or_default(),
            _ => 0,
        };
        let mut depth = 0_i32;
        for (at, letter) in source[start..].char_indices() {
            match letter {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                // `interface{}` is a type.
                _ if letter == mark
                    && depth == 0
                    && !source[start..start + at].ends_with("interface")
                    && !source[start..start + at].ends_with("struct") =>
                {
                    return start + at + 1;
                }
                _ => {}
            }
        }
        source.find('\n').map_or(source.len(), |at| at + 1)
    }

    fn is_own(&self, source: &str, name: &str, is_assigned: bool) -> bool {
        let has = |line: &str, word: &str| words(line).any(|other| other == word);
        let (head, source) = source.split_at(self.body_at(source));
        // What decorates a function is none of its arguments.
        let from = if self.language == "python" { head.find("def ").unwrap_or_default() } else { 0 };
        if has(&head[from..], name) {
            return true;
        }
        let mut lines = source.lines().map(str::trim_start);
        match self.language {
            "python" => {
                let is_global = lines.any(|line| line.starts_with("global ") && has(line, name));
                let binds = |line: &str| {
                    let rest = line.trim_start().strip_prefix(name);
                    rest.is_some_and(|rest| {
                        rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==")
                    })
                };
                !is_global && (is_assigned || source.lines().any(binds))
            }
            "go" => lines.any(|line| {
                let declares = line.split_once(":=").is_some_and(|(left, _)| has(left, name));
                declares || line.starts_with("var ") && has(line, name)
            }),
            // A local variable has a type before its name.
            _ => lines.any(|line| {
                let typed = line.find(&format!(" {name} =")).or_else(|| line.find(&format!(" {name};")));
                typed.is_some_and(|at| at > 0 && !line.starts_with("return"))
            }),
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(language: &str, file: &str, function: &str) -> Vec<String> {
        let patterns = patterns(language).unwrap();
        let finder = patterns.finder(&patterns.declared(file)).unwrap();
        finder.changes(function).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn python_changes_a_global_or_what_a_module_holds() {
        let file = "cache = {}\n_lock = Lock()\ncount: int = 0\nlog = getLogger()\ndef f():\n    inner = 1\n";
        let names = patterns("python").unwrap().declared(file);
        assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), ["cache", "count"]);
        assert_eq!(changed("python", file, "def f(x):\n    global count\n    count += 1\n"), ["count"]);
        assert_eq!(changed("python", file, "def f(x):\n    count = 1\n    cache[x] = 1\n"), ["cache"]);
        assert_eq!(changed("python", file, "def f(k): cache[k] = 1\n"), ["cache"]);
        assert_eq!(
            changed("python", file, "@on(cache)\ndef f(k: int = 2) -> int: cache[k] = 1\n"),
            ["cache"]
        );
        assert_eq!(changed("python", file, "def f(cache):\n    cache[1] = 1\n"), [""; 0]);
        assert_eq!(changed("python", file, "def f():\n    cache = {}\n    cache.update(a=1)\n"), [""; 0]);
        let python = patterns("python").unwrap();
        assert!(python.names_lock("    with self._lock:\n"));
        assert!(!python.names_lock("    with open(path) as file:\n"));
        assert_eq!(python.block("self._lock"), Some(Lock::Around));
        assert_eq!(python.block("open(lock)"), None);
        assert!(python.is_change_of("count", "count += 1") && !python.is_change_of("count", "counter = 1"));
        let finder = python.finder(&python.declared(file)).unwrap();
        assert_eq!(finder.all("def f(x):\n    cache[x] = 1\n    cache[x] = 2\n").len(), 2);
    }

    #[test]
    fn go_changes_what_its_package_declares() {
        let file = "var a = 1\nvar _ = check(a)\nvar g []func()\nvar b sync.Mutex\nvar (\n\tc map[string]int\n\td = 2\n)\nfunc f() {\n\te = 3\n}\n";
        let names = patterns("go").unwrap().declared(file);
        assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "c", "d", "g"]);
        assert_eq!(changed("go", file, "func f() {\n\ta++\n\tc[\"x\"] = 1\n}\n"), ["a", "c"]);
        assert_eq!(changed("go", file, "func f(a int) {\n\ta = 2\n\td := 1\n\td = 3\n}\n"), [""; 0]);
        assert_eq!(changed("go", file, "func One() { a++ }\n"), ["a"]);
        assert_eq!(changed("go", file, "func One(x interface{}) { c[1]++; delete(c, x) }\n"), ["c"]);
        assert_eq!(
            changed("go", file, "func f(k string) {\n\tdelete(c, k)\n\tif k == \"\" { d = 1 }\n}\n"),
            ["c", "d"]
        );
        assert_eq!(changed("go", file, "func f(a int) { a++ }\n"), [""; 0]);
        let go = patterns("go").unwrap();
        assert!(go.names_lock("\tb.Lock()\n"));
        assert_eq!((go.call("Lock"), go.call("RUnlock")), (Some(Lock::Takes), Some(Lock::Gives)));
        assert!(go.is_change_of("c", "delete(c, x)") && go.is_change_of("c", "c[1]++"));
    }

    #[test]
    fn java_changes_static_fields_that_are_not_safe() {
        let file = "class A {\n  private static int count = 0;\n  static final int MAX = 3;\n  static final Map<K, V> all = new HashMap<>();\n  static volatile int v;\n";
        let names = patterns("java").unwrap().declared(file);
        assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), ["all", "count"]);
        assert_eq!(
            changed("java", file, "void f() {\n  A.count++;\n  all.put(a, b);\n}\n"),
            ["count", "all"]
        );
        assert_eq!(changed("java", file, "void f() {\n  int count = 0;\n  count = 2;\n}\n"), [""; 0]);
        assert_eq!(changed("java", file, "void f() { count++; }\n"), ["count"]);
        let java = patterns("java").unwrap();
        assert!(java.is_change_of("count", "A.count++;") && java.is_change_of("count", "++count;"));
        assert!(java.is_locked("static synchronized void f() {"));
        assert!(!java.is_locked("void f() {\n  synchronized (a) {"));
        assert!(patterns("cobol").is_none());
    }
}
