-- Version 3. Words are folded before they are indexed (accents, forms of a word, scripts without spaces), and the texts of
-- nodes are found by what they hold. What there is already is indexed again by the program.
DROP TABLE find_text;
DELETE FROM finds;
CREATE VIRTUAL TABLE find_text USING fts5 (
    scope, title, body, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0"
);
-- Every three characters of a node's id, title and text; scope is the stream as one such. The row is the version's.
CREATE VIRTUAL TABLE node_text USING fts5 (
    scope, body, content = '', detail = none, tokenize = "trigram case_sensitive 1"
);
-- With the keys, so that going through all of them reads no rows.
DROP INDEX versions_heads_in_order;
CREATE INDEX versions_heads_in_order ON versions (stream, kind, seq, deleted, key)
    WHERE next_seq = 9223372036854775807;
