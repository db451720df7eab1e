//! Unseen: whether a batch may break what is only looked at when somebody asks for it.

use std::collections::BTreeMap;

use m1nd_edit::Plan;
use m1nd_graph::{Graph, NodeKind};
use m1nd_ingest::revision::{Change, Changed};

use super::super::imports::Imports;
use super::checks::{Checked, FileSymbols};
use super::shown::old;

/// What is said then.
pub(super) const WORDS: &str = "Fields, re-exports, contracts and imports that others lost by this were not looked for; `verify: graph` does that.";

/// Whether something went that others may have by another way than by its name, or something came that others must have.
pub(super) fn may_matter(after: &Graph, plan: &Plan, checked: &Checked) -> bool {
    let went = |one: &Changed| one.change == Change::Removed || !one.lost.is_empty();
    let is_lost =
        |imports: &Imports| imports.old.iter().any(|was| imports.new.iter().all(|now| !now.is_same(was)));
    checked.symbols.iter().any(|file| {
        file.changed.iter().any(|one| went(one) || is_demand(after, file, one))
            || file.is_outside && says_less(plan, file)
    }) || checked.imports.values().any(is_lost)
        || plan.files.iter().any(|file| file.from.is_some())
}

/// Whether a method came that other types have to have.
fn is_demand(after: &Graph, file: &FileSymbols, one: &Changed) -> bool {
    if one.change != Change::Added || one.kind != NodeKind::Method {
        return false;
    }
    let Some(method) = after.node_at(&file.path, one.line) else { return false };
    let Some(owner) = after.owner(method).map(|ix| after.node(ix)) else { return false };
    let says = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "abstract");
    let is_open = matches!(owner.kind(), NodeKind::Trait | NodeKind::Interface);
    let is_marked = |tag: &str| tag.contains("abstract");
    is_open
        || says(after.node(method).signature())
        || after.node(method).tags().any(is_marked)
        || says_abstract_above(after, method)
}

/// Whether a class of Python is one whose methods may be abstract.
fn says_abstract_above(after: &Graph, method: m1nd_graph::NodeIx) -> bool {
    let owner = after.owner(method).map(|ix| after.node(ix).signature()).unwrap_or_default();
    owner.contains("ABC") || owner.contains("Protocol")
}

/// Whether a word outside of all definitions is said less often than before: an export, a name that is handed on.
fn says_less(plan: &Plan, file: &FileSymbols) -> bool {
    let Some(changed) = plan.files.iter().find(|one| one.path == file.path) else { return false };
    let (was, Some(now)) = (old(&plan.files, changed).1.unwrap_or_default(), &changed.after) else {
        return false;
    };
    let mut count: BTreeMap<&[u8], i64> = BTreeMap::new();
    for (text, by) in [(was, 1), (&now.bytes[..], -1)] {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        for word in text.split(|byte| !is_letter(byte)) {
            if word.first().is_some_and(|first| !first.is_ascii_digit()) {
                *count.entry(word).or_default() += by;
            }
        }
    }
    count.values().any(|left| *left > 0)
}
