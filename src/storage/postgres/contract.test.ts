import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { describeImports } from '../../../test/contract/imports-contract.js'
import { describeMemory } from '../../../test/contract/memory-contract.js'
import { describeStorage, type Opened } from '../../../test/contract/storage-contract.js'
import { describeWorks } from '../../../test/contract/works-contract.js'
import { openPglite } from '../../../test/support/postgres.js'
import { createIdGenerator, type RecordId } from '../../core/ids.js'
import { openPostgres } from './open-postgres.js'
import { createRunner } from './runner.js'

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
describeStorage('postgres', open)

test('what was to follow a statement does not run after its transaction has failed', async () => {
  const place = await openPglite()
  await openPostgres({
    ...place,
    now: Date.now,
    decay: 1,
    reinforcement: 0,
    makeId: () => 'x' as RecordId,
  })
  const { run, amend } = createRunner(place.driver, place.schema)
  let late: Promise<unknown> = Promise.resolve()
  const failing = amend(null, async (statements) => {
    const insert = `INSERT INTO meta (key, value) VALUES ('late', 'yes')`
    late = statements.run('SELECT 1').then(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return statements.run(insert)
    })
    late.catch(() => {})
    throw new Error('the other part failed')
  })
  await expect(failing).rejects.toThrow('the other part failed')
  await expect(late).rejects.toThrow('has ended')
  expect(
    await run((statements) => statements.value(`SELECT value FROM meta WHERE key = 'late'`)),
  ).toBe(undefined)
})
