//! Twins: files of one name in several trees of a repository, of which whoever used one does not mean the other.

use m1nd_graph::Graph;
use m1nd_graph::near::{folder, is_around, nearness};

/// Parts that the ends of two paths must share.
const ALIKE: usize = 2;

/// Whether a file stood beside the one that went all the time, as the copy of it in another tree: who used the one that went is
/// nearer to that and does not mean the copy.
pub fn is_twin(before: &Graph, from: &str, gone: &str, now: &str) -> bool {
    let alike = gone.rsplit('/').zip(now.rsplit('/')).take_while(|(one, other)| one == other).count();
    gone != now
        && alike >= ALIKE
        && before.node_by_path(now).is_some()
        && (nearness(from, folder(gone)) > nearness(from, folder(now)) || is_around(from, gone, now))
}
