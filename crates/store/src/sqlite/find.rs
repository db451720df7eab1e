//! Full text search with FTS5.

use m1nd_memory::ids::Seq;
use m1nd_memory::port::{FindKind, FindRow, FindScan, Found, Match, Wanted, WsNo};
use rusqlite::{Connection, OptionalExtension as _, Result, params};

/// A word in a title weighs as much as four in the text.
const RANK: &str = "bm25(find_text, 0.0, 4.0, 1.0)";

pub(super) fn find(connection: &Connection, scan: &FindScan<'_>) -> Result<Vec<Found>> {
    if scan.words.is_empty() || scan.kinds.is_empty() {
        return Ok(Vec::new());
    }
    let kinds: Vec<String> = scan.kinds.iter().map(|kind| format!("'{}'", kind.as_str())).collect();
    let sql = format!(
        "SELECT f.kind, f.reference, f.seq, {RANK} FROM find_text JOIN finds f ON f.id = find_text.rowid \
         WHERE find_text MATCH $1 AND f.ts_ms >= $2 AND f.kind IN ({}) ORDER BY {RANK}, f.id DESC LIMIT $3 OFFSET $4",
        kinds.join(", ")
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let (limit, skip) = (number(scan.limit), number(scan.skip));
    let params = params![question(scan), scan.since.unwrap_or(i64::MIN), limit, skip];
    let found = statement.query_map(params, |row| {
        let name: String = row.get(0)?;
        let kind = FindKind::ALL.into_iter().find(|kind| kind.as_str() == name).unwrap_or(FindKind::Note);
        let rank: f64 = row.get(3)?;
        Ok(Found { kind, reference: row.get(1)?, seq: Seq(row.get(2)?), score: -rank })
    })?;
    found.collect()
}

pub(super) fn put(connection: &Connection, row: &FindRow) -> Result<()> {
    let scope = scope(row.ws);
    match number_of(connection, row.ws, row.kind, &row.reference)? {
        Some(id) => {
            let mut update =
                connection.prepare_cached("UPDATE finds SET seq = $1, ts_ms = $2 WHERE id = $3")?;
            update.execute(params![row.seq.0, row.ts.0, id])?;
            let mut update = connection
                .prepare_cached("UPDATE find_text SET scope = $1, title = $2, body = $3 WHERE rowid = $4")?;
            update.execute(params![scope, row.title, row.body, id])?;
        }
        None => {
            let mut insert = connection.prepare_cached(
                "INSERT INTO finds (ws, kind, reference, seq, ts_ms) VALUES ($1, $2, $3, $4, $5) RETURNING id",
            )?;
            let values = params![row.ws.0, row.kind.as_str(), row.reference, row.seq.0, row.ts.0];
            let id: i64 = insert.query_row(values, |row| row.get(0))?;
            let mut insert = connection.prepare_cached(
                "INSERT INTO find_text (rowid, scope, title, body) VALUES ($1, $2, $3, $4)",
            )?;
            insert.execute(params![id, scope, row.title, row.body])?;
        }
    }
    Ok(())
}

pub(super) fn forget(connection: &Connection, ws: WsNo, kind: FindKind, reference: &str) -> Result<()> {
    if let Some(id) = number_of(connection, ws, kind, reference)? {
        connection.prepare_cached("DELETE FROM find_text WHERE rowid = $1")?.execute([id])?;
        connection.prepare_cached("DELETE FROM finds WHERE id = $1")?.execute([id])?;
    }
    Ok(())
}

fn number_of(connection: &Connection, ws: WsNo, kind: FindKind, reference: &str) -> Result<Option<i64>> {
    let sql = "SELECT id FROM finds WHERE ws = $1 AND kind = $2 AND reference = $3";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(params![ws.0, kind.as_str(), reference], |row| row.get(0)).optional()
}

/// The workspace as a word of the index.
fn scope(ws: WsNo) -> String {
    format!("ws{}", ws.0)
}

/// The question in the language of FTS5. Terms hold letters and digits only, so quoting is safe. A term that stands
/// there itself counts beside its beginning, and so ranks higher.
fn question(scan: &FindScan<'_>) -> String {
    let one = |wanted: &Wanted| match &wanted.beginning {
        None => format!("\"{}\"", wanted.word),
        Some(beginning) => format!("(\"{}\" OR \"{beginning}\" *)", wanted.word),
    };
    let words: Vec<String> = scan.words.iter().map(one).collect();
    let joint = match scan.matching {
        Match::All => " AND ",
        Match::Any => " OR ",
    };
    format!("scope : {} AND {{title body}} : ({})", scope(scan.ws), words.join(joint))
}

fn number(given: usize) -> i64 {
    i64::try_from(given).unwrap_or(i64::MAX)
}
