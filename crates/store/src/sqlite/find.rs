//! Full text search with FTS5.

use m1nd_memory::ids::Seq;
use m1nd_memory::port::{FindKind, FindRow, FindScan, Found, Match, Wanted, WsNo};
use rusqlite::{Connection, OptionalExtension as _, Result, params};

/// A word in a title weighs as much as four in the text.
const RANK: &str = "bm25(find_text, 0.0, 4.0, 1.0)";

/// So many texts are ranked at a time, the newest first: where more hold the words, ranking all of them would cost more
/// than it tells.
const RANKED: usize = 2_000;

/// Texts that fit, best first among the newest [`RANKED`], then among the next, and so on.
pub(super) fn find(connection: &Connection, scan: &FindScan<'_>) -> Result<Vec<Found>> {
    let mut out = Vec::new();
    if scan.words.is_empty() || scan.kinds.is_empty() {
        return Ok(out);
    }
    let question = question(connection, scan)?;
    let mut at = scan.skip / RANKED * RANKED;
    let mut skip = scan.skip % RANKED;
    while let Some(range) = range(connection, scan, &question, at)? {
        let want = scan.limit - out.len();
        out.extend(ranked(connection, scan, &question, range, want, skip)?);
        if out.len() >= scan.limit || range.0 == i64::MIN {
            break;
        }
        (at, skip) = (at + RANKED, 0);
    }
    Ok(out)
}

/// The rows of the texts that fit from number `at` on, newest first: the lowest, which is open when they are the last,
/// and the highest.
fn range(
    connection: &Connection,
    scan: &FindScan<'_>,
    question: &str,
    at: usize,
) -> Result<Option<(i64, i64)>> {
    let sql = format!("SELECT f.id {} ORDER BY find_text.rowid DESC LIMIT 1 OFFSET $3", fitting(scan));
    let mut statement = connection.prepare_cached(&sql)?;
    let mut nth = |at: usize| -> Result<Option<i64>> {
        statement.query_row(params![question, since(scan), number(at)], |row| row.get(0)).optional()
    };
    // Mostly there are fewer, and one question tells.
    let lowest = nth(at + RANKED - 1)?;
    if at == 0 {
        return Ok(Some((lowest.unwrap_or(i64::MIN), i64::MAX)));
    }
    Ok(nth(at)?.map(|highest| (lowest.unwrap_or(i64::MIN), highest)))
}

/// How many texts fit; nobody asks beyond [`RANKED`].
fn count(connection: &Connection, scan: &FindScan<'_>, question: &str) -> Result<u32> {
    let sql = format!("SELECT COUNT(*) FROM (SELECT 1 {} LIMIT {RANKED})", fitting(scan));
    connection.prepare_cached(&sql)?.query_row(params![question, since(scan)], |row| row.get(0))
}

