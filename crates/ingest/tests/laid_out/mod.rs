//! Workspaces laid out as text, and their graphs.

use std::collections::BTreeMap;

use m1nd_graph::Graph;
use m1nd_ingest::{Ingest, Listed};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::ManualClock;

/// Text and time of change by path.
pub type Files = BTreeMap<String, (String, i128)>;

pub fn files(fixture: &str) -> Files {
    let mut files = Files::new();
    let mut last = String::new();
    for line in fixture.lines() {
        match line.strip_prefix("//- ") {
            Some(path) => last = path.to_owned(),
            None => files.entry(last.clone()).or_insert((String::new(), 1)).0.push_str(&format!("{line}\n")),
        }
    }
    files.remove("");
    files
}

pub fn refresh(ingest: &mut Ingest, last: Option<&Graph>, files: &Files) -> Option<Graph> {
    let listed = |(path, (text, time)): (&String, &(String, i128))| Listed {
        path: path.clone(),
        size: text.len() as u64,
        modified_ns: *time,
    };
    let list: Vec<Listed> = files.iter().map(listed).collect();
    let read = |path: &str| Ok(files[path].0.as_bytes().to_vec());
    let later = 1_000_000_000_000_000;
    let refreshed = ingest.refresh_on(last, &list, read, &ManualClock::default(), later, &CancelToken::new());
    refreshed.expect("nobody stops it").graph
}

pub fn fresh(files: &Files) -> Graph {
    refresh(&mut Ingest::new("shop"), None, files).expect("a first generation")
}
