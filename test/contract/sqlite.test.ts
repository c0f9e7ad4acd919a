import { randomBytes } from 'node:crypto'
import { createIdGenerator } from '../../src/core/ids.js'
import { openSqlite } from '../../src/storage/sqlite/open-sqlite.js'
import { temporaryFile } from '../support/library.js'
import { describeMemory } from './memory-contract.js'
import { describeStorage, type Opened } from './storage-contract.js'
import { describeWorks } from './works-contract.js'

async function open(): Promise<Opened> {
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
    decay: 1,
    reinforcement: 0.02,
    makeId: createIdGenerator({ now, randomBytes }),
  })
  return {
    storage,
    tick: (ms) => {
      time += ms
    },
  }
}

describeStorage('sqlite', open)
describeMemory('sqlite', open)
describeWorks('sqlite', open)
