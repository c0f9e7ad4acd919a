/** What several callers are given can be changed by none of them, and how much memory it takes is known. */

/** Roughly: of each field or item, of an object or a list itself, and of text. */
const BYTES_OF_VALUE = 8
const BYTES_OF_OBJECT = 32
const BYTES_OF_CHARACTER = 2

/** Freezes plain data to its depths; gives about how many bytes it takes. */
export function freeze(data: unknown): number {
  let bytes = 0
  // What is still to be visited, in place of recursion: metadata may be nested deeper than the stack.
  const left = [data]
  while (left.length > 0) {
    const value = left.pop()
    bytes += BYTES_OF_VALUE
    if (typeof value === 'string') bytes += value.length * BYTES_OF_CHARACTER
    if (typeof value !== 'object' || value === null) continue
    Object.freeze(value)
    bytes += BYTES_OF_OBJECT
    for (const part of Object.values(value)) left.push(part)
  }
  return bytes
}
