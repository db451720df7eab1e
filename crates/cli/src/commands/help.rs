//! `m1nd help`: the manual of a tool, or the tool for an intent.

use std::process::ExitCode;

use clap::CommandFactory as _;
use serde_json::json;

use crate::args::{Args, Global};
use crate::output::{self, Reader};
use crate::wiring;

pub fn run(global: &Global, words: &[String]) -> anyhow::Result<ExitCode> {
    let arguments = match words {
        [] => {
            Args::command().print_help()?;
            return Ok(ExitCode::SUCCESS);
        }
        [word] if is_command(word) => {
            Args::command()
                .get_subcommands_mut()
                .filter(|command| command.get_name() == word)
                .try_for_each(|command| command.print_help())?;
            return Ok(ExitCode::SUCCESS);
        }
        [tool] if !tool.contains(char::is_whitespace) => json!({ "tool": tool }),
        words => json!({ "intent": words.join(" ") }),
    };
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let reply = super::ask(&runtime, "help", arguments);
    // Help is text for whoever reads it.
    let reader = if reply.is_error { Reader::Person } else { Reader::of(false) };
    output::print(&reply, reader, |out, body| output::plain(out, body))
}

/// A command that is not also a tool: `m1nd help search` explains the tool.
fn is_command(word: &str) -> bool {
    let tool = m1nd_tools::TOOLSETS.iter().flat_map(|set| set.tools).any(|entry| entry.spec.name == word);
    !tool && Args::command().get_subcommands().any(|command| command.get_name() == word)
}
