import { describe, expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import {
  type Cairn,
  type Explanation,
  openCairn,
  type RecordId,
  type SearchInput,
} from '../index.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const
const LENSES = ['balanced', 'rank', 'memory', 'literature', 'cascade', 'recent', 'exact'] as const
/** Lenses matter only in hybrid mode; the other modes have one list each. */
const WAYS = [
  ...LENSES.map((lens) => [lens, 'hybrid'] as const),
  ['balanced', 'keyword'] as const,
  ['balanced', 'semantic'] as const,
]

async function addOne(cairn: Cairn, body: string, more: object = {}): Promise<RecordId> {
  return (await cairn.add({ body, ...more })).id
}

function total({ op, parts, score }: Explanation): number {
  if (parts.length === 0) return score
  const scores = parts.map(total)
  return op === 'sum' ? scores.reduce((a, b) => a + b, 0) : scores.reduce((a, b) => a * b, 1)
}

const idsOf = async (cairn: Cairn, query: string, options: SearchInput = {}) =>
  (await cairn.search(query, { limit: 50, ...options })).hits.map(({ id }) => id)

describe('corrections in a search', () => {
  test('[M7] superseded records are hidden by default, and name their successor if included', async () => {
    let now = Date.UTC(2026, 3, 1)
    const cairn = await libraryOf([], { ...FAKE, now: () => now })
    const old = await addOne(cairn, 'The lighthouse key hangs in the hall.')
    now += 1000
    const text = `The lighthouse key is with Ada. ${'Ask her. '.repeat(40)}`
    const newer = await addOne(cairn, text)
    await cairn.supersede(old, newer, { author: 'Tom', note: 'moved' })
    expect(await idsOf(cairn, 'lighthouse')).toEqual([newer])
    const { hits } = await cairn.search('lighthouse', { includeSuperseded: true })
    expect(hits).toMatchObject([
      { id: newer, isSuperseded: false, supersededBy: null },
      {
        id: old,
        isSuperseded: true,
        supersededBy: {
          id: newer,
          text: text.slice(0, 200),
          createdAt: '2026-04-01T00:00:01.000Z',
        },
        record: { supersededAt: '2026-04-01T00:00:01.000Z' },
      },
    ])
    const { links } = await cairn.links.of(old)
    expect(links).toMatchObject([
      { type: 'SUPERSEDES', direction: 'in', author: 'Tom', note: 'moved' },
    ])
  })

  test.each(WAYS)(
    '[M7, N5] through the lens %s in %s mode a correction ranks above the record it corrects, and says why',
    async (lens, mode) => {
      const cairn = await libraryOf([], FAKE)
      const old = await addOne(cairn, 'walrus walrus walrus')
      const middle = await addOne(
        cairn,
        'walrus and many other words that tell of other things entirely',
      )
      const last = await addOne(cairn, 'something else altogether')
      const other = await addOne(cairn, 'walrus stays walrus')
      await cairn.supersede(old, middle)
      await cairn.supersede(middle, last)
      const options = { lens, mode, explain: true, threshold: -1 }
      const { hits } = await cairn.search('walrus', { ...options, includeSuperseded: true })
      const ids = hits.map(({ id }) => id)
      expect(ids).toHaveLength(new Set(ids).size)
      expect(new Set(ids)).toEqual(new Set([old, middle, last, other]))
      expect(ids.indexOf(last)).toBeLessThan(ids.indexOf(middle))
      expect(ids.indexOf(middle)).toBeLessThan(ids.indexOf(old))
      for (const { explanation, score } of hits) {
        if (explanation === null) throw new Error('no explanation')
        expect(total(explanation)).toBeCloseTo(score, 12)
      }
      const scores = hits.map(({ score }) => score)
      for (const [i, score] of scores.entries()) {
        expect(score).toBeLessThanOrEqual((scores[i - 1] ?? 1) + 1e-12)
      }
      const hidden = await cairn.search('walrus', options)
      expect(new Set(hidden.hits.map(({ id }) => id))).toEqual(new Set([last, other]))
      expect(hidden.total).toEqual({ value: 2, exact: true })
      const lifted = hidden.hits.find(({ id }) => id === last)
      expect(JSON.stringify(lifted?.explanation)).toContain(`corrects ${old}`)
    },
  )

  test('[M7] a correction must pass the filter, the namespace, the ids and every NOT', async () => {
    const cairn = await libraryOf([], FAKE)
    const old = await addOne(cairn, 'the zeppelin leaves at nine', { tags: ['air'] })
    const newer = await addOne(cairn, 'it leaves at ten on Sundays', {
      namespace: 'other',
      tags: ['x'],
    })
    await cairn.supersede(old, newer)
    for (const mode of ['keyword', 'hybrid'] as const) {
      const found = (query: string, options: SearchInput = {}) =>
        idsOf(cairn, query, { mode, threshold: 1, ...options })
      expect(await found('zeppelin')).toEqual([newer])
      expect(await found('zeppelin', { tags: 'air' })).toEqual([])
      expect(await found('zeppelin', { tags: 'x' })).toEqual([newer])
      expect(await found('zeppelin', { namespaces: 'default' })).toEqual([])
      expect(await found('zeppelin', { kinds: 'document' })).toEqual([])
      expect(await found('zeppelin', { ids: { out: [newer] } })).toEqual([])
      expect(await found('zeppelin NOT sundays')).toEqual([])
      expect(await found('zeppelin -ten')).toEqual([])
      expect(await found('zeppelin NOT monday')).toEqual([newer])
      expect(await found('zeppelin', { minSalience: 0.9 })).toEqual([])
    }
  })

  test('[M7, A5] records outside a pinned namespace neither lead to a correction nor are named by one', async () => {
    const file = temporaryFile()
    const open = await openCairn({ file, ...FAKE })
    const outside = await addOne(open, 'the zeppelin leaves at nine', { namespace: 'b' })
    const inside = await addOne(open, 'it leaves at ten on Sundays', { namespace: 'a' })
    await open.supersede(outside, inside)
    await open.close()
    const pinned = await openCairn({ file, ...FAKE, namespace: 'a', pinned: true })
    expect(await idsOf(pinned, 'zeppelin', { mode: 'keyword' })).toEqual([])
    await pinned.close()
  })

  test('[M7] pages of three hold each record once, and every page has the same total', async () => {
    const cairn = await libraryOf([], FAKE)
    const expected = new Set<string>()
    for (let i = 0; i < 14; i++) {
      const old = await addOne(cairn, `heron ${'heron '.repeat(i % 4)}number ${i}`)
      if (i % 2 === 0) {
        expected.add(old)
        continue
      }
      const newer = await addOne(cairn, `${i % 3 === 0 ? 'heron' : 'crane'} ${i} is right`)
      await cairn.supersede(old, newer)
      expected.add(newer)
    }
    for (const mode of ['keyword', 'hybrid'] as const) {
      const options = { mode, limit: 3, threshold: 1, match: 'any' } as const
      const seen: string[] = []
      for (let offset = 0; offset < 20; offset += 3) {
        const { hits, total } = await cairn.search('heron', { ...options, offset })
        expect(total).toEqual({ value: expected.size, exact: true })
        seen.push(...hits.map(({ id }) => id))
      }
      expect(seen).toHaveLength(expected.size)
      expect(new Set(seen)).toEqual(expected)
      expect(await idsOf(cairn, 'heron', { ...options, limit: 50 })).toEqual(seen)
    }
  })

  test('[M7, N3] a hundred superseded matches do not hide a valid one', async () => {
    const cairn = await libraryOf([], { vectors: false })
    const answers = await cairn.addMany(
      Array.from({ length: 101 }, (_, i) => ({
        body: i === 100 ? 'nothing of it' : `otter otter ${i}`,
      })),
    )
    const [last] = answers.slice(-1)
    for (const { id } of answers.slice(0, 100)) await cairn.supersede(id, last?.id ?? '')
    const valid = await addOne(cairn, 'one otter among many, many other words that make it weaker')
    await cairn.delete([last?.id ?? ''])
    const answer = await cairn.search('otter', { limit: 1 })
    expect(answer.hits.map(({ id }) => id)).toEqual([valid])
    expect(answer.total.value).toBe(1)
  })
})

describe('refused corrections', () => {
  test('[M7] cycles, superseding twice and superseding a missing record are refused with a message', async () => {
    const cairn = await libraryOf([], FAKE)
    const [a, b, c] = [
      await addOne(cairn, 'one'),
      await addOne(cairn, 'two'),
      await addOne(cairn, 'three'),
    ]
    await cairn.supersede(a, b)
    await cairn.supersede(b, c)
    const refused = (older: string, newer: string) => expect(cairn.supersede(older, newer)).rejects
    await refused(c, a).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('circle'),
    })
    await refused(c, c).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('circle'),
    })
    await refused(a, c).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('already'),
    })
    await cairn.delete([b])
    await refused(c, a).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('circle'),
    })
    await refused(b, c).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('deleted'),
    })
    await refused(c, b).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('deleted'),
    })
    await refused(c, '01ZZZZZZZZZZZZZZZZZZZZZZZZ').toMatchObject({ code: 'not_found' })
    expect(await idsOf(cairn, 'three')).toEqual([c])
  })

  test('[M7] a clock that was set back causes no cycle and hides no correction and no fact', async () => {
    let now = Date.UTC(2026, 5, 1)
    const cairn = await libraryOf([], { ...FAKE, now: () => now })
    const a = await addOne(cairn, 'the gate is green')
    const b = await addOne(cairn, 'it was painted over')
    await cairn.supersede(a, b)
    await cairn.facts.add({ record: b, subject: 'gate', predicate: 'is', object: 'painted' })
    now -= 86_400_000
    await expect(cairn.supersede(b, a)).rejects.toMatchObject({ code: 'bad_input' })
    const { hits } = await cairn.search('green gate', { includeSuperseded: true, mode: 'keyword' })
    expect(hits).toMatchObject([
      { id: b, facts: [{ object: 'painted' }] },
      { id: a, isSuperseded: true, supersededBy: { id: b } },
    ])
    await cairn.edit(b, { body: 'it was painted blue' })
    await cairn.links.remove({ from: b, to: a })
    expect(await idsOf(cairn, 'green', { mode: 'keyword' })).toEqual([a])
    const { revisions } = await cairn.history(b)
    for (const { validFrom, validUntil } of revisions) expect(validFrom <= validUntil).toBe(true)
  })

  test('[M7] editing a superseded record is refused, and the error names its successor', async () => {
    const cairn = await libraryOf([], FAKE)
    const [a, b] = [await addOne(cairn, 'one'), await addOne(cairn, 'two')]
    await cairn.edit(a, { body: 'one and a half' })
    await cairn.supersede(a, b)
    for (const attempt of [() => cairn.edit(a, { body: 'x' }), () => cairn.undo(a)]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'bad_input',
        message: expect.stringContaining('superseded'),
        hint: expect.stringContaining('cairn why'),
      })
    }
    await cairn.links.remove({ from: b, to: a })
    expect(await cairn.undo(a)).toMatchObject({ body: 'one' })
  })
})

