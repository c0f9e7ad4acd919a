/** Runs every operation in one transaction: reads in a snapshot, writes one after the other in their namespace. */

import type { Driver } from './driver.js'
import { createStatements, type Statements } from './statements.js'

export type Work<T> = (statements: Statements) => Promise<T>

export type Runners = {
  /** Reads one snapshot. */
  readonly run: <T>(work: Work<T>) => Promise<T>
  /** Commits all of it or nothing. `namespace`: the only one that it writes to; null where it may write to several. */
  readonly write: <T>(namespace: string | null, work: Work<T>) => Promise<T>
  /** A write that locks every row it depends on before it reads it: it waits for writes to several namespaces only. */
  readonly amend: <T>(namespace: string | null, work: Work<T>) => Promise<T>
  /** Each statement by itself: for what no transaction can hold, and for what no search depends on. */
  readonly runAlone: <T>(work: Work<T>) => Promise<T>
}

export type Runner = ReturnType<typeof createRunner>

const SQL = {
  begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY',
  beginWrite: 'BEGIN',
  /** A write to one namespace waits for others there and for writes to several; those wait for everyone. */
  lockNamespace: `SELECT pg_advisory_xact_lock_shared(hashtextextended('cairn ' || :schema, 0)),
    pg_advisory_xact_lock(hashtextextended('cairn ' || :schema || ' ' || :namespace, 0))`,
  lockShared: `SELECT pg_advisory_xact_lock_shared(hashtextextended('cairn ' || :schema, 0))`,
  lockAll: `SELECT pg_advisory_xact_lock(hashtextextended('cairn ' || :schema, 0))`,
  countWrite: `INSERT INTO versions (namespace, version) VALUES (:namespace, 1)
    ON CONFLICT (namespace) DO UPDATE SET version = versions.version + 1`,
  version: 'SELECT coalesce(sum(version), 0)::bigint FROM versions',
} as const

export function createRunner(driver: Driver, schema: string) {
  const transact = <T>(begin: string, work: Work<T>): Promise<T> =>
    driver.withConnection(async (connection) => {
      const statements = createStatements(connection)
      await statements.run(begin)
      try {
        const outcome = await work(statements)
        await statements.run('COMMIT')
        return outcome
      } catch (error) {
        await statements.run('ROLLBACK').catch(() => {})
        throw error
      }
    })
  const writeUnder = <T>(lock: string, namespace: string | null, work: Work<T>): Promise<T> =>
    transact(SQL.beginWrite, async (statements) => {
      await statements.run(lock, { schema, namespace })
      const outcome = await work(statements)
      await statements.run(SQL.countWrite, { namespace: namespace ?? '' })
      return outcome
    })
  const runners: Runners = {
    run: (work) => transact(SQL.begin, work),
    write: (namespace, work) =>
      writeUnder(namespace === null ? SQL.lockAll : SQL.lockNamespace, namespace, work),
    amend: (namespace, work) => writeUnder(SQL.lockShared, namespace, work),
    runAlone: (work) => driver.withConnection((connection) => work(createStatements(connection))),
  }
  const refuse = () => Promise.reject(new Error('Nothing can be written in a snapshot.'))
  return {
    ...runners,
    /** Everything that `work` reads through its runners is of one snapshot. */
    withSnapshot: <T>(work: (runners: Runners) => Promise<T>): Promise<T> =>
      transact(SQL.begin, (statements) =>
        work({
          run: (read) => read(statements),
          write: refuse,
          amend: refuse,
          runAlone: refuse,
        }),
      ),
    /** Grows with every write. */
    readVersion: async (statements: Statements): Promise<string> =>
      String(await statements.value(SQL.version)),
  }
}
