//! Contracts: methods that a type has to have because of what it implements, and does not have since the change.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_ingest::revision::{Change, Changed};
use m1nd_risk::plan::Severity;
use m1nd_risk::signature;
use m1nd_vfs::grep::{self, Pattern};

use super::go_contracts::{demanded_of_go, gone_of_go, unfit_of_go};
use super::held::Held;
use super::signatures::node_of;
use super::{Edited, Finding, where_it_was};

/// Types that are looked through below one.
const MAX_HEIRS: usize = 200;
/// Places that are shown of each.
const MAX_PLACES: usize = super::lines::MAX_PLACES;

/// How lines of a family of languages are found that a pattern is in.
pub type Said<'s> = dyn Fn(&Pattern) -> Result<Vec<grep::Match>, Fault> + 's;

/// Methods that went and are still demanded, and methods that are demanded anew and missing; `said` finds lines of Go.
pub fn unmet(
    held: &mut Held<'_>,
    said: &Said<'_>,
    before: &Graph,
    graph: &Graph,
    edited: &[Edited],
) -> Result<Vec<Finding>, Fault> {
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none()) {
        let methods = one.symbols.iter().flatten().filter(|symbol| symbol.kind == NodeKind::Method);
        for symbol in methods {
            match symbol.change {
                Change::Removed => {
                    let gone = gone(held, said, (before, graph), one, symbol)?;
                    found.extend(gone.map(|gone| where_it_was(edited, gone)));
                }
                Change::Added if one.file.path.ends_with(".go") => {
                    found.extend(demanded_of_go(held, said, graph, one, symbol)?);
                }
                Change::Added => found.extend(demanded_anew(held, graph, one, symbol)),
                Change::Signature if one.file.path.ends_with(".go") => {
                    found.extend(unfit_of_go(held, said, graph, one, symbol)?);
                }
                Change::Signature | Change::Body => {
                    if !was_demanded(before, one, symbol) {
                        found.extend(demanded_anew(held, graph, one, symbol));
                    }
                }
            }
        }
    }
    Ok(found)
}

fn gone(
    held: &mut Held<'_>,
    said: &Said<'_>,
    (before, graph): (&Graph, &Graph),
    one: &Edited,
    symbol: &Changed,
) -> Result<Option<Finding>, Fault> {
    let is_it = |&ix: &NodeIx| {
        let node = before.node(ix);
        node.kind() == symbol.kind && node.qualified() == symbol.name && node.lines().0 == symbol.line
    };
    let Some(method) = before.nodes_in(one.path_before()).find(is_it) else { return Ok(None) };
    let Some(owner) = before.owner(method).and_then(|ix| graph.node_by_id(before.node(ix).id())) else {
        return Ok(None);
    };
    let was = before.node(method);
    let asked = Asked { name: was.label(), count: signature::count(was.signature(), was.label()) };
    if is_abstract(graph, owner) || is_made_by_macro(one) {
        return Ok(None);
    }
    if was.language() == "go" {
        return gone_of_go(held, said, graph, one, symbol, owner);
    }
    let Some(demand) = missing(held, graph, owner, asked) else { return Ok(None) };
    let severity = severity_of(graph, &[owner]);
    let (owner, demand) = (graph.node(owner), graph.node(demand));
    Ok(Some(Finding {
        kind: "removed_but_used",
        severity: severity.name(),
        at: format!("{}:{}", one.file.path, symbol.line),
        message: format!("{} was removed, and {} demands it", symbol.name, demand.qualified()),
        places: vec![
            format!("{}:{}", demand.path(), demand.lines().0),
            format!("{}:{}", owner.path(), owner.lines().0),
        ],
    }))
}

/// A method by what tells it apart.
#[derive(Clone, Copy)]
struct Asked<'a> {
    name: &'a str,
    count: Option<usize>,
}

