//! Entry: what a host's file says of m1nd.

use serde_json::{Map, Value};

use super::table::Form;
use crate::jsonc;

/// One server of a host that is m1nd, as its file says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// What the host calls it.
    pub name: String,
    /// The program to start; none for a server that is reached by address.
    pub command: Option<String>,
    pub args: Vec<String>,
    /// The address, where it is reached by one.
    pub url: Option<String>,
    /// The workspace that the entry names with a variable or a flag.
    pub workspace: Option<String>,
    /// What of it could not be understood.
    pub problem: Option<&'static str>,
    /// Whether the host was told not to start it.
    pub is_off: bool,
}

/// More entries of one name than this are no settings.
const MOST: usize = 16;

/// Longest text that is taken over from a file of others.
const LONGEST: usize = 300;

/// The entries for m1nd in the text of a file. `project` is the workspace, for files that know several. The error says
/// why the text cannot be read.
pub fn entries(text: &str, form: Form, project: Option<&str>) -> Result<Vec<Entry>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (value, key): (Value, &str) = match form {
        Form::Json(key) | Form::JsonWithProjects(key) => {
            let value = serde_json::from_str(text).or_else(|_| serde_json::from_str(&jsonc::plain(text)));
            (value.map_err(|err| format!("it is no JSON ({})", place(&err)))?, key)
        }
        Form::Toml(key) => {
            let value: toml::Value = toml::from_str(text).map_err(|err| {
                let at = err.span().map(|span| span.start.min(text.len()));
                let line =
                    at.map(|at| text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1);
                line.map_or_else(|| "it is no TOML".to_owned(), |line| format!("it is no TOML (line {line})"))
            })?;
            (serde_json::to_value(value).map_err(|_| "it holds numbers that JSON has not".to_owned())?, key)
        }
    };
    let Value::Object(all) = value else { return Err("it holds no settings, but something else".to_owned()) };
    let mut found = servers(&all, key)?;
    if let (Form::JsonWithProjects(_), Some(project)) = (form, project)
        && let Some(Value::Object(own)) = all.get("projects").and_then(|projects| projects.get(project))
    {
        found.extend(servers(own, key)?);
    }
    found.truncate(MOST);
    Ok(found)
}

fn place(err: &serde_json::Error) -> String {
    format!("line {}, column {}", err.line(), err.column())
}

fn servers(all: &Map<String, Value>, key: &str) -> Result<Vec<Entry>, String> {
    match all.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(servers)) => Ok(servers
            .iter()
            .filter(|(name, server)| is_ours(name, server))
            .map(|(name, server)| entry(name, server))
            .collect()),
        Some(_) => Err(format!("its `{key}` is no list of servers by name")),
    }
}

/// A server is ours by its name or by its program.
fn is_ours(name: &str, server: &Value) -> bool {
    let program = command(server).and_then(|(command, _)| {
        let name = command.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        (name == "m1nd" || name == "m1nd.exe").then_some(())
    });
    program.is_some() || name.to_ascii_lowercase().contains("m1nd")
}

/// The program and its first arguments: a text, a list, or an object with a path.
fn command(server: &Value) -> Option<(String, Vec<String>)> {
    match server.get("command")? {
        Value::String(command) => Some((short(command), Vec::new())),
        Value::Array(words) => {
            let mut words = words.iter().filter_map(Value::as_str).map(short);
            Some((words.next()?, words.collect()))
        }
        Value::Object(object) => {
            let path = object.get("path").and_then(Value::as_str)?;
            Some((short(path), strings(object.get("args"))))
        }
        _ => None,
    }
}

fn entry(name: &str, server: &Value) -> Entry {
    let mut found = Entry { name: short(name), ..Entry::default() };
    let url = ["url", "serverUrl", "httpUrl"].iter().find_map(|key| server.get(*key).and_then(Value::as_str));
    found.url = url.map(short);
    match command(server) {
        Some((command, args)) => {
            found.args = args;
            found.args.extend(strings(server.get("args")));
            found.command = Some(command);
        }
        None if !server.is_object() => found.problem = Some("the entry is no object"),
        None if server.get("command").is_some() => found.problem = Some("its command is no text"),
        None if found.url.is_none() => found.problem = Some("it names no command and no address"),
        None => {}
    }
    let says = |key: &str, value: bool| server.get(key).and_then(Value::as_bool) == Some(value);
    found.is_off = says("disabled", true) || says("enabled", false);
    let env = ["env", "environment"].iter().find_map(|key| server.get(*key));
    let variable = env.and_then(|env| env.get("M1ND_WORKSPACE_ROOT")).and_then(Value::as_str);
    let flag = found.args.iter().zip(found.args.iter().skip(1)).find(|(flag, _)| *flag == "--workspace");
    let glued = found.args.iter().find_map(|arg| arg.strip_prefix("--workspace="));
    // The variable wins over the flag, as in the program itself.
    let named = variable.or(flag.map(|(_, value)| value.as_str())).or(glued);
    found.workspace = named.map(short);
    found
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).take(MOST).map(short).collect()
}

