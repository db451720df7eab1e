//! What can be written on the command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

/// A local map and memory for coding agents.
///
/// Hosts start `m1nd serve`. People can ask the same questions: `m1nd search TEXT`, `m1nd view PATH`,
/// `m1nd call TOOL`. Nothing leaves this machine.
#[derive(Debug, Parser)]
#[command(name = "m1nd", version = version(), arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

pub const VERSION: &str = env!("CARGO_PKG_VERSION");
pub const BUILD_HASH: &str = env!("M1ND_BUILD_HASH");

/// By this other builds know which one a file is, without running it.
#[used]
static BUILD_MARK: &str =
    concat!("m1nd-build-mark:", env!("CARGO_PKG_VERSION"), " (", env!("M1ND_BUILD_HASH"), ");");

fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("M1ND_BUILD_HASH"), ")")
}

/// Options of every command.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Global {
    /// Folder to work on [default: the git work tree around the current folder; the variable
    /// M1ND_WORKSPACE_ROOT overrides this flag]
    #[arg(long, global = true, value_name = "PATH")]
    pub workspace: Option<PathBuf>,
    /// Folder for m1nd's state about the workspace [default: below M1ND_HOME, which is ~/.m1nd]
    #[arg(long, global = true, value_name = "PATH")]
    pub runtime_root: Option<PathBuf>,
    /// Toolsets to list, separated by commas, or `all`
    #[arg(long, global = true, value_name = "NAMES")]
    pub toolsets: Option<String>,
    /// Refuse every tool that writes memory or files
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Log to the terminal too; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve MCP over stdin and stdout, or over HTTP
    Serve(Serve),
    /// Call any tool by name
    Call(Call),
    /// List the tools
    Tools {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Search the files of the workspace for text
    Search(Search),
    /// Find code by what it is about
    Seek(Seek),
    /// Show what goes with a name
    Activate(Activate),
    /// Show numbered lines of a file
    View(View),
    /// Read the workspace into the code graph
    Ingest(IngestArgs),
    /// Who calls a function
    Callers(Named),
    /// What a function calls
    Callees(Named),
    /// What a change of a node, a diff or a git range reaches
    Impact(ImpactArgs),
    /// Review a change set: what it breaks, what it leaves out, who knows its files
    ///
    /// Exit codes: 0 reviewed; 1 it could not be reviewed; 2 wrong arguments; 3 with --fail-on, a finding is at least that bad.
    Review(ReviewArgs),
    /// Change files, all or none: a batch as JSON, or a unified diff
    Apply(crate::commands::apply::Apply),
    /// Which other files change with these
    Predict {
        /// Paths or names that change
        #[arg(required = true, value_name = "NODE")]
        nodes: Vec<String>,
        /// How many
        #[arg(long, default_value_t = 10)]
        top: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// From a stack trace or a compiler's output to the code it went through
    Trace {
        /// File that holds it [default: standard input]
        file: Option<PathBuf>,
        /// Whose trace it is, if it is not evident
        #[arg(long)]
        language: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The signatures of a file or folder
    Outline {
        /// File or folder
        #[arg(default_value = ".")]
        path: String,
        /// Levels to show
        #[arg(long, default_value_t = 3)]
        depth: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What agents remembered: brief, notes, branches, search, export, import
    Memory(crate::commands::memory::Memory),
    /// Plans and tasks: what is there, what is ready, where one stands
    Tasks(crate::commands::tasks::Tasks),
    /// Numbers about the graph and this installation
    Stats {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Explain a tool, or find the tool for what you want to do
    Help {
        /// A tool's name, or words that say what you want
        #[arg(value_name = "TOOL OR WORDS")]
        words: Vec<String>,
    },
    /// Check a mission's proof packet: whether it is whole, and its files are as they were
    Verify(crate::commands::verify::Verify),
    /// Set m1nd up for a workspace: what agents should know of it, and the entry of a host
    Init(crate::commands::init::Init),
    /// Check this installation and say what is wrong
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the settings in force
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Print a script that completes m1nd's commands in your shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Let agents with fixed policies play missions on small repositories, and count what came of it
    ///
    /// Exit codes: 0 everything that missions promise held; 1 something did not.
    Gym {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Measure m1nd on a repository of yours
    Bench {
        #[command(subcommand)]
        command: BenchCommand,
    },
}

#[derive(Debug, ClapArgs)]
pub struct Serve {
    /// Serve HTTP on this address instead of stdin and stdout
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8137")]
    pub http: Option<String>,
    /// Allow an HTTP address that other machines can reach
    #[arg(long, requires = "http")]
    pub allow_remote: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Call {
    /// Name of the tool, then its arguments: --json '{"query": "x"}', or --query x --top-k 5; --json
    /// alone prints JSON
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_names = ["TOOL", "ARGUMENTS"])]
    pub words: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Search {
    /// Text to look for
    pub query: String,
    /// Folder, file or beginning of a path to look in
    pub scope: Option<String>,
    /// Read the text as a regular expression
    #[arg(short = 'e', long)]
    pub regex: bool,
    /// Let the expression match across lines
    #[arg(long, requires = "regex")]
    pub multiline: bool,
    /// Tell upper from lower case
    #[arg(short = 's', long)]
    pub case_sensitive: bool,
    /// Only paths that match this pattern
    #[arg(short, long, value_name = "PATTERN")]
    pub glob: Option<String>,
    /// Lines around each match
    #[arg(short = 'C', long, default_value_t = 0)]
    pub context: u32,
    /// Most matches to print
    #[arg(short = 'k', long, default_value_t = 50)]
    pub top_k: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Seek {
    /// A bug report, a feature or an error, in your words
    #[arg(required = true, value_name = "WORDS")]
    pub query: Vec<String>,
    /// Folder, file or beginning of a path to look in
    #[arg(long, value_name = "PATH")]
    pub scope: Option<String>,
    /// Show files with their best symbols
    #[arg(short, long)]
    pub files: bool,
    /// Most results to print
    #[arg(short = 'k', long, default_value_t = 10)]
    pub top_k: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Activate {
    /// Names or words to start from
    #[arg(required = true, value_name = "WORDS")]
    pub query: Vec<String>,
    /// Most nodes to print
    #[arg(short = 'k', long, default_value_t = 10)]
    pub top_k: u32,
    /// Let nothing be learned from the question
    #[arg(long)]
    pub no_learn: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct View {
    /// File to show; path:12-40 names lines
    pub path: String,
    /// First line
    #[arg(long)]
    pub offset: Option<u64>,
    /// Number of lines
    #[arg(long)]
    pub limit: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Named {
    /// Name, path:line or node id
    pub node: String,
    /// Most calls to print
    #[arg(short = 'k', long, default_value_t = 100)]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every setting, its value, and where the value came from
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, ClapArgs)]
pub struct BenchGraph {
    /// Repository to measure, on a copy [default: the current folder]
    pub path: Option<PathBuf>,
    /// A compiler's index of it: prints precision and recall of call edges
    #[arg(long, value_name = "FILE")]
    pub scip: Option<PathBuf>,
    /// Folder that the index's paths start from
    #[arg(long, value_name = "FOLDER", default_value = "", requires = "scip")]
    pub under: String,
    /// List the wrong and the missed edges
    #[arg(long, requires = "scip")]
    pub list: bool,
    /// Make a Rust program of this many lines and measure that
    #[arg(long, value_name = "LINES", conflicts_with_all = ["path", "scip"])]
    pub generate: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct IngestArgs {
    /// The workspace, if it is not the current one
    pub path: Option<PathBuf>,
    /// Parse every file again
    #[arg(long)]
    pub full: bool,
    /// Put another repository into the same graph
    #[arg(long, value_name = "FOLDER", conflicts_with = "full")]
    pub add_root: Option<PathBuf>,
    /// How its paths begin [default: its folder's name]
    #[arg(long = "as", value_name = "NAME", requires = "add_root")]
    pub name: Option<String>,
    /// Take another repository out of the graph
    #[arg(long, value_name = "NAME", conflicts_with_all = ["full", "add_root"])]
    pub remove_root: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct ImpactArgs {
    /// Node id, path, path:line or name
    #[arg(conflicts_with = "diff")]
    pub node: Option<String>,
    /// A git range (main...HEAD), a commit to compare the files with, a file with a diff, or - for standard input
    #[arg(long, value_name = "RANGE")]
    pub diff: Option<String>,
    /// forward: what it affects; reverse: what it depends on; both
    #[arg(long, default_value = "forward")]
    pub direction: String,
    /// Steps to go
    #[arg(long, default_value_t = 3)]
    pub max_hops: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct ReviewArgs {
    /// Git ref to compare the files with, from where HEAD left it [default: the default branch]
    #[arg(long, value_name = "REF", conflicts_with = "diff")]
    pub base: Option<String>,
    /// Instead: a git range (HEAD~1..HEAD), a file with a diff, or - for standard input
    #[arg(long, value_name = "RANGE")]
    pub diff: Option<String>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReviewFormat,
    /// Exit with 3 where a finding is at least this bad
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<Threshold>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReviewFormat {
    Text,
    Json,
    /// SARIF 2.1.0
    Sarif,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Threshold {
    Low,
    Medium,
    High,
    Critical,
}

impl Threshold {
    pub fn of(severity: &str) -> Option<Self> {
        clap::ValueEnum::from_str(severity, false).ok()
    }
}

#[derive(Debug, ClapArgs)]
pub struct BenchRetrieval {
    /// Repository with its history: a work tree or a bare git directory; may be given more than once
    #[arg(long, value_name = "PATH", required = true)]
    pub repo: Vec<PathBuf>,
    /// Take times only, of each folder as it is: of the indexes, and of seek, activate and why asked through a server
    #[arg(long, conflicts_with_all = ["fit", "explain", "ablate"])]
    pub latency: bool,
    /// Show what the ranking is without each signal, and what the engines of `activate` would add to it
    #[arg(long, conflicts_with_all = ["fit", "explain"])]
    pub ablate: bool,
    /// With --fit: leave a signal out; may be given more than once
    #[arg(long, value_name = "SIGNAL", requires = "fit")]
    pub without: Vec<String>,
    /// How many later commits to ask about
    #[arg(long, value_name = "COUNT", default_value = "100")]
    pub commits: NonZeroUsize,
    /// For every file that was not among the first ten, show where each signal put it
    #[arg(long)]
    pub explain: bool,
    /// Find the weights that rank best on these repositories, and print them as they stand in the source
    #[arg(long, conflicts_with = "explain")]
    pub fit: bool,
    /// Fit the constants inside the signals too, which takes long
    #[arg(long, requires = "fit")]
    pub tune: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Time `search` against ripgrep on the same repository, in one run
    Search {
        /// Repository to search
        #[arg(long, value_name = "PATH")]
        repo: PathBuf,
        /// Queries [default: a rare word, a common word, a word that is nowhere]
        #[arg(long = "query", value_name = "TEXT")]
        queries: Vec<String>,
        /// Runs of each, of which the median counts
        #[arg(long, default_value_t = 15)]
        runs: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Measure the code graph: ingest against bare parsing, refreshes, memory, and truth against an index
    Graph(BenchGraph),
    /// Measure how well questions find files: later commits of a repository, asked at an earlier state of it
    Retrieval(BenchRetrieval),
    /// Measure whether risky files are those that later commits mend: an earlier state of a repository, judged by what came after
    Risk {
        /// Repository with its history: a work tree or a bare git directory; may be given more than once
        #[arg(long, value_name = "PATH", required = true)]
        repo: Vec<PathBuf>,
        /// How many later commits to judge by; at most half of the history
        #[arg(long, value_name = "COUNT", default_value = "500")]
        commits: NonZeroUsize,
        /// Measure instead how long impact, panoramic and review take in a server, with all repositories in one graph
        #[arg(long)]
        latency: bool,
        /// With --latency: how often each question is asked
        #[arg(long, value_name = "COUNT", default_value_t = 5)]
        runs: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Time the calls of a mission that has many events
    Mission {
        /// How many
        #[arg(long, default_value_t = 10_000)]
        events: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Time what agents ask before an edit, and batches of several files, on a copy of a repository
    Edit {
        /// Repository to copy
        #[arg(long, value_name = "PATH")]
        repo: PathBuf,
        /// Files of a batch
        #[arg(long, default_value_t = 20)]
        files: usize,
        /// Runs of each, of which the median counts
        #[arg(long, default_value_t = 9)]
        runs: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Time the start of `m1nd serve`, and watch its memory over many searches
    Serve {
        /// Repository to serve
        #[arg(long, value_name = "PATH")]
        repo: PathBuf,
        /// Searches to make in one session
        #[arg(long, default_value_t = 1_000)]
        calls: usize,
        /// Starts, of which the median counts
        #[arg(long, default_value_t = 15)]
        runs: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
