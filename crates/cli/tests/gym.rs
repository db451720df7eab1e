//! The gym, played: what missions promise holds for agents that really play.

#![allow(clippy::unwrap_used)]

use std::process::Command;

use serde_json::Value;

#[test]
fn what_missions_promise_holds_when_agents_play() {
    let output =
        Command::new(assert_cmd::cargo::cargo_bin!("m1nd")).args(["gym", "--json"]).output().unwrap();
    let played: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|err| panic!("{err}: {output:?}"));
    let checks = played["checks"].as_array().unwrap();
    let broken: Vec<&Value> = checks.iter().filter(|check| check["holds"] != true).collect();
    assert!(broken.is_empty() && output.status.success(), "{broken:?}");
    let score = &played["score"];
    let rows = score["hunts"].as_array().unwrap();
    let of = |agent: &str, field: &str| -> Vec<u64> {
        rows.iter().filter(|row| row["agent"] == agent).map(|row| row[field].as_u64().unwrap()).collect()
    };
    let (fresh, resumed) = (of("guided", "calls"), of("resumed", "calls"));
    assert_eq!((fresh.len(), resumed.len()), (3, 3), "three repositories");
    assert!(fresh.iter().zip(&resumed).all(|(fresh, resumed)| resumed < fresh), "{fresh:?} {resumed:?}");
    assert_eq!(of("resumed", "repeated_dead_paths"), [0, 0, 0]);
    assert!(
        of("second_fresh", "repeated_dead_paths").iter().all(|dead| *dead > 0),
        "there was something to repeat"
    );
    // The planted cases were really played.
    for (name, least) in
        [("workspace", 60), ("circles", 9), ("unproved_claims", 45), ("hasty_closes", 18), ("hosts", 4)]
    {
        assert!(score[name]["tried"].as_u64().unwrap() >= least, "{name}: {}", score[name]);
    }
    assert_eq!((&score["unproved_claims"]["hit"], &score["hasty_closes"]["hit"]), (&0.into(), &0.into()));
    assert_eq!(score["workspace"]["hit"], score["workspace"]["tried"]);
}
