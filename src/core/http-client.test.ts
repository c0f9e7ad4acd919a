import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  backoffMs,
  createPace,
  isTransientStatus,
  parseRetryAfter,
  REAL_TIMERS,
  retry,
} from './http-client.js'

/** A clock that jumps from sleeper to sleeper, and skips none of them. */
function createClock() {
  let nowMs = 0
  const sleepers: { atMs: number; wake: () => void }[] = []
  const wakeUntil = async (untilMs: number) => {
    for (;;) {
      await new Promise((done) => setImmediate(done))
      sleepers.sort((a, b) => a.atMs - b.atMs)
      if (sleepers[0] === undefined || sleepers[0].atMs > untilMs) return
      nowMs = sleepers[0].atMs
      sleepers.shift()?.wake()
    }
  }
  return {
    now: () => nowMs,
    sleep: (delayMs: number) =>
      new Promise<void>((wake) => void sleepers.push({ atMs: nowMs + delayMs, wake })),
    advance: async (byMs: number) => {
      const untilMs = nowMs + byMs
      await wakeUntil(untilMs)
      nowMs = untilMs
    },
    runOut: () => wakeUntil(Number.POSITIVE_INFINITY),
  }
}

describe('pace', () => {
  test('however requests come, no two leave closer together than the limit allows', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: 1, max: 20 }), async (waits, perSecond) => {
        const clock = createClock()
        const pace = createPace(perSecond, clock)
        const left: number[] = []
        const turns: Promise<unknown>[] = []
        for (const waitMs of waits) {
          await clock.advance(waitMs)
          turns.push(pace.waitTurn().then(() => left.push(clock.now())))
        }
        await clock.runOut()
        await Promise.all(turns)
        for (const [i, atMs] of left.entries()) {
          const before = left[i - 1] ?? Number.NEGATIVE_INFINITY
          expect(atMs - before).toBeGreaterThanOrEqual(1000 / perSecond - 1e-6)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('a pause delays every caller, and idle time is not saved up', async () => {
    const clock = createClock()
    const pace = createPace(10, clock)
    pace.pause(5_000)
    const left: number[] = []
    const turns = [1, 2].map(() => pace.waitTurn().then(() => left.push(clock.now())))
    await clock.runOut()
    await clock.advance(60_000)
    turns.push(...[3, 4].map(() => pace.waitTurn().then(() => left.push(clock.now()))))
    await clock.runOut()
    await Promise.all(turns)
    expect(left).toEqual([5_000, 5_100, 65_100, 65_200])
  })
})

describe('retry', () => {
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
    const limits = { nowMs: Date.parse('2026-01-02T03:04:05Z'), longestMs: 60_000 }
    expect(parseRetryAfter(header, limits)).toBe(delayMs)
  })

  test('a delay is at most eight seconds and at least half of its full length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const full = Math.min(250 * 2 ** (failures - 1), 8_000)
          const delayMs = backoffMs(failures, random)
          expect(delayMs).toBeGreaterThanOrEqual(full / 2)
          expect(delayMs).toBeLessThanOrEqual(full)
        },
      ),
    )
  })

  test('busy, late and broken servers are asked again, refusals are not', () => {
    expect([408, 429, 500, 502, 503, 504].every(isTransientStatus)).toBe(true)
    expect([200, 301, 400, 401, 403, 404, 410].some(isTransientStatus)).toBe(false)
  })

  test('a lasting failure is thrown after one attempt, with its message and hint', async () => {
    let tries = 0
    const refuse = async (): Promise<Attempt<never>> => {
      tries++
      const failure = {
        message: 'No.',
        hint: 'Ask nicely.',
        isTransient: false,
        retryAfterMs: null,
      }
      return { kind: 'failure', failure: { code: 'service_unavailable', ...failure } }
    }
    await expect(retry(refuse, { timers: REAL_TIMERS, attempts: 4 })).rejects.toMatchObject({
      code: 'service_unavailable',
      message: 'No.',
      hint: 'Ask nicely.',
    })
    expect(tries).toBe(1)
  })

  test('a caller that aborts during a wait gets its own reason', async () => {
    const abort = new AbortController()
    const waiting = REAL_TIMERS.sleep(60_000, abort.signal)
    abort.abort(new Error('changed my mind'))
    await expect(waiting).rejects.toThrow('changed my mind')
  })
})
