/** Where words and the white space between them begin and end, told without making a string. */

// To ask for a character past the end of a text makes all of this several times slower: V8 stops compiling it in line.

/** The first place from `start` on that is no white space; `end` where there is none. */
export function skipSpace(text: string, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(text.charCodeAt(at))) at++
  return at
}

/** The place after the last that is no white space; `start` where there is none. */
export function skipSpaceBack(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isSpace(text.charCodeAt(at - 1))) at--
  return at
}

/** Where the word that begins at `start` ends. A word takes the wide commas after it along. */
export function endOfWord(text: string, start: number, end: number): number {
  let at = start
  while (at < end && isInWord(text.charCodeAt(at))) at++
  while (at < end && isWideComma(text.charCodeAt(at))) at++
  return at
}

/** Where the word that ends at `end` begins: the same words, seen from the other side. */
export function startOfWord(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isWideComma(text.charCodeAt(at - 1))) at--
  while (at > start && isInWord(text.charCodeAt(at - 1))) at--
  return at
}

/** What `\s` matches. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  return code >= 0xa0 && isWideSpace(code)
}

export function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

function isWideSpace(code: number): boolean {
  if (code < 0x2000) return code === 0xa0 || code === 0x1680
  if (code < 0x3000) {
    return (
      code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f
    )
  }
  return code === 0x3000 || code === 0xfeff
}

function isInWord(code: number): boolean {
  return !isSpace(code) && !isWideComma(code)
}

/** Chinese and Japanese have no spaces, but they have commas: 、，；： */
function isWideComma(code: number): boolean {
  return code > 0x3000 && (code === 0x3001 || code === 0xff0c || code === 0xff1b || code === 0xff1a)
}
