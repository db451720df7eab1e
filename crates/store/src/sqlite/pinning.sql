-- Version 5. Tagged nodes as they are now, among them what is pinned.
CREATE INDEX versions_tagged ON versions (ws, seq) WHERE tags IS NOT NULL AND next_seq = 9223372036854775807;
