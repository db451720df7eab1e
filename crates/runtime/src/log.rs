//! What this process was asked: the last queries, and one line for each agent.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use m1nd_stdx::clock::UnixMs;
use parking_lot::Mutex;
use serde::Serialize;

/// Queries that are remembered; older ones fall out.
const MAX_QUERIES: usize = 1_000;

/// Agents that are remembered; the one silent for longest falls out.
const MAX_AGENTS: usize = 1_000;

/// One call, as `report` shows it.
#[derive(Clone, Debug, Serialize)]
pub struct QueryRecord {
    pub tool: &'static str,
    pub agent_id: String,
    pub timestamp_ms: UnixMs,
    pub elapsed_ms: f64,
    /// Results that the answer held.
    pub result_count: u64,
    pub failed: bool,
    /// First 100 characters of the query or input.
    pub summary: String,
}

/// How often a tool was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    pub all: u64,
    pub failed: u64,
}

/// One agent, as `health` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub first_seen: UnixMs,
    pub last_seen: UnixMs,
    pub queries: u64,
}

/// What an agent has seen of the code in this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenRecord {
    /// Files that were read, wholly or in part.
    pub read: BTreeSet<String>,
    /// Files that answers pointed to, and how often.
    pub pointed: BTreeMap<String, u32>,
}

/// Files that are remembered of an agent.
const MAX_SEEN: usize = 20_000;

#[derive(Debug, Default)]
pub(crate) struct QueryLog {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    queries: VecDeque<QueryRecord>,
    total: u64,
    by_tool: BTreeMap<&'static str, Calls>,
    agents: BTreeMap<String, SessionRecord>,
    seen: BTreeMap<String, SeenRecord>,
}

impl QueryLog {
    /// Notes which files an answer showed or pointed to. Only agents that are in the log are remembered.
    pub(crate) fn saw<'p>(&self, agent: &str, is_read: bool, files: impl IntoIterator<Item = &'p str>) {
        let mut inner = self.inner.lock();
        if !inner.agents.contains_key(agent) {
            return;
        }
        let seen = inner.seen.entry(agent.to_owned()).or_default();
        for path in files {
            if is_read && seen.read.len() < MAX_SEEN {
                seen.read.insert(path.to_owned());
            }
            if !is_read && (seen.pointed.len() < MAX_SEEN || seen.pointed.contains_key(path)) {
                *seen.pointed.entry(path.to_owned()).or_default() += 1;
            }
        }
    }

    pub(crate) fn seen_by(&self, agent: &str) -> SeenRecord {
        let inner = self.inner.lock();
        inner.seen.get(agent).cloned().unwrap_or_default()
    }

    pub(crate) fn add(&self, record: QueryRecord) {
        let mut inner = self.inner.lock();
        inner.total += 1;
        let calls = inner.by_tool.entry(record.tool).or_default();
        calls.all += 1;
        calls.failed += u64::from(record.failed);
        let now = record.timestamp_ms;
        inner.note_agent(&record.agent_id, now);
        if inner.queries.len() == MAX_QUERIES {
            inner.queries.pop_front();
        }
        inner.queries.push_back(record);
    }

    pub(crate) fn total(&self) -> u64 {
        self.inner.lock().total
    }

    pub(crate) fn by_tool(&self) -> BTreeMap<&'static str, Calls> {
        self.inner.lock().by_tool.clone()
    }

    pub(crate) fn queries(&self) -> Vec<QueryRecord> {
        self.inner.lock().queries.iter().cloned().collect()
    }

    pub(crate) fn agents(&self) -> BTreeMap<String, SessionRecord> {
        self.inner.lock().agents.clone()
    }
}

impl Inner {
    fn note_agent(&mut self, agent: &str, now: UnixMs) {
        if let Some(session) = self.agents.get_mut(agent) {
            session.last_seen = now;
            session.queries += 1;
            return;
        }
        if self.agents.len() == MAX_AGENTS {
            let oldest = self.agents.iter().min_by_key(|(_, session)| session.last_seen);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.seen.remove(&name);
                self.agents.remove(&name);
            }
        }
        let session = SessionRecord { first_seen: now, last_seen: now, queries: 1 };
        self.agents.insert(agent.to_owned(), session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_holds_the_newest_and_counts_all() {
        let log = QueryLog::default();
        for n in 0..2_500_i64 {
            log.add(QueryRecord {
                tool: "search",
                agent_id: format!("agent-{n}"),
                timestamp_ms: UnixMs(n),
                elapsed_ms: 0.1,
                result_count: 0,
                failed: n % 5 == 0,
                summary: String::new(),
            });
        }
        assert_eq!(log.total(), 2_500);
        assert_eq!(log.by_tool()["search"], Calls { all: 2_500, failed: 500 });
        assert_eq!(log.queries().len(), MAX_QUERIES);
        assert_eq!(log.queries()[0].timestamp_ms, UnixMs(1_500));
        assert_eq!(log.agents().len(), MAX_AGENTS);
        assert!(log.agents().contains_key("agent-2499"));
    }
}
