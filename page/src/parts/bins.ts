/** Gathers counts by month into bins of equal length: months, years or decades, as fit into a small plot. */

import type { FacetValue } from '../../../src/core/answer.js'

export type Bin = {
  readonly name: string
  readonly count: number
  /** Its first and its last day. */
  readonly since: string
  readonly until: string
}

const MOST_BINS = 42

export function toBins(months: readonly FacetValue[]): Bin[] {
  const counts = months
    .map(({ value, count }) => ({ month: monthNumber(value), count }))
    .sort((a, b) => a.month - b.month)
  const [first, last] = [counts[0]?.month, counts.at(-1)?.month]
  if (first === undefined || last === undefined) return []
  const size = [1, 12, 120, 1200].find((one) => last / one - first / one < MOST_BINS) ?? 12_000
  const [from, to] = [Math.floor(first / size), Math.floor(last / size)]
  const sums = new Array<number>(to - from + 1).fill(0)
  for (const { month, count } of counts) {
    const i = Math.floor(month / size) - from
    sums[i] = (sums[i] ?? 0) + count
  }
  return sums.map((count, i) => ({ ...spanOf((from + i) * size, size), count }))
}

function monthNumber(value: string): number {
  const [year = 0, month = 1] = value.split('-').map(Number)
  return year * 12 + month - 1
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

function spanOf(start: number, size: number): Omit<Bin, 'count'> {
  const year = Math.floor(start / 12)
  const end = new Date(0)
  end.setUTCFullYear(Math.floor((start + size) / 12), (start + size) % 12, 0)
  const name = size === 1 ? `${MONTHS[start % 12]} ${year}` : size === 12 ? `${year}` : `${year}s`
  return {
    name,
    since: `${String(year).padStart(4, '0')}-${String((start % 12) + 1).padStart(2, '0')}-01`,
    until: end.toISOString().slice(0, 10),
  }
}
