/** What a list of cues cannot say of a sentence is said by a few lines about its words. */

import type { WordOfText } from './cues.js'
import { WORD_CLASSES } from './word-classes.js'

/** The words that met it, if any did. */
export type Shape = (text: string, words: readonly WordOfText[]) => string | undefined

const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** After these a word in -ed describes something: "is tagged", "the signed lease", "from dried plums", "we're settled". */
const BEFORE_PARTICIPLES = setOf(`
  is are be been being am get gets has have i've we've they've you've he's she's it's i'm we're you're they're isn't
  aren't hasn't haven't the a an of in by with from for at on about into without under between and or to very so
  more most less too much quite not no any some many few each every both other such these those this my our his her
  their your its two three all as if than become becomes becoming feel feels look looks seem seems stay stays
`)

/** What a sentence may open with that is no verb: "in the morning", "behind the door", "that a", "we all". */
const OPENINGS = setOf(`
  in on at for to from with by of as if when while after before since until about during over under and or but so
  not is are was were am has had have does did do can could will would shall should may might must all both that
  this these those there here what how why who whom whose which where whether because than then through throughout
  into onto like unlike per via i we you he she it they also now just only even maybe perhaps such quite rather
  within without against between across despite above below behind beneath beside beyond near next off out around
  along inside outside toward towards upon up down except although though unless once twice almost still yet half
  whatever whoever whenever wherever everyone everybody someone somebody nobody none nothing something everything
  neither either nor no yes ok okay oh well somehow sometimes often always never later soon already instead
  otherwise anyway
`)

/** What was in somebody's mind is no event; and words in -ed that describe, whatever stands before them. */
const NO_EVENTS = setOf(`
  wanted needed believed hoped liked loved hated wished seemed sounded appeared assumed trusted feared expected
  realised realized interested supposed based related married tired used limited detailed advanced dedicated nested
  embedded shared hundred sacred wicked naked bed red shed sled wed
`)
/** "left-handed", "unused", but not "unlocked". */
const DESCRIBING =
  /-(?:handed|based|minded|sized|haired|eyed|shaped)$|^un(?!lock|install|plug|pack|subscri)/

const PAST: ReadonlySet<string> = new Set(WORD_CLASSES.past)
const OBJECTS = setOf(`
  the a an my our your his her their its this these those it them him me us all each every any both only no up one
  two three
`)
const NO_BASE_VERB = /(?:ed|ing|ly|s)$/

/** "the board approved", "we met": told, not described. "need" and "speed" are no past tense. */
export const pastVerb: Shape = (_text, words) =>
  firstOf(words, ({ word, begins }, i) => {
    if (!isPast(word)) return false
    return begins !== 'anywhere' || !BEFORE_PARTICIPLES.has(words[i - 1]?.word ?? '')
  })

function isPast(word: string): boolean {
  if (!word.endsWith('ed')) return PAST.has(word)
  return word.length > 3 && !word.endsWith('eed') && !NO_EVENTS.has(word) && !DESCRIBING.test(word)
}

/** "Deployed version 2.4": whoever wrote the note did it. */
export const pastFirst: Shape = (_text, words) =>
  firstOf(words, ({ word, begins }) => begins === 'sentence' && isPast(word))

/** "Knead the dough": a sentence or clause that opens with a verb and its object. */
export const verbFirst: Shape = (_text, words) =>
  firstOf(words, ({ word, begins }, i) => {
    const next = words[i + 1]
    if (begins === 'anywhere' || next?.begins !== 'anywhere' || !OBJECTS.has(next.word))
      return false
    if (words[i + 2]?.begins !== 'anywhere' || word.length < 2) return false
    return !OPENINGS.has(word) && !PAST.has(word) && !NO_BASE_VERB.test(word)
  })

const NOT_DOING = setOf(`
  during nothing everything something anything morning evening meeting building spring string king ring thing
  marketing billing according regarding wedding ceiling feeling looking
`)

/** "Travelling alone showed me": what one does is what the sentence is about. */
export const doingFirst: Shape = (_text, words) =>
  firstOf(words, ({ word, begins }, i) => {
    if (begins !== 'sentence' || word.length < 5 || !word.endsWith('ing')) return false
    const next = words[i + 1]
    return next?.begins === 'anywhere' && next.word !== 'for' && !NOT_DOING.has(word)
  })

const COMPARED = setOf('more less fewer better worse rather')
const MOST_WORDS_BETWEEN = 8

/** "more from tickets than from surveys", but not "older than 30 days". */
export const comparison: Shape = (_text, words) =>
  firstOf(words, ({ word }, i) => {
    if (word !== 'than' || /^(?:\d|usual|ever)/.test(words[i + 1]?.word ?? '')) return false
    const before = words.slice(Math.max(0, i - MOST_WORDS_BETWEEN), i)
    return before.some((one) => COMPARED.has(one.word) || /^\p{L}{3,}er$/u.test(one.word))
  })

function firstOf(
  words: readonly WordOfText[],
  isIt: (word: WordOfText, i: number) => boolean,
): string | undefined {
  return words.find(isIt)?.word
}

const matching =
  (pattern: RegExp): Shape =>
  (text) =>
    pattern.exec(text)?.[0].trim()

/** Most texts have no figure, and that is soon seen. */
const matchingFigures =
  (pattern: RegExp): Shape =>
  (text) =>
    /\d/.test(text) ? pattern.exec(text)?.[0].trim() : undefined

const MONTHS =
  'January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec'

/** 2026-05-02, at 14:30, 3 March, in 1961. */
export const date = matchingFigures(
  new RegExp(
    `\\b(?:\\d{4}-\\d{2}-\\d{2}|(?:at|um|à) \\d{1,2}:\\d{2}|\\d{1,2}(?:st|nd|rd|th|\\.)? (?:${MONTHS})|[Ii]n (?:1[5-9]|20)\\d\\d)\\b`,
  ),
)

/** `npm test`, $ ls, --force, git push. A single word in backticks is a name, not a command. */
export const command = matching(
  /`[a-z][\w./-]* [^`]+`|(?:^|\s)\$ \w|\s--[a-z]|\b(?:npm|npx|git|docker|kubectl|pip|curl|sudo|cargo|ssh) [a-z-]+/,
)

/** 64 GB, 20 %, port 5432. */
export const figure = matchingFigures(/\d\s?(?:[KMGT]i?B|ms|kg|km|%|€)(?![\p{L}\d])|\b[Pp]ort \d/u)

export const outcry = matching(/[!?]!|!(?:\s|$)|\p{Emoji_Presentation}/u)
