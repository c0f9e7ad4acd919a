/** Splits a text at its highlight ranges. */

import type { Range } from '../../../src/core/answer.js'

export type Piece = { readonly text: string; readonly isMarked: boolean }

/** Ranges that overlap, are empty or lie outside do no harm. */
export function cutAtMarks(text: string, ranges: readonly Range[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const push = (until: number, isMarked: boolean): void => {
    if (until <= at) return
    pieces.push({ text: text.slice(at, until), isMarked })
    at = until
  }
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    push(Math.min(start, text.length), false)
    push(Math.min(end, text.length), true)
  }
  push(text.length, false)
  return pieces
}
