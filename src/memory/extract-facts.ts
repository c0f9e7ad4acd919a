/** Extracts facts from plain statements; questions, wishes and denials give none. */

import { factKey, type NewFact } from '../core/fact.js'
import { lazyPattern } from '../text/segment.js'
import {
  DECISION_CONFIDENCE,
  FACT_PATTERNS,
  HEDGE_LOSS,
  KEY_VALUE_CONFIDENCE,
  OBJECTS,
  OTHERS,
  OWN,
  PLURAL,
  SENTENCE_PATTERNS,
} from './fact-patterns.js'
import { splitLines, splitSentences } from './sentences.js'

/** More facts in one text would be a list and not a memory. */
export const MOST_FACTS = 20

const MOST_OBJECT_WORDS = 12
const MOST_DEED_WORDS = 25

const PATTERNS = FACT_PATTERNS.map((pattern) => {
  const { type, verb } = pattern
  const own = type === 'decision' ? `${OWN}|[Tt]hey` : OWN
  const object = OBJECTS[pattern.object]
  const forms = [
    { subjects: own, ending: '' },
    // "Sounds like", "my love for": without the s it is hardly ever the verb of a name.
    { subjects: OTHERS, ending: 's' },
    { subjects: PLURAL, ending: '' },
  ]
  const expressions = forms.map(({ subjects, ending }) =>
    lazyPattern(`^(${subjects}) ${verb.replaceAll('(s)', ending)} ?(?<= )(${object})`, 'u'),
  )
  // Few patterns pass a look for the verb. The others are not compiled: the first call takes 30 ms instead of 180 ms.
  return { pattern, expressions, hasVerb: lazyPattern(` ${verb.replaceAll('(s)', 's?')}`, 'u') }
})
const SENTENCES = SENTENCE_PATTERNS.map((pattern) => ({
  ...pattern,
  expression: lazyPattern(pattern.pattern, 'u'),
  hasNeeded: lazyPattern(pattern.needs, 'u'),
}))
/** How every subject of `PATTERNS` begins. */
const SUBJECT_START = /^(?:\p{Lu}|we|they|the|my|our)/u

const KEY_VALUE = /^["*_`]*(\p{L}[\p{L}\p{N} _./'’()-]*?)["*_`]*:["*_`]*\s+(\S.*)$/u
/** A speaker, a kind of remark or half a sentence is no key. */
const NO_KEY =
  /^(?:user|assistant|system|human|ai|agent|bot|me|you|note|notes|reminder|important|idea|decision|decided|agreed|resolved|todo|example|examples|warning|hint|tip|update|question|answer|q|a|re|fwd|ps|fyi|summary|result|results|step|steps|context|http|https|ftp|mailto|file|e\.g|i\.e|also|remember|conclusion|lesson|today|yesterday|tomorrow)\b|\b(?:is|are|was|were|be|has|have|had|do|does|did|will|would|should|can|could|that|which|who|if|when|because|what|how|why|says|said|to|and|we|i|you|following)\b|\S\s+(?:the|a|an)\s/i
