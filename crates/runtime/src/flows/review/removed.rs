//! Removed: names that went with the change and that other code still says.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeKind};
use m1nd_ingest::given::is_given_otherwise;
use m1nd_ingest::history::Now;
use m1nd_ingest::mentions::{self, Mention, Role};
use m1nd_ingest::revision::{Change, Changed};
use m1nd_ingest::syntax::Source;
use m1nd_ingest::{imported, languages, scan};
use m1nd_risk::plan::Severity;
use m1nd_vfs::RelPath;
use m1nd_vfs::glob::PathGlob;
use m1nd_vfs::grep::{self, Case, Pattern, Query, Syntax};
use m1nd_vfs::read::decode;
use m1nd_vfs::walk::Reach;

use super::namesakes::{Answer, has_answer, namesakes};
use super::removed_nodes::Relations;
use super::{Edited, Finding, builtins, constants, macro_made, removed_nodes};
use crate::ctx::Ctx;
use crate::faults;
use crate::flows::unattributed::{is_comment, is_documentation};
use crate::workspace::Texts;

/// Shorter names are said for other things, too.
const MIN_NAME: usize = 4;
/// A constant counts only where an import or what stands before it joins it with its file.
const MIN_CONSTANT: usize = 2;
/// Names that are looked for at once, and how often that is done. More names are one move of many: those are told by what led to them.
const MAX_NAMES: usize = 40;
const MAX_TIMES: usize = 5;
/// Lines that are looked at.
const MAX_LINES: usize = 2_000;
/// Lines that are shown of each.
const MAX_PLACES: usize = super::lines::MAX_PLACES;
/// A name that so many lines say is a common word: some of them may mean another thing.
const MAX_USES: usize = 50;
/// Lines of one name whose files are looked into.
const MAX_LOOKED_AT: usize = 4 * MAX_USES;
/// What is said of a module that may give the name without having it.
pub(super) const UNLESS_ANSWERED: &str = ", unless what the module answers with for names gives it";
/// A review is not held up longer than this.
pub(crate) const TIME_LIMIT: Duration = Duration::from_millis(1_500);

/// A definition that went.
struct Gone<'a> {
    path: &'a str,
    line: u32,
    kind: NodeKind,
    /// The names of what it stood in.
    around: Vec<&'a str>,
    edited: &'a Edited,
    symbol: &'a Changed,
}

impl Gone<'_> {
    /// A method of the name may also be one of something that is not ours, and a constant that no line imports by its name a
    /// variable.
    fn severity(&self, is_imported: bool) -> Severity {
        match self.kind {
            NodeKind::Method => Severity::Medium,
            NodeKind::Constant if !is_imported => Severity::Medium,
            _ => Severity::High,
        }
    }
}

fn is_new(edited: &[Edited], path: &str, line: u64) -> bool {
    let file = edited.iter().find(|one| one.file.path == path);
    file.zip(u32::try_from(line).ok()).is_some_and(|(one, line)| one.touches(line))
}

