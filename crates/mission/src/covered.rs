//! Covered: whether the lines that are cited for a claim have every word of code that it says. The last rule that a claim which
//! text is to verify has to pass, and the same for all of them, however the sentence is made.

use std::collections::BTreeSet;

use crate::code_words::{CodeWord, Kind, code_words, is_type};
use crate::counted::Counted;
use crate::event::{Event, Speaks};
use crate::extent::{Span, has_name, indent, spans_of};
use crate::grounds::{is_line_shown, only_file};
use crate::literal::{Literal, literal_at};
use crate::mode::Mode;
use crate::named::lines_in;
use crate::needs::is_document;
use crate::pointed;
use crate::quantity::quantities;
use crate::quote::{self, Place};
use crate::relates::{Deed, relations_in};
use crate::rivals::{Rival, rival};
use crate::situation::Situation;
use crate::syntax::{Spoken, is_comment, is_import, places_of, spoken, takes_words_for_calls};
use crate::tally;

/// Words that a reason names.
const MOST_NAMED: usize = 4;

/// What the cited lines have not, and where it is.
#[derive(Debug)]
pub(crate) struct Uncovered {
    pub why: String,
    /// Whether a line that was shown has it: then that has only to be quoted.
    pub is_shown: bool,
    /// A line that was not shown and has it, as path:line.
    pub look_at: Option<String>,
}

/// A line of a file.
struct Line {
    path: String,
    number: u64,
    text: String,
}

