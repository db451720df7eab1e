//! Named: the files that a claim speaks of.

use crate::claim::Claim;
use crate::situation::Situation;
use crate::state::State;

/// The files of the repository that a word may name: the one at that path, or all whose paths end so.
pub type Names<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// Words of a claim that may be paths; whoever names more names none.
const MOST_WORDS: usize = 64;
/// No path is longer, in bytes.
const LONGEST: usize = 400;

/// What stands around a path in a sentence, besides blanks.
const AROUND: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '"', '\'', '`', '=', '|', '#'];
/// What a sentence puts behind one.
const BEHIND: &[char] = &['.', ':', '!', '?', '*', ')', ']', '}', '>', ',', ';', '"', '\'', '`'];
/// What it puts before one.
const BEFORE: &[char] = &['(', '[', '{', '<', '"', '\'', '`', '*'];

/// Files that have no ending.
const UNENDING: [&str; 16] = [
    "Dockerfile",
    "Containerfile",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Justfile",
    "justfile",
    "Rakefile",
    "Gemfile",
    "Procfile",
    "Vagrantfile",
    "Jenkinsfile",
    "Pipfile",
    "Brewfile",
    "LICENSE",
    "CODEOWNERS",
];
/// Endings by which a word with folders in it can only be a file.
const ENDINGS: [&str; 40] = [
    "py", "pyi", "rs", "go", "js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "java", "kt", "scala", "rb",
    "php", "c", "h", "cc", "cpp", "hpp", "cs", "swift", "lua", "sh", "bash", "sql", "md", "rst", "txt",
    "json", "yaml", "yml", "toml", "ini", "cfg", "lock", "html", "css", "xml",
];

/// The files that a text names, each once, in its order. A word that is no file of the repository names none: it may be a
/// method, a module, or a file that the text says is not there. Nor does one that many files end with.
pub fn named_in(text: &str, names: Names<'_>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for group in groups_in(text, names) {
        if let [only] = group.as_slice()
            && !files.contains(only)
        {
            files.push(only.clone());
        }
    }
    files
}

