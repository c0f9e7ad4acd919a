/** One list of candidates from words and meaning, none of them judged yet. */

import type { Filter } from '../core/filter.js'
import { constraintsOf } from '../query/constraints.js'
import type { ReadQuery, Relaxation } from '../query/steps.js'
import type { Field, Node } from '../query/tree.js'
import { adjacentPairs, type Sought, soughtBy, toNode } from '../query/words.js'
import type { Gathered, WeighedWords } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import type { ModelInfo } from '../storage/vectors.js'

/** Enough that what belongs into the first pages is among them; widened by the page that is asked for. */
export const KEYWORD_CANDIDATES = 300
export const VECTOR_CANDIDATES = 100

export type BothSearch = {
  readonly model: ModelInfo
  readonly vector: Float32Array
  readonly root: Node | null
  readonly reading: ReadQuery
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  /** Null takes the model's own floor. */
  readonly threshold: number | null
  /** How many hits are wanted, from the first one on. */
  readonly reach: number
}

export type Both = Gathered & {
  /** What the query's words tell; null where none was found. */
  readonly weighed: WeighedWords | null
  /** Which of the query's steps found them by words. */
  readonly widest: Relaxation
}

export async function gatherBoth(storage: Storage, search: BothSearch): Promise<Both> {
  const { reading, fields } = search
  const any = reading.steps.find(({ relaxed }) => relaxed === 'any') ?? reading.steps[0]
  const beginnings = reading.steps.find(({ relaxed }) => relaxed === 'prefix')
  let widest = any?.relaxed ?? null
  let gathered = await gatherStep(storage, search, any?.root ?? null)
  // A word that is nobody's may still be the beginning of somebody's.
  if (gathered.bestByWords === null && beginnings !== undefined) {
    gathered = await gatherStep(storage, search, beginnings.root)
    widest = beginnings.relaxed
  }
  const words = soughtBy(reading.wanted).map((sought) => nearby(sought))
  const weighed =
    gathered.bestByWords === null || words.length === 0
      ? null
      : await storage.weigh(words, fields, gathered.bestByWords)
  return { ...gathered, weighed, widest }
}

function gatherStep(storage: Storage, search: BothSearch, root: Node | null): Promise<Gathered> {
  const { model, vector, fields, filter, reach, reading } = search
  const insisted = constraintsOf(search.root)
  // Where all words are demanded, they are of every hit, however it was found.
  const required = reading.demandsAll ? root : insisted.required
  return storage.vectors.gather({
    words: root === null ? null : { root, fields, filter },
    pairs: adjacentPairs(search.root),
    model: model.id,
    vector,
    floor: search.threshold ?? model.floor,
    near: { filter, fields, unwanted: insisted.unwanted, required },
    limits: {
      words: Math.max(KEYWORD_CANDIDATES, reach),
      near: Math.max(VECTOR_CANDIDATES, reach),
    },
  })
}

/** A bare word counts where it stands in the surroundings of a turn, too. */
function nearby(sought: Sought): Node {
  const node = toNode(sought)
  return node.kind === 'word' || node.kind === 'prefix' ? { ...node, nearby: true } : node
}
