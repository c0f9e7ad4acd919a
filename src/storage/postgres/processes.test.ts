/** Several processes on one server: run only where CAIRN_TEST_POSTGRES names one. */

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCairn } from '../../index.js'

const SERVER = process.env.CAIRN_TEST_POSTGRES
const LIBRARY = JSON.stringify(join(import.meta.dirname, '../../../dist/index.js'))
const SCHEMA = `processes_${process.pid}`
/** How often each of several processes writes or searches. */
const ROUNDS = 12

function addressOf(schema: string): string {
  const url = new URL(SERVER ?? '')
  url.searchParams.set('schema', schema)
  return url.href
}

/** A process of its own, as another server would be. */
function start(schema: string, body: string) {
  const script = `
    const { openCairn } = await import(${LIBRARY})
    const cairn = await openCairn({ url: ${JSON.stringify(addressOf(schema))}, vectors: false })
    ${body}
    await cairn.close()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      out += part
    })
  }
  const done = new Promise<{ code: number | null; out: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out }))
  })
  return { child, done, output: () => out }
}

describe.skipIf(SERVER === undefined)('processes on one server', () => {
  const admin = new pg.Client(SERVER)
  const schemas = [`${SCHEMA}_shared`, `${SCHEMA}_killed`, `${SCHEMA}_lost`] as const
  beforeAll(() => admin.connect())
  afterAll(async () => {
    for (const schema of schemas) await admin.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
    await admin.end()
  })

  test('[N9] four that write and four that search lose nothing and see nothing twice', async () => {
    const [schema] = schemas
    // All open a schema that does not exist yet.
    const writers = Array.from({ length: 4 }, (_, w) =>
      start(
        schema,
        `if (${w} === 0) await cairn.sessions.start({ id: 'shared' })
        for (let i = 0; i < ${ROUNDS}; i++) {
          await cairn.add({ body: 'writer ${w} note ' + i })
          const { id } = await cairn.add({ body: 'common note ' + i })
          if (i % 5 === 0) await cairn.edit(id, { tags: ['seen by ${w}'] })
        }`,
      ),
    )
    const searchers = Array.from({ length: 4 }, () =>
      start(
        schema,
        `while ((await cairn.sessions.list()).sessions.length === 0);
        let before = 0
        for (let i = 0; i < ${ROUNDS}; i++) {
          const asked = { query: 'note', mode: 'keyword', limit: 5, recallSession: 'shared' }
          const { total, hits } = await cairn.search(asked)
          if (total.value < before) console.log('went from', before, 'to', total.value)
          if (new Set(hits.map(({ id }) => id)).size < hits.length) console.log('a hit twice')
          before = total.value
        }`,
      ),
    )
    for (const { done } of [...writers, ...searchers]) {
      expect(await done).toEqual({ code: 0, out: '' })
    }
    const cairn = await openCairn({ url: addressOf(schema), vectors: false })
    expect((await cairn.search({ query: 'note', mode: 'keyword', limit: 1 })).total.value).toBe(
      5 * ROUNDS,
    )
    expect((await cairn.search({ query: 'common', mode: 'keyword', limit: 1 })).total.value).toBe(
      ROUNDS,
    )
    const logged = await admin.query(
      `SELECT (SELECT count(*) FROM "${schema}".recalled_queries) AS queries,
        (SELECT count(*) FROM "${schema}".recalls) - (SELECT sum(times) FROM "${schema}".session_records
          WHERE usage = 'recalled') AS missing`,
    )
    expect(logged.rows).toEqual([{ queries: `${4 * ROUNDS}`, missing: '0' }])
    expect((await cairn.doctor()).ok).toBe(true)
    await cairn.close()
  }, 60_000)

  test('[N10] a client killed in the middle of a write leaves all of it or nothing, and no lock', async () => {
    const [, schema] = schemas
    const cairn = await openCairn({ url: addressOf(schema), vectors: false })
    for (const dots of [2, 5]) {
      const writer = start(
        schema,
        `for (let n = 0; ; n++) {
          const name = process.pid + ' ' + n
          await cairn.addMany(Array.from({ length: 50 }, (_, i) => ({ body: 'batch ' + name + ' note ' + i })))
          process.stdout.write('.')
        }`,
      )
      while (writer.output().length < dots) await new Promise((resolve) => setTimeout(resolve, 2))
      writer.child.kill('SIGKILL')
      const { out } = await writer.done
      expect(out).toMatch(/^\.+$/)
      const { value } = (await cairn.search({ query: 'batch', mode: 'keyword', limit: 1 })).total
      expect(value % 50).toBe(0)
      expect(value).toBeGreaterThanOrEqual(50 * dots)
      await cairn.add({ body: `after ${dots} dots` })
    }
    expect((await cairn.doctor()).ok).toBe(true)
    await cairn.close()
  }, 60_000)

  test('[N10] connections that the server ends are opened again, and a write that was cut is not half there', async () => {
    const [, , schema] = schemas
    const cairn = await openCairn({ url: addressOf(schema), vectors: false })
    await cairn.add({ body: 'the first note' })
    const endAll = () =>
      admin.query(
        `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
          JOIN pg_class c ON c.oid = l.relation WHERE c.relnamespace = $1::regnamespace AND a.pid <> pg_backend_pid()`,
        [schema],
      )
    let ended = 0
    let refused = 0
    for (let n = 0; n < 20; n++) {
      const adding = cairn
        .addMany(Array.from({ length: 50 }, (_, i) => ({ body: `batch ${n} note ${i}` })))
        .catch((error: { code?: string }) => {
          refused += 1
          expect(error.code).toBe('service_unavailable')
        })
      await new Promise((resolve) => setTimeout(resolve, 5 + n))
      ended += (await endAll()).rowCount ?? 0
      await adding
    }
    expect(ended).toBeGreaterThan(0)
    const { value } = (await cairn.search({ query: 'batch', mode: 'keyword', limit: 1 })).total
    expect(value % 50).toBe(0)
    expect(value).toBeGreaterThanOrEqual(50 * (20 - refused))
    expect((await cairn.search({ query: 'first', mode: 'keyword' })).hits).toHaveLength(1)
    await cairn.close()
  }, 60_000)
})
