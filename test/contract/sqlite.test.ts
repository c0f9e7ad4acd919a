import { randomBytes } from 'node:crypto'
import { createIdMaker } from '../../src/core/ids.js'
import { openSqlite } from '../../src/storage/sqlite/open-sqlite.js'
import { temporaryFile } from '../support/library.js'
import { describeStorage } from './storage-contract.js'

describeStorage('sqlite', async () => {
  let time = 1_780_000_000_000
  const now = (): number => time
  const storage = openSqlite({
    file: temporaryFile(),
    programVersion: '0.0.0',
    create: true,
    readOnly: false,
    busyTimeoutMs: 1000,
    trace: null,
    now,
    makeId: createIdMaker({ now, randomBytes }),
  })
  return {
    storage,
    tick: (ms) => {
      time += ms
    },
  }
})
