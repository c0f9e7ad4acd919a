/** Runs every operation in one transaction: reads in a snapshot, writes one after the other in their namespace. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { createCallLimits } from '../../core/call-limits.js'
import { CairnError } from '../../core/errors.js'
import type { RecordId } from '../../core/ids.js'
import type { Driver } from './driver.js'
import { explainPostgresError, isConflict, isLost, unsureCommit } from './errors.js'
import { createSnapshots, limitRead, type SnapshotWork } from './read-limits.js'
import { createSlots } from './slots.js'
import { type Connection, createStatements, type Statements } from './statements.js'

export type Work<T> = (statements: Statements) => Promise<T>

/** What a write may change: one namespace, those of these records and one more, or (null) any. */
export type WriteScope =
  | string
  | null
  | { readonly ids: readonly RecordId[]; readonly namespace?: string | undefined }

export type Runners = {
  /** Reads one snapshot. */
  readonly run: <T>(work: Work<T>) => Promise<T>
  /** The same for what may take long: once a share of the time that is left in the snapshot is over, it gives `ifCut`. */
  readonly search: <T>(work: Work<T>, ifCut: () => T, share?: number) => Promise<T>
  /** Commits all of it or nothing. */
  readonly write: <T>(scope: WriteScope, work: Work<T>) => Promise<T>
  /** A write that locks every row it depends on before it reads it: it waits for writes to several namespaces only. */
  readonly amend: <T>(namespace: string | null, work: Work<T>) => Promise<T>
  /** Each statement by itself: for what no transaction can hold, and for what no search depends on. */
  readonly runAlone: <T>(work: Work<T>) => Promise<T>
}

export type Runner = ReturnType<typeof createRunner>

const SHARED = `pg_advisory_xact_lock_shared(hashtextextended('cairn ' || :schema, 0))`
const OF_NAMESPACE = `pg_advisory_xact_lock(hashtextextended('cairn ' || :schema || ' ' || namespace, 0))`

const SQL = {
  begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY',
  beginWrite: 'BEGIN',
  /** A write to some namespaces waits for others there and for writes to all; those wait for everyone. */
  lockNamespaces: `SELECT namespace, ${SHARED}, ${OF_NAMESPACE} FROM (
      SELECT namespace FROM records WHERE id = ANY (:ids::text[])
      UNION SELECT :namespace::text WHERE :namespace::text IS NOT NULL ORDER BY namespace) one`,
  lockShared: `SELECT ${SHARED}`,
  lockAll: `SELECT pg_advisory_xact_lock(hashtextextended('cairn ' || :schema, 0))`,
  countWrite: `INSERT INTO versions (namespace, version) SELECT namespace, 1 FROM unnest(:namespaces::text[]) namespace
    ON CONFLICT (namespace) DO UPDATE SET version = versions.version + 1`,
  grown: `SELECT format('%I', c.relname) FROM pg_class c
    WHERE c.relnamespace = to_regnamespace(:schema) AND c.relkind = 'r'
      AND pg_relation_size(c.oid) > 2 * current_setting('block_size')::integer * greatest(c.relpages, 8)`,
  version: 'SELECT coalesce(sum(version), 0)::bigint FROM versions',
} as const

/** So many writes of a process hold a connection, of ten: writers of one namespace wait for each other, readers for nobody. */
const MOST_WRITERS = 3
/** After so many rows of writes, tables that have more than doubled are analysed. */
const ROWS_TO_CHECK = 1000

/** A serialisation failure or a deadlock is tried again so often. */
const MOST_TRIES = 8
const PAUSE_MS = 20
/** A pool may hold several connections that are gone. */
const LOST_TRIES = 4
/** So long a replica that does not answer is left alone. */
const REPLICA_PAUSE_MS = 10_000

