import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractFacts } from './extract-facts.js'
import { joinFacts, listPredicates, MODEL_CONFIDENCE, readModelFacts } from './model-facts.js'
import { findQuote } from './sentences.js'

const TEXT =
  'Since the move Anna’s flat is in Graz.\nShe now works\n  for Acme, and nobody lives in Linz. Is Tom in Rome?'
const FACT = {
  type: 'location',
  subject: 'Anna’s flat',
  predicate: 'is in',
  object: 'Graz',
  quote: 'Since the move Anna’s flat is in Graz.',
  single: true,
}
const read = (...facts: readonly unknown[]) => readModelFacts({ facts }, TEXT)

describe('the facts of a model', () => {
  test('a fact that the text bears out is taken, with a confidence of our own', () => {
    const { single: _, ...rest } = FACT
    const expected = { ...rest, confidence: MODEL_CONFIDENCE, isSingle: true }
    expect(read({ ...FACT, confidence: 1 })).toEqual([expected])
  })

  test('a quote may differ in spaces and apostrophes alone, and is stored as the text has it', () => {
    const quote = "Since the  move Anna's flat is in Graz."
    expect(read({ ...FACT, quote })?.[0]?.quote).toBe(FACT.quote)
    const other = { ...FACT, subject: 'She', predicate: 'works for', object: 'Acme' }
    expect(read({ ...other, quote: 'She now works for Acme' })?.[0]?.quote).toBe(
      'She now works\n  for Acme',
    )
  })

  test.each([
    ['a quote that is not in the text', { quote: 'Anna’s flat is in Graz, she said.' }],
    ['a quote in other letters', { quote: 'since the move anna’s flat is in graz.' }],
    ['no quote', { quote: '' }],
    ['a quote that is a pattern', { quote: '.*' }],
    ['an object that is not in the quote', { object: 'Linz' }],
    ['an object that is no word', { object: '…' }],
    ['a subject that is not in the text', { subject: 'Bertha' }],
    ['a type that nobody knows', { type: 'rumour' }],
    ['a part that is no text', { subject: { name: 'Anna' } }],
    ['a part that is too long', { predicate: 'is '.repeat(100) }],
    ['a denial', { subject: 'Tom', object: 'Linz', quote: 'nobody lives in Linz' }],
    ['a question', { subject: 'Tom', object: 'Rome', quote: 'Is Tom in Rome?' }],
  ])('%s is dropped', (_, wrong) => {
    expect(read({ ...FACT, ...wrong }, FACT)).toHaveLength(1)
  })

  test('a relation that may have several objects is never single', () => {
    const likes = { ...FACT, type: 'preference', predicate: 'likes' }
    expect(read(likes)?.[0]?.isSingle).toBe(false)
    expect(read({ ...FACT, single: 'yes' })?.[0]?.isSingle).toBe(false)
  })

  test('a reply of another form is no list of facts, and no reply throws', () => {
    for (const reply of [undefined, null, [], 'facts', { facts: null }, { fact: [] }]) {
      expect(readModelFacts(reply, TEXT)).toBe(null)
    }
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.string(), (facts, text) => {
        expect(readModelFacts({ facts }, text)).toEqual([])
      }),
    )
  })

  test('a fact is there once, and at most twenty are', () => {
    expect(read(FACT, { ...FACT, object: 'GRAZ', type: 'state' })).toHaveLength(1)
    const text = Array.from({ length: 30 }, (_, i) => `key${i} is value${i}.`).join(' ')
    const facts = Array.from({ length: 30 }, (_, i) => {
      const [subject, object] = [`key${i}`, `value${i}`]
      return { type: 'kv', subject, predicate: 'is', object, quote: `${subject} is ${object}.` }
    })
    expect(readModelFacts({ facts }, text)).toHaveLength(20)
  })

  test('facts of the rules come first, and the model adds missing ones', () => {
    const text = 'Anna prefers tea. The lease of the flat is with Meyer.'
    const quote = 'Anna prefers tea.'
    const byModel = readModelFacts(
      {
        facts: [
          { type: 'preference', subject: 'anna', predicate: 'likes', object: 'Tea', quote },
          {
            ...{ type: 'relationship', subject: 'The lease', predicate: 'is with' },
            ...{ object: 'Meyer', quote: 'The lease of the flat is with Meyer.' },
          },
        ],
      },
      text,
    )
    const joined = joinFacts(extractFacts(text), byModel ?? [])
    expect(joined.map(({ subject, object }) => `${subject}: ${object}`)).toEqual([
      'Anna: tea',
      'The lease: Meyer',
    ])
  })

  test('the predicates of the rules are offered to it', () => {
    expect(listPredicates()).toContain('lives in, ')
  })
})

test('every stretch of a text that begins and ends with a word is a quote of it, and comes back as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1 }), (parts) => {
      const text = parts.join(' ').slice(0, 500)
      const quote = text.trim()
      fc.pre(quote !== '')
      expect(findQuote(quote, text)).not.toBe(null)
      expect(findQuote(`${quote}\u0001`, text)).toBe(null)
    }),
  )
})
