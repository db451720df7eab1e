-- Version 8. How merges left the keys of a graph: which version of the merged branch both sides agreed on, and which one
-- somebody decided not to take. The stream is the merged branch's. What was merged before is marked by the program.
CREATE TABLE merge_marks (
    stream INTEGER NOT NULL REFERENCES streams (stream),
    into_branch TEXT NOT NULL,
    kind INTEGER NOT NULL,
    key TEXT NOT NULL,
    from_id TEXT,
    rel TEXT,
    to_id TEXT,
    agreed_seq INTEGER,
    refused_seq INTEGER,
    PRIMARY KEY (stream, into_branch, kind, key)
) STRICT, WITHOUT ROWID;
