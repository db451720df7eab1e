//! Tally: how many entries, variants, fields or parameters a claim says that something has, counted in the text that was shown.

use crate::code_words::{Kind, code_words};
use crate::event::Event;
use crate::extent::{extents, has_name, indent, without_texts};
use crate::grounds::is_line_shown;
use crate::mode::Mode;
use crate::quantity::number;
use crate::situation::Situation;
use crate::{covered, grounds};

/// What stands between the brackets of something.
const ENTRIES: [&str; 20] = [
    "entries",
    "entry",
    "elements",
    "element",
    "items",
    "item",
    "keys",
    "key",
    "members",
    "member",
    "variants",
    "variant",
    "fields",
    "field",
    "values",
    "value",
    "cases",
    "attributes",
    "strings",
    "names",
];
/// What stands between the brackets behind the name of a function.
const PARAMETERS: [&str; 8] =
    ["parameters", "parameter", "params", "param", "arguments", "argument", "args", "arg"];
/// Verbs by which something has them.
const HAS: [&str; 16] = [
    "has",
    "have",
    "takes",
    "take",
    "accepts",
    "contains",
    "contain",
    "defines",
    "declares",
    "lists",
    "holds",
    "with",
    "expects",
    "receives",
    "enumerates",
    "consists",
];
/// Words between a verb and how many, or before it.
const FAR: usize = 3;
/// Lines above a definition that belong to it, at most.
const ABOVE: usize = 20;
/// No list that is counted goes over more lines.
const LONGEST: usize = 2_000;

/// How many of what a sentence says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    text: String,
    thing: String,
    least: u64,
    most: u64,
    of_parameters: bool,
}

/// The numbers of a sentence that say how many something has; they stand in no line.
pub(crate) fn numbers_in(said: &str) -> Vec<String> {
    said_in(said).into_iter().map(|one| one.text).collect()
}

fn said_in(said: &str) -> Vec<Said> {
    let trim = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = said.split_whitespace().map(trim).collect();
    let at = |place: usize| words.get(place).map_or("", String::as_str);
    let mut all = Vec::new();
    for place in 1..words.len() {
        let Some(count) = number(at(place)) else { continue };
        let thing = (place + 1..=place + 2)
            .find(|next| ENTRIES.contains(&at(*next)) || PARAMETERS.contains(&at(*next)));
        let Some(thing) = thing else { continue };
        let (first, before) = (place.saturating_sub(FAR), at(place - 1));
        let twice = place.checked_sub(2).map_or("", at);
        let has = (first..place).rfind(|verb| HAS.contains(&at(*verb)));
        // What a case of something has, its text does not say: `for lists with one item`.
        let is_of_a_case =
            has.is_some_and(|verb| at(verb) == "with" && verb > 1 && at(verb - 1).ends_with('s'));
        if has.is_none() || is_of_a_case {
            continue;
        }
        let (least, most) = match (twice, before) {
            ("at", "least") => (count, u64::MAX),
            ("more", "than") | (_, "over") => (count + 1, u64::MAX),
            ("at", "most") => (0, count),
            ("less" | "fewer", "than") => (0, count.saturating_sub(1)),
            _ => (count, count),
        };
        let of_parameters = PARAMETERS.contains(&at(thing));
        all.push(Said {
            text: at(place).to_owned(),
            thing: at(thing).to_owned(),
            least,
            most,
            of_parameters,
        });
    }
    all
}

