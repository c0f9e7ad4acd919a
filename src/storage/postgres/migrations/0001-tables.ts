/** Version 1 of the tables in PostgreSQL. Every key holds the namespace, so that the tables can be divided by it. */

import { FACT_TYPES } from '../../../core/fact.js'
import { KINDS, REVISION_ENDS, SECTORS, TIERS, USAGES } from '../../../core/record.js'
import { SERVER } from './0001-server.js'

function isOneOf(column: string, words: readonly string[]): string {
  return `CHECK (${column} IN (${words.map((word) => `'${word}'`).join(', ')}))`
}

/** The columns that a record and its revisions share. Times are milliseconds; JSON keeps its keys in their order. */
const CONTENT = `
  kind        text NOT NULL ${isOneOf('kind', KINDS)},
  title       text,
  body        text NOT NULL,
  tags        text[] NOT NULL DEFAULT '{}',
  people      text[] NOT NULL DEFAULT '{}',
  source      text,
  metadata    json NOT NULL DEFAULT '{}',
  importance  float8 NOT NULL DEFAULT 0.5,
  sector      text ${isOneOf('sector', SECTORS)},
  tier        text NOT NULL DEFAULT 'project' ${isOneOf('tier', TIERS)},`

/** A row that belongs to a record goes with it, and moves with it to another namespace. */
const OF_RECORD =
  'FOREIGN KEY (namespace, record) REFERENCES records (namespace, row) ON DELETE CASCADE ON UPDATE CASCADE'

const RECORDS = `
CREATE SEQUENCE rows;
CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
-- Grows with every write; the empty namespace counts writes that belong to no single one.
CREATE TABLE versions (namespace text PRIMARY KEY, version bigint NOT NULL);

CREATE TABLE records (
  namespace     text NOT NULL,
  row           bigint NOT NULL DEFAULT nextval('rows'),
  -- In the order of bytes, whatever the database compares texts by.
  id            text COLLATE "C" NOT NULL,
${CONTENT}
  salience      float8 NOT NULL DEFAULT 0.5,
  session_id    text,
  -- The texts of the neighbours of a short turn, separated by U+001E.
  context       text,
  created_at    bigint NOT NULL,
  updated_at    bigint NOT NULL,
  occurred_at   bigint,
  deleted_at    bigint,
  superseded_at bigint,
  -- The last time it was added, recalled or reinforced; null: when it was created.
  accessed_at   bigint,
  -- When it got its current state; null: when it was created.
  valid_from    bigint,
  content_hash  bytea NOT NULL,
  -- The name of the token that wrote the current state; null: written without one.
  author        text,
  -- Neither deleted nor superseded: what a search finds unless it asks for the past.
  present       boolean NOT NULL GENERATED ALWAYS AS (deleted_at IS NULL AND superseded_at IS NULL) STORED,
  UNIQUE (namespace, id)
);
CREATE INDEX records_by_id ON records (id);
CREATE INDEX records_by_time ON records (created_at, id);
CREATE INDEX records_by_namespace ON records (namespace, created_at, id);
CREATE INDEX records_timeline ON records (namespace, coalesce(occurred_at, created_at), id);
CREATE INDEX records_by_content ON records (content_hash, namespace);
CREATE INDEX records_by_session ON records (session_id, namespace, coalesce(occurred_at, created_at), row)
  WHERE session_id IS NOT NULL;
CREATE INDEX records_deleted ON records (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX records_superseded ON records (superseded_at) WHERE superseded_at IS NOT NULL;
-- After the others: in a small table all indexes cost the same, and the planner takes the newest. Foreign keys keep that
-- plan while the table grows.
ALTER TABLE records ADD PRIMARY KEY (row, namespace);

-- Tags of every record in lower case.
CREATE TABLE record_tags (
  namespace text NOT NULL,
  tag       text NOT NULL,
  record    bigint NOT NULL,
  PRIMARY KEY (namespace, tag, record),
  ${OF_RECORD}
);
CREATE INDEX record_tags_by_record ON record_tags (record);
CREATE INDEX record_tags_by_tag ON record_tags (tag, record);

-- The state of a record from valid_from until just before valid_until; its text never changes. A revision of zero
-- length says when a superseded record was deleted or restored.
CREATE TABLE revisions (
  namespace   text NOT NULL,
  row         bigint NOT NULL DEFAULT nextval('rows'),
  record      bigint NOT NULL,
  number      integer NOT NULL,
  valid_from  bigint NOT NULL,
  valid_until bigint NOT NULL,
  ended_by    text NOT NULL ${isOneOf('ended_by', REVISION_ENDS)},
  -- The record that superseded it; null where that was purged since.
  successor   bigint,
  -- Of the text at that time: the record may have moved since.
  own_namespace text NOT NULL,
${CONTENT}
  updated_at  bigint NOT NULL,
  occurred_at bigint,
  work        json,
  -- Who wrote this state, and who ended it.
  author      text,
  ended_author text,
  -- The vector of the whole text, where a model had embedded it.
  model       bigint,
  vector      halfvec,
  UNIQUE (namespace, record, number),
  ${OF_RECORD}
);
CREATE INDEX revisions_by_end ON revisions (valid_until, valid_from);
CREATE INDEX revisions_superseded ON revisions (record) WHERE ended_by = 'supersede';
CREATE INDEX revisions_by_successor ON revisions (successor) WHERE successor IS NOT NULL;
ALTER TABLE revisions ADD PRIMARY KEY (row, namespace);

-- Revisions with the columns of records, so that one filter works on both. Column home: the namespace of the record now.
CREATE VIEW past AS
  SELECT v.row AS revision, r.row, r.id, v.kind, v.own_namespace AS namespace, v.title, v.body, v.tags, v.people, v.source,
         v.metadata, v.importance, v.sector, v.tier, r.salience, r.session_id, r.created_at, v.updated_at, r.accessed_at,
         v.occurred_at, r.superseded_at, r.deleted_at, r.valid_from AS present_from, r.namespace AS home,
         v.number, v.valid_from, v.valid_until, v.ended_by, v.work, v.model, v.vector, v.author
  FROM revisions v JOIN records r ON r.namespace = v.namespace AND r.row = v.record;
`

