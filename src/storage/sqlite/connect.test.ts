import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { FORMAT, migrate, openBytes, readFormat, readWhole } from './connect.js'

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
  const bytes = readWhole(file)
  const whole = bytes && openBytes(bytes, { readonly: true })
  expect(whole?.prepare('SELECT body FROM notes').pluck().get()).toBe('kept')
  expect(() => whole?.exec(`INSERT INTO notes VALUES ('lost')`)).toThrow(/readonly/)
  whole?.close()
})

test('a log that is not yet in the file is never passed over', () => {
  const { file, db } = openFile()
  const copy = `${file}.copy`
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`)
  db.close()
  expect(() => readWhole(copy)).toThrow(/still to be brought into it/)
})

test('what is not there, or is open in another program, is not read whole', () => {
  const { file, db } = openFile()
  expect(readWhole(`${file}.none`)).toBeNull()
  expect(readWhole(file)).toBeNull()
  db.close()
})

test('[N9] a file that another process makes ours while it is looked at is ours', () => {
  const file = temporaryFile()
  const db = new Database(file)
  // The other process comes between the first question and the second.
  const racing = new Proxy(db, {
    get(target, name) {
      if (name === 'prepare') {
        const other = new Database(file)
        migrate(other, file, '0.0.0')
        other.close()
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  expect(readFormat(racing, file, '0.0.0')).toBe(FORMAT)
  db.close()
})
