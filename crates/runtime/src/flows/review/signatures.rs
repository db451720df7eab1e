//! Signatures: callables that are declared otherwise since a change, and the calls of them that it left as they were.

use std::collections::BTreeMap;

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_ingest::languages;
use m1nd_ingest::revision::{Changed, Head};
use m1nd_risk::plan::Severity;
use m1nd_risk::signature::{self, Call, Fit, Taken, fit, shifts, takes};
use m1nd_vfs::grep::{self, Pattern};

use super::held::Held;
use super::new_calls::is_meant_to_fail;
use super::properties::{read_otherwise, users_before};
use super::returned::{bare, results, taken_apart};
use super::statics::called_otherwise;
use super::users::User;
use super::values::passed_on;
use super::{Edited, Finding};

/// Calls that a finding shows.
pub(super) const MAX_PLACES: usize = super::lines::MAX_PLACES;
/// Bytes of a signature that are shown.
const LONG: usize = 160;
/// Names that stand for names that stand for others are followed so far.
const MAX_ALIASES: usize = 3;

/// A line that uses a callable: of tests, path and line.
pub(super) type Site<'g> = (bool, &'g str, u32);

/// What a call that was left as it was does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Fits,
    Breaks,
    /// What is written does not tell.
    Unknown,
}

/// Everything that is known of one callable that is declared otherwise.
pub(super) struct Shape<'g> {
    pub graph: &'g Graph,
    pub node: NodeIx,
    pub language: &'g str,
    pub name: &'g str,
    /// By name a class is called where what makes one is meant.
    said: &'g str,
    pub heads: [&'g Head; 2],
    /// Lines that certainly call it and were not touched.
    pub sites: Vec<Site<'g>>,
    /// The same with those that only name it.
    pub uses: Vec<Site<'g>>,
    /// All that do.
    total: usize,
}

/// What is told of one.
pub(super) struct Told {
    pub severity: Severity,
    pub what: String,
    pub places: Vec<String>,
}

/// Callables that are declared otherwise; `said` finds lines of Python that a pattern is in.
pub fn changed(
    held: &mut Held<'_>,
    said: &dyn Fn(&Pattern) -> Result<Vec<grep::Match>, Fault>,
    before: Option<&Graph>,
    graph: &Graph,
    edited: &[Edited],
) -> Result<Vec<Finding>, Fault> {
    let by_path: BTreeMap<&str, &Edited> = edited.iter().map(|one| (one.file.path.as_str(), one)).collect();
    let is_touched = |path: &str, line: u32| by_path.get(path).is_some_and(|one| one.touches(line));
    let mut found = Vec::new();
    for one in edited {
        for symbol in one.symbols.iter().flatten() {
            let Some([was, is]) = symbol.heads.as_deref().filter(|[was, is]| was != is) else { continue };
            let Some(node) = node_of(graph, &one.file.path, symbol) else { continue };
            let mut shape = Shape::of(graph, node, [was, is], is_touched);
            if let Some(before) = before {
                shape.take_lost(lost_calls(before, graph, edited, one, symbol, is_touched));
            }
            let turned = symbol.turned_property();
            if shape.uses.is_empty() && was.marks == is.marks && turned.is_none() && !turns_static(was, is) {
                continue;
            }
            let all = match turned {
                // What it takes and gives is nobody's who does not come by it any more.
                Some(is_read) => {
                    let mut known = match before {
                        Some(before) => users_before(before, graph, edited, one, symbol, is_touched),
                        None => Vec::new(),
                    };
                    known.extend(&shape.uses);
                    vec![read_otherwise(&shape, held, said, &known, is_touched, is_read)?]
                }
                None => vec![
                    match before.filter(|_| turns_static(was, is)) {
                        Some(before) => {
                            let known = users_before(before, graph, edited, one, symbol, is_touched);
                            called_otherwise(&shape, held, &known)
                        }
                        None => None,
                    },
                    passed_on(&shape, held),
                    shape.parameters(held),
                    shape.waiting(held),
                    shape.entering(held),
                    shape.result(held),
                ],
            };
            let [was, is] = signature::shown(&was.signature, &is.signature, LONG);
            let shown = if was == is { String::new() } else { format!(". Was: {was}. Is: {is}") };
            found.extend(all.into_iter().flatten().map(|told| Finding {
                kind: "signature_change",
                severity: told.severity.name(),
                at: format!("{}:{}", one.file.path, symbol.line),
                message: format!("{}: {}{shown}", symbol.name, told.what),
                places: told.places,
            }));
        }
    }
    Ok(found)
}