/** The columns of an index of words. The weights stay beside the row, as every match is scored; the rest is read less often. */
const indexColumns = (table: string): string => `
  part      integer NOT NULL,
  -- Whether the text has one part.
  is_whole  boolean NOT NULL,
  -- Of the whole text, in its last part: all words, which make its length for BM25, and those of title, body and neighbours.
  length    integer,
  text_words integer,
  lexemes   tsvector NOT NULL,
  -- What each token gives before it is multiplied by its idf, by the hash of the token: of the record's own columns, and
  -- with its neighbours where it has some. In the last part, and in more rows where that would be too many.
  weights   sparsevec,
  nearby_weights sparsevec,
  -- Where every token stands, to score phrases, fields and passages.
  positions bytea NOT NULL,
  PRIMARY KEY (namespace, ${table === 'words' ? 'record' : 'revision'}, part),`
const indexesOf = (table: string): string => `
ALTER TABLE ${table} ALTER lexemes SET STORAGE EXTERNAL, ALTER positions SET STORAGE EXTERNAL,
  ALTER weights SET STORAGE MAIN, ALTER nearby_weights SET STORAGE MAIN;
CREATE INDEX ${table}_whole ON ${table} USING gin (lexemes) WHERE is_whole;
CREATE INDEX ${table}_parts ON ${table} USING gin (lexemes) WHERE NOT is_whole;`

/**
 * A text is indexed in parts of some thousand words: a tsvector holds 16,383 positions, and 256 of one word. Lexemes are our own
 * tokens, labelled B in the body. Those that begin with a slash belong to one column, as word-parts.ts says.
 */
const WORDS = `
CREATE TABLE words (
  namespace text NOT NULL,
  record    bigint NOT NULL,${indexColumns('words')}
  ${OF_RECORD}
);
CREATE INDEX words_by_record ON words (record);${indexesOf('words')}

CREATE TABLE past_words (
  namespace text NOT NULL,
  revision  bigint NOT NULL,${indexColumns('past_words')}
  FOREIGN KEY (namespace, revision) REFERENCES revisions (namespace, row) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX past_words_by_revision ON past_words (revision);${indexesOf('past_words')}

-- All tokens that records have or had, to find those that are spelled like another.
CREATE TABLE terms (
  namespace text NOT NULL,
  term      text COLLATE "C" NOT NULL,
  PRIMARY KEY (term, namespace)
);

-- How many records held each frequent word, by its tsquery (empty: all records), after so many changes of words.
CREATE TABLE word_counts (query text COLLATE "C" PRIMARY KEY, records bigint NOT NULL, changes bigint NOT NULL);
`

