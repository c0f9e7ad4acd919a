/** Constraints on the values of a column: what another program writes is refused where we could not read it. */

/** What a JavaScript Date can hold; nanoseconds are beyond it. */
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

/** The empty value comes first: most columns hold it, and comparing takes less than parsing. */
export function isJson(column: string, type: 'array' | 'object'): string {
  const empty = type === 'array' ? '[]' : '{}'
  return `CHECK (${column} = '${empty}' OR (json_valid(${column}) AND json_type(${column}) = '${type}'))`
}
