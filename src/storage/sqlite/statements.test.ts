import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createStatements, insertRows } from './statements.js'

test.each([0, 1, 19, 20, 21, 40, 57])('%i rows are inserted as they are one by one', (count) => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE many (a, b, c); CREATE TABLE single (a, b, c)')
  const rows = Array.from({ length: count }, (_, i) => [i, `row ${i}`, i % 2 === 0 ? null : i / 2])
  insertRows(createStatements(db), 'many (a, b, c)', rows)
  const insert = db.prepare('INSERT INTO single (a, b, c) VALUES (?, ?, ?)')
  for (const row of rows) insert.run(row)
  const read = (table: string) => db.prepare(`SELECT rowid, a, b, c FROM ${table}`).all()
  expect(read('many')).toHaveLength(count)
  expect(read('many')).toEqual(read('single'))
  db.close()
})
