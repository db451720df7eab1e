//! Registry: every tool by name and alias, with its schemas made once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use m1nd_contract::header::Field;
use m1nd_contract::schema;
use m1nd_mission::Family;
use m1nd_stdx::nearest::nearest;
use serde_json::{Map, Value, json};

use crate::tool::{Effect, Entry, Toolset, ToolsetName};

/// The tool that explains the others; faults about arguments point to it.
pub const HELP: &str = "help";

/// All tools of a build.
#[derive(Debug)]
pub struct Registry {
    rows: Vec<Row>,
    by_name: BTreeMap<&'static str, usize>,
    toolsets: &'static [Toolset],
}

#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) entry: Entry,
    pub(crate) toolset: ToolsetName,
    schemas: OnceLock<Schemas>,
}

#[derive(Debug)]
struct Schemas {
    input: Value,
    /// The input as hosts are shown it.
    listed: Value,
    output: Option<Value>,
    own_fields: BTreeSet<String>,
}

/// A tool as a host sees it.
#[derive(Clone, Debug)]
pub struct Listing {
    pub name: &'static str,
    pub toolset: ToolsetName,
    pub description: &'static str,
    pub input_schema: Value,
    /// Absent for tools that answer with plain text, and where the documentation has it.
    pub output_schema: Option<Value>,
    pub effect: Effect,
}

/// What a list of all tools may cost, with some room for what transports add.
const LIST_BYTES: usize = 58_000;
/// Names, braces and annotations of one tool.
const ENTRY_BYTES: usize = 160;

/// What is left out of long lists, in this order.
const THINNER: [fn(&mut Listing); 12] = [
    |tool| tool.output_schema = None,
    |tool| describe_only_required(&mut tool.input_schema),
    |tool| tool.input_schema = schema::without_descriptions(&tool.input_schema),
    |tool| only_names_and_types(&mut tool.input_schema),
    |tool| tool.description = first_part(tool.description),
    |tool| leave_out_depths(&mut tool.input_schema),
    |tool| leave_out_words(&mut tool.input_schema),
    |tool| leave_out(&mut tool.input_schema, |_, name| LATER.contains(&name)),
    |tool| leave_out(&mut tool.input_schema, |at, _| at >= OPTIONAL),
    |tool| leave_out(&mut tool.input_schema, |at, _| at >= OPTIONAL - 1),
    |tool| leave_out(&mut tool.input_schema, |at, _| at >= OPTIONAL - 2),
    |tool| leave_out(&mut tool.input_schema, |_, _| true),
];

/// Optional arguments that mean the same wherever they are, and that a first call does without.
const LATER: [&str; 9] = [
    "allow_sensitive",
    "claim_token",
    "cursor",
    "dry_run",
    "expected_revision",
    "expected_version",
    "idempotency_key",
    "limit",
    "max_chars",
];

/// How many arguments that need not be given are worth their place; the first are those that matter.
const OPTIONAL: usize = 3;

/// What may be given besides, `help` tells. `which` sees the place among the optional arguments, and the name.
fn leave_out(schema: &mut Value, which: impl Fn(usize, &str) -> bool) {
    let is_required = required(schema);
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    let mut at = 0;
    properties.retain(|name, _| {
        if is_required(name) {
            return true;
        }
        at += 1;
        !which(at - 1, name)
    });
}

/// Whether an argument must be given.
fn required(schema: &Value) -> impl Fn(&str) -> bool + use<> {
    let names = schema.get("required").cloned().unwrap_or_default();
    move |name| names.as_array().is_some_and(|names| names.iter().any(|one| one == name))
}

/// A description up to where it goes into details.
fn first_part(description: &'static str) -> &'static str {
    /// Less than this says nothing.
    const LEAST: usize = 20;
    let ends = [". ", ": ", "; ", ", ", " ("].into_iter().flat_map(|mark| description.match_indices(mark));
    let end = ends.map(|(at, _)| at).filter(|at| *at >= LEAST).min();
    end.map_or(description, |end| &description[..end])
}

/// Which words an argument may be, its refusal tells.
fn leave_out_words(schema: &mut Value) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        property.remove("enum");
    }
}

/// What the parts of an argument are called, its refusal tells.
fn leave_out_depths(schema: &mut Value) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        for key in ["properties", "required", "additionalProperties"] {
            property.remove(key);
        }
        if let Some(Value::Object(items)) = property.get_mut("items") {
            items.retain(|key, _| key == "type");
        }
    }
}

