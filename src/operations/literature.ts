/** Works come in, are cited, explored and written for other programs. */

import { badInput } from '../core/errors.js'
import { defineOperation, type Option } from './operation.js'
import { FILTER, LIMIT, NAMESPACE } from './options.js'

const WORK: Option = {
  help: 'the work: its id, DOI, OpenAlex id, arXiv id or citation key',
  value: 'id',
}
const WORKS: Option = { ...WORK, help: `${WORK.help.replace('the work: its', 'the works:')}` }
const TAGS: Option = { help: 'give each of them these tags', value: 'tag' }
const REFERENCES: Option = { help: 'whether to go to what a work cites' }
const CITATIONS: Option = { help: 'whether to go to what cites a work' }

const { kinds: _, ids: __, includeDocuments: ___, ...NARROWING } = FILTER

export const LITERATURE_OPERATIONS = [
  defineOperation({
    name: 'cite',
    summary: 'give references of works, ready to be pasted',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).citeRequest,
    options: { ids: WORKS, style: { help: 'how they are written', value: 'style' } },
    examples: [
      { ids: ['vaswani2017attention'] },
      { ids: ['10.1145/362384.362685'], style: 'bibtex' },
    ],
    run: async (cairn, { ids, style }) => ({ references: await cairn.works.cite(ids, style) }),
  }),
  defineOperation({
    name: 'citations',
    summary: 'show what a work cites and what cites it',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).oneId,
    options: { id: WORK },
    examples: [{ id: 'vaswani2017attention' }],
    run: (cairn, { id }) => cairn.works.citations(id),
  }),
  defineOperation({
    name: 'explore',
    summary: 'go from a question or a work to what it cites and what cites it',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).exploreFromRequest,
    options: {
      from: { help: 'a question, or a work by any of its names', value: 'query|id' },
      ...NARROWING,
      depth: { help: 'how many hops from the start', value: 'n' },
      maxWorks: { help: 'at most so many works, those at the start included', value: 'n' },
      references: REFERENCES,
      citations: CITATIONS,
      lens: { help: 'how the start is ranked', value: 'name' },
      decay: { help: 'what remains of the relevance after each hop', value: '0..1' },
      online: { help: 'ask OpenAlex on the way, and keep the works it tells of' },
    },
    examples: [
      { from: 'ranking web pages' },
      { from: 'vaswani2017attention', depth: 1, citations: false },
    ],
    async run(cairn, { from, ...input }) {
      const named = await cairn.works.get(from)
      return cairn.explore(named === null ? { query: from } : { id: named.record.id }, input)
    },
  }),
  defineOperation({
    name: 'export',
    summary: 'write works for other programs',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).exportRequest,
    options: {
      format: { help: 'how they are written', value: 'format' },
      works: { ...WORKS, unset: 'all that pass the filters' },
      ...FILTER,
    },
    examples: [{ format: 'csl', works: ['vaswani2017attention'] }, { tags: ['thesis'] }],
    async run(cairn, { format = 'bibtex', works = [], ...filter }) {
      if (works.length > 0 && Object.keys(filter).length > 0) {
        throw badInput('Works were named, and filters given too.', 'Give one or the other.')
      }
      const written = await cairn.works.write(format, works.length > 0 ? works : filter)
      return { format, ...written }
    },
  }),
  defineOperation({
    name: 'import.works',
    summary: 'store works; one that is there already is filled and extended',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).worksRequest,
    options: {
      works: { help: 'each with a title, and what else is known of it', value: 'work' },
      namespace: NAMESPACE,
      tags: TAGS,
      source: { help: 'where they come from', value: 'text' },
      batch: { help: 'how many are written at once', value: 'n' },
      dryRun: { help: 'say what would be done, and write nothing' },
    },
    examples: [{ works: [{ title: 'Attention is all you need', year: 2017 }], dryRun: true }],
    async run(cairn, { works, ...options }) {
      const { worksRequest } = await import('../schemas/operation-requests.js')
      const { check } = await import('../schemas/check.js')
      const checked = check(worksRequest, { works, ...options })
      return cairn.works.import(checked.works, { ...options, tags: checked.tags })
    },
  }),
  defineOperation({
    name: 'openalex.get',
    summary: 'bring works in from OpenAlex by their identifiers',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).onlineGetRequest,
    options: { ids: WORKS, namespace: NAMESPACE, tags: TAGS },
    examples: [{ ids: ['10.1145/362384.362685', 'arXiv:1706.03762'], namespace: 'papers' }],
    run: (cairn, { ids, ...where }) => cairn.openalex.get(ids, listed(where)),
  }),
  defineOperation({
    name: 'openalex.search',
    summary: 'bring in the works that OpenAlex finds for some words',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).onlineSearchRequest,
    options: {
      query: { help: 'words', value: 'text' },
      limit: LIMIT,
      since: { help: 'published then or later: 2019, 2019-07, 2019-07-28', value: 'date' },
      namespace: NAMESPACE,
      tags: TAGS,
    },
    examples: [{ query: 'hybrid retrieval', limit: 10, since: '2019' }],
    run: (cairn, { query, ...input }) => cairn.openalex.search(query, listed(input)),
  }),
  defineOperation({
    name: 'openalex.expand',
    summary: 'bring in what a work cites and what cites it',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).onlineExpandRequest,
    options: {
      id: WORK,
      references: REFERENCES,
      citations: CITATIONS,
      limit: LIMIT,
      namespace: NAMESPACE,
      tags: TAGS,
    },
    examples: [
      { id: 'vaswani2017attention', limit: 20 },
      { id: '10.1145/362384.362685', references: false },
    ],
    run: (cairn, { id, ...input }) => cairn.openalex.expand(id, listed(input)),
  }),
]

/** One tag alone is a list of one. */
function listed<I extends { tags?: string | readonly string[] | undefined }>({
  tags,
  ...input
}: I) {
  return { ...input, ...(tags !== undefined && { tags: [tags].flat() }) }
}
