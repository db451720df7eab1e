//! `m1nd init`: writes what it says, twice the same, and never over what a user wrote.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

struct Desk {
    dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("repo/.git")).unwrap();
        fs::create_dir_all(dir.path().join("home")).unwrap();
        Self { dir }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// What it did to each file, by the end of its path.
    fn init(&self, arguments: &[&str]) -> Vec<(String, String)> {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("m1nd"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("M1ND_") {
                command.env_remove(name);
            }
        }
        let output = command
            .arg("init")
            .arg("--json")
            .args(arguments)
            .current_dir(self.at("repo"))
            .env("HOME", self.at("home"))
            .env("M1ND_HOME", self.at("state"))
            .env_remove("XDG_CONFIG_HOME")
            .output()
            .unwrap();
        let said: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|err| panic!("{err}: {output:?}"));
        let root = self.at("").display().to_string();
        let files = said["files"].as_array().unwrap().iter();
        files
            .map(|file| {
                let path = file["path"].as_str().unwrap().trim_start_matches(&root).trim_start_matches('/');
                (path.to_owned(), file["action"].as_str().unwrap().to_owned())
            })
            .collect()
    }
}

fn said(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, action)| ((*path).to_owned(), (*action).to_owned())).collect()
}

#[test]
fn a_fresh_repository_is_set_up_once_and_a_second_time_nothing_changes() {
    let desk = Desk::new();
    fs::write(desk.at("repo/AGENTS.md"), "# Ours\nBuild with make.\n").unwrap();
    let files = ["repo/AGENTS.md", "repo/CLAUDE.md", "repo/.claude/skills/m1nd/SKILL.md", "repo/.mcp.json"];
    let would = desk.init(&["--host", "claude", "--dry-run"]);
    assert_eq!(
        would,
        said(&[(files[0], "updated"), (files[1], "created"), (files[2], "created"), (files[3], "created")])
    );
    assert!(!desk.at(files[3]).exists() && desk.read(files[0]).ends_with("make.\n"), "nothing was written");
    assert_eq!(desk.init(&["--host", "claude"]), would);
    assert!(desk.read(files[0]).starts_with("# Ours\nBuild with make.\n\n<!-- m1nd:begin "));
    assert!(desk.read(files[2]).starts_with("---\nname: m1nd\n"));
    let entry: Value = serde_json::from_str(&desk.read(files[3])).unwrap();
    assert_eq!(entry["mcpServers"]["m1nd"]["args"][0], "serve", "{entry}");
    let before: Vec<String> = files.iter().map(|file| desk.read(file)).collect();
    let again = desk.init(&["--host", "claude"]);
    assert!(again.iter().all(|(_, action)| action == "unchanged"), "{again:?}");
    assert_eq!(before, files.iter().map(|file| desk.read(file)).collect::<Vec<_>>());
}

#[test]
fn every_host_keeps_the_users_other_entries() {
    let desk = Desk::new();
    let theirs = [
        ("cursor", "repo/.cursor/mcp.json", "{\"mcpServers\": {\"mine\": {\"command\": \"x\"}}}"),
        (
            "vscode",
            "repo/.vscode/mcp.json",
            "{\n  // mine\n  \"servers\": {\"mine\": {\"command\": \"x\"},},\n}\n",
        ),
        ("codex", "home/.codex/config.toml", "model = \"o\" # mine\n[mcp_servers.mine]\ncommand = \"x\"\n"),
        ("zed", "home/.config/zed/settings.json", "// mine\n{ \"vim_mode\": true, }\n"),
        ("gemini", "repo/.gemini/settings.json", "{\"theme\": \"mine\"}"),
        ("windsurf", "home/.codeium/windsurf/mcp_config.json", "{}"),
        ("opencode", "repo/opencode.json", "{\"mine\": 1}"),
        ("claude_desktop", "home/.config/Claude/claude_desktop_config.json", "{\"mine\": [1]}"),
    ];
    for (host, path, text) in theirs {
        fs::create_dir_all(desk.at(path).parent().unwrap()).unwrap();
        fs::write(desk.at(path), text).unwrap();
        let done = desk.init(&["--host", host]);
        assert_eq!(done[1], (path.to_owned(), "updated".to_owned()), "{host}");
        let new = desk.read(path);
        assert!(new.contains("m1nd") && (new.contains("mine") || text == "{}"), "{host}: {new}");
        assert_eq!(desk.init(&["--host", host])[1].1, "unchanged", "{host}");
        assert_eq!(desk.read(path), new, "{host}");
    }
}

#[test]
fn what_is_the_users_is_left_and_said() {
    let desk = Desk::new();
    desk.init(&[]);
    let changed = desk.read("repo/AGENTS.md").replace("**File known?**", "**Always**");
    fs::write(desk.at("repo/AGENTS.md"), &changed).unwrap();
    assert_eq!(desk.init(&[]), said(&[("repo/AGENTS.md", "left")]));
    assert_eq!(desk.read("repo/AGENTS.md"), changed);
    fs::write(desk.at("repo/.mcp.json"), "{ broken").unwrap();
    fs::write(desk.at("repo/CLAUDE.md"), "See AGENTS.md.\n").unwrap();
    let done = desk.init(&["--host", "claude"]);
    assert_eq!((done[1].1.as_str(), done[3].1.as_str()), ("unchanged", "left"), "{done:?}");
    assert_eq!(desk.read("repo/.mcp.json"), "{ broken");
}

#[test]
fn nothing_is_written_through_a_link_that_leads_out() {
    let desk = Desk::new();
    fs::write(desk.at("home/secret"), "mine").unwrap();
    symlink(desk.at("home/secret"), desk.at("repo/AGENTS.md")).unwrap();
    symlink(desk.at("home"), desk.at("repo/.cursor")).unwrap();
    let done = desk.init(&["--host", "cursor"]);
    assert!(done.iter().all(|(_, action)| action == "left"), "{done:?}");
    assert_eq!(desk.read("home/secret"), "mine");
    assert!(!desk.at("home/mcp.json").exists());
}
