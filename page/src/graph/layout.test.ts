/** Any graph comes to rest in a finite place, and what is linked lies nearer than what is not. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Edge, Layout } from './layout.js'

const graph = fc.integer({ min: 1, max: 30 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    edges: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 60 }),
  }),
)

test('every graph comes to rest, and no point is lost', () => {
  fc.assert(
    fc.property(graph, ({ count, edges }) => {
      const layout = new Layout(count, edges as Edge[])
      layout.settle()
      expect(layout.isAtRest).toBe(true)
      expect([...layout.x, ...layout.y].every(Number.isFinite)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('the same graph lies the same way every time', () => {
  const edges: Edge[] = [
    [0, 1],
    [1, 2],
  ]
  const [one, two] = [new Layout(5, edges), new Layout(5, edges)]
  one.settle()
  two.settle()
  expect([...one.x]).toEqual([...two.x])
})

test('two groups that nothing joins lie apart', () => {
  const group = (first: number): Edge[] =>
    [0, 1, 2, 3]
      .flatMap((a) => [0, 1, 2, 3].map((b): Edge => [first + a, first + b]))
      .filter(([a, b]) => a < b)
  const layout = new Layout(8, [...group(0), ...group(4)])
  layout.settle()
  const distance = (a: number, b: number): number =>
    Math.hypot((layout.x[a] ?? 0) - (layout.x[b] ?? 0), (layout.y[a] ?? 0) - (layout.y[b] ?? 0))
  expect(distance(0, 1)).toBeLessThan(distance(0, 5))
})

test('a point that is held stays where the hand is, and the rest does not rest', () => {
  const layout = new Layout(3, [[0, 1]])
  layout.settle()
  layout.hold(0, 500, 500)
  layout.step()
  expect([layout.x[0], layout.y[0], layout.isAtRest]).toEqual([500, 500, false])
  layout.release()
  layout.settle()
  expect(layout.isAtRest).toBe(true)
})