/// Functions, methods, types and constants that went, that nothing else is named like, and that code of the same family of languages still names.
/// Files of which that is told as a whole are passed over; those that are not on disk as the change leaves them are read as it does.
pub fn still_used(
    ctx: &Ctx<'_>,
    graph: &Graph,
    edited: &[Edited],
    is_told: impl Fn(&str) -> bool,
    after: &Texts,
    relations: Option<&Relations<'_>>,
) -> Result<Vec<Finding>, Fault> {
    let mut found = Vec::new();
    let all = gone(graph, edited, is_told);
    let parts = all.iter().flat_map(|(family, gone)| {
        let gone: Vec<(&str, &Gone<'_>)> = gone.iter().map(|(name, gone)| (*name, gone)).collect();
        let parts: Vec<_> = gone.chunks(MAX_NAMES).take(MAX_TIMES).map(<[_]>::to_vec).collect();
        parts.into_iter().map(|part| (*family, part))
    });
    for (family, gone) in parts {
        let names: Vec<&str> = gone.iter().map(|(name, _)| *name).collect();
        let written = format!(r"\b({})\b", names.join("|"));
        let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { continue };
        let said = said(ctx, after, &pattern, family, TIME_LIMIT)?;
        for (name, gone) in gone {
            let read = reading(graph, family, name, gone, &said);
            let is_use = |hit: &grep::Match| match gone.kind {
                NodeKind::Constant => read.iter().any(|&(at, _)| std::ptr::eq(&said[at], hit)),
                kind => is_use(&hit.text, name, kind),
            };
            // Who imports the name anew means what it imports.
            let imports = |path: &str| {
                said.iter().any(|hit| {
                    hit.path.as_str() == path
                        && is_new(edited, path, hit.line)
                        && is_import(&hit.text)
                        && is_use(hit)
                })
            };
            let uses = said.iter().filter(|hit| {
                is_use(hit)
                    // Who writes the name now means something else by it.
                    && !is_new(edited, hit.path.as_str(), hit.line)
                    && !imports(hit.path.as_str())
                    && !is_comment(&hit.text, family)
                    && !is_documentation(graph, hit.path.as_str(), hit.line, &hit.text)
            });
            let uses: Vec<&grep::Match> = uses.take(MAX_LOOKED_AT).collect();
            let home = constants::Home { path: gone.path, name, around: &gone.around, family };
            let mut uses = meant(ctx, graph, &home, gone.kind, after, &uses)?;
            if is_still_default(gone.edited, gone.symbol) {
                uses.retain(|hit| hit.path.as_str() == gone.path);
            }
            let related = relations.and_then(|all| all.get(&(gone.path, gone.line)));
            if relations.is_some() && gone.kind == NodeKind::Method {
                // Anything may have a method of the name: only who was known to call this one counts.
                uses.retain(|hit| related.is_some_and(|related| related.has(hit.path.as_str(), hit.line)));
            }
            let certain = related.map(|related| &related.certain);
            let is_certain = certain.is_some_and(|lines| !lines.is_empty());
            if !is_certain && uses.is_empty() {
                continue;
            }
            let is_common = uses.len() > MAX_USES;
            // The lines of tests come last.
            let mut lines: BTreeSet<(bool, &str, u64)> = certain
                .into_iter()
                .flatten()
                .map(|&(is_test, path, line)| (is_test, path, u64::from(line)))
                .collect();
            if !is_common || !is_certain {
                let known: BTreeSet<(&str, u64)> =
                    lines.iter().map(|&(_, path, line)| (path, line)).collect();
                let more = uses.iter().map(|hit| (hit.path.as_str(), hit.line));
                lines.extend(more.filter(|place| !known.contains(place)).map(|(path, line)| {
                    let file = graph.node_by_path(path).map(|file| graph.node(file));
                    (file.is_some_and(|file| file.flags().has(NodeFlags::TEST_CODE)), path, line)
                }));
            }
            let by_text = gone.severity(read.iter().any(|&(_, is_imported)| is_imported));
            // Who is not known to have led there says the word, and may mean another thing by it.
            let is_doubtful = relations.is_some() && gone.kind != NodeKind::Constant;
            let by_text = if is_doubtful || is_common { by_text.min(Severity::Medium) } else { by_text };
            let severity = match related.filter(|_| is_certain) {
                Some(related) => {
                    removed_nodes::severity(graph, gone.edited, gone.symbol, related).max(by_text)
                }
                None => by_text,
            };
            let may_be_made = macro_made::may_be(graph, gone.edited, name);
            let may_be_given = gone.edited.answers_for(gone.symbol) == Answer::Maybe;
            let is_certain = !may_be_made && !may_be_given;
            let severity = if is_certain { severity } else { severity.min(Severity::Medium) };
            let unless = match (may_be_made, may_be_given) {
                (true, _) => ", unless a macro makes it",
                (false, true) => UNLESS_ANSWERED,
                (false, false) => "",
            };
            let say = match lines.len() {
                1 => "1 line still says".to_owned(),
                MAX_LOOKED_AT => format!("{MAX_LOOKED_AT} lines or more still say"),
                count => format!("{count} lines still say"),
            };
            found.push(Finding {
                kind: "removed_but_used",
                severity: severity.name(),
                at: format!("{}:{}", gone.path, gone.line),
                message: format!("{name} was removed, nothing else has its name, and {say} it{unless}"),
                places: lines
                    .iter()
                    .take(MAX_PLACES)
                    .map(|(_, path, line)| format!("{path}:{line}"))
                    .collect(),
            });
        }
    }
    Ok(found)
}

/// The lines of a family of languages that a pattern is in, in the files as the change leaves them.
pub(crate) fn said(
    ctx: &Ctx<'_>,
    after: &Texts,
    pattern: &Pattern,
    family: &str,
    limit: Duration,
) -> Result<Vec<grep::Match>, Fault> {
    let ends: Vec<&str> = languages::all()
        .filter(|language| language.family == family)
        .flat_map(|language| language.extensions)
        .copied()
        .collect();
    let Ok(files) = PathGlob::parse(&format!("**/*.{{{}}}", ends.join(","))) else { return Ok(Vec::new()) };
    let query = Query {
        pattern,
        start: RelPath::root(),
        prefix: None,
        globs: &[files],
        keep: MAX_LINES,
        context: 0,
        reach: Reach::Usual,
        tracked: &[],
    };
    let cancel = ctx.cancel().with_timeout(limit);
    let found = grep::search(ctx.workspace()?.root(), &query, &cancel, &|_| {}).map_err(faults::stopped)?;
    let mut said = found.matches;
    said.retain(|hit| !after.contains_key(hit.path.as_str()));
    said.extend(said_in(ctx, after, pattern, family)?);
    Ok(said)
}

/// The lines that say the names in files that are not on disk as the change leaves them.
fn said_in(ctx: &Ctx<'_>, after: &Texts, pattern: &Pattern, family: &str) -> Result<Vec<grep::Match>, Fault> {
    let root = ctx.workspace()?.root();
    let mut found = Vec::new();
    for (path, text) in after {
        let is_of_family = languages::of_path(path).is_some_and(|language| language.family == family);
        let (Some(text), Ok(path)) = (text.as_deref().and_then(decode), root.relative(path)) else {
            continue;
        };
        if !is_of_family {
            continue;
        }
        let lines = (1..).zip(text.0.lines()).filter(|(_, line)| pattern.is_in(line));
        found.extend(lines.map(|(line, text)| grep::Match {
            path: path.clone(),
            line,
            text: text.to_owned(),
            before: Vec::new(),
            after: Vec::new(),
        }));
    }
    Ok(found)
}

/// The lines that mean what went. Files may take the name from a module that is not ours, or give it a value of their own; a line
/// may say it of something else. A method has its name from what it is called on.
fn meant<'h>(
    ctx: &Ctx<'_>,
    graph: &Graph,
    home: &constants::Home<'_>,
    kind: NodeKind,
    after: &Texts,
    uses: &[&'h grep::Match],
) -> Result<Vec<&'h grep::Match>, Fault> {
    if kind == NodeKind::Method {
        return Ok(uses.to_vec());
    }
    let root = ctx.workspace()?.root();
    // Each file is parsed once for each name that is asked of it.
    let mut known: BTreeMap<(&str, String), Option<imported::Bound>> = BTreeMap::new();
    let mut bound = |path: &'h str, name: &str| {
        let look = || match after.get(path) {
            Some(text) => imported::bound(path, text.as_deref()?, name),
            None => match scan::now(root, path) {
                Now::Holds(bytes) => imported::bound(path, &bytes, name),
                Now::Unread | Now::Gone => None,
            },
        };
        known.entry((path, name.to_owned())).or_insert_with(look).clone()
    };
    let is_ours = |path: &str, source: &imported::Source| {
        let leads_here = || {
            graph.node_by_path(path).is_some_and(|file| {
                let mut imports = graph.outgoing(file).filter(|edge| edge.kind == EdgeKind::Imports);
                imports.any(|edge| edge.lines.contains(&source.line))
            })
        };
        source.is_relative || source.module.iter().any(|part| home.is_said_in(part)) || leads_here()
    };
    let mut sources: BTreeMap<&str, Option<Source>> = BTreeMap::new();
    let mut is_code = |hit: &'h grep::Match| {
        let path = hit.path.as_str();
        let source = sources.entry(path).or_insert_with(|| match after.get(path) {
            Some(text) => Source::of(path, text.as_deref()?),
            None => match scan::now(root, path) {
                Now::Holds(bytes) => Source::of(path, &bytes),
                Now::Unread | Now::Gone => None,
            },
        });
        let line = u32::try_from(hit.line).unwrap_or(u32::MAX);
        source.as_ref().is_none_or(|source| !source.only_quotes(line, home.name))
    };
    let mut said: BTreeMap<&str, Option<Vec<Mention>>> = BTreeMap::new();
    let mut is_local = |hit: &'h grep::Match| {
        let path = hit.path.as_str();
        let said = said.entry(path).or_insert_with(|| match after.get(path) {
            Some(text) => mentions::of(path, text.as_deref()?, home.name),
            None => match scan::now(root, path) {
                Now::Holds(bytes) => mentions::of(path, &bytes, home.name),
                Now::Unread | Now::Gone => None,
            },
        });
        said.as_ref().is_some_and(|said| is_local_use(said, hit.line))
    };
    let mut meant = Vec::new();
    for &hit in uses {
        let path = hit.path.as_str();
        let owners = match is_import(&hit.text) || kind == NodeKind::Constant {
            true => vec![None],
            false => owners(&hit.text, home.name, kind, dots_of(home.family)),
        };
        let is_meant = owners.iter().any(|owner| match owner {
            None => bound(path, home.name).is_none_or(|bound| match bound.imports[..] {
                // A module on the way to another name.
                [] if home.family == "python" && is_import(&hit.text) => false,
                [] => !bound.is_made_here || path == home.path,
                _ => bound.imports.iter().any(|source| is_ours(path, source)),
            }),
            Some(owner) => {
                home.is_owner(owner)
                    || bound(path, owner)
                        .is_some_and(|bound| bound.imports.iter().any(|source| is_ours(path, source)))
            }
        });
        if is_meant && is_code(hit) && !is_local(hit) {
            meant.push(hit);
        }
    }
    Ok(meant)
}

