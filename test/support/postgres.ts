/** PostgreSQL for tests: PGlite in this process, or a schema of its own on the server that CAIRN_TEST_POSTGRES names. */

import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { Driver } from '../../src/storage/postgres/driver.js'
import type { Connection, Row } from '../../src/storage/postgres/statements.js'

const BIGINT = 20

type Shared = { readonly db: PGlite; queue: Promise<unknown>; readonly unused: string[] }

/** Takes a tenth of the time that making all tables takes. */
const EMPTY = (schema: string) => `DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> 'meta' LOOP
      EXECUTE format('DELETE FROM ${schema}.%I', name);
    END LOOP;
  END $$`

let shared: Promise<Shared> | null = null
let schemas = 0

/** Starts once per test file: it takes seconds. Every call gives an empty schema of its own. */
export async function openPglite(): Promise<{ driver: Driver; schema: string }> {
  shared ??= start()
  const one = await shared
  const known = one.unused.pop()
  if (known !== undefined) await one.db.exec(EMPTY(known))
  else schemas += 1
  const schema = known ?? `test_${schemas}`
  return { driver: createDriver(one, schema), schema }
}

async function start(): Promise<Shared> {
  const db = await PGlite.create({ extensions: { vector }, parsers: { [BIGINT]: Number } })
  await db.exec('CREATE EXTENSION vector')
  const type = `SELECT 'halfvec[]'::regtype::oid AS oid`
  const [vectors] = (await db.query<{ oid: number }>(type)).rows
  // Vectors that are stored come in their binary form.
  db.serializers[vectors?.oid ?? 0] = (bytes) => bytes
  return { db, queue: Promise.resolve(), unused: [] }
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
    close: async () => {
      one.unused.push(schema)
    },
  }
}
