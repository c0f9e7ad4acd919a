/** Records are read by their ids, or listed page by page, and never from out of scope. */

import type { CairnRecord } from '../core/record.js'
import { check } from '../schemas/check.js'
import { type ListInput, listRequest } from '../schemas/record-requests.js'
import type { RecordPage, Storage } from '../storage/storage.js'
import type { Scope } from './scope.js'

export type GetAnswer = {
  readonly records: readonly CairnRecord[]
  /** What was asked for and is not there, as it was asked. */
  readonly missing: readonly string[]
}

export async function getRecords(
  storage: Storage,
  scope: Scope,
  ids: readonly string[],
): Promise<GetAnswer> {
  const resolved = await Promise.all(ids.map((id) => scope.find(id)))
  const known = resolved.filter((id) => id !== null)
  const records = (await storage.get(known)).filter(scope.contains)
  const found = new Set(records.map(({ id }) => id))
  const missing = ids.filter((_, i) => {
    const id = resolved[i] ?? null
    return id === null || !found.has(id)
  })
  return { records, missing }
}

export async function listRecords(
  storage: Storage,
  scope: Scope,
  input: ListInput,
): Promise<RecordPage> {
  const request = check(listRequest, input)
  const { limit, cursor, deleted } = request
  return storage.list({ filter: await scope.filter(request), limit, cursor, deleted })
}
