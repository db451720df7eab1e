//! Which files can tell that others were edited.
//!
//! Files that mention the name of what changed can see it, and what those files offer in turn changes only where
//! it rests on such a name. Following names finds too many files, never too few; where names are not enough
//! (imports of everything, packages) or lead too far, everything is resolved again.

mod importers;
mod mentioned;
mod naming;

use std::cell::OnceCell;
use std::rc::Rc;

use importers::ScriptTexts;
use mentioned::MentionedBy;
use naming::{has_far_modules, is_crate_root};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::Graph;

use crate::affected::{Changed, Depth, Outer, Seen, names_of};
use crate::facts::{DefKind, FileFacts, Import, ImportAll, Name};
use crate::interface::{self, Item, What};
use crate::languages;
use crate::manifest::folder;
use crate::resolve::MAX_SAME;
use crate::resolve::eval::Eval;
use crate::resolve::index::Index;
use crate::resolve::program::{GName, Place, Program};
use crate::resolve::rules::Rules;

/// With more files than this to look at, and more than a share of all, all are resolved again: that costs several times as much
/// in a workspace of thousands of files.
const MAX_FILES: usize = 250;
const MAX_SHARE: usize = 8;
/// A member that so few files mention is followed to all of them, whether they can come by it or not.
const FEW_FILES: usize = 8;
/// Longer chains of things that rest on each other are not followed.
const MAX_ROUNDS: usize = 40;

/// What has to be done again.
#[derive(Debug)]
pub(crate) struct Found {
    /// Files to resolve, by position and sorted, the edited ones among them.
    pub files: Vec<u32>,
    /// Whether routes may answer elsewhere; then all files that have any are among the files.
    pub routes: bool,
}

/// The files that have to be resolved again; nothing when
/// that is nearly as much as resolving all. `last` is the graph before the edits, whose imports still hold.
///
/// `came` are those among the edited files that were not there before. Positions of `edits` from the number of files on stand for the files that are `gone`.
pub(crate) fn files(
    program: &Program<'_>,
    rules: &[&dyn Rules],
    edits: &[(u32, Vec<Changed>)],
    came: &[u32],
    gone: &[&FileFacts],
    last: &Graph,
) -> Option<Found> {
    let all = || program.files.iter().chain(gone);
    let edited = edits.iter().map(|(file, _)| *file).filter(|&file| (file as usize) < program.files.len());
    let edited: FxHashSet<u32> = edited.collect();
    let mut spread = Spread {
        program,
        facts: &program.files,
        index: program.index,
        last,
        families: languages::families(all().copied()),
        gone,
        mentioned_by: MentionedBy::of(program.index),
        names: Front::default(),
        hits: Vec::new(),
        groups: Vec::new(),
        group_of: FxHashMap::default(),
        found: edited.clone(),
        edited,
        items: FxHashMap::default(),
        importers: FxHashMap::default(),
        init_importers: OnceCell::new(),
        imports: FxHashMap::default(),
        script_texts: OnceCell::new(),
        script_imports: FxHashMap::default(),
        eval: Eval::new(program, rules),
        traits: traits(program, edits),
        has_far_modules: has_far_modules(program),
        max_files: MAX_FILES.max(program.files.len() / MAX_SHARE),
        routes: false,
    };
    let names =
        edits.iter().flat_map(|(_, changed)| changed).filter_map(|changed| program.find_name(&changed.name));
    spread.mentioned_by.prepare(&names.collect::<Vec<GName>>());
    for (file, changed) in edits {
        changed.iter().for_each(|changed| spread.add(*file, changed));
    }
    let gone = (program.files.len() as u32..).take(gone.len());
    for file in came.iter().copied().chain(gone) {
        spread.script_module(file)?;
        spread.routes |= spread.is_routed(file);
        spread.go_package(file);
    }
    for _ in 0..MAX_ROUNDS {
        if spread.is_done() {
            if spread.routes {
                spread
                    .found
                    .extend((0..).zip(spread.facts).filter(|(_, file)| file.has_routes()).map(|(at, _)| at));
            }
            let routes = spread.routes;
            let mut found: Vec<u32> = spread.found.into_iter().collect();
            found.sort_unstable();
            return Some(Found { files: found, routes });
        }
        spread.round()?;
    }
    None
}

