/** Characters of a PDF become those that a person would have typed. */

/** Marks of their own that older TeX fonts set before the letter they belong on. */
const ACCENTS: Readonly<Record<string, string>> = {
  '\u00a8': '\u0308',
  '\u00af': '\u0304',
  '\u00b4': '\u0301',
  '\u02c6': '\u0302',
  '\u02c7': '\u030c',
  '\u02d8': '\u0306',
  '\u02da': '\u030a',
  '\u02dc': '\u0303',
  '\u02dd': '\u030b',
}
const SOFT_HYPHEN = '\u00ad'
const LIGATURE = /[\ufb00-\ufb06\ufb13-\ufb17]/g
// Private use is where fonts keep glyphs that have no letter; U+F0B7 is the bullet of Symbol.
const WITHOUT_MEANING =
  /[\p{Cc}\p{Co}\p{Noncharacter_Code_Point}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffd]/gu
/** The dots between a heading and its page in a table of contents. */
const LEADERS = /(?:[ ]?\.){5,}/g
const WHITE_SPACE = /[\s\u0085]+/g

/** One line or a part of it: no control characters, no ligatures, well-formed. Soft hyphens stay. */
export function cleanPart(text: string): string {
  return text
    .toWellFormed()
    .replace(WHITE_SPACE, ' ')
    .replaceAll('\uf0b7', '•')
    .replace(WITHOUT_MEANING, '')
    .replace(LIGATURE, (found) => found.normalize('NFKC'))
}

/** A whole line: accents on their letters, one space at a time, no rows of dots, and soft hyphens only at its end. */
export function cleanLine(text: string): string {
  const trimmed = text.replace(LEADERS, ' … ').replace(/ {2,}/g, ' ').trim()
  const isBroken = trimmed.length > 1 && trimmed.endsWith(SOFT_HYPHEN)
  const plain = trimmed.replaceAll(SOFT_HYPHEN, '')
  const letters = plain.replace(/([\u00a8\u00af\u00b4\u02c6-\u02dd])(\p{L})/gu, composeAccent)
  return letters.normalize('NFC') + (isBroken && plain !== '' ? SOFT_HYPHEN : '')
}

/** "´e" is "é"; where there is no such letter, both stay as they are. */
function composeAccent(both: string, mark: string, letter: string): string {
  const base = letter === 'ı' ? 'i' : letter
  const composed = (base + (ACCENTS[mark] ?? '')).normalize('NFC')
  return composed.length === 1 && composed !== base ? composed : both
}
