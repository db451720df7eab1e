//! Floats that cannot be NaN, so that every score has an order, an equality and a hash.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A float that is neither NaN nor infinite; negative zero is stored as zero.
#[derive(Clone, Copy, Default, PartialEq)]
#[repr(transparent)]
pub struct FiniteF32(f32);

/// A finite float above zero.
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct PosF32(f32);

/// How far one observation moves a weight: in (0, 1].
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct LearningRate(f32);

/// What is left of a value after one step: in (0, 1].
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct DecayFactor(f32);

/// A number outside the range its type allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange {
    pub value: f32,
    pub range: &'static str,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} is not {}", self.value, self.range)
    }
}

impl std::error::Error for OutOfRange {}

impl FiniteF32 {
    pub const ZERO: Self = Self(0.0);
    pub const ONE: Self = Self(1.0);
    pub const MAX: Self = Self(f32::MAX);
    pub const MIN: Self = Self(f32::MIN);

    /// NaN becomes zero and an infinity the largest finite value of its sign.
    pub fn new(value: f32) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(f32::MIN, f32::MAX) + 0.0) }
    }

    /// Narrows a wider float by the same rules as [`FiniteF32::new`].
    pub fn from_f64(value: f64) -> Self {
        Self::new(value as f32)
    }

    #[must_use]
    pub fn clamp_to(self, low: Self, high: Self) -> Self {
        Self(self.0.max(low.0).min(high.0))
    }
}

impl Add for FiniteF32 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.0 + other.0)
    }
}

impl Sub for FiniteF32 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.0 - other.0)
    }
}

impl Mul for FiniteF32 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.0 * other.0)
    }
}

impl Neg for FiniteF32 {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.0)
    }
}

impl Default for DecayFactor {
    /// No decay.
    fn default() -> Self {
        Self(1.0)
    }
}

macro_rules! ordered {
    ($name:ident, $range:literal, $ok:expr) => {
        impl $name {
            pub const fn get(self) -> f32 {
                self.0
            }
        }

        impl TryFrom<f32> for $name {
            type Error = OutOfRange;
            fn try_from(value: f32) -> Result<Self, OutOfRange> {
                let inside: fn(f32) -> bool = $ok;
                if value.is_finite() && inside(value) {
                    // Adding zero turns negative zero into zero, so that equal values hash alike.
                    Ok(Self(value + 0.0))
                } else {
                    Err(OutOfRange { value, range: $range })
                }
            }
        }

        impl From<$name> for f32 {
            fn from(value: $name) -> f32 {
                value.0
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.total_cmp(&other.0)
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.to_bits().hash(state);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, out)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, out)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_f32(self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                Self::try_from(f32::deserialize(input)?).map_err(serde::de::Error::custom)
            }
        }
    };
}

ordered!(FiniteF32, "finite", |_| true);
ordered!(PosF32, "finite and above zero", |value| value > 0.0);
ordered!(LearningRate, "in (0, 1]", |value| value > 0.0 && value <= 1.0);
ordered!(DecayFactor, "in (0, 1]", |value| value > 0.0 && value <= 1.0);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_operation_leaves_the_finite_range() {
        let edge = [0.0, -0.0, 1.0, f32::MAX, f32::MIN, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        for a in edge.map(FiniteF32::new) {
            for b in edge.map(FiniteF32::new) {
                for result in [a + b, a - b, a * b, -a] {
                    assert!(result.get().is_finite(), "{a} and {b} gave {result}");
                }
            }
        }
    }

    #[test]
    fn both_zeros_are_one_value_to_order_equality_and_hash() {
        let zeros: HashSet<FiniteF32> =
            [FiniteF32::new(-0.0), FiniteF32::new(0.0), -FiniteF32::ZERO].into_iter().collect();
        assert_eq!(zeros.len(), 1);
        assert_eq!(FiniteF32::try_from(-0.0).map(f32::from).map(f32::to_bits), Ok(0));
        assert_eq!(FiniteF32::new(-0.0).cmp(&FiniteF32::ZERO), Ordering::Equal);
    }

    #[test]
    fn each_type_refuses_what_lies_outside_its_range() {
        assert!(FiniteF32::try_from(f32::NAN).is_err());
        assert!(PosF32::try_from(0.0).is_err());
        assert!(PosF32::try_from(f32::INFINITY).is_err());
        assert!(LearningRate::try_from(1.5).is_err());
        assert!(DecayFactor::try_from(-0.1).is_err());
        assert_eq!(LearningRate::try_from(1.0).map(LearningRate::get), Ok(1.0));
    }

    #[test]
    fn sorting_is_total() {
        let mut values = [3.0, -1.0, f32::NAN, f32::INFINITY].map(FiniteF32::new);
        values.sort();
        assert_eq!(values.map(FiniteF32::get), [-1.0, 0.0, 3.0, f32::MAX]);
    }

    #[test]
    fn text_that_is_out_of_range_does_not_deserialize() {
        assert!(serde_json::from_str::<PosF32>("-1.0").is_err());
        assert_eq!(serde_json::from_str::<PosF32>("0.1").map(PosF32::get).ok(), Some(0.1));
        assert_eq!(serde_json::to_string(&FiniteF32::new(0.1)).ok(), Some("0.1".to_owned()));
    }
}
