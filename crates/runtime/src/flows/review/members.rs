//! Members: variants and fields that a type lost, and the lines that still say them.

use std::collections::BTreeSet;
use std::time::Duration;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_ingest::languages;
use m1nd_ingest::mentions::{self, Role};
use m1nd_ingest::revision::{self, Change, Changed, Member};
use m1nd_risk::plan::Severity;
use m1nd_vfs::grep::{Case, Pattern, Syntax};

use super::held::Held;
use super::namesakes::namesakes;
use super::removed::{is_quoted, said};
use super::{Edited, Finding, fields, java_members};
use crate::ctx::Ctx;
use crate::flows::unattributed::{is_comment, is_documentation};
use crate::workspace::Texts;

/// Members that are looked for; the others are counted.
const MAX_MEMBERS: usize = 40;
/// Lines that are shown of each.
const MAX_PLACES: usize = super::lines::MAX_PLACES;
/// A field that so many lines read may be another's on some of them.
const MAX_USES: usize = 50;
/// Shorter names of fields are those of other types, too.
const MIN_FIELD: usize = 4;
/// A review is not held up longer than this.
const TIME_LIMIT: Duration = Duration::from_millis(500);

/// A member that went.
struct Gone<'e> {
    path: &'e str,
    symbol: &'e Changed,
    kind: &'e Member,
    name: &'e str,
    language: &'static str,
    family: &'static str,
}

/// Variants are told where lines say them with their type; fields where nothing declares one of the name any more.
pub fn still_said(
    ctx: &Ctx<'_>,
    held: &mut Held<'_>,
    graph: &Graph,
    edited: &[Edited],
    after: &Texts,
) -> Result<Vec<Finding>, Fault> {
    let mut gone = Vec::new();
    // Classes of Python declare their fields in methods.
    let inner: Vec<Vec<Changed>> = edited
        .iter()
        .map(|one| match &one.texts {
            (Some(old), Some(new)) if one.file.path.ends_with(".py") => {
                revision::without_members(&one.file.path, old, new)
            }
            _ => Vec::new(),
        })
        .collect();
    for (one, inner) in edited.iter().zip(&inner).filter(|(one, _)| one.broken.is_none()) {
        let Some(language) = languages::of_path(&one.file.path) else { continue };
        let symbols = one.symbols.iter().flatten().chain(inner);
        for symbol in symbols.filter(|symbol| symbol.change != Change::Removed) {
            for kind in &symbol.lost {
                let (Member::Variant(name) | Member::Field(name)) = kind;
                gone.push(Gone {
                    path: &one.file.path,
                    symbol,
                    kind,
                    name,
                    language: language.name,
                    family: language.family,
                });
            }
        }
    }
    let mut found = Vec::new();
    for gone in gone.iter().take(MAX_MEMBERS) {
        if let Some(certain) = gone.asked(held, graph) {
            if gone.is_given_outside(ctx, after)? {
                continue;
            }
            found.push(certain);
            continue;
        }
        if let Some(certain) = gone.said_alone(held, graph) {
            found.push(certain);
            continue;
        }
        if let Some(certain) = gone.read_of_record(ctx, held, graph, edited, after)? {
            found.push(certain);
            continue;
        }
        // Fields of Python and JavaScript may come from anywhere.
        let is_loose =
            matches!(gone.language, "python" | "javascript") && matches!(gone.kind, Member::Field(_));
        if !is_loose {
            found.extend(gone.told(ctx, held, graph, edited, after)?);
        }
    }
    found.extend(gone.get(MAX_MEMBERS).map(|first| first.more(gone.len() - MAX_MEMBERS)));
    Ok(found)
}

