//! Making: a batch from its plan to the graph that has it, and back.

use std::mem::take;
use std::panic::resume_unwind;
use std::sync::Arc;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_edit::{BatchId, Change, Disk as _, Plan, journal, plan};
use m1nd_graph::Graph;
use m1nd_ingest::Said;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::digest::short_name;
use serde_json::json;

use super::aftermath;
use super::broken;
use super::checks::{Checked, check, look};
use super::command::{self, CommandRun};
use super::context::Most;
use super::dangling;
use super::dry_run;
use super::possible;
use super::refusal;
use super::shown::{self, CallerShown, FileShown, PhaseShown, SymbolShown, SyntaxShown, TestsShown};
use super::stray;
use super::unseen;
use crate::ctx::Ctx;
use crate::faults::{self, from_edit};
use crate::flows::review::Finding;
use crate::pipeline::Step;
use crate::workspace::{Seen, Texts, Touch, Workspace};

/// What must hold for a batch to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verify {
    None,
    /// It brings no syntax errors.
    Syntax,
    /// And it leaves no certain caller without its callee, and no import without what it asks for.
    Graph,
    /// No syntax errors, and the user's commands pass.
    Command,
}

/// A batch as it was asked for.
pub struct Request<'a> {
    pub changes: Vec<Change>,
    /// Names the argument that held the change of a number.
    pub argument: &'a dyn Fn(usize) -> String,
    pub verify: Verify,
    pub allow_syntax_errors: bool,
    /// Only say what would be.
    pub dry_run: bool,
}

/// A batch that was made, or would be.
#[derive(Debug, Default)]
pub struct Made {
    /// Missing when there was nothing to do.
    pub batch_id: Option<String>,
    pub undoable: bool,
    pub files: Vec<FileShown>,
    pub unchanged: Vec<String>,
    /// Of a dry run.
    pub diff: Option<String>,
    /// Files that could not be looked through for syntax errors, each with the reason.
    pub unchecked: Vec<String>,
    pub symbols: Vec<SymbolShown>,
    /// Uses of what is not there any more.
    pub dangling: Vec<CallerShown>,
    /// Uses of what has another signature now, and places that may use what is not there any more.
    pub callers: Vec<CallerShown>,
    pub tests: TestsShown,
    pub insights: Vec<String>,
    pub phases: Vec<PhaseShown>,
    pub commands: Vec<CommandRun>,
    /// Why a dry run would be taken back, were it made.
    pub refused: Option<String>,
    /// Whether the graph has the new state.
    pub in_graph: bool,
}

impl Made {
    fn of(plan: &Plan, checked: &Checked) -> Self {
        Self {
            files: shown::files(&plan.files),
            unchanged: plan.unchanged.clone(),
            unchecked: checked.unchecked.iter().map(|(path, why)| format!("{path}: {why}")).collect(),
            symbols: checked.shown(),
            ..Self::default()
        }
    }

    /// Says who is left behind and what to run, by the graphs before and after.
    fn compare(
        &mut self,
        ctx: &Ctx<'_>,
        workspace: &Workspace,
        before: Option<&Graph>,
        after: Option<&Graph>,
        plan: &Plan,
        checked: &Checked,
    ) {
        let (Some(before), Some(after)) = (before, after) else { return };
        let lost = dangling::find(workspace.root(), before, after, plan, checked);
        let (otherwise, dangling) = lost.into_iter().partition(|one| one.because == dangling::DEFAULT);
        self.dangling = dangling;
        self.callers = otherwise;
        let is_told = |one: &CallerShown| {
            self.dangling.iter().any(|known| (&known.at, &known.uses) == (&one.at, &one.uses))
        };
        let callers = aftermath::unchanged_callers(workspace.root(), (before, after), plan, checked);
        self.callers.extend(callers.into_iter().filter(|one| !is_told(one)));
        let gone = dangling::removed(before, after, plan, checked);
        match stray::uses(ctx, (before, after), plan, checked) {
            Ok(stray) => self.take_stray(stray),
            Err(fault) => tracing::warn!(?fault, "imports that lead nowhere are not known"),
        }
        match possible::uses(ctx, before, after, &gone, &self.dangling) {
            Ok(leads) => self.callers.extend(leads),
            Err(fault) => tracing::warn!(?fault, "places that may use what was removed are not known"),
        }
        self.tests =
            aftermath::tests(after, checked, &self.dangling, Most::within(ctx.header().max_chars).tests);
    }
}

