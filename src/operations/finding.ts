/** The operations that find records, and those that save how to search. */

import * as field from '../schemas/fields.js'
import { timelineRequest } from '../schemas/memory-requests.js'
import { nothing } from '../schemas/record-requests.js'
import {
  lensSaveRequest,
  oneLens,
  searchRequest,
  similarRequest,
} from '../schemas/search-request.js'
import { reads, writes } from './operation.js'

export const FINDING_OPERATIONS = {
  search: reads('find records by keywords and by vectors', {
    schema: searchRequest,
    examples: [
      { query: 'when do we deploy?' },
      { query: 'connection pool', tags: ['infra'], since: '6m', limit: 5 },
      { query: '"connection refused" NOT staging', mode: 'keyword', explain: true },
      { kinds: ['memory'], since: '7d', facets: true },
      { query: 'release day', asOf: '2026-07-01' },
    ],
    method: (cairn, input) => cairn.search(input),
  }),
  similar: reads('find the records nearest to a record', {
    schema: similarRequest,
    examples: [{ id: '01K9ZQ3F' }, { id: '01K9ZQ3F', kinds: ['work'], limit: 5 }],
    own: { id: field.id },
    run: (cairn, { id, ...input }) => cairn.similar(id, input),
  }),
  timeline: reads('show records in order of time, around a record or over a period', {
    schema: timelineRequest,
    examples: [{ anchor: '01K9ZQ3F', before: 3, after: 3 }, { since: '7d' }],
    method: (cairn, input) => cairn.timeline(input),
  }),
  'lens.list': reads('list the lenses, built in and saved', {
    schema: nothing,
    examples: [{}],
    run: async (cairn) => ({ lenses: await cairn.lenses.list() }),
  }),
  'lens.save': writes('save search options under a name', {
    schema: lensSaveRequest,
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
    schema: oneLens,
    examples: [{ name: 'balanced' }],
    run: (cairn, { name }) => cairn.lenses.show(name),
  }),
  'lens.remove': writes('remove a saved lens', {
    schema: oneLens,
    examples: [{ name: 'decisions' }],
    run: async (cairn, { name }) => {
      await cairn.lenses.remove(name)
      return { removed: name }
    },
  }),
}
