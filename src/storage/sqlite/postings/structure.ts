/** Which segments an FTS5 index consists of, as its structure record says. */

import { readVarints } from '../bm25.js'
import { expectThat } from './unreadable.js'

/** One sorted run of terms: leaf pages `first` to `last`, each a row of the data table. */
export type Segment = {
  readonly id: number
  readonly level: number
  readonly first: number
  readonly last: number
}

export type Structure = {
  /** Changes with every setting of the index. */
  readonly cookie: number
  /** Grows by the leaf pages of every flush, where merges are automatic; merges leave it as it is. */
  readonly writes: number
  /** The newest first: what it says of a row and a term hides what older ones say. */
  readonly segments: readonly Segment[]
}

const COOKIE_BYTES = 4
/** What follows the cookie in the record of a contentless table that can delete. */
const SECOND_FORMAT = [0xff, 0x00, 0x00, 0x01] as const
/** FTS5's own limit. */
const MAX_SEGMENTS = 2000

export function readStructure(record: Uint8Array): Structure {
  expectThat(record.length > COOKIE_BYTES, 'a structure record')
  expectThat(
    SECOND_FORMAT.some((byte, i) => record[COOKIE_BYTES + i] !== byte),
    'the first format of structure records',
  )
  const numbers = readVarints(record.subarray(COOKIE_BYTES))
  let at = 0
  const next = (): number => {
    const number = numbers[at++]
    expectThat(number !== undefined, 'a whole structure record')
    return number
  }
  const levels = next()
  const expected = next()
  const writes = next()
  expectThat(levels <= MAX_SEGMENTS && expected <= MAX_SEGMENTS, 'a possible number of segments')
  const segments: Segment[] = []
  let seen = 0
  for (let level = 0; level < levels; level++) {
    next() // How many of them are being merged.
    const count = next()
    seen += count
    expectThat(seen <= expected, 'as many segments as announced')
    const own: Segment[] = []
    for (let i = 0; i < count; i++) {
      const segment = { id: next(), level, first: next(), last: next() }
      expectThat(segment.id <= MAX_SEGMENTS && segment.first <= segment.last, 'a segment')
      // All of an emptied segment has moved on into the one that it is being merged into.
      if (segment.last > 0) own.push(segment)
    }
    segments.push(...own.reverse())
  }
  expectThat(seen === expected && at === numbers.length, 'as many segments as announced')
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength)
  return { cookie: view.getUint32(0), writes, segments }
}
