/** Opens the storage on the PostgreSQL server that an address names. */

import type { Storage } from '../storage.js'
import { type ConnectOptions, connect, parseAddress } from './connect.js'
import { openPostgres, type PostgresOptions } from './open-postgres.js'

export type ServerOptions = Omit<PostgresOptions, 'driver' | 'schema'> & ConnectOptions

export async function openServer(url: string, options: ServerOptions): Promise<Storage> {
  const address = parseAddress(url)
  const driver = await connect(address, options)
  try {
    return await openPostgres({ ...options, driver, schema: address.schema })
  } catch (error) {
    await driver.close()
    throw error
  }
}
