import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InsertText, RowBuffer } from './row-buffer.js'
import { createStatements } from './statements.js'

const TEXT = new InsertText('INSERT INTO pairs', ['n', '"text"'])

function emptyTable() {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE pairs (n INTEGER UNIQUE, "text" TEXT)')
  const seen: string[] = []
  const statements = createStatements(db)
  const traced: typeof statements = {
    ...statements,
    run: (sql, values) => {
      seen.push(sql)
      return statements.run(sql, values)
    },
  }
  const rows = () => db.prepare('SELECT n, "text" FROM pairs ORDER BY rowid').raw().all()
  return { statements: traced, rows, seen }
}

test('all rows are there in their order, however many they are', () => {
  fc.assert(
    fc.property(fc.nat(800), (count) => {
      const { statements, rows } = emptyTable()
      const buffer = new RowBuffer(statements, TEXT)
      const given = Array.from({ length: count }, (_, i) => [i, i % 7 === 0 ? null : `row ${i}`])
      for (const row of given) buffer.add(row)
      buffer.flush()
      buffer.flush()
      expect(rows()).toEqual(given)
    }),
    { numRuns: 40 },
  )
})

test.each([
  { rows: 1000, took: 4, texts: 1 },
  { rows: 301, took: 4, texts: 3 },
  { rows: 24, took: 24, texts: 1 },
])('$rows rows take $took statements of $texts texts', ({ rows, took, texts }) => {
  const { statements, seen } = emptyTable()
  const buffer = new RowBuffer(statements, TEXT)
  for (let i = 0; i < rows; i++) buffer.add([i, null])
  buffer.flush()
  expect([seen.length, new Set(seen).size]).toEqual([took, texts])
})

test('a row that is refused is told of', () => {
  const { statements } = emptyTable()
  const buffer = new RowBuffer(statements, TEXT)
  buffer.add([1, 'a'])
  buffer.add([1, 'b'])
  expect(() => buffer.flush()).toThrow('UNIQUE')
})
