import { randomBytes } from 'node:crypto'
import { describeImports } from '../../../test/contract/imports-contract.js'
import { describeMemory } from '../../../test/contract/memory-contract.js'
import type { Opened } from '../../../test/contract/storage-contract.js'
import { describeWorks } from '../../../test/contract/works-contract.js'
import { openPglite } from '../../../test/support/postgres.js'
import { createIdGenerator } from '../../core/ids.js'
import { openPostgres } from './open-postgres.js'

async function open(): Promise<Opened> {
  let time = 1_780_000_000_000
  const now = (): number => time
  const storage = await openPostgres({
    ...(await openPglite()),
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

describeMemory('postgres', open)
describeWorks('postgres', open)
describeImports('postgres', open)
// Not yet: describeStorage (waits for words and vectors).
