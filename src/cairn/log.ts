/** Reads the log of writes, purges and exports, and notes exports. */

import { CairnError } from '../core/errors.js'
import { check } from '../schemas/check.js'
import { type LogInput, logRequest } from '../schemas/memory-requests.js'
import type { LogPage, NewEvent } from '../storage/log.js'
import type { Storage } from '../storage/storage.js'
import type { Context } from './scope.js'

export function createReadLog({ storage, scope, now }: Context) {
  return async (input: LogInput = {}): Promise<LogPage> => {
    const { namespace, author, since, until, limit, cursor } = check(logRequest, input, now())
    if (namespace !== undefined) scope.assertContains(namespace)
    return storage.log.list({
      namespace: namespace ?? scope.pinnedNamespace,
      author: author ?? null,
      sinceMs: since ?? null,
      untilMs: until ?? null,
      limit,
      cursor,
    })
  }
}

/** Logs an export, a copy or a backup if the caller has a name. Does not fail if the file is read-only. */
export async function noteTaken(storage: Storage, event: NewEvent): Promise<void> {
  try {
    await storage.log.noteNamed(event)
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'read_only') throw error
  }
}