/// The member of a contract that demands a method which a type has nowhere.
fn missing(held: &mut Held<'_>, graph: &Graph, owner: NodeIx, asked: Asked<'_>) -> Option<NodeIx> {
    let (language, name) = (graph.node(owner).language(), asked.name);
    let is_it = |ix: &NodeIx| {
        let node = graph.node(*ix);
        // Callables of one name are told apart by what they take.
        let has_overloads = language == "java";
        node.label() == asked.name
            && (!has_overloads || signature::count(node.signature(), asked.name) == asked.count)
    };
    let bases: Vec<NodeIx> = match language {
        // A trait below a trait is implemented by itself.
        "rust" => graph.targets(owner, EdgeKind::Implements).collect(),
        "java" | "typescript" | "tsx" => graph.lineage(owner).into_iter().skip(1).collect(),
        // What the language calls itself it may have from elsewhere.
        "python" if !asked.name.starts_with("__") => graph.lineage(owner).into_iter().skip(1).collect(),
        _ => return None,
    };
    if graph.members(owner).iter().any(is_it) || says(held, graph, owner, asked.name) {
        return None;
    }
    let asked: Vec<NodeIx> =
        bases.iter().flat_map(|&base| graph.members(base)).filter(|ix| is_it(ix)).collect();
    let is_known = match language {
        "rust" => true,
        "python" => bases.iter().chain([&owner]).all(|&ix| knows_python_bases(graph, ix)),
        _ => bases.iter().chain([&owner]).all(|&ix| knows_bases(graph, ix)),
    };
    // A field of a base is as good as a method, and interfaces of the name of a class add to it.
    let is_script = matches!(language, "typescript" | "tsx");
    let is_class = |ix: NodeIx| graph.node(ix).kind() == NodeKind::Class;
    let mut has_field = || {
        let mut asked = bases.iter().filter(|&&base| !is_script || is_class(base));
        asked.any(|&base| says(held, graph, base, name))
    };
    let is_given = match language {
        "python" => has_field(),
        _ => is_script && (!is_declared_once(graph, owner) || has_field()),
    };
    if is_given {
        return None;
    }
    // What any of them gives, nobody has to write.
    let is_demanded = is_known && asked.iter().all(|&ix| demands(held, graph, ix));
    asked.first().copied().filter(|_| is_demanded)
}

/// Whether somebody else has to write a method: it stands there without a body.
pub(super) fn demands(held: &mut Held<'_>, graph: &Graph, method: NodeIx) -> bool {
    let node = graph.node(method);
    let Some(of) = graph.owner(method) else { return false };
    let owner = graph.node(of);
    let is_abstract = node.signature().split_whitespace().any(|word| word == "abstract");
    match node.language() {
        // What may be left out nobody has to write.
        "typescript" | "tsx" => {
            let may_lack = node.signature().contains(&format!("{}?", node.label()));
            owner.kind() == NodeKind::Interface && !may_lack || is_abstract
        }
        "python" => node.flags().has(NodeFlags::ABSTRACT) && is_checked_by_python(graph, of),
        _ => {
            let is_contract = matches!(owner.kind(), NodeKind::Trait | NodeKind::Interface);
            let last = held.line(node.path(), node.lines().1);
            (is_contract || is_abstract) && last.trim_end().ends_with(';')
        }
    }
}

/// The same of a method as it was before the change: nobody has to write anew what everybody had to write already.
fn was_demanded(before: &Graph, one: &Edited, symbol: &Changed) -> bool {
    let is_it = |&ix: &NodeIx| {
        let node = before.node(ix);
        node.kind() == symbol.kind && node.qualified() == symbol.name
    };
    let mut then = before.nodes_in(one.path_before()).filter(is_it);
    let lines: Vec<String> = one.texts.0.as_deref().map_or_else(Vec::new, |text| {
        String::from_utf8_lossy(text).lines().map(|line| line.trim_end().to_owned()).collect()
    });
    then.any(|method| {
        let node = before.node(method);
        let is_abstract = node.signature().split_whitespace().any(|word| word == "abstract");
        match node.language() {
            "typescript" | "tsx" => {
                is_abstract || {
                    before.owner(method).is_some_and(|of| before.node(of).kind() == NodeKind::Interface)
                }
            }
            "python" => node.flags().has(NodeFlags::ABSTRACT),
            _ => {
                lines.get((node.lines().1 as usize).saturating_sub(1)).is_none_or(|line| line.ends_with(';'))
            }
        }
    })
}

