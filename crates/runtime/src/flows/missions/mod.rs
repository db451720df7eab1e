//! Missions: what the runtime tells a mission about the world, and where it keeps them.

mod absent;
mod asked;
mod change_set;
mod closing;
mod defects;
pub mod found;
mod naming;
mod observed;
mod record;
mod sound;
pub mod witness;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_guard::Scope;
use m1nd_memory::StoreError;
use m1nd_mission::missions::{self, Refusal};
use m1nd_mission::port::{Kept, Ledger};
use m1nd_mission::{
    Absence, ChangeSet, Claim, Command, Count, EventId, Family, MissionError, MissionId, Mode, SetNow, Shelf,
    Situation, State, Stepped, Telling, Today, Verdict, is_document, named_in, path_of,
};
use m1nd_stdx::digest::sha256_hex;
use m1nd_store::{RamStore, SqliteStore};
use m1nd_vfs::{RelPath, read};
use serde_json::{Value, json};

use super::slice::MAX_FILE_BYTES;
use super::{context_guard, trust};
use crate::ctx::Ctx;
use crate::faults::{from_memory, from_mission};
use crate::registry::Registry;
use crate::runtime::Runtime;
use crate::workspace::Workspace;

pub use asked::{Again, Asked, asked_again};
pub use closing::{Closed, close};
pub use observed::{Seen, observe, observe_refusal};
pub use record::packet_path;
pub use sound::{Proofs, Sound, sound, sound_since};

/// Missions of one workspace.
pub type Missions = dyn Ledger<Fault = StoreError>;

/// The tools of this build, as advice needs them.
pub struct Tools<'a>(pub &'a Registry);

impl Shelf for Tools<'_> {
    fn has(&self, tool: &str) -> bool {
        self.0.entry(tool).is_some()
    }

    fn of(&self, family: Family) -> Vec<&'static str> {
        let own = self.0.entries().filter(|(entry, _)| entry.spec.family == family);
        own.map(|(entry, _)| entry.spec.name).take(MOST_TOOLS).collect()
    }

    fn family(&self, tool: &str) -> Option<Family> {
        self.0.entry(tool).map(|(entry, _)| entry.spec.family)
    }
}

/// More names than this are no advice.
const MOST_TOOLS: usize = 6;

/// Where missions are kept; a question where nothing was kept makes no store.
pub fn ledger(ctx: &Ctx<'_>) -> Result<Arc<Missions>, Fault> {
    let workspace = ctx.workspace()?;
    let (entry, _) = ctx.runtime().registry().entry(ctx.tool()).ok_or_else(|| ctx.invalid("no such tool"))?;
    if entry.spec.effect.read_only() && !workspace.has_memory() {
        return Ok(Arc::new(RamStore::new()));
    }
    let store: Arc<SqliteStore> = workspace.memory().map_err(|err| from_memory::store(&err))?;
    Ok(store)
}

/// The state of a mission.
pub fn state(ctx: &Ctx<'_>, id: &str) -> Result<Kept, Fault> {
    missions::kept(&*ledger(ctx)?, id).map_err(|err| refused(ctx, &err))
}

/// A refusal in words. One that is not found may be in a memory that was set aside.
fn refused(ctx: &Ctx<'_>, refusal: &Refusal<StoreError>) -> Fault {
    let mut fault = from_mission::refusal(ctx.tool(), refusal);
    let aside = ctx.workspace().map(|workspace| workspace.memories_set_aside()).unwrap_or_default();
    if let (Refusal::Unknown { .. }, Some(aside)) = (refusal, aside.last()) {
        let aside = aside.display();
        fault.message.push_str(&format!(" A damaged memory was set aside as {aside}: it may be in there."));
    }
    fault
}

/// Lets something happen to a mission, and records it.
pub fn act(ctx: &Ctx<'_>, id: &str, command: impl FnMut(&State) -> Command) -> Result<Stepped, Fault> {
    let workspace = ctx.workspace()?;
    let ledger = ledger(ctx)?;
    let actor = ctx.header().caller.name();
    let done = act_on(ctx.runtime(), workspace, &*ledger, id, actor, command);
    done.map_err(|err| refused(ctx, &err))
}

