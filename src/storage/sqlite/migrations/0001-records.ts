/** Format 1, first part: records with their index, vectors and revisions. docs/storage.md describes every table. */

import { KINDS, REVISION_ENDS, SECTORS, TIERS } from '../../../core/record.js'
import { BLOCK_SLOTS } from '../../../vectors/block.js'
import { isJson, isOneOf, isShare, isTime } from './values.js'

/** While a bulk addition runs, the triggers skip its records; the writer fills the index before it commits. */
const IS_FOLLOWED = 'NOT EXISTS (SELECT 1 FROM unindexed WHERE first_row <= new.row)'

/** FTS5 flushes its buffer at 1 MB by default. A batch of a thousand abstracts has up to 4 MB, and should become one segment. */
const INDEX_BUFFER_BYTES = 4 * 1024 * 1024

/** The columns of both indexes, in their order. */
const INDEX_COLUMNS = 'title, body, tags, people, context, venue, key, doi, year'
const readCitation = (from: string): string[] =>
  ['venue', 'key', 'doi', 'year'].map((name) => `json_extract(${from}citation_ix, '$.${name}')`)

const OLD_INDEXED = `coalesce(old.title_ix, old.title), coalesce(old.body_ix, old.body),
           coalesce(old.tags_ix, old.tags), coalesce(old.people_ix, old.people)`
const OLD_CITATION = readCitation('old.').join(', ')
const REMOVE_FROM_INDEX = `INSERT INTO records_ft (records_ft, rowid, ${INDEX_COLUMNS})
    SELECT 'delete', old.row, ${OLD_INDEXED}, coalesce(old.context_ix, old.context), ${OLD_CITATION}
    WHERE old.present;`
const ADD_TO_INDEX = `INSERT INTO records_ft (rowid, ${INDEX_COLUMNS})
    SELECT row, ${INDEX_COLUMNS} FROM records_indexed WHERE row = new.row;`

/** True if the text changed and its indexed form did not: another program wrote it, which does not know of indexed forms. */
const isStale = (column: string): string =>
  `new.${column} IS NOT old.${column} AND new.${column}_ix IS old.${column}_ix`
const SEGMENTED = ['title', 'body', 'tags', 'people']
const HAS_STALE_FORM = SEGMENTED.map((c) => `(new.${c}_ix IS NOT NULL AND ${isStale(c)})`).join(
  '\n  OR ',
)
const INDEXED_COLUMNS = `row, title, body, tags, people, context,
  title_ix, body_ix, tags_ix, people_ix, context_ix, citation_ix, deleted_at, superseded_at`
const INDEXED_FORMS = SEGMENTED.map((c) => `coalesce(${c}_ix, ${c}) AS ${c}`).join(', ')
const [VENUE, KEY, DOI, YEAR] = readCitation('')
const INDEXED_CITATION = `${VENUE} AS venue, ${KEY} AS key, ${DOI} AS doi, ${YEAR} AS year`

/** The columns that a record and its revisions share. */
const CONTENT = `  kind          TEXT NOT NULL ${isOneOf('kind', KINDS)},
  namespace     TEXT NOT NULL,
  title         TEXT,
  body          TEXT NOT NULL,
  tags          TEXT NOT NULL DEFAULT '[]' ${isJson('tags', 'array')},
  people        TEXT NOT NULL DEFAULT '[]' ${isJson('people', 'array')},
  source        TEXT,
  metadata      TEXT NOT NULL DEFAULT '{}' ${isJson('metadata', 'object')},
  importance    REAL NOT NULL DEFAULT 0.5 ${isShare('importance')},
  sector        TEXT ${isOneOf('sector', SECTORS)},
  tier          TEXT NOT NULL DEFAULT 'project' ${isOneOf('tier', TIERS)},`

/** The triggers use built-in functions only, so any SQLite can write to the file. */
const RECORDS = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;

