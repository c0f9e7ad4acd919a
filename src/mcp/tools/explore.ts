/** From one record an agent reaches what is near, linked, cited, earlier, and why it is known. */

import * as z from 'zod/mini'
import type { WhyAnswer } from '../../cairn/history.js'
import type { LinkView, Revision } from '../../core/record.js'
import { limit } from '../../schemas/fields.js'
import { exploreRequest } from '../../schemas/work-requests.js'
import { BUDGET_HELP, brief, budgetField, compose, type Item, type Reply } from '../budget.js'
import { item, leftNote } from '../list-items.js'
import { factData, factLine, hitItem, minuteOf, present, recordBrief, round } from '../render.js'
import { shortIdsOf } from '../short-ids.js'
import { aboutOf, type Call, defineTool } from '../tool.js'
import { type Asked, around, citations, type Explore } from './explore-works.js'

export const RELATIONS = ['similar', 'related', 'citations', 'around', 'history', 'why'] as const
type Relation = (typeof RELATIONS)[number]

export const exploreTool = defineTool({
  name: 'explore',
  title: 'Go on from a record',
  description: `Go on from one record: what is near to it in meaning (similar), what it is linked with (related), what it was before each edit (history), or where it came from, who recalled it for which queries, what corrected it and its facts (why). From a work, which may also be named by its DOI, arXiv id or citation key: its reference and what it cites and is cited by (citations), or the works some hops away, the most relevant first (around). around also goes out from a question.

{"id": "01K9ZQ3F", "relation": "similar", "limit": 5}
{"id": "01K9ZQ3F", "relation": "related"}
{"id": "01K9ZQ3F", "relation": "why"}
{"id": "vaswani2017attention", "relation": "citations"}
{"id": "ranking web pages by links", "relation": "around", "depth": 2, "limit": 30}

The reply keeps to "budget" tokens (characters / 4, 2,000 unless told).`,
  input: z.strictObject({
    id: z.string(),
    relation: z.enum(RELATIONS),
    limit: z._default(limit, 10),
    depth: exploreRequest.shape.depth,
    budget: budgetField,
  }),
  about: {
    id: 'the record to go on from; around: a work or a question',
    relation: 'which way to go',
    limit: 'similar, around: how many at most',
    depth: `around: ${aboutOf('explore').depth}`,
    budget: BUDGET_HELP,
  },
  output: z.looseObject({ id: z.string(), relation: z.enum(RELATIONS), left: z.number() }),
  operations: ['similar', 'links', 'citations', 'cite', 'explore', 'history', 'why'],
  hints: { readOnlyHint: true },

  async run({ id, relation, limit: most = 10, depth = 2, budget }, call) {
    return RUN[relation](call, { id, limit: most, depth, budget })
  },
})

const RUN: Readonly<Record<Relation, Explore>> = {
  similar,
  related,
  citations,
  around,
  history,
  why,
}

async function similar(
  { cairn, perform }: Call,
  { id, limit: most, budget }: Asked,
): Promise<Reply> {
  const { of, hits, total } = await perform('similar', { id, limit: most })
  const shortOf = await shortIdsOf(
    cairn,
    hits.map((hit) => hit.id),
  )
  return compose({
    budget,
    head: [hits.length === 0 ? `Nothing is similar to ${id}.` : `Nearest in meaning to ${id}:`],
    base: { id: of, relation: 'similar', total },
    list: 'hits',
    items: hits.map((hit, i) => hitItem(hit, i + 1, shortOf(hit.id))),
    foot: (_, left) => leftNote(left),
  })
}

async function related({ perform }: Call, { id, budget }: Asked): Promise<Reply> {
  const { of, links } = await perform('links', { id })
  return compose({
    budget,
    head: [links.length === 0 ? `${id} is linked with nothing.` : `${id} is linked with:`],
    base: { id: of, relation: 'related' },
    list: 'links',
    items: links.map(linkItem),
    foot: (_, left) => leftNote(left),
  })
}

