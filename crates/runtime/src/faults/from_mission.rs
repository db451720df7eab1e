//! What a mission refuses, as advice.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_memory::StoreError;
use m1nd_mission::missions::Refusal;
use m1nd_mission::{MissionError, MissionId};
use serde_json::json;

use super::{from_memory, invalid_params};

/// A refusal of the mission kernel or of its store.
pub fn refusal(tool: &'static str, refusal: &Refusal<StoreError>) -> Fault {
    match refusal {
        Refusal::Mission(err) => mission(tool, err),
        Refusal::Store(err @ StoreError::Unreadable { what, .. }) => {
            let fault = from_memory::store(err);
            // The id stands in what is said to be unreadable.
            let id = what.split_whitespace().rev().find(|word| MissionId::parse(word).is_some());
            match id {
                Some(id) => Fault {
                    recovery: Recovery::call(
                        "Its events are not as they were recorded, and nothing was changed: mission_show says which, and nothing is added to it. A child goes on from what is left of it; what it concluded must be proved again there. Tell the user.",
                        "mission_resume",
                        json!({ "mission_id": id }),
                    ),
                    ..fault
                },
                None => fault,
            }
        }
        Refusal::Store(err) => from_memory::store(err),
        Refusal::Busy => Fault::new(
            Code::Busy,
            "Others keep writing to this mission.",
            Recovery::hint("Nothing was recorded. Call again in a second."),
        ),
        Refusal::Unknown { id, newest } => {
            let shown = &id[..id.floor_char_boundary(60)];
            let known = match newest.first() {
                Some(newest) => format!(" The newest is {}.", newest.mission_id),
                None => " There is none yet.".to_owned(),
            };
            Fault::new(
                Code::UnknownTarget,
                format!("There is no mission {shown:?}.{known}"),
                Recovery::call("List the missions of this workspace.", "mission_list", json!({})),
            )
        }
    }
}

fn mission(tool: &'static str, err: &MissionError) -> Fault {
    match err {
        MissionError::Invalid { field, problem } => invalid_params(tool, format!("`{field}` is {problem}.")),
        MissionError::Closed(id) => Fault::new(
            Code::Conflict,
            format!("Mission {id} is closed; nothing was recorded."),
            Recovery::call("Go on in a child of it.", "mission_resume", json!({ "mission_id": id.as_str() })),
        ),
        MissionError::UnknownEvent { mission, id, newest } => {
            let shown = &id[..id.floor_char_boundary(60)];
            Fault::new(
                Code::UnknownTarget,
                format!("The mission has no event {shown:?}. Its newest is {newest}."),
                Recovery::call(
                    "Cite ids that mission_event, or a call with this mission_id, answered with; mission_show lists them.",
                    "mission_show",
                    json!({ "mission_id": mission.as_str() }),
                ),
            )
        }
        MissionError::UnknownClaim { mission, id, known } => {
            let known: Vec<&str> = known.iter().map(|id| id.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Fault::new(
                Code::UnknownTarget,
                format!("The mission has no claim {:?}; there are: {known}.", id.as_str()),
                Recovery::call(
                    "Name one of these, or give `claim` as a new text; mission_show lists them.",
                    "mission_show",
                    json!({ "mission_id": mission.as_str() }),
                ),
            )
        }
        MissionError::Settled { id, state } => Fault::new(
            Code::Conflict,
            format!("Claim {id} is {state} already."),
            Recovery::hint(match *state {
                "rejected" => {
                    "Nothing was recorded. Only what was seen after that can carry the same claim again: \
                                read or run what shows otherwise, and cite it with a new claim."
                }
                "withdrawn" => "Nothing was recorded. Say it again as a new claim, with what shows it.",
                _ => "Nothing was recorded. Cite what contradicts it in event_ids.",
            }),
        ),
        MissionError::Gaps { mission, gaps } => {
            let words: Vec<&str> = gaps.iter().map(|gap| gap.gap.as_str()).collect();
            Fault::new(
                Code::Conflict,
                format!("The mission has gaps: {}.", words.join(", ")),
                Recovery::call(
                    "mission_next names the next step; `force` closes with the gaps on record.",
                    "mission_next",
                    json!({ "mission_id": mission.as_str() }),
                ),
            )
            .with_detail(json!({ "gaps": gaps }))
        }
    }
}

/// A call left no event; a defect, told as one.
pub fn nothing_recorded(tool: &'static str) -> Fault {
    Fault::new(
        Code::Internal,
        format!("{tool} was not recorded in the mission."),
        Recovery::hint("Record it with mission_event."),
    )
}
