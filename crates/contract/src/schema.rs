//! Schemas as every host accepts them: one plain object, no references, no unions.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The schema of `T`, made plain.
pub fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    plain(schema.to_value())
}

/// Keywords that mean nothing to a host, or that some hosts refuse.
const DROPPED: [&str; 5] = ["$schema", "title", "format", "minimum", "additionalProperties"];

/// Rewrites one schema node and everything below it.
pub fn plain(schema: Value) -> Value {
    let Value::Object(mut node) = schema else {
        // `true` means "anything"; hosts want a type.
        return json!({});
    };
    if let Some(only) = the_one_real_choice(&mut node) {
        let description = node.get("description").and_then(Value::as_str).map(one_line);
        let mut rewritten = plain(only);
        if let (Value::Object(map), Some(description)) = (&mut rewritten, description) {
            map.insert("description".into(), json!(description));
        }
        return rewritten;
    }
    let mut out = Map::new();
    for (key, value) in node {
        if DROPPED.contains(&key.as_str()) {
            continue;
        }
        let value = match (key.as_str(), value) {
            ("type", Value::Array(types)) => {
                types.into_iter().find(|kind| kind != "null").unwrap_or_else(|| json!("string"))
            }
            ("enum", Value::Array(values)) => values.into_iter().filter(|value| !value.is_null()).collect(),
            ("description", Value::String(text)) => json!(one_line(&text)),
            ("default", Value::Null) => continue,
            ("properties", Value::Object(properties)) => properties
                .into_iter()
                .map(|(name, schema)| (name, plain(schema)))
                .collect::<Map<_, _>>()
                .into(),
            ("items", value) => plain(value),
            (_, value) => value,
        };
        out.insert(key, value);
    }
    if out.get("type") == Some(&json!("array")) {
        out.entry("items").or_insert_with(|| json!({"type": "object"}));
    }
    Value::Object(out)
}

/// `anyOf [X, null]` is X; `oneOf` of constants is an enum of them.
fn the_one_real_choice(node: &mut Map<String, Value>) -> Option<Value> {
    let choices = ["anyOf", "oneOf"].iter().find_map(|key| node.remove(*key))?;
    let Value::Array(choices) = choices else {
        return None;
    };
    let mut constants = Vec::new();
    let mut others = Vec::new();
    for choice in choices {
        if choice.get("type") == Some(&json!("null")) {
            continue;
        }
        match (choice.get("const"), choice.get("enum")) {
            (Some(constant), _) => constants.push(constant.clone()),
            (None, Some(Value::Array(values))) => constants.extend(values.iter().cloned()),
            _ => others.push(choice),
        }
    }
    if !constants.is_empty() {
        return Some(json!({"type": "string", "enum": constants}));
    }
    others.into_iter().next()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes every description, for listings where the names say enough.
pub fn without_descriptions(schema: &Value) -> Value {
    match schema {
        Value::Object(node) => node
            .iter()
            .filter(|(key, value)| !(*key == "description" && value.is_string()))
            .map(|(key, value)| (key.clone(), without_descriptions(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(without_descriptions).collect(),
        other => other.clone(),
    }
}

/// What hosts refuse, found anywhere in `schema`. Empty means every host takes it.
pub fn violations(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if schema.get("type") != Some(&json!("object")) {
        found.push("the top level is not an object".into());
    }
    collect_violations(schema, "", &mut found);
    found
}

const REFUSED: [&str; 10] =
    ["$ref", "$defs", "definitions", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"];

fn collect_violations(schema: &Value, at: &str, found: &mut Vec<String>) {
    let Value::Object(node) = schema else {
        found.push(format!("{at}: not a schema object"));
        return;
    };
    for key in REFUSED {
        if node.contains_key(key) {
            found.push(format!("{at}: uses {key}"));
        }
    }
    match node.get("type") {
        Some(Value::String(_)) => {}
        Some(_) => found.push(format!("{at}: type is not one plain word")),
        None => found.push(format!("{at}: has no type")),
    }
    if node.get("type") == Some(&json!("array")) {
        match node.get("items") {
            Some(items) => collect_violations(items, &format!("{at}[]"), found),
            None => found.push(format!("{at}: array without items")),
        }
    }
    if let Some(Value::Object(properties)) = node.get("properties") {
        for (name, schema) in properties {
            collect_violations(schema, &format!("{at}.{name}"), found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Sample {
        /// How to
        /// look.
        mode: Option<Mode>,
        count: Option<u32>,
        names: Vec<Name>,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code)]
    enum Mode {
        /// One.
        Literal,
        /// Two.
        Regex,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Name {
        first: String,
    }

    #[test]
    fn options_enums_and_nested_structs_become_plain() {
        let schema = of::<Sample>();
        expect![[r#"{"type":"object","properties":{"mode":{"type":"string","enum":["literal","regex"],"description":"How to look."},"count":{"type":"integer"},"names":{"type":"array","items":{"type":"object","properties":{"first":{"type":"string"}},"required":["first"]}}},"required":["names"]}"#]]
            .assert_eq(&schema.to_string());
        assert_eq!(violations(&schema), [""; 0]);
    }

    #[test]
    fn what_strict_hosts_refuse_is_found_at_any_depth() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"type": "array"},
            "c": {"type": "object", "properties": {"d": {"anyOf": []}}},
        }});
        assert_eq!(
            violations(&schema),
            [
                ".a: type is not one plain word",
                ".b: array without items",
                ".c.d: uses anyOf",
                ".c.d: has no type"
            ]
        );
    }
}
