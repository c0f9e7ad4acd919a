/** Ids sort by the time they were made, and differ early enough to be shortened. */

declare const recordIdBrand: unique symbol
/** 26 characters of Crockford base 32: 10 of time, 4 of a counter, 12 of chance. */
export type RecordId = string & { readonly [recordIdBrand]: true }

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ID_PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const COUNTER_LIMIT = 32 ** 4
const CHANCE_LENGTH = 12
const CHANCES_AT_ONCE = 128

/** The shortest prefix of an id that a person may type instead of the whole. */
export const SHORTEST_PREFIX = 8

export type IdSource = { now(): number; randomBytes(count: number): Uint8Array }

/**
 * Makes ids of the ULID shape. The counter stands before the chance so that ids made in one millisecond by one
 * process sort in the order they were made and already differ in their 14th character.
 */
export function createIdMaker(source: IdSource): () => RecordId {
  let lastMs = -1
  let counter = 0
  let chances: Uint8Array = new Uint8Array(0)
  let used = 0
  return () => {
    const now = source.now()
    if (now > lastMs) {
      lastMs = now
      // Starts anywhere in the lower half: two processes rarely meet, and half of the range is left to count in.
      const [high = 0, low = 0] = source.randomBytes(2)
      counter = ((high << 8) | low) % (COUNTER_LIMIT / 2)
    } else {
      counter += 1
      if (counter === COUNTER_LIMIT) {
        lastMs += 1
        counter = 0
      }
    }
    // By the hundred: to ask for random bytes takes longer than all the rest.
    if (used === chances.length) {
      chances = source.randomBytes(CHANCE_LENGTH * CHANCES_AT_ONCE)
      used = 0
    }
    let chance = ''
    for (const end = used + CHANCE_LENGTH; used < end; used++) {
      chance += ALPHABET[(chances[used] ?? 0) & 31]
    }
    return (encode(lastMs, 10) + encode(counter, 4) + chance) as RecordId
  }
}

/** The id that `text` spells, or null; forgiving about case and the letters I, L and O. */
export function readId(text: string): RecordId | null {
  const id = readIdPrefix(text)
  return id !== null && ID_PATTERN.test(id) ? (id as RecordId) : null
}

/** A typed prefix of an id in its canonical letters, or null where it cannot be one. */
export function readIdPrefix(text: string): string | null {
  const canonical = text.trim().toUpperCase().replace(/[IL]/g, '1').replace(/O/g, '0')
  return /^[0-7][0-9A-HJKMNP-TV-Z]{0,25}$/.test(canonical) ? canonical : null
}

function encode(value: number, length: number): string {
  let rest = value
  let text = ''
  for (let i = 0; i < length; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}