fn act_on(
    runtime: &Runtime,
    workspace: &Workspace,
    ledger: &Missions,
    id: &str,
    actor: &str,
    command: impl FnMut(&State) -> Command,
) -> Result<Stepped, Refusal<StoreError>> {
    let before = missions::state(ledger, id)?;
    sound::be_whole(workspace.proofs(), ledger, &before)?;
    let stepped = with_situation(runtime, workspace, &before, |situation| {
        missions::act(ledger, id, actor, situation, command)
    })?;
    record::lines(workspace, ledger, &stepped, runtime.sink());
    Ok(stepped)
}

/// Facts of this moment, for a mission.
pub fn with_situation<T>(
    runtime: &Runtime,
    workspace: &Workspace,
    state: &State,
    ask: impl FnOnce(&Situation<'_>) -> T,
) -> T {
    let now = runtime.clock().now();
    // Each file is looked at once, however many claims rest on it.
    let hashes: RefCell<HashMap<String, Option<Arc<str>>>> = RefCell::default();
    let hash_of = |path: &str| {
        let mut hashes = hashes.borrow_mut();
        if let Some(known) = hashes.get(path) {
            return known.clone();
        }
        let hash = workspace.content_hash(path, MAX_FILE_BYTES, now);
        hashes.insert(path.to_owned(), hash.clone());
        hash
    };
    // To make a change set out reads every file: once for all questions of one call.
    let sets: RefCell<Vec<(ChangeSet, Option<SetNow>)>> = RefCell::default();
    let set_now = |set: &ChangeSet| {
        let known = sets.borrow().iter().find(|(known, _)| known == set).map(|(_, now)| now.clone());
        known.unwrap_or_else(|| {
            let now = change_set::now(workspace, set);
            sets.borrow_mut().push((set.clone(), now.clone()));
            now
        })
    };
    // A search costs as much: each is made once.
    let searched: RefCell<Vec<(Absence, Option<Count>)>> = RefCell::default();
    let count = |search: &Absence| {
        let known = searched.borrow().iter().find(|(known, _)| known == search).map(|(_, now)| now.clone());
        known.unwrap_or_else(|| {
            let now = absent::count(workspace, search);
            searched.borrow_mut().push((search.clone(), now.clone()));
            now
        })
    };
    let texts: RefCell<HashMap<String, Option<Arc<str>>>> = RefCell::default();
    let text_of = |path: &str| {
        let known = texts.borrow().get(path).cloned();
        known.unwrap_or_else(|| {
            let text = text_now(workspace, path);
            texts.borrow_mut().insert(path.to_owned(), text.clone());
            text
        })
    };
    let jobs = trust::jobs_of(runtime);
    let scope = scope_of(workspace, state);
    let names = naming::Names::new(workspace, scope.as_deref());
    let files_named = |word: &str| names.files(word, &|path| hash_of(path).is_some());
    let is_of_repo = |path: &str| scope.as_deref().is_none_or(|scope| path.split('/').next() == Some(scope));
    ask(&Situation {
        now_ms: now.0,
        shelf: &Tools(runtime.registry()),
        right_workspace: is_here(workspace, state),
        graph_is_empty: workspace.view().node_count() == 0,
        running_job: jobs.first().map(String::as_str),
        stale_binary: runtime.binary_was_replaced(),
        hash_of: &hash_of,
        is_of_repo: &is_of_repo,
        scope: scope.as_deref(),
        change_set: &set_now,
        names: &files_named,
        text_of: &text_of,
        defined: &|name| names.places(name),
        count: &count,
    })
}

/// A claim as answers show it: with the files that changed since, and without hashes.
pub fn shown_claim(workspace: &Workspace, claim: &Claim) -> Claim {
    claim.as_shown(&|path| content_hash(workspace, path).map(Arc::from))
}

/// The same with the files and runs that it rests on.
pub fn judged_claim(workspace: &Workspace, claim: &Claim) -> Claim {
    claim.as_judged(&|path| content_hash(workspace, path).map(Arc::from))
}

/// Whether a mission is about this workspace, or about a repository that was put into its graph on purpose. A folder
/// that was renamed is the same folder.
pub fn is_here(workspace: &Workspace, state: &State) -> bool {
    let guard = &state.context_guard;
    // Only what was about the workspace itself goes where that goes.
    let is_own = guard["workspace_match"] == true && guard["workspace_root"] == state.repo;
    let is_renamed = || is_own && guard["workspace_id"] == workspace.identity();
    state.repo == repo_of(workspace) || is_renamed() || scope_of(workspace, state).is_some()
}

/// Where the repository of a mission stands in the graph, as `name::`, if it is one that was put into it.
fn scope_of(workspace: &Workspace, state: &State) -> Option<String> {
    let mut roots = workspace.added_roots().into_iter();
    let own = roots.find(|added| added.problem.is_none() && added.path.to_string_lossy() == state.repo)?;
    Some(format!("{}::", own.namespace))
}

/// The repository of the graph that a path belongs to, if it is one that was put into it.
pub fn added_repo(workspace: &Workspace, path: &str) -> Option<String> {
    let found = workspace.root().locate(path).ok()?;
    let name = found.as_str().split('/').next()?.strip_suffix("::")?.to_owned();
    let mut roots = workspace.added_roots().into_iter();
    roots.find(|added| added.namespace == name).map(|added| added.path.to_string_lossy().into_owned())
}

/// How the repository of a mission that goes on lies to the workspace.
pub fn class_now(workspace: &Workspace, state: &State) -> &'static str {
    match (is_here(workspace, state), scope_of(workspace, state)) {
        (false, _) => ELSEWHERE,
        (true, Some(_)) => Scope::Federated.name(),
        (true, None) => Scope::SingleRepo.name(),
    }
}

