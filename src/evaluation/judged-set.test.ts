import { expect, test } from 'vitest'
import { parseWrittenDate } from './judged-set.js'

test.each([
  ['1:56 pm on 8 May, 2023', '2023-05-08T13:56:00.000Z'],
  ['12:05 am on 1 January, 2024', '2024-01-01T00:05:00.000Z'],
  ['2023-05-08', '2023-05-08T00:00:00.000Z'],
  ['2023-05-08 13:56', '2023-05-08T13:56:00.000Z'],
  ['2023-05-08T13:56:00+02:00', '2023-05-08T11:56:00.000Z'],
  ['8 May 2023', '2023-05-08T00:00:00.000Z'],
])('%s is %s wherever it is read', (text, iso) => {
  const ms = parseWrittenDate(text)
  expect(ms === null ? null : new Date(ms).toISOString()).toBe(iso)
})

test.each([['soon'], [''], ['13'], [null], ['99:99 on never, 2023']])('%s is no date', (value) => {
  expect(parseWrittenDate(value)).toBeNull()
})
