/** Promise: what a list of cues cannot say of a sentence is said by a pattern of few words. */

const oneOf = (words: string): string => `(?:${words.trim().split(/\s+/).join('|')})`

/** Past tenses that do not end in -ed. */
const IRREGULAR = `ate became began bent bit blew bought broke brought built burst came caught chose crept dealt drank drew
  drove fed fell felt fled flew forgot fought found froze gave got grew heard held hid hung knew laid led left lent lit lost
  made met paid ran rang rode rose said sang sank sat saw sent shook shot slept slid sold spent spoke stole stood stuck
  struck swam swept swore taught threw told took tore understood went woke won wore wrote`

/** After these a word in -ed describes something: "is tagged", "the signed lease", "very tired". */
const BEFORE_PARTICIPLES = `is are be been being am get gets has have the an? of in by with and or to very so more not my our
  his her their your its two all as if than`

/** What a sentence may open with that is no verb: "in the morning", "that a", "we all". */
const OPENINGS = `in on at for to from with by of as if when while after before since until about during over under and or
  but so not is are was were has had have all both that this these those there what how why who which where because than
  then through into like per via i we you he she they it also now just only even maybe perhaps such quite rather
  within without against between across despite`

/** Words in -ed that describe even where nothing before them says so. */
const DESCRIBING =
  'interested supposed needed based related married tired used limited detailed advanced dedicated loved'

/** "the board approved", "we met": told, not described. "need" and "speed" are no past tense. */
export const PAST_VERB = new RegExp(
  `(?<!\\b${oneOf(BEFORE_PARTICIPLES)} )(?<![\\p{L}'’-])(?!${oneOf(DESCRIBING)}\\b)(?:\\p{L}[\\p{L}-]+(?<!e)ed|${oneOf(IRREGULAR)})(?= |[.,;]|$)`,
  'u',
)

/** "Knead the dough": a sentence or clause that opens with a verb and its object. */
export const VERB_FIRST = new RegExp(
  `(?:^|[.!?\\n]\\s+|[,;:] )(?!${oneOf(`${OPENINGS} ${IRREGULAR}`)}\\b)(?!\\p{L}+(?:ed|ing|ly|s) )\\p{L}{2,} ${oneOf(
    'the an? your it them all each every any both only no up two three',
  )} `,
  'iu',
)

const MONTHS =
  'January February March April May June July August September October November December'

/** 2026-05-02, at 14:30, 3 March. */
export const DATE = new RegExp(
  `\\b(?:\\d{4}-\\d{2}-\\d{2}|(?:at|um|à) \\d{1,2}:\\d{2}|\\d{1,2}(?:st|nd|rd|th|\\.)? ${oneOf(MONTHS)})\\b`,
)

/** `npm test`, $ ls, --force, git push. A single word in backticks is a name, not a command. */
export const COMMAND =
  /`[a-z][\w./-]* [^`]+`|(?:^|\s)\$ \w|\s--[a-z]|\b(?:npm|npx|git|docker|kubectl|pip|curl|sudo|cargo|ssh) [a-z-]+/

/** 64 GB, 20 %, port 5432. */
export const FIGURE = /\d\s?(?:[KMGT]i?B|ms|kg|km|%|€)(?![\p{L}\d])|\b[Pp]ort \d/u

export const OUTCRY = /!(?:\s|$)|\p{Emoji_Presentation}/u
