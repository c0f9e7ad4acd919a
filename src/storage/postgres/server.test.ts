/** What needs several connections to a real server; runs where CAIRN_TEST_POSTGRES names one, as contract.test.ts then does. */

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { record } from '../../../test/contract/storage-contract.js'
import { CairnError } from '../../core/errors.js'
import { createIdGenerator, type RecordId } from '../../core/ids.js'
import type { Storage } from '../storage.js'
import { connect, parseAddress } from './connect.js'
import type { Driver } from './driver.js'
import { openServer, type ServerOptions } from './open-server.js'
import { createRunner } from './runner.js'
import type { Statements } from './statements.js'

const server = process.env.CAIRN_TEST_POSTGRES ?? ''
const schemas: string[] = []

function makeUrl(parameters = ''): string {
  const schema = `test_${process.pid}_${schemas.length}`
  schemas.push(schema)
  return `${server}?schema=${schema}${parameters}`
}

const LOCK_MIGRATION = `SELECT pg_advisory_xact_lock(hashtextextended('cairn migration', 0))`

const options: ServerOptions = {
  now: Date.now,
  decay: 1,
  reinforcement: 0.02,
  makeId: createIdGenerator({ now: Date.now, randomBytes }),
  busyTimeoutMs: 30_000,
  trace: null,
}

