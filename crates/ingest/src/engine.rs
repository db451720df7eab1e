//! The state between ingests: what each file said when it was last read, and the graph made of it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use m1nd_graph::Graph;
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::Clock;
use m1nd_vfs::read::{Decoding, decode};

use crate::affected::{self, Changed};
use crate::classify::{self, MAX_FILE_BYTES, Reason};
use crate::compact::compact;
use crate::facts::FileFacts;
use crate::history::History;
use crate::languages::ProgramRules;
use crate::manifest::Manifest;
use crate::report::{Phases, Report};
use crate::resolve::Links;
use crate::resolve::index::{Edited, Index};
use crate::resolve::program::Program;
use crate::said::Said;
use crate::spread::Found;
use crate::stored::Stored;
use crate::walk::{PARSE_LIMIT, ParseError};
use crate::{assemble, languages, patch, resolve, spread};

/// A file changed this shortly before it was seen may change again without its time changing.
const RACY_NS: i128 = 1_000_000_000;

/// A file as a walk lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Workspace-relative, with forward slashes.
    pub path: String,
    pub size: u64,
    /// When it last changed in any way; nanoseconds since 1970.
    pub modified_ns: i128,
}

/// How the reading of a file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "reason")]
pub enum Outcome {
    Indexed,
    /// Some of it is missing.
    Partial(Reason),
    /// By policy.
    Skipped(Reason),
    /// No language of this build reads it.
    Unsupported,
    Failed(Reason),
}

#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub size: u64,
    pub modified_ns: i128,
    /// Whether size and time alone do not prove that nothing changed.
    pub racy: bool,
    pub hash: [u8; 32],
    pub outcome: Outcome,
    pub facts: Arc<Stored>,
    pub manifest: Option<Manifest>,
}

/// Everything known of a workspace's files.
#[derive(Clone, Debug, Default)]
pub struct Ingest {
    pub(crate) repository: String,
    pub(crate) files: BTreeMap<String, Known>,
    pub(crate) history: History,
    pub(crate) generation: u64,
    /// Whether the last generation says all that is known.
    pub(crate) is_built: bool,
    /// What the last generation left open, per file; empty when it was made by another process.
    pub(crate) loose: Vec<Loose>,
    /// Where names lead to in the last generation; made when it is first needed.
    pub(crate) index: Option<Arc<Index>>,
    /// What contents say that the next refresh will find.
    pub(crate) expected: BTreeMap<String, Known>,
}

/// What resolving one file leaves beside its relations: calls that lead nowhere, and what others rest on.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Loose {
    pub unresolved: u32,
    pub external: u32,
    /// As [`Links::abroad`].
    pub abroad: u64,
    /// As [`Links::routing`].
    pub routing: u64,
}

/// What changed in the files since the last generation.
#[derive(Debug, Default)]
struct Edits {
    /// By position; files that are gone have positions after all others.
    changed: Vec<(u32, Vec<Changed>)>,
    /// Positions of files that were not there before.
    came: Vec<u32>,
    /// Files that are no more, with the positions they had.
    gone: Vec<(u32, Arc<Stored>)>,
}

/// After more edits than this all files are resolved. It is as many as one batch changes; following their names costs
/// what they cost, and where those lead too far all files are resolved anyway.
const MAX_EDITED: usize = 100;

/// A finished ingest.
#[derive(Debug)]
pub struct Ingested {
    /// Nothing when the last generation is still true.
    pub graph: Option<Graph>,
    pub report: Report,
}

impl Ingest {
    /// `repository` names the node above all others.
    pub fn new(repository: &str) -> Self {
        Self { repository: repository.to_owned(), ..Self::default() }
    }

    /// Continues the numbering of an earlier run.
    #[must_use]
    pub fn after(mut self, generation: u64) -> Self {
        self.generation = self.generation.max(generation);
        self
    }

