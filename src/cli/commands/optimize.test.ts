import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { jsonOf, terminal } from '../../../test/support/terminal.js'

test('[L8] optimize says how large the file was and is', async () => {
  const cairn = terminal(temporaryFile())
  await cairn('add', 'apple')
  expect((await cairn('optimize')).out).toMatch(/^optimized \d+ kB → \d+ kB\n$/)
  const answer = await jsonOf(cairn)('optimize', '--vacuum')
  expect(answer).toEqual({ bytesBefore: expect.any(Number), bytesAfter: expect.any(Number) })
  expect((await cairn('search', 'apple')).out).toContain('1 record')
})

test('[L8] a large import puts the index in order, a dry run of it does not', async () => {
  const file = join(temporaryFolder(), 'many.jsonl')
  const lines = Array.from({ length: 10_001 }, (_, i) => `{"key":"${i}","body":"note ${i}"}\n`)
  writeFileSync(file, lines.join(''))
  const database = temporaryFile()
  const cairn = terminal(database, { env: { CAIRN_DB: database, CAIRN_VECTORS: '0' } })
  expect((await cairn('import', file)).out).toContain('created  10001 records')
  expect(countSegments(database)).toBe(1)
  await cairn('add', 'apple')
  const segments = countSegments(database)
  expect(segments).toBeGreaterThan(1)
  await cairn('import', file, '--dry-run')
  expect(countSegments(database)).toBe(segments)
}, 60_000)

/** The segments of the full-text index; an optimized index has one. */
function countSegments(file: string): number {
  const db = new Database(file, { readonly: true })
  const row = db.prepare('SELECT count(DISTINCT segid) AS count FROM records_ft_idx').get()
  db.close()
  return (row as { count: number }).count
}