describe('revisions', () => {
  test('[M7] an edit without changes adds no revision, and undo restores any revision', async () => {
    let now = Date.UTC(2026, 0, 1)
    const cairn = await libraryOf([], { ...FAKE, now: () => now })
    const id = await addOne(cairn, 'first', { tags: ['a'], title: 'T', metadata: { n: 1 } })
    const edit = async (patch: Parameters<Cairn['edit']>[1]) => {
      now += 1000
      return cairn.edit(id, patch)
    }
    await edit({ body: 'first', tags: ['a'], metadata: { n: 1 } })
    await edit({ salience: 0.9 })
    await edit({})
    expect((await cairn.history(id)).revisions).toEqual([])
    await expect(cairn.undo(id)).rejects.toMatchObject({ code: 'bad_input' })
    await edit({ body: 'second', title: null })
    await edit({ tags: ['b'], kind: 'document', people: ['Ada'] })
    const { revisions } = await cairn.history(id)
    expect(revisions).toMatchObject([
      { number: 1, body: 'first', title: 'T', tags: ['a'], endedBy: 'edit' },
      { number: 2, body: 'second', title: null, tags: ['a'], endedBy: 'edit' },
    ])
    expect(revisions[0]?.validUntil).toBe(revisions[1]?.validFrom)
    expect(await cairn.undo(id)).toMatchObject({
      body: 'second',
      tags: ['a'],
      kind: 'memory',
      people: [],
    })
    expect(await cairn.undo(id)).toMatchObject({ tags: ['b'], kind: 'document', people: ['Ada'] })
    expect(await cairn.undo(id, 1)).toMatchObject({ body: 'first', title: 'T', tags: ['a'] })
    await expect(cairn.undo(id, 99)).rejects.toMatchObject({
      message: expect.stringContaining('no revision 99'),
      hint: expect.stringContaining('1, 2, 3, 4, 5'),
    })
    expect(await idsOf(cairn, 'first', { mode: 'keyword' })).toEqual([id])
    expect(await idsOf(cairn, 'second', { mode: 'keyword' })).toEqual([])
  })

  test('[M7, M12] a record superseded by a purged correction passes to the next correction, or is valid again', async () => {
    const cairn = await libraryOf([], FAKE)
    const [a, b, c] = [
      await addOne(cairn, 'ibis one'),
      await addOne(cairn, 'ibis two'),
      await addOne(cairn, 'ibis three'),
    ]
    await cairn.supersede(a, b)
    await cairn.supersede(b, c)
    await cairn.purge([b])
    expect(await idsOf(cairn, 'ibis', { mode: 'keyword' })).toEqual([c])
    expect(await cairn.why(a)).toMatchObject({ supersededBy: { id: c }, chain: [c] })
    await cairn.purge([c])
    expect(await idsOf(cairn, 'ibis', { mode: 'keyword' })).toEqual([a])
    expect(await cairn.why(a)).toMatchObject({ supersededBy: null, chain: [], links: [] })
  })

  test('[M14] superseded content added again makes a new record, and a repeated one gains salience', async () => {
    const cairn = await libraryOf([], FAKE)
    const first = await cairn.add({ body: 'the lamp is red' })
    const again = await cairn.add({ body: 'the lamp is red' })
    expect(again).toMatchObject({ created: false, duplicateOf: first.id })
    expect((await cairn.get([first.id])).records[0]?.salience).toBeCloseTo(0.51, 6)
    const blue = await cairn.add({ body: 'the lamp is blue' })
    await cairn.supersede(first.id, blue.id)
    const back = await cairn.add({ body: 'the lamp is red' })
    expect(back).toMatchObject({ created: true, duplicateOf: null })
    await cairn.supersede(blue.id, back.id)
    expect(await idsOf(cairn, 'lamp', { mode: 'keyword' })).toEqual([back.id])
    await cairn.delete([back.id])
    expect(await cairn.add({ body: 'the lamp is red' })).toMatchObject({ created: true })
  })
})