impl Made {
    /// Takes lines in that the batch itself left without what they ask for; certain ones stay first.
    pub(super) fn take_stray(&mut self, stray: Vec<CallerShown>) {
        let new: Vec<CallerShown> =
            stray.into_iter().filter(|one| self.dangling.iter().all(|known| known.at != one.at)).collect();
        self.dangling.extend(new);
        self.dangling.sort_by(|a, b| (!a.is_certain(), &a.at).cmp(&(!b.is_certain(), &b.at)));
    }
}

/// Syntax errors that a refusal names.
const MAX_ERRORS: usize = 10;
/// Sentences about what may break.
const MAX_DOUBTS: usize = 3;

pub fn apply(ctx: &Ctx<'_>, request: Request<'_>) -> Result<Made, Fault> {
    let workspace = ctx.workspace()?;
    let commands = match request.verify {
        Verify::Command => command::allowed(ctx)?,
        _ => Vec::new(),
    };
    let mut phases = Phases::begin(ctx);
    let clock = ctx.runtime().clock();
    let at = clock.monotonic();
    let seen = match request.verify {
        // Without a graph nothing would be verified, and the batch would seem sound.
        Verify::Graph => Some(ctx.graph_view()?),
        _ => ctx.graph_if_any()?,
    };
    let before = seen.as_ref().map(|seen| Arc::clone(&seen.graph));
    let seen = seen.map(|seen| Seen { view: seen.view, at });
    phases.done("look");
    // A dry run writes nothing, not even a journal.
    let _lock = match request.dry_run {
        true => None,
        false => Some(workspace.lock_files(ctx.cancel()).map_err(|err| from_edit::lock(ctx.tool(), err))?),
    };
    let disk = workspace.disk();
    let planned =
        plan(&disk, &request.changes).map_err(|err| from_edit::plan(ctx.tool(), request.argument, err))?;
    phases.done("plan");
    let looked = look(&planned);
    if request.verify != Verify::None && !request.allow_syntax_errors && !looked.syntax.is_empty() {
        return Err(broken_syntax(&looked.syntax));
    }
    phases.done("check");
    if request.dry_run || planned.files.is_empty() {
        let checked = looked.read(workspace);
        let mut made = Made::of(&planned, &checked);
        if let Some(graph) = &before {
            made.callers = checked.callers(workspace.root(), graph, &planned);
            let gone = checked.removed(graph);
            let leads = possible::planned(ctx, graph, &planned, &gone, &made.callers)?;
            made.callers.extend(leads);
            let astray = stray::planned(ctx, graph, &planned, &checked, &made.callers)?;
            made.callers.extend(astray);
            made.tests = aftermath::tests(graph, &checked, &[], Most::within(ctx.header().max_chars).tests);
            if request.verify == Verify::Graph && !planned.files.is_empty() {
                dry_run::verify(ctx, graph, &planned, &checked, &mut made)?;
                phases.done("verify");
            }
        }
        if before.is_none() {
            made.insights.push(aftermath::unknown(ctx));
        }
        let diffs = planned.files.iter().map(|file| shown::git_diff(&planned.files, file));
        made.diff = request.dry_run.then(|| diffs.collect::<String>());
        made.phases = phases.list;
        return Ok(made);
    }
    if let Some(stop) = ctx.cancel().stop() {
        return Err(faults::stopped(stop));
    }
    let id = batch_id(ctx, workspace, &planned)?;
    let linked = aftermath::linked(workspace.root(), &planned);
    let argument = (request.argument)(0);
    // Writing waits for the disk; meanwhile the processor reads what the new contents say.
    let (applied, checked) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| looked.read(workspace));
        let applied = journal::commit(&disk, &planned, &id, clock.now());
        (applied, reading.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let applied = applied.map_err(|err| from_edit::journal(ctx.tool(), &argument, err))?;
    let mut checked = checked;
    let mut made = Made::of(&planned, &checked);
    phases.done("write");
    made.batch_id = Some(id.0.clone());
    made.undoable = applied.undoable;
    let after = refresh(ctx, workspace, &planned, seen.as_ref(), take(&mut checked.said));
    made.in_graph = after.is_some();
    phases.done("graph");
    made.compare(ctx, workspace, before.as_deref(), after.as_deref(), &planned, &checked);
    let broken = || match (request.verify, &before, &after) {
        (Verify::Graph, Some(before), Some(after)) => broken::by(ctx, before, after, &planned, &Texts::new()),
        _ => Ok(Vec::new()),
    };
    let verified = command::run(ctx, &commands).and_then(|runs| {
        made.commands = runs;
        broken()
    });
    // A batch that could not be verified does not stay, either.
    let (refusal, doubts) = match verified {
        Ok(found) => {
            let (certain, likely): (Vec<Finding>, Vec<Finding>) =
                found.into_iter().partition(broken::is_certain);
            (
                refusal::of(ctx, request.verify, &made, &certain, (before.as_deref(), &planned, &checked)),
                likely,
            )
        }
        Err(fault) => (Some(fault), Vec::new()),
    };
    if request.verify >= Verify::Graph {
        phases.done("verify");
    }
    if let Some(refusal) = refusal {
        let back = journal::roll_back(&disk, &id, clock.now());
        back.map_err(|err| from_edit::journal(ctx.tool(), &argument, err))?;
        // What was seen before the batch has the batch in it now. Commands may have taken their time.
        let made = Seen { view: workspace.view(), at };
        refresh(ctx, workspace, &planned, seen.is_some().then_some(&made), Vec::new());
        return Err(refusal);
    }
    let touch =
        Touch { time_ms: clock.now().0, files: planned.files.iter().map(|file| file.path.clone()).collect() };
    if let Err(err) = workspace.add_touch(&touch) {
        tracing::warn!(%err, "tremor does not know of a batch");
    }
    made.insights = aftermath::insights(ctx, workspace, after.as_deref(), &planned, &checked, &made.tests);
    made.insights.splice(0..0, doubts.iter().take(MAX_DOUBTS).map(broken::sentence));
    let is_unseen = |after: &Graph| unseen::may_matter(after, &planned, &checked);
    if request.verify == Verify::Syntax && made.dangling.is_empty() && after.as_deref().is_some_and(is_unseen)
    {
        made.insights.push(unseen::WORDS.to_owned());
    }
    made.insights.extend(linked);
    made.phases = phases.list;
    Ok(made)
}

