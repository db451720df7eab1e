//! What is known of a workspace's files, as bytes: a process that starts anew reads only what changed.
//!
//! Layout: magic, the extractors' name, blake3 of the rest; then the length of the head, the head, and the facts
//! of each file one after the other. Only the very build that wrote them reads them back: facts are quickly made
//! again, and old ones are never reinterpreted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem::take;
use std::sync::Arc;

use bytes::Bytes;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::classify::Reason;
use crate::engine::{Ingest, Known, Loose, Outcome};
use crate::facts::{FileFacts, Insides};
use crate::history::History;
use crate::manifest::Manifest;
use crate::stored::{Lies, Stored};

const MAGIC: &[u8; 8] = b"m1ndfct1";
const HASH: usize = blake3::OUT_LEN;
const NAME: usize = EXTRACTORS.len();

/// The extractors of this build: their sources, grammars and features.
pub const EXTRACTORS: &str = env!("M1ND_EXTRACTORS");

/// Why bytes are no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    #[error("it is no file of facts")]
    Foreign,
    #[error("another build wrote it")]
    OtherBuild,
    #[error("it is damaged")]
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Head {
    repository: String,
    generation: u64,
    /// Whatever its writer wants to recognise it by.
    tag: String,
    history: History,
    loose: Vec<Loose>,
    files: Vec<FileHead>,
}

#[derive(Serialize, Deserialize)]
struct FileHead {
    path: String,
    size: u64,
    modified_ns: i128,
    racy: bool,
    hash: [u8; HASH],
    outcome: (u8, Option<Reason>),
    manifest: Option<String>,
    facts_len: u32,
    inside_len: u32,
}

/// The state as bytes. `tag` comes back with it.
pub fn to_bytes(ingest: &Ingest, tag: &str) -> Vec<u8> {
    let facts: Vec<(Vec<u8>, Cow<'_, [u8]>)> = ingest
        .files
        .par_iter()
        .map(|(_, known)| {
            let facts = &known.facts.facts;
            let head = match known.facts.is_packed() {
                true => postcard::to_allocvec(facts),
                false => postcard::to_allocvec(&FileFacts { inside: Insides::default(), ..facts.clone() }),
            };
            (head.unwrap_or_default(), known.facts.packed_bytes())
        })
        .collect();
    let files = ingest.files.iter().zip(&facts).map(|((path, known), (facts, inside))| FileHead {
        path: path.clone(),
        size: known.size,
        modified_ns: known.modified_ns,
        racy: known.racy,
        hash: known.hash,
        outcome: pack(known.outcome),
        manifest: known.manifest.as_ref().map(|manifest| manifest.text.clone()),
        facts_len: facts.len() as u32,
        inside_len: inside.len() as u32,
    });
    let head = Head {
        repository: ingest.repository.clone(),
        generation: ingest.generation,
        tag: tag.to_owned(),
        history: ingest.history.clone(),
        loose: ingest.loose.clone(),
        files: files.collect(),
    };
    let head = postcard::to_allocvec(&head).unwrap_or_default();
    let body_len =
        8 + head.len() + facts.iter().map(|(facts, inside)| facts.len() + inside.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(MAGIC.len() + NAME + HASH + body_len);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(EXTRACTORS.as_bytes());
    bytes.extend_from_slice(&[0; HASH]);
    bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&head);
    for (facts, inside) in facts {
        bytes.extend_from_slice(&facts);
        bytes.extend_from_slice(&inside);
    }
    let start = MAGIC.len() + NAME;
    let hash = *blake3::hash(&bytes[start + HASH..]).as_bytes();
    bytes[start..start + HASH].copy_from_slice(&hash);
    bytes
}

/// The state that [`to_bytes`] wrote, and its tag. What files said inside stays where it lies in the bytes.
pub fn from_bytes(bytes: &Bytes) -> Result<(Ingest, String), StateError> {
    let (head, parts) = open(bytes)?;
    let files: Option<BTreeMap<String, Known>> = parts.into_par_iter().map(known).collect();
    let ingest = Ingest {
        repository: head.repository,
        files: files.ok_or(StateError::Damaged)?,
        history: head.history,
        generation: head.generation,
        is_built: false,
        loose: head.loose,
        index: None,
        expected: BTreeMap::new(),
    };
    Ok((ingest, head.tag))
}

/// Whether most of what is known of files was read by this process and lies in its own memory.
pub fn is_scattered(ingest: &Ingest) -> bool {
    let own = ingest.files.values().filter(|known| known.facts.lies() == Lies::InMemory).count();
    own * 2 > ingest.files.len()
}

/// Goes on with the facts in the bytes that [`to_bytes`] wrote in place of equal ones in memory, wherever a file still
/// says what it said then.
///
/// What was read for a first graph lies scattered among all that was needed to make it. So it is given back first:
/// what takes its place then lies close together.
pub fn settle(mut ingest: Ingest, bytes: &Bytes) -> Result<Ingest, StateError> {
    let (_, parts) = open(bytes)?;
    let is_same = |known: &Known, file: &FileHead| {
        known.hash == file.hash && pack(known.outcome) == file.outcome && known.facts.is_packed()
    };
    let parts: Vec<Part<'_>> = parts
        .into_iter()
        .filter(|part| ingest.files.get(&part.file.path).is_some_and(|known| is_same(known, &part.file)))
        .collect();
    let gone = Arc::new(Stored::open(FileFacts::default()));
    for part in &parts {
        if let Some(known) = ingest.files.get_mut(&part.file.path) {
            known.facts = Arc::clone(&gone);
        }
    }
    m1nd_stdx::memory::give_back();
    let facts: Option<Vec<(String, Arc<Stored>)>> =
        parts.into_par_iter().map(|part| Some((part.file.path.clone(), part.facts()?))).collect();
    for (path, facts) in facts.ok_or(StateError::Damaged)? {
        if let Some(known) = ingest.files.get_mut(&path) {
            known.facts = facts;
        }
    }
    Ok(ingest)
}

/// One file in the bytes of a state.
struct Part<'b> {
    file: FileHead,
    facts: &'b [u8],
    inside: Bytes,
}

