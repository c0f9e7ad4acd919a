/** Implements the storage interface over a schema of a PostgreSQL database. */

import type { RecordId } from '../../core/ids.js'
import type { Storage } from '../storage.js'
import type { Driver } from './driver.js'
import { readHitContext } from './hit-context.js'
import { createMemory } from './memory/memory.js'
import { migrate } from './migrate.js'
import { addRecords, readRecords } from './records.js'
import { createRunner, type Runners } from './runner.js'
import { createStatements } from './statements.js'
import { readOverview, readSizes, readStatistics } from './statistics.js'
import { createVectors } from './vectors.js'

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

/** Stands for a part of the storage that is not written yet. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for anything.
function later(name: string): any {
  const fail = (part: string) => () => Promise.reject(new Error(`${part} is not there yet.`))
  return new Proxy(fail(name), { get: (_, part) => fail(`${name}.${String(part)}`) })
}

export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { driver, schema } = options
  await prepareSchema(driver, schema)
  const runner = createRunner(driver, schema)

  const storageFor = (
    { run, write, ...others }: Runners,
    snapshot: Storage['snapshot'],
  ): Storage => ({
    vectors: createVectors({ run, write, ...others }),
    memory: createMemory(options, { run, write, ...others }),
    works: later('works'),
    imports: later('imports'),
    archive: later('archive'),
    add: (records) =>
      write(null, async (statements) => {
        const added = await addRecords(statements, records, { ...options, now: options.now() })
        return added.map(({ outcome }) => outcome)
      }),
    get: (ids, { deleted = false } = {}) =>
      run((statements) => readRecords(statements, options, { ids, deleted })),
    update: later('update'),
    softDelete: later('softDelete'),
    restore: later('restore'),
    purge: later('purge'),
    history: later('history'),
    supersede: later('supersede'),
    reinstate: later('reinstate'),
    successors: later('successors'),
    anySuperseded: later('anySuperseded'),
    list: later('list'),
    resolve: later('resolve'),
    shorten: later('shorten'),
    rank: later('rank'),
    newest: later('newest'),
    containing: later('containing'),
    weigh: later('weigh'),
    missing: later('missing'),
    nearTerms: later('nearTerms'),
    loadHitContext: (ids, request) => run((statements) => readHitContext(statements, ids, request)),
    sorted: later('sorted'),
    facets: later('facets'),
    timelineAround: later('timelineAround'),
    timelineRange: later('timelineRange'),
    version: () => run(runner.readVersion),
    statistics: (namespace = null) => run((statements) => readStatistics(statements, namespace)),
    sizes: () => run(readSizes),
    overview: (request) => run((statements) => readOverview(statements, request)),
    check: later('check'),
    rebuild: later('rebuild'),
    optimize: later('optimize'),
    close: () => driver.close(),
    snapshot,
    isCut: () => false,
    stopSearches: () => {},
    file: null,
  })

  return storageFor(runner, (work) =>
    runner.withSnapshot((runners) => {
      const inSnapshot: Storage = storageFor(runners, (more) => more(inSnapshot))
      return work(inSnapshot)
    }),
  )
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
