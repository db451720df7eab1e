//! Learned: what was said of earlier answers moves the answers to questions like those, and no others.

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::feedback::{FINDS, Find, Gist, lifted, opinions};
use m1nd_recall::seek::{Breakdown, FileHit, Found, Graphed, Hit, Question, Tests};
use m1nd_recall::text::Term;

use super::seek::Request;
use super::text_search::Place;
use crate::ctx::Ctx;
use crate::workspace::Workspace;

/// How deep an answer that was judged is looked for among the others.
const REACH: usize = 200;
/// What a word that the code does not have says.
const UNKNOWN: f32 = 1.0;

/// What is thought of nodes as answers to one question.
pub(super) struct Learned<'a> {
    corpus: &'a Corpus,
    /// In the order of nodes; only those in the scope.
    opinions: Vec<(NodeIx, f32)>,
    /// The same for what the agent is about to work on; lifts what is found, and finds nothing.
    primed: Vec<(NodeIx, f32)>,
}

impl<'a> Learned<'a> {
    pub(super) fn of(
        ctx: &Ctx<'_>,
        workspace: &Workspace,
        graph: &Graph,
        corpus: &'a Corpus,
        query: &str,
        place: &Place,
    ) -> Result<Self, Fault> {
        let weight = telling(corpus);
        let opinions = of_nodes(workspace, graph, query, weight, || Ok(finds(corpus, graph, query)))?;
        let primed = primed(ctx, workspace, graph, query, weight);
        let inside = |node: NodeIx| place.admits(graph.node(node).path());
        let opinions = opinions.into_iter().filter(|&(node, _)| inside(node)).collect();
        Ok(Self { corpus, opinions, primed })
    }

    fn is_silent(&self) -> bool {
        self.opinions.is_empty() && self.primed.is_empty()
    }

    /// How many results to look at for the wanted number to be right.
    pub(super) fn reach(&self, top_k: usize) -> usize {
        if self.is_silent() { top_k } else { top_k.max(REACH) }
    }

    /// Whether a node was confirmed or called wrong as an answer to such a question.
    pub(super) fn said_of(&self, node: NodeIx) -> Option<&'static str> {
        let at = self.opinions.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(if self.opinions[at].1 > 0.0 {
            "confirmed for such a question"
        } else {
            "called wrong for such a question"
        })
    }

    /// Symbols after what was learned. What was called wrong comes last, and is not hidden: it may be right for this question. What
    /// the question is the name of is not lowered at all.
    pub(super) fn judge(
        &self,
        graph: &Graph,
        mut hits: Vec<Hit>,
        named: &[NodeIx],
        kinds: &dyn Fn(NodeKind) -> bool,
        request: &Request<'_>,
    ) -> Vec<Hit> {
        if self.is_silent() {
            return hits;
        }
        for &(node, opinion) in &self.opinions {
            let known = hits.iter().any(|hit| hit.node == node);
            let file = self.corpus.text.file(graph.node(node).path());
            if let Some(file) = file.filter(|_| !known && opinion > 0.0 && kinds(graph.node(node).kind())) {
                hits.push(Hit { node, file, score: 0.0, breakdown: Breakdown::default(), words: Vec::new() });
            }
        }
        let opinion = |hit: &Hit| {
            let opinion = self.opinion(|node| node == hit.node);
            if named.contains(&hit.node) { opinion.max(0.0) } else { opinion }
        };
        rescore(&mut hits, |hit| &mut hit.score, opinion);
        for hit in hits.iter_mut().filter(|hit| opinion(hit) < 0.0) {
            hit.score = hit.score.max(request.min_score);
        }
        // Equal ones stay in the order they came in: what is named or quoted first.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.retain(|hit| hit.score >= request.min_score);
        hits
    }

    /// Files after what was learned of them and of what is in them.
    pub(super) fn judge_files(
        &self,
        graph: &Graph,
        mut hits: Vec<FileHit>,
        request: &Request<'_>,
    ) -> Vec<FileHit> {
        if self.is_silent() {
            return hits;
        }
        for &(node, _) in self.opinions.iter().filter(|(_, opinion)| *opinion > 0.0) {
            let path = graph.node(node).path();
            let known = hits.iter().any(|known| graph.node(known.hit.node).path() == path);
            let found = self.corpus.text.file(path).zip(graph.node_by_path(path)).filter(|_| !known);
            if let Some((file, of_file)) = found {
                let (score, breakdown) = (0.0, Breakdown::default());
                let hit = Hit { node: of_file, file, score, breakdown, words: Vec::new() };
                let symbols = if of_file == node { Vec::new() } else { vec![node] };
                hits.push(FileHit { hit, symbols });
            }
        }
        let opinion = |found: &FileHit| {
            let path = graph.node(found.hit.node).path();
            self.opinion(|node| graph.node(node).path() == path)
        };
        rescore(&mut hits, |found| &mut found.hit.score, opinion);
        hits.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
        hits.retain(|found| found.hit.score >= request.min_score);
        hits
    }

    /// The strongest opinion on the nodes that fit; where one of them is right, wrong others do not matter.
    fn opinion(&self, fits: impl Fn(NodeIx) -> bool) -> f32 {
        let strongest = |of: &[(NodeIx, f32)]| {
            let fitting = of.iter().filter(|(node, _)| fits(*node)).map(|&(_, opinion)| opinion);
            fitting
                .fold(None, |most: Option<f32>, opinion| Some(most.map_or(opinion, |most| most.max(opinion))))
                .unwrap_or(0.0)
        };
        strongest(&self.opinions) + strongest(&self.primed)
    }
}