    /// Says that a graph exists which was made of exactly what is known here.
    #[must_use]
    pub fn with_graph(mut self) -> Self {
        self.is_built = true;
        self
    }

    /// Sets what the next generation says about the files' history.
    pub fn set_history(&mut self, history: History) {
        self.is_built &= self.history == history;
        self.history = history;
    }

    /// Why there is a history that could not be read.
    pub fn history_unreadable(&self) -> Option<&str> {
        self.history.unreadable.as_deref()
    }

    /// The commit that the known history starts from.
    pub fn history_head(&self) -> &str {
        &self.history.head
    }

    /// How each file's reading ended, in the order of their paths.
    pub fn outcomes(&self) -> impl Iterator<Item = (&str, Outcome)> {
        self.files.iter().map(|(path, known)| (path.as_str(), known.outcome))
    }

    /// What a file said when it was last read.
    pub fn facts(&self, path: &str) -> Option<&FileFacts> {
        self.files.get(path).map(|known| &known.facts.facts)
    }

    /// Whether a file's content is the one that was read last.
    pub fn is_current(&self, path: &str, bytes: &[u8]) -> bool {
        self.files.get(path).is_some_and(|known| known.hash == *blake3::hash(bytes).as_bytes())
    }

    /// What a file says, if its content is the one that was read last.
    pub fn said(&self, path: &str, bytes: &[u8]) -> Option<Said> {
        let known = self.files.get(path).filter(|_| self.is_current(path, bytes))?;
        Some(Said { path: path.to_owned(), known: known.clone() })
    }

    /// Hands over contents that were read before they were written: the next refresh does not parse them again.
    pub fn expect(&mut self, said: Vec<Said>) {
        self.expected.extend(said.into_iter().map(|said| (said.path, said.known)));
    }

    /// Digest of what a file held when it was last read.
    pub fn hash(&self, path: &str) -> Option<[u8; 32]> {
        self.files.get(path).map(|known| known.hash)
    }

    /// Makes the next refresh read these files whatever their sizes and times say.
    pub fn distrust(&mut self, paths: &[String]) {
        for path in paths {
            self.files.get_mut(path).into_iter().for_each(|known| known.racy = true);
        }
    }

    /// Makes the next refresh build a generation even if no file changed.
    pub fn rebuild(&mut self) {
        self.is_built = false;
    }

    /// Brings the state up to a listing of all files and makes the next generation.
    ///
    /// Files whose size and time are unchanged are not read, and files whose content is unchanged are not
    /// parsed. When the work is stopped there is no new generation, and the next refresh goes on from there.
    pub fn refresh<B: AsRef<[u8]>>(
        &mut self,
        listing: &[Listed],
        read: impl Fn(&str) -> Result<B, Reason> + Sync,
        clock: &dyn Clock,
        now_ns: i128,
        cancel: &CancelToken,
    ) -> Result<Ingested, Stop> {
        self.refresh_on(None, listing, read, clock, now_ns, cancel)
    }