/// What of a claim's code no line that is quoted for it has, nor what the claim names around it.
pub(crate) fn uncovered(
    said: &str,
    cited: &[&Event],
    counted: &[Counted],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<Uncovered> {
    let is_known = |word: &str| !(situation.defined)(word).is_empty();
    let mut words = code_words(said, &is_known);
    words.retain(|word| !word.is_denied);
    // How many there are, a search that is cited says.
    let is_counted = |number: &Literal| {
        !counted.is_empty() && quantities(said).iter().any(|quantity| quantity.said() == number.text)
    };
    let tallied = tally::numbers_in(said);
    let is_tallied = |number: &Literal| tallied.contains(&number.text);
    words.retain(
        |word| !matches!(&word.kind, Kind::Number(number) if is_counted(number) || is_tallied(number)),
    );
    let quoted = quoted(said, cited, situation, mode);
    if quoted.is_empty() {
        return None;
    }
    if counted.is_empty()
        && let Some(other) = rivaled(said, &words, &quoted, situation)
    {
        return Some(other);
    }
    if words.is_empty() {
        return None;
    }
    let room = Room::of(said, &words, &quoted, cited, counted, situation);
    let missing: Vec<&CodeWord> = words.iter().filter(|word| !room.has(word)).collect();
    let first = missing.first()?;
    let named: Vec<String> = missing.iter().take(MOST_NAMED).map(|word| word.said.clone()).collect();
    let named = named.join(", ");
    let place = quoted.first().map(|place| format!("{}:{}", place.path, place.line)).unwrap_or_default();
    let lacks = match room.around.first() {
        None => format!("It says {named}, and {place}, which is quoted for it, has not"),
        Some((_, name)) => format!(
            "It says {named}, and neither {place}, which is quoted for it, nor what was shown of {name} has that"
        ),
    };
    // A line of what it speaks of that has all of it: one that was shown, else one that was not.
    let has_all = |line: &Line| missing.iter().all(|word| is_in(&word.kind, std::slice::from_ref(line)));
    let is_meant = |line: &Line| {
        let place = Place {
            path: line.path.clone(),
            content_hash: String::new(),
            line: line.number,
            last: line.number,
        };
        pointed::astray(said, &place, cited, situation, mode).is_none() && !room.is_elsewhere(line)
    };
    let files: BTreeSet<&str> = cited
        .iter()
        .filter(|event| event.draft.shows_text())
        .flat_map(|event| event.draft.anchors().map(|(path, _)| path))
        .collect();
    let mut other = None;
    for path in files {
        for line in lines_of(path, 1, u64::MAX, situation) {
            if !has_all(&line) || !is_meant(&line) {
                continue;
            }
            if is_line_shown(path, line.number, cited) {
                let why = format!(
                    "{lacks}: {path}:{} has, so call mission_verify again with that line as the quote.",
                    line.number
                );
                return Some(Uncovered { why, is_shown: true, look_at: None });
            }
            other.get_or_insert((path.to_owned(), line.number));
        }
    }
    if let Some((path, number)) = other {
        let at = format!("{path}:{number}");
        let why = format!(
            "{lacks}: call view with file_path {at:?} and this mission_id, and cite that with the line as the quote."
        );
        return Some(Uncovered { why, is_shown: false, look_at: Some(at) });
    }
    let search = match &first.kind {
        Kind::Text(text) | Kind::Snippet(text) => text.clone(),
        Kind::Pair { name, .. } => name.clone(),
        Kind::Number(literal) => literal.text.clone(),
        Kind::Name(parts) => parts.last().cloned().unwrap_or_default(),
        Kind::Type(name) => name.clone(),
    };
    let why = format!(
        "{lacks}: claim what the line shows, in its own words, or search for {search:?} with this mission_id and quote the line \
         that has it."
    );
    Some(Uncovered { why, is_shown: false, look_at: None })
}

/// A value that the claim says, where the lines that are quoted for it give another one.
fn rivaled(said: &str, words: &[CodeWord], quoted: &[Place], situation: &Situation<'_>) -> Option<Uncovered> {
    let own = quoted.iter().flat_map(|place| lines_of(&place.path, place.line, place.last, situation));
    let own: Vec<Line> = own.collect();
    // Prose says what it says in any words.
    if own.iter().any(|line| is_document(&line.path) || is_comment(&line.path, &line.text)) {
        return None;
    }
    let lines: Vec<&str> = own.iter().map(|line| line.text.as_str()).collect();
    let Rival { said, instead } = rival(said, words, &lines)?;
    let place = quoted.first().map(|place| format!("{}:{}", place.path, place.line)).unwrap_or_default();
    let why = format!(
        "It says {said}, and {place}, which is quoted for it, has {instead} there: quote the line that has {said}, or claim what \
         this one shows."
    );
    Some(Uncovered { why, is_shown: true, look_at: None })
}

/// The places of the lines that are quoted for a claim.
pub(crate) fn quoted(said: &str, cited: &[&Event], situation: &Situation<'_>, mode: Mode) -> Vec<Place> {
    let quotes = cited.iter().filter(|event| event.draft.speaks() == Speaks::For);
    let reads: Vec<&&Event> = cited.iter().filter(|event| event.draft.shows_text()).collect();
    let mut all: Vec<Place> = Vec::new();
    for event in quotes {
        let Some(quote) = event.draft.quote() else { continue };
        let mut own: Vec<Place> =
            reads.iter().flat_map(|read| quote::all_in(&read.draft, quote, situation)).collect();
        // Of several places those that the claim speaks of are meant.
        let is_meant = |place: &Place| pointed::astray(said, place, cited, situation, mode).is_none();
        if own.iter().any(is_meant) {
            own.retain(is_meant);
        }
        for place in own {
            if !all.contains(&place) {
                all.push(place);
            }
        }
    }
    all
}

/// Where the code of a claim must stand.
struct Room {
    lines: Vec<Line>,
    /// What the claim names around a quote, with its name: the innermost.
    around: Vec<(Span, String)>,
    /// Names of what is around, and of the files, which need not stand in a line.
    subjects: BTreeSet<String>,
    /// All that was shown: where that which something is of may stand.
    shown: Vec<Line>,
    /// Whether a quoted line computes a number: which one, nobody reads.
    computes: bool,
}

impl Room {
    fn of(
        said: &str,
        words: &[CodeWord],
        quoted: &[Place],
        cited: &[&Event],
        counted: &[Counted],
        situation: &Situation<'_>,
    ) -> Self {
        let mut room = Self {
            lines: Vec::new(),
            around: Vec::new(),
            subjects: BTreeSet::new(),
            shown: Vec::new(),
            computes: false,
        };
        let names = names_in(said, words);
        let spans = named_spans(&names, cited, situation);
        for place in quoted {
            let own = lines_of(&place.path, place.line, place.last, situation);
            room.computes |= own.iter().any(|line| computes(&line.text));
            room.lines.extend(own);
            let parts = place.path.split(['/', '.', ':']).filter(|part| !part.is_empty());
            room.subjects.extend(parts.map(str::to_owned));
            let is_within = |(path, first, last): &Span| {
                *path == place.path && *first <= place.line && place.last <= *last
            };
            let around: Vec<&(Span, String)> = spans.iter().filter(|(span, _)| is_within(span)).collect();
            room.subjects.extend(around.iter().map(|(_, name)| name.clone()));
            let innermost = around.iter().min_by_key(|((_, first, last), _)| last - first);
            if let Some((span, name)) = innermost
                && !room.around.iter().any(|(one, _)| one == span)
            {
                room.around.push((span.clone(), name.clone()));
            }
            let text = (situation.text_of)(&place.path);
            let lines: Vec<&str> = text.as_deref().map(|text| text.lines().collect()).unwrap_or_default();
            let above = headers(&lines, usize::try_from(place.line).map_or(0, |line| line.saturating_sub(1)));
            let is_header = |name: &&String| above.iter().any(|at| has_name(lines[*at], name));
            let parts: Vec<String> =
                names.iter().flat_map(|name| name.split('.').map(str::to_owned)).collect();
            room.subjects.extend(parts.iter().filter(is_header).cloned());
        }
        for ((path, first, last), _) in &room.around {
            let shown = lines_of(path, *first, *last, situation).into_iter();
            room.lines.extend(shown.filter(|line| is_line_shown(path, line.number, cited)));
        }
        for (path, first, last) in lines_in(said, situation.names, &only_file(cited)) {
            room.lines.extend(lines_of(&path, first, last, situation));
        }
        // What a search has found everywhere, it names everywhere.
        for spot in
            counted.iter().filter_map(|one| (situation.count)(&one.search)).flat_map(|count| count.spots)
        {
            room.lines.extend(lines_of(&spot.path, spot.line, spot.line, situation));
            room.subjects.extend(spot.within);
        }
        let is_known = |word: &str| !(situation.defined)(word).is_empty();
        let relations = relations_in(said, &is_known, situation.names);
        let imports = relations.iter().any(|relation| relation.deed == Deed::Imports);
        let files: BTreeSet<&str> = cited
            .iter()
            .filter(|event| event.draft.shows_text())
            .flat_map(|event| event.draft.anchors().map(|(path, _)| path))
            .collect();
        for path in files {
            let shown = lines_of(path, 1, u64::MAX, situation).into_iter();
            room.shown.extend(shown.filter(|line| is_line_shown(path, line.number, cited)));
        }
        if imports {
            let own = room.shown.iter().filter(|line| is_import(&line.text, false));
            let own: Vec<Line> = own.map(Line::again).collect();
            room.lines.extend(own);
        }
        room
    }

    fn has(&self, word: &CodeWord) -> bool {
        match &word.kind {
            Kind::Name(parts) => {
                let Some((last, heads)) = parts.split_last() else { return true };
                let is_subject = |name: &String| self.subjects.contains(name);
                // What a name is of may have been shown elsewhere: `self.queue` is the queue of Session.
                let is_of = |name: &String| {
                    is_subject(name) || self.shown.iter().any(|line| has_name(&line.text, name))
                };
                (is_subject(last) || is_in(&word.kind, &self.lines)) && heads.iter().all(is_of)
            }
            // Where a text names no types, whoever reads it infers them.
            Kind::Type(_) => {
                is_in(&word.kind, &self.lines) || !self.lines.iter().any(|line| has_types(&line.text))
            }
            Kind::Number(_) => self.computes || is_in(&word.kind, &self.lines),
            _ => is_in(&word.kind, &self.lines),
        }
    }

    /// Whether a line is outside of all that the claim names around its quotes.
    fn is_elsewhere(&self, line: &Line) -> bool {
        let is_within = |((path, first, last), _): &(Span, String)| {
            *path == line.path && (*first..=*last).contains(&line.number)
        };
        !self.around.is_empty() && !self.around.iter().any(is_within)
    }
}

impl Line {
    fn again(&self) -> Self {
        Self { path: self.path.clone(), number: self.number, text: self.text.clone() }
    }
}

/// The names of a claim, each as it is written, and the plain words that a sentence begins with or has in backticks.
fn names_in(said: &str, words: &[CodeWord]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if let Kind::Name(parts) = &word.kind {
            all.push(parts.join("."));
            if parts.len() > 1 {
                all.push(parts[..parts.len() - 1].join("."));
            }
        }
    }
    let plain = said.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    all.extend(plain.filter(|word| word.chars().count() > 2).map(str::to_owned));
    let mut seen = BTreeSet::new();
    all.retain(|name| seen.insert(name.clone()));
    all.truncate(MOST_NAMES);
    all
}

