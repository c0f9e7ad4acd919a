/** A tag has one indexed word of its own, so that `tag:x` is exact wherever it stands in a query. */

import { Buffer } from 'node:buffer'

/** No suffix that the stemmer removes ends in x, and no text contains such a word by chance. */
const BEFORE = 'xtag'
const AFTER = 'x'

export function tagToken(tag: string): string {
  return BEFORE + Buffer.from(tag.normalize('NFC').toLowerCase()).toString('hex') + AFTER
}

/** True for the words above, which are no vocabulary for people. */
export function isTagToken(term: string): boolean {
  return term.startsWith(BEFORE) && /^xtag[0-9a-f]+x$/.test(term)
}
