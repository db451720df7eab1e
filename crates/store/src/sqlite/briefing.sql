-- Version 2. What a briefing asks for: anchored things, work in progress, open conflicts.
CREATE INDEX entries_anchored ON entries (stream, seq) WHERE anchors IS NOT NULL;
CREATE INDEX versions_anchored ON versions (stream, seq) WHERE anchors IS NOT NULL;
CREATE INDEX conflicts_open ON conflicts (ws, seq) WHERE status = 'open';
CREATE INDEX entities_at_work ON entities (ws, priority DESC, created_seq)
    WHERE kind = 'task' AND (status IN ('active', 'blocked') OR claim IS NOT NULL);
