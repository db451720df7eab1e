//! Epidemic: where a defect is likely to show next, as an infection that travels over coupling between files.
//!
//! A file is susceptible, infected (has the defect's consequences and nobody knows) or recovered (mended). In each step an
//! infected file infects one that is coupled to it with probability beta times the coupling, and then recovers with probability
//! gamma. What depends on an infected file catches it, not what that file depends on; files that changed together catch it from
//! each other.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_recall::engines::ways::certainty;
use m1nd_recall::place;

use crate::blast::DEPENDS;

/// As if there had been so many more commits that changed the file alone: few commits say little of what goes together.
const UNSEEN: f64 = 2.0;

/// Runs that say how many files are infected in all; fewer of them say too little.
const MAX_RUNS: f64 = 20_000.0;
const LEAST_RUNS: u32 = 200;
/// Dice that are rolled for it: about a tenth of a second.
const MAX_ROLLS: f64 = 5_000_000.0;
const DICE: u64 = 1;

/// How an infection travels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Infection over a coupling of 1, in one step.
    pub beta: f64,
    /// Recovery in one step.
    pub gamma: f64,
    pub steps: u32,
}

/// How strongly files are coupled, in the direction of infection.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    files: Vec<NodeIx>,
    at: BTreeMap<NodeIx, usize>,
    /// For each file, which others it infects and how strong the coupling is.
    to: Vec<Vec<(usize, f64)>>,
}

/// What leads from one file to another.
#[derive(Clone, Copy, Debug, Default)]
struct Tie {
    /// Places where the second depends on the first, each counting its strength.
    strength: f64,
    together: f64,
}

/// A way from a file to one that may catch it, as if that one never had anything.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: usize,
    into: usize,
    /// The chance to infect in one step.
    hit: f64,
    /// The way in the other direction.
    back: Option<usize>,
    /// That nothing came by it so far.
    spared: f64,
    /// That the file before it is infected and nothing came by it.
    ready: f64,
    /// That the file before it never was infected.
    well: f64,
    /// How much came by it.
    blame: f64,
}

impl Way {
    /// One step of infection.
    fn pass(&mut self, susceptible: f64) {
        let came = self.hit * self.ready;
        if self.spared > 0.0 {
            self.blame += susceptible * came / self.spared;
        }
        self.spared = (self.spared - came).max(0.0);
    }

    /// What the file before it has become; `well` is that it still never was infected.
    fn go_on(&mut self, well: f64, rates: &Rates) {
        self.ready = (1.0 - self.hit) * (1.0 - rates.gamma) * self.ready + (self.well - well).max(0.0);
        self.well = well;
    }
}

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    pub file: NodeIx,
    /// That it was ever infected.
    pub probability: f64,
    /// The file that it most likely came from, and how strongly both are coupled.
    pub from: NodeIx,
    pub coupling: f64,
}

/// What became of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outbreak {
    /// The most likely first, without the files it began with.
    pub cases: Vec<Case>,
    /// Files that are expected to be infected, beside those it began with.
    pub expected: f64,
    /// Infected files at the end of each step, first of all at the beginning.
    pub curve: Vec<f64>,
    /// How many others each of the first files infects itself, on the mean, until it recovers.
    pub r0: f64,
}

