//! Insert: an entry for m1nd put into the text of a host's settings, with everything else left as it is: other entries,
//! comments, order and blanks.

use serde_json::{Map, Value, json};

use super::table::{Form, Host};
use crate::jsonc;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The text with the entry.
    Text(String),
    /// There is an entry of that name already; it is the user's.
    Already,
}

/// The entry under which a host starts the program. `workspace` is named where the host starts servers elsewhere.
pub fn entry_for(host: &Host, command: &str, workspace: &str) -> Value {
    let serve = json!({ "command": command, "args": ["serve"] });
    let bound = json!({ "command": command, "args": ["serve"], "env": { "M1ND_WORKSPACE_ROOT": workspace } });
    match host.name {
        "vscode" => json!({
            "type": "stdio",
            "command": command,
            "args": ["serve", "--workspace", "${workspaceFolder}"],
        }),
        "zed" => json!({ "source": "custom", "command": command, "args": ["serve"] }),
        "opencode" => json!({ "type": "local", "command": [command, "serve"] }),
        "windsurf" | "claude_desktop" => bound,
        _ => serve,
    }
}

const NAME: &str = "m1nd";

/// Puts the entry into the text of a file; an empty text is a file that is not there yet. The error says why it is left.
pub fn insert(text: &str, form: Form, entry: &Value) -> Result<Inserted, String> {
    match form {
        Form::Json(key) | Form::JsonWithProjects(key) => into_json(text, key, entry),
        Form::Toml(key) => into_toml(text, key, entry),
    }
}

fn into_json(text: &str, key: &str, entry: &Value) -> Result<Inserted, String> {
    if text.trim().is_empty() {
        let whole = json!({ key: { NAME: entry } });
        return Ok(Inserted::Text(pretty(&whole, 0)? + "\n"));
    }
    let plain = jsonc::plain(text);
    let before = object(&plain)?;
    let servers = match before.get(key) {
        None => None,
        Some(Value::Object(servers)) => Some(servers),
        Some(_) => return Err(format!("its `{key}` is no list of servers by name")),
    };
    if servers.is_some_and(|servers| servers.contains_key(NAME)) {
        return Ok(Inserted::Already);
    }
    let outer = plain.find('{').ok_or("it holds no settings")?;
    let (open, added) = match servers {
        Some(_) => {
            let open = value_of(&plain, outer, key).ok_or("its servers could not be found in the text")?;
            (open, format!("\"{NAME}\": {}", pretty(entry, 2)?))
        }
        None => (outer, format!("\"{key}\": {}", pretty(&json!({ NAME: entry }), 1)?)),
    };
    let depth = if open == outer { 1 } else { 2 };
    let is_empty = plain[open + 1..].trim_start().starts_with('}');
    let end = if is_empty { format!("\n{}", INDENT.repeat(depth - 1)) } else { ",".to_owned() };
    let line = format!("\n{}{added}{end}", INDENT.repeat(depth));
    let new = format!("{}{line}{}", &text[..=open], &text[open + 1..]);
    // Whatever the text looked like: what is not ours must be as it was.
    let mut after = object(&jsonc::plain(&new))?;
    take_out(&mut after, key, servers.is_none());
    if after != before {
        return Err("the entry could not be put in without touching other settings".to_owned());
    }
    Ok(Inserted::Text(new))
}

const INDENT: &str = "  ";

fn object(plain: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(plain.strip_prefix('\u{feff}').unwrap_or(plain)) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("it holds no settings, but something else".to_owned()),
        Err(err) => Err(format!("it is no JSON (line {}, column {})", err.line(), err.column())),
    }
}

fn take_out(all: &mut Map<String, Value>, key: &str, whole: bool) {
    if whole {
        all.remove(key);
    } else if let Some(Value::Object(servers)) = all.get_mut(key) {
        servers.remove(NAME);
    }
}

