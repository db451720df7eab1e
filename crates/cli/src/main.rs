//! The `m1nd` command.

mod args;
mod commands;
mod config;
mod log;
mod output;
mod spinner;
mod wiring;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    m1nd_stdx::memory::set_up();
    let args = args::Args::parse();
    match commands::run(args) {
        Ok(code) => code,
        Err(err) => {
            anstream::eprintln!("m1nd: {err:#}");
            ExitCode::from(2)
        }
    }
}
