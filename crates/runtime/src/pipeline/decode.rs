//! Stage 1: find the tool, split the header, refuse arguments that nobody would read.

use m1nd_contract::header::{Field, MIN_MAX_CHARS};
use m1nd_contract::{Code, Fault, Header, Recovery, header};
use m1nd_stdx::nearest::nearest;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::faults::invalid_params;
use crate::registry::{HELP, Registry, Row};

/// A name that no tool has.
pub(super) fn unknown_tool(registry: &Registry, name: &str) -> Fault {
    let shown = &name[..name.floor_char_boundary(60)];
    let near = registry.near(name);
    let guess = match near.as_slice() {
        [] => String::new(),
        names => format!(" Nearest: {}.", names.join(", ")),
    };
    let arguments = near.first().map_or_else(|| json!({}), |name| json!({ "tool": name }));
    Fault::new(
        Code::UnknownTool,
        format!("There is no tool named {shown:?}.{guess}"),
        Recovery::call("Help lists every tool, also those the host does not show.", HELP, arguments),
    )
}

/// The header and the tool's own arguments, all of them known.
pub(super) fn header(
    row: &Row,
    mut arguments: Map<String, Value>,
) -> Result<(Header, Map<String, Value>), Fault> {
    let tool = row.entry.spec.name;
    let budgeted = row.entry.spec.caller == Field::Workspace && row.declares(Field::MaxChars);
    let known = |key: &str| {
        row.argument_names().chain(row.entry.spec.also_takes.iter().copied()).any(|name| name == key)
            || budgeted && (key == MAX_BYTES || key == MAX_LINES)
            || row.optional_header().iter().any(|field| field.name() == key)
    };
    if let Some(unknown) = arguments.keys().find(|key| !known(key)) {
        let shown = &unknown[..unknown.floor_char_boundary(60)];
        let guess = match nearest(unknown, row.argument_names(), 1).first() {
            Some(near) => format!(" Did you mean `{near}`?"),
            None => format!(" It takes: {}.", row.argument_names().collect::<Vec<_>>().join(", ")),
        };
        return Err(invalid_params(tool, format!("{tool} has no argument {shown:?}.{guess}")));
    }
    if !row.entry.spec.null_means_clear {
        arguments.retain(|_, value| !value.is_null());
    }
    for (name, value) in &mut arguments {
        // Whole numbers may be written `50.0`.
        if row.wants_integer(name)
            && let Some(number) = m1nd_contract::arg::whole_number(value)
        {
            *value = json!(number);
        }
    }
    let max_lines = if budgeted { budgets(tool, &mut arguments)? } else { None };
    let room = arguments.get(Field::MaxChars.name()).and_then(m1nd_contract::arg::whole_number);
    let is_small = room.is_some_and(|room| (1..MIN_MAX_CHARS as i64).contains(&room));
    let mut header = header::split(&mut arguments, row.entry.spec.caller, &row.optional_header(), |field| {
        row.declares(field)
    })
    .map_err(|said| {
        let is_about_room = is_small && said.starts_with("`max_chars`");
        let fault = invalid_params(tool, said);
        if is_about_room { fault.with_detail(json!({ "least": MIN_MAX_CHARS })) } else { fault }
    })?;
    header.max_lines = max_lines;
    Ok((header, arguments))
}

/// Other ways to say a budget, which tools of memory take and do not list: bytes are what `max_chars` counts.
const MAX_BYTES: &str = "max_bytes";
const MAX_LINES: &str = "max_lines";

/// Puts `max_bytes` where it belongs and takes `max_lines` out.
fn budgets(tool: &'static str, arguments: &mut Map<String, Value>) -> Result<Option<usize>, Fault> {
    let mut take = |name: &str| -> Result<Option<i64>, Fault> {
        match arguments.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => m1nd_contract::arg::whole_number(&value)
                .filter(|number| *number >= 1)
                .map(Some)
                .ok_or_else(|| invalid_params(tool, format!("`{name}` must be a whole number from 1 up."))),
        }
    };
    let (bytes, lines) = (take(MAX_BYTES)?, take(MAX_LINES)?);
    if let Some(bytes) = bytes {
        let other = arguments.get("max_chars").and_then(Value::as_i64);
        if other.is_none_or(|chars| bytes < chars) {
            arguments.insert("max_chars".to_owned(), json!(bytes));
        }
    }
    Ok(lines.map(|lines| usize::try_from(lines).unwrap_or(usize::MAX)))
}

/// The typed input. The message names the argument that is wrong.
pub(crate) fn input<T: DeserializeOwned>(
    tool: &'static str,
    arguments: Map<String, Value>,
) -> Result<T, Fault> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|err| {
        let at = err.path().to_string();
        let said = plainly(&err.inner().to_string());
        let said = &said[..said.floor_char_boundary(300)];
        let message = if at == "." { said.to_owned() } else { format!("`{at}`: {said}") };
        invalid_params(tool, format!("{message}."))
    })
}

/// The same complaint without the words of the program: callers know JSON, not its types.
fn plainly(said: &str) -> String {
    if let Some((given, known)) =
        said.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("{given} is not known; it must be {known}");
    }
    if let Some(field) = said.strip_prefix("missing field ") {
        return format!("{field} is missing");
    }
    if let Some((field, known)) =
        said.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("there is no {field} here; it takes {known}");
    }
    let complaint = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: "));
    let Some((given, expected)) = complaint.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return said.to_owned();
    };
    let given = match given.split_once(' ') {
        None if given == "map" => "an object".to_owned(),
        None if given == "sequence" => "a list".to_owned(),
        None => given.to_owned(),
        Some(("integer" | "boolean", value)) => value.trim_matches('`').to_owned(),
        Some(("floating", value)) => value.trim_start_matches("point ").trim_matches('`').to_owned(),
        Some((_, value)) => value.to_owned(),
    };
    let expected = match expected.split_once(' ').map_or(expected, |(first, _)| first) {
        "struct" | "map" => "an object",
        "sequence" => "a list",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 up",
        "f32" | "f64" => "a number",
        "enum" => "one of its words",
        _ => match expected {
            "a map" => "an object",
            "a sequence" => "a list",
            "a boolean" => "true or false",
            "string or map" | "variant identifier" => "one of its words",
            other => other,
        },
    };
    format!("this must be {expected}, not {given}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_speak_of_json_and_not_of_types() {
        for (said, plain) in [
            ("invalid type: string \"x\", expected i64", "this must be a whole number, not \"x\""),
            ("invalid type: string \"s\", expected struct StepIn", "this must be an object, not \"s\""),
            ("invalid type: map, expected a sequence", "this must be a list, not an object"),
            ("invalid type: integer `3`, expected a string", "this must be a string, not 3"),
            ("invalid type: floating point `1.5`, expected i64", "this must be a whole number, not 1.5"),
            ("invalid value: integer `-1`, expected u32", "this must be a whole number from 0 up, not -1"),
            ("invalid type: boolean `true`, expected a map", "this must be an object, not true"),
            ("invalid type: null, expected a boolean", "this must be true or false, not null"),
            ("missing field `title`", "`title` is missing"),
            ("unknown field `x`, expected one of `a`, `b`", "there is no `x` here; it takes one of `a`, `b`"),
            ("unknown variant `x`, expected `a` or `b`", "`x` is not known; it must be `a` or `b`"),
        ] {
            assert_eq!(plainly(said), plain);
        }
    }
}