struct Spread<'s> {
    program: &'s Program<'s>,
    facts: &'s [&'s FileFacts],
    index: &'s Index,
    /// Files that are no more, whose positions come after all others.
    gone: &'s [&'s FileFacts],
    last: &'s Graph,
    families: Vec<&'static str>,
    mentioned_by: MentionedBy<'s>,
    /// What is known to lead elsewhere.
    names: Front,
    /// Members that files were found to mention and to come by, not followed yet.
    hits: Vec<(u32, GName, Purpose)>,
    /// Members that are found through something.
    groups: Vec<Group>,
    group_of: FxHashMap<(GName, Origin), usize>,
    found: FxHashSet<u32>,
    /// Files that came or say something else than before.
    edited: FxHashSet<u32>,
    items: FxHashMap<u32, Vec<Item>>,
    /// Files that import a file, or name it, as far as that was asked for.
    importers: FxHashMap<u32, Vec<u32>>,
    init_importers: OnceCell<Vec<u32>>,
    /// What an import of some text in a folder of scripts means.
    imports: FxHashMap<(&'s str, GName), Option<Place>>,
    /// What scripts import, by what the texts say; made when it is first needed.
    script_texts: OnceCell<ScriptTexts<'s>>,
    /// The imports of scripts that mean a file, as far as that was asked for.
    script_imports: FxHashMap<u32, Rc<[(u32, u32)]>>,
    eval: Eval<'s, 's>,
    /// Names that traits of ours have, or may have had.
    traits: FxHashSet<GName>,
    /// Whether files say by path which files their modules are.
    has_far_modules: bool,
    /// More files are not followed.
    max_files: usize,
    /// Whether routes may answer elsewhere.
    routes: bool,
}

/// A name, and the one file in which it is looked up, or its family.
type Lead = (GName, Origin);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    Family(&'static str),
    /// In the file and in those that import it.
    File(u32),
    /// In the file alone.
    Own(u32),
}

/// Names that were reached, and those among them that were not followed yet.
#[derive(Default)]
struct Front {
    known: FxHashMap<Lead, Depth>,
    fresh: Vec<(Lead, Depth)>,
}

impl Front {
    fn add(&mut self, lead: Lead, depth: Depth) {
        let known = self.known.get(&lead).copied();
        if known.is_none_or(|known| known < depth) {
            self.known.insert(lead, depth);
            self.fresh.push((lead, depth));
        }
    }
}

/// Members of one thing, and the names by which files come by that thing.
struct Group {
    /// With what to do about a file that comes by the thing and mentions the member.
    members: FxHashMap<GName, Vec<Purpose>>,
    carriers: Front,
    /// Files that were reached by a carrier.
    reached: FxHashSet<u32>,
    family: &'static str,
}

/// What a member means for a file that can find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// It leads elsewhere.
    Changed,
    /// By it the file comes by what another group is about.
    Carrier(usize),
}

/// Why it is asked what rests on some names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rests {
    /// They lead elsewhere.
    OnWhatChanged,
    /// Files come by something through them.
    OnCarriers,
}

/// What of a file was reached: names, and how much of what they lead to changed.
type Reached = FxHashMap<u32, FxHashMap<GName, Depth>>;

impl<'s> Spread<'s> {
    fn is_done(&self) -> bool {
        self.names.fresh.is_empty()
            && self.hits.is_empty()
            && self.groups.iter().all(|group| group.carriers.fresh.is_empty())
    }

    fn add(&mut self, file: u32, changed: &Changed) {
        if changed.seen == Seen::Routes {
            self.routes = true;
            return;
        }
        // A name that no file mentions leads nobody anywhere.
        let Some(name) = self.index.find_name(&changed.name) else { return };
        let family = self.families[file as usize];
        match &changed.seen {
            Seen::Everywhere => self.names.add((name, Origin::Family(family)), changed.depth),
            Seen::ByImporters => {
                let origin = self.origin(file);
                self.names.add((name, origin), changed.depth);
            }
            Seen::Here => self.names.add((name, Origin::Own(file)), changed.depth),
            Seen::Routes => {}
            Seen::Guessed => self.guessed(name, family),
            Seen::IfOurs(of_trait) => {
                if self.index.find_name(of_trait).is_some_and(|of_trait| self.traits.contains(&of_trait)) {
                    self.names.add((name, Origin::Family(family)), changed.depth);
                }
            }
            Seen::Through(outer, from) => {
                // In its own file a member may be found without naming what it belongs to.
                self.names.add((name, Origin::Own(file)), Depth::Details);
                let origin = self.outer_origin(file, *from);
                if let Some(outer) = self.index.find_name(outer) {
                    self.add_member(name, (outer, origin), family, Purpose::Changed);
                }
            }
        }
    }