/// For each word of a text that names files, those that it may mean: of some of many that are called so, one.
pub(crate) fn groups_in(text: &str, names: Names<'_>) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let words = text.split_whitespace().filter(|word| is_like_a_path(word));
    for word in words.take(MOST_WORDS) {
        let whole = word.trim_start_matches(BEFORE).trim_end_matches(BEHIND);
        let found = match named(whole, names) {
            Some(found) => vec![found],
            None => {
                word.split(AROUND).filter_map(|part| named(part.trim_end_matches(BEHIND), names)).collect()
            }
        };
        for group in found {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
    groups
}

/// The first path of a text that can only be a file, and that the repository has not.
pub(crate) fn no_such_in<'t>(text: &'t str, names: Names<'_>) -> Option<&'t str> {
    let words = text.split_whitespace().filter(|word| word.contains('/')).take(MOST_WORDS);
    let bare = words.map(|word| word.trim_start_matches(BEFORE).trim_end_matches(BEHIND));
    let mut files = bare.filter_map(|word| Some((word, file_in(word)?)));
    files.find(|(word, _)| named(word, names).is_none()).map(|(_, path)| path)
}

/// The path of `a/b.py`, `a/b.py:12` or `a/b.py::test_c`, by its form: a word that can only be a file.
pub(crate) fn file_in(word: &str) -> Option<&str> {
    let path = word.split([':', '#']).next().unwrap_or(word);
    let is_plain = path.chars().all(|letter| letter.is_alphanumeric() || "_-./".contains(letter));
    let (name, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    // `Node.js` names no file.
    let is_word = !path.contains('/') && name.starts_with(char::is_uppercase);
    (is_plain && !name.is_empty() && !is_word && ENDINGS.contains(&ending)).then_some(path)
}

/// Files, whatever stands behind them: `a.py:12`, `a.py:route`, `a.py::route`.
fn named(word: &str, names: Names<'_>) -> Option<Vec<String>> {
    let mut word = word;
    loop {
        if is_like_a_path(word) {
            let found = names(word);
            if !found.is_empty() {
                return Some(found);
            }
        }
        word = word.rsplit_once(':')?.0.trim_end_matches(':');
    }
}

pub(crate) fn is_like_a_path(word: &str) -> bool {
    let has_end = || word.split('.').skip(1).any(|end| end.starts_with(char::is_alphanumeric));
    let is_unending = || {
        let bare = word.trim_start_matches(BEFORE).trim_end_matches(BEHIND);
        UNENDING.contains(&bare.split(':').next().unwrap_or(bare))
    };
    word.len() > 2 && word.len() < LONGEST && (word.contains('/') || has_end() || is_unending())
}

/// The lines that a text names, with their file: `a.py:12`, `a.py:10-20`, `a.py#L12`; and `line 12`, where it names one file, or
/// none and `other` is given.
pub(crate) fn lines_in(text: &str, names: Names<'_>, other: &Option<String>) -> Vec<(String, u64, u64)> {
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS * 8).collect();
    for word in words.iter().filter(|word| is_like_a_path(word)).take(MOST_WORDS) {
        let word = word.trim_start_matches(BEFORE).trim_end_matches(BEHIND);
        let parts: Vec<&str> = word.split(&AROUND[..AROUND.len() - 1]).collect();
        for part in parts {
            let (path, lines) = match part.split_once("#L").or_else(|| part.split_once(':')) {
                Some((path, lines)) => (path, lines.split(':').next().unwrap_or_default()),
                None => continue,
            };
            let is_lines =
                !lines.is_empty() && lines.bytes().all(|byte| byte.is_ascii_digit() || b"-L".contains(&byte));
            if let (true, [file], Some((first, last))) = (is_lines, names(path).as_slice(), span(lines)) {
                found.push((file.clone(), first, last));
            }
        }
    }
    let files = named_in(text, names);
    let about = match files.as_slice() {
        [] => other.clone(),
        [only] => Some(only.clone()),
        _ => None,
    };
    let Some(about) = about else { return found };
    for pair in words.windows(2) {
        let is_line = ["line", "lines"].contains(&pair[0].trim_start_matches(BEFORE).to_lowercase().as_str());
        let number = pair[1].trim_end_matches(BEHIND).trim_end_matches("'s");
        if let Some((first, last)) = span(number).filter(|_| is_line) {
            found.push((about.clone(), first, last));
        }
    }
    found
}

/// `12`, `10-20` or `L10-L20`.
fn span(text: &str) -> Option<(u64, u64)> {
    let number = |part: &str| part.trim_start_matches('L').parse::<u64>().ok();
    match text.split_once('-') {
        Some((first, last)) => number(first).zip(number(last)).filter(|(first, last)| first <= last),
        None => number(text).map(|line| (line, line)),
    }
}

/// What the planner does about a claim that names files: cite the look at one of them, or look.
pub(crate) enum Towards {
    /// The event that showed one of them, and that the claim does not cite.
    Cite(crate::ids::EventId),
    Read(String),
}

pub(crate) fn towards(state: &State, claim: &Claim, situation: &Situation<'_>) -> Option<Towards> {
    let named = named_in(&claim.text, situation.names);
    for path in named {
        let seen = state
            .files
            .get(&path)
            .filter(|seen| seen.content_hash.as_ref().is_some_and(|hash| situation.is_current(&path, hash)));
        match seen {
            Some(seen) if claim.event_ids.contains(&seen.event_id) => {}
            Some(seen) => return Some(Towards::Cite(seen.event_id.clone())),
            None => return Some(Towards::Read(path)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<String> {
        let all = ["src/flask/app.py", "docs/index.md", "pages/[id].tsx", "lib::/src/b.rs", "a.min.js"];
        named_in(text, &|word| {
            let ends = all.iter().filter(|path| **path == word || path.ends_with(&format!("/{word}")));
            ends.map(|path| (*path).to_owned()).collect()
        })
    }

    #[test]
    fn a_sentence_names_files_however_they_are_written() {
        for text in [
            "src/flask/app.py:route drops methods",
            "In `src/flask/app.py:12-20`, route drops methods.",
            "app.py drops methods",
            "route (app.py::Flask::route) drops methods",
            "see flask/app.py.",
            "Is it (src/flask/app.py)?",
            "src/flask/app.py#L12 is wrong",
        ] {
            assert_eq!(files(text), ["src/flask/app.py"], "{text}");
        }
        assert_eq!(files("pages/[id].tsx and `lib::/src/b.rs:3`"), ["pages/[id].tsx", "lib::/src/b.rs"]);
        assert_eq!(files("docs/index.md says what app.py:1 does"), ["docs/index.md", "src/flask/app.py"]);
        for text in [
            "Flask.route drops methods",
            "no/such.py is not there",
            "it is so, e.g. here",
            "1.5 times",
            "a/b",
        ] {
            assert_eq!(files(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn files_without_code_and_without_endings_are_named_too() {
        let all = ["ci/build.yml", "setup.cfg", "Dockerfile", "a/mod.rs", "b/mod.rs", "poetry.lock"];
        let names: Names<'_> = &|word| {
            let ends = all.iter().filter(|path| **path == word || path.ends_with(&format!("/{word}")));
            ends.map(|path| (*path).to_owned()).collect()
        };
        let groups = |text: &str| groups_in(text, names);
        for (text, file) in [
            ("build.yml runs the tests", "ci/build.yml"),
            ("setup.cfg's options", "setup.cfg"),
            ("the Dockerfile copies it", "Dockerfile"),
            ("`Dockerfile:3` copies it", "Dockerfile"),
            ("poetry.lock pins it", "poetry.lock"),
        ] {
            assert_eq!(groups(text), [[file]], "{text}");
        }
        assert_eq!(groups("mod.rs declares it"), [["a/mod.rs", "b/mod.rs"]]);
        assert_eq!(named_in("mod.rs declares it", names), Vec::<String>::new());
        assert_eq!(no_such_in("src/nope.py:12 drops it", names), Some("src/nope.py"));
        for text in ["ci/build.yml is there", "Node.js is used", "and/or", "https://x.org/a.html?b", "a/b::c"]
        {
            assert_eq!(no_such_in(text, names), None, "{text}");
        }
    }

    #[test]
    fn a_sentence_names_lines_of_its_files() {
        let names: Names<'_> =
            &|word| if ["src/a.py", "b.rs"].contains(&word) { vec![word.to_owned()] } else { Vec::new() };
        let lines = |text: &str, other: Option<&str>| lines_in(text, names, &other.map(str::to_owned));
        let of = |path: &str, first: u64, last: u64| vec![(path.to_owned(), first, last)];
        assert_eq!(lines("src/a.py:12 drops it", None), of("src/a.py", 12, 12));
        assert_eq!(lines("In `src/a.py:10-20`, it drops.", None), of("src/a.py", 10, 20));
        assert_eq!(lines("src/a.py:12:5: no", None), of("src/a.py", 12, 12));
        assert_eq!(lines("(src/a.py#L7)", None), of("src/a.py", 7, 7));
        assert_eq!(lines("line 9 of src/a.py drops", None), of("src/a.py", 9, 9));
        assert_eq!(lines("line 9 drops", Some("b.rs")), of("b.rs", 9, 9));
        assert_eq!(lines("line 9 of src/a.py or b.rs", None), vec![]);
        assert_eq!(lines("src/a.py:route drops 12 lines", None), vec![]);
    }
}
