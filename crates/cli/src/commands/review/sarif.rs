//! SARIF 2.1.0, as services that show findings beside the code read it.

use serde_json::{Value, json};

use crate::args::VERSION;

/// Kinds of findings, and what they say in general.
const RULES: [(&str, &str, &str); 8] = [
    ("syntax_error", "A file does not parse since the change", "error"),
    ("removed_but_used", "A definition was removed that code still names", "error"),
    ("broken_import", "An import leads nowhere", "error"),
    ("signature_change", "A callable is declared otherwise, and calls of it were not changed", "error"),
    ("antibody", "Code looks like a bug that was confirmed before", "warning"),
    ("missing_co_change", "A file that changes with the changed ones is not in the change", "warning"),
    ("layer_violation", "A dependency goes against the layers", "warning"),
    ("untested", "No test is known to reach what changed", "note"),
];

/// The findings of a review as a log of one run.
pub fn log(body: &Value) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(id, text, level)| {
            json!({
                "id": id,
                "shortDescription": { "text": text },
                "defaultConfiguration": { "level": level },
            })
        })
        .collect();
    let results: Vec<Value> = body["findings"].as_array().into_iter().flatten().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "m1nd", "semanticVersion": VERSION, "rules": rules } },
            "results": results,
            "properties": {
                "risk_score": body["risk_score"],
                "risk_level": body["risk_level"],
                "reviewers": body["reviewers"],
                "tests": body["tests"],
            },
        }],
    })
}

fn result(finding: &Value) -> Value {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&finding["kind"]);
    let level = match finding["severity"].as_str().unwrap_or_default() {
        "critical" | "high" => "error",
        "medium" => "warning",
        _ => "note",
    };
    let mut result = json!({
        "ruleId": kind,
        "level": level,
        "message": { "text": finding["message"] },
        "locations": [location(&text(&finding["at"]))],
        "properties": { "severity": finding["severity"] },
    });
    if let Some(index) = RULES.iter().position(|rule| rule.0 == kind) {
        result["ruleIndex"] = json!(index);
    }
    let places = finding["places"].as_array().into_iter().flatten().map(text);
    // A node's id is no place.
    let related: Vec<Value> =
        places.filter(|place| !place.contains("::")).map(|place| location(&place)).collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    result
}

/// `path:line` or a path.
fn location(place: &str) -> Value {
    let (path, line) = match place.rsplit_once(':') {
        Some((path, line)) if line.parse::<u32>().is_ok() => (path, line.parse::<u32>().ok()),
        _ => (place, None),
    };
    let mut place = json!({ "artifactLocation": { "uri": encoded(path), "uriBaseId": "%SRCROOT%" } });
    if let Some(line) = line {
        place["region"] = json!({ "startLine": line.max(1) });
    }
    json!({ "physicalLocation": place })
}

/// A path as a relative address.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_become_results_with_places() {
        let body = json!({
            "risk_score": 0.5,
            "risk_level": "medium",
            "reviewers": [],
            "tests": [],
            "findings": [
                {"kind": "signature_change", "severity": "high", "at": "src/a b.py:3", "message": "m", "places": ["src/c.py:7", "src/d.py"]},
                {"kind": "untested", "severity": "low", "at": "src/é.py:1", "message": "n"},
            ],
        });
        let log = log(&body);
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!((&results[0]["level"], &results[1]["level"]), (&json!("error"), &json!("note")));
        let place = |at: &Value| at["physicalLocation"].clone();
        assert_eq!(
            place(&results[0]["locations"][0]),
            json!({"artifactLocation": {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 3}})
        );
        assert_eq!(place(&results[0]["relatedLocations"][1])["region"], Value::Null);
        assert_eq!(place(&results[1]["locations"][0])["artifactLocation"]["uri"], "src/%C3%A9.py");
        for result in results {
            let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
        }
    }
}