impl Coupling {
    /// Between the program's own files: 1 - (1 - relation)(1 - together). `relation` is the share of the user's dependencies
    /// that lead to the other file, each place counting the strength of its relation. `together` is the share of the one's
    /// commits that changed the other too.
    pub fn of(graph: &Graph) -> Self {
        let is_own = |node: &m1nd_graph::Node<'_>| {
            node.kind() == NodeKind::File
                && !node.language().is_empty()
                && !node.flags().has(NodeFlags::TEST_CODE)
                && !place::is_beside(node.path())
        };
        let files: Vec<NodeIx> = graph.nodes().filter(is_own).map(|node| node.ix()).collect();
        let at: BTreeMap<NodeIx, usize> = files.iter().enumerate().map(|(at, &node)| (node, at)).collect();
        let by_path: BTreeMap<&str, usize> =
            files.iter().enumerate().map(|(at, &node)| (graph.node(node).path(), at)).collect();
        let mut places = vec![0.0; files.len()];
        let mut ties: BTreeMap<(usize, usize), Tie> = BTreeMap::new();
        for edge in graph.edges() {
            let is_together = edge.kind == EdgeKind::CoChanges;
            if !is_together && !DEPENDS.contains(&edge.kind) {
                continue;
            }
            let file = |node: NodeIx| by_path.get(graph.node(node).path()).copied();
            let Some((source, target)) = file(edge.source).zip(file(edge.target)) else { continue };
            if source == target {
                continue;
            }
            if is_together {
                let commits = graph.node(edge.source).history().map_or(0.0, |past| f64::from(past.commits));
                let share = f64::from(edge.base_weight.get()) * commits / (commits + UNSEEN);
                ties.entry((source, target)).or_default().together = share.clamp(0.0, 1.0);
            } else {
                // A user catches what the file that it uses has. A guess among several counts as a part of a place.
                let count = edge.lines.len().max(1) as f64 * f64::from(certainty(&edge));
                places[source] += count;
                let strength = f64::from(edge.kind.causal_strength());
                ties.entry((target, source)).or_default().strength += count * strength;
            }
        }
        let mut to = vec![Vec::new(); files.len()];
        for ((from, into), tie) in ties {
            let relation = if tie.strength > 0.0 { tie.strength / places[into] } else { 0.0 };
            to[from].push((into, 1.0 - (1.0 - relation) * (1.0 - tie.together)));
        }
        Self { files, at, to }
    }

    /// Whether a file can have or catch anything.
    pub fn knows(&self, file: NodeIx) -> bool {
        self.at.contains_key(&file)
    }

    /// Whether anything is coupled to one of these files, and so can catch something from it.
    pub fn leads_on(&self, files: &[NodeIx]) -> bool {
        files.iter().filter_map(|file| self.at.get(file)).any(|&at| !self.to[at].is_empty())
    }

    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// What is expected. Along each way it is counted how likely the file before it is infected and has not infected the one after
    /// it, as if that one never had the infection: nobody is infected back by whom it infected. That is exact where the coupled files
    /// form a tree. Where there are circles all ways share the luck of the first steps, which no way by itself can see: there some
    /// runs, always the same, say how many files are infected in all, and each file has its share of them.
    pub fn expect(&self, seeds: &[NodeIx], rates: &Rates) -> Outbreak {
        let seeded = self.seeded(seeds);
        let start: Vec<f64> = seeded.iter().map(|&is| f64::from(u8::from(!is))).collect();
        let mut susceptible = start.clone();
        let mut infected: Vec<f64> = start.iter().map(|well| 1.0 - well).collect();
        let mut curve = vec![infected.iter().sum()];
        let mut ways = self.ways(&start, rates);
        let into = self.into(&ways);
        let mut rolls = 0.0;
        for _ in 0..rates.steps {
            rolls += infected.iter().zip(&self.to).map(|(have, to)| have * to.len() as f64).sum::<f64>();
            for way in &mut ways {
                way.pass(susceptible[way.into]);
            }
            for at in 0..start.len() {
                let left = start[at] * into[at].iter().map(|&way| ways[way].spared).product::<f64>();
                infected[at] = infected[at] * (1.0 - rates.gamma) + susceptible[at] - left;
                susceptible[at] = left;
            }
            for at in 0..ways.len() {
                let (from, back) = (ways[at].from, ways[at].back.map(|back| ways[back].spared));
                let without = match back {
                    None => susceptible[from],
                    Some(spared) if spared > 0.0 => susceptible[from] / spared,
                    // What cannot be divided away is left out.
                    Some(_) => {
                        let others = into[from].iter().filter(|&&way| Some(way) != ways[at].back);
                        start[from] * others.map(|&way| ways[way].spared).product::<f64>()
                    }
                };
                ways[at].go_on(without, rates);
            }
            curve.push(infected.iter().sum());
        }
        let mut ever: Vec<f64> = susceptible.iter().map(|left| 1.0 - left).collect();
        let runs = (MAX_ROLLS / rolls.max(1.0)).min(MAX_RUNS) as u32;
        if runs >= LEAST_RUNS && self.has_circle(&ever) {
            let all: f64 = ever.iter().zip(&start).map(|(ever, start)| ever * start).sum();
            let share = self.simulate(seeds, rates, runs, DICE).expected / all;
            ever.iter_mut()
                .zip(&seeded)
                .filter(|(_, seeded)| !**seeded)
                .for_each(|(ever, _)| *ever *= share.min(1.0));
        }
        let mut blame = self.blameless();
        for (blame, way) in blame.iter_mut().flatten().zip(&ways) {
            *blame = way.blame;
        }
        self.outbreak(&seeded, &ever, &blame, curve, rates)
    }

    /// Whether files that may be infected are coupled in a circle of three or more.
    fn has_circle(&self, ever: &[f64]) -> bool {
        let mut above: Vec<usize> = (0..ever.len()).collect();
        let mut joined = Vec::new();
        for (from, to) in self.to.iter().enumerate().filter(|&(from, _)| ever[from] > 0.0) {
            joined.extend(to.iter().map(|&(into, _)| (from.min(into), from.max(into))));
        }
        joined.sort_unstable();
        joined.dedup();
        for (one, other) in joined {
            let (one, other) = (top(&mut above, one), top(&mut above, other));
            if one == other {
                return true;
            }
            above[one] = other;
        }
        false
    }

    /// All ways of infection, in the order of the files that they lead from.
    fn ways(&self, start: &[f64], rates: &Rates) -> Vec<Way> {
        let first: Vec<usize> =
            self.to.iter().scan(0, |sum, ways| Some(std::mem::replace(sum, *sum + ways.len()))).collect();
        let mut ways = Vec::new();
        for (from, to) in self.to.iter().enumerate() {
            for &(into, coupling) in to {
                let back = self.to[into].binary_search_by_key(&from, |&(other, _)| other).ok();
                ways.push(Way {
                    from,
                    into,
                    hit: rates.beta * coupling,
                    back: back.map(|at| first[into] + at),
                    spared: 1.0,
                    ready: 1.0 - start[from],
                    well: start[from],
                    blame: 0.0,
                });
            }
        }
        ways
    }

    /// For each file the ways that lead to it.
    fn into(&self, ways: &[Way]) -> Vec<Vec<usize>> {
        let mut into = vec![Vec::new(); self.files.len()];
        for (at, way) in ways.iter().enumerate() {
            into[way.into].push(at);
        }
        into
    }

    /// What happened in `runs` runs, on the mean. The same seed gives the same answer.
    pub fn simulate(&self, seeds: &[NodeIx], rates: &Rates, runs: u32, seed: u64) -> Outbreak {
        let seeded = self.seeded(seeds);
        let mut dice = Dice(seed);
        let mut times = vec![0_u32; self.files.len()];
        let mut curve = vec![0.0; rates.steps as usize + 1];
        let mut blame = self.blameless();
        for _ in 0..runs {
            let mut ill: Vec<usize> = (0..seeded.len()).filter(|&at| seeded[at]).collect();
            let mut was = seeded.clone();
            curve[0] += ill.len() as f64;
            for infected in &mut curve[1..] {
                let mut next = Vec::new();
                for &from in &ill {
                    for (&(into, coupling), blame) in self.to[from].iter().zip(&mut blame[from]) {
                        if !was[into] && dice.roll() < rates.beta * coupling {
                            was[into] = true;
                            *blame += 1.0;
                            next.push(into);
                        }
                    }
                }
                ill.retain(|_| dice.roll() >= rates.gamma);
                ill.append(&mut next);
                *infected += ill.len() as f64;
            }
            for (times, was) in times.iter_mut().zip(was) {
                *times += u32::from(was);
            }
        }
        let mean = |sum: f64| sum / f64::from(runs.max(1));
        let ever: Vec<f64> = times.into_iter().map(|times| mean(f64::from(times))).collect();
        let curve = curve.into_iter().map(mean).collect();
        self.outbreak(&seeded, &ever, &blame, curve, rates)
    }

    fn seeded(&self, seeds: &[NodeIx]) -> Vec<bool> {
        let mut seeded = vec![false; self.files.len()];
        for at in seeds.iter().filter_map(|seed| self.at.get(seed)) {
            seeded[*at] = true;
        }
        seeded
    }

    /// For each way of infection, how much came by it.
    fn blameless(&self) -> Vec<Vec<f64>> {
        self.to.iter().map(|ways| vec![0.0; ways.len()]).collect()
    }

    fn outbreak(
        &self,
        seeded: &[bool],
        ever: &[f64],
        blame: &[Vec<f64>],
        curve: Vec<f64>,
        rates: &Rates,
    ) -> Outbreak {
        let mut from: Vec<Option<(f64, usize, f64)>> = vec![None; self.files.len()];
        for (source, ways) in self.to.iter().enumerate() {
            for (&(into, coupling), &share) in ways.iter().zip(&blame[source]) {
                if share > 0.0 && from[into].is_none_or(|(known, ..)| share > known) {
                    from[into] = Some((share, source, coupling));
                }
            }
        }
        let mut cases: Vec<Case> = Vec::new();
        for at in (0..ever.len()).filter(|&at| !seeded[at] && ever[at] > 0.0) {
            if let Some((_, source, coupling)) = from[at] {
                let (file, from) = (self.files[at], self.files[source]);
                cases.push(Case { file, probability: ever[at], from, coupling });
            }
        }
        cases.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.file.cmp(&b.file)));
        let expected = cases.iter().map(|case| case.probability).sum();
        let first: Vec<usize> = (0..seeded.len()).filter(|&at| seeded[at]).collect();
        let each = |coupling: f64| {
            let hit = rates.beta * coupling;
            // Each step it may infect, and then recover: the chance that the first comes before the second.
            let either = 1.0 - (1.0 - hit) * (1.0 - rates.gamma);
            if either > 0.0 { hit / either } else { 0.0 }
        };
        let sum: f64 = first.iter().flat_map(|&at| &self.to[at]).map(|&(_, coupling)| each(coupling)).sum();
        Outbreak { cases, expected, curve, r0: sum / first.len().max(1) as f64 }
    }
}

