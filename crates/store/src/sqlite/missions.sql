-- Version 6. Missions: a stream of events each, and what it comes to.
CREATE TABLE missions (
    mission TEXT PRIMARY KEY,
    status TEXT NOT NULL,
    updated_ms INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    state TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX missions_updated ON missions (updated_ms DESC, mission);
CREATE TABLE mission_events (
    mission TEXT NOT NULL REFERENCES missions (mission),
    sequence INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (mission, sequence)
) WITHOUT ROWID;
