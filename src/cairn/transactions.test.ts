/** An operation that fails at any step leaves the file as it was. */

import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { openCairn, type RecordInput } from '../index.js'

function execute(file: string, sql: string): void {
  const db = new Database(file)
  db.exec(sql)
  db.close()
}

/** Every row of every table that Cairn writes, without the index that FTS5 keeps. */
function readAll(file: string): unknown {
  const db = new Database(file, { readonly: true })
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table'
        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_ft%' ESCAPE '\\' AND sql NOT LIKE '%fts5vocab%'`,
    )
    .pluck()
    .all() as string[]
  const all = tables.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).raw().all()])
  db.close()
  return all
}

const RECORDS: readonly RecordInput[] = [
  { body: 'Known already.', createdIn: 'day' },
  { body: 'I prefer green tea over coffee.', createdIn: 'day', extractFacts: true },
  { body: 'Shall we meet at noon?', session: 'talk', tags: ['plan'] },
]

async function openPrepared(file: string) {
  const cairn = await openCairn({ file })
  await cairn.sessions.start({ id: 'day' })
  await cairn.add({ body: 'Known already.' })
  return cairn
}

test('records, vectors, facts and usages are added together', async () => {
  const file = temporaryFile()
  const cairn = await openPrepared(file)
  const [, server] = await cairn.addMany(RECORDS)
  expect((await cairn.facts.list({})).facts.length).toBeGreaterThan(0)
  const day = await cairn.sessions.show('day')
  expect([day.created.map(({ id }) => id), day.reinforced.length]).toEqual([[server?.id], 1])
  expect((await cairn.stats()).waiting).toBe(0)
  await cairn.close()
})

const TABLES = 'records record_tags vectors embedded facts session_records sessions'.split(' ')

test('[D1] an addition that fails on any table changes nothing', async () => {
  const file = temporaryFile()
  const cairn = await openPrepared(file)
  const before = readAll(file)
  for (const table of TABLES) {
    execute(
      file,
      `CREATE TRIGGER refuse BEFORE INSERT ON ${table} BEGIN SELECT raise(ABORT, 'refused'); END`,
    )
    await expect(cairn.addMany(RECORDS), table).rejects.toThrow('refused')
    expect(readAll(file), table).toEqual(before)
    execute(file, 'DROP TRIGGER refuse')
  }
  expect(await cairn.addMany(RECORDS)).toHaveLength(3)
  expect((await cairn.doctor()).ok).toBe(true)
  await cairn.close()
})

test('an unknown session in createdIn is named, and nothing is added', async () => {
  const file = temporaryFile()
  const cairn = await openPrepared(file)
  const before = readAll(file)
  const records = [...RECORDS, { body: 'Of nobody.', createdIn: 'nobody' }]
  await expect(cairn.addMany(records)).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no session "nobody".',
  })
  expect(readAll(file)).toEqual(before)
  await cairn.close()
})

test('[M12] a purge that fails at any step changes nothing', async () => {
  const file = temporaryFile()
  const cairn = await openPrepared(file)
  const [secret] = await cairn.addMany([
    { body: 'The password of the harbour office is tangerine.', session: 'talk' },
    { body: 'We agreed to meet at the harbour at noon.', session: 'talk' },
  ])
  await cairn.sessions.end('talk')
  expect((await cairn.sessions.find('talk')).summary).toContain('tangerine')
  const before = readAll(file)
  for (const event of [
    'BEFORE UPDATE OF summary ON sessions',
    'BEFORE DELETE ON records',
    'BEFORE DELETE ON vectors',
  ]) {
    execute(file, `CREATE TRIGGER refuse ${event} BEGIN SELECT raise(ABORT, 'refused'); END`)
    await expect(cairn.purge([secret?.id ?? '']), event).rejects.toThrow('refused')
    expect(readAll(file), event).toEqual(before)
    execute(file, 'DROP TRIGGER refuse')
  }
  await cairn.purge([secret?.id ?? ''])
  expect((await cairn.sessions.find('talk')).summary).not.toContain('tangerine')
  await cairn.close()
})