CREATE TABLE records (
  row           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
${CONTENT}
  salience      REAL NOT NULL DEFAULT 0.5 ${isShare('salience')},
  session_id    TEXT,
  -- The texts of the neighbours of a short turn, separated by U+001E.
  context       TEXT,
  created_at    INTEGER NOT NULL ${isTime('created_at')},
  updated_at    INTEGER NOT NULL ${isTime('updated_at')},
  occurred_at   INTEGER ${isTime('occurred_at')},
  deleted_at    INTEGER ${isTime('deleted_at')},
  content_hash  BLOB,
  -- The indexed form of a text, where it differs from the text; otherwise null.
  title_ix      TEXT,
  body_ix       TEXT,
  tags_ix       TEXT,
  people_ix     TEXT,
  context_ix    TEXT,
  -- The venue, key, DOI and year of a work as they are indexed; the work itself is in works.
  citation_ix   TEXT CHECK (citation_ix IS NULL OR json_valid(citation_ix)),
  superseded_at INTEGER ${isTime('superseded_at')},
  -- The last time it was added, recalled or reinforced; null: when it was created.
  accessed_at   INTEGER ${isTime('accessed_at')},
  -- When it got its current state; null: when it was created.
  valid_from    INTEGER ${isTime('valid_from')},
  -- The name of the token that wrote the current state; null: written without one.
  author        TEXT,
  -- Neither deleted nor superseded: what a search finds unless it asks for the past.
  present       INTEGER GENERATED ALWAYS AS (deleted_at IS NULL AND superseded_at IS NULL) VIRTUAL
) STRICT;
CREATE INDEX records_by_time ON records (created_at, id);
CREATE INDEX records_by_namespace ON records (namespace, created_at, id);
CREATE INDEX records_by_occurrence ON records (coalesce(occurred_at, created_at));
CREATE INDEX records_by_content ON records (content_hash, namespace);
CREATE INDEX records_by_session ON records (session_id, namespace, coalesce(occurred_at, created_at), row)
  WHERE session_id IS NOT NULL;