/// What a mission is about, by the path that it has now.
pub fn repo_now(workspace: &Workspace, state: &State) -> String {
    if class_now(workspace, state) == Scope::SingleRepo.name() {
        repo_of(workspace)
    } else {
        state.repo.clone()
    }
}

/// The repository that a workspace is.
pub fn repo_of(workspace: &Workspace) -> String {
    workspace.root().path().to_string_lossy().into_owned()
}

/// The sha256 of a file of the workspace, as `view` shows it.
pub fn content_hash(workspace: &Workspace, path: &str) -> Option<String> {
    let root = workspace.root();
    let path: RelPath = root.locate(path).ok()?;
    let bytes = read::bytes(root, &path, MAX_FILE_BYTES).ok()?;
    Some(sha256_hex(&bytes))
}

/// What a file of the workspace says.
fn text_now(workspace: &Workspace, path: &str) -> Option<Arc<str>> {
    let root = workspace.root();
    let path: RelPath = root.locate(path).ok()?;
    let bytes = read::bytes(root, &path, MAX_FILE_BYTES).ok()?;
    read::decode(&bytes).map(|(text, _)| Arc::from(text))
}

/// The same as a mission asks for it.
pub fn hash_now(workspace: &Workspace, path: &str) -> Option<Arc<str>> {
    content_hash(workspace, path).map(Arc::from)
}

/// How a file that was seen is now.
pub fn today(workspace: &Workspace, path: &str, hash: &str) -> Today {
    match content_hash(workspace, path) {
        Some(now) if now == hash => Today::Current,
        Some(_) => Today::Changed,
        None => Today::Gone,
    }
}

/// A step that an agent tells of, with the hash of the file that it names, if it names one. The path is written as the
/// graph writes it.
pub fn anchored(workspace: &Workspace, mut telling: Telling) -> Telling {
    let (path, lines) = {
        let path = path_of(&telling.target);
        (path.to_owned(), telling.target[path.len()..].to_owned())
    };
    if let Ok(found) = workspace.root().locate(&path)
        && let Ok(bytes) = read::bytes(workspace.root(), &found, MAX_FILE_BYTES)
    {
        telling.target = format!("{found}{lines}");
        // Nobody read lines that are not there.
        telling.content_hash = has_lines(&bytes, &lines).then(|| sha256_hex(&bytes));
    }
    telling
}

/// Whether a file has the line that `:10` or `:10-20` begins with, and the second does not come before the first.
fn has_lines(bytes: &[u8], lines: &str) -> bool {
    let lines = lines.trim_start_matches(':');
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let count = bytes.split(|byte| *byte == b'\n').count();
    let number = |line: &str| line.parse::<usize>().ok();
    let is_in_order = || last.is_empty() || number(last) >= number(first);
    first.is_empty() || number(first).is_some_and(|first| (1..=count).contains(&first)) && is_in_order()
}

