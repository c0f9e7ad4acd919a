import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createCallLimits } from '../../core/call-limits.js'
import { TimeBudget } from '../../core/time-budget.js'
import {
  createRunner,
  createSnapshots,
  createTransactionClock,
  identifyFile,
  NO_FILE,
} from './runner.js'

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-place-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'notes.cairn')
  writeFileSync(file, text)
  return file
}

function openRunner() {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  let ms = 0
  const clock = createTransactionClock(() => ++ms)
  const runner = createRunner({
    db,
    file: 'notes.cairn',
    identity: NO_FILE,
    clock,
    snapshots: createSnapshots(db),
    budget: new TimeBudget(() => 0),
    limits: createCallLimits(),
  })
  return { db, runner, clock }
}

test('a file that is written to stays the same', () => {
  const file = fileWith('one')
  const identity = identifyFile(file, { isCopy: false })
  appendFileSync(file, ' and more')
  expect(identity.isSame()).toBe(true)
  expect(() => identity.assertSame()).not.toThrow()
})

test('a file that was deleted or moved away is not the same', () => {
  for (const take of [rmSync, (file: string) => renameSync(file, `${file}.away`)]) {
    const file = fileWith('one')
    const identity = identifyFile(file, { isCopy: false })
    take(file)
    expect(identity.isSame()).toBe(false)
    expect(() => identity.assertSame()).toThrow(
      `${file} was deleted or moved away while it was open`,
    )
  }
})

test('another file at the path is not the one that was opened', () => {
  const file = fileWith('one')
  const identity = identifyFile(file, { isCopy: false })
  writeFileSync(`${file}.new`, 'two')
  renameSync(`${file}.new`, file)
  expect(() => identity.assertSame()).toThrow(`Another file stands at ${file}`)
  renameSync(file, `${file}.new`)
  expect(identity.isSame()).toBe(false)
})

test('of a file that was read whole a change is news, and so is a log beside it', () => {
  const file = fileWith('one')
  const whole = identifyFile(file, { isCopy: true })
  expect(whole.isSame()).toBe(true)
  writeFileSync(`${file}-wal`, 'a log')
  expect(whole.isSame()).toBe(false)
  rmSync(`${file}-wal`)
  expect(whole.isSame()).toBe(true)
  appendFileSync(file, ' and more')
  expect(whole.isSame()).toBe(false)
})

test('a constraint that fails is damage where rows are missing, and else stays an error of the program', async () => {
  const { db, runner } = openRunner()
  db.exec(`CREATE TABLE models (row INTEGER PRIMARY KEY);
    CREATE TABLE embedded (model INTEGER NOT NULL REFERENCES models (row));
    INSERT INTO models VALUES (1); INSERT INTO embedded VALUES (1)`)
  const add = () => runner.write(() => db.exec('INSERT INTO embedded VALUES (2)'))
  await expect(add()).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })
  db.exec('PRAGMA foreign_keys = OFF; DELETE FROM models; PRAGMA foreign_keys = ON')
  await expect(add()).rejects.toMatchObject({ code: 'damaged', message: 'notes.cairn is damaged.' })
})

test('whoever comes first reads first, also after a long snapshot', async () => {
  const { runner } = openRunner()
  const order: string[] = []
  const read = (name: string, ms = 0) =>
    runner.withSnapshot(null, async () => {
      const endMs = performance.now() + ms
      while (performance.now() < endMs) {}
      order.push(name)
    })
  const early = [read('long', 60), read('second'), runner.run(() => order.push('third'))]
  await early[0]
  // The event loop has its turn before the second; whoever comes now is behind it.
  const late = [read('fourth'), runner.run(() => order.push('fifth'))]
  await Promise.all([...early, ...late])
  expect(order).toEqual(['long', 'second', 'third', 'fourth', 'fifth'])
})

test('everything in one transaction has one time, and later operations have later ones', async () => {
  const { runner, clock } = openRunner()
  const readTwice = () => [clock.now(), clock.now()]
  expect(await runner.write(readTwice)).toEqual([1, 1])
  expect(await runner.run(readTwice)).toEqual([2, 3])
})
