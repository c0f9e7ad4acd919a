import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { bodiesFound, libraryOf, temporaryFile } from '../../../../test/support/library.js'
import type { Cairn, SearchInput } from '../../../index.js'

const ANIMALS = [
  'The red fox jumps over the lazy dog.',
  'A fox is no dog, and a dog is no fox.',
  'Hens fear the fox.',
  'State-of-the-art hen houses keep foxes out.',
]

async function rankedBy(cairn: Cairn, query: string, options: SearchInput = {}) {
  const answer = await cairn.search(query, {
    mode: 'keyword',
    match: 'any',
    explain: true,
    ...options,
  })
  return answer.query.rankedBy
}

describe('an explained answer says how its words were ranked', () => {
  test.each([
    ['words', 'fox dog'],
    ['a word with hyphens', 'state-of-the-art'],
    ['a phrase', '"red fox"'],
    ['a field', 'body:fox'],
    ['a negation', 'fox -hens'],
  ])('from the lists of the index: %s', async (_, query) => {
    expect(await rankedBy(await libraryOf(ANIMALS), query)).toBe('postings')
  })

  test.each([
    ['a prefix', 'fo*'],
    ['NEAR', 'NEAR(fox dog, 5)'],
  ])('by SQL: %s', async (_, query) => {
    expect(await rankedBy(await libraryOf(ANIMALS), query)).toBe('sql')
  })

  test('in a hybrid search too, and only if explain is set', async () => {
    const cairn = await libraryOf(ANIMALS)
    expect(await rankedBy(cairn, 'fox', { mode: 'hybrid' })).toBe('postings')
    expect(await rankedBy(cairn, 'fox', { explain: false })).toBeNull()
    expect(await rankedBy(cairn, 'fox', { mode: 'semantic' })).toBeNull()
  })
})

/** Changes the file as another program might. The results must stay the same, now ranked by SQL. */
async function changedBy(sql: string) {
  const file = temporaryFile()
  const cairn = await libraryOf(ANIMALS, { file })
  expect(await rankedBy(cairn, 'fox dog')).toBe('postings')
  const before = await bodiesFound(cairn, 'fox dog', { mode: 'keyword' })
  const other = new Database(file)
  other.unsafeMode()
  other.exec(sql)
  other.close()
  return { cairn, before }
}

describe('SQL ranks when the index cannot be read with certainty', () => {
  test.each([
    ['another format', `UPDATE records_ft_config SET v = 6 WHERE k = 'version'`],
    ['secure-delete', `INSERT INTO records_ft (records_ft, rank) VALUES ('secure-delete', 1)`],
  ])('%s', async (_, sql) => {
    const { cairn, before } = await changedBy(sql)
    expect(await rankedBy(cairn, 'fox dog')).toBe('sql')
    expect(await bodiesFound(cairn, 'fox dog', { mode: 'keyword' })).toEqual(before)
  })

  test('a row removed by a secure delete is not in the next results', async () => {
    const { cairn } = await changedBy(
      `INSERT INTO records_ft (records_ft, rank) VALUES ('secure-delete', 1);
       DELETE FROM records WHERE body LIKE 'A fox%';
       INSERT INTO records_ft (records_ft, rank) VALUES ('secure-delete', 0)`,
    )
    expect(await rankedBy(cairn, 'fox dog')).toBe('sql')
    expect(await bodiesFound(cairn, '"no dog"', { mode: 'keyword' })).toEqual([])
  })

  test('a damaged page', async () => {
    const file = temporaryFile()
    const cairn = await libraryOf(ANIMALS, { file })
    const other = new Database(file)
    other.unsafeMode()
    // The footer of every leaf page points far beyond its end.
    other.exec(`UPDATE records_ft_data SET block = CAST(substr(block, 1, 2) || x'FFFF' || substr(block, 5) AS BLOB)
      WHERE id > 100`)
    other.close()
    await expect(rankedBy(cairn, 'fox dog')).rejects.toThrow(/doctor|damaged|malformed|corrupt/i)
  })
})

test('the next search sees the commits of another connection, and not what it rolled back', async () => {
  const file = temporaryFile()
  const cairn = await libraryOf(ANIMALS, { file })
  const other = await libraryOf([], { file })
  await bodiesFound(cairn, 'fox', { mode: 'keyword' })
  const [added] = await other.addMany([{ body: 'One more fox.' }])
  expect(await bodiesFound(cairn, 'fox', { mode: 'keyword' })).toContain('One more fox.')
  await other.edit(added?.id ?? '', { body: 'No such animal.' })
  expect(await bodiesFound(cairn, 'fox', { mode: 'keyword' })).not.toContain('No such animal.')
  const raw = new Database(file)
  raw.exec(`BEGIN; DELETE FROM records; ROLLBACK`)
  raw.close()
  expect(await bodiesFound(cairn, 'fox', { mode: 'keyword' })).toHaveLength(4)
})

test('filters, pages and totals are the same as with SQL', async () => {
  const cairn = await libraryOf(
    Array.from({ length: 120 }, (_, i) => ({
      body: `${i % 2 ? 'fox' : 'hen'} ${i % 3 ? 'red' : 'blue'} ${'word '.repeat(i % 7)}`,
      namespace: i % 5 === 0 ? 'rare' : 'main',
      occurredAt: i * 86_400_000,
    })),
  )
  const options: SearchInput[] = [
    {},
    { namespaces: ['rare'] },
    { namespaces: ['main'] },
    { since: 60 * 86_400_000, dateField: 'occurred' },
    { limit: 7, offset: 20 },
  ]
  for (const own of options) {
    const asked = { mode: 'keyword', match: 'any', limit: 200, explain: true, ...own } as const
    const quick = await cairn.search('fox OR red', asked)
    // The same words, or a prefix that no record has: only SQL can answer that.
    const slow = await cairn.search('fox OR red OR zzzz*', asked)
    expect(quick.query.rankedBy).toBe('postings')
    expect(slow.query.rankedBy).toBe('sql')
    expect(quick.total).toEqual(slow.total)
    expect(quick.hits.map(({ id, bm25 }) => [id, bm25?.toFixed(9)])).toEqual(
      slow.hits.map(({ id, bm25 }) => [id, bm25?.toFixed(9)]),
    )
  }
})
