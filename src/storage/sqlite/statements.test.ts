import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { OutOfTime } from '../../core/time-budget.js'
import { createStatements, insertRows, joinConditions } from './statements.js'

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

test('a statement that gives its first row late is stopped in the middle, and runs in full where there is time', () => {
  const db = new Database(':memory:')
  db.exec(`CREATE TABLE numbers (row INTEGER PRIMARY KEY);
    WITH RECURSIVE n (row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM n LIMIT 20000)
    INSERT INTO numbers SELECT row FROM n`)
  const statements = createStatements(db)
  const { budget } = statements
  let rows = 0
  db.function('seen', () => {
    rows += 1
    if (rows === 3000) budget.cancel()
    return 1
  })
  const count = (): unknown => {
    const { sql } = joinConditions([statements.timeCheck('n'), { sql: 'seen()', values: {} }])
    return statements.value(`SELECT count(*) FROM numbers n WHERE ${sql}`)
  }
  expect(() => budget.within(60_000, count)).toThrow(OutOfTime)
  expect(rows).toBeLessThan(5000)
  expect(budget.within(60_000, count)).toBe(20_000)
  // Without a limit nobody sees a function that other programs do not have.
  expect(statements.timeCheck('n')).toBeNull()
  db.close()
})
