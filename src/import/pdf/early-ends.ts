/** A line that ended although more would have fitted is told from one that was full. */

import type { Line } from './lines.js'

/** So many lines before and after are asked how far a line may go. */
const NEIGHBOURS = 4
/** Ragged lines and wide spaces are no end: this much more must have been free, in sizes of a letter. */
const SPARE = 1
const MIN_WITNESSES = 2

/**
 * Whether the line at `at` began anew although its first word would have fitted on the line before:
 * lists, verses and code do that, and paragraphs that are neither indented nor set apart.
 */
export function beginsAnew(lines: readonly Line[], at: number): boolean {
  const above = lines[at - 1]
  const below = lines[at]
  if (above === undefined || below === undefined) return false
  const [word = ''] = below.text.split(' ', 1)
  const share = word.length / Math.max(1, below.text.length)
  const needed = above.right + (below.right - below.left) * share + above.size * SPARE
  const witnesses = lines
    .slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS)
    .filter((line) => line.angle === above.angle && Math.abs(line.size - above.size) < 0.5)
    .filter((line) => line.left < above.right && line.right > needed)
  return witnesses.length >= MIN_WITNESSES
}
