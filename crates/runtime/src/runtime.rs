//! Runtime: one process's state, and the one function that every transport calls.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use m1nd_contract::Fault;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::Clock;
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, json};

use crate::faults;
use crate::jobs::{Job, JobState, Jobs};
use crate::lanes::Lanes;
use crate::log::{Calls, QueryLog, QueryRecord, SeenRecord, SessionRecord};
use crate::machine::Machine;
use crate::pipeline::{self, Progress, Reply, ToolCall};
use crate::program::{OnDisk, Program};
use crate::registry::{Listing, Registry, UnknownToolset};
use crate::savings::{AllTime, Saved, Savings};
use crate::settings::Settings;
use crate::sink::FlightSink;
use crate::surface::Surface;
use crate::tool::ToolsetName;
use crate::workspace::{BindError, BindingSource, Workspace};

/// How long the end of a server may take for a last save; hosts kill what does not end.
const LAST_SAVE: Duration = Duration::from_secs(3);

type Listener = Box<dyn Fn() + Send + Sync>;

/// Everything a process holds. Shared by reference; there is no global state.
pub struct Runtime {
    surface: Surface,
    registry: Registry,
    settings: Settings,
    clock: Arc<dyn Clock>,
    started: Duration,
    program: Option<Program>,
    machine: Machine,
    sink: Option<Arc<dyn FlightSink>>,
    workspace: ArcSwapOption<Workspace>,
    unbound: Mutex<Option<String>>,
    toolsets: RwLock<BTreeSet<ToolsetName>>,
    surface_version: AtomicU64,
    listeners: Mutex<Vec<Listener>>,
    lanes: Lanes,
    jobs: Jobs,
    log: QueryLog,
    savings: Savings,
    start: OnceLock<Start>,
    /// Whether workspaces are kept fresh between calls.
    keeping: AtomicBool,
}

impl Runtime {
    /// `binary` is the program that runs, for those who must tell two of them apart.
    pub fn new(surface: Surface, settings: Settings, clock: Arc<dyn Clock>, binary: Option<PathBuf>) -> Self {
        Self {
            registry: Registry::new(surface.toolsets),
            toolsets: RwLock::new(settings.toolsets.clone()),
            savings: Savings::new(&settings.home, !settings.read_only),
            start: OnceLock::new(),
            started: clock.monotonic(),
            surface,
            settings,
            clock,
            program: binary.map(Program::of),
            machine: Machine::default(),
            sink: None,
            workspace: ArcSwapOption::empty(),
            unbound: Mutex::default(),
            surface_version: AtomicU64::new(0),
            listeners: Mutex::default(),
            lanes: Lanes::default(),
            jobs: Jobs::default(),
            log: QueryLog::default(),
            keeping: AtomicBool::new(false),
        }
    }

