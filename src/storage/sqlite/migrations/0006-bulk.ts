/** Format 6 makes many records at once cheaper: larger pieces of index, and a smaller index of hashes. */

/** Bytes of words, of a batch of a thousand abstracts at most; a smaller transaction takes what it needs. */
const GATHERED_BYTES = 4 * 1024 * 1024

/**
 * FTS5's own default is 1 MB: a batch became several pieces, which had to be merged again later. Hashes come in no order, so a batch
 * changes pages all over their index: eight bytes of each, which are enough to find it, take a quarter of the pages.
 */
export const bulk = `
DROP INDEX records_by_content;
CREATE INDEX records_by_content ON records (substr(content_hash, 1, 8));
INSERT INTO records_ft (records_ft, rank) VALUES ('hashsize', ${GATHERED_BYTES});
`
