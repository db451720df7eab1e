//! Ctx: what a running tool can see of the call and of the runtime.

use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;
use std::sync::Arc;

use m1nd_contract::arg::Int;
use m1nd_contract::header::Caller;
use m1nd_contract::{Fault, Header};
use m1nd_graph::Graph;
use m1nd_ingest::history::Reach;
use m1nd_memory::port::Store;
use m1nd_memory::{MemoryError, Ports, workspace};
use m1nd_stdx::cancel::CancelToken;
use m1nd_store::RamStore;
use m1nd_vfs::RelPath;

use crate::faults;
use crate::flows::missions::Missions;
use crate::flows::missions::found::Concluded;
use crate::flows::sight::CodeSight;
use crate::jobs::JobState;
use crate::pipeline::{Progress, Step};
use crate::runtime::Runtime;
use crate::workspace::{InTime, KnownPast, Workspace, WorkspaceView};

/// A view that has a graph.
#[derive(Clone, Debug)]
pub struct GraphView {
    pub view: Arc<WorkspaceView>,
    pub graph: Arc<Graph>,
}

/// Lives for one call.
pub struct Ctx<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) tool: &'static str,
    pub(crate) header: &'a Header,
    pub(crate) cancel: &'a CancelToken,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) workspace: Option<Arc<Workspace>>,
    pub(crate) clamped: RefCell<Vec<&'static str>>,
    /// How many files changed that the answer does not show, where they could not be read in time.
    pub(crate) behind: Cell<Option<u64>>,
    /// How many commits the answer rests on, where older ones were not read in time.
    pub(crate) commits_so_far: Cell<Option<u64>>,
}

