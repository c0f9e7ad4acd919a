/** Constraints on the values of a column: they refuse values of other programs that Cairn could not read. */

/** The latest time of a JavaScript Date; a time in nanoseconds is beyond it. */
const LATEST_MS = 8_640_000_000_000_000

export function isTime(column: string): string {
  return `CHECK (${column} BETWEEN -${LATEST_MS} AND ${LATEST_MS})`
}

export function isShare(column: string): string {
  return `CHECK (${column} BETWEEN 0 AND 1)`
}

export function isOneOf(column: string, words: readonly string[]): string {
  return `CHECK (${column} IN (${words.map((word) => `'${word}'`).join(', ')}))`
}

/** The empty value comes first: most rows hold it, and comparing is faster than parsing. */
export function isJson(column: string, type: 'array' | 'object'): string {
  const empty = type === 'array' ? '[]' : '{}'
  return `CHECK (${column} = '${empty}' OR (json_valid(${column}) AND json_type(${column}) = '${type}'))`
}
