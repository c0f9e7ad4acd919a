/** Promise: records that are added together are in the index together, whatever happens while they are added. */

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openCairn, type RecordInput } from '../src/index.js'
import { libraryOf, temporaryFile } from './support/library.js'

const LIBRARY = JSON.stringify(join(import.meta.dirname, '../dist/index.js'))
/** `KILLS=24` for a long look. */
const KILLS = Number(process.env.KILLS ?? 8)
const BATCH = 60

/** Runs on the bare file, as another program would. */
function withFile<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file)
  try {
    db.pragma('foreign_keys = ON')
    return work(db)
  } finally {
    db.close()
  }
}

const count = (db: Database.Database, table: string) =>
  db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()

const problems = async (file: string) => {
  const cairn = await openCairn({ file })
  const { checks } = await cairn.doctor()
  await cairn.close()
  return checks.filter(({ ok }) => !ok)
}

test('a file in which the triggers sleep cannot be committed', async () => {
  const file = temporaryFile()
  await (await openCairn({ file })).close()
  withFile(file, (db) => {
    db.exec('BEGIN IMMEDIATE; INSERT INTO unindexed (first_row) VALUES (1)')
    expect(() => db.exec('COMMIT')).toThrow('FOREIGN KEY')
    db.exec('ROLLBACK')
    for (const row of ['(0, -1)', '(5, 5)']) {
      const set = `INSERT INTO unindexed (first_row, never) VALUES ${row}`
      expect(() => db.exec(set)).toThrow('CHECK')
    }
    expect(count(db, 'unindexed')).toBe(0)
  })
})

test('what is added together is indexed word for word as another program would have it indexed', async () => {
  const records: RecordInput[] = [
    { title: 'Ops', body: 'We deploy with C++ on Thursdays.', tags: ['release', 'Release', 'a b'] },
    { body: '東京の会議は金曜日です。', people: ['Ada'] },
    ...['Shall we?', 'ok', 'ok', 'At noon then.'].map((body, i) => ({
      body,
      session: 's',
      occurredAt: 1_700_000_000_000 + i,
    })),
  ]
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  await cairn.addMany(records)
  await cairn.close()
  withFile(file, (db) => {
    const read = (sql: string) => db.prepare(sql).raw().all()
    const index = 'SELECT term, doc, col, offset FROM records_instances ORDER BY 1, 2, 3, 4'
    const tags = 'SELECT tag, row FROM record_tags ORDER BY 1, 2'
    const before = [read(index), read(tags)]
    // The same rows again, this time under the eyes of the triggers.
    db.exec(`CREATE TEMP TABLE kept AS SELECT * FROM records; DELETE FROM records;`)
    expect([read(index), read(tags)]).toEqual([[], []])
    const columns = db
      .prepare(`SELECT name FROM pragma_table_info('records')`)
      .pluck()
      .all()
      .join(', ')
    db.exec(`INSERT INTO records (${columns}) SELECT ${columns} FROM kept`)
    expect([read(index), read(tags)]).toEqual(before)
    expect(count(db, 'waiting')).toBe(records.length)
  })
})

test('what another program writes afterwards is indexed, tagged and waits', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  await cairn.addMany([{ body: 'one' }, { body: 'two' }])
  withFile(file, (db) => {
    db.exec(`INSERT INTO records (id, kind, namespace, body, tags, created_at, updated_at)
      VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'memory', 'default', 'guest words', '["g"]', 1, 1)`)
    expect(count(db, 'waiting')).toBe(1)
  })
  expect((await cairn.search('guest', { mode: 'keyword' })).hits).toHaveLength(1)
  await cairn.close()
  expect(await problems(file)).toEqual([])
})

test('an error in the middle of an addition leaves nothing behind', async () => {
  const file = temporaryFile()
  const cairn = await openCairn({ file })
  await cairn.addMany([{ body: 'before' }])
  withFile(file, (db) =>
    db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON records WHEN new.body = 'bad'
      BEGIN SELECT raise(ABORT, 'refused'); END`),
  )
  const bad = Array.from({ length: 20 }, (_, i) => ({ body: i === 13 ? 'bad' : `new ${i}` }))
  await expect(cairn.addMany(bad)).rejects.toThrow('refused')
  withFile(file, (db) => {
    db.exec('DROP TRIGGER refuse')
    const counts = ['records', 'unindexed', 'waiting', 'embedded'].map((name) => count(db, name))
    expect(counts).toEqual([1, 0, 0, 1])
  })
  await cairn.addMany(bad)
  expect((await cairn.search('new', { mode: 'keyword', limit: 1 })).total.value).toBe(19)
  await cairn.close()
  expect(await problems(file)).toEqual([])
})

test('[M14] the same content in one call and in the next is stored once', async () => {
  const cairn = await libraryOf(['known'])
  const answers = await cairn.addMany(['known', 'new', 'new', 'known'].map((body) => ({ body })))
  expect(answers.map(({ created }) => created)).toEqual([false, true, false, false])
  expect(answers[2]?.duplicateOf).toBe(answers[1]?.id)
  expect((await cairn.stats()).records.memory).toBe(2)
})

/** Adds batches until it is killed, and says a number for each that is in the file. */
function startWriter(file: string, name: string) {
  const script = `
    const { openCairn } = await import(${LIBRARY})
    const cairn = await openCairn({ file: ${JSON.stringify(file)} })
    for (let i = 0; ; i++) {
      await cairn.addMany(Array.from({ length: ${BATCH} }, (_, k) => ({
        body: '${name} batch ' + i + ' note ' + k + ' about the wind tunnel. '.repeat(k % 12),
        tags: ['t' + k % 5],
        ...(k % 3 === 0 ? { session: '${name}', occurredAt: 1700000000000 + i * 1000 + k } : {}),
      })))
      process.stdout.write(i + '\\n')
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const first = new Promise<void>((resolve) => {
    child.stdout.on('data', (part) => {
      output += part
      resolve()
    })
  })
  const done = new Promise<void>((resolve) => child.on('close', () => resolve()))
  return { child, first, done, acknowledged: () => output.split('\n').length - 1 }
}

test('[N9, D1] a bulk addition killed at any moment is there whole or not at all, and the index agrees', {
  timeout: 300_000,
}, async () => {
  const file = temporaryFile()
  for (let kill = 0; kill < KILLS; kill++) {
    const name = `k${kill}`
    const writer = startWriter(file, name)
    await writer.first
    // A batch takes some tens of milliseconds: these fall anywhere in one.
    await new Promise((resolve) => setTimeout(resolve, (kill * 37) % 90))
    writer.child.kill('SIGKILL')
    await writer.done
    expect(await problems(file)).toEqual([])
    withFile(file, (db) => {
      expect(count(db, 'unindexed')).toBe(0)
      const stored = db
        .prepare(`SELECT count(*) FROM records WHERE body LIKE ? || ' batch%'`)
        .pluck()
        .get(name)
      expect(Number(stored) % BATCH).toBe(0)
      expect(Number(stored) / BATCH).toBeGreaterThanOrEqual(writer.acknowledged())
    })
  }
})
