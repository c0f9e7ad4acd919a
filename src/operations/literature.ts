/** The operations on works: citing, exploring, exporting, importing, and asking OpenAlex. */

import * as z from 'zod/mini'
import { badInput } from '../core/errors.js'
import type { Work } from '../core/work.js'
import * as field from '../schemas/fields.js'
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
  citations: reads('show what a work cites and what cites it', {
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
    own: { from: field.name },
    async run(cairn, { from, ...input }) {
      const named = await cairn.works.get(from)
      return cairn.explore(named === null ? { query: from } : { id: named.record.id }, input)
    },
  }),
  export: reads('write works for other programs', {
    schema: requests.exportRequest,
    examples: [{ format: 'csl', works: ['vaswani2017attention'] }, { tags: ['thesis'] }],
    own: { format: requests.exportRequest.shape.format, works: requests.exportRequest.shape.works },
    async run(cairn, { format = 'bibtex', works = [], ...filter }) {
      if (works.length > 0 && Object.keys(filter).length > 0) {
        throw badInput('Both works and filters were given.', 'Give one or the other.')
      }
      const written = await cairn.works.write(format, works.length > 0 ? works : filter)
      return { format, ...written }
    },
  }),
  'import.works': writes('store works; a work that exists is completed', {
    schema: requests.worksRequest,
    examples: [{ works: [{ title: 'Attention is all you need', year: 2017 }], dryRun: true }],
    own: { works: field.many(z.any()) },
    run: (cairn, { works, ...options }) => cairn.works.import(works as Work[], options),
  }),
  'openalex.get': writes('import works from OpenAlex by their identifiers', {
    schema: requests.onlineGetRequest,
    examples: [{ ids: ['10.1145/362384.362685', 'arXiv:1706.03762'], namespace: 'papers' }],
    run: (cairn, { ids, ...options }) => cairn.openalex.get(ids, options),
  }),
  'openalex.search': writes('import the works that OpenAlex finds for some words', {
    schema: requests.onlineSearchRequest,
    examples: [{ query: 'hybrid retrieval', limit: 10, since: '2019' }],
    own: { query: field.name, ...requests.target },
    run: (cairn, { query, ...input }) => cairn.openalex.search(query, input),
  }),
  'openalex.expand': writes('import what a work cites and what cites it', {
    schema: requests.onlineExpandRequest,
    examples: [
      { id: 'vaswani2017attention', limit: 20 },
      { id: '10.1145/362384.362685', references: false },
    ],
    own: { id: field.name, ...requests.target },
    run: (cairn, { id, ...input }) => cairn.openalex.expand(id, input),
  }),
}
