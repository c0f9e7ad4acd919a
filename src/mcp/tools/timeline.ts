/** The tool `timeline`: what happened when, one short line each. */

import * as z from 'zod/mini'
import type { TimelineAnswer, TimelineEntry } from '../../cairn/timeline.js'
import { timelineRequest } from '../../schemas/memory-requests.js'
import { cutLabels, formatMinute, present } from '../render.js'
import {
  brief,
  compose,
  type Item,
  type Page,
  type Reply,
  type ShortenId,
  shortenIds,
} from '../reply.js'
import { budgetField, defineTool } from '../tool.js'

const MAX_SESSIONS = 5

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
    const fitted = compose(budget, createPage(answer, shorten))
    if (fitted.shown === 0 || fitted.shown === answer.entries.length) return fitted
    // The cursor belongs to a page that ends where the budget does.
    const shorter = await perform('timeline', { ...request, limit: fitted.shown })
    return compose(budget, createPage(shorter, await shortenIds(cairn, shorter.entries)))
  },
})

function createPage(
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
      ...createPage({ ...answer, entries: chosen, next: null }, shorten),
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