const SPEECH =
  /^(?:I|we|you|he|she|they|it|yes|no|ok|okay|hi|hello|hey|thanks|please|let's|that|this|my|our|your|yeah|yep|sure|oh|wow|well|so|and|but|haha|good|great|glad|nice|sounds)\b|\b(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|should)\b|['’](?:s|re|m|ve|ll) |[?!]$|[.!?]\s+\S|^[[{(]|^\/\//i
const DECISION_LINE =
  /^["*_`]*(?:decided|decision|agreed|resolved)\b[^:]{0,30}:["*_`]*\s+(?!(?:pending|tbd|none|open|postponed|deferred|later|no)\b)(\S.*)$/i
const MOST_KEY_WORDS = 4
const MOST_VALUE_WORDS = 8

/** The end of an object: a mark, or the beginning of another clause. */
const OBJECT_END =
  /[;()!?]|[,:](?=\s|$)|(?<!\b(?:Dr|Mr|Mrs|Ms|St|Prof))\.(?=\s|$)|\s[–—-]\s|\s(?:but|because|since|although|though|while|whereas|so that|when|unless|after|before|which|who|then)\s|\sand\s(?=(?:I|we|he|she|they|it|you|is|are|was|has|works|lives|prefers|likes|hates|reports)\b|\p{Lu}\p{L}+ (?:is|are|was|has|works|lives|prefers|likes|hates|reports)\b)/u
const TRAILING =
  /(?:\s+(?:too|as well|now|today|again|please|anyway|so much|very much|a lot|lately|by|in|of|to|for|with|on|at|from|as))+$/i

/** A longer sentence is too complex for these rules. */
const LONGEST_SENTENCE = 300

const CODE = /[{}<>|\\]|=>|::|\(\)|;$|^\s*(?:import|const|let|def|return|#)\b/
export const QUESTION = /\?["'”’»)\]]*$/
const HEDGE =
  /\b(?:maybe|perhaps|probably|possibly|presumably|apparently|supposedly|might|I (?:think|guess|believe|suppose|assume)|as far as I know|not sure)\b/i
/** Wishes, suppositions, orders and reports state nothing. */
const NOT_STATED =
  /^(?:if|when|whenever|unless|suppose|imagine|assuming|let's|let us|please|should|would|could|whether)\b|\b(?:would|if|wish(?:es)?|unless|whether|used to|supposed to|pretend(?:s|ed)?)\b/i
export const NEGATION =
  /\b(?:not|never|no longer|neither|nor|hardly|rarely|cannot|nobody|no one|none|nothing|without)\b|n['’]t\b/i

const OPENING =
  /^(?:(?:maybe|perhaps|probably|possibly|presumably|apparently|currently|now|right now|today|so|and|but|also|well|ok|okay|yes|hi|hello|hey|btw|by the way|fyi|note that|(?:note|reminder|update|heads up|important|ps)(?=[,:])|remember that|remember|actually|I (?:think|guess|believe|suppose|assume)(?: that)?|as far as I know)[,:]?\s+)+/i
const FILLER =
  /\b(?:really|usually|generally|still|also|just|now|currently|definitely|clearly|strongly|actually|probably|possibly|apparently|presumably|supposedly|always|mostly|very much|much)\s+/gi
/** Also before "and I am": three words before it are a clause of their own, and fewer ("Tom and I") the subject. */
const CLAUSE_END =
  /;\s+|,\s+(?:and|but|while|whereas)\s+|(?<=\S\s\S+\s\S+)\s(?:and|but)\s(?=(?:I|we)\s|(?:my|our)\s\S+\s(?:\S+\s)?(?:is|are)\s)/

type Clause = {
  /** Without hedges and fillers, ready to be matched. */
  readonly text: string
  readonly quote: string
  readonly isHedged: boolean
}

/**
 * The facts of a text in its order, each once, at most 20.
 * @example
 * extractFacts('Anna prefers tea.')
 * // [{ type: 'preference', subject: 'Anna', predicate: 'prefers', object: 'tea', confidence: 0.9, quote: 'Anna prefers tea.' }]
 */
export function extractFacts(text: string): readonly NewFact[] {
  const facts = new Map<string, NewFact>()
  for (const line of splitLines(text)) {
    const clauses = splitClauses(line).flatMap((clause) => readClause(clause) ?? [])
    const keyed = readDecisionLine(line) ?? (clauses.length > 0 ? null : readKeyValue(line))
    const found = keyed === null ? clauses : [keyed]
    for (const fact of found) {
      const key = factKey(fact)
      if (!facts.has(key)) facts.set(key, fact)
    }
    if (facts.size >= MOST_FACTS) break
  }
  return [...facts.values()].slice(0, MOST_FACTS)
}

/** `Decided: we keep SQLite`, with the whole rest of the line. */
function readDecisionLine(line: string): NewFact | null {
  const object = DECISION_LINE.exec(line)?.[1]?.replace(/[.!]+$/, '') ?? ''
  const words = countWords(object)
  if (words === 0 || words > MOST_DEED_WORDS || QUESTION.test(line)) return null
  const fact = { type: 'decision', subject: 'we', predicate: 'decided', object } as const
  return { ...fact, confidence: DECISION_CONFIDENCE, quote: line }
}

/** `port: 5432`, but not a time, an address, a heading or a line of dialogue. */
function readKeyValue(line: string): NewFact | null {
  const [, key = '', rest = ''] = KEY_VALUE.exec(line) ?? []
  const subject = key.trim()
  const object = rest.replace(/^["*_`]+|["*_`]*[,;.]?["*_`]*$/g, '').trim()
  if (subject === '' || object === '' || NO_KEY.test(subject) || SPEECH.test(object)) return null
  if (countWords(subject) > MOST_KEY_WORDS || countWords(object) > MOST_VALUE_WORDS) return null
  const confidence = KEY_VALUE_CONFIDENCE
  return { type: 'kv', subject, predicate: 'is', object, confidence, quote: line }
}

function readClause(clause: Clause): NewFact | null {
  const { text, quote } = clause
  const stated = readSentence(clause)
  if (stated !== null) return stated
  if (!SUBJECT_START.test(text)) return null
  for (const { pattern, expressions, hasVerb } of PATTERNS) {
    if (!hasVerb().test(text)) continue
    const match = matchFirst(expressions, text)
    const [, subject, rest] = match ?? []
    if (subject === undefined || rest === undefined) continue
    const object = cutObject(rest)
    // "We decided not to" is a decision; any other denial states nothing.
    const isDecision = pattern.type === 'decision'
    const denied = NEGATION.test(isDecision ? text.replace(/(?:decided|agreed) not/, '') : text)
    if ((denied && !pattern.isDenial) || !isObject(object, isDecision)) return null
    const { type, predicate } = pattern
    const confidence = lowerIfHedged(pattern.confidence, clause)
    return { type, subject: writeSubject(subject), predicate, object, confidence, quote }
  }
  return null
}

function readSentence(clause: Clause): NewFact | null {
  const { text, quote } = clause
  const possible = SENTENCES.filter(({ hasNeeded }) => hasNeeded().test(text))
  if (possible.length === 0) return null
  if (NEGATION.test(text.replace(/^(?:Decided|Agreed) not/, ''))) return null
  for (const { type, predicate, subject: fixed, expression, ...pattern } of possible) {
    const { subject = fixed, before, object = before } = expression().exec(text)?.groups ?? {}
    if (object === undefined) continue
    const about = subject ?? before ?? ''
    const said = cutObject(object)
    if (about === '' || !isObject(said, type === 'decision')) continue
    const confidence = lowerIfHedged(pattern.confidence, clause)
    return { type, subject: writeSubject(about), predicate, object: said, confidence, quote }
  }
  return null
}

/** The clauses of a line; questions, code, wishes and conditions give none. */
function splitClauses(line: string): Clause[] {
  return splitSentences(line).flatMap((quote) => {
    if (quote.length > LONGEST_SENTENCE || CODE.test(quote) || QUESTION.test(quote)) return []
    if (NOT_STATED.test(quote)) return []
    const isHedged = HEDGE.test(quote)
    return quote.split(CLAUSE_END).map((clause) => ({ text: simplify(clause), quote, isHedged }))
  })
}

function simplify(clause: string): string {
  return clause
    .trim()
    .replace(OPENING, '')
    .replace(/^I['’]m\b/, 'I am')
    .replace(/^We['’]re\b/i, 'we are')
    .replace(FILLER, '')
    .replace(/\s+/g, ' ')
}

function matchFirst(expressions: readonly (() => RegExp)[], text: string): RegExpExecArray | null {
  for (const expression of expressions) {
    const match = expression().exec(text)
    if (match !== null) return match
  }
  return null
}

function cutObject(rest: string): string {
  const end = rest.search(OBJECT_END)
  return (end < 0 ? rest : rest.slice(0, end))
    .trim()
    .replace(TRAILING, '')
    .replace(/^["“]|["”]$/g, '')
}

function isObject(object: string, isDecision: boolean): boolean {
  const words = countWords(object)
  return words > 0 && words <= (isDecision ? MOST_DEED_WORDS : MOST_OBJECT_WORDS)
}

/** "We" and "The server" are capitalised only because they begin the sentence. */
function writeSubject(subject: string): string {
  return subject.replace(/^(?:We|They|The|My|Our)\b/, (word) => word.toLowerCase())
}

function lowerIfHedged(confidence: number, { isHedged }: Clause): number {
  // In hundredths: .9 − .2 is .7 and not .7000000000000001.
  return isHedged ? Math.round((confidence - HEDGE_LOSS) * 100) / 100 : confidence
}

function countWords(text: string): number {
  return text === '' ? 0 : text.split(/\s+/).length
}
