/** Every line of an archive is checked before anything is made of it, and what is wrong is named with its number. */

import { CairnError } from '../core/errors.js'
import { VERSION } from '../core/version.js'
import {
  ARCHIVE_FIELDS,
  ARCHIVE_KINDS,
  ARCHIVE_VERSION,
  type ArchiveEntry,
  type ArchiveKind,
  type FieldType,
} from '../storage/archive.js'

export type ArchiveHeader = { readonly cairnArchive: number; readonly writtenBy: string }

/** How many lines of each kind there were: the last line, by which a cut archive is told from a whole one. */
export type ArchiveCounts = Readonly<Record<ArchiveKind, number>>

export type ArchiveLine =
  | { readonly kind: 'entry'; readonly entry: ArchiveEntry }
  | { readonly kind: 'end'; readonly counts: ArchiveCounts }

export function noCounts(): Record<ArchiveKind, number> {
  return Object.fromEntries(ARCHIVE_KINDS.map((kind) => [kind, 0])) as Record<ArchiveKind, number>
}

export function writeHeader(): string {
  const header: ArchiveHeader = { cairnArchive: ARCHIVE_VERSION, writtenBy: VERSION }
  return JSON.stringify(header)
}

export function writeEntry({ kind, value }: ArchiveEntry): string {
  return JSON.stringify({ [kind]: value })
}

export function writeEnd(counts: ArchiveCounts): string {
  return JSON.stringify({ end: counts })
}

export function damaged(line: number, reason: string): CairnError {
  return new CairnError('damaged_archive', {
    message: `Line ${line} of the archive cannot be used: ${reason}.`,
    hint: 'What the lines before it say may be stored already; import a sound copy to have the rest.',
  })
}

export function readHeader(text: string): ArchiveHeader {
  const { cairnArchive: version, writtenBy } = parseObject(text, 1)
  if (typeof version !== 'number' || typeof writtenBy !== 'string') {
    throw damaged(1, 'it is not the first line of an archive')
  }
  if (version > ARCHIVE_VERSION) {
    throw new CairnError('newer_format', {
      message:
        `Line 1 of the archive says that Cairn ${writtenBy} wrote it (archive version ${version}); ` +
        `this is Cairn ${VERSION}, which reads up to version ${ARCHIVE_VERSION}.`,
      hint: 'Update Cairn, or export again with this version. Nothing was changed.',
    })
  }
  return { cairnArchive: version, writtenBy }
}

export function readArchiveLine(text: string, line: number): ArchiveLine {
  const given = Object.entries(parseObject(text, line))
  const [name, value] = given[0] ?? ['', null]
  if (given.length !== 1) throw damaged(line, 'it does not hold exactly one thing')
  if (name === 'end') return { kind: 'end', counts: readCounts(value, line) }
  if (!isKind(name)) throw damaged(line, `archives of this version hold no "${name}"`)
  if (!isObject(value)) throw damaged(line, `its "${name}" is no object`)
  return { kind: 'entry', entry: readEntry(name, value, line) }
}

/** With the fields in their order, so that two that say the same are written the same. */
function readEntry(kind: ArchiveKind, given: Fields, line: number): ArchiveEntry {
  const fields: Readonly<Record<string, FieldType>> = ARCHIVE_FIELDS[kind]
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw damaged(line, `a ${kind} has no field "${unknown}"`)
  const value = Object.entries(fields).map(([name, type]) => {
    const found = given[name]
    if (!Object.hasOwn(given, name)) throw damaged(line, `its ${kind} lacks "${name}"`)
    if (!isOfType(type, found)) {
      throw damaged(line, `the field "${name}" of its ${kind} must be ${describe(type)}`)
    }
    return [name, found] as const
  })
  return { kind, value: Object.fromEntries(value) } as unknown as ArchiveEntry
}

function readCounts(value: unknown, line: number): ArchiveCounts {
  if (!isObject(value)) throw damaged(line, 'its "end" is no object')
  const counts = ARCHIVE_KINDS.map((kind) => [kind, value[kind]] as const)
  if (!counts.every(([, count]) => Number.isSafeInteger(count))) {
    throw damaged(line, 'its "end" does not count every kind of line')
  }
  return Object.fromEntries(counts) as ArchiveCounts
}

type Fields = Readonly<Record<string, unknown>>

function parseObject(text: string, line: number): Fields {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw damaged(line, 'it is not valid JSON')
  }
  if (!isObject(value)) throw damaged(line, 'it is no object')
  return value
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isKind(name: string): name is ArchiveKind {
  return Object.hasOwn(ARCHIVE_FIELDS, name)
}

function isOfType(type: FieldType, value: unknown): boolean {
  if (typeof type !== 'string') {
    return value === null ? type.orNull === true : type.oneOf.some((word) => word === value)
  }
  if (value === null) return type.endsWith('?')
  switch (type) {
    case 'text':
    case 'text?':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'flag':
      return typeof value === 'boolean'
    case 'time':
    case 'time?':
      return isTime(value)
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
    case 'object':
    case 'object?':
      return isObject(value)
    case 'results':
      return Array.isArray(value) && value.every(isResult)
  }
}

/** Only as it is written here: the same moment in other words would not compare as the same. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const ms = Date.parse(value)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value
}

function isResult(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 4) return false
  const { record, fact, rank, score } = value
  const isNumbered = isOfType('number', rank) && isOfType('number', score)
  return isNumbered && isOfType('text', record) && isOfType('text?', fact)
}

function describe(type: FieldType): string {
  if (typeof type !== 'string') {
    return `one of ${type.oneOf.join(', ')}${type.orNull === true ? ', or null' : ''}`
  }
  const [name = '', isOptional] = [type.replace('?', ''), type.endsWith('?')]
  return `${DESCRIPTIONS[name] ?? name}${isOptional ? ' or null' : ''}`
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  text: 'text',
  number: 'a number',
  flag: 'true or false',
  time: 'a moment such as 2026-01-02T03:04:05.000Z',
  texts: 'a list of texts',
  object: 'an object',
  results: 'a list of objects with record, fact, rank and score',
}
