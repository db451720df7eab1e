//! `m1nd serve`.

use std::process::ExitCode;

use crate::args::{Global, Serve};

pub fn run(_: &Global, _: &Serve) -> anyhow::Result<ExitCode> {
    anyhow::bail!("not yet")
}
