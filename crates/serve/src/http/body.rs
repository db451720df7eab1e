//! Bodies: read with a limit and a deadline, and read away when they are not wanted.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;

/// A client that needs longer for its body is not on this machine, or means ill.
const DEADLINE: Duration = Duration::from_secs(20);

/// How long an unwanted body is read, so that its sender gets to the answer and does not meet a
/// closed connection in the middle of writing.
const COURTESY: Duration = Duration::from_secs(2);

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBody {
    TooLarge,
    TooSlow,
    Broken,
}

/// The whole body, if it has at most `limit` bytes and comes in time.
pub(super) async fn read(mut body: Body, limit: usize) -> Result<Bytes, NoBody> {
    match tokio::time::timeout(DEADLINE, collect(&mut body, limit)).await {
        Ok(Err(NoBody::TooLarge)) => {
            discard(body).await;
            Err(NoBody::TooLarge)
        }
        Ok(done) => done,
        Err(_) => Err(NoBody::TooSlow),
    }
}

async fn collect(body: &mut Body, limit: usize) -> Result<Bytes, NoBody> {
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| NoBody::Broken)?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if all.len() + data.len() > limit {
            return Err(NoBody::TooLarge);
        }
        all.extend_from_slice(&data);
    }
    Ok(all.freeze())
}

/// Reads a body away, for a moment.
pub(super) async fn discard(mut body: Body) {
    let all = async { while let Some(Ok(_)) = body.frame().await {} };
    if tokio::time::timeout(COURTESY, all).await.is_err() {
        tracing::debug!("an unwanted body did not end");
    }
}