/// The first of those that a file is joined with.
fn top(above: &mut [usize], mut at: usize) -> usize {
    while above[at] != at {
        above[at] = above[above[at]];
        at = above[at];
    }
    at
}

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct Dice(u64);

impl Dice {
    /// From 0 to 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, graph};

    /// `b` and `c` import `a` (0.5); `d` imports `b`; `a` imports `e`.
    const FILES: &str =
        "b.rs imports a.rs\nc.rs imports a.rs\nd.rs imports b.rs\na.rs imports e.rs\nf.rs imports g.rs\n";

    fn rates(steps: u32) -> Rates {
        Rates { beta: 0.4, gamma: 0.5, steps }
    }

    #[test]
    fn users_catch_it_and_what_is_used_does_not() {
        let graph = graph(FILES);
        let coupling = Coupling::of(&graph);
        let one = coupling.expect(&[at(&graph, "a.rs")], &rates(1));
        let names: Vec<&str> = one.cases.iter().map(|case| graph.node(case.file).id()).collect();
        assert_eq!(names, ["b.rs", "c.rs"]);
        // 0.4 * 0.5 each; half of the first has recovered.
        assert!(one.cases.iter().all(|case| (case.probability - 0.2).abs() < 1e-6), "{one:?}");
        assert!((one.expected - 0.4).abs() < 1e-6);
        assert!((one.curve[1] - 0.9).abs() < 1e-6 && one.curve[0] == 1.0);
        // 0.2 before recovery: 0.2 / (1 - 0.8 * 0.5) = 1/3, for two users.
        assert!((one.r0 - 2.0 / 3.0).abs() < 1e-6, "{}", one.r0);
        // In the second step b is infected by half an a: 0.2 + 0.8 * 0.1; d by b: 0.2 * 0.2.
        let two = coupling.expect(&[at(&graph, "a.rs")], &rates(2));
        let of = |name: &str| {
            two.cases.iter().find(|case| case.file == at(&graph, name)).map(|case| case.probability)
        };
        assert!((of("b.rs").unwrap() - 0.28).abs() < 1e-6);
        assert!((of("d.rs").unwrap() - 0.04).abs() < 1e-6);
        let from = |name: &str| two.cases.iter().find(|case| case.file == at(&graph, name)).unwrap().from;
        assert_eq!((from("b.rs"), from("d.rs")), (at(&graph, "a.rs"), at(&graph, "b.rs")));
        assert_eq!((of("e.rs"), of("f.rs")), (None, None));
    }

