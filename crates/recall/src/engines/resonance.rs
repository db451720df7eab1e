//! Resonance: where waves from a place add up, and where they cancel.
//!
//! A pulse turns by an eighth at each step, splits over the edges ahead, comes back from a dead end turned round, and is
//! in part thrown back by hubs. What meets itself in step stands; what meets itself out of step falls silent.

use std::collections::VecDeque;
use std::f32::consts::{PI, TAU};

use m1nd_graph::NodeIx;
use rustc_hash::FxHashMap;

use super::Active;
use super::names::Names;

const MAX_PULSES: usize = 50_000;
/// How far a wave turns at each step.
const TURN: f32 = TAU / 8.0;
/// A node with so many times the edges of the mean throws waves back.
const HUB: f32 = 4.0;
const REFLECTED: f32 = 0.3;
/// A weaker pulse is over.
const SILENCE: f32 = 0.01;
/// What a pulse keeps at each step.
const KEEPS: f32 = 0.8;

#[derive(Clone, Copy)]
struct Pulse {
    node: NodeIx,
    from: Option<NodeIx>,
    amplitude: f32,
    phase: f32,
}

/// What stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// How strongly each node sounds, in the order of nodes.
    pub amplitudes: Active,
    pub pulses: usize,
    /// Whether the pulses ended before the waves did.
    pub cut: bool,
}

/// Lets waves run from the seeds.
pub fn resonate(names: &Names, seeds: &[(NodeIx, f32)]) -> Standing {
    let mut sums: FxHashMap<NodeIx, (f32, f32)> = FxHashMap::default();
    let start = |&(node, amplitude): &(NodeIx, f32)| Pulse { node, from: None, amplitude, phase: 0.0 };
    let mut queue: VecDeque<Pulse> = seeds.iter().map(start).collect();
    let mut pulses = 0;
    while let Some(pulse) = queue.pop_front() {
        if pulses == MAX_PULSES {
            queue.push_front(pulse);
            break;
        }
        pulses += 1;
        let sum = sums.entry(pulse.node).or_default();
        sum.0 += pulse.amplitude * pulse.phase.cos();
        sum.1 += pulse.amplitude * pulse.phase.sin();
        send_on(names, pulse, &mut queue);
    }
    let loud = |(real, imaginary): (f32, f32)| real.hypot(imaginary);
    let mut amplitudes: Active = sums.into_iter().map(|(node, sum)| (node, loud(sum))).collect();
    amplitudes.retain(|&(_, amplitude)| amplitude >= SILENCE);
    amplitudes.sort_unstable_by_key(|&(node, _)| node);
    Standing { amplitudes, pulses, cut: !queue.is_empty() }
}

fn send_on(names: &Names, pulse: Pulse, queue: &mut VecDeque<Pulse>) {
    let mut add = |node: NodeIx, amplitude: f32, phase: f32| {
        if amplitude >= SILENCE {
            queue.push_back(Pulse { node, from: Some(pulse.node), amplitude, phase });
        }
    };
    let onward: Vec<(NodeIx, f32)> =
        steps(names, pulse.node).filter(|&(other, _)| Some(other) != pulse.from).collect();
    let phase = pulse.phase + TURN;
    let Some(from) = pulse.from else {
        let share = KEEPS * pulse.amplitude / (onward.len() as f32).sqrt();
        onward.into_iter().for_each(|(other, strength)| add(other, share * strength, phase));
        return;
    };
    if onward.is_empty() {
        add(from, KEEPS * pulse.amplitude, phase + PI);
        return;
    }
    let is_hub = names.degree(pulse.node) as f32 > HUB * names.mean_degree();
    let reflected = if is_hub { REFLECTED } else { 0.0 };
    if is_hub {
        add(from, KEEPS * pulse.amplitude * reflected, phase);
    }
    let share = KEEPS * pulse.amplitude * (1.0 - reflected) / (onward.len() as f32).sqrt();
    onward.into_iter().for_each(|(other, strength)| add(other, share * strength, phase));
}

fn steps(names: &Names, node: NodeIx) -> impl Iterator<Item = (NodeIx, f32)> {
    let carrying = names.ways().around(node).filter(|(_, way)| !way.inhibitory);
    carrying.map(|(other, way)| (other, way.structural.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::super::value;
    use super::*;

    #[test]
    fn a_dead_end_turns_a_wave_round() {
        let graph = graph("s calls e");
        let standing = resonate(&Names::of(&graph), &[(at(&graph, "s"), 1.0)]);
        // At s: 1, then 0.64 after three quarters of a turn, and from then on 0.64 of it a quarter later each time:
        // 1 - 0.64i / (1 - 0.64i) = 1.29 - 0.45i.
        assert!((value(&standing.amplitudes, at(&graph, "s")) - 1.37).abs() < 0.02, "{standing:?}");
        assert!(!standing.cut && standing.pulses < 100);
    }

    #[test]
    fn waves_in_step_add_up() {
        let graph = graph("s calls m\nt calls m");
        let names = Names::of(&graph);
        let from = |starts: &[&str]| {
            let seeds: Vec<(NodeIx, f32)> = starts.iter().map(|name| (at(&graph, name), 1.0)).collect();
            value(&resonate(&names, &seeds).amplitudes, at(&graph, "m"))
        };
        // 0.8, and 0.64 of it three quarters of a turn later each time: 0.8 / |1 + 0.64i|.
        assert!((from(&["s"]) - 0.674).abs() < 0.02);
        assert!((from(&["s", "t"]) - 1.348).abs() < 0.04);
    }

    #[test]
    fn pulses_end() {
        let mut text = String::new();
        for n in 0..60 {
            for m in 0..60 {
                text.push_str(&format!("n{n} calls n{m}\n"));
            }
        }
        let graph = graph(&text);
        let standing = resonate(&Names::of(&graph), &[(at(&graph, "n0"), 1.0)]);
        assert!(standing.pulses <= MAX_PULSES);
    }
}
