//! Navigate: walks, trails and locks of the calling agent, kept in the workspace's store.

pub mod facts;
pub mod locks;
pub mod perspectives;
pub mod trails;

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Graph, NodeIx};
use m1nd_memory::drawers::{Added, Drawer, Drawers, Room, Thing};
use m1nd_stdx::digest::short_name;
use m1nd_store::{RamStore, SqliteStore};
use m1nd_vfs::{RelPath, read};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::slice::MAX_FILE_BYTES;
use crate::ctx::Ctx;
use crate::faults::{self, from_memory};

/// Times that a change is tried again after somebody else was first.
const TRIES: usize = 8;

/// A kind of thing that agents keep.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// In the store, and before the number in an id.
    pub name: &'static str,
    /// In words.
    pub called: &'static str,
    /// The tool that lists them.
    pub lister: &'static str,
    /// What to do when no more are kept.
    pub way_out: &'static str,
    pub room: Room,
    /// Whether the whole workspace shares them.
    pub shared: bool,
}

/// A node as answers name it.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Spot {
    pub node_id: String,
    /// path:first-last
    pub at: String,
}

impl Spot {
    pub fn of(graph: &Graph, node: NodeIx) -> Self {
        let node = graph.node(node);
        let at = match node.lines() {
            (0, _) => node.path().to_owned(),
            (first, last) if first == last => format!("{}:{first}", node.path()),
            (first, last) => format!("{}:{first}-{last}", node.path()),
        };
        Self { node_id: node.id().to_owned(), at }
    }
}

/// The drawers of the workspace. A question about a workspace where nothing was remembered is answered from nothing.
pub fn drawers(ctx: &Ctx<'_>) -> Result<Arc<dyn Drawers>, Fault> {
    let workspace = ctx.workspace()?;
    let (entry, _) = ctx.runtime().registry().entry(ctx.tool()).ok_or_else(|| ctx.invalid("no such tool"))?;
    if entry.spec.effect.read_only() && !workspace.has_memory() {
        return Ok(Arc::new(RamStore::new()));
    }
    let store: Arc<SqliteStore> = workspace.memory().map_err(|err| from_memory::store(&err))?;
    Ok(store)
}

/// How many walks and locks are open in the workspace.
pub fn open(ctx: &Ctx<'_>) -> Result<(usize, usize), Fault> {
    let store = drawers(ctx)?;
    let count = |kind: Kind| store.count(kind.name).map_err(|err| from_memory::store(&err));
    Ok((count(perspectives::WALKS)?, count(locks::LOCKS)?))
}

/// What is kept of one kind by the calling agent.
pub struct Shelf<'c> {
    ctx: &'c Ctx<'c>,
    kind: Kind,
    store: Arc<dyn Drawers>,
}

impl<'c> Shelf<'c> {
    pub fn of(ctx: &'c Ctx<'c>, kind: Kind) -> Result<Self, Fault> {
        Ok(Self { ctx, kind, store: drawers(ctx)? })
    }

