/** Facets count exactly what the search found, in all of its pages. */

import type { Facets } from '../core/answer.js'
import type { Filter } from '../core/filter.js'
import { isUnfiltered } from '../core/filter.js'
import { constraintsOf } from '../query/constraints.js'
import type { ReadQuery, Relaxation } from '../query/steps.js'
import type { Field, Query } from '../query/tree.js'
import type { ResultSet } from '../storage/search.js'
import type { Storage } from '../storage/storage.js'
import type { ModelInfo } from '../storage/vectors.js'
import { withSuperseded } from './corrections.js'

export type FoundBy = {
  readonly query: Query
  readonly reading: ReadQuery
  readonly fields: readonly Field[] | null
  readonly filter: Filter
  /** The widest step that was taken. */
  readonly widest: Relaxation
  /** Null where words alone were searched. */
  readonly meaning: {
    readonly model: ModelInfo
    readonly vector: Float32Array
    readonly threshold: number | null
  } | null
  /** False where meaning alone was searched. */
  readonly byWords: boolean
}

export async function countFound(
  storage: Storage,
  found: FoundBy,
): Promise<{ readonly facets: Facets; readonly total: number }> {
  return storage.facets(resultSetOf(found))
}

function resultSetOf(found: FoundBy): ResultSet {
  const { reading, fields, query } = found
  const filter = withSuperseded(found.filter)
  const near = nearOf(found)
  const corrected = { filter: found.filter, unwanted: reading.unwanted }
  const none = { words: null, near, listed: null, containing: null, corrected }
  if (!found.byWords) return none
  if (reading.wanted !== null) {
    const step = reading.steps.find(({ relaxed }) => relaxed === found.widest) ?? reading.steps[0]
    return step === undefined ? none : { ...none, words: { root: step.root, fields, filter } }
  }
  if (reading.unwanted !== null) {
    return { ...none, listed: { filter, unwanted: { root: reading.unwanted, fields, filter } } }
  }
  const symbols = query.text.trim()
  if (symbols !== '') return { ...none, containing: { text: symbols, filter } }
  return isUnfiltered(found.filter) ? none : { ...none, listed: { filter, unwanted: null } }
}

function nearOf({
  meaning,
  query,
  reading,
  fields,
  filter: own,
  byWords,
}: FoundBy): ResultSet['near'] {
  if (meaning === null) return null
  const { model, vector, threshold } = meaning
  const filter = withSuperseded(own)
  const insisted = constraintsOf(query.root)
  return {
    model: model.id,
    vector,
    limit: Number.MAX_SAFE_INTEGER,
    minSimilarity: threshold ?? model.floor,
    filter,
    fields,
    exclude: [],
    rounded: byWords,
    ...insisted,
    required: byWords && reading.demandsAll ? (reading.steps[0]?.root ?? null) : insisted.required,
  }
}
