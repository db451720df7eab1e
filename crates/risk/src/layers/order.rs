//! Order: the files of a circle, one after the other, so that little goes backwards.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How often each is put where it fits best.
const SIFTINGS: usize = 8;

/// The rank of each, given what it uses and how much: who uses comes before what is used. By the rule of Eades, Lin and Smyth: what
/// uses nothing that is left goes to the end, what nothing left uses to the beginning, else what uses most more than it is used.
/// Then each is moved to where least goes backwards, until nothing gets better.
pub(super) fn order(uses: &[Vec<(u32, i64)>]) -> Vec<u32> {
    let mut used_by: Vec<Vec<(u32, i64)>> = vec![Vec::new(); uses.len()];
    for (from, uses) in (0..).zip(uses) {
        for &(to, weight) in uses {
            used_by[to as usize].push((from, weight));
        }
    }
    let mut order = greedy(uses, &used_by);
    sift(&mut order, uses, &used_by);
    let mut rank = vec![0; uses.len()];
    for (at, &file) in (0..).zip(&order) {
        rank[file as usize] = at;
    }
    rank
}

fn greedy(uses: &[Vec<(u32, i64)>], used_by: &[Vec<(u32, i64)>]) -> Vec<u32> {
    let sum = |edges: &Vec<(u32, i64)>| edges.iter().map(|&(_, weight)| weight).sum::<i64>();
    let mut out: Vec<i64> = uses.iter().map(sum).collect();
    let mut back: Vec<i64> = used_by.iter().map(sum).collect();
    let mut is_left = vec![true; uses.len()];
    let (mut first, mut last) = (Vec::new(), Vec::new());
    // What changed is put in again, and what is out of date is passed over.
    let entry = |file: u32, out: &[i64], back: &[i64]| {
        let (out, back) = (out[file as usize], back[file as usize]);
        let urgency = if out == 0 { 2 } else { i64::from(back == 0) };
        (urgency, out - back, Reverse(file))
    };
    let mut heap: BinaryHeap<(i64, i64, Reverse<u32>)> =
        (0..uses.len() as u32).map(|file| entry(file, &out, &back)).collect();
    while let Some(top) = heap.pop() {
        let (urgency, _, Reverse(file)) = top;
        if !is_left[file as usize] || top != entry(file, &out, &back) {
            continue;
        }
        is_left[file as usize] = false;
        if urgency == 2 {
            last.push(file)
        } else {
            first.push(file)
        }
        for &(to, weight) in &uses[file as usize] {
            back[to as usize] -= weight;
            if is_left[to as usize] {
                heap.push(entry(to, &out, &back));
            }
        }
        for &(from, weight) in &used_by[file as usize] {
            out[from as usize] -= weight;
            if is_left[from as usize] {
                heap.push(entry(from, &out, &back));
            }
        }
    }
    first.extend(last.into_iter().rev());
    first
}