impl Gone<'_> {
    /// What is said where this one and others are too many to be looked for.
    fn more(&self, count: usize) -> Finding {
        Finding {
            kind: "removed_but_used",
            severity: Severity::Low.name(),
            at: format!("{}:{}", self.path, self.symbol.line),
            message: format!(
                "{count} more fields and variants went, {} among them, and were not looked for: review the files one by one",
                self.name
            ),
            places: Vec::new(),
        }
    }

    /// Whether other code gives values of Python the field: a class need not do that itself.
    fn is_given_outside(&self, ctx: &Ctx<'_>, after: &Texts) -> Result<bool, Fault> {
        if self.language != "python" {
            return Ok(false);
        }
        let written = format!(r"\.{}\s*(:[^=]+)?=([^=]|$)", self.name);
        let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { return Ok(true) };
        let lines = said(ctx, after, &pattern, self.family, TIME_LIMIT)?;
        let is_own =
            |line: &str| ["self.", "cls."].iter().any(|word| line.contains(&format!("{word}{}", self.name)));
        Ok(lines.iter().any(|line| !is_own(&line.text)))
    }

    /// What is certain of a field of Java that its class says without anything before it: nothing else there has the name, and
    /// nothing above the class may give it.
    fn said_alone(&self, held: &mut Held<'_>, graph: &Graph) -> Option<Finding> {
        let Member::Field(name) = self.kind else { return None };
        if self.language != "java" {
            return None;
        }
        let types: Vec<_> = graph
            .nodes_in(self.path)
            .map(|ix| graph.node(ix))
            .filter(|node| node.kind().is_type() || node.kind() == NodeKind::Module)
            .collect();
        let owner = types
            .iter()
            .find(|node| node.kind() == self.symbol.kind && node.qualified() == self.symbol.name)?;
        let text = held.text(self.path)?.into_owned();
        let is_in = |lines: (u32, u32), line: u32| (lines.0..=lines.1).contains(&line);
        // What a class extends, or one around it, may have a field of the name, and an interface a constant.
        let is_constant = !name.contains(char::is_lowercase);
        let may_give = |node: &m1nd_graph::Node<'_>| {
            let head = node.signature();
            head.contains(" extends ") || is_constant && head.contains(" implements ")
        };
        let around = types.iter().filter(|node| is_in(node.lines(), owner.lines().0));
        let is_open = |line: &str| line.starts_with("import static") && line.contains('*');
        if around.into_iter().any(may_give) || text.lines().any(is_open) {
            return None;
        }
        let said = mentions::of(self.path, text.as_bytes(), name)?;
        let is_bound = |at: usize| {
            said.iter().any(|one| matches!(&one.role, Role::Binding { reach, .. } if reach.contains(&at)))
        };
        let is_inner = |line: u32| {
            types.iter().any(|node| {
                node.lines() != owner.lines()
                    && is_in(owner.lines(), node.lines().0)
                    && is_in(node.lines(), line)
            })
        };
        let left = said.iter().filter(|one| {
            one.role == Role::Use
                && one.of.is_empty()
                && is_in(owner.lines(), one.line)
                && !is_inner(one.line)
                && !is_bound(one.at)
        });
        let lines: BTreeSet<u32> = left.map(|one| one.line).collect();
        let say = match lines.len() {
            0 => return None,
            1 => "1 line still says".to_owned(),
            count => format!("{count} lines still say"),
        };
        Some(Finding {
            kind: "removed_but_used",
            severity: Severity::High.name(),
            at: format!("{}:{}", self.path, self.symbol.line),
            message: format!("{} has no field {name} any more, and {say} it", self.symbol.name),
            places: lines.iter().take(MAX_PLACES).map(|line| format!("{}:{line}", self.path)).collect(),
        })
    }

    /// What is certain of a field, whatever else has its name.
    fn asked(&self, held: &mut Held<'_>, graph: &Graph) -> Option<Finding> {
        let Member::Field(name) = self.kind else { return None };
        let owner = self.owner(graph)?;
        let lines = fields::certainly_asked(held, graph, owner, name);
        let say = match lines.len() {
            0 => return None,
            1 => "1 line still asks".to_owned(),
            count => format!("{count} lines still ask"),
        };
        Some(Finding {
            kind: "removed_but_used",
            severity: Severity::High.name(),
            at: format!("{}:{}", self.path, self.symbol.line),
            message: format!("{} has no field {name} any more, and {say} it for one", self.symbol.name),
            places: lines.iter().take(MAX_PLACES).map(|(path, line)| format!("{path}:{line}")).collect(),
        })
    }

    fn owner(&self, graph: &Graph) -> Option<NodeIx> {
        graph.nodes_in(self.path).find(|&ix| {
            let node = graph.node(ix);
            node.kind() == self.symbol.kind && node.qualified() == self.symbol.name
        })
    }

    /// What is certain of a part of a record of Java, which is read by a method that nobody writes.
    fn read_of_record(
        &self,
        ctx: &Ctx<'_>,
        held: &mut Held<'_>,
        graph: &Graph,
        edited: &[Edited],
        after: &Texts,
    ) -> Result<Option<Finding>, Fault> {
        let Member::Field(name) = self.kind else { return Ok(None) };
        let record = self.owner(graph).filter(|_| self.language == "java");
        let Some(record) = record.filter(|&record| !java_members::is_given(graph, record, name)) else {
            return Ok(None);
        };
        let Ok(pattern) = Pattern::compile(&format!(r"\.{name}\(\)"), Syntax::Regex, Case::Sensitive) else {
            return Ok(None);
        };
        let mut lines: BTreeSet<(String, u32)> = BTreeSet::new();
        for hit in said(ctx, after, &pattern, self.family, TIME_LIMIT)? {
            let (path, line) = (hit.path.as_str(), u32::try_from(hit.line).unwrap_or(u32::MAX));
            let is_new = edited.iter().any(|one| one.file.path == path && one.touches(line));
            if !is_new
                && !is_comment(&hit.text, self.family)
                && java_members::reads_record(held, graph, record, name, (path, line))
            {
                lines.insert((path.to_owned(), line));
            }
        }
        let say = match lines.len() {
            0 => return Ok(None),
            1 => "1 line still asks".to_owned(),
            count => format!("{count} lines still ask"),
        };
        Ok(Some(Finding {
            kind: "removed_but_used",
            severity: Severity::High.name(),
            at: format!("{}:{}", self.path, self.symbol.line),
            message: format!("{} has no part {name} any more, and {say} it for one", self.symbol.name),
            places: lines.iter().take(MAX_PLACES).map(|(path, line)| format!("{path}:{line}")).collect(),
        }))
    }

    /// The constants that an enumeration of Java has since the change.
    fn constants(&self, held: &mut Held<'_>) -> BTreeSet<String> {
        if self.language != "java" {
            return BTreeSet::new();
        }
        let Some(text) = held.text(self.path) else { return BTreeSet::new() };
        let members = revision::members_of(self.path, text.as_bytes(), self.symbol.kind, &self.symbol.name);
        members.into_iter().map(|(Member::Variant(name) | Member::Field(name))| name).collect()
    }

    fn told(
        &self,
        ctx: &Ctx<'_>,
        held: &mut Held<'_>,
        graph: &Graph,
        edited: &[Edited],
        after: &Texts,
    ) -> Result<Option<Finding>, Fault> {
        let (name, owner) = (self.name, self.symbol.name.rsplit('.').next().unwrap_or(&self.symbol.name));
        let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_variant = matches!(self.kind, Member::Variant(_)) || self.symbol.kind == NodeKind::Enum;
        let is_common =
            !is_variant && (name.len() < MIN_FIELD || namesakes(graph, name, self.family).next().is_some());
        // Another type of the name may have one.
        let types = namesakes(graph, owner, self.family).filter(|&ix| graph.node(ix).kind().is_type());
        if !is_word(name) || !is_word(owner) || is_common || is_variant && types.count() != 1 {
            return Ok(None);
        }
        let Ok(pattern) = Pattern::compile(&format!(r"\b{name}\b"), Syntax::Regex, Case::Sensitive) else {
            return Ok(None);
        };
        let lines = said(ctx, after, &pattern, self.family, TIME_LIMIT)?;
        if !is_variant && lines.iter().any(|line| declares(&line.text, name)) {
            return Ok(None);
        }
        let constants = if is_variant { self.constants(held) } else { BTreeSet::new() };
        let mut is_case = |path: &str, line: u64| {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            let node = self.owner(graph).filter(|_| !constants.is_empty());
            node.is_some_and(|node| java_members::is_case(held, graph, node, &constants, name, (path, line)))
        };
        let mut uses: BTreeSet<(&str, u64)> = BTreeSet::new();
        for line in &lines {
            let path = line.path.as_str();
            let is_new = edited.iter().any(|one| {
                one.file.path == path && u32::try_from(line.line).is_ok_and(|line| one.touches(line))
            });
            let says = match is_variant {
                true => {
                    says_of(&line.text, owner, name)
                        || path == self.path && says_of(&line.text, "Self", name)
                        || line.text.trim_start().starts_with("case ") && is_case(path, line.line)
                }
                false => reads(&line.text, name),
            };
            if says
                && !is_new
                && !is_comment(&line.text, self.family)
                && !is_documentation(graph, path, line.line, &line.text)
            {
                uses.insert((path, line.line));
            }
        }
        if uses.is_empty() {
            return Ok(None);
        }
        let doubt = if uses.len() > MAX_USES { ", though some may mean another's" } else { "" };
        let lines = if uses.len() == 1 {
            "1 line still says".to_owned()
        } else {
            format!("{} lines still say", uses.len())
        };
        let (severity, what) = match is_variant {
            true => (Severity::High, format!("{}.{name} was removed, and {lines} it", self.symbol.name)),
            // What a line reads it of is not known.
            false => (
                Severity::Medium,
                format!(
                    "{} has no field {name} any more, no other declares one, and {lines} it{doubt}",
                    self.symbol.name
                ),
            ),
        };
        Ok(Some(Finding {
            kind: "removed_but_used",
            severity: severity.name(),
            at: format!("{}:{}", self.path, self.symbol.line),
            message: what,
            places: uses.iter().take(MAX_PLACES).map(|(path, line)| format!("{path}:{line}")).collect(),
        }))
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands before and behind a word, each time that a line says it outside of quotes.
fn around<'l>(line: &'l str, word: &str) -> Vec<(&'l str, &'l str)> {
    let said = line.match_indices(word).map(|(at, found)| (&line[..at], &line[at + found.len()..]));
    let is_word = |(before, after): &(&str, &str)| {
        !before.ends_with(is_letter) && !after.starts_with(is_letter) && !is_quoted(before)
    };
    said.filter(is_word).collect()
}

