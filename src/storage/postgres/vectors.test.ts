import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { record } from '../../../test/contract/storage-contract.js'
import { openDatabase } from '../../../test/support/postgres.js'
import { createIdGenerator } from '../../core/ids.js'
import { decodeHalves, encodeHalfvecs, toHalf } from './halfvec.js'
import { openPostgres } from './open-postgres.js'
import { createRunner } from './runner.js'
import { keepVectorIndexes } from './vectors-index.js'
import { findModel } from './vectors-models.js'
import { keepVectors } from './vectors-table.js'

function fromHalf(bits: number): number {
  const [sign, exponent, mantissa] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023]
  return exponent === 0
    ? sign * mantissa * 2 ** -24
    : sign * (1 + mantissa / 1024) * 2 ** (exponent - 15)
}

test('a number of two bytes is the nearest one there is', () => {
  expect([1, -0.5, 0, -1].map(toHalf)).toEqual([0x3c00, 0xb800, 0, 0xbc00])
  fc.assert(
    fc.property(fc.float({ min: -1, max: 1, noNaN: true }), (number) => {
      const error = Math.abs(fromHalf(toHalf(number)) - number)
      expect(error).toBeLessThanOrEqual(Math.max(2 ** -25, Math.abs(number) * 2 ** -11))
    }),
  )
})

const MODEL = {
  id: 'test/three@1',
  dimensions: 3,
  floor: 0,
  cascadeThreshold: 0.7,
  config: { provider: 'test' },
}

describe('on PostgreSQL', () => {
  test('the nearest are those of a plain comparison, with a filter and with an index', async () => {
    const now = () => 1_780_000_000_000
    const opened = await openDatabase()
    const storage = await openPostgres({
      ...opened,
      now,
      decay: 1,
      reinforcement: 0.02,
      makeId: createIdGenerator({ now, randomBytes }),
    })
    const points = Array.from({ length: 300 }, (_, i) =>
      [0, 1].map((k) => Float32Array.of(Math.sin(i * 7 + k), Math.cos(i * 3 + k), Math.sin(i + k))),
    )
    const added = await storage.add(
      points.map((_, i) => record(`text ${i}`, { tags: i % 10 === 0 ? ['tenth'] : [] })),
    )
    const runner = createRunner(opened.driver, opened.schema)
    await runner.write(null, async (statements) => {
      const rows = await statements.all('SELECT row FROM records ORDER BY row')
      await keepVectors(
        statements,
        MODEL,
        rows.map(({ row }, i) => ({
          row: Number(row),
          vectors: {
            chunks: (points[i] ?? []).map((vector, k) => ({ start: k, end: k + 1, vector })),
            whole: points[i]?.[0] ?? null,
          },
        })),
      )
    })
    const query = Float32Array.of(0.6, 0.8, 0)
    const cosine = (vector: Float32Array) =>
      vector.reduce((sum, x, k) => sum + x * (query[k] ?? 0), 0) / Math.hypot(...vector)
    const expected = points.map((chunks, i) => ({
      id: added[i]?.id,
      similarity: Math.max(...chunks.map(cosine)),
      isTenth: i % 10 === 0,
    }))
    const search = {
      model: MODEL.id,
      vector: query,
      minSimilarity: 0.1,
      required: null,
      unwanted: null,
      fields: null,
      exclude: [],
    }
    const expectNearest = async () => {
      for (const [filter, limit] of [
        [{}, 250],
        [{}, 5],
        [{ tagsAny: ['tenth'] }, 20],
      ] as const) {
        const near = await storage.vectors.nearest({ ...search, filter, limit })
        const best = expected
          .filter((one) => one.similarity >= 0.1 && (one.isTenth || !('tagsAny' in filter)))
          .sort((a, b) => b.similarity - a.similarity)
          .slice(0, limit)
        expect(near.length).toBe(best.length)
        for (const [i, { similarity }] of near.entries()) {
          expect(similarity).toBeCloseTo(best[i]?.similarity ?? 2, 3)
        }
      }
    }
    await expectNearest()
    await runner.runAlone((statements) => keepVectorIndexes(statements, 100))
    expect(await runner.run((statements) => findModel(statements, MODEL.id))).toMatchObject({
      isIndexed: true,
    })
    await expectNearest()
  })
})

test('the bytes of a halfvec give back its numbers, down to the smallest', () => {
  const vector = Float32Array.from([0.6, -0.8, 2 ** -20, -(2 ** -24), 0])
  const [header, length] = [20, 4]
  const decoded = decodeHalves(encodeHalfvecs([vector], 1).subarray(header + length))
  expect(decoded).toHaveLength(vector.length)
  for (const [i, number] of decoded.entries()) {
    const exact = vector[i] as number
    const most = Math.max(2 ** -25, Math.abs(exact) / 2 ** 11)
    expect(Math.abs(number - exact)).toBeLessThanOrEqual(most)
  }
})
