//! A machine with repositories and a home of its own, on which the program is run as a person or a script runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::lay_out;

/// Gone when dropped.
pub struct Machine {
    dir: TempDir,
    program: PathBuf,
}

impl Machine {
    /// Without any repository.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        Self { dir, program: program.into() }
    }

    /// With one more, of the files that `text` describes.
    #[must_use]
    pub fn with(self, name: &str, text: &str) -> Self {
        lay_out(&self.at(name), text);
        fs::create_dir(self.at(name).join(".git")).expect("the folder of a repository can be made");
        self
    }

    /// A folder or file of it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The repository that is called `repo`.
    pub fn repo(&self) -> PathBuf {
        self.at("repo")
    }

    /// Nothing of the user's own settings reaches it.
    pub fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("M1ND_") {
                command.env_remove(name);
            }
        }
        command.args(arguments).current_dir(folder);
        command.env("M1ND_HOME", self.at("home")).env("HOME", self.dir.path());
        command
    }

    pub fn run_in(&self, folder: &Path, arguments: &[&str]) -> Output {
        self.command(folder, arguments).output().expect("the program can be started")
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.run_in(&self.repo(), arguments)
    }

    /// What a command prints for a program.
    pub fn json_in(&self, folder: &Path, arguments: &[&str]) -> Value {
        let output = self.run_in(folder, arguments);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|err| panic!("{arguments:?}: {err}: {output:?}"))
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        self.json_in(&self.repo(), arguments)
    }

    /// What a tool answers to agent `ada`, by a process of its own.
    pub fn call_in(&self, folder: &Path, tool: &str, mut arguments: Value) -> Value {
        arguments["agent_id"] = json!("ada");
        self.json_in(folder, &["call", tool, "--json", &arguments.to_string()])
    }
}