/// Takes a batch back; nothing to do where that was done already.
pub fn take_back(ctx: &Ctx<'_>, batch: &str) -> Result<Made, Fault> {
    let workspace = ctx.workspace()?;
    let refused = |err| from_edit::journal(ctx.tool(), "batch_id", err);
    let mut phases = Phases::begin(ctx);
    let clock = ctx.runtime().clock();
    let at = clock.monotonic();
    let seen = ctx.graph_if_any()?;
    let before = seen.as_ref().map(|seen| Arc::clone(&seen.graph));
    let seen = seen.map(|seen| Seen { view: seen.view, at });
    phases.done("look");
    let locked = workspace.lock_files(ctx.cancel());
    let _lock = locked.map_err(|err| from_edit::lock(ctx.tool(), err))?;
    let disk = workspace.disk();
    let back = journal::inverse(&disk, batch).map_err(refused)?;
    phases.done("plan");
    if back.files.is_empty() {
        return Ok(Made { phases: phases.list, ..Made::default() });
    }
    let id = batch_id(ctx, workspace, &back)?;
    let (applied, mut checked) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| check(workspace, &back));
        let applied = journal::commit(&disk, &back, &id, clock.now());
        (applied, reading.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let applied = applied.map_err(refused)?;
    journal::remove_made_folders(&disk, batch);
    phases.done("write");
    let after = refresh(ctx, workspace, &back, seen.as_ref(), take(&mut checked.said));
    phases.done("graph");
    let mut made = Made::of(&back, &checked);
    made.batch_id = Some(id.0);
    made.undoable = applied.undoable;
    made.in_graph = after.is_some();
    made.compare(ctx, workspace, before.as_deref(), after.as_deref(), &back, &checked);
    made.phases = phases.list;
    Ok(made)
}

