import { expect, test } from 'vitest'
import { constraintsOf, plainText } from './constraints.js'
import { parseQuery } from './parse.js'
import { printQuery } from './print.js'

function read(text: string) {
  const { root } = parseQuery(text)
  const { required, unwanted } = constraintsOf(root)
  return { required: printQuery(required), unwanted: printQuery(unwanted), says: plainText(root) }
}

test.each([
  ['how do we ship code', { required: '', unwanted: '', says: 'how do we ship code' }],
  ['deployment NOT staging', { required: '', unwanted: 'staging', says: 'deployment' }],
  ['a AND NOT b', { required: '', unwanted: 'b', says: 'a' }],
  ['"solid state" laser', { required: '"solid state"', unwanted: '', says: 'solid state laser' }],
  [
    'title:laser tag:x light',
    { required: 'title:laser AND tag:x', unwanted: '', says: 'laser light' },
  ],
  ['tag:a OR tag:b', { required: 'tag:a OR tag:b', unwanted: '', says: '' }],
  ['tag:a OR light', { required: '', unwanted: '', says: 'light' }],
  ['NEAR(a b, 3) c*', { required: 'NEAR(a b, 3)', unwanted: '', says: 'a b c' }],
  ['light -(a b)', { required: '', unwanted: 'a b', says: 'light' }],
])('%s insists on what was spelled out', (text, expected) => {
  expect(read(text)).toEqual(expected)
})