    /// From where what stands at the top of a file is looked up.
    fn origin(&self, file: u32) -> Origin {
        let family = self.families[file as usize];
        let is_by_file = match family {
            "rust" => !self.has_far_modules && !is_crate_root(self.program, self.path(file)),
            _ => true,
        };
        if is_by_file { Origin::File(file) } else { Origin::Family(family) }
    }

    /// Calls on values of which nothing is known lead to every method of a name while those are few.
    fn guessed(&mut self, name: GName, family: &'static str) {
        // There may have been fewer before: those of other files at least.
        let others =
            self.index.methods(name).iter().filter(|def| !self.edited.contains(&self.program.file_of(**def)));
        if others.take(MAX_SAME + 1).count() <= MAX_SAME {
            let found: Vec<u32> = self.mentioning(family, name).collect();
            self.found.extend(found);
        }
    }

    fn add_member(&mut self, member: GName, carrier: Lead, family: &'static str, purpose: Purpose) {
        let groups = &mut self.groups;
        let at = *self.group_of.entry(carrier).or_insert_with(|| {
            let mut carriers = Front::default();
            carriers.add(carrier, Depth::Details);
            let (members, reached) = (FxHashMap::default(), FxHashSet::default());
            groups.push(Group { members, carriers, reached, family });
            groups.len() - 1
        });
        let purposes = groups[at].members.entry(member).or_default();
        if !purposes.contains(&purpose) {
            purposes.push(purpose);
            let group = &self.groups[at];
            let hits = self.mentioning(family, member).filter(|file| group.reached.contains(file));
            let hits: Vec<(u32, GName, Purpose)> = hits.map(|file| (file, member, purpose)).collect();
            self.hits.extend(hits);
        }
    }

    /// Follows the names that are new: who mentions them, and what of theirs rests on them.
    fn round(&mut self) -> Option<()> {
        let fresh = std::mem::take(&mut self.names.fresh);
        let (reached, passed) = self.reach(fresh);
        passed.into_iter().for_each(|(lead, depth)| self.names.add(lead, depth));
        self.found.extend(reached.keys());
        self.read_items(reached.keys().copied())?;
        for (file, names) in reached {
            self.rest(file, &names)?;
        }
        for at in 0..self.groups.len() {
            if !self.groups[at].carriers.fresh.is_empty() {
                self.follow(at)?;
            }
        }
        let mut changed = Reached::default();
        for (file, member, purpose) in std::mem::take(&mut self.hits) {
            match purpose {
                Purpose::Carrier(group) => {
                    self.groups[group].carriers.add((member, Origin::Own(file)), Depth::Details)
                }
                Purpose::Changed => {
                    changed.entry(file).or_default().insert(member, Depth::Details);
                }
            }
        }
        self.found.extend(changed.keys());
        self.read_items(changed.keys().copied())?;
        for (file, names) in changed {
            self.rest(file, &names)?;
        }
        Some(())
    }

    /// What of a file rests on some names leads elsewhere too.
    fn rest(&mut self, file: u32, names: &FxHashMap<GName, Depth>) -> Option<()> {
        for (what, depth) in self.resting(file, names, Rests::OnWhatChanged) {
            for changed in self.names_of(file, what, depth)? {
                self.add(file, &changed);
            }
        }
        Some(())
    }

