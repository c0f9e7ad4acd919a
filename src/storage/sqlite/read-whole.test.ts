import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { readWhole } from './read-whole.js'

/** A file with a log, still open in a program. */
function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-whole-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'notes.cairn')
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.exec(`CREATE TABLE notes (body TEXT); INSERT INTO notes VALUES ('kept')`)
  return { file, db }
}

test('a closed file is read from memory, and cannot be written there', () => {
  const { file, db } = openFile()
  db.close()
  const whole = readWhole(file, {})
  expect(whole?.prepare('SELECT body FROM notes').pluck().get()).toBe('kept')
  expect(() => whole?.exec(`INSERT INTO notes VALUES ('lost')`)).toThrow(/readonly/)
  whole?.close()
})

test('a log that is not yet in the file is never passed over', () => {
  const { file, db } = openFile()
  const copy = `${file}.copy`
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`)
  db.close()
  expect(() => readWhole(copy, {})).toThrow(/still to be brought into it/)
})

test('what is not there, or is open in another program, is not read whole', () => {
  const { file, db } = openFile()
  expect(readWhole(`${file}.none`, {})).toBeNull()
  expect(readWhole(file, {})).toBeNull()
  db.close()
})
