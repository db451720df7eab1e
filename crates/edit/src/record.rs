//! Record: what the journal knows of a batch, with the old contents of its files.

use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::digest::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;

const MAGIC: &[u8; 8] = b"m1ndjrn1";
/// Hex digits of the checksum at the end.
const SUM: usize = 64;

/// One batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub id: String,
    pub at: UnixMs,
    /// Folders that the batch makes, outermost first.
    pub folders: Vec<String>,
    pub files: Vec<Entry>,
    #[serde(skip)]
    pub old: Vec<Option<Vec<u8>>>,
}

/// One file of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub path: String,
    /// Where it was before, if the batch moves it.
    pub from: Option<String>,
    /// The file beside it that is to take its place.
    pub staged: String,
    pub before: Option<State>,
    pub after: Option<State>,
}

/// A file's content, by what tells it from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    pub sha256: String,
    pub bytes: u64,
    /// Nothing for what the system gives new files.
    pub mode: Option<u32>,
}

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("a record of the journal is damaged")]
pub(crate) struct Damaged;

impl Record {
    pub(crate) fn of(plan: &Plan, id: &str, at: UnixMs) -> Self {
        let state = |bytes: &[u8], mode| State { sha256: sha256_hex(bytes), bytes: bytes.len() as u64, mode };
        let mut files = Vec::new();
        for (nth, file) in plan.files.iter().enumerate() {
            files.push(Entry {
                path: file.path.clone(),
                from: file.from.clone(),
                staged: format!(".m1nd-{id}-{nth}"),
                before: file.before.as_ref().map(|held| state(&held.bytes, Some(held.mode))),
                after: file.after.as_ref().map(|after| state(&after.bytes, after.mode)),
            });
        }
        let old = plan.files.iter().map(|file| file.before.as_ref().map(|held| held.bytes.clone())).collect();
        Self { id: id.to_owned(), at, folders: plan.folders.clone(), files, old }
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let head = serde_json::to_vec(self)?;
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&(head.len() as u64).to_le_bytes());
        out.extend_from_slice(&head);
        for old in self.old.iter().flatten() {
            out.extend_from_slice(old);
        }
        let sum = sha256_hex(&out);
        out.extend_from_slice(sum.as_bytes());
        Ok(out)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        let body = bytes.len().checked_sub(SUM).and_then(|end| bytes.get(..end)).ok_or(Damaged)?;
        if sha256_hex(body).as_bytes() != &bytes[body.len()..] {
            return Err(Damaged);
        }
        let rest = body.strip_prefix(MAGIC).ok_or(Damaged)?;
        let (len, rest) = rest.split_first_chunk::<8>().ok_or(Damaged)?;
        let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|_| Damaged)?;
        let (head, mut rest) = rest.split_at_checked(len).ok_or(Damaged)?;
        let mut record: Self = serde_json::from_slice(head).map_err(|_| Damaged)?;
        for file in &record.files {
            let old = match &file.before {
                Some(before) => {
                    let len = usize::try_from(before.bytes).map_err(|_| Damaged)?;
                    let (old, left) = rest.split_at_checked(len).ok_or(Damaged)?;
                    rest = left;
                    Some(old.to_vec())
                }
                None => None,
            };
            record.old.push(old);
        }
        Ok(record)
    }
}
