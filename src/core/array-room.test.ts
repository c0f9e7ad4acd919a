import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ArrayRoom } from './array-room.js'

test('arrays of any lengths are zero and nobody else’s, however many were taken', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 200 }), (lengths) => {
      const room = new ArrayRoom((length) => new Int16Array(length))
      const taken = lengths.map((length, i) => {
        const array = room.take(length)
        expect(array).toEqual(new Int16Array(length))
        return array.fill(i + 1)
      })
      for (const [i, array] of taken.entries()) {
        expect(array).toEqual(new Int16Array(lengths[i] ?? 0).fill(i + 1))
      }
    }),
  )
})
