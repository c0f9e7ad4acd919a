/** Those who ask come to their turn in the order they asked, and never all of them in one turn. */

import { expect, test } from 'vitest'
import { Turns } from './turns.js'

test('everyone gets a turn, in order, and other work runs in between', async () => {
  const turns = new Turns()
  const seen: string[] = []
  const others = setInterval(() => {}, 1000)
  const other = (): void => {
    seen.push('other')
    if (seen.length < 120) setImmediate(other)
  }
  setImmediate(other)
  await Promise.all(
    Array.from({ length: 90 }, async (_, i) => {
      await turns.take()
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

test('one who asks alone does not wait for a turn', async () => {
  const turns = new Turns()
  let isNext = false
  setImmediate(() => {
    isNext = true
  })
  await turns.take()
  expect(isNext).toBe(false)
})