CREATE INDEX records_deleted ON records (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX records_superseded ON records (superseded_at) WHERE superseded_at IS NOT NULL;
CREATE INDEX records_timeline ON records (namespace, coalesce(occurred_at, created_at), id);

CREATE TABLE record_tags (
  tag TEXT NOT NULL COLLATE NOCASE,
  row INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  PRIMARY KEY (tag, row)
) WITHOUT ROWID, STRICT;
CREATE INDEX record_tags_by_row ON record_tags (row);

-- The first record that a bulk addition still has to index; empty outside of a transaction. The foreign key can never
-- hold, so SQLite refuses to commit a file with a row in this table.
CREATE TABLE unindexed (
  first_row INTEGER PRIMARY KEY CHECK (first_row > 0),
  never     INTEGER NOT NULL DEFAULT -1 CHECK (never = -1)
    REFERENCES unindexed (first_row) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE VIEW records_indexed AS
  SELECT row, ${INDEXED_FORMS},
         coalesce(context_ix, context) AS context, ${INDEXED_CITATION}
  FROM records
  WHERE present;

CREATE VIRTUAL TABLE records_ft USING fts5 (
  ${INDEX_COLUMNS},
  content = 'records_indexed', content_rowid = 'row',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO records_ft (records_ft, rank) VALUES ('hashsize', ${INDEX_BUFFER_BYTES});
CREATE VIRTUAL TABLE records_vocabulary USING fts5vocab ('records_ft', 'row');
CREATE VIRTUAL TABLE records_instances USING fts5vocab ('records_ft', 'instance');

CREATE TRIGGER records_added AFTER INSERT ON records WHEN ${IS_FOLLOWED} BEGIN
  ${ADD_TO_INDEX}
  INSERT OR IGNORE INTO record_tags (tag, row) SELECT value, new.row FROM json_each(new.tags);
END;

CREATE TRIGGER records_removed AFTER DELETE ON records BEGIN
  ${REMOVE_FROM_INDEX}
  DELETE FROM record_tags WHERE row = old.row;
END;

CREATE TRIGGER records_changed AFTER UPDATE OF ${INDEXED_COLUMNS} ON records
WHEN NOT (${HAS_STALE_FORM}) AND ${IS_FOLLOWED} BEGIN
  ${REMOVE_FROM_INDEX}
  ${ADD_TO_INDEX}
END;

-- A program that changes a text and knows nothing of its indexed form must not leave the old form in the index. The index
-- follows the row as it was written first: the UPDATE below fires records_changed, whether or not triggers are recursive.
CREATE TRIGGER records_changed_alone AFTER UPDATE OF ${INDEXED_COLUMNS} ON records
WHEN (${HAS_STALE_FORM}) AND ${IS_FOLLOWED} BEGIN
  ${REMOVE_FROM_INDEX}
  ${ADD_TO_INDEX}
  UPDATE records SET
    ${SEGMENTED.map((c) => `${c}_ix = CASE WHEN ${isStale(c)} THEN NULL ELSE new.${c}_ix END`).join(',\n    ')}
    WHERE row = new.row;
END;

CREATE TRIGGER records_tagged AFTER UPDATE OF row, tags ON records
WHEN (new.tags IS NOT old.tags OR new.row <> old.row) AND ${IS_FOLLOWED} BEGIN
  DELETE FROM record_tags WHERE row = old.row;
  INSERT OR IGNORE INTO record_tags (tag, row) SELECT value, new.row FROM json_each(new.tags);
END;
`

/** The version at which a block was last removed: readers load all blocks again. */
export const BLOCKS_REMOVED = `coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'blocksRemoved'), 0)`
/** The version of the last change of any block. */
export const LATEST_VERSION = `max(coalesce((SELECT max(version) FROM vector_blocks), 0),
    ${BLOCKS_REMOVED})`

const VECTORS = `
CREATE TABLE models (
  row        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL,
  floor      REAL NOT NULL,
  cascade_threshold REAL NOT NULL,
  config     TEXT NOT NULL ${isJson('config', 'object')},
  state      TEXT NOT NULL CHECK (state IN ('active', 'building', 'idle')),
  created_at INTEGER NOT NULL ${isTime('created_at')}
) STRICT;
CREATE UNIQUE INDEX models_active ON models (state) WHERE state = 'active';

-- Live records that the active model has not embedded: new, changed, or added while it was unavailable.
CREATE TABLE waiting (record INTEGER PRIMARY KEY REFERENCES records (row) ON DELETE CASCADE) STRICT;

CREATE TABLE embedded (
  model       INTEGER NOT NULL REFERENCES models (row) ON DELETE CASCADE,
  record      INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  chunks      INTEGER NOT NULL,
  -- Where the vector of the whole record is, if it has several chunks.
  whole_block INTEGER,
  whole_slot  INTEGER,
  PRIMARY KEY (model, record)
) WITHOUT ROWID, STRICT;
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
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX chunks_by_place ON chunks (block, slot);
CREATE INDEX chunks_by_record ON chunks (record);

-- space: 0 for chunks, 1 for whole records of several chunks. version grows with every change in any block.
-- A checksum is the CRC-32 of what is beside it; doctor compares them.
CREATE TABLE vector_blocks (
  row      INTEGER PRIMARY KEY,
  model    INTEGER NOT NULL REFERENCES models (row) ON DELETE CASCADE,
  space    INTEGER NOT NULL,
  free     INTEGER NOT NULL,
  version  INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  data     BLOB NOT NULL
) STRICT;
CREATE INDEX vector_blocks_by_version ON vector_blocks (version);
CREATE INDEX vector_blocks_free ON vector_blocks (model, space, row) WHERE free > 0;
-- Tells every process that holds blocks in memory to load all of them again; later blocks have later versions.
CREATE TRIGGER vector_blocks_removed BEFORE DELETE ON vector_blocks BEGIN
  INSERT INTO meta (key, value) VALUES ('blocksRemoved', ${LATEST_VERSION} + 1)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value;
END;

-- The same vectors at two bytes a dimension, to order the best of a scan. place = block * ${BLOCK_SLOTS} + slot.
CREATE TABLE vectors (
  place    INTEGER PRIMARY KEY,
  scale    REAL NOT NULL,
  checksum INTEGER NOT NULL,
  codes    BLOB NOT NULL
) STRICT;
CREATE TRIGGER chunks_removed AFTER DELETE ON chunks BEGIN
  DELETE FROM vectors WHERE place = old.block * ${BLOCK_SLOTS} + old.slot;
END;
CREATE TRIGGER embedded_removed AFTER DELETE ON embedded WHEN old.whole_block IS NOT NULL BEGIN
  DELETE FROM vectors WHERE place = old.whole_block * ${BLOCK_SLOTS} + old.whole_slot;
END;

CREATE TABLE embedding_cache (
  row      INTEGER PRIMARY KEY,
  model    TEXT NOT NULL,
  hash     BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  vector   BLOB NOT NULL,
  UNIQUE (model, hash)
) STRICT;

CREATE TRIGGER records_added_wait AFTER INSERT ON records WHEN ${IS_FOLLOWED} BEGIN
  INSERT OR IGNORE INTO waiting (record) VALUES (new.row);
END;

CREATE TRIGGER records_changed_wait AFTER UPDATE OF title, body ON records
WHEN new.title IS NOT old.title OR new.body IS NOT old.body BEGIN
  INSERT OR IGNORE INTO waiting (record) VALUES (new.row);
  DELETE FROM embedded WHERE record = new.row;
END;

-- The old vector serves until the new context is embedded.
CREATE TRIGGER records_context_wait AFTER UPDATE OF context ON records WHEN new.context IS NOT old.context BEGIN
  INSERT OR IGNORE INTO waiting (record) VALUES (new.row);
END;

CREATE TRIGGER records_removed_wait AFTER DELETE ON records BEGIN
  DELETE FROM waiting WHERE record = old.row;
  DELETE FROM embedded WHERE record = old.row;
  DELETE FROM chunks WHERE record = old.row;
END;

-- Tells every process that holds the block in memory to load it again.
CREATE TRIGGER records_hidden_or_shown AFTER UPDATE OF deleted_at, superseded_at ON records
WHEN new.present <> old.present BEGIN
  UPDATE vector_blocks SET version = ${LATEST_VERSION} + 1
  WHERE row IN (SELECT block FROM chunks WHERE record = new.row);
END;
`

const REVISIONS = `
-- The state of a record from valid_from until just before valid_until; its text never changes. A revision of zero
-- length says when a superseded record was deleted or restored.
CREATE TABLE revisions (
  row         INTEGER PRIMARY KEY,
  record      INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  valid_from  INTEGER NOT NULL ${isTime('valid_from')},
  valid_until INTEGER NOT NULL ${isTime('valid_until')},
  ended_by    TEXT NOT NULL ${isOneOf('ended_by', REVISION_ENDS)},
  -- The record that superseded it; null where that was purged since.
  successor   INTEGER REFERENCES records (row) ON DELETE SET NULL,
${CONTENT}
  updated_at  INTEGER NOT NULL ${isTime('updated_at')},
  occurred_at INTEGER ${isTime('occurred_at')},
  title_ix    TEXT,
  body_ix     TEXT,
  tags_ix     TEXT,
  people_ix   TEXT,
  citation_ix TEXT CHECK (citation_ix IS NULL OR json_valid(citation_ix)),
  -- The vector of the whole text, where a model had embedded it: two bytes a dimension.
  model       INTEGER REFERENCES models (row) ON DELETE SET NULL,
  scale       REAL,
  checksum    INTEGER,
  codes       BLOB,
  -- The details of a work.
  work        TEXT ${isJson('work', 'object')},
  -- Who wrote this state, and who ended it.
  author       TEXT,
  ended_author TEXT,
  UNIQUE (record, number)
) STRICT;
CREATE INDEX revisions_by_end ON revisions (valid_until, valid_from);
CREATE INDEX revisions_superseded ON revisions (record) WHERE ended_by = 'supersede';
CREATE INDEX revisions_by_successor ON revisions (successor) WHERE successor IS NOT NULL;

-- Revisions with the columns of records, so that one filter works on both.
CREATE VIEW past AS
  SELECT v.row AS revision, r.row, r.id, v.kind, v.namespace, v.title, v.body, v.tags, v.people, v.source, v.metadata,
         v.importance, v.sector, v.tier, r.salience, r.session_id, r.created_at, v.updated_at, r.accessed_at,
         v.occurred_at, r.superseded_at, r.deleted_at, r.valid_from AS present_from,
         v.number, v.valid_from, v.valid_until, v.ended_by, v.work, v.citation_ix, v.model, v.scale, v.codes,
         v.author
  FROM revisions v JOIN records r ON r.row = v.record;

CREATE VIEW revisions_indexed AS
  SELECT row, ${INDEXED_FORMS},
         NULL AS context, ${INDEXED_CITATION}
  FROM revisions;
CREATE VIRTUAL TABLE revisions_ft USING fts5 (
  ${INDEX_COLUMNS},
  content = 'revisions_indexed', content_rowid = 'row',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER revisions_added AFTER INSERT ON revisions BEGIN
  INSERT INTO revisions_ft (rowid, ${INDEX_COLUMNS})
    SELECT row, ${INDEX_COLUMNS} FROM revisions_indexed WHERE row = new.row;
END;
CREATE TRIGGER revisions_removed AFTER DELETE ON revisions BEGIN
  INSERT INTO revisions_ft (revisions_ft, rowid, ${INDEX_COLUMNS})
    SELECT 'delete', old.row, ${OLD_INDEXED}, NULL, ${OLD_CITATION};
END;
`

export const records = RECORDS + VECTORS + REVISIONS
