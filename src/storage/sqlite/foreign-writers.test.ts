/** Other programs write to the file: what Cairn could not read is refused, and what is there already breaks nothing. */

import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { type Cairn, openCairn } from '../../index.js'

const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const INSERT = `INSERT INTO records (id, kind, namespace, body, created_at, updated_at)
  VALUES ('${ID}', 'memory', 'default', 'a foreign plum', 1700000000000, 1700000000000)`

async function openLibrary() {
  const file = temporaryFile()
  const cairn = await openCairn({ file, now: () => Date.parse('2026-03-02T09:00:00Z') })
  onTestFinished(() => cairn.close())
  await cairn.addMany([
    { title: '梅', body: '東京 apple', tags: ['fruit'], people: ['山田'] },
    { body: 'pear C++', tags: ['fruit', 'green'] },
    { body: 'plum' },
  ])
  const raw = new Database(file)
  onTestFinished(() => void raw.close())
  return { file, cairn, raw }
}

const failedChecks = async (cairn: Cairn) =>
  (await cairn.doctor()).checks.filter(({ ok }) => !ok).map(({ name }) => name)

describe.each(['OFF', 'ON'])('with recursive_triggers %s', (recursive) => {
  test.each([
    [`body = 'quince'`, 'quince'],
    [`title = 'quince'`, 'quince'],
    [`tags = '["quince"]'`, 'quince'],
    [`title = '梅', body = '東京 quince', tags = '[]', people = '["quince"]'`, 'quince'],
    [`body = 'quince', deleted_at = 1`, null],
    [`row = row + 100`, '東京'],
    [`body_ix = 'quince'`, 'quince'],
  ])('the index follows UPDATE records SET %s', async (change, query) => {
    const { cairn, raw } = await openLibrary()
    raw.pragma(`recursive_triggers = ${recursive}`)
    // The vectors of a moved row stay behind, which foreign keys would refuse.
    raw.pragma('foreign_keys = OFF')
    raw.exec(`UPDATE records SET ${change} WHERE body LIKE '%apple%'`)
    raw.exec(`UPDATE records SET ${change} WHERE body LIKE '%pear%'`)
    const failed = await failedChecks(cairn)
    for (const name of ['pages', 'counts', 'fts', 'tags']) expect(failed).not.toContain(name)
    const found = query && (await cairn.search(query, { mode: 'keyword', match: 'all' })).hits
    if (found !== null) expect(found.length).toBeGreaterThan(0)
    expect((await cairn.doctor({ repair: true })).checks.filter(({ ok }) => !ok)).toEqual([])
  })

  test('INSERT OR REPLACE and DELETE are followed', async () => {
    const { cairn, raw } = await openLibrary()
    raw.pragma(`recursive_triggers = ${recursive}`)
    raw.exec(INSERT)
    raw.exec(`UPDATE records SET body = '東京 quince', tags = '["x"]' WHERE id = '${ID}'`)
    raw.exec(`DELETE FROM records WHERE body LIKE '%apple%'`)
    if (recursive === 'ON') raw.exec(INSERT.replace('INSERT', 'INSERT OR REPLACE'))
    expect((await failedChecks(cairn)).filter((name) => name !== 'hashes')).toEqual([])
  })
})

const UNREADABLE = [
  ['records', 'created_at', `'last week'`],
  ['records', 'occurred_at', "x'00'"],
  ['records', 'updated_at', '1700000000000000000'],
  ['records', 'deleted_at', '1e300'],
  ['records', 'valid_from', '-9000000000000000'],
  ['records', 'tags', `'{"a": 1}'`],
  ['records', 'tags', `'fruit'`],
  ['records', 'people', `'"me"'`],
  ['records', 'metadata', `'[1]'`],
  ['records', 'metadata', `'{a: 1}'`],
  ['records', 'body', "x'ff'"],
  ['records', 'importance', `'high'`],
  ['records', 'importance', '7'],
  ['records', 'salience', '9e999'],
  ['records', 'sector', `'cellar'`],
  ['records', 'tier', `'attic'`],
  ['revisions', 'valid_until', '1700000000000000000'],
  ['revisions', 'tags', `'{}'`],
  ['sessions', 'started_at', `'noon'`],
  ['sessions', 'metadata', `'[]'`],
  ['facts', 'confidence', '2'],
  ['facts', 'type', `'rumour'`],
  ['works', 'details', `'[]'`],
  ['vector_blocks', 'data', `'text'`],
] as const