/// Whether the word that makes a method one of its type came or went.
fn turns_static(was: &Head, is: &Head) -> bool {
    let says = |head: &Head| head.signature.split_whitespace().any(|word| word == "static");
    says(was) != says(is)
}

/// The node that a changed definition is today.
pub(super) fn node_of(graph: &Graph, path: &str, symbol: &Changed) -> Option<NodeIx> {
    let same = |&ix: &NodeIx| {
        let node = graph.node(ix);
        node.kind() == symbol.kind && node.lines().0 == symbol.line && symbol.name.ends_with(node.label())
    };
    graph.nodes_in(path).find(same)
}

/// Lines that certainly called something before the change and lead to nothing of its name since, in languages that tell callables
/// of one name apart by what they are given: a call that does not fit any more is no call of it there.
fn lost_calls<'g>(
    before: &'g Graph,
    graph: &Graph,
    edited: &'g [Edited],
    one: &'g Edited,
    symbol: &Changed,
    is_touched: impl Fn(&str, u32) -> bool,
) -> Vec<Site<'g>> {
    let family = languages::of_path(&one.file.path).map_or("", |language| language.family);
    if !matches!(family, "java" | "kotlin" | "csharp" | "c" | "scala" | "swift") {
        return Vec::new();
    }
    let same = before
        .nodes_in(one.path_before())
        .filter(|&ix| before.node(ix).kind() == symbol.kind && before.node(ix).qualified() == symbol.name);
    let same: Vec<NodeIx> = same.collect();
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let then = symbol.before.as_deref().map(plain);
    let was = match same[..] {
        [only] => Some(only),
        _ => same.into_iter().find(|&ix| Some(plain(before.node(ix).signature())) == then),
    };
    let Some(was) = was else { return Vec::new() };
    let name = before.node(was).label();
    let mut found = Vec::new();
    for edge in before.incoming(was).filter(|edge| edge.kind == EdgeKind::Calls) {
        let source = before.node(edge.source);
        let Some(user) = User::of(graph, edited, source.path()) else { continue };
        for (line, _) in edge.sites().filter(|(_, evidence)| !evidence.is_inferred()) {
            let Some(today) = user.line(line).filter(|&today| !is_touched(user.path, today)) else {
                continue;
            };
            if !user.leads_to(today).any(|ix| graph.node(ix).label() == name) {
                found.push((source.flags().has(NodeFlags::TEST_CODE), user.path, today));
            }
        }
    }
    found
}

/// A signature with one parameter more, in front.
fn with_self(signature: &str) -> String {
    match signature.split_once('(') {
        Some((name, rest)) if rest.trim_start().starts_with(')') => format!("{name}(self{rest}"),
        Some((name, rest)) => format!("{name}(self, {rest}"),
        None => signature.to_owned(),
    }
}