    /// The same process, told about the machine it runs on.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.machine = machine;
        self
    }

    /// The same process, which tells the steps of missions to a sink besides.
    #[must_use]
    pub fn telling(mut self, sink: Arc<dyn FlightSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    pub(crate) fn sink(&self) -> Option<&dyn FlightSink> {
        self.sink.as_deref()
    }

    /// Answers one call. Never panics; blocks for as long as the call takes.
    pub fn call(&self, call: ToolCall, cancel: &CancelToken, progress: &dyn Progress) -> Reply {
        pipeline::call(self, call, cancel, progress)
    }

    /// The tools that hosts are shown now, in a stable order.
    pub fn listings(&self) -> Vec<Listing> {
        self.registry.listings(&self.toolsets.read())
    }

    /// Adds toolsets to what is shown. Returns whether anything changed, after telling the listeners.
    pub fn enable_toolsets(&self, words: &str) -> Result<bool, UnknownToolset> {
        let wanted = self.registry.parse_toolsets(words)?;
        let changed = {
            let mut shown = self.toolsets.write();
            let before = shown.len();
            shown.extend(wanted);
            shown.len() != before
        };
        if changed {
            self.surface_version.fetch_add(1, Ordering::AcqRel);
            for listener in self.listeners.lock().iter() {
                listener();
            }
        }
        Ok(changed)
    }

    pub fn enabled_toolsets(&self) -> Vec<ToolsetName> {
        self.toolsets.read().iter().copied().collect()
    }

    /// Grows whenever the tool list changes.
    pub fn surface_version(&self) -> u64 {
        self.surface_version.load(Ordering::Acquire)
    }

    /// `listener` runs, on the caller's thread, each time the tool list changes.
    pub fn on_surface_change(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.listeners.lock().push(Box::new(listener));
    }

    /// Binds to a folder, unless a stronger choice was made before. Returns whether it was bound.
    pub fn bind(&self, folder: &Path, source: BindingSource) -> Result<bool, BindError> {
        if self.workspace.load().as_ref().is_some_and(|bound| bound.source() < source) {
            return Ok(false);
        }
        // A client that names the whole machine as its root names nothing.
        if source == BindingSource::ClientRoot && folder.parent().is_none() {
            return Ok(false);
        }
        let workspace = Workspace::open(folder, source, &self.settings)?;
        self.take(Arc::new(workspace));
        Ok(true)
    }

    fn take(&self, workspace: Arc<Workspace>) {
        if self.keeping.load(Ordering::Acquire) {
            workspace.keep(self.shared_clock(), !self.settings.read_only);
        }
        self.workspace.store(Some(workspace));
    }

    /// From now on the bound workspace is kept fresh between calls: for processes that live on.
    pub fn keep_fresh(&self) {
        self.keeping.store(true, Ordering::Release);
        if let Some(workspace) = self.workspace() {
            workspace.keep(self.shared_clock(), !self.settings.read_only);
        }
    }

    /// Ends the jobs that still run and saves what is not saved yet. The last thing a server does, which is gone a moment later
    /// whatever happens: a snapshot that is not whole by then never takes the place of the last one.
    pub fn close(&self) {
        for job in self.jobs() {
            job.cancel.cancel();
        }
        let unsaved = self.workspace().filter(|workspace| workspace.is_unsaved());
        let Some(workspace) = unsaved.filter(|_| !self.settings.read_only) else { return };
        let (done, saved) = mpsc::channel();
        let saving = thread::Builder::new().name("m1nd-close".to_owned()).spawn(move || {
            if let Err(err) = workspace.save() {
                tracing::warn!(%err, "the graph was not saved");
            }
            // Nobody listens any more where it took too long.
            done.send(()).ok();
        });
        match saving {
            Ok(_) => {
                if saved.recv_timeout(LAST_SAVE).is_err() {
                    tracing::warn!("the graph was not saved in time; the next process makes it again");
                }
            }
            Err(err) => tracing::warn!(%err, "the graph was not saved"),
        }
    }

    /// Remembers why no workspace could be bound, for the faults that follow from it.
    pub fn note_unbound(&self, why: String) {
        *self.unbound.lock() = Some(why);
    }

    /// Why there is no workspace, if that is known.
    pub fn why_unbound(&self) -> Option<String> {
        self.unbound.lock().clone()
    }

    pub fn workspace(&self) -> Option<Arc<Workspace>> {
        self.workspace.load_full()
    }

    /// The workspace as it is now. A folder that was replaced under a running server is opened anew; one that
    /// is gone is a workspace no longer, until it is back.
    pub(crate) fn live_workspace(&self) -> Result<Option<Arc<Workspace>>, Fault> {
        let Some(bound) = self.workspace() else { return Ok(None) };
        if bound.root().is_still_there() {
            return Ok(Some(bound));
        }
        let path = bound.root().path();
        match Workspace::open(path, bound.source(), &self.settings) {
            Ok(fresh) => {
                tracing::info!(path = %path.display(), "the workspace folder was replaced");
                let fresh = Arc::new(fresh);
                self.take(Arc::clone(&fresh));
                Ok(Some(fresh))
            }
            Err(err) => Err(faults::no_workspace(Some(&format!("its folder was moved or removed: {err}")))),
        }
    }

    /// The tool's answer behind a resource, and its type: `None` for an address that no resource has.
    pub fn read_resource(&self, uri: &str, cancel: &CancelToken) -> Option<(&'static str, Reply)> {
        let (spec, variable) = self
            .surface
            .resources
            .iter()
            .find_map(|spec| spec.matches(uri).map(|variable| (spec, variable)))?;
        let mut arguments = Map::from_iter([("agent_id".to_owned(), json!("resource"))]);
        if let (Some(name), Some(value)) = (spec.argument, variable) {
            arguments.insert(name.into(), json!(value));
        }
        let call = ToolCall { name: spec.tool.into(), arguments };
        Some((spec.mime, self.call(call, cancel, &pipeline::Silent)))
    }

    /// Starts work that may outlast the call.
    pub fn start_job(
        &self,
        tool: &'static str,
        work: impl FnOnce(&CancelToken) -> JobState + Send + 'static,
    ) -> std::io::Result<Arc<Job>> {
        self.jobs.start(tool, work)
    }

    pub fn job(&self, id: &str) -> Option<Arc<Job>> {
        self.jobs.find(id)
    }

    /// Every job that can be asked about, oldest first.
    pub fn jobs(&self) -> Vec<Arc<Job>> {
        self.jobs.all()
    }

    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// The clock, for work that outlasts the call.
    pub fn shared_clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    pub fn uptime(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.started)
    }

    pub fn binary(&self) -> Option<&Path> {
        self.program.as_ref().map(Program::path)
    }

    pub fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Whether the program on disk is another one than the one that runs.
    pub fn binary_was_replaced(&self) -> bool {
        let now = self.program.as_ref().map(Program::on_disk);
        matches!(now, Some(OnDisk::Replaced | OnDisk::Gone))
    }

    /// Whether there is no program any more where this one came from.
    pub fn binary_is_gone(&self) -> bool {
        self.program.as_ref().map(Program::on_disk) == Some(OnDisk::Gone)
    }

    pub fn queries(&self) -> Vec<QueryRecord> {
        self.log.queries()
    }

    pub fn queries_total(&self) -> u64 {
        self.log.total()
    }

    /// How often each tool was called; their sum is the total.
    pub fn calls(&self) -> BTreeMap<&'static str, Calls> {
        self.log.by_tool()
    }

    pub fn sessions(&self) -> BTreeMap<String, SessionRecord> {
        self.log.agents()
    }

    /// What this process saved, and how often each tool answered.
    pub fn saved(&self) -> (Saved, BTreeMap<&'static str, u64>) {
        self.savings.session()
    }

    /// What all processes saved; nothing where it cannot be read.
    pub fn saved_all_time(&self) -> Option<AllTime> {
        self.savings.all_time()
    }

    /// The graph when this process was first asked something.
    pub fn start(&self) -> Start {
        self.start.get().copied().unwrap_or_default()
    }

    pub(crate) fn savings(&self) -> &Savings {
        &self.savings
    }

    /// Remembers the graph of the beginning, once.
    pub(crate) fn note_start(&self) {
        self.start.get_or_init(|| {
            let view = self.workspace().map(|workspace| workspace.view());
            view.map_or_else(Start::default, |view| Start {
                generation: view.generation(),
                nodes: view.node_count(),
                edges: view.edge_count(),
            })
        });
    }

    pub(crate) fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// What an agent has seen of the code in this process.
    pub fn seen_by(&self, agent: &str) -> SeenRecord {
        self.log.seen_by(agent)
    }

    pub(crate) fn log(&self) -> &QueryLog {
        &self.log
    }
}

/// The graph at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    pub generation: u64,
    pub nodes: u64,
    pub edges: u64,
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Runtime").field("settings", &self.settings).finish_non_exhaustive()
    }
}
