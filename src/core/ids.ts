/** Record ids: they sort by creation time, and a short prefix is usually unique. */

declare const recordIdBrand: unique symbol
/** 26 characters of Crockford base 32: 10 of time, 4 of a counter, 12 random. */
export type RecordId = string & { readonly [recordIdBrand]: true }

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ID_LENGTH = 26
const COUNTER_LIMIT = 32 ** 4
const RANDOM_LENGTH = 12
const IDS_PER_REFILL = 128

/** The shortest prefix of an id that a person may type instead of the whole. */
export const SHORTEST_PREFIX = 8

export type IdSource = { now(): number; randomBytes(count: number): Uint8Array }

/**
 * Generates ids of the ULID form. The counter stands before the random part, so that ids of one millisecond and one
 * process sort in the order they were created and already differ in their 14th character.
 */
export function createIdGenerator(source: IdSource): () => RecordId {
  let lastMs = -1
  let counter = 0
  let randoms: Uint8Array = new Uint8Array(0)
  let used = 0
  return () => {
    const now = source.now()
    if (now > lastMs) {
      lastMs = now
      // Starts in the lower half: two processes rarely collide, and half of the range is left to count in.
      const [high = 0, low = 0] = source.randomBytes(2)
      counter = ((high << 8) | low) % (COUNTER_LIMIT / 2)
    } else {
      counter += 1
      if (counter === COUNTER_LIMIT) {
        lastMs += 1
        counter = 0
      }
    }
    // Fetching random bytes takes longer than all the rest, so they are fetched for many ids at once.
    if (used === randoms.length) {
      randoms = source.randomBytes(RANDOM_LENGTH * IDS_PER_REFILL)
      used = 0
    }
    let random = ''
    for (const end = used + RANDOM_LENGTH; used < end; used++) {
      random += ALPHABET[(randoms[used] ?? 0) & 31]
    }
    return (encode(lastMs, 10) + encode(counter, 4) + random) as RecordId
  }
}

/** The id in `text`, or null; accepts any case, and I, L and O for 1 and 0. */
export function parseId(text: string): RecordId | null {
  const id = parseIdPrefix(text)
  return id?.length === ID_LENGTH ? (id as RecordId) : null
}

export function parseIdPrefix(text: string): string | null {
  const canonical = text.trim().toUpperCase().replace(/[IL]/g, '1').replace(/O/g, '0')
  return /^[0-7][0-9A-HJKMNP-TV-Z]{0,25}$/.test(canonical) ? canonical : null
}

/** Text that could be the beginning of an id if it were longer. */
export function isShortId(text: string): boolean {
  return text.length < SHORTEST_PREFIX && parseIdPrefix(text) !== null
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
