/** A server that is killed and started again: run where CAIRN_TEST_POSTGRES names one that scripts/postgres-server made. */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cairn, openCairn } from '../../index.js'

const SCRIPT = join(import.meta.dirname, '../../../scripts/postgres-server')
const ROOT = process.env.CAIRN_PG_ROOT ?? '/var/tmp/cairn-postgres'
const canCrash = process.env.CAIRN_TEST_POSTGRES !== undefined && existsSync(ROOT)

/** A server of its own: the other tests go on. */
const control = (what: string): string =>
  execFileSync(SCRIPT, [what], {
    env: { ...process.env, CAIRN_PG_PORT: '54330' },
    encoding: 'utf8',
  }).trim()

describe.skipIf(!canCrash)('a server that crashes', () => {
  let url = ''
  let cairn: Cairn
  beforeAll(async () => {
    url = control('start')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query('DROP SCHEMA IF EXISTS crash CASCADE')
    await admin.end()
    cairn = await openCairn({ url: `${url}?schema=crash`, vectors: false })
  }, 60_000)
  afterAll(async () => {
    await cairn?.close()
    control('stop')
  }, 60_000)

  /** Adds notes until the server is gone; gives those that were acknowledged. */
  const writeUntilRefused = async (name: string, crash: () => void) => {
    const acknowledged: string[] = []
    for (let i = 0; ; i++) {
      if (i === 20) crash()
      try {
        await cairn.add({ body: `${name} note ${i}`, tags: [`${name}${i}`] })
        acknowledged.push(`${name} note ${i}`)
      } catch (error) {
        return { acknowledged, message: (error as Error).message }
      }
      if (i > 5000) throw new Error('nothing crashed')
    }
  }
  const findAll = async (name: string) => {
    const { records } = await cairn.list({ limit: 1000 })
    return records.map(({ body }) => body).filter((body) => body.startsWith(name))
  }

  test('[N10] keeps everything that was acknowledged, says what is wrong meanwhile, and is used again', async () => {
    const { acknowledged, message } = await writeUntilRefused('first', () => control('kill'))
    expect(message).toContain('127.0.0.1')
    await expect(cairn.search('first')).rejects.toThrow('127.0.0.1')
    control('start')
    const stored = await findAll('first')
    expect(stored).toEqual(expect.arrayContaining(acknowledged))
    expect(stored.length - acknowledged.length).toBeLessThanOrEqual(1)
    expect((await cairn.add({ body: 'after the crash' })).created).toBe(true)
    expect((await cairn.doctor()).checks.filter(({ ok }) => !ok)).toEqual([])
  }, 60_000)

  test('[N10] one killed process of the server costs at most the statement under way', async () => {
    const admin = new pg.Client(url)
    admin.on('error', () => {})
    await admin.connect()
    const { rows } = await admin.query(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'cairn'`,
    )
    // PostgreSQL ends all connections when one of its processes is killed, recovers, and goes on by itself.
    for (const { pid } of rows) process.kill(pid, 'SIGKILL')
    await admin.end().catch(() => {})
    const added: boolean[] = []
    for (let tries = 0; added.length === 0 && tries < 50; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      await cairn.add({ body: 'after a killed process' }).then(
        ({ created }) => added.push(created),
        () => {},
      )
    }
    expect(added).toHaveLength(1)
    expect(await findAll('after a killed process')).toHaveLength(1)
  }, 60_000)
})