/// Reads the touched files into the graph, if there is one. The batch is made, so nothing stops this any more.
fn refresh(
    ctx: &Ctx<'_>,
    workspace: &Workspace,
    plan: &Plan,
    seen: Option<&Seen>,
    said: Vec<Said>,
) -> Option<Arc<Graph>> {
    let paths: Vec<String> = plan.files.iter().map(|file| file.path.clone()).collect();
    if let Err(stop) = workspace.reread_after(seen?, &paths, said, ctx.runtime().clock(), &CancelToken::new())
    {
        tracing::warn!(?stop, "the graph does not have a batch yet");
        return None;
    }
    workspace.view().graph().cloned()
}

/// Syntax errors that the batch would bring.
pub(super) fn broken_syntax(all: &[SyntaxShown]) -> Fault {
    let errors = &all[..all.len().min(MAX_ERRORS)];
    let first = &errors[0];
    Fault::new(
        Code::Conflict,
        format!(
            "The edit would bring {} syntax error(s), first at {}:{}:{}: {}. Nothing was changed.",
            all.len(),
            first.file_path,
            first.line,
            first.column,
            first.what
        ),
        Recovery::hint("Mend the new text; lines are those after the edit. If it is right as it is, pass `allow_syntax_errors: true`."),
    )
    .with_detail(json!({ "syntax_errors": errors }))
}

/// A name that no other batch of this workspace has.
fn batch_id(ctx: &Ctx<'_>, workspace: &Workspace, plan: &Plan) -> Result<BatchId, Fault> {
    let states = workspace.disk().states().map_err(|err| from_edit::disk(ctx.tool(), "journal", err))?;
    let mut names: Vec<String> = states.into_iter().map(|(name, _)| name).collect();
    names.sort();
    let mut seed = format!("{} {}", ctx.runtime().clock().now().0, names.join(" "));
    for file in &plan.files {
        seed.push_str(&file.path);
    }
    Ok(BatchId(format!("b-{}", short_name(seed.as_bytes(), 10))))
}

/// The steps of a call, told to a waiting host and in the answer.
struct Phases<'a> {
    ctx: &'a Ctx<'a>,
    start: std::time::Duration,
    list: Vec<PhaseShown>,
}

/// Steps of a batch with nothing to verify.
const STEPS: u64 = 5;

impl<'a> Phases<'a> {
    fn begin(ctx: &'a Ctx<'_>) -> Self {
        Self { ctx, start: ctx.runtime().clock().monotonic(), list: Vec::new() }
    }

    fn done(&mut self, phase: &'static str) {
        let elapsed = self.ctx.runtime().clock().monotonic().saturating_sub(self.start);
        let elapsed_ms = (elapsed.as_secs_f64() * 100_000.0).round() / 100.0;
        self.list.push(PhaseShown { phase, elapsed_ms });
        let done = self.list.len() as u64;
        self.ctx.report(Step { done, total: Some(STEPS.max(done)), message: format!("{phase} done") });
    }
}
