/** A text comes apart into clauses that state something, each with the sentence it stands in. */

import { sentencesOf } from './sentences.js'

export type Clause = {
  /** Without hedges and fillers, ready to be matched. */
  readonly text: string
  /** The sentence as it was written. */
  readonly quote: string
  readonly isHedged: boolean
}

/** A longer sentence says too much at once to be taken apart by rules. */
const LONGEST_SENTENCE = 300

const CODE = /[{}<>|\\]|=>|::|\(\)|;$|^\s*(?:import|const|let|def|return|#)\b/
const QUESTION = /\?["'”’»)\]]*$/
const HEDGE =
  /\b(?:maybe|perhaps|probably|possibly|presumably|apparently|supposedly|might|I (?:think|guess|believe|suppose|assume)|as far as I know|not sure)\b/i
/** What is wished, supposed, ordered or reported is not stated. */
const NOT_STATED =
  /^(?:if|when|whenever|unless|suppose|imagine|assuming|let's|let us|please|should|would|could|whether)\b|\b(?:would|if|wish(?:es)?|unless|whether|used to|supposed to|pretend(?:s|ed)?)\b/i
export const NEGATION =
  /\b(?:not|never|no longer|neither|nor|hardly|rarely|cannot|nobody|no one|none|nothing|without)\b|n['’]t\b/i

const OPENING =
  /^(?:(?:maybe|perhaps|probably|possibly|presumably|apparently|currently|now|right now|today|so|and|but|also|well|ok|okay|yes|btw|by the way|fyi|note that|remember that|remember|actually|I (?:think|guess|believe|suppose|assume)(?: that)?|as far as I know)[,:]?\s+)+/i
const FILLER =
  /\b(?:really|usually|generally|still|also|just|now|currently|definitely|clearly|strongly|actually|probably|possibly|apparently|presumably|supposedly|always|mostly|very much|much)\s+/gi
const CLAUSE_END = /;\s+|,\s+(?:and|but|while|whereas)\s+/

/** What a line states, clause by clause; questions, code, wishes and conditions state nothing. */
export function clausesOf(line: string): Clause[] {
  return sentencesOf(line).flatMap((quote) => {
    if (quote.length > LONGEST_SENTENCE || CODE.test(quote) || QUESTION.test(quote)) return []
    if (NOT_STATED.test(quote)) return []
    const isHedged = HEDGE.test(quote)
    return quote.split(CLAUSE_END).map((clause) => ({ text: plain(clause), quote, isHedged }))
  })
}

function plain(clause: string): string {
  return clause
    .trim()
    .replace(OPENING, '')
    .replace(/^I['’]m\b/, 'I am')
    .replace(/^We['’]re\b/i, 'we are')
    .replace(FILLER, '')
    .replace(/\s+/g, ' ')
}
