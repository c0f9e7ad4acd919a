/** The tool `explore`: what is similar to a record, linked with it, cited by it, earlier, and where it came from. */

import * as z from 'zod/mini'
import type { WhyAnswer } from '../../cairn/history.js'
import type { CitedWork } from '../../cairn/works.js'
import { limitOf, required } from '../../schemas/fields.js'
import { exploreRequest } from '../../schemas/work-requests.js'
import {
  createHitItem,
  createLinkItem,
  createRevisionItem,
  describeFact,
  describeRecord,
  formatMinute,
  present,
  renderFact,
  round,
} from '../render.js'
import {
  brief,
  compose,
  createItem,
  type Data,
  type Item,
  type Page,
  shortenIds,
} from '../reply.js'
import { budgetField, type Call, defineTool } from '../tool.js'

const TITLE_CHARACTERS = 120
const REFERENCE_CHARACTERS = 400

type Asked = { readonly id: string; readonly limit: number; readonly depth: number }

const RELATIONS = {
  async similar({ cairn, perform }, { id, limit }) {
    const { of, hits, total } = await perform('similar', { id, limit })
    const shorten = await shortenIds(cairn, hits)
    return {
      head: [
        hits.length === 0 ? `Nothing is similar to ${id}.` : `Similar to ${id}, the nearest first:`,
      ],
      base: { id: of, total },
      list: 'hits',
      items: hits.map((hit, i) => createHitItem(hit, i + 1, shorten(hit.id))),
    }
  },

  async related({ perform }, { id }) {
    const { of, links } = await perform('links', { id })
    return {
      head: [links.length === 0 ? `${id} is linked with nothing.` : `${id} is linked with:`],
      base: { id: of },
      list: 'links',
      items: links.map(createLinkItem),
    }
  },

  /** The reference of a work, and its neighbours in both directions. */
  async citations({ cairn, perform }, { id }) {
    const answer = await perform('citations', { id })
    const [first] = (await perform('cite', { ids: [answer.id] })).references
    const reference = brief(first?.text ?? '', REFERENCE_CHARACTERS)
    const { references: cited, citedBy, unresolved } = answer
    const shorten = await shortenIds(cairn, [...cited, ...citedBy])
    const createWorkItem = (direction: string, work: CitedWork) => {
      const data = { direction, id: work.id, ...describeTitle(work) }
      return createItem(`${direction} ${shorten(work.id)} ${renderTitle(work)}`, data)
    }
    const items = [
      ...cited.map((work) => createWorkItem('cites', work)),
      ...citedBy.map((work) => createWorkItem('cited by', work)),
      ...unresolved.map((name) => {
        const missing = brief(name, TITLE_CHARACTERS)
        const data = { direction: 'cites', reference: missing }
        return createItem(`cites ${missing} (not stored)`, data)
      }),
    ]
    return {
      head: [reference, ...(items.length === 0 ? ['No citation of it is stored.'] : [])],
      base: { id: answer.id, reference },
      list: 'citations',
      items,
    }
  },

  /** Works by hops over the stored citations, the most relevant first. */
  async around({ cairn, perform }, { id, limit: maxWorks, depth }) {
    const { start, nodes, leftOut } = await perform('explore', { from: id, depth, maxWorks })
    const shorten = await shortenIds(cairn, nodes)
    const name = 'id' in start ? id : `"${brief(id, TITLE_CHARACTERS)}"`
    return {
      head: [
        nodes.length === 0
          ? `No work is around "${brief(id, TITLE_CHARACTERS)}".`
          : `Works around ${name}, the most relevant first:`,
      ],
      base: { id: 'id' in start ? start.id : id, leftOut },
      list: 'works',
      items: nodes.map((node) => {
        const { id: work, hop, via } = node
        const score = round(node.score)
        const hops = (via ?? []).length === 0 ? 'start' : `${hop} ${hop === 1 ? 'hop' : 'hops'}`
        const text = `${shorten(work)}  ${score}  ${hops}  ${renderTitle(node)}`
        return createItem(text, { id: work, score, hop, ...describeTitle(node) })
      }),
      foot: (_, left) => {
        if (left > 0) return `${left} left out: ask with a larger "budget".`
        return leftOut === 0 ? null : `${leftOut} more were found: ask with a larger "limit".`
      },
    }
  },

  async history({ perform }, { id }) {
    const { record, revisions } = await perform('history', { id })
    return {
      head: [
        `${id} is now: ${brief(record.title ?? record.body, 200)}`,
        revisions.length === 0 ? 'It was never changed.' : 'It was, the latest first:',
      ],
      base: { id: record.id, record: describeRecord(record) },
      list: 'revisions',
      items: revisions.toReversed().map(createRevisionItem),
    }
  },

  async why({ perform }, { id }) {
    const answer = await perform('why', { id })
    const { record, session, lastTouchedBy, supersededBy } = answer
    const created = `(${record.kind}, ${record.namespace}), created ${formatMinute(record.createdAt)}`
    const head = [`${id} ${created}: ${brief(record.title ?? record.body, 200)}`]
    if (record.deletedAt !== null) {
      head.push(`It was forgotten at ${formatMinute(record.deletedAt)}.`)
    }
    if (session !== null) {
      head.push(`From session ${brief(session.id, 60)} of ${formatMinute(session.startedAt)}.`)
    }
    const touched = lastTouchedBy && {
      ...lastTouchedBy,
      session: brief(lastTouchedBy.session, 60),
    }
    if (touched) {
      head.push(`Last ${touched.usage} in ${touched.session}, ${formatMinute(touched.at)}.`)
    }
    const newer = supersededBy && { id: supersededBy.id, text: brief(supersededBy.text, 120) }
    if (newer !== null) head.push(`Superseded by ${newer.id}: ${newer.text}`)
    return {
      head,
      base: present({
        id: record.id,
        record: describeRecord(record),
        session: session && { id: brief(session.id, 60), startedAt: session.startedAt },
        lastTouchedBy: touched,
        supersededBy: newer,
      }),
      list: 'trace',
      items: listTrace(answer),
    }
  },
} satisfies Record<string, (call: Call, asked: Asked) => Promise<Page>>

