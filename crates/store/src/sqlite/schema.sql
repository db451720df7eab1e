-- Version 1. Names of branches and documents live in streams; rows carry its number.
-- Times are milliseconds since 1970, objects are JSON text, booleans are 0 and 1.

CREATE TABLE workspaces (
    ws INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    event_no INTEGER NOT NULL,
    plans INTEGER NOT NULL,
    tasks INTEGER NOT NULL,
    branches INTEGER NOT NULL,
    checkout TEXT NOT NULL,
    focus TEXT
) STRICT;

CREATE TABLE branches (
    ws INTEGER NOT NULL REFERENCES workspaces (ws),
    name TEXT NOT NULL,
    no INTEGER NOT NULL,
    base_branch TEXT,
    base_seq INTEGER,
    depth INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (ws, name),
    UNIQUE (ws, no)
) STRICT, WITHOUT ROWID;

-- One branch's own part of one document; kind 0 is a log, 1 a graph.
CREATE TABLE streams (
    stream INTEGER PRIMARY KEY,
    ws INTEGER NOT NULL,
    branch TEXT NOT NULL,
    kind INTEGER NOT NULL,
    doc TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    UNIQUE (ws, branch, kind, doc),
    FOREIGN KEY (ws, branch) REFERENCES branches (ws, name)
) STRICT;

CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    ws INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    stream INTEGER NOT NULL REFERENCES streams (stream),
    ts_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    title TEXT,
    format TEXT,
    meta TEXT,
    content TEXT NOT NULL,
    anchors TEXT,
    origin_branch TEXT,
    origin_seq INTEGER,
    event_no INTEGER,
    pinned INTEGER NOT NULL,
    handoff INTEGER NOT NULL,
    UNIQUE (ws, seq)
) STRICT;
CREATE UNIQUE INDEX entries_by_stream ON entries (stream, seq);
CREATE UNIQUE INDEX entries_by_event ON entries (ws, event_no) WHERE event_no IS NOT NULL;
CREATE INDEX entries_by_origin ON entries (ws, origin_seq, seq) WHERE origin_seq IS NOT NULL;
CREATE UNIQUE INDEX entries_once ON entries (stream, origin_seq) WHERE origin_seq IS NOT NULL;
CREATE INDEX entries_pinned ON entries (ws, seq) WHERE pinned = 1;
CREATE INDEX entries_handoff ON entries (ws, seq) WHERE handoff = 1;

-- A version is the latest of its key on its branch while seq <= t < next_seq. Rows whose next_seq is the
-- largest number are the heads; the partial indexes over them keep reads as small as their answers.
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    ws INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    next_seq INTEGER NOT NULL,
    stream INTEGER NOT NULL REFERENCES streams (stream),
    ts_ms INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    key TEXT NOT NULL,
    from_id TEXT,
    rel TEXT,
    to_id TEXT,
    deleted INTEGER NOT NULL,
    type TEXT NOT NULL,
    title TEXT,
    body TEXT,
    status TEXT,
    tags TEXT,
    meta TEXT,
    valid_to_ms INTEGER,
    anchors TEXT,
    origin_branch TEXT,
    origin_seq INTEGER,
    UNIQUE (ws, seq)
) STRICT;
CREATE UNIQUE INDEX versions_by_key ON versions (stream, kind, key, seq);
CREATE UNIQUE INDEX versions_head ON versions (stream, kind, key) WHERE next_seq = 9223372036854775807;
CREATE INDEX versions_in_order ON versions (stream, seq, next_seq, kind);
CREATE INDEX versions_heads_in_order ON versions (stream, kind, seq) WHERE next_seq = 9223372036854775807;
CREATE INDEX versions_from ON versions (stream, from_id, seq) WHERE from_id IS NOT NULL;
CREATE INDEX versions_to ON versions (stream, to_id, seq) WHERE to_id IS NOT NULL;
CREATE INDEX versions_types ON versions (ws, type, seq)
    WHERE next_seq = 9223372036854775807 AND deleted = 0 AND kind = 0;

CREATE TABLE conflicts (
    ws INTEGER NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    doc TEXT NOT NULL,
    from_branch TEXT NOT NULL,
    into_branch TEXT NOT NULL,
    kind INTEGER NOT NULL,
    key TEXT NOT NULL,
    from_id TEXT,
    rel TEXT,
    to_id TEXT,
    base TEXT,
    theirs TEXT,
    ours TEXT,
    theirs_seq INTEGER NOT NULL,
    ours_seq INTEGER,
    status TEXT NOT NULL,
    resolution TEXT,
    created_ms INTEGER NOT NULL,
    resolved_ms INTEGER,
    PRIMARY KEY (ws, id)
) STRICT;
CREATE INDEX conflicts_by_target ON conflicts (ws, into_branch, seq);

CREATE TABLE entities (
    ws INTEGER NOT NULL REFERENCES workspaces (ws),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent TEXT,
    title TEXT NOT NULL,
    description TEXT,
    contract TEXT,
    contract_data TEXT,
    status TEXT NOT NULL,
    priority INTEGER NOT NULL,
    depends_on TEXT,
    anchors TEXT,
    revision INTEGER NOT NULL,
    created_seq INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    claim TEXT,
    fence INTEGER NOT NULL,
    PRIMARY KEY (ws, id)
) STRICT;
CREATE INDEX entities_in_order ON entities (ws, created_seq);
CREATE INDEX entities_by_parent ON entities (ws, parent, created_seq) WHERE parent IS NOT NULL;
CREATE INDEX entities_open ON entities (ws, priority DESC, created_seq)
    WHERE kind = 'task' AND status IN ('todo', 'active');

CREATE TABLE steps (
    ws INTEGER NOT NULL,
    id TEXT NOT NULL,
    task TEXT NOT NULL,
    parent TEXT,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    success_criteria TEXT,
    tests TEXT,
    blockers TEXT,
    criteria TEXT NOT NULL,
    tests_passed TEXT NOT NULL,
    completed_ms INTEGER,
    PRIMARY KEY (ws, id)
) STRICT;
CREATE INDEX steps_by_task ON steps (ws, task);

CREATE TABLE events (
    ws INTEGER NOT NULL,
    no INTEGER NOT NULL,
    ts_ms INTEGER NOT NULL,
    entity TEXT NOT NULL,
    path TEXT,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (ws, no)
) STRICT, WITHOUT ROWID;

CREATE TABLE replays (
    ws INTEGER NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (ws, operation, key)
) STRICT;

CREATE TABLE finds (
    id INTEGER PRIMARY KEY,
    ws INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ts_ms INTEGER NOT NULL,
    UNIQUE (ws, kind, reference)
) STRICT;
-- The texts themselves are in the rows; the index keeps only words. Scope is the workspace as a word.
CREATE VIRTUAL TABLE find_text USING fts5 (
    scope, title, body, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0"
);
