//! What is known of a workspace's files, as bytes: a process that starts anew reads only what changed.
//!
//! Layout: magic, the extractors' name, blake3 of the rest; then the length of the head, the head, and the facts
//! of each file one after the other. Only the very build that wrote them reads them back: facts are quickly made
//! again, and old ones are never reinterpreted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::classify::Reason;
use crate::engine::{Ingest, Known, Loose, Outcome};
use crate::facts::{FileFacts, Insides};
use crate::history::History;
use crate::manifest::Manifest;
use crate::stored::Stored;

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

/// The state that [`to_bytes`] wrote, and its tag.
pub fn from_bytes(bytes: &[u8]) -> Result<(Ingest, String), StateError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(StateError::Foreign)?;
    let rest = rest.strip_prefix(EXTRACTORS.as_bytes()).ok_or(StateError::OtherBuild)?;
    let (hash, body) = rest.split_at_checked(HASH).ok_or(StateError::Damaged)?;
    if blake3::hash(body).as_bytes() != hash {
        return Err(StateError::Damaged);
    }
    let (head_len, body) = body.split_first_chunk::<8>().ok_or(StateError::Damaged)?;
    let head_len = usize::try_from(u64::from_le_bytes(*head_len)).map_err(|_| StateError::Damaged)?;
    let (head, mut facts) = body.split_at_checked(head_len).ok_or(StateError::Damaged)?;
    let head: Head = postcard::from_bytes(head).map_err(|_| StateError::Damaged)?;
    let mut parts = Vec::with_capacity(head.files.len());
    for file in head.files {
        let (own, others) = facts.split_at_checked(file.facts_len as usize).ok_or(StateError::Damaged)?;
        let (inside, others) =
            others.split_at_checked(file.inside_len as usize).ok_or(StateError::Damaged)?;
        facts = others;
        parts.push((file, own, inside));
    }
    let files: Option<BTreeMap<String, Known>> =
        parts.into_par_iter().map(|(file, facts, inside)| known(file, facts, inside)).collect();
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

fn known(file: FileHead, facts: &[u8], inside: &[u8]) -> Option<(String, Known)> {
    let facts: FileFacts = postcard::from_bytes(facts).ok()?;
    let known = Known {
        size: file.size,
        modified_ns: file.modified_ns,
        racy: file.racy,
        hash: file.hash,
        outcome: unpack(file.outcome)?,
        facts: Arc::new(Stored::packed(facts, inside)),
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
