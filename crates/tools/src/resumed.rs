//! Resumed: what a mission knows from the one before it, held against the files of today.

use m1nd_mission::{Anchor, Claim, DeadPath, State, TestRun, Today, Verdict};
use m1nd_runtime::flows::missions;
use m1nd_runtime::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

#[derive(Debug, JsonSchema, Serialize)]
pub struct Resumed {
    pub verified_claims: Vec<Claim>,
    pub rejected_claims: Vec<Claim>,
    /// Neither verified nor rejected: mission_verify takes them up by their claim_id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_hypotheses: Vec<Claim>,
    /// Where not to look again.
    pub dead_paths: Vec<DeadPath>,
    /// Files that changed since they were read: what rests on them must be looked at again.
    pub stale: Vec<Anchor>,
    /// Files that were read and are as they were.
    pub current: Vec<String>,
    pub tests_run: Vec<TestRun>,
    /// How many of each list had no room; the mission knows them all, and mission_show lists them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub left_out: Map<String, Value>,
}

impl Resumed {
    pub fn of(workspace: &Workspace, state: &State) -> Self {
        let (mut stale, mut current) = (Vec::new(), Vec::new());
        for seen in &state.inherited.files {
            let Some(hash) = &seen.content_hash else { continue };
            match missions::today(workspace, &seen.path, hash) {
                Today::Current => current.push(seen.path.clone()),
                today => stale.push(Anchor {
                    path: seen.path.clone(),
                    content_hash: hash.clone(),
                    today: Some(today),
                }),
            }
        }
        let claims = |wanted: &dyn Fn(Verdict) -> bool| -> Vec<Claim> {
            let all = state.inherited.claims.iter().filter(|claim| wanted(claim.verdict));
            all.map(|claim| missions::shown_claim(workspace, claim)).collect()
        };
        Self {
            verified_claims: claims(&|verdict| verdict == Verdict::VerifiedForMission),
            rejected_claims: claims(&|verdict| verdict == Verdict::Rejected),
            open_hypotheses: claims(&|verdict| !verdict.is_settled()),
            dead_paths: state.inherited.dead_paths.clone(),
            stale,
            current,
            tests_run: state.inherited.tests.clone(),
            left_out: Map::new(),
        }
    }

    /// What can be found again goes first, the oldest of it.
    pub fn cut(&mut self) -> bool {
        fn oldest<T>(list: &mut Vec<T>, keep: usize) -> usize {
            let cut = list.len().saturating_sub(keep).div_ceil(4);
            list.drain(..cut);
            cut
        }
        for keep in [5, 0] {
            type Cut = fn(&mut Resumed, usize) -> usize;
            let lists: [(&str, Cut); 7] = [
                ("current", |all, keep| oldest(&mut all.current, keep)),
                ("tests_run", |all, keep| oldest(&mut all.tests_run, keep)),
                ("dead_paths", |all, keep| oldest(&mut all.dead_paths, keep)),
                ("rejected_claims", |all, keep| oldest(&mut all.rejected_claims, keep)),
                ("open_hypotheses", |all, keep| oldest(&mut all.open_hypotheses, keep)),
                ("stale", |all, keep| oldest(&mut all.stale, keep)),
                ("verified_claims", |all, keep| oldest(&mut all.verified_claims, keep)),
            ];
            for (name, cut) in lists {
                let cut = cut(self, keep);
                if cut > 0 {
                    let before = self.left_out.get(name).and_then(Value::as_u64).unwrap_or(0);
                    self.left_out.insert(name.to_owned(), json!(before + cut as u64));
                    return true;
                }
            }
        }
        // How much is missing is the last thing to go.
        let counted = !self.left_out.is_empty();
        self.left_out.clear();
        counted
    }
}
