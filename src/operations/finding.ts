/** Records are found by words, by meaning, by time and through lenses. */

import { defineOperation } from './operation.js'
import { CURSOR, FILTER, ID, LIMIT, NAMESPACES, SEARCH, SINCE, UNTIL } from './options.js'

const { threshold, minConfidence, asOf, explain, includeFacts, context, limit, offset } = SEARCH

export const FINDING_OPERATIONS = [
  defineOperation({
    name: 'search',
    summary: 'find records by words and by meaning',
    effect: 'reads',
    schema: async () => (await import('../schemas/search-request.js')).searchRequest,
    options: SEARCH,
    examples: [
      { query: 'when do we deploy?' },
      { query: 'connection pool', tags: ['infra'], since: '6m', limit: 5 },
      { query: '"connection refused" NOT staging', mode: 'keyword', explain: true },
      { kinds: ['memory'], since: '7d', facets: true },
      { query: 'release day', asOf: '2026-07-01' },
    ],
    run: (cairn, input) => cairn.search(input),
  }),
  defineOperation({
    name: 'similar',
    summary: 'find what is near to a record in meaning',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).similarRequest,
    options: {
      id: ID,
      ...FILTER,
      ...{ threshold, minConfidence, asOf, explain, includeFacts, context, limit, offset },
    },
    examples: [{ id: '01K9ZQ3F' }, { id: '01K9ZQ3F', kinds: ['work'], limit: 5 }],
    run: (cairn, { id, ...input }) => cairn.similar(id, input),
  }),
  defineOperation({
    name: 'timeline',
    summary: 'show records in the order of time, around one or over a stretch',
    effect: 'reads',
    schema: async () => (await import('../schemas/memory-requests.js')).timelineRequest,
    options: {
      anchor: { help: 'around this record or moment', value: 'id|moment' },
      before: { help: 'how many before the anchor', value: 'n' },
      after: { help: 'how many after the anchor', value: 'n' },
      since: SINCE,
      until: UNTIL,
      namespaces: NAMESPACES,
      limit: LIMIT,
      cursor: CURSOR,
    },
    examples: [{ anchor: '01K9ZQ3F', before: 3, after: 3 }, { since: '7d' }],
    run: (cairn, input) => cairn.timeline(input),
  }),
  defineOperation({
    name: 'lens.list',
    summary: 'list the lenses there are, built in and saved',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).nothing,
    options: {},
    examples: [{}],
    run: async (cairn) => ({ lenses: await cairn.lenses.list() }),
  }),
  defineOperation({
    name: 'lens.save',
    summary: 'keep search options under a name',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).lensSaveRequest,
    options: {
      name: { help: 'one word', value: 'name' },
      sentence: { help: 'what it is for', value: 'text' },
      options: { help: 'what a search through it is given, as search takes it', value: 'options' },
    },
    examples: [
      {
        name: 'decisions',
        sentence: 'What we chose',
        options: { tags: ['decision'], since: '6m' },
      },
    ],
    run: (cairn, { name, options, sentence }) => cairn.lenses.save(name, options, sentence ?? null),
  }),
  defineOperation({
    name: 'lens.show',
    summary: 'show what a lens holds',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).oneName,
    options: { name: { help: 'the lens', value: 'name' } },
    examples: [{ name: 'balanced' }],
    run: (cairn, { name }) => cairn.lenses.show(name),
  }),
  defineOperation({
    name: 'lens.remove',
    summary: 'forget a saved lens',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).oneName,
    options: { name: { help: 'the lens', value: 'name' } },
    examples: [{ name: 'decisions' }],
    run: async (cairn, { name }) => {
      await cairn.lenses.remove(name)
      return { removed: name }
    },
  }),
]