    /// The same, given the last generation: an edit that few files can tell is then patched into it.
    ///
    /// What `read` gives is kept until the file is parsed.
    pub fn refresh_on<B: AsRef<[u8]>>(
        &mut self,
        last: Option<&Graph>,
        listing: &[Listed],
        read: impl Fn(&str) -> Result<B, Reason> + Sync,
        clock: &dyn Clock,
        now_ns: i128,
        cancel: &CancelToken,
    ) -> Result<Ingested, Stop> {
        let started = clock.monotonic();
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
        let listing = &*in_order(listing);
        let Looked { differ, gone } = self.look(listing);
        let results: Result<Vec<Step>, Stop> = differ
            .par_iter()
            .map(|&at| match cancel.stop() {
                Some(stop) => Err(stop),
                None => Ok(self.step(&listing[at as usize], &read, now_ns)),
            })
            .collect();
        self.expected.clear();
        let results = results?;
        // The graph that this very state made, before the edits.
        let last = last.filter(|last| self.is_built && last.generation() == self.generation);
        let mut report = Report {
            files_removed: gone.len() as u64,
            files_reused: (listing.len() - differ.len()) as u64,
            ..Report::default()
        };
        let count = self.files.len();
        let gone: Vec<(u32, Known)> =
            gone.into_iter().filter_map(|(at, path)| Some((at, self.files.remove(&path)?))).collect();
        let mut edited: Vec<Reread> = Vec::new();
        for (at, step) in differ.into_iter().zip(results) {
            let path = listing[at as usize].path.clone();
            match step {
                Step::Same(known) => {
                    report.files_reused += 1;
                    self.files.insert(path, known);
                }
                Step::Read(known) => {
                    report.files_parsed += u64::from(!known.facts.facts.language.is_empty());
                    let now = known.clone();
                    let before = self.files.insert(path, known);
                    edited.push(Reread { at, before, now });
                }
            }
        }
        self.is_built &= edited.is_empty() && gone.is_empty();
        let is_told = last.is_some() && self.loose.len() == count;
        // Nobody else holds what was read when it is packed.
        let edits = match is_told {
            true => self.edits(edited, gone),
            false => {
                drop((edited, gone));
                None
            }
        };
        if edits.is_none() {
            self.index = None;
        }
        let extracted = clock.monotonic();
        let graph = match (self.is_built, last, edits) {
            (true, ..) => {
                report.count_loose(&self.loose);
                None
            }
            (false, Some(last), Some(edits)) => {
                match self.patch(last, &edits, &mut report, clock, cancel)? {
                    Some(graph) => Some(graph),
                    None => Some(self.build(&mut report, clock, cancel)?),
                }
            }
            (false, ..) => Some(self.build(&mut report, clock, cancel)?),
        };
        self.is_built = true;
        report.generation = self.generation;
        report.count(self.outcomes(), self.files.values().map(|known| &known.facts.facts));
        report.phases.extract_ms = millis(extracted - started);
        report.elapsed_ms = millis(clock.monotonic() - started);
        Ok(Ingested { graph, report })
    }

    /// What is not as it was, by sizes and times. The listing is in the order of the paths, as the files are.
    fn look(&self, listing: &[Listed]) -> Looked {
        let mut looked = Looked { differ: Vec::new(), gone: Vec::new() };
        let mut known = (0..).zip(&self.files).peekable();
        for (at, listed) in (0..).zip(listing) {
            while let Some((was, (path, _))) = known.next_if(|(_, (path, _))| **path < listed.path) {
                looked.gone.push((was, path.clone()));
            }
            match known.next_if(|(_, (path, _))| **path == listed.path) {
                Some((_, (_, known))) if known.is_as_listed(listed) => {}
                _ => looked.differ.push(at),
            }
        }
        looked.gone.extend(known.map(|(was, (path, _))| (was, path.clone())));
        looked
    }

    /// What other files can tell about the edits; nothing when there are too many or names do not tell it all. The
    /// files themselves are the new ones already.
    fn edits(&self, edited: Vec<Reread>, gone: Vec<(u32, Known)>) -> Option<Edits> {
        if edited.len() + gone.len() > MAX_EDITED {
            return None;
        }
        let has_manifest = |known: &Known| known.manifest.is_some();
        let mut all = edited.iter().flat_map(|file| file.before.iter().chain([&file.now]));
        if all.any(has_manifest) || gone.iter().any(|(_, known)| has_manifest(known)) {
            return None;
        }
        let came: Vec<u32> = edited.iter().filter(|file| file.before.is_none()).map(|file| file.at).collect();
        // The files that are there before and after, for what is asked about those that are not.
        let others: Vec<&FileFacts> = match came.is_empty() && gone.is_empty() {
            true => Vec::new(),
            false => {
                let stays = (0..).zip(self.files.values()).filter(|(at, _)| came.binary_search(at).is_err());
                stays.map(|(_, known)| &known.facts.facts).collect()
            }
        };
        let told = |file: &Reread| {
            let changed = match &file.before {
                Some(old) => affected::changes(&old.facts, &file.now.facts)?,
                None => affected::whole(&file.now.facts, &others)?,
            };
            Some((file.at, changed))
        };
        let changed: Option<Vec<(u32, Vec<Changed>)>> = edited.par_iter().map(told).collect();
        let mut edits = Edits { changed: changed?, came, gone: Vec::new() };
        for (at, (was, known)) in (self.files.len() as u32..).zip(gone) {
            edits.changed.push((at, affected::whole(&known.facts, &others)?));
            edits.gone.push((was, known.facts));
        }
        Some(edits)
    }