/// Whether a line means nothing by a name but what a parameter or a variable around it holds.
pub(super) fn is_local_use(said: &[Mention], line: u64) -> bool {
    let is_bound = |one: &Mention| {
        said.iter().any(|other| match &other.role {
            Role::Binding { reach, at_top } => !at_top && reach.contains(&one.at),
            _ => false,
        })
    };
    let mut here = said.iter().filter(|one| u64::from(one.line) == line && one.is_use()).peekable();
    here.peek().is_some() && here.all(|one| one.of.is_empty() && one.role == Role::Use && is_bound(one))
}

/// Whether what stands before a dot may be a module or a package. Elsewhere it is a value, and what follows one of its members.
fn dots_of(family: &str) -> Dots {
    if matches!(family, "rust" | "c" | "php") { Dots::OfValues } else { Dots::OfModules }
}

/// What may stand before a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dots {
    OfModules,
    OfValues,
}

/// What a name is said of, each time that a line uses it; nothing where it stands alone.
fn owners<'l>(line: &'l str, name: &str, kind: NodeKind, dots: Dots) -> Vec<Option<&'l str>> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let said = line.match_indices(name).filter_map(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_word = !before.ends_with(is_letter) && !after.starts_with(is_letter);
        let is_called = after.trim_start().starts_with('(');
        (is_word && !is_quoted(before) && (kind.is_type() || is_called)).then_some(before)
    });
    let is_member =
        |before: &&str| dots == Dots::OfValues && before.ends_with('.') && !before.ends_with("..");
    said.filter(|before| !is_member(before))
        .map(|before| {
            let owner = before.strip_suffix("::").or_else(|| before.strip_suffix('.'))?;
            let from = owner.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
            owner.get(from..)
        })
        .collect()
}

