/** The table of sentence patterns that are taken for facts, with their confidence. */

import type { FactType } from '../core/fact.js'

type FactPattern = {
  readonly type: FactType
  readonly predicate: string
  /** A pattern; `(s)` stands after a name, but not after "I" and "we". */
  readonly verb: string
  readonly object: ObjectShape
  /** .5 to .9: how often a sentence of this form states this fact. */
  readonly confidence: number
  /** Several such facts about one subject do not contradict each other. */
  readonly isMany?: true
  /** A denial is the fact itself: "does not eat". */
  readonly isDenial?: true
  readonly example: string
}

/** A form of sentence whose subject or object stands elsewhere than before or behind the verb. */
type SentencePattern = Omit<FactPattern, 'verb' | 'object' | 'isDenial'> & {
  /** With the groups `subject` and `object`. */
  readonly pattern: string
  /** A quick test that every such sentence passes. */
  readonly needs: string
  /** The subject of a sentence that does not name it. */
  readonly subject?: string
}

/** The kinds of objects; their patterns are in `OBJECTS`. */
type ObjectShape =
  | 'thing'
  | 'place'
  | 'proper place'
  | 'somebody'
  | 'role'
  | 'name'
  | 'date'
  | 'state'
  | 'deed'
  | 'host'
  | 'trait'
  | 'food'
  | 'plan'
  | 'choice'
  | 'employer'