impl Listing {
    fn bytes(&self) -> usize {
        let of = |schema: &Value| schema.to_string().len();
        let output = self.output_schema.as_ref().map_or(0, of);
        ENTRY_BYTES + self.name.len() + self.description.len() + of(&self.input_schema) + output
    }
}

/// What a call looks like; that other arguments are refused, and what is taken where none is given, an answer tells.
fn only_names_and_types(schema: &mut Value) {
    let Value::Object(top) = schema else { return };
    top.remove("additionalProperties");
    let properties = top.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for property in properties.filter_map(|(_, property)| property.as_object_mut()) {
        property.remove("default");
    }
}

/// What must be given is explained; what may be given has a name that speaks.
fn describe_only_required(schema: &mut Value) {
    let is_required = required(schema);
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties {
        if !is_required(name) {
            *property = schema::without_descriptions(property);
        }
    }
}

impl Registry {
    /// # Panics
    /// When two tools claim one name: the tables are constants, and a test builds every one.
    pub fn new(toolsets: &'static [Toolset]) -> Self {
        let mut rows = Vec::new();
        let mut by_name = BTreeMap::new();
        for toolset in toolsets {
            for entry in toolset.tools {
                for name in std::iter::once(&entry.spec.name).chain(entry.spec.aliases) {
                    let earlier = by_name.insert(*name, rows.len());
                    assert!(earlier.is_none(), "two tools are named {name}");
                }
                rows.push(Row { entry: *entry, toolset: toolset.name, schemas: OnceLock::new() });
            }
        }
        Self { rows, by_name, toolsets }
    }

    pub fn toolsets(&self) -> &'static [Toolset] {
        self.toolsets
    }

    /// The tool of that name or alias. `m1nd.report` and `perspective.routes` are names too.
    pub(crate) fn find(&self, name: &str) -> Option<&Row> {
        let row = self.by_name.get(name).copied().or_else(|| {
            let plain = canonical(name);
            self.by_name.get(plain.as_str()).copied()
        })?;
        self.rows.get(row)
    }

    pub fn entry(&self, name: &str) -> Option<(&Entry, ToolsetName)> {
        self.find(name).map(|row| (&row.entry, row.toolset))
    }

    pub fn entries(&self) -> impl Iterator<Item = (&Entry, ToolsetName)> {
        self.rows.iter().map(|row| (&row.entry, row.toolset))
    }

    /// Known names like the given one, nearest first.
    pub fn near(&self, name: &str) -> Vec<&'static str> {
        nearest(&canonical(name), self.rows.iter().map(|row| row.entry.spec.name), 3)
    }

    /// The first of `names` that this build has.
    pub fn first_of(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().find(|name| self.by_name.contains_key(**name)).copied()
    }

    pub fn listing(&self, name: &str) -> Option<Listing> {
        self.find(name).map(Row::listing)
    }

    /// Every argument of a tool with all that is known about it.
    pub fn arguments(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|row| &row.schemas().input)
    }

    /// The tools of the given toolsets, in table order, with as many words as a host's list has room for: the more
    /// toolsets are listed, the more is left to `help`. The everyday tools keep theirs.
    pub fn listings(&self, enabled: &BTreeSet<ToolsetName>) -> Vec<Listing> {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| enabled.contains(&row.toolset)).collect();
        let mut listings: Vec<Listing> = rows.iter().map(|row| row.listing()).collect();
        for thin in THINNER {
            if listings.iter().map(Listing::bytes).sum::<usize>() <= LIST_BYTES {
                break;
            }
            listings.iter_mut().filter(|tool| tool.toolset != ToolsetName::Core).for_each(thin);
        }
        listings
    }

    /// Reads `core,mission` or `all`.
    pub fn parse_toolsets(&self, words: &str) -> Result<BTreeSet<ToolsetName>, UnknownToolset> {
        let mut names = BTreeSet::from([ToolsetName::Core]);
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            if word == "all" {
                names.extend(self.toolsets.iter().map(|toolset| toolset.name));
                continue;
            }
            let known = self.toolsets.iter().map(|toolset| toolset.name);
            let name = known.clone().find(|name| name.as_str() == word);
            // A toolset that this build has no tools of is no mistake.
            if name.is_none() && word.parse::<ToolsetName>().is_ok() {
                continue;
            }
            names.insert(name.ok_or_else(|| UnknownToolset {
                word: word.to_owned(),
                known: known.map(ToolsetName::as_str).collect(),
            })?);
        }
        Ok(names)
    }
}

/// A toolset name that this build does not have.
#[derive(Debug, thiserror::Error)]
#[error("there is no toolset {word}; this build has {}", known.join(", "))]
pub struct UnknownToolset {
    pub word: String,
    pub known: Vec<&'static str>,
}

