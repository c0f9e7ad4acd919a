/** Finds the text, id, title, date, tags and authors of an object that another program wrote, under any usual name. */

import type { Fields } from '../core/json-fields.js'
import { isFields, textAt } from '../core/json-fields.js'
import { KINDS } from '../core/record.js'
import { recordInput } from '../schemas/record-requests.js'
import { cleanLabels, parseTimestamp } from './values.js'

/** The fields of an entry besides those of a record. */
const ENTRY_FIELDS = ['key', 'session', 'supersedes', 'links', 'aliases']
const OWN = new Set([...Object.keys(recordInput.shape), ...ENTRY_FIELDS])

/** In lower case without `_` and `-`, in the order in which they are tried. */
const TEXTS = 'text content contents note markdown'.split(' ')
const NAMES = {
  body: TEXTS,
  key: 'id uuid guid uid identifier'.split(' '),
  title: 'name subject headline heading'.split(' '),
  occurredAt:
    'date createdat created createtime creationdate timestamp time datetime publishedat published publicationdate ts'.split(
      ' ',
    ),
  tags: 'tag labels keywords categories topics'.split(' '),
  people: 'author authors by user creator speaker'.split(' '),
} as const

type Target = keyof typeof NAMES

const READERS: Readonly<Record<Target, (value: unknown) => unknown>> = {
  body: (value) => textAt({ value }, 'value'),
  key: (value) => textAt({ value }, 'value'),
  title: (value) => (typeof value === 'string' && value.trim() !== '' ? value : null),
  occurredAt: parseTimestamp,
  tags: (value) => readLabels(typeof value === 'string' ? value.split(/[,;]/) : value),
  people: readLabels,
}

function readLabels(value: unknown): string[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const labels = cleanLabels(
    list.map((one) => textAt({ one }, 'one') ?? textAt(one, 'name') ?? textAt(one, 'title')),
  )
  return labels.length > 0 ? labels : null
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** Renames the fields of other programs; unknown fields go to the metadata. */
export function adoptFields(value: Fields): Fields {
  const isKind = (KINDS as readonly unknown[]).includes(value.kind)
  const isOwn = (name: string): boolean => OWN.has(name) && (name !== 'kind' || isKind)
  const fields = Object.entries(value)
  const own = Object.fromEntries(fields.filter(([name]) => isOwn(name)))
  const foreign = new Map(fields.filter(([name]) => !isOwn(name)))
  if (foreign.size === 0) return value
  const adopted: Record<string, unknown> = {}
  for (const target of Object.keys(NAMES) as Target[]) {
    if (own[target] !== undefined) continue
    for (const wanted of NAMES[target]) {
      const name = [...foreign.keys()].find((one) => fold(one) === wanted)
      const read = name === undefined ? null : READERS[target](foreign.get(name))
      if (name === undefined || read === null) continue
      adopted[target] = read
      foreign.delete(name)
      break
    }
  }
  const metadata = isFields(own.metadata) ? own.metadata : {}
  return { ...adopted, ...own, metadata: { ...Object.fromEntries(foreign), ...metadata } }
}

/** The first object of a list, up to an object in it. */
const FIRST_OBJECT = /^\s*(?:\[\s*)?\{(?:"(?:[^"\\\n]|\\.)*"|[^"{}])*/
/** An object with a speaker is a message of a conversation. */
const SPEAKERS = new Set(['role', 'speaker', 'sender', 'from'])

/** Whether a JSON text begins with an object that has a text of its own and is not a message. */
export function hasText(json: string): boolean {
  const names = new Set(listNames(json.replace(/^\uFEFF/, '')).map(fold))
  if (names.has('body')) return true
  const isMessage =
    [...SPEAKERS].some((name) => names.has(name)) || (names.has('author') && !names.has('title'))
  return !isMessage && TEXTS.some((name) => names.has(name))
}

function listNames(json: string): string[] {
  if (!/^\s*[[{]/.test(json)) return []
  try {
    const value: unknown = JSON.parse(json.trimStart().split('\n', 1)[0] ?? '')
    const first: unknown = Array.isArray(value) ? value[0] : value
    return isFields(first) ? Object.keys(first) : []
  } catch {
    const [object = ''] = FIRST_OBJECT.exec(json) ?? []
    return [...object.matchAll(/"((?:[^"\\\n]|\\.)*)"\s*:/g)].map(([, name = '']) => name)
  }
}
