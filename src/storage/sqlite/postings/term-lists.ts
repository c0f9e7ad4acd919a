/** The rows of a word or a phrase in the whole index, each segment's part read once and kept. */

import { Buffer } from 'node:buffer'
import type { KnownSegment } from './index-version.js'
import type { LeafReader } from './leaf-reader.js'
import { ListCache } from './list-cache.js'
import { findPhrase } from './phrase-list.js'
import { createTallyReader, Positions } from './position-list.js'
import {
  bytesOf,
  ListBuilder,
  mergeNewestFirst,
  type PostingList,
  rowsInAll,
} from './posting-list.js'
import type { Tallies } from './tallies.js'

/** The index of all terms, as opposed to those of beginnings. */
const MAIN_INDEX = '0'

/** The segments of a version, the newest first. */
type Version = { readonly number: number; readonly segments: readonly KnownSegment[] }

export type TermLists = ReturnType<typeof createTermLists>

export type CacheLimits = {
  /** For lists as the segments have them. */
  readonly segmentBytes: number
  /** For what is made of them and differs: merged ones and phrases. */
  readonly madeBytes: number
}

export function createTermLists(leaves: LeafReader, tallies: Tallies, limits: CacheLimits) {
  const ofSegments = new ListCache<PostingList | null>(limits.segmentBytes)
  const made = new ListCache<PostingList>(limits.madeBytes)
  const tally = createTallyReader(tallies)
  const list = new ListBuilder()

  /** One for each segment, with rows that are gone as `NOWHERE`; null where a segment does not have the term. */
  const partsOf = ({ segments }: Version, term: string): (PostingList | null)[] => {
    const keyOf = ({ serial }: KnownSegment): string => `${serial} ${term}`
    const known = segments.map((segment) => ofSegments.get(keyOf(segment)))
    const unread = segments.filter((_, i) => known[i] === undefined)
    const doclists = leaves.open(unread, termBytes(term))
    const read = new Map(
      unread.map((segment, i) => {
        const doclist = doclists[i] ?? null
        doclist?.drain((row, bytes, from, to) => list.add(row, tally(bytes, from, to)))
        const part = doclist === null ? null : list.build()
        ofSegments.set(keyOf(segment), part, part === null ? 0 : bytesOf(part))
        return [segment, part]
      }),
    )
    return segments.map((segment, i) => known[i] ?? read.get(segment) ?? null)
  }

  const ofTerm = (version: Version, term: string): PostingList => {
    const key = `${version.number} ${term}`
    const known = made.get(key)
    if (known !== undefined) return known
    const parts = partsOf(version, term).filter((part) => part !== null)
    const list = mergeNewestFirst(parts)
    return made.set(key, list, parts.includes(list) ? 0 : bytesOf(list))
  }

  const positionsOf = ({ segments }: Version, term: string, rows: Uint32Array): Positions => {
    const positions = new Positions(rows)
    for (const doclist of leaves.open(segments, termBytes(term))) {
      if (doclist !== null) positions.take(doclist)
    }
    return positions
  }

  const ofPhrase = (version: Version, terms: readonly string[]): PostingList => {
    const key = `${version.number} ${terms.join(' ')}`
    const known = made.get(key)
    if (known !== undefined) return known
    const distinct = [...new Set(terms)]
    const rows = rowsInAll(distinct.map((term) => ofTerm(version, term)))
    const read = new Map(
      rows.length === 0 ? [] : distinct.map((term) => [term, positionsOf(version, term, rows)]),
    )
    const positions = terms.flatMap((term) => read.get(term) ?? [])
    const list = findPhrase(rows, positions, tallies)
    return made.set(key, list, bytesOf(list))
  }

  return {
    read: (version: Version, terms: readonly string[]): PostingList =>
      terms.length === 1 ? ofTerm(version, terms[0] ?? '') : ofPhrase(version, terms),
    get bytes(): number {
      return ofSegments.bytes + made.bytes
    },
  }
}

function termBytes(term: string): Uint8Array {
  return Buffer.from(MAIN_INDEX + term)
}
