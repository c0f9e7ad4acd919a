/** Opens the storage on the PostgreSQL server that an address names. */

import type { Storage } from '../storage.js'
import { type ConnectOptions, connect, parseAddress } from './connect.js'
import { openPostgres, type PostgresOptions } from './open-postgres.js'

export type ServerOptions = Omit<PostgresOptions, 'driver' | 'replica' | 'schema'> & ConnectOptions

export async function openServer(url: string, options: ServerOptions): Promise<Storage> {
  const { replica: other, ...address } = parseAddress(url)
  const driver = await connect(address, options)
  const replica = other === null ? undefined : await connect(other, options)
  try {
    return await openPostgres({ ...options, driver, replica, schema: address.schema })
  } catch (error) {
    await Promise.all([driver.close(), replica?.close()])
    throw error
  }
}
