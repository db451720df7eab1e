//! Argument types that forgive what hosts get wrong and nothing else.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

/// A whole number as agents send it: `50`, and `50.0`, which JSON Schema counts as one too.
/// Numbers beyond 64 bits saturate, so that a clamp still does what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Int(pub i64);

impl Int {
    /// The number moved into `range`, and whether it had to be moved.
    pub fn clamp_to(self, range: RangeInclusive<i64>) -> (i64, bool) {
        let clamped = self.0.clamp(*range.start(), *range.end());
        (clamped, clamped != self.0)
    }
}

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        whole_number(&value)
            .map(Int)
            .ok_or_else(|| de::Error::custom(format_args!("expected a whole number, got {}", shown(&value))))
    }
}

impl serde::Serialize for Int {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_i64(self.0)
    }
}

impl JsonSchema for Int {
    fn schema_name() -> Cow<'static, str> {
        "Int".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}

/// The whole number in `value`, if it is one.
pub fn whole_number(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    if let Some(whole) = number.as_i64() {
        return Some(whole);
    }
    if number.is_u64() {
        return Some(i64::MAX);
    }
    let float = number.as_f64()?;
    // Casting saturates, which is what a clamp wants of 1e300.
    (float.fract() == 0.0).then_some(float as i64)
}

/// A value as an error message shows it: short, whatever was sent.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
        Value::String(text) if text.len() > 40 => "a long string".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_floats_and_huge_numbers_are_whole_numbers() {
        let read = |value: Value| serde_json::from_value::<Int>(value).map(|int| int.0).ok();
        assert_eq!(read(json!(50)), Some(50));
        assert_eq!(read(json!(50.0)), Some(50));
        assert_eq!(read(json!(u64::MAX)), Some(i64::MAX));
        assert_eq!(read(json!(-1e300)), Some(i64::MIN));
        assert_eq!(read(json!(0.5)), None);
        assert_eq!(read(json!("50")), None);
    }

    #[test]
    fn clamping_says_whether_it_moved_anything() {
        assert_eq!(Int(0).clamp_to(1..=500), (1, true));
        assert_eq!(Int(500).clamp_to(1..=500), (500, false));
    }
}