const relation = z.enum(Object.keys(RELATIONS) as (keyof typeof RELATIONS)[])

export const exploreTool = defineTool({
  name: 'explore',
  title: 'Go on from a record',
  description: `Go on from one record: what is similar to it (similar), what it is linked with (related), what it was before each edit (history), or where it came from, who recalled it for which queries, what corrected it and its facts (why). From a work, which may also be named by its DOI, arXiv id or citation key: its reference and what it cites and is cited by (citations), or the works some hops away, the most relevant first (around). around also goes out from a question.

{"id": "01K9ZQ3F", "relation": "similar", "limit": 5}
{"id": "01K9ZQ3F", "relation": "related"}
{"id": "01K9ZQ3F", "relation": "why"}
{"id": "vaswani2017attention", "relation": "citations"}
{"id": "ranking web pages by links", "relation": "around", "depth": 2, "limit": 30}

The reply keeps to "budget" tokens (characters / 4, 2,000 by default).`,
  input: z.strictObject({
    id: required(z.string(), 'the record to go on from; around: a work or a question'),
    relation: required(relation, 'which way to go'),
    limit: required(limitOf(10), 'similar, around: how many at most'),
    depth: required(exploreRequest.shape.depth, 'around: how many hops from the start'),
    budget: budgetField,
  }),
  output: z.looseObject({ id: z.string(), relation, left: z.number() }),
  hints: { readOnlyHint: true },

  async run({ id, relation: way, limit = 10, depth = 2 }, call) {
    const page = await RELATIONS[way](call, { id, limit, depth })
    return compose(call.budget, { ...page, base: { relation: way, ...page.base } })
  },
})

/** Facts first, then recalls, links and revisions: the order of how often an agent needs them. */
function listTrace({ facts, recalls, links, revisions }: WhyAnswer): Item[] {
  return [
    ...facts.map((fact) => createItem(renderFact(fact), { fact: describeFact(fact) })),
    ...recalls.map(({ at, rank, ...recall }) => {
      const query = brief(recall.query, 80)
      const session = brief(recall.sessionId, 60)
      return createItem(
        `recalled ${formatMinute(at)} at rank ${rank} for "${query}" in ${session}`,
        { recall: { at, query, rank, score: round(recall.score), session } },
      )
    }),
    ...links
      .map(createLinkItem)
      .map(({ text, data: link }) => createItem(`link ${text}`, { link })),
    ...revisions
      .toReversed()
      .map(createRevisionItem)
      .map(({ text, data: revision }) => createItem(text, { revision })),
  ]
}

function renderTitle({ title, year }: Pick<CitedWork, 'title' | 'year'>): string {
  return `${brief(title ?? 'without a title', TITLE_CHARACTERS)}${year === null ? '' : ` (${year})`}`
}

function describeTitle({ title, year }: Pick<CitedWork, 'title' | 'year'>): Data {
  return present({ title: brief(title, TITLE_CHARACTERS), year })
}