/// Which of the lines read a constant that went, and whether they import it.
fn reading(
    graph: &Graph,
    family: &'static str,
    name: &str,
    gone: &Gone<'_>,
    hits: &[grep::Match],
) -> Vec<(usize, bool)> {
    if gone.kind != NodeKind::Constant {
        return Vec::new();
    }
    let lines: Vec<constants::Line<'_>> =
        hits.iter().map(|hit| constants::Line { path: hit.path.as_str(), text: &hit.text }).collect();
    constants::reads(graph, &constants::Home { path: gone.path, name, around: &gone.around, family }, &lines)
}

/// Whether something else gives what went its name now.
pub(super) fn is_given_now(graph: &Graph, one: &Edited, symbol: &Changed, name: &str) -> bool {
    let text = one.texts.1.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let class = symbol.name.rsplit_once('.').map(|(class, _)| class);
    is_given_otherwise(&one.file.path, &text, name)
        || class.is_some_and(|class| has_answer(graph, &one.file.path, class))
}

/// Whether others took what went as the one thing that its module exports by default, and the module still exports something so:
/// they give it a name of their own.
pub(super) fn is_still_default(one: &Edited, symbol: &Changed) -> bool {
    let (Some(old), Some(new)) = (&one.texts.0, &one.texts.1) else { return false };
    let [old, new] = [old, new].map(|text| String::from_utf8_lossy(text));
    let head = old.lines().nth((symbol.line as usize).saturating_sub(1)).unwrap_or_default();
    let is_export = |line: &str| {
        line.contains("export") && (line.contains("export default") || line.contains(" as default"))
    };
    head.trim_start().starts_with("export default") && new.lines().any(is_export)
}

