//! Learned edge weights: atomics, so that readers learn without a lock and never see half a number.

use std::sync::atomic::{AtomicU32, Ordering};

use m1nd_stdx::float::FiniteF32;

/// Under more contention than this, losing one small update is better than spinning.
const MAX_RETRIES: u32 = 64;

/// Another thread changed the weight at every one of the attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the weight of edge {edge} changed under each of {MAX_RETRIES} attempts to update it")]
pub struct CasRetryExhausted {
    pub edge: u32,
}

/// One weight per edge, as the bits of a finite float.
#[derive(Debug, Default)]
pub struct Weights {
    bits: Vec<AtomicU32>,
}

impl Weights {
    pub(crate) fn from_bits(bits: impl IntoIterator<Item = u32>) -> Self {
        let clean = |raw: u32| AtomicU32::new(FiniteF32::new(f32::from_bits(raw)).get().to_bits());
        Self { bits: bits.into_iter().map(clean).collect() }
    }

    /// Of so many edges.
    pub(crate) fn with_capacity(edges: usize, bits: impl Iterator<Item = u32>) -> Self {
        let mut clean = Vec::with_capacity(edges);
        clean.extend(bits.map(|raw| AtomicU32::new(FiniteF32::new(f32::from_bits(raw)).get().to_bits())));
        Self { bits: clean }
    }

    pub(crate) fn bits_of(&self, edge: usize) -> u32 {
        self.bits[edge].load(Ordering::Relaxed)
    }

    pub fn len(&self) -> usize {
        self.bits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    pub fn get(&self, edge: usize) -> FiniteF32 {
        FiniteF32::new(f32::from_bits(self.bits[edge].load(Ordering::Relaxed)))
    }

    pub fn set(&self, edge: usize, weight: FiniteF32) {
        self.bits[edge].store(weight.get().to_bits(), Ordering::Relaxed);
    }

    /// Replaces the weight by `change` of it and returns the new value.
    pub fn update(
        &self,
        edge: usize,
        change: impl Fn(FiniteF32) -> FiniteF32,
    ) -> Result<FiniteF32, CasRetryExhausted> {
        let cell = &self.bits[edge];
        let mut seen = cell.load(Ordering::Relaxed);
        for _ in 0..MAX_RETRIES {
            let next = change(FiniteF32::new(f32::from_bits(seen)));
            match cell.compare_exchange_weak(seen, next.get().to_bits(), Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return Ok(next),
                Err(now) => seen = now,
            }
        }
        Err(CasRetryExhausted { edge: u32::try_from(edge).unwrap_or(u32::MAX) })
    }

    pub(crate) fn to_bits(&self) -> Vec<u32> {
        self.bits.iter().map(|cell| cell.load(Ordering::Relaxed)).collect()
    }
}

impl Clone for Weights {
    fn clone(&self) -> Self {
        Self::from_bits(self.to_bits())
    }
}

impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_successful_update_of_many_threads_is_counted() {
        let weights = Weights::from_bits([0]);
        let done = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        if weights.update(0, |w| w + FiniteF32::ONE).is_ok() {
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(weights.get(0).get(), done.load(Ordering::Relaxed) as f32);
    }

    #[test]
    fn a_weight_that_always_moves_is_given_up_on() {
        let weights = Weights::from_bits([0]);
        let interfere = |w: FiniteF32| {
            weights.set(0, w + FiniteF32::ONE);
            w
        };
        assert_eq!(weights.update(0, interfere), Err(CasRetryExhausted { edge: 0 }));
    }

    #[test]
    fn bits_that_are_not_a_number_become_zero() {
        assert_eq!(Weights::from_bits([f32::NAN.to_bits()]).get(0), FiniteF32::ZERO);
    }
}
