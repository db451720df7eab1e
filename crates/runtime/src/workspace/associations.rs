//! Associations: what is made once for the newest graph (names, turbulence, the ledger of its files), and what questions have taught its edges.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::plasticity::{Learned, Plasticity};
use m1nd_risk::ledger::Ledger;
use parking_lot::Mutex;

use super::defects::Defect;
use super::words::KnownPast;

/// A number for each file that has one.
type ByFile = BTreeMap<NodeIx, f64>;

/// A ledger, and the graph and history it was made from.
type OfPast = (Weak<Graph>, Weak<KnownPast>, Weak<Vec<Defect>>, Arc<Ledger>);

/// Made on first need, and again for each graph that is asked about.
#[derive(Debug, Default)]
pub(super) struct Associations {
    names: Mutex<Option<(Weak<Graph>, Arc<Names>)>>,
    turbulence: Mutex<Option<(Weak<Graph>, Arc<ByFile>)>>,
    ledger: Mutex<Option<OfPast>>,
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

    /// What was found of this very graph, if anything was.
    pub(super) fn turbulence(&self, graph: &Arc<Graph>) -> Option<Arc<ByFile>> {
        let kept = self.turbulence.lock();
        let (of, found) = kept.as_ref()?;
        std::ptr::eq(of.as_ptr(), Arc::as_ptr(graph)).then(|| Arc::clone(found))
    }

    pub(super) fn note_turbulence(&self, graph: &Arc<Graph>, found: Arc<ByFile>) {
        *self.turbulence.lock() = Some((Arc::downgrade(graph), found));
    }

    /// What the past says of the files of this very graph; made where it is not known yet.
    pub(super) fn ledger(
        &self,
        graph: &Arc<Graph>,
        past: &Arc<KnownPast>,
        defects: &Arc<Vec<Defect>>,
        make: impl FnOnce() -> Ledger,
    ) -> Arc<Ledger> {
        let mut kept = self.ledger.lock();
        if let Some((of, by, told, ledger)) = &*kept
            && std::ptr::eq(told.as_ptr(), Arc::as_ptr(defects))
            && std::ptr::eq(of.as_ptr(), Arc::as_ptr(graph))
            && std::ptr::eq(by.as_ptr(), Arc::as_ptr(past))
        {
            return Arc::clone(ledger);
        }
        let ledger = Arc::new(make());
        let told = Arc::downgrade(defects);
        *kept = Some((Arc::downgrade(graph), Arc::downgrade(past), told, Arc::clone(&ledger)));
        ledger
    }

    pub(super) fn learn(&self, graph: &Graph, active: &[(NodeIx, f32)]) -> Learned {
        self.plasticity.lock().learn(graph, active)
    }
}
