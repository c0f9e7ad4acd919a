import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countValues, Twin } from '../../test/support/past-model.js'
import { type Cairn, FACT_TYPES, openCairn, type RecordId } from '../index.js'

const START = Date.UTC(2026, 0, 1)
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'omega'] as const
const MODES = ['keyword', 'semantic', 'hybrid'] as const

async function openTwin(): Promise<{ twin: Twin; clock: { now: number } }> {
  const clock = { now: START }
  const cairn = await openCairn({
    file: ':memory:',
    vectors: { provider: 'fake', dimensions: 24 },
    now: () => clock.now,
  })
  onTestFinished(() => cairn.close())
  return { twin: new Twin(cairn, clock), clock }
}

/** Words alone decide in keyword and hybrid mode; in semantic mode everything that was there is near enough. */
async function compareAt(twin: Twin, atMs: number, isNow = false): Promise<void> {
  const { cairn } = twin
  for (const includeSuperseded of [false, true]) {
    for (const mode of MODES) {
      const word = mode === 'semantic' ? '' : (WORDS[atMs % WORDS.length] ?? 'alpha')
      const expected = twin.found(word, atMs, includeSuperseded)
      const answer = await cairn.search(word === '' ? 'alpha' : word, {
        mode,
        includeSuperseded,
        facets: true,
        limit: 100,
        match: 'any',
        minConfidence: 0,
        threshold: mode === 'semantic' ? -1 : 1,
        ...(isNow ? {} : { asOf: atMs }),
      })
      const place = `${mode}, ${includeSuperseded ? 'with' : 'without'} superseded, at ${atMs - START}`
      expect(new Set(answer.hits.map(({ id }) => id)), place).toEqual(expected)
      expect(answer.hits, place).toHaveLength(expected.size)
      expect(answer.total.value, place).toBe(expected.size)
      compareHits(twin, atMs, answer, place)
    }
  }
}

function compareHits(
  twin: Twin,
  atMs: number,
  { hits, facets }: Awaited<ReturnType<Cairn['search']>>,
  place: string,
): void {
  const world = twin.at(atMs)
  const shown = hits.map(({ id }) => world.get(id))
  for (const [i, hit] of hits.entries()) {
    const was = shown[i]
    if (was === undefined) throw new Error(`${place}: a hit that was not there`)
    expect([hit.record.body, hit.record.tags], place).toEqual([was.body, was.tags])
    expect(hit.isSuperseded, place).toBe(was.successor !== null)
    expect(hit.facts.map(({ object }) => object).sort(), place).toEqual(
      was.facts.map(({ object }) => object).sort(),
    )
    const above = hits.slice(0, i).map(({ id }) => id)
    const chain = twin.chain(hit.id, atMs)
    expect(above, `${place}: its corrections stand above`).toEqual(expect.arrayContaining(chain))
    const successor = was.successor === null || was.successor === 'gone' ? null : was.successor
    const isThere = successor !== null && world.get(successor)?.isDeleted === false
    expect(hit.supersededBy?.id ?? null, place).toBe(isThere ? successor : null)
    if (isThere) expect(hit.supersededBy?.text, place).toBe(world.get(successor)?.body)
  }
  const counted = (name: 'tag' | 'factType' | 'kind') =>
    Object.fromEntries((facets?.[name] ?? []).map(({ value, count }) => [value, count]))
  const values = (of: (record: NonNullable<(typeof shown)[number]>) => readonly string[]) =>
    countValues(shown.map((record) => (record === undefined ? [] : of(record))))
  expect(counted('tag'), place).toEqual(values(({ tags }) => tags))
  expect(counted('factType'), place).toEqual(values(({ facts }) => facts.map(({ type }) => type)))
  expect(counted('kind'), place).toEqual(values(() => ['memory']))
}

/** What is there now, as `list` and `get` show it. */
async function compareList(twin: Twin): Promise<void> {
  const world = [...twin.now()]
  const idsOf = (isListed: (record: (typeof world)[number][1]) => boolean) =>
    world
      .filter(([, record]) => isListed(record))
      .map(([id]) => id)
      .sort()
  const listed = async (options: Parameters<Cairn['list']>[0]) =>
    (await twin.cairn.list({ limit: 100, ...options })).records.map(({ id }) => id).sort()
  expect(await listed({})).toEqual(idsOf((r) => !r.isDeleted && r.successor === null))
  expect(await listed({ includeSuperseded: true })).toEqual(idsOf((r) => !r.isDeleted))
  expect(await listed({ deleted: true })).toEqual(idsOf((r) => r.isDeleted))
}

