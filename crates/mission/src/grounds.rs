//! Grounds: whether what a claim cites is about what the claim is about: its files, its lines, its names.

use std::collections::BTreeSet;

use crate::denial::{self, Denied, Kind, NOT, denied_in, words};
use crate::event::{Event, Speaks};
use crate::extent::spans_of;
use crate::lines::shown_of;
use crate::mode::Mode;
use crate::named::{groups_in, lines_in, named_in, no_such_in};
use crate::needs::is_document;
use crate::relates::{Code, Deed};
use crate::situation::Situation;
use crate::state::path_of;
use crate::syntax::places_of as places_in;
use crate::uses::{Use, use_of};

/// Names of a claim that are looked for; whoever names more names none.
const MOST_NAMES: usize = 24;

/// What begins before this line is shown when its file is.
const FAR: u64 = 200;

/// Why what is cited is not about what the claim says, if it is not: in words, and where to look.
pub(crate) struct Besides {
    pub why: String,
    /// A place to view, as `path` or `path:line`.
    pub look_at: Option<String>,
    /// Whether it is a file or a line of one that is not shown, and not only a name.
    pub is_of_a_file: bool,
}

/// Holds a claim against the events that it cites and that count.
pub(crate) fn besides(
    said: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<Besides> {
    let files = groups_in(said, situation.names);
    file_not_there(said, situation)
        .or_else(|| file_not_shown(said, &files, cited, situation))
        .or_else(|| line_not_shown(said, cited, situation))
        .or_else(|| {
            // Beside a file, a name may be denied of it.
            let is_asked = files.is_empty() || !denial::denies(said);
            if is_asked { name_not_shown(said, &files, cited, situation, mode) } else { None }
        })
}

/// The first path that a claim names and that is no file, unless it says that it is gone.
fn file_not_there(said: &str, situation: &Situation<'_>) -> Option<Besides> {
    const AWAY: [&str; 8] =
        ["removed", "deleted", "gone", "renamed", "moved", "create", "created", "generated"];
    let words = words(said);
    if words.iter().any(|word| NOT.contains(&word.as_str()) || AWAY.contains(&word.as_str())) {
        return None;
    }
    let path = no_such_in(said, situation.names)?;
    let why = format!("It is about {path}, and there is no such file: name the one that is meant.");
    Some(Besides { why, look_at: None, is_of_a_file: true })
}

/// The first file that a claim names and nothing that it cites shows; of several that are called so, one is enough. A search
/// that found nothing in a file has been through it.
fn file_not_shown(
    said: &str,
    files: &[Vec<String>],
    cited: &[&Event],
    situation: &Situation<'_>,
) -> Option<Besides> {
    let shown: BTreeSet<&str> =
        cited.iter().flat_map(|event| event.draft.anchors()).map(|(path, _)| path).collect();
    let reached =
        |path: &str| cited.iter().any(|event| event.draft.absence().is_some_and(|one| one.reached(path)));
    let is_shown = |path: &String| shown.contains(path.as_str()) || reached(path);
    let file = files.iter().find(|group| !group.iter().any(is_shown))?.first()?;
    // A long file is shown in parts: the one that counts is where what the claim names is defined.
    let names = names_in(said, situation);
    let places = names.iter().flat_map(|name| (situation.defined)(name));
    let mut spans =
        places.filter_map(|at| span_of(&at)).filter(|(path, first, _)| path == file && *first > FAR);
    let at = spans.next().map_or_else(|| file.clone(), |(path, first, _)| format!("{path}:{first}"));
    let why = format!(
        "It is about {file}, and nothing that it cites shows that file: call view with file_path {at:?} and this \
         mission_id, and cite that."
    );
    Some(Besides { why, look_at: Some(at), is_of_a_file: true })
}

/// The first line that a claim names and nothing that it cites shows.
fn line_not_shown(said: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<Besides> {
    for (path, first, last) in lines_in(said, situation.names, &only_file(cited)) {
        let total = (situation.text_of)(&path).map(|text| text.lines().count() as u64);
        let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
        if total.is_some_and(|total| last > total || first == 0) {
            let why = format!("It is about {lines} of {path}, which has {} lines.", total.unwrap_or(0));
            return Some(Besides { why, look_at: Some(path), is_of_a_file: true });
        }
        // A run is held against the files that it ran with, and shows no line of them.
        let reads = cited.iter().filter(|event| event.draft.shows_text());
        let own = reads.filter(|event| event.draft.anchors().any(|(one, _)| one == path));
        let parts: Option<Vec<_>> = own.map(|event| shown_of(&event.draft, &path)).collect();
        // One that showed the whole file showed every line of it.
        let Some(parts) = parts else { continue };
        let parts: Vec<(u64, u64)> = parts.into_iter().flatten().collect();
        let is_shown = |line: &u64| parts.iter().any(|(start, end)| (start..=end).contains(&line));
        if parts.is_empty() || !(first..=last).all(|line| is_shown(&line)) {
            let why = format!(
                "It is about {lines} of {path}, and nothing that it cites shows them: call view with file_path \
                 \"{path}:{first}-{last}\" and this mission_id, and cite that."
            );
            return Some(Besides { why, look_at: Some(format!("{path}:{first}")), is_of_a_file: true });
        }
    }
    None
}

/// The one file that is shown by what is cited, where it is only one: a sentence that names a line means that.
pub(crate) fn only_file(cited: &[&Event]) -> Option<String> {
    let reads = cited.iter().filter(|event| event.draft.shows_text());
    let files: BTreeSet<&str> = reads.flat_map(|event| event.draft.anchors()).map(|(path, _)| path).collect();
    let mut files = files.into_iter();
    files.next().filter(|_| files.next().is_none()).map(str::to_owned)
}

/// The name that a claim is about, where no line that it cites has any of its names. A document speaks of code and is none.
fn name_not_shown(
    said: &str,
    files: &[Vec<String>],
    cited: &[&Event],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<Besides> {
    let reads: Vec<&&Event> =
        cited.iter().filter(|event| event.draft.shows_text() && !event.draft.is_finding()).collect();
    if reads.is_empty() {
        return None;
    }
    let mut names = names_in(said, situation);
    // The file that a claim names is where it is about, and what it says of that may be in other words.
    if !files.is_empty() {
        names.retain(|name| !(situation.defined)(name).is_empty());
        let strong = strong_names(said);
        names.retain(|name| strong.contains(name));
    }
    let first = names.first()?;
    let is_code = |path: &str| mode == Mode::DocsDrift || !files.is_empty() || !is_document(path);
    let spans: Vec<(String, u64, u64)> =
        names.iter().flat_map(|name| (situation.defined)(name)).filter_map(|at| span_of(&at)).collect();
    let shows = |event: &Event| {
        event.draft.anchors().filter(|(path, _)| is_code(path)).any(|(path, _)| {
            let Some(text) = (situation.text_of)(path) else { return false };
            let parts = shown_of(&event.draft, path);
            let is_shown = |line: u64| {
                parts
                    .as_ref()
                    .is_none_or(|parts| parts.iter().any(|(start, end)| (*start..=*end).contains(&line)))
            };
            let is_within = |number: u64| {
                let mut spans = spans.iter().filter(|(of, ..)| of == path);
                spans.any(|(_, first, last)| (first..=last).contains(&&number))
            };
            let mut lines = (1_u64..).zip(text.lines()).filter(|(number, _)| is_shown(*number));
            lines.any(|(number, line)| is_within(number) || names.iter().any(|name| has_word(line, name)))
        })
    };
    if reads.iter().any(|event| shows(event)) {
        return None;
    }
    let at = names.iter().find_map(|name| (situation.defined)(name).into_iter().next());
    let at = at.map(|at| span_of(&at).map_or(at, |(path, first, _)| format!("{path}:{first}")));
    let place = at.as_ref().map_or_else(
        || format!("search for {first:?} with this mission_id"),
        |at| format!("call view with file_path {at:?} and this mission_id"),
    );
    let why =
        format!("It is about {first}, and no line of code that it cites has it: {place}, and cite that.");
    Some(Besides { why, look_at: at, is_of_a_file: false })
}

/// `path:first-last` of a definition whose end is known.
pub(crate) fn span_of(place: &str) -> Option<(String, u64, u64)> {
    let (path, lines) = place.rsplit_once(':')?;
    let (first, last) = lines.split_once('-')?;
    Some((path.to_owned(), first.parse().ok()?, last.parse().ok()?))
}

/// Where a name is defined, as the sentence writes it: of many that are called `send`, that of `Session.send`.
pub(crate) fn defined_as(said: &str, name: &str, situation: &Situation<'_>) -> Vec<String> {
    let owned = said.split_whitespace().filter_map(|word| {
        let word = word
            .trim_start_matches(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .split('(')
            .next()?;
        let word = word.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
        word.strip_suffix(name)
            .filter(|before| before.ends_with(['.', ':']) && before.len() > 2)
            .map(|_| word)
    });
    owned
        .map(|word| (situation.defined)(word))
        .find(|places| !places.is_empty())
        .unwrap_or_else(|| (situation.defined)(name))
}

/// The names of code that a sentence speaks of: what only a name looks like, or else plain words that the graph knows as
/// definitions.
fn names_in(said: &str, situation: &Situation<'_>) -> Vec<String> {
    let (names, mut plain) = words_in(said);
    if !names.is_empty() {
        return few(names);
    }
    plain.truncate(MOST_NAMES * 4);
    plain.retain(|word| !(situation.defined)(word).is_empty());
    few(plain)
}

/// Those that only a name looks like: `drain`, drain(), Queue.drain, make_gadget, makeGadget.
pub(crate) fn strong_names(said: &str) -> Vec<String> {
    few(words_in(said).0)
}

fn few(mut names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    if names.len() > MOST_NAMES { Vec::new() } else { names }
}

/// Words of a sentence that only names look like, and the others that may be some.
pub(crate) fn words_in(said: &str) -> (Vec<String>, Vec<String>) {
    let (mut names, mut plain): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (at, piece) in said.split('`').enumerate() {
        let is_quoted = at % 2 == 1;
        let words: Vec<&str> = piece.split_whitespace().collect();
        let parts = words.iter().enumerate().flat_map(|(place, word)| {
            word.split(|letter: char| ",;\"'[]{}<>=!?".contains(letter)).map(move |part| (place, part))
        });
        for (place, word) in parts {
            let is_called = word.contains('(');
            let bare = word.split('(').next().unwrap_or(word);
            let bare = bare.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let last = bare.rsplit(['.', ':', '#', '/']).next().unwrap_or(bare);
            let is_word = last.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
                && last.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
                && last.chars().count() > 1;
            if !is_word {
                continue;
            }
            let is_joined = bare.len() > last.len() && !bare.contains('/');
            let has_hump =
                last.chars().skip(1).any(char::is_uppercase) && last.chars().any(char::is_lowercase);
            if is_quoted || is_called && !bare.is_empty() || is_joined || has_hump || last.contains('_') {
                names.push(last.to_owned());
            } else if last.chars().count() > 2 && is_in_place_of_a_name(&words, place) {
                plain.push(last.to_owned());
            }
        }
    }
    (names, plain)
}

/// Whether a plain word stands where a sentence has a name of code: it begins a part of it, or is beside a word that speaks of
/// code. `drain stops early` and `callers of drain` name drain; `the run stops`, `jobs get lost` and `to name it` name nothing.
fn is_in_place_of_a_name(words: &[&str], place: usize) -> bool {
    const BEFORE: [&str; 20] = [
        "calls", "call", "calling", "invokes", "imports", "defines", "uses", "function", "method", "class",
        "of", "in", "inside", "within", "from", "by", "and", "or", "that", "than",
    ];
    const BEHIND: [&str; 8] = ["function", "method", "class", "type", "calls", "is", "never", "returns"];
    const OWN: [&str; 8] = ["the", "a", "an", "its", "their", "this", "no", "each"];
    let bare = |at: usize| {
        words.get(at).map_or_else(String::new, |word| {
            word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
        })
    };
    let Some(last) = place.checked_sub(1) else {
        // `get requests are retried` begins with what is no verb's subject.
        return !["is", "are", "was", "were", "do", "have"].contains(&bare(2).as_str())
            || !bare(1).ends_with('s');
    };
    let before = bare(last);
    let is_part = words[last].ends_with([',', ';', ':', '.', ')', '`']) || words[last].contains('/');
    let is_of_code = BEHIND[..4].contains(&bare(place + 1).as_str());
    is_part
        || is_of_code
        || BEFORE.contains(&before.as_str())
        || BEHIND.contains(&bare(place + 1).as_str()) && !OWN.contains(&before.as_str()) && place == 1
}

/// Why a claim that something is not there is not so by what it cites: the text has it, or nobody looked everywhere. The
/// lines, the definitions or the files that the claim names are held against it, whichever it names most closely; where it
/// names none of them, only a search that found nothing shows that.
pub(crate) fn denied_and_there(said: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<String> {
    // What only ran, or was only said, may speak of what a word means; not of names that the text has.
    let is_read = cited.iter().any(|event| event.draft.shows_text());
    let quotes = cited.iter().filter(|event| event.draft.speaks() == Speaks::For);
    let quoted: Vec<(&str, &str)> =
        quotes.filter_map(|event| Some((path_of(&event.draft.target), event.draft.quote()?))).collect();
    let is_name = |word: &str| {
        let has_hump = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
        word.contains('_')
            || has_hump
            || said.contains(&format!("`{word}"))
            || word.contains(|letter: char| letter.is_ascii_digit()) && word.contains(char::is_alphabetic)
            || !(situation.defined)(word).is_empty()
            || quoted.iter().any(|(path, line)| use_of(path, line, word) == Some(Use::Calls))
    };
    let mut denied = denied_in(said, &is_name, situation.names);
    denied.retain(|denied| {
        is_read
            || !matches!(
                denied.kind,
                Kind::Plain { .. } | Kind::Doing | Kind::Done { .. } | Kind::Tried { .. } | Kind::Ignored
            )
    });
    let first = denied.first()?;
    let name = &first.word;
    let places = denied_of(said, &denied, cited, situation);
    for (path, from, to) in &places {
        let text = (situation.text_of)(path)?;
        let lines = (1_u64..).zip(text.lines()).filter(|(line, _)| (*from..=*to).contains(line));
        let code = Code::of(path, &text);
        for (line, text) in lines {
            let has = |denied: &&Denied| {
                denial::has(path, text, denied) && !(denied.is_of_code() && code.is_text(line))
                    || denied.is_of_imports() && code.does(line, Deed::Imports, &denied.written(), &|_| true)
            };
            if let Some(Denied { word, .. }) = denied.iter().find(has) {
                return Some(format!(
                    "It denies {word}, and {path}:{line} has it: say of which lines it is so, or cite a search of them that \
                     finds nothing."
                ));
            }
        }
    }
    // The very line that is said to show it.
    let has = |line: &(&str, &str)| denied.iter().find(|denied| denial::has(line.0, line.1, denied));
    if let Some(Denied { word, .. }) = quoted.iter().find_map(has) {
        return Some(format!(
            "It denies {word}, and the line that is quoted for it has it: cite what shows that it is not so, or a search that \
             finds nothing."
        ));
    }
    if !places.is_empty() || is_of_words(&first.kind) {
        return None;
    }
    Some(if matches!(first.kind, Kind::Plain { .. } | Kind::Doing) {
        format!("It says that {name} is missing, and not where: name the file, the lines or the function.")
    } else {
        format!(
            "It says that {name} is not there: search for {name:?} with this mission_id, and cite the search that finds nothing."
        )
    })
}

/// Whether something is denied by words that may be none of the code: only a line that has it speaks against that.
fn is_of_words(kind: &Kind) -> bool {
    matches!(kind, Kind::Done { .. } | Kind::Tried { .. } | Kind::Ignored | Kind::Word(_) | Kind::Set)
}

/// Whether all of a definition, or of the lines, that a claim names was shown: what it says of that as a whole, somebody has
/// looked at. A file is too much for that.
pub(crate) fn is_shown_whole(said: &str, cited: &[&Event], situation: &Situation<'_>) -> bool {
    let places = places_of(said, &|_| true, cited, situation);
    places.iter().filter(|(.., last)| *last < u64::MAX).any(|(path, first, last)| {
        let total = (situation.text_of)(path).map_or(0, |text| text.lines().count() as u64);
        let last = (*last).min(total);
        let reads = cited.iter().filter(|event| event.draft.shows_text() && !event.draft.is_finding());
        let own: Vec<&&Event> =
            reads.filter(|event| event.draft.anchors().any(|(one, _)| one == path)).collect();
        let parts: Option<Vec<_>> = own.iter().map(|event| shown_of(&event.draft, path)).collect();
        match parts {
            // One of them showed the whole file.
            None => true,
            Some(parts) => {
                let parts: Vec<(u64, u64)> = parts.into_iter().flatten().collect();
                let is_shown = |line: &u64| parts.iter().any(|(start, end)| (start..=end).contains(&line));
                !own.is_empty() && *first <= last && (*first..=last).all(|line| is_shown(&line))
            }
        }
    })
}

/// What to view to have seen it all, as `path:first-last`.
pub(crate) fn not_shown_whole(said: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<String> {
    let mut places = places_of(said, &|_| true, &[], situation);
    if !places.iter().any(|(.., last)| *last < u64::MAX) {
        places = places_of(said, &|_| true, cited, situation);
    }
    let (path, first, last) = places.into_iter().find(|(.., last)| *last < u64::MAX)?;
    Some(format!("{path}:{first}-{last}"))
}

/// Where a claim denies something, as path, first and last line: in the lines that it names, else in the definitions, else in
/// the files.
fn denied_of(
    said: &str,
    denied: &[Denied],
    cited: &[&Event],
    situation: &Situation<'_>,
) -> Vec<(String, u64, u64)> {
    places_of(said, &|name| !denied.iter().any(|denied| denied.word == *name), cited, situation)
}

/// What a claim speaks of, as path, first and last line: the lines that it names, else the definitions, else the files.
fn places_of(
    said: &str,
    is_meant: &dyn Fn(&str) -> bool,
    cited: &[&Event],
    situation: &Situation<'_>,
) -> Vec<(String, u64, u64)> {
    let lines = lines_in(said, situation.names, &only_file(cited));
    if !lines.is_empty() {
        return lines;
    }
    let files = named_in(said, situation.names);
    let (mut names, mut plain) = words_in(said);
    names.retain(|name| is_meant(name));
    plain.retain(|name| is_meant(name));
    // Beside a file a plain word names a definition of it; where nothing else does, one that was looked at.
    if !files.is_empty() {
        names.append(&mut plain);
    }
    let spans_in = |names: Vec<String>| -> Vec<(String, u64, u64)> {
        let spans = few(names).into_iter().flat_map(|name| spans_of(said, &name, cited, situation));
        let mut spans: Vec<_> = spans.collect();
        spans.retain(|(path, ..)| files.is_empty() || files.contains(path));
        spans
    };
    let mut spans = spans_in(names);
    if spans.is_empty() && files.is_empty() {
        spans = spans_in(plain);
        spans.retain(|(path, first, _)| cited.is_empty() || is_line_shown(path, *first, cited));
    }
    if !spans.is_empty() {
        return spans;
    }
    files.into_iter().map(|path| (path, 1, u64::MAX)).collect()
}

pub(crate) fn is_line_shown(path: &str, line: u64, cited: &[&Event]) -> bool {
    let reads = cited.iter().filter(|event| event.draft.shows_text() && !event.draft.is_finding());
    let mut own = reads.filter(|event| event.draft.anchors().any(|(one, _)| one == path));
    own.any(|event| {
        let parts = shown_of(&event.draft, path);
        parts.is_none_or(|parts| parts.iter().any(|(start, end)| (*start..=*end).contains(&line)))
    })
}

/// Whether a line has a word, and not only as a part of another.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    places_in(line, word).next().is_some()
}
