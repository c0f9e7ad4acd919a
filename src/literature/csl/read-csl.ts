/** Any text is read as CSL-JSON, and every item in it is either a work or skipped with a reason. */

import {
  firstWords,
  isNameless,
  NAMELESS,
  type ReadWork,
  type ReadWorks,
  type Skipped,
} from '../read-works.js'
import { type Item, toWork } from './csl-to-work.js'
import { type ItemSource, splitItems } from './split-items.js'

/**
 * CSL-JSON: a list of items, or one item.
 * @example
 * const { works, skipped } = await readCsl('[{ "id": "k", "type": "book", "title": "On graphs" }]')
 */
export async function readCsl(text: string): Promise<ReadWorks> {
  const works: ReadWork[] = []
  const skipped: Skipped[] = []
  for (const source of splitItems(text.replace(/^\uFEFF/, ''))) {
    const read = readItem(source)
    if ('work' in read) works.push(read)
    else skipped.push(read)
  }
  return { works, skipped }
}

function readItem({ text, line }: ItemSource): ReadWork | Skipped {
  const item = parse(text)
  if (typeof item === 'string') return { name: firstWords(text), line, reason: item }
  const work = toWork(item)
  if (!isNameless(work)) return { work, line }
  return { name: work.citationKey ?? firstWords(text), line, reason: NAMELESS }
}

/** The item, or why there is none. */
function parse(text: string): Item | string {
  try {
    const value: unknown = JSON.parse(text)
    return isItem(value) ? value : 'It is not an object.'
  } catch {
    return 'It is not JSON.'
  }
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