impl Part<'_> {
    fn facts(&self) -> Option<Arc<Stored>> {
        let facts: FileFacts = postcard::from_bytes(self.facts).ok()?;
        Some(Arc::new(Stored::packed(facts, self.inside.clone())))
    }
}

/// What all files share, and where each of them lies.
fn open(bytes: &Bytes) -> Result<(Head, Vec<Part<'_>>), StateError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(StateError::Foreign)?;
    let rest = rest.strip_prefix(EXTRACTORS.as_bytes()).ok_or(StateError::OtherBuild)?;
    let (hash, body) = rest.split_at_checked(HASH).ok_or(StateError::Damaged)?;
    if blake3::hash(body).as_bytes() != hash {
        return Err(StateError::Damaged);
    }
    let (head_len, body) = body.split_first_chunk::<8>().ok_or(StateError::Damaged)?;
    let head_len = usize::try_from(u64::from_le_bytes(*head_len)).map_err(|_| StateError::Damaged)?;
    let (head, mut facts) = body.split_at_checked(head_len).ok_or(StateError::Damaged)?;
    let mut head: Head = postcard::from_bytes(head).map_err(|_| StateError::Damaged)?;
    let mut parts = Vec::with_capacity(head.files.len());
    for file in take(&mut head.files) {
        let (own, others) = facts.split_at_checked(file.facts_len as usize).ok_or(StateError::Damaged)?;
        let (inside, others) =
            others.split_at_checked(file.inside_len as usize).ok_or(StateError::Damaged)?;
        facts = others;
        parts.push(Part { file, facts: own, inside: bytes.slice_ref(inside) });
    }
    Ok((head, parts))
}

fn known(part: Part<'_>) -> Option<(String, Known)> {
    let facts = part.facts()?;
    let file = part.file;
    let known = Known {
        size: file.size,
        modified_ns: file.modified_ns,
        racy: file.racy,
        hash: file.hash,
        outcome: unpack(file.outcome)?,
        facts,
        manifest: file.manifest.map(|text| Manifest { path: file.path.clone(), text }),
    };
    Some((file.path, known))
}

fn pack(outcome: Outcome) -> (u8, Option<Reason>) {
    match outcome {
        Outcome::Indexed => (0, None),
        Outcome::Unsupported => (1, None),
        Outcome::Partial(reason) => (2, Some(reason)),
        Outcome::Skipped(reason) => (3, Some(reason)),
        Outcome::Failed(reason) => (4, Some(reason)),
    }
}

fn unpack(packed: (u8, Option<Reason>)) -> Option<Outcome> {
    Some(match packed {
        (0, None) => Outcome::Indexed,
        (1, None) => Outcome::Unsupported,
        (2, Some(reason)) => Outcome::Partial(reason),
        (3, Some(reason)) => Outcome::Skipped(reason),
        (4, Some(reason)) => Outcome::Failed(reason),
        _ => return None,
    })
}
