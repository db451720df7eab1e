//! `m1nd apply`: change files, all or none, from a batch in JSON or from a unified diff.

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::args::Global;
use crate::output::{self, BAD, DIM, PATH, Reader, harmless};
use crate::wiring;

#[derive(Debug, Args)]
pub struct Apply {
    /// A file with the arguments of `apply_batch`, or with its list of edits; - for standard input
    #[arg(value_name = "BATCH.json", required_unless_present_any = ["diff", "undo"])]
    pub batch: Option<PathBuf>,
    /// A unified diff instead, as git makes it; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    pub diff: Option<PathBuf>,
    /// Take an earlier batch back
    #[arg(long, value_name = "BATCH_ID", conflicts_with_all = ["batch", "diff", "dry_run", "verify", "allow_syntax_errors"])]
    pub undo: Option<String>,
    /// What must hold for the batch to stay
    #[arg(long, value_enum)]
    pub verify: Option<Verify>,
    /// Write it although it brings syntax errors
    #[arg(long)]
    pub allow_syntax_errors: bool,
    /// Write nothing, show the diff
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Verify {
    None,
    Syntax,
    Graph,
    Command,
}

impl Verify {
    fn word(self) -> &'static str {
        match self {
            Verify::None => "none",
            Verify::Syntax => "syntax",
            Verify::Graph => "graph",
            Verify::Command => "command",
        }
    }
}

pub fn run(global: &Global, args: &Apply) -> anyhow::Result<ExitCode> {
    let (tool, arguments) = match &args.undo {
        Some(id) => ("undo_batch", json!({ "batch_id": id })),
        None => ("apply_batch", batch(args)?),
    };
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let reply = super::ask(&runtime, tool, arguments);
    output::print(&reply, Reader::of(args.json), |out, body| show(out, body))
}

fn batch(args: &Apply) -> anyhow::Result<Value> {
    let mut arguments = match (&args.diff, &args.batch) {
        (Some(diff), _) => match String::from_utf8(bytes(diff)?) {
            Ok(diff) => json!({ "diff": diff }),
            // A diff holds lines of files, in whatever encoding these are.
            Err(err) => {
                let letters: String = err.as_bytes().iter().map(|&byte| char::from(byte)).collect();
                json!({ "diff": letters, "diff_encoding": "latin1" })
            }
        },
        (None, Some(batch)) => {
            let given: Value = serde_json::from_str(&text(batch)?)
                .with_context(|| format!("{} is not JSON", batch.display()))?;
            match given {
                Value::Array(edits) => json!({ "edits": edits }),
                Value::Object(_) => given,
                _ => anyhow::bail!("{} holds neither a batch nor a list of edits", batch.display()),
            }
        }
        (None, None) => anyhow::bail!("Give a file with a batch, or --diff with a patch."),
    };
    if let Some(verify) = args.verify {
        arguments["verify"] = json!(verify.word());
    }
    if args.allow_syntax_errors {
        arguments["allow_syntax_errors"] = json!(true);
    }
    if args.dry_run {
        arguments["dry_run"] = json!(true);
        arguments["max_chars"] = json!(1_000_000);
    }
    Ok(arguments)
}

fn text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(bytes(path)?).with_context(|| format!("{} is not UTF-8", path.display()))
}

fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut read = Vec::new();
        io::stdin().read_to_end(&mut read)?;
        return Ok(read);
    }
    std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn show(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    let word = |value: &Value| harmless(value.as_str().unwrap_or_default());
    if let Some(diff) = body["diff"].as_str() {
        writeln!(out, "{}", harmless(diff))?;
    }
    for file in list("files") {
        let from = file["from"].as_str().map(|from| format!(" from {}", harmless(from))).unwrap_or_default();
        writeln!(
            out,
            "{:<9} {PATH}{}{PATH:#}{from} {DIM}+{} -{}{DIM:#}",
            word(&file["change"]),
            word(&file["file_path"]),
            file["added"],
            file["removed"]
        )?;
    }
    for (name, words) in
        [("dangling_callers", "uses what was removed"), ("callers_to_check", "call to check")]
    {
        for one in list(name) {
            writeln!(out, "{BAD}{words}{BAD:#} {PATH}{}{PATH:#} {}", word(&one["at"]), word(&one["source"]))?;
        }
    }
    for insight in list("proactive_insights") {
        writeln!(out, "{}", word(&insight))?;
    }
    let tests: Vec<String> =
        body["tests"]["run"].as_array().into_iter().flatten().map(|test| word(&test["at"])).collect();
    if !tests.is_empty() {
        writeln!(out, "tests: {}", tests.join(" "))?;
    }
    match body["batch_id"].as_str() {
        Some(id) => writeln!(out, "{DIM}m1nd apply --undo {id} takes it back{DIM:#}"),
        None if body["diff"].is_null() => writeln!(out, "nothing to change"),
        None => Ok(()),
    }
}
