/** What may have several forms is refused for what is wrong with the form it comes nearest to. */

import { expect, test } from 'vitest'
import { check } from './check.js'
import { recordInput } from './record-requests.js'

test.each([
  [{ tags: [1] }, 'tags must be text, not "1".'],
  [{ tags: ['ops', ''] }, 'tags must not be empty.'],
  [{ tags: '' }, 'tags must not be empty.'],
  [{ people: {} }, 'people must be a list, not "{}".'],
  [{ tags: 'x'.repeat(501) }, 'tags is longer than 500 characters.'],
  [{ occurredAt: {} }, 'occurredAt must be text, not "{}".'],
])('%j: %s', (given, sentence) => {
  expect(() => check(recordInput, { body: 'text', ...given })).toThrow(sentence)
})
