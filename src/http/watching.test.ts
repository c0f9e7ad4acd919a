/** Whoever runs a server can see whether it is alive, what it does and how long that takes, and nothing of what is stored. */

import { expect, test } from 'vitest'
import { serve } from '../../test/support/http.js'
import { libraryOf } from '../../test/support/library.js'
import { createToken } from '../cairn/tokens.js'
import { createMetrics } from './metrics.js'

test('a probe needs no token and any host, and learns nothing but the state', async () => {
  const { cairn, send } = await serve(['A secret plan.'], { token: createToken() })
  const headers = { host: '10.1.2.3' }
  expect((await send('/healthz', { headers })).json).toEqual({ alive: true })
  const ready = await send('/readyz', { headers })
  expect(ready).toMatchObject({ status: 200, json: { ready: true } })
  expect(ready.json.checks).toEqual({ database: 'ok', migrations: 'ok', model: 'ok' })
  expect((await send('/metrics')).status).toBe(401)
  expect((await send('/healthz', { method: 'POST' })).status).toBe(405)
  await cairn.close()
  const closed = await send('/readyz')
  expect(closed).toMatchObject({ status: 503, json: { ready: false } })
  expect(closed.json.checks.database).toBe('unavailable')
})

test('the figures count requests by operation, searches by cache, and what is stored', async () => {
  const metrics = createMetrics()
  const cairn = await libraryOf(['We deploy on Thursdays.', 'The cat sleeps.'], {
    log: (_, event, fields = {}) => metrics.readLog(event, fields),
  })
  const { send } = await serve([], { cairn, metrics })
  for (const path of [
    '/api/search?query=deploy',
    '/api/search?query=deploy',
    '/api/search?limit=x',
  ]) {
    await send(path)
  }
  const { text, headers } = await send('/metrics')
  expect(headers['content-type']).toContain('text/plain; version=0.0.4')
  const values = new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.replace(/ [^ ]*$/, ''), Number(line.split(' ').at(-1))]),
  )
  expect([...values.values()].every(Number.isFinite)).toBe(true)
  expect(values.get('cairn_requests_total{operation="search",status="200"}')).toBe(2)
  expect(values.get('cairn_requests_total{operation="search",status="400"}')).toBe(1)
  expect(values.get('cairn_request_seconds_count{operation="search"}')).toBe(3)
  expect(values.get('cairn_request_seconds_bucket{operation="search",le="+Inf"}')).toBe(3)
  expect(values.get('cairn_searches_total{cached="true"}')).toBe(1)
  // A cached answer has no stages.
  expect(values.get('cairn_search_stage_seconds_count{stage="words"}')).toBe(1)
  expect(values.get('cairn_search_stage_seconds_sum{stage="words"}')).toBeGreaterThan(0)
  expect(values.get('cairn_records')).toBe(2)
  expect(values.get('cairn_vectors')).toBe(2)
  expect(values.get('cairn_vectors_waiting')).toBe(0)
  const { bytes, sizes } = await cairn.stats({ sizes: true })
  expect(values.get('cairn_database_bytes')).toBe(bytes)
  expect(values.get('cairn_wal_bytes')).toBe(sizes?.wal)
})

test('every request has an id and a line in the log, without the text of a search', async () => {
  const lines: string[] = []
  const { send } = await serve(['We deploy on Thursdays.'], {
    log: (level, event, fields) => lines.push(JSON.stringify({ level, event, ...fields })),
  })
  const given = await send('/api/search?query=thursdays', { headers: { 'x-request-id': 'a-1' } })
  expect(given.headers['x-request-id']).toBe('a-1')
  const made = await send('/api/nothing', { headers: { 'x-request-id': 'no good\tid' } })
  expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  const logged = lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'http.request')
  expect(logged).toMatchObject([
    { id: 'a-1', method: 'GET', path: '/api/search', operation: 'search', status: 200 },
    { path: '/api/nothing', operation: 'unknown', status: 404 },
  ])
  expect(lines.join('')).not.toContain('thursdays')
})