async function history({ perform }: Call, { id, budget }: Asked): Promise<Reply> {
  const { record, revisions } = await perform('history', { id })
  return compose({
    budget,
    head: [
      `${id} is now: ${brief(record.title ?? record.body, 200)}`,
      revisions.length === 0 ? 'It was never changed.' : 'It was, the latest first:',
    ],
    base: { id: record.id, relation: 'history', record: recordBrief(record) },
    list: 'revisions',
    items: revisions.toReversed().map(revisionItem),
    foot: (_, left) => leftNote(left),
  })
}

async function why({ perform }: Call, { id, budget }: Asked): Promise<Reply> {
  const answer = await perform('why', { id })
  const { record, session, lastTouchedBy, supersededBy } = answer
  const head = [
    `${id} (${record.kind}, ${record.namespace}), created ${minuteOf(record.createdAt)}: ${brief(record.title ?? record.body, 200)}`,
    ...(record.deletedAt === null ? [] : [`It was forgotten at ${minuteOf(record.deletedAt)}.`]),
    ...(session === null ? [] : [`From session ${sessionName(session)}.`]),
    ...(lastTouchedBy === null
      ? []
      : [
          `Last ${lastTouchedBy.usage} in ${brief(lastTouchedBy.session, 60)}, ${minuteOf(lastTouchedBy.at)}.`,
        ]),
    ...(supersededBy === null
      ? []
      : [`Superseded by ${supersededBy.id}: ${brief(supersededBy.text, 120)}`]),
  ]
  return compose({
    budget,
    head,
    base: {
      id: record.id,
      relation: 'why',
      record: recordBrief(record),
      ...present({
        session: session && { id: brief(session.id, 60), startedAt: session.startedAt },
        lastTouchedBy: lastTouchedBy && {
          ...lastTouchedBy,
          session: brief(lastTouchedBy.session, 60),
        },
        supersededBy: supersededBy && { id: supersededBy.id, text: brief(supersededBy.text, 120) },
      }),
    },
    list: 'trace',
    items: traceOf(answer),
    foot: (_, left) => leftNote(left),
  })
}

/** Facts first, then recalls, links and revisions: what an agent asks most often. */
function traceOf({ facts, recalls, links, revisions }: WhyAnswer): Item[] {
  return [
    ...facts.map((fact) => item(factLine(fact), { fact: factData(fact) })),
    ...recalls.map((recall) =>
      item(
        `recalled ${minuteOf(recall.at)} at place ${recall.rank} for "${brief(recall.query, 80)}" in ${brief(recall.sessionId, 60)}`,
        {
          recall: {
            at: recall.at,
            query: brief(recall.query, 80),
            rank: recall.rank,
            score: round(recall.score),
            session: brief(recall.sessionId, 60),
          },
        },
      ),
    ),
    ...links.map((link) => {
      const { text, data } = linkItem(link)
      return item(`link ${text}`, { link: data })
    }),
    ...revisions.toReversed().map((revision) => {
      const { text, data } = revisionItem(revision)
      return item(text, { revision: data })
    }),
  ]
}

function linkItem({ direction, type, other, targetRef, note, author, createdAt }: LinkView): Item {
  const arrow = direction === 'out' ? '→' : '←'
  const end =
    other === null
      ? brief(targetRef ?? '?', 80)
      : `${other.id} ${brief(other.title ?? other.summary, 100)}`
  const said = note === null ? '' : ` (${brief(note, 100)})`
  return item(
    `${arrow} ${type} ${end}${said}`,
    present({
      direction,
      type,
      other: other && {
        id: other.id,
        ...present({ title: other.title === null ? null : brief(other.title, 100) }),
        summary: brief(other.summary, 100),
      },
      targetRef: targetRef === null ? null : brief(targetRef, 80),
      note: note === null ? null : brief(note, 100),
      author,
      createdAt,
    }),
  )
}

function revisionItem({ number, validFrom, validUntil, endedBy, title, body }: Revision): Item {
  const text = brief(title === null ? body : `${title}: ${body}`, 200)
  return item(`revision ${number}, until ${minuteOf(validUntil)} (${endedBy}): ${text}`, {
    number,
    validFrom,
    validUntil,
    endedBy,
    text,
  })
}

function sessionName({
  id,
  startedAt,
}: {
  readonly id: string
  readonly startedAt: string
}): string {
  return `${brief(id, 60)} of ${minuteOf(startedAt)}`
}