describe('a scripted history', () => {
  test('[M7] a search as of any time finds the records of that time in all modes, with their texts, facts and facets', async () => {
    const { twin, clock } = await openTwin()
    const times: number[] = []
    const at = async <T>(minutes: number, event: () => Promise<T>): Promise<T> => {
      clock.now = START + minutes * 60_000
      const outcome = await event()
      times.push(clock.now)
      await compareList(twin)
      return outcome
    }
    const a = await at(1, () => twin.add('alpha port is 5432', ['db']))
    const b = await at(2, () => twin.add('beta office in Graz', ['place']))
    const c = await at(3, () => twin.add('gamma delta of the river', ['water', 'db']))
    await at(4, () => twin.addFact(a, 'kv', '5432'))
    await at(5, () => twin.edit(a, { body: 'alpha omega port is 6543' }))
    await at(6, () => twin.edit(b, { tags: ['place', 'omega'] }))
    await at(7, () => twin.delete(c))
    await at(8, () => twin.restore(c))
    const a2 = await at(9, () => twin.add('the socket moved to 7654', ['net']))
    await at(10, () => twin.supersede(a, a2))
    const a3 = await at(11, () => twin.add('delta socket is gone', ['net']))
    await at(12, () => twin.supersede(a2, a3))
    const a4 = await at(13, () => twin.add('no socket any more', []))
    await at(14, () => twin.supersede(a3, a4))
    await at(15, () => twin.addFact(a4, 'state', 'gone'))
    await at(16, () => twin.edit(a4, { body: 'no socket, and no omega', tags: ['db'] }))
    await at(17, () => twin.reinstate(a3))
    await at(18, () => twin.endFact(a))
    await at(19, () => twin.delete(a2))
    await at(20, () => twin.restore(a2))
    const b2 = await at(21, () => twin.add('the people moved to Wien', ['place']))
    await at(22, () => twin.supersede(b, b2))
    await at(23, () => twin.delete(b2))
    await at(24, () => twin.restore(b2))
    await at(25, () => twin.delete(b))
    await at(26, () => twin.restore(b))
    await at(27, () => twin.edit(c, { body: 'gamma alone' }))
    await at(28, () => twin.addFact(c, 'location', 'river'))
    const lost = await at(29, () => twin.add('alpha beta to be purged'))
    await at(30, () => twin.supersede(c, lost))
    await at(31, () => twin.purge(lost))
    await at(32, () => twin.purge(a2))
    await at(33, () => twin.supersede(a3, a4))
    const moments = times.flatMap((ms) => [ms - 1, ms])
    expect(moments.length).toBeGreaterThanOrEqual(60)
    clock.now += 60_000
    for (const ms of moments) await compareAt(twin, ms)
    await compareAt(twin, clock.now, true)
    expect((await twin.cairn.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
  })
})

describe('random histories', () => {
  type Step = { readonly kind: number; readonly one: number; readonly other: number; ms: number }
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.nat(10),
    one: fc.nat(20),
    other: fc.nat(20),
    ms: fc.nat(2),
  })

  async function take({ kind, one, other }: Step, twin: Twin): Promise<void> {
    const ids = twin.ids
    const id = ids[one % Math.max(1, ids.length)]
    const [word, tag] = [WORDS[one % WORDS.length], WORDS[other % WORDS.length]]
    const text = `${word} ${tag} number ${one * 21 + other}`
    const record = id === undefined ? undefined : twin.now().get(id)
    if (id === undefined || record === undefined || kind < 2) {
      await twin.add(text, [`tag${other % 3}`])
      return
    }
    const { isDeleted, successor, facts } = record
    const isValid = !isDeleted && successor === null
    const next = ids[other % ids.length] ?? id
    if (kind === 2 && isValid) return twin.edit(id, { body: text })
    if (kind === 3 && isValid) return twin.edit(id, { tags: [`tag${other % 3}`] })
    if (kind === 4 && !isDeleted) return twin.delete(id)
    if (kind === 5 && isDeleted) return twin.restore(id)
    if (kind <= 7 && kind > 5 && isValid && canSupersede(twin, id, next)) {
      return twin.supersede(id, next)
    }
    if (kind === 8 && !isDeleted && successor !== null && successor !== 'gone') {
      if (twin.now().get(successor)?.isDeleted === false) return twin.reinstate(id)
    }
    if (kind === 9 && isValid) {
      const type = FACT_TYPES[other % FACT_TYPES.length] ?? 'kv'
      // The same fact again is no second fact.
      if (facts.some(({ object }) => object === text)) return
      return facts.length > 1 ? twin.endFact(id) : twin.addFact(id, type, text)
    }
    if (kind === 10 && other % 3 === 0) return twin.purge(id)
  }

  function canSupersede(twin: Twin, older: RecordId, newer: RecordId): boolean {
    if (older === newer || twin.now().get(newer)?.isDeleted !== false) return false
    let at: RecordId | 'gone' | null | undefined = newer
    while (at && at !== 'gone') {
      at = twin.now().get(at)?.successor
      if (at === older) return false
    }
    return true
  }

  test('[M7] a search as of any time finds the state of that time, also after several changes in one millisecond', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const { twin, clock } = await openTwin()
        for (const one of steps) {
          clock.now += one.ms
          await take(one, twin)
        }
        await compareList(twin)
        const lastMs = clock.now
        for (let ms = START - 1; ms <= lastMs + 1; ms += 4) await compareAt(twin, ms)
        await compareAt(twin, lastMs)
        await compareAt(twin, lastMs, true)
        await twin.cairn.close()
      }),
      { numRuns: 5 },
    )
  })
})
