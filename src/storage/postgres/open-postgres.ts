/** Implements the storage interface over a schema of a PostgreSQL database. */

import type { RecordId } from '../../core/ids.js'
import type { Storage } from '../storage.js'
import type { Driver } from './driver.js'
import { migrate } from './migrate.js'
import { createRunner, type Runner } from './runner.js'
import { createStatements } from './statements.js'

export type PostgresOptions = {
  readonly driver: Driver
  readonly schema: string
  readonly now: () => number
  readonly makeId: () => RecordId
  /** How fast salience fades, as a multiple of the usual. */
  readonly decay: number
  /** What it adds to a record that its text is added again. */
  readonly reinforcement: number
}

/** What every part of the storage gets. */
export type Parts = Pick<PostgresOptions, 'now' | 'makeId' | 'decay' | 'reinforcement'>

export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { driver, schema } = options
  await prepareSchema(driver, schema)
  return wire(createRunner(driver, schema))
}

function wire(_runner: Runner): Storage {
  throw new Error('Not wired yet.')
}

async function prepareSchema(driver: Driver, schema: string): Promise<void> {
  await driver.withConnection(async (connection) => {
    const statements = createStatements(connection)
    await statements.run('CREATE EXTENSION IF NOT EXISTS vector')
    await statements.run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
    await statements.run(`SET search_path = "${schema}", public`)
    await statements.run('BEGIN')
    try {
      await migrate(statements, schema)
      await statements.run('COMMIT')
    } catch (error) {
      await statements.run('ROLLBACK').catch(() => {})
      throw error
    }
  })
}
