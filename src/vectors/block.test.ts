import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_SLOTS, Block, createBlock } from './block.js'
import { clusteredVectors, entryOf, seeded } from './random-vectors.fixture.js'

const DIMENSIONS = 20
const [vector = new Float32Array(DIMENSIONS)] = clusteredVectors({
  count: 1,
  dimensions: DIMENSIONS,
  clusters: 1,
  random: seeded(1),
})

const writes = fc.array(
  fc.record({
    slot: fc.nat({ max: BLOCK_SLOTS - 1 }),
    owner: fc.option(fc.integer({ min: 0, max: 0xfffffffe })),
    scale: fc.integer({ min: 1, max: 9 }),
  }),
  { maxLength: 30 },
)

test('a slot reads as it was last written, also in an unaligned block', () => {
  fc.assert(
    fc.property(writes, fc.nat({ max: 3 }), (made, shift) => {
      const empty = createBlock(DIMENSIONS)
      // The database may return a blob at any address.
      const bytes = new Uint8Array(empty.length + shift).subarray(shift)
      bytes.set(empty)
      const block = new Block(bytes)
      const expected = new Map(Array.from({ length: BLOCK_SLOTS }, (_, i) => [i, null as unknown]))
      for (const { slot, owner, scale } of made) {
        const entry =
          owner === null
            ? null
            : entryOf(
                owner,
                vector.map((x, i) => x ** scale * (i % 2 ? 1 : -1)),
              )
        block.write(slot, entry)
        expected.set(slot, entry)
      }
      for (const [slot, entry] of expected) {
        expect(new Block(bytes).read(slot)).toEqual(entry)
        expect(block.isFree(slot)).toBe(entry === null)
      }
      for (const slot of expected.keys()) block.write(slot, null)
      // No trace of the vectors is left.
      expect(Buffer.compare(bytes, empty)).toBe(0)
    }),
  )
})

test('a truncated block and other bytes are reported as damaged', () => {
  const packed = createBlock(4)
  const damaged = expect.objectContaining({ code: 'damaged' })
  expect(() => new Block(packed.subarray(0, packed.length - 1))).toThrow(damaged)
  expect(() => new Block(packed.subarray(1))).toThrow(damaged)
  expect(() => new Block(new Uint8Array(0))).toThrow(damaged)
})