/// Words of a claim that may be names.
const MOST_NAMES: usize = 48;

/// The lines above one that are indented less, each less than the one below it: what it stands in, the innermost first.
pub(crate) fn headers(lines: &[&str], at: usize) -> Vec<usize> {
    let Some(own) = lines.get(at) else { return Vec::new() };
    let mut least = indent(own);
    let mut found = Vec::new();
    for above in (0..at).rev().filter(|above| !lines[*above].trim().is_empty()) {
        // The end of a signature that goes over several lines belongs to the one that it began on.
        let is_end = lines[above].trim_start().starts_with([')', ']']) && indent(lines[above]) < least;
        if indent(lines[above]) < least && !is_end {
            least = indent(lines[above]);
            found.push(above);
        }
    }
    found
}

/// The innermost definition that a claim names around a place.
pub(crate) fn within(said: &str, place: &Place, cited: &[&Event], situation: &Situation<'_>) -> Option<Span> {
    let is_known = |word: &str| !(situation.defined)(word).is_empty();
    let words = code_words(said, &is_known);
    let is_within =
        |(path, first, last): &Span| *path == place.path && *first <= place.line && place.last <= *last;
    let spans = named_spans(&names_in(said, &words), cited, situation);
    let own = spans.into_iter().map(|(span, _)| span).filter(is_within);
    own.min_by_key(|(_, first, last)| last - first)
}

