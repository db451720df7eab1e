//! Tool: what one file of the `tools` crate provides, and how it is put on a table.

use std::fmt;
use std::str::FromStr;

use m1nd_contract::budget::cut_text;
use m1nd_contract::header::Field;
use m1nd_contract::{Fault, Guidance, ProofState, Trim, schema};
use m1nd_mission::Family;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::Ctx;
use crate::pipeline::decode_input;

/// One tool. Everything that is known about it anywhere comes from here.
pub trait Tool: 'static {
    /// Arguments beyond the header. Doc comments on fields become the schema's descriptions.
    type Input: DeserializeOwned + JsonSchema;
    /// The answer without its envelope.
    type Output: Serialize + JsonSchema + Trim + 'static;
    const SPEC: Spec;

    /// Resolves the arguments, asks one engine or flow, shapes the output, points to the next step.
    fn run(ctx: &Ctx<'_>, input: Self::Input) -> Result<Answer<Self::Output>, Fault>;
}

/// What a tool says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub name: &'static str,
    /// Other names that still work; dotted forms of `name` always do.
    pub aliases: &'static [&'static str],
    /// One or two sentences: what an agent reads in the tool list.
    pub summary: &'static str,
    /// What `help` adds to the summary.
    pub help: &'static str,
    /// Words by which `help` finds this tool for an intent.
    pub intents: &'static [&'static str],
    pub effect: Effect,
    pub needs: Needs,
    /// Other names of listed arguments, accepted and not listed.
    pub also_takes: &'static [&'static str],
    /// Who must be named: an agent or a reasoning workspace.
    pub caller: Field,
    /// Bytes of an answer unless `max_chars` says otherwise; `None` for answers of a fixed size.
    pub budget: Option<usize>,
    /// Whether answers carry the runtime contract.
    pub contract: bool,
    /// Whether answers say how fresh they are.
    pub fresh: bool,
    /// For families of many tools: listings leave the output's schema, and words about what all of the family
    /// take, to `help` and the documentation.
    pub lean: bool,
    /// Whether an explicit `null` argument means something else than leaving it out.
    pub null_means_clear: bool,
    /// What a call is for, as missions count it.
    pub family: Family,
    /// What an answer spares an agent, for `savings`.
    pub saves: Saves,
    pub examples: &'static [Example],
}

/// How much of a question is told as the target of the next step, in bytes.
const MAX_TARGET: usize = 200;

/// What an agent would have read instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    /// Several files to see what belongs together.
    Activation,
    /// Everything around a change.
    Blast,
    /// The files around an edit.
    Surgery,
    /// A text search and the files that it finds.
    Search,
    Other,
}

impl Spec {
    /// A small reading tool; specs override what differs.
    pub const READ: Spec = Spec {
        name: "",
        aliases: &[],
        summary: "",
        help: "",
        intents: &[],
        effect: Effect::Read,
        needs: Needs::Workspace,
        also_takes: &[],
        caller: Field::AgentId,
        budget: None,
        contract: false,
        fresh: false,
        lean: false,
        null_means_clear: false,
        family: Family::Other,
        saves: Saves::Other,
        examples: &[],
    };
}

/// A call that works, for help, documentation and tests.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub says: &'static str,
    /// Arguments as JSON, without the header.
    pub arguments: &'static str,
}

/// What a call does to the world. Gives the lane, the MCP annotations and what `--read-only` refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes this process only, such as the tool list.
    Configure,
    /// Moves learned weights.
    Learn,
    /// Writes to the store.
    Remember,
    /// Makes a new generation of the graph.
    Ingest,
    /// Writes the user's files.
    WriteFiles,
}

impl Effect {
    pub fn read_only(self) -> bool {
        matches!(self, Effect::Read)
    }

    /// Whether the call can lose something of the user's.
    pub fn destructive(self) -> bool {
        matches!(self, Effect::WriteFiles)
    }

    /// Whether repeating the call changes nothing more.
    pub fn idempotent(self) -> bool {
        matches!(self, Effect::Read | Effect::Configure | Effect::Ingest)
    }

    /// Whether `--read-only` refuses it: what outlives the process.
    pub fn writes_state(self) -> bool {
        matches!(self, Effect::Remember | Effect::WriteFiles)
    }
}

/// What must be there before a call is worth running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Workspace,
    Graph,
}

