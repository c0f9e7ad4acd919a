import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSizeReader } from './sizes.js'

const IS_TEXT = [true, true, false, true]
const size = fc.oneof({ weight: 5, arbitrary: fc.nat(300) }, fc.nat(2 ** 24 - 1))
const row = fc.array(size, { minLength: IS_TEXT.length, maxLength: IS_TEXT.length })

test('the words of a row are the sum of its column sizes, with and without WebAssembly', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 50 }), (rows) => {
      const bytes = Uint8Array.from(rows.flat().flatMap(toVarint))
      for (const wasm of [true, false]) {
        const read = createSizeReader(IS_TEXT, wasm)
        const found = [...read(bytes, rows.length)].map(({ words, textWords, longest }) => ({
          words: [...words],
          textWords: [...textWords],
          longest,
        }))
        const words = rows.map((sizes) => sizes.reduce((sum, own) => sum + own, 0))
        const textWords = rows.map(([a = 0, b = 0, , d = 0]) => a + b + d)
        const expected = { words, textWords, longest: Math.max(...words) }
        expect(found).toEqual(rows.length === 0 ? [] : [expected])
      }
    }),
  )
})

test('missing, surplus and impossible sizes are rejected', () => {
  for (const wasm of [true, false]) {
    const read = createSizeReader([true], wasm)
    const refused = [[1], [1, 2, 3], [1, 130], [255, 255, 255, 127, 1]]
    for (const bytes of refused) {
      expect(() => [...read(Uint8Array.from(bytes), 2)]).toThrow('a size for each row and column')
    }
    expect([...read(Uint8Array.from([1, 2]), 2)]).toHaveLength(1)
  }
})

function toVarint(size: number): number[] {
  const digits = [size & 127]
  for (let rest = size >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 127) | 128)
  return digits
}