impl<'g> Shape<'g> {
    fn of(
        graph: &'g Graph,
        node: NodeIx,
        heads: [&'g Head; 2],
        is_touched: impl Fn(&str, u32) -> bool,
    ) -> Self {
        let (mut sites, mut uses, mut total) = (Vec::new(), Vec::new(), 0);
        let kinds = [EdgeKind::Calls, EdgeKind::References];
        for edge in graph.incoming(node).filter(|edge| kinds.contains(&edge.kind)) {
            let user = graph.node(edge.source);
            let is_call = edge.kind == EdgeKind::Calls;
            for (line, evidence) in edge.sites() {
                total += usize::from(is_call);
                if !evidence.is_inferred() && !is_touched(user.path(), line) {
                    let site = (user.flags().has(NodeFlags::TEST_CODE), user.path(), line);
                    uses.push(site);
                    sites.extend(is_call.then_some(site));
                }
            }
        }
        for list in [&mut sites, &mut uses] {
            list.sort_unstable();
            list.dedup();
        }
        let (label, language) = (graph.node(node).label(), graph.node(node).language());
        let said = match (label, graph.owner(node)) {
            ("__init__" | "constructor", Some(owner)) => graph.node(owner).label(),
            _ => label,
        };
        Self { graph, node, language, name: label, said, heads, sites, uses, total }
    }

    /// Takes the lines in that led to it before and lead nowhere now.
    fn take_lost(&mut self, lost: Vec<Site<'g>>) {
        let known = self.sites.len();
        self.sites.extend(lost.iter().copied());
        self.sites.sort_unstable();
        self.sites.dedup();
        self.total += self.sites.len() - known;
        self.uses.extend(lost);
        self.uses.sort_unstable();
        self.uses.dedup();
    }

    /// The calls that a line makes of it, as they are written.
    fn calls(&self, held: &mut Held<'_>, path: &str, line: u32) -> Vec<Call> {
        let Some(text) = held.text(path) else { return Vec::new() };
        let mut found = signature::calls(self.language, &text, line, self.said);
        if self.said != self.name {
            // What makes one is no argument, whatever stands before its name.
            found.iter_mut().for_each(|call| call.is_of_type = false);
        }
        match found.is_empty() && self.said != self.name {
            true => signature::calls(self.language, &text, line, self.name),
            false => found,
        }
    }

    /// Every call that was left, judged by what it gives. Of a line with several calls of the name nobody knows which is meant, unless
    /// nothing else has the name.
    fn judged(&self, held: &mut Held<'_>, judge: impl Fn(&Call) -> Left) -> Vec<(Site<'g>, Left)> {
        let same = self.graph.nodes_by_label(self.name).len();
        let is_only = same == 1 && self.graph.node(self.node).kind() == NodeKind::Function;
        let judged = |&(is_test, path, line): &Site<'g>| {
            let calls = self.calls(held, path, line);
            let mut all = calls.iter().map(&judge);
            let first = all.next().unwrap_or(Left::Unknown);
            let left = match all.all(|other| other == first) {
                true => first,
                false if is_only && calls.iter().any(|call| judge(call) == Left::Breaks) => Left::Breaks,
                false => Left::Unknown,
            };
            // What a test wants to fail goes on failing.
            let left = match left {
                Left::Breaks if is_meant_to_fail(held, path, line) => Left::Fits,
                left => left,
            };
            ((is_test, path, line), left)
        };
        self.sites.iter().map(judged).collect()
    }

    pub fn signatures(&self) -> [String; 2] {
        self.heads.map(|head| {
            let signature = without_aliases(self.graph, self.language, &head.signature);
            // What is given no object takes all that is written.
            match self.language == "python" && head.marks.lines().any(|mark| mark.trim() == "@staticmethod") {
                true => with_self(&signature),
                false => signature,
            }
        })
    }

    /// Whether it is decorated by something new that may change what it takes, or how it is run.
    fn is_wrapped_anew(&self) -> bool {
        const PLAIN: [&str; 10] = [
            "staticmethod",
            "classmethod",
            "property",
            "abstractmethod",
            "abc.abstractmethod",
            "override",
            "typing.override",
            "final",
            "functools.cache",
            "cache",
        ];
        let [was, is] = self.heads.map(|head| head.marks.as_str());
        let marks = is.lines().map(str::trim).filter_map(|line| line.strip_prefix('@'));
        let is_new = |mark: &&str| !was.lines().any(|line| line.trim().strip_prefix('@') == Some(*mark));
        self.language == "python" && marks.filter(is_new).any(|mark| !PLAIN.contains(&mark))
    }

    fn parameters(&self, held: &mut Held<'_>) -> Option<Told> {
        if self.sites.is_empty() {
            return None;
        }
        let [was, is] = self.signatures();
        let renamed = match fit(self.language, self.name, &was, &is) {
            Fit::Broken => Vec::new(),
            Fit::Renamed(names) => names,
            Fit::Same | Fit::Widened => return None,
        };
        // Where types are checked a call that fits by number may still not fit.
        let is_typed = !matches!(self.language, "python" | "javascript" | "ruby");
        let judged = self.judged(held, |call| {
            let taken = |signature: &str| takes(self.language, self.name, signature, call);
            match (taken(&was), taken(&is)) {
                (Taken::Yes, Taken::No) if self.is_wrapped_anew() => Left::Unknown,
                (Taken::Yes, Taken::No) => Left::Breaks,
                (Taken::Yes, Taken::Yes) if shifts(self.language, self.name, [&was, &is], call) => {
                    Left::Breaks
                }
                (_, Taken::Yes) if !is_typed => Left::Fits,
                _ => Left::Unknown,
            }
        });
        let (breaks, unknown) = (of(&judged, Left::Breaks), of(&judged, Left::Unknown));
        let what = match renamed.is_empty() {
            true => "parameters changed".to_owned(),
            false => format!("{} is called otherwise", renamed.join(", ")),
        };
        let total = self.total;
        Some(match (breaks.len(), unknown.len()) {
            (0, 0) => Told {
                severity: Severity::Low,
                what: format!("{what}, and all calls that were not touched still fit ({})", judged.len()),
                places: shown(&self.sites),
            },
            (0, count) => Told {
                severity: if renamed.is_empty() { Severity::Medium } else { Severity::Low },
                what: match is_typed {
                    true => format!(
                        "{what}, and of {count} of {total} calls, which were not touched, it is not known whether they fit: types are not compared"
                    ),
                    false => format!(
                        "{what}, and of {count} of {total} calls, which were not touched, it is not known whether they fit: what they give is not written there"
                    ),
                },
                places: shown(&unknown),
            },
            (count, more) => {
                let more = match more {
                    0 => String::new(),
                    more => format!("; of {more} more it is not known"),
                };
                Told {
                    severity: Severity::High,
                    what: format!(
                        "{what}, and {count} of {total} calls that were not touched do not fit{more}"
                    ),
                    places: shown(&breaks),
                }
            }
        })
    }