export function createRunner(
  driver: Driver,
  schema: string,
  { readOnly = false, replica = null }: { readOnly?: boolean; replica?: Driver | null } = {},
) {
  const beginWrite = readOnly ? SQL.begin : SQL.beginWrite
  const snapshots = createSnapshots()
  const writers = createSlots(MOST_WRITERS)
  const signing = new AsyncLocalStorage<string | null>()
  const author = (): string | null => signing.getStore() ?? null
  const limits = createCallLimits()
  let isClosed = false
  let replicaFromMs = 0
  let rowsSinceCheck = 0

  /** Tries again what conflicts with others, and a few times what loses its connection before it commits. */
  const retry = async <T>(attempt: (state: CommitState) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      if (isClosed) {
        throw new CairnError('closed', { message: `${driver.name} was closed already.` })
      }
      const state: CommitState = { isCommitting: false }
      try {
        return await attempt(state)
      } catch (error) {
        if (isLost(error) && state.isCommitting) throw unsureCommit(driver.name, error)
        const mayRepeat = isConflict(error)
          ? tries < MOST_TRIES
          : isLost(error) && tries < LOST_TRIES
        if (!mayRepeat) throw explainPostgresError(error, driver.name)
        await setTimeout(Math.random() * PAUSE_MS * tries)
      }
    }
  }

  const transact = <T>(
    begin: string,
    work: (statements: Statements, connection: Connection) => Promise<T>,
    { finish, source = driver, author = null }: TransactOptions = {},
  ): Promise<T> =>
    retry((state) =>
      source.withConnection(async (whole) => {
        const { connection, end } = limitToTransaction(whole, (rows) => {
          if (finish !== undefined) rowsSinceCheck += rows
        })
        const statements = createStatements(connection, author)
        // Nothing waits for BEGIN, nor for the end of a snapshot. All answers are read before a write is said to be stored.
        const begun = statements.run(begin)
        begun.catch(() => {})
        try {
          const outcome = await work(statements, connection)
          await begun
          state.isCommitting = finish !== undefined
          const ended = Promise.all([finish?.(statements), statements.run('COMMIT')])
          if (state.isCommitting) await ended
          else ended.catch(() => {})
          return outcome
        } catch (error) {
          if (!state.isCommitting) statements.run('ROLLBACK').catch(() => {})
          throw error
        } finally {
          end()
        }
      }),
    )

  const writeUnder = async <T>(
    lock: (statements: Statements) => Promise<string[]>,
    work: Work<T>,
  ): Promise<T> => {
    let namespaces: string[] = []
    const finish: Work<unknown> = (statements) => statements.run(SQL.countWrite, { namespaces })
    const lockAndWrite: Work<T> = async (statements) => {
      const [locked, outcome] = await Promise.all([lock(statements), work(statements)])
      namespaces = locked
      return outcome
    }
    const how = { finish, author: author() }
    const written = await writers.run(() => transact(beginWrite, lockAndWrite, how))
    if (rowsSinceCheck >= ROWS_TO_CHECK) {
      rowsSinceCheck = 0
      await analyseGrown(driver, schema).catch(() => {})
    }
    return written
  }

  const read = async <T>(work: Work<T>): Promise<T> =>
    transact(SQL.begin, limitRead(limits.current(), work))

  const runners: Runners = {
    run: read,
    search: read,
    write: (scope, work) => writeUnder((statements) => lockScope(statements, schema, scope), work),
    amend: (namespace, work) =>
      writeUnder(async (statements) => {
        await statements.run(SQL.lockShared, { schema })
        return [namespace ?? '']
      }, work),
    runAlone: (work) =>
      retry(() => driver.withConnection((connection) => work(createStatements(connection)))),
  }

  return {
    ...runners,
    author,
    /** Whatever `work` writes has this author. */
    signed: <T>(author: string | null, work: () => Promise<T>): Promise<T> =>
      signing.run(author, work),
    limited: limits.run,
    /** Everything that `work` reads through its runners is of one snapshot, of the replica if it is up to date. */
    async withSnapshot<T>(timeLimitMs: number | null, work: SnapshotWork<T>): Promise<T> {
      const read = snapshots.read(timeLimitMs, limits.current(), work)
      if (replica === null || performance.now() < replicaFromMs) return transact(SQL.begin, read)
      const known = await transact(SQL.begin, readVersion)
      const reader = async (statements: Statements, connection: Connection) => {
        if ((await readVersion(statements)) === known)
          return { found: await read(statements, connection) }
        return null
      }
      const outcome = await transact(SQL.begin, reader, { source: replica }).catch((error) => {
        if (!(error instanceof CairnError) || error.code !== 'service_unavailable') throw error
        replicaFromMs = performance.now() + REPLICA_PAUSE_MS
        return null
      })
      return outcome === null ? transact(SQL.begin, read) : outcome.found
    },
    /** A transaction that takes its own locks and counts as no write. */
    runInside: <T>(work: Work<T>): Promise<T> =>
      transact(beginWrite, work, { finish: async () => {} }),
    stopSearches: snapshots.stop,
    readVersion,
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      await Promise.all([driver.close(), replica?.close()])
    },
  }
}

/** Grows with every write. */
async function readVersion(statements: Statements): Promise<string> {
  return String(await statements.value(SQL.version))
}

type CommitState = { isCommitting: boolean }

type TransactOptions = {
  /** What a write does before it commits. */
  readonly finish?: Work<unknown>
  readonly source?: Driver
  readonly author?: string | null
}

/**
 * The server does so by itself within minutes. Until then it plans statements as if a table were empty, and an import into
 * a new database takes several times as long.
 */
async function analyseGrown(driver: Driver, schema: string): Promise<void> {
  await driver.withConnection(async (connection) => {
    const statements = createStatements(connection)
    const tables = await statements.column(SQL.grown, { schema })
    if (tables.length > 0) await statements.run(`ANALYZE ${tables.join(', ')}`)
  })
}

/** Where one of several statements fails, what was to follow the others must not run in the next transaction. */
function limitToTransaction(whole: Connection, countRows: (rows: number) => void) {
  let isOpen = true
  const connection: Connection = {
    ...whole,
    async query(sql, values) {
      if (!isOpen) throw new Error('The transaction has ended before this statement.')
      const answer = await whole.query(sql, values)
      countRows(answer.changed)
      return answer
    },
  }
  return {
    connection,
    end(): void {
      isOpen = false
    },
  }
}

/** Returns the namespaces whose version changes. */
async function lockScope(
  statements: Statements,
  schema: string,
  scope: WriteScope,
): Promise<string[]> {
  if (scope === null) {
    await statements.run(SQL.lockAll, { schema })
    return ['']
  }
  const { ids, namespace = null } =
    typeof scope === 'string' ? { ids: [], namespace: scope } : scope
  const rows = await statements.column(SQL.lockNamespaces, { schema, ids, namespace })
  return rows as string[]
}
