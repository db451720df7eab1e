//! Stage 4: make the whole answer fit its budget, dropping the least valuable end.

use serde_json::{Map, Value, json};

use super::envelope::{CONTRACT, Facts};
use super::{Done, Reply, refuse};
use m1nd_contract::budget::json_len;
use m1nd_contract::{Code, ContractForm, Fault, Guidance, Recovery};
use m1nd_mission::Family;

use crate::faults;
use crate::tool::Effect;

/// Where an answer says what to do next.
const HINT: &str = "next_step_hint";

/// Rounds of trimming before the answer is given as it is: each round drops at least one item.
const MAX_ROUNDS: usize = 256;

pub(super) fn reply(facts: &Facts<'_>, mut done: Done) -> Reply {
    let budget = facts.budget(done.answer.budget);
    let mut cut = false;
    let mut whole = Whole::default();
    let mut form = facts.header().contract;
    for _ in 0..MAX_ROUNDS {
        let body = match done.answer.output.to_value() {
            Ok(body) => body,
            Err(err) => return refuse(facts.runtime(), not_json(facts, &err), facts.header()),
        };
        if !cut {
            whole.note(&body);
        }
        let body = complete(facts, &done, body, cut.then_some(&whole), form);
        let of_missions = facts.spec().family == Family::Mission;
        let is_refusable = facts.spec().effect == Effect::Read && facts.header().max_chars.is_some();
        // Who gives a budget may be told the least that is needed, which must not depend on how long the answer took.
        let bytes = match &body {
            Value::Object(map) if of_missions || facts.header().max_chars.is_some() => Facts::timeless(map),
            body => json_len(body),
        };
        whole.bytes = whole.bytes.max(bytes);
        let excess = budget.map_or(0, |budget| bytes.saturating_sub(budget));
        if excess == 0 {
            return Reply { body, is_error: false };
        }
        let has_contract = body.get(CONTRACT).is_some();
        if done.answer.output.trim(excess) {
            cut = true;
        } else if has_contract && form != ContractForm::Short {
            // Nothing else is left to give way. Without the asking it is short while all is well; where it is not, why and
            // what to do about it is worth more than one more result.
            form = ContractForm::Short;
        } else if (of_missions || is_refusable) && lessen(&mut done.answer.guidance) {
            // What comes next can be asked for again.
        } else if let (true, Value::Object(shortest), Some(given)) =
            (is_refusable, &body, facts.header().max_chars)
        {
            let least = Facts::timeless(shortest) + facts.reserved();
            let fault = faults::too_little_room(facts.tool(), given, least);
            return refuse(facts.runtime(), fault, facts.header());
        } else {
            // What was written is told, although there is no room for it.
            return Reply { body, is_error: false };
        }
    }
    refuse(facts.runtime(), too_large(facts), facts.header())
}

/// Takes away the least of a next step; whether there was any.
fn lessen(next: &mut Guidance) -> bool {
    next.next_step_hint.take().is_some()
        || next.next_suggested_target.take().is_some()
        || next.next_suggested_tool.take().is_some()
}

/// What an answer was before something was taken out of it.
#[derive(Default)]
struct Whole {
    bytes: usize,
    /// Whether more was found than was asked for.
    is_part: bool,
    /// How long its lists were.
    lists: Vec<(String, usize)>,
}

impl Whole {
    fn note(&mut self, body: &Value) {
        self.lists = body.as_object().map(lists).unwrap_or_default();
        self.is_part = is_truncated(body);
    }

    /// What was left out, and the call that gives it.
    fn words(&self, body: &Map<String, Value>) -> String {
        let now = lists(body);
        let len = |name: &str| now.iter().find(|(other, _)| other == name).map_or(0, |(_, len)| *len);
        let shorter = self.lists.iter().filter(|(name, before)| len(name) < *before);
        let shorter: Vec<String> =
            shorter.map(|(name, before)| format!("{} of {before} {name}", len(name))).collect();
        let left = if shorter.is_empty() { String::new() } else { format!(": {}", shorter.join(", ")) };
        let more = self.bytes.next_multiple_of(1_000);
        let gives = if self.is_part { "more" } else { "all" };
        format!("Cut to fit{left}; `max_chars: {more}` gives {gives}.")
    }

    /// Whether items were taken out of the answer, and not only words about them.
    fn lost_items(&self, body: &Map<String, Value>) -> bool {
        let now = lists(body);
        let len = |name: &str| now.iter().find(|(other, _)| other == name).map_or(0, |(_, len)| *len);
        !self.is_part || self.lists.iter().any(|(name, before)| len(name) < *before)
    }
}

/// How long the lists of an answer are, and those of its parts.
fn lists(body: &Map<String, Value>) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (name, value) in body {
        match value {
            Value::Array(list) => found.push((name.clone(), list.len())),
            Value::Object(part) => {
                let inner = part.iter().filter_map(|(own, list)| Some((own, list.as_array()?)));
                found.extend(inner.map(|(own, list)| (format!("{name}.{own}"), list.len())));
            }
            _ => {}
        }
    }
    found
}

fn said(body: &Map<String, Value>) -> Option<String> {
    body.get(HINT).and_then(Value::as_str).map(str::to_owned)
}

fn is_truncated(body: &Value) -> bool {
    body.get("truncated") == Some(&json!(true))
}

/// `cut` is what the answer was before something was taken out of it.
fn complete(facts: &Facts<'_>, done: &Done, body: Value, cut: Option<&Whole>, form: ContractForm) -> Value {
    let is_truncated = is_truncated(&body);
    match body {
        Value::Object(mut map) => {
            let lacks_items = is_truncated && cut.is_some_and(|whole| whole.lost_items(&map));
            if cut.is_some() {
                map.insert("truncated".into(), json!(true));
            }
            facts.add_to(&mut map, done, form);
            // Who set a limit knows it; who did not must be told how to get the rest.
            if let Some(whole) = cut.filter(|_| lacks_items && facts.header().max_chars.is_none()) {
                let mut hint = Guidance { next_step_hint: said(&map), ..Guidance::default() };
                hint.add(&whole.words(&map));
                map.insert(HINT.into(), json!(hint.next_step_hint));
            }
            // A higher limit shows no more where there is no room for it.
            if let (true, true, Some(hint)) = (cut.is_some(), facts.header().max_chars.is_some(), said(&map))
                && let Some(at) = hint.find("`limit` keeps")
            {
                let before = hint[..at].trim_end();
                let blank = if before.is_empty() { "" } else { " " };
                map.insert(HINT.into(), json!(format!("{before}{blank}A larger `max_chars` shows more.")));
            }
            Value::Object(map)
        }
        text @ Value::String(_) => text,
        other => Value::Object(Map::from_iter([("value".to_owned(), other)])),
    }
}

fn not_json(facts: &Facts<'_>, err: &serde_json::Error) -> Fault {
    tracing::error!(tool = facts.tool(), %err, "an output is not JSON");
    Fault::new(
        Code::Internal,
        format!("{} produced an answer that cannot be written as JSON.", facts.tool()),
        Recovery::hint("The server goes on. Try other arguments; the log says more."),
    )
}

fn too_large(facts: &Facts<'_>) -> Fault {
    Fault::new(
        Code::TooLarge,
        format!("The answer of {} cannot be made to fit `max_chars`.", facts.tool()),
        Recovery::hint("Ask for less, or allow more characters."),
    )
}
