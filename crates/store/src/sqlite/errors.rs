//! What an error of SQLite means.

use std::path::Path;

use m1nd_memory::StoreError;
use rusqlite::{Error, ErrorCode};

use super::connection::PATIENCE;

pub(super) fn fault(path: &Path, err: &Error) -> StoreError {
    let detail = err.to_string();
    match err.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::Busy { waited_ms: u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX) }
        }
        Some(ErrorCode::DiskFull) => StoreError::DiskFull,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            StoreError::ReadOnly { detail }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt { path: path.display().to_string(), detail, set_aside: None }
        }
        Some(ErrorCode::SystemIoFailure) => StoreError::Io { detail },
        _ => StoreError::Engine { detail },
    }
}
