/** Format 3 adds what a memory needs: a past, sessions, links, facts, the log of recalls and lenses. */

import { fullTextTriggers } from './full-text-triggers.js'

/** Not while a bulk addition is under way that the record belongs to. */
const IS_FOLLOWED = 'NOT EXISTS (SELECT 1 FROM unindexed WHERE first_row <= new.row)'

export const memory = `
ALTER TABLE records ADD COLUMN superseded_at INTEGER;
-- The last time it was added, recalled or reinforced; null: when it was created.
ALTER TABLE records ADD COLUMN accessed_at INTEGER;
-- From when on it has been as it is now; null: since it was created.
ALTER TABLE records ADD COLUMN valid_from INTEGER;
-- Neither deleted nor superseded: what a search finds unless it asks for the past.
ALTER TABLE records ADD COLUMN present INTEGER
  GENERATED ALWAYS AS (deleted_at IS NULL AND superseded_at IS NULL) VIRTUAL;
CREATE INDEX records_superseded ON records (superseded_at) WHERE superseded_at IS NOT NULL;
CREATE INDEX records_timeline ON records (namespace, coalesce(occurred_at, created_at), id);

-- From which record on the index is filled at the end of the transaction, while one adds records; empty otherwise. The
-- reference is to a row that cannot be: SQLite refuses to commit a file with a row in here.
CREATE TABLE unindexed (
  first_row INTEGER PRIMARY KEY CHECK (first_row > 0),
  never     INTEGER NOT NULL DEFAULT -1 CHECK (never = -1)
    REFERENCES unindexed (first_row) DEFERRABLE INITIALLY DEFERRED
);

DROP VIEW records_indexed;
CREATE VIEW records_indexed AS
  SELECT row,
         coalesce(title_ix, title) AS title,
         coalesce(body_ix, body) AS body,
         coalesce(tags_ix, tags) AS tags,
         coalesce(people_ix, people) AS people,
         coalesce(context_ix, context) AS context
  FROM records
  WHERE present;
DROP TRIGGER records_added;
DROP TRIGGER records_removed;
DROP TRIGGER records_changed;
${fullTextTriggers('old.deleted_at IS NULL AND old.superseded_at IS NULL', 'deleted_at, superseded_at', IS_FOLLOWED)}
DROP TRIGGER records_added_wait;
CREATE TRIGGER records_added_wait AFTER INSERT ON records WHEN ${IS_FOLLOWED} BEGIN
  INSERT OR IGNORE INTO waiting (record) VALUES (new.row);
END;

DROP TRIGGER records_hidden_or_shown;
CREATE TRIGGER records_hidden_or_shown AFTER UPDATE OF deleted_at, superseded_at ON records
WHEN new.present <> old.present BEGIN
  UPDATE vector_blocks SET version = (SELECT max(version) + 1 FROM vector_blocks)
  WHERE row IN (SELECT block FROM chunks WHERE record = new.row);
END;

-- What a record was from valid_from until just before valid_until; its text never changes. One that began and
-- ended at once says that a superseded record was deleted, or restored, at that moment.
CREATE TABLE revisions (
  row         INTEGER PRIMARY KEY,
  record      INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  valid_from  INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  ended_by    TEXT NOT NULL CHECK (ended_by IN ('edit', 'delete', 'supersede')),
  -- What took its place, where it was superseded and that was not purged since.
  successor   INTEGER REFERENCES records (row) ON DELETE SET NULL,
  kind        TEXT NOT NULL,
  namespace   TEXT NOT NULL,
  title       TEXT,
  body        TEXT NOT NULL,
  tags        TEXT NOT NULL,
  people      TEXT NOT NULL,
  source      TEXT,
  metadata    TEXT NOT NULL,
  importance  REAL NOT NULL,
  sector      TEXT,
  tier        TEXT NOT NULL,
  updated_at  INTEGER NOT NULL,
  occurred_at INTEGER,
  title_ix    TEXT,
  body_ix     TEXT,
  tags_ix     TEXT,
  people_ix   TEXT,
  -- The vector of the whole text, where a model had read it: two bytes a dimension.
  model       INTEGER REFERENCES models (row) ON DELETE SET NULL,
  scale       REAL,
  codes       BLOB,
  UNIQUE (record, number)
);
CREATE INDEX revisions_by_end ON revisions (valid_until, valid_from);
CREATE INDEX revisions_superseded ON revisions (record) WHERE ended_by = 'supersede';
CREATE INDEX revisions_by_successor ON revisions (successor) WHERE successor IS NOT NULL;

-- The states of the past with the columns of records: a filter reads both alike.
CREATE VIEW past AS
  SELECT v.row AS revision, r.row, r.id, v.kind, v.namespace, v.title, v.body, v.tags, v.people, v.source, v.metadata,
         v.importance, v.sector, v.tier, r.salience, r.session_id, r.created_at, v.updated_at, r.accessed_at,
         v.occurred_at, r.superseded_at, r.deleted_at, r.valid_from AS present_from,
         v.number, v.valid_from, v.valid_until, v.ended_by, v.model, v.scale, v.codes
  FROM revisions v JOIN records r ON r.row = v.record;

CREATE VIEW revisions_indexed AS
  SELECT row,
         coalesce(title_ix, title) AS title,
         coalesce(body_ix, body) AS body,
         coalesce(tags_ix, tags) AS tags,
         coalesce(people_ix, people) AS people,
         NULL AS context
  FROM revisions;
CREATE VIRTUAL TABLE revisions_ft USING fts5 (
  title, body, tags, people, context,
  content = 'revisions_indexed', content_rowid = 'row',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER revisions_added AFTER INSERT ON revisions BEGIN
  INSERT INTO revisions_ft (rowid, title, body, tags, people)
    SELECT row, title, body, tags, people FROM revisions_indexed WHERE row = new.row;
END;
CREATE TRIGGER revisions_removed AFTER DELETE ON revisions BEGIN
  INSERT INTO revisions_ft (revisions_ft, rowid, title, body, tags, people)
    SELECT 'delete', old.row,
           coalesce(old.title_ix, old.title), coalesce(old.body_ix, old.body),
           coalesce(old.tags_ix, old.tags), coalesce(old.people_ix, old.people);
END;

CREATE TABLE sessions (
  row        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  namespace  TEXT NOT NULL,
  title      TEXT,
  summary    TEXT,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER,
  -- The process that holds it open, where one does: {"host", "pid"}.
  owner      TEXT CHECK (owner IS NULL OR json_valid(owner)),
  metadata   TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata))
);
CREATE INDEX sessions_by_time ON sessions (started_at, id);
INSERT INTO sessions (id, namespace, started_at, ended_at)
  SELECT session_id, min(namespace), min(coalesce(occurred_at, created_at)), max(coalesce(occurred_at, created_at))
  FROM records WHERE session_id IS NOT NULL GROUP BY session_id;

CREATE TABLE session_records (
  session  INTEGER NOT NULL REFERENCES sessions (row) ON DELETE CASCADE,
  record   INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  usage    TEXT NOT NULL CHECK (usage IN ('created', 'recalled', 'updated', 'reinforced')),
  first_at INTEGER NOT NULL,
  last_at  INTEGER NOT NULL,
  times    INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (session, record, usage)
) WITHOUT ROWID;
CREATE INDEX session_records_by_record ON session_records (record, last_at);
INSERT INTO session_records (session, record, usage, first_at, last_at)
  SELECT s.row, r.row, 'created', r.created_at, r.created_at
  FROM records r JOIN sessions s ON s.id = r.session_id;

-- A citation keeps what it names in target_ref, whether or not that work is stored.
CREATE TABLE links (
  row        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  source     INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  target     INTEGER REFERENCES records (row) ON DELETE SET NULL,
  target_ref TEXT,
  type       TEXT NOT NULL,
  author     TEXT,
  note       TEXT,
  created_at INTEGER NOT NULL,
  CHECK (target IS NOT NULL OR target_ref IS NOT NULL)
);
CREATE INDEX links_by_source ON links (source);
CREATE UNIQUE INDEX links_once ON links (source, type, target) WHERE target IS NOT NULL;
CREATE UNIQUE INDEX links_once_by_ref ON links (source, type, target_ref) WHERE target_ref IS NOT NULL;
CREATE INDEX links_by_target ON links (target, type) WHERE target IS NOT NULL;
CREATE INDEX links_unresolved ON links (target_ref) WHERE target IS NULL;
CREATE TRIGGER records_removed_links BEFORE DELETE ON records BEGIN
  DELETE FROM links WHERE target = old.row AND target_ref IS NULL;
END;

CREATE TABLE facts (
  row           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  record        INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  type          TEXT NOT NULL,
  subject       TEXT NOT NULL,
  predicate     TEXT NOT NULL,
  object        TEXT NOT NULL,
  -- Subject and predicate without case and articles: facts that agree in it speak of the same thing.
  topic         TEXT NOT NULL,
  confidence    REAL NOT NULL,
  quote         TEXT,
  created_at    INTEGER NOT NULL,
  reinforced_at INTEGER NOT NULL,
  -- From when on it no longer holds.
  ended_at      INTEGER
);
CREATE INDEX facts_by_record ON facts (record);
CREATE INDEX facts_by_topic ON facts (topic);

CREATE TABLE recalled_queries (
  row     INTEGER PRIMARY KEY,
  id      TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES sessions (row) ON DELETE CASCADE,
  at      INTEGER NOT NULL,
  query   TEXT NOT NULL,
  lens    TEXT NOT NULL,
  -- The whole request, so that it can be run again.
  request TEXT NOT NULL CHECK (json_valid(request))
);
CREATE INDEX recalled_queries_by_session ON recalled_queries (session);
CREATE INDEX recalled_queries_by_time ON recalled_queries (at);

CREATE TABLE recalls (
  row    INTEGER PRIMARY KEY,
  query  INTEGER NOT NULL REFERENCES recalled_queries (row) ON DELETE CASCADE,
  record INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  -- Null: the line of the record itself.
  fact   INTEGER REFERENCES facts (row) ON DELETE CASCADE,
  rank   INTEGER NOT NULL,
  score  REAL NOT NULL
);
CREATE INDEX recalls_by_query ON recalls (query);
CREATE INDEX recalls_by_record ON recalls (record);
CREATE INDEX recalls_by_fact ON recalls (fact) WHERE fact IS NOT NULL;

-- Also where a program deletes records without foreign keys.
CREATE TRIGGER records_removed_memory AFTER DELETE ON records BEGIN
  DELETE FROM revisions WHERE record = old.row;
  UPDATE revisions SET successor = NULL WHERE successor = old.row;
  DELETE FROM session_records WHERE record = old.row;
  DELETE FROM links WHERE source = old.row;
  DELETE FROM recalls WHERE record = old.row;
  DELETE FROM facts WHERE record = old.row;
END;

CREATE TABLE lenses (
  name       TEXT PRIMARY KEY,
  sentence   TEXT,
  options    TEXT NOT NULL CHECK (json_valid(options)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
`
