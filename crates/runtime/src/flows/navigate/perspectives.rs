//! Perspectives: walks of an agent through the graph, one step a call.

use std::collections::BTreeMap;

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Graph, NodeIx};
use m1nd_memory::drawers::Room;
use m1nd_navigate::{Family, Found, Mode, NavigateError, Route, Routes, Walk, find_walk, routes};
use m1nd_recall::seek::Graphed;
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Kind, Shelf, Spot};
use crate::ctx::{Ctx, GraphView};
use crate::flows::seek::{self, Request};

/// Walks that an agent may have open.
const MOST: usize = 20;
/// A walk that nobody took a step of for so long is over.
const IDLE_MS: i64 = 30 * 24 * 3_600_000;

pub(super) const WALKS: Kind = Kind {
    name: "persp",
    called: "perspectives",
    lister: "perspective_list",
    way_out: "See which of them you no longer need; perspective_close ends one.",
    room: Room { most: MOST, idle_ms: Some(IDLE_MS) },
    shared: false,
};

/// One way on.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct RouteShown {
    pub route_id: String,
    /// calls, called_by, tests, tested_by, inherits, inherited_by, references, referenced_by, imports, imported_by, contains, inside or
    /// changes_with
    pub family: &'static str,
    #[serde(flatten)]
    pub spot: Spot,
    pub score: f64,
}

/// Where a walk stands, and a page of its ways on.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Stand {
    pub perspective_id: String,
    pub focus: Spot,
    /// anchored, or local where the anchor is more than eight relations away or was not wanted.
    pub mode: &'static str,
    /// Relations between focus and anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor_hops: Option<u32>,
    /// Nodes that the walk came to.
    pub steps: usize,
    /// Best first.
    pub routes: Vec<RouteShown>,
    pub page: usize,
    pub pages: usize,
    pub total_routes: usize,
    /// perspective_routes goes on after these with it; absent after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<usize>,
    /// Changes with the routes or their order.
    pub route_set_version: u64,
    /// Set where the requested version is no longer the current one; the routes are the current ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_version: Option<u64>,
    /// Where the walk stood, if that is no longer in the code: the focus is the nearest place that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    pub truncated: bool,
    /// Routes before these.
    #[serde(skip)]
    from: usize,
}

impl Stand {
    /// Drops routes that are worth least, but none of the first `kept`: a page without any would lead nowhere.
    pub fn shorten(&mut self, excess: usize, kept: usize) -> bool {
        let mut rest = self.routes.split_off(self.routes.len().min(kept));
        let is_cut = drop_tail(&mut rest, excess) > 0;
        self.routes.append(&mut rest);
        if is_cut {
            self.truncated = true;
            // Where none is left, perspective_routes begins with the first anyway.
            self.next_cursor = (!self.routes.is_empty()).then_some(self.from + self.routes.len());
        }
        is_cut
    }
}

/// Which page of the routes.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Routes before it.
    pub from: usize,
    pub size: usize,
    pub family: Option<Family>,
}

impl Default for Page {
    fn default() -> Self {
        Self { from: 0, size: 6, family: None }
    }
}

/// A walk with its ways on.
pub struct Here {
    pub walk: Walk,
    pub routes: Routes,
    /// Where the walk stood, if that is gone.
    pub lost: Option<String>,
}

impl Here {
    /// Whether what the caller knows of the routes is out of date.
    fn outdates(&self, requested: Option<u64>) -> bool {
        requested.is_some_and(|version| version != self.routes.version)
    }
}

pub fn shelf<'c>(ctx: &'c Ctx<'c>) -> Result<Shelf<'c>, Fault> {
    Shelf::of(ctx, WALKS)
}

/// Begins a walk at a node, or at what a question finds first.
pub fn start(
    ctx: &Ctx<'_>,
    at: &GraphView,
    node: Option<&str>,
    query: Option<&str>,
    mode: Mode,
) -> Result<Here, Fault> {
    let focus = match (node, query) {
        (Some(name), _) => super::named(ctx, &at.graph, "node_id", name)?,
        (None, Some(query)) => first_of(ctx, at, query)?,
        (None, None) => return Err(ctx.invalid("Give `node_id`, or a `query` that finds where to begin.")),
    };
    let now = ctx.runtime().clock().now().0;
    let query = query.map(|query| query[..query.floor_char_boundary(500)].to_owned());
    let walk = shelf(ctx)?.add(|id| Walk::begin(id, query.clone(), mode, focus.clone(), now))?;
    here(&at.graph, walk)
}