/// How telling a word is: the fewer files of code have it, the more. It is the same for every tool, so that a lesson is for
/// the same questions in all of them.
pub(super) fn telling(corpus: &Corpus) -> impl Fn(Term) -> f32 + Copy + '_ {
    let files = corpus.text.files().len() as f32;
    move |term: Term| match corpus.text.files_with(term) {
        0 => UNKNOWN,
        with => (1.0 + files / with as f32).ln(),
    }
}

/// What lessons say of the nodes that are still there, in the order of nodes. `finds` is asked only where a lesson has words of
/// the question.
pub(super) fn of_nodes(
    workspace: &Workspace,
    graph: &Graph,
    query: &str,
    weight: impl Fn(Term) -> f32,
    finds: impl FnOnce() -> Result<Vec<Find>, Fault>,
) -> Result<Vec<(NodeIx, f32)>, Fault> {
    let lessons = workspace.lessons();
    let asked = Gist::of(query, Vec::new());
    if !lessons.iter().any(|lesson| asked.likeness(&lesson.gist, &weight) > 0.0) {
        return Ok(Vec::new());
    }
    let asked = Gist::of(query, finds()?);
    let known = opinions(lessons.iter(), &asked, weight);
    let mut known: Vec<(NodeIx, f32)> =
        known.into_iter().filter_map(|(id, opinion)| Some((graph.node_by_id(id)?, opinion))).collect();
    known.sort_unstable_by_key(|&(node, _)| node);
    Ok(known)
}

/// What a question finds first, before anything was learned.
pub(super) fn finds(corpus: &Corpus, graph: &Graph, query: &str) -> Vec<Find> {
    let question = Question {
        query,
        elsewhere: &[],
        top_k: FINDS,
        graph: Graphed::Yes,
        min_score: 0.0,
        tests: Tests::After,
    };
    let found = Found::of(corpus, graph, &question, |_| true).symbols(&|_| true);
    Gist::finds(found.iter().map(|hit| (graph.node(hit.node).id(), hit.score)))
}

/// What the calling agent is about to work on, if the question is about it, in the order of nodes.
pub(super) fn primed(
    ctx: &Ctx<'_>,
    workspace: &Workspace,
    graph: &Graph,
    query: &str,
    weight: impl Fn(Term) -> f32,
) -> Vec<(NodeIx, f32)> {
    let Some(primed) = workspace.primed(ctx.header().caller.name()) else { return Vec::new() };
    let lifts = primed.lifts(query, weight).iter();
    let mut lifts: Vec<(NodeIx, f32)> =
        lifts.filter_map(|(id, lift)| Some((graph.node_by_id(id)?, *lift))).collect();
    lifts.sort_unstable_by_key(|&(node, _)| node);
    lifts
}

/// Lifts and lowers scores, and brings them back under 1 where one went above.
pub(super) fn rescore<T>(hits: &mut [T], score: impl Fn(&mut T) -> &mut f32, opinion: impl Fn(&T) -> f32) {
    let mut best = 0.0_f32;
    for hit in hits.iter_mut() {
        best = best.max(*score(hit));
    }
    // Where nothing was found, a confirmed answer is all there is.
    let best = if best > 0.0 { best } else { 1.0 };
    let mut most = 1.0_f32;
    for hit in hits.iter_mut() {
        let thought = opinion(hit);
        let now = lifted(*score(hit), best, thought);
        *score(hit) = now;
        most = most.max(now);
    }
    hits.iter_mut().for_each(|hit| *score(hit) /= most);
}