/// Whether a member that went is a field of the same file now, as where a property became one.
pub(super) fn is_field_now(graph: &Graph, one: &Edited, symbol: &Changed, name: &str) -> bool {
    let Some((owner, _)) = symbol.name.rsplit_once('.') else { return false };
    let Some(new) = one.texts.1.as_ref() else { return false };
    // What another type of the file has is none of this one's.
    let types = graph.nodes_in(&one.file.path).map(|ix| graph.node(ix));
    let types = types.filter(|node| node.kind().is_type() && node.qualified() == owner);
    let spans: Vec<(u32, u32)> = types.map(|node| node.lines()).collect();
    let is_within =
        |line: u32| spans.is_empty() || spans.iter().any(|(first, last)| (*first..=*last).contains(&line));
    let said = mentions::of(&one.file.path, new, name).unwrap_or_default();
    let text = String::from_utf8_lossy(new);
    let begins = |line: u32| {
        let at = (line as usize).saturating_sub(1);
        text.lines().nth(at).is_some_and(|text| text.trim_start().starts_with(name))
    };
    let is_given = |mention: &Mention| {
        !mention.is_use()
            && is_within(mention.line)
            && match mention.of.as_str() {
                "self." | "cls." | "this." => true,
                // In the body of a class.
                "" => mention.role == Role::Label && begins(mention.line),
                _ => false,
            }
    };
    said.iter().any(is_given)
}

