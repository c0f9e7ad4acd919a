import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCursor, writeCursor } from './cursor.js'

test('a place is read back as it was written, whatever the id holds', () => {
  const moments = fc.date({ noInvalidDate: true })
  const ids = fc.string({ unit: 'grapheme', minLength: 1 })
  fc.assert(
    fc.property(moments, ids, (at, id) => {
      expect(readCursor(writeCursor(at.toISOString(), id))).toEqual({ atMs: at.getTime(), id })
    }),
  )
})

test('a list without a place begins at the top, and what is no place is refused', () => {
  expect(readCursor(null).atMs).toBe(Number.MAX_SAFE_INTEGER)
  for (const text of ['', 'nonsense', '東京', writeCursor('no time', 'id')]) {
    expect(() => readCursor(text)).toThrow('is not a valid cursor')
  }
})
