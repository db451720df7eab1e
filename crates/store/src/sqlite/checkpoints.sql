-- Version 9. The state of a mission is stored now and then, with a digest of it, and not with every event: the events after it are
-- added to it when it is read. One without a digest is made again from all events.
ALTER TABLE missions ADD COLUMN digest TEXT;
