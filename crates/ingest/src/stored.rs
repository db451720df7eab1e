//! A file's facts as they are kept: what others ask for at hand, the insides packed until somebody reads them.

use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;

use crate::facts::{FileFacts, Insides};
use crate::resolve::program::Source;

#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// Everything but the insides once those are packed.
    pub facts: FileFacts,
    /// In memory of their own, or in the file that they were saved in.
    packed: Option<Bytes>,
    lies: Lies,
}

/// Where packed insides are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    InMemory,
    /// Among the bytes of a saved state, which may be mapped.
    InState,
}

impl Stored {
    /// Facts just read from a file.
    pub fn open(facts: FileFacts) -> Self {
        Self { facts, packed: None, lies: Lies::InMemory }
    }

    /// Facts whose insides were packed before, among the bytes of a state.
    pub fn packed(facts: FileFacts, packed: Bytes) -> Self {
        Self { facts, packed: Some(packed), lies: Lies::InState }
    }

    pub fn lies(&self) -> Lies {
        self.lies
    }

    pub fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    pub fn pack(&mut self) {
        let packed: Box<[u8]> = self.packed_bytes().into();
        self.packed = Some(packed.into());
        self.facts.inside = Insides::default();
    }

    pub fn packed_bytes(&self) -> Cow<'_, [u8]> {
        match &self.packed {
            Some(packed) => Cow::Borrowed(packed),
            // Writing plain values to memory does not fail.
            None => Cow::Owned(postcard::to_allocvec(&self.facts.inside).unwrap_or_default()),
        }
    }

    pub fn inside(&self) -> Cow<'_, Insides> {
        match &self.packed {
            Some(packed) => Cow::Owned(unpack(packed)),
            None => Cow::Borrowed(&self.facts.inside),
        }
    }

    pub fn source(&self) -> (&FileFacts, Source<'_>) {
        let source = match &self.packed {
            Some(packed) => Source::Packed(packed, OnceLock::new()),
            None => Source::Open(&self.facts.inside),
        };
        (&self.facts, source)
    }
}

/// What [`Stored::pack`] packed. The bytes are our own: they never left this process, or a digest vouches for them.
pub(crate) fn unpack(bytes: &[u8]) -> Insides {
    let insides = postcard::from_bytes(bytes);
    debug_assert!(insides.is_ok(), "what was packed can be unpacked");
    insides.unwrap_or_default()
}
