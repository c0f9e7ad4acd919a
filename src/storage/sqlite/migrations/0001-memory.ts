/** Format 1, second part: sessions, links, facts, recalls, lenses, works and imports. */

import { ROLES } from '../../../core/caller.js'
import { FACT_TYPES } from '../../../core/fact.js'
import { USAGES } from '../../../core/record.js'
import { isJson, isOneOf, isShare, isTime } from './values.js'

export const memory = `
CREATE TABLE sessions (
  row        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL,
  namespace  TEXT NOT NULL,
  title      TEXT,
  summary    TEXT,
  started_at INTEGER NOT NULL ${isTime('started_at')},
  ended_at   INTEGER ${isTime('ended_at')},
  -- The process that holds it open, where one does: {"host", "pid"}.
  owner      TEXT ${isJson('owner', 'object')},
  metadata   TEXT NOT NULL DEFAULT '{}' ${isJson('metadata', 'object')},
  UNIQUE (id, namespace)
) STRICT;
CREATE INDEX sessions_by_time ON sessions (started_at, id);

CREATE TABLE session_records (
  session  INTEGER NOT NULL REFERENCES sessions (row) ON DELETE CASCADE,
  record   INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  usage    TEXT NOT NULL ${isOneOf('usage', USAGES)},
  first_at INTEGER NOT NULL ${isTime('first_at')},
  last_at  INTEGER NOT NULL ${isTime('last_at')},
  times    INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (session, record, usage)
) WITHOUT ROWID, STRICT;
CREATE INDEX session_records_by_record ON session_records (record, last_at);

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
  created_at INTEGER NOT NULL ${isTime('created_at')},
  CHECK (target IS NOT NULL OR target_ref IS NOT NULL)
) STRICT;
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
  type          TEXT NOT NULL ${isOneOf('type', FACT_TYPES)},
  subject       TEXT NOT NULL,
  predicate     TEXT NOT NULL,
  object        TEXT NOT NULL,
  -- Subject and predicate without case and articles: facts with one topic are about the same thing.
  topic         TEXT NOT NULL,
  confidence    REAL NOT NULL ${isShare('confidence')},
  quote         TEXT,
  created_at    INTEGER NOT NULL ${isTime('created_at')},
  reinforced_at INTEGER NOT NULL ${isTime('reinforced_at')},
  -- When it stopped holding.
  ended_at      INTEGER ${isTime('ended_at')}
) STRICT;
CREATE INDEX facts_by_record ON facts (record);
CREATE INDEX facts_by_topic ON facts (topic);

CREATE TABLE recalled_queries (
  row     INTEGER PRIMARY KEY,
  id      TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES sessions (row) ON DELETE CASCADE,
  at      INTEGER NOT NULL ${isTime('at')},
  query   TEXT NOT NULL,
  lens    TEXT NOT NULL,
  -- The whole request, so that it can be run again.
  request TEXT NOT NULL ${isJson('request', 'object')}
) STRICT;
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
) STRICT;
CREATE INDEX recalls_by_query ON recalls (query);
CREATE INDEX recalls_by_record ON recalls (record);
CREATE INDEX recalls_by_fact ON recalls (fact) WHERE fact IS NOT NULL;

CREATE TABLE lenses (
  namespace  TEXT NOT NULL,
  name       TEXT NOT NULL,
  sentence   TEXT,
  options    TEXT NOT NULL ${isJson('options', 'object')},
  created_at INTEGER NOT NULL ${isTime('created_at')},
  updated_at INTEGER NOT NULL ${isTime('updated_at')},
  PRIMARY KEY (namespace, name)
) WITHOUT ROWID, STRICT;

-- What a reference needs besides title, abstract and tags; the columns are for people who open the file.
CREATE TABLE works (
  record       INTEGER PRIMARY KEY REFERENCES records (row) ON DELETE CASCADE,
  details      TEXT NOT NULL ${isJson('details', 'object')},
  doi          TEXT GENERATED ALWAYS AS (json_extract(details, '$.doi')) VIRTUAL,
  year         INTEGER GENERATED ALWAYS AS (json_extract(details, '$.year')) VIRTUAL,
  venue        TEXT GENERATED ALWAYS AS (json_extract(details, '$.venue')) VIRTUAL,
  citation_key TEXT GENERATED ALWAYS AS (json_extract(details, '$.citationKey')) VIRTUAL
) STRICT;

-- doi:…, openalex:…, arxiv:…, title:…, key:…, of a PDF without a work pdf:…; the next import reports one that belongs to two works of a namespace.
CREATE TABLE work_identities (
  identity TEXT NOT NULL,
  record   INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  PRIMARY KEY (identity, record)
) WITHOUT ROWID, STRICT;
CREATE INDEX work_identities_by_record ON work_identities (record);

CREATE TABLE imports (
  -- Of a caller that sees one namespace only, so that nobody else's items are changed; else empty.
  namespace TEXT NOT NULL,
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
  seen_at INTEGER NOT NULL ${isTime('seen_at')},
  PRIMARY KEY (namespace, source, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX imports_by_record ON imports (record) WHERE record IS NOT NULL;

-- What leaves no row of its own: purges, exports, what was removed. The rest of the log is in records and revisions.
CREATE TABLE events (
  row       INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL ${isTime('at')},
  action    TEXT NOT NULL,
  -- Null: of the whole file.
  namespace TEXT,
  -- The id or name of what it was done to.
  subject   TEXT,
  -- The name of the token; null: without one.
  author    TEXT
) STRICT;
CREATE INDEX events_by_time ON events (at);

-- Who may use a server. Neither archived nor copied to another file.
CREATE TABLE tokens (
  name       TEXT PRIMARY KEY,
  -- SHA-256 of a key derived from the token. Neither of them is stored.
  hash       TEXT NOT NULL UNIQUE,
  -- Null: all.
  namespaces TEXT ${isJson('namespaces', 'array')},
  role       TEXT NOT NULL ${isOneOf('role', ROLES)},
  created_at INTEGER NOT NULL ${isTime('created_at')},
  expires_at INTEGER ${isTime('expires_at')},
  -- The last use, to the minute.
  used_at    INTEGER ${isTime('used_at')}
) WITHOUT ROWID, STRICT;

-- For programs that delete records without foreign keys.
CREATE TRIGGER records_removed_rest AFTER DELETE ON records BEGIN
  DELETE FROM revisions WHERE record = old.row;
  UPDATE revisions SET successor = NULL WHERE successor = old.row;
  DELETE FROM session_records WHERE record = old.row;
  DELETE FROM links WHERE source = old.row;
  DELETE FROM recalls WHERE record = old.row;
  DELETE FROM facts WHERE record = old.row;
  DELETE FROM works WHERE record = old.row;
  DELETE FROM work_identities WHERE record = old.row;
  DELETE FROM imports WHERE record = old.row;
END;
`
