/** The tools `search`, which logs the hits that it showed as recalled, `timeline` and `briefing`. */

import * as z from 'zod/mini'
import type { TimelineAnswer } from '../../cairn/timeline.js'
import type { Facets, SearchAnswer } from '../../core/answer.js'
import { withDefault } from '../../schemas/fields.js'
import { briefingRequest, timelineRequest } from '../../schemas/memory-requests.js'
import { type SearchInput, searchRequest } from '../../schemas/search-request.js'
import { compact, type Data, describeHit } from '../render.js'
import { compose, type Page, translateHint } from '../reply.js'
import { budgetField, defineTool } from '../tool.js'

const MAX_HINTED = 3
const MAX_SESSIONS = 5

const { recallSession: _, ...options } = searchRequest.shape

export const searchTool = defineTool({
  name: 'search',
  description: `Find memories, documents and works by words and by meaning, best first: id, score, snippet, facts. Search before you answer from memory and before you remember. Read whole texts with get.
{"query": "postgres port", "tags": ["infra"], "since": "6m", "limit": 5}`,
  effect: 'reads',
  shape: {
    ...options,
    recall: withDefault(z.boolean(), true, 'log the hits as recalled, and reinforce them'),
    budget: budgetField,
  },
  shown: ['query', 'limit', 'kinds', 'tags', 'since', 'until', 'session', 'budget'],

  async run({ recall = true, budget: _, ...request }, call) {
    const { cairn, perform, conversation, signal, budget } = call
    const session = recall && call.recall ? await conversation.session() : null
    const answer = await perform('search', request)
    const { offset = 0, marks: isMarked = false } = request
    const about = describeAnswer(answer)
    const { shown, ...reply } = compose(budget, {
      head: renderHead(answer, about),
      base: { total: answer.total, ...about },
      list: 'hits',
      items: answer.hits.map((hit, i) => ({
        rank: offset + i + 1,
        ...describeHit(hit, { isMarked }),
      })),
      foot: (count) => {
        const left = answer.total.value - offset - count
        const next = `search again with "options": {"offset": ${offset + count}}`
        return left <= 0 ? null : `${left} more: ${next}.`
      },
    })
    // Only the hits that were shown are recalled.
    if (session !== null && shown > 0 && !signal.aborted) {
      const seen = { ...answer, hits: answer.hits.slice(0, shown) }
      await cairn.recall(session, seen, { ...request, limit: shown } as SearchInput)
    }
    return reply
  },
})

function describeAnswer({ query, scope, degraded, hint, facets }: SearchAnswer): Data {
  const { readAs, mode, lens, relaxed, missingTerms, suggestions, searchedFor } = query
  return compact({
    ...{ readAs, mode, lens, relaxed, searchedFor },
    missingTerms: missingTerms.slice(0, MAX_HINTED),
    suggestions: suggestions.slice(0, MAX_HINTED),
    namespaces: scope.namespaces === 'all' ? null : scope.namespaces.slice(0, MAX_HINTED),
    ...{ asOf: scope.asOf, degraded, hint: hint && translateHint(hint) },
    facets: facets && compact(facets),
  })
}

function renderHead({ query, total }: SearchAnswer, about: Data): string[] {
  const asked = query.text === '' ? '' : ` for "${about.readAs}"`
  const count = `${total.exact ? '' : 'at least '}${total.value}`
  const { mode, lens, asOf, missingTerms, suggestions, degraded, hint, facets } = about
  const told = [mode, lens, asOf && `as of ${asOf}`].filter(Boolean).join(', ')
  return [
    `Hits${asked} (${told}): ${count}`,
    query.searchedFor && `These are hits for "${query.searchedFor}".`,
    query.relaxed && 'Some hits lack a word of the query.',
    missingTerms && `No record contains: ${(missingTerms as string[]).join(', ')}.`,
    ...((suggestions as typeof query.suggestions) ?? []).map(
      ({ term, meant }) => `Did you mean "${meant}" for "${term}"?`,
    ),
    degraded && (degraded as Data).message,
    hint,
    facets && renderFacets(facets as Facets),
  ].filter((line): line is string => typeof line === 'string')
}

function renderFacets(facets: Facets): string {
  const lines = Object.entries(facets).map(([name, values]) => {
    return `${name}: ${values.map(({ value, count }) => `${value} ${count}`).join(', ')}`
  })
  return lines.join('\n')
}

export const timelineTool = defineTool({
  name: 'timeline',
  description: `Records in time order, the cheapest look: id, time, kind, tags and at most 100 characters each; over a period or around a record.
{"since": "2026-06-01", "until": "2026-06-30"} or {"anchor": "01K9ZQ3F"}`,
  effect: 'reads',
  shape: { ...timelineRequest.shape, budget: budgetField },
  shown: ['since', 'until', 'anchor', 'kinds', 'tags', 'newestFirst', 'limit', 'cursor', 'budget'],

  async run({ budget: _, ...request }, { perform, budget }) {
    const answer = await perform('timeline', request)
    const { shown, ...whole } = compose(budget, createTimelinePage(answer))
    const left = answer.entries.length - shown
    if (left === 0) return whole
    // The page ends where the budget does: its cursor, or the same distance on both sides of the anchor.
    const half = Math.floor((shown - 1) / 2)
    const fewer = answer.anchor === null ? { limit: shown } : { before: half, after: half }
    const part = compose(
      budget,
      createTimelinePage(await perform('timeline', { ...request, ...fewer })),
    )
    return { ...part, data: { ...part.data, left: answer.entries.length - part.shown } }
  },
})

function createTimelinePage({ entries, next, anchor, sessions }: TimelineAnswer): Page {
  return {
    head: [entries.length === 0 ? 'Nothing is stored of that time.' : 'Times are in UTC:'],
    base: { next, ...compact({ anchor, sessions: sessions.slice(0, MAX_SESSIONS) }) },
    list: 'entries',
    items: entries.map(({ namespace: _, title: __, summary, ...entry }) => {
      return { ...compact(entry), summary }
    }),
    foot: () => (next === null ? null : `There is more: go on with "cursor": "${next}".`),
  }
}

export const briefingTool = defineTool({
  name: 'briefing',
  description: `What to know at the start of a conversation: open decisions and deadlines, newest corrections, recently used records; one line each, with its id.
{"budget": 500}`,
  effect: 'reads',
  shape: briefingRequest.shape,
  shown: ['budget'],

  async run(request, { perform }) {
    const { text, ...data } = await perform('briefing', request)
    return { text: text || 'Nothing is open, used or corrected yet.', data }
  },
})
