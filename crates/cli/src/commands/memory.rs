//! `m1nd memory`: what agents remembered about this repository, for people.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand, ValueEnum};
use m1nd_memory::{MemoryError, Ports, transfer, workspace};
use m1nd_runtime::Runtime;
use m1nd_runtime::faults::from_memory;
use serde_json::{Value, json};

use crate::args::Global;
use crate::output::{self, DIM, Reader, harmless};
use crate::wiring;

mod shown;

use shown::{branches, brief, entries, hits, log};
pub use shown::{list, more, word};

#[derive(Debug, Args)]
pub struct Memory {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Place,
}

/// Which memory is meant, and who reads the answer.
#[derive(Debug, Args)]
pub struct Place {
    /// Name that agents gave as `workspace` [default: the only one there is]
    #[arg(long = "in", global = true, value_name = "NAME")]
    name: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Print text through a pipe too, as in `m1nd memory log --text | less`
    #[arg(long, global = true, conflicts_with = "json")]
    pub text: bool,
}

impl Place {
    pub fn reader(&self) -> Reader {
        Reader::chosen(self.json, self.text)
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What a new session would be told
    Brief {
        /// A plan or task [default: the one in focus]
        target: Option<String>,
    },
    /// Points that were reached on a branch
    Log {
        /// Branch [default: the checked out one]
        branch: Option<String>,
        /// Most points to print
        #[arg(short = 'k', long, default_value_t = 20)]
        limit: u32,
    },
    /// Notes, newest first
    Show {
        /// A plan or task, or a branch [default: the checked out branch]
        of: Option<String>,
        /// Document of a branch
        #[arg(long, default_value = "notes")]
        doc: String,
        /// What happened to a plan or task instead of notes about it
        #[arg(long)]
        trace: bool,
        /// Most entries to print
        #[arg(short = 'k', long, default_value_t = 20)]
        limit: u32,
    },
    /// Notes that one branch has and another has not
    Diff {
        /// The branch to compare with
        from: String,
        /// The branch whose notes are printed
        to: String,
        /// Document
        #[arg(long, default_value = "notes")]
        doc: String,
        /// Most entries to print
        #[arg(short = 'k', long, default_value_t = 200)]
        limit: u32,
    },
    /// Copy a branch's notes into another, or merge its graph back
    Merge {
        /// The branch to take from
        from: String,
        /// The branch to write to
        into: String,
        /// Merge the knowledge graph instead of the notes
        #[arg(long)]
        graph: bool,
        /// Document [default: notes, or the branch's only graph]
        #[arg(long)]
        doc: Option<String>,
        /// Only tell what would happen
        #[arg(long)]
        dry_run: bool,
    },
    /// Branches, newest first
    Branches,
    /// Find notes, cards, tasks and plans by their words
    Search {
        /// Words to look for
        #[arg(required = true)]
        words: Vec<String>,
        /// Most hits to print
        #[arg(short = 'k', long, default_value_t = 20)]
        limit: u32,
    },
    /// Names under which something is remembered here
    Names,
    /// Write everything that is remembered under one name
    Export {
        /// jsonl is for programs, markdown can be read; both can be imported again
        #[arg(long, value_enum, default_value_t = Format::Jsonl)]
        format: Format,
        /// File to write [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Read an export in, under a name where nothing is remembered yet
    Import {
        /// File that `export` wrote; - reads the standard input
        file: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Jsonl,
    Markdown,
}

pub fn run(global: &Global, memory: &Memory) -> anyhow::Result<ExitCode> {
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    let place = &memory.place;
    let ask = |tool: &str, arguments: Value, person: Show| ask(&runtime, place, tool, arguments, person);
    match &memory.command {
        Command::Brief { target } => ask("brief", json!({ "target": target }), brief),
        Command::Log { branch, limit } => {
            ask("branchmind_log", json!({ "branch": branch, "limit": limit, "max_chars": LARGE }), log)
        }
        Command::Show { of, doc, trace, limit } => {
            let at = match of.as_deref() {
                Some(of) if is_entity(of) => {
                    json!({ "target": of, "doc_kind": if *trace { "trace" } else { "notes" } })
                }
                Some(branch) => json!({ "branch": branch, "doc": doc }),
                None => json!({ "branch": checked_out(&runtime, place)?, "doc": doc }),
            };
            ask("branchmind_show", with(at, json!({ "limit": limit, "max_chars": LARGE })), entries)
        }
        Command::Diff { from, to, doc, limit } => {
            let wanted = json!({ "from": from, "to": to, "doc": doc, "limit": limit, "max_chars": LARGE });
            ask("branchmind_diff", wanted, entries)
        }
        Command::Merge { from, into, graph, doc, dry_run } => {
            let tool = if *graph { "branchmind_graph_merge" } else { "branchmind_merge" };
            let wanted = json!({ "from": from, "into": into, "doc": doc, "dry_run": dry_run });
            merge_all(&runtime, place, tool, wanted)
        }
        Command::Branches => {
            ask("branchmind_branch_list", json!({ "limit": u32::MAX, "max_chars": LARGE }), branches)
        }
        Command::Search { words, limit } => ask(
            "memory_search",
            json!({ "query": words.join(" "), "limit": limit, "max_chars": LARGE }),
            hits,
        ),
        Command::Names => list_names(&runtime, place),
        Command::Export { format, output } => export(&runtime, place, *format, output.as_deref()),
        Command::Import { file } => import(&runtime, place, file),
    }
}

/// No list of a page's length is longer.
const LARGE: u32 = 1_000_000;

type Show = fn(&mut dyn Write, &Value) -> io::Result<()>;

/// Asks a tool of memory or tasks under the name that is meant, page by page up to `limit`.
pub fn ask(
    runtime: &Runtime,
    place: &Place,
    tool: &str,
    arguments: Value,
    person: Show,
) -> anyhow::Result<ExitCode> {
    let wanted = with(arguments, json!({ "workspace": name(runtime, place)? }));
    let limit = wanted["limit"].as_u64().unwrap_or_default();
    let mut reply = super::ask(runtime, tool, wanted.clone());
    while !reply.is_error {
        let page = &reply.body["pagination"];
        let rest = limit.saturating_sub(page["count"].as_u64().unwrap_or_default());
        if rest == 0 || page["next_cursor"].is_null() {
            break;
        }
        let more = with(wanted.clone(), json!({ "cursor": page["next_cursor"], "limit": rest }));
        let next = super::ask(runtime, tool, more);
        if next.is_error {
            reply = next;
            break;
        }
        append(&mut reply.body, next.body);
    }
    output::print(&reply, place.reader(), |out, body| person(out, body))
}

/// Puts the lists of the next page behind those of this one.
fn append(body: &mut Value, next: Value) {
    let Value::Object(next) = next else { return };
    let before = body["pagination"]["count"].as_u64().unwrap_or_default();
    for (field, value) in next {
        match (&mut body[&field], value) {
            (Value::Array(here), Value::Array(more)) => here.extend(more),
            (here, value) if field == "pagination" => {
                let count = before + value["count"].as_u64().unwrap_or_default();
                *here = with(value, json!({ "count": count }));
            }
            (here, Value::Bool(true)) => *here = Value::Bool(true),
            _ => {}
        }
    }
}

/// Merges page by page, so that a person asks once.
fn merge_all(runtime: &Runtime, place: &Place, tool: &str, wanted: Value) -> anyhow::Result<ExitCode> {
    let workspace = name(runtime, place)?;
    let wanted = with(wanted, json!({ "workspace": workspace }));
    let mut reply = super::ask(runtime, tool, wanted.clone());
    let (mut sums, mut open) = ([0; 3], 0);
    const FIELDS: [&str; 3] = ["merged", "skipped", "conflicts_created"];
    while !reply.is_error {
        for (sum, field) in sums.iter_mut().zip(FIELDS) {
            *sum += reply.body[field].as_u64().unwrap_or_default();
        }
        open += reply.body["still_open"].as_array().map_or(0, Vec::len) as u64;
        let cursor = reply.body["pagination"]["next_cursor"].clone();
        if cursor.is_null() {
            for (sum, field) in sums.iter().zip(FIELDS) {
                if let Some(shown) = reply.body.get_mut(field) {
                    *shown = json!(sum);
                }
            }
            break;
        }
        reply = super::ask(runtime, tool, with(wanted.clone(), json!({ "cursor": cursor })));
    }
    output::print(&reply, place.reader(), |out, body| {
        let would = if body["dry_run"] == true { "would be " } else { "" };
        write!(out, "{} {would}merged, {} skipped", body["merged"], body["skipped"])?;
        let new = body["conflicts_created"].as_u64().unwrap_or_default();
        if new > 0 {
            write!(out, ", {new} new conflicts")?;
        }
        if open > 0 {
            write!(out, ", {open} conflicts still open")?;
        }
        match new + open {
            0 => writeln!(out),
            _ => writeln!(
                out,
                "\n{DIM}m1nd call branchmind_graph_conflicts --workspace {workspace} --into {} lists them{DIM:#}",
                word(&body["into"])
            ),
        }
    })
}

/// The name that is meant: the given one, which must be known, the only one there is, or the folder's.
pub fn name(runtime: &Runtime, place: &Place) -> anyhow::Result<String> {
    let names = names(runtime)?;
    if let Some(name) = &place.name {
        if names.contains(name) {
            return Ok(name.clone());
        }
        let known = if names.is_empty() { "nothing yet".to_owned() } else { names.join(", ") };
        bail!("nothing is remembered under {name:?}; there is {known}");
    }
    match names.as_slice() {
        [only] => Ok(only.clone()),
        [] => {
            let folder =
                runtime.workspace().and_then(|bound| bound.root().path().file_name().map(Into::into));
            let folder: Option<std::ffi::OsString> = folder;
            Ok(folder.map_or_else(|| "main".into(), |name| name.to_string_lossy().into_owned()))
        }
        several => bail!("several names are remembered here ({}); choose one with --in", several.join(", ")),
    }
}

fn names(runtime: &Runtime) -> anyhow::Result<Vec<String>> {
    let Some(bound) = runtime.workspace().filter(|bound| bound.has_memory()) else {
        return Ok(Vec::new());
    };
    with_ports(runtime, &bound, workspace::names)
}

fn list_names(runtime: &Runtime, place: &Place) -> anyhow::Result<ExitCode> {
    let names = match &place.name {
        Some(_) => vec![name(runtime, place)?],
        None => names(runtime)?,
    };
    match place.reader() {
        Reader::Program => anstream::println!("{}", json!({ "names": names })),
        Reader::Person if names.is_empty() => {
            anstream::println!("{DIM}nothing is remembered here yet{DIM:#}")
        }
        Reader::Person => names.iter().for_each(|name| anstream::println!("{}", harmless(name))),
    }
    Ok(ExitCode::SUCCESS)
}

fn checked_out(runtime: &Runtime, place: &Place) -> anyhow::Result<String> {
    let reply = super::ask(runtime, "branchmind_status", json!({ "workspace": name(runtime, place)? }));
    Ok(reply.body["checkout"].as_str().unwrap_or("main").to_owned())
}

fn export(
    runtime: &Runtime,
    place: &Place,
    format: Format,
    output: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let name = name(runtime, place)?;
    let bound =
        runtime.workspace().filter(|bound| bound.has_memory()).context("nothing is remembered here yet")?;
    let write = |out: &mut dyn Write| {
        with_ports(runtime, &bound, |ports| match format {
            Format::Jsonl => transfer::export_jsonl(ports, &name, out).map(drop),
            Format::Markdown => transfer::export_markdown(ports, &name, out).map(drop),
        })
    };
    match output {
        None => {
            let mut pipe = Pipe { out: BufWriter::new(io::stdout().lock()), closed: false };
            let written = write(&mut pipe);
            // `m1nd memory export | head` closes the pipe early, which is no failure of ours.
            if !pipe.closed {
                written?;
            }
        }
        Some(path) => {
            // The file appears whole or not at all.
            let mut draft = path.as_os_str().to_owned();
            draft.push(format!(".part-{}", std::process::id()));
            let draft = PathBuf::from(draft);
            let failed = || format!("{} cannot be written", path.display());
            let file = File::create(&draft).with_context(failed)?;
            let written = write(&mut BufWriter::new(&file)).and_then(|()| Ok(file.sync_all()?));
            if let Err(err) = written {
                fs::remove_file(&draft).with_context(failed)?;
                return Err(err);
            }
            fs::rename(&draft, path).with_context(failed)?;
            anstream::eprintln!("wrote {}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Output whose reader may go away.
struct Pipe<W> {
    out: W,
    closed: bool,
}

impl<W> Pipe<W> {
    fn noted<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.closed |= done.as_ref().is_err_and(|err| err.kind() == io::ErrorKind::BrokenPipe);
        done
    }
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.noted(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.noted(done)
    }
}

/// The text of an export; `-` is the standard input.
fn read_export(path: &Path) -> anyhow::Result<String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("the standard input cannot be read")?;
        bytes
    } else {
        std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?
    };
    String::from_utf8(bytes).map_err(|_| {
        anyhow::anyhow!("{} is not text; import reads what m1nd memory export has written", path.display())
    })
}

fn import(runtime: &Runtime, place: &Place, path: &Path) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(!runtime.settings().read_only, "importing writes, and --read-only is set");
    let bound = runtime.workspace().context("there is no workspace; change to a repository or name one")?;
    let export = read_export(path)?;
    let name = match &place.name {
        Some(name) => name.clone(),
        None => transfer::exported_name(&mut export.as_bytes())
            .context("the file does not say a name; give one with --in")?,
    };
    let counts = with_ports(runtime, &bound, |ports| transfer::import(ports, &name, &mut export.as_bytes()))?;
    let said = json!({ "name": name, "counts": counts });
    match place.reader() {
        Reader::Program => anstream::println!("{said}"),
        Reader::Person => output::plain(&mut anstream::stdout().lock(), &said)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Work on the store itself, for what is too large for a tool's answer.
fn with_ports<T>(
    runtime: &Runtime,
    bound: &m1nd_runtime::workspace::Workspace,
    work: impl FnOnce(&Ports<'_>) -> Result<T, MemoryError>,
) -> anyhow::Result<T> {
    let store = bound.memory();
    let done = store.map_err(MemoryError::from).and_then(|store| work(&Ports::new(&*store, runtime.clock())));
    done.map_err(|err| {
        let fault = from_memory::refusal("memory", bound.root(), &err);
        anyhow::anyhow!("{} {}", fault.message, fault.recovery.hint)
    })
}

pub fn is_entity(text: &str) -> bool {
    ["PLAN-", "TASK-"].iter().any(|kind| text.starts_with(kind))
}

fn with(mut arguments: Value, more: Value) -> Value {
    if let (Value::Object(map), Value::Object(more)) = (&mut arguments, more) {
        map.extend(more);
    }
    arguments
}
