import { expect, test } from 'vitest'
import { connect, parseAddress } from './connect.js'
import { explainPostgresError } from './errors.js'
import { createRunner } from './runner.js'

test('an address names the schema and the connections, and keeps what is for PostgreSQL', () => {
  expect(parseAddress('postgres://me:pw@host:5433/db?sslmode=require&schema=team&pool=3')).toEqual({
    schema: 'team',
    connections: 3,
    replica: null,
    url: 'postgres://me:pw@host:5433/db?sslmode=require',
    name: 'postgres://me@host:5433/db?sslmode=require&schema=team&pool=3',
  })
  expect(parseAddress('postgres://me@host/db?replica=postgres://u:pw@other/db')).toMatchObject({
    replica: { url: 'postgres://u:pw@other/db', schema: 'cairn' },
    url: 'postgres://me@host/db',
    name: 'postgres://me@host/db?replica=postgres://u@other/db',
  })
  expect(parseAddress('postgres://host/db')).toMatchObject({ schema: 'cairn', connections: 10 })
})

test.each([
  ['postgres://a:pw@b@c:::/x', 'is not the address'],
  ['postgres://h/d?schema=Team', '"Team" cannot be the name of a schema'],
  ['postgres://h/d?schema=a;b', 'cannot be the name of a schema'],
  ['postgres://h/d?schema=pg_x', 'cannot be the name of a schema'],
  ['mysql://me:pw@h/d', 'is not the address of a PostgreSQL database'],
  ['postgres://me:pw@h/d?shema=team', '"shema" in postgres://me@h/d?shema=team is not a parameter'],
  ['postgres://h/d?pool=0', '"0" is not a number of connections'],
])('%s is refused', (address, message) => {
  expect(() => parseAddress(address)).toThrow(message)
  expect(() => parseAddress(address)).not.toThrow('pw')
})

test('a server that does not answer is named without its password', async () => {
  const address = parseAddress('postgres://me:pw@127.0.0.1:1/db')
  const driver = await connect(address, { busyTimeoutMs: 1000, trace: null })
  const { run, close } = createRunner(driver, address.schema)
  const reading = run((statements) => statements.value('SELECT 1'))
  await expect(reading).rejects.toMatchObject({
    code: 'service_unavailable',
    message: 'No PostgreSQL server answers at postgres://me@127.0.0.1:1/db.',
  })
  await close()
  await expect(run(async () => 1)).rejects.toMatchObject({ code: 'closed' })
})

test('a full disk and an error of our own are told apart', () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' })
  expect(explainPostgresError(full, 'S')).toMatchObject({ code: 'disk_full', cause: full })
  const other = Object.assign(new Error('syntax error'), { code: '42601' })
  expect(explainPostgresError(other, 'S')).toBe(other)
})