    /// Follows the names by which files come by the members of a group.
    fn follow(&mut self, at: usize) -> Option<()> {
        let group = &mut self.groups[at];
        let (family, fresh) = (group.family, std::mem::take(&mut group.carriers.fresh));
        let members: Vec<GName> = group.members.keys().copied().collect();
        self.mentioned_by.prepare(&members);
        let mut mentioning: Vec<u32> =
            members.iter().flat_map(|name| self.mentioning(family, *name)).collect();
        mentioning.sort_unstable();
        mentioning.dedup();
        if mentioning.iter().all(|file| self.groups[at].reached.contains(file)) {
            return Some(());
        }
        let are_few = mentioning.len() <= FEW_FILES;
        let (reached, passed) = if are_few { Default::default() } else { self.reach(fresh) };
        let is_wide = are_few || self.groups[at].reached.len() + reached.len() > self.max_files;
        // Where there is no telling who can come by them, whoever mentions them may.
        let files: Vec<u32> = if is_wide { mentioning } else { reached.keys().copied().collect() };
        let group = &mut self.groups[at];
        for file in files {
            if group.reached.insert(file) {
                for (member, purposes) in &group.members {
                    if self.mentioned_by.is_in(file, *member) {
                        self.hits.extend(purposes.iter().map(|purpose| (file, *member, *purpose)));
                    }
                }
            }
        }
        if is_wide {
            return Some(());
        }
        passed.into_iter().for_each(|(lead, depth)| group.carriers.add(lead, depth));
        self.read_items(reached.keys().copied())?;
        for (file, names) in reached {
            for (what, depth) in self.resting(file, &names, Rests::OnCarriers) {
                for changed in self.names_of(file, what, depth)? {
                    let Some(name) = self.index.find_name(&changed.name) else { continue };
                    let origin = match &changed.seen {
                        Seen::ByImporters => self.origin(file),
                        Seen::Everywhere | Seen::IfOurs(_) => Origin::Family(family),
                        Seen::Here => Origin::Own(file),
                        Seen::Through(outer, from) => {
                            let outer = self.index.find_name(outer);
                            let origin = self.outer_origin(file, *from);
                            if let Some(outer) = outer {
                                self.add_member(name, (outer, origin), family, Purpose::Carrier(at));
                            }
                            Origin::Own(file)
                        }
                        Seen::Guessed | Seen::Routes => continue,
                    };
                    self.groups[at].carriers.add((name, origin), Depth::Details);
                }
            }
        }
        Some(())
    }

    fn outer_origin(&self, file: u32, from: Outer) -> Origin {
        match from {
            Outer::Everywhere => Origin::Family(self.families[file as usize]),
            Outer::ByImporters => self.origin(file),
        }
    }

    fn names_of(&self, file: u32, what: What, depth: Depth) -> Option<Vec<Changed>> {
        names_of(self.facts[file as usize], what, depth)
    }

    /// Files of a family that mention a name.
    fn mentioning(&self, family: &str, name: GName) -> impl Iterator<Item = u32> {
        let files = self.mentioned_by.of_name(name).into_iter();
        files.filter(move |file| self.families[*file as usize] == family)
    }

    /// The files that mention some names where those can be looked up, and the names that imports of everything
    /// pass on.
    fn reach(&mut self, fresh: Vec<(Lead, Depth)>) -> (Reached, Vec<(Lead, Depth)>) {
        let mut reached = Reached::default();
        let mut passed = Vec::new();
        let count = self.facts.len();
        let names: Vec<GName> = fresh
            .iter()
            .filter(|(lead, _)| !matches!(lead.1, Origin::Own(_)))
            .map(|(lead, _)| lead.0)
            .collect();
        self.mentioned_by.prepare(&names);
        let add = |reached: &mut Reached, file: u32, name: GName, depth: Depth| {
            if file as usize >= count {
                return;
            }
            let known = reached.entry(file).or_default().entry(name).or_insert(depth);
            *known = depth.max(*known);
        };
        for ((name, origin), depth) in fresh {
            match origin {
                Origin::Family(family) => {
                    self.mentioning(family, name).for_each(|file| add(&mut reached, file, name, depth));
                }
                // Names of a file mean the same in the file itself.
                Origin::Own(file) => add(&mut reached, file, name, depth),
                Origin::File(file) => {
                    add(&mut reached, file, name, depth);
                    let is_whole = self.index.text(name) == "module.exports";
                    // A name that nobody else mentions leads nobody else anywhere, whoever passes it on.
                    if !is_whole && self.mentioned_by.of_name(name).iter().all(|&other| other == file) {
                        continue;
                    }
                    for importer in self.importers(file) {
                        // What a file stands for as a whole has the name that each importer gives it.
                        if is_whole {
                            let meant: Vec<u32> = self.script_imports(importer, file).collect();
                            for at in meant {
                                let bind = self.facts[importer as usize].imports[at as usize].bind;
                                add(&mut reached, importer, self.program.name(importer, bind), depth);
                            }
                        }
                        // What it imports as a whole it may pass on without a word.
                        if self.passes_on(importer, file, depth) {
                            passed.push(((name, Origin::File(importer)), depth));
                        }
                        if self.mentioned_by.is_in(importer, name) {
                            add(&mut reached, importer, name, depth);
                        }
                    }
                }
            }
        }
        (reached, passed)
    }