/// The definitions of names, each with the last of its name.
fn named_spans(names: &[String], cited: &[&Event], situation: &Situation<'_>) -> Vec<(Span, String)> {
    let of = |name: &String| {
        let last = name.rsplit('.').next().unwrap_or(name).to_owned();
        let spans = spans_of(name, &last, cited, situation).into_iter();
        spans.map(move |span| (span, last.clone()))
    };
    names.iter().flat_map(of).collect()
}

fn lines_of(path: &str, first: u64, last: u64, situation: &Situation<'_>) -> Vec<Line> {
    let Some(text) = (situation.text_of)(path) else { return Vec::new() };
    let lines = (1_u64..).zip(text.lines()).filter(|(number, _)| (first..=last).contains(number));
    lines.map(|(number, text)| Line { path: path.to_owned(), number, text: text.to_owned() }).collect()
}

/// Whether lines give names the values that a sentence gives them.
pub(crate) fn is_given(words: &[CodeWord], path: &str, lines: &[&str]) -> bool {
    let line = |text: &&str| Line { path: path.to_owned(), number: 0, text: (*text).to_owned() };
    let lines: Vec<Line> = lines.iter().map(line).collect();
    words.iter().all(|word| is_in(&word.kind, &lines))
}

/// Whether lines have a word of code.
fn is_in(word: &Kind, lines: &[Line]) -> bool {
    match word {
        Kind::Name(parts) => {
            let Some(last) = parts.last() else { return true };
            let one = last.strip_suffix('s').filter(|one| one.chars().any(char::is_uppercase));
            lines
                .iter()
                .any(|line| has_name(&line.text, last) || one.is_some_and(|one| has_name(&line.text, one)))
        }
        Kind::Type(name) => lines.iter().any(|line| has_name(&line.text, name)),
        Kind::Text(text) => {
            let said = folded(text);
            let said = if said.is_empty() { text.as_str() } else { said.as_str() };
            if text.is_empty() {
                return lines.iter().any(|line| line.text.contains("\"\"") || line.text.contains("''"));
            }
            // One word of code is another thing than a text that is the same.
            if said.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
                return lines.iter().any(|line| says(line, said));
            }
            lines.iter().any(|line| stands(&folded(&line.text), said))
                || stands(&folded(&joined(lines)), said)
        }
        Kind::Snippet(code) => {
            let parts: Vec<String> = code.split("...").flat_map(|part| part.split('…')).map(tight).collect();
            let parts: Vec<&String> = parts.iter().filter(|part| !part.is_empty()).collect();
            let is_there = |text: &str| {
                let text = tight(text);
                parts.iter().all(|part| stands(&text, part))
            };
            lines.iter().any(|line| is_there(&line.text)) || is_there(&joined(lines))
        }
        Kind::Number(number) => lines.iter().any(|line| {
            let read = numbers(&line.text);
            read.iter().any(|has| match number.differs(has) {
                Some(differs) => !differs,
                None => number.is_measured || digits(&number.text) == digits(&has.text),
            })
        }),
        Kind::Pair { name, value } => lines.iter().any(|line| gives(line, name, value)),
    }
}

