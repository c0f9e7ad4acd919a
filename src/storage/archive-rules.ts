/** For each kind of archive line: its key, its references, and which of two versions wins. */

import type { CairnError } from '../core/errors.js'
import {
  type ArchiveEntry,
  type ArchiveKind,
  type ArchiveOutcome,
  type ArchiveValue,
  damagedLine,
  findChangeTime,
} from './archive.js'

/** Tables whose rows a line names by id. */
export type Referred = 'records' | 'sessions' | 'facts'

type ArchiveRules<V = object> = {
  /** The fields that identify a line. Default: `id`. */
  readonly key?: readonly (keyof V & string)[]
  /** Fields that name an existing row of another table. */
  readonly refersTo?: Readonly<Record<string, Referred>>
  /** Whether the entry of the archive replaces a different stored entry. Default: never. */
  isLater?(incoming: V, stored: V): boolean
}

const RULES: { readonly [K in ArchiveKind]: ArchiveRules<ArchiveValue<K>> } = {
  /** Only the active model is archived: the others have nothing but vectors. There is at most one, so it needs no key. */
  model: { key: [] },
  session: { key: ['id', 'namespace'], isLater: laterBy(({ endedAt }) => [endedAt]) },
  record: {
    isLater: laterBy((value) => [findChangeTime(value), value.accessedAt ?? value.createdAt]),
  },
  revision: { key: ['record', 'number'], refersTo: { record: 'records', successor: 'records' } },
  /** The content of a link never changes; its target may become known later. */
  link: {
    refersTo: { source: 'records', target: 'records' },
    isLater: (incoming, stored) => stored.target === null && incoming.target !== null,
  },
  fact: {
    refersTo: { record: 'records' },
    isLater: laterBy(({ endedAt, reinforcedAt }) => [endedAt, reinforcedAt]),
  },
  usage: {
    key: ['session', 'namespace', 'record', 'usage'],
    refersTo: { session: 'sessions', record: 'records' },
    isLater: (incoming, stored) =>
      Date.parse(incoming.firstAt) < Date.parse(stored.firstAt) ||
      Date.parse(incoming.lastAt) > Date.parse(stored.lastAt) ||
      incoming.times > stored.times,
  },
  recall: { refersTo: { session: 'sessions' } },
  import: {
    key: ['namespace', 'source', 'key'],
    refersTo: { record: 'records' },
    isLater: laterBy(({ seenAt }) => [seenAt]),
  },
  lens: { key: ['namespace', 'name'], isLater: laterBy(({ updatedAt }) => [updatedAt]) },
}

export function getRules(kind: ArchiveKind): Required<ArchiveRules> {
  return { key: ['id'], refersTo: {}, isLater: () => false, ...(RULES[kind] as object) } as never
}

/** Compares by the first time that differs; null is before every other time. */
function laterBy<V>(listTimes: (value: V) => readonly (string | null)[]) {
  const toMs = (at: string | null): number =>
    at === null ? Number.NEGATIVE_INFINITY : Date.parse(at)
  return (incoming: V, stored: V): boolean => {
    const known = listTimes(stored).map(toMs)
    const found = listTimes(incoming).map(toMs)
    const at = found.findIndex((ms, i) => ms !== known[i])
    return at >= 0 && Number(found[at]) > Number(known[at])
  }
}

/** The key in `meta` for the source of an unfinished copy. */
export const COPY_KEY = 'copyOf'
/** The storage is empty if none of these tables has a row. */
const HELD_TABLES = ['records', 'sessions', 'lenses', 'imports'] as const
export const ANYTHING_SQL = `SELECT ${HELD_TABLES.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')} AS any`

/** A row that a line names. A session is identified by its id and namespace. */
export type Reference = {
  readonly table: Referred
  readonly id: string
  readonly namespace: string | null
}

export function listReferences({ kind, value }: ArchiveEntry): Reference[] {
  const values = new Map<string, unknown>(Object.entries(value))
  const named = Object.entries(getRules(kind).refersTo).map(
    ([field, table]): [Referred, unknown] => [table, values.get(field)],
  )
  for (const { record, fact } of kind === 'recall' ? value.results : []) {
    named.push(['records', record], ['facts', fact])
  }
  return named.flatMap(([table, id]) => {
    const namespace = table === 'sessions' ? String(values.get('namespace')) : null
    return typeof id === 'string' ? [{ table, id, namespace }] : []
  })
}

/** A model is compared by its id: when it was first used does not matter. */
function isSameEntry({ kind, value }: ArchiveEntry, stored: ArchiveValue<ArchiveKind>): boolean {
  if (kind === 'model') return value.id === (stored as ArchiveValue<'model'>).id
  return JSON.stringify(value) === JSON.stringify(stored)
}

/** What becomes of an entry beside the stored one with its key. Adds a record whose stored version wins to `kept`. */
export function decideOutcome(
  entry: ArchiveEntry,
  stored: ArchiveValue<ArchiveKind> | null,
  kept: Set<string>,
): ArchiveOutcome {
  // The revisions of a record belong to its version in the archive.
  if (entry.kind === 'revision' && kept.has(entry.value.record)) return { kind: 'kept' }
  if (stored === null) return { kind: 'added' }
  if (isSameEntry(entry, stored)) return { kind: 'same' }
  if (getRules(entry.kind).isLater(entry.value, stored)) return { kind: 'updated' }
  if (entry.kind !== 'record') return { kind: 'kept' }
  kept.add(entry.value.id)
  return { kind: 'kept', storedAt: findChangeTime(stored as ArchiveValue<'record'>) }
}

export function unknownReference(line: number, { table, id }: Reference): CairnError {
  const unknown = `${table.slice(0, -1)} "${id}"`
  return damagedLine(line, `it names the ${unknown}, which is not in the lines before it`)
}

/** The keys of works that unresolved citations may name. */
export function listCitationKeys(entries: readonly ArchiveEntry[]): string[] {
  const keys = entries.flatMap((entry) => {
    if (entry.kind === 'record') return entry.value.identities
    return entry.kind === 'link' && entry.value.targetRef !== null ? [entry.value.targetRef] : []
  })
  return [...new Set(keys)]
}
