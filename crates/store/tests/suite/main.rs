//! The behaviour of memory, on every store.

// All of this is a test; `unwrap` is how a test says that something must be there.
#![allow(clippy::unwrap_used)]

mod branches;
mod briefs;
mod budgets;
mod cards;
mod drawers;
mod far_down;
mod first_use;
mod given_up;
mod graphs;
mod histories;
mod looked_again;
mod merge_rule;
mod merges;
mod missions;
mod notes;
mod opening;
mod processes;
mod properties;
mod said_again;
mod settled;
mod superseded;
mod task_histories;
mod tasks;
mod transfer;
mod two_agents;
mod urgent;
mod warnings;
mod world;
