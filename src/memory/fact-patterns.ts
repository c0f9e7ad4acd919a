/** The table of sentence patterns that are taken for facts, with their confidence. */

import type { FactType } from '../core/fact.js'

export type FactPattern = {
  readonly type: FactType
  readonly predicate: string
  /** A pattern; `(s)` stands after a name, but not after "I" and "we". */
  readonly verb: string
  readonly object: ObjectShape
  /** .5 to .9: how often a sentence of this form means what it seems to. */
  readonly confidence: number
  readonly example: string
}

/** What may stand as an object; the patterns are in `OBJECTS`. */
export type ObjectShape =
  | 'thing'
  | 'place'
  | 'proper place'
  | 'somebody'
  | 'role'
  | 'name'
  | 'date'
  | 'state'
  | 'deed'

// biome-ignore format: one pattern a row
export const FACT_PATTERNS: readonly FactPattern[] = [
  { type: 'decision', predicate: 'decided', verb: '(?:have |has )?decided', object: 'deed', confidence: 0.9, example: 'We decided to use SQLite.' },
  { type: 'preference', predicate: 'prefers', verb: 'prefer(s)', object: 'thing', confidence: 0.9, example: 'Anna prefers tea.' },
  { type: 'preference', predicate: 'likes', verb: 'like(s)', object: 'thing', confidence: 0.8, example: 'Tom likes short answers.' },
  { type: 'preference', predicate: 'loves', verb: 'love(s)', object: 'thing', confidence: 0.8, example: 'I love hiking.' },
  { type: 'preference', predicate: 'hates', verb: '(?:hate|dislike)(s)', object: 'thing', confidence: 0.8, example: 'I hate long meetings.' },
  { type: 'location', predicate: 'lives in', verb: 'live(s) (?:in|at)', object: 'place', confidence: 0.9, example: 'Anna lives in Graz.' },
  { type: 'location', predicate: 'is in', verb: '(?:is|are|am) (?:located|based) (?:in|at)', object: 'place', confidence: 0.9, example: 'The office is located in Berlin.' },
  { type: 'location', predicate: 'works from', verb: 'work(s) from', object: 'place', confidence: 0.8, example: 'Tom works from home.' },
  { type: 'location', predicate: 'is in', verb: '(?:is|are|am) (?:in|at)', object: 'proper place', confidence: 0.6, example: 'Our office is in Lisbon.' },
  { type: 'relationship', predicate: 'works for', verb: 'work(s) for', object: 'somebody', confidence: 0.8, example: 'Priya works for Acme.' },
  { type: 'relationship', predicate: 'works with', verb: 'work(s) with', object: 'somebody', confidence: 0.6, example: 'Priya works with Tom.' },
  { type: 'relationship', predicate: 'reports to', verb: 'report(s) to', object: 'somebody', confidence: 0.9, example: 'Priya reports to Elena.' },
  { type: 'relationship', predicate: 'manages', verb: 'manage(s)', object: 'somebody', confidence: 0.7, example: 'Elena manages the data team.' },
  { type: 'relationship', predicate: 'is married to', verb: '(?:is|am) married to', object: 'somebody', confidence: 0.9, example: 'Tom is married to Ana.' },
  { type: 'identity', predicate: 'is called', verb: '(?:is|are|am) (?:called|named)', object: 'name', confidence: 0.9, example: 'Our dog is called Rex.' },
  { type: 'temporal', predicate: 'is due', verb: '(?:is|are) due(?: on| by| at| in)?', object: 'date', confidence: 0.8, example: 'The report is due on Friday.' },
  { type: 'temporal', predicate: 'starts', verb: '(?:starts?|begins?)(?: on| at| in)?', object: 'date', confidence: 0.8, example: 'The sprint starts on 2026-03-02.' },
  { type: 'temporal', predicate: 'ends', verb: '(?:ends?|expires?)(?: on| at| in)?', object: 'date', confidence: 0.8, example: 'The contract ends on 30 June 2027.' },
  { type: 'temporal', predicate: 'happens', verb: '(?:happens?|takes? place)(?: on| at| in)?', object: 'date', confidence: 0.8, example: 'The fair takes place in May.' },
  { type: 'temporal', predicate: 'is on', verb: '(?:is|are) on', object: 'date', confidence: 0.7, example: 'My birthday is on 12 November.' },
  { type: 'state', predicate: 'status', verb: '(?:is|are)(?: back)?', object: 'state', confidence: 0.8, example: 'The build is green.' },
  { type: 'identity', predicate: 'is', verb: '(?:is|am)', object: 'role', confidence: 0.7, example: 'Ana is a nurse.' },
]

/** For lines of the form `key: value`, and for "my name is …". */
export const KEY_VALUE_CONFIDENCE = 0.8
export const OWN_NAME_CONFIDENCE = 0.9
/** Taken from a sentence with "maybe", "I think" or "probably". */
export const HEDGE_LOSS = 0.2

const NAME = `\\p{Lu}[\\p{L}\\p{N}&'’.+#-]*`
const NAMES = `${NAME}(?: ${NAME}){0,3}`
const DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)`
const YEAR = '(?:,? \\d{4})?'
const TIME = '\\d{1,2}(?::\\d{2})?(?: ?[ap]\\.?m\\.?)?'
/** What may follow a complete object. */
const END = `(?=$|[,;.!]|\\s(?:again|now|today|since|because|until|and|but|so|as|at|with)\\b)`

/** "The best", "a lot" and "a mess" are no roles. */
const NO_ROLE = `(?:a|an|the) (?:lot|bit|little|few|good|bad|great|big|huge|nice|real|best|mix|worst|same|case|point|problem|issue|mess|joy|shame|pity|mistake|must|joke|one|only|first|last|next|other|most|least|way|reason|kind|sort|pain|risk|challenge|question|result|right|wrong|thing|more|very|much)`
/** Capitalised, but not a place. */
const NO_PLACE = `(?:English|German|French|Spanish|Italian|Python|Rust|Go|Java|JavaScript|TypeScript|Ruby|C|PHP|SQL|JSON|YAML|${MONTH}|${DAY})\\b`

export const OBJECTS: Readonly<Record<ObjectShape, string>> = {
  thing: `(?!(?:it|this|that|them|him|his|her|your|their|how|what|when|where|who|you|me|us)\\b)\\S.*`,
  place: `(?!(?:it|this|that|here|there|fear|peace)\\b)\\S.*`,
  'proper place': `(?!${NO_PLACE})(?:the )?(?:${NAMES}|home|(?<=the )(?:office|airport|hospital|station|kitchen|warehouse))${END}`,
  somebody: `(?:(?:the|my|our) )?\\p{Lu}.*|(?:the|my|our) \\p{L}.*`,
  role: `(?!${NO_ROLE}\\b)(?:a|an|the) \\p{L}.*`,
  name: `["“']?${NAMES}["”']?${END}`,
  date: `(?:(?:next|this) )?(?:\\d{4}-\\d{2}(?:-\\d{2})?|\\d{1,2}(?:st|nd|rd|th|\\.)? ${MONTH}${YEAR}|${MONTH}(?: \\d{1,2}(?:st|nd|rd|th)?)?${YEAR}|${DAY}|tomorrow|today|noon|midnight|\\d{4}|${TIME})${END}`,
  state: `(?:down|up|broken|green|red|running|done|blocked|online|offline|finished|complete|ready|stuck|failing|passing|live|paused|stopped|unavailable|available|merged|deployed|open|closed)${END}`,
  deed: `(?:to|not to|on|against|that) \\S.*`,
}
