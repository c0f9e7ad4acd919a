/** Cursors: the end of a page of a list, as text that requests the next page. */

import { Buffer } from 'node:buffer'
import { badInput } from '../core/errors.js'
import type { CairnRecord } from '../core/record.js'
import type { RecordPage } from './storage.js'

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

/** The length of the common prefix of an id and its neighbour. */
export function countShared(id: string, neighbour: unknown): number {
  if (typeof neighbour !== 'string') return 0
  let length = 0
  while (length < id.length && id[length] === neighbour[length]) length += 1
  return length
}
