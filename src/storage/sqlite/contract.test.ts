import { randomBytes } from 'node:crypto'
import { describeAuthors } from '../../../test/contract/authors-contract.js'
import { describeImports } from '../../../test/contract/imports-contract.js'
import { describeMemory } from '../../../test/contract/memory-contract.js'
import {
  createClock,
  describeStorage,
  type Opened,
} from '../../../test/contract/storage-contract.js'
import { describeWorks } from '../../../test/contract/works-contract.js'
import { temporaryFile } from '../../../test/support/library.js'
import { createIdGenerator } from '../../core/ids.js'
import { openSqlite } from './open-sqlite.js'

async function open(): Promise<Opened> {
  const { now, tick, flow } = createClock()
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
  return { storage, tick, flow }
}

describeStorage('sqlite', open)
describeMemory('sqlite', open)
describeWorks('sqlite', open)
describeAuthors('sqlite', open)
describeImports('sqlite', open)
