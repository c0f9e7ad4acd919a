/** The operations that find, add, read, change and remove records, and those that save how to search. */

import * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import { readPages } from '../cairn/records.js'
import type { SearchAnswer } from '../core/answer.js'
import { badInput } from '../core/errors.js'
import * as field from '../schemas/fields.js'
import { timelineRequest } from '../schemas/memory-requests.js'
import * as requests from '../schemas/record-requests.js'
import * as finding from '../schemas/search-request.js'
import { erases, reads, writes } from './operation.js'

/** The length of the nearest passage in a small answer, if the snippet shows another passage. */
const CHUNK_CHARACTERS = 200

export const RECORD_OPERATIONS = {
  search: reads('find records by keywords and by vectors', {
    schema: finding.searchOperationRequest,
    examples: [
      { query: 'when do we deploy?' },
      { query: 'connection pool', tags: ['infra'], since: '6m', limit: 5 },
      { query: '"connection refused" NOT staging', mode: 'keyword', explain: true },
      { kinds: ['memory'], since: '7d', facets: true },
      { query: 'release day', asOf: '2026-07-01' },
    ],
    // A recall is logged, and makes the hits more salient.
    role: ({ recallSession }) => (recallSession === undefined ? 'read' : 'write'),
    method: (cairn, { body: _, ...input }, { isRemote = false }) => {
      if (isRemote && input.rerank?.startsWith?.('onnx:')) {
        throw badInput(
          'A client may not name a folder of the server.',
          'Set search.rerank where the server is started.',
        )
      }
      return cairn.search(input)
    },
    shrink: shrinkHits,
  }),
  similar: reads('find the records nearest to a record', {
    schema: finding.similarRequest,
    examples: [{ id: '01K9ZQ3F' }, { id: '01K9ZQ3F', kinds: ['work'], limit: 5 }],
    run: (cairn, { id, body: _, ...input }) => cairn.similar(id, input),
    shrink: shrinkHits,
  }),
  ask: reads('answer a question with a language model, from passages that it cites', {
    schema: finding.askRequest,
    examples: [
      { question: 'When do we deploy, and who decided it?' },
      { question: 'What do we know about the pooler?', tags: ['infra'], dryRun: true },
    ],
    method: (cairn, input, { signal, onEvent }) => cairn.ask(input, { signal, onEvent }),
  }),
  timeline: reads('show records in time order, around a record or over a period', {
    schema: timelineRequest,
    examples: [{ anchor: '01K9ZQ3F', before: 3, after: 3 }, { since: '7d' }],
    method: (cairn, input) => cairn.timeline(input),
  }),
  'lens.list': reads('list the lenses, built in and saved', {
    schema: requests.nothing,
    examples: [{}],
    run: async (cairn) => ({ lenses: await cairn.lenses.list() }),
  }),
  'lens.save': writes('save search options under a name', {
    schema: finding.lensSaveRequest,
    examples: [
      {
        name: 'decisions',
        sentence: 'What we chose',
        options: { tags: ['decision'], since: '6m' },
      },
    ],
    run: (cairn, { name, options, sentence }) => cairn.lenses.save(name, options, sentence ?? null),
  }),
  'lens.show': reads('show the options of a lens', {
    schema: finding.oneLens,
    examples: [{ name: 'balanced' }],
    run: (cairn, { name }) => cairn.lenses.show(name),
  }),
  'lens.remove': writes('remove a saved lens', {
    schema: finding.oneLens,
    examples: [{ name: 'decisions' }],
    run: async (cairn, { name }) => {
      await cairn.lenses.remove(name)
      return { removed: name }
    },
  }),
  add: writes('store one record and list near-duplicates', {
    schema: requests.recordInput,
    examples: [
      { body: 'We deploy on Thursdays.' },
      { body: 'Priya prefers tabs.', tags: ['style'], sector: 'semantic', extractFacts: true },
    ],
    method: (cairn, input) => cairn.add(input),
  }),
  'add.many': writes('store many records, all of them or none', {
    schema: requests.addManyRequest,
    examples: [
      { records: [{ body: 'The pooler listens on 6543.' }, { body: 'Backups run at 3.' }] },
    ],
    checked: field.options(() => ({ records: field.many(z.any()) })),
    run: async (cairn, { records }) => ({ added: await cairn.addMany(records) }),
  }),
  get: reads('show whole records', {
    schema: requests.manyRecords,
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: (cairn, { ids }) => cairn.get(ids),
  }),
  list: reads('list records, newest first', {
    schema: requests.listRequest,
    examples: [
      { tags: ['release'], since: '7d' },
      { sectors: ['reflective'], includeSuperseded: true },
      { deleted: true },
    ],
    method: (cairn, input) => cairn.list(input),
  }),
  edit: writes('change a record; the earlier text is kept', {
    schema: requests.editRequest,
    examples: [
      { id: '01K9ZQ3F', body: 'We deploy on Fridays.' },
      { id: '01K9ZQ3F', tags: ['release', 'weekly'], importance: 0.9 },
      { id: 'vaswani2017attention', work: { venue: 'NeurIPS', year: 2017 } },
    ],
    run: (cairn, { id, ...patch }) => cairn.edit(id, patch),
  }),
  history: reads('show the earlier revisions of a record', {
    schema: requests.oneRecord,
    examples: [{ id: '01K9ZQ3F' }],
    run: (cairn, { id }) => cairn.history(id),
  }),
  undo: writes('restore a record to an earlier revision', {
    schema: requests.undoRequest,
    examples: [{ id: '01K9ZQ3F' }, { id: '01K9ZQ3F', revision: 1 }],
    run: (cairn, { id, revision }) => cairn.undo(id, revision),
  }),
  delete: writes('hide records until they are restored or purged', {
    schema: requests.manyRecords,
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: async (cairn, { ids }) => ({ deleted: await cairn.delete(ids) }),
  }),
  restore: writes('restore deleted records', {
    schema: requests.manyRecords,
    examples: [{ ids: ['01K9ZQ3F'] }],
    run: async (cairn, { ids }) => ({ restored: await cairn.restore(ids) }),
  }),
  purge: erases('remove records for good: rows, index, vectors and bytes', {
    schema: requests.purgeRequest,
    examples: [{ ids: ['01K9ZQ3F'] }, { deleted: true }],
    async run(cairn, { ids = [], deleted = false }) {
      if (deleted === ids.length > 0) {
        throw badInput('Which records? Give their ids, or ask for all that are deleted.')
      }
      return cairn.purge(deleted ? await listDeleted(cairn) : ids)
    },
  }),
}

/** Leaves out the fields of hits that are only useful with the whole text. */
function shrinkHits<Answer extends Pick<SearchAnswer, 'hits'>>(answer: Answer) {
  const hits = answer.hits.map(({ record, highlights, chunks, snippet, ...hit }) => {
    const { body: _, work: __, metadata, ...rest } = record
    const { pages: ___, ...others } = metadata
    return {
      ...{ ...hit, snippet, highlights: { ...highlights, body: [] } },
      chunks: chunks.map(({ text, ...chunk }) => {
        const isShown = snippet !== null && chunk.start < snippet.end && snippet.start < chunk.end
        return { ...chunk, text: isShown ? '' : text.slice(0, CHUNK_CHARACTERS) }
      }),
      record: { ...rest, metadata: others },
    }
  })
  return { ...answer, hits }
}

async function listDeleted(cairn: Cairn): Promise<string[]> {
  const ids: string[] = []
  const records = readPages((page) => cairn.list({ deleted: true, ...page }))
  for await (const { id } of records) ids.push(id)
  return ids
}