/// Where the object begins that a key of the outermost object has.
fn value_of(plain: &str, outer: usize, key: &str) -> Option<usize> {
    let bytes = plain.as_bytes();
    let wanted = format!("\"{key}\"");
    let (mut at, mut depth) = (outer, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let end = jsonc::end_of_string(bytes, at);
                let after = plain[end..].trim_start();
                if depth == 1 && plain[at..end] == wanted && after.starts_with(':') {
                    let value = after[1..].trim_start();
                    return value.starts_with('{').then(|| plain.len() - value.len());
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Indented as deep as it will stand.
fn pretty(value: &Value, depth: usize) -> Result<String, String> {
    let text = serde_json::to_string_pretty(value).map_err(|err| err.to_string())?;
    Ok(text.replace('\n', &format!("\n{}", INDENT.repeat(depth))))
}

fn into_toml(text: &str, key: &str, entry: &Value) -> Result<Inserted, String> {
    let read = |text: &str| toml::from_str::<toml::Table>(text).map_err(|_| "it is no TOML".to_owned());
    let before = read(text)?;
    if before.get(key).and_then(|servers| servers.get(NAME)).is_some() {
        return Ok(Inserted::Already);
    }
    let entry: toml::Value = toml::Value::try_from(entry).map_err(|err| err.to_string())?;
    let table = toml::to_string(&entry).map_err(|err| err.to_string())?;
    let gap = if text.trim().is_empty() { "" } else { "\n" };
    let new = format!("{}{gap}[{key}.{NAME}]\n{table}", ended(text));
    let mut after =
        read(&new).map_err(|_| format!("its `{key}` is written in a way that nothing can be added to"))?;
    if let Some(servers) = after.get_mut(key).and_then(toml::Value::as_table_mut) {
        servers.remove(NAME);
        if servers.is_empty() && !before.contains_key(key) {
            after.remove(key);
        }
    }
    if after != before {
        return Err("the entry could not be put in without touching other settings".to_owned());
    }
    Ok(Inserted::Text(new))
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::entries;

    const SERVERS: Form = Form::Json("mcpServers");

    fn put(text: &str, form: Form) -> String {
        match insert(text, form, &json!({ "command": "m1nd", "args": ["serve"] })).unwrap() {
            Inserted::Text(new) => {
                let found = entries(&new, form, None).unwrap();
                assert_eq!(found[0].command.as_deref(), Some("m1nd"), "{new}");
                let again = insert(&new, form, &json!({ "command": "other" })).unwrap();
                assert_eq!(again, Inserted::Already, "{new}");
                new
            }
            Inserted::Already => "already".to_owned(),
        }
    }

    #[test]
    fn an_entry_is_added_and_all_else_stays_to_the_byte() {
        let text = "// mine\n{\n  \"theme\": \"x\", // dark\n  \"mcpServers\": {\n    \"other\": {\"command\": \"o\", \"args\": [\"{\"],},\n  },\n}\n";
        let new = put(text, SERVERS);
        let (before, after) = text.split_once("\"other\"").unwrap();
        assert!(new.starts_with(before.trim_end()) && new.ends_with(after), "{new}");
        for text in [
            "",
            "{}",
            "{ }",
            "{\"mcpServers\":{}}",
            "{\"a\":{\"mcpServers\":{\"x\":1}}}",
            "\u{feff}{\"b\": \"mcpServers\"}",
            "{\"mcpServers\" : { \"z\" : {} }}",
        ] {
            put(text, SERVERS);
        }
        assert_eq!(put("{\"mcpServers\": {\"m1nd\": 3}}", SERVERS), "already");
    }

    #[test]
    fn toml_keeps_its_comments_and_what_cannot_be_added_to_is_left() {
        let text = "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"o\" # keep";
        let new = put(text, Form::Toml("mcp_servers"));
        assert!(new.starts_with(text), "{new}");
        put("", Form::Toml("mcp_servers"));
        let inline = insert(
            "mcp_servers = { a = { command = \"x\" } }\n",
            Form::Toml("mcp_servers"),
            &json!({"command": "m1nd"}),
        );
        assert!(inline.unwrap_err().contains("nothing can be added to"));
    }

    #[test]
    fn broken_settings_are_left() {
        for text in ["{", "[]", "{\"mcpServers\": []}", "nonsense", "{\"a\": 1}}"] {
            assert!(insert(text, SERVERS, &json!({})).is_err(), "{text}");
        }
    }

    #[test]
    fn every_host_can_read_the_entry_that_is_made_for_it() {
        for host in crate::hosts::HOSTS {
            let form = host.files[0].form;
            let entry = entry_for(host, "/opt/m1nd", "/w");
            let Inserted::Text(text) = insert("", form, &entry).unwrap() else { panic!("{}", host.name) };
            let found = entries(&text, form, None).unwrap();
            assert_eq!(found[0].command.as_deref(), Some("/opt/m1nd"), "{text}");
            assert_eq!(found[0].args[0], "serve", "{text}");
        }
    }
}