/// Whether a type is one that others complete, or that the language completes.
pub(super) fn is_abstract(graph: &Graph, ix: NodeIx) -> bool {
    let node = graph.node(ix);
    let is_other = matches!(node.kind(), NodeKind::Trait | NodeKind::Interface | NodeKind::Type);
    let is_enum = node.language() == "java" && node.kind() == NodeKind::Enum;
    if node.language() == "python" {
        return graph.members(ix).iter().any(|&ix| graph.node(ix).flags().has(NodeFlags::ABSTRACT));
    }
    let mut words = node.signature().split(|c: char| !c.is_alphanumeric());
    is_other || is_enum || words.any(|word| matches!(word, "abstract" | "record" | "declare"))
}

/// Whether nothing else has the name of a type, and what it implements is said by its name alone: `Partial<A>` demands less than `A`.
fn is_declared_once(graph: &Graph, ty: NodeIx) -> bool {
    let node = graph.node(ty);
    let types =
        graph.nodes_by_label(node.label()).iter().filter(|&&ix| graph.node(NodeIx(ix)).kind().is_type());
    let made = ["Partial<", "Omit<", "Pick<", "Exclude<"];
    types.count() == 1 && !made.iter().any(|word| node.signature().contains(word))
}

/// Whether Python looks after the abstract methods of a class: something of it is made by `ABCMeta`.
fn is_checked_by_python(graph: &Graph, ty: NodeIx) -> bool {
    let says = |ix: NodeIx| python_bases(graph.node(ix).signature()).iter().any(|base| is_abc(base));
    graph.lineage(ty).into_iter().chain([ty]).any(says)
}

fn is_abc(base: &str) -> bool {
    let name = base.rsplit(['.', '=']).next().unwrap_or(base).trim();
    matches!(name, "ABC" | "ABCMeta")
}

/// What a class of Python says it is made of.
fn python_bases(head: &str) -> Vec<&str> {
    let listed = head.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches([')', ':', ' ']));
    listed.split(',').map(str::trim).filter(|base| !base.is_empty()).collect()
}

/// Whether all that a class of Python says it extends is known, but for what makes it abstract.
fn knows_python_bases(graph: &Graph, ty: NodeIx) -> bool {
    let said = python_bases(graph.node(ty).signature());
    let others: Vec<&&str> = said.iter().filter(|base| !is_abc(base) && **base != "object").collect();
    let edges =
        graph.outgoing(ty).filter(|edge| edge.kind == EdgeKind::Inherits && !edge.evidence.is_inferred());
    edges.count() >= others.len() && !others.iter().any(|base| base.contains(['=', '[', '(']))
}

/// Whether lines certainly make a value of a type.
fn is_made(graph: &Graph, ty: NodeIx) -> bool {
    let makers = graph.members(ty).into_iter().filter(|&ix| graph.node(ix).label() == "__init__");
    let mut calls = makers.chain([ty]).flat_map(|ix| graph.incoming(ix));
    calls.any(|edge| edge.kind == EdgeKind::Calls && !edge.evidence.is_inferred())
}

/// How grave it is that types lack what is demanded of them: Python asks when one is made.
fn severity_of(graph: &Graph, lacking: &[NodeIx]) -> Severity {
    let is_asked = |&ix: &NodeIx| graph.node(ix).language() != "python" || is_made(graph, ix);
    if lacking.iter().any(is_asked) { Severity::High } else { Severity::Medium }
}

/// Whether all that a class says it extends or implements is known.
pub(crate) fn knows_bases(graph: &Graph, ix: NodeIx) -> bool {
    let node = graph.node(ix);
    let text = node.signature();
    let said = ["extends", "implements"].iter().map(|word| listed(text, word)).sum::<usize>();
    let known = graph
        .outgoing(ix)
        .filter(|edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements))
        .count();
    !text.ends_with('…') && known >= said
}

/// How many types stand behind a word, outside of the brackets of types.
fn listed(signature: &str, word: &str) -> usize {
    let (mut depth, mut count, mut is_in) = (0_i32, 0, false);
    for part in signature.split_inclusive([' ', '<', '>', ',', '{']) {
        let name = part.trim_end_matches([' ', '<', '>', ',', '{']);
        if depth == 0 && !name.is_empty() {
            match name {
                "extends" | "implements" | "permits" => {
                    is_in = name == word;
                    count += usize::from(is_in);
                }
                _ => {}
            }
        }
        match part.chars().next_back() {
            Some('<') => depth += 1,
            Some('>') => depth -= 1,
            Some(',') if depth == 0 && is_in => count += 1,
            _ => {}
        }
    }
    count
}

