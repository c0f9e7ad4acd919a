/** Everything that a file knows and cannot derive can be read at one moment, and put into another file again. */

import { FACT_TYPES } from '../core/fact.js'
import { KINDS, REVISION_ENDS, SECTORS, TIERS, USAGES } from '../core/record.js'
import type { EmbeddedRecords } from './vectors.js'

/** What a field of a line holds; a question mark: or null. Times are ISO 8601 in UTC. */
type Values = {
  readonly text: string
  readonly 'text?': string | null
  readonly number: number
  readonly flag: boolean
  readonly time: string
  readonly 'time?': string | null
  readonly texts: readonly string[]
  readonly object: Readonly<Record<string, unknown>>
  readonly 'object?': Readonly<Record<string, unknown>> | null
  /** What a search returned, the best first. */
  readonly results: readonly RecalledResult[]
}

export type RecalledResult = {
  readonly record: string
  /** Null: the line of the record itself. */
  readonly fact: string | null
  readonly rank: number
  readonly score: number
}

/** A word of a closed list, or with `orNull` also null. */
type Choice = { readonly oneOf: readonly string[]; readonly orNull?: true }
export type FieldType = keyof Values | Choice
export type Fields = Readonly<Record<string, FieldType>>

type ValueOf<T extends FieldType> = T extends keyof Values
  ? Values[T]
  : T extends { readonly orNull: true }
    ? string | null
    : string
type EntryOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** What a record and what it was before have in common. */
const CONTENT = {
  kind: { oneOf: KINDS },
  namespace: 'text',
  title: 'text?',
  body: 'text',
  tags: 'texts',
  people: 'texts',
  source: 'text?',
  metadata: 'object',
  importance: 'number',
  sector: { oneOf: SECTORS, orNull: true },
  tier: { oneOf: TIERS },
  work: 'object?',
  updatedAt: 'time',
  occurredAt: 'time?',
} as const satisfies Fields

/**
 * Every kind of line with its fields, in the order in which an archive has them: what is referred to comes first.
 * docs/backup.md describes them; another shape is another `ARCHIVE_VERSION`.
 */
export const ARCHIVE_FIELDS = {
  model: {
    id: 'text',
    dimensions: 'number',
    floor: 'number',
    cascadeThreshold: 'number',
    config: 'object',
    createdAt: 'time',
  },
  session: {
    id: 'text',
    namespace: 'text',
    title: 'text?',
    summary: 'text?',
    startedAt: 'time',
    endedAt: 'time?',
    metadata: 'object',
  },
  record: {
    id: 'text',
    ...CONTENT,
    salience: 'number',
    sessionId: 'text?',
    createdAt: 'time',
    accessedAt: 'time?',
    validFrom: 'time?',
    supersededAt: 'time?',
    deletedAt: 'time?',
    identities: 'texts',
  },
  revision: {
    record: 'text',
    number: 'number',
    validFrom: 'time',
    validUntil: 'time',
    endedBy: { oneOf: REVISION_ENDS },
    successor: 'text?',
    ...CONTENT,
  },
  link: {
    id: 'text',
    source: 'text',
    target: 'text?',
    targetRef: 'text?',
    type: 'text',
    author: 'text?',
    note: 'text?',
    createdAt: 'time',
  },
  fact: {
    id: 'text',
    record: 'text',
    type: { oneOf: FACT_TYPES },
    subject: 'text',
    predicate: 'text',
    object: 'text',
    confidence: 'number',
    quote: 'text?',
    createdAt: 'time',
    reinforcedAt: 'time',
    endedAt: 'time?',
  },
  usage: {
    session: 'text',
    record: 'text',
    usage: { oneOf: USAGES },
    firstAt: 'time',
    lastAt: 'time',
    times: 'number',
  },
  recall: {
    id: 'text',
    session: 'text',
    at: 'time',
    query: 'text',
    lens: 'text',
    request: 'object',
    results: 'results',
  },
  import: {
    source: 'text',
    key: 'text',
    hash: 'text?',
    record: 'text?',
    made: 'flag',
    seenAt: 'time',
  },
  lens: {
    name: 'text',
    sentence: 'text?',
    options: 'object',
    createdAt: 'time',
    updatedAt: 'time',
  },
} as const satisfies Readonly<Record<string, Fields>>

/** Grows when a line of an archive gets another shape. */
export const ARCHIVE_VERSION = 1

export type ArchiveKind = keyof typeof ARCHIVE_FIELDS
export const ARCHIVE_KINDS = Object.keys(ARCHIVE_FIELDS) as readonly ArchiveKind[]

export type ArchiveValue<K extends ArchiveKind> = EntryOf<(typeof ARCHIVE_FIELDS)[K]>
export type ArchiveEntry = {
  [K in ArchiveKind]: { readonly kind: K; readonly value: ArchiveValue<K> }
}[ArchiveKind]

/** When a record last became what it is: written, shown again, superseded or deleted. */
export function changedAt(value: ArchiveValue<'record'>): string {
  const { createdAt, updatedAt, validFrom, supersededAt, deletedAt } = value
  return [updatedAt, validFrom, supersededAt, deletedAt].reduce<string>(
    (latest, at) => (at !== null && Date.parse(at) > Date.parse(latest) ? at : latest),
    createdAt,
  )
}

/** `kept`: what is stored is another one, and not an older one. */
export type ArchiveOutcomeKind = 'added' | 'updated' | 'same' | 'kept'
export type ArchiveOutcome = {
  readonly kind: ArchiveOutcomeKind
  /** For a record that was kept: when it last became what it is. */
  readonly storedAt?: string
}

/** `refused`: nothing of the batch was written, because of the entry at this place. */
export type ArchiveWritten =
  | { readonly kind: 'written'; readonly outcomes: readonly ArchiveOutcome[] }
  | { readonly kind: 'refused'; readonly index: number; readonly reason: string }

/**
 * Whether an entry needs its vectors with it: what is no longer present is never read later on, and is found by meaning
 * where the past is asked.
 */
export function isOfThePast(entry: ArchiveEntry): boolean {
  if (entry.kind === 'record') return entry.value.supersededAt !== null
  return entry.kind === 'revision'
}

/** Puts the entries of one archive into the file, in their order, a batch at a time. */
export interface ArchiveRestore {
  /** All of the batch or nothing; `pastVectors` are those of what is of the past in it, in their order. */
  write(
    entries: readonly ArchiveEntry[],
    pastVectors: EmbeddedRecords | null,
  ): Promise<ArchiveWritten>
}

export interface ArchiveStorage {
  /** Everything, as it is at the moment of the first step, whatever is written meanwhile. */
  read(): AsyncIterable<ArchiveEntry>
  /** A dry run tells the same outcomes and writes nothing. */
  restore(options: { readonly dryRun: boolean }): ArchiveRestore
}
