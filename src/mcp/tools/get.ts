/** An agent reads whole records; what does not fit is cut between sentences and can be had with an offset. */

import * as z from 'zod/mini'
import type { Cairn } from '../../cairn/cairn.js'
import { badInput, CairnError } from '../../core/errors.js'
import { parseIdPrefix } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import { DEFAULT_BUDGET } from '../../schemas/reply-budget.js'
import {
  BUDGET_HELP,
  brief,
  budgetField,
  CHARACTERS_PER_TOKEN,
  cutText,
  type Data,
  jsonLength,
  type Part,
} from '../budget.js'
import { labelLine, labels, minuteOf, present } from '../render.js'
import { shortIdsOf } from '../short-ids.js'
import { didYouMean } from '../suggest.js'
import { defineTool } from '../tool.js'

const MOST_IDS = 100
const METADATA_CHARACTERS = 1000
const MOST_LOST = 10
/** What the marker of a cut, the frame of the reply and a note of what is missing take at most. */
const MARKER_CHARACTERS = 120
const FRAME_CHARACTERS = 160
const LOST_CHARACTERS = 400

const wanted = z.union([
  z.string(),
  z.strictObject({ id: z.string(), offset: z.int().check(z.minimum(0)) }),
])
type Wanted = z.infer<typeof wanted>

export const getTool = defineTool({
  name: 'get',
  title: 'Read whole records',
  description: `Read records in full, by the ids that search, timeline and explore show; a beginning of 8 characters or more is enough.

{"ids": ["01K9ZQ3F", "01K9ZR7A"]}
{"ids": [{"id": "01K9ZQ3F", "offset": 4000}], "budget": 4000}   (goes on in a long text)

The reply keeps to "budget" tokens (characters / 4, 2,000 unless told), shared among the records. A longer text ends between two sentences with a marker that says how many characters are left and the "offset" to go on with.`,
  input: z.strictObject({
    ids: z.array(wanted).check(z.minLength(1), z.maxLength(MOST_IDS)),
    budget: budgetField,
  }),
  about: {
    ids: 'Ids, or {"id": …, "offset": n} to begin at a character of the text.',
    budget: BUDGET_HELP,
  },
  output: z.looseObject({
    records: z.array(z.looseObject({ id: z.string(), text: z.string(), left: z.number() })),
    missing: z.array(z.string()),
    left: z.number(),
  }),
  operations: ['get'],
  hints: { readOnlyHint: true },

  async run({ ids, budget = DEFAULT_BUDGET }, { cairn, perform }) {
    const asked = ids.map((one: Wanted) => (typeof one === 'string' ? { id: one, offset: 0 } : one))
    const { records, missing } = await perform('get', { ids: asked.map(({ id }) => id) })
    const lost = missing.length === 0 ? '' : await lostNote(cairn, missing)
    if (records.length === 0) {
      throw new CairnError('not_found', { message: lost === '' ? 'Nothing was asked for.' : lost })
    }
    const shortOf = await shortIdsOf(
      cairn,
      records.map(({ id }) => id),
    )
    const offsetOf = ({ id }: CairnRecord) =>
      asked.find((one) => id.startsWith(parseIdPrefix(one.id) ?? ' '))?.offset ?? 0
    const parts = shareOut(
      records.map((record) => ({
        record,
        shortId: shortOf(record.id),
        offset: offsetOf(record),
      })),
      budget * CHARACTERS_PER_TOKEN - FRAME_CHARACTERS - (lost === '' ? 0 : LOST_CHARACTERS),
    )
    const left = records.slice(parts.length)
    const next = left.map(({ id }) => `"${shortOf(id)}"`).slice(0, 3)
    const more = left.length > 3 ? `, … ${left.length - 3} more` : ''
    const foot =
      left.length === 0
        ? []
        : [`${left.length} not shown: get {"ids": [${next.join(', ')}]}${more}`]
    return {
      text: [...parts.map(({ text }) => text), ...(lost === '' ? [] : [lost]), ...foot].join(
        '\n\n',
      ),
      data: {
        records: parts.map(({ data }) => data),
        missing: missing.slice(0, MOST_LOST).map((id) => brief(id, 30)),
        left: left.length,
      },
    }
  },
})

async function lostNote(cairn: Cairn, missing: readonly string[]): Promise<string> {
  const [first = ''] = missing
  const names = missing.slice(0, 3).map((id) => `"${brief(id, 30)}"`)
  const others = missing.length > 3 ? ` and ${missing.length - 3} others` : ''
  const subject = missing.length === 1 ? `No record has the id ${names[0]}.` : ''
  const plural = missing.length === 1 ? '' : `No records have the ids ${names.join(', ')}${others}.`
  return `${subject}${plural} ${await didYouMean(cairn, first)}`.trim()
}

type Asked = { readonly record: CairnRecord; readonly shortId: string; readonly offset: number }

/** Each gets an equal part of what is left; what one does not need is for the next. */
function shareOut(asked: readonly Asked[], room: number): Part[] {
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
  const isTight = Math.max(headOf(record, shortId).length, jsonLength(dataOf(record))) > room / 2
  const head = isTight ? `${shortId}  ${record.kind}` : headOf(record, shortId)
  const about = isTight ? { id: record.id, detailsLeftOut: true } : dataOf(record)
  const rest = record.body.slice(offset)
  const data = (text: string): Data => ({ ...about, text, ...lengths(text) })
  const lengths = (text: string) => {
    const left = rest.length - text.length
    return {
      left,
      ...(left > 0 && { nextOffset: offset + text.length }),
      ...(offset > 0 && { offset }),
    }
  }
  let text = cutText(rest, Math.floor(room - head.length - MARKER_CHARACTERS))
  // A quote or a line break takes two characters in the data.
  while (text !== '' && jsonLength(data(text)) > room) {
    const over = jsonLength(data(text)) / room
    text = cutText(rest, Math.floor(Math.min(text.length - 1, text.length / over)))
  }
  if (text === '') return null
  const left = rest.length - text.length
  const marker =
    left === 0
      ? ''
      : `\n[… ${left} characters left: get {"ids": [{"id": "${shortId}", "offset": ${offset + text.length}}]}]`
  return { text: `${head}\n${text}${marker}`, data: data(text) }
}

function headOf(record: CairnRecord, shortId: string): string {
  const { kind, title, source } = record
  const first = [shortId, kind, minuteOf(record.occurredAt ?? record.createdAt), labelLine(record)]
  const lines = [first.filter((part) => part !== '').join('  ')]
  if (title !== null) lines.push(brief(title, 200))
  if (source !== null) lines.push(`from ${brief(source, 200)}`)
  if (record.supersededAt !== null) lines.push(`superseded at ${minuteOf(record.supersededAt)}`)
  return lines.join('\n')
}

function dataOf(record: CairnRecord): Data {
  const { title, source, metadata, supersededAt, sessionId, sector } = record
  const isLarge = JSON.stringify(metadata).length > METADATA_CHARACTERS
  return {
    id: record.id,
    kind: record.kind,
    ...present({
      title: title === null ? null : brief(title, 200),
      namespace: record.namespace,
      tags: labels(record.tags),
      people: labels(record.people),
      source: source === null ? null : brief(source, 200),
      metadata: Object.keys(metadata).length === 0 ? null : isLarge ? null : metadata,
      metadataLeftOut: isLarge,
      sector,
      tier: record.tier,
      importance: record.importance,
      salience: Math.round(record.effectiveSalience * 1000) / 1000,
      session: sessionId,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt === record.createdAt ? null : record.updatedAt,
      occurredAt: record.occurredAt,
      supersededAt,
    }),
  }
}
