/** The tool `get`: whole records; a text that does not fit is cut between sentences and continues at an offset. */

import * as z from 'zod/mini'
import type { Cairn } from '../../cairn/cairn.js'
import { badInput, CairnError } from '../../core/errors.js'
import { parseIdPrefix } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import { required } from '../../schemas/fields.js'
import { cutLabels, formatMinute, present, renderLabels, round } from '../render.js'
import {
  brief,
  CHARACTERS_PER_TOKEN,
  cutText,
  type Data,
  jsonLength,
  type Part,
  shortenIds,
  suggestIds,
} from '../reply.js'
import { budgetField, defineTool } from '../tool.js'

const MAX_IDS = 100
const METADATA_CHARACTERS = 1000
const MAX_MISSING = 10
/** The most that the marker of a cut, the frame of the reply and the note on missing ids take. */
const MARKER_CHARACTERS = 120
const FRAME_CHARACTERS = 160
const MISSING_CHARACTERS = 400

const wanted = z.union([
  z.string(),
  z.strictObject({ id: z.string(), offset: z.int().check(z.minimum(0)) }),
])

export const getTool = defineTool({
  name: 'get',
  title: 'Read whole records',
  description: `Read records in full, by the ids that search, timeline and explore show; a beginning of 8 characters or more is enough.

{"ids": ["01K9ZQ3F", "01K9ZR7A"]}
{"ids": [{"id": "01K9ZQ3F", "offset": 4000}], "budget": 4000}   (goes on in a long text)

The reply keeps to "budget" tokens (characters / 4, 2,000 by default), shared among the records. A longer text ends between two sentences with a marker that says how many characters are left and the "offset" to go on with.`,
  input: z.strictObject({
    ids: required(
      z.array(wanted).check(z.minLength(1), z.maxLength(MAX_IDS)),
      'Ids, or {"id": …, "offset": n} to begin at a character of the text.',
    ),
    budget: budgetField,
  }),
  output: z.looseObject({
    records: z.array(z.looseObject({ id: z.string(), text: z.string(), left: z.number() })),
    missing: z.array(z.string()),
    left: z.number(),
  }),
  hints: { readOnlyHint: true },

  async run({ ids }, { cairn, perform, budget }) {
    const asked = ids.map((one) => (typeof one === 'string' ? { id: one, offset: 0 } : one))
    const { records, missing } = await perform('get', { ids: asked.map(({ id }) => id) })
    const lost = missing.length === 0 ? null : await describeMissing(cairn, missing)
    if (records.length === 0) throw new CairnError('not_found', { message: lost ?? '' })
    const shorten = await shortenIds(cairn, records)
    const parts = shareRoom(
      records.map((record) => {
        const isAsked = ({ id }: { id: string }) => record.id.startsWith(parseIdPrefix(id) ?? ' ')
        return { record, shortId: shorten(record.id), offset: asked.find(isAsked)?.offset ?? 0 }
      }),
      budget * CHARACTERS_PER_TOKEN - FRAME_CHARACTERS - (lost === null ? 0 : MISSING_CHARACTERS),
    )
    const left = records.slice(parts.length)
    const texts = [...parts.map(({ text }) => text), ...(lost === null ? [] : [lost])]
    if (left.length > 0) {
      const next = left.map(({ id }) => `"${shorten(id)}"`).slice(0, 3)
      const more = left.length > 3 ? `, … ${left.length - 3} more` : ''
      texts.push(`${left.length} not shown: get {"ids": [${next.join(', ')}]}${more}`)
    }
    return {
      text: texts.join('\n\n'),
      data: {
        records: parts.map(({ data }) => data),
        missing: missing.slice(0, MAX_MISSING).map((id) => brief(id, 30)),
        left: left.length,
      },
    }
  },
})

async function describeMissing(cairn: Cairn, missing: readonly string[]): Promise<string> {
  const [first = ''] = missing
  const names = missing.slice(0, 3).map((id) => `"${brief(id, 30)}"`)
  const others = missing.length > 3 ? ` and ${missing.length - 3} others` : ''
  const who = missing.length === 1 ? 'No record has the id' : 'No records have the ids'
  return `${who} ${names.join(', ')}${others}. ${await suggestIds(cairn, first)}`
}

type Asked = { readonly record: CairnRecord; readonly shortId: string; readonly offset: number }

/** Gives each record an equal part of the room that is left; what one does not need is for the next. */
function shareRoom(asked: readonly Asked[], room: number): Part[] {
  const parts: Part[] = []
  let left = room
  for (const [i, one] of asked.entries()) {
    const part = show(one, Math.max(left / (asked.length - i), Math.min(left, 300)))
    if (part === null) break
    parts.push(part)
    left -= Math.max(part.text.length + 2, jsonLength(part.data))
  }
  return parts
}

/** The record within so many characters, as text and as data; null where not even its beginning fits. */
function show({ record, shortId, offset }: Asked, room: number): Part | null {
  if (offset > 0 && offset >= record.body.length) {
    throw badInput(
      `The text of "${shortId}" has ${record.body.length} characters; there is nothing at ${offset}.`,
    )
  }
  let head = renderHead(record, shortId)
  let about = describeRecord(record)
  if (Math.max(head.length, jsonLength(about)) > room / 2) {
    head = `${shortId}  ${record.kind}`
    about = { id: record.id, detailsLeftOut: true }
  }
  const rest = record.body.slice(offset)
  const createData = (text: string): Data => {
    const left = rest.length - text.length
    const next = left > 0 && { nextOffset: offset + text.length }
    return { ...about, text, left, ...next, ...(offset > 0 && { offset }) }
  }
  let text = cutText(rest, Math.floor(room - head.length - MARKER_CHARACTERS))
  // A quote or a line break takes two characters in the data.
  while (text !== '' && jsonLength(createData(text)) > room) {
    const over = jsonLength(createData(text)) / room
    text = cutText(rest, Math.floor(Math.min(text.length - 1, text.length / over)))
  }
  if (text === '') return null
  const left = rest.length - text.length
  const next = `get {"ids": [{"id": "${shortId}", "offset": ${offset + text.length}}]}`
  const marker = left === 0 ? '' : `\n[… ${left} characters left: ${next}]`
  return { text: `${head}\n${text}${marker}`, data: createData(text) }
}

function renderHead(record: CairnRecord, shortId: string): string {
  const { kind, title, source } = record
  const time = formatMinute(record.occurredAt ?? record.createdAt)
  const lines = [`${shortId}  ${kind}  ${time}  ${renderLabels(record)}`.trimEnd()]
  if (title !== null) lines.push(brief(title, 200))
  if (source !== null) lines.push(`from ${brief(source, 200)}`)
  if (record.supersededAt !== null) lines.push(`superseded at ${formatMinute(record.supersededAt)}`)
  return lines.join('\n')
}

function describeRecord(record: CairnRecord): Data {
  const { id, kind, namespace, metadata, sector, tier, importance, createdAt, updatedAt } = record
  const isLarge = JSON.stringify(metadata).length > METADATA_CHARACTERS
  return present({
    id,
    kind,
    title: brief(record.title, 200),
    namespace,
    tags: cutLabels(record.tags),
    people: cutLabels(record.people),
    source: brief(record.source, 200),
    metadata: Object.keys(metadata).length === 0 || isLarge ? null : metadata,
    metadataLeftOut: isLarge,
    sector,
    tier,
    importance,
    salience: round(record.effectiveSalience),
    session: record.sessionId,
    createdAt,
    updatedAt: updatedAt === createdAt ? null : updatedAt,
    occurredAt: record.occurredAt,
    supersededAt: record.supersededAt,
  })
}
