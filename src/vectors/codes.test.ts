import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packBlock, readBlock, type SlotEntry } from './block.js'
import { dequantise, quantise } from './codes.js'
import { cosine } from './cosine.js'
import { EMPTY_OWNER, paddedWidth } from './layout.js'
import { clusteredVectors, seeded } from './random-vectors.fixture.js'

/** Any vector but a zero one, with numbers of like size, as models make them. */
const component = fc.double({ min: -1, max: 1, noNaN: true }).map((x) => Math.round(x * 1e4) / 1e4)
const vectors = fc
  .array(component, { minLength: 1, maxLength: 80 })
  .map((numbers) => Float32Array.from(numbers))
  .filter((vector) => vector.some((x) => x !== 0))

describe('quantise', () => {
  test('each component is at most half a step from the normalised original', () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        const codes = quantise(vector)
        if (codes === null) throw new Error('a vector that is not zero has codes')
        const length = Math.hypot(...vector)
        const back = dequantise(codes, vector.length)
        const tolerance = codes.scale * 0.5 + 0.01
        for (const [i, x] of vector.entries()) {
          expect(Math.abs((back[i] ?? 0) - x / length)).toBeLessThanOrEqual(tolerance)
        }
      }),
    )
  })

  test('a vector and its codes point the same way', () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        const codes = quantise(vector)
        if (codes === null) throw new Error('a vector that is not zero has codes')
        expect(cosine(vector, dequantise(codes, vector.length))).toBeGreaterThan(0.998)
      }),
    )
  })

  test('the cosine of two vectors survives to a thousandth or two at 256 dimensions', () => {
    const random = seeded(1)
    const made = clusteredVectors({ count: 60, dimensions: 256, clusters: 5, random })
    for (const a of made) {
      const codes = quantise(a)
      if (codes === null) throw new Error('a vector that is not zero has codes')
      const back = dequantise(codes, 256)
      for (const b of made) {
        const dot = back.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
        expect(Math.abs(dot - cosine(a, b))).toBeLessThan(0.002)
      }
    }
  })

  test('the codes are padded with zeros to a multiple of 16', () => {
    const codes = quantise(Float32Array.from({ length: 17 }, (_, i) => i + 1))
    expect(codes?.bytes.length).toBe(32)
    expect([...(codes?.bytes.subarray(15) ?? [])].slice(0, 4)).toEqual([120, 127, 0, 0])
  })

  test('a zero vector has no codes', () => {
    expect(quantise(new Float32Array(8))).toBeNull()
    expect(quantise(new Float32Array(0))).toBeNull()
  })

  test('numbers that are none are refused', () => {
    expect(() => quantise(Float32Array.from([1, Number.NaN]))).toThrow('not a number')
  })
})

describe('packBlock', () => {
  const entry = fc.record({
    owner: fc.nat(),
    vector: fc.array(component, { minLength: 20, maxLength: 20 }),
  })

  test('what is packed is read back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(entry), { maxLength: 9 }),
        fc.nat({ max: 3 }),
        (made, shift) => {
          const entries = made.map((each) => {
            const codes = each === null ? null : quantise(Float32Array.from(each.vector))
            return each === null || codes === null ? null : { owner: each.owner, codes }
          })
          const packed = packBlock(entries, 20)
          // A blob may come from the database at any address.
          const moved = new Uint8Array(packed.length + shift).subarray(shift)
          moved.set(packed)
          expect(unpack(moved)).toEqual(entries)
        },
      ),
    )
  })

  test('a block that is cut short, or none at all, is damaged', () => {
    const packed = packBlock([null, null], 4)
    const damaged = expect.objectContaining({ code: 'damaged' })
    expect(() => readBlock(packed.subarray(0, packed.length - 1))).toThrow(damaged)
    expect(() => readBlock(packed.subarray(1))).toThrow(damaged)
    expect(() => readBlock(new Uint8Array(0))).toThrow(damaged)
  })
})

function unpack(bytes: Uint8Array): (SlotEntry | null)[] {
  const { count, dimensions, owners, scales, codes } = readBlock(bytes)
  const width = paddedWidth(dimensions)
  return Array.from({ length: count }, (_, i) => {
    const owner = new Uint32Array(owners.slice(i * 4, i * 4 + 4).buffer)[0] ?? EMPTY_OWNER
    if (owner === EMPTY_OWNER) return null
    const scale = new Float32Array(scales.slice(i * 4, i * 4 + 4).buffer)[0] ?? 0
    return {
      owner,
      codes: { bytes: new Int8Array(codes.slice(i * width, (i + 1) * width).buffer), scale },
    }
  })
}
