/** A file of every earlier format still opens, keeps what it holds and gains what is new. */

import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createIdGenerator } from '../src/core/ids.js'
import { openCairn } from '../src/index.js'
import { FORMAT } from '../src/storage/sqlite/migrate.js'
import { openSqlite } from '../src/storage/sqlite/open-sqlite.js'
import { temporaryFile } from './support/library.js'

function copyOf(fixture: string): string {
  const file = temporaryFile()
  copyFileSync(join(import.meta.dirname, 'fixtures', fixture), file)
  return file
}

function formatOf(file: string): unknown {
  const db = new Database(file, { readonly: true })
  try {
    return db.pragma('user_version', { simple: true })
  } finally {
    db.close()
  }
}

test('a file of format 2 opens, keeps everything and is brought to the format of today', async () => {
  const file = copyOf('format-2.cairn')
  expect(formatOf(file)).toBe(2)
  const cairn = await openCairn({ file })
  onTestFinished(() => cairn.close())
  expect(formatOf(file)).toBe(FORMAT)
  expect(await cairn.stats()).toMatchObject({
    records: { memory: 4, document: 1, work: 0 },
    deleted: 1,
    tags: { ops: 2, 'release-notes': 1, trip: 1 },
    waiting: 0,
  })
  const found = async (query: string, options = {}) =>
    (await cairn.search(query, options)).hits.map(({ record }) => record.body)
  expect(await found('会議')).toEqual(['東京の会議は金曜日です。'])
  expect(await found('tag:release-notes')).toHaveLength(1)
  expect((await found('which port does the database use', { mode: 'semantic' }))[0]).toContain(
    '5432',
  )
  expect(await found('mistake', { mode: 'keyword' })).toEqual([])
  expect((await cairn.doctor()).ok).toBe(true)
})

test('[M8] the turns of a file of format 2 make its sessions', async () => {
  const now = Date.now
  const storage = openSqlite({
    file: copyOf('format-2.cairn'),
    programVersion: '0.0.0',
    create: false,
    readOnly: false,
    busyTimeoutMs: 1000,
    trace: null,
    decay: 1,
    reinforcement: 0.02,
    now,
    makeId: createIdGenerator({ now, randomBytes }),
  })
  onTestFinished(() => storage.close())
  const all = { namespaces: null, isOpen: null, limit: 10, cursor: null }
  const { sessions } = await storage.memory.listSessions(all)
  expect(sessions).toMatchObject([
    {
      id: '東京 🗼',
      namespace: 'travel',
      startedAt: '2026-03-02T09:00:00.000Z',
      endedAt: '2026-03-02T09:00:00.000Z',
      counts: { created: 1, recalled: 0 },
    },
    {
      id: 'planning',
      namespace: 'default',
      startedAt: '2026-03-01T09:00:00.000Z',
      endedAt: '2026-03-01T09:10:00.000Z',
      counts: { created: 2, recalled: 0 },
    },
  ])
  const { created } = await storage.memory.sessionRecords('planning')
  expect(created.map(({ summary }) => summary)).toEqual([
    'Where shall we keep the staging database?',
    'On the small server, port 5432.',
  ])
  expect(await storage.memory.lastTouch(created[0]?.id ?? ('' as never))).toMatchObject({
    session: { id: 'planning' },
    usage: 'created',
    records: 2,
  })
})

test('a file of format 5 opens, keeps everything and is brought to the format of today', async () => {
  const file = copyOf('format-5.cairn')
  expect(formatOf(file)).toBe(5)
  const cairn = await openCairn({ file })
  onTestFinished(() => cairn.close())
  expect(formatOf(file)).toBe(FORMAT)
  expect(await cairn.stats()).toMatchObject({
    records: { memory: 6, document: 1, work: 1 },
    deleted: 1,
    superseded: 1,
    tags: { ops: 3, 'release-notes': 1, trip: 1 },
    vectors: { 'cairn/static@1': 8 },
    waiting: 0,
  })
  const found = async (query: string, options = {}) =>
    (await cairn.search(query, options)).hits.map(({ record }) => record.body)
  expect(await found('会議')).toEqual(['東京の会議は金曜日です。'])
  expect(await found('6543', { mode: 'keyword' })).toHaveLength(1)
  expect(await found('when do we deploy', { mode: 'semantic' })).toContain(
    'We deploy on Thursdays now.',
  )
  expect((await cairn.works.get('10.1000/1'))?.work.title).toBe('Wind tunnels and boundary layers')
  await cairn.addMany(Array.from({ length: 120 }, (_, i) => ({ body: `later note ${i}` })))
  expect((await cairn.search('later', { mode: 'keyword', limit: 1 })).total.value).toBe(120)
  expect((await cairn.doctor()).ok).toBe(true)
})
