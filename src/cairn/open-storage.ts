/** Opens the storage that the options name: a SQLite file, or a schema of a PostgreSQL database. */

import { randomBytes } from 'node:crypto'
import { hidePassword, isDatabaseUrl } from '../core/database-url.js'
import { badInput } from '../core/errors.js'
import { createIdGenerator } from '../core/ids.js'
import { VERSION } from '../core/version.js'
import { openSqlite } from '../storage/sqlite/open-sqlite.js'
import type { Storage } from '../storage/storage.js'
import type { OpenOptions } from './open.js'

export type Arithmetic = {
  readonly now: () => number
  readonly decay: number
  readonly reinforcement: number
}

/** `file` is its path, or its address without a password. */
export async function openStorage(
  options: OpenOptions,
  arithmetic: Arithmetic,
): Promise<{ readonly storage: Storage; readonly file: string }> {
  const address = findAddress(options)
  const { create = true, readOnly = false, salvage = false } = options
  const settings = {
    ...arithmetic,
    create,
    readOnly: readOnly || salvage,
    busyTimeoutMs: options.busyTimeoutMs ?? (isDatabaseUrl(address) ? 30_000 : 5000),
    trace: options.trace ?? null,
    // Read when the first id is made: a search makes none, and node:crypto takes 6 ms.
    makeId: createIdGenerator({ now: arithmetic.now, randomBytes: (size) => randomBytes(size) }),
  }
  if (!isDatabaseUrl(address)) {
    const storage = openSqlite({ ...settings, file: address, programVersion: VERSION, salvage })
    return { storage, file: address }
  }
  const { openServer } = await import('../storage/postgres/open-server.js')
  return { storage: await openServer(address, settings), file: hidePassword(address) }
}

function findAddress({ file, url, salvage = false }: OpenOptions): string {
  const address = url ?? file
  if (address === undefined || (url !== undefined && file !== undefined)) {
    throw badInput(
      'A Cairn is opened by the path of a file or by the url of a database: give one of them.',
    )
  }
  if (url !== undefined && !isDatabaseUrl(url)) {
    throw badInput(
      `"${url}" is not the address of a database.`,
      'Write postgres://user@host/name, or give a path as `file`.',
    )
  }
  if (salvage && isDatabaseUrl(address)) {
    throw badInput(
      'Only a damaged file can be salvaged.',
      'PostgreSQL keeps its own checks; restore a backup of the server.',
    )
  }
  return address
}
