/** Operations start in the order of their requests, and never all of them in one turn of the event loop. */

import { expect, test } from 'vitest'
import { createTurns } from './api.js'

test('every operation starts, in order, and other work runs in between', async () => {
  const takeTurn = createTurns()
  const seen: string[] = []
  const others = setInterval(() => {}, 1000)
  const other = (): void => {
    seen.push('other')
    if (seen.length < 120) setImmediate(other)
  }
  setImmediate(other)
  await Promise.all(
    Array.from({ length: 90 }, async (_, i) => {
      await takeTurn()
      seen.push(String(i))
    }),
  )
  clearInterval(others)
  expect(seen.filter((one) => one !== 'other')).toEqual(
    Array.from({ length: 90 }, (_, i) => `${i}`),
  )
  const runs = seen.join(' ').split(/(?:other ?)+/)
  for (const run of runs) expect(run.split(' ').filter(Boolean).length).toBeLessThanOrEqual(25)
  expect(runs.length).toBeGreaterThan(2)
})

test('a single operation starts at once', async () => {
  const takeTurn = createTurns()
  let isNext = false
  setImmediate(() => {
    isNext = true
  })
  await takeTurn()
  expect(isNext).toBe(false)
})
