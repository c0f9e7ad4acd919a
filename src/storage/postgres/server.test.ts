/** What needs several connections to a real server; runs where CAIRN_TEST_POSTGRES names one. */

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, describe } from "vitest"
import { describeMemory } from '../../../test/contract/memory-contract.js'
import { describeStorage, type Opened, record } from '../../../test/contract/storage-contract.js'
import { describeWorks } from '../../../test/contract/works-contract.js'
import { createIdGenerator, type RecordId } from '../../core/ids.js'
import type { Storage } from '../storage.js'
import { connect, parseAddress } from './connect.js'
import { openServer, type ServerOptions } from './open-server.js'
import { createRunner } from './runner.js'

const server = process.env.CAIRN_TEST_POSTGRES ?? ''
const schemas: string[] = []

function makeUrl(parameters = ''): string {
  const schema = `test_${process.pid}_${schemas.length}`
  schemas.push(schema)
  return `${server}?schema=${schema}${parameters}`
}

const options: ServerOptions = {
  now: Date.now,
  decay: 1,
  reinforcement: 0.02,
  makeId: createIdGenerator({ now: Date.now, randomBytes }),
  busyTimeoutMs: 5000,
  trace: null,
}

async function open(): Promise<Opened> {
  let time = 1_780_000_000_000
  const now = (): number => time
  const makeId = createIdGenerator({ now, randomBytes })
  const storage = await openServer(makeUrl(), { ...options, now, makeId })
  return {
    storage,
    tick: (ms) => {
      time += ms
    },
  }
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

  describeStorage('server', open)
  describeMemory('server', open)
  describeWorks('server', open)
})
