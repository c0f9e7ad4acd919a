import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { type Cairn, openCairn, SECTORS } from '../index.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const
const DAY = 86_400_000

describe('salience', () => {
  test('[M5, M4] whatever is recalled, reinforced, forgotten and left alone, salience stays within 0.05 and 1', async () => {
    const step = fc.record({
      kind: fc.constantFrom('recall', 'reinforce', 'deemphasize', 'again', 'wait', 'back'),
      amount: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    const start = fc.record({
      salience: fc.double({ min: 0.05, max: 1, noNaN: true }),
      importance: fc.double({ min: 0, max: 1, noNaN: true }),
      sector: fc.constantFrom(...SECTORS),
    })
    await fc.assert(
      fc.asyncProperty(start, fc.array(step, { maxLength: 15 }), async (given, steps) => {
        let now = Date.UTC(2026, 0, 1)
        const cairn = await openCairn({ file: ':memory:', vectors: false, now: () => now })
        const { id } = await cairn.add({ body: 'ruff', ...given })
        await cairn.sessions.start({ id: 's' })
        for (const { kind, amount } of steps) {
          if (kind === 'recall') await cairn.search('ruff', { recallSession: 's' })
          if (kind === 'reinforce') await cairn.reinforce([id], { amount })
          if (kind === 'deemphasize') await cairn.deemphasize([id], { amount })
          if (kind === 'again') await cairn.add({ body: 'ruff', ...given })
          if (kind === 'wait') now += amount * 400 * DAY
          if (kind === 'back') now -= amount * DAY
          const { record } = await cairn.why(id)
          for (const value of [record.salience, record.effectiveSalience]) {
            expect(value).toBeGreaterThanOrEqual(0.05)
            expect(value).toBeLessThanOrEqual(1)
          }
          expect(record.effectiveSalience).toBeLessThanOrEqual(record.salience)
        }
        await cairn.close()
      }),
      { numRuns: 20 },
    )
  })

  test('[M5, N4] a thousand recalls never lift a record over a clearly better match', async () => {
    const cairn = await libraryOf([], FAKE)
    const { id: weak } = await cairn.add({
      body: 'plover seen once among a lot of other unrelated words here',
    })
    const { id: strong } = await cairn.add({ body: 'plover nest' })
    await cairn.deemphasize([strong], { amount: 1 })
    await cairn.sessions.start({ id: 's' })
    // Twenty as they are, and the limit that a thousand of them come near to.
    for (let i = 0; i < 20; i++) {
      await cairn.search('plover', { recallSession: 's', ids: { in: [weak] } })
    }
    await cairn.why(weak)
    const lifted = (await cairn.get([weak])).records[0]?.salience ?? 0
    expect(lifted).toBeCloseTo(1 - 0.5 * 0.98 ** 20, 4)
    await cairn.reinforce([weak], { amount: 1 - 0.98 ** 980 })
    const { hits } = await cairn.search('plover nest')
    expect(hits.map(({ id }) => id)).toEqual([strong, weak])
    expect(hits[1]?.record.salience).toBeGreaterThan(0.999)
  })

  test('[M6, M5] the memory lens uses the effective salience at the time of the search', async () => {
    let now = Date.UTC(2026, 0, 1)
    const cairn = await libraryOf([], { ...FAKE, now: () => now })
    const { id } = await cairn.add({
      body: 'dunlin',
      salience: 0.9,
      sector: 'episodic',
      importance: 0,
    })
    const partOf = async (name: string) => {
      const { hits } = await cairn.search('dunlin', { lens: 'memory', explain: true })
      const [product] = hits[0]?.explanation?.parts ?? []
      return product?.parts.find((part) => part.name === name)?.parts[1]?.score
    }
    expect(await partOf('salience')).toBeCloseTo(0.9, 12)
    now += 30 * DAY
    expect(await partOf('salience')).toBeCloseTo(0.05 + 0.85 * Math.exp(-0.02 * 30), 12)
    expect(await partOf('recency')).toBeCloseTo(Math.exp(-0.05 * 30), 12)
    await cairn.reinforce([id], { amount: 0 })
    expect(await partOf('salience')).toBeCloseTo(0.05 + 0.85 * Math.exp(-0.02 * 30), 12)
  })

  test('[M6] in the memory lens a superseded record keeps half of its score, as its explanation shows', async () => {
    const scoreOf = async (cairn: Cairn, id: string) => {
      const options = { lens: 'memory', includeSuperseded: true, explain: true, recencyWeight: 0 }
      const { hits } = await cairn.search('dunlin', options)
      return hits.find((hit) => hit.id === id)
    }
    const cairn = await libraryOf([], { ...FAKE, memory: { decay: 0 } })
    const { id } = await cairn.add({ body: 'dunlin on the shore' })
    const { id: newer } = await cairn.add({ body: 'nothing of the kind' })
    await cairn.supersede(id, newer)
    const after = await scoreOf(cairn, id)
    expect(JSON.stringify(after?.explanation)).toContain('"superseded","score":0.5')
    const factors = after?.explanation?.parts.map(({ score }) => score) ?? []
    expect(factors).toContain(0.5)
    expect(after?.score).toBeCloseTo(
      factors.reduce((a, b) => a * b),
      12,
    )
  })
})

describe('doubt', () => {
  test('[F7] records below the requested confidence are left out in every mode', async () => {
    let now = Date.UTC(2026, 0, 1)
    const cairn = await libraryOf([], { ...FAKE, now: () => now })
    const { id } = await cairn.add({ body: 'knot on the mud' })
    const { id: other } = await cairn.add({ body: 'knot in the rope' })
    await cairn.facts.add({
      record: id,
      type: 'temporal',
      subject: 'knot',
      predicate: 'is',
      object: 'here',
    })
    for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
      const found = async (more: object = {}) => {
        const { hits } = await cairn.search('knot', { mode, threshold: -1, ...more })
        return new Set(hits.map((hit) => hit.id))
      }
      expect(await found()).toEqual(new Set([id, other]))
      now += 24 * DAY
      expect(await found()).toEqual(new Set([id, other]))
      expect(await found({ minConfidence: 0.1 })).toEqual(new Set([other]))
      expect(await found({ asOf: now - 20 * DAY })).toEqual(new Set([id, other]))
      expect(await found({ minConfidence: 1 })).toEqual(new Set([other]))
      now -= 24 * DAY
    }
  })
})
