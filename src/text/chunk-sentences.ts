/** Promise: where sentences end, so that "Dr. Ada L. King et al. paid 3.50 for it." stays one. */

/** A closing quote or bracket belongs to the sentence; a wide stop needs no space after it. */
// The look-behind lets a run of dots be tried once only: a megabyte of them stays linear.
const STOPS = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|(?<![。！？｡])[。！？｡]+["'”’»)\]」』）】]*/gu
const WORD_BEFORE = /[\p{L}\p{N}.]*$/u
const LONGEST_ABBREVIATION = 24
const DOT = 46

const INITIALS = /^(?:\p{Lu}|\p{L}(?:\.\p{L})+)$/u
const ENUMERATOR = /^\W*\d{1,3}$/u
/** More often than not in the middle of a sentence, whatever comes next. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st mt gen col lt sgt capt rev hon gov sen rep vs cf viz resp approx ca eg ie ' +
    'fig figs eq eqs eqn vol ref refs ed eds dept univ al bzw ca evtl ggf inkl vgl sog'
  ).split(' '),
)
/** Also the last word of many sentences: only a small letter after them says that it goes on. */
const MAY_END = new Set('etc inc ltd co corp jr sr bros usw'.split(' '))
/** Words of their own, unless a number follows: "No. 5", "p. 12", "Mar. 3". */
const BEFORE_NUMBER = new Set(
  'no nos p pp ch sec art nr abs jan feb mar apr jun jul aug sep sept oct nov dec'.split(' '),
)

/** The offsets just after each sentence but the last, which ends with the text. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = []
  let start = 0
  for (const match of text.matchAll(STOPS)) {
    const end = match.index + match[0].length
    if (end === text.length) break
    if (match[0].startsWith('.') && !endsAtDot(text, start, match.index, end)) continue
    ends.push(end)
    start = end
  }
  return ends
}

function endsAtDot(text: string, start: number, dot: number, end: number): boolean {
  // Three dots, or a quote after the dot: no abbreviation looks like that.
  if (end - dot > 1) return true
  const before = text.slice(Math.max(start, dot - LONGEST_ABBREVIATION), dot)
  const word = wordBefore(before)
  if (INITIALS.test(word)) return false
  if (dot - start <= LONGEST_ABBREVIATION && ENUMERATOR.test(before)) return false
  const lower = word.toLowerCase()
  if (ABBREVIATIONS.has(lower)) return false
  const next = text.slice(end, end + LONGEST_ABBREVIATION).trimStart()
  if (MAY_END.has(lower)) return !/^\p{Ll}/u.test(next)
  return !(BEFORE_NUMBER.has(lower) && /^\d/.test(next))
}

/** The letters, digits and dots that a text ends in. By hand in ASCII: the pattern starts anew at every character. */
function wordBefore(text: string): string {
  for (let at = text.length; at > 0; at--) {
    const code = text.charCodeAt(at - 1)
    if (code > 0x7f) return WORD_BEFORE.exec(text)?.[0] ?? ''
    if (!isAsciiWord(code) && code !== DOT) return text.slice(at)
  }
  return text
}

function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}
