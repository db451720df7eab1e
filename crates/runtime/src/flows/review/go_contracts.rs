//! Go contracts: methods of Go that types have to have because lines use them as interfaces.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_graph::near::folder;
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_ingest::revision::Changed;
use m1nd_risk::plan::Severity;
use m1nd_risk::signature;
use m1nd_vfs::grep::{Case, Pattern, Syntax};

use super::contracts::Said;
use super::held::Held;
use super::signatures::node_of;
use super::{Edited, Finding};

/// Places that are shown of each.
const MAX_PLACES: usize = super::lines::MAX_PLACES;

/// Go does not write down who implements what; lines that give a value of the type the type of an interface do.
pub(super) fn gone_of_go(
    held: &mut Held<'_>,
    said: &Said<'_>,
    graph: &Graph,
    one: &Edited,
    symbol: &Changed,
    owner: NodeIx,
) -> Result<Option<Finding>, Fault> {
    let name = symbol.name.rsplit('.').next().unwrap_or_default();
    if graph.members(owner).iter().any(|&ix| graph.node(ix).label() == name) {
        return Ok(None);
    }
    let Some((contract, places)) = used_as(held, said, graph, owner, (name, &|_| true))? else {
        return Ok(None);
    };
    Ok(Some(Finding {
        kind: "removed_but_used",
        severity: Severity::High.name(),
        at: format!("{}:{}", one.file.path, symbol.line),
        message: format!(
            "{} was removed, and {} is used as {contract}, which demands it",
            symbol.name,
            graph.node(owner).label()
        ),
        places: shown(&places),
    }))
}

/// A method of Go that takes another number of parameters than an interface demands that its type is used as; before the change it
/// took as many.
pub(super) fn unfit_of_go(
    held: &mut Held<'_>,
    said: &Said<'_>,
    graph: &Graph,
    one: &Edited,
    symbol: &Changed,
) -> Result<Option<Finding>, Fault> {
    let Some([was, is]) = symbol.heads.as_deref() else { return Ok(None) };
    let owner = node_of(graph, &one.file.path, symbol).and_then(|method| graph.owner(method));
    let Some(owner) = owner.filter(|&ix| graph.node(ix).kind() == NodeKind::Struct) else { return Ok(None) };
    let name = symbol.name.rsplit('.').next().unwrap_or_default();
    let count = |head: &str| signature::count(head, name);
    let (then, now) = (count(&was.signature), count(&is.signature));
    if then == now {
        return Ok(None);
    }
    let demanded = |method: NodeIx| count(graph.node(method).signature()) == then;
    let Some((contract, places)) = used_as(held, said, graph, owner, (name, &demanded))? else {
        return Ok(None);
    };
    let [was, is] = signature::shown(&was.signature, &is.signature, 200);
    Ok(Some(Finding {
        kind: "signature_change",
        severity: Severity::High.name(),
        at: format!("{}:{}", one.file.path, symbol.line),
        message: format!(
            "{}: does not fit {contract} any more, which {} is used as. Was: {was}. Is: {is}",
            symbol.name,
            graph.node(owner).label()
        ),
        places: shown(&places),
    }))
}

fn shown(places: &[(String, u64)]) -> Vec<String> {
    places.iter().take(MAX_PLACES).map(|(path, line)| format!("{path}:{line}")).collect()
}

/// An interface, and the lines that use something as one.
type UsedAs<'g> = (&'g str, Vec<(String, u64)>);