// biome-ignore format: one pattern a row
export const FACT_PATTERNS: readonly FactPattern[] = [
  { type: 'decision', predicate: 'decided', verb: '(?:have |has )?(?:decided|agreed)', object: 'deed', confidence: 0.9, isMany: true, example: 'We decided to use SQLite.' },
  { type: 'decision', predicate: 'chose', verb: '(?:have |has )?(?:chosen|chose|picked|opted for|settled on|went with|gone with|(?:are |is )?going with|signed off on|standardi[sz]ed on)', object: 'choice', confidence: 0.8, isMany: true, example: 'We chose Postgres over MySQL.' },
  { type: 'decision', predicate: 'will', verb: '(?:will|are going to|is going to)', object: 'plan', confidence: 0.7, isMany: true, example: 'We will switch to Postgres in May.' },
  { type: 'preference', predicate: 'does not eat', verb: "(?:do|does|ca|can)(?:n['’]t|n?ot| not) (?:eat|drink|tolerate)", object: 'food', confidence: 0.8, isMany: true, isDenial: true, example: 'Tom does not eat pork.' },
  { type: 'identity', predicate: 'is allergic to', verb: '(?:is|am|are) (?:(?:severely|highly|mildly|badly|very|deathly) )?allergic to', object: 'thing', confidence: 0.9, isMany: true, example: 'Ana is allergic to peanuts.' },
  { type: 'identity', predicate: 'is', verb: '(?:is|am|are) (?:(?:a|an|strictly|strict) )?', object: 'trait', confidence: 0.8, isMany: true, example: 'I am vegetarian.' },
  { type: 'preference', predicate: 'prefers', verb: 'prefer(s)', object: 'thing', confidence: 0.9, example: 'Anna prefers tea.' },
  { type: 'preference', predicate: 'likes', verb: 'like(s)', object: 'thing', confidence: 0.8, isMany: true, example: 'Tom likes short answers.' },
  { type: 'preference', predicate: 'loves', verb: 'love(s)', object: 'thing', confidence: 0.8, isMany: true, example: 'I love hiking.' },
  { type: 'preference', predicate: 'hates', verb: '(?:hate|dislike)(s)', object: 'thing', confidence: 0.8, isMany: true, example: 'I hate long meetings.' },
  { type: 'location', predicate: 'lives in', verb: 'live(s) (?:in|at)', object: 'place', confidence: 0.9, example: 'Anna lives in Graz.' },
  { type: 'location', predicate: 'lives in', verb: '(?:(?:have |has )?moved to|reside(s) in|(?:am|is|are) living in)', object: 'proper place', confidence: 0.8, example: 'Anna moved to Graz.' },
  { type: 'location', predicate: 'is from', verb: '(?:(?:is|am|are|come(s)) (?:originally )?from|(?:was|were) born in|grew up in)', object: 'proper place', confidence: 0.8, example: 'Ines is from Porto.' },
  { type: 'location', predicate: 'is deployed to', verb: '(?:(?:is|are|was|were|get(s)) |(?:has|have) been )?(?:now )?(?:deployed|hosted|deploy(s)|run(s)|running) (?:to|on|at|with|in)', object: 'host', confidence: 0.8, example: 'The shop is deployed to Hetzner.' },
  { type: 'location', predicate: 'is in', verb: '(?:is|are|am) (?:located|based) (?:in|at)', object: 'place', confidence: 0.9, example: 'The office is located in Berlin.' },
  { type: 'location', predicate: 'works from', verb: 'work(s) from', object: 'place', confidence: 0.8, example: 'Tom works from home.' },
  { type: 'location', predicate: 'is in', verb: '(?:is|are|am) (?:in|at)', object: 'proper place', confidence: 0.6, example: 'Our office is in Lisbon.' },
  { type: 'relationship', predicate: 'works for', verb: '(?:work(s) (?:for|at)|(?:am|is|are) (?:working|employed) (?:for|at|by))', object: 'employer', confidence: 0.8, example: 'Priya works for Acme.' },
  { type: 'relationship', predicate: 'works for', verb: '(?:have |has )?joined', object: 'name', confidence: 0.7, example: 'Priya joined Acme.' },
  { type: 'relationship', predicate: 'works with', verb: 'work(s) with', object: 'somebody', confidence: 0.6, isMany: true, example: 'Priya works with Tom.' },
  { type: 'relationship', predicate: 'reports to', verb: 'report(s) to', object: 'somebody', confidence: 0.9, example: 'Priya reports to Elena.' },
  { type: 'relationship', predicate: 'manages', verb: 'manage(s)', object: 'somebody', confidence: 0.7, isMany: true, example: 'Elena manages the data team.' },
  { type: 'relationship', predicate: 'is married to', verb: '(?:is|am) married to', object: 'somebody', confidence: 0.9, example: 'Tom is married to Ana.' },
  { type: 'identity', predicate: 'is called', verb: '(?:is|are|am) (?:called|named)', object: 'name', confidence: 0.9, example: 'Our dog is called Rex.' },
  { type: 'temporal', predicate: 'is due', verb: '(?:(?:is|are) due|closes?|(?:must|has to|have to|needs? to|should) be (?:done|finished|ready|submitted|sent|paid|filed|delivered|complete|completed|signed|renewed|live|in))(?: on| by| at| in| before)?', object: 'date', confidence: 0.8, example: 'The report is due on Friday.' },
  { type: 'temporal', predicate: 'starts', verb: '(?:starts?|begins?)(?: on| at| in)?', object: 'date', confidence: 0.8, example: 'The sprint starts on 2026-03-02.' },
  { type: 'temporal', predicate: 'ends', verb: '(?:ends?|expires?|runs out)(?: on| at| in)?', object: 'date', confidence: 0.8, example: 'The contract ends on 30 June 2027.' },
  { type: 'temporal', predicate: 'happens', verb: '(?:happens?|takes? place|launch(?:es)?|ships?|goes live|is scheduled for|is planned for)(?: on| at| in)?', object: 'date', confidence: 0.8, example: 'The fair takes place in May.' },
  { type: 'temporal', predicate: 'is on', verb: '(?:is|are) on', object: 'date', confidence: 0.7, example: 'My birthday is on 12 November.' },
  { type: 'state', predicate: 'status', verb: '(?:is|are)(?: back)?', object: 'state', confidence: 0.8, example: 'The build is green.' },
  { type: 'identity', predicate: 'is', verb: '(?:is|am)', object: 'role', confidence: 0.7, isMany: true, example: 'Ana is a nurse.' },
]

