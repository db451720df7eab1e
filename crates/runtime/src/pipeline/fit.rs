//! Stage 4: make the whole answer fit its budget, dropping the least valuable end.

use serde_json::{Map, Value, json};

use super::envelope::{CONTRACT, Facts};
use super::{Done, Reply, refuse};
use m1nd_contract::budget::json_len;
use m1nd_contract::{Code, ContractForm, Fault, Recovery};

/// Rounds of trimming before the answer is given as it is: each round drops at least one item.
const MAX_ROUNDS: usize = 64;

pub(super) fn reply(facts: &Facts<'_>, mut done: Done) -> Reply {
    let budget = facts.budget();
    let mut cut = false;
    let mut contract = ContractForm::Auto;
    for _ in 0..MAX_ROUNDS {
        let body = match done.answer.output.to_value() {
            Ok(body) => body,
            Err(err) => return refuse(not_json(facts, &err), Some(facts.header())),
        };
        let body = complete(facts, &done, body, cut, contract);
        let bytes = json_len(&body);
        let excess = budget.map_or(0, |budget| bytes.saturating_sub(budget));
        let enough = excess == 0;
        // Who and where the server is matters less than one more result.
        if !enough && contract == ContractForm::Auto && body.get(CONTRACT).is_some() {
            contract = ContractForm::Short;
            continue;
        }
        if enough || !done.answer.output.trim(excess) {
            return Reply { body, is_error: false };
        }
        cut = true;
    }
    refuse(too_large(facts), Some(facts.header()))
}

fn complete(facts: &Facts<'_>, done: &Done, body: Value, cut: bool, contract: ContractForm) -> Value {
    match body {
        Value::Object(mut map) => {
            if cut {
                map.insert("truncated".into(), json!(true));
            }
            facts.add_to(&mut map, done, contract);
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
