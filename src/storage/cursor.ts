/** Cursors, which are the end of a page as text that requests the next page, and the prefixes of ids. */

import { Buffer } from 'node:buffer'
import { badInput } from '../core/errors.js'
import { type RecordId, SHORTEST_PREFIX } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { RecordPage, Resolution } from './storage.js'

export function writeCursor(at: string, id: string): string {
  return Buffer.from(`${Date.parse(at)}.${id}`).toString('base64url')
}

/** Reads the last entry of the page before; ids order entries of the same time. */
export function readCursor(cursor: string | null) {
  if (cursor === null) return { atMs: Number.MAX_SAFE_INTEGER, id: '~' }
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, time, id] = /^(-?\d{1,16})\.(.+)$/s.exec(text) ?? []
  if (time === undefined || id === undefined) {
    throw badInput(
      `"${cursor}" is not a valid cursor.`,
      'Use the `next` of the page before, or leave it out.',
    )
  }
  return { atMs: Number(time), id }
}

/** `records` holds one more than the limit if there is another page. */
export function toPage(
  records: readonly CairnRecord[],
  limit: number,
  timeOf: (record: CairnRecord) => string,
): RecordPage {
  return { records: records.slice(0, limit), next: findNext(records, limit, timeOf) }
}

/** The cursor of the next page; null if there are no more items than the limit. */
export function findNext<T extends { readonly id: string }>(
  items: readonly T[],
  limit: number,
  timeOf: (item: T) => string,
): string | null {
  const last = items.length > limit ? items[limit - 1] : undefined
  return last === undefined ? null : writeCursor(timeOf(last), last.id)
}

/** `ids` are those that begin with a prefix, at least two of them if there are several. */
export function toResolution(ids: readonly RecordId[]): Resolution {
  const [only] = ids
  if (only === undefined) return { kind: 'missing' }
  return ids.length === 1 ? { kind: 'found', id: only } : { kind: 'ambiguous', ids }
}

/** Shortens each `id` to a prefix that its neighbours in the order of ids, `before` and `after`, do not share. */
export function shortenIds(rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  return rows.map((row) => {
    const id = String(row.id)
    const shared = Math.max(countShared(id, row.before), countShared(id, row.after))
    return id.slice(0, Math.max(SHORTEST_PREFIX, shared + 1))
  })
}

/** The length of the common prefix of an id and its neighbour. */
function countShared(id: string, neighbour: unknown): number {
  if (typeof neighbour !== 'string') return 0
  let length = 0
  while (length < id.length && id[length] === neighbour[length]) length += 1
  return length
}
