/** Finds the ends of sentences; "Dr. Ada L. King et al. paid 3.50 for it." is one sentence. */

/** One or more stops with the closing quotes or brackets after them. A wide stop needs no space after it. */
const STOP = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|(?<![。！？｡])[。！？｡]+["'”’»)\]」』）】]*/g
const WORD_BEFORE = /[\p{L}\p{N}.]*$/u
const LONGEST_ABBREVIATION = 24

const INITIALS = /^(?:\p{Lu}|\p{L}(?:\.\p{L})+)$/u
const ENUMERATOR = /^\W*\d{1,3}$/u

/** Abbreviations that rarely end a sentence. */
const INSIDE = listWords(
  'mr mrs ms dr prof st mt gen col lt sgt capt rev hon gov sen rep vs cf viz resp approx ca eg ie ' +
    'fig figs eq eqs eqn vol ref refs ed eds dept univ al bzw evtl ggf inkl vgl sog',
)
/** Abbreviations that often end a sentence: it goes on only if a lower-case letter follows. */
const MAY_END = listWords('etc inc ltd co corp jr sr bros usw')
/** Abbreviations only before a number: "No. 5", "p. 12", "Mar. 3". */
const BEFORE_NUMBER = listWords(
  'no nos p pp ch sec art nr abs jan feb mar apr jun jul aug sep sept oct nov dec',
)

function listWords(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** The end offset of each sentence except the last, which ends with the text. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = []
  let start = 0
  for (const { 0: stop, index } of text.matchAll(STOP)) {
    const end = index + stop.length
    if (end === text.length) break
    // An abbreviation ends with a single dot and no quote.
    if (stop === '.' && !endsAtDot(text, start, index)) continue
    ends.push(end)
    start = end
  }
  return ends
}

/** Whether this dot ends a sentence, and not an abbreviation. */
export function endsSentence(text: string, dot: number): boolean {
  const from = Math.max(0, dot - LONGEST_ABBREVIATION)
  return endsAtDot(text, from + text.slice(from, dot).lastIndexOf('\n') + 1, dot)
}

function endsAtDot(text: string, start: number, dot: number): boolean {
  const from = Math.max(start, dot - LONGEST_ABBREVIATION)
  const before = text.slice(from, dot)
  // Cut at the space first: the pattern is tried at every character.
  const [word = ''] = WORD_BEFORE.exec(before.slice(before.lastIndexOf(' ') + 1)) ?? []
  if (word === '') return true
  if (INITIALS.test(word)) return false
  if (dot - start <= LONGEST_ABBREVIATION && ENUMERATOR.test(before)) return false
  const known = word.toLowerCase()
  const next = text.slice(dot + 1, dot + 1 + LONGEST_ABBREVIATION).trimStart()
  if (MAY_END.has(known)) return !/^\p{Ll}/u.test(next)
  if (BEFORE_NUMBER.has(known)) return !/^\d/.test(next)
  return !INSIDE.has(known)
}