// biome-ignore format: one pattern a row
const listSentencePatterns = (): readonly SentencePattern[] => [
  { type: 'decision', predicate: 'decided', subject: 'we', pattern: `^(?:Decided|Agreed) (?<object>${OBJECTS.deed})`, needs: '(?:Decided|Agreed) ', confidence: 0.9, isMany: true, example: 'Decided to keep SQLite.' },
  { type: 'identity', predicate: 'is called', subject: 'I', pattern: `^(?:[Mm]y (?:full |first )?name is|[Yy]ou can call me|[Pp]lease call me|[Cc]all me|I go by) (?<object>${NAMES})(?=$|[,;.!])`, needs: '(?:name is|call me|go by) ', confidence: 0.9, example: 'My name is Ada Lovelace.' },
  { type: 'identity', predicate: 'is called', subject: 'I', pattern: `^I am (?<object>${NAME} ${NAME}(?: ${NAME})?|${NAME}(?=,? (?:from|and I)\\b))(?=$|[,;.!]| (?:from|and I)\\b)`, needs: '^I am ', confidence: 0.7, example: 'I am Ada Lovelace.' },
  { type: 'identity', predicate: 'is called', pattern: `^(?<subject>(?:[Tt]he|[Mm]y|[Oo]ur)(?: ${WORD}){1,3}|${NAMES})['’]s name is (?<object>${NAMES})(?=$|[,;.!])`, needs: "['’]s name is ", confidence: 0.9, example: "My daughter's name is Mia." },
  { type: 'identity', predicate: 'is called', pattern: `^(?<subject>(?:(?:[Mm]y|[Oo]ur)|${NAMES}['’]s) (?:${KIN})) is (?<object>${NAMES})(?=$|[,;.!])`, needs: `(?:${KIN}) is `, confidence: 0.8, example: 'My manager is Elena Rossi.' },
  { type: 'identity', predicate: 'is allergic to', pattern: `^(?<subject>${SUBJECT}) ha(?:s|ve) (?:an?|the) (?:(?:severe|bad|mild|strong|serious) )?(?:allergy to (?<object>\\S.*)|(?<before>${WORD}(?: ${WORD})?) allergy\\b)`, needs: 'allergy', confidence: 0.8, isMany: true, example: 'Tom has a peanut allergy.' },
  { type: 'preference', predicate: 'is', pattern: `^(?<subject>(?:[Mm]y|[Oo]ur|${NAMES}['’]s) favou?rite(?: ${WORD}){1,3}) (?:is|are) (?<object>\\S.*)`, needs: 'favou?rite', confidence: 0.9, example: 'My favourite colour is green.' },
  { type: 'temporal', predicate: 'is due', pattern: `^(?:[Tt]he |[Oo]ur )?(?:[Dd]eadline|[Dd]ue date)(?: for| of) (?<subject>${THING})(?: is|:)(?: on)? (?<object>${OBJECTS.date})`, needs: '[Dd](?:eadline|ue date)', confidence: 0.9, example: 'The deadline for the grant is 3 May 2027.' },
  { type: 'temporal', predicate: 'is due', pattern: `^(?<subject>(?:(?:[Tt]he|[Oo]ur|[Mm]y) )?(?:${WORD} ){0,3}[Dd]eadline)(?: is|:)(?: on)? (?<object>${OBJECTS.date})`, needs: '[Dd]eadline', confidence: 0.9, example: 'The submission deadline is 3 May.' },
  { type: 'temporal', predicate: 'is due', pattern: `^(?:(?:I|[Ww]e|${NAMES}) (?:must|has to|have to|needs? to|should) )?${DELIVER} (?<subject>${THING}) (?:by|before|no later than|until) (?<object>${OBJECTS.date})`, needs: `${DELIVER} `, confidence: 0.8, example: 'We must submit the report by Friday.' },
  { type: 'kv', predicate: 'port', pattern: `^(?<subject>${SUBJECT}) (?:now )?(?:listens?|runs?|answers?|serves?|is|are|sits?|uses?)(?: now)?(?: running| listening| available| reachable| exposed| served| bound)?(?: to)?(?: (?:on|at))? (?:(?:TCP|UDP|the) )?port (?<object>\\d{2,5})\\b`, needs: 'port \\d', confidence: 0.9, example: 'The API listens on port 8080.' },
  { type: 'kv', predicate: 'port', pattern: `^(?<subject>${SUBJECT}) (?:listens?|is listening) (?:on|at) (?:[\\w.]*:)?(?<object>\\d{2,5})(?=$|[,;.!\\s])`, needs: 'listen', confidence: 0.8, example: 'Redis listens on 6379.' },
  { type: 'kv', predicate: 'port', pattern: `^(?:[Tt]he |[Oo]ur )?(?:port (?:of|for) (?<subject>${THING})|(?<before>${WORD}(?: ${WORD})?) port) is(?: now)? (?<object>\\d{2,5})(?=$|[,;.!]|\\s(?:and|but|on|in|for)\\b)`, needs: 'port', confidence: 0.9, example: 'The port of the pooler is 6543.' },
  { type: 'kv', predicate: 'version', pattern: `^(?:[Tt]he |[Oo]ur )?(?:(?:current|latest|installed|minimum|required|supported) )?version (?:of|for) (?<subject>${THING}) is(?: now)? (?<object>${VERSION})`, needs: 'version \\S+ ', confidence: 0.9, example: 'The version of the parser is 2.4.1.' },
  { type: 'kv', predicate: 'version', pattern: `^(?:[Tt]he |[Oo]ur )?(?:(?:current|latest|installed|minimum|required) )?(?<subject>${WORD}(?: ${WORD})?) version is(?: now)? (?<object>${VERSION})`, needs: 'version is', confidence: 0.9, example: 'The Node version is 20.20.' },
  { type: 'kv', predicate: 'version', pattern: `^(?<subject>${SUBJECT}) (?:is|are|runs?|stays?|is running|is pinned|is now)(?: now)?(?: (?:at|on|to))? (?:version |release |v(?=\\d))(?<object>${VERSION})`, needs: '\\d', confidence: 0.9, example: 'The API is at version 3.2.' },
  { type: 'kv', predicate: 'version', pattern: `^(?:(?:I|[Ww]e|${SUBJECT}) )?(?:have |has )?(?:[Uu]pgraded|[Uu]pdated|[Bb]umped|[Pp]inned|[Dd]owngraded) (?<subject>${THING}) (?:from \\S+ )?to (?:version |v)?(?<object>${VERSION})`, needs: '(?:pgraded|pdated|umped|inned|owngraded) ', confidence: 0.9, example: 'We upgraded Node to 22.1.' },
  { type: 'kv', predicate: 'version', pattern: `^(?:I|[Ww]e|${SUBJECT}) (?:(?:now )?(?:use|run|require|need|target|support)s?|(?:is|are) (?:running |still )?on|(?:have |has )?(?:upgraded|updated|migrated|moved|switched) to) (?<subject>${NAME}(?: ${NAME})?) (?:version |v)?(?<object>${VERSION})`, needs: '\\d', confidence: 0.8, example: 'We run Postgres 16.2.' },
  { type: 'location', predicate: 'is deployed to', pattern: `^(?:(?:I|[Ww]e|${NAMES}) (?:have |has )?(?:deploy(?:ed|s)?|host(?:ed|s)?|moved|migrated)|Deployed|Moved|Migrated) (?<subject>(?:the|our|my) (?:${WORD} ?){1,3}?|${NAME}) (?:from \\S+ )?(?:to|on|onto) (?<object>${OBJECTS.host})`, needs: '(?:deploy|host|Deployed|[Mm]oved|[Mm]igrated)', confidence: 0.8, example: 'We deployed the shop to Hetzner.' },
  { type: 'location', predicate: 'is deployed to', subject: 'we', pattern: `^(?:Now )?(?:Deployed|Hosted) (?:to|on|at|with) (?<object>${OBJECTS.host})`, needs: '(?:Deployed|Hosted) ', confidence: 0.7, example: 'Deployed to Fly.io.' },
]

