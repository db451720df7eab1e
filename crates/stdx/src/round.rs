//! Numbers as agents should see them: no digits beyond what they mean.

use serde::Serializer;

/// Nothing has no sign.
fn plain(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// Rounds to four decimals.
pub fn round4(value: f64) -> f64 {
    plain((value * 10_000.0).round() / 10_000.0)
}

/// Rounds to three decimals.
pub fn round3(value: impl Into<f64>) -> f64 {
    plain((value.into() * 1_000.0).round() / 1_000.0)
}

/// Rounds to two decimals.
pub fn round2(value: impl Into<f64>) -> f64 {
    plain((value.into() * 100.0).round() / 100.0)
}

/// `#[serde(serialize_with = "m1nd_stdx::round::four")]` for scores.
pub fn four<S: Serializer>(value: &f64, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_f64(round4(*value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_has_as_many_digits_as_are_asked_for() {
        assert!(round4(-0.0).is_sign_positive() && round3(-0.000_1_f64).is_sign_positive());
        assert_eq!(round4(f64::from(1.0_f32 / 3.0)), 0.3333);
        assert_eq!((round3(1.0_f32 / 3.0), round2(1.0 / 3.0)), (0.333, 0.33));
    }
}
