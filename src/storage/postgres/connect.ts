/** Connects to a PostgreSQL server with the package `pg`: a pool of connections that send statements without waiting. */

import { hash } from 'node:crypto'
import type { PoolClient, PoolConfig } from 'pg'
import { hidePassword } from '../../core/database-url.js'
import { badInput, CairnError } from '../../core/errors.js'
import { nearestName } from '../../text/nearest-name.js'
import type { Driver } from './driver.js'
import { createSlots } from './slots.js'
import type { Connection, Row } from './statements.js'

export const DEFAULT_SCHEMA = 'cairn'
const MOST_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 10_000
/** Filters combine into many shapes, and the server keeps each that is prepared in the memory of each connection. */
const MOST_PREPARED = 200
const MOST_SEEN = 1000

/** Numbers of types in PostgreSQL's catalogue. */
const TYPES = { int8: 20, int8List: 1016 } as const

export type Address = {
  readonly schema: string
  readonly connections: number
  /** The address of a replica with the same schema, where searches run. */
  readonly replica: Address | null
  /** Without the parameters that are not PostgreSQL's. */
  readonly url: string
  readonly name: string
}

export function parseAddress(text: string): Address {
  const name = hidePassword(text)
  if (!/^postgres(ql)?:/i.test(text) || !URL.canParse(text)) {
    throw badInput(
      `"${name}" is not the address of a PostgreSQL database.`,
      'Write postgres://user@host/name, with special characters of a password as %40; or give the path of a file.',
    )
  }
  const url = new URL(text)
  const take = (parameter: string): string | null => {
    const value = url.searchParams.get(parameter)
    url.searchParams.delete(parameter)
    return value
  }
  const schema = take('schema') ?? DEFAULT_SCHEMA
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_')) {
    throw badInput(
      `"${schema}" cannot be the name of a schema.`,
      'Use small letters, digits and _, at most 63; not pg_ at the beginning.',
    )
  }
  const pool = take('pool')
  const connections = Number(pool ?? MOST_CONNECTIONS)
  if (!Number.isInteger(connections) || connections < 1 || connections > 1000) {
    throw badInput(`"${pool}" is not a number of connections.`, 'Give pool= a number up to 1000.')
  }
  const other = take('replica')
  for (const parameter of url.searchParams.keys()) {
    const meant = nearestName(parameter, ['schema', 'replica', 'pool'])
    if (meant === null) continue
    throw badInput(`"${parameter}" in ${name} is not a parameter.`, `Did you mean "${meant}"?`)
  }
  const replica = other === null ? null : { ...parseAddress(other), schema }
  return { schema, connections, replica, url: url.href, name }
}

export type ConnectOptions = {
  /** How long a write waits for others. */
  readonly busyTimeoutMs: number
  /** Sees every statement. */
  readonly trace: ((sql: string) => void) | null
}

export async function connect(
  address: Omit<Address, 'replica'>,
  options: ConnectOptions,
): Promise<Driver> {
  const { Client, Pool, types } = await loadPg(address.name)
  const nameStatement = createNames()
  const config = {
    ...readUrl(address, options),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'cairn',
  }
  const pool = new Pool({
    ...config,
    max: address.connections,
    pipeline: true,
    // A process that has nothing else to do ends.
    allowExitOnIdle: true,
    types: {
      getTypeParser(type: number, format: 'text' | 'binary') {
        if (type === TYPES.int8) return Number
        const parse = types.getTypeParser(type, format)
        if (type !== TYPES.int8List) return parse
        return (text: string) => (parse(text) as string[]).map(Number)
      },
    } as unknown as NonNullable<PoolConfig['types']>,
  })
  // The pool would count the wait for a free connection as time that the server takes to answer.
  const slots = createSlots(address.connections)
  // An error of a connection that is at work is the error of its statement.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  const openConnection = (client: PoolClient, leave: () => void): Connection => ({
    async query(text, values) {
      options.trace?.(text)
      const name = nameStatement(text)
      const config = { text, values: values as unknown[], ...(name !== null && { name }) }
      const { rows, rowCount } = await client.query<Row>(config)
      return { rows, changed: rowCount ?? 0 }
    },
    async cancel() {
      // It may come too late, and would then stop the statement of the next user.
      leave()
      const { processID } = client as PoolClient & { readonly processID: number }
      // Not from the pool, whose connections may all be busy.
      const other = new Client(config)
      other.on('error', () => {})
      try {
        await other.connect()
        await other.query('SELECT pg_cancel_backend($1)', [processID])
      } finally {
        await other.end()
      }
    },
  })
  return {
    name: address.name,
    withConnection: (work) =>
      slots.run(async () => {
        const client = await pool.connect()
        let isBroken = false
        const noteError = (): void => {
          isBroken = true
        }
        client.on('error', noteError)
        client.on('end', noteError)
        try {
          return await work(openConnection(client, noteError))
        } finally {
          client.off('error', noteError)
          client.off('end', noteError)
          client.release(isBroken)
        }
      }),
    countConnections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: slots.countWaiting(),
    }),
    close: () => pool.end(),
  }
}

async function loadPg(name: string) {
  try {
    return (await import('pg')).default
  } catch (cause) {
    throw new CairnError('service_unavailable', {
      message: `${name} cannot be opened without the package pg.`,
      hint: 'Install it beside Cairn: `npm install pg`.',
      cause,
    })
  }
}

/** What the server is told with the first message of each connection. */
function readUrl(
  { url, schema }: Pick<Address, 'url' | 'schema'>,
  { busyTimeoutMs }: ConnectOptions,
): PoolConfig {
  const parsed = new URL(url)
  const settings = {
    search_path: `${schema},public,extensions`,
    lock_timeout: busyTimeoutMs,
    // A client that is gone does not keep its locks.
    idle_in_transaction_session_timeout: 60_000,
    tcp_keepalives_idle: 60,
    // Compiling a statement takes longer than these take to run.
    jit: 'off',
  }
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const given = parsed.searchParams.get('options')
  parsed.searchParams.delete('options')
  return { connectionString: parsed.href, options: [...own, given ?? ''].join(' ').trim() }
}

/** A statement is prepared when it comes for the second time. Those without values are few and short. */
function createNames() {
  const names = new Map<string, string>()
  const seenOnce = new Set<string>()
  return (text: string): string | null => {
    const known = names.get(text)
    if (known !== undefined) return known
    if (names.size >= MOST_PREPARED || !text.includes('$1')) return null
    if (!seenOnce.delete(text)) {
      if (seenOnce.size >= MOST_SEEN) seenOnce.clear()
      seenOnce.add(text)
      return null
    }
    const name = hash('sha256', text, 'base64url').slice(0, 24)
    names.set(text, name)
    return name
  }
}
