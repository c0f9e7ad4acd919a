/** Format 4 adds what makes a record a work, and every key by which it can be found. */

export const works = `
-- What a reference needs besides title, abstract and tags; the columns are for people who open the file.
CREATE TABLE works (
  record       INTEGER PRIMARY KEY REFERENCES records (row) ON DELETE CASCADE,
  details      TEXT NOT NULL CHECK (json_valid(details)),
  doi          TEXT GENERATED ALWAYS AS (json_extract(details, '$.doi')) VIRTUAL,
  year         INTEGER GENERATED ALWAYS AS (json_extract(details, '$.year')) VIRTUAL,
  venue        TEXT GENERATED ALWAYS AS (json_extract(details, '$.venue')) VIRTUAL,
  citation_key TEXT GENERATED ALWAYS AS (json_extract(details, '$.citationKey')) VIRTUAL
);

-- doi:…, openalex:…, arxiv:…, title:…, key:…; one that belongs to two works of a namespace is told at the next import.
CREATE TABLE work_identities (
  identity TEXT NOT NULL,
  record   INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
  PRIMARY KEY (identity, record)
) WITHOUT ROWID;
CREATE INDEX work_identities_by_record ON work_identities (record);

-- Also where a program deletes records without foreign keys.
CREATE TRIGGER records_removed_works AFTER DELETE ON records BEGIN
  DELETE FROM works WHERE record = old.row;
  DELETE FROM work_identities WHERE record = old.row;
END;

-- The details that a work had.
ALTER TABLE revisions ADD COLUMN work TEXT CHECK (work IS NULL OR json_valid(work));
DROP VIEW past;
CREATE VIEW past AS
  SELECT v.row AS revision, r.row, r.id, v.kind, v.namespace, v.title, v.body, v.tags, v.people, v.source, v.metadata,
         v.importance, v.sector, v.tier, r.salience, r.session_id, r.created_at, v.updated_at, r.accessed_at,
         v.occurred_at, r.superseded_at, r.deleted_at, r.valid_from AS present_from,
         v.number, v.valid_from, v.valid_until, v.ended_by, v.work, v.model, v.scale, v.codes
  FROM revisions v JOIN records r ON r.row = v.record;
`