    #[test]
    fn runs_agree_with_what_is_expected_and_with_each_other() {
        let graph = graph(FILES);
        let coupling = Coupling::of(&graph);
        let seeds = [at(&graph, "a.rs")];
        let (one, same) = (
            coupling.simulate(&seeds, &rates(2), 20_000, 7),
            coupling.simulate(&seeds, &rates(2), 20_000, 7),
        );
        assert_eq!(one, same);
        // b catches it in the first step, or in the second when a has not recovered: 0.2 + 0.8 * 0.5 * 0.2.
        let b = one.cases.iter().find(|case| case.file == at(&graph, "b.rs")).unwrap();
        assert!((b.probability - 0.28).abs() < 0.015, "{}", b.probability);
    }

    /// How far what is expected is from what runs give: of all files together, and at most of one.
    fn apart(text: &str, from: &str, rates: &Rates) -> (f64, f64) {
        let graph = graph(text);
        let coupling = Coupling::of(&graph);
        let seeds = [at(&graph, from)];
        let (told, ran) = (coupling.expect(&seeds, rates), coupling.simulate(&seeds, rates, 100_000, 3));
        let of = |outbreak: &Outbreak, file| {
            outbreak.cases.iter().find(|case| case.file == file).map_or(0.0, |case| case.probability)
        };
        let each = told.cases.iter().map(|case| (case.probability - of(&ran, case.file)).abs());
        (told.expected - ran.expected, each.fold(0.0, f64::max))
    }

