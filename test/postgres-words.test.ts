import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIdGenerator } from '../src/core/ids.js'
import type { NewRecord } from '../src/core/record.js'
import type { Node } from '../src/query/tree.js'
import { openPostgres } from '../src/storage/postgres/open-postgres.js'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.js'
import type { Storage, WordMatch } from '../src/storage/storage.js'
import { record } from './contract/storage-contract.js'
import { temporaryFile } from './support/library.js'
import { openDatabase } from './support/postgres.js'

/** The same records in a file and in PostgreSQL: the file is the twin. */
async function openBoth(): Promise<{ readonly file: Storage; readonly server: Storage }> {
  const now = (): number => 1_780_000_000_000
  const parts = {
    now,
    decay: 1,
    reinforcement: 0.02,
    makeId: createIdGenerator({ now, randomBytes }),
  }
  const file = openSqlite({
    ...parts,
    file: temporaryFile(),
    programVersion: '0.0.0',
    create: true,
    readOnly: false,
    busyTimeoutMs: 1000,
    trace: null,
  })
  return { file, server: await openPostgres({ ...parts, ...(await openDatabase()) }) }
}

async function addToBoth(
  { file, server }: Awaited<ReturnType<typeof openBoth>>,
  records: readonly NewRecord[],
): Promise<void> {
  const ids = createIdGenerator({ now: () => 1_780_000_000_000, randomBytes })
  const named = records.map((one) => ({ ...one, id: ids(), isDistinct: true }))
  await file.add(named)
  await server.add(named)
}

const WORDS = [
  'fox',
  'foxglove',
  'hens',
  'red',
  'the',
  'the',
  'egg',
  'running',
  '東京都',
  'C++',
] as const
const words = (most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most }).map((all) => all.join(' '))
const records = fc.array(
  fc.record({
    title: fc.option(words(4)),
    body: words(40),
    tags: fc.subarray(['red', 'egg hunt']),
    people: fc.subarray(['Ada Fox', 'Red Hens']),
    namespace: fc.constantFrom('a', 'b'),
  }),
  { minLength: 60, maxLength: 60 },
)

const word = fc.constantFrom<Node>(
  { kind: 'word', text: 'fox', nearby: true },
  { kind: 'word', text: 'red', nearby: true },
  { kind: 'word', text: 'the' },
  { kind: 'word', text: '東京' },
  { kind: 'word', text: 'egg-red' },
  { kind: 'prefix', text: 'fo', nearby: true },
  { kind: 'prefix', text: 'runni' },
  { kind: 'phrase', text: 'the red fox', open: false },
  { kind: 'phrase', text: 'the fo', open: true },
  { kind: 'near', words: ['fox', 'egg'], distance: 2 },
  { kind: 'tag', tag: 'Egg hunt' },
  { kind: 'field', field: 'title', part: { kind: 'word', text: 'fox' } },
  { kind: 'field', field: 'people', part: { kind: 'phrase', text: 'red hen', open: false } },
  { kind: 'field', field: 'body', part: { kind: 'word', text: 'hen' } },
)
const tree: fc.Arbitrary<Node> = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2 },
    word,
    fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(tie('node'), { minLength: 2, maxLength: 4 }),
      )
      .map(([kind, parts]): Node => ({ kind, parts })),
    fc.tuple(tie('node'), word).map(
      ([wanted, part]): Node => ({
        kind: 'and',
        parts: [wanted, { kind: 'not', part }],
      }),
    ),
  ),
})).node

const filters = fc.constantFrom<WordMatch['filter']>(
  {},
  { namespaces: ['a'], isPinned: true },
  { namespaces: ['a'] },
  { tagsAny: ['red'] },
)

async function expectSameRanking(
  { file, server }: Awaited<ReturnType<typeof openBoth>>,
  match: WordMatch,
): Promise<void> {
  for (const limit of [5, 100]) {
    const page = { limit, offset: 0 }
    const [expected, found] = [await file.rank(match, page), await server.rank(match, page)]
    expect(found.total).toBe(expected.total)
    const scores = expected.ranked.map(({ bm25 }) => bm25)
    expect(found.ranked).toHaveLength(scores.length)
    // Scores that differ by less than a stored weight can say may change places.
    for (const [i, { id, bm25 }] of found.ranked.entries()) {
      expect(bm25).toBeCloseTo(scores[i] ?? 0, 4)
      const place = expected.ranked.find((one) => one.id === id)
      if (place !== undefined) expect(place.bm25).toBeCloseTo(bm25, 4)
    }
  }
}

test('any query ranks as in a file, with the same scores and totals', {
  timeout: 60_000,
}, async () => {
  const both = await openBoth()
  const [made = []] = fc.sample(records, { numRuns: 1, seed: 7 })
  await addToBoth(
    both,
    made.map(({ body, ...more }) => record(body, more)),
  )
  await fc.assert(
    fc.asyncProperty(tree, filters, (root, filter) =>
      expectSameRanking(both, { root, fields: null, filter }),
    ),
    { numRuns: 30 },
  )
  await both.file.close()
})

test('a long text is found by all of its words, and by phrases across its parts', {
  timeout: 60_000,
}, async () => {
  const both = await openBoth()
  const numbers = Array.from({ length: 40_000 }, (_, i) => `w${(i * 7919) % 9_011}`)
  const long = `${numbers.join(' ')} the very last words`
  await addToBoth(both, [record(long), record('the very first words'), record('w5 alone')])
  const sought: Node[] = [
    { kind: 'word', text: 'w5', nearby: true },
    { kind: 'phrase', text: 'very last words', open: false },
    ...[2999, 3000, 2872, 33_333].map(
      (at): Node => ({
        kind: 'phrase',
        text: numbers.slice(at, at + 5).join(' '),
        open: false,
      }),
    ),
    {
      kind: 'and',
      parts: [
        { kind: 'word', text: 'w17' },
        { kind: 'word', text: 'last' },
      ],
    },
    {
      kind: 'and',
      parts: [
        { kind: 'word', text: 'words' },
        { kind: 'not', part: { kind: 'word', text: 'w17' } },
      ],
    },
    { kind: 'near', words: ['w17', 'last'], distance: 3 },
  ]
  for (const root of sought) await expectSameRanking(both, { root, fields: null, filter: {} })
  await both.file.close()
})

test('misspelled words, missing words and counts are those of a file', async () => {
  const both = await openBoth()
  await addToBoth(both, [
    record('deployment of the database', { namespace: 'a' }),
    record('a database is deployed', { namespace: 'a' }),
    record('secretive databases', { namespace: 'b' }),
  ])
  for (const namespace of [null, 'a', 'b']) {
    const typed = ['databse', 'deploymnet', 'secretiev']
    expect(await both.server.nearTerms(typed, namespace)).toEqual(
      await both.file.nearTerms(typed, namespace),
    )
    const nodes: Node[] = ['database', 'deploy', 'nothing'].map((text) => ({ kind: 'word', text }))
    const scope = { fields: null, namespace }
    expect(await both.server.missing(nodes, scope)).toEqual(await both.file.missing(nodes, scope))
  }
  await both.file.close()
})
