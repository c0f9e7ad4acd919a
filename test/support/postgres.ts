/** PostgreSQL for tests: the server that CAIRN_TEST_POSTGRES names, or PGlite in this process. */

import process from 'node:process'
import type { PGlite } from '@electric-sql/pglite'
import { connect, parseAddress } from '../../src/storage/postgres/connect.js'
import type { Driver } from '../../src/storage/postgres/driver.js'
import type { Connection, Row } from '../../src/storage/postgres/statements.js'

const SERVER = process.env.CAIRN_TEST_POSTGRES ?? ''
const BIGINT = 20

type Shared = { readonly db: PGlite; queue: Promise<unknown> }

/** Takes a tenth of the time that making all tables takes. */
const EMPTY = (schema: string) => `DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> 'meta' LOOP
      EXECUTE format('DELETE FROM ${schema}.%I', name);
    END LOOP;
  END $$`

let pglite: Promise<Shared> | null = null
let schemas = 0
type Database = { readonly driver: Driver; readonly schema: string }
const unused: Database[] = []

/** Every call gives an empty schema of its own. Those that were closed are used again, with their connections. */
export async function openDatabase(): Promise<Database> {
  const known = unused.pop()
  if (known === undefined) schemas += 1
  const schema = known?.schema ?? `test_${process.ppid}_${process.pid}_${schemas}`
  const driver = known?.driver ?? (await openDriver(schema))
  if (known !== undefined) await driver.withConnection(({ query }) => query(EMPTY(schema), []))
  const close = async () => void unused.push({ driver, schema })
  return { driver: { ...driver, close }, schema }
}

async function openDriver(schema: string): Promise<Driver> {
  if (SERVER !== '') {
    return connect({ ...parseAddress(SERVER), schema }, { busyTimeoutMs: 30_000, trace: null })
  }
  // Started once: it takes seconds.
  pglite ??= startPglite()
  return createDriver(await pglite, schema)
}

async function startPglite(): Promise<Shared> {
  const { PGlite } = await import('@electric-sql/pglite')
  const { vector } = await import('@electric-sql/pglite-pgvector')
  const db = await PGlite.create({ extensions: { vector }, parsers: { [BIGINT]: Number } })
  await db.exec('CREATE EXTENSION vector')
  const type = `SELECT 'halfvec[]'::regtype::oid AS oid`
  const [vectors] = (await db.query<{ oid: number }>(type)).rows
  // Vectors that are stored come in their binary form.
  db.serializers[vectors?.oid ?? 0] = (bytes) => bytes
  return { db, queue: Promise.resolve() }
}

/** PGlite has one connection, so users of it queue. */
function createDriver(one: Shared, schema: string): Driver {
  const connection: Connection = {
    async query(sql, values) {
      const { rows, affectedRows } = await one.db.query<Row>(sql, [...values])
      return { rows, changed: affectedRows ?? 0 }
    },
  }
  return {
    name: 'PGlite',
    withConnection(work) {
      const done = one.queue.then(async () => {
        await one.db.query(`SET search_path = ${schema}, public`)
        return work(connection)
      })
      one.queue = done.catch(() => {})
      return done
    },
    close: async () => {},
  }
}
