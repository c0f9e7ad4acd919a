/** The tools `search`, which logs the recall of what it showed, and `timeline`: what happened when, one short line each. */

import * as z from 'zod/mini'
import type { TimelineAnswer, TimelineEntry } from '../../cairn/timeline.js'
import type { Facets, SearchAnswer } from '../../core/answer.js'
import { withDefault } from '../../schemas/fields.js'
import { timelineRequest } from '../../schemas/memory-requests.js'
import { type SearchInput, searchRequest } from '../../schemas/search-request.js'
import { createHitItem, cutLabels, formatMinute, present } from '../render.js'
import {
  brief,
  CHARACTERS_PER_TOKEN,
  compose,
  type Item,
  jsonLength,
  type Page,
  type Reply,
  type ShortenId,
  shortenIds,
} from '../reply.js'
import { budgetField, defineTool } from '../tool.js'

const MAX_FACET_VALUES = 8
const MAX_HINTED = 3
const TERM_CHARACTERS = 30
const MESSAGE_CHARACTERS = 160
const QUERY_CHARACTERS = 80
const MAX_SESSIONS = 5

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

export const timelineTool = defineTool({
  name: 'timeline',
  title: 'What happened when',
  description: `The cheapest look at what is stored: id, time, kind, tags and a summary of at most 100 characters, oldest first. Over a stretch of time, or around one record.

{"since": "7d"}
{"since": "2026-06-01", "until": "2026-06-30", "limit": 100}
{"anchor": "01K9ZQ3F", "before": 3, "after": 3}   (what was going on around it)

Read whole records with get. The reply keeps to "budget" tokens (characters / 4, 2,000 by default) and gives the "cursor" to go on with.`,
  input: z.strictObject({ ...timelineRequest.shape, budget: budgetField }),
  output: z.looseObject({
    entries: z.array(z.looseObject({ id: z.string(), time: z.string() })),
    left: z.number(),
    next: z.nullable(z.string()),
  }),
  hints: { readOnlyHint: true },

  async run({ budget: _, ...request }, { cairn, perform, budget }) {
    const answer = await perform('timeline', request)
    const shorten = await shortenIds(cairn, answer.entries)
    if (answer.anchor !== null) return showAround(answer, budget, shorten)
    const fitted = compose(budget, createTimelinePage(answer, shorten))
    if (fitted.shown === 0 || fitted.shown === answer.entries.length) return fitted
    // The cursor belongs to a page that ends where the budget does.
    const shorter = await perform('timeline', { ...request, limit: fitted.shown })
    return compose(budget, createTimelinePage(shorter, await shortenIds(cairn, shorter.entries)))
  },
})

function createTimelinePage(
  { entries, next, anchor, ...answer }: TimelineAnswer,
  shorten: ShortenId,
): Page {
  const sessions = answer.sessions
    .slice(0, MAX_SESSIONS)
    .map(({ id, startedAt, summary }) =>
      present({ id: brief(id, 60), startedAt, summary: brief(summary, 60) }),
    )
  return {
    head: [entries.length === 0 ? 'Nothing is stored of that time.' : 'Oldest first, in UTC:'],
    base: { next, ...present({ anchor, sessions }) },
    list: 'entries',
    items: entries.map((entry) => createEntryItem(entry, shorten(entry.id))),
    foot: () => (next === null ? null : `There is more: go on with "cursor": "${next}".`),
  }
}

/** Shows the anchor and the entries nearest to it; those furthest away are dropped. */
function showAround(answer: TimelineAnswer, budget: number, shorten: ShortenId): Reply {
  const { entries } = answer
  const at = entries.findIndex(({ isAnchor }) => isAnchor)
  const distances = new Map(entries.map((entry, i) => [entry, Math.abs(i - at)]))
  const measure = (entry: TimelineEntry) => distances.get(entry) ?? 0
  const nearestFirst = entries.toSorted((a, b) => measure(a) - measure(b))
  const show = (chosen: readonly TimelineEntry[]) =>
    compose(budget, {
      ...createTimelinePage({ ...answer, entries: chosen, next: null }, shorten),
      foot: (shown) => {
        const left = entries.length - shown
        return left === 0 ? null : `${left} further away left out: ask with a larger "budget".`
      },
    })
  const chosen = new Set(nearestFirst.slice(0, show(nearestFirst).shown))
  const reply = show(entries.filter((entry) => chosen.has(entry)))
  return { ...reply, data: { ...reply.data, left: entries.length - reply.shown } }
}

function createEntryItem(entry: TimelineEntry, shortId: string): Item {
  const { id, time, kind, summary, session, isAnchor } = entry
  const tags = cutLabels(entry.tags)
  const marks = tags.map((tag) => ` #${tag}`).join('')
  const first = `${shortId}  ${formatMinute(time)}  ${kind}`
  return {
    text: `${first}${marks}  ${summary}${isAnchor ? ' (the anchor)' : ''}`,
    data: { id, time, kind, tags, summary, ...present({ session, isAnchor }) },
    lean: { text: first, data: { id, time } },
  }
}
