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
    /// A lock is taken.
    locks: &'static str,
}

const LANGUAGES: [Language; 3] = [
    Language {
        name: "python",
        declares: r"^([A-Za-z_]\w*)(?:\s*:[^=]+)?\s*=[^=]",
        safe: r"Lock\(|[lL]ocal\(|ContextVar\(|Queue\(|getLogger\(|namedtuple\(|TypeVar\(|Semaphore\(|Event\(",
        changes: r"(\s*(?:=[^=]|[-+*/|&]=)|\[[^=]*\]\s*[-+|&]?=[^=]|\.(?:append|add|update|pop|clear|extend|remove|setdefault|insert|discard|popitem|appendleft)\()",
        locks: r"(?i)\bwith\s+[\w.]*(?:lock|mutex|semaphore|condition)|\.acquire\(",
    },
    Language {
        name: "go",
        declares: r"^(?:var\s+|\t)([A-Za-z_]\w*)\b(?:\s+[^=]+)?(?:\s*=|$)",
        safe: r"sync\.|atomic\.|\bchan\b|errors\.New|regexp\.MustCompile|fmt\.Errorf|template\.Must",
        changes: r"(\s*(?:=[^=]|[-+*/|&]=|\+\+|--)|\[[^=]*\]\s*(?:[-+|&]?=[^=]|\+\+|--))",
        locks: r"\.R?Lock\(\)|\.Do\(|atomic\.",
    },
    Language {
        name: "java",
        declares: r"^\s+(?:(?:public|protected|private|transient)\s+)*static\s+(?:final\s+)?[\w<>\[\], .?]+?\s+(\w+)\s*(?:=|;)",
        safe: r"volatile|Atomic|Concurrent|ThreadLocal|synchronized|Collections\.unmodifiable",
        changes: r"(\s*(?:=[^=]|[-+*/|&]=|\+\+|--)|\[[^=]*\]\s*(?:[-+|&]?=[^=]|\+\+|--)|\.(?:put|add|remove|clear|putIfAbsent|putAll|addAll|computeIfAbsent)\()",
        locks: r"\bsynchronized\b|\.lock\(\)|\.readLock\(|\.writeLock\(",
    },
];

/// The patterns of one language, ready to use.
pub struct Patterns {
    language: &'static str,
    declares: Regex,
    safe: Regex,
    changes: &'static str,
    locks: Regex,
}

/// Nothing for languages of which no patterns are known.
pub fn patterns(language: &str) -> Option<&'static Patterns> {
    static ALL: LazyLock<Vec<Patterns>> = LazyLock::new(|| LANGUAGES.iter().map(Patterns::of).collect());
    ALL.iter().find(|patterns| patterns.language == language)
}

/// Changes of shared state in one function: the name, and how many lines after its first.
pub type Change = (String, usize);

impl Patterns {
    fn of(language: &Language) -> Self {
        let regex = |text: &str| Regex::new(text).expect("tested");
        Self {
            language: language.name,
            declares: regex(language.declares),
            safe: regex(language.safe),
            changes: language.changes,
            locks: regex(language.locks),
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

    pub fn holds_lock(&self, source: &str) -> bool {
        self.locks.is_match(source)
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
        for (at, statement) in self.statements(source) {
            let deletes = || self.deletes.as_ref().and_then(|deletes| deletes.captures(statement));
            let Some(hit) = self.regex.captures(statement).or_else(deletes) else { continue };
            let (name, how) = (&hit[1], hit.get(2).map_or("", |how| how.as_str()).trim_start());
            let is_assigned = !how.starts_with(['[', '.']);
            if !self.is_own(source, name, is_assigned) && !found.iter().any(|(known, _)| known == name) {
                found.push((name.to_owned(), at));
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
        assert!(patterns("python").unwrap().holds_lock("    with self._lock:\n"));
        assert!(!patterns("python").unwrap().holds_lock("    with open(path) as file:\n"));
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
        assert!(patterns("go").unwrap().holds_lock("\tb.Lock()\n"));
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
        assert!(patterns("cobol").is_none());
    }
}
