/** Whatever is given, the look and the rules agree; a record that is wrong gets the sentence of the rules. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from './check.js'
import { checkRecord } from './check-record.js'
import { recordInput } from './record-requests.js'

function outcome(read: () => unknown): unknown {
  try {
    return { checked: read() }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

const label = fc.constantFrom(
  ...['ops', 'a b', ' a', 'a ', '', ' ', '\n', 'a\tb', 'É', 'x'.repeat(500), 'x'.repeat(501)],
  ...['\ud800', '~', '\u007f', '\u00a0x', '__proto__'],
)
const anything = fc.oneof(
  label,
  fc.constantFrom<unknown>(null, undefined, true, false, 0, 1, 0.5, 0.05, 0.04, -1, 1.5),
  fc.constantFrom<unknown>(Number.NaN, new Date(0), '2024-03-01', 'memory', 'work', 'project'),
  fc.constantFrom<unknown>({}, { a: 1 }, { a: undefined }, [], ['ops'], ['ops', ''], [['ops']]),
  fc.constantFrom<unknown>('reflective', 'global', ['ops', 7], 'A text of several words.'),
  fc.array(label, { maxLength: 3 }),
)
const keys = Object.keys(recordInput.shape)
const inputs = fc.oneof(
  // The rules see more of it where the body is one.
  fc.record({ body: fc.constantFrom('text', ' padded ', ' ', '\ud800 text') }).chain((given) =>
    fc
      .dictionary(fc.constantFrom(...keys, 'colour', 'constructor'), anything, {
        maxKeys: 5,
        noNullPrototype: true,
      })
      .map((others) => ({ ...others, ...given })),
  ),
  fc.dictionary(fc.constantFrom(...keys), anything, { maxKeys: 4 }),
  anything,
)

test('any input comes out as by the rules, or is refused in their words', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      expect(outcome(() => checkRecord(input))).toEqual(outcome(() => check(recordInput, input)))
    }),
    { numRuns: 5000 },
  )
})

test('lists are the record’s own', () => {
  const tags = ['ops']
  const checked = checkRecord({ body: 'text', tags })
  tags.push('later')
  expect(checked.tags).toEqual(['ops'])
})
