/** Where sentences end, so that "Dr. Ada L. King et al. paid 3.50 for it." stays one. */

import { isWideStop, STOPS, Stops } from './chunk-stops.js'
import { isAsciiLetter, isSpace } from './chunk-words.js'

/** A closing quote or bracket belongs to the sentence. */
const CLOSING = '"\'”’»)]'
const WIDE_CLOSING = `${CLOSING}」』）】`
const WORD_BEFORE = /[\p{L}\p{N}.]*$/u
const LONGEST_ABBREVIATION = 24
const DOT = 46

const INITIALS = /^(?:\p{Lu}|\p{L}(?:\.\p{L})+)$/u
const ENUMERATOR = /^\W*\d{1,3}$/u
const SMALL_LETTER = /^\p{Ll}/u
const DIGIT = /^\d/

/** Words before a dot that say something about it. */
type Listed = 'inside' | 'may end' | 'before a number'

const LISTED: ReadonlyMap<string, Listed> = new Map([
  // More often than not in the middle of a sentence, whatever comes next.
  ...listed(
    'inside',
    'mr mrs ms dr prof st mt gen col lt sgt capt rev hon gov sen rep vs cf viz resp approx ca eg ie ' +
      'fig figs eq eqs eqn vol ref refs ed eds dept univ al bzw evtl ggf inkl vgl sog',
  ),
  // Also the last word of many sentences: only a small letter after them says that it goes on.
  ...listed('may end', 'etc inc ltd co corp jr sr bros usw'),
  // Words of their own, unless a number follows: "No. 5", "p. 12", "Mar. 3".
  ...listed(
    'before a number',
    'no nos p pp ch sec art nr abs jan feb mar apr jun jul aug sep sept oct nov dec',
  ),
])
const LONGEST_LISTED = Math.max(...[...LISTED.keys()].map(({ length }) => length))

function listed(as: Listed, words: string): [string, Listed][] {
  return words.split(' ').map((word) => [word, as])
}

/** The offsets just after each sentence but the last, which ends with the text. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = []
  const stops = new Stops(text)
  let start = 0
  let end = 0
  for (let stop = stops.next(0); stop < text.length; stop = stops.next(end)) {
    const isWide = isWideStop(text.charCodeAt(stop))
    end = endOfStop(text, stop, isWide)
    if (end === text.length) break
    if (!isWide && !isSpace(text.charCodeAt(end))) continue
    if (text.charCodeAt(stop) === DOT && !endsAtDot(text, start, stop, end)) continue
    ends.push(end)
    start = end
  }
  return ends
}

/** After a row of stops and what closes after them. */
function endOfStop(text: string, stop: number, isWide: boolean): number {
  let at = stop + 1
  if (at < text.length && isSpace(text.charCodeAt(at))) return at
  while (isOneOf(STOPS, text, at) && isWideStop(text.charCodeAt(at)) === isWide) at++
  while (isOneOf(isWide ? WIDE_CLOSING : CLOSING, text, at)) at++
  return at
}

function isOneOf(signs: string, text: string, at: number): boolean {
  return at < text.length && signs.includes(text.charAt(at))
}

function endsAtDot(text: string, start: number, dot: number, end: number): boolean {
  // Three dots, or a quote after the dot: no abbreviation looks like that.
  if (end - dot > 1) return true
  if (endsInLongWord(text, dot)) return true
  const from = Math.max(start, dot - LONGEST_ABBREVIATION)
  const word = wordBefore(text, from, dot)
  if (word === '') return true
  if (INITIALS.test(word)) return false
  if (dot - start <= LONGEST_ABBREVIATION && ENUMERATOR.test(text.slice(from, dot))) return false
  const as = LISTED.get(word.toLowerCase())
  if (as === undefined) return true
  const next = text.slice(end, end + LONGEST_ABBREVIATION).trimStart()
  if (as === 'may end') return !SMALL_LETTER.test(next)
  return as === 'before a number' && !DIGIT.test(next)
}

/** Whether so many letters stand before the dot that none of the lists and patterns can match: most sentences. */
function endsInLongWord(text: string, dot: number): boolean {
  const least = dot - LONGEST_LISTED - 1
  if (least < 0) return false
  for (let at = dot - 1; at >= least; at--) {
    if (!isAsciiLetter(text.charCodeAt(at))) return false
  }
  return true
}

/** The letters, digits and dots before a place. By hand in ASCII: the pattern starts anew at every character. */
function wordBefore(text: string, from: number, end: number): string {
  let at = end
  for (; at > from; at--) {
    const code = text.charCodeAt(at - 1)
    if (code > 0x7f) return WORD_BEFORE.exec(text.slice(from, end))?.[0] ?? ''
    if (!isAsciiWord(code) && code !== DOT) break
  }
  return text.slice(at, end)
}

function isAsciiWord(code: number): boolean {
  return isAsciiLetter(code) || (code >= 48 && code <= 57)
}
