/** What has changed in an index since the last look is known from a few small rows of it. */

import { readVarints } from '../bm25.js'
import type { Statements } from '../statements.js'
import type { LeafReader } from './leaf-reader.js'
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
  /** Changes with every commit of another connection. */
  readonly others: number
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
  leaves: LeafReader,
): ReadVersion {
  let changes = 0
  let serials = 0

  const identify = (segment: Segment): KnownSegment => {
    const { first, last } = segment
    const pages = Array.from({ length: SAMPLES }, (_, i) =>
      Math.round(first + ((last - first) * i) / (SAMPLES - 1)),
    )
    const samples = new Map(pages.map((page) => [page, leaves.hashOf(segment, page)]))
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
      shared.every(([page, hash]) => leaves.hashOf(segment, page) === hash)
    )
  }

  /**
   * Every segment either as it is known, or new; and whether it may hold rows that are new or changed. A segment that a
   * merge adds to, or takes terms from, has no other rows than before: what is merged was there.
   */
  const recognise = (segment: Segment, last: IndexVersion): [KnownSegment, boolean] => {
    const before = last.segments.find(
      ({ id, level }) => id === segment.id && level === segment.level,
    )
    if (before === undefined) return [identify(segment), true]
    const isSameRange = before.first === segment.first && before.last === segment.last
    if (hasPagesOf(segment, before)) return [isSameRange ? before : identify(segment), false]
    return [identify(segment), true]
  }

  /** Others may have built everything again, with as many pages as before: then some page tells. */
  const isSameIndex = (
    last: IndexVersion,
    others: number,
    { structure, averages }: IndexVersion['bytes'],
  ): boolean =>
    isSameBytes(last.bytes.structure, structure) &&
    isSameBytes(last.bytes.averages, averages) &&
    (others === last.others || last.segments.every((segment) => hasPagesOf(segment, segment)))

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
    const added: KnownSegment[] = []
    const segments = structure.segments.map((segment) => {
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
    const others = Number(statements.value(SQL.others))
    const marker = `${others}.${statements.value(SQL.own)}`
    if (last?.marker === marker) return { version: last, isSame: true, added: [] }
    expectThat(Number(statements.value(SQL.format(table))) === FORMAT, 'the known format')
    expectThat(Number(statements.value(SQL.secureDelete(table)) ?? 0) === 0, 'pages that stay')
    const bytes = {
      structure: blobOf(statements.value(SQL.structure(table))),
      averages: blobOf(statements.value(SQL.averages(table))),
    }
    if (last !== null && isSameIndex(last, others, bytes)) {
      return { version: { ...last, others, marker }, isSame: true, added: [] }
    }
    const structure = readStructure(bytes.structure)
    const [records = 0, ...columns] = readVarints(bytes.averages)
    const words = columns.reduce((sum, size) => sum + size, 0)
    const { segments, added } = compareSegments(last, structure, bytes)
    const version: IndexVersion = {
      others,
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

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function pagesIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { first, last }) => sum + last - first + 1, 0)
}
