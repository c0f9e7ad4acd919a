/** Counts the typing mistakes between two words, up to a limit. */

/**
 * Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment), in
 * UTF-16 units. Returns `limit + 1` for any distance over the limit.
 * By hand: serach → search is one swap, 1; kitten → sitting is k→s, e→i, +g, 3.
 * @example
 * editDistance('serach', 'search', 2) // 1
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  if (a === b) return 0
  return Math.min(computeLastRow(a, b, limit)[b.length] ?? limit + 1, limit + 1)
}

/**
 * The least distance between `term` and any prefix of `word`: a half-typed word may have mistakes
 * too.
 * @example
 * prefixDistance('serac', 'searching', 2) // 1
 */
export function prefixDistance(term: string, word: string, limit: number): number {
  if (word.startsWith(term)) return 0
  // A longer prefix would need more than `limit` insertions.
  return Math.min(limit + 1, ...computeLastRow(term, word.slice(0, term.length + limit), limit))
}

/**
 * The distances from `a` to each prefix of `b`; empty if all are over the limit. Computes only the cells within `limit` of
 * the diagonal; all others are over the limit.
 */
function computeLastRow(a: string, b: string, limit: number): readonly number[] {
  const width = b.length + 1
  const over = limit + 1
  // Three rows are reused in turn, because a swap looks back two rows.
  let older: number[] = new Array<number>(width).fill(over)
  let old: number[] = new Array<number>(width).fill(over)
  let row: number[] = new Array<number>(width).fill(over)
  for (let j = 0; j < Math.min(width, over); j++) row[j] = j
  let leastOld = 0
  let least = 0
  for (let i = 1; i <= a.length; i++) {
    const unused = older
    older = old
    old = row
    row = unused
    const from = Math.max(1, i - limit)
    const to = Math.min(width - 1, i + limit)
    row[from - 1] = from === 1 ? i : over
    leastOld = least
    least = row[from - 1] as number
    const letter = a.charCodeAt(i - 1)
    const before = i > 1 ? a.charCodeAt(i - 2) : -1
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      const replaced = (old[j - 1] as number) + (letter === other ? 0 : 1)
      let cell = Math.min(replaced, (old[j] as number) + 1, (row[j - 1] as number) + 1)
      const isSwap = j > 1 && before === other && letter === b.charCodeAt(j - 2)
      if (isSwap) cell = Math.min(cell, (older[j - 2] as number) + 1)
      row[j] = cell
      if (cell < least) least = cell
    }
    if (to + 1 < width) row[to + 1] = over
    // A swap looks back two rows, so one row over the limit is not yet the end.
    if (least > limit && leastOld > limit) return []
  }
  // The cells outside the band still hold values of earlier rows.
  if (a.length - limit > 1) row.fill(over, 0, a.length - limit)
  return row.fill(over, a.length + limit + 1)
}
