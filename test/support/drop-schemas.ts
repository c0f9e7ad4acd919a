/** After all tests the server that CAIRN_TEST_POSTGRES names is as it was: the schemas of `openDatabase` are dropped. */

import process from 'node:process'
import pg from 'pg'

export async function teardown(): Promise<void> {
  const server = process.env.CAIRN_TEST_POSTGRES ?? ''
  if (server === '') return
  const client = new pg.Client(server)
  await client.connect()
  const { rows } = await client.query<{ nspname: string }>(
    `SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'test_${process.pid}_')`,
  )
  for (const { nspname } of rows) await client.query(`DROP SCHEMA ${nspname} CASCADE`)
  await client.end()
}
