import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BLOCK_SLOTS, Block, createBlock, type SlotEntry } from './block.js'
import { BlockScan } from './block-scan.js'
import type { VectorSearch } from './nearest.js'
import { clusteredVectors, cosine, dequantise, entryOf, seeded } from './random-vectors.fixture.js'
import { VectorIndex } from './vector-index.js'

/** An index that is filled by blocks, as the storage does. */
class TestIndex extends VectorIndex {
  readonly #blocks: Uint8Array[] = []
  readonly #dimensions: number
  #slots = 0

  constructor(dimensions: number, useSimd = true) {
    super(dimensions, useSimd)
    this.#dimensions = dimensions
  }

  /** Loads each changed block once. */
  put(entries: readonly (readonly [slot: number, entry: SlotEntry])[]): void {
    const changed = new Set<number>()
    for (const [slot, entry] of entries) {
      const number = Math.floor(slot / BLOCK_SLOTS)
      while (this.#blocks.length <= number) this.#blocks.push(createBlock(this.#dimensions))
      new Block(this.#blocks[number] as Uint8Array).write(slot % BLOCK_SLOTS, entry)
      changed.add(number)
      this.#slots = Math.max(this.#slots, slot + 1)
    }
    for (const number of changed) this.loadBlock(number, this.#blocks[number] as Uint8Array)
  }

  /** Returns the first slot. */
  append(entries: readonly SlotEntry[]): number {
    const first = this.#slots
    this.put(entries.map((entry, i) => [first + i, entry]))
    return first
  }

  /** Scans the same blocks like the first search of a process. */
  scan(query: Float32Array, useSimd: boolean): BlockScan {
    const scan = new BlockScan(this.#dimensions, query, useSimd)
    for (const block of this.#blocks) scan.add(block)
    return scan
  }

  override remove(slot: number): void {
    super.remove(slot)
    const block = this.#blocks[Math.floor(slot / BLOCK_SLOTS)]
    if (block !== undefined) new Block(block).write(slot % BLOCK_SLOTS, null)
  }
}

function bitmap(owners: Iterable<number>, bytes = 2000): Uint8Array {
  const bits = new Uint8Array(bytes)
  for (const owner of owners) bits[owner >> 3] = (bits[owner >> 3] ?? 0) | (1 << (owner & 7))
  return bits
}

type Model = Map<number, { owner: number; vector: Float32Array }>

/** The brute-force reference: scores every slot, applies every filter, sorts. */
function slowSearch(model: Model, { query, k, allow, exclude, minSimilarity = -2 }: VectorSearch) {
  const out = new Set(exclude)
  const best = new Map<number, { slot: number; owner: number; similarity: number }>()
  for (const [slot, { owner, vector }] of [...model].sort(([a], [b]) => a - b)) {
    if (out.has(owner)) continue
    if (allow !== undefined && (((allow[owner >> 3] ?? 0) >> (owner & 7)) & 1) === 0) continue
    const back = dequantise(entryOf(owner, vector), vector.length)
    const length = Math.hypot(...query)
    const similarity = back.reduce((sum, x, i) => sum + x * ((query[i] ?? 0) / length), 0)
    if (similarity < minSimilarity) continue
    if (similarity > (best.get(owner)?.similarity ?? -2))
      best.set(owner, { slot, owner, similarity })
  }
  return [...best.values()]
    .sort((a, b) => b.similarity - a.similarity || a.owner - b.owner)
    .slice(0, k)
}

/** Compares hits up to the rounding error of the query; closer hits may be swapped. */
function expectSame(
  got: readonly { owner: number; similarity: number }[],
  wanted: readonly { owner: number; similarity: number }[],
): void {
  expect(got.length).toBe(wanted.length)
  for (const [i, hit] of got.entries()) {
    expect(hit.similarity).toBeCloseTo(wanted[i]?.similarity ?? 2, 3)
  }
  expect(new Set(got.map((hit) => hit.owner)).size).toBe(got.length)
}

describe('VectorIndex with few slots', () => {
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom('append', 'append', 'append', 'set', 'remove'),
      owner: fc.nat({ max: 12 }),
      slot: fc.nat({ max: 300 }),
    }),
    { maxLength: 40 },
  )
  const asks = fc.record({
    k: fc.nat({ max: 15 }),
    allowed: fc.option(fc.array(fc.nat({ max: 12 }), { maxLength: 8 })),
    exclude: fc.array(fc.nat({ max: 12 }), { maxLength: 3 }),
    minSimilarity: fc.constantFrom(undefined, 0.2, 0.9),
    useSimd: fc.boolean(),
    dimensions: fc.constantFrom(5, 16, 40),
    seed: fc.nat(),
  })

  test('finds what a brute-force search finds, after any changes', () => {
    fc.assert(
      fc.property(steps, asks, (changes, ask) => {
        const { dimensions, useSimd, seed, k, minSimilarity, exclude } = ask
        const random = seeded(seed)
        const make = () => clusteredVectors({ count: 1, dimensions, clusters: 1, random })[0]!
        const index = new TestIndex(dimensions, useSimd)
        const model: Model = new Map()
        for (const [i, { kind, owner, slot }] of changes.entries()) {
          const vector = make()
          if (kind === 'append')
            model.set(index.append([entryOf(owner, vector)]), { owner, vector })
          if (kind === 'set') {
            index.put([[slot, entryOf(owner, vector)]])
            model.set(slot, { owner, vector })
          }
          if (kind === 'remove') {
            index.remove(slot)
            model.delete(slot)
          }
          // In the middle, so that the lists of slots by owner are first built late and then updated.
          if (i === 20) index.similarityOf([owner], vector)
        }
        const allow = ask.allowed === null ? undefined : bitmap(ask.allowed, 2)
        const request = { query: make(), k, minSimilarity, exclude, allow }
        expect(index.liveCount).toBe(model.size)
        expectSame(index.search(request), slowSearch(model, request))
        const scan = index.scan(request.query, useSimd)
        expect(scan.search(request)).toEqual(index.search(request))
        const owners = [...Array(13).keys()]
        const best = slowSearch(model, { query: request.query, k: 99 })
        const similarities = index.similarityOf(owners, request.query)
        expect(scan.similarityOf(owners)).toEqual(similarities)
        for (const owner of owners) {
          const wanted = best.find((hit) => hit.owner === owner)?.similarity
          if (wanted === undefined) expect(similarities[owner]).toBeNaN()
          else expect(similarities[owner]).toBeCloseTo(wanted, 3)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('an empty index finds nothing', () => {
    const index = new TestIndex(3)
    expect(index.search({ query: Float32Array.of(1, 0, 0), k: 5 })).toEqual([])
    expect(index.similarityOf([1], Float32Array.of(1, 0, 0))).toEqual(Float32Array.of(Number.NaN))
  })

  test('a zero query finds nothing, and a stored zero vector is never found', () => {
    const index = new TestIndex(3)
    index.append([entryOf(1, Float32Array.of(1, 0, 0))])
    expect(index.search({ query: new Float32Array(3), k: 5 })).toEqual([])
    index.append([{ owner: 2, codes: { bytes: new Int8Array(16), scale: 0 } }])
    expect(index.search({ query: Float32Array.of(1, 0, 0), k: 5 })).toHaveLength(1)
  })

  test('a vector is found with similarity 1, and its opposite with −1', () => {
    const index = new TestIndex(3)
    const vector = Float32Array.of(0.2, -0.4, 0.5)
    index.append([
      entryOf(7, vector),
      entryOf(
        9,
        vector.map((x) => -x),
      ),
    ])
    const [same, opposite] = index.search({ query: vector, k: 2 })
    expect(same?.owner).toBe(7)
    expect(same?.similarity).toBeCloseTo(1, 4)
    expect(same?.similarity).toBeLessThanOrEqual(1)
    expect(opposite?.similarity).toBeCloseTo(-1, 4)
  })

  test('ties are ordered by owner number, each with its first slot', () => {
    const index = new TestIndex(2)
    const vector = Float32Array.of(1, 1)
    index.append([8, 3, 5, 3].map((owner) => entryOf(owner, vector)))
    const hits = index.search({ query: vector, k: 3 })
    expect(hits.map(({ owner, slot }) => [owner, slot])).toEqual([
      [3, 1],
      [5, 2],
      [8, 0],
    ])
  })

  test('vectors and queries of other dimensions are rejected', () => {
    const index = new TestIndex(20)
    const other = expect.objectContaining({ code: 'dimension_mismatch' })
    expect(() => index.search({ query: new Float32Array(21), k: 1 })).toThrow(other)
    expect(() => index.loadBlock(0, createBlock(64))).toThrow(other)
  })
})

describe('VectorIndex with many slots', () => {
  const random = seeded(7)
  const dimensions = 64
  const vectors = clusteredVectors({ count: 12_000, dimensions, clusters: 40, random })
  const queries = clusteredVectors({ count: 15, dimensions, clusters: 40, random })
  const model: Model = new Map(vectors.map((vector, i) => [i, { owner: i, vector }]))
  const index = new TestIndex(dimensions)
  index.append(vectors.map((vector, i) => entryOf(i, vector)))
  const truth = (query: Float32Array, allowed: (owner: number) => boolean) =>
    vectors
      .map((vector, owner) => ({ owner, similarity: cosine(vector, query) }))
      .filter((hit) => allowed(hit.owner))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, 20)
      .map((hit) => hit.owner)
  const recall = (allowed: (owner: number) => boolean, request: Partial<VectorSearch>) => {
    let found = 0
    for (const query of queries) {
      const wanted = new Set(truth(query, allowed))
      const exact = (slots: readonly number[]) => slots.map((slot) => cosine(vectors[slot]!, query))
      const hits = index.search({ query, k: 20, exact, ...request })
      expect(hits).toHaveLength(Math.min(20, wanted.size))
      found += hits.filter((hit) => wanted.has(hit.owner)).length / wanted.size
    }
    return found / queries.length
  }

  test('finds 99 % of the exact twenty nearest', () => {
    expect(recall(() => true, {})).toBeGreaterThanOrEqual(0.99)
  })

  test.each([0.5, 0.05, 0.01, 0.001])(
    'a filter that passes %f of the records loses none',
    (share) => {
      const passed = new Set([...model.keys()].filter(() => random() < share))
      const allow = bitmap(passed)
      expect(recall((owner) => passed.has(owner), { allow })).toBeGreaterThanOrEqual(0.99)
    },
  )

  test('with `ordered`, the first hits and the number of hits are the same, and fewer slots are scored exactly', () => {
    for (const query of queries) {
      const compared: number[] = []
      const exact = (slots: readonly number[]) => {
        compared.push(slots.length)
        return slots.map((slot) => cosine(vectors[slot]!, query))
      }
      const request = { query, k: 40, exact, minSimilarity: 0.05 }
      const all = index.search(request)
      const some = index.search({ ...request, ordered: 10 })
      expect(some.slice(0, 10)).toEqual(all.slice(0, 10))
      expect(some).toHaveLength(all.length)
      expect(compared[1]).toBeLessThanOrEqual(compared[0] ?? 0)
    }
  })

  test('a filter that passes only distant vectors still fills the page', () => {
    const query = queries[0] ?? new Float32Array(dimensions)
    const far = [...model.keys()].filter((owner) => cosine(vectors[owner]!, query) < 0)
    const hits = index.search({ query, k: 20, allow: bitmap(far) })
    expect(hits).toHaveLength(20)
    expectSame(hits, slowSearch(model, { query, k: 20, allow: bitmap(far) }))
  })

  test('a record with thousands of slots does not displace others', () => {
    const crowded = new TestIndex(dimensions)
    const query = vectors[0] ?? new Float32Array(dimensions)
    const near = vectors.map((vector) => vector.map((x, i) => x * 0.1 + (query[i] ?? 0)))
    crowded.append(near.slice(0, 6000).map((vector) => entryOf(1, vector)))
    crowded.append(vectors.slice(0, 50).map((vector, i) => entryOf(10 + i, vector)))
    const hits = crowded.search({ query, k: 20 })
    expect(new Set(hits.map((hit) => hit.owner)).size).toBe(20)
  })

  test('thousands of ties are ordered by owner number', () => {
    const equal = new TestIndex(dimensions)
    const vector = vectors[0] ?? new Float32Array(dimensions)
    equal.append(Array.from({ length: 5000 }, (_, i) => entryOf(9000 - i, vector)))
    const hits = equal.search({ query: vector, k: 3 })
    expect(hits.map((hit) => hit.owner)).toEqual([4001, 4002, 4003])
  })

  test('excluded records are left out of that search only', () => {
    const query = vectors[5] ?? new Float32Array(dimensions)
    expect(index.search({ query, k: 1 })[0]?.owner).toBe(5)
    expect(index.search({ query, k: 20, exclude: [5] }).map((hit) => hit.owner)).not.toContain(5)
    expect(index.search({ query, k: 1 })[0]?.owner).toBe(5)
  })
})
