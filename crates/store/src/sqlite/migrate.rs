//! The layout of the file, and how an older one becomes the present one.

use rusqlite::Connection;

/// The present version of the layout.
pub(super) const VERSION: u32 = 2;

/// What turns version `n` into version `n + 1`, for each `n`. Never changed once released.
const STEPS: [&str; VERSION as usize] = [include_str!("schema.sql"), include_str!("briefing.sql")];

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings the layout up to date, in one transaction; another process may have done it meanwhile.
pub(super) fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let result = steps(connection);
    connection.execute_batch(if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    result
}

fn steps(connection: &Connection) -> rusqlite::Result<()> {
    let from = version(connection)?;
    for (at, step) in (0_u32..).zip(STEPS).skip(from as usize) {
        connection.execute_batch(step)?;
        connection.pragma_update(None, "user_version", at + 1)?;
    }
    Ok(())
}
