/** An agent sees what happened when, one short line each, as far as the budget goes. */

import * as z from 'zod/mini'
import type { TimelineAnswer, TimelineEntry } from '../../cairn/timeline.js'
import { timelineRequest } from '../../schemas/memory-requests.js'
import { BUDGET_HELP, brief, budgetField, compose, type Item } from '../budget.js'
import { labels, minuteOf, present } from '../render.js'
import { type ShortIds, shortIdsOf } from '../short-ids.js'
import { aboutOf, defineTool } from '../tool.js'

const MOST_SESSIONS = 5

export const timelineTool = defineTool({
  name: 'timeline',
  title: 'What happened when',
  description: `The cheapest look at what is stored: id, time, kind, tags and a summary of at most 100 characters, oldest first. Over a stretch of time, or around one record.

{"since": "7d"}
{"since": "2026-06-01", "until": "2026-06-30", "limit": 100}
{"anchor": "01K9ZQ3F", "before": 3, "after": 3}   (what was going on around it)

Read whole records with get. The reply keeps to "budget" tokens (characters / 4, 2,000 unless told) and gives the "cursor" to go on with.`,
  input: z.strictObject({ ...timelineRequest.shape, budget: budgetField }),
  about: { ...aboutOf('timeline'), budget: BUDGET_HELP },
  output: z.looseObject({
    entries: z.array(z.looseObject({ id: z.string(), time: z.string() })),
    left: z.number(),
    next: z.nullable(z.string()),
  }),
  operations: ['timeline'],
  hints: { readOnlyHint: true },

  async run({ budget, ...request }, { cairn, perform }) {
    let answer = await perform('timeline', request)
    if (answer.anchor !== null) return aroundAnchor(answer, budget, await shortIds(answer))
    const fitted = compose(pageOf(answer, budget, await shortIds(answer)))
    if (fitted.shown === 0 || fitted.shown === answer.entries.length) return fitted
    // The place to go on from belongs to a page that ends where the budget does.
    answer = await perform('timeline', { ...request, limit: fitted.shown })
    return compose(pageOf(answer, budget, await shortIds(answer)))

    function shortIds({ entries }: TimelineAnswer): Promise<ShortIds> {
      return shortIdsOf(
        cairn,
        entries.map(({ id }) => id),
      )
    }
  },
})

function pageOf(answer: TimelineAnswer, budget: number | undefined, shortOf: ShortIds) {
  const { entries, next } = answer
  return {
    budget,
    head: [entries.length === 0 ? 'Nothing is stored of that time.' : 'Oldest first, in UTC:'],
    base: { next, ...present({ sessions: sessionsOf(answer) }) },
    list: 'entries',
    items: entries.map((entry) => entryItem(entry, shortOf(entry.id))),
    foot: () => (next === null ? null : `There is more: go on with "cursor": "${next}".`),
  }
}

/** The anchor and its nearest; what is dropped is what stands furthest from it. */
function aroundAnchor(answer: TimelineAnswer, budget: number | undefined, shortOf: ShortIds) {
  const at = answer.entries.findIndex(({ isAnchor }) => isAnchor)
  const nearestFirst = answer.entries
    .map((entry, i) => ({ entry, i, away: Math.abs(i - at) }))
    .sort((a, b) => a.away - b.away || a.i - b.i)
  const page = (chosen: readonly TimelineEntry[]) => ({
    ...pageOf({ ...answer, entries: chosen, next: null }, budget, shortOf),
    base: { next: null, anchor: answer.anchor, ...present({ sessions: sessionsOf(answer) }) },
    foot: (shown: number) => leftNote(answer.entries.length - shown),
  })
  const { shown } = compose(page(nearestFirst.map(({ entry }) => entry)))
  const chosen = new Set(nearestFirst.slice(0, shown).map(({ i }) => i))
  const reply = compose(page(answer.entries.filter((_, i) => chosen.has(i))))
  const left = answer.entries.length - reply.shown
  return { ...reply, data: { ...reply.data, left } }
}

function leftNote(left: number): string | null {
  return left === 0 ? null : `${left} further away left out: ask with a larger "budget".`
}

function entryItem(entry: TimelineEntry, shortId: string): Item {
  const tags = labels(entry.tags)
  const marks = tags.length === 0 ? '' : ` #${tags.join(' #')}`
  const anchor = entry.isAnchor ? ' (the anchor)' : ''
  const first = `${shortId}  ${minuteOf(entry.time)}  ${entry.kind}`
  return {
    text: `${first}${marks}  ${entry.summary}${anchor}`,
    data: {
      id: entry.id,
      time: entry.time,
      kind: entry.kind,
      tags,
      summary: entry.summary,
      ...present({ session: entry.session, isAnchor: entry.isAnchor }),
    },
    lean: { text: first, data: { id: entry.id, time: entry.time } },
  }
}

function sessionsOf({ sessions }: TimelineAnswer) {
  return sessions.slice(0, MOST_SESSIONS).map(({ id, startedAt, summary }) => ({
    id: brief(id, 60),
    startedAt,
    ...present({ summary: summary === null ? null : brief(summary, 60) }),
  }))
}