/** For lines of the form `key: value`. */
export const KEY_VALUE_CONFIDENCE = 0.8
/** For lines of the form `Decided: …`. */
export const DECISION_CONFIDENCE = 0.9
/** Taken from a sentence with "maybe", "I think" or "probably". */
export const HEDGE_LOSS = 0.2

const NAME = `\\p{Lu}[\\p{L}\\p{N}&'’.+#-]*`
const NAMES = `${NAME}(?: ${NAME}){0,3}`
const DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)`
const YEAR = '(?:,? \\d{4})?'
const TIME = '\\d{1,2}(?::\\d{2})?(?: ?[ap]\\.?m\\.?)?'
/** What may follow a complete object. */
const END = `(?=$|[,;.!)]|\\s(?:again|now|today|since|because|until|and|but|so|as|at|with|in|on|for|from|last|next|this|morning|evening|afternoon|to|by)\\b)`

/** "The best", "a lot" and "a mess" are no roles. */
const NO_ROLE = `(?:a|an|the) (?:lot|bit|little|few|good|bad|great|big|huge|nice|real|best|mix|worst|same|case|point|problem|issue|mess|joy|shame|pity|mistake|must|joke|one|only|first|last|next|other|most|least|way|reason|kind|sort|pain|risk|challenge|question|result|right|wrong|thing|more|very|much)`
/** Capitalised, but not a place. */
const NO_PLACE = `(?:English|German|French|Spanish|Italian|Python|Rust|Go|Java|JavaScript|TypeScript|Ruby|C|PHP|SQL|JSON|YAML|${MONTH}|${DAY}s?)\\b`

const WORD = `(?!(?:and|or|who|that|which|of|in|on|at|to|for|with|from|by|is|are|am|was|were|says?|said|thinks?|told|hopes?|wants?|knows?|if|but|as|than|when|while|because|like|has|have|had|will|can)\\b)[\\p{L}\\p{N}'’._/-]+`
const NO_NAME = `(?:There|Here|This|That|These|Those|It|He|She|They|You|Who|What|Which|Where|How|Why|Nothing|Everything|Something|Everyone|Someone|Nobody|Anyone|All|Both|Each|One|Another|Some|Any|Most|Many|Such|Today|Tomorrow|Yesterday|Then|The|A|An|My|Our|Your|His|Her|Their|Its|If|When|In|On|At|For|To|And|But|So|Not|No|Neither|We|I|As|Although|Though|Since|While|Because|Thus|However|Therefore|Hence|Thanks)\\b`
export const OWN = 'I|[Ww]e'
/** A name with up to two nouns; or "the", "my" or "our" with up to four words, and "of" with another noun. */
export const OTHERS = `(?!${NO_NAME})\\p{Lu}[\\p{L}\\p{N}'’.&/-]*(?: ${WORD}){0,2}|(?:[Tt]he|[Mm]y|[Oo]ur)(?: ${WORD}){1,4}(?: of (?:the |my |our )?${WORD})?`

/** "My parents", "the cats": their verbs have no s. */
export const PLURAL = `(?:[Tt]he|[Mm]y|[Oo]ur)(?: ${WORD}){0,2} [\\p{L}-]*[^\\Ws]s`
/** The subject of a sentence. */
const SUBJECT = `(?:${OTHERS}|${OWN})`
const THING = `(?:(?:the|my|our|a|an|this) )?${WORD}(?: ${WORD}){0,4}?(?: of (?:the |my |our )?${WORD})?`
const KIN =
  'wife|husband|partner|spouse|fiancée?|girlfriend|boyfriend|son|daughter|mother|father|mum|mom|dad|brother|sister|boss|manager|supervisor|advisor|dentist|doctor|landlord|landlady|accountant|lawyer|therapist|teacher|dog|cat|employer|team lead|tech lead|product owner'
const DELIVER =
  '(?:[Ss]ubmit|[Ff]inish|[Dd]eliver|[Ss]end|[Ff]ile|[Cc]omplete|[Hh]and in|[Pp]ay|[Ss]hip|[Rr]enew|[Rr]eturn|[Ss]ign|[Bb]ook|[Rr]eply to|[Uu]pload)'
const VERSION = `\\d+(?:\\.\\d+)*(?:[-.]?(?:alpha|beta|rc|LTS)[.\\d]*)?(?=$|[,;!)]|\\.(?=\\s|$)|\\s(?:and|but|now|since|because|in|on|for|or|everywhere|today|LTS|yesterday|as|at|with|from|this|last)\\b)`

export const OBJECTS: Readonly<Record<ObjectShape, string>> = {
  thing: `(?!to (?:think|believe|say|know|imagine)\\b)(?!(?:it|this|that|them|him|his|her|your|their|how|what|when|where|who|you|me|us)\\b)\\S.*`,
  place: `(?!(?:it|this|that|here|there|fear|peace)\\b)\\S.*`,
  'proper place': `(?!${NO_PLACE})(?:the )?(?:${NAMES}|home|(?<=the )(?:office|airport|hospital|station|kitchen|warehouse))${END}`,
  somebody: `(?:(?:the|my|our) )?\\p{Lu}.*|(?:the|my|our) \\p{L}.*`,
  role: `(?!${NO_ROLE}\\b)(?:a|an|the) \\p{L}.*`,
  name: `["“']?${NAMES}["”']?${END}`,
  date: `(?:(?:next|this) )?(?:\\d{4}-\\d{2}(?:-\\d{2})?|\\d{1,2}(?:st|nd|rd|th|\\.)? ${MONTH}${YEAR}|${MONTH}(?: \\d{1,2}(?:st|nd|rd|th)?)?${YEAR}|${DAY}|tomorrow|today|tonight|noon|midnight|\\d{1,2}[/.]\\d{1,2}(?:[/.]\\d{2,4})?|Q[1-4](?: \\d{4})?|(?:the )?end of (?:the )?(?:day|week|month|quarter|year|${MONTH}${YEAR}|Q[1-4])|(?<=next |this )(?:week|month|quarter|year)|\\d{4}|${TIME})${END}`,
  state: `(?:down|up|broken|green|red|running|done|blocked|online|offline|finished|complete|ready|stuck|failing|passing|live|paused|stopped|unavailable|available|merged|deployed|open|closed)${END}`,
  deed: `(?:to|not to|on|against|that|upon) \\S.*`,
  host: `(?:the )?(?:(?!${NO_PLACE})${NAMES}|[a-z][\\w-]*\\.[a-z][\\w.-]*)${END}`,
  trait: `(?:vegetarian|vegan|pescatarian|coeliac|celiac|diabetic|teetotal|left-handed|right-handed|colou?r-?blind|(?:lactose|gluten|fructose)[- ]intolerant|deaf|pregnant)${END}`,
  food: `(?:any )?\\p{Ll}[\\p{L}-]*(?: (?:or|and) \\p{Ll}[\\p{L}-]*| \\p{Ll}[\\p{L}-]*)?${END}`,
  choice: `(?!(?:up|out|off|it|this|that|them|him|his|her|your|their|me|us|you|to|the flow|one|what|which)\\b)\\S.*`,
  employer: `(?:the )?${NAMES}${END}|(?:the|my|our|an?) (?!living|while|moment|bit)\\p{L}.*`,
  plan: `(?:use|adopt|go with|switch to|migrate to|move to|drop|stick with|keep|replace|ship|release|rewrite) \\S.*`,
}

export const SENTENCE_PATTERNS = listSentencePatterns()

const MANY = new Set(
  [...FACT_PATTERNS, ...SENTENCE_PATTERNS]
    .filter(({ isMany }) => isMany)
    .map(({ type, predicate }) => `${type} ${predicate}`),
)

/** Somebody likes many things and lives in one place: of the latter only one can be true. */
export function hasOneObject({
  type,
  predicate,
}: Pick<FactPattern, 'type' | 'predicate'>): boolean {
  return !MANY.has(`${type} ${predicate}`)
}