/// The interface with a method like that which lines use a struct as, and these lines.
fn used_as<'g>(
    held: &mut Held<'_>,
    said: &Said<'_>,
    graph: &'g Graph,
    owner: NodeIx,
    (name, is_demanded): (&str, &dyn Fn(NodeIx) -> bool),
) -> Result<Option<UsedAs<'g>>, Fault> {
    let ty = graph.node(owner);
    if embeds(held, graph, owner) {
        return Ok(None);
    }
    let contracts = graph.nodes_by_label(name).iter().map(|&ix| NodeIx(ix)).filter_map(|method| {
        let of = graph.owner(method)?;
        let is_contract = graph.node(of).kind() == NodeKind::Interface && graph.node(of).language() == "go";
        (is_contract && is_demanded(method)).then_some(of)
    });
    let contracts: BTreeSet<NodeIx> = contracts.collect();
    if contracts.is_empty() {
        return Ok(None);
    }
    let given = given_as(held, said, graph, owner, &contracts)?;
    let contracts: BTreeSet<&str> = contracts.iter().map(|&ix| graph.node(ix).label()).collect();
    let any = contracts.iter().copied().collect::<Vec<_>>().join("|");
    let written = format!(r"\b({any})\s*=\s*(&|new\(|\(\*)?(\w+\.)?{}\b", ty.label());
    let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { return Ok(None) };
    let package = folder(ty.path()).rsplit('/').next().unwrap_or_default();
    let mut lines = said(&pattern)?;
    lines.retain(|hit| {
        let is_said_of_package = hit.text.contains(&format!("{package}.{}", ty.label()));
        let is_of_other = hit.text.contains(&format!(".{}", ty.label()));
        is_said_of_package || !is_of_other && folder(hit.path.as_str()) == folder(ty.path())
    });
    Ok(match (lines.first(), given) {
        (Some(first), _) => {
            let contract = contracts.iter().find(|name| first.text.contains(**name)).copied();
            let places = lines.iter().map(|hit| (hit.path.as_str().to_owned(), hit.line)).collect();
            Some((contract.unwrap_or_default(), places))
        }
        (None, Some((contract, places))) => Some((graph.node(contract).label(), places)),
        (None, None) => None,
    })
}

/// Types that lines give as an interface of Go that gained a method, and that do not have it.
pub(super) fn demanded_of_go(
    held: &mut Held<'_>,
    said: &Said<'_>,
    graph: &Graph,
    one: &Edited,
    symbol: &Changed,
) -> Result<Option<Finding>, Fault> {
    let method = node_of(graph, &one.file.path, symbol);
    let owner = method.and_then(|method| graph.owner(method));
    let Some(contract) = owner.map(|ix| graph.node(ix)).filter(|node| node.kind() == NodeKind::Interface)
    else {
        return Ok(None);
    };
    let (label, home) = (contract.label(), folder(contract.path()));
    let written = format!(r"\b{label}\s*=\s*(&|new\(|\(\*)?(\w+\.)?\w+[{{)]");
    let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { return Ok(None) };
    let name = symbol.name.rsplit('.').next().unwrap_or_default();
    let mut lacking: BTreeSet<(String, u64, NodeIx)> = BTreeSet::new();
    for hit in said(&pattern)? {
        let path = hit.path.as_str();
        let Some((before, after)) = hit.text.split_once('=') else { continue };
        // An interface of another package may have the name.
        let is_said_of = before.trim_end().strip_suffix(label).and_then(|before| before.strip_suffix('.'));
        let is_it = match is_said_of {
            Some(of) => of.ends_with(last(home)) && folder(path) != home,
            None => folder(path) == home,
        };
        let ty = after.trim_start().trim_start_matches(['&', '(', '*']).trim_start_matches("new(");
        let ty =
            ty.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).next().unwrap_or_default();
        let (package, ty) = ty.rsplit_once('.').unwrap_or(("", ty));
        let mut named = graph.nodes_by_label(ty).iter().map(|&ix| NodeIx(ix)).filter(|&ix| {
            let node = graph.node(ix);
            let there = folder(node.path());
            let is_there = if package.is_empty() { there == folder(path) } else { last(there) == package };
            node.kind() == NodeKind::Struct && node.language() == "go" && is_there
        });
        let (Some(only), None) = (named.next(), named.next()) else { continue };
        let has = graph.members(only).iter().any(|&ix| graph.node(ix).label() == name);
        let is_declared = before.trim_start().starts_with("type ");
        if is_it && !is_declared && !has && !embeds(held, graph, only) {
            lacking.insert((path.to_owned(), hit.line, only));
        }
    }
    let types: BTreeSet<NodeIx> = lacking.iter().map(|&(_, _, ty)| ty).collect();
    let Some(&first) = types.first() else { return Ok(None) };
    let who = match types.len() {
        1 => format!("{}, which is used as {label}, does", graph.node(first).label()),
        count => format!("{count} types that are used as {label} do"),
    };
    Ok(Some(Finding {
        kind: "signature_change",
        severity: Severity::High.name(),
        at: format!("{}:{}", one.file.path, symbol.line),
        message: format!("{}: is demanded now, and {who} not have it", symbol.name),
        places: lacking.iter().take(MAX_PLACES).map(|(path, line, _)| format!("{path}:{line}")).collect(),
    }))
}