/// Whether a line has a word as a text, or is a text itself.
fn says(line: &Line, word: &str) -> bool {
    let Line { path, text, .. } = line;
    let is_prose = is_document(path) || takes_words_for_calls(path) || is_comment(path, text);
    places_of(text, word).any(|at| {
        let behind = &text[at + word.len()..];
        is_prose
            || spoken(path, &text[..at]) == Spoken::Text
            || text[..at].ends_with(['"', '\'', '`'])
            || behind.starts_with(['"', '\'', '`'])
    })
}

fn has_types(line: &str) -> bool {
    line.split(|letter: char| !letter.is_alphanumeric()).any(is_type)
}

/// Lines as one text.
fn joined(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join(" ")
}

/// A text with one blank for many.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Code without blanks but those between two words, with one kind of quotes, and without what only ends it.
fn tight(code: &str) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut bare = String::new();
    for word in code.split_whitespace() {
        if bare.ends_with(is_part) && word.starts_with(is_part) {
            bare.push(' ');
        }
        bare.push_str(word);
    }
    bare.replace('\'', "\"").trim_end_matches([';', '{', ':', ',']).to_owned()
}

/// Whether a text has another as a whole: it begins and ends no longer word.
fn stands(text: &str, part: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(part).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + part.len()..]);
        let goes_on = part.starts_with(is_part) && before.ends_with(is_part)
            || part.ends_with(is_part) && behind.starts_with(is_part);
        !goes_on
    })
}

/// The numbers that a line has.
fn numbers(line: &str) -> Vec<Literal> {
    let mut all = Vec::new();
    let mut at = 0;
    let mut last = ' ';
    while let Some(letter) = line[at..].chars().next() {
        let is_start = letter.is_ascii_digit() && !last.is_alphanumeric() && last != '_';
        match literal_at(&line[at..]).filter(|(literal, _)| is_start && literal.is_number()) {
            Some((literal, len)) => {
                if last == '-'
                    && let Some((negative, _)) = literal_at(&line[at - 1..])
                {
                    all.push(negative);
                }
                all.push(literal);
                last = '0';
                at += len;
            }
            None => {
                last = letter;
                at += letter.len_utf8();
            }
        }
    }
    all
}

fn digits(text: &str) -> &str {
    text.trim_start_matches('0').trim_start_matches('o')
}