    fn drawer(&self) -> Drawer<'_> {
        let agent = if self.kind.shared { "" } else { self.ctx.header().caller.name() };
        Drawer { kind: self.kind.name, agent }
    }

    fn now(&self) -> i64 {
        self.ctx.runtime().clock().now().0
    }

    /// Keeps something new under the next id.
    pub fn add<T: Serialize>(&self, make: impl Fn(String) -> T) -> Result<T, Fault> {
        let id = |number: u64| format!("{}_{number}", self.kind.name);
        let mut key = String::new();
        let added = self.store.add(self.drawer(), self.kind.room, self.now(), &mut |number| {
            key = id(number);
            let body = serde_json::to_string(&make(key.clone())).unwrap_or_default();
            (key.clone(), body)
        });
        match added.map_err(|err| from_memory::store(&err))? {
            Added::Kept(thing) => Ok(make(thing.key)),
            Added::Full => Err(Fault::new(
                Code::TooLarge,
                match self.kind.shared {
                    true => {
                        format!(
                            "The workspace has {} {}, and no more are kept.",
                            self.kind.room.most, self.kind.called
                        )
                    }
                    false => {
                        format!(
                            "You have {} {} open, and no more are kept.",
                            self.kind.room.most, self.kind.called
                        )
                    }
                },
                Recovery::call(self.kind.way_out, self.kind.lister, json!({})),
            )),
        }
    }

    pub fn get<T: DeserializeOwned>(&self, argument: &str, id: &str) -> Result<T, Fault> {
        let thing = self.find(argument, id)?;
        self.read(&thing)
    }

    /// Changes something; `change` may be asked again when another process was first.
    pub fn change<T: DeserializeOwned + Serialize, R>(
        &self,
        argument: &str,
        id: &str,
        mut change: impl FnMut(&mut T) -> Result<R, Fault>,
    ) -> Result<(T, R), Fault> {
        for _ in 0..TRIES {
            let mut thing = self.find(argument, id)?;
            let mut value: T = self.read(&thing)?;
            let told = change(&mut value)?;
            thing.body = serde_json::to_string(&value).unwrap_or_default();
            let kept = self.store.replace(self.drawer(), &thing, self.now());
            if kept.map_err(|err| from_memory::store(&err))? {
                return Ok((value, told));
            }
        }
        Err(Fault::new(
            Code::Busy,
            format!("{id} is being changed by somebody else."),
            Recovery::hint("Call again in a moment."),
        ))
    }

    /// Those that were touched last, first, each with when that was.
    pub fn all<T: DeserializeOwned>(&self) -> Result<Vec<(T, i64)>, Fault> {
        let things = self.store.list(self.drawer()).map_err(|err| from_memory::store(&err))?;
        things.iter().map(|thing| Ok((self.read(thing)?, thing.updated_ms))).collect()
    }

    pub fn remove(&self, argument: &str, id: &str) -> Result<(), Fault> {
        self.find(argument, id)?;
        self.store.remove(self.drawer(), id).map_err(|err| from_memory::store(&err)).map(|_| ())
    }

    fn find(&self, argument: &str, id: &str) -> Result<Thing, Fault> {
        let found = self.store.get(self.drawer(), id.trim()).map_err(|err| from_memory::store(&err))?;
        found.ok_or_else(|| {
            let said = &id[..id.floor_char_boundary(60)];
            Fault::new(
                Code::UnknownTarget,
                format!("`{argument}`: you have no {said:?} here."),
                Recovery::call(format!("List your {}.", self.kind.called), self.kind.lister, json!({})),
            )
        })
    }

    fn read<T: DeserializeOwned>(&self, thing: &Thing) -> Result<T, Fault> {
        serde_json::from_str(&thing.body).map_err(|err| {
            Fault::new(
                Code::Storage,
                format!("{} cannot be read: {err}.", thing.key),
                Recovery::call("See what else is there.", self.kind.lister, json!({})),
            )
        })
    }
}

/// Texts of nodes as they are today, each file read once.
pub struct Texts<'c> {
    ctx: &'c Ctx<'c>,
    files: BTreeMap<String, Option<Vec<String>>>,
}

impl<'c> Texts<'c> {
    pub fn new(ctx: &'c Ctx<'c>) -> Self {
        Self { ctx, files: BTreeMap::new() }
    }

    /// A short name of the lines that a node stands on; of its signature where it is no file's.
    pub fn hash(&mut self, graph: &Graph, node: NodeIx) -> Option<String> {
        let node = graph.node(node);
        if node.path().is_empty() || node.language().is_empty() && node.lines().1 == 0 {
            return Some(short_name(node.signature().as_bytes(), 16));
        }
        let (first, last) = node.lines();
        let lines = self.file(node.path())?;
        let held = match first {
            0 => lines,
            _ => lines.get(first as usize - 1..(last as usize).min(lines.len()))?,
        };
        Some(short_name(held.join("\n").as_bytes(), 16))
    }

    fn file(&mut self, path: &str) -> Option<&[String]> {
        let ctx = self.ctx;
        let read = || {
            let root = ctx.workspace().ok()?.root();
            let place: RelPath = root.locate(path).ok()?;
            let file = read::text(root, &place, MAX_FILE_BYTES).ok()?;
            Some(file.text.lines().map(str::to_owned).collect())
        };
        self.files.entry(path.to_owned()).or_insert_with(read).as_deref()
    }
}

/// A node that a caller names, by its id.
pub fn named(ctx: &Ctx<'_>, graph: &Graph, argument: &str, name: &str) -> Result<String, Fault> {
    let node = faults::from_graph::find(ctx.workspace()?.root(), graph, argument, name)?;
    Ok(graph.node(node).id().to_owned())
}