/// Why what was shown does not bear out how many entries or parameters a claim says that something has.
pub(crate) fn miscounted(
    claim: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<String> {
    said_in(claim).iter().find_map(|said| miscounts(claim, said, cited, situation, mode))
}

fn miscounts(
    claim: &str,
    said: &Said,
    cited: &[&Event],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<String> {
    let Said { text: number, thing, least, most, of_parameters } = said;
    let is_known = |word: &str| !(situation.defined)(word).is_empty();
    let quoted = covered::quoted(claim, cited, situation, mode);
    // The definitions that it names, and the line that is quoted.
    let mut places: Vec<(String, u64, String)> = Vec::new();
    let mut names: Vec<String> = code_words(claim, &is_known)
        .into_iter()
        .filter_map(|word| match word.kind {
            Kind::Name(parts) => Some(parts),
            _ => None,
        })
        .filter_map(|mut parts| parts.pop())
        .collect();
    names.extend(first_word(claim));
    for name in &names {
        let known = grounds::defined_as(claim, name, situation);
        for at in &known {
            let start = grounds::span_of(at).map(|(path, first, _)| (path, first)).or_else(|| {
                let (path, line) = at.rsplit_once(':')?;
                Some((path.to_owned(), line.parse().ok()?))
            });
            places.extend(start.map(|(path, line)| (path, line, name.clone())));
        }
        for place in quoted.iter().filter(|_| known.is_empty()) {
            let Some(text) = (situation.text_of)(&place.path) else { continue };
            let own = extents(&place.path, &text, name).into_iter();
            places.extend(own.map(|(first, _)| (place.path.clone(), first, name.clone())));
        }
    }
    if places.is_empty() {
        places.extend(quoted.iter().map(|place| (place.path.clone(), place.line, String::new())));
    }
    let mut counted = None;
    for (path, line, name) in places {
        let Some(text) = (situation.text_of)(&path) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let start = usize::try_from(line).unwrap_or(1).saturating_sub(1);
        // What stands above a definition may belong to it: attributes, decorators.
        let has_name = |at: &usize| name.is_empty() || has_name(lines[*at], &name);
        let Some(start) = (start..lines.len()).take(ABOVE).find(has_name) else { continue };
        let line = start as u64 + 1;
        let tallied = if *of_parameters {
            parameters(&lines, start, &name)
        } else {
            entries(&path, &lines, start, &name)
        };
        let Some((counts, last)) = tallied else { continue };
        let end = last as u64 + 1;
        if let Some(hidden) = (line..=end).find(|line| !is_line_shown(&path, *line, cited)) {
            return Some(format!(
                "It says {number} {thing}, and line {hidden} of {path} was not shown: call view with file_path \
                 \"{path}:{line}-{end}\" and this mission_id, and cite that."
            ));
        }
        if counts.iter().any(|count| (*least..=*most).contains(count)) {
            return None;
        }
        counted.get_or_insert((path, line, counts));
    }
    Some(match counted {
        Some((path, line, counts)) => {
            let has = counts.first().copied().unwrap_or_default();
            format!("It says {number} {thing}, and {path}:{line} has {has}: claim as many as there are.")
        }
        None => format!(
            "It says {number} {thing}, and nobody has counted them: name the definition that has them as the code writes it, quote \
             the line that begins it, or claim them by their names."
        ),
    })
}

fn first_word(claim: &str) -> Option<String> {
    let words = claim
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    words.map(str::to_owned).find(|word| !["the", "a", "an", ""].contains(&word.to_lowercase().as_str()))
}

/// How many parameters a function has, with and without the one that is the object itself; and the last line of them.
fn parameters(lines: &[&str], start: usize, name: &str) -> Option<(Vec<u64>, usize)> {
    let line = lines.get(start)?;
    let at = crate::syntax::places_of(line, name).next().filter(|_| !name.is_empty())? + name.len();
    let open = at + line[at..].find('(')?;
    let (items, last) = items(lines, start, open)?;
    let bare = |item: &String| {
        item.trim_start_matches(['&', '\'', '*']).trim().trim_start_matches("mut ").to_owned()
    };
    let is_mark = |item: &&String| ["*", "/"].contains(&item.trim());
    let own: Vec<&String> = items.iter().filter(|item| !is_mark(item)).collect();
    let is_self = own.first().is_some_and(|first| {
        let first = bare(first);
        ["self", "cls", "this"].contains(&first.split([':', ' ', ',']).next().unwrap_or_default())
    });
    let count = own.len() as u64;
    Some((if is_self { vec![count - 1, count] } else { vec![count] }, last))
}

/// How many entries a list, a map, an enumeration or a structure has, and its last line.
fn entries(path: &str, lines: &[&str], start: usize, name: &str) -> Option<(Vec<u64>, usize)> {
    let line = lines.get(start)?;
    let from = crate::syntax::places_of(line, name)
        .next()
        .filter(|_| !name.is_empty())
        .map_or(0, |at| at + name.len());
    let code = without_texts(line);
    if path.ends_with(".py") && code.trim_end().ends_with(':') && code.trim_start().starts_with("class ") {
        return members(lines, start);
    }
    // Behind what gives it a value, else behind its name.
    let from = line[from..].find('=').map_or(from, |sign| from + sign);
    let opens = |at: usize| line[at..].find(['{', '[', '(']).map(|open| at + open);
    let mut open = opens(from)?;
    // `[]string{`, `map[string]int{`, `frozenset([`: the last bracket that opens on the line holds them.
    if line.trim_end().ends_with(['{', '[', '(']) {
        open = line.trim_end().len() - 1;
    } else {
        while let Some(close) = line[open..].find([']', ')'])
            && let Some(next) = line[open + close..].find('{')
        {
            open += close + next;
        }
    }
    let is_structure = path.ends_with(".go") && code.contains(" struct");
    if is_structure {
        return fields(lines, start);
    }
    let is_enumeration = path.ends_with(".java") && code.contains("enum ");
    if path.ends_with(".java") && !is_enumeration && line[open..].starts_with('{') && !code.contains('=') {
        return None;
    }
    let (items, last) = items(lines, start, open)?;
    let items = if is_enumeration {
        let cut = items.iter().position(|item| item.contains(';'));
        items.into_iter().take(cut.map_or(usize::MAX, |cut| cut + 1)).collect()
    } else {
        items
    };
    let spread = |item: &String| item.starts_with("...") || item.starts_with('*') || item.contains(" for ");
    if items.iter().any(spread) {
        return None;
    }
    Some((vec![items.len() as u64], last))
}

/// The values of a class of Python.
fn members(lines: &[&str], start: usize) -> Option<(Vec<u64>, usize)> {
    let own = indent(lines[start]);
    let body = lines[start + 1..].iter().take_while(|line| line.trim().is_empty() || indent(line) > own);
    let last = start + body.clone().count();
    let least = body.clone().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min()?;
    let is_member = |line: &&&str| {
        let code = line.trim_start();
        let name = code.split([' ', ':', '=']).next().unwrap_or_default();
        let is_name =
            !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        indent(line) == least
            && is_name
            && code[name.len()..].trim_start().starts_with(['=', ':'])
            && !code[name.len()..].trim_start().starts_with("==")
    };
    Some((vec![body.filter(is_member).count() as u64], last))
}

/// The fields of a structure of Go: each name before a type.
fn fields(lines: &[&str], start: usize) -> Option<(Vec<u64>, usize)> {
    let mut count = 0;
    for (at, line) in lines.iter().enumerate().skip(start + 1).take(LONGEST) {
        let code = without_texts(line);
        let code = code.trim();
        if code.starts_with('}') {
            return Some((vec![count], at));
        }
        // Whoever has structures within is not counted here.
        if code.contains('{') && !code.contains("interface{}") && !code.contains("struct{}") {
            return None;
        }
        if !code.is_empty() {
            let names = code.split_whitespace().take_while(|word| word.ends_with(',')).count() + 1;
            count += names as u64;
        }
    }
    None
}

/// What stands between a bracket and the one that closes it, parted by commas; and the line of that.
fn items(lines: &[&str], start: usize, open: usize) -> Option<(Vec<String>, usize)> {
    let (mut all, mut item, mut depth) = (Vec::new(), String::new(), 0_i32);
    let mut push = |item: &mut String| {
        let done = std::mem::take(item);
        let done = done.trim();
        if !done.is_empty() {
            all.push(done.to_owned());
        }
    };
    let mut last = ' ';
    for (at, line) in lines.iter().enumerate().skip(start).take(LONGEST) {
        let text = if at == start { line.get(open..)? } else { line };
        let is_said = ["//", "#", "/*", "*", "\"\"\""].iter().any(|mark| text.trim_start().starts_with(mark));
        if is_said && at > start && !text.trim_start().starts_with("*,") {
            continue;
        }
        for letter in without_texts(text).chars() {
            match letter {
                '(' | '[' | '{' => {
                    depth += 1;
                    if depth > 1 {
                        item.push(letter);
                    }
                }
                ')' | ']' | '}' => {
                    depth -= 1;
                    if depth == 0 {
                        push(&mut item);
                        return Some((all, at));
                    }
                    item.push(letter);
                }
                ',' if depth == 1 && angle(&item) <= 0 => push(&mut item),
                letter => item.push(letter),
            }
            last = letter;
        }
        if !last.is_whitespace() {
            item.push(' ');
        }
    }
    None
}

/// How many brackets of types are open: `Map<string, int>`.
fn angle(item: &str) -> i32 {
    let item = item.replace("=>", "").replace("->", "").replace(" < ", "").replace(" > ", "");
    item.matches('<').count() as i32 - item.matches('>').count() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str, name: &str, of_parameters: bool) -> Option<u64> {
        let lines: Vec<&str> = text.lines().collect();
        let start = lines.iter().position(|line| line.contains(name))?;
        let tallied =
            if of_parameters { parameters(&lines, start, name) } else { entries(path, &lines, start, name) };
        tallied.map(|(counts, _)| counts[0])
    }

    #[test]
    fn what_stands_between_brackets_is_counted() {
        for (path, text, name, wanted) in [
            ("a.py", "A = {\n    'a': f(1, 2),\n    # 'b': 2,\n    'c': [1, 2],\n}\n", "A", Some(2)),
            ("a.py", "A = ['a,b', 'c']\n", "A", Some(2)),
            ("a.py", "A = frozenset([\n    1,\n    2,\n])\n", "A", Some(2)),
            ("a.py", "A = [x for x in y]\n", "A", None),
            (
                "a.py",
                "class A(Enum):\n    \"\"\"It.\"\"\"\n    X = 1\n    Y = 2\n\n    def f(self):\n        z = 3\n",
                "A",
                Some(2),
            ),
            ("a.ts", "export const A: string[] = [\n  '.a',\n  '.b',\n  '.c',\n]\n", "A", Some(3)),
            (
                "a.rs",
                "pub enum A {\n    /// One, two.\n    One,\n    Two(u8, u8),\n    Three { a: u8 },\n}\n",
                "A",
                Some(3),
            ),
            ("a.rs", "struct A {\n    a: Map<u8, u8>,\n    b: u8,\n}\n", "A", Some(2)),
            ("a.go", "type A struct {\n\ta, b string\n\tc    int // it\n}\n", "A", Some(3)),
            ("a.go", "var A = []string{\"a\", \"b\"}\n", "A", Some(2)),
            ("a.go", "var A = map[string]int{\n\t\"a\": 1,\n}\n", "A", Some(1)),
        ] {
            assert_eq!(count(path, text, name, false), wanted, "{text}");
        }
        for (path, text, name, wanted) in [
            ("a.go", "func Basic(accounts Accounts, realm string) Handler {\n", "Basic", 2),
            ("a.go", "func (c *Context) Save(a, b string, perm ...Mode) error {\n", "Save", 3),
            ("a.py", "def f(self, a, *, b=(1, 2)):\n", "f", 2),
            ("a.rs", "fn f<T>(&mut self, a: Map<u8, T>) {\n", "f", 1),
            ("a.py", "def f(\n    a,\n    b,\n):\n", "f", 2),
        ] {
            assert_eq!(count(path, text, name, true), Some(wanted), "{text}");
        }
    }

    #[test]
    fn how_many_something_has_is_known_by_the_words() {
        for (claim, wanted) in [
            ("A has 5 entries", vec!["5"]),
            ("A has six entries", vec!["six"]),
            ("f takes exactly three required parameters", vec!["three"]),
            ("E has 4 variants: A, B", vec!["4"]),
            ("it handles lists with one item", vec![]),
            ("it makes 3 attempts", vec![]),
            ("A is called in 2 files", vec![]),
        ] {
            assert_eq!(numbers_in(claim), wanted, "{claim}");
        }
    }
}
