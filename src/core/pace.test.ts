/** The pace holds on a clock that only the test moves. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPace } from './pace.js'

/** The clock jumps from sleeper to sleeper, and passes none of them. */
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

test('the first request leaves at once, and those that come together leave one by one', async () => {
  const clock = createClock()
  const pace = createPace(8, clock)
  const left: number[] = []
  const turns = [1, 2, 3, 4].map(() => pace.turn().then(() => left.push(clock.now())))
  await clock.runOut()
  await Promise.all(turns)
  expect(left).toEqual([0, 125, 250, 375])
})

test('however requests come, no two leave closer than agreed', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(gaps, fc.integer({ min: 1, max: 20 }), async (waits, perSecond) => {
      const clock = createClock()
      const pace = createPace(perSecond, clock)
      const left: number[] = []
      const turns: Promise<unknown>[] = []
      for (const waitMs of waits) {
        await clock.advance(waitMs)
        turns.push(pace.turn().then(() => left.push(clock.now())))
      }
      await clock.runOut()
      await Promise.all(turns)
      for (const [i, atMs] of left.entries()) {
        if (i > 0) expect(atMs - left[i - 1]!).toBeGreaterThanOrEqual(1000 / perSecond - 1e-6)
      }
    }),
    { numRuns: 30 },
  )
})

test('a pause holds back everyone, and a quiet time saves nothing up', async () => {
  const clock = createClock()
  const pace = createPace(10, clock)
  pace.hold(5_000)
  const left: number[] = []
  const turns = [1, 2].map(() => pace.turn().then(() => left.push(clock.now())))
  await clock.runOut()
  await clock.advance(60_000)
  turns.push(...[3, 4].map(() => pace.turn().then(() => left.push(clock.now()))))
  await clock.runOut()
  await Promise.all(turns)
  expect(left).toEqual([5_000, 5_100, 65_100, 65_200])
})
