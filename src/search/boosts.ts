/** What a person or a lens favours is a factor with a name, and nothing is ever lifted above 1. */

import type { Boost, BoostField } from '../core/filter.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { Scored } from './candidate.js'
import { given, productOf } from './explain.js'
import { capAtOne, sortBestFirst } from './order.js'

type Traits = Pick<
  CairnRecord,
  'kind' | 'sector' | 'tier' | 'tags' | 'source' | 'namespace' | 'people'
>

/**
 * The score times the factor of every boost that fits.
 * By hand: .4, a tag that counts 1.5 and a kind that counts .8 → .4 · 1.5 · .8 = .48.
 */
export function applyBoosts(
  scored: readonly Scored[],
  records: ReadonlyMap<RecordId, Traits>,
  boosts: readonly Boost[],
): Scored[] {
  return sortBestFirst(
    scored.map((one) => {
      const record = records.get(one.id)
      const fitting = record === undefined ? [] : boosts.filter((boost) => fits(record, boost))
      if (fitting.length === 0) return one
      const factors = fitting.map(({ field, value, factor }) =>
        given(`boost ${field}:${value}`, factor),
      )
      return {
        id: one.id,
        explanation: capAtOne(productOf('boosted', [one.explanation, ...factors])),
      }
    }),
  )
}

function fits(record: Traits, { field, value }: Boost): boolean {
  const wanted = value.toLowerCase()
  return valuesOf(record, field).some((own) => own?.toLowerCase() === wanted)
}

function valuesOf(record: Traits, field: BoostField): readonly (string | null)[] {
  switch (field) {
    case 'tag':
      return record.tags
    case 'person':
      return record.people
    case 'kind':
    case 'sector':
    case 'tier':
    case 'source':
    case 'namespace':
      return [record[field]]
  }
}
