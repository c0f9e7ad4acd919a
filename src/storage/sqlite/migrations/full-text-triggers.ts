/** The database itself keeps the full-text index true, with built-in functions alone. */

/**
 * `wasIndexed` is a condition over `old`; `hiddenBy` names the columns that take a record out of the index. `when` is a
 * condition over `new`: where it does not hold, whoever writes fills the index before the transaction ends.
 */
export function fullTextTriggers(wasIndexed: string, hiddenBy: string, when = '1'): string {
  return `
CREATE TRIGGER records_added AFTER INSERT ON records WHEN ${when} BEGIN
  INSERT INTO records_ft (rowid, title, body, tags, people, context)
    SELECT row, title, body, tags, people, context FROM records_indexed WHERE row = new.row;
  INSERT OR IGNORE INTO record_tags (tag, row) SELECT value, new.row FROM json_each(new.tags);
END;

CREATE TRIGGER records_removed AFTER DELETE ON records BEGIN
  INSERT INTO records_ft (records_ft, rowid, title, body, tags, people, context)
    SELECT 'delete', old.row,
           coalesce(old.title_ix, old.title), coalesce(old.body_ix, old.body),
           coalesce(old.tags_ix, old.tags), coalesce(old.people_ix, old.people),
           coalesce(old.context_ix, old.context)
    WHERE ${wasIndexed};
  DELETE FROM record_tags WHERE row = old.row;
END;

-- A program that changes a text and knows nothing of its indexed form must not leave the old form in the index.
CREATE TRIGGER records_changed
AFTER UPDATE OF row, title, body, tags, people, context,
  title_ix, body_ix, tags_ix, people_ix, context_ix, ${hiddenBy} ON records WHEN ${when} BEGIN
  INSERT INTO records_ft (records_ft, rowid, title, body, tags, people, context)
    SELECT 'delete', old.row,
           coalesce(old.title_ix, old.title), coalesce(old.body_ix, old.body),
           coalesce(old.tags_ix, old.tags), coalesce(old.people_ix, old.people),
           coalesce(old.context_ix, old.context)
    WHERE ${wasIndexed};
  UPDATE records SET
    title_ix = CASE WHEN new.title IS NOT old.title AND new.title_ix IS old.title_ix THEN NULL ELSE new.title_ix END,
    body_ix = CASE WHEN new.body IS NOT old.body AND new.body_ix IS old.body_ix THEN NULL ELSE new.body_ix END,
    tags_ix = CASE WHEN new.tags IS NOT old.tags AND new.tags_ix IS old.tags_ix THEN NULL ELSE new.tags_ix END,
    people_ix = CASE WHEN new.people IS NOT old.people AND new.people_ix IS old.people_ix THEN NULL ELSE new.people_ix END
    WHERE row = new.row AND (
      (new.title IS NOT old.title AND new.title_ix IS old.title_ix AND new.title_ix IS NOT NULL)
      OR (new.body IS NOT old.body AND new.body_ix IS old.body_ix AND new.body_ix IS NOT NULL)
      OR (new.tags IS NOT old.tags AND new.tags_ix IS old.tags_ix AND new.tags_ix IS NOT NULL)
      OR (new.people IS NOT old.people AND new.people_ix IS old.people_ix AND new.people_ix IS NOT NULL));
  INSERT INTO records_ft (rowid, title, body, tags, people, context)
    SELECT row, title, body, tags, people, context FROM records_indexed WHERE row = new.row;
  DELETE FROM record_tags WHERE row = old.row AND (new.tags IS NOT old.tags OR new.row <> old.row);
  INSERT OR IGNORE INTO record_tags (tag, row)
    SELECT value, new.row FROM json_each(new.tags) WHERE new.tags IS NOT old.tags OR new.row <> old.row;
END;
`
}
