//! Knowledge graphs: versioned nodes and edges on branches.

mod apply;
mod cause;
mod conflicts;
mod diff;
mod dispute;
mod edges;
mod key;
mod marks;
mod merge;
mod place;
mod query;
mod resolve;
mod since;
mod state;
mod supersede;
mod validate;
mod view;

pub use apply::{Applied, GraphApplyOutput, GraphApplyRequest, GraphOp, OpName, apply};
pub(crate) use apply::{delete_node, live};
pub use conflicts::{
    Conflict, ConflictLine, ConflictShowOutput, ConflictShowRequest, ConflictsOutput, ConflictsRequest,
    conflict_show, conflicts,
};
pub use diff::{Change, ChangeKind, GraphDiffOutput, GraphDiffRequest, diff};
pub(crate) use dispute::conflict_id_in;
pub use key::EdgeKey;
pub use marks::derive_marks;
pub(crate) use marks::derive_marks_of;
pub use merge::{GraphMergeOutput, GraphMergeRequest, merge};
pub use query::{GraphQueryOutput, GraphQueryRequest, query};
pub(crate) use resolve::superseded_by;
pub use resolve::{ConflictResolveOutput, ConflictResolveRequest, Resolution, resolve};
pub use state::{Edge, Node};
pub(crate) use state::{same, same_body};
pub(crate) use supersede::{SUPERSEDES, refuse_circle};
pub(crate) use validate::dangling_edges;
pub use validate::{GraphStats, GraphValidateOutput, GraphValidateRequest, ValidateError, validate};
pub(crate) use view::GraphView;
