//! Random histories of branches, notes and graphs.

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub enum Action {
    Fork { from: usize },
    Note { on: usize },
    MergeNotes { from: usize, into: usize, limit: i64 },
    PutNode { on: usize, id: usize, value: usize },
    DropNode { on: usize, id: usize },
    PutEdge { on: usize, from: usize, to: usize, value: usize },
    DropEdge { on: usize, from: usize, to: usize },
    MergeGraph { from: usize, limit: i64 },
    Settle { which: usize, from: bool },
}

fn action() -> impl Strategy<Value = Action> {
    let some = 0..64_usize;
    let id = 0..5_usize;
    prop_oneof![
        2 => some.clone().prop_map(|from| Action::Fork { from }),
        3 => some.clone().prop_map(|on| Action::Note { on }),
        3 => (some.clone(), some.clone(), 1..5_i64)
            .prop_map(|(from, into, limit)| Action::MergeNotes { from, into, limit }),
        6 => (some.clone(), id.clone(), 0..3_usize).prop_map(|(on, id, value)| Action::PutNode { on, id, value }),
        2 => (some.clone(), id.clone()).prop_map(|(on, id)| Action::DropNode { on, id }),
        4 => (some.clone(), id.clone(), id.clone(), 0..2_usize)
            .prop_map(|(on, from, to, value)| Action::PutEdge { on, from, to, value }),
        1 => (some.clone(), id.clone(), id).prop_map(|(on, from, to)| Action::DropEdge { on, from, to }),
        4 => (some.clone(), 1..5_i64).prop_map(|(from, limit)| Action::MergeGraph { from, limit }),
        2 => (some, any::<bool>()).prop_map(|(which, from)| Action::Settle { which, from }),
    ]
}

pub fn history(max: usize) -> impl Strategy<Value = Vec<Action>> {
    prop::collection::vec(action(), 1..max)
}

/// Two branches that change the same few keys, merge often and settle mostly by refusing.
pub fn quarrel(max: usize) -> impl Strategy<Value = Vec<Action>> {
    let (on, id) = (0..2_usize, 0..3_usize);
    let action = prop_oneof![
        4 => (on.clone(), id.clone(), 0..2_usize).prop_map(|(on, id, value)| Action::PutNode { on, id, value }),
        2 => (on.clone(), id.clone()).prop_map(|(on, id)| Action::DropNode { on, id }),
        3 => (on.clone(), id.clone(), id.clone(), 0..2_usize)
            .prop_map(|(on, from, to, value)| Action::PutEdge { on, from, to, value }),
        2 => (on, id.clone(), id).prop_map(|(on, from, to)| Action::DropEdge { on, from, to }),
        4 => (1..5_i64).prop_map(|limit| Action::MergeGraph { from: 1, limit }),
        4 => (0..64_usize, 0..4_usize).prop_map(|(which, how)| Action::Settle { which, from: how == 0 }),
    ];
    let common = (0..3_usize).map(|id| Action::PutNode { on: 0, id, value: 0 });
    let common: Vec<Action> = common.chain([Action::Fork { from: 0 }]).collect();
    prop::collection::vec(action, 4..max).prop_map(move |then| [common.clone(), then].concat())
}
