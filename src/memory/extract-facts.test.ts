import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FACT_TYPES } from '../core/fact.js'
import { randomText } from '../text/random-text.fixture.js'
import { extractFacts, MOST_FACTS } from './extract-facts.js'
import { FACT_PATTERNS, SENTENCE_PATTERNS } from './fact-patterns.js'
import { FACT_SENTENCES } from './fact-sentences.fixture.js'
import { DEVELOPMENT_SENTENCES, HELD_OUT_SENTENCES } from './fact-table.fixture.js'

const triplesOf = (text: string) =>
  extractFacts(text).map(({ type, subject, predicate, object }) => [
    type,
    subject,
    predicate,
    object,
  ])

describe('sentences', () => {
  test.each(FACT_SENTENCES)('[F6] the facts of %j are those a person found', (text, facts) => {
    expect(triplesOf(text)).toEqual(facts)
  })

  test('every pattern finds its own example, and every type of fact is found', () => {
    for (const { type, predicate, confidence, example } of [
      ...FACT_PATTERNS,
      ...SENTENCE_PATTERNS,
    ]) {
      const [fact] = extractFacts(example)
      expect({ example, ...fact }).toMatchObject({ example, type, predicate, confidence })
    }
    const types = FACT_SENTENCES.flatMap(([, facts]) => facts.map(([type]) => type))
    expect([...new Set(types)].sort()).toEqual([...FACT_TYPES].sort())
  })
})

/** A fact is right if its type, subject, predicate and object are those that a person wrote down. */
function measure(sentences: typeof FACT_SENTENCES) {
  const print = (facts: readonly (readonly string[])[]) => facts.map((fact) => fact.join(' | '))
  const counts = { right: 0, found: 0, wanted: 0 }
  for (const [text, facts] of sentences) {
    const wanted = print(facts)
    const found = print(triplesOf(text))
    counts.right += found.filter((fact) => wanted.includes(fact)).length
    counts.found += found.length
    counts.wanted += wanted.length
  }
  return { precision: counts.right / counts.found, recall: counts.right / counts.wanted }
}

describe('the table of two hundred sentences', () => {
  test('half of the sentences have a fact', () => {
    for (const sentences of [DEVELOPMENT_SENTENCES, HELD_OUT_SENTENCES]) {
      expect(sentences).toHaveLength(100)
      expect(sentences.filter(([, facts]) => facts.length > 0)).toHaveLength(50)
    }
  })

  test.each([
    ['the rules were developed with', DEVELOPMENT_SENTENCES],
    ['were held out from that', HELD_OUT_SENTENCES],
  ])(
    '[F6] of the sentences that %s, .9 of the facts are right and .7 are found',
    (_, sentences) => {
      const { precision, recall } = measure(sentences)
      expect(precision).toBeGreaterThanOrEqual(0.9)
      expect(recall).toBeGreaterThanOrEqual(0.7)
    },
  )
})

describe('confidence and quotes', () => {
  test('[F6] a fact quotes its sentence as it was written', () => {
    const text = 'Good morning.  *   Anna  prefers tea. Bye.'
    expect(extractFacts('- [x] Anna prefers tea. She is tall.')[0]?.quote).toBe('Anna prefers tea.')
    for (const { quote } of extractFacts(text)) expect(text).toContain(quote)
  })

  test('a hedge anywhere in the sentence lowers the confidence', () => {
    const plain = extractFacts('Anna prefers tea.')[0]?.confidence
    expect(plain).toBe(0.9)
    for (const text of [
      'Maybe Anna prefers tea.',
      'I think Anna prefers tea.',
      'Anna probably prefers tea.',
      'Anna prefers tea, I guess.',
    ]) {
      const [fact] = extractFacts(text)
      expect({ text, fact }).toMatchObject({
        fact: { subject: 'Anna', object: 'tea', confidence: 0.7 },
      })
    }
  })

  test('two statements joined by "and" are two facts, and two people are one subject', () => {
    expect(triplesOf('My name is Mara and I am allergic to nuts.')).toEqual([
      ['identity', 'I', 'is called', 'Mara'],
      ['identity', 'I', 'is allergic to', 'nuts'],
    ])
    expect(triplesOf('I live in Graz and my dog is called Rex.')).toHaveLength(2)
    expect(triplesOf('Tom and I prefer tea.')).toEqual([])
  })

  test('a fact that is said twice is found once', () => {
    expect(extractFacts('Anna prefers tea. anna. Anna prefers Tea.')).toHaveLength(1)
  })

  test(`a text has at most ${MOST_FACTS} facts, the first ones`, () => {
    const text = Array.from({ length: 50 }, (_, i) => `key ${i}: ${i}`).join('\n')
    const facts = extractFacts(text)
    expect(facts).toHaveLength(MOST_FACTS)
    expect(facts[0]?.object).toBe('0')
  })
})

describe('any text', () => {
  const words = fc
    .array(
      fc.constantFrom(
        ...'Anna|the|server|is|prefers|lives in|Graz|not|maybe|:|port|5432|.|?|, and|\n|I|we|decided to|a|nurse|"|- |down|;'.split(
          '|',
        ),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(' '))

  test('a quote is a part of the text, nothing throws, and the same text has the same facts', () => {
    fc.assert(
      fc.property(fc.oneof(words, randomText, fc.string()), (text) => {
        const facts = extractFacts(text)
        expect(facts.length).toBeLessThanOrEqual(MOST_FACTS)
        for (const { subject, object, confidence, quote } of facts) {
          expect(text).toContain(quote)
          expect(subject.trim()).not.toBe('')
          expect(object.trim()).not.toBe('')
          expect(confidence).toBeGreaterThan(0)
          expect(confidence).toBeLessThanOrEqual(1)
        }
        expect(extractFacts(text)).toEqual(facts)
      }),
      { numRuns: 200 },
    )
  })

  test('a text without end or structure is read in no time worth naming', () => {
    for (const piece of ['a ', 'The the ', ': ', '. ', 'A', 'is a ', '"']) {
      expect(extractFacts(piece.repeat(50_000)).length).toBeLessThanOrEqual(MOST_FACTS)
    }
  })
})
