import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { FORMAT, migrate, readFormat } from './migrate.js'

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