const VECTORS = `
CREATE TABLE models (
  row        bigint PRIMARY KEY DEFAULT nextval('rows'),
  id         text NOT NULL UNIQUE,
  dimensions integer NOT NULL,
  floor      float8 NOT NULL,
  cascade_threshold float8 NOT NULL,
  config     json NOT NULL,
  state      text NOT NULL CHECK (state IN ('active', 'building', 'idle')),
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX models_active ON models (state) WHERE state = 'active';

-- Live records that the active model has not embedded: new, changed, or added while it was unavailable.
CREATE TABLE waiting (
  namespace text NOT NULL,
  record    bigint NOT NULL,
  PRIMARY KEY (record, namespace),
  ${OF_RECORD}
);

-- Writers hold a lock on the row of the model. The vector of the whole record is there if it has several chunks.
CREATE TABLE embedded (
  namespace text NOT NULL,
  record    bigint NOT NULL,
  model     bigint NOT NULL,
  chunks    integer NOT NULL,
  whole     halfvec,
  PRIMARY KEY (record, namespace, model),
  ${OF_RECORD}
);

-- An index for nearest neighbours is made for each model when it has enough chunks.
CREATE TABLE chunks (
  namespace text NOT NULL,
  record    bigint NOT NULL,
  model     bigint NOT NULL,
  ordinal   integer NOT NULL,
  "start"   integer NOT NULL,
  "end"     integer NOT NULL,
  vector    halfvec NOT NULL,
  PRIMARY KEY (record, namespace, model, ordinal),
  ${OF_RECORD}
);

CREATE TABLE embedding_cache (
  model    text NOT NULL,
  hash     bytea NOT NULL,
  vector   bytea NOT NULL,
  used_at  bigint NOT NULL,
  PRIMARY KEY (model, hash)
);
CREATE INDEX embedding_cache_by_use ON embedding_cache (used_at);
`

