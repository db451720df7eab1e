//! Known: what is known of a workspace besides its graph: its words, its past, and what was said of it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::plasticity::Learned;
use m1nd_recall::feedback::{Find, Lesson, Primed};
use m1nd_risk::layers::Layers;
use m1nd_risk::ledger::Ledger;
use m1nd_stdx::cancel::{CancelToken, Stop};

use super::{Antibody, AntibodyError, Defect, KnownPast, Touch, Workspace, WorkspaceView, typing};

impl Workspace {
    /// What questions in words are put to: the words of a view's files, their past, and how they are related.
    pub fn corpus(
        &self,
        view: &WorkspaceView,
        graph: &Graph,
        cancel: &CancelToken,
    ) -> Result<Arc<Corpus>, Stop> {
        self.words.of(&self.root, view, graph, cancel)
    }

    /// The newest commits, with the files that each touched; as many as there is time to read.
    pub fn past(&self, cancel: &CancelToken) -> Result<Arc<KnownPast>, Stop> {
        self.words.past_so_far(&self.root, cancel)
    }

    /// How many commits the last corpus knew, where the history was not read to its end yet.
    pub fn commits_so_far(&self) -> Option<usize> {
        self.words.commits_so_far()
    }

    /// The layers of all files of a graph; made once for it.
    pub fn layers(&self, graph: &Arc<Graph>) -> Arc<Layers> {
        self.associations.layers(&self.root, graph)
    }

    /// The layers of some of its files alone.
    pub fn layers_within(&self, graph: &Graph, within: impl Fn(&str) -> bool) -> Layers {
        typing::layers(&self.root, graph, within)
    }

    /// How turbulent the files of a graph are, if that was found before.
    pub fn turbulence(&self, graph: &Arc<Graph>) -> Option<Arc<BTreeMap<NodeIx, f64>>> {
        self.associations.turbulence(graph)
    }

    /// Keeps it until the next graph.
    pub fn note_turbulence(&self, graph: &Arc<Graph>, found: Arc<BTreeMap<NodeIx, f64>>) {
        self.associations.note_turbulence(graph, found);
    }

    /// What the past says of the files of a graph; made once for both.
    pub fn ledger(
        &self,
        graph: &Arc<Graph>,
        past: &Arc<KnownPast>,
        told: (&Arc<Vec<Defect>>, &Arc<Vec<Touch>>),
        make: impl FnOnce() -> Ledger,
    ) -> Arc<Ledger> {
        self.associations.ledger(graph, past, told, make)
    }

    /// What the nodes of a graph are called.
    pub fn names(&self, graph: &Arc<Graph>) -> Arc<Names> {
        self.associations.names(graph)
    }

    /// Lets edges grow between nodes that a question activated together.
    pub fn learn_from(&self, graph: &Graph, active: &[(NodeIx, f32)]) -> Learned {
        self.associations.learn(graph, active)
    }

    /// What was said of earlier answers.
    pub fn lessons(&self) -> Arc<Vec<Lesson>> {
        self.lessons.all()
    }

    /// Writes down what was said of some nodes as answers to a question that finds these.
    pub fn add_lessons(&self, query: &str, finds: &[Find], nodes: &[&str], amount: f32) -> io::Result<()> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.lessons.add(query, finds, nodes, amount)
    }

    /// Defects that were told of its files, oldest first.
    pub fn defects(&self) -> Arc<Vec<Defect>> {
        self.defects.all()
    }

    /// Writes down defects that were told of files.
    pub fn add_defects(&self, defects: &[Defect]) -> io::Result<()> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.defects.add(defects)
    }

    /// Edits of its files through m1nd, oldest first.
    pub fn touches(&self) -> Arc<Vec<Touch>> {
        self.touches.all()
    }

    /// Writes down that files were edited.
    pub fn add_touch(&self, touch: &Touch) -> io::Result<()> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.touches.add(touch)
    }

    /// Patterns of bugs that were confirmed here.
    pub fn antibodies(&self) -> io::Result<Vec<Antibody>> {
        self.antibodies.all()
    }

    /// Keeps one more, or puts it in the place of another.
    pub fn add_antibody(
        &self,
        antibody: Antibody,
        replaces: Option<&str>,
    ) -> Result<Antibody, AntibodyError> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.antibodies.add(antibody, replaces)
    }

    /// What an agent said it is about to work on.
    pub fn primed(&self, agent: &str) -> Option<Arc<Primed>> {
        self.priming.of(agent)
    }

    /// Replaces that, or takes it back.
    pub fn prime(&self, agent: &str, primed: Option<Primed>) {
        self.priming.set(agent, primed);
    }
}
