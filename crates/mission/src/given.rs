//! Given: the values that a line of code gives to a name, or returns. What is computed is no value that can be compared.

use crate::literal::{Literal, ended, literal_at};
use crate::needs::is_document;
use crate::syntax::{Spoken, is_comment, places_of, spoken};
use crate::valued::{Kind, Said, said_in};

/// What a line gives to what a sentence speaks of; nothing where it gives nothing, or something that is computed.
pub(crate) fn given_by(said: &Said, path: &str, line: &str) -> Vec<Literal> {
    if is_document(path) || is_comment(path, line) {
        return given_in_words(said, line);
    }
    let Some(name) = &said.name else { return returned(path, line).unwrap_or_default() };
    let spellings = spellings(&name.word);
    let (mut given, mut is_computed) = (Vec::new(), false);
    for word in &spellings {
        for at in places(line, word) {
            if is_text(path, &line[..at]) && !is_key(line, at, word.len()) {
                continue;
            }
            match value_behind(path, line, at, word.len(), said.kind) {
                Given::Literal(literal) => given.push(literal),
                Given::Computed => is_computed = true,
                Given::Nothing => {}
            }
        }
    }
    // `timeout = options.get("timeout", 5)` computes it, and has its default.
    if is_computed && (said.kind != Kind::Defaults || given.is_empty()) {
        return Vec::new();
    }
    let is_there = || spellings.iter().any(|word| !places(line, word).is_empty());
    if given.is_empty() && said.kind == Kind::Defaults && is_there() {
        given.extend(declared_default(line));
    }
    given
}

/// What a line of prose gives it, in a sentence like the claim's.
fn given_in_words(said: &Said, line: &str) -> Vec<Literal> {
    let word = |said: &Said| said.name.as_ref().map(|name| name.word.clone());
    // Code that was put into a comment says nothing.
    let all = said_in(&line.replace('=', " ")).into_iter();
    let same = all.filter(|other| other.kind == said.kind && word(other) == word(said));
    same.flat_map(|other| other.values).collect()
}

/// A name as options and settings write it, too.
fn spellings(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    for other in [word.replace('-', "_"), word.replace('_', "-")] {
        if !all.contains(&other) {
            all.push(other);
        }
    }
    all
}

/// Where a word stands as a whole one, and as no part of `read-timeout`.
fn places(line: &str, word: &str) -> Vec<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_alone = |at: &usize| {
        let (before, after) = (&line[..*at], &line[at + word.len()..]);
        let is_joined = before.ends_with('-') && before.trim_end_matches('-').ends_with(is_part)
            || after.starts_with('-') && after[1..].starts_with(is_part);
        !is_joined
    };
    places_of(line, word).filter(is_alone).collect()
}

/// Whether a word stands in quotes of its own.
fn is_key(line: &str, at: usize, len: usize) -> bool {
    let (before, after) = (line[..at].chars().next_back(), line[at + len..].chars().next());
    before == after && before.is_some_and(|mark| "\"'`".contains(mark))
        || line[..at].trim_end_matches('-').ends_with(['"', '\''])
}

enum Given {
    Literal(Literal),
    /// Something that nobody can compare.
    Computed,
    Nothing,
}

/// What the text behind a name gives it: `= 5`, `: 5`, `: int = 5`, `:= 5`, `"x", 5)`.
fn value_behind(path: &str, line: &str, at: usize, len: usize, kind: Kind) -> Given {
    let is_key = is_key(line, at, len);
    let mut rest = line[at + len..].trim_start_matches(['"', '\'', '`']);
    rest = rest.trim_start().trim_start_matches('?').trim_start();
    let is_defined = line[..at].trim_end().ends_with("#define");
    let value = match () {
        () if rest.starts_with("==") || rest.starts_with("=~") => return Given::Nothing,
        () if rest.starts_with("=>") => {
            if !is_key {
                return Given::Nothing;
            }
            &rest[2..]
        }
        () if rest.starts_with(":=") => &rest[2..],
        () if rest.starts_with("::") => return Given::Nothing,
        () if rest.starts_with('=') => &rest[1..],
        () if rest.starts_with(':') => {
            let typed = rest[1..].trim_start();
            match assigned(typed) {
                Some(value) => value,
                // In Python what stands behind a name and a colon is its type.
                None if !is_key && path.ends_with(".py") => return Given::Nothing,
                None => typed,
            }
        }
        () if is_defined => rest,
        // `get("x", 5)`; what else stands behind a comma is none of it.
        () if is_key && kind == Kind::Defaults && rest.starts_with(',') => {
            match literal_at(rest[1..].trim_start()) {
                Some(_) => &rest[1..],
                None => return Given::Nothing,
            }
        }
        // `x int = 5`
        () if rest.starts_with(char::is_alphabetic) => match rest.split_once(" = ") {
            Some((kind, value))
                if kind.split_whitespace().count() == 1 && !kind.contains(['(', ',', ')']) =>
            {
                value
            }
            _ => return Given::Nothing,
        },
        () => return Given::Nothing,
    };
    let value = value.trim_start();
    match literal_at(value) {
        Some((literal, len)) if ended(&value[len..]) => Given::Literal(literal),
        _ => Given::Computed,
    }
}

/// What stands behind ` = ` where a type stands before it: `int = 5`, `dict[str, int] = None`.
fn assigned(typed: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, letter) in typed.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' | ';' if depth == 0 => return None,
            '=' if depth == 0 => {
                let is_other = typed[at + 1..].starts_with(['=', '>']);
                return (!is_other && at > 0).then(|| &typed[at + 1..]);
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// The one default that a line declares: `default=5`, `default: 5`, `default_value = "5"`, `default(5)`.
fn declared_default(line: &str) -> Option<Literal> {
    let mut found = line.match_indices("default").filter_map(|(at, word)| {
        let rest = line[at + word.len()..].trim_start_matches("_value").trim_start_matches("Value");
        let rest = rest.trim_start().strip_prefix(['=', ':', '('])?.trim_start();
        let (literal, len) = literal_at(rest)?;
        ended(&rest[len..]).then_some(literal)
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The literals that a line returns.
fn returned(path: &str, line: &str) -> Option<Vec<Literal>> {
    let name = "return";
    let at = places(line, name).into_iter().find(|at| !is_text(path, &line[..*at]))?;
    let mut rest = line[at + name.len()..].trim_start();
    let mut all = Vec::new();
    loop {
        let (literal, len) = literal_at(rest)?;
        let behind = rest[len..].trim_start();
        all.push(literal);
        match behind.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if ended(behind) => return Some(all),
            None => return None,
        }
    }
}

fn is_text(path: &str, before: &str) -> bool {
    spoken(path, before) == Spoken::Text
}

/// Every literal of a text that stands by itself.
pub(crate) fn literals_of(text: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut skip = 0;
    for (at, letter) in text.char_indices() {
        if at < skip {
            before = letter;
            continue;
        }
        let is_part = before.is_alphanumeric() || before == '_' || before == '.' && letter.is_ascii_digit();
        if !is_part && let Some((literal, len)) = literal_at(&text[at..]) {
            skip = at + len;
            found.push(literal);
        }
        before = letter;
    }
    found
}