    /// Whether it has to be waited for.
    fn waiting(&self, held: &mut Held<'_>) -> Option<Told> {
        let [was, is] = self.heads.map(|head| is_async(&head.signature, self.name));
        if was == is
            || self.is_wrapped_anew()
            || !matches!(self.language, "python" | "rust" | "typescript" | "tsx" | "javascript")
        {
            return None;
        }
        // What gives a promise has to be waited for, too.
        let promises = ["Awaitable", "Coroutine", "Future", "Promise", "Iterator", "Generator", "Iterable"];
        let plain = if was { &self.heads[1].signature } else { &self.heads[0].signature };
        if promises.iter().any(|word| plain.contains(word)) {
            return None;
        }
        let judged = self.judged(held, |call| {
            let before = call.before.trim_end();
            let is_iterated =
                ["async for ", "async with ", " async for"].iter().any(|word| before.contains(word));
            let awaits = call.after.starts_with(".await")
                || before.split_whitespace().any(|word| word.ends_with("await"));
            match (is, is_iterated) {
                (_, true) => Left::Unknown,
                (true, _) if awaits => Left::Unknown,
                (false, _) if !awaits => Left::Unknown,
                _ => Left::Breaks,
            }
        });
        let breaks = of(&judged, Left::Breaks);
        let what = if is { "has to be awaited now" } else { "is not awaited any more" };
        // A value that nobody waits for may still be what is meant in JavaScript.
        let is_certain = matches!(self.language, "python" | "rust");
        let still = if is { "do not" } else { "still do" };
        (!breaks.is_empty()).then(|| Told {
            severity: if is_certain { Severity::High } else { Severity::Medium },
            what: format!(
                "{what}, and {} of {} calls that were not touched {still}",
                breaks.len(),
                self.total
            ),
            places: shown(&breaks),
        })
    }

    /// Whether it is no longer entered with `with`.
    fn entering(&self, held: &mut Held<'_>) -> Option<Told> {
        const ENTERED: [&str; 2] = ["contextmanager", "asynccontextmanager"];
        let is_entered = |head: &Head| {
            let names = head.marks.lines().filter_map(|line| line.trim().strip_prefix('@'));
            let mut names = names.map(|name| name.split('(').next().unwrap_or(name).rsplit('.').next());
            names.any(|name| name.is_some_and(|name| ENTERED.contains(&name)))
        };
        if self.language != "python" || self.heads.map(is_entered) != [true, false] {
            return None;
        }
        let judged = self.judged(held, |call| match call.before.trim_start() {
            before if before.starts_with("with ") || before.contains(" with ") => Left::Breaks,
            _ => Left::Unknown,
        });
        let breaks = of(&judged, Left::Breaks);
        // What it gives back may be entered itself.
        let node = self.graph.node(self.node);
        let (first, last) = node.lines();
        let gives =
            (first..=last).any(|line| held.line(node.path(), line).trim_start().starts_with("return "));
        (!breaks.is_empty()).then(|| Told {
            severity: if gives { Severity::Medium } else { Severity::High },
            what: format!(
                "is no context manager any more, and {} {} it{}",
                untouched(breaks.len()),
                if breaks.len() == 1 { "enters" } else { "enter" },
                if gives { ", unless what it gives back is one" } else { "" }
            ),
            places: shown(&breaks),
        })
    }