fn ranked(
    connection: &Connection,
    scan: &FindScan<'_>,
    question: &str,
    (lowest, highest): (i64, i64),
    limit: usize,
    skip: usize,
) -> Result<Vec<Found>> {
    let sql = format!(
        "SELECT f.kind, f.reference, f.seq, {RANK} {} AND find_text.rowid >= $3 AND find_text.rowid <= $4 \
         ORDER BY {RANK}, f.id DESC LIMIT $5 OFFSET $6",
        fitting(scan)
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let params = params![question, since(scan), lowest, highest, number(limit), number(skip)];
    let found = statement.query_map(params, |row| {
        let name: String = row.get(0)?;
        let kind = FindKind::ALL.into_iter().find(|kind| kind.as_str() == name).unwrap_or(FindKind::Note);
        let rank: f64 = row.get(3)?;
        Ok(Found { kind, reference: row.get(1)?, seq: Seq(row.get(2)?), score: -rank })
    })?;
    found.collect()
}

/// Texts that hold the words of the question `$1`, of the wanted kinds, since `$2`.
fn fitting(scan: &FindScan<'_>) -> String {
    let kinds: Vec<String> = scan.kinds.iter().map(|kind| format!("'{}'", kind.as_str())).collect();
    format!(
        "FROM find_text JOIN finds f ON f.id = find_text.rowid \
         WHERE find_text MATCH $1 AND f.ts_ms >= $2 AND f.kind IN ({})",
        kinds.join(", ")
    )
}

fn since(scan: &FindScan<'_>) -> i64 {
    scan.since.unwrap_or(i64::MIN)
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
fn question(connection: &Connection, scan: &FindScan<'_>) -> Result<String> {
    let one = |wanted: &Wanted| match &wanted.beginning {
        None => format!("\"{}\"", wanted.word),
        Some(beginning) => format!("(\"{}\" OR \"{beginning}\" *)", wanted.word),
    };
    let within = |what: &str| format!("scope : {} AND {{title body}} : ({what})", scope(scan.ws));
    let words: Vec<String> = scan.words.iter().map(one).collect();
    match scan.matching {
        Match::All => Ok(within(&words.join(" AND "))),
        Match::Any => {
            // A word that very many texts hold makes none of them a hit where others are rarer; it still ranks.
            let mut rare = Vec::new();
            for word in &words {
                let texts = count(connection, scan, &within(word))?;
                if 0 < texts && (texts as usize) < RANKED {
                    rare.push(word.as_str());
                }
            }
            let any = words.join(" OR ");
            if rare.is_empty() || rare.len() == words.len() {
                return Ok(within(&any));
            }
            Ok(within(&format!("({}) AND ({any})", rare.join(" OR "))))
        }
    }
}

fn number(given: usize) -> i64 {
    i64::try_from(given).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use m1nd_memory::ids::WorkspaceId;
    use m1nd_memory::port::{Store as _, Verdict};
    use m1nd_memory::search::wanted;
    use m1nd_stdx::clock::UnixMs;

    use super::*;
    use crate::SqliteStore;

    #[test]
    fn every_text_is_reached_where_very_many_hold_a_word_and_a_rare_word_wins() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
        let texts = RANKED * 2 + 500;
        let mut ws = WsNo(0);
        store
            .write(&mut |tx| {
                ws = tx.create_workspace(&WorkspaceId::parse("w")?, 0)?.no;
                for at in 0..texts {
                    let body = if at == 3 { "needle common" } else { "common hay" };
                    tx.put_find(&FindRow {
                        ws,
                        kind: FindKind::Note,
                        reference: at.to_string(),
                        seq: Seq(i64::try_from(at).unwrap()),
                        ts: UnixMs(0),
                        title: String::new(),
                        body: body.to_owned(),
                    })?;
                }
                Ok(Verdict::Keep)
            })
            .unwrap();
        let find = |query: &str, matching: Match, skip: usize| {
            let words = wanted(query);
            let mut out = Vec::new();
            store
                .read(&mut |rows| {
                    let (kinds, since, limit) = (&FindKind::ALL[..], None, 300);
                    out = rows.find(&FindScan { ws, words: &words, matching, kinds, since, skip, limit })?;
                    Ok(())
                })
                .unwrap();
            out
        };
        let mut seen = Vec::new();
        loop {
            let page = find("common", Match::All, seen.len());
            if page.is_empty() {
                break;
            }
            seen.extend(page.into_iter().map(|found| found.reference));
        }
        let distinct: std::collections::HashSet<&String> = seen.iter().collect();
        assert_eq!((seen.len(), distinct.len()), (texts, texts));
        assert_eq!(seen[0], (texts - 1).to_string());
        let best = find("common needle nowhere", Match::Any, 0);
        assert_eq!(best.iter().map(|found| found.reference.as_str()).collect::<Vec<_>>(), ["3"]);
        assert_eq!(find("common nowhere", Match::Any, 0).len(), 300);
    }
}
