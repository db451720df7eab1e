//! Call list: callers or callees of a named node, as an answer, with what an empty one rests on.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Code, Fault, Guidance, Recovery};
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_stdx::digest;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::calls::{self, Call, Direction, Lead};
use super::coverage::{self, Coverage};
use super::unattributed::{self, Unattributed, Within};
use crate::ctx::{Ctx, GraphView};
use crate::faults::from_graph;

/// The calls of one node in one direction.
#[derive(Debug, JsonSchema, Serialize)]
pub struct CallList {
    /// The node that was asked about.
    node_id: String,
    /// The calls: certain ones first, then by place.
    calls: Vec<Call>,
    /// Calls in all, also beyond the limit.
    total: u64,
    /// How many of them are only inferred from a name.
    inferred: u64,
    /// True when calls after these are missing from the answer.
    truncated: bool,
    /// Hand it on as `cursor` for the calls after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Set where the name that was asked for is inherited from this node's type.
    #[serde(skip_serializing_if = "Option::is_none")]
    inherited: Option<bool>,
    /// Calls of that name, in the text of the language's files, that could not be attributed to any node.
    #[serde(skip_serializing_if = "Option::is_none")]
    unattributed: Option<u64>,
    /// Places that take a member of that name without calling it there, on something whose type is not known: a getter runs so.
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<u64>,
    /// Where more calls may come from: the method it overrides, places that hand it on or read it, routes, unattributed calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leads: Vec<Lead>,
    /// What an empty answer rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Coverage>,
    /// How many calls come before these.
    #[serde(skip)]
    before: usize,
}

/// Which of the calls are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'c> {
    pub limit: u64,
    /// Where an earlier answer ended.
    pub cursor: Option<&'c str>,
}

pub fn run(
    ctx: &Ctx<'_>,
    name: &str,
    direction: Direction,
    slice: Slice<'_>,
) -> Result<(CallList, Guidance), Fault> {
    let at = ctx.graph_view()?;
    let root = ctx.workspace()?.root();
    let node = from_graph::find_code(root, &at.graph, "node_id", name)?;
    let mut found = calls::find(root, &at.graph, node, direction);
    let total = found.len() as u64;
    let inferred = found.iter().filter(|call| call.candidates.is_some()).count() as u64;
    let before = match slice.cursor {
        Some(cursor) => place(ctx, &found, cursor, name)?,
        None => 0,
    };
    found.drain(..before);
    found.truncate(usize::try_from(slice.limit).unwrap_or(usize::MAX));
    let (leads, open) = match direction {
        Direction::Callers if before == 0 => leads(ctx, &at, node, found.is_empty(), Within::Workspace)?,
        Direction::Callers | Direction::Callees => Default::default(),
    };
    let guidance = match found.first() {
        Some(first) => Guidance {
            next_suggested_tool: Some("view"),
            next_suggested_target: Some(format!("{}:{}", first.file_path, first.line)),
            next_step_hint: None,
        },
        None if before > 0 => Guidance::hint("There are no calls after these."),
        None if at.graph.node(node).kind() == NodeKind::Constant => Guidance::hint(
            "That is a constant or a variable. Where it holds a function, calls through it are not attributed to it; search for the name followed by a bracket.",
        ),
        None if is_place(&at, node) => Guidance::hint(
            "That is a file or a folder, and only calls at the top level of a file are its own. Ask outline for what is inside, then ask about that; impact tells which files import it.",
        ),
        None if implemented(&leads).is_some() => {
            let (base, calls) = implemented(&leads).unwrap_or_default();
            let calls = if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") };
            let hint = format!(
                "{}No call names it, but {calls} of the method that it implements or overrides may run it: ask for the callers of that.",
                gap(ctx, &at, node)?
            );
            Guidance::next("callers", base, hint)
        }
        None if open.calls > 0 => Guidance::hint(format!(
            "{}No call is certain, but {}{} calls of `{}{}(` could not be attributed to any node; leads show the likeliest. Search for the name to see all.",
            gap(ctx, &at, node)?,
            if open.more { "at least " } else { "" },
            open.calls,
            if at.graph.node(node).kind() == NodeKind::Method { "." } else { "" },
            at.graph.node(node).label(),
        )),
        None if open.reads > 0 => Guidance::hint(format!(
            "{}No call is known, but {} take a member `{}` without calling it there: a getter runs so, and what is taken may be called under another name. Leads show the likeliest; search for the name to see all.",
            gap(ctx, &at, node)?,
            if open.reads == 1 { "1 place may".to_owned() } else { format!("{} places may", open.reads) },
            at.graph.node(node).label(),
        )),
        None => Guidance::hint(format!(
            "{}No call is known. A call through a value, a macro or a name built at run time is not seen; search for the name to be sure.",
            gap(ctx, &at, node)?
        )),
    };
    let mut list = CallList {
        node_id: at.graph.node(node).id().to_owned(),
        truncated: false,
        next_cursor: None,
        before,
        inherited: is_inherited(&at.graph, name, node).then_some(true),
        unattributed: Some(open.calls).filter(|&calls| calls > 0),
        reads: Some(open.reads).filter(|&reads| reads > 0),
        leads,
        rests_on: (found.is_empty() && before == 0).then(|| coverage::of_workspace(&at.view, &at.graph)),
        calls: found,
        total,
        inferred,
    };
    list.mark();
    Ok((list, guidance))
}

