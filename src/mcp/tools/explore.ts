/** The tool `explore`: follows a record to similar, linked and cited records, and to its history and origin. */

import * as z from 'zod/mini'
import type { LinkView, Revision } from '../../core/record.js'
import { limitOf, required } from '../../schemas/fields.js'
import { exploreFromRequest } from '../../schemas/work-requests.js'
import {
  brief,
  compact,
  type Data,
  describeFact,
  describeHit,
  describeRecord,
  renderItem,
} from '../render.js'
import { compose, type Page } from '../reply.js'
import { budgetField, type Call, defineTool } from '../tool.js'

type Asked = { readonly id: string; readonly limit: number; readonly depth: number }

const RELATIONS = {
  async similar({ perform }, { id, limit }) {
    const { of, hits, total } = await perform('similar', { id, limit })
    const items = hits.map((hit) => describeHit(hit))
    return { head: [`Similar to ${of}:`], base: { id: of, total }, list: 'hits', items }
  },

  async related({ perform }, { id }) {
    const { of, links } = await perform('links', { id })
    const items = links.map(describeLink)
    return { head: [`Linked with ${of}:`], base: { id: of }, list: 'links', items }
  },

  /** The reference of a work, and its neighbours in both directions. */
  async citations({ perform }, { id: name }) {
    const { id, references, citedBy, unresolved } = await perform('citations', { id: name })
    const [first] = (await perform('cite', { ids: [id] })).references
    const reference = brief(first?.text ?? '', 400)
    const items = [
      ...references.map((work) => ({ direction: 'cites', ...compact(work) })),
      ...citedBy.map((work) => ({ direction: 'cited by', ...compact(work) })),
      ...unresolved.map((missing) => ({ direction: 'cites', reference: brief(missing, 120) })),
    ]
    return { head: [reference], base: { id, reference }, list: 'citations', items }
  },

  /** Works by hops over the stored citations, the most relevant first. */
  async around({ perform }, { id: from, limit: maxWorks, depth }) {
    const { start, nodes, leftOut } = await perform('explore', { from, depth, maxWorks })
    const items = nodes.map(({ id, score, hop, title, year }) => ({
      ...compact({ id, score, title, year }),
      hop,
    }))
    const more = leftOut === 0 ? '' : `; ${leftOut} more with a larger "limit"`
    const base = { id: 'id' in start ? start.id : brief(from, 120), leftOut }
    return { head: [`Works around ${base.id}${more}:`], base, list: 'works', items }
  },

  async history({ perform }, { id }) {
    const { record, revisions } = await perform('history', { id })
    return {
      head: [`${record.id} is now: ${brief(record.title ?? record.body, 200)}`],
      base: { id: record.id, record: describeRecord(record) },
      list: 'revisions',
      items: revisions.toReversed().map(describeRevision),
    }
  },

  /** Facts first, then recalls, links and revisions: the order of how often an agent needs them. */
  async why({ perform }, { id }) {
    const answer = await perform('why', { id })
    const { record, session, lastTouchedBy, supersededBy } = answer
    const about = compact({
      forgotten: record.deletedAt,
      session: session && { id: session.id, startedAt: session.startedAt },
      lastTouchedBy,
      supersededBy: supersededBy && { id: supersededBy.id, text: supersededBy.text },
    })
    const base = { id: record.id, record: describeRecord(record), ...about }
    return {
      head: [renderItem(base.record), renderItem({ ...about, from: session?.id })],
      base,
      list: 'trace',
      items: [
        ...answer.facts.map((fact) => ({ fact: describeFact(fact) })),
        ...answer.recalls.map(({ at, rank, query, score, sessionId: by }) => ({
          recall: compact({ at, rank, query, score, session: by }),
        })),
        ...answer.links.map((link) => ({ link: describeLink(link) })),
        ...answer.revisions.toReversed().map((one) => ({ revision: describeRevision(one) })),
      ],
    }
  },

  async facts({ perform }, { id: about, limit }) {
    const { facts, contradictions } = await perform('fact.list', { about, limit })
    return {
      head: [`Facts about ${about}, ${contradictions.length} contradictions:`],
      base: { id: about, contradictions: contradictions.length },
      list: 'facts',
      items: facts.map((fact) => ({ ...describeFact(fact), record: fact.recordId })),
    }
  },

  async session({ perform, conversation }, { id: name }) {
    const isOwn = name === 'this' || name === ''
    const own = isOwn ? await conversation.startedSession() : null
    const { created, recalled, updated, reinforced, ...session } = await perform('session.show', {
      id: own ?? name,
    })
    const touched = Object.entries({ created, recalled, updated, reinforced }).flatMap(
      ([usage, records]) =>
        records.map(({ id, title, summary }) => ({
          usage,
          id,
          text: brief(title ?? summary, 120),
        })),
    )
    const { id, state, summary } = session
    const head = [`Session ${id} (${state}) of ${session.startedAt}`, summary ?? '']
    return { head, base: compact({ id, state, summary }), list: 'records', items: touched }
  },
} satisfies Record<string, (call: Call, asked: Asked) => Promise<Page>>

const relation = z.enum(Object.keys(RELATIONS) as (keyof typeof RELATIONS)[])

export const exploreTool = defineTool({
  name: 'explore',
  description: `Go on from a record: similar, related (links), history (edits), why (origin, recalls, corrections, facts). From a work, by id, DOI or citation key: citations, or around (works some hops away; also from a question). facts about a name; the records of a session ("this" is yours).
{"id": "01K9ZQ3F", "relation": "why"}`,
  effect: 'reads',
  shape: {
    id: required(z.string(), 'the record, work, question, name or session'),
    relation: required(relation, 'what to show'),
    limit: limitOf(10),
    depth: exploreFromRequest.shape.depth,
    budget: budgetField,
  },
  shown: ['id', 'relation', 'limit', 'depth', 'budget'],

  async run({ id, relation: way, limit = 10, depth = 2 }, call) {
    const page: Page = await RELATIONS[way](call, { id, limit, depth })
    const head = page.items.length === 0 ? [...page.head, 'Nothing was found.'] : page.head
    return compose(call.budget, { ...page, head, base: { relation: way, ...page.base } })
  },
})

function describeLink({ direction, type, other, targetRef, note, author }: LinkView): Data {
  return compact({ direction, type, other, targetRef, note, author })
}

function describeRevision({ title, body, ...revision }: Revision): Data {
  const { number, validUntil, author, endedBy, endedAuthor } = revision
  const text = brief(title === null ? body : `${title}: ${body}`, 200)
  return { ...compact({ number, validUntil, author, endedBy, endedAuthor }), text }
}
