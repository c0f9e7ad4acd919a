/** Records that are added together are in the index together, whatever happens while they are added. */

import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { openCairn, type RecordInput } from '../index.js'

const LIBRARY = JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))
/** `KILLS=24` for a long look. */
const KILLS = Number(process.env.KILLS ?? 3)

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

test('a new file has pages of 8 kB, and a file with other pages keeps its own', async () => {
  const [file, older] = [temporaryFile(), temporaryFile()]
  copyFileSync(join(import.meta.dirname, '../../test/fixtures/format-1.cairn'), older)
  const pageSize = (db: Database.Database) => db.pragma('page_size', { simple: true })
  const before = withFile(older, pageSize)
  for (const name of [file, older]) {
    const cairn = await openCairn({ file: name })
    await cairn.addMany(Array.from({ length: 300 }, (_, i) => ({ body: `Note ${i} of the pier.` })))
    await cairn.close()
  }
  expect(withFile(file, pageSize)).toBe(8192)
  expect(withFile(older, pageSize)).toBe(before)
  expect(await problems(file)).toEqual([])
})

test('addMany builds the same index as row-by-row inserts of another program', async () => {
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

/** All that is kept of records and made of them, but ids and times; records are told by their text. */
function everythingIn(file: string): unknown {
  return withFile(file, (db) => {
    const read = (sql: string) => db.prepare(sql).raw().all()
    const text = (row: string) =>
      `(SELECT body || coalesce(title, '') FROM records WHERE row = ${row})`
    return {
      records:
        read(`SELECT kind, namespace, title, body, tags, people, source, metadata, importance, sector, tier,
        salience, session_id, context, occurred_at, hex(content_hash), title_ix, body_ix, tags_ix, people_ix, context_ix
        FROM records ORDER BY body, title, occurred_at`),
      index: read(
        `SELECT term, ${text('doc')}, col, offset FROM records_instances ORDER BY 1, 2, 3, 4`,
      ),
      tags: read(`SELECT tag, ${text('record_tags.row')} FROM record_tags ORDER BY 1, 2`),
      chunks: read(`SELECT ${text('c.record')}, c.ordinal, c."start", c."end", hex(v.codes), v.scale
        FROM chunks c JOIN vectors v ON v.place = c.block * 128 + c.slot ORDER BY 1, 2, 5`),
      wholes: read(`SELECT ${text('e.record')}, e.chunks, hex(v.codes), v.scale
        FROM embedded e LEFT JOIN vectors v ON v.place = e.whole_block * 128 + e.whole_slot ORDER BY 1, 2, 3`),
      waiting: read('SELECT count(*) FROM waiting'),
    }
  })
}

test('[N9] addMany stores the same rows as adding one by one', async () => {
  const long = (i: number) =>
    `${i}: ${'The wind tunnel measured the boundary layer of a wing. '.repeat(15 + (i % 20))}`
  const records: RecordInput[] = [
    ...Array.from({ length: 70 }, (_, i) => ({
      kind: 'document' as const,
      title: `Report ${i} "quoted" \\ \n`,
      body: long(i),
      tags: [`shelf ${i % 7}`, 'Report'],
      people: i % 3 === 0 ? ['Ada', '山田'] : [],
      metadata: { number: i },
    })),
    { body: '東京の会議は金曜日です。C++ and C#' },
    { body: 'half a pair \ud800 here', importance: 0.9, sector: 'semantic' },
    { body: long(3), kind: 'document', title: 'Report 3 "quoted" \\ \n' },
    ...['Shall we?', 'ok', 'ok'].map((body, i) => ({
      body,
      session: 's',
      occurredAt: 1_700_000_000_000 + i,
    })),
  ]
  const [together, single] = [temporaryFile(), temporaryFile()]
  const [first, second] = [await openCairn({ file: together }), await openCairn({ file: single })]
  const answers = await first.addMany(records)
  for (const record of records) await second.addMany([record])
  await Promise.all([first.close(), second.close()])
  expect(answers.filter(({ created }) => !created)).toHaveLength(1)
  expect(everythingIn(together)).toEqual(everythingIn(single))
})

test('rows that another program writes afterwards are indexed and tagged, and wait for vectors', async () => {
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

test('[M14] twins far apart in one call are one record in a namespace, and another in another', async () => {
  const cairn = await libraryOf(['twin'])
  const bodies = [...Array.from({ length: 120 }, (_, i) => `note ${i}`), 'late', 'twin', 'late']
  const answers = await cairn.addMany(
    ['default', 'other'].flatMap((namespace) => bodies.map((body) => ({ body, namespace }))),
  )
  const created = answers.map((answer, i) => (answer.created ? '' : i)).filter((i) => i !== '')
  expect(created).toEqual([121, 122, 245])
  expect(answers[245]?.duplicateOf).toBe(answers[243]?.id)
  expect((await cairn.stats()).namespaces).toEqual({ default: 122, other: 122 })
  expect((await cairn.doctor()).ok).toBe(true)
})

type Writing = { readonly batch: number; readonly words: number; readonly atOnce: number }

/** Adds batches until it is killed, and says the number of each that is in the file. */
function startWriter(file: string, name: string, { batch, words, atOnce }: Writing) {
  const script = `
    const { openCairn } = await import(${LIBRARY})
    const cairn = await openCairn({ file: ${JSON.stringify(file)} })
    const add = async (i) => {
      await cairn.addMany(Array.from({ length: ${batch} }, (_, k) => ({
        body: '${name}x' + i + ' note ' + k + ' about the wind tunnel.'.repeat(k % ${words}),
        tags: ['t' + k % 5],
        ...(k % 3 === 0 ? { session: '${name}', occurredAt: 1700000000000 + i * 1000 + k } : {}),
      })))
      process.stdout.write(i + '\\n')
    }
    const underWay = []
    for (let i = 0; ; i++) {
      if (underWay.length >= ${atOnce}) await underWay.shift()
      underWay.push(add(i))
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
  return { child, first, done, acknowledged: () => output.split('\n').slice(0, -1).map(Number) }
}

test.each<[string, Writing & { kills: number }]>([
  ['bulk addition', { batch: 60, words: 12, atOnce: 1, kills: KILLS }],
  [
    'bulk addition of long texts, which threads read,',
    { batch: 240, words: 90, atOnce: 2, kills: Math.ceil(KILLS / 3) },
  ],
])(
  '[N9, D1] a %s killed at any moment is there whole or not at all, and the index agrees',
  {
    timeout: 300_000,
  },
  async (_, { kills, ...writing }) => {
    const file = temporaryFile()
    for (let kill = 0; kill < kills; kill++) {
      const name = `k${kill}`
      const writer = startWriter(file, name, writing)
      await writer.first
      // A batch takes from some tens to some hundreds of milliseconds: these fall anywhere in one.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (60 + writing.batch)))
      writer.child.kill('SIGKILL')
      await writer.done
      expect(await problems(file)).toEqual([])
      const cairn = await openCairn({ file })
      for (const i of writer.acknowledged()) {
        const { total } = await cairn.search(`${name}x${i}`, { mode: 'keyword', limit: 1 })
        expect(total.value).toBe(writing.batch)
      }
      await cairn.close()
      withFile(file, (db) => {
        expect(count(db, 'unindexed')).toBe(0)
        const stored = db.prepare('SELECT count(*) FROM records WHERE body LIKE ?').pluck()
        expect(Number(stored.get(`${name}x%`)) % writing.batch).toBe(0)
      })
    }
  },
)
