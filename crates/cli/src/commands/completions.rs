//! `m1nd completions`: a script for the user's shell.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::Args;

pub fn run(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    clap_complete::generate(shell, &mut Args::command(), "m1nd", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
