//! JSON-RPC as it is on the wire: what a message is, and every id it may carry.

mod decode;
pub(crate) mod ids;

pub(crate) use decode::{Decoded, INVALID_REQUEST, Incoming, PARSE_ERROR, Rejection, decode};
