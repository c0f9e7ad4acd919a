/** Empty libraries for fuzzers, one after the other: in memory, or in a schema of a PostgreSQL server. */

import { randomUUID } from 'node:crypto'

/** @param task with `library`, the address of the code, and `url` where a server is meant */
export async function createFreshLibraries({ library, url }) {
  const { openCairn } = await import(library)
  let [current, schema] = [null, null]
  const close = async () => {
    await current?.close()
    if (schema !== null) await dropSchema(url, schema)
    ;[current, schema] = [null, null]
  }
  return {
    /** Closes the one before. */
    async open(options = {}) {
      await close()
      if (!url) current = await openCairn({ ...options, file: ':memory:' })
      else {
        schema = `fuzz_${randomUUID().slice(0, 8)}`
        current = await openCairn({ ...options, url: `${url}?schema=${schema}` })
      }
      return current
    },
    close,
  }
}

async function dropSchema(url, schema) {
  const { default: pg } = await import('pg')
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await client.end()
}
