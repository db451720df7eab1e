//! The skeleton of a card, so that nobody guesses its fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::card::CardType;
use crate::budget::{Budget, json_size};
use crate::error::MemoryError;
use crate::ids::WorkspaceId;
use crate::port::Object;

/// Returns the skeleton of a card of one type.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThinkTemplateRequest {
    /// The workspace.
    pub workspace: String,
    /// The type of the card.
    #[serde(rename = "type")]
    pub type_: String,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkTemplateOutput {
    #[serde(rename = "type")]
    pub type_: String,
    pub supported_types: Vec<String>,
    /// Fill it in and pass it as `card`.
    pub template: Object,
    /// Whether the budget emptied the hints of the template.
    pub truncated: bool,
}

pub fn template(request: &ThinkTemplateRequest) -> Result<ThinkTemplateOutput, MemoryError> {
    WorkspaceId::parse(&request.workspace)?;
    let budget = Budget::of(request.max_chars)?;
    let kind = CardType::parse(&request.type_)?;
    let (title, text, status) = hints(kind);
    let template = json!({
        "id": format!("{}-…", kind.as_str()),
        "type": kind.as_str(),
        "title": title,
        "text": text,
        "status": status,
        "tags": [],
        "meta": {},
    });
    let Value::Object(template) = template else {
        return Err(MemoryError::invalid("type", "has no template"));
    };
    let mut out = ThinkTemplateOutput {
        type_: kind.as_str().to_owned(),
        supported_types: CardType::ALL.map(|kind| kind.as_str().to_owned()).to_vec(),
        template,
        truncated: false,
    };
    if json_size(&out) > budget.0 {
        for field in ["title", "text"] {
            out.template.insert(field.to_owned(), json!(""));
        }
        out.truncated = true;
    }
    Ok(out)
}

fn hints(kind: CardType) -> (&'static str, &'static str, &'static str) {
    match kind {
        CardType::Frame => {
            ("The problem in one line", "What is asked, what is known, what limits the answer", "open")
        }
        CardType::Hypothesis => ("What might be true", "Why, and what would show it to be false", "open"),
        CardType::Question => {
            ("What is not known", "Why it matters, and who or what could answer it", "open")
        }
        CardType::Test => ("What to try", "The steps or command, and what each outcome would mean", "open"),
        CardType::Evidence => ("What was observed", "The command, file or source, and what it says", "open"),
        CardType::Decision => ("What was decided", "Why, and what was decided against", "accepted"),
        CardType::Note => ("What to remember", "The details", "open"),
        CardType::Update => ("What changed", "Since when, and what it affects", "open"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_template_with_all_fields() {
        for kind in CardType::ALL {
            let type_ = kind.as_str().to_owned();
            let request = ThinkTemplateRequest { workspace: "w".to_owned(), type_, max_chars: None };
            let out = template(&request).unwrap();
            for field in ["id", "type", "title", "text", "status", "tags", "meta"] {
                assert!(out.template.contains_key(field), "{field}");
            }
        }
    }
}