/// Whether a line computes what it gives.
fn computes(line: &str) -> bool {
    let Some((_, value)) = line.split_once('=') else { return false };
    let has_name = value.contains(|letter: char| letter.is_alphabetic());
    has_name && [" * ", " + ", " - ", " / ", " << ", " ** ", " // "].iter().any(|sign| value.contains(sign))
}

/// Whether a line gives a name a value: `x=5`, `x: int = 5`, `"x": 5`, `x(5)`, `x 5`.
fn gives(line: &Line, name: &str, value: &str) -> bool {
    let text = &line.text;
    let is_same = |rest: &str| {
        let rest = rest.trim_start();
        match (literal_at(value), literal_at(rest)) {
            (Some((said, len)), Some((has, _))) if len == value.len() => said.differs(&has) == Some(false),
            _ => {
                let (rest, said) = (tight(rest), tight(value));
                rest.starts_with(&said)
                    && !rest[said.len()..]
                        .starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            }
        }
    };
    let spellings = [name.to_owned(), name.replace('_', "-"), name.replace('-', "_")];
    spellings.iter().any(|name| {
        places_of(text, name).any(|at| {
            let rest = text[at + name.len()..].trim_start_matches(['"', '\'', ']', '?']).trim_start();
            // A type may stand between the name and its value.
            let typed =
                rest.strip_prefix(':').and_then(|typed| typed.split_once('=')).map(|(_, value)| value);
            let typed = typed.or_else(|| {
                let begins = rest.starts_with(char::is_alphabetic);
                rest.split_once(" = ").map(|(_, value)| value).filter(|_| begins)
            });
            let direct = rest.trim_start_matches([':', '=', '(', ',', '>', '"', '\'']);
            let is_text = rest.trim_start_matches([':', '=', '(', ',', '>', ' ']);
            let is_given = rest.starts_with([':', '=', '(', ',']) || is_comment(&line.path, text);
            is_given && (is_same(direct) || is_same(is_text)) || typed.is_some_and(is_same)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<Line> {
        vec![Line { path: "a.py".to_owned(), number: 1, text: text.to_owned() }]
    }

    fn has(sentence: &str, text: &str) -> bool {
        code_words(sentence, &|_| false).iter().all(|word| is_in(&word.kind, &line(text)))
    }

    #[test]
    fn a_line_has_what_a_sentence_says_however_it_is_spaced() {
        for (sentence, text) in [
            (r#"it uses errors="replace""#, "codecs.get(encoding)(errors='replace')"),
            ("it has max_connections=100", "Limits(max_connections = 100, b=2)"),
            ("it has timeout=5", "    timeout: float = 5.0,"),
            ("it has retries=3", "\"retries\": 3,"),
            ("it does `if len(args) > 0 {`", "\tif len(args)>0 {"),
            ("it checks len(args) > 0", "\tif len(args) > 0 {"),
            ("the limit is 1000", "limit = 1_000"),
            ("the mode is 0o750", "mode = 0o750"),
            ("it waits 5 seconds", "wait(5000)"),
            ("the prefix is \"Basic\"", "\"Basic \" + x"),
            ("it reads --no-ignore", "flag(\"no-ignore\")"),
            ("it raises DecodingErrors", "raise DecodingError(x)"),
            ("it is -1", "return -1"),
        ] {
            assert!(has(sentence, text), "{sentence}: {text}");
        }
        for (sentence, text) in [
            (r#"it uses errors="strict""#, "codecs.get(encoding)(errors=\"replace\")"),
            ("it has max_connections=200", "Limits(max_connections=100, max_keepalive=200)"),
            ("it has timeout=5", "timeout=50, x=5"),
            ("it does `if len(args) > 5 {`", "if len(args) > 0 {"),
            ("the limit is 100", "limit = 1_000"),
            ("the mode is 0o755", "mode = 0o750"),
            ("the key is \"username\"", "const Key = \"user\""),
            ("the key is \"user\"", "const Key = \"username\""),
            ("it raises ValueError", "raise DecodingError(x)"),
        ] {
            assert!(!has(sentence, text), "{sentence}: {text}");
        }
    }
}
