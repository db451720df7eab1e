//! Resumed: what a mission knows from the one before it, held against the files of today.

use m1nd_mission::{Anchor, Claim, DeadPath, State, TestRun, Today, Verdict, handoff, short};
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead_paths: Vec<DeadPath>,
    /// Where nothing was found, and the file has changed since: they may be looked at again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reopened_paths: Vec<DeadPath>,
    /// Files that changed since they were read: what rests on them must be looked at again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<Anchor>,
    /// Files that were read and are as they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub current: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests_run: Vec<TestRun>,
    /// Whether texts were cut, at `…`; mission_show has them whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// How many of each list had no room, or in little room of all of them (`items`); the mission knows them all, and mission_show lists them.
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
        let (reopened_paths, dead_paths) = state
            .inherited
            .dead_paths
            .iter()
            .map(|dead| dead.as_shown(&|path| missions::hash_now(workspace, path)))
            .partition(|dead| dead.reopened);
        Self {
            verified_claims: claims(&|verdict| verdict == Verdict::VerifiedForMission),
            rejected_claims: claims(&|verdict| verdict == Verdict::Rejected),
            open_hypotheses: claims(&Verdict::is_open),
            dead_paths,
            reopened_paths,
            stale,
            current,
            tests_run: state.inherited.tests.clone(),
            shortened: false,
            left_out: Map::new(),
        }
    }

    /// Cuts every text to at most so many bytes; whether any was longer.
    fn cut_texts(&mut self, most: usize) -> bool {
        let mut cut = false;
        let claims = [&mut self.verified_claims, &mut self.rejected_claims, &mut self.open_hypotheses];
        for claim in claims.into_iter().flatten() {
            cut |= short::claim(claim, most);
        }
        for dead in self.dead_paths.iter_mut().chain(&mut self.reopened_paths) {
            cut |= short::dead_path(dead, most);
        }
        for run in &mut self.tests_run {
            cut |= short::test_run(run, most);
        }
        self.shortened |= cut;
        cut
    }

    /// Texts are cut before anything is left out. Then what can be found again goes first, the oldest of it.
    pub fn cut(&mut self) -> bool {
        fn oldest<T>(list: &mut Vec<T>, keep: usize) -> usize {
            let cut = list.len().saturating_sub(keep).div_ceil(4);
            list.drain(..cut);
            cut
        }
        for (bytes, keep) in [(300, 5), (120, 1), (60, 0)] {
            if self.cut_texts(bytes) {
                return true;
            }
            type Cut = fn(&mut Resumed, usize) -> usize;
            let lists: [(&str, Cut); 8] = [
                ("current", |all, keep| oldest(&mut all.current, keep)),
                ("tests_run", |all, keep| oldest(&mut all.tests_run, keep)),
                ("reopened_paths", |all, keep| oldest(&mut all.reopened_paths, keep)),
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
        // How much is missing stays: a mission that knows something must not look like one with nothing in it.
        let is_cut = self.left_out.len() > 1;
        if is_cut {
            let all: u64 = self.left_out.values().filter_map(Value::as_u64).sum();
            self.left_out = Map::from_iter([(handoff::ITEMS.to_owned(), json!(all))]);
        }
        is_cut
    }
}
