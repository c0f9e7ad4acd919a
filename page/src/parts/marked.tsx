/** Stored text with its matches marked; bidirectional text is isolated. */

import type { Range } from '../../../src/core/answer.js'
import { cutAtMarks } from './marks.js'

export function Marked({
  text,
  ranges = [],
}: {
  readonly text: string
  readonly ranges?: readonly Range[]
}) {
  return (
    <bdi>
      {cutAtMarks(text, ranges).map(({ text: piece, isMarked }, i) =>
        isMarked ? <mark key={i}>{piece}</mark> : piece,
      )}
    </bdi>
  )
}
