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

test('any of the words is one clause, in what a record says and in what surrounds it', () => {
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

test('all of the words is a clause each, in what a record says itself', () => {
  expect(planFor('running foxes', 'all')).toEqual({
    clauses: [[{ terms: ['run'], columns: OWN }], [{ terms: ['fox'], columns: OWN }]],
    refused: [],
  })
})

test('a word with a hyphen and a phrase are words next to each other', () => {
  expect(planFor('state-of-the-art')?.clauses[0]?.[0]?.terms).toEqual(['state', 'of', 'the', 'art'])
  expect(planFor('"red foxes"')?.clauses).toEqual([[{ terms: ['red', 'fox'], columns: OWN }]])
})

test('a field narrows the columns, and a negation refuses', () => {
  expect(planFor('title:fox')?.clauses).toEqual([[{ terms: ['fox'], columns: 1 }]])
  expect(planFor('fox -hen')).toEqual({
    clauses: [[{ terms: ['fox'], columns: EVERYWHERE }]],
    refused: [{ terms: ['hen'], columns: OWN }],
  })
})

test.each([
  ['beginnings', 'fo*'],
  ['NEAR', 'NEAR(fox hen, 3)'],
  ['a phrase with an open end', '"red fo"*'],
  ['alternatives that are more than words', '(fox AND hen) OR dog'],
  ['a letter that stands for words with it', '猫'],
])('%s is left to SQL', (_, text) => {
  expect(planFor(text)).toBeNull()
})

test('no text breaks a plan, and every leaf of one has terms and columns', () => {
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
