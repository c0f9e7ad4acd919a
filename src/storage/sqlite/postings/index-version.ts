/** Promise: what has changed in an index since the last look is known from a few small rows of it. */

import type { Statements } from '../statements.js'
import { readVarints } from '../varints.js'
import type { SegmentReader } from './segment-reader.js'
import { readStructure, type Segment, type Structure } from './structure.js'
import { expectThat } from './unreadable.js'

/** The format that is read here; 5 says that entries were taken out of pages in place. */
const FORMAT = 4
/** More new pages than this, and it is quicker to read the lengths of all rows again. */
const MOST_NEW_PAGES = 256
/** Pages that a segment is known by again, the first and the last among them. */
const SAMPLES = 8
/** Fewer pages than this that are still the same prove nothing. */
const ENOUGH_SAMPLES = 2

const SQL = {
  others: 'SELECT data_version FROM pragma_data_version',
  own: 'SELECT total_changes()',
  averages: (table: string) => `SELECT block FROM ${table}_data WHERE id = 1`,
  structure: (table: string) => `SELECT block FROM ${table}_data WHERE id = 10`,
  format: (table: string) => `SELECT v FROM ${table}_config WHERE k = 'version'`,
  secureDelete: (table: string) => `SELECT v FROM ${table}_config WHERE k = 'secure-delete'`,
} as const

/** A segment with what tells it from another one of the same number: segments come and go, numbers come back. */
export type KnownSegment = Segment & {
  /** Never given again, within this process. */
  readonly serial: number
  /** The hashes of some of its pages, by their numbers. */
  readonly samples: ReadonlyMap<number, number>
}

export type IndexVersion = {
  /** Changes with every commit, by anyone, whatever it changed. */
  readonly marker: string
  /** Another one with every change of the index. */
  readonly number: number
  readonly structure: Structure
  /** The newest first. */
  readonly segments: readonly KnownSegment[]
  readonly records: number
  /** Of all columns together, in words. */
  readonly averageLength: number
  readonly bytes: { readonly structure: Uint8Array; readonly averages: Uint8Array }
}

/** What the last version does not know yet: segments with rows that may be new or changed; null where all may be. */
export type Change = {
  readonly version: IndexVersion
  readonly isSame: boolean
  readonly added: readonly KnownSegment[] | null
}

export type ReadVersion = (last: IndexVersion | null) => Change

