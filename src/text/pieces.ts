/** A compound word comes apart into the words that may be looked for alone. */

import { segment } from './segment.js'
import { tokenize } from './tokens.js'

/**
 * The parts of `foo-bar`, `user@host` or a run of Chinese; none for a plain word. Single characters say too
 * little to be looked for alone.
 * @example
 * piecesOf('self-attention') // ['self', 'attention']
 */
export function piecesOf(word: string): readonly string[] {
  const text = segment(word)?.text ?? word
  const pieces = tokenize(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((piece) => piece.length > 1)
  return pieces.length === 1 && pieces[0] === word ? [] : pieces
}
