/** The tools `search` and `fetch` in the shapes that ChatGPT connectors ask for, instead of ours. */

import { noRecord } from '../../core/errors.js'
import type { CairnRecord } from '../../core/record.js'
import { required } from '../../schemas/fields.js'
import { oneRecord } from '../../schemas/record-requests.js'
import { searchRequest } from '../../schemas/search-request.js'
import { summaryOf } from '../../text/summary.js'
import type { Reply } from '../reply.js'
import { defineTool } from '../tool.js'

export const CHATGPT_TOOLS = [
  defineTool({
    name: 'search',
    description: 'Find memories, documents and works by words and by meaning, best first.',
    effect: 'reads',
    shape: { query: required(searchRequest.shape.query, 'words or a question') },
    shown: ['query'],
    async run({ query }, { perform, recall, conversation }) {
      const session = recall ? await conversation.session() : null
      const given = { query, ...(session !== null && { recallSession: session }) }
      const { hits } = await perform('search', given)
      return toJson({ results: hits.map(({ record }) => nameRecord(record)) })
    },
  }),
  defineTool({
    name: 'fetch',
    description: 'Read a whole record by the id that search returns.',
    effect: 'reads',
    shape: oneRecord.shape,
    shown: ['id'],
    async run({ id }, { perform }) {
      const [record] = (await perform('get', { ids: [id] })).records
      if (record === undefined) throw noRecord(id)
      const { kind, namespace, tags, people, createdAt, occurredAt } = record
      const metadata = { kind, namespace, tags, people, createdAt, occurredAt }
      return toJson({ ...nameRecord(record), text: record.body, metadata })
    },
  }),
]

/** A connector cites by the URL: the page that a record was taken from, or else our own resource. */
function nameRecord({ id, title, body, source, work }: CairnRecord) {
  const doi = work?.doi ? `https://doi.org/${work.doi}` : null
  const page = source !== null && /^https?:\/\//.test(source) ? source : null
  return { id, title: title ?? summaryOf(body), url: doi ?? page ?? `cairn://record/${id}` }
}

function toJson(data: Readonly<Record<string, unknown>>): Reply {
  return { text: JSON.stringify(data), data, isExact: true }
}
