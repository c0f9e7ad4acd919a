/** How long the texts and lists of an input may be. `docs/limits.md` lists them; a longer input is refused before any work. */

export const MAX_BODY_CHARS = 50_000_000
export const MAX_TITLE_CHARS = 2000
/** A namespace, a tag, a person, a source, a part of a fact. */
export const MAX_LABEL_CHARS = 500
/** An id, a path, a cursor. */
export const MAX_NAME_CHARS = 4096
/** A note, a quote, a summary. */
export const MAX_NOTE_CHARS = 100_000
/** A field of a work other than its title, abstract and note. */
export const MAX_WORK_FIELD_CHARS = 10_000
export const MAX_TIME_CHARS = 100
export const MAX_LIST_ITEMS = 10_000
/** The keys of a filter by metadata: each may be read in every record. */
export const MAX_METADATA_KEYS = 32
/** SQLite refuses JSON that is nested deeper than 1,000 levels. */
export const MAX_JSON_DEPTH = 100
export const MAX_JSON_CHARS = 1_000_000

/**
 * Why a value cannot be stored as JSON: the rest of a sentence that begins with its name; null if it can be stored. The value
 * is not serialized, because a small one may contain itself.
 */
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
