import { randomBytes } from 'node:crypto'
import { describeImports } from '../../../test/contract/imports-contract.js'
import { describeMemory } from '../../../test/contract/memory-contract.js'
import { describeStorage, type Opened } from '../../../test/contract/storage-contract.js'
import { describeWorks } from '../../../test/contract/works-contract.js'
import { temporaryFile } from '../../../test/support/library.js'
import { createIdGenerator } from '../../core/ids.js'
import { openSqlite } from './open-sqlite.js'

async function open(): Promise<Opened> {
  let time = 1_780_000_000_000
  let step = 0
  const now = (): number => {
    time += step
    return time
  }
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
    flow: (ms) => {
      step = ms
    },
  }
}

describeStorage('sqlite', open)
describeMemory('sqlite', open)
describeWorks('sqlite', open)
describeImports('sqlite', open)
