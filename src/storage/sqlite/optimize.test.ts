import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrate } from './migrate.js'
import { optimizeFile } from './optimize.js'
import { createStatements } from './statements.js'

test('a file is never copied into memory to make it small, whatever a bulk addition has left', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-optimize-'))
  const file = join(folder, 'test.cairn')
  const db = new Database(file)
  try {
    migrate(db, file, '0.0.0')
    db.pragma('temp_store = MEMORY')
    const parts = { db, statements: createStatements(db), file, checkpoint: () => true }
    optimizeFile(parts, false)
    expect(db.pragma('temp_store', { simple: true })).toBe(2)
    optimizeFile(parts, true)
    expect(db.pragma('temp_store', { simple: true })).toBe(0)
  } finally {
    db.close()
    rmSync(folder, { recursive: true })
  }
})
