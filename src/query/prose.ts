/** A passage that was pasted is told from a query that was typed. */

/** Outside of its quotation marks a passage has this many words, or half as many in several sentences. */
export const PROSE_WORDS = 20

const QUOTED = /"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»/g
const SENTENCE_END = /[.?!]["'”’)\]]*(?=\s+\S)/g

/**
 * In a passage quotation marks are quotation marks: to demand every quoted word would leave it without an answer.
 * Operators, fields, tags and negations keep their meaning: nobody writes them by chance.
 */
export function isProse(text: string): boolean {
  const outside = text.replace(QUOTED, ' ')
  const words = outside.match(/\S+/g)?.length ?? 0
  if (words >= PROSE_WORDS) return true
  const sentences = 1 + (outside.match(SENTENCE_END)?.length ?? 0)
  return sentences > 1 && words >= PROSE_WORDS / 2
}