fn first_of(ctx: &Ctx<'_>, at: &GraphView, query: &str) -> Result<String, Fault> {
    let request =
        Request { query, top_k: 1, scope: None, kinds: Vec::new(), min_score: 0.0, graph: Graphed::Yes };
    let found = seek::symbols(ctx, at, &request)?.results.into_iter().next();
    found.map(|first| first.node_id).ok_or_else(|| {
        Fault::new(
            Code::NodeNotFound,
            "`query`: nothing in the code fits it.",
            Recovery::hint("Use words that the code uses, or name a node with `node_id`."),
        )
    })
}

/// A walk with its ways on. Where its focus is gone, it stands at the nearest place that is there.
pub fn here(graph: &Graph, walk: Walk) -> Result<Here, Fault> {
    let found = find_walk(graph, &walk).and_then(|found| Some((routes(graph, &found.walk)?, found)));
    match found {
        Some((routes, Found { walk, lost })) => Ok(Here { walk, routes, lost }),
        None => Err(Fault::new(
            Code::Stale,
            format!("Neither {} nor what was around it is in the code any more.", walk.focus()),
            Recovery::call(
                "End the walk, and begin another with perspective_start.",
                "perspective_close",
                json!({ "perspective_id": walk.id }),
            ),
        )),
    }
}

pub fn open(ctx: &Ctx<'_>, at: &GraphView, id: &str) -> Result<Here, Fault> {
    here(&at.graph, shelf(ctx)?.get("perspective_id", id)?)
}

/// The page, as it is shown.
pub fn stand(graph: &Graph, here: &Here, page: Page, requested: Option<u64>) -> Stand {
    let fitting: Vec<&Route> = here
        .routes
        .all
        .iter()
        .filter(|route| page.family.is_none_or(|family| route.family == family))
        .collect();
    let pages = fitting.len().div_ceil(page.size).max(1);
    let to = page.from.saturating_add(page.size);
    let stale = here.outdates(requested);
    Stand {
        perspective_id: here.walk.id.clone(),
        focus: focus(graph, &here.walk),
        mode: here.routes.mode.name(),
        anchor_hops: here.routes.anchor_hops,
        steps: here.walk.steps.len(),
        routes: fitting.iter().skip(page.from).take(page.size).map(|route| shown(graph, route)).collect(),
        page: page.from / page.size + 1,
        pages,
        total_routes: fitting.len(),
        next_cursor: (to < fitting.len()).then_some(to),
        route_set_version: here.routes.version,
        stale,
        requested_version: requested.filter(|_| stale),
        lost: here.lost.clone(),
        truncated: to < fitting.len(),
        from: page.from,
    }
}

fn focus(graph: &Graph, walk: &Walk) -> Spot {
    match graph.node_by_id(walk.focus()) {
        Some(node) => Spot::of(graph, node),
        None => Spot { node_id: walk.focus().to_owned(), at: String::new() },
    }
}

pub fn shown(graph: &Graph, route: &Route) -> RouteShown {
    RouteShown {
        route_id: route.id.clone(),
        family: route.family.name(),
        spot: Spot::of(graph, route.target),
        score: round3(route.score),
    }
}

/// The route that is meant, if it is still one. Where the caller's routes are out of date, the answer is not a refusal.
pub fn pick<'h>(
    ctx: &Ctx<'_>,
    here: &'h Here,
    route_id: &str,
    requested: Option<u64>,
) -> Result<Option<&'h Route>, Fault> {
    if let Some(route) = here.routes.find(route_id.trim()) {
        return Ok(Some(route));
    }
    // A way from a place that is gone was one of another set, whatever the caller says.
    if here.outdates(requested) || here.lost.is_some() {
        return Ok(None);
    }
    Err(Fault::new(
        Code::UnknownTarget,
        format!(
            "`route_id`: no way from where {} stands is called {:?}.",
            here.walk.id,
            &route_id[..route_id.floor_char_boundary(60)]
        ),
        Recovery::call(
            "See the ways on.",
            if ctx.tool() == "perspective_routes" { "perspective_list" } else { "perspective_routes" },
            json!({ "perspective_id": here.walk.id }),
        ),
    ))
}

/// A route that was asked about, and whether the caller's routes are today's.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Picked {
    /// Absent where it was one of an outdated set and is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<RouteShown>,
    pub route_set_version: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_version: Option<u64>,
    /// Where the walk stood, if that is no longer in the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// The ways on now, where the route is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<RouteShown>,
}

