/** A record as a Markdown file that people edit, and back: fields in the front matter, the text below. */

import { Buffer } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { badInput } from '../../core/errors.js'
import { parseId, type RecordId } from '../../core/ids.js'
import { type Fields, isFields } from '../../core/json-fields.js'
import { type CairnRecord, DEFAULT_NAMESPACE, type Revision } from '../../core/record.js'
import { parseTime, toIso } from '../../core/time.js'
import { decodeText } from '../files.js'
import { readFrontMatter, writeFrontMatter } from './front-matter.js'

/** The fields that people may edit. A field that the file lacks is `undefined` and stays as it is. Values are not checked yet. */
type NoteFields = Fields & {
  readonly title: unknown
  readonly body: string
  readonly metadata: Fields
}

export type MirroredNote = {
  readonly id: RecordId | null
  /** The front matter has an id that is not the id of a record. */
  readonly isForeignId: boolean
  /** The record whose version a conflict left in this file. */
  readonly conflict: unknown
  readonly created: string | null
  readonly fields: NoteFields
  /** Why the front matter cannot be read. */
  readonly problem: string | null
}

const DEFAULT_IMPORTANCE = 0.5
const DEFAULT_TIER = 'project'
/** Every other field of the front matter is metadata. Metadata with one of these names is written below `metadata`. */
const OWN_FIELDS = new Set(
  'id title tags people kind namespace source sector tier importance occurred created conflict metadata'.split(
    ' ',
  ),
)

export async function readNote(text: string): Promise<MirroredNote> {
  const { data, body, problem } = await readFrontMatter(text)
  const others = Object.entries(data).filter(([key]) => !OWN_FIELDS.has(key))
  const { metadata = {} } = data
  const occurred = data.occurred ?? null
  const occurredMs = typeof occurred === 'string' ? parseTime(occurred, 0) : null
  const createdMs = typeof data.created === 'string' ? parseTime(data.created, 0) : null
  const id = typeof data.id === 'string' ? parseId(data.id) : null
  return {
    id,
    isForeignId: id === null && (data.id ?? null) !== null,
    conflict: data.conflict ?? null,
    created: createdMs === null ? null : toIso(createdMs),
    fields: {
      title: typeof data.title === 'number' ? String(data.title) : (data.title ?? null),
      body: trimBody(body),
      tags: readList(data.tags, /[\s,#]+/),
      people: readList(data.people, /\s*,\s*/),
      source: data.source ?? null,
      metadata: {
        ...(isFields(metadata) ? metadata : { metadata }),
        ...Object.fromEntries(others),
      },
      importance: data.importance ?? DEFAULT_IMPORTANCE,
      tier: data.tier ?? DEFAULT_TIER,
      occurredAt: occurredMs === null ? occurred : toIso(occurredMs),
      kind: data.kind ?? undefined,
      namespace: data.namespace ?? undefined,
      sector: data.sector ?? undefined,
    },
    problem: problem?.replace('; it stays in the text', '') ?? null,
  }
}

/** The fields in which the note says something else than the record. */
export function findChanges(note: NoteFields, record: CairnRecord | Revision): Fields {
  const stored: Fields = { ...record, body: trimBody(record.body) }
  const changed = Object.entries(note).filter(
    ([key, value]) => value !== undefined && !isDeepStrictEqual(value, stored[key]),
  )
  return Object.fromEntries(changed)
}

export function isSame(note: NoteFields, record: CairnRecord | Revision): boolean {
  return Object.keys(findChanges(note, record)).length === 0
}

/** Writes a record as a note. `text` is the note so far: its comments and unknown fields stay. */
export async function writeNote(record: CairnRecord, text = ''): Promise<string> {
  const { data, body } = await readFrontMatter(text)
  const isSameBody = trimBody(body) === trimBody(record.body)
  const newBody = isSameBody ? undefined : `${trimBody(record.body)}\n`
  const written = await writeFrontMatter(text, toFrontMatter(record, data.created), newBody)
  // A text that the next run could not read would be lost.
  const read = await readNote(decodeText(Buffer.from(written)) ?? '')
  if (read.id === record.id && isSame(read.fields, record)) return written
  throw badInput(`The record "${record.id}" cannot be written as a Markdown file.`)
}

/** The same text for another record, or as the version that a conflict left. */
export async function relabelNote(text: string, labels: Fields): Promise<string> {
  const { id: _, ...fields } = (await readFrontMatter(text)).data
  return writeFrontMatter(text, { ...labels, ...fields })
}

function toFrontMatter(record: CairnRecord, created: unknown): Fields {
  const { id, title, tags, people, kind, namespace, source, sector, tier, importance } = record
  const [nested, others] = [true, false].map((isOwn) =>
    Object.entries(record.metadata).filter(([key]) => OWN_FIELDS.has(key) === isOwn),
  )
  return {
    id,
    ...(title !== null && { title }),
    ...(tags.length > 0 && { tags }),
    ...(people.length > 0 && { people }),
    kind,
    ...(namespace !== DEFAULT_NAMESPACE && { namespace }),
    ...(source !== null && { source }),
    ...(sector !== null && { sector }),
    ...(tier !== DEFAULT_TIER && { tier }),
    ...(importance !== DEFAULT_IMPORTANCE && { importance }),
    ...(record.occurredAt !== null && { occurred: record.occurredAt }),
    created: created ?? record.createdAt,
    ...Object.fromEntries(others ?? []),
    ...(nested?.length && { metadata: Object.fromEntries(nested) }),
  }
}

/** Reads a list, or one text with separators. Other values are refused later, by the schema. */
function readList(value: unknown, separator: RegExp): unknown[] {
  if (typeof value === 'string') return value.split(separator).filter((part) => part !== '')
  const list: readonly unknown[] = Array.isArray(value) ? value : [value ?? []].flat()
  return list.map((one) => (typeof one === 'number' ? String(one) : one))
}

/** Blank lines at the start and spaces at the end are the file's, not the record's. */
function trimBody(body: string): string {
  return body.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd()
}

/** A file name that every system takes, from the title or the first words; without the ending. */
export function suggestName({ title, body }: Pick<CairnRecord, 'title' | 'body'>): string {
  const words = (title ?? body).trim().replace(/^[#>*\s-]+/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: file names do not have them
  const line = (words.split('\n')[0] ?? '').replace(/[\u0000-\u001f\u007f\\/:*?"<>|#^[\]]+/g, ' ')
  let name = ''
  for (const character of line.replace(/\s+/g, ' ').trim()) {
    if (Buffer.byteLength(name + character) > MAX_NAME_BYTES) {
      name = name.replace(/(?<=.{20}) \S*$/, '')
      break
    }
    name += character
  }
  const visible = name.replace(/^\.+|[. ]+$/g, '')
  // Windows reserves these names with every ending: `con.draft.md` cannot be written there.
  const isReserved = /^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?:\.|$)/i.test(visible)
  return isReserved || visible === '' ? `note ${visible}`.trimEnd() : visible
}

/** Systems take 255 bytes; a conflict adds to the name. */
const MAX_NAME_BYTES = 80
