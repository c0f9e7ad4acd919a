import { expect, test } from 'vitest'
import { parseQuery } from './parse.js'
import { printQuery } from './print.js'
import { type Match, readQuery } from './steps.js'

const noPieces = (): readonly string[] => []

function stepsOf(
  text: string,
  match: Match = 'auto',
  split = noPieces as (w: string) => readonly string[],
) {
  return readQuery(parseQuery(text), match, split).steps.map(
    ({ relaxed, root }) => `${relaxed ?? 'asked'}: ${printQuery(root)}`,
  )
}

test('[N2] bare words are first all required, then any, then word beginnings', () => {
  expect(stepsOf('deployment process')).toEqual([
    'asked: deployment AND process',
    'any: deployment OR process',
    'prefix: deployment OR process OR deployment* OR process*',
  ])
})

test('[N2] what is spelled out stays in every step', () => {
  expect(stepsOf('"solid state" title:laser tag:physics fast -draft')).toEqual([
    'asked: ("solid state" AND title:laser AND tag:physics AND fast) AND -draft',
    'any: ("solid state" AND title:laser AND tag:physics AND (fast OR ("solid state" AND title:laser AND tag:physics))) AND -draft',
    'prefix: ("solid state" AND title:laser AND tag:physics AND (fast OR fast* OR ("solid state" AND title:laser AND tag:physics))) AND -draft',
  ])
})

test('operators and phrases alone have one step', () => {
  expect(stepsOf('a1 AND b1')).toEqual(['asked: a1 AND b1'])
  expect(stepsOf('alpha OR beta')).toEqual(['asked: alpha OR beta'])
  expect(stepsOf('"alpha beta"')).toEqual(['asked: "alpha beta"'])
})

test('all and any force one step', () => {
  expect(stepsOf('alpha beta', 'all')).toEqual(['asked: alpha AND beta'])
  expect(stepsOf('alpha beta', 'any')).toEqual(['asked: alpha OR beta'])
})

test('words without content are left out, unless there is nothing else', () => {
  expect(stepsOf('how do we ship code')[0]).toBe('asked: ship AND code')
  expect(stepsOf('to be or not to be')[0]).toBe('asked: to AND be AND or AND not')
  expect(stepsOf('the cat', 'all')).toEqual(['asked: the AND cat'])
})

test('short words and compounds have no beginnings, compounds may be found by their pieces', () => {
  expect(stepsOf('go')).toEqual(['asked: go'])
  const split = (word: string): readonly string[] => (word.includes('-') ? word.split('-') : [])
  expect(stepsOf('foo-bar', 'auto', split)).toEqual([
    'asked: foo-bar',
    'any: foo-bar OR foo OR bar',
  ])
})

test('negations alone ask for nothing', () => {
  const reading = readQuery(parseQuery('-draft -old'), 'auto', noPieces)
  expect(reading.steps).toEqual([])
  expect(reading.wanted).toBeNull()
  expect(printQuery(reading.unwanted)).toBe('draft OR old')
})
