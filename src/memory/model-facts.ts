/** Checks the facts that a language model found in a text, and drops those that the text does not state. */

import { FACT_TYPES, factKey, foldText, isSameObject, type NewFact } from '../core/fact.js'
import { listAt, textAt, valueAt } from '../core/json-fields.js'
import { MOST_FACTS, NEGATION, QUESTION } from './extract-facts.js'
import { FACT_PATTERNS, hasOneObject, SENTENCE_PATTERNS } from './fact-patterns.js'
import { findQuote } from './sentences.js'

/** Less than most rules have: a model is wrong in more ways. */
export const MODEL_CONFIDENCE = 0.7
/** The longest subject, predicate or object. */
const MAX_PART_CHARS = 200

export type ModelFact = NewFact & {
  readonly quote: string
  /** Another object of this subject and predicate would contradict it. */
  readonly isSingle: boolean
}

/** The schema of the reply. */
export const FACTS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['facts'],
  properties: {
    facts: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'subject', 'predicate', 'object', 'quote', 'single'],
        properties: {
          type: { type: 'string', enum: FACT_TYPES },
          subject: { type: 'string' },
          predicate: { type: 'string' },
          object: { type: 'string' },
          quote: { type: 'string' },
          single: { type: 'boolean' },
        },
      },
    },
  },
}

/** Those of the rules: facts about one thing meet only under one predicate. */
export function listPredicates(): string {
  const patterns = [...FACT_PATTERNS, ...SENTENCE_PATTERNS]
  return [...new Set(patterns.map(({ predicate }) => predicate))].join(', ')
}

/** The facts of a reply that the text bears out, each once; null if the reply has another form. */
export function readModelFacts(reply: unknown, text: string): readonly ModelFact[] | null {
  if (!Array.isArray(valueAt(reply, 'facts'))) return null
  const facts = new Map<string, ModelFact>()
  for (const given of listAt(reply, 'facts')) {
    const fact = readFact(given, text)
    if (fact !== null) facts.set(factKey(fact), fact)
  }
  return [...facts.values()].slice(0, MOST_FACTS)
}

/** The facts of the rules, then those that only the model found. */
export function joinFacts(
  byRules: readonly NewFact[],
  byModel: readonly ModelFact[],
): readonly NewFact[] {
  const isKnown = ({ subject, object }: NewFact) =>
    byRules.some((fact) => isSameObject(fact.subject, subject) && isSameObject(fact.object, object))
  return [...byRules, ...byModel.filter((fact) => !isKnown(fact))].slice(0, MOST_FACTS)
}

/**
 * The words of the object must be in the quote, those of the subject in the text, and the quote in the text.
 * A denial or a question states nothing.
 */
function readFact(given: unknown, text: string): ModelFact | null {
  const type = FACT_TYPES.find((known) => known === valueAt(given, 'type'))
  const subject = readPart(given, 'subject')
  const predicate = readPart(given, 'predicate')
  const object = readPart(given, 'object')
  const quote = findQuote(textAt(given, 'quote') ?? '', text)
  if (type === undefined || subject === null || predicate === null || object === null) return null
  if (quote === null || !hasWords(quote, object) || !hasWords(text, subject)) return null
  const isDenied = NEGATION.test(quote) && !NEGATION.test(`${predicate} ${object}`)
  if (isDenied || QUESTION.test(quote)) return null
  const isSingle = valueAt(given, 'single') === true && hasOneObject({ type, predicate })
  return { type, subject, predicate, object, confidence: MODEL_CONFIDENCE, quote, isSingle }
}

function readPart(given: unknown, name: string): string | null {
  const part = textAt(given, name)?.replace(/\s+/g, ' ').trim() ?? ''
  return part === '' || part.length > MAX_PART_CHARS ? null : part
}

/** Whether the text has every word of the part, in any order, whatever their case and accents. */
function hasWords(text: string, part: string): boolean {
  const known = new Set(listWords(text))
  const words = listWords(part)
  return words.length > 0 && words.every((word) => known.has(word))
}

function listWords(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}
