//! Facts: small things that every session of a workspace should have at hand.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_memory::drawers::{Added, Drawer, Drawers, Room, Thing};
use m1nd_memory::refuse_secrets;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::drawers;
use crate::ctx::Ctx;
use crate::faults::from_memory;

const DRAWER: Drawer<'static> = Drawer { kind: "fact", agent: "" };
const ROOM: Room = Room { most: 100, idle_ms: None };
const MAX_KEY: usize = 64;
const MAX_VALUE: usize = 1_000;

/// A fact.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub key: String,
    pub value: String,
    pub set_ms: i64,
}

impl Fact {
    fn of(thing: Thing) -> Self {
        Self { key: thing.key, value: thing.body, set_ms: thing.updated_ms }
    }
}

fn key<'k>(ctx: &Ctx<'_>, key: &'k str) -> Result<&'k str, Fault> {
    let key = key.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    if key.is_empty() || key.len() > MAX_KEY || !key.chars().all(plain) {
        return Err(ctx.invalid(format!("`key` must have 1 to {MAX_KEY} letters, digits or . _ - /")));
    }
    Ok(key)
}

/// Sets a fact, in the place of an earlier one.
pub fn set(ctx: &Ctx<'_>, named: &str, value: &str, allow_sensitive: bool) -> Result<Fact, Fault> {
    let key = key(ctx, named)?;
    let value = value.trim();
    if value.is_empty() || value.len() > MAX_VALUE {
        return Err(ctx.invalid(format!("`value` must have 1 to {MAX_VALUE} bytes.")));
    }
    if !allow_sensitive {
        let refused = |err| from_memory::refusal_in(ctx, &err);
        refuse_secrets("value", value).map_err(refused)?;
    }
    let store = drawers(ctx)?;
    let now = ctx.runtime().clock().now().0;
    let failed = |err| from_memory::store(&err);
    // Another process may set the same fact at the same time; the later one holds.
    while let Some(known) = store.get(DRAWER, key).map_err(failed)? {
        let new = Thing { body: value.to_owned(), ..known };
        if store.replace(DRAWER, &new, now).map_err(failed)? {
            return Ok(Fact::of(Thing { updated_ms: now, ..new }));
        }
    }
    let added = store.add(DRAWER, ROOM, now, &mut |_| (key.to_owned(), value.to_owned()));
    match added.map_err(failed)? {
        Added::Kept(thing) => Ok(Fact::of(thing)),
        Added::Full => Err(Fault::new(
            Code::TooLarge,
            format!("There are {} facts, and no more are kept.", ROOM.most),
            Recovery::call("See which are no longer needed.", ctx.tool(), json!({ "action": "list" })),
        )),
    }
}

pub fn get(ctx: &Ctx<'_>, named: &str) -> Result<Fact, Fault> {
    find(ctx, &*drawers(ctx)?, key(ctx, named)?).map(Fact::of)
}

/// Forgets a fact, and says what it was.
pub fn delete(ctx: &Ctx<'_>, named: &str) -> Result<Fact, Fault> {
    let (store, key) = (drawers(ctx)?, key(ctx, named)?);
    let known = find(ctx, &*store, key)?;
    store.remove(DRAWER, key).map_err(|err| from_memory::store(&err))?;
    Ok(Fact::of(known))
}

/// Every fact, by key.
pub fn all(ctx: &Ctx<'_>) -> Result<Vec<Fact>, Fault> {
    let things = drawers(ctx)?.list(DRAWER).map_err(|err| from_memory::store(&err))?;
    let mut facts: Vec<Fact> = things.into_iter().map(Fact::of).collect();
    facts.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(facts)
}

fn find(ctx: &Ctx<'_>, store: &dyn Drawers, key: &str) -> Result<Thing, Fault> {
    store.get(DRAWER, key).map_err(|err| from_memory::store(&err))?.ok_or_else(|| {
        Fault::new(
            Code::UnknownTarget,
            format!("`key`: no fact is called {key:?}."),
            Recovery::call("List them.", ctx.tool(), json!({ "action": "list" })),
        )
    })
}