async function asAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe.skipIf(server === '')('a real server', () => {
  afterAll(async () => {
    await asAdmin(async (client) => {
      for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    })
  }, 60_000)

  const inTurn = (count: number, work: (i: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: count }, (_, i) => work(i)))

  test('a read that waits is stopped by the server: when its time is up, and when its caller is gone', async () => {
    const storage = await openServer(makeUrl(), { ...options, busyTimeoutMs: 60_000 })
    const schema = schemas.at(-1)
    await storage.add([record('one')])
    const list = () => storage.list({ filter: {}, limit: 5, cursor: null, deleted: false })
    const countRunning = (client: pg.Client) =>
      client.query(`SELECT FROM pg_stat_activity WHERE application_name = 'cairn' AND state = 'active'
        AND query LIKE '%records r%' AND wait_event_type = 'Lock'`)
    await asAdmin(async (client) => {
      await client.query('BEGIN')
      await client.query(`LOCK TABLE ${schema}.records`)
      const { signal } = new AbortController()
      const late = storage.limited({ timeLimitMs: 200, signal }, list)
      await expect(late).rejects.toMatchObject({ code: 'too_expensive' })
      const caller = new AbortController()
      // More than the pool has connections: a cancel must not wait for one.
      const waiting = Array.from({ length: 12 }, () =>
        storage.limited({ timeLimitMs: 60_000, signal: caller.signal }, list),
      )
      const refused = waiting.map((one) => expect(one).rejects.toMatchObject({ code: 'cancelled' }))
      await asAdmin((other) =>
        expect.poll(async () => (await countRunning(other)).rowCount).toBeGreaterThan(5),
      )
      caller.abort()
      await Promise.all(refused)
      await client.query('COMMIT')
    })
    expect((await list()).records).toHaveLength(1)
    expect((await storage.figures()).connections).toMatchObject({ waiting: 0 })
    await storage.close()
  })

  test('a process that waited until another one had made the tables uses them', async () => {
    const model = await openServer(makeUrl(), options)
    const meta = `${schemas.at(-1)}.meta`
    const name = `waiting_${process.pid}`
    const url = makeUrl(`&application_name=${name}`)
    const schema = schemas.at(-1)
    const isWaiting = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'advisory'`
    const countWaiting = () => asAdmin((client) => client.query(isWaiting, [name]))
    await asAdmin(async (client) => {
      await client.query(`BEGIN; ${LOCK_MIGRATION}`)
      const opening = openServer(url, options)
      await expect.poll(async () => (await countWaiting()).rowCount, { timeout: 10_000 }).toBe(1)
      await client.query(`CREATE SCHEMA ${schema} CREATE TABLE meta (key text PRIMARY KEY, value text);
        INSERT INTO ${schema}.meta SELECT key, value FROM ${meta}; COMMIT`)
      await (await opening).close()
    })
    await model.close()
  })

  test('writers of one namespace and of several lose nothing, and a text added by all of them is one record', async () => {
    const url = makeUrl()
    const storages = await Promise.all([1, 2, 3].map(() => openServer(url, options)))
    try {
      const outcomes = await inTurn(30, (i) =>
        (storages[i % 3] as Storage).add([
          record('said by all of them'),
          record(`number ${i}`, { namespace: `n${i % 4}` }),
        ]),
      )
      const ids = (outcomes as { id: RecordId; created: boolean }[][]).map(([first]) => first)
      expect(new Set(ids.map((one) => one?.id)).size).toBe(1)
      expect(ids.filter((one) => one?.created)).toHaveLength(1)
      const { records } = await (storages[0] as Storage).statistics()
      expect(records.memory).toBe(31)
    } finally {
      await Promise.all(storages.map((storage) => storage.close()))
    }
  })

  test('adds that wait for each other get their own answers, and one that fails gets its own error', async () => {
    const storage = await openServer(makeUrl(), options)
    const id = options.makeId()
    const outcomes = await Promise.allSettled([
      storage.add([record('first', { id })]),
      storage.add([record('second')]),
      storage.add([record('with the id of another record', { id })]),
      storage.add([record('third'), record('second')]),
    ])
    const created = outcomes.map((one) =>
      one.status === 'fulfilled' ? one.value.map((added) => added.created) : 'failed',
    )
    expect(created).toEqual([[true], [true], 'failed', [true, false]])
    expect((await storage.statistics()).records.memory).toBe(3)
    await storage.close()
  })

  test('[N9] four that change the same records in every way and four that search them fail nowhere and leave all checks passing', async () => {
    const url = makeUrl('&pool=3')
    const storages = await Promise.all(Array.from({ length: 8 }, () => openServer(url, options)))
    const bodies = Array.from({ length: 40 }, (_, i) =>
      record(`turn ${i} about the harbour`, {
        namespace: `n${i % 2}`,
        sessionId: `s${i % 4}`,
        people: ['Ada'],
        tags: [`t${i % 3}`],
      }),
    )
    const [first] = storages as [Storage]
    const ids = (await first.add(bodies)).map(({ id }) => id)
    const session = await first.memory.findSession('s0', 'n0')
    if (session.kind !== 'found') throw new Error('no session')
    let writing = 4
    let searches = 0
    const pick = (n: number): RecordId => ids[n % ids.length] as RecordId
    const write = async (storage: Storage, seed: number) => {
      // Once in every way.
      for (let n = seed; n < seed + 9 * 7; n += 7) {
        const id = pick(n * 31)
        const ways = [
          () => storage.update(id, { body: `turn ${n} about the port of ${seed}` }),
          () => storage.update(id, { namespace: `n${n % 3}` }),
          () => storage.softDelete([id, pick(n + 1)]),
          () => storage.restore([id, pick(n + 1)]),
          () => storage.supersede(id, pick(n + 2), { author: null, note: null }),
          () => storage.reinstate(id),
          () => storage.add([record(`turn ${n} of ${seed}`, { namespace: 'n0', sessionId: 's0' })]),
          () => storage.purge([pick(n * 3)]),
          () =>
            storage.memory.strengthen([id, pick(n + 3)], {
              ...{ kind: 'reinforce', amount: 0.1, decay: 1, session: session.session.row },
            }),
        ]
        await ways[n % ways.length]?.()
      }
      writing -= 1
    }
    const search = async (storage: Storage) => {
      while (writing > 0) {
        await storage.snapshot(async (snapshot) => {
          const [page, again] = await Promise.all([
            snapshot.list({
              filter: { includeSuperseded: true },
              limit: 100,
              cursor: null,
              deleted: false,
            }),
            snapshot.statistics(),
          ])
          const { memory } = again.records
          expect(page.records).toHaveLength(Math.min(100, memory))
        })
        searches += 1
      }
    }
    await Promise.all(storages.map((one, i) => (i < 4 ? write(one, i) : search(one))))
    expect((await first.check()).filter(({ ok }) => !ok)).toEqual([])
    expect(searches).toBeGreaterThan(3)
    await Promise.all(storages.map((storage) => storage.close()))
  })

  test('deadlocks and serialisation failures are tried again', async () => {
    const address = parseAddress(makeUrl())
    const storage = await openServer(`${address.url}?schema=${address.schema}`, options)
    const driver = await connect(address, options)
    const { runInside, run } = createRunner(driver, address.schema)
    const [a, b] = await storage.add([record('a'), record('b')])
    let tries = 0
    const change = (ids: (RecordId | undefined)[]) =>
      runInside(async (statements) => {
        tries += 1
        for (const id of ids) {
          const sql = 'UPDATE records SET salience = salience * 0.9 WHERE id = :id'
          await statements.run(sql, { id: id as RecordId })
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      })
    await Promise.all([change([a?.id, b?.id]), change([b?.id, a?.id])])
    expect(tries).toBeGreaterThan(2)
    const saliences = await run((statements) =>
      statements.column('SELECT round(salience::numeric, 4)::float8 FROM records'),
    )
    expect(saliences).toEqual([0.405, 0.405])
    await driver.close()
    await storage.close()
  })

  test('a read whose connection is lost runs again, and a write that is lost before its end is repeated', async () => {
    const name = `killed_${process.pid}`
    const storage = await openServer(makeUrl(`&pool=1&application_name=${name}`), options)
    const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1'
    const kill = () => asAdmin((client) => client.query(sql, [name]))
    const [one] = await storage.add([record('one')])
    await kill()
    expect(await storage.get([one?.id as RecordId])).toHaveLength(1)
    const adding = storage.add(Array.from({ length: 3000 }, (_, i) => record(`number ${i}`)))
    await new Promise((resolve) => setTimeout(resolve, 30))
    await kill()
    expect(await adding).toHaveLength(3000)
    expect((await storage.statistics()).records.memory).toBe(3001)
    await storage.close()
  })

  test('searches run on the replica, and everything else on the server itself', async () => {
    const url = makeUrl()
    const readOnly = encodeURIComponent(`${server}?options=-c default_transaction_read_only=on`)
    const storage = await openServer(`${url}&replica=${readOnly}`, options)
    const [added] = await storage.add([record('a heron by the river')])
    const read = (at: Storage) =>
      at.snapshot((snapshot) => snapshot.get([added?.id as RecordId]).then((found) => found.length))
    expect(await read(storage)).toBe(1)
    await storage.close()
    const gone = encodeURIComponent('postgres://postgres@127.0.0.1:1/postgres')
    const without = await openServer(`${url}&replica=${gone}`, options)
    await without.add([record('another heron')])
    expect(await read(without)).toBe(1)
    await without.close()
  })

  test('a search that takes too long is stopped and says so, and others are not', async () => {
    const address = parseAddress(makeUrl())
    const driver = await connect(address, options)
    const { withSnapshot, stopSearches } = createRunner(driver, address.schema)
    const sleep = (seconds: number) => (statements: Statements) =>
      statements.value('SELECT pg_sleep(:seconds)', { seconds })
    const [cut, whole] = await Promise.all([
      withSnapshot(100, async ({ run, search }, isCut) => {
        const slow = await search(sleep(5), () => 'cut')
        const after = await run((statements) => statements.value('SELECT 7'))
        return [slow, after, await search(sleep(0), () => 'cut'), isCut()]
      }),
      withSnapshot(5000, async ({ search }, isCut) => [
        await search(sleep(0.3), () => 'cut'),
        isCut(),
      ]),
    ])
    expect(cut).toEqual(['cut', 7, 'cut', true])
    expect(whole).toEqual(['', false])

    const startMs = performance.now()
    const running = withSnapshot(60_000, ({ search }) => search(sleep(30), () => 'stopped'))
    setTimeout(stopSearches, 100)
    expect(await running).toBe('stopped')
    expect(performance.now() - startMs).toBeLessThan(5000)
    await driver.close()
  })

  test('a replica serves a snapshot as long as it has every write, and the server where it lags or is gone', async () => {
    const address = parseAddress(makeUrl())
    // A schema that gets no writes stands for a replica that lags.
    const behind = parseAddress(makeUrl())
    for (const { url, schema } of [address, behind]) {
      await (await openServer(`${url}?schema=${schema}`, options)).close()
    }
    const read = async (replica: Driver) => {
      const driver = await connect(address, options)
      const { withSnapshot, amend, close } = createRunner(driver, address.schema, { replica })
      const ask = () =>
        withSnapshot(null, ({ run }) =>
          run((statements) => statements.value('SELECT current_schema()')),
        )
      const before = await ask()
      await amend(null, async () => {})
      const after = await ask()
      await close()
      return [before, after]
    }
    expect(await read(await connect(behind, options))).toEqual([behind.schema, address.schema])
    const nowhere = parseAddress('postgres://127.0.0.1:1/x')
    expect(await read(await connect(nowhere, options))).toEqual([address.schema, address.schema])
  })

  test('a write whose end was not answered says that it may be stored or not', async () => {
    const address = parseAddress(makeUrl())
    const driver = await connect(address, options)
    const lossy: Driver = {
      ...driver,
      withConnection: (work) =>
        driver.withConnection((connection) =>
          work({
            async query(sql, values) {
              const answer = await connection.query(sql, values)
              if (sql === 'COMMIT') throw new Error('Connection terminated unexpectedly')
              return answer
            },
          }),
        ),
    }
    const { runInside } = createRunner(lossy, address.schema)
    const write = runInside((statements) => statements.run('SELECT 1'))
    await expect(write).rejects.toThrow('it may be stored or not')
    await driver.close()
  })

  describe('what the server refuses is said in a sentence without the password', () => {
    const at = (user: string, rest: string): string =>
      `postgres://${user}@${new URL(server).host}/${rest}`
    const refuse = async (url: string, more: Partial<ServerOptions> = {}) => {
      const failure = await openServer(url, { ...options, ...more }).then(
        (storage) => storage.add([record('one')]).finally(() => storage.close()),
        (error) => error,
      )
      expect(failure).toBeInstanceOf(CairnError)
      expect(`${failure.message} ${failure.hint}`).not.toMatch(/pw|secret/)
      return `${failure.code}: ${failure.message}`
    }
    const add = (url: string) =>
      openServer(url, options).then(async (storage) => {
        const failure = await storage.add([record('one')]).catch((error) => error)
        await storage.close()
        return `${failure.code}: ${failure.message}`
      })

    test('at opening', async () => {
      const name = `refuses_${process.pid}`
      expect(await refuse(at('locked:pw', 'postgres'))).toMatch(/^service_.* refuses this user/)
      expect(await refuse(at('locked', 'postgres'))).toMatch(/^service_.* refuses this user/)
      expect(await refuse(at('postgres', 'nosuch'))).toMatch(/^no_database.*no database of this/)
      expect(await refuse(at('locked:secret', 'postgres?schema=not_mine'))).toMatch(/^read_only/)
      expect(await refuse(makeUrl(), { create: false })).toMatch(/^no_database: There is no Cairn/)
      expect(await refuse(at('locked:secret', 'template1'))).toMatch(/^service_.* has no pgvector/)
      await asAdmin((client) => client.query(`CREATE ROLE ${name} LOGIN CONNECTION LIMIT 0`))
      expect(await refuse(at(name, 'postgres'))).toMatch(/^service_.* accepts no more connections/)
      await asAdmin((client) => client.query(`DROP ROLE ${name}`))
    })

    test('a schema of a later version', async () => {
      const url = makeUrl()
      await (await openServer(url, options)).close()
      await asAdmin((client) => client.query(`UPDATE ${schemas.at(-1)}.meta SET value = '99'`))
      expect(await refuse(url)).toMatch(/^newer_format: .*has version 99/)
    })

    test('at writing', async () => {
      const url = makeUrl()
      const storage = await openServer(url, options)
      const readOnly = await openServer(url, { ...options, readOnly: true })
      await expect(readOnly.add([record('one')])).rejects.toMatchObject({ code: 'read_only' })
      await readOnly.close()
      const set = (setting: string) => `${url}&options=${encodeURIComponent(`-c ${setting}`)}`
      expect(await add(set('default_transaction_read_only=on'))).toMatch(/^read_only: .*replica/)
      expect((await storage.statistics()).records.memory).toBe(0)
      await asAdmin(async (client) => {
        await client.query('BEGIN')
        await client.query(`LOCK TABLE ${schemas.at(-1)}.records`)
        expect(await add(set('statement_timeout=200'))).toMatch(/^service_.*took too long/)
        expect(await add(set('lock_timeout=200'))).toMatch(/^locked: Another program/)
      })
      await storage.close()
    })
  })
})
