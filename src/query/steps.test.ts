import { expect, test } from 'vitest'
import { parseQuery } from './parse.js'
import { type Match, planQuery } from './steps.js'
import { printQuery } from './tree.js'

const noPieces = (): readonly string[] => []

function printSteps(
  text: string,
  match: Match = 'auto',
  split = noPieces as (w: string) => readonly string[],
) {
  return planQuery(parseQuery(text), match, split).steps.map(
    ({ relaxed, root }) => `${relaxed ?? 'asked'}: ${printQuery(root)}`,
  )
}

test('[N2] bare words are first all required, then any, then word beginnings', () => {
  expect(printSteps('deployment process')).toEqual([
    'asked: deployment AND process',
    'any: deployment OR process',
    'prefix: deployment OR process OR deployment* OR process*',
  ])
})

test('[N2] what is spelled out stays in every step', () => {
  expect(printSteps('"solid state" title:laser tag:physics fast -draft')).toEqual([
    'asked: ("solid state" AND title:laser AND tag:physics AND fast) AND -draft',
    'any: ("solid state" AND title:laser AND tag:physics AND (fast OR ("solid state" AND title:laser AND tag:physics))) AND -draft',
    'prefix: ("solid state" AND title:laser AND tag:physics AND (fast OR fast* OR ("solid state" AND title:laser AND tag:physics))) AND -draft',
  ])
})

test('operators and phrases alone have one step', () => {
  expect(printSteps('a1 AND b1')).toEqual(['asked: a1 AND b1'])
  expect(printSteps('alpha OR beta')).toEqual(['asked: alpha OR beta'])
  expect(printSteps('"alpha beta"')).toEqual(['asked: "alpha beta"'])
})

test('all and any force one step', () => {
  expect(printSteps('alpha beta', 'all')).toEqual(['asked: alpha AND beta'])
  expect(printSteps('alpha beta', 'any')).toEqual(['asked: alpha OR beta'])
})

test('words without content are left out, unless there is nothing else', () => {
  expect(printSteps('how do we ship code')[0]).toBe('asked: ship AND code')
  expect(printSteps('to be or not to be')[0]).toBe('asked: to AND be AND or AND not')
  expect(printSteps('the cat', 'all')).toEqual(['asked: the AND cat'])
})

test('short words and compounds have no beginnings, compounds may be found by their pieces', () => {
  expect(printSteps('go')).toEqual(['asked: go'])
  const split = (word: string): readonly string[] => (word.includes('-') ? word.split('-') : [])
  expect(printSteps('foo-bar', 'auto', split)).toEqual([
    'asked: foo-bar',
    'any: foo-bar OR foo OR bar',
  ])
})

test('negations alone ask for nothing', () => {
  const planned = planQuery(parseQuery('-draft -old'), 'auto', noPieces)
  expect(planned.steps).toEqual([])
  expect(planned.wanted).toBeNull()
  expect(printQuery(planned.unwanted)).toBe('draft OR old')
})
