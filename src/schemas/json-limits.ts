/** Checks whether a value can be stored as JSON, without serializing it: a small value may contain itself. */

import { MAX_JSON_CHARS, MAX_JSON_DEPTH } from './limits.js'

/** The rest of a sentence that begins with the name of the value; null if it can be stored. */
export function describeJsonProblem(value: unknown): string | null {
  let chars = 0
  const visit = (part: unknown, depth: number): string | null => {
    chars += hasLength(part) ? part.length + 1 : 1
    if (chars > MAX_JSON_CHARS) return `is longer than ${MAX_JSON_CHARS} characters as JSON.`
    if (typeof part === 'bigint') return 'must not contain a BigInt, which JSON cannot hold.'
    if (typeof part !== 'object' || part === null) return null
    // A value that contains itself ends here as well.
    if (depth === MAX_JSON_DEPTH) return `is nested deeper than ${MAX_JSON_DEPTH} levels.`
    for (const [key, inner] of Object.entries(part)) {
      chars += key.length
      const problem = visit(inner, depth + 1)
      if (problem !== null) return problem
    }
    return null
  }
  return visit(value, 0)
}

/** True for texts, lists and bytes, so that a long one is refused before it is read. */
function hasLength(value: unknown): value is { readonly length: number } {
  return typeof Object(value).length === 'number' && typeof value !== 'function'
}
