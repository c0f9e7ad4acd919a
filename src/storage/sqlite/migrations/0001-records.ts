/** Format 1 holds records, their tags and a full-text index that the database itself keeps true. */

import { fullTextTriggers } from './full-text-triggers.js'

/** Readable with any SQLite: triggers use built-in functions alone. */
export const records = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE records (
  row          INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  kind         TEXT NOT NULL CHECK (kind IN ('memory', 'document', 'work')),
  namespace    TEXT NOT NULL,
  title        TEXT,
  body         TEXT NOT NULL,
  tags         TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  people       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(people)),
  source       TEXT,
  metadata     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
  importance   REAL NOT NULL DEFAULT 0.5,
  sector       TEXT,
  tier         TEXT NOT NULL DEFAULT 'project',
  salience     REAL NOT NULL DEFAULT 0.5,
  session_id   TEXT,
  -- What stands around a short turn of a session: the texts of its neighbours, separated by U+001E.
  context      TEXT,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  occurred_at  INTEGER,
  deleted_at   INTEGER,
  content_hash BLOB,
  -- The indexed form of a text, where it differs from what is shown; null where it does not.
  title_ix     TEXT,
  body_ix      TEXT,
  tags_ix      TEXT,
  people_ix    TEXT,
  context_ix   TEXT
);
CREATE INDEX records_by_time ON records (created_at, id);
CREATE INDEX records_by_namespace ON records (namespace, created_at, id);
CREATE INDEX records_by_occurrence ON records (coalesce(occurred_at, created_at));
CREATE INDEX records_by_content ON records (content_hash, namespace);
CREATE INDEX records_by_session ON records (session_id, namespace, coalesce(occurred_at, created_at), row)
  WHERE session_id IS NOT NULL;
CREATE INDEX records_deleted ON records (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE record_tags (
  tag TEXT NOT NULL COLLATE NOCASE,
  row INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  PRIMARY KEY (tag, row)
) WITHOUT ROWID;
CREATE INDEX record_tags_by_row ON record_tags (row);

CREATE VIEW records_indexed AS
  SELECT row,
         coalesce(title_ix, title) AS title,
         coalesce(body_ix, body) AS body,
         coalesce(tags_ix, tags) AS tags,
         coalesce(people_ix, people) AS people,
         coalesce(context_ix, context) AS context
  FROM records
  WHERE deleted_at IS NULL;

CREATE VIRTUAL TABLE records_ft USING fts5 (
  title, body, tags, people, context,
  content = 'records_indexed', content_rowid = 'row',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE records_vocabulary USING fts5vocab ('records_ft', 'row');
CREATE VIRTUAL TABLE records_instances USING fts5vocab ('records_ft', 'instance');
${fullTextTriggers('old.deleted_at IS NULL', 'deleted_at')}`
