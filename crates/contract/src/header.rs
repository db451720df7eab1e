//! Header: the arguments that belong to the call and not to the tool, declared once for all tools.

use serde_json::{Map, Value, json};

/// Who calls: an agent by its id, or a reasoning workspace by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    Agent(String),
    Workspace(String),
}

impl Caller {
    pub fn name(&self) -> &str {
        match self {
            Caller::Agent(name) | Caller::Workspace(name) => name,
        }
    }

    pub fn field(&self) -> &'static str {
        match self {
            Caller::Agent(_) => "agent_id",
            Caller::Workspace(_) => "workspace",
        }
    }
}

/// How much of the runtime contract an answer carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContractForm {
    /// Short while everything is healthy, full otherwise.
    #[default]
    Auto,
    /// Always short: what the budget leaves room for.
    Short,
    Full,
}

/// The decoded header of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub caller: Caller,
    pub max_chars: Option<usize>,
    /// The most lines of text, for tools of memory that list something.
    pub max_lines: Option<usize>,
    pub contract: ContractForm,
    /// The mission that this call is a step of.
    pub mission_id: Option<String>,
}

/// Longest id a caller may have: ids are kept and logged.
pub const MAX_CALLER_BYTES: usize = 256;

/// `max_chars` below this cannot hold an answer's fixed fields.
pub const MIN_MAX_CHARS: usize = 500;

/// `max_chars` above this is not a budget.
pub const MAX_MAX_CHARS: usize = 1_000_000;

/// One header argument, as schemas and documentation show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    AgentId,
    Workspace,
    MaxChars,
    Contract,
    MissionId,
}

impl Field {
    pub const ALL: [Field; 5] =
        [Field::AgentId, Field::Workspace, Field::MaxChars, Field::Contract, Field::MissionId];

    pub fn name(self) -> &'static str {
        match self {
            Field::AgentId => "agent_id",
            Field::Workspace => "workspace",
            Field::MaxChars => "max_chars",
            Field::Contract => "contract",
            Field::MissionId => "mission_id",
        }
    }

    pub fn required(self) -> bool {
        matches!(self, Field::AgentId | Field::Workspace)
    }

    pub fn schema(self) -> Value {
        match self {
            Field::AgentId => json!({"type": "string", "description": "Calling agent identifier"}),
            Field::Workspace => json!({"type": "string", "description": "Reasoning workspace name"}),
            Field::MaxChars => {
                json!({"type": "integer", "description": "Byte budget of the answer (500-1000000)"})
            }
            Field::Contract => json!({
                "type": "string",
                "enum": ["auto", "full"],
                "description": "Runtime contract: auto is short while all is well",
            }),
            Field::MissionId => json!({"type": "string", "description": "Record this in a mission"}),
        }
    }
}

/// Takes the header fields out of the arguments. Fields in `keep` stay there too, for tools whose
/// own input declares them. The error is a sentence about the first field that is wrong.
pub fn split(
    arguments: &mut Map<String, Value>,
    caller: Field,
    optional: &[Field],
    keep: impl Fn(Field) -> bool,
) -> Result<Header, String> {
    let mut take = |field: Field| {
        if keep(field) { arguments.get(field.name()).cloned() } else { arguments.remove(field.name()) }
    };
    let name = required_name(caller, take(caller))?;
    let mut header = Header {
        caller: match caller {
            Field::Workspace => Caller::Workspace(name),
            _ => Caller::Agent(name),
        },
        max_chars: None,
        max_lines: None,
        contract: ContractForm::Auto,
        mission_id: None,
    };
    for &field in optional {
        let Some(value) = take(field).filter(|value| !value.is_null()) else {
            continue;
        };
        match field {
            Field::MaxChars => header.max_chars = Some(budget(&value)?),
            Field::Contract => header.contract = form(&value)?,
            Field::MissionId => header.mission_id = Some(required_name(field, Some(value))?),
            Field::AgentId | Field::Workspace => {}
        }
    }
    Ok(header)
}

fn required_name(field: Field, value: Option<Value>) -> Result<String, String> {
    let name = field.name();
    match value {
        None | Some(Value::Null) => Err(format!("`{name}` is missing.")),
        Some(Value::String(text)) if text.trim().is_empty() => Err(format!("`{name}` is empty.")),
        Some(Value::String(text)) if text.len() > MAX_CALLER_BYTES => {
            Err(format!("`{name}` is longer than {MAX_CALLER_BYTES} bytes."))
        }
        Some(Value::String(text)) if text.chars().any(char::is_control) => {
            Err(format!("`{name}` contains control characters."))
        }
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("`{name}` must be a string.")),
    }
}

fn budget(value: &Value) -> Result<usize, String> {
    let range = MIN_MAX_CHARS..=MAX_MAX_CHARS;
    crate::arg::whole_number(value)
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| range.contains(number))
        .ok_or_else(|| format!("`max_chars` must be a whole number from {MIN_MAX_CHARS} to {MAX_MAX_CHARS}."))
}

fn form(value: &Value) -> Result<ContractForm, String> {
    match value.as_str() {
        Some("auto") => Ok(ContractForm::Auto),
        Some("full") => Ok(ContractForm::Full),
        _ => Err("`contract` must be \"auto\" or \"full\".".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_json(arguments: Value) -> (Result<Header, String>, Value) {
        let mut map = arguments.as_object().cloned().unwrap();
        let header = split(&mut map, Field::AgentId, &[Field::MaxChars, Field::Contract], |_| false);
        (header, Value::Object(map))
    }

    #[test]
    fn the_header_leaves_only_the_tools_own_arguments() {
        let (header, rest) = split_json(json!({"agent_id": "a", "max_chars": 900, "query": "x"}));
        assert_eq!(header.unwrap().max_chars, Some(900));
        assert_eq!(rest, json!({"query": "x"}));
    }

    #[test]
    fn a_missing_empty_or_odd_caller_is_named() {
        for (arguments, said) in [
            (json!({}), "`agent_id` is missing."),
            (json!({"agent_id": " "}), "`agent_id` is empty."),
            (json!({"agent_id": 7}), "`agent_id` must be a string."),
            (json!({"agent_id": "a\nb"}), "`agent_id` contains control characters."),
        ] {
            assert_eq!(split_json(arguments).0.unwrap_err(), said);
        }
    }

    #[test]
    fn budgets_outside_the_range_are_refused() {
        for budget in [json!(0), json!(-5), json!(1e9), json!("900"), json!(499)] {
            assert!(split_json(json!({"agent_id": "a", "max_chars": budget})).0.is_err());
        }
    }
}