test('a value that Cairn could not read is refused at the door', async () => {
  const { raw, cairn } = await openLibrary()
  const [{ id } = { id: '' }] = (await cairn.list()).records
  await cairn.edit(id, { body: 'changed' })
  await cairn.sessions.start({ id: 'talk' })
  await cairn.facts.add({ record: id, subject: 'a', predicate: 'is', object: 'b' })
  raw.exec(`INSERT INTO works (record, details) SELECT min(row), '{}' FROM records`)
  for (const [table, column, value] of UNREADABLE) {
    const change = `UPDATE ${table} SET ${column} = ${value}`
    expect(() => raw.exec(change), change).toThrow(/constraint|cannot store|malformed JSON/)
  }
  expect(await failedChecks(cairn)).toEqual([])
})

test('a row with odd values breaks nothing, is named, and is mended by a repair', async () => {
  const { cairn, raw } = await openLibrary()
  const session = (await cairn.sessions.start({ id: 'talk' })).id
  await cairn.add({ body: 'a turn about plums', session })
  const { id: edited } = await cairn.add({ body: 'an earlier plum' })
  await cairn.edit(edited, { body: 'a later plum' })
  raw.pragma('ignore_check_constraints = ON')
  raw.exec(INSERT)
  raw.exec(`UPDATE records SET created_at = 1700000000000000000, occurred_at = 9e17, accessed_at = -9e17,
    tags = '{"a": 1}', people = '["me", 5, null]', metadata = 'nothing', importance = 7, sector = 'cellar'
    WHERE id = '${ID}'`)
  raw.exec(`UPDATE revisions SET people = '5', valid_until = 9e17`)
  raw.exec(`UPDATE sessions SET started_at = 1700000000000000000, metadata = '[]'`)
  raw.exec(
    `INSERT INTO works (record, details) SELECT row, '{"authors": "me"}' FROM records WHERE id = '${ID}'`,
  )

  await cairn.embed()
  const { hits } = await cairn.search('foreign plum')
  expect(hits[0]?.record).toMatchObject({
    id: ID,
    tags: [],
    people: ['me'],
    metadata: {},
    createdAt: '2023-11-14T22:13:20.000Z',
    work: { authors: [], type: 'other' },
  })
  for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
    const found = (await cairn.search('a foreign plum', { mode, facets: true, explain: true })).hits
    expect(found.map(({ record }) => record.id)).toContain(ID)
  }
  expect((await cairn.search('plum', { people: ['me'] })).hits).toHaveLength(1)
  await cairn.search('plum', { asOf: '2026-03-02T09:00:00Z', tags: ['a'] })
  await cairn.list()
  await cairn.timeline({ anchor: ID })
  await cairn.history(edited)
  await cairn.sessions.list()
  await cairn.stats()
  await cairn.overview()
  const lines: string[] = []
  for await (const line of cairn.exportAll()) lines.push(line)
  const copy = await openCairn({ file: ':memory:' })
  onTestFinished(() => copy.close())
  expect((await copy.importAll(lines)).added.record).toBe(6)

  const odd = (await cairn.doctor()).checks.filter(({ ok }) => !ok)
  // The index of earlier states has no trigger for changes: nobody changes them.
  expect(odd.map(({ name }) => name)).toEqual(['rows', 'past'])
  expect(odd[0]?.detail).toBe(
    `values of another program: session talk (startedAt, metadata); record ${ID} (tags, people, metadata, ` +
      `importance, sector, occurredAt, createdAt, accessedAt); revision ${edited} 1 (validUntil, people)`,
  )
  const { ok, checks } = await cairn.doctor({ repair: true })
  expect({ ok, bad: checks.filter((one) => !one.ok) }).toEqual({ ok: true, bad: [] })
  expect((await cairn.get([ID])).records[0]).toMatchObject({
    createdAt: '2023-11-14T22:13:20.000Z',
    importance: 1,
    sector: null,
  })
})
