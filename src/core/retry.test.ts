/** Waiting is bounded, grows, and follows what the server asks for. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Attempt, backoffMs, isPassing, readRetryAfter, tryAgain } from './retry.js'
import { REAL_TIMERS } from './timers.js'

const limits = { nowMs: Date.parse('2026-01-02T03:04:05Z'), longestMs: 60_000 }

test.each([
  [null, null],
  ['2', 2000],
  [' 0.5 ', 500],
  ['86400', 60_000],
  ['Fri, 02 Jan 2026 03:04:15 GMT', 10_000],
  ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
  ['soon', null],
  ['-3', null],
])('Retry-After %j means %j ms', (header, delayMs) => {
  expect(readRetryAfter(header, limits)).toBe(delayMs)
})

test('a wait is never longer than eight seconds and never less than half of what it grew to', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, chance) => {
        const full = Math.min(250 * 2 ** (failures - 1), 8_000)
        const delayMs = backoffMs(failures, chance)
        expect(delayMs).toBeGreaterThanOrEqual(full / 2)
        expect(delayMs).toBeLessThanOrEqual(full)
      },
    ),
  )
})

test('busy, late and broken servers are asked again, refusals are not', () => {
  expect([408, 429, 500, 502, 503, 504].every(isPassing)).toBe(true)
  expect([200, 301, 400, 401, 403, 404, 410].some(isPassing)).toBe(false)
})

test('a failure that will not pass is thrown after one try, with its sentence and its next step', async () => {
  let tries = 0
  const refuse = async (): Promise<Attempt<never>> => {
    tries++
    const failure = { message: 'No.', hint: 'Ask nicely.', isPassing: false, retryAfterMs: null }
    return { kind: 'failure', failure: { code: 'service_unavailable', ...failure } }
  }
  const patience = { world: REAL_TIMERS, attempts: 4 }
  await expect(tryAgain(refuse, patience)).rejects.toMatchObject({
    code: 'service_unavailable',
    message: 'No.',
    hint: 'Ask nicely.',
  })
  expect(tries).toBe(1)
})

test('whoever gives up during a wait hears their own reason', async () => {
  const giveUp = new AbortController()
  const waiting = REAL_TIMERS.sleep(60_000, giveUp.signal)
  giveUp.abort(new Error('changed my mind'))
  await expect(waiting).rejects.toThrow('changed my mind')
})
