/** The tool `get`: whole records; a text that does not fit is cut between sentences and continues at an offset. */

import * as z from 'zod/mini'
import type { Cairn } from '../../cairn/cairn.js'
import { badInput, CairnError } from '../../core/errors.js'
import { isShortId, SHORTEST_PREFIX } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import { NO_DETAILS } from '../../core/work.js'
import { CHARACTERS_PER_TOKEN, required } from '../../schemas/fields.js'
import { brief, compact, type Data, describeTime, renderItem } from '../render.js'
import { cutText, jsonLength, type Reply, suggestIds } from '../reply.js'
import { budgetField, defineTool } from '../tool.js'

const MAX_IDS = 100
const METADATA_CHARACTERS = 1000
const MAX_MISSING = 10
/** The most that the marker of a cut, the frame of the reply and the note on missing ids take. */
const MARKER_CHARACTERS = 140
const FRAME_CHARACTERS = 160
const MISSING_CHARACTERS = 400

const wanted = z.union([
  z.string(),
  z.strictObject({ id: z.string(), offset: z.optional(z.int().check(z.minimum(0))) }),
])

export const getTool = defineTool({
  name: 'get',
  description: `Read whole records by the ids that other tools show; 8 characters of an id are enough. A long text is cut between sentences, with the offset to go on at.
{"ids": ["01K9ZQ3F", {"id": "01K9ZR7A", "offset": 4000}]}`,
  effect: 'reads',
  shape: {
    ids: required(
      z.array(wanted).check(z.minLength(1), z.maxLength(MAX_IDS)),
      'ids, or {"id": …, "offset": n}',
    ),
    budget: budgetField,
  },
  shown: ['ids', 'budget'],

  async run({ ids }, { cairn, perform, budget }) {
    const asked = ids.map((one) => (typeof one === 'string' ? { id: one, offset: 0 } : one))
    const { records, missing } = await perform('get', { ids: asked.map(({ id }) => id) })
    const lost = missing.length === 0 ? null : await describeMissing(cairn, missing)
    if (records.length === 0) throw new CairnError('not_found', { message: lost ?? '' })
    // Records come in the order asked.
    const found = asked.filter(({ id }) => !missing.includes(id))
    const parts = shareRoom(
      records.map((record, i) => ({ record, offset: found[i]?.offset ?? 0 })),
      budget * CHARACTERS_PER_TOKEN - FRAME_CHARACTERS - (lost === null ? 0 : MISSING_CHARACTERS),
    )
    const left = records.slice(parts.length)
    const texts = [...parts.map(({ text }) => text), ...(lost === null ? [] : [lost])]
    const [next] = left
    if (next !== undefined) texts.push(`${left.length} not shown: get {"ids": ["${next.id}", …]}`)
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
  const short = missing.some(isShortId) ? ` An id needs ${SHORTEST_PREFIX} characters.` : ''
  return `${who} ${names.join(', ')}${others}.${short} ${await suggestIds(cairn, first)}`
}

type Asked = { readonly record: CairnRecord; readonly offset: number }

/** Gives each record an equal share of the remaining characters. The next records get what it does not use. */
function shareRoom(asked: readonly Asked[], room: number): Reply[] {
  const parts: Reply[] = []
  let left = room
  for (const [i, one] of asked.entries()) {
    const part = show(one, Math.max(left / (asked.length - i), Math.min(left, 300)))
    if (part === null) break
    parts.push(part)
    left -= Math.max(part.text.length + 2, jsonLength(part.data))
  }
  return parts
}

/** The record within `room` characters, as text and as data; null if not even its beginning fits. */
function show({ record, offset }: Asked, room: number): Reply | null {
  const { id, body } = record
  if (offset > 0 && offset >= body.length) {
    throw badInput(
      `The text of "${id}" has ${body.length} characters; there is nothing at ${offset}.`,
    )
  }
  const whole = describeWhole(record)
  const about = jsonLength(whole) > room / 2 ? { id, isCut: true } : whole
  const head = renderItem(about)
  const rest = body.slice(offset)
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
  if (text === '' && rest !== '') return null
  const left = rest.length - text.length
  const next = `get {"ids": [{"id": "${id}", "offset": ${offset + text.length}}]}`
  const marker = left === 0 ? '' : `\n[… ${left} characters left: ${next}]`
  return { text: `${head}\n${text}${marker}`, data: createData(text) }
}

function describeWhole(record: CairnRecord): Data {
  const { id, kind, title, namespace, tags, people, source, metadata, sector, tier, author } =
    record
  const { importance, revision, sessionId: session, createdAt, occurredAt, supersededAt } = record
  const updatedAt = record.updatedAt === createdAt ? null : record.updatedAt
  const { venue, doi, citationKey } = record.work ?? NO_DETAILS
  const salience = record.effectiveSalience
  const isLarge = JSON.stringify(metadata).length > METADATA_CHARACTERS
  return compact({
    ...{ id, kind, ...describeTime(record), tags, people, title, source, namespace, revision },
    ...{ sector, tier, importance, salience, session, createdAt, updatedAt, occurredAt },
    ...{ venue, doi, citationKey, supersededAt, author },
    ...(isLarge ? { metadataLeftOut: true } : Object.keys(metadata).length > 0 && { metadata }),
  })
}
