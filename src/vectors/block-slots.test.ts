import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packBlock, type SlotEntry } from './block.js'
import { readOwner, readSlot, writeSlot } from './block-slots.js'
import { quantise } from './codes.js'

const DIMENSIONS = 20
const entry = fc
  .tuple(
    fc.integer({ min: 0, max: 0xfffffffe }),
    fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: DIMENSIONS,
      maxLength: DIMENSIONS,
    }),
  )
  .map(([owner, values]): SlotEntry | null => {
    const codes = quantise(Float32Array.from(values))
    return codes === null ? null : { owner, codes }
  })

test('slots written one by one make the block that packing all of them makes', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (entries) => {
      const bytes = packBlock(new Array<null>(entries.length).fill(null), DIMENSIONS)
      for (const [slot, one] of entries.entries()) writeSlot(bytes, slot, one)
      expect(bytes).toEqual(packBlock(entries, DIMENSIONS))
      for (const [slot, one] of entries.entries()) {
        expect(readSlot(bytes, slot)).toEqual(one)
        expect(readOwner(bytes, slot)).toBe(one?.owner ?? null)
      }
    }),
  )
})

test('an emptied slot leaves no trace of its vector', () => {
  const codes = quantise(new Float32Array(DIMENSIONS).fill(0.3))
  if (codes === null) throw new Error('no codes')
  const empty = packBlock([null, null], DIMENSIONS)
  const bytes = packBlock([null, null], DIMENSIONS)
  writeSlot(bytes, 1, { owner: 7, codes })
  writeSlot(bytes, 1, null)
  expect(bytes).toEqual(empty)
})