fn short(text: &str) -> String {
    text[..text.floor_char_boundary(LONGEST)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVERS: Form = Form::Json("mcpServers");

    fn commands(text: &str, form: Form) -> Vec<String> {
        let found = entries(text, form, Some("/w")).unwrap();
        found
            .iter()
            .map(|entry| {
                format!(
                    "{}: {} {}",
                    entry.name,
                    entry.command.as_deref().unwrap_or("-"),
                    entry.args.join(" ")
                )
            })
            .collect()
    }

    #[test]
    fn every_way_to_write_an_entry_is_read() {
        assert_eq!(
            commands(
                r#"{"mcpServers": {"m1nd": {"command": "m1nd", "args": ["serve"]}, "x": {"command": "y"}}}"#,
                SERVERS
            ),
            ["m1nd: m1nd serve"]
        );
        assert_eq!(
            commands(r#"{"mcpServers": {"map": {"command": "/opt/m1nd", "args": ["serve"]}}}"#, SERVERS),
            ["map: /opt/m1nd serve"]
        );
        assert_eq!(
            commands(
                "{ // mine\n\"context_servers\": {\"m1nd\": {\"command\": {\"path\": \"m1nd\", \"args\": [\"serve\"]},},},}",
                Form::Json("context_servers")
            ),
            ["m1nd: m1nd serve"]
        );
        assert_eq!(
            commands(
                r#"{"mcp": {"m1nd": {"type": "local", "command": ["m1nd", "serve"]}}}"#,
                Form::Json("mcp")
            ),
            ["m1nd: m1nd serve"]
        );
        assert_eq!(
            commands(
                "[mcp_servers.m1nd]\ncommand = \"m1nd\"\nargs = [\"serve\"]\n",
                Form::Toml("mcp_servers")
            ),
            ["m1nd: m1nd serve"]
        );
        let projects = r#"{"projects": {"/w": {"mcpServers": {"m1nd": {"command": "a"}}}, "/v": {"mcpServers": {"m1nd": {"command": "b"}}}}}"#;
        assert_eq!(commands(projects, Form::JsonWithProjects("mcpServers")), ["m1nd: a "]);
    }

    #[test]
    fn the_workspace_of_an_entry_is_read_from_its_variable_and_its_flag() {
        let of = |text: &str| entries(text, SERVERS, None).unwrap()[0].workspace.clone();
        assert_eq!(
            of(r#"{"mcpServers": {"m1nd": {"command": "m1nd", "args": ["serve", "--workspace", "/a"], "env": {"M1ND_WORKSPACE_ROOT": "/b"}}}}"#).as_deref(),
            Some("/b")
        );
        assert_eq!(
            of(r#"{"mcpServers": {"m1nd": {"command": "m1nd", "args": ["--workspace=/a", "serve"]}}}"#)
                .as_deref(),
            Some("/a")
        );
    }

    #[test]
    fn hostile_files_are_refused_in_words() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in [
            "{",
            "[]",
            "1",
            "\"x\"",
            "{\"mcpServers\": []}",
            "{\"mcpServers\": 5}",
            "nonsense",
            deep.as_str(),
        ] {
            assert!(entries(text, SERVERS, None).is_err(), "{}", &text[..text.len().min(20)]);
        }
        for text in ["a = [".to_owned(), format!("a = {deep}"), "mcp_servers = 3".to_owned()] {
            assert!(entries(&text, Form::Toml("mcp_servers"), None).is_err());
        }
        for text in
            ["", " \n", "{}", "\u{feff}{}", "{\"mcpServers\": null}", "{\"mcpServers\": {\"other\": 3}}"]
        {
            assert_eq!(entries(text, SERVERS, None), Ok(Vec::new()), "{text}");
        }
        for odd in
            ["3", "null", "[]", "{}", "{\"command\": 7}", "{\"command\": []}", "{\"command\": {\"path\": 1}}"]
        {
            let text = format!("{{\"mcpServers\": {{\"m1nd\": {odd}}}}}");
            assert!(entries(&text, SERVERS, None).unwrap()[0].problem.is_some(), "{odd}");
        }
    }
}
