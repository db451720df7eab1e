-- Version 7. Drawers: what agents keep for themselves between calls.
CREATE TABLE drawers (
    kind TEXT NOT NULL,
    agent TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, agent, key)
) WITHOUT ROWID;
CREATE TABLE drawer_numbers (
    kind TEXT NOT NULL,
    agent TEXT NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (kind, agent)
) WITHOUT ROWID;
