//! Associations: what is made once for the newest graph (names, layers, turbulence, the ledger of its files), and what questions have taught its edges.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::plasticity::{Learned, Plasticity};
use m1nd_risk::layers::Layers;
use m1nd_risk::ledger::Ledger;
use m1nd_vfs::Root;
use parking_lot::Mutex;

use super::defects::Defect;
use super::touches::Touch;
use super::typing;
use super::words::KnownPast;

/// A number for each file that has one.
type ByFile = BTreeMap<NodeIx, f64>;

/// A ledger, and what it was made from.
#[derive(Debug)]
struct OfPast {
    graph: Weak<Graph>,
    past: Weak<KnownPast>,
    defects: Weak<Vec<Defect>>,
    touches: Weak<Vec<Touch>>,
    ledger: Arc<Ledger>,
}

/// Made on first need, and again for each graph that is asked about.
#[derive(Debug, Default)]
pub(super) struct Associations {
    names: Mutex<Option<(Weak<Graph>, Arc<Names>)>>,
    layers: Mutex<Option<(Weak<Graph>, Arc<Layers>)>>,
    turbulence: Mutex<Option<(Weak<Graph>, Arc<ByFile>)>>,
    ledger: Mutex<Option<OfPast>>,
    plasticity: Mutex<Plasticity>,
}

impl Associations {
    pub(super) fn names(&self, graph: &Arc<Graph>) -> Arc<Names> {
        once(&self.names, graph, || Names::of(graph))
    }

    /// The layers of all files.
    pub(super) fn layers(&self, root: &Root, graph: &Arc<Graph>) -> Arc<Layers> {
        once(&self.layers, graph, || typing::layers(root, graph, |_| true))
    }

    /// What was found of this very graph, if anything was.
    pub(super) fn turbulence(&self, graph: &Arc<Graph>) -> Option<Arc<ByFile>> {
        let kept = self.turbulence.lock();
        let (of, found) = kept.as_ref()?;
        is(of, graph).then(|| Arc::clone(found))
    }

    pub(super) fn note_turbulence(&self, graph: &Arc<Graph>, found: Arc<ByFile>) {
        *self.turbulence.lock() = Some((Arc::downgrade(graph), found));
    }

    /// What the past says of the files of this very graph; made where it is not known yet.
    pub(super) fn ledger(
        &self,
        graph: &Arc<Graph>,
        past: &Arc<KnownPast>,
        (defects, touches): (&Arc<Vec<Defect>>, &Arc<Vec<Touch>>),
        make: impl FnOnce() -> Ledger,
    ) -> Arc<Ledger> {
        let mut kept = self.ledger.lock();
        if let Some(kept) = &*kept
            && is(&kept.graph, graph)
            && is(&kept.past, past)
            && is(&kept.defects, defects)
            && is(&kept.touches, touches)
        {
            return Arc::clone(&kept.ledger);
        }
        let ledger = Arc::new(make());
        *kept = Some(OfPast {
            graph: Arc::downgrade(graph),
            past: Arc::downgrade(past),
            defects: Arc::downgrade(defects),
            touches: Arc::downgrade(touches),
            ledger: Arc::clone(&ledger),
        });
        ledger
    }

    pub(super) fn learn(&self, graph: &Graph, active: &[(NodeIx, f32)]) -> Learned {
        self.plasticity.lock().learn(graph, active)
    }
}

/// What was made of this very graph; made now where it is not kept.
fn once<T>(
    kept: &Mutex<Option<(Weak<Graph>, Arc<T>)>>,
    graph: &Arc<Graph>,
    make: impl FnOnce() -> T,
) -> Arc<T> {
    let mut kept = kept.lock();
    if let Some((of, made)) = &*kept
        && is(of, graph)
    {
        return Arc::clone(made);
    }
    let made = Arc::new(make());
    *kept = Some((Arc::downgrade(graph), Arc::clone(&made)));
    made
}

/// Whether something is the very thing that was kept.
fn is<T>(kept: &Weak<T>, one: &Arc<T>) -> bool {
    std::ptr::eq(kept.as_ptr(), Arc::as_ptr(one))
}