/// Moves each to where least goes backwards. Only a place beside something that it has to do with can be a better one.
fn sift(order: &mut [u32], uses: &[Vec<(u32, i64)>], used_by: &[Vec<(u32, i64)>]) {
    let mut place = vec![0_usize; order.len()];
    for (at, &file) in order.iter().enumerate() {
        place[file as usize] = at;
    }
    for _ in 0..SIFTINGS {
        let mut is_better = false;
        let before: Vec<u32> = order.to_vec();
        for file in before {
            let at = place[file as usize];
            // What it saves to stand before each of them instead of after it.
            let mut near: Vec<(usize, i64)> = Vec::new();
            near.extend(uses[file as usize].iter().map(|&(to, weight)| (place[to as usize], weight)));
            near.extend(used_by[file as usize].iter().map(|&(from, weight)| (place[from as usize], -weight)));
            near.sort_unstable();
            near.dedup_by(|next, first| {
                let is_same = next.0 == first.0;
                first.1 += if is_same { next.1 } else { 0 };
                is_same
            });
            let (mut best, mut best_at) = (0, at);
            let mut cost = 0;
            for &(to, saved) in near.iter().rev().filter(|(to, _)| *to < at) {
                cost -= saved;
                if cost < best {
                    (best, best_at) = (cost, to);
                }
            }
            cost = 0;
            for &(to, saved) in near.iter().filter(|(to, _)| *to > at) {
                cost += saved;
                if cost < best {
                    (best, best_at) = (cost, to);
                }
            }
            if best_at == at {
                continue;
            }
            is_better = true;
            let moved = if best_at < at {
                order[best_at..=at].rotate_right(1);
                best_at..=at
            } else {
                order[at..=best_at].rotate_left(1);
                at..=best_at
            };
            for at in moved {
                place[order[at] as usize] = at;
            }
        }
        if !is_better {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `0>1*3 1>2` says that 0 uses 1 in three places and 1 uses 2 in one.
    fn uses(text: &str) -> Vec<Vec<(u32, i64)>> {
        let mut uses: Vec<Vec<(u32, i64)>> = Vec::new();
        for edge in text.split_whitespace() {
            let (edge, weight) = edge.split_once('*').unwrap_or((edge, "1"));
            let (from, to) = edge.split_once('>').unwrap();
            let (from, to): (usize, u32) = (from.parse().unwrap(), to.parse().unwrap());
            uses.resize(uses.len().max(from + 1).max(to as usize + 1), Vec::new());
            uses[from].push((to, weight.parse().unwrap()));
        }
        uses
    }

    fn backwards(uses: &[Vec<(u32, i64)>], rank: &[u32]) -> i64 {
        let edges = uses.iter().zip(rank).flat_map(|(uses, &from)| uses.iter().map(move |edge| (from, edge)));
        edges.filter(|(from, (to, _))| *from > rank[*to as usize]).map(|(_, &(_, weight))| weight).sum()
    }

    #[test]
    fn the_weakest_use_of_a_circle_goes_backwards() {
        let circle = uses("0>1*3 1>2*2 2>3*4 3>0");
        assert_eq!(order(&circle), [0, 1, 2, 3]);
        // Two circles that share a file: one use of each goes backwards.
        let two = uses("0>1*5 1>0 1>2*5 2>1*2");
        assert_eq!((order(&two), backwards(&two, &order(&two))), (vec![0, 1, 2], 3));
    }

    #[test]
    fn a_large_circle_has_the_order_of_its_stack() {
        // Each uses the next three, twice; every hundredth goes back by fifty once.
        let count = 3_000_u32;
        let of = |file: u32| {
            let mut uses: Vec<(u32, i64)> =
                (1..=3).map(|step| (file + step, 2)).filter(|&(to, _)| to < count).collect();
            if file % 100 == 99 {
                uses.push((file - 50, 1));
            }
            uses
        };
        let large: Vec<Vec<(u32, i64)>> = (0..count).map(of).collect();
        let rank = order(&large);
        assert_eq!(backwards(&large, &rank), 30);
    }

    #[test]
    fn orders_of_small_circles_are_nearly_the_best() {
        // All orders of six, for circles made by a fixed rule.
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut best_sum, mut found_sum) = (0, 0);
        for _ in 0..20 {
            let mut circle: Vec<Vec<(u32, i64)>> = vec![Vec::new(); 6];
            for from in 0..6_u32 {
                for to in (0..6).filter(|&to| to != from) {
                    if next(2) == 0 {
                        circle[from as usize].push((to, 1 + next(4) as i64));
                    }
                }
            }
            let mut best = i64::MAX;
            for nth in 0..720_u32 {
                let (mut left, mut code) = ((0..6).collect::<Vec<u32>>(), nth);
                let mut rank = vec![0; 6];
                for at in 0..6_u32 {
                    let size = left.len() as u32;
                    rank[left.remove((code % size) as usize) as usize] = at;
                    code /= size;
                }
                best = best.min(backwards(&circle, &rank));
            }
            best_sum += best;
            found_sum += backwards(&circle, &order(&circle));
        }
        // A rule of thumb: within a tenth of the best.
        assert!(found_sum * 10 <= best_sum * 11, "{found_sum} where {best_sum} would do");
    }
}