    #[test]
    fn on_a_tree_what_is_expected_is_what_runs_give() {
        // Neighbours use each other, so that each could be infected back by whom it infected.
        let tree = "a.rs imports b.rs\nb.rs imports a.rs\nb.rs imports c.rs\nc.rs imports b.rs\nb.rs imports d.rs\nd.rs imports b.rs\nd.rs imports e.rs\ne.rs imports d.rs\n";
        for (beta, gamma, steps) in [(0.3, 0.3, 5), (0.9, 0.1, 20), (1.0, 0.0, 4)] {
            let (all, most) = apart(tree, "a.rs", &Rates { beta, gamma, steps });
            // Of 100,000 runs three times the standard error of a share is at most 0.005.
            assert!(all.abs() < 0.01 && most < 0.005, "{beta} {gamma} {steps}: {all} {most}");
        }
    }

    #[test]
    fn in_circles_what_is_expected_is_near_to_what_runs_give() {
        let circle = "a.rs imports b.rs\nb.rs imports a.rs\nb.rs imports c.rs\nc.rs imports b.rs\nc.rs imports a.rs\na.rs imports c.rs\nd.rs imports c.rs\nc.rs imports d.rs\nd.rs imports a.rs\n";
        let (all, most) = apart(circle, "a.rs", &Rates { beta: 0.3, gamma: 0.3, steps: 5 });
        assert!(all.abs() < 0.02 && most < 0.01, "{all} {most}");
    }

    #[test]
    fn where_all_are_coupled_with_all_the_luck_of_the_first_steps_is_shared() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let pairs = names.iter().flat_map(|one| names.iter().map(move |other| (one, other)));
        let lines = pairs.filter(|(one, other)| one != other);
        let all: String = lines.map(|(one, other)| format!("{one}.rs imports {other}.rs\n")).collect();
        let (all, most) = apart(&all, "a.rs", &Rates { beta: 0.9, gamma: 0.3, steps: 12 });
        assert!(all.abs() < 0.15 && most < 0.02, "{all} {most}");
    }

    #[test]
    fn coupling_is_the_share_of_what_a_file_depends_on() {
        // Of three places in u two lead to a: a call (0.9) and an import (0.5); a guess among two is half a place.
        let graph = graph(
            "u calls a\nu imports a\nu calls b\nv calls a ?2\nv calls b\nu.rs contains u\nv.rs contains v\na.rs contains a\nb.rs contains b\n",
        );
        let coupling = Coupling::of(&graph);
        let of = |from: &str, into: &str| {
            let at = |name: &str| coupling.at[&at(&graph, name)];
            coupling.to[at(from)].iter().find(|(to, _)| *to == at(into)).map(|&(_, strength)| strength)
        };
        assert!((of("a.rs", "u.rs").unwrap() - 1.4 / 3.0).abs() < 1e-6);
        assert!((of("a.rs", "v.rs").unwrap() - 0.45 / 1.5).abs() < 1e-6);
        assert_eq!(of("u.rs", "a.rs"), None);
    }

    #[test]
    fn nothing_comes_from_nothing() {
        let graph = graph(FILES);
        let none = Coupling::of(&graph).expect(&[], &rates(5));
        assert_eq!((none.cases.len(), none.expected, none.r0), (0, 0.0, 0.0));
    }
}
