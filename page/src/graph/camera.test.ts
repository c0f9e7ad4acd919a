/** Looking closer or farther never moves what is under the pointer. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitAll, moveBy, toGraph, toScreen, zoomAt } from './camera.js'

const number = fc.double({ min: -1000, max: 1000, noNaN: true })
const point = fc.record({ x: number, y: number })
const camera = fc.record({
  scale: fc.double({ min: 0.2, max: 5, noNaN: true }),
  x: number,
  y: number,
})

test('there and back is where one was', () => {
  fc.assert(
    fc.property(camera, point, (seen, at) => {
      const back = toGraph(seen, toScreen(seen, at))
      expect(back.x).toBeCloseTo(at.x, 6)
      expect(back.y).toBeCloseTo(at.y, 6)
    }),
  )
})

test('what is under the pointer stays there', () => {
  fc.assert(
    fc.property(
      camera,
      point,
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      (seen, at, factor) => {
        const held = toGraph(seen, at)
        const after = toScreen(zoomAt(seen, at, factor), held)
        expect(after.x).toBeCloseTo(at.x, 6)
        expect(after.y).toBeCloseTo(at.y, 6)
      },
    ),
  )
})

test('everything is in sight once it is fitted', () => {
  const size = { width: 800, height: 600 }
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 40 }), (points) => {
      const xs = Float64Array.from(points, ({ x }) => x)
      const ys = Float64Array.from(points, ({ y }) => y)
      const seen = fitAll(xs, ys, size)
      for (const one of points) {
        const { x, y } = toScreen(seen, one)
        expect(x >= -1 && y >= -1 && x <= 801 && y <= 601).toBe(true)
      }
    }),
  )
})

test('moving moves by as much', () => {
  expect(moveBy({ scale: 2, x: 1, y: 1 }, 3, -4)).toEqual({ scale: 2, x: 4, y: -3 })
})