    /// What it gives back, where that is written.
    fn result(&self, held: &mut Held<'_>) -> Option<Told> {
        let given = self.signatures().map(|one| signature::result(self.language, &one, self.name));
        let [Some(was), Some(is)] = given else { return None };
        // What gave nothing was not used.
        if bare(&was) == bare(&is) || matches!(was.as_str(), "" | "()" | "void" | "Promise<void>") {
            return None;
        }
        let is_method = self.graph.node(self.node).kind() == NodeKind::Method;
        let counts = [&was, &is].map(|list| results(list));
        if self.language == "go" && counts[0] != counts[1] {
            let judged = self.judged(held, |call| match taken_apart(call) {
                Some(count) if count != counts[1] && count == counts[0] => Left::Breaks,
                Some(0) => Left::Fits,
                _ => Left::Unknown,
            });
            let breaks = of(&judged, Left::Breaks);
            if !breaks.is_empty() {
                return Some(Told {
                    severity: Severity::High,
                    what: format!(
                        "gives {} values instead of {}, and {} of {} calls that were not touched take {}",
                        counts[1],
                        counts[0],
                        breaks.len(),
                        self.total,
                        counts[0]
                    ),
                    places: shown(&breaks),
                });
            }
        }
        let calls: Vec<Site<'g>> = self
            .judged(held, |call| match taken_apart(call) {
                Some(0) => Left::Fits,
                _ => Left::Unknown,
            })
            .into_iter()
            .filter(|(_, left)| *left == Left::Unknown)
            .map(|(site, _)| site)
            .collect();
        let what = if is.is_empty() { "nothing" } else { &is };
        (!calls.is_empty()).then(|| Told {
            // All functions are methods there.
            severity: if is_method && self.language != "java" { Severity::Low } else { Severity::Medium },
            what: format!(
                "gives {what} instead of {was}; types are not compared, and {} of {} calls were not touched",
                calls.len(),
                self.total
            ),
            places: shown(&calls),
        })
    }
}

fn of<'g>(judged: &[(Site<'g>, Left)], which: Left) -> Vec<Site<'g>> {
    judged.iter().filter(|(_, left)| *left == which).map(|(site, _)| *site).collect()
}

fn shown(sites: &[Site<'_>]) -> Vec<String> {
    sites.iter().take(MAX_PLACES).map(|(_, path, line)| format!("{path}:{line}")).collect()
}

pub(super) fn untouched(lines: usize) -> String {
    match lines {
        1 => "1 line that was not touched".to_owned(),
        count => format!("{count} lines that were not touched"),
    }
}

fn is_async(signature: &str, name: &str) -> bool {
    let before = signature.find(name).map_or(signature, |at| &signature[..at]);
    before.split_whitespace().any(|word| word == "async")
}

/// A signature in which names of types that only stand for others are written out.
fn without_aliases(graph: &Graph, language: &str, signature: &str) -> String {
    let mut text = signature.to_owned();
    if !matches!(language, "go" | "rust" | "typescript" | "tsx") {
        return text;
    }
    for _ in 0..MAX_ALIASES {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let mut out = String::with_capacity(text.len());
        let mut has_changed = false;
        for part in text.split_inclusive(|c: char| !is_letter(c)) {
            let word = part.trim_end_matches(|c: char| !is_letter(c));
            match stands_for(graph, language, word) {
                Some(other) => {
                    has_changed = true;
                    out.push_str(&other);
                    out.push_str(&part[word.len()..]);
                }
                None => out.push_str(part),
            }
        }
        text = out;
        if !has_changed {
            break;
        }
    }
    text
}

/// What the only type of a name stands for, where it is no type of its own.
fn stands_for(graph: &Graph, language: &str, word: &str) -> Option<String> {
    if word.is_empty() {
        return None;
    }
    let types = graph.nodes_by_label(word).iter().map(|&ix| graph.node(NodeIx(ix)));
    let mut types = types.filter(|node| node.kind().is_type() && node.language() == language);
    let only = types.next().filter(|_| types.next().is_none())?;
    let (_, other) = only.signature().split_once(" = ")?;
    let other = other.trim().trim_end_matches(';');
    (only.kind() == NodeKind::Type && other.len() < LONG && !other.contains(word)).then(|| other.to_owned())
}
