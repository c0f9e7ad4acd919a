/** Promise: records are read by their ids, or listed page by page, and never from out of reach. */

import type { CairnRecord } from '../core/record.js'
import type { Reach } from '../reach.js'
import { check } from '../requests/check.js'
import { type ListInput, listRequest } from '../requests/record-requests.js'
import type { RecordPage, Storage } from '../storage/storage.js'

export type GetAnswer = {
  readonly records: readonly CairnRecord[]
  /** What was asked for and is not there, as it was asked. */
  readonly missing: readonly string[]
}

export async function getRecords(
  storage: Storage,
  reach: Reach,
  ids: readonly string[],
): Promise<GetAnswer> {
  const resolved = await Promise.all(ids.map((id) => reach.find(id)))
  const known = resolved.filter((id) => id !== null)
  const records = (await storage.get(known)).filter(reach.contains)
  const found = new Set(records.map(({ id }) => id))
  const missing = ids.filter((_, i) => {
    const id = resolved[i] ?? null
    return id === null || !found.has(id)
  })
  return { records, missing }
}

export async function listRecords(
  storage: Storage,
  reach: Reach,
  input: ListInput,
): Promise<RecordPage> {
  const request = check(listRequest, input)
  const { limit, cursor, deleted } = request
  return storage.list({ filter: await reach.filter(request), limit, cursor, deleted })
}