/// A contract, and the lines that give a value as one.
type Given = (NodeIx, Vec<(String, u64)>);

/// Functions of Go that say they give one of some contracts and give a value of the type: the contract, and the lines.
fn given_as(
    held: &mut Held<'_>,
    said: &Said<'_>,
    graph: &Graph,
    owner: NodeIx,
    contracts: &BTreeSet<NodeIx>,
) -> Result<Option<Given>, Fault> {
    let ty = graph.node(owner);
    let written = format!(r"\breturn\s+(&|new\()(\w+\.)?{}\b", ty.label());
    let Ok(pattern) = Pattern::compile(&written, Syntax::Regex, Case::Sensitive) else { return Ok(None) };
    let mut found: Option<Given> = None;
    for hit in said(&pattern)? {
        let path = hit.path.as_str();
        let Some(line) = u32::try_from(hit.line).ok() else { continue };
        let is_of_package = !hit.text.contains(&format!(".{}", ty.label()));
        let names_package = hit.text.contains(&format!("{}.{}", last(folder(ty.path())), ty.label()));
        if !(names_package || is_of_package && folder(path) == folder(ty.path())) {
            continue;
        }
        let Some(function) = graph.node_at(path, line).map(|ix| graph.node(ix)) else { continue };
        // A function within it may give something else.
        let (first, _) = function.lines();
        let is_outer = (first + 1..line).all(|line| !held.line(path, line).contains("func("));
        let result = signature::result("go", function.signature(), function.label()).unwrap_or_default();
        let result = result.trim_start_matches('(').split([',', ')']).next().unwrap_or_default().trim();
        let (package, name) = result.rsplit_once('.').unwrap_or(("", result));
        let is_it = |ix: &&NodeIx| {
            let contract = graph.node(**ix);
            let there = folder(contract.path());
            let is_there = if package.is_empty() { there == folder(path) } else { last(there) == package };
            contract.label() == name && is_there
        };
        let Some(&contract) = contracts.iter().find(is_it).filter(|_| is_outer) else { continue };
        let (known, places) = found.get_or_insert((contract, Vec::new()));
        if *known == contract {
            places.push((path.to_owned(), hit.line));
        }
    }
    Ok(found)
}

fn last(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or_default()
}

/// Whether a struct of Go has others in it whose methods it has.
fn embeds(held: &mut Held<'_>, graph: &Graph, owner: NodeIx) -> bool {
    let node = graph.node(owner);
    let (first, last) = node.lines();
    let Some(text) = held.text(node.path()) else { return true };
    let inner = text.lines().skip(first as usize).take(last.saturating_sub(first + 1) as usize);
    inner.map(|line| line.split("//").next().unwrap_or(line).split('`').next().unwrap_or(line).trim()).any(
        |line| {
            !line.is_empty()
                && line.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '*' | '[' | ']'))
        },
    )
}
