/** A file that an earlier build of this format wrote still opens; a file of another format is refused. */

import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../../test/support/library.js'
import { openCairn } from '../../../index.js'

function copyFixture(): string {
  const file = temporaryFile()
  copyFileSync(join(import.meta.dirname, '../../../../test/fixtures/format-1.cairn'), file)
  return file
}

test('a file of format 1 opens with everything that it holds', async () => {
  const file = copyFixture()
  const cairn = await openCairn({ file, now: () => Date.parse('2026-03-02T09:00:00Z') })
  onTestFinished(() => cairn.close())
  expect(await cairn.stats()).toMatchObject({
    records: { memory: 6, document: 1, work: 1 },
    deleted: 1,
    superseded: 1,
    tags: { ops: 3, 'release-notes': 1, trip: 1 },
    vectors: { 'cairn/static@1': 9 },
    waiting: 0,
  })
  const findBodies = async (query: string, options = {}) =>
    (await cairn.search(query, options)).hits.map(({ record }) => record.body)
  expect(await findBodies('会議')).toEqual(['東京の会議は金曜日です。'])
  expect(await findBodies('tag:release-notes')).toHaveLength(1)
  // The bundled model of that build was another one.
  expect((await cairn.search('deploy', { mode: 'semantic' })).degraded).toMatchObject({
    reason: 'embedder_unavailable',
    message: expect.stringContaining('were made by "cairn/static@1"'),
  })
  await cairn.embed({ provider: 'static' })
  expect(await findBodies('when do we deploy', { mode: 'semantic' })).toContain(
    'We deploy on Thursdays now.',
  )
  expect(await findBodies('mistake', { mode: 'keyword' })).toEqual([])
  const [edited] = (await cairn.search('6543', { mode: 'keyword' })).hits
  expect((await cairn.history(edited?.record.id ?? '')).revisions).toHaveLength(1)
  expect((await cairn.facts.list({ about: 'release of May' })).facts).toHaveLength(1)
  expect((await cairn.links.of(edited?.record.id ?? '')).links).toHaveLength(1)
  const { sessions } = await cairn.sessions.list()
  expect(
    sessions.map(({ id, title, counts }) => [id === 'planning' ? id : title, counts.created]),
  ).toEqual([
    ['Release week', 1],
    ['planning', 2],
  ])
  expect((await cairn.works.get('10.1000/1'))?.work.title).toBe('Wind tunnels and boundary layers')
  await cairn.addMany(Array.from({ length: 120 }, (_, i) => ({ body: `later note ${i}` })))
  expect((await cairn.search('later', { mode: 'keyword', limit: 1 })).total.value).toBe(120)
  expect((await cairn.doctor()).ok).toBe(true)
})

test.each([
  ['a later number', 'PRAGMA user_version = 6'],
  ['the same number without all of its tables', 'DROP TABLE tokens'],
])('a file with %s is refused and left as it was', async (_, change) => {
  const file = copyFixture()
  const db = new Database(file)
  db.exec(change)
  db.close()
  const before = readFileSync(file)
  await expect(openCairn({ file })).rejects.toMatchObject({
    code: 'newer_format',
    hint: expect.stringContaining('cairn export'),
  })
  expect(readFileSync(file).equals(before)).toBe(true)
})
