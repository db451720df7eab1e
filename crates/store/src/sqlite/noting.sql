-- Version 4. The newest plain notes of a workspace, wherever they were written.
CREATE INDEX entries_plain ON entries (ws, seq) WHERE kind = 'note' AND pinned = 0 AND handoff = 0;