    /// Resolves only the files that can tell the edits and patches them into the last generation.
    fn patch(
        &mut self,
        last: &Graph,
        edits: &Edits,
        report: &mut Report,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Option<Graph>, Stop> {
        let started = clock.monotonic();
        let files: Vec<&FileFacts> = self.files.values().map(|known| &known.facts.facts).collect();
        let manifests: Vec<Manifest> =
            self.files.values().filter_map(|known| known.manifest.clone()).collect();
        let is_new = self.index.is_none();
        let mut index = self.index.take().unwrap_or_else(|| Arc::new(Index::of(&files)));
        if !is_new {
            let gone: Vec<(u32, &str)> =
                edits.gone.iter().map(|(at, stored)| (*at, stored.facts.path.as_str())).collect();
            let edited = edits.changed.iter().map(|(at, _)| *at).filter(|at| (*at as usize) < files.len());
            let edited = edited.map(|at| match edits.came.contains(&at) {
                true => (at, Edited::Came),
                false => (at, Edited::Changed),
            });
            Arc::make_mut(&mut index).update(&gone, edited, &files);
        }
        let program = Program::new(self.files.values().map(|known| known.facts.source()), &manifests, &index);
        let rules = ProgramRules::of(&program);
        let rules = rules.by_file(&program);
        let gone: Vec<&FileFacts> = edits.gone.iter().map(|(_, stored)| &stored.facts).collect();
        let Some(some) = spread::files(&program, &rules, &edits.changed, &edits.came, &gone, last) else {
            return Ok(None);
        };
        let Found { files: some, routes } = some;
        let found = resolve::resolve_some(&program, &rules, &some);
        self.index = Some(Arc::clone(&index));
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
        let resolved = clock.monotonic();
        let links: Vec<(u32, Links)> = some.into_iter().zip(found.links).collect();
        let mut loose = self.loose.clone();
        // What others rest on has to be what it was, and nothing in files that came or went.
        let is_plain = |loose: &Loose| loose.abroad == found.plain;
        if !edits.gone.iter().all(|(at, _)| is_plain(&loose[*at as usize])) {
            return Ok(None);
        }
        for (at, _) in edits.gone.iter().rev() {
            loose.remove(*at as usize);
        }
        for &at in &edits.came {
            loose.insert(at as usize, Loose { abroad: found.plain, ..Loose::default() });
        }
        let is_same = |(at, links): &(u32, Links)| {
            let before = &loose[*at as usize];
            links.abroad == before.abroad && (routes || links.routing == before.routing)
        };
        if !links.iter().all(is_same) {
            return Ok(None);
        }
        let edited: Vec<u32> = edits.changed.iter().map(|(at, _)| *at).collect();
        let mut edited: Vec<u32> = edited.into_iter().filter(|at| (*at as usize) < files.len()).collect();
        if routes {
            edited.extend(links.iter().map(|(at, _)| *at).filter(|at| files[*at as usize].has_routes()));
        }
        let gone: Vec<&str> = gone.iter().map(|facts| facts.path.as_str()).collect();
        let graph = patch::patched(
            last,
            &files,
            &links,
            patch::Files { edited: &edited, gone: &gone, routes, history: &self.history },
            self.generation + 1,
        );
        let Some(graph) = graph else { return Ok(None) };
        self.loose = loose;
        for (at, links) in &links {
            self.loose[*at as usize] = Loose::of(links);
        }
        self.pack();
        self.generation += 1;
        report.phases = Phases {
            extract_ms: 0,
            resolve_ms: millis(resolved - started),
            assemble_ms: millis(clock.monotonic() - resolved),
        };
        report.files_resolved = links.len() as u64;
        report.count_graph(&self.loose, &graph);
        Ok(Some(graph))
    }

    fn build(&mut self, report: &mut Report, clock: &dyn Clock, cancel: &CancelToken) -> Result<Graph, Stop> {
        let started = clock.monotonic();
        let files: Vec<&FileFacts> = self.files.values().map(|known| &known.facts.facts).collect();
        let manifests: Vec<Manifest> =
            self.files.values().filter_map(|known| known.manifest.clone()).collect();
        let index = Arc::new(Index::of(&files));
        let all: Vec<u32> = (0..files.len() as u32).collect();
        let program = Program::new(self.files.values().map(|known| known.facts.source()), &manifests, &index);
        let rules = ProgramRules::of(&program);
        let links = resolve::resolve_some(&program, &rules.by_file(&program), &all).links;
        drop(rules);
        drop(program);
        self.index = Some(index);
        self.pack();
        let files: Vec<&FileFacts> = self.files.values().map(|known| &known.facts.facts).collect();
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
        let resolved = clock.monotonic();
        self.generation += 1;
        let graph = assemble::with_history(&self.repository, &files, &links, &self.history, self.generation);
        report.phases = Phases {
            extract_ms: 0,
            resolve_ms: millis(resolved - started),
            assemble_ms: millis(clock.monotonic() - resolved),
        };
        self.loose = links.iter().map(Loose::of).collect();
        report.files_resolved = links.len() as u64;
        report.count_graph(&self.loose, &graph);
        Ok(graph)
    }

    /// Packs what was read anew and is not needed any more.
    fn pack(&mut self) {
        let mut open: Vec<&mut Arc<Stored>> = self
            .files
            .values_mut()
            .map(|known| &mut known.facts)
            .filter(|facts| !facts.is_packed())
            .collect();
        open.par_iter_mut().for_each(|facts| Arc::make_mut(facts).pack());
    }

    /// Looks at a file that is not known to be as it was.
    fn step<B: AsRef<[u8]>>(
        &self,
        listed: &Listed,
        read: &(impl Fn(&str) -> Result<B, Reason> + Sync),
        now_ns: i128,
    ) -> Step {
        let before = self.files.get(&listed.path);
        let racy = now_ns - listed.modified_ns < RACY_NS;
        let stamped =
            |known: Known| Known { size: listed.size, modified_ns: listed.modified_ns, racy, ..known };
        let unread = |outcome| match before.filter(|known| known.outcome == outcome) {
            Some(known) => Step::Same(stamped(known.clone())),
            None => Step::Read(stamped(bare(&listed.path, [0; 32], outcome))),
        };
        if listed.size > MAX_FILE_BYTES {
            return unread(Outcome::Skipped(Reason::TooLarge));
        }
        let content = match read(&listed.path) {
            Ok(content) => content,
            Err(reason) => return unread(Outcome::Failed(reason)),
        };
        let bytes = content.as_ref();
        let hash = *blake3::hash(bytes).as_bytes();
        match before.filter(|known| known.hash == hash) {
            Some(known) => Step::Same(stamped(known.clone())),
            None => match self.expected.get(&listed.path).filter(|known| known.hash == hash) {
                Some(known) => Step::Read(stamped(known.clone())),
                None => Step::Read(stamped(examine(&listed.path, bytes, hash))),
            },
        }
    }
}

impl Loose {
    fn of(links: &Links) -> Self {
        let Links { unresolved, external, abroad, routing, .. } = *links;
        Self { unresolved, external, abroad, routing }
    }
}

/// A file that was looked at.
enum Step {
    /// It says what it said.
    Same(Known),
    Read(Known),
}

/// A listing in the order of its paths, each once, as folders are listed mostly.
fn in_order(listing: &[Listed]) -> Cow<'_, [Listed]> {
    if listing.is_sorted_by(|one, other| one.path < other.path) {
        return Cow::Borrowed(listing);
    }
    let mut listing = listing.to_vec();
    listing.sort_by(|one, other| one.path.cmp(&other.path));
    listing.dedup_by(|one, other| one.path == other.path);
    Cow::Owned(listing)
}

