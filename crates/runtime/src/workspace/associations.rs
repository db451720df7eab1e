//! Associations: the index of names of the newest graph, and what questions have taught its edges.

use std::sync::{Arc, Weak};

use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::plasticity::{Learned, Plasticity};
use parking_lot::Mutex;

/// Made on first need, and again for each graph that is asked about.
#[derive(Debug, Default)]
pub(super) struct Associations {
    names: Mutex<Option<(Weak<Graph>, Arc<Names>)>>,
    plasticity: Mutex<Plasticity>,
}

impl Associations {
    pub(super) fn names(&self, graph: &Arc<Graph>) -> Arc<Names> {
        let mut kept = self.names.lock();
        if let Some((of, names)) = &*kept
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(graph))
        {
            return Arc::clone(names);
        }
        let names = Arc::new(Names::of(graph));
        *kept = Some((Arc::downgrade(graph), Arc::clone(&names)));
        names
    }

    pub(super) fn learn(&self, graph: &Graph, active: &[(NodeIx, f32)]) -> Learned {
        self.plasticity.lock().learn(graph, active)
    }
}
