/** The conditions of Porter's rules, read over bytes exactly as SQLite reads them. */

const A = 0x61
const E = 0x65
const I = 0x69
const O = 0x6f
const U = 0x75
const Y = 0x79
const W = 0x77
const X = 0x78

/** A condition looks at the first `length` bytes: what is left when the suffix is gone. */
export type Condition = (bytes: Uint8Array, length: number) => boolean

/** Every byte that is not a vowel counts as a consonant, so also the bytes of "é" or "中". */
export function isVowel(byte: number | undefined): boolean {
  return byte === A || byte === E || byte === I || byte === O || byte === U
}

/** m > 0: a vowel, and later a consonant. */
export function measureOverZero(bytes: Uint8Array, length: number): boolean {
  return skipVowelConsonant(bytes, length, { from: 0, afterConsonant: false }) > 0
}

/** m > 1 */
export function measureOverOne(bytes: Uint8Array, length: number): boolean {
  const first = skipVowelConsonant(bytes, length, { from: 0, afterConsonant: false })
  return first > 0 && skipVowelConsonant(bytes, length, { from: first, afterConsonant: true }) > 0
}

/** m = 1 */
export function measureIsOne(bytes: Uint8Array, length: number): boolean {
  return measureOverZero(bytes, length) && !measureOverOne(bytes, length)
}

/** *v*: here every "y" but the first letter is a vowel, unlike in the measure. */
export function hasVowel(bytes: Uint8Array, length: number): boolean {
  for (let i = 0; i < length; i++) {
    if (isVowel(bytes[i]) || (i > 0 && bytes[i] === Y)) return true
  }
  return false
}

/** *o: ends consonant, vowel, consonant, where the last is not w, x or y. */
export function endsShort(bytes: Uint8Array, length: number): boolean {
  const last = bytes[length - 1]
  if (length < 3 || last === W || last === X || last === Y) return false
  let shape = 0
  let isConsonant = false
  for (let i = 0; i < length; i++) {
    isConsonant = !isVowelAfter(bytes[i], isConsonant)
    shape = ((shape << 1) | (isConsonant ? 1 : 0)) & 0b111
  }
  return shape === 0b101
}

/** The place after the next vowel…consonant, or 0 when there is none. */
function skipVowelConsonant(
  bytes: Uint8Array,
  length: number,
  place: { readonly from: number; readonly afterConsonant: boolean },
): number {
  let isConsonant = place.afterConsonant
  let i = place.from
  for (; i < length; i++) {
    isConsonant = !isVowelAfter(bytes[i], isConsonant)
    if (!isConsonant) break
  }
  for (i++; i < length; i++) {
    isConsonant = !isVowelAfter(bytes[i], isConsonant)
    if (isConsonant) return i + 1
  }
  return 0
}

function isVowelAfter(byte: number | undefined, afterConsonant: boolean): boolean {
  return isVowel(byte) || (afterConsonant && byte === Y)
}