/// A listing beside what is known.
struct Looked {
    /// Positions in the listing of files that are new or may say something else.
    differ: Vec<u32>,
    /// Files that are not listed any more, with the positions they had.
    gone: Vec<(u32, String)>,
}

/// A file that says something else than before, or was not there.
struct Reread {
    at: u32,
    before: Option<Known>,
    now: Known,
}

impl Known {
    /// Whether size and time prove that nothing changed. What could not be read is tried again.
    fn is_as_listed(&self, listed: &Listed) -> bool {
        let is_read = !matches!(self.outcome, Outcome::Failed(_));
        is_read && !self.racy && (self.size, self.modified_ns) == (listed.size, listed.modified_ns)
    }
}

/// How the reading of a file with this content ends.
pub fn outcome_of(path: &str, bytes: &[u8]) -> Outcome {
    examine(path, bytes, [0; 32]).outcome
}

/// Reads one file's content, whatever it is. A fault costs at most this file.
pub(crate) fn examine(path: &str, bytes: &[u8], hash: [u8; 32]) -> Known {
    let Some((text, decoding)) = decode(bytes) else {
        return bare(path, hash, Outcome::Skipped(Reason::Binary));
    };
    if let Some(reason) = classify::skipped(path, &text) {
        return bare(path, hash, Outcome::Skipped(reason));
    }
    let mut known = match languages::of_path(path) {
        None => Known { outcome: Outcome::Unsupported, ..bare(path, hash, Outcome::Unsupported) },
        Some(language) => {
            let extract = || (language.extract)(path, text.as_bytes(), PARSE_LIMIT);
            match catch_unwind(AssertUnwindSafe(extract)) {
                Ok(Ok(facts)) => {
                    let partial = facts.flags.has(m1nd_graph::NodeFlags::PARTIAL);
                    let outcome = match (partial, decoding) {
                        (_, Decoding::Lossy) => Outcome::Partial(Reason::NotUtf8),
                        (true, _) => Outcome::Partial(Reason::SyntaxErrors),
                        (false, _) => Outcome::Indexed,
                    };
                    Known { facts: Arc::new(Stored::open(compact(facts))), ..bare(path, hash, outcome) }
                }
                Ok(Err(ParseError::TimedOut(_))) => bare(path, hash, Outcome::Failed(Reason::TimedOut)),
                Ok(Err(ParseError::Grammar(_))) | Err(_) => {
                    bare(path, hash, Outcome::Failed(Reason::Crashed))
                }
            }
        }
    };
    let facts = &mut Arc::make_mut(&mut known.facts).facts;
    facts.flags = facts.flags.with(classify::origin(path, &text));
    facts.lines = facts.lines.max(u32::try_from(text.lines().count()).unwrap_or(u32::MAX));
    if Manifest::is_one(path, &text) {
        known.manifest = Some(Manifest { path: path.to_owned(), text });
    }
    known
}

/// A file of which only the name is known.
fn bare(path: &str, hash: [u8; 32], outcome: Outcome) -> Known {
    let facts = FileFacts { path: path.to_owned(), ..FileFacts::default() };
    Known {
        size: 0,
        modified_ns: 0,
        racy: false,
        hash,
        outcome,
        facts: Arc::new(Stored::open(facts)),
        manifest: None,
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
