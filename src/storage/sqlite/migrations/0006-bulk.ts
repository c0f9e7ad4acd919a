/** Promise: format 6 lets the full-text index gather more words before it writes a piece of itself. */

/** Bytes of words, of a batch of a thousand abstracts at most; a smaller transaction takes what it needs. */
const GATHERED_BYTES = 4 * 1024 * 1024

/** FTS5's own default is 1 MB: a batch became several pieces, which had to be merged again later. */
export const bulk = `
INSERT INTO records_ft (records_ft, rank) VALUES ('hashsize', ${GATHERED_BYTES});
`