/// A tool's output with what the envelope wants to know of it.
#[derive(Debug)]
pub struct Answer<T> {
    pub output: T,
    pub proof: Option<ProofState>,
    pub guidance: Guidance,
    /// How many things were found, for the runtime contract and the query log.
    pub candidates: Option<u64>,
    /// The scope that was asked for, for the runtime contract.
    pub scope: Option<String>,
    /// Bytes that this answer may have, where the tool's usual budget does not fit it; `max_chars` overrides both.
    pub budget: Option<usize>,
}

impl<T> Answer<T> {
    pub fn of(output: T) -> Self {
        Self {
            output,
            proof: None,
            guidance: Guidance::default(),
            candidates: None,
            scope: None,
            budget: None,
        }
    }

    #[must_use]
    pub fn proof(mut self, proof: ProofState) -> Self {
        self.proof = Some(proof);
        self
    }

    #[must_use]
    pub fn next(mut self, mut guidance: Guidance) -> Self {
        // A question that was asked is known to who asked it: its beginning is enough. Paths and ids have no spaces.
        if let Some(target) = guidance.next_suggested_target.as_mut().filter(|target| target.contains(' ')) {
            cut_text(target, MAX_TARGET);
        }
        self.guidance = guidance;
        self
    }

    #[must_use]
    pub fn candidates(mut self, count: u64) -> Self {
        self.candidates = Some(count);
        self
    }

    #[must_use]
    pub fn budget(mut self, bytes: usize) -> Self {
        self.budget = Some(bytes);
        self
    }

    #[must_use]
    pub fn scope(mut self, scope: Option<String>) -> Self {
        self.scope = scope;
        self
    }

    fn erase(self) -> Answer<Box<dyn Output>>
    where
        T: Serialize + Trim + 'static,
    {
        Answer {
            output: Box::new(self.output),
            proof: self.proof,
            guidance: self.guidance,
            candidates: self.candidates,
            scope: self.scope,
            budget: self.budget,
        }
    }
}

/// Any tool's output, once its type no longer matters.
pub(crate) trait Output {
    fn to_value(&self) -> Result<Value, serde_json::Error>;
    fn trim(&mut self, excess: usize) -> bool;
}

impl<T: Serialize + Trim> Output for T {
    fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }

    fn trim(&mut self, excess: usize) -> bool {
        Trim::trim(self, excess)
    }
}

type Run = fn(&Ctx<'_>, Map<String, Value>) -> Result<Answer<Box<dyn Output>>, Fault>;

/// A tool on a table: its spec and what can be done with it, without its types.
#[derive(Clone, Copy)]
pub struct Entry {
    pub spec: &'static Spec,
    pub(crate) input_schema: fn() -> Value,
    pub(crate) output_schema: fn() -> Value,
    pub(crate) run: Run,
}

impl fmt::Debug for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Entry").field(&self.spec.name).finish()
    }
}

/// The table row of a tool.
pub const fn entry<T: Tool>() -> Entry {
    Entry {
        spec: &T::SPEC,
        input_schema: schema::of::<T::Input>,
        output_schema: schema::of::<T::Output>,
        run: |ctx, arguments| {
            let input = decode_input(T::SPEC.name, arguments)?;
            T::run(ctx, input).map(Answer::erase)
        },
    }
}

/// A folder of tools.
#[derive(Clone, Copy, Debug)]
pub struct Toolset {
    pub name: ToolsetName,
    /// One line for `help` and `toolset_enable`.
    pub about: &'static str,
    pub tools: &'static [Entry],
}

/// The shelf's compartments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolsetName {
    Core,
    Graph,
    Change,
    Risk,
    Edit,
    Navigate,
    Memory,
    Tasks,
    Mission,
    Docs,
    Ops,
}

impl ToolsetName {
    pub const ALL: [ToolsetName; 11] = [
        ToolsetName::Core,
        ToolsetName::Graph,
        ToolsetName::Change,
        ToolsetName::Risk,
        ToolsetName::Edit,
        ToolsetName::Navigate,
        ToolsetName::Memory,
        ToolsetName::Tasks,
        ToolsetName::Mission,
        ToolsetName::Docs,
        ToolsetName::Ops,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ToolsetName::Core => "core",
            ToolsetName::Graph => "graph",
            ToolsetName::Change => "change",
            ToolsetName::Risk => "risk",
            ToolsetName::Edit => "edit",
            ToolsetName::Navigate => "navigate",
            ToolsetName::Memory => "memory",
            ToolsetName::Tasks => "tasks",
            ToolsetName::Mission => "mission",
            ToolsetName::Docs => "docs",
            ToolsetName::Ops => "ops",
        }
    }
}

impl fmt::Display for ToolsetName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for ToolsetName {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|name| name.as_str() == word).ok_or(())
    }
}