const MEMORY = `
CREATE TABLE sessions (
  namespace  text NOT NULL,
  row        bigint NOT NULL DEFAULT nextval('rows'),
  id         text NOT NULL,
  title      text,
  summary    text,
  started_at bigint NOT NULL,
  ended_at   bigint,
  -- The process that holds it open, where one does: {"host", "pid"}.
  owner      json,
  metadata   json NOT NULL DEFAULT '{}',
  UNIQUE (namespace, id)
);
CREATE INDEX sessions_by_id ON sessions (id text_pattern_ops);
CREATE INDEX sessions_by_time ON sessions (started_at, id COLLATE "C");
ALTER TABLE sessions ADD PRIMARY KEY (row, namespace);

-- In the namespace of the record; the session may be in another.
CREATE TABLE session_records (
  namespace text NOT NULL,
  record    bigint NOT NULL,
  session   bigint NOT NULL,
  usage     text NOT NULL ${isOneOf('usage', USAGES)},
  first_at  bigint NOT NULL,
  last_at   bigint NOT NULL,
  times     integer NOT NULL DEFAULT 1,
  PRIMARY KEY (namespace, record, session, usage),
  ${OF_RECORD}
);
CREATE INDEX session_records_by_session ON session_records (session, record);
CREATE INDEX session_records_by_record ON session_records (record, last_at);

-- In the namespace of the source; the target may be in another, so a purge removes links to what it removes. A citation
-- keeps what it names in target_ref, whether or not that work is stored.
CREATE TABLE links (
  namespace  text NOT NULL,
  row        bigint NOT NULL DEFAULT nextval('rows'),
  id         text NOT NULL,
  record     bigint NOT NULL,
  target     bigint,
  target_ref text,
  type       text NOT NULL,
  author     text,
  note       text,
  created_at bigint NOT NULL,
  PRIMARY KEY (row, namespace),
  ${OF_RECORD},
  CHECK (target IS NOT NULL OR target_ref IS NOT NULL)
);
CREATE INDEX links_by_id ON links (id);
CREATE INDEX links_by_source ON links (record);
CREATE UNIQUE INDEX links_once ON links (namespace, record, type, target) WHERE target IS NOT NULL;
CREATE UNIQUE INDEX links_once_by_ref ON links (namespace, record, type, target_ref) WHERE target_ref IS NOT NULL;
CREATE INDEX links_by_target ON links (target, type) WHERE target IS NOT NULL;
CREATE INDEX links_unresolved ON links (target_ref) WHERE target IS NULL;

CREATE TABLE facts (
  namespace     text NOT NULL,
  row           bigint NOT NULL DEFAULT nextval('rows'),
  -- In the order of bytes, whatever the database compares texts by.
  id            text COLLATE "C" NOT NULL,
  record        bigint NOT NULL,
  type          text NOT NULL ${isOneOf('type', FACT_TYPES)},
  subject       text NOT NULL,
  predicate     text NOT NULL,
  object        text NOT NULL,
  -- Subject and predicate without case and articles: facts with one topic are about the same thing.
  topic         text NOT NULL,
  confidence    float8 NOT NULL,
  quote         text,
  created_at    bigint NOT NULL,
  reinforced_at bigint NOT NULL,
  -- When it stopped holding.
  ended_at      bigint,
  PRIMARY KEY (row, namespace),
  ${OF_RECORD}
);
CREATE INDEX facts_by_id ON facts (id text_pattern_ops);
CREATE INDEX facts_by_record ON facts (record);
CREATE INDEX facts_by_topic ON facts (topic);

-- In the namespace of the session.
CREATE TABLE recalled_queries (
  namespace text NOT NULL,
  row       bigint NOT NULL DEFAULT nextval('rows'),
  id        text NOT NULL,
  session   bigint NOT NULL,
  at        bigint NOT NULL,
  query     text NOT NULL,
  lens      text NOT NULL,
  -- The whole request, so that it can be run again.
  request   json NOT NULL,
  PRIMARY KEY (row, namespace),
  FOREIGN KEY (namespace, session) REFERENCES sessions (namespace, row) ON DELETE CASCADE
);
CREATE INDEX recalled_queries_by_session ON recalled_queries (session);
CREATE INDEX recalled_queries_by_time ON recalled_queries (at);

-- In the namespace of the record; a query that is forgotten takes its lines with it.
CREATE TABLE recalls (
  namespace text NOT NULL,
  row       bigint NOT NULL DEFAULT nextval('rows'),
  query     bigint NOT NULL,
  record    bigint NOT NULL,
  -- Null: the line of the record itself.
  fact      bigint,
  rank      integer NOT NULL,
  score     float8 NOT NULL,
  PRIMARY KEY (row, namespace),
  ${OF_RECORD}
);
CREATE INDEX recalls_by_query ON recalls (query);
CREATE INDEX recalls_by_record ON recalls (record);

CREATE TABLE lenses (
  namespace  text NOT NULL,
  name       text NOT NULL,
  sentence   text,
  options    json NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (namespace, name)
);

CREATE TABLE works (
  namespace text NOT NULL,
  record    bigint NOT NULL,
  details   json NOT NULL,
  venue     text GENERATED ALWAYS AS (details ->> 'venue') STORED,
  PRIMARY KEY (namespace, record),
  ${OF_RECORD}
);
CREATE INDEX works_by_record ON works (record);
CREATE INDEX works_by_venue ON works (lower(venue COLLATE "C"));

-- doi:…, openalex:…, arxiv:…, title:…, key:…, of a PDF without a work pdf:….
CREATE TABLE work_identities (
  namespace text NOT NULL,
  identity  text NOT NULL,
  record    bigint NOT NULL,
  PRIMARY KEY (namespace, identity, record),
  ${OF_RECORD}
);
-- In the order of bytes, so that works are found by their titles too.
CREATE INDEX work_identities_by_identity ON work_identities (identity text_pattern_ops);
CREATE INDEX work_identities_by_record ON work_identities (record);

CREATE TABLE imports (
  -- Of a caller that sees one namespace only, so that nobody else's items are changed; else empty.
  namespace text NOT NULL,
  -- Its format and path, or the name that it was given.
  source    text NOT NULL,
  -- Of the item in the source: a relative path, the id of a message, the hash of a commit.
  key       text COLLATE "C" NOT NULL,
  -- Of all that was stored; null: it is gone from the source.
  hash      text,
  -- Null for a work, which is known by its identifiers; a purge removes what was imported as the record.
  record    bigint,
  -- Whether this import made the record, or found the same content there.
  made      boolean NOT NULL,
  -- When it was last new, changed or gone.
  seen_at   bigint NOT NULL,
  PRIMARY KEY (namespace, source, key)
);
CREATE INDEX imports_by_record ON imports (record) WHERE record IS NOT NULL;
`

export const TABLES = RECORDS + WORDS + VECTORS + MEMORY + SERVER
