import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BLOCK_SLOTS, Block, createBlock } from './block.js'
import { createKernels } from './kernels.js'
import { clusteredVectors, entryOf, seeded } from './random-vectors.fixture.js'
import { SlotScan } from './slot-scan.js'
import { SlotStore } from './slot-store.js'

test('this machine has SIMD, so the tests below compare two implementations', () => {
  expect(createKernels().usesSimd).toBe(true)
  expect(createKernels(false).usesSimd).toBe(false)
})

const cases = fc.record({
  seed: fc.nat(),
  dimensions: fc.constantFrom(1, 2, 7, 16, 17, 48, 100, 256),
  count: fc.constantFrom(0, 1, 2, 31, 32, 33, 200, 700),
  removedShare: fc.constantFrom(0, 0.1, 0.9, 1),
  allowedShare: fc.constantFrom(null, 0, 0.01, 0.5, 1),
  want: fc.constantFrom(1, 2, 10, 64, 1000),
  above: fc.constantFrom(-32768, -50, 0, 300),
})

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never

/** The results of a run: the candidates, and every derived byte. */
function work(useSimd: boolean, made: Case) {
  const random = seeded(made.seed)
  const store = new SlotStore(made.dimensions, createKernels(useSimd))
  const scan = new SlotScan(store)
  const { count, dimensions } = made
  const vectors = clusteredVectors({ count: count + 1, dimensions, clusters: 3, random })
  for (let first = 0; first < count; first += BLOCK_SLOTS) {
    const bytes = createBlock(dimensions)
    for (const [i, vector] of vectors.slice(first + 1, first + 1 + BLOCK_SLOTS).entries()) {
      new Block(bytes).write(i, entryOf(Math.floor(random() * count), vector))
    }
    store.loadBlock(first / BLOCK_SLOTS, bytes)
  }
  for (let slot = 0; slot < count; slot++) if (random() < made.removedShare) store.remove(slot)
  scan.setQuery(vectors[0] ?? new Float32Array(dimensions))
  const { allowedShare, want, above } = made
  const bits = Uint8Array.from({ length: Math.ceil(count / 8) }, () =>
    bitsOf(random, allowedShare ?? 0),
  )
  const allow = allowedShare === null ? undefined : bits
  const candidates = scan.estimate({ want, above, allow })
  const similarities = scan.similarities(candidates.slots)
  const first = store.segments[0] ?? 0
  const segment = Buffer.from(store.arena.views.u8.slice(first, first + store.layout.bytes))
  return { candidates, similarities, segment }
}

function bitsOf(random: () => number, share: number): number {
  let byte = 0
  for (let bit = 0; bit < 8; bit++) if (random() < share) byte |= 1 << bit
  return byte
}

describe('the SIMD kernels', () => {
  test('give the same candidates, similarities and coarse codes as the plain ones', () => {
    fc.assert(
      fc.property(cases, (made) => {
        const simd = work(true, made)
        const plain = work(false, made)
        expect(simd.candidates).toEqual(plain.candidates)
        expect(simd.similarities).toEqual(plain.similarities)
        expect(simd.segment.equals(plain.segment)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})
