//! Nodes by what their texts hold, through an index of every three characters.

use m1nd_memory::port::StreamId;
use rusqlite::{Connection, Result, params};

/// Between the id, the title and the text of a node, so that nothing is found across them.
const BETWEEN: char = '\u{1}';

/// Makes a version of a node findable by its texts.
pub(super) fn put(
    connection: &Connection,
    version: i64,
    stream: StreamId,
    texts: [Option<&str>; 3],
) -> Result<()> {
    let mut body = String::new();
    for text in texts.into_iter().flatten() {
        body.push_str(text);
        body.push(BETWEEN);
    }
    // Lower-cased here and not by the index, so that both sides of a comparison are cased alike.
    let body = body.to_lowercase();
    let sql = "INSERT INTO node_text (rowid, scope, body) VALUES ($1, $2, $3)";
    connection.prepare_cached(sql)?.execute(params![version, scope(stream), body]).map(drop)
}

/// Indexes the nodes that were written before there was an index.
pub(super) fn fill(connection: &Connection) -> Result<()> {
    let mut all =
        connection.prepare("SELECT id, stream, key, title, body FROM versions WHERE kind = 0 ORDER BY id")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        let text = |at: usize| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str_or_null()?);
        put(connection, row.get(0)?, StreamId(row.get(1)?), [text(2)?, text(3)?, text(4)?])?;
    }
    Ok(())
}

/// The question that every version of a stream fits whose texts may hold `wanted`; none if it is too short to ask.
pub(super) fn question(stream: StreamId, wanted: &str) -> Option<String> {
    let chars: Vec<char> = wanted.chars().collect();
    let mut parts = vec![quoted(&scope(stream))];
    for three in chars.windows(3).take(MOST) {
        let part = quoted(&String::from_iter(three));
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    (parts.len() > 1).then(|| parts.join(" AND "))
}

/// So many of the first threes of a text are asked for; what fits them all is compared as a whole.
const MOST: usize = 60;

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The stream as three characters that nobody writes.
fn scope(stream: StreamId) -> String {
    const FIRST: u32 = 0xe000;
    const COUNT: i64 = 6_400;
    let digit = |of: i64| u32::try_from(of.rem_euclid(COUNT)).ok().and_then(|at| char::from_u32(FIRST + at));
    [stream.0 / COUNT / COUNT, stream.0 / COUNT, stream.0].into_iter().filter_map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_for_every_three_characters_in_one_stream() {
        assert_eq!(scope(StreamId(7)).chars().count(), 3);
        assert_ne!(scope(StreamId(6_400)), scope(StreamId(1)));
        let question = question(StreamId(7), "a\"bc").unwrap();
        assert!(question.ends_with("AND \"a\"\"b\" AND \"\"\"bc\""), "{question}");
        assert_eq!(super::question(StreamId(7), "ab"), None);
    }
}
