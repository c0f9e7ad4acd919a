/** From a work an agent reaches what it cites, what cites it, and the works some hops away. */

import type { ExploredNode } from '../../cairn/explore.js'
import type { CitedWork } from '../../cairn/works.js'
import { brief, compose, type Data, type Item, type Reply } from '../budget.js'
import { item, leftNote } from '../list-items.js'
import { present, round } from '../render.js'
import { type ShortIds, shortIdsOf } from '../short-ids.js'
import type { Call } from '../tool.js'

const TITLE_CHARACTERS = 120
const REFERENCE_CHARACTERS = 400

export type Asked = {
  readonly id: string
  readonly limit: number
  readonly depth: number
  readonly budget: number | undefined
}
export type Explore = (call: Call, asked: Asked) => Promise<Reply>

/** The reference of a work, and its neighbours in both directions. */
export async function citations({ cairn, perform }: Call, { id, budget }: Asked): Promise<Reply> {
  const answer = await perform('citations', { id })
  const { references } = await perform('cite', { ids: [answer.id] })
  const reference = brief(references[0]?.text ?? '', REFERENCE_CHARACTERS)
  const { references: cited, citedBy, unresolved } = answer
  const shortOf = await shortIdsOf(
    cairn,
    [...cited, ...citedBy].map((work) => work.id),
  )
  const count = cited.length + citedBy.length + unresolved.length
  return compose({
    budget,
    head: [reference, ...(count === 0 ? ['No citation of it is stored.'] : [])],
    base: { id: answer.id, relation: 'citations', reference },
    list: 'citations',
    items: [
      ...cited.map((work) => workItem('cites', work, shortOf)),
      ...citedBy.map((work) => workItem('cited by', work, shortOf)),
      ...unresolved.map((name) =>
        item(`cites ${brief(name, TITLE_CHARACTERS)} (not stored)`, {
          direction: 'cites',
          reference: brief(name, TITLE_CHARACTERS),
        }),
      ),
    ],
    foot: (_, left) => leftNote(left),
  })
}

/** Works by hops over the stored citations, the most relevant first. */
export async function around(
  { cairn, perform }: Call,
  { id, limit, depth, budget }: Asked,
): Promise<Reply> {
  const { start, nodes, leftOut } = await perform('explore', { from: id, depth, maxWorks: limit })
  const shortOf = await shortIdsOf(
    cairn,
    nodes.map((node) => node.id),
  )
  return compose({
    budget,
    head: [
      nodes.length === 0
        ? `No work is around "${brief(id, TITLE_CHARACTERS)}".`
        : `Works around ${'id' in start ? id : `"${brief(id, TITLE_CHARACTERS)}"`}, the most relevant first:`,
    ],
    base: { id: 'id' in start ? start.id : id, relation: 'around', ...present({ leftOut }) },
    list: 'works',
    items: nodes.map((node) => nodeItem(node, shortOf)),
    foot: (_, left) =>
      leftNote(left) ??
      (leftOut === 0 ? null : `${leftOut} more were found: ask with a larger "limit".`),
  })
}

function workItem(direction: 'cites' | 'cited by', work: CitedWork, shortOf: ShortIds): Item {
  const { id } = work
  return item(`${direction} ${shortOf(id)} ${nameOf(work)}`, {
    direction,
    id,
    ...titleAndYear(work),
  })
}

function nodeItem(node: ExploredNode, shortOf: ShortIds): Item {
  const { id, hop, score, via } = node
  const [first] = via ?? []
  const way = first === undefined ? 'start' : `${hop} ${hop === 1 ? 'hop' : 'hops'}`
  return item(`${shortOf(id)}  ${round(score)}  ${way}  ${nameOf(node)}`, {
    id,
    score: round(score),
    hop,
    ...titleAndYear(node),
  })
}

function nameOf({ title, year }: Pick<CitedWork, 'title' | 'year'>): string {
  return `${brief(title ?? 'without a title', TITLE_CHARACTERS)}${year === null ? '' : ` (${year})`}`
}

function titleAndYear({ title, year }: Pick<CitedWork, 'title' | 'year'>): Data {
  return present({ title: title === null ? null : brief(title, TITLE_CHARACTERS), year })
}