    /// Whether a file passes on what it imports as a whole. A module is passed on with the package it is in.
    fn passes_on(&self, importer: u32, file: u32, depth: Depth) -> bool {
        let facts = self.facts[importer as usize];
        let outer = folder(self.path(file)).rsplit('/').next().unwrap_or("");
        // `module.exports = require("./x")` binds no name either.
        let is_whole = |import: &&Import| {
            import.all == ImportAll::Yes || (import.exported && facts.text(import.bind).is_empty())
        };
        facts.imports.iter().filter(is_whole).any(|import| {
            let is_of_package = || import.path.last().is_none_or(|&last| facts.text(last) == outer);
            depth != Depth::Module || is_of_package()
        })
    }

    /// Makes sure that it is known what files offer; nothing when those are too many.
    fn read_items(&mut self, files: impl Iterator<Item = u32>) -> Option<()> {
        if self.found.len() > self.max_files {
            return None;
        }
        let missing: Vec<u32> = files.filter(|file| !self.items.contains_key(file)).collect();
        if self.items.len() + missing.len() > 2 * self.max_files {
            return None;
        }
        let read: Option<Vec<(u32, Vec<Item>)>> = missing
            .par_iter()
            .map(|&file| {
                let items = interface::items(self.facts[file as usize], self.program.inside(file));
                Some((file, items?))
            })
            .collect();
        self.items.extend(read?);
        Some(())
    }

    /// What a file offers that rests on one of some names, and how much of it changes with them.
    fn resting(&self, file: u32, names: &FxHashMap<GName, Depth>, rests: Rests) -> Vec<(What, Depth)> {
        // Each name of the file is looked up once, however often it is mentioned.
        let local: Vec<Option<Depth>> =
            self.index.mentions(file).iter().map(|name| names.get(name).copied()).collect();
        let facts = self.facts[file as usize];
        let by_file = matches!(self.families[file as usize], "python" | "script");
        let rests = |item: &Item| {
            // Another object than before is no other member, but whoever comes by a member comes by the object.
            let held = if rests == Rests::OnCarriers { &item.held[..] } else { &[] };
            let depth = |name: &Name| local[name.0 as usize];
            let modules = item.modules.iter().filter_map(depth).filter(|depth| *depth == Depth::Module);
            let hit = item.mentions.iter().chain(held).filter_map(depth).chain(modules).max();
            match item.what {
                What::File | What::Routes => None,
                // What an import of everything brings is found by the names of its own; where the files are
                // the modules, those are the names that came or went with the file.
                What::Import(at) if facts.imports[at as usize].all == ImportAll::Yes => {
                    hit.filter(|depth| *depth >= Depth::Whole && !(by_file && *depth == Depth::Module))
                }
                _ => hit,
            }
            .map(|depth| (item.what, told_depth(facts, item.what, depth)))
        };
        self.items[&file].iter().filter_map(rests).collect()
    }
}

/// The names of all traits, and of whatever was edited: it may have been one.
fn traits(program: &Program<'_>, edits: &[(u32, Vec<Changed>)]) -> FxHashSet<GName> {
    let mut found: FxHashSet<GName> = FxHashSet::default();
    let edited = edits.iter().flat_map(|(_, changed)| changed);
    found.extend(edited.filter_map(|changed| program.find_name(&changed.name)));
    for (file, facts) in (0..).zip(&program.files).filter(|(_, facts)| facts.language == "rust") {
        let traits = facts.defs.iter().filter(|def| def.kind == DefKind::Trait);
        found.extend(traits.map(|def| program.name(file, def.name)));
    }
    found
}

/// How much of a thing changes when something that it rests on does.
fn told_depth(facts: &FileFacts, what: What, depth: Depth) -> Depth {
    match what {
        What::Def(ix) if !matches!(facts.def(ix).kind, DefKind::TypeAlias | DefKind::Constant) => {
            Depth::Details
        }
        What::Field(..) => Depth::Details,
        _ => depth.min(Depth::Whole),
    }
}