/// The class of a mission that asks about a folder outside the workspace.
pub const ELSEWHERE: &str = "wrong_workspace_binding";

/// How what a mission asks about lies to the workspace: in it, in another root of it, or elsewhere.
pub fn class_of(ctx: &Ctx<'_>, scope: Option<&str>, known: Option<&[String]>) -> Result<&'static str, Fault> {
    let workspace = ctx.workspace()?;
    if let Some(scope) = scope.filter(|scope| trust::classify(ctx, scope) == Scope::Missing) {
        let root = repo_of(workspace);
        return Err(Fault::new(
            Code::FileNotFound,
            format!("`repo`: {root} has no {scope:?}, and there is no such path outside."),
            Recovery::hint("Name the repository that is meant by its absolute path, or leave `repo` out."),
        ));
    }
    let asked = scope.into_iter().chain(known.into_iter().flatten().map(String::as_str));
    let classes: Vec<Scope> = asked.map(|path| trust::classify(ctx, path_of(path))).collect();
    let worst =
        [Scope::WrongWorkspaceBinding, Scope::Federated].into_iter().find(|one| classes.contains(one));
    Ok(worst.unwrap_or(Scope::SingleRepo).name())
}

/// A path as the graph writes it, where it is one of the workspace's.
pub fn as_known(workspace: &Workspace, path: &str) -> String {
    let found = workspace.root().locate(path_of(path)).ok();
    found.map_or_else(|| path.to_owned(), |found| found.to_string())
}

/// The mission that a hand-off belongs to, and the place of the hand-off in its stream.
pub fn mission_of_handoff(handoff: &str) -> Option<(String, u64)> {
    let event = format!("evt_{}", handoff.strip_prefix("hnd_")?);
    EventId::parse(&event).map(|(mission, place)| (mission.to_string(), place))
}

/// The place of an event that is named by its id or its place.
pub fn place_of(ctx: &Ctx<'_>, state: &State, event: &str) -> Result<u64, Fault> {
    let place = match EventId::parse(event) {
        Some((mission, place)) if mission == state.mission_id => Some(place),
        Some(_) => None,
        None => event.parse().ok(),
    };
    place.filter(|place| (1..=state.sequence).contains(place)).ok_or_else(|| {
        let newest = EventId::new(&state.mission_id, state.sequence).to_string();
        let mission = state.mission_id.clone();
        let unknown = MissionError::UnknownEvent { mission, id: event.to_owned(), newest };
        from_mission::refusal(ctx.tool(), &Refusal::Mission(unknown))
    })
}

/// Tells the past of this workspace what a judged claim of a bug hunt says: a finding that the runtime saw proved, and that
/// says a defect, is one of its file; one that is not verified any more is taken back.
pub fn tell_defect(ctx: &Ctx<'_>, state: &State, claim: &Claim) -> Result<(), Fault> {
    if state.mode != Mode::BugHunt {
        return Ok(());
    }
    // What an agent only says of itself makes no file suspect.
    let is_proven = claim.verdict == Verdict::VerifiedForMission && !claim.self_reported;
    let is_defect = is_proven && defects::is_said_in(&claim.text);
    let source = |mission: &MissionId| format!("{mission} {}", claim.claim_id);
    let told = ctx.workspace()?.defects();
    let withdrawn = sources(ctx, state, claim).into_iter().map(|mission| source(&mission));
    let withdrawn = withdrawn.filter(|source| !is_defect && told.iter().any(|one| one.source == *source));
    for source in withdrawn {
        super::ledger::withdraw(ctx, &source)?;
    }
    if !is_defect {
        return Ok(());
    }
    let source = source(&state.mission_id);
    let paths = defective(ctx, state, claim)?;
    // Judged again, it may be about another file.
    if told.iter().any(|one| one.source == source && !paths.contains(&one.path)) {
        super::ledger::withdraw(ctx, &source)?;
    }
    let paths = paths.iter().map(String::as_str).collect();
    super::ledger::tell(ctx, Some(&source), paths, 1.0).map(|_| ())
}

/// The missions that may have told of a claim: this one, and those before it from which it knows it.
fn sources(ctx: &Ctx<'_>, state: &State, claim: &Claim) -> Vec<MissionId> {
    let mut all = vec![state.mission_id.clone()];
    let knows = |state: &State| state.inherited.claims.iter().any(|one| one.claim_id == claim.claim_id);
    let mut before = state.parent_mission_id.clone().filter(|_| knows(state));
    while let Some(id) = before.filter(|id| !all.contains(id) && all.len() < MOST_BEFORE) {
        let parent = ledger(ctx).ok().and_then(|ledger| missions::state(&*ledger, id.as_str()).ok());
        all.push(id);
        before = parent.and_then(|state| state.parent_mission_id.clone().filter(|_| knows(&state)));
    }
    all
}

/// Missions before one that are asked.
const MOST_BEFORE: usize = 50;

/// The files of code that a finding is about: those that it names and rests on, else those that it read by their names.
fn defective(ctx: &Ctx<'_>, state: &State, claim: &Claim) -> Result<BTreeSet<String>, Fault> {
    let is_code = |path: &str| !is_document(path);
    let named = with_situation(ctx.runtime(), ctx.workspace()?, state, |situation| {
        named_in(&claim.text, situation.names)
    });
    let rests_on = |path: &String| claim.rests_on.iter().any(|file| file.path == *path);
    let named: BTreeSet<String> = named.into_iter().filter(|path| is_code(path) && rests_on(path)).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let events = missions::stream(&*ledger(ctx)?, &state.mission_id);
    let events = events.map_err(|err| from_mission::refusal(ctx.tool(), &err))?;
    // A search shows many files: only what was read by its name is what the finding is about.
    let cited = events.iter().filter(|event| claim.event_ids.contains(&event.event_id));
    let seen = cited.filter(|event| event.draft.carries() && event.draft.content_hash.is_some());
    let paths = seen.map(|event| path_of(&event.draft.target)).filter(|path| is_code(path));
    Ok(paths.map(str::to_owned).collect())
}

/// Who the mission is bound to, and whether that is whom it asks about. `asked` is the path that lies elsewhere.
pub fn bound(ctx: &Ctx<'_>, workspace: &Workspace, class: &str, asked: Option<&str>) -> Value {
    let view = workspace.view();
    let others = workspace.added_roots().into_iter().filter(|added| added.problem.is_none());
    let others = others.map(|added| added.path.display().to_string());
    // A graph exists only once something was ingested; until then no root is one.
    let ingested = view.generation() > 0;
    let roots: Vec<String> = std::iter::once(repo_of(workspace)).chain(others).filter(|_| ingested).collect();
    let mut guard = json!({
        "class": class,
        "workspace_match": class != ELSEWHERE,
        "workspace_root": repo_of(workspace),
        "workspace_id": workspace.identity(),
        "ingest_roots": roots,
        "runtime_root": workspace.runtime_root().display().to_string(),
        "binary_version": ctx.runtime().settings().build.version,
        "graph_generation": view.generation(),
    });
    if class == ELSEWHERE {
        let elsewhere = asked.map(|asked| context_guard::elsewhere(workspace, asked));
        let agent = ctx.header().caller.name();
        if let Some(meant) = elsewhere.as_ref().and_then(|elsewhere| elsewhere.folder()) {
            guard["repository"] = json!(meant);
        }
        guard["recoveries"] = elsewhere.map_or_else(|| json!([]), |elsewhere| elsewhere.ways(agent));
    }
    guard
}

/// The path of another repository that a goal names, where it names none of this one.
pub fn meant_by_goal(workspace: &Workspace, goal: &str) -> Option<String> {
    let (path, repository) = context_guard::named_in(workspace, goal)?;
    let added = workspace.added_roots().into_iter().any(|added| added.path == repository);
    let own = repo_of(workspace);
    (!added && !goal.contains(&own)).then(|| path.to_owned())
}

/// The first path that lies elsewhere.
pub fn asked_elsewhere<'p>(
    ctx: &Ctx<'_>,
    scope: Option<&'p str>,
    known: Option<&'p [String]>,
) -> Option<&'p str> {
    let asked = scope.into_iter().chain(known.into_iter().flatten().map(String::as_str));
    asked.map(path_of).find(|path| trust::classify(ctx, path) == Scope::WrongWorkspaceBinding)
}