fn canonical(name: &str) -> String {
    name.strip_prefix("m1nd.").unwrap_or(name).replace('.', "_")
}

impl Row {
    pub(crate) fn listing(&self) -> Listing {
        let schemas = self.schemas();
        Listing {
            name: self.entry.spec.name,
            toolset: self.toolset,
            description: self.entry.spec.summary,
            input_schema: schemas.listed.clone(),
            output_schema: schemas.output.clone(),
            effect: self.entry.spec.effect,
        }
    }

    /// Every argument the tool takes, header included.
    pub(crate) fn argument_names(&self) -> impl Iterator<Item = &str> {
        let properties = self.schemas().input.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(Map::keys).map(String::as_str)
    }

    pub(crate) fn wants_integer(&self, argument: &str) -> bool {
        self.schemas().input["properties"][argument]["type"] == "integer"
    }

    /// Whether the tool's own input declares this header field, and so wants to see it.
    pub(crate) fn declares(&self, field: Field) -> bool {
        self.schemas().own_fields.contains(field.name())
    }

    /// Header fields that the tool takes besides its caller.
    pub(crate) fn optional_header(&self) -> Vec<Field> {
        let spec = self.entry.spec;
        let mut fields = Vec::new();
        if spec.budget.is_some() {
            fields.push(Field::MaxChars);
        }
        if spec.contract {
            fields.push(Field::Contract);
        }
        fields.push(Field::MissionId);
        fields
    }

    /// Whether listings show that a call can be recorded in a mission: where the source is seen, searched for or changed.
    /// Everywhere else it can be said too.
    fn lists(&self, field: Field) -> bool {
        let family = self.entry.spec.family;
        let sees = matches!(family, Family::Read | Family::Retrieve) && self.toolset == ToolsetName::Core;
        field != Field::MissionId || sees || family == Family::Edit
    }

    fn schemas(&self) -> &Schemas {
        self.schemas.get_or_init(|| {
            let own = (self.entry.input_schema)();
            let own_fields = own
                .get("properties")
                .and_then(Value::as_object)
                .map(|properties| properties.keys().cloned().collect())
                .unwrap_or_default();
            let output = (self.entry.output_schema)();
            let lean = self.entry.spec.lean;
            let input = self.with_header(own);
            Schemas {
                listed: if lean { leaned(&input) } else { input.clone() },
                input,
                output: (!lean && output.get("type") == Some(&json!("object"))).then(|| loosened(&output)),
                own_fields,
            }
        })
    }

    fn with_header(&self, own: Value) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut add = |field: Field, properties: &mut Map<String, Value>| {
            properties.insert(field.name().into(), field.schema());
            if field.required() {
                required.push(json!(field.name()));
            }
        };
        add(self.entry.spec.caller, &mut properties);
        let own_properties = own.get("properties").and_then(Value::as_object).cloned();
        properties.extend(own_properties.unwrap_or_default());
        for field in self.optional_header() {
            if self.lists(field) && !properties.contains_key(field.name()) {
                add(field, &mut properties);
            }
        }
        for name in own.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !required.contains(name) {
                required.push(name.clone());
            }
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// Arguments that mean the same in every tool of a lean family.
const SHARED: [&str; 7] = [
    "workspace",
    "max_chars",
    "cursor",
    "idempotency_key",
    "allow_sensitive",
    "expected_revision",
    "claim_token",
];

/// An input schema with words about the tool's own arguments only, and none below the top level.
fn leaned(schema: &Value) -> Value {
    let mut lean = schema::without_descriptions(schema);
    let described = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let caller = Field::AgentId.schema();
    let shared = |name: &str, field: &Value| SHARED.contains(&name) || *field == caller;
    for (name, field) in described.filter(|(name, field)| !shared(name, field)) {
        if let (Some(Value::Object(own)), Some(said)) =
            (lean.pointer_mut(&format!("/properties/{name}")), field.get("description"))
        {
            own.insert("description".into(), said.clone());
        }
    }
    lean
}

/// Output schemas in listings carry names and types only. Nothing is `required`, because an error
/// (`{"error": …}`) is a result of the same tool and must conform too.
fn loosened(schema: &Value) -> Value {
    fn without_required(schema: &Value) -> Value {
        match schema {
            Value::Object(node) => node
                .iter()
                .filter(|(key, value)| !(*key == "required" && value.is_array()))
                .map(|(key, value)| (key.clone(), without_required(value)))
                .collect::<Map<_, _>>()
                .into(),
            other => other.clone(),
        }
    }
    without_required(&schema::without_descriptions(schema))
}
