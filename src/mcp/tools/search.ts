/** The tool `search`: finds records by words and embeddings, and logs the recall of what it showed. */

import * as z from 'zod/mini'
import type { Facets, SearchAnswer } from '../../core/answer.js'
import { withDefault } from '../../schemas/fields.js'
import { type SearchInput, searchRequest } from '../../schemas/search-request.js'
import { createHitItem, present } from '../render.js'
import {
  brief,
  CHARACTERS_PER_TOKEN,
  compose,
  jsonLength,
  type Reply,
  shortenIds,
} from '../reply.js'
import { budgetField, defineTool } from '../tool.js'

const MAX_FACET_VALUES = 8
const MAX_HINTED = 3
const TERM_CHARACTERS = 30
const MESSAGE_CHARACTERS = 160
const QUERY_CHARACTERS = 80

const { recallSession: _, ...shape } = searchRequest.shape

export const searchTool = defineTool({
  name: 'search',
  title: 'Search what is remembered',
  description: `Find memories, documents and works by words and by meaning, best first: id, score, snippet, facts. Search before you answer from memory, and before you remember something that may be known already.

{"query": "when do we deploy?"}
{"query": "postgres port", "tags": {"any": ["infra"]}, "since": "6m", "limit": 5}
{"query": "\\"connection refused\\" NOT staging", "mode": "keyword"}
{"query": "what did we decide on caching", "asOf": "2026-03-01"}
{"query": "", "kinds": ["memory"], "since": "7d"}   (lists the newest)

A snippet is a part of the text: read the whole with get. The reply keeps to "budget" tokens (characters / 4, 2,000 by default) and says how many hits it left out and the "offset" to go on with.`,
  input: z.strictObject({
    ...shape,
    recall: withDefault(
      z.boolean(),
      true,
      'false: leaves no trace; what is found is not strengthened',
    ),
    budget: budgetField,
  }),
  output: z.looseObject({
    total: z.object({ value: z.number(), exact: z.boolean() }),
    hits: z.array(z.looseObject({ id: z.string(), score: z.number() })),
    left: z.number(),
  }),
  hints: { readOnlyHint: false, destructiveHint: false },

  async run({ recall = true, budget: _, ...request }, call) {
    const { cairn, perform, conversation, signal, budget } = call
    const session = recall ? await conversation.session() : null
    const answer = await perform('search', request)
    const shorten = await shortenIds(cairn, answer.hits)
    const { offset = 0 } = request
    const about = describeAnswer(answer)
    const facets = answer.facets === null ? null : cutFacets(answer.facets, budget)
    const { shown, ...reply } = compose(budget, {
      head: [...renderHead(answer, offset, about), ...(facets === null ? [] : [facets.text])],
      base: { total: answer.total, ...present(about), ...facets?.data },
      list: 'hits',
      items: answer.hits.map((hit, i) => createHitItem(hit, offset + i + 1, shorten(hit.id))),
      foot: (count) => {
        const left = answer.total.value - offset - count
        return left <= 0 ? null : `${left} more: search again with "offset": ${offset + count}.`
      },
    })
    // Only what was shown is recalled.
    if (session !== null && shown > 0 && !signal.aborted) {
      const seen = { ...answer, hits: answer.hits.slice(0, shown) }
      await cairn.recall(session, seen, { ...request, limit: shown } as SearchInput)
    }
    return reply
  },
})

function describeAnswer({ query, scope, degraded, hint }: SearchAnswer) {
  return {
    readAs: brief(query.readAs, QUERY_CHARACTERS),
    mode: query.mode,
    lens: brief(query.lens, TERM_CHARACTERS),
    relaxed: query.relaxed,
    missingTerms: cutTerms(query.missingTerms),
    suggestions: query.suggestions.slice(0, MAX_HINTED).map(({ term, meant }) => ({
      term: brief(term, TERM_CHARACTERS),
      meant: brief(meant, TERM_CHARACTERS),
    })),
    namespaces: scope.namespaces === 'all' ? null : cutTerms(scope.namespaces),
    asOf: scope.asOf,
    degraded: degraded && { ...degraded, message: brief(degraded.message, MESSAGE_CHARACTERS) },
    hint: brief(hint, MESSAGE_CHARACTERS),
  }
}

function renderHead(
  { query, total, hits }: SearchAnswer,
  offset: number,
  about: ReturnType<typeof describeAnswer>,
): string[] {
  const asked = query.text === '' ? '' : ` for "${about.readAs}"`
  const range = hits.length === 0 ? 'No hits' : `Hits ${offset + 1} to ${offset + hits.length}`
  const count = `${total.exact ? '' : 'about '}${total.value}`
  const asOf = about.asOf ? `, as of ${about.asOf}` : ''
  const lines = [`${range} of ${count}${asked} (${about.mode}, ${about.lens}${asOf})`]
  if (about.relaxed) lines.push('Some hits lack a word of the query.')
  if (about.missingTerms.length > 0) {
    lines.push(`No record contains: ${about.missingTerms.join(', ')}.`)
  }
  for (const { term, meant } of about.suggestions) {
    lines.push(`Did you mean "${meant}" for "${term}"?`)
  }
  if (about.degraded !== null) lines.push(about.degraded.message)
  if (about.hint !== null) lines.push(about.hint)
  return lines
}

function cutTerms(terms: readonly string[]): string[] {
  return terms.slice(0, MAX_HINTED).map((term) => brief(term, TERM_CHARACTERS))
}

/** Facets that take half of the budget are left out. */
function cutFacets(facets: Facets, budget: number): Reply {
  const few = Object.entries(facets)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => {
      const most = values.slice(0, MAX_FACET_VALUES)
      return [name, most.map(({ value, count }) => ({ value: brief(value, 40), count }))] as const
    })
  const lines = few.map(([name, values]) => {
    return `${name}: ${values.map(({ value, count }) => `${value} ${count}`).join(', ')}`
  })
  const [text, data] = [lines.join('\n'), Object.fromEntries(few)]
  if (Math.max(text.length, jsonLength(data)) < (budget * CHARACTERS_PER_TOKEN) / 2) {
    return { text, data: { facets: data } }
  }
  const note = '(facets left out: they need a larger budget)'
  return { text: note, data: { leftOut: ['facets'] } }
}