/// Whether a type still says the name of a method where it could declare it: as a field that is given a function, or by a macro.
fn says(held: &mut Held<'_>, graph: &Graph, owner: NodeIx, name: &str) -> bool {
    let node = graph.node(owner);
    let (first, last) = node.lines();
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let Some(text) = held.text(node.path()) else { return true };
    let mut lines = text.lines().skip(first as usize - 1).take((last - first + 1) as usize);
    lines.any(|line| {
        let said = line.match_indices(name).map(|(at, _)| (&line[..at], &line[at + name.len()..]));
        said.into_iter().any(|(before, after)| {
            !before.ends_with(|c| is_letter(c) || c == '.' || c == ':')
                && after.trim_start().starts_with(['=', ':'])
        })
    })
}

/// Whether a change writes a macro where members may stand.
fn is_made_by_macro(one: &Edited) -> bool {
    let Some(new) = one.texts.1.as_deref().filter(|_| one.file.path.ends_with(".rs")) else { return false };
    let text = String::from_utf8_lossy(new);
    let mut lines = (1..).zip(text.lines()).filter(|(line, _)| one.touches(*line));
    lines.any(|(_, line)| {
        let line = line.trim();
        let name = line.split('!').next().filter(|name| name.len() < line.len()).unwrap_or_default();
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':')
    })
}

/// The types below one, without itself.
pub(super) fn heirs(graph: &Graph, of: NodeIx) -> Vec<NodeIx> {
    let (mut below, mut at) = (vec![of], 0);
    while at < below.len() && below.len() < MAX_HEIRS {
        for edge in graph.incoming(below[at]) {
            let is_heir = matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
            if is_heir && graph.node(edge.source).kind().is_type() && !below.contains(&edge.source) {
                below.push(edge.source);
            }
        }
        at += 1;
    }
    below.split_off(1)
}

/// Types that do not have what what they implement demands since the change.
fn demanded_anew(held: &mut Held<'_>, graph: &Graph, one: &Edited, symbol: &Changed) -> Option<Finding> {
    let method = node_of(graph, &one.file.path, symbol)?;
    let owner = graph.owner(method).filter(|_| demands(held, graph, method))?;
    let node = graph.node(method);
    let asked = Asked { name: node.label(), count: signature::count(node.signature(), node.label()) };
    let others: BTreeSet<&str> = graph
        .members(owner)
        .into_iter()
        .filter(|&ix| ix != method)
        .map(|ix| graph.node(ix).label())
        .collect();
    // Who has none of the others is given them by a macro.
    let is_written = |ix: NodeIx| {
        let has = |ix: &NodeIx| others.contains(graph.node(*ix).label());
        others.is_empty() || graph.members(ix).iter().any(has)
    };
    let mut lacking = Vec::new();
    for heir in heirs(graph, owner) {
        if !is_abstract(graph, heir) && is_written(heir) && missing(held, graph, heir, asked).is_some() {
            lacking.push(heir);
        }
    }
    // Of a class of Python that others complete nothing need be made.
    lacking.retain(|&ix| {
        graph.node(ix).language() != "python" || is_made(graph, ix) || heirs(graph, ix).is_empty()
    });
    let severity = severity_of(graph, &lacking);
    let lacking: Vec<_> = lacking.into_iter().map(|ix| graph.node(ix)).collect();
    let first = lacking.first()?;
    let who = match lacking.len() {
        1 => format!("{} does", first.label()),
        count => format!("{count} types do"),
    };
    Some(Finding {
        kind: "signature_change",
        severity: severity.name(),
        at: format!("{}:{}", one.file.path, symbol.line),
        message: format!("{}: is demanded now, and {who} not have it", symbol.name),
        places: lacking
            .iter()
            .take(MAX_PLACES)
            .map(|node| format!("{}:{}", node.path(), node.lines().0))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_class_extends_is_counted_outside_of_brackets() {
        let of = |text: &str| [listed(text, "extends"), listed(text, "implements")];
        assert_eq!(of("class A<T extends B> extends C<D, E> implements F, G<H>"), [1, 2]);
        assert_eq!(of("public final class A"), [0, 0]);
        assert_eq!(of("interface A extends B, C"), [2, 0]);
    }
}