/// What went, by family of languages and name.
fn gone<'a>(
    graph: &Graph,
    edited: &'a [Edited],
    is_told: impl Fn(&str) -> bool,
) -> BTreeMap<&'static str, BTreeMap<&'a str, Gone<'a>>> {
    let mut gone: BTreeMap<&'static str, BTreeMap<&str, Gone<'_>>> = BTreeMap::new();
    for one in edited.iter().filter(|one| !is_told(&one.file.path)) {
        let Some(language) = languages::of_path(&one.file.path) else { continue };
        let went = one.symbols.iter().flatten().filter(|symbol| symbol.change == Change::Removed);
        for symbol in went.filter(|symbol| counts(symbol) && !symbol.is_local) {
            let mut around: Vec<&str> = symbol.name.split('.').collect();
            let name = around.pop().unwrap_or(&symbol.name);
            let least = if symbol.kind == NodeKind::Constant { MIN_CONSTANT } else { MIN_NAME };
            let is_word = name.len() >= least && name.chars().all(|c| c.is_alphanumeric() || c == '_');
            let is_ours = !builtins::has(language.family, name)
                && !is_field_now(graph, one, symbol, name)
                && !is_given_now(graph, one, symbol, name)
                && one.answers_for(symbol) != Answer::Yes;
            if is_word && is_ours && namesakes(graph, name, language.family).next().is_none() {
                let (path, line, kind) = (one.file.path.as_str(), symbol.line, symbol.kind);
                let one = Gone { path, line, kind, around, edited: one, symbol };
                gone.entry(language.family).or_default().entry(name).or_insert(one);
            }
        }
    }
    gone
}

/// Whether others may name a definition: a dunder is called by the language, and a test by nobody.
pub(super) fn counts(symbol: &Changed) -> bool {
    let name = symbol.name.rsplit('.').next().unwrap_or(&symbol.name);
    let is_kept = symbol.kind.is_type() || symbol.kind.is_callable() || symbol.kind == NodeKind::Constant;
    is_kept && symbol.kind != NodeKind::Test && !name.starts_with("__") && !name.starts_with("test")
}

pub(super) fn is_import(line: &str) -> bool {
    let start = line.trim_start();
    let hands_on = start.starts_with("export {") && start.contains(" from ");
    hands_on || ["import ", "use ", "from "].iter().any(|word| start.starts_with(word))
}

/// A function or method is called, imported or handed on; a type stands as a word of its own. What stands in quotes is neither.
fn is_use(line: &str, name: &str, kind: NodeKind) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_word = !before.ends_with(is_letter) && !after.starts_with(is_letter);
        let is_called = after.trim_start().starts_with('(');
        is_word && !is_quoted(before) && (kind.is_type() || is_called || is_import(line))
    })
}

/// Whether a quotation is open after the text.
pub(super) fn is_quoted(before: &str) -> bool {
    ['"', '\'', '`'].iter().any(|&mark| before.matches(mark).count() % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_said_alone_or_of_something() {
        assert_eq!(
            owners("x: ssl.SSLContext | SSLContext", "SSLContext", NodeKind::Class, Dots::OfModules),
            [Some("ssl"), None]
        );
        let function = |line, name, dots| owners(line, name, NodeKind::Function, dots);
        assert_eq!(function("a::b::greet(c().greet())", "greet", Dots::OfModules), [Some("b"), Some("")]);
        assert_eq!(function("FLAGS.iter(a::iter())", "iter", Dots::OfValues), [Some("a")]);
        assert_eq!(function("app.logger.info(''.join(info))", "info", Dots::OfModules), [Some("logger")]);
    }

    #[test]
    fn calls_and_imports_are_uses_and_words_are_not() {
        let is = |line: &str| is_use(line, "greet", NodeKind::Function);
        assert!(is("    x.greet (1)") && is("from a import greet") && is("use a::greet;"));
        assert!(
            !is("greeting()") && !is("print('greet(1)')") && !is("we greet everybody") && !is("greet = 1")
        );
        assert!(is_use("let x: Greeter = 1;", "Greeter", NodeKind::Struct));
    }
}
