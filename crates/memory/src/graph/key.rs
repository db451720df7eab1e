//! What identifies an edge, as tools show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{GraphNodeId, Relation};

/// The identity of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeKey {
    pub from: GraphNodeId,
    pub rel: Relation,
    pub to: GraphNodeId,
}
