/** Boosts: factors that a search or a lens gives to records with a certain value. */

export const BOOST_FIELDS = [
  'kind',
  'sector',
  'tier',
  'tag',
  'source',
  'namespace',
  'person',
] as const
export type BoostField = (typeof BOOST_FIELDS)[number]

/** Records whose field has this value count `factor` times: above 1 they rise, below it they sink. */
export type Boost = {
  readonly field: BoostField
  readonly value: string
  readonly factor: number
}

export const MOST_BOOST = 10
