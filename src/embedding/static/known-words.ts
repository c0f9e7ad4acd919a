/** Promise: a word that was read lately gives its pieces at one look; any other word takes its place. */

const PLACES = 8192
const LONGEST_WORD = 20
export const MOST_PIECES = 4

/** Half a megabyte once there is a word to keep. Most words of a text came up in the ones before it. */
export class KnownWords {
  #hashes = new Int32Array(0)
  /** How long the word at each place is: zero where there is none. */
  #lengths = new Uint8Array(0)
  #letters = new Uint16Array(0)
  #counts = new Uint8Array(0)
  #ids = new Int32Array(0)

  /** The place of the word that is `units[0, length)`, or -1. */
  find(hash: number, units: Uint16Array, length: number): number {
    const place = placeOf(hash)
    if (this.#lengths[place] !== length || this.#hashes[place] !== hash) return -1
    const letters = this.#letters
    const from = place * LONGEST_WORD
    for (let i = 0; i < length; i++) if (letters[from + i] !== units[i]) return -1
    return place
  }

  /** Writes the pieces of the word at a place into `ids` from `at` on, and tells how many. */
  copyTo(ids: Int32Array, at: number, place: number): number {
    const count = this.#counts[place] as number
    const from = place * MOST_PIECES
    for (let i = 0; i < count; i++) ids[at + i] = this.#ids[from + i] as number
    return count
  }

  /** A word that is long, of many pieces or of none is not kept. */
  keep(hash: number, units: Uint16Array, length: number, pieces: Int32Array): void {
    if (length > LONGEST_WORD || pieces.length > MOST_PIECES || pieces.length === 0) return
    if (this.#lengths.length === 0) this.#makeRoom()
    const place = placeOf(hash)
    this.#hashes[place] = hash
    this.#lengths[place] = length
    for (let i = 0; i < length; i++) this.#letters[place * LONGEST_WORD + i] = units[i] as number
    this.#counts[place] = pieces.length
    this.#ids.set(pieces, place * MOST_PIECES)
  }

  #makeRoom(): void {
    this.#hashes = new Int32Array(PLACES)
    this.#lengths = new Uint8Array(PLACES)
    this.#letters = new Uint16Array(PLACES * LONGEST_WORD)
    this.#counts = new Uint8Array(PLACES)
    this.#ids = new Int32Array(PLACES * MOST_PIECES)
  }
}

/** The last bits of the hash are those of the last letter: the others must count as well. */
function placeOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (PLACES - 1)
}
