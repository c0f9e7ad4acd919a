import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { bodiesFound, temporaryFile } from '../../test/support/library.js'
import { type Cairn, openCairn } from '../index.js'

const FAKE = { provider: 'fake', dimensions: 24 } as const

describe('the end of a block', () => {
  test('closes what `await using` opened, and everything is in the file', async () => {
    const file = temporaryFile()
    let escaped: Cairn | null = null
    {
      await using cairn = await openCairn({ file, vectors: FAKE })
      const { id } = await cairn.add({ body: 'apple' })
      await cairn.sessions.start({ id: 'talk' })
      // The recall is written after its answer: leaving the block waits for it.
      await cairn.search('apple', { recallSession: 'talk' })
      expect(id).toBeDefined()
      escaped = cairn
    }
    await expect(escaped.search('apple')).rejects.toMatchObject({ code: 'closed' })
    expect(existsSync(`${file}-wal`)).toBe(false)
    await using again = await openCairn({ file })
    const [hit] = (await again.search('apple')).hits
    expect((await again.why(hit?.id ?? '')).recalls).toHaveLength(1)
  })

  test('closes it also if the block ends with an error', async () => {
    const file = temporaryFile()
    const opened: Cairn[] = []
    const work = async (): Promise<void> => {
      await using cairn = await openCairn({ file, vectors: FAKE })
      opened.push(cairn)
      throw new Error('in the middle')
    }
    await expect(work()).rejects.toThrow('in the middle')
    await expect(opened[0]?.stats()).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('two instances on one file', () => {
  test('[N9] see the additions, edits and deletions of the other, by keywords and by vectors', async () => {
    const file = temporaryFile()
    await using one = await openCairn({ file, vectors: FAKE })
    await using two = await openCairn({ file, vectors: FAKE })
    for (const [writer, reader] of [
      [one, two],
      [two, one],
    ] as const) {
      for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
        const find = (query: string) => bodiesFound(reader, query, { mode, threshold: 0.5 })
        expect(await find('apple')).toEqual([])
        const { id } = await writer.add({ body: 'apple' })
        expect(await find('apple')).toEqual(['apple'])
        await writer.edit(id, { body: 'pear' })
        expect(await find('apple')).toEqual([])
        expect(await find('pear')).toEqual(['pear'])
        await writer.purge([id])
        expect(await find('pear')).toEqual([])
      }
    }
  })

  test('[N9] a search sees one snapshot of the file while the other writes', async () => {
    let statements = Number.POSITIVE_INFINITY
    for (let before = 0; before < statements; before++) {
      const file = temporaryFile()
      const other = new Database(file)
      let seen = Number.NEGATIVE_INFINITY
      await using cairn = await openCairn({
        file,
        vectors: FAKE,
        trace: () => {
          if (seen++ === before) other.exec(`UPDATE records SET body = 'pear', title = 'Pear'`)
        },
      })
      const { id } = await cairn.add({ title: 'Apple', body: 'apple' })
      seen = 0
      const answer = await cairn.search('apple', { mode: 'hybrid', threshold: 0.5 })
      statements = seen
      seen = Number.NEGATIVE_INFINITY
      other.close()
      for (const { title, record } of answer.hits) {
        expect([before, title, record.body]).toEqual([before, 'Apple', 'apple'])
      }
      expect((await cairn.get([id])).records[0]?.body).toBe('pear')
      expect(await bodiesFound(cairn, 'apple', { mode: 'hybrid', threshold: 0.5 })).toEqual([])
    }
  })

  test('[N9] lose nothing if both add at once, and the file is sound', async () => {
    const file = temporaryFile()
    await using one = await openCairn({ file, vectors: FAKE })
    await using two = await openCairn({ file, vectors: FAKE })
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 2 ? one : two).add({ body: `note number ${i}` })),
    )
    for (const cairn of [one, two]) {
      expect((await cairn.search('note', { limit: 1 })).total.value).toBe(60)
      const near = await cairn.search('note', { mode: 'semantic', threshold: -1, limit: 100 })
      expect(near.hits).toHaveLength(60)
      expect((await cairn.doctor()).ok).toBe(true)
    }
  })

  test.each([
    ['the older', 0, 1],
    ['the newer', 1, 0],
  ])('[N9] close in any order: %s first', async (_, first, last) => {
    const file = temporaryFile()
    const both = [
      await openCairn({ file, vectors: FAKE }),
      await openCairn({ file, vectors: FAKE }),
    ] as const
    await both[0].add({ body: 'apple' })
    await both[1].add({ body: 'banana' })
    await both[first]?.close()
    await both[last]?.add({ body: 'cherry' })
    expect(await both[last]?.search('apple OR banana OR cherry')).toMatchObject({
      total: { value: 3 },
    })
    await expect(both[first]?.search('apple')).rejects.toMatchObject({ code: 'closed' })
    await both[last]?.close()
    // A second close is no error: a block that closes may be left by someone who closed already.
    await both[last]?.close()
    await using again = await openCairn({ file, vectors: FAKE })
    expect((await again.stats()).records.memory).toBe(3)
  })

  test('share no namespace, no pin, no clock and no strength of memory', async () => {
    const file = temporaryFile()
    const [winter, summer] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)]
    await using one = await openCairn({ file, vectors: FAKE, namespace: 'a', now: () => winter })
    await using two = await openCairn({
      ...{ file, vectors: FAKE, namespace: 'b', pinned: true, now: () => summer },
      memory: { decay: 0 },
    })
    await one.add({ body: 'apple of a' })
    await two.add({ body: 'apple of b' })
    expect(await bodiesFound(two, 'apple')).toEqual(['apple of b'])
    const { hits } = await one.search('apple')
    const told = hits.map(({ record }) => [record.namespace, record.createdAt.slice(0, 10)])
    expect(told.sort()).toEqual([
      ['a', '2026-01-01'],
      ['b', '2026-07-01'],
    ])
    await expect(two.search('apple', { namespaces: 'a' })).rejects.toMatchObject({
      code: 'outside_namespace',
    })
    await using later = await openCairn({ file, vectors: FAKE, now: () => summer })
    const salienceIn = async (cairn: Cairn) =>
      (await cairn.search('apple', { namespaces: 'a' })).hits[0]?.record.effectiveSalience ?? 0
    expect(await salienceIn(later)).toBeLessThan(await salienceIn(one))
  })

  test('on two files have models, records and lenses of their own', async () => {
    await using one = await openCairn({ file: temporaryFile(), vectors: FAKE })
    await using two = await openCairn({ file: temporaryFile() })
    await one.add({ body: 'apple' })
    await two.add({ body: 'banana' })
    await one.lenses.save('mine', { limit: 1 })
    expect((await one.models()).models.map(({ id }) => id)).toEqual(['fake/hash@24'])
    expect((await two.models()).models.map(({ id }) => id)).toEqual(['cairn/static@2'])
    expect((await one.search('banana', { mode: 'keyword' })).hits).toEqual([])
    expect((await two.search('banana', { mode: 'keyword' })).hits).toHaveLength(1)
    await expect(two.search('banana', { lens: 'mine' })).rejects.toMatchObject({
      code: 'bad_input',
    })
  })

  test('[N10] both go on with the model that one of them put in charge', async () => {
    const file = temporaryFile()
    await using one = await openCairn({ file, vectors: FAKE })
    await using two = await openCairn({ file, vectors: FAKE })
    await one.add({ body: 'apple' })
    expect(await bodiesFound(two, 'apple', { mode: 'semantic' })).toEqual(['apple'])
    await one.embed({ provider: 'fake', dimensions: 32 })
    await two.add({ body: 'apple tart' })
    for (const cairn of [one, two]) {
      const answer = await cairn.search('apple', { mode: 'semantic', threshold: 0.1 })
      expect([answer.degraded, answer.hits.length]).toEqual([null, 2])
    }
  })
})
