/** How many slips of the keyboard lie between two words, and no work beyond the limit. */

/**
 * Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), in UTF-16
 * units; `limit + 1` stands for anything over the limit.
 * By hand: serach → search is one swap, 1; kitten → sitting is k→s, e→i, +g, 3.
 * @example
 * editDistance('serach', 'search', 2) // 1
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  if (a === b) return 0
  const row = lastRow(a, b, limit)
  return Math.min(row?.[b.length] ?? limit + 1, limit + 1)
}

/**
 * The least distance between `term` and any beginning of `word`: what was typed so far may hold
 * slips although the word goes on.
 * @example
 * prefixDistance('serac', 'searching', 2) // 1
 */
export function prefixDistance(term: string, word: string, limit: number): number {
  if (word.startsWith(term)) return 0
  // A longer beginning would need more than `limit` insertions.
  const row = lastRow(term, word.slice(0, term.length + limit), limit)
  let least = limit + 1
  for (const distance of row ?? []) least = Math.min(least, distance)
  return least
}

/**
 * The distances from all of `a` to each beginning of `b`; null when all are over the limit. Only the
 * band of cells that can stay within the limit is worked out, the cells beside it hold limit + 1.
 */
function lastRow(a: string, b: string, limit: number): Int32Array | null {
  const over = limit + 1
  const [first, second, third] = takeRows(b.length + 1)
  let older = first
  let old = second
  let row = third
  for (let j = 0; j <= b.length; j++) row[j] = Math.min(j, over)
  let leastOld = 0
  let least = 0
  for (let i = 1; i <= a.length; i++) {
    const spare = older
    older = old
    old = row
    row = spare
    leastOld = least
    least = over
    const from = Math.max(1, i - limit)
    const to = Math.min(b.length, i + limit)
    row[from - 1] = from === 1 ? Math.min(i, over) : over
    if (from === 1) least = Math.min(i, over)
    const last = a.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      let cell = (old[j - 1] ?? 0) + (last === other ? 0 : 1)
      cell = Math.min(cell, (old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, over)
      const isSwap = i > 1 && j > 1 && last === b.charCodeAt(j - 2) && other === a.charCodeAt(i - 2)
      if (isSwap) cell = Math.min(cell, (older[j - 2] ?? 0) + 1)
      row[j] = cell
      if (cell < least) least = cell
    }
    // The next two rows read one cell beyond this band, and `prefixDistance` reads all of them.
    row.fill(over, to + 1)
    // A swap looks back two rows, so one row over the limit is not yet the end.
    if (least > limit && leastOld > limit) return null
  }
  // Cells left of the last band belong to older rows.
  row.fill(over, 0, Math.max(0, a.length - limit))
  return row
}

// A vocabulary is compared word by word: the rows are kept, because making them took half the time.
let rows = [new Int32Array(64), new Int32Array(64), new Int32Array(64)] as const

function takeRows(length: number): readonly [Int32Array, Int32Array, Int32Array] {
  if (rows[0].length < length) {
    rows = [new Int32Array(length), new Int32Array(length), new Int32Array(length)]
  }
  return [rows[0].subarray(0, length), rows[1].subarray(0, length), rows[2].subarray(0, length)]
}
