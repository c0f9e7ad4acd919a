/** The lines of an archive: JSON that holds everything in a file that cannot be derived. Defines their fields and checks them. */

import { CairnError } from '../core/errors.js'
import { FACT_TYPES } from '../core/fact.js'
import { KINDS, REVISION_ENDS, SECTORS, TIERS, USAGES } from '../core/record.js'
import { VERSION } from '../core/version.js'

export type RecalledResult = {
  readonly record: string
  /** Null: the record itself. */
  readonly fact: string | null
  readonly rank: number
  readonly score: number
}

type JsonObject = Readonly<Record<string, unknown>>

/** The types of fields: the name in messages, and a test of a value. */
const TYPES = {
  text: ['text', (value: unknown) => typeof value === 'string'],
  number: ['a number', (value: unknown): value is number => Number.isFinite(value)],
  share: [
    'a number from 0 to 1',
    (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1,
  ],
  whole: ['a whole number', (value: unknown): value is number => Number.isSafeInteger(value)],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  /** Only in this form, in UTC: the same time in another form would not compare as equal. */
  time: [
    'a time such as 2026-01-02T03:04:05.000Z',
    (value: unknown): value is string => {
      const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
      return !Number.isNaN(ms) && new Date(ms).toISOString() === value
    },
  ],
  texts: [
    'a list of texts',
    (value: unknown): value is readonly string[] =>
      Array.isArray(value) && value.every((one) => typeof one === 'string'),
  ],
  object: ['an object', isObject],
  results: [
    'a list of objects with record, fact, rank and score',
    (value: unknown): value is readonly RecalledResult[] =>
      Array.isArray(value) && value.every(isResult),
  ],
} as const

type TypeName = keyof typeof TYPES
/** A word of a closed list, or with `orNull` also null. */
type Choice = { readonly oneOf: readonly string[]; readonly orNull?: true }
/** With a question mark: or null. */
export type FieldType = TypeName | `${TypeName}?` | Choice
type Fields = Readonly<Record<string, FieldType>>

type NamedValue<T> = T extends TypeName
  ? (typeof TYPES)[T][1] extends (value: unknown) => value is infer V
    ? V
    : never
  : string
type ValueOf<T> = T extends `${infer Name}?` ? NamedValue<Name> | null : NamedValue<T> | OrNull<T>
type OrNull<T> = T extends { readonly orNull: true } ? null : never
type EntryOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

const CONTENT = {
  kind: { oneOf: KINDS },
  namespace: 'text',
  title: 'text?',
  body: 'text',
  tags: 'texts',
  people: 'texts',
  source: 'text?',
  metadata: 'object',
  importance: 'share',
  sector: { oneOf: SECTORS, orNull: true },
  tier: { oneOf: TIERS },
  work: 'object?',
  updatedAt: 'time',
  occurredAt: 'time?',
} as const satisfies Fields

/**
 * Every kind of line with its fields, in the order of an archive: a line refers only to lines above it.
 * docs/backup.md describes them. A change of the fields needs a new `ARCHIVE_VERSION`.
 */
export const ARCHIVE_FIELDS = {
  model: {
    id: 'text',
    dimensions: 'whole',
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
    salience: 'share',
    sessionId: 'text?',
    createdAt: 'time',
    accessedAt: 'time?',
    validFrom: 'time?',
    supersededAt: 'time?',
    deletedAt: 'time?',
    author: 'text?',
    identities: 'texts',
  },
  revision: {
    record: 'text',
    number: 'whole',
    validFrom: 'time',
    validUntil: 'time',
    endedBy: { oneOf: REVISION_ENDS },
    successor: 'text?',
    ...CONTENT,
    author: 'text?',
    endedAuthor: 'text?',
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
    confidence: 'share',
    quote: 'text?',
    createdAt: 'time',
    reinforcedAt: 'time',
    endedAt: 'time?',
  },
  usage: {
    session: 'text',
    /** Of the session. */
    namespace: 'text',
    record: 'text',
    usage: { oneOf: USAGES },
    firstAt: 'time',
    lastAt: 'time',
    times: 'whole',
  },
  recall: {
    id: 'text',
    session: 'text',
    /** Of the session. */
    namespace: 'text',
    at: 'time',
    query: 'text',
    lens: 'text',
    request: 'object',
    results: 'results',
  },
  import: {
    namespace: 'text',
    source: 'text',
    key: 'text',
    hash: 'text?',
    record: 'text?',
    made: 'flag',
    seenAt: 'time',
  },
  lens: {
    namespace: 'text',
    name: 'text',
    sentence: 'text?',
    options: 'object',
    createdAt: 'time',
    updatedAt: 'time',
  },
} as const satisfies Readonly<Record<string, Fields>>

export type ArchiveKind = keyof typeof ARCHIVE_FIELDS
export const ARCHIVE_KINDS = Object.keys(ARCHIVE_FIELDS) as readonly ArchiveKind[]

export type ArchiveValue<K extends ArchiveKind> = EntryOf<(typeof ARCHIVE_FIELDS)[K]>
export type ArchiveEntry = {
  [K in ArchiveKind]: { readonly kind: K; readonly value: ArchiveValue<K> }
}[ArchiveKind]

/** `kept`: the stored entry differs and is not older. */
export type ArchiveOutcomeKind = 'added' | 'updated' | 'same' | 'kept'
export type ArchiveOutcome = {
  readonly kind: ArchiveOutcomeKind
  /** The last change of a record that was kept. */
  readonly storedAt?: string
}

export type ArchiveLine = { readonly line: number; readonly entry: ArchiveEntry }

/** Writes a batch of lines of one archive in order: all of them, or none if one cannot be used. */
export type ArchiveRestore = (batch: readonly ArchiveLine[]) => Promise<ArchiveOutcome[]>

/** Entries of a damaged file that are not in its archive. */
export type LostEntries = {
  readonly kind: ArchiveKind
  /** Their ids, or whatever else identifies them. */
  readonly names: readonly string[]
  /** Whether the list of entries is damaged as well. */
  readonly mayBeMore: boolean
  /** Whether they are in the archive, without the fields that cannot be read. */
  readonly isPartial: boolean
}

export interface ArchiveStorage {
  /**
   * Reads everything from one snapshot, whatever is written meanwhile. From a file that was opened for salvage it reads what
   * is readable and passes the rest to `onLost`.
   */
  read(onLost: (lost: LostEntries) => void): AsyncIterable<ArchiveEntry>
  /** A dry run returns the same outcomes and writes nothing. */
  restore(options: { readonly dryRun: boolean }): ArchiveRestore
  /** True if nothing is stored, or only an unfinished copy of this source. */
  isFreeFor(source: string): Promise<boolean>
  /** Notes the source of a copy that begins; null after the copy is complete. */
  noteCopy(source: string | null): Promise<void>
}

/** The time when a record was last written, restored, superseded or deleted. */
export function findChangeTime(value: ArchiveValue<'record'>): string {
  const { createdAt, updatedAt, validFrom, supersededAt, deletedAt } = value
  return [updatedAt, validFrom, supersededAt, deletedAt].reduce<string>(
    (latest, at) => (at !== null && Date.parse(at) > Date.parse(latest) ? at : latest),
    createdAt,
  )
}

const ARCHIVE_VERSION = 1

/** The number of lines of each kind. It is the last line, so that a truncated archive is recognised. */
export type ArchiveCounts = Readonly<Record<ArchiveKind, number>>

export function createCounts(): Record<ArchiveKind, number> {
  return Object.fromEntries(ARCHIVE_KINDS.map((kind) => [kind, 0])) as Record<ArchiveKind, number>
}

export function damagedLine(line: number, reason: string): CairnError {
  return new CairnError('damaged_archive', {
    message: `Line ${line} of the archive cannot be used: ${reason}.`,
    hint: 'The lines before it may be stored already; import an intact copy to get the rest.',
  })
}

export function formatHeader(): string {
  return JSON.stringify({ cairnArchive: ARCHIVE_VERSION, writtenBy: VERSION })
}

/** Returns the version of Cairn that wrote the archive. */
export function parseHeader(text: string): string {
  const { cairnArchive: version, writtenBy } = parseObject(text, 1)
  if (typeof version !== 'number' || typeof writtenBy !== 'string') {
    throw damagedLine(1, 'it is not the first line of an archive')
  }
  if (version > ARCHIVE_VERSION) {
    throw new CairnError('newer_format', {
      message:
        `Line 1 of the archive says that Cairn ${writtenBy} wrote it (archive version ${version}); ` +
        `this is Cairn ${VERSION}, which reads up to version ${ARCHIVE_VERSION}.`,
      hint: 'Update Cairn, or export again with this version. Nothing was changed.',
    })
  }
  return writtenBy
}

export function parseArchiveLine(text: string, line: number) {
  const given = Object.entries(parseObject(text, line))
  const [name, value] = given[0] ?? ['', null]
  if (given.length !== 1) throw damagedLine(line, 'it does not hold exactly one thing')
  const isKnown = name === 'end' || Object.hasOwn(ARCHIVE_FIELDS, name)
  if (!isKnown) throw damagedLine(line, `archives of this version hold no "${name}"`)
  if (!isObject(value)) throw damagedLine(line, `its "${name}" is not an object`)
  if (name !== 'end') {
    return { kind: 'entry', entry: checkEntry(name as ArchiveKind, value, line) } as const
  }
  if (!ARCHIVE_KINDS.every((kind) => Number.isSafeInteger(value[kind]))) {
    throw damagedLine(line, 'its "end" does not count every kind of line')
  }
  return { kind: 'end', counts: value as ArchiveCounts } as const
}

/** Puts the fields in order, so that equal entries have equal JSON. */
function checkEntry(kind: ArchiveKind, given: JsonObject, line: number): ArchiveEntry {
  const fields: Fields = ARCHIVE_FIELDS[kind]
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw damagedLine(line, `a ${kind} has no field "${unknown}"`)
  const value = Object.entries(fields).map(([name, type]) => {
    if (!Object.hasOwn(given, name)) throw damagedLine(line, `its ${kind} lacks "${name}"`)
    if (!isOfType(type, given[name])) {
      throw damagedLine(line, `the field "${name}" of its ${kind} must be ${describeType(type)}`)
    }
    return [name, given[name]] as const
  })
  return { kind, value: Object.fromEntries(value) } as unknown as ArchiveEntry
}

function parseObject(text: string, line: number): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw damagedLine(line, 'it is not valid JSON')
  }
  if (!isObject(value)) throw damagedLine(line, 'it is not an object')
  return value
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isResult(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 4) return false
  const { record, fact, rank, score } = value
  const isNumbered = isOfType('whole', rank) && isOfType('number', score)
  return isNumbered && isOfType('text', record) && isOfType('text?', fact)
}

function isOfType(type: FieldType, value: unknown): boolean {
  if (typeof type !== 'string') {
    return value === null ? type.orNull === true : type.oneOf.some((word) => word === value)
  }
  return value === null ? type.endsWith('?') : TYPES[toTypeName(type)][1](value)
}

function describeType(type: FieldType): string {
  if (typeof type !== 'string') {
    return `one of ${type.oneOf.join(', ')}${type.orNull === true ? ', or null' : ''}`
  }
  return `${TYPES[toTypeName(type)][0]}${type.endsWith('?') ? ' or null' : ''}`
}

function toTypeName(type: string): TypeName {
  return type.replace('?', '') as TypeName
}
