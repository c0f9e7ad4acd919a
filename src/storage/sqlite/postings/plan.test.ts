import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQuery } from '../../../query/parse.js'
import { planQuery } from '../../../query/steps.js'
import { planPostings } from './plan.js'

const OWN = 0b1111_0_1111
const EVERYWHERE = 0b1111_1_1111

function planFor(text: string, match: 'all' | 'any' = 'any') {
  const [step] = planQuery(parseQuery(text), match, () => []).steps
  return step === undefined ? null : planPostings(step.root, null)
}

test('any of the words is one clause, in the columns of the record and of its neighbours', () => {
  expect(planFor('running foxes')).toEqual({
    clauses: [
      [
        { terms: ['run'], columns: EVERYWHERE },
        { terms: ['fox'], columns: EVERYWHERE },
      ],
    ],
    refused: [],
  })
})

test('all of the words are a clause each, in the columns of the record itself', () => {
  expect(planFor('running foxes', 'all')).toEqual({
    clauses: [[{ terms: ['run'], columns: OWN }], [{ terms: ['fox'], columns: OWN }]],
    refused: [],
  })
})

test('a hyphenated word and a phrase become one leaf of consecutive terms', () => {
  expect(planFor('state-of-the-art')?.clauses[0]?.[0]?.terms).toEqual(['state', 'of', 'the', 'art'])
  expect(planFor('"red foxes"')?.clauses).toEqual([[{ terms: ['red', 'fox'], columns: OWN }]])
})

test('a field restricts the columns, and a negation becomes a refused leaf', () => {
  expect(planFor('title:fox')?.clauses).toEqual([[{ terms: ['fox'], columns: 1 }]])
  expect(planFor('fox -hen')).toEqual({
    clauses: [[{ terms: ['fox'], columns: EVERYWHERE }]],
    refused: [{ terms: ['hen'], columns: OWN }],
  })
})

test.each([
  ['a prefix', 'fo*'],
  ['NEAR', 'NEAR(fox hen, 3)'],
  ['a phrase with an open end', '"red fo"*'],
  ['an OR of more than words', '(fox AND hen) OR dog'],
  ['a single CJK character, which is a prefix', '猫'],
])('%s is left to SQL', (_, text) => {
  expect(planFor(text)).toBeNull()
})

test('any text can be planned, and every leaf has terms and columns', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const plan = planFor(text)
      for (const { terms, columns } of [
        ...(plan?.clauses.flat() ?? []),
        ...(plan?.refused ?? []),
      ]) {
        expect(terms.length).toBeGreaterThan(0)
        expect(columns).toBeGreaterThan(0)
      }
    }),
  )
})
