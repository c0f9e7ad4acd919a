/** Format 5 remembers what was imported from where, so that a second import touches only what changed. */

export const imports = `
CREATE TABLE imports (
  -- Its format and path, or the name that it was given.
  source  TEXT NOT NULL,
  -- Of the item in the source: a relative path, the id of a message, the hash of a commit.
  key     TEXT NOT NULL,
  -- Of all that was stored; null: it is gone from the source.
  hash    TEXT,
  -- Null for a work, which is known by its identifiers.
  record  INTEGER REFERENCES records (row) ON DELETE CASCADE,
  -- Whether this import made the record, or found the same content there.
  made    INTEGER NOT NULL,
  -- When it was last new, changed or gone.
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (source, key)
) WITHOUT ROWID;
CREATE INDEX imports_by_record ON imports (record) WHERE record IS NOT NULL;
-- Also where a program deletes records without foreign keys.
CREATE TRIGGER records_removed_imports AFTER DELETE ON records BEGIN
  DELETE FROM imports WHERE record = old.row;
END;
`
