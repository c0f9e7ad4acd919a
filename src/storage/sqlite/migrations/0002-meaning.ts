/** Format 2 adds vectors, keyed by model, in blocks that are read and scanned as they are. */

/** Slots of a block: a single addition rewrites one block, so it is small; a load reads them all, so not too small. */
export const BLOCK_SLOTS = 128

export const meaning = `
CREATE TABLE models (
  row        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL,
  floor      REAL NOT NULL,
  cascade_threshold REAL NOT NULL,
  config     TEXT NOT NULL CHECK (json_valid(config)),
  state      TEXT NOT NULL CHECK (state IN ('active', 'building', 'idle')),
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX models_active ON models (state) WHERE state = 'active';

-- Live records whose text the active model has not read: new, changed, or added while it could not be reached.
CREATE TABLE waiting (record INTEGER PRIMARY KEY REFERENCES records (row) ON DELETE CASCADE);
INSERT INTO waiting (record) SELECT row FROM records;

CREATE TABLE embedded (
  model       INTEGER NOT NULL REFERENCES models (row) ON DELETE CASCADE,
  record      INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  chunks      INTEGER NOT NULL,
  -- Where the vector of the whole record is, if it has several chunks.
  whole_block INTEGER,
  whole_slot  INTEGER,
  PRIMARY KEY (model, record)
) WITHOUT ROWID;
CREATE INDEX embedded_by_record ON embedded (record);

CREATE TABLE chunks (
  model   INTEGER NOT NULL REFERENCES models (row) ON DELETE CASCADE,
  record  INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  "start" INTEGER NOT NULL,
  "end"   INTEGER NOT NULL,
  block   INTEGER NOT NULL,
  slot    INTEGER NOT NULL,
  PRIMARY KEY (model, record, ordinal)
) WITHOUT ROWID;
CREATE UNIQUE INDEX chunks_by_place ON chunks (block, slot);
CREATE INDEX chunks_by_record ON chunks (record);

-- space: 0 for chunks, 1 for whole records of several chunks. version grows with every change in any block.
CREATE TABLE vector_blocks (
  row     INTEGER PRIMARY KEY,
  model   INTEGER NOT NULL REFERENCES models (row) ON DELETE CASCADE,
  space   INTEGER NOT NULL,
  free    INTEGER NOT NULL,
  version INTEGER NOT NULL,
  data    BLOB NOT NULL
);
CREATE INDEX vector_blocks_by_version ON vector_blocks (version);
CREATE INDEX vector_blocks_free ON vector_blocks (model, space, row) WHERE free > 0;

-- The same vectors at two bytes a dimension, to order the best of a scan. place = block * ${BLOCK_SLOTS} + slot.
CREATE TABLE vectors (
  place INTEGER PRIMARY KEY,
  scale REAL NOT NULL,
  codes BLOB NOT NULL
);
CREATE TRIGGER chunks_removed AFTER DELETE ON chunks BEGIN
  DELETE FROM vectors WHERE place = old.block * ${BLOCK_SLOTS} + old.slot;
END;
CREATE TRIGGER embedded_removed AFTER DELETE ON embedded WHEN old.whole_block IS NOT NULL BEGIN
  DELETE FROM vectors WHERE place = old.whole_block * ${BLOCK_SLOTS} + old.whole_slot;
END;

CREATE TABLE embedding_cache (
  row    INTEGER PRIMARY KEY,
  model  TEXT NOT NULL,
  hash   BLOB NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (model, hash)
);

CREATE TRIGGER records_added_wait AFTER INSERT ON records BEGIN
  INSERT OR IGNORE INTO waiting (record) VALUES (new.row);
END;

CREATE TRIGGER records_changed_wait AFTER UPDATE OF title, body ON records
WHEN new.title IS NOT old.title OR new.body IS NOT old.body BEGIN
  INSERT OR IGNORE INTO waiting (record) VALUES (new.row);
  DELETE FROM embedded WHERE record = new.row;
END;

-- The old vector still serves until the new surroundings are read.
CREATE TRIGGER records_context_wait AFTER UPDATE OF context ON records WHEN new.context IS NOT old.context BEGIN
  INSERT OR IGNORE INTO waiting (record) VALUES (new.row);
END;

CREATE TRIGGER records_removed_wait AFTER DELETE ON records BEGIN
  DELETE FROM waiting WHERE record = old.row;
  DELETE FROM embedded WHERE record = old.row;
  DELETE FROM chunks WHERE record = old.row;
END;

-- Whoever holds the block in memory looks at it again.
CREATE TRIGGER records_hidden_or_shown AFTER UPDATE OF deleted_at ON records
WHEN (new.deleted_at IS NULL) <> (old.deleted_at IS NULL) BEGIN
  UPDATE vector_blocks SET version = (SELECT max(version) + 1 FROM vector_blocks)
  WHERE row IN (SELECT block FROM chunks WHERE record = new.row);
END;
`