impl Ctx<'_> {
    pub fn runtime(&self) -> &Runtime {
        self.runtime
    }

    pub fn header(&self) -> &Header {
        self.header
    }

    pub fn cancel(&self) -> &CancelToken {
        self.cancel
    }

    /// The workspace at the time of the call; a rebinding meanwhile does not change it.
    pub fn workspace(&self) -> Result<&Workspace, Fault> {
        self.workspace.as_deref().ok_or_else(|| faults::no_workspace(self.runtime.why_unbound().as_deref()))
    }

    /// The same, for work that outlasts the call.
    pub fn shared_workspace(&self) -> Result<Arc<Workspace>, Fault> {
        self.workspace()?;
        self.workspace.clone().ok_or_else(|| faults::no_workspace(None))
    }

    /// The newest view with a graph in it, after a look at the files: an edit just made is seen. Where more changed than can
    /// be read in time it is the last good one, and the answer says so.
    pub fn graph_view(&self) -> Result<GraphView, Fault> {
        self.graph_if_any()?.ok_or_else(|| self.no_graph())
    }

    /// The same for an answer that speaks of the past: a commit just made is seen.
    pub fn graph_view_with_history(&self) -> Result<GraphView, Fault> {
        let found = self.graph_view()?;
        // What could not be read in time is not waited for here either.
        if self.behind.get().is_some() {
            return Ok(found);
        }
        let followed = self.workspace()?.follow_history(self.runtime.clock(), self.cancel);
        followed.map_err(faults::stopped)?;
        self.graph_view()
    }

    /// What is known of the past; where that is only a part of it, the answer says so.
    pub fn past(&self) -> Result<Arc<KnownPast>, Fault> {
        let past = self.workspace()?.past(self.cancel).map_err(faults::stopped)?;
        if past.reach == Reach::Part {
            self.commits_so_far.set(Some(past.log.entries.len() as u64));
        }
        Ok(past)
    }

    /// The same for a tool that has another way where there is no graph.
    pub fn graph_if_any(&self) -> Result<Option<GraphView>, Fault> {
        let clock = self.runtime.shared_clock();
        let found = self.shared_workspace()?.view_in_time(&clock, self.cancel).map_err(faults::stopped)?;
        let view = match found {
            InTime::Fresh(view) => view,
            InTime::Behind(view, changed) => {
                self.behind.set(Some(changed));
                view
            }
        };
        Ok(view.graph().cloned().map(|graph| GraphView { view, graph }))
    }

    /// Why there is no graph: nobody asked for one, or it is being made.
    pub fn no_graph(&self) -> Fault {
        self.running_ingest().map_or_else(faults::empty_graph, |job| faults::still_ingesting(&job))
    }

    /// The job that reads the workspace now, if one does.
    pub fn running_ingest(&self) -> Option<String> {
        let jobs = self.runtime.jobs();
        let running = jobs.iter().find(|job| job.tool == "ingest" && job.state() == JobState::Running);
        running.map(|job| job.id.clone())
    }

    /// The same for an answer that is only richer with a graph, and touches only these files.
    pub fn graph_of<'p>(
        &self,
        paths: impl Iterator<Item = &'p RelPath>,
    ) -> Result<Option<Arc<Graph>>, Fault> {
        let (workspace, clock) = (self.shared_workspace()?, self.runtime.shared_clock());
        match workspace.view_of(paths, &clock, self.cancel).map_err(faults::stopped)? {
            InTime::Fresh(view) => Ok(view.graph().cloned()),
            // Lines of an older state would be taken for today's.
            InTime::Behind(..) => Ok(None),
        }
    }

    /// Asks memory, with eyes on today's code. What memory refuses becomes a fault of this tool. A question about
    /// a workspace where nothing was remembered is answered from nothing, and makes no store.
    pub fn remember<T>(
        &self,
        question: impl FnOnce(&Ports<'_>) -> Result<T, MemoryError>,
    ) -> Result<T, Fault> {
        let workspace = self.workspace()?;
        let refused = |err: MemoryError| faults::from_memory::refusal(self.tool, workspace.root(), &err);
        let asks =
            self.runtime.registry().entry(self.tool).is_some_and(|(entry, _)| entry.spec.effect.read_only());
        let (store, missions): (Arc<dyn Store>, Arc<Missions>) = if asks && !workspace.has_memory() {
            let nothing = Arc::new(RamStore::new());
            (Arc::clone(&nothing) as Arc<dyn Store>, nothing)
        } else {
            let store = workspace.memory().map_err(|err| refused(err.into()))?;
            (Arc::clone(&store) as Arc<dyn Store>, store)
        };
        let claims = Concluded(missions);
        let sight = CodeSight::new(workspace, self.runtime.clock(), self.cancel);
        let ports = Ports::new(&*store, self.runtime.clock()).with_code(&sight).with_claims(&claims);
        question(&ports).map_err(|err| {
            let absent = err.is_of_absence();
            let fault = refused(err);
            match &self.header.caller {
                Caller::Workspace(asked) if absent => match workspace::elsewhere(&ports, asked) {
                    Ok(Some(near)) => faults::from_memory::elsewhere(fault, asked, &near),
                    Ok(None) | Err(_) => fault,
                },
                Caller::Workspace(_) | Caller::Agent(_) => fault,
            }
        })
    }

    /// Tells a waiting host how far the work is.
    pub fn report(&self, step: Step) {
        self.progress.report(step);
    }

    /// The same for work on several threads.
    pub fn progress(&self) -> &dyn Progress {
        self.progress
    }

    /// Moves a number into its documented range and remembers that it had to.
    pub fn clamp(
        &self,
        name: &'static str,
        value: Option<Int>,
        default: i64,
        range: RangeInclusive<i64>,
    ) -> usize {
        let (value, moved) = value.unwrap_or(Int(default)).clamp_to(range);
        if moved {
            self.clamped.borrow_mut().push(name);
        }
        usize::try_from(value).unwrap_or_default()
    }

    /// The folder or file that an answer keeps to, as paths of the graph are written; empty for the whole workspace.
    pub fn scope(&self, scope: Option<&str>) -> Result<String, Fault> {
        let Some(path) = scope else { return Ok(String::new()) };
        let found = self.workspace()?.root().locate(path);
        found
            .map(|found| found.as_str().to_owned())
            .map_err(|err| faults::from_vfs::path(self.tool(), "scope", err))
    }

    /// A number that must lie in its documented range.
    pub fn in_range(
        &self,
        name: &str,
        value: Option<Int>,
        range: RangeInclusive<i64>,
    ) -> Result<Option<u64>, Fault> {
        let Some(Int(value)) = value else { return Ok(None) };
        if !range.contains(&value) {
            let (low, high) = range.into_inner();
            return Err(self.invalid(format!("`{name}` must be from {low} to {high}.")));
        }
        Ok(u64::try_from(value).ok())
    }

    /// A fault about this tool's arguments.
    pub fn invalid(&self, message: impl Into<String>) -> Fault {
        faults::invalid_params(self.tool, message)
    }

    pub fn tool(&self) -> &'static str {
        self.tool
    }
}
