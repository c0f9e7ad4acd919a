/** Splits a note into lines, sentences and content words. */

import { sentenceEnds } from '../text/sentences.js'

/** A longer text is a document; only its beginning is looked at. */
const MOST_READ_CHARS = 20_000
/** A shorter line ends because its writer ended it, a longer one because the paper did. */
const WRAPPED_FROM = 60

/** A longer quote is no sentence. */
const MAX_QUOTE_CHARS = 600

const FENCE = /^\s*(?:```|~~~)/
const LIST_MARK = /^(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/
const HEADING = /^#{1,6}\s+/

/** The lines of a text; those of code are empty. */
function listProse(text: string): string[] {
  let isCode = false
  return text
    .slice(0, MOST_READ_CHARS)
    .split(/\r?\n/)
    .map((line) => {
      const isFence = FENCE.test(line)
      if (isFence) isCode = !isCode
      return isFence || isCode ? '' : line
    })
}

export function splitLines(text: string): string[] {
  const lines = listProse(text).map((line) => line.trim().replace(LIST_MARK, '').trim())
  return lines.filter((line) => line !== '')
}

export function splitSentences(line: string): string[] {
  const ends = [...sentenceEnds(line), line.length]
  return ends
    .map((end, i) => line.slice(ends[i - 1] ?? 0, end).trim())
    .filter((part) => part !== '')
}

/** All sentences of a note; wrapped lines are joined, and white space becomes one space. */
export function splitNote(text: string): string[] {
  const blocks: string[] = []
  let goesOn = false
  for (const written of listProse(text)) {
    const line = written.replace(/\s+/g, ' ').trim()
    const bare = line.replace(LIST_MARK, '').replace(HEADING, '')
    if (goesOn && bare !== '' && bare === line) blocks.push(`${blocks.pop() ?? ''} ${bare}`)
    else if (bare !== '') blocks.push(bare)
    goesOn = bare !== '' && written.length >= WRAPPED_FROM
  }
  return blocks.flatMap(splitSentences)
}

/** Function words of English, German, French and Spanish, and greetings. */
const STOP_WORDS = new Set(
  `a about after all also am an and any are as at be because been before but by can could did do does for from had has have
  he her here hers hi him his hello hey how i i'm if in into is it it's its just me more most my no not now of ok okay on one
  or our out over please really she should so some such than thank thanks that that's the their them then there these they
  this those to too up us very was we well were what when where which while who why will with would yeah yes you your
  auch auf aus bei das dass dem den der des die ein eine einen einer er es für hat ich im in ist mit nicht oder sich sie
  sind so und uns von war wie wir zu au aux avec ce ces dans de des du elle en est et il ils je la le les mais ne nous ou par
  pas pour que qui se sur un une vous al como con del el ella en es esta este la las lo los más me mi no o para pero por que se
  sin su sus un una y ya`.split(/\s+/),
)

/** The words that carry information, each once, in lower case. */
export function findContentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  const word = /[\p{L}\p{N}]+(?:['’._-][\p{L}\p{N}]+)*/gu
  // These scripts have no spaces: each pair of letters is a word.
  const noSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
  for (const [match] of text.toLowerCase().matchAll(word)) {
    if (noSpaces.test(match)) for (const pair of splitPairs([...match])) words.add(pair)
    else if (!STOP_WORDS.has(match.replaceAll('’', "'"))) words.add(match)
  }
  return words
}

function splitPairs(letters: readonly string[]): readonly string[] {
  if (letters.length === 1) return letters
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`)
}

/** The quote as the text has it, with the text's own spaces and apostrophes; null if it is not in the text. */
export function findQuote(quote: string, text: string): string | null {
  if (quote.length > MAX_QUOTE_CHARS || quote.trim() === '') return null
  const words = quote.trim().split(/\s+/)
  const pattern = words
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/['’‘]/g, "['’‘]"))
    .join('\\s+')
  return new RegExp(pattern, 'u').exec(text)?.[0] ?? null
}
