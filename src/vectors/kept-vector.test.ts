import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantise } from './codes.js'
import { bytesOf, encodeFine } from './fine-codes.js'
import { fineOf, toKept } from './kept-vector.js'

const vectors = fc
  .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 16, maxLength: 16 })
  .map((values) => Float32Array.from(values))

test('both forms are those that are made alone, wherever they are written', () => {
  fc.assert(
    fc.property(vectors, fc.nat(3), (vector, place) => {
      const bytes = new Int8Array(64).subarray(place * 16, place * 16 + 16)
      const fine = new Int16Array(64).subarray(place * 16, place * 16 + 16)
      const kept = toKept(vector, { bytes, fine })
      const [codes, alone] = [quantise(vector), encodeFine(vector)]
      expect(kept).toEqual(codes === null || alone === null ? null : { codes, fine: alone })
      expect(kept === null ? null : fineOf(kept)).toEqual(fineOf(vector))
      if (kept !== null && alone !== null) expect(bytesOf(kept.fine)).toEqual(bytesOf(alone))
    }),
  )
})

test('of what is stored there are two bytes a dimension, whatever lies beside it', () => {
  const codes = Int16Array.of(7, 1, -2, 7).subarray(1, 3)
  expect([...bytesOf({ codes, scale: 1 })]).toEqual([1, 0, 254, 255])
})
