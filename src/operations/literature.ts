/** The operations on works: citing, exploring, exporting, importing, and asking OpenAlex. */

import * as z from 'zod/mini'
import type { Cairn } from '../cairn/cairn.js'
import { badInput } from '../core/errors.js'
import type { Work } from '../core/work.js'
import * as field from '../schemas/fields.js'
import type { SearchInput } from '../schemas/search-request.js'
import * as requests from '../schemas/work-requests.js'
import { reads, writes } from './operation.js'

export const LITERATURE_OPERATIONS = {
  cite: reads('format references to works, ready to paste', {
    schema: requests.citeRequest,
    examples: [
      { ids: ['vaswani2017attention'] },
      { ids: ['10.1145/362384.362685'], style: 'bibtex' },
    ],
    run: async (cairn, { ids, style }) => ({ references: await cairn.works.cite(ids, style) }),
  }),
  citations: reads('show the works that a work cites and those that cite it', {
    schema: requests.oneWork,
    examples: [{ id: 'vaswani2017attention' }],
    run: (cairn, { id }) => cairn.works.citations(id),
  }),
  explore: reads('follow citations from a question or a work, both ways', {
    schema: requests.exploreFromRequest,
    examples: [
      { from: 'ranking web pages' },
      { from: 'vaswani2017attention', depth: 1, citations: false },
    ],
    role: ({ online }) => (online ? 'write' : 'read'),
    async run(cairn, { from, ...input }) {
      const named = await cairn.works.get(from)
      return cairn.explore(named === null ? { query: from } : { id: named.record.id }, input)
    },
  }),
  export: reads('export works for other programs, or as a list of references', {
    schema: requests.exportRequest,
    examples: [
      { format: 'csl', works: ['vaswani2017attention'] },
      { tags: ['thesis'], style: 'apa' },
      { query: 'neural ranking', years: '2018..' },
    ],
    async run(cairn, { format, style, works = [], query, limit, ...filter }) {
      if (works.length > 0 && (query !== undefined || Object.keys(filter).length > 0)) {
        throw badInput('Both works and filters were given.', 'Give one or the other.')
      }
      const found = query === undefined ? null : await findWorks(cairn, { query, limit, ...filter })
      const which = found ?? (works.length > 0 ? works : filter)
      if (style === undefined) {
        const written = await cairn.works.write(format ?? 'bibtex', which)
        return { format: format ?? 'bibtex', ...written }
      }
      if (format !== undefined && format !== 'markdown') {
        const message = `References in a style are text or Markdown, not ${format}.`
        throw badInput(message, 'Leave the format or the style out.')
      }
      const markdown = format === 'markdown'
      const written = await cairn.works.writeBibliography(style, which, { markdown })
      return { format: markdown ? 'markdown' : 'text', ...written }
    },
  }),
  'works.duplicates': reads('list probable duplicate works, and how they differ', {
    schema: requests.duplicatesRequest,
    examples: [{}],
    run: (cairn, input) => cairn.works.duplicates(input),
  }),
  'works.merge': writes('merge a duplicate into a work, without losing data', {
    schema: requests.mergeRequest,
    examples: [{ id: '10.1145/362384.362685', other: 'arXiv:1706.03762' }],
    run: (cairn, { id, other }) => cairn.works.merge(id, other),
  }),
  'import.works': writes('store works, and complete those that exist', {
    schema: requests.worksRequest,
    examples: [{ works: [{ title: 'Attention is all you need', year: 2017 }], dryRun: true }],
    checked: field.options(() => ({ ...requests.worksRequest.shape, works: field.many(z.any()) })),
    run: (cairn, { works, ...options }) => cairn.works.import(works as Work[], options),
  }),
  'openalex.get': writes('import works from OpenAlex by their identifiers', {
    schema: requests.onlineGetRequest,
    examples: [{ ids: ['10.1145/362384.362685', 'arXiv:1706.03762'], namespace: 'papers' }],
    run: (cairn, { ids, ...options }) => cairn.openalex.get(ids, options),
  }),
  'openalex.search': writes('import the works that OpenAlex finds for a query', {
    schema: requests.onlineSearchRequest,
    examples: [{ query: 'hybrid retrieval', limit: 10, since: '2019' }],
    run: (cairn, { query, ...input }) => cairn.openalex.search(query, input),
  }),
  'openalex.expand': writes('import the works that a work cites and those that cite it', {
    schema: requests.onlineExpandRequest,
    examples: [
      { id: 'vaswani2017attention', limit: 20 },
      { id: '10.1145/362384.362685', references: false },
    ],
    run: (cairn, { id, ...input }) => cairn.openalex.expand(id, input),
  }),
}

/** The ids of the works that a search finds, best first. */
async function findWorks(cairn: Cairn, { limit = 100, ...asked }: SearchInput): Promise<string[]> {
  const plain = { kinds: 'work', highlight: false, includeFacts: false } as const
  const { hits } = await cairn.search({ ...asked, ...plain, limit })
  return hits.map(({ id }) => id)
}