export function createReadVersion(
  statements: Statements,
  table: string,
  reader: SegmentReader,
): ReadVersion {
  let changes = 0
  let serials = 0

  const identify = (segment: Segment): KnownSegment => {
    const { first, last } = segment
    const pages = Array.from({ length: SAMPLES }, (_, i) =>
      Math.round(first + ((last - first) * i) / (SAMPLES - 1)),
    )
    const samples = new Map(pages.map((page) => [page, reader.hashOf(segment, page)]))
    return { ...segment, serial: ++serials, samples }
  }

  /** Whether the pages that both have are the same, but for the first of one that a merge takes terms from. */
  const hasPagesOf = (segment: Segment, before: KnownSegment): boolean => {
    const isTrimmed = segment.first !== before.first
    const shared = [...before.samples].filter(
      ([page]) =>
        page <= segment.last && (page > segment.first || (!isTrimmed && page === segment.first)),
    )
    const isWhole = segment.first === before.first && segment.last >= before.last
    return (
      (isWhole || shared.length >= ENOUGH_SAMPLES) &&
      shared.every(([page, hash]) => reader.hashOf(segment, page) === hash)
    )
  }

  /** Every segment either as it is known, or new; `isAdded` where it may hold rows that are new or changed. */
  const recognise = (segment: Segment, last: IndexVersion): [KnownSegment, boolean] => {
    const before = last.segments.find(
      ({ id, level }) => id === segment.id && level === segment.level,
    )
    if (before === undefined) return [identify(segment), true]
    const isSameRange = before.first === segment.first && before.last === segment.last
    if (hasPagesOf(segment, before)) return [isSameRange ? before : identify(segment), false]
    return [identify(segment), true]
  }

  const compareSegments = (
    last: IndexVersion | null,
    structure: Structure,
    bytes: IndexVersion['bytes'],
  ): Pick<IndexVersion, 'segments'> & Pick<Change, 'added'> => {
    // Settings were changed or everything was built again: nothing is known any more.
    const isOther =
      last === null ||
      last.structure.cookie !== structure.cookie ||
      last.structure.writes > structure.writes
    if (isOther) return { segments: structure.segments.map(identify), added: null }
    const isAppended = onlyAppends(last, structure)
    const known = new Map(last.segments.map((segment) => [nameOf(segment), segment]))
    const added: KnownSegment[] = []
    const segments = structure.segments.map((segment) => {
      const same = isAppended ? known.get(nameOf(segment)) : undefined
      if (same !== undefined) return same
      const [recognised, isAdded] = recognise(segment, last)
      if (isAdded) added.push(recognised)
      return recognised
    })
    const isChanged =
      structure.writes > last.structure.writes || !isSameBytes(bytes.averages, last.bytes.averages)
    // Something was written, and it is nowhere: what seems known is not.
    if (isChanged && added.length === 0) {
      return { segments: structure.segments.map(identify), added: null }
    }
    return { segments, added: pagesIn(added) > MOST_NEW_PAGES ? null : added }
  }

  return (last) => {
    // The first statement of a transaction: what is read after it belongs to the same moment.
    const marker = `${statements.value(SQL.others)}.${statements.value(SQL.own)}`
    if (last?.marker === marker) return { version: last, isSame: true, added: [] }
    expectThat(Number(statements.value(SQL.format(table))) === FORMAT, 'the known format')
    expectThat(Number(statements.value(SQL.secureDelete(table)) ?? 0) === 0, 'pages that stay')
    const bytes = {
      structure: blobOf(statements.value(SQL.structure(table))),
      averages: blobOf(statements.value(SQL.averages(table))),
    }
    if (last !== null && isSameIndex(last.bytes, bytes)) {
      return { version: { ...last, marker }, isSame: true, added: [] }
    }
    const structure = readStructure(bytes.structure)
    const [records = 0, ...columns] = readVarints(bytes.averages)
    const words = columns.reduce((sum, size) => sum + size, 0)
    const { segments, added } = compareSegments(last, structure, bytes)
    const version: IndexVersion = {
      marker,
      number: ++changes,
      structure,
      segments,
      records,
      averageLength: words / records,
      bytes,
    }
    return { version, isSame: false, added }
  }
}

function blobOf(value: unknown): Uint8Array {
  expectThat(value instanceof Uint8Array, 'a record of the index')
  return value
}

function isSameIndex(a: IndexVersion['bytes'], b: IndexVersion['bytes']): boolean {
  return isSameBytes(a.structure, b.structure) && isSameBytes(a.averages, b.averages)
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function nameOf({ level, id, first, last }: Segment): string {
  return `${level}.${id}.${first}.${last}`
}

/**
 * Whether all that happened is that segments were flushed: every page that was written since is in them, so nothing
 * else can have been merged, removed or written again under its old number.
 */
function onlyAppends(last: IndexVersion, { writes, segments }: Structure): boolean {
  const known = new Set(last.structure.segments.map(nameOf))
  const appended = segments.filter((segment) => !known.has(nameOf(segment)))
  return (
    segments.length === known.size + appended.length &&
    appended.every(({ level, first }) => level === 0 && first === 1) &&
    // Without automatic merges nothing is counted, and nothing can be concluded.
    appended.length > 0 &&
    pagesIn(appended) === writes - last.structure.writes
  )
}

function pagesIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { first, last }) => sum + last - first + 1, 0)
}