/// What is known of callers beyond those of the graph.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Openness {
    /// Calls of that name, in the text of the language's files, that could not be attributed to any node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unattributed: Option<u64>,
    /// The same in its own file and 40 of those that import it, where callers are known; `callers` looks into all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unattributed_near: Option<u64>,
    /// Where more calls may come from: the method it overrides, places that hand it on, routes, unattributed calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<Lead>,
    /// What an empty list of callers rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<Coverage>,
}

/// What qualifies a list of callers. All of the text is only searched where the list is empty.
pub fn openness(
    ctx: &Ctx<'_>,
    at: &GraphView,
    node: Option<NodeIx>,
    is_empty: bool,
) -> Result<Openness, Fault> {
    let mut open = Openness::default();
    if let Some(node) = node.filter(|&node| !is_place(at, node)) {
        let within = if is_empty { Within::Workspace } else { Within::Near };
        let (leads, found) = leads(ctx, at, node, is_empty, within)?;
        open.leads = leads;
        let calls = Some(found.calls).filter(|&calls| calls > 0);
        match within {
            Within::Workspace => open.unattributed = calls,
            Within::Near => open.unattributed_near = calls,
        }
    }
    open.rests_on = is_empty.then(|| coverage::of_workspace(&at.view, &at.graph));
    Ok(open)
}

/// Where a list goes on: after how many calls, and which call was the last.
fn cursor(before: usize, last: &Call) -> String {
    let key = format!("{} {} {} {}", last.candidates.is_some(), last.file_path, last.line, last.node_id);
    format!("{before}-{}", digest::short_name(key.as_bytes(), 8))
}

/// How many calls an earlier answer ended after. The code may have changed since: the call it ended with is looked for.
fn place(ctx: &Ctx<'_>, calls: &[Call], given: &str, name: &str) -> Result<usize, Fault> {
    let malformed = || ctx.invalid("`cursor` must be a `next_cursor` of this tool.");
    let (before, mark) = given.split_once('-').ok_or_else(malformed)?;
    let before: usize = before.parse().map_err(|_| malformed())?;
    let is_last = |at: usize| {
        let call = at.checked_sub(1).and_then(|last| calls.get(last));
        call.is_some_and(|call| cursor(at, call).ends_with(&format!("-{mark}")))
    };
    let found = if is_last(before) { Some(before) } else { (1..=calls.len()).find(|&at| is_last(at)) };
    found.ok_or_else(|| {
        Fault::new(
            Code::Stale,
            "The code changed: the call at which the earlier answer ended is not there any more.",
            Recovery::call("Ask again from the start.", ctx.tool(), json!({ "node_id": name })),
        )
    })
}

/// Where else calls may come from. Functions are found by their imports; the text is searched for methods, whose
/// receivers may be of any type, and before an answer stays empty.
fn leads(
    ctx: &Ctx<'_>,
    at: &GraphView,
    node: NodeIx,
    is_empty: bool,
    within: Within,
) -> Result<(Vec<Lead>, Unattributed), Fault> {
    let mut leads = calls::leads(&at.graph, node);
    let is_method = at.graph.node(node).kind() == NodeKind::Method;
    let mut open = match is_method || is_empty {
        true => unattributed::of(ctx, &at.graph, node, within, is_empty)?,
        false => Unattributed::default(),
    };
    leads.append(&mut open.leads);
    Ok((leads, open))
}

/// The first method that a node stands in for and that is called, and how often it is.
fn implemented(leads: &[Lead]) -> Option<(String, u64)> {
    let base = leads.iter().filter(|lead| lead.via == "base");
    let mut called =
        base.filter_map(|lead| Some((lead.node_id.clone(), lead.calls.filter(|&calls| calls > 0)?)));
    called.next()
}

/// Whether a name is that of a member which its type takes over from another.
fn is_inherited(graph: &Graph, name: &str, node: NodeIx) -> bool {
    graph.nodes_by_suffix(name.trim()).is_empty() && graph.inherited(name.trim()) == Some(node)
}

fn is_place(at: &GraphView, node: NodeIx) -> bool {
    let kind = at.graph.node(node).kind();
    !kind.is_callable() && !kind.is_type() && kind != NodeKind::Constant
}

/// Why the node's own file may hold more than the graph knows.
fn gap(ctx: &Ctx<'_>, at: &GraphView, node: NodeIx) -> Result<String, Fault> {
    let root = ctx.workspace()?.root();
    let path = root.relative(at.graph.node(node).path()).ok();
    let gap = path.and_then(|path| coverage::gap(root, Some(&at.graph), &path));
    Ok(gap.map_or_else(String::new, |gap| format!("{gap} ")))
}

impl CallList {
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn shorten(&mut self, excess: usize) -> bool {
        // Calls are what was asked for.
        let shorter = drop_tail(&mut self.leads, excess) > 0 || drop_tail(&mut self.calls, excess) > 0;
        self.mark();
        self.truncated = true;
        shorter
    }

    /// Says where the list goes on.
    fn mark(&mut self) {
        let shown = self.before + self.calls.len();
        self.truncated = self.total > shown as u64;
        let last = self.calls.last().filter(|_| self.truncated);
        self.next_cursor = last.map(|last| cursor(shown, last));
    }
}
