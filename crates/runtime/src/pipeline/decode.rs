//! Stage 1: find the tool, split the header, refuse arguments that nobody would read.

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
    let known = |key: &str| {
        row.argument_names().chain(row.entry.spec.also_takes.iter().copied()).any(|name| name == key)
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
    let header = header::split(&mut arguments, row.entry.spec.caller, &row.optional_header(), |field| {
        row.declares(field)
    })
    .map_err(|said| invalid_params(tool, said))?;
    Ok((header, arguments))
}

/// The typed input. The message names the argument that is wrong.
pub(crate) fn input<T: DeserializeOwned>(
    tool: &'static str,
    arguments: Map<String, Value>,
) -> Result<T, Fault> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|err| {
        let at = err.path().to_string();
        let said = err.inner().to_string();
        let said = &said[..said.floor_char_boundary(300)];
        let message = if at == "." { said.to_owned() } else { format!("`{at}`: {said}") };
        invalid_params(tool, format!("{message}."))
    })
}