/// The route that is meant, and how that is shown; where it is gone, with the first page of those that are there.
pub fn picked<'h>(
    ctx: &Ctx<'_>,
    graph: &Graph,
    here: &'h Here,
    route_id: &str,
    requested: Option<u64>,
) -> Result<(Option<&'h Route>, Picked), Fault> {
    let route = pick(ctx, here, route_id, requested)?;
    let stale = here.outdates(requested);
    let now = here.routes.all.iter().take(if route.is_none() { Page::default().size } else { 0 });
    let picked = Picked {
        route: route.map(|route| shown(graph, route)),
        route_set_version: here.routes.version,
        stale,
        requested_version: requested.filter(|_| stale),
        lost: here.lost.clone(),
        routes: now.map(|one| shown(graph, one)).collect(),
    };
    Ok((route, picked))
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// A route of an outdated set that is gone leads nowhere.
    pub moved: bool,
    /// Whether the caller's routes were outdated before the step.
    pub stale: bool,
}

/// Takes a step, and says whether it was taken.
pub fn follow(
    ctx: &Ctx<'_>,
    at: &GraphView,
    id: &str,
    route_id: &str,
    requested: Option<u64>,
) -> Result<(Here, Taken), Fault> {
    let graph = &at.graph;
    let (walk, taken) = shelf(ctx)?.change("perspective_id", id, |walk: &mut Walk| {
        let here = here(graph, walk.clone())?;
        let stale = here.outdates(requested);
        let Some(route) = pick(ctx, &here, route_id, requested)? else {
            return Ok(Taken { moved: false, stale });
        };
        *walk = here.walk.clone();
        walk.follow(graph.node(route.target).id().to_owned(), route.family);
        Ok(Taken { moved: true, stale })
    })?;
    Ok((here(graph, walk)?, taken))
}

/// Takes steps back, to a place that is still there.
pub fn back(ctx: &Ctx<'_>, at: &GraphView, id: &str, steps: usize) -> Result<Here, Fault> {
    let graph = &at.graph;
    let (walk, ()) = shelf(ctx)?.change("perspective_id", id, |walk: &mut Walk| {
        walk.back(steps).map_err(|err| refused(&err))?;
        if let Some(found) = find_walk(graph, walk) {
            *walk = found.walk;
        }
        Ok(())
    })?;
    here(graph, walk)
}

/// The same walk under another id.
pub fn branch(ctx: &Ctx<'_>, at: &GraphView, id: &str, name: Option<String>) -> Result<Here, Fault> {
    let shelf = shelf(ctx)?;
    let walk: Walk = shelf.get("perspective_id", id)?;
    let now = ctx.runtime().clock().now().0;
    let fork = shelf.add(|id| walk.branch(id, name.clone(), now))?;
    here(&at.graph, fork)
}

/// The best way to where the walk has not been, and how many such there are of each kind.
pub fn suggestion(graph: &Graph, here: &Here) -> (Option<Route>, BTreeMap<&'static str, usize>) {
    let unseen = |route: &&Route| here.walk.visits(graph.node(route.target).id()) == 0;
    let mut left: BTreeMap<&'static str, usize> = BTreeMap::new();
    for route in here.routes.all.iter().filter(unseen) {
        *left.entry(route.family.name()).or_default() += 1;
    }
    (here.routes.all.iter().find(unseen).cloned(), left)
}

/// How a relation of a route is known, and the lines where it is written.
pub fn written(graph: &Graph, here: &Here, route: &Route) -> (Vec<&'static str>, Vec<String>) {
    let Some(focus) = graph.node_by_id(here.walk.focus()) else { return (Vec::new(), Vec::new()) };
    let between = |from: NodeIx, to: NodeIx| graph.outgoing(from).filter(move |edge| edge.target == to);
    let (mut known, mut lines) = (Vec::new(), Vec::new());
    for edge in between(focus, route.target).chain(between(route.target, focus)) {
        if !known.contains(&edge.evidence.name()) {
            known.push(edge.evidence.name());
        }
        let path = graph.node(edge.source).path();
        lines.extend(edge.lines.iter().map(|line| format!("{path}:{line}")));
    }
    (known, lines)
}

pub(super) fn refused(err: &NavigateError) -> Fault {
    let (code, hint) = match err {
        NavigateError::AtTheStart => (Code::InvalidParams, "perspective_routes shows the ways on from here."),
        NavigateError::TooLarge { .. } => {
            (Code::TooLarge, "Lock less: a smaller radius, a file, or one node.")
        }
        NavigateError::TrailTooLarge { .. } => {
            (Code::TooLarge, "Merge fewer trails, or trails that hold less.")
        }
        NavigateError::NoChain { .. } => {
            (Code::NodeNotFound, "Name nodes that are connected; `why` shows how.")
        }
        NavigateError::TrailStale { .. } => {
            (Code::Stale, "Resume it with force: true to see what is left, or begin anew.")
        }
    };
    let message = err.to_string();
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    Fault::new(code, format!("{first}{}.", letters.as_str()), Recovery::hint(hint))
}
