/** Turns an explanation into bar segments that sum to the score. */

import type { Explanation } from '../../../src/core/answer.js'

export type Segment = {
  readonly name: string
  /** What it adds to the score; below zero where it takes away. */
  readonly points: number
  /** What its own arithmetic gave before factors around it; null where nothing was around it. */
  readonly before: number | null
}

/**
 * A sum is laid out part by part. In a product of a thing and its factors the thing stands first: its parts are laid
 * out, and the factors stretch each of them alike, so the whole stays the product. By hand: (0.4 + 0.2) × 1.1 is
 * 0.44 + 0.22.
 */
export function segmentsOf(explanation: Explanation): Segment[] {
  return lay(explanation, 1).filter(({ points }) => points !== 0)
}

function lay(node: Explanation, factor: number): Segment[] {
  const [thing, ...factors] = node.parts
  if (thing === undefined) return [leaf(node, factor)]
  if (node.op === 'sum') return node.parts.flatMap((part) => lay(part, factor))
  if (thing.parts.length === 0) return [leaf(node, factor)]
  return lay(
    thing,
    factors.reduce((product, { score }) => product * score, factor),
  )
}

const leaf = ({ name, score }: Explanation, factor: number): Segment => ({
  name,
  points: score * factor,
  before: factor === 1 ? null : score,
})

/** One line of the arithmetic: `0.698 × 1.100`. */
export function arithmeticOf({ op, parts }: Explanation): string {
  return parts.map(({ score }) => formatPoints(score)).join(op === 'sum' ? ' + ' : ' × ')
}

const PLACES = 3

export function formatPoints(points: number): string {
  const rounded = points.toFixed(PLACES)
  if (Number(rounded) === 0 && points !== 0) return points.toExponential(0)
  return rounded.replace('-', '−')
}
