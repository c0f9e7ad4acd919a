/** Words that stand next to each other, in this order and in one column, are found as FTS5 finds them. */

import { COLUMN_STRIDE, type Positions } from './position-list.js'
import { ListBuilder, type PostingList } from './posting-list.js'
import type { Tallies } from './tallies.js'

/** `positions[i]` are those of the i-th word in `rows`, which hold all of the words. */
export function findPhrase(
  rows: Uint32Array,
  positions: readonly Positions[],
  tallies: Tallies,
): PostingList {
  const list = new ListBuilder()
  const counts = new Uint32Array(tallies.columns)
  const places = new Uint32Array(positions.length)
  for (let i = 0; i < rows.length; i++) {
    counts.fill(0)
    if (countInRow(i, positions, places, counts)) {
      list.add(rows[i] as number, tallies.codeOf(counts))
    }
  }
  return list.build()
}

/** Every place of the first word from which on the others follow. */
function countInRow(
  row: number,
  positions: readonly Positions[],
  places: Uint32Array,
  counts: Uint32Array,
): boolean {
  const [first] = positions
  if (first === undefined) return false
  for (const [word, { from }] of positions.entries()) places[word] = from[row] as number
  let isFound = false
  for (let at = first.from[row] as number; at < (first.to[row] as number); at++) {
    const start = first.at[at] as number
    const follows = positions.every((own, word) => {
      const wanted = start + word
      const end = own.to[row] as number
      let place = places[word] as number
      while (place < end && (own.at[place] as number) < wanted) place++
      places[word] = place
      return place < end && own.at[place] === wanted
    })
    if (!follows) continue
    isFound = true
    const column = Math.floor(start / COLUMN_STRIDE)
    counts[column] = (counts[column] ?? 0) + 1
  }
  return isFound
}
