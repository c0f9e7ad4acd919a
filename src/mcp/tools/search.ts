/** An agent finds by words and meaning, sees what it pays for, and leaves a trace unless told not to. */

import * as z from 'zod/mini'
import type { Facets, SearchAnswer } from '../../core/answer.js'
import type { SearchInput } from '../../schemas/search-request.js'
import { searchRequest } from '../../schemas/search-request.js'
import { BUDGET_HELP, brief, budgetField, compose, type Part } from '../budget.js'
import { hitItem, present } from '../render.js'
import { shortIdsOf } from '../short-ids.js'
import { aboutOf, defineTool } from '../tool.js'

const MOST_FACET_VALUES = 8
const MOST_HINTED = 3
const TERM_CHARACTERS = 30
const MESSAGE_CHARACTERS = 160
const QUERY_CHARACTERS = 80

const { recallSession: _, ...shape } = searchRequest.shape

const { recallSession: _help, ...help } = aboutOf('search')

export const searchTool = defineTool({
  name: 'search',
  title: 'Search what is remembered',
  description: `Find memories, documents and works by words and by meaning, best first: id, score, snippet, facts. Search before you answer from memory, and before you remember something that may be known already.

{"query": "when do we deploy?"}
{"query": "postgres port", "tags": {"any": ["infra"]}, "since": "6m", "limit": 5}
{"query": "\\"connection refused\\" NOT staging", "mode": "keyword"}
{"query": "what did we decide on caching", "asOf": "2026-03-01"}
{"query": "", "kinds": ["memory"], "since": "7d"}   (lists the newest)

A snippet is a part of the text: read the whole with get. The reply keeps to "budget" tokens (characters / 4, 2,000 unless told) and says how many hits it left out and the "offset" to go on with.`,
  input: z.strictObject({
    ...shape,
    recall: z._default(z.boolean(), true),
    budget: budgetField,
  }),
  about: {
    ...help,
    recall: 'false: leaves no trace; what is found is not strengthened',
    budget: BUDGET_HELP,
  },
  output: z.looseObject({
    total: z.object({ value: z.number(), exact: z.boolean() }),
    hits: z.array(z.looseObject({ id: z.string(), score: z.number() })),
    left: z.number(),
  }),
  operations: ['search'],
  hints: { readOnlyHint: false, destructiveHint: false },

  async run({ recall = true, budget, ...request }, { cairn, perform, conversation, signal }) {
    const session = recall ? await conversation.session() : null
    const answer = await perform('search', request)
    const shortOf = await shortIdsOf(
      cairn,
      answer.hits.map(({ id }) => id),
    )
    const offset = request.offset ?? 0
    const { shown, ...reply } = compose({
      budget,
      head: headOf(answer, offset),
      base: baseOf(answer),
      list: 'hits',
      items: answer.hits.map((hit, i) => hitItem(hit, offset + i + 1, shortOf(hit.id))),
      extras: answer.facets === null ? [] : [{ name: 'facets', ...facetPart(answer.facets) }],
      foot: (count) => footOf(answer, offset + count),
    })
    // Only what was shown is recalled.
    if (session !== null && shown > 0 && !signal.aborted) {
      const seen = { ...answer, hits: answer.hits.slice(0, shown) }
      await cairn.recall(session, seen, { ...request, limit: shown } as SearchInput)
    }
    return reply
  },
})

function headOf(answer: SearchAnswer, offset: number): string[] {
  const { query, total, scope, hits } = answer
  const asked = query.text === '' ? '' : ` for "${brief(query.readAs, QUERY_CHARACTERS)}"`
  const places = hits.length === 0 ? 'No hits' : `Hits ${offset + 1} to ${offset + hits.length}`
  const count = `${total.exact ? '' : 'about '}${total.value}`
  const lines = [
    `${places} of ${count}${asked} (${query.mode}, ${brief(query.lens, TERM_CHARACTERS)}${scope.asOf ? `, as of ${scope.asOf}` : ''})`,
  ]
  if (query.relaxed) lines.push('Some hits lack a word of the query.')
  if (query.missingTerms.length > 0) {
    lines.push(`No record contains: ${termsOf(query.missingTerms).join(', ')}.`)
  }
  for (const { term, meant } of query.suggestions.slice(0, MOST_HINTED)) {
    lines.push(
      `Did you mean "${brief(meant, TERM_CHARACTERS)}" for "${brief(term, TERM_CHARACTERS)}"?`,
    )
  }
  if (answer.degraded !== null) lines.push(brief(answer.degraded.message, MESSAGE_CHARACTERS))
  if (answer.hint !== null) lines.push(brief(answer.hint, MESSAGE_CHARACTERS))
  return lines
}

function termsOf(terms: readonly string[]): string[] {
  return terms.slice(0, MOST_HINTED).map((term) => brief(term, TERM_CHARACTERS))
}

function baseOf({ query, total, scope, degraded, hint }: SearchAnswer) {
  return {
    total,
    ...present({
      readAs: brief(query.readAs, QUERY_CHARACTERS),
      mode: query.mode,
      lens: brief(query.lens, TERM_CHARACTERS),
      relaxed: query.relaxed,
      missingTerms: termsOf(query.missingTerms),
      suggestions: query.suggestions.slice(0, MOST_HINTED).map(({ term, meant }) => ({
        term: brief(term, TERM_CHARACTERS),
        meant: brief(meant, TERM_CHARACTERS),
      })),
      namespaces: scope.namespaces === 'all' ? null : termsOf(scope.namespaces),
      asOf: scope.asOf,
      degraded: degraded && { ...degraded, message: brief(degraded.message, MESSAGE_CHARACTERS) },
      hint: hint === null ? null : brief(hint, MESSAGE_CHARACTERS),
    }),
  }
}

function footOf({ total }: SearchAnswer, next: number): string | null {
  const left = total.value - next
  if (left <= 0) return null
  return `${left} more: search again with "offset": ${next}.`
}

function facetPart(facets: Facets): Part {
  const few = Object.entries(facets)
    .filter(([, values]) => values.length > 0)
    .map(
      ([name, values]) =>
        [
          name,
          values
            .slice(0, MOST_FACET_VALUES)
            .map(({ value, count }) => ({ value: brief(value, 40), count })),
        ] as const,
    )
  const lines = few.map(
    ([name, values]) =>
      `${name}: ${values.map(({ value, count }) => `${value} ${count}`).join(', ')}`,
  )
  return { text: lines.join('\n'), data: Object.fromEntries(few) }
}