/// Whether a line says a name as one of a type.
fn says_of(line: &str, owner: &str, name: &str) -> bool {
    around(line, name).into_iter().any(|(before, _)| {
        let of = before.strip_suffix("::").or_else(|| before.strip_suffix('.'));
        let of = of.and_then(|of| of.strip_suffix(owner));
        of.is_some_and(|rest| !rest.ends_with(is_letter))
    })
}

/// Whether a line reads a name of something.
fn reads(line: &str, name: &str) -> bool {
    around(line, name).into_iter().any(|(before, after)| {
        let of = before.strip_suffix('.').or_else(|| before.strip_suffix("->"));
        of.is_some_and(|of| of.ends_with(|c: char| is_letter(c) || matches!(c, ')' | ']' | '?' | '!')))
            && !after.trim_start().starts_with('(')
    })
}

/// Whether a line may make a name something's.
fn declares(line: &str, name: &str) -> bool {
    around(line, name).into_iter().any(|(before, after)| {
        let (before, after) = (before.trim(), after.trim_start());
        let is_own = before.ends_with("self.") || before.ends_with("this.");
        let is_given = after.starts_with('=') && !after.starts_with("==");
        let is_typed =
            after.starts_with([':', '?', '!']) && !after.starts_with("::") || after.starts_with(is_letter);
        let is_first = before.is_empty()
            || before.split_whitespace().all(|word| {
                !word.is_empty() && word.chars().all(|c| is_letter(c) || "<>,[]()&*?.".contains(c))
            });
        is_own && is_given
            || is_first
                && !before.ends_with(['.', '>'])
                && (is_typed || is_given || after.starts_with([';', '(', ',']))
            || before.ends_with(['{', ',', '(']) && is_typed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_said_of_their_types_and_read_of_values() {
        assert!(says_of("match x { Kind::One => 1, _ => 2 }", "Kind", "One"));
        assert!(says_of("return Kind.One;", "Kind", "One") && !says_of("OtherKind::One", "Kind", "One"));
        assert!(!says_of("\"Kind::One\"", "Kind", "One") && !says_of("Kind::Ones", "Kind", "One"));
        assert!(reads("x.width + 1", "width") && reads("f().width", "width") && !reads("x.width()", "width"));
        assert!(!reads("let width = 1;", "width") && !reads("..width", "width"));
        for line in [
            "    pub width: u8,",
            "\twidth int",
            "int width;",
            "width?: number",
            "{ width: 1 }",
            "this.width = 2",
        ] {
            assert!(declares(line, "width"), "{line}");
        }
        assert!(!declares("x.width = 1", "width") && !declares("return x.width;", "width"));
    }
}
