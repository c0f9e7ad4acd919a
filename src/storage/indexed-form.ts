/** The indexed form of a record: scripts without spaces as pairs of letters, each tag also as one word. */

import { Buffer } from 'node:buffer'
import type { CairnRecord } from '../core/record.js'
import { nameWork } from '../core/work.js'
import { segment } from '../text/segment.js'

/** A work that is read from an archive has unchecked details. */
type Indexable = Pick<CairnRecord, 'title' | 'body' | 'tags' | 'people'> & {
  readonly work?: Parameters<typeof nameWork>[0] | null
}

/** A form is null if the text can be indexed as it is. */
export function toIndexedForm(record: Indexable) {
  const { title, body, tags, people, work = null } = record
  const indexTag = (tag: string): string => `${segment(tag)?.text ?? tag} ${tagToken(tag)}`
  return {
    titleIx: title === null ? null : (segment(title)?.text ?? null),
    bodyIx: segment(body)?.text ?? null,
    tagsIx: tags.length === 0 ? null : tags.map(indexTag).join(' ; '),
    peopleIx: people.length === 0 ? null : (segment(people.join(' ; '))?.text ?? null),
    citationIx: work === null ? null : indexCitation(work),
  }
}

/** The words that name a work besides its title and authors; null if there are none. */
function indexCitation(work: Parameters<typeof nameWork>[0]): string | null {
  const { venue, key, doi, year } = nameWork(work)
  const words = Object.entries({ venue: venue && (segment(venue)?.text ?? venue), key, doi, year })
  const known = words.filter(([, text]) => text !== '')
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known))
}

/** The stemmer removes no suffix that ends in x, and no text contains such a word by chance. */
export function tagToken(tag: string): string {
  return `xtag${Buffer.from(tag.normalize('NFC').toLowerCase()).toString('hex')}x`
}

export function isTagToken(term: string): boolean {
  return /^xtag[0-9a-f]+x$/.test(term)
}
